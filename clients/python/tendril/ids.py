"""A job by a part of its id: its first characters, or, where none begins so, the last ones of the newest jobs.

An id begins with its time (48 bits of milliseconds as ten digits of base 32), so a beginning is an interval of time: the server's
list of that interval is looked through, not all of its jobs. Times in the list may differ from those in ids by what a submission
took and by what clocks differ: hence the margins."""
from __future__ import annotations

import itertools
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterator, List

from .errors import InvalidArgument, NotFound

DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
WHOLE, LEAST, ENDING, TIME, NEWEST, TOLD = 26, 4, 8, 10, 1000, 5
LAST_MS = 253402300799000  # 9999-12-31
EARLIER_MS, LATER_MS = 60_000, 600_000


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(min(max(ms, 0), LAST_MS) // 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _begin_so(part: str, jobs: Callable[..., Iterator[Dict[str, Any]]]) -> List[str]:
    if any(letter not in DIGITS for letter in part):
        return []
    step, first = 32 ** max(0, TIME - len(part)), 0
    for letter in part[:TIME]:
        first = 32 * first + DIGITS.index(letter)
    first *= step
    if first > LAST_MS:
        return []
    listed = jobs(since=_moment(first - EARLIER_MS), until=_moment(first + step + LATER_MS))
    return [*itertools.islice((job["id"] for job in listed if job["id"].startswith(part)), TOLD + 1)]


def whole_id(part: str, jobs: Callable[..., Iterator[Dict[str, Any]]]) -> str:
    """The id of the one job that has such a beginning or end; `jobs` lists jobs by filters, the newest first."""
    part = part.lower()
    if len(part) >= WHOLE:
        return part
    if len(part) < LEAST:
        raise InvalidArgument(f"'{part}' is too short: at least {LEAST} characters of a job's id")
    found, how = _begin_so(part, jobs), "begin"
    if not found and len(part) >= ENDING:
        how = "end"
        found = [job["id"] for job in itertools.islice(jobs(), NEWEST) if job["id"].endswith(part)]
    if not found:
        raise NotFound(f"no job's id begins with '{part}', and of the newest {NEWEST} none ends so" if len(part) >= ENDING else
                       f"no job's id begins with '{part}' (its last characters do from {ENDING} of them on)", status=404)
    if len(found) > 1:
        raise InvalidArgument(f"several jobs' ids {how} with '{part}': {', '.join(found[:TOLD])}{', …' if len(found) > TOLD else ''}")
    return found[0]
