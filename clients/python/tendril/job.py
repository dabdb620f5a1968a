"""A job on the server: watching it, its result, and what can be done to it."""
from __future__ import annotations

import random
import sys
import time
import uuid
from typing import Any, Dict, Iterator, List, Optional, Union

from .documents import listed
from .errors import FailedPrecondition, JobFailed, NotReady, RateLimited, Unavailable, Unreachable, tell
from .picture import Film, Picture, Replay
from .result import Result

ENDED = ("succeeded", "failed", "cancelled")


class Job:
    """A job as it was when last asked about (`refresh`). Made by Client.submit, Client.job, Client.jobs.

    data: the job document of the server: id, kind, state, attempt, model, progress, labels, priority, times, error,
    warnings, parent.
    """

    def __init__(self, face: Any, data: Dict[str, Any], patience: float = 30.0):
        self._face, self.data, self._patience = face, data, patience
        self._told: List[Dict[str, Any]] = []

    def __repr__(self) -> str:
        return f"Job({self.id} {self.kind} {self.state} {100 * self.fraction:.0f}%)"

    @property
    def id(self) -> str:
        return self.data["id"]

    @property
    def kind(self) -> str:
        """dynamics, statics, linearize, fit, gradient, design or sweep."""
        return self.data["kind"]

    @property
    def state(self) -> str:
        """queued, running, succeeded, failed or cancelled."""
        return self.data["state"]

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    @property
    def fraction(self) -> float:
        """Progress, 0 … 1."""
        return float(self.data["progress"].get("fraction") or 0)

    @property
    def phase(self) -> Optional[str]:
        """"checking": the run is over, and a second one measures what its errors have added up to. None: it is not."""
        return self.data["progress"].get("phase") if self.state == "running" else None

    @property
    def error(self) -> Optional[Dict[str, Any]]:
        """{code, detail, …} of a job that failed."""
        return self.data.get("error")

    @property
    def warnings(self) -> List[Dict[str, Any]]:
        """[{code, detail, pointer}]: what is odd though nothing failed, of model and job, in the end of the run, too."""
        return self.data.get("warnings") or []

    def tell(self) -> "Job":
        """warnings.warn for each of `warnings` that was not told yet; returns itself. submit, wait and result do it."""
        self._tell(self.warnings)
        return self

    def _tell(self, found: List[Dict[str, Any]]) -> None:
        new = [one for one in found if one not in self._told]
        self._told += new
        tell(new, self)

    def refresh(self) -> "Job":
        """Asks the server; returns itself."""
        self.data = self._face.jobs_get(self.id)
        return self

    def events(self, since: int = 0) -> Iterator[Dict[str, Any]]:
        """Events {seq, event: state | progress | log, time, job, attempt, …} behind number `since`, as they happen.

        Ends after the last event of a job that has ended. A connection that breaks is opened again behind the last event,
        for as long as the client's patience.
        """
        end, pause = time.monotonic() + self._patience, 0.1
        while True:
            before = since
            try:
                for event in self._face.jobs_events(self.id, since):
                    since, end, pause = event["seq"], time.monotonic() + self._patience, 0.1
                    yield event
                    if event.get("event") == "state" and event.get("state") in ENDED:
                        return
                if since == before and self.refresh().ended:  # nothing is left to be told
                    return
            except (Unreachable, Unavailable, RateLimited):
                if time.monotonic() + pause > end:
                    raise
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, 2.0)

    def wait(self, progress: bool = False, timeout: Optional[float] = None, check: bool = True) -> "Job":
        """Waits until the job has ended, and returns itself.

        progress: draws a bar on stderr. timeout: s, then TimeoutError (seen with the next event or heartbeat; the job goes
        on). check: JobFailed unless it succeeded. What is odd about the run is told as TendrilWarning.
        """
        if timeout is not None:
            self._poll(timeout, progress)
        elif not self.refresh().ended:
            for event in self.events():
                self._note(event, progress)
            self.refresh()
        if progress:
            _bar(self.fraction, self.state, last=True)
        self.tell()
        if check and self.state != "succeeded":
            raise self.failure()
        return self

    def _poll(self, timeout: float, progress: bool) -> None:
        end, pause = time.monotonic() + timeout, 0.02
        while not self.refresh().ended:
            if progress:
                _bar(self.fraction, self.phase or self.state)
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"job {self.id} is {self.state} after {timeout} s")
            time.sleep(min(pause, left))
            pause = min(1.5 * pause, 0.5)

    def _note(self, event: Dict[str, Any], progress: bool) -> None:
        if event["event"] == "state":
            self.data["state"] = event["state"]
        elif event["event"] == "progress":
            self.data["progress"] = {key: event.get(key) for key in ("fraction", "t", "t_end", "phase") if key != "phase" or key in event}
        if progress:
            _bar(self.fraction, self.phase or self.state)

    def failure(self) -> JobFailed:
        """The exception of a job that has failed or was cancelled."""
        error = self.error or {}
        return JobFailed(f"job {self.id} is {self.state}" + (f": {error['detail']}" if error.get("detail") else ""),
                         job=self, code=error.get("code") or self.state, pointer=error.get("pointer"))

    def result(self, fields: Union[str, List[str], None] = None, begin: Optional[float] = None, end: Optional[float] = None,
               stride: Optional[int] = None, partial: bool = False) -> Result:
        """Arrays and summary of a job that has succeeded.

        fields: only this array, or these (and t). begin, end: rows between these times, s, inclusive (of statics: problem numbers).
        stride: every so many rows one. partial: of a job that has not succeeded, the rows so far, of a run from its first seconds on (all of one that was cancelled or whose time was up).
        What is odd about the run is told as TendrilWarning, once per Job. Raises NotReady before the end, JobFailed when
        there will be none.
        """
        query: Dict[str, Any] = {"fields": ",".join(listed(fields, "fields")) if fields else None, "from": begin, "to": end, "stride": stride,
                                 "partial": 1 if partial else None}
        try:
            found = Result.from_npz(self._face.jobs_result(self.id, **query), self._face)
        except (NotReady, FailedPrecondition):
            if self.refresh().ended and not partial and self.state != "succeeded":
                raise self.failure() from None
            raise
        self._tell(found.summary.get("warnings") or self.warnings)
        return found

    def plot(self, path: Optional[str] = None, shapes: Optional[int] = None, **given: Any) -> Picture:
        """Picture of the result: see Result.plot. Waits for the end of the job."""
        return self.wait().result().plot(path, shapes, **given)

    def film(self, path: Optional[str] = None, **given: Any) -> Film:
        """The picture of the result that moves: see Result.film. Waits for the end of the job."""
        return self.wait().result().film(path, **given)

    def replay(self, path: Optional[str] = None) -> Replay:
        """The result as a page: see Result.replay. Waits for the end of the job."""
        return self.wait().result().replay(path)

    def _repr_html_(self) -> str:
        from .notebook import of_job
        return of_job(self)

    def cancel(self) -> "Job":
        """Stops it at its next step; does nothing to a job that has ended."""
        self.data = self._face.jobs_cancel(self.id)
        return self

    def retry(self, *, key: Optional[str] = None, max_wall_s: Optional[float] = None) -> "Job":
        """A new job like this one, which failed or was cancelled. max_wall_s: its time, s, in place of this one's. key: idempotency key, as of a submission: the same key again gives the same job."""
        return Job(self._face, self._face.jobs_retry(self.id, key or uuid.uuid4().hex, max_wall_s), self._patience)

    def delete(self) -> None:
        """Removes a job that has ended, and its result."""
        self._face.jobs_delete(self.id)

    def children(self) -> List["Job"]:
        """Jobs of a sweep, in the order of their values."""
        found: List[Job] = []
        cursor = None
        while True:
            page = self._face.jobs_list(parent=self.id, limit=1000, cursor=cursor)
            found += [Job(self._face, data, self._patience) for data in page["jobs"]]
            cursor = page["next_cursor"]
            if not cursor:
                return found[::-1]


def _bar(fraction: float, state: str, last: bool = False) -> None:
    full = int(30 * min(max(fraction, 0.0), 1.0))
    sys.stderr.write(f"\r[{'#' * full}{'.' * (30 - full)}] {100 * fraction:5.1f}% {state:<10}" + ("\n" if last else ""))
    sys.stderr.flush()
