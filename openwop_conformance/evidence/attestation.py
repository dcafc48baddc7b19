"""The detached DSSE envelope: an in-toto statement over the exact bytes of a bundle's file.

It covers what the bundle's own attestation leaves out, and says the verdict with all five
dispositions. DSSE v1 (secure-systems-lab/dsse), in-toto Statement v1.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..errors import JsonError
from ..jsonvalue import JsonValue, canonical, equal, parse
from ..schemas import problems, validator
from .bundle import TOTALS, reason_of, trace_of
from .signing import SigningKey, sign, verifies

if TYPE_CHECKING:
    from ..engine.verdict import Row
    from .ledger import Header

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:openwop-conformance:predicate:verdict/v1"


@dataclass(frozen=True, slots=True)
class Envelope:
    """An envelope that is well formed; whether its signature holds is another question."""

    payload: bytes
    statement: dict[str, JsonValue]
    key_id: str
    signature: bytes

    def signed_by(self, public: bytes) -> bool:
        """Whether the signature is one of this key."""
        return verifies(public, self.signature, pae(PAYLOAD_TYPE, self.payload))


def envelope_path(bundle: Path) -> Path:
    """Where the envelope of a bundle's file lies: next to it."""
    return bundle.with_name(bundle.name + ".dsse.json")


def predicate_of(header: Header, rows: Sequence[Row], trace: str) -> dict[str, JsonValue]:
    """The predicate: the ledger's header, how many rows have each disposition, and the rows."""
    about = header.as_json()
    del about["record"]
    ordered = sorted(rows, key=lambda row: row.id.encode("utf-16-be"))
    return {
        "header": about,
        "counts": {name: sum(row.disposition == name for row in rows) for name in TOTALS},
        "rows": [row.as_json() for row in ordered],
        "traceSha256": trace,
    }


def envelope_of(
    bundle: bytes, name: str, predicate: dict[str, JsonValue], key: SigningKey, key_id: str
) -> bytes:
    """The envelope's file for the bytes of a bundle's file of this name."""
    payload = canonical(
        {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": name, "digest": {"sha256": hashlib.sha256(bundle).hexdigest()}}],
            "predicateType": PREDICATE_TYPE,
            "predicate": predicate,
        }
    )
    signature = sign(key, pae(PAYLOAD_TYPE, payload))
    document = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [{"keyid": key_id, "sig": base64.b64encode(signature).decode()}],
    }
    return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"


def pae(payload_type: str, payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding: what the signature is over."""
    kind = payload_type.encode()
    return b" ".join([b"DSSEv1", b"%d" % len(kind), kind, b"%d" % len(payload), payload])


def read_envelope(data: bytes) -> Envelope:
    """Read an envelope strictly. Raises ``JsonError`` for everything that is not in its form."""
    document = parse(data)
    _require(document, None)
    payload = _decoded(document["payload"])
    statement = parse(payload)
    _require(statement, "statement")
    if canonical(statement) != payload:
        raise JsonError("the payload is not in its RFC 8785 form")
    (signed,) = document["signatures"]
    return Envelope(payload, statement, signed["keyid"], _decoded(signed["sig"]))


def mismatches(statement: dict[str, JsonValue], bundle: dict[str, Any]) -> list[str]:
    """How a statement's predicate contradicts the bundle of ours that it is about."""
    predicate = statement["predicate"]
    found: list[str] = []
    rows = [
        {
            "id": row["id"],
            "scenario": row["scenario"],
            "disposition": row["result"],
            "assertions": row.get("assertions", 0),
            **({"reason": reason} if (reason := reason_of(row)) else {}),
        }
        for row in bundle["results"]["requirements"]
    ]
    if not equal(rows, predicate["rows"]):
        found.append("its rows are not those of the bundle")
    counts = {name: bundle["results"]["totals"][member] for name, member in TOTALS.items()}
    if not equal(counts, predicate["counts"]):
        found.append("its counts are not the bundle's totals")
    if any(trace_of(row) != predicate["traceSha256"] for row in bundle["results"]["requirements"]):
        found.append("its trace is not the one that the rows name")
    suite = bundle["suite"]
    header = predicate["header"]
    if header["suite"] != {"name": suite["name"], "version": suite["version"]}:
        found.append("its suite is not the bundle's")
    if header["corpus"] != suite.get("stampSha256"):
        found.append("its corpus is not the bundle's stampSha256")
    return found


def _require(document: JsonValue, definition: str | None) -> None:
    for problem in problems(validator("attestation", definition), document):
        raise JsonError(f"{definition or 'envelope'}: {problem.path or '/'}: {problem.message}")


def _decoded(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise JsonError("a member is not base64") from None
    if base64.b64encode(raw).decode() != text:
        raise JsonError("a member is base64 in a spelling that is not its own")
    return raw
