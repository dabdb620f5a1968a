"""Client of Tendril, a simulation server for soft robots. SI units, radians, 6-vectors angular first."""
from pkgutil import extend_path

# What protoc makes of api/tendril/v1 is called tendril.v1, too: it is found wherever a program has it.
__path__ = extend_path(__path__, __name__)

from . import models
from .aio import AsyncClient, AsyncJob, AsyncStream
from .client import Client, Models, Tokens
from .derivatives import Differentiable, differentiable
from .errors import (AlreadyExists, FailedPrecondition, IdempotencyMismatch, InvalidArgument, JobFailed, NotFound, NotReady,
                     PermissionDenied, QuotaExceeded, RateLimited, ResultLost, StateError, TendrilError, TendrilWarning,
                     TooLarge, Unauthenticated, Unavailable, Unreachable)
from .fitting import Design, Fit, design, fit, record
from .job import Job
from .result import Evaluation, Result

__version__ = "0.1.0"
__all__ = ["AlreadyExists", "AsyncClient", "AsyncJob", "AsyncStream", "Client", "Design", "Differentiable", "Evaluation", "FailedPrecondition", "Fit", "IdempotencyMismatch",
           "InvalidArgument", "Job", "JobFailed", "Models", "NotFound", "NotReady", "PermissionDenied", "QuotaExceeded",
           "RateLimited", "Result", "ResultLost", "StateError", "TendrilError", "TendrilWarning", "Tokens", "TooLarge", "Unauthenticated",
           "Unavailable", "Unreachable", "design", "differentiable", "fit", "models", "record"]


def __getattr__(name):
    """Whoever looks here for what a connection does is told where it is."""
    if not name.startswith("_") and callable(getattr(Client, name, None)):
        raise AttributeError(f"tendril.{name} is a method of a connection: client = tendril.Client(\"http://127.0.0.1:8080\"); client.{name}(…)")
    raise AttributeError(f"module 'tendril' has no attribute {name!r}")
