function client = connect(url, token)
%CONNECT  A connection to a Tendril server.
%
%   client = tendril.connect()             TENDRIL_URL, else http://127.0.0.1:8080
%   client = tendril.connect(url)
%   client = tendril.connect(url, token)   token: default TENDRIL_TOKEN, else none
%
% The client is a struct that the other functions take first: url, token, ca_file (certificates (PEM) to trust
% instead of the system's, from TENDRIL_CA_FILE), timeout (longest time of one request, s). Requests go through the
% program curl, which MATLAB's and Octave's systems have (Windows from version 10).
%
% See also tendril.evaluate, tendril.run, tendril.results, tendril.sensitivity, tendril.put
  if nargin < 1 || isempty(url), url = getenv('TENDRIL_URL'); end
  if isempty(url), url = 'http://127.0.0.1:8080'; end
  if isempty(strfind(url, '://')), url = ['http://' url]; end
  if nargin < 2, token = getenv('TENDRIL_TOKEN'); end
  client = struct('url', regexprep(url, '/+$', ''), 'token', token, 'ca_file', getenv('TENDRIL_CA_FILE'), 'timeout', 3600);
  tendril.request(client, 'GET', '/healthz');
end
