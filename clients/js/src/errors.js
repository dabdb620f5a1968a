// What can go wrong: TendrilError, told apart by `code` (the server's word: "invalid_argument", "not_found", …).

/** A call that failed. pointer: JSON pointer into what was sent; errors: all that was found wrong at once, this first;
 *  requestId finds the request in the server's log. */
export class TendrilError extends Error {
  constructor(detail, { code = "internal", status, pointer, errors, requestId, cause } = {}) {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = "TendrilError";
    Object.assign(this, { code, status, pointer, errors: errors ?? (pointer === undefined ? [] : [{ pointer, detail }]), requestId });
  }
}

/** A job that has failed or was cancelled; `job` is the job as it ended. Codes inconsistent and unconverged: all that was computed
 *  is kept, job.result({ partial: true }). */
export class JobFailed extends TendrilError {
  constructor(job) {
    const error = job.error ?? {};
    super(`job ${job.id} is ${job.state}${error.detail ? `: ${error.detail}` : ""}`, { code: error.code ?? job.state });
    this.name = "JobFailed";
    this.job = job;
  }
}

/** The error of a reply that is not 2xx, whoever gave it. */
export async function errorOf(reply) {
  const text = await reply.text();
  try {
    const problem = JSON.parse(text);
    if (problem && typeof problem.code === "string") {
      const { detail, code, status = reply.status, pointer, errors, request_id: requestId } = problem;
      return new TendrilError(detail, { code, status, pointer, errors, requestId });
    }
  } catch {
    // not a problem document
  }
  return new TendrilError(`the answer has status ${reply.status} and is not from a Tendril server: ${text.slice(0, 200)}`, { status: reply.status });
}
