"""Everything that can go wrong here, and the stage at which it does.

A run passes through four stages, and each has its own kind of error:

1. *Asking* (``UsageError``): the caller's flags, patterns, connectable strings, credentials or
   files make no sense. Nothing was sent. Exit code 2.
2. *Reaching* (``UnreachableError``): no connection to the subject could be made. Exit code 2.
   Where it is the suite's own means that is missing (``AbsentError``), rows are ``blocked``.
3. *Exchanging* (``ExchangeError``): the subject was reached, but its answer broke a bound or the
   protocol below ours: too slow, too large, cut off, redirected elsewhere. A row becomes
   ``blocked`` or ``executed-fail``; what was witnessed before is kept.
4. *Judging* (``Violation``): a rule of the protocol is broken. The reference subjects raise it to
   refuse; the oracle raises it to say what a subject should have refused. What is called in this
   process, an SDK or a consumer, raises ``CallError`` instead, which says what any answer may say.

::

    ConformanceError
    ├── UsageError
    │   └── DocumentError      a scenario, fixture or requirement file, with file:line:column
    ├── UnreachableError
    │   └── AbsentError        what the suite itself needs is not on this machine
    ├── ExchangeError
    ├── JsonError              text that is not the strict JSON we accept
    ├── Violation              a rule of A2UI or of OpenWOP, by name
    └── CallError              a call that is refused, by the kind of fault
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

Kind = Literal[
    "parse",
    "validation",
    "catalog",
    "integrity",
    "recursion",
    "data",
    "policy",
    "state",
    "ended",
    "unsupported",
    "crash",
]


class ConformanceError(Exception):
    """The root of every error that this package raises on purpose."""


class UsageError(ConformanceError):
    """The caller asked for something that makes no sense; the text says what to do instead."""


class DocumentError(UsageError):
    """A file of the corpus is wrong. ``str()`` is ``file:line:column: message``."""

    def __init__(self, path: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{path}:{line}:{column}: {message}")
        self.path, self.line, self.column, self.message = path, line, column, message


class UnreachableError(ConformanceError):
    """No connection to the subject could be made."""


class AbsentError(UnreachableError):
    """Something that the suite reaches a subject by is not on this machine: a browser, say."""


class ExchangeError(ConformanceError):
    """The subject was reached and did not answer within the bounds of one exchange.

    ``kind`` is one of ``timeout``, ``too-large``, ``cut-off``, ``redirect`` and ``transport``; of a
    program, also ``crashed`` and ``garbage``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class JsonError(ConformanceError):
    """Text that is not strict JSON; the message names the place."""


class Violation(ConformanceError):
    """A rule of the protocol is broken.

    ``rule`` is the rule's name (``fold``, ``branch``, …), ``code`` the registered OpenWOP error
    code of a host that refuses for it, ``path`` a JSON Pointer into what was judged.
    """

    def __init__(
        self, rule: str, message: str, *, path: str = "", code: str = "envelope_invalid"
    ) -> None:
        super().__init__(message)
        self.rule, self.path, self.code = rule, path, code


class CallError(ConformanceError):
    """A call is refused on purpose: what kind of fault it saw, where, and in words.

    ``details`` are objects with ``path`` (a JSON Pointer into what was given), ``code`` and
    ``message``; ``partial_results`` the parts of a response that were read before.
    """

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        details: Sequence[Any] = (),
        partial_results: Sequence[Any] | None = None,
    ) -> None:
        assert kind in get_args(Kind)
        super().__init__(message)
        self.kind, self.details = kind, tuple(details)
        self.partial_results = partial_results

    def as_json(self) -> Any:
        """The error as an answer carries it."""
        error: dict[str, Any] = {"kind": self.kind, "message": str(self)}
        if self.details:
            error["details"] = list(self.details)
        if self.partial_results is not None:
            error["partial_results"] = list(self.partial_results)
        return error
