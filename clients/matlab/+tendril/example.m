function [model, job] = example(client, name)
%EXAMPLE  Model and job of a shipped robot, as JSON text.
%
%   [model, job] = tendril.example(client, 'cdm');
%   tendril.put(client, 'cdm', model);
%   result = tendril.run(client, job);
%
% What there are: tendril.request(client, 'GET', '/v1/examples')
  if ~ischar(name) || isempty(regexp(name, '^[\w.-]+$', 'once')), error('tendril:invalid', 'that is no name of an example'); end
  text = tendril.request(client, 'GET', ['/v1/examples/' name], [], 'text');
  model = member(text, 'model');
  job = member(text, 'job');
end

% The text of a member that is an object, as it stands: decoded, lists of one number would become numbers.
function part = member(text, key)
  escaped = [false, text(1:end - 1) == char(92)];   % behind a backslash
  marks = find(text == '"' & ~escaped);
  inside = false(size(text));
  for i = 1:2:numel(marks) - 1, inside(marks(i):marks(i + 1)) = true; end
  depth = cumsum(((text == '{' | text == '[') - (text == '}' | text == ']')) .* ~inside);
  starts = strfind(text, ['"' key '"']);
  starts = starts(depth(starts) == 1);
  first = starts(1) + find(text(starts(1) + numel(key) + 2:end) == '{', 1) + numel(key) + 1;
  last = first + find(depth(first + 1:end) == 1, 1);
  part = text(first:last);
end
