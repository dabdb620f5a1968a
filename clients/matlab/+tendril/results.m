function result = results(client, id, varargin)
%RESULTS  The result of a job: its arrays and its summary.
%
%   result = tendril.results(client, id)
%   result = tendril.results(client, id, 'fields', 'q,poses:arm@1', 'from', 0.5, 'to', 1, 'stride', 10, 'partial', true)
%
% result.t [rows x 1], result.q [rows x ndof], ...: the first axis counts rows (times; problems of statics). Arrays of
% links: result.poses_arm [rows x points x 4 x 4], result.poses_arm_1 of poses:arm@1 [rows x 4 x 4]: what is no name
% in MATLAB has underscores. result.summary: coordinates and channels (names of columns), warnings, model, job, ...
% partial: what a job that has not succeeded has saved so far.
  query = '';
  for i = 1:2:numel(varargin)
    value = varargin{i + 1};
    if ~any(strcmp(varargin{i}, {'fields', 'from', 'to', 'stride', 'partial'}))
      error('tendril:invalid', '%s is no option: fields, from, to, stride, partial', varargin{i});
    end
    if ~ischar(value), value = sprintf('%.17g', value); end
    query = [query '&' varargin{i} '=' encoded(value)]; %#ok<AGROW>
  end
  if ~isempty(query), query(1) = '?'; end
  answer = tendril.request(client, 'GET', ['/v1/jobs/' id '/result' query]);
  result = answer.arrays;
  result.summary = answer.summary;
end

function text = encoded(text)
  keep = isstrprop(text, 'alphanum') | ismember(text, '-._~,:@');
  parts = arrayfun(@(c) sprintf('%%%02X', c), unicode2native(text, 'UTF-8'), 'UniformOutput', false);
  if all(keep), return; end
  if numel(parts) == numel(text), parts(keep) = num2cell(text(keep)); end
  text = [parts{:}];
end
