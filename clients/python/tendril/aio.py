"""AsyncClient and AsyncJob: the same calls to be awaited. Each runs on a thread of a pool of its own; iterators of events and
jobs are async iterators. Simple, and fast enough: the work is done at the server."""
from __future__ import annotations

import asyncio
import concurrent.futures
import functools
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List, Optional

from .client import Client
from .derivatives import Differentiable
from .job import Job, _bar
from .fitting import Design, Fit
from .result import Evaluation, Result

_END = object()


class _Pool:
    def __init__(self, workers: int):
        self._threads = concurrent.futures.ThreadPoolExecutor(workers, thread_name_prefix="tendril")

    async def call(self, function: Callable[..., Any], *values: Any, **named: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, functools.partial(function, *values, **named))

    async def iterate(self, iterator: Iterator[Any]) -> AsyncIterator[Any]:
        while (item := await self.call(next, iterator, _END)) is not _END:
            yield item

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class AsyncJob:
    """As Job; what asks the server is awaited."""

    def __init__(self, pool: _Pool, job: Job):
        self._pool, self.job = pool, job

    def __repr__(self) -> str:
        return f"Async{self.job!r}"

    id = property(lambda self: self.job.id)
    kind = property(lambda self: self.job.kind)
    state = property(lambda self: self.job.state)
    ended = property(lambda self: self.job.ended)
    fraction = property(lambda self: self.job.fraction)
    error = property(lambda self: self.job.error)
    warnings = property(lambda self: self.job.warnings)
    data = property(lambda self: self.job.data)

    def events(self, since: int = 0) -> AsyncIterator[Dict[str, Any]]:
        """async for event in job.events(): see Job.events."""
        return self._pool.iterate(self.job.events(since))

    async def wait(self, progress: bool = False, timeout: Optional[float] = None, check: bool = True) -> "AsyncJob":
        """See Job.wait. Holds no thread between questions."""
        loop, pause = asyncio.get_running_loop(), 0.02
        end = None if timeout is None else loop.time() + timeout
        while not (await self._pool.call(self.job.refresh)).ended:
            if progress:
                _bar(self.fraction, self.job.phase or self.state)
            if end is not None and loop.time() > end:
                raise TimeoutError(f"job {self.id} is {self.state} after {timeout} s")
            await asyncio.sleep(pause)
            pause = min(1.5 * pause, 0.5)
        await self._pool.call(self.job.wait, progress=progress, check=check)
        return self

    async def result(self, **part: Any) -> Result:
        """See Job.result."""
        return await self._pool.call(self.job.result, **part)

    async def refresh(self) -> "AsyncJob":
        await self._pool.call(self.job.refresh)
        return self

    async def cancel(self) -> "AsyncJob":
        await self._pool.call(self.job.cancel)
        return self

    async def retry(self, *, key: Optional[str] = None, max_wall_s: Optional[float] = None) -> "AsyncJob":
        return AsyncJob(self._pool, await self._pool.call(lambda: self.job.retry(key=key, max_wall_s=max_wall_s)))

    async def delete(self) -> None:
        await self._pool.call(self.job.delete)

    async def children(self) -> List["AsyncJob"]:
        return [AsyncJob(self._pool, job) for job in await self._pool.call(self.job.children)]


class AsyncStream:
    """As what Client.stream gives: async with client.stream("cdm", want="fd") as at: now = await at(q, qd, u)"""

    def __init__(self, pool: _Pool, make: Callable[[], Any]):
        self._pool, self._make, self._stream = pool, make, None

    async def __aenter__(self) -> "AsyncStream":
        self._stream = await self._pool.call(self._make)
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self._pool.call(self._stream.close)

    async def __call__(self, q: Any, qd: Any = None, u: Any = None, qdd: Any = None) -> Evaluation:
        return await self._pool.call(self._stream, q, qd, u, qdd)


class AsyncDifferentiable:
    """As Differentiable, awaited; `function` is it, with start, names, bounds and what SciPy, PyTorch and JAX want, who await nothing."""

    def __init__(self, pool: _Pool, function: Differentiable):
        self._pool, self.function = pool, function

    async def __call__(self, p: Any) -> Any:
        return await self._pool.call(self.function, p)

    async def vjp(self, p: Any, cotangents: Any = 1.0) -> Any:
        return await self._pool.call(self.function.vjp, p, cotangents)

    async def jvp(self, p: Any, tangent: Any) -> Any:
        return await self._pool.call(self.function.jvp, p, tangent)

    async def jacobian(self, p: Any) -> Any:
        return await self._pool.call(self.function.jacobian, p)


class AsyncModels:
    """As Models, awaited; list returns a list."""

    def __init__(self, pool: _Pool, client: Client):
        self._pool, self._models = pool, client.models

    async def put(self, document: Any, name: Optional[str] = None, if_match: Optional[str] = None,
                  owner: Optional[str] = None) -> Dict[str, Any]:
        return await self._pool.call(self._models.put, document, name, if_match, owner)

    async def create(self, document: Any) -> Dict[str, Any]:
        return await self._pool.call(self._models.create, document)

    async def validate(self, document: Any) -> Dict[str, Any]:
        return await self._pool.call(self._models.validate, document)

    async def imported(self, request: Any) -> Dict[str, Any]:
        return await self._pool.call(self._models.imported, request)

    async def get(self, name: str, owner: Optional[str] = None) -> Dict[str, Any]:
        return await self._pool.call(self._models.get, name, owner)

    async def list(self, owner: Optional[str] = None) -> List[Dict[str, Any]]:
        return await self._pool.call(lambda: [*self._models.list(owner)])

    async def delete(self, name: str, if_match: Optional[str] = None, owner: Optional[str] = None) -> None:
        await self._pool.call(self._models.delete, name, if_match, owner)

    async def revisions(self, name: str, owner: Optional[str] = None) -> List[Dict[str, Any]]:
        return await self._pool.call(self._models.revisions, name, owner)

    async def revision(self, name: str, n: int, owner: Optional[str] = None) -> Dict[str, Any]:
        return await self._pool.call(self._models.revision, name, n, owner)


class AsyncTokens:
    """As Tokens, awaited."""

    def __init__(self, pool: _Pool, client: Client):
        self._pool, self._tokens = pool, client.tokens

    async def create(self, name: str, scope: str = "run", owner: Optional[str] = None) -> Dict[str, Any]:
        return await self._pool.call(self._tokens.create, name, scope, owner)

    async def list(self) -> List[Dict[str, Any]]:
        return await self._pool.call(self._tokens.list)

    async def get(self, id: str) -> Dict[str, Any]:
        return await self._pool.call(self._tokens.get, id)

    async def delete(self, id: str, force: bool = False) -> None:
        await self._pool.call(self._tokens.delete, id, force)


class AsyncNodes:
    """As Nodes, awaited."""

    def __init__(self, pool: _Pool, client: Client):
        self._pool, self._nodes = pool, client.nodes

    async def list(self) -> List[Dict[str, Any]]:
        return await self._pool.call(self._nodes.list)

    async def drain(self, node: str, undo: bool = False) -> Dict[str, Any]:
        return await self._pool.call(self._nodes.drain, node, undo)


class AsyncClient:
    """As Client, to be awaited.

        async with AsyncClient("http://127.0.0.1:8080") as tendril:
            fd, mass = await asyncio.gather(tendril.evaluate("cdm", q), tendril.evaluate("cdm", q, want="mass"))

    workers: how many calls are under way at once.
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, *, workers: int = 16, **options: Any):
        self._pool, self._client = _Pool(workers), Client(url, token, **options)
        self.models, self.tokens = AsyncModels(self._pool, self._client), AsyncTokens(self._pool, self._client)
        self.nodes = AsyncNodes(self._pool, self._client)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes connections and threads. Jobs go on."""
        self._client.close()
        self._pool.close()

    async def import_robot(self, source: Any, attach: Any = (), **words: Any) -> Dict[str, Any]:
        """See Client.import_robot."""
        return await self._pool.call(self._client.import_robot, source, attach, **words)

    async def import_urdf(self, source: Any, attach: Any = (), **words: Any) -> Dict[str, Any]:
        """See Client.import_urdf."""
        return await self._pool.call(self._client.import_urdf, source, attach, **words)

    async def attach(self, model: Any, other: Any, parent: str, **words: Any) -> Dict[str, Any]:
        """See Client.attach."""
        return await self._pool.call(self._client.attach, model, other, parent, **words)

    async def evaluate(self, model: Any, q: Any, qd: Any = None, u: Any = None, qdd: Any = None, **options: Any) -> Evaluation:
        """See Client.evaluate."""
        return await self._pool.call(self._client.evaluate, model, q, qd, u, qdd, **options)

    def stream(self, model: Any, **options: Any) -> AsyncStream:
        """See Client.stream; await one answer before the next state."""
        return AsyncStream(self._pool, lambda: self._client.stream(model, **options))

    async def submit(self, job: Any = None, **members: Any) -> AsyncJob:
        """See Client.submit."""
        return AsyncJob(self._pool, await self._pool.call(self._client.submit, job, **members))

    async def check(self, job: Any = None, **members: Any) -> Dict[str, Any]:
        """See Client.check."""
        return await self._pool.call(self._client.check, job, **members)

    async def sweep(self, base: Any, vary: Any, mode: str = "grid", **members: Any) -> AsyncJob:
        """See Client.sweep."""
        return AsyncJob(self._pool, await self._pool.call(self._client.sweep, base, vary, mode, **members))

    async def fit(self, of: Any, parameters: Any, model: Any = None, **members: Any) -> Fit:
        """See Client.fit."""
        return await self._pool.call(self._client.fit, of, parameters, model, **members)

    async def gradient(self, of: Any, parameters: Any, objective: Any = None, **members: Any) -> Result:
        """See Client.gradient."""
        return await self._pool.call(self._client.gradient, of, parameters, objective, **members)

    async def differentiable(self, job: Any, parameters: Any, outputs: Any, **options: Any) -> AsyncDifferentiable:
        """See Client.differentiable; f(p), f.vjp, f.jvp and f.jacobian are awaited."""
        return AsyncDifferentiable(self._pool, await self._pool.call(self._client.differentiable, job, parameters, outputs, **options))

    async def design(self, of: Any, parameters: Any, objective: Any, constraints: Any = None, **members: Any) -> Design:
        """See Client.design."""
        return await self._pool.call(self._client.design, of, parameters, objective, constraints, **members)

    async def run(self, job: Any = None, **members: Any) -> Result:
        """submit, wait and result in one."""
        return await (await (await self.submit(job, **members)).wait()).result()

    async def job(self, id: str) -> AsyncJob:
        return AsyncJob(self._pool, await self._pool.call(self._client.job, id))

    async def jobs(self, **filters: Any) -> AsyncIterator[AsyncJob]:
        """async for job in client.jobs(state="running")."""
        async for job in self._pool.iterate(self._client.jobs(**filters)):
            yield AsyncJob(self._pool, job)

    async def examples(self) -> List[Dict[str, Any]]:
        return await self._pool.call(self._client.examples)

    async def example(self, name: str) -> Dict[str, Any]:
        return await self._pool.call(self._client.example, name)

    async def limits(self) -> Dict[str, int]:
        return await self._pool.call(self._client.limits)

    async def version(self) -> Dict[str, str]:
        return await self._pool.call(self._client.version)

    async def health(self) -> Dict[str, str]:
        return await self._pool.call(self._client.health)

    async def ready(self) -> Dict[str, str]:
        return await self._pool.call(self._client.ready)

    async def metrics(self) -> str:
        return await self._pool.call(self._client.metrics)
