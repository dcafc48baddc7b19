"""What to do about a reason that a gate gives."""

from __future__ import annotations

import re
from typing import Final

from ...a2ui.catalog import KIND
from ...adapters.operations import ACCEPT, EMIT_SURFACE, EMIT_TREE
from ...wire.discovery import SEAMS_PROFILE
from ..credentials import API_KEY, CANARY, OTHER_KEY

_OTHER_MAJOR: Final = "nothing to do, unless it speaks that major; --major leaves these out"
_LIST_KIND: Final = f"list {KIND} there once the host records surfaces"
_ANOTHER_RUN: Final = "nothing to do: a second run, with the host configured so, asks these"
_ADVICE: Final = (
    (r"protocolVersions? |the host refuses the major|discovery names no version", _OTHER_MAJOR),
    (
        r"conformance\.seamsProfile is not",
        f"serve POST {EMIT_SURFACE} on a host for tests, and advertise {SEAMS_PROFILE} in "
        "conformance.seamsProfile",
    ),
    (r"supportedEnvelopes(\.kinds)? does not list", _LIST_KIND),
    (
        r"schemaVersions(\.kinds)? advertises no version",
        f"advertise the version of {KIND} that it admits",
    ),
    (r"schemaVersions\.kinds advertises \d+ for", _ANOTHER_RUN),
    (r"envelopeStrictness\.mode is", _ANOTHER_RUN),
    (r"fixtures does not list", "offer that workflow, and list it in fixtures"),
    (
        r"replay\.modes is .*: \w+ is not offered",
        "offer it at POST /runs/ID:fork, and list it in replay.modes",
    ),
    (
        r"no second tenant's key",
        f"set {OTHER_KEY} to another tenant's key; or leave these out: --opt-out second-tenant",
    ),
    (
        r"no canary was given",
        f"configure a secret in the host and set {CANARY} to its value; or leave these out: "
        "--opt-out canary",
    ),
    (
        r"a2uiSurface\.deltaTransport is not claimed",
        "nothing to do: deltas are optional (RFC 0114)",
    ),
    (r"the emit-surface seam of major 1", f"serve POST {EMIT_TREE} on a host for tests"),
    (r"the acceptor seam of major 1", f"serve POST {ACCEPT} on a host for tests"),
    (r"a run can be forked from its start alone", "let :fork take any recorded fromSeq"),
    (
        r"the seams profile is declared, but",
        f"serve POST {EMIT_SURFACE}, or advertise the profile no more",
    ),
    (
        r"\S+ cannot be started in major 1: 40[13]",
        f"set {API_KEY} to a key that may start runs",
    ),
    (
        r"\S+ (cannot be started|does not wait) ",
        "start that workflow by hand and see what it does: it has to wait for an approval",
    ),
    (r"major 1 could not be asked|no answer|.* took longer than", "see why the host is silent"),
    (
        r"it does not speak",
        "nothing to do, unless it does: then name it among hello's versions",
    ),
    (
        r"it does not claim",
        "nothing to do, unless it does that: then name it among hello's features",
    ),
    (
        r"it does not offer",
        "nothing to do, unless it can: then answer the call in the adapter, and name it among "
        "hello's operations",
    ),
)
_ALIKE: Final = re.compile(r"(it does not (?:speak|claim|offer)|fixtures does not list) (\S+)")


def advice(reason: str) -> str:
    """What to do, in one sentence without a full stop; empty where there is nothing to add."""
    return next((text for pattern, text in _ADVICE if re.match(pattern, reason)), "")


def parted(reason: str) -> tuple[str, str]:
    """A reason that differs from others in one name, and that name; else the whole, and nothing."""
    match = _ALIKE.fullmatch(reason)
    return (match[1], match[2]) if match else (reason, "")
