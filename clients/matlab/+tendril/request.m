function reply = request(client, method, path, body, form)
%REQUEST  One request of the HTTP interface (api/openapi.yaml), its answer decoded.
%
%   reply = tendril.request(client, 'GET', '/v1/models')
%   reply = tendril.request(client, 'POST', '/v1/jobs', body)    body: JSON text, or what tendril.json takes
%   text  = tendril.request(client, 'GET', path, [], 'text')     the answer as it came
%
% An answer in JSON becomes a struct, any other stays text. A refusal is an error tendril:CODE ("tendril:not_found")
% whose message has the server's sentence and the place in what was sent; no answer is tendril:unreachable.
  if nargin < 4, body = []; end
  files = {tempname(), tempname(), tempname()};     % settings (with the token: no command line shows it), body, answer
  tidy = onCleanup(@() remove(files));
  if ~isempty(body) && ~ischar(body), body = tendril.json(body); end
  put(files{1}, settings(client, method, path, files, ~isempty(body)));
  if ~isempty(body), put(files{2}, body); end
  [failed, told] = system(['curl --config "' files{1} '"']);
  if failed ~= 0
    error('tendril:unreachable', 'no answer from %s: %s', client.url, strtrim(told(1:max(0, end - 3))));
  end
  status = str2double(told(max(1, end - 2):end));
  text = get(files{3});
  if status >= 400, refuse(status, text); end
  reply = text;
  if nargin < 5 && ~isempty(text) && any(text(1) == '{['), reply = jsondecode(text); end
end

function text = settings(client, method, path, files, sends)
  lines = {['url = "' quoted([client.url path]) '"'], ['request = "' method '"'], 'silent', 'show-error', 'stderr = "-"', ...
           ['output = "' quoted(files{3}) '"'], 'write-out = "%{http_code}"', sprintf('max-time = %g', client.timeout), ...
           'header = "Accept: application/json"'};
  if sends, lines = [lines, {['data-binary = "@' quoted(files{2}) '"'], 'header = "Content-Type: application/json"'}]; end
  if ~isempty(client.token), lines{end + 1} = ['header = "Authorization: Bearer ' quoted(client.token) '"']; end
  if ~isempty(client.ca_file), lines{end + 1} = ['cacert = "' quoted(client.ca_file) '"']; end
  text = sprintf('%s\n', lines{:});
end

function text = quoted(text)
  if any(text < ' '), error('tendril:invalid', 'an address or token may not have line ends or tabs in it'); end
  text = strrep(strrep(text, '\', '\\'), '"', '\"');
end

function refuse(status, text)
  code = 'refused'; message = text;
  try
    problem = jsondecode(text);
    code = problem.code; message = problem.detail;
    if isfield(problem, 'pointer') && ~isempty(problem.pointer), message = [message ' (at ' problem.pointer ')']; end
    if isfield(problem, 'errors')
      for one = problem.errors(2:end)', message = sprintf('%s; %s (at %s)', message, one.detail, one.pointer); end
    end
  catch
    message = strtrim(message(1:min(end, 300)));
  end
  error(['tendril:' code], '%s (%d)', message, status);
end

% Text as UTF-8 bytes, whatever the system's encoding is.
function put(name, text)
  file = fopen(name, 'wb');
  if file < 0, error('tendril:file', 'cannot write %s', name); end
  fwrite(file, unicode2native(text, 'UTF-8'), 'uint8');
  fclose(file);
end

function text = get(name)
  file = fopen(name, 'rb');
  text = '';
  if file < 0, return; end
  text = native2unicode(fread(file, [1 Inf], '*uint8'), 'UTF-8');
  fclose(file);
end

function remove(files)
  for i = 1:numel(files)
    if exist(files{i}, 'file'), delete(files{i}); end
  end
end
