"""What is found of a host: whether it answers, what it claims, whether its keys and seams work.

Beside what the gates have asked, nothing is sent but reads of a run that is not there.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Collection, Iterator
from typing import Final

from ...a2ui.catalog import KIND
from ...adapters.host import Response
from ...adapters.operations import API, EMIT_SURFACE, Api
from ...errors import ExchangeError, JsonError, UnreachableError
from ...jsonvalue import JsonValue, parse
from ...wire.discovery import SEAMS_PROFILE, Claims
from ...wire.discovery_v1 import ClaimsV1
from ..credentials import API_KEY, CANARY, OTHER_KEY
from ..session import Session
from ..verdict import Blocked, Inapplicable
from .findings import Finding, Mark
from .noted import NotedSubject

_WHERE: Final = "is the address right? A path prefix may follow it"
_NO_HOST: Final = "name the host's own address, not that of its web pages"
_OF_FAULT: Final = {
    "timeout": "see whether the host hangs; --time-scale X waits X times as long",
    "transport": "see what listens there, and whether it is https:// or http://",
    "cut-off": "see the host's log: it broke off",
    "too-large": "see what listens there: no discovery document is that large",
}
_SHOWN: Final = 6


async def reached(session: Session, noted: NotedSubject) -> Finding:
    """Whether a discovery document is served. ``bad`` means that nothing else can be asked."""
    try:
        await session.first_contact()
    except UnreachableError as error:
        said, _, todo = str(error).partition(". ")
        todo = todo[:1].lower() + todo[1:].rstrip(".")
        return Finding("host", "bad", "answers", said, todo)
    answer = noted.passed[0].answer
    if isinstance(answer, ExchangeError):
        return Finding("host", "bad", "answers", str(answer), _OF_FAULT.get(answer.kind, ""))
    if isinstance(answer, Exception):
        said = f"the adapter failed: {type(answer).__name__}: {answer}"
        return Finding("host", "bad", "answers", said, "mend the adapter")
    return _document(answer, noted.passed[0].request.target)


async def examined(
    session: Session, noted: NotedSubject, majors: Collection[int] = (1, 2)
) -> list[Finding]:
    """The findings of a host that was reached, once the gates have asked what they ask.

    ``majors`` are those that it is to be judged for.
    """
    found: list[Finding] = []
    spoken = []
    for major in sorted(majors):
        try:
            if major == 1:
                found += _major_1(await session.claims_v1(), session)
            else:
                found += _major_2(await session.claims(), session, noted)
            spoken.append(major)
        except (Blocked, Inapplicable) as fact:
            found.append(_unspoken(major, fact))
    if not spoken:
        said = f"it does not speak major {' or '.join(map(str, sorted(majors)))}"
        return [*found, Finding("host", "bad", "majors", said, "see its protocolVersions")]
    return [*found, *[finding async for finding in _keys(session, API[spoken[-1]])]]


# ----------------------------------------------------------------------------- discovery


def _document(answer: Response, target: str) -> Finding:
    def bad(said: str, todo: str) -> Finding:
        return Finding("host", "bad", "discovery", said, todo)

    status, kind = answer.status, (answer.header("content-type") or "").partition(";")[0].strip()
    if 300 <= status < 400:
        to = answer.header("location") or "nowhere"
        todo = "name that address: redirects are not followed, so that keys go nowhere else"
        return bad(f"{target} answers {status} and sends to {to}", todo)
    if status in (401, 403):
        todo = "serve discovery without a key, as it is public; or is the address another?"
        return bad(f"{target} answers {status}", todo)
    if status == 404:
        return bad(f"{target} answers 404", _WHERE)
    if status >= 500:
        return bad(f"{target} answers {status}", "see the host's log")
    if answer.body.lstrip()[:1] == b"<":
        return bad(f"{target} answers with a web page{_title(answer.body)}", _NO_HOST)
    if status == 406:
        return Finding("host", "good", "discovery", f"{target} refuses major 2 (406)")
    if status != 200:
        return bad(f"{target} answers {status}", _WHERE)
    try:
        document = parse(answer.body)
    except JsonError as error:
        return bad(f"{target} is no JSON: {error}", "serve the discovery document there")
    named = ("protocolVersions", "protocolVersion")
    if not isinstance(document, dict) or not any(name in document for name in named):
        said = f"{target} names no version of the protocol: it is no discovery document"
        return bad(said, _WHERE)
    if kind != "application/json":
        said = f"{target} is served as {kind or 'nothing in particular'}"
        todo = "serve it with Content-Type: application/json"
        return Finding("host", "lacking", "discovery", said, todo)
    return Finding("host", "good", "discovery", f"{target}{_versions(document)}")


def _title(page: bytes) -> str:
    match = re.search(r"<title[^>]*>([^<]{1,200})", page.decode("utf-8", "replace"), re.IGNORECASE)
    return f", {' '.join(match[1].split())!r}" if match else ""


def _versions(document: JsonValue) -> str:
    listed = document.get("protocolVersions", [document.get("protocolVersion")])
    versions = ", ".join(map(str, listed)) if isinstance(listed, list) else str(listed)
    maker = document.get("implementation")
    by = ""
    if isinstance(maker, dict) and "name" in maker:
        by = f", by {maker['name']} {maker.get('version', '')}".rstrip()
    return f": versions {versions}{by}"


def _unspoken(major: int, fact: Exception) -> Finding:
    mark: Mark = "lacking" if isinstance(fact, Inapplicable) else "bad"
    todo = (
        "" if mark == "lacking" else f"serve the document for major {major}, or list no {major}.x"
    )
    return Finding(f"major {major}", mark, "spoken", str(fact), todo)


# -------------------------------------------------------------------------------- claims


def _major_2(claims: Claims, session: Session, noted: NotedSubject) -> Iterator[Finding]:
    part = "major 2"
    yield _surfaces(part, KIND in claims.kinds, claims.floor, f", strictness {claims.strictness}")
    yield _listed(part, "fixtures", claims.fixtures)
    yield _listed(part, "forks", claims.fork_modes)
    if not claims.seams:
        yield Finding(part, "lacking", "seams", f"no profile {SEAMS_PROFILE}")
        return
    asked = [passed.answer for passed in noted.passed if passed.request.target == EMIT_SURFACE]
    if not asked:
        yield Finding(part, "good", "seams", f"{SEAMS_PROFILE}; not asked")
    elif session.seam_fault is not None:
        yield Finding(part, "lacking", "seams", session.seam_fault)
    elif not isinstance(asked[0], Response):
        yield Finding(part, "lacking", "seams", f"{EMIT_SURFACE} does not answer: {asked[0]}")
    else:
        yield Finding(part, "good", "seams", f"{SEAMS_PROFILE}; {EMIT_SURFACE} answers")


def _major_1(claims: ClaimsV1, session: Session) -> Iterator[Finding]:
    part = "major 1"
    yield _surfaces(part, KIND in claims.kinds, claims.version, "")
    yield _listed(part, "fixtures", claims.fixtures)
    yield (
        Finding(part, "good", "deltas", "claimed")
        if claims.delta
        else Finding(part, "lacking", "deltas", "not claimed, as is its right")
    )
    dialect = session.known_dialect
    if dialect is None:
        return
    if dialect.fault:
        yield Finding(part, "lacking", "seams", dialect.fault)
    elif dialect.seam == "unserved":
        yield Finding(part, "lacking", "seams", "emit-surface is not served")
    else:
        takes = "the whole payload" if dialect.seam == "payload" else "the payload's inner tree"
        accepts = "served too" if dialect.accepts else "not served"
        said = f"emit-surface takes {takes} ({dialect.seam_status}); the acceptor is {accepts}"
        yield Finding(part, "good", "seams", said)
    if dialect.base is not None:
        names = ", ".join(dialect.names)
        said = f"sent as {names}; pointers start at the {dialect.base}"
        yield Finding(part, "good", "frames", said)
    forks = {"point": "at any recorded event", "start": "from the start alone", "none": "none"}
    mark: Mark = "good" if dialect.fork == "point" else "lacking"
    yield Finding(part, mark, "forks", forks[dialect.fork])


def _surfaces(part: str, listed: bool, version: int, more: str) -> Finding:
    if not listed:
        return Finding(part, "lacking", "surfaces", f"{KIND} is not among its envelopes")
    if version < 1:
        return Finding(part, "lacking", "surfaces", f"{KIND} without a version")
    return Finding(part, "good", "surfaces", f"{KIND} {version}{more}")


def _listed(part: str, what: str, names: frozenset[str]) -> Finding:
    if not names:
        return Finding(part, "lacking", what, "none is listed")
    shown = sorted(names)[:_SHOWN]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return Finding(part, "good", what, ", ".join(shown) + more)


# ---------------------------------------------------------------------------------- keys


async def _keys(session: Session, api: Api) -> AsyncIterator[Finding]:
    """What the host makes of the keys, by reads of a run that is not there."""
    missing = api.read_run(f"no-such-run-{session.nonce('checkup')}")
    try:
        keyless = await session.send(missing, "none")
        wrong = await session.send(missing, "wrong")
        given = [(API_KEY, "owner"), (OTHER_KEY, "other")]
        for name, whose in given:
            if session.credentials.of(whose) is None:
                yield _without(name, keyless)
            else:
                yield _key(name, await session.send(missing, whose), wrong)
    except (ExchangeError, Blocked) as error:
        yield Finding("keys", "lacking", API_KEY, f"reading a run is not answered: {error}")
        return
    if session.credentials.canary is None:
        yield Finding("keys", "lacking", CANARY, "not given")
    else:
        yield Finding("keys", "good", CANARY, "given; it will be looked for in all that comes back")


def _without(name: str, keyless: Response) -> Finding:
    if name == OTHER_KEY:
        return Finding("keys", "lacking", name, "not given")
    if keyless.status in (401, 403):
        said = f"not given, and without a key a read is answered {keyless.status}"
        return Finding("keys", "bad", name, said, f"set {name}, or name a --credential-file")
    said = f"not given, and a read without a key is answered {keyless.status}: is the host open?"
    return Finding("keys", "lacking", name, said)


def _key(name: str, answer: Response, wrong: Response) -> Finding:
    if answer.status == 401:
        todo = "see that it is a key of this host, whole, and not expired"
        return Finding("keys", "bad", name, "refused: the host does not know it (401)", todo)
    if answer.status == 403 and _code(answer) != "id_tenant_mismatch":
        todo = "give a key that may start and read runs"
        return Finding("keys", "bad", name, "known, and may not read runs (403)", todo)
    if answer.status >= 500:
        said = f"a read with it is answered {answer.status}"
        return Finding("keys", "bad", name, said, "see the host's log")
    if wrong.status == answer.status:
        said = f"nothing is known of it: a made-up key is answered {wrong.status} as well"
        return Finding("keys", "lacking", name, said)
    return Finding("keys", "good", name, f"taken; a made-up key is answered {wrong.status}")


def _code(answer: Response) -> JsonValue:
    try:
        body = parse(answer.body)
    except JsonError:
        return None
    return body.get("error") if isinstance(body, dict) else None
