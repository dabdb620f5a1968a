"""Jobs of a function: many under way at once, their results in order, nothing of them left behind."""
from __future__ import annotations

import collections
import uuid
from typing import Any, Callable, Deque, Dict, List, Mapping, Sequence

from ..errors import TendrilError, tell
from ..job import Job
from ..result import Result

AT_ONCE = 64  # jobs on the server

# where places of a job's document stand in what its function was given: of a gradient, of a run with sensitivities, of a run
PLACES = (("/of/model", "/model"), ("/of", "/job"), ("/cotangents", "/outputs"), ("/objective", "/outputs"), ("/sensitivity/parameters", "/parameters"),
          ("/sensitivity/fields", "/outputs"), ("/output/fields", "/outputs"), ("/parameters", "/parameters"), ("/model", "/model"), ("", "/job"))


def _place(pointer: Any) -> Any:
    if not pointer:
        return pointer
    before, behind = next((before, behind) for before, behind in PLACES if pointer == before or pointer.startswith(before + "/"))
    return behind + pointer[len(before):]


class _Heard(Job):
    """A job whose warnings are collected, to be told by who runs it."""

    heard: List[Dict[str, Any]]

    def _tell(self, found: List[Dict[str, Any]]) -> None:
        self.heard += found


class Runner:
    """Runs the jobs of one function. Each kind of warning is told once."""

    def __init__(self, client: Any, keep: bool):
        self._client, self._keep, self._told = client, keep, set()

    def results(self, documents: Sequence[Mapping[str, Any]], names: Sequence[int], count: int,
                explain: Callable[[int, Any], str] = lambda row, pointer: "") -> List[Result]:
        """Of each job. One that fails is an exception that says which row it is (`names`, of `count`), with what `explain` adds
        for a document and the place of the error, and ends the others."""
        waiting: Deque[_Heard] = collections.deque()
        heard: List[Dict[str, Any]] = []
        results: List[Result] = []
        row = submitted = 0
        try:
            while len(results) < len(documents):
                if submitted < len(documents) and len(waiting) < AT_ONCE:
                    row = submitted
                    waiting.append(self._submit(documents[row], heard))
                    submitted += 1
                else:
                    row = len(results)
                    results.append(waiting[0].wait().result())
                    self._remove(waiting.popleft())
        except TendrilError as error:
            error.pointer = _place(error.pointer)
            error.detail += explain(row, error.pointer)
            if count > 1:
                error.detail = f"row {names[row]} of {count}: {error.detail}"
            raise
        finally:
            self._abandon(waiting)
        self._tell(heard)
        return results

    def _submit(self, document: Mapping[str, Any], heard: List[Dict[str, Any]]) -> _Heard:
        job = _Heard(self._client._face, self._client._face.jobs_submit(document, uuid.uuid4().hex), self._client._patience)
        job.heard = heard
        heard += job.warnings
        return job

    def _remove(self, job: Job) -> None:
        if self._keep:
            return
        try:
            job.delete()
        except TendrilError:  # the result is here; what is left on the server goes with its retention
            pass

    def _abandon(self, jobs: Deque[_Heard]) -> None:
        for ask in (lambda job: job.cancel(), lambda job: job.wait(timeout=10, check=False), self._remove):
            for job in jobs:
                try:
                    ask(job)
                except (TendrilError, TimeoutError):
                    pass

    def _tell(self, heard: List[Dict[str, Any]]) -> None:
        new = []
        for one in heard:
            kind = (one["code"], _place(one.get("pointer", "")))
            if kind not in self._told:
                self._told.add(kind)
                new.append({**one, "pointer": kind[1]})
        tell(new)
