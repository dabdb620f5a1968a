function [result, job] = run(client, document, varargin)
%RUN  A job from its document to its result: submitted, waited for, fetched.
%
%   result = tendril.run(client, struct('model', 'cdm', 'kind', 'dynamics', 't_end', 2, ...
%              'inputs', struct('cable1', 5), 'output', struct('dt', 0.01, 'fields', {{'q', 'energy'}})));
%   [result, job] = tendril.run(client, 'push.job.json')
%   ... = tendril.run(client, document, 'fields', 'q,energy', 'stride', 10)    as of tendril.results
%
% A list of one is a cell: struct('cable1', {{5}}) becomes [5]. A job that fails is an error tendril:CODE
% ("tendril:unconverged") with the server's sentence. Ctrl-C leaves the job running: tendril.results(client, id) later.
%
% See also tendril.results, tendril.sensitivity
  job = tendril.request(client, 'POST', '/v1/jobs', tendril.document(document));
  wait = 0.05;
  while any(strcmp(job.state, {'queued', 'running'}))
    pause(wait);
    wait = min(1, 1.3 * wait);
    job = tendril.request(client, 'GET', ['/v1/jobs/' job.id]);
  end
  if ~strcmp(job.state, 'succeeded')
    code = 'cancelled'; detail = '';
    if isfield(job, 'error') && ~isempty(job.error), code = job.error.code; detail = job.error.detail; end
    error(['tendril:' code], 'job %s %s: %s', job.id, job.state, detail);
  end
  result = tendril.results(client, job.id, varargin{:});
end
