function job = check(client, document)
%CHECK  What a submission would say of a job, without one: nothing is queued.
%
%   job = tendril.check(client, 'push.job.json')     a file, JSON text, or a struct, as of tendril.run
%   job.warnings                                     what is odd in it
%
% What is wrong with it is an error tendril:CODE, as of tendril.run.
%
% See also tendril.run
  job = tendril.request(client, 'POST', '/v1/jobs?validate=1', tendril.document(document));
end
