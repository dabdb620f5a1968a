function reply = evaluate(client, model, want, q, qd, u, qdd)
%EVALUATE  Quantities of a model at states.
%
%   reply = tendril.evaluate(client, 'cdm', {'fd', 'dfd_dq'}, q)
%   reply = tendril.evaluate(client, 'cdm', {'fd'}, q, qd, u)
%   reply = tendril.evaluate(client, 'cdm', {'id'}, q, qd, u, qdd)
%
% q, qd, qdd   [states x ndof]      coordinates (rad, m, strain modes), rates, accelerations; [] or left out: zeros
% u            [states x channels]  inputs (N, N m, Pa, ... by channel)
% model        name of a stored model, or a model document (struct, or JSON text)
% want         names as api/quantities.md lists them
%
% reply.fd [states x ndof], reply.dfd_dq [states x ndof x ndof], ...: the first axis counts states. Quantities by link
% are structs: reply.poses.arm [states x points x 4 x 4]. States without an answer are NaN, reply.error says why of
% each ('' where nothing is wrong); reply.warnings is what is odd about the model.
  if ischar(want), want = {want}; end
  given = {q, [], [], []};
  if nargin > 4, given{2} = qd; end
  if nargin > 5, given{3} = u; end
  if nargin > 6, given{4} = qdd; end
  words = {'q', 'qd', 'u', 'qdd'};
  count = size(q, 1);
  states = cell(1, count);
  for i = 1:count
    state = struct();
    for k = 1:4
      if isempty(given{k}), continue; end
      if size(given{k}, 1) ~= count
        error('tendril:invalid', '%s has %d rows, q has %d: a row is a state', words{k}, size(given{k}, 1), count);
      end
      state.(words{k}) = num2cell(given{k}(i, :));   % cells: a list, also of one number
    end
    states{i} = state;
  end
  request = struct('want', {{}}, 'states', {{}});
  request.want = want; request.states = states;
  if ischar(model) && isempty(strfind(model, '{'))
    answer = tendril.request(client, 'POST', ['/v1/models/' model ':evaluate'], request);
  else
    text = tendril.json(request);
    answer = tendril.request(client, 'POST', '/v1/evaluate', [text(1:end - 1) ',"model":' tendril.document(model) '}']);
  end
  reply = gather(answer.states, count);
  if isfield(answer, 'warnings'), reply.warnings = answer.warnings; end
end

% A list of answers as arrays with states first.
function reply = gather(states, count)
  if ~iscell(states), states = num2cell(states); end
  reply = struct('error', {cell(count, 1)});
  for i = 1:count
    reply.error{i} = '';
    if isfield(states{i}, 'error') && ~isempty(states{i}.error), reply.error{i} = states{i}.error.detail; end
    reply = add(reply, rmfield_if(states{i}, 'error'), i, count);
  end
end

function s = rmfield_if(s, name)
  if isfield(s, name), s = rmfield(s, name); end
end

function reply = add(reply, state, i, count)
  names = fieldnames(state);
  for k = 1:numel(names)
    name = names{k}; value = state.(name);
    if isstruct(value) && isscalar(value)
      if ~isfield(reply, name), reply.(name) = struct(); end
      reply.(name) = add(reply.(name), value, i, count);
    elseif isnumeric(value)
      shape = size(value);
      if numel(shape) == 2 && shape(2) == 1, shape = shape(1); end
      if ~isfield(reply, name), reply.(name) = NaN([count, shape, 1]); end
      if numel(value) == numel(reply.(name)) / count, reply.(name)(i, :) = value(:)'; end
    end
  end
end
