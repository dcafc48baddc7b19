"""Verdicts you can check on OpenWOP hosts, A2UI SDKs and renderers.

The names here are what an adapter of one's own needs; the command line does the rest.
"""

from .adapters.host import Bounds, Chunk, Host, Request, Response, Stream
from .errors import (
    ConformanceError,
    DocumentError,
    ExchangeError,
    UnreachableError,
    UsageError,
)

__all__ = [
    "Bounds",
    "Chunk",
    "ConformanceError",
    "DocumentError",
    "ExchangeError",
    "Host",
    "Request",
    "Response",
    "Stream",
    "UnreachableError",
    "UsageError",
]
