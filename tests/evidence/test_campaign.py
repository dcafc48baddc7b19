"""Thousands of single changes to signed evidence: none that changes its meaning verifies.

Run with ``-s`` to see how many of each kind were made. The changes follow from a fixed seed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from openwop_conformance.errors import JsonError
from openwop_conformance.evidence.attestation import envelope_of, read_envelope
from openwop_conformance.evidence.bundle import attest, countersign, text_of, witness_sha256
from openwop_conformance.evidence.verification import Outcome, Pinned, verify
from openwop_conformance.jsonvalue import canonical, parse

from .bundles import TRACE_BYTES, key, our_bundle, our_files

OF_THE_BUNDLE, OF_THE_ENVELOPE, OF_THE_TRACE = 7000, 4000, 1500
DATA, ENVELOPE = our_files()
PREDICATE = read_envelope(ENVELOPE).statement["predicate"]
SIGNED = text_of(countersign(our_bundle(), key(2), "v1"))
SIGNED_ENVELOPE = envelope_of(SIGNED, "bundle.json", PREDICATE, key(2), "v1")
KEYS, VERIFIER_KEYS = (key(1).public,), (key(2).public,)


@dataclass(slots=True)
class Tally:
    """How many changes of each kind there were, and what became of them."""

    made: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    respelled: int = 0
    accepted: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        made = ", ".join(f"{name} {n}" for name, n in sorted(self.made.items()))
        outcomes = ", ".join(f"{name} {n}" for name, n in sorted(self.outcomes.items()))
        return (
            f"{self.made.total()} changes ({made}); outcomes: {outcomes}; "
            f"respelled alone {self.respelled}; accepted with another meaning {len(self.accepted)}"
        )


def judge(data: bytes, envelope: bytes, trace: bytes) -> Outcome:
    digest = hashlib.sha256(trace).hexdigest()
    return verify(data, Pinned(KEYS, VERIFIER_KEYS, envelope, digest)).outcome


# ----------------------------------------------------------------------------- changes


def of_bytes(rng: random.Random, data: bytes) -> bytes:
    """One byte replaced, taken out, put in or repeated, or two neighbours exchanged."""
    at = rng.randrange(len(data))
    kind = rng.randrange(6)
    if kind == 0:
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + data[at + 1 :]
    if kind == 2:
        return data[:at] + bytes([rng.randrange(256)]) + data[at:]
    if kind == 3:
        return data[:at] + data[at : at + 1] + data[at:]
    if kind == 4:
        return data[:at]
    return data[:at] + data[at : at + 2][::-1] + data[at + 2 :]


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a value, but its root."""
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in items:
            yield (*at, name)
            yield from places(inner, (*at, name))


def held(value: Any, at: tuple[Any, ...]) -> Any:
    for name in at:
        value = value[name]
    return value


def of_a_member(rng: random.Random, value: Any) -> Any:
    """The value with one member or item changed, taken out, put in, repeated or moved."""
    at = rng.choice(list(places(value)))
    holder, name = held(value, at[:-1]), at[-1]
    kind = rng.randrange(5)
    if kind == 0:
        del holder[name]
    elif kind == 1 and isinstance(holder, dict):
        holder[f"{name}{rng.randrange(10)}"] = holder[name]
    elif kind == 1:
        holder.insert(rng.randrange(len(holder) + 1), holder[name])
    elif kind == 2 and isinstance(holder, list):
        rng.shuffle(holder)
    elif kind == 3:
        holder[name] = rng.choice([None, True, 0, -1, 2**53 - 1, 0.5, "", "é", [], {}])
    else:
        holder[name] = other(rng, holder[name])
    return value


def other(rng: random.Random, value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice([-1, 1, 10])
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        return value[:at] + rng.choice("aZ09é \u0301\u200b") + value[at + rng.randrange(2) :]
    return [value]


def of_a_row(rng: random.Random, bundle: Any) -> Any:
    """The bundle with a row taken out, repeated, moved, made to pass or asserting otherwise."""
    rows = bundle["results"]["requirements"]
    at = rng.randrange(len(rows))
    kind = rng.randrange(5)
    if kind == 0:
        del rows[at]
    elif kind == 1:
        rows.insert(rng.randrange(len(rows) + 1), rows[at])
    elif kind == 2:
        rows[at], rows[at - 1] = rows[at - 1], rows[at]
    elif kind == 3:
        rows[at] = {**rows[at], "result": "executed-pass", "assertions": 9}
    else:
        rows[at]["assertions"] += rng.randrange(1, 9)
    if rng.random() < 0.5:  # and the digest that would then be right
        bundle["witnessSha256"] = witness_sha256(bundle)
    return bundle


def of_the_key(rng: random.Random, bundle: Any) -> Any:
    """The signature made anew by another key, by the verifier's, or of another bundle."""
    kind = rng.randrange(4)
    if kind == 0:
        return attest(bundle, key(rng.randrange(3, 200)), rng.choice(["k1", "k2"]))
    if kind == 1:
        return attest(bundle, key(2), "k1")
    if kind == 2:
        return countersign(bundle, key(rng.randrange(3, 200)), "v1")
    raw = bytes(rng.randrange(256) for _ in range(64))
    text = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    return {**bundle, "signature": {**bundle["signature"], "sig": text}}


def of_the_text(rng: random.Random, data: bytes) -> bytes:
    """A member twice, a number or a letter spelled otherwise, another layout or Unicode form."""
    text = data.decode()
    kind = rng.randrange(6)
    if kind == 0:  # a member twice
        lines = [line for line in text.splitlines() if '": ' in line and line.endswith(",")]
        line = rng.choice(lines)
        return text.replace(line, f"{line}\n{line}", 1).encode()
    if kind == 1:  # a number in another spelling
        spelled = rng.choice(["{}.0", "{}e0", "{}E+0", "0{}", "+{}", "{}.5", "-{}", "{}0"])
        ends = [i for i, letter in enumerate(text) if letter.isdigit() and text[i - 2 : i] == ": "]
        at = rng.choice(ends)
        stop = at
        while text[stop].isdigit():
            stop += 1
        return (text[:at] + spelled.format(text[at:stop]) + text[stop:]).encode()
    if kind == 2:  # a letter as an escape
        at = rng.choice([i for i, letter in enumerate(text) if letter.isalpha() and letter != "u"])
        return (text[:at] + f"\\u{ord(text[at]):04x}" + text[at + 1 :]).encode()
    if kind == 3:  # another layout of the same value
        value = json.loads(text)
        return json.dumps(value, indent=rng.choice([None, 1, 4]), ensure_ascii=False).encode()
    if kind == 4:
        normal = unicodedata.normalize("NFD", text)
        return (normal if rng.random() < 0.5 else text.replace("é", "è", 1)).encode()
    return rng.choice([b"\xef\xbb\xbf", b" ", b"\n"]) + data


def of_the_payload(rng: random.Random, envelope: bytes) -> bytes:
    """The envelope's statement changed within, with or without a new signature."""
    document = json.loads(envelope)
    payload = base64.b64decode(document["payload"])
    changed = of_bytes(rng, payload)
    if rng.random() < 0.6:
        value = of_a_member(rng, json.loads(payload))
        changed = json.dumps(
            value, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        ).encode()
    document["payload"] = base64.b64encode(changed).decode()
    return json.dumps(document, indent=2).encode()


# ------------------------------------------------------------------------- the campaign


@lru_cache
def meaning(data: bytes) -> bytes:
    """What two texts share only if they are one strict JSON value."""
    return canonical(parse(data))


def same_meaning(one: bytes, two: bytes) -> bool:
    """Whether two texts are one strict JSON value."""
    try:
        return meaning(one) == meaning(two)
    except JsonError:
        return False


def bundle_change(rng: random.Random, data: bytes) -> tuple[str, bytes]:
    kinds: dict[str, Callable[[], bytes]] = {
        "bytes": lambda: of_bytes(rng, data),
        "members": lambda: text_of(of_a_member(rng, json.loads(data))),
        "rows": lambda: text_of(of_a_row(rng, json.loads(data))),
        "keys": lambda: text_of(of_the_key(rng, json.loads(data))),
        "spellings": lambda: of_the_text(rng, data),
    }
    kind = rng.choice(list(kinds))
    return kind, kinds[kind]()


def envelope_change(rng: random.Random, envelope: bytes, data: bytes) -> tuple[str, bytes]:
    kinds: dict[str, Callable[[], bytes]] = {
        "bytes": lambda: of_bytes(rng, envelope),
        "members": lambda: json.dumps(of_a_member(rng, json.loads(envelope)), indent=2).encode(),
        "payload": lambda: of_the_payload(rng, envelope),
        "keys": lambda: envelope_of(
            data, "bundle.json", PREDICATE, key(rng.randrange(3, 200)), rng.choice(["k1", "v1"])
        ),
        "layout": lambda: json.dumps(
            json.loads(envelope), indent=rng.choice([None, 1, 4])
        ).encode(),
    }
    kind = rng.choice([*list(kinds)[:4] * 4, "layout"])
    return kind, kinds[kind]()


def test_no_change_to_a_bundle_its_envelope_or_its_trace_verifies() -> None:
    rng = random.Random(20260131)
    pairs = ((DATA, ENVELOPE), (SIGNED, SIGNED_ENVELOPE))
    tally = Tally()
    for data, envelope in pairs:
        assert judge(data, envelope, TRACE_BYTES) is Outcome.VERIFIED

    def note(name: str, outcome: Outcome, meaning_kept: bool, what: bytes) -> None:
        tally.made[name] += 1
        tally.outcomes[str(outcome)] += 1
        if outcome is Outcome.VERIFIED and not meaning_kept:
            tally.accepted.append(f"{name}: {what[:200]!r}")

    while sum(n for name, n in tally.made.items() if name.startswith("bundle")) < OF_THE_BUNDLE:
        data, envelope = rng.choice(pairs)
        kind, changed = bundle_change(rng, data)
        if changed != data:  # a change that changed nothing is none, and is not counted
            # the envelope is over the bytes: a bundle that is only laid out anew verifies no more
            tally.respelled += same_meaning(data, changed)
            note(f"bundle {kind}", judge(changed, envelope, TRACE_BYTES), False, changed)
    while sum(n for name, n in tally.made.items() if name.startswith("envelope")) < OF_THE_ENVELOPE:
        data, envelope = rng.choice(pairs)
        kind, changed = envelope_change(rng, envelope, data)
        if changed != envelope:
            kept = same_meaning(envelope, changed)
            outcome = judge(data, changed, TRACE_BYTES)
            tally.respelled += kept
            note(f"envelope {kind}", outcome, kept, changed)
            assert not kept or outcome is Outcome.VERIFIED, "a layout alone has no meaning"
    while tally.made["trace"] < OF_THE_TRACE:
        data, envelope = rng.choice(pairs)
        changed = of_bytes(rng, TRACE_BYTES)
        if changed != TRACE_BYTES:
            note("trace", judge(data, envelope, changed), False, changed)

    print(f"\n{tally}")  # noqa: T201
    assert tally.accepted == [], f"{tally}\n" + "\n".join(tally.accepted[:10])
    assert tally.made.total() >= 10_000, tally
    assert min(tally.made.values()) > 100, tally
    assert tally.respelled > 100, tally
