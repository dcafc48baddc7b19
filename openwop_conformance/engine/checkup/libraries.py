"""What is found of an SDK or a consumer: whether it starts and says hello, and what it offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...adapters.browser import BrowserConsumer
from ...adapters.chromium import browser_path
from ...adapters.host import Subject
from ...adapters.installed import playwright_version, version_of
from ...adapters.stdio import Stdio
from ...errors import AbsentError, ExchangeError, UnreachableError
from ...schemas import schema
from ..session import Session
from ..verdict import Blocked
from .findings import Finding
from .noted import NotedSubject

_SHOWN: Final = 5
_NO_PROGRAM: Final = "see that the program is on the PATH, or name it with its folder"
_HELLO: Final = "answer hello as 'openwop-conformance schema {}-line' has it"
_OF_FAULT: Final = {
    "crashed": "run the command by hand, and mend what ends it",
    "garbage": "print answers alone on standard output; logs belong on standard error",
    "timeout": "see that each answer is flushed, and ends with a line break",
    "too-large": "answer hello with one short line",
}


async def examined(session: Session, subject: Subject, noted: NotedSubject) -> list[Finding]:
    """The findings of a subject that answers calls."""
    found = await _browser() if isinstance(subject, BrowserConsumer) else []
    if not any(finding.mark == "bad" for finding in found):
        found += await _hello(session, noted)
    return found


def log_of(subject: Subject) -> list[Finding]:
    """The last lines of a program's log, once it has ended."""
    said = subject.said() if isinstance(subject, Stdio) else []
    return [Finding("log", "lacking", "stderr", line) for line in said[-_SHOWN:]]


async def _browser() -> list[Finding]:
    """Whether Playwright and Chromium are there, and which."""
    found = []
    try:
        said = f"Playwright {playwright_version()}"
        found.append(Finding("browser", "good", "driver", said))
    except AbsentError as error:
        said, _, todo = str(error).partition(": ")
        found.append(Finding("browser", "bad", "driver", said, todo))
    try:
        path = browser_path()
        found.append(Finding("browser", "good", "Chromium", f"{path}: {await version_of(path)}"))
    except AbsentError as error:
        said, _, todo = str(error).partition(": ")
        found.append(Finding("browser", "bad", "Chromium", said, todo))
    return found


async def _hello(session: Session, noted: NotedSubject) -> list[Finding]:
    kind = session.kind
    try:
        await session.first_contact()
        offer = await session.offer()
    except UnreachableError as error:
        return [_unsaid(kind, error, noted)]
    except Blocked as error:
        return [Finding(kind, "bad", "hello", str(error), _HELLO.format(kind))]
    calls = schema(f"{kind}-line")["$defs"]["call"]["properties"]["call"]["enum"]
    found = [Finding(kind, "good", "hello", f"it is {offer.label}")]
    if kind == "sdk":
        found.append(_list(kind, "versions", sorted(offer.versions)))
    lacking = [name for name in calls if name not in offer.operations]
    had = f"{len(calls) - len(lacking)} of {len(calls)}"
    if not lacking:
        found.append(Finding(kind, "good", "calls", f"all {len(calls)}"))
    elif len(lacking) <= len(calls) // 2:
        found.append(Finding(kind, "good", "calls", f"{had}: all but {', '.join(lacking)}"))
    else:
        named = [name for name in calls if name in offer.operations]
        found.append(_list(kind, "calls", named, f"{had}: "))
    return [*found, _list(kind, "features", sorted(offer.features))]


def _unsaid(kind: str, error: UnreachableError, noted: NotedSubject) -> Finding:
    fault = noted.passed[0].answer if noted.passed else error
    if not isinstance(fault, ExchangeError):
        todo = _NO_PROGRAM if "cannot be started" in str(error) else ""
        return Finding(kind, "bad", "hello", f"not said: {error}", todo)
    said = str(fault)
    if fault.kind == "crashed":  # the rest is its log
        said = said.partition(": ")[0]
    return Finding(kind, "bad", "hello", f"not said: {said}", _OF_FAULT.get(fault.kind, ""))


def _list(part: str, what: str, names: Sequence[str], before: str = "") -> Finding:
    if not names:
        return Finding(part, "lacking", what, "none is named")
    return Finding(part, "good", what, before + ", ".join(names))
