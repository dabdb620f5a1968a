"""What can go wrong, as exceptions: one class per code of the server's problem documents, all of them TendrilError.

What is odd though nothing failed is a TendrilWarning, told by warnings.warn."""
from __future__ import annotations

import sys
import warnings
from typing import Any, Dict, List, Mapping, Optional


class TendrilError(Exception):
    """A call that failed.

    detail      one sentence with the offending value
    code        the server's word for it ("invalid_argument", …); "unreachable" when there was no server to say one
    status      HTTP status, None when there was no answer
    pointer     JSON pointer (RFC 6901) to the place in what was sent, "" is the whole, None when there is no place
    request_id  finds the request in the server's log
    errors      [{pointer, detail}], all that was found wrong at once (at most 8), the first is this one; [] without a place
    """

    code = "internal"

    def __init__(self, detail: str, *, code: Optional[str] = None, status: Optional[int] = None,
                 pointer: Optional[str] = None, request_id: Optional[str] = None,
                 errors: Optional[List[Dict[str, str]]] = None):
        super().__init__(detail)
        self.detail, self.code = detail, code or type(self).code
        self.status, self.pointer, self.request_id = status, pointer, request_id
        self.errors = list(errors or ([] if pointer is None else [{"pointer": pointer, "detail": detail}]))

    def __str__(self) -> str:
        place = f" at {self.pointer}" if self.pointer else ""
        request = f" [request {self.request_id}]" if self.request_id else ""
        more = "".join(f"\n  and at {one['pointer'] or 'the whole'}: {one['detail']}" for one in self.errors[1:])
        return f"{self.code}{place}: {self.detail}{request}{more}"


class InvalidArgument(TendrilError, ValueError):
    """What was sent, or was to be sent, is not valid; `pointer` says where."""
    code = "invalid_argument"


class Unauthenticated(TendrilError):
    """The token is missing, unknown or revoked."""
    code = "unauthenticated"


class PermissionDenied(TendrilError):
    """The token's scope does not reach that far."""
    code = "permission_denied"


class NotFound(TendrilError):
    """There is no such model, revision, job, example or operation."""
    code = "not_found"


class AlreadyExists(TendrilError):
    """The name is taken."""
    code = "already_exists"


class FailedPrecondition(TendrilError):
    """Not in this state: a revision that is not the newest, a job that is running, …"""
    code = "failed_precondition"


class NotReady(TendrilError):
    """The job has no result yet."""
    code = "not_ready"


class ResultLost(TendrilError):
    """The job succeeded, but its result is damaged or gone; retry it."""
    code = "result_lost"


class TooLarge(TendrilError):
    """More than the limits of this server allow (Client.limits)."""
    code = "too_large"


class IdempotencyMismatch(TendrilError):
    """The idempotency key was used for another job."""
    code = "idempotency_mismatch"


class RateLimited(TendrilError):
    """Too many requests, also after waiting for as long as `patience` allows."""
    code = "rate_limited"


class QuotaExceeded(TendrilError):
    """The server has no room for more results; delete jobs."""
    code = "quota_exceeded"


class Unavailable(TendrilError):
    """The server cannot answer now."""
    code = "unavailable"


class Unreachable(TendrilError):
    """No server answers at this address."""
    code = "unreachable"


class StateError(TendrilError):
    """A quantity cannot be evaluated at the given state.

    index     which state of the batch
    link      where in the robot, when that is known
    quantity  which of the wanted quantities, when that is known
    """
    code = "nonfinite"

    def __init__(self, detail: str, *, index: int = 0, link: Optional[str] = None, quantity: Optional[str] = None,
                 **members: Any):
        super().__init__(detail, **members)
        self.index, self.link, self.quantity = index, link, quantity


class JobFailed(TendrilError):
    """The job has failed or was cancelled. `job` is the job as it ended, job.warnings what was odd about it.

    Codes inconsistent and unconverged: all that was computed is kept, job.result(partial=True).
    """
    code = "job_failed"

    def __init__(self, detail: str, *, job: Any = None, **members: Any):
        super().__init__(detail, **members)
        self.job = job


class TendrilWarning(UserWarning):
    """What is odd about a model or a job though nothing failed.

    code      a word for programs ("energy_error", "unstable", …)
    detail    a sentence with the odd value and what to do
    pointer   JSON pointer into the document; of a job, its model is at /model
    job       the Job that it is of, None of models and states: who makes warnings errors finds here what was submitted
    """

    def __init__(self, code: str, detail: str, pointer: str = "", job: Any = None):
        super().__init__(f"{code}{f' at {pointer}' if pointer else ''}: {detail}")
        self.code, self.detail, self.pointer, self.job = code, detail, pointer, job


_BETWEEN = ("tendril", "torch", "scipy", "jax", "concurrent", "asyncio", "threading")  # libraries between a caller and a warning


def _caller() -> int:
    """stacklevel, for who calls this, of the first call up that is not of a library: the line that a user wrote."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    return level


def tell(found: Optional[List[Dict[str, Any]]], job: Any = None) -> None:
    """warnings.warn for each of a reply's warnings, as said by the line that called the client, however deep that was."""
    for one in found or []:
        warnings.warn(TendrilWarning(one["code"], one["detail"], one.get("pointer", ""), job), stacklevel=_caller())


def _tree(base: type) -> list:
    return [base] + [kind for child in base.__subclasses__() for kind in _tree(child)]


BY_CODE = {kind.code: kind for kind in _tree(TendrilError) if kind not in (TendrilError, StateError, JobFailed, Unreachable)}


def from_problem(problem: Mapping[str, Any], status: Optional[int] = None) -> TendrilError:
    """The exception of a problem document (RFC 9457)."""
    code = str(problem.get("code", "internal"))
    kind = BY_CODE.get(code, TendrilError)
    return kind(str(problem.get("detail", "")), code=code, status=problem.get("status", status),
                pointer=problem.get("pointer"), request_id=problem.get("request_id"), errors=problem.get("errors"))
