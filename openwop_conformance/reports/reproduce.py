"""A failure as shell lines: the run it needs, what led to it, and the exchange that shows it.

The ids in a recording are used up, so the lines start a run of their own. Keys are never written:
the lines read them from the environment.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from ..adapters.host import Request
from ..engine.credentials import API_KEY, OTHER_KEY
from ..engine.verdict import Exchange
from ..errors import JsonError
from ..jsonvalue import JsonValue, parse
from ..wire.ids import project

_KEYS: Final = {"owner": API_KEY, "other": OTHER_KEY}
_READ_ID: Final = 'sed \'s/.*"runId" *: *"\\([^"]*\\)".*/\\1/\''


def shell_lines(exchanges: Sequence[Exchange], failing: Exchange, base: str | None) -> list[str]:
    """Lines for a POSIX shell with curl; ``base`` is the host's URL where it has one."""
    lines = [f"HOST={shlex.quote(base)}" if base else "HOST=http://127.0.0.1:8080  # its URL"]
    runs: dict[str, str] = {}
    for exchange in exchanges:
        if exchange.number >= failing.number:
            break
        made = _run_made_by(exchange)
        if made is not None and _mentions(failing.request, made):
            name = f"RUN{len(runs) + 1}"
            lines.append(f"{name}=$({_curl(exchange, runs, quiet=True)} | {_READ_ID})")
            runs[made] = name
        elif _leads_to(exchange, failing):
            lines.append(_curl(exchange, runs))
    return [*lines, _curl(failing, runs)]


def _run_made_by(exchange: Exchange) -> str | None:
    request, response = exchange.request, exchange.response
    if response is None or request.method != "POST" or response.status not in (200, 201, 202):
        return None
    if request.target != "/runs" and ":fork" not in request.target:
        return None
    body = _json(response.body)
    run_id = body.get("runId") if isinstance(body, dict) else None
    return run_id if isinstance(run_id, str) else None


def _leads_to(exchange: Exchange, failing: Exchange) -> bool:
    """Whether an earlier request changed what the failing one meets: same run, same surface."""
    if exchange.request.method != "POST" or exchange.response is None:
        return False
    earlier, later = _json(exchange.request.body), _json(failing.request.body)
    if not isinstance(earlier, dict) or "envelope" not in earlier:
        return False
    if not _mentions(failing.request, str(earlier.get("runId"))):
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
    if request.method != "GET":
        words.append(f"-X {request.method}")
    for name, value in request.headers:
        words.append(f"-H {shlex.quote(f'{name}: {value}')}")
    if exchange.whose in _KEYS:
        words.append(f'-H "Authorization: Bearer ${_KEYS[exchange.whose]}"')
    elif exchange.whose == "wrong":
        words.append("-H 'Authorization: Bearer no-such-key'")
    if request.body is not None:
        words.append(f"--data-raw {_with_runs(request.body.decode(), runs)}")
    words.append(f'"$HOST"{_path_with_runs(request.target, runs)}')
    return " ".join(words)


def _with_runs(text: str, runs: dict[str, str]) -> str:
    """Quoted text with each run's id replaced by its shell variable."""
    quoted = shlex.quote(text)
    for run_id, name in runs.items():
        quoted = quoted.replace(run_id, f"'\"${name}\"'")
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
