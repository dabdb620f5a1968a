"""A running server and its Python client, as a user has them: what the problems of the gallery measure with."""
import os
import sys
import time
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
sys.path[:0] = [os.path.join(SOURCE, "tests", "integration"), os.path.join(SOURCE, "clients", "python")]
os.environ.setdefault("TENDRIL_BIN", os.path.join(SOURCE, "build", "release", "bin"))

import harness  # noqa: E402
from tendril import Client  # noqa: E402
from tendril.result import Result  # noqa: E402


class Desk:
    """One server for all problems. `cpu_s` and `jobs` count what the server computed since `reset`.

    Jobs are submitted with the defaults of the service: a problem that needs another setting says it in its call.
    """

    def __init__(self):
        warnings.simplefilter("ignore")  # the server's own, which `warnings` keeps for the page
        self.server = harness.Server(workers=1)
        self.client = Client(f"http://{self.server.host}:{self.server.port}", timeout=600)
        self.reset()

    def reset(self):
        self.cpu_s, self.jobs, self.warnings, self.started = 0.0, 0, [], time.monotonic()

    def close(self):
        self.client.close()
        self.server.close()

    def _result(self, job):
        job.wait(timeout=300)
        result = job.result()
        self.jobs += 1
        self.cpu_s += result.summary.get("cpu_s") or 0.0
        self.warnings += [w.get("detail", str(w)) if isinstance(w, dict) else str(w) for w in result.summary.get("warnings") or []]
        return result

    def statics(self, model, inputs=None, keep=False, **more) -> Result:
        """Equilibria, q [S, n]. Every one has to converge; `keep`: those that did not are the caller's to look at."""
        if keep:
            more["unconverged"] = "keep"
        result = self._result(self.client.submit(model=model, kind="statics", inputs=inputs or {}, **more))
        if not keep and not np.all(result["converged"]):
            raise AssertionError(f"no equilibrium for problems {np.flatnonzero(~result['converged'].astype(bool)).tolist()}")
        return result

    def run(self, model, t_end, fields=("q", "qd"), dt=None, **more) -> Result:
        output = {"fields": list(fields), **({"dt": dt} if dt else {})}
        return self._result(self.client.submit(model=model, kind="dynamics", t_end=t_end, output=output, **more))

    def linearize(self, model, at="equilibrium", **more) -> Result:
        """A [K, 2n, 2n] and B of x' = A x + B u near x = (q, qd)."""
        return self._result(self.client.submit(model=model, kind="linearize", at=at, **more))

    def evaluate(self, model, q, want, **more):
        """Quantities at states q [S, n]: the client's answer, every state answered."""
        return self.client.evaluate(model, q, want=want, check=True, **more)

    def points(self, model, q, link="rod"):
        """[S, points, 3]: positions of the computational points of a link, base to tip, m."""
        return self.evaluate(model, q, "poses")["poses/" + link][:, :, :3, 3]

    def tip(self, model, q, link="rod"):
        """[S, 3], m."""
        return self.points(model, q, link)[:, -1]


def frequencies(A):
    """rad/s, rising, of the oscillating modes of x' = A x (one of each conjugate pair)."""
    values = np.linalg.eigvals(A)
    return np.sort(values.imag[values.imag > 1e-9 * np.abs(values).max()])
