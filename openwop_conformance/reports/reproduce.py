"""A failure as lines to send again: what led to it, and the exchange that shows it.

For a host these are shell lines, for anything else the calls that are written to its input. A
host's ids in a recording are used up, so its lines start a run of their own. Keys are never
written: the lines read them from the environment.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from typing import Final

from ..adapters.host import Request
from ..engine.credentials import API_KEY, CANARY, OTHER_KEY
from ..engine.verdict import Exchange
from ..errors import JsonError
from ..jsonvalue import JsonValue, parse
from ..wire.ids import project, unproject

_KEYS: Final = {"owner": API_KEY, "other": OTHER_KEY}
_OF_RUN: Final = re.compile("/runs/([^/:?]+)/(?:cancel|interrupts/)")
_HANDLES: Final = ("state", "stream", "consumer")
_LOOKS: Final = ("read", "rendered", "submitted", "attempts")
_MOST_CALLS: Final = 12
_LONGEST_CALL: Final = 1000
_READ_ID: Final = 'sed \'s/.*"runId" *: *"\\([^"]*\\)".*/\\1/\''


def shell_lines(exchanges: Sequence[Exchange], failing: Exchange, base: str | None) -> list[str]:
    """Lines for a POSIX shell with curl; ``base`` is the host's URL where it has one."""
    lines = [f"HOST={shlex.quote(base)}" if base else "HOST=http://127.0.0.1:8080  # its URL"]
    runs: dict[str, str] = {}
    for exchange in _needed(exchanges, failing):
        made = _run_made_by(exchange)
        if made is None:
            lines.append(_curl(exchange, runs))
        else:
            name = f"RUN{len(runs) + 1}"
            lines.append(f"{name}=$({_curl(exchange, runs, quiet=True)} | {_READ_ID})")
            runs[made] = name
    heard = [e for e in exchanges if e.number > failing.number and _leads_to(e, failing)]
    if not _is_stream(failing.request) or not heard:
        return [*lines, _curl(failing, runs)]
    # a subscriber that listened while the rest happened
    return [
        *lines,
        f"{_curl(failing, runs)} &",
        "sleep 1",
        *(_curl(e, runs) for e in heard),
        "wait",
    ]


def call_lines(exchanges: Sequence[Exchange], failing: Exchange) -> list[str]:
    """The calls that led to a failing one and itself, as JSON lines.

    Only those about the same state or stream count; what only looks is left out.
    """
    handles = _handles(failing)
    calls = [failing]
    for exchange in reversed(exchanges[: failing.number - 1]):
        if exchange.request.target not in _LOOKS and handles & _handles(exchange):
            handles |= _handles(exchange)
            calls.append(exchange)
    lines = []
    for number, exchange in enumerate(reversed(calls[:_MOST_CALLS]), start=1):
        arguments = _text(exchange.request.body or b"{}")
        line = f'{{"id":{number},"call":"{exchange.request.target}","with":{arguments}}}'
        lines.append(line if len(line) <= _LONGEST_CALL else line[: _LONGEST_CALL - 1] + "…")
    return lines


def _handles(exchange: Exchange) -> set[str]:
    given = _json(exchange.request.body)
    if not isinstance(given, dict):
        return set()
    return {given[kind] for kind in _HANDLES if isinstance(given.get(kind), str)}


def _is_stream(request: Request) -> bool:
    return ("Accept", "text/event-stream") in request.headers


def _needed(exchanges: Sequence[Exchange], failing: Exchange) -> list[Exchange]:
    """The exchanges without which the failing one would meet another state, in their order."""
    needed: list[Exchange] = []
    ends = [failing]
    for exchange in reversed(exchanges):
        if exchange.number >= failing.number:
            continue
        made = _run_made_by(exchange)
        if made is not None:
            if any(_mentions(end.request, made) for end in ends):
                needed.append(exchange)
                ends.append(exchange)  # a fork also needs the run that it comes from
        elif any(_leads_to(exchange, end) for end in ends):
            needed.append(exchange)
    return needed[::-1]


def _run_made_by(exchange: Exchange) -> str | None:
    request, response = exchange.request, exchange.response
    if response is None or request.method != "POST" or response.status not in (200, 201, 202):
        return None
    if request.target != "/runs" and ":fork" not in request.target:
        return None
    body = _json(response.body)
    run_id = body.get("runId") if isinstance(body, dict) else None
    return run_id if isinstance(run_id, str) else None


def _leads_to(exchange: Exchange, end: Exchange) -> bool:
    """Whether an earlier request changed what a later one meets: same run, same surface."""
    request = exchange.request
    if request.method != "POST" or exchange.response is None:
        return False
    earlier, later = _json(request.body), _json(end.request.body)
    if not isinstance(earlier, dict) or "envelope" not in earlier:
        match = _OF_RUN.match(request.target)
        return match is not None and _mentions(end.request, unproject(match[1]))
    if not _mentions(end.request, str(earlier.get("runId"))):
        return False
    if isinstance(later, dict) and "envelope" in later:
        return bool(_surface(earlier) == _surface(later))
    return True


def _surface(body: dict[str, JsonValue]) -> JsonValue:
    envelope = body["envelope"]
    payload = envelope.get("payload") if isinstance(envelope, dict) else None
    return payload.get("surfaceId") if isinstance(payload, dict) else None


def _mentions(request: Request, run_id: str) -> bool:
    return project(run_id) in request.target or run_id.encode() in (request.body or b"")


def _curl(exchange: Exchange, runs: dict[str, str], *, quiet: bool = False) -> str:
    request = exchange.request
    words = ["curl -sS"] + ([] if quiet else ["-w '\\n%{http_code}\\n'"])
    if _is_stream(request):
        words.append("-N -m 10")
    if request.method != "GET":
        words.append(f"-X {request.method}")
    for name, value in request.headers:
        words.append(f"-H {shlex.quote(f'{name}: {value}')}")
    if exchange.whose in _KEYS:
        words.append(f'-H "Authorization: Bearer ${_KEYS[exchange.whose]}"')
    elif exchange.whose == "wrong":
        words.append("-H 'Authorization: Bearer no-such-key'")
    if request.body is not None:
        words.append(f"--data-raw {_with_names(_text(request.body), runs)}")
    words.append(f'"$HOST"{_path_with_runs(request.target, runs)}')
    return " ".join(words)


def _text(body: bytes) -> str:
    """A body that can be shown: what is not printable is escaped, as JSON allows."""
    text = body.decode()
    if text.isprintable() or _json(body) is None:
        return text
    return text.translate(
        {
            ord(c): " " if c in "\t\r\n" else json.dumps(c)[1:-1]
            for c in set(text)
            if not c.isprintable()
        }
    )


def _with_names(text: str, runs: dict[str, str]) -> str:
    """Quoted text with each run's id, and the canary, replaced by its shell variable."""
    quoted = shlex.quote(text)
    for made, name in {**runs, f"${CANARY}": CANARY}.items():
        quoted = quoted.replace(made, f"'\"${name}\"'")
    return quoted


def _path_with_runs(target: str, runs: dict[str, str]) -> str:
    for run_id, name in runs.items():
        place = project(run_id)
        if place in target:
            before, after = target.split(place, 1)
            middle = f"\"$(echo ${name} | sed 's,/,~2F,')\""
            return shlex.quote(before) + middle + (shlex.quote(after) if after else "")
    return shlex.quote(target)


def _json(body: bytes | None) -> JsonValue:
    try:
        return parse(body or b"null")
    except JsonError:
        return None


def headline(exchange: Exchange) -> str:
    """An exchange in one line: what was asked and what came."""
    request, response = exchange.request, exchange.response
    came = f"{response.status}" if response else exchange.fault or "no answer"
    target = re.sub(r"\?.*", "", request.target)
    return f"{request.method} {target} → {came}"
