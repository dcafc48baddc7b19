"""RFC 0209 §B.4: every message of the profile is a message of A2UI v0.9, held to upstream's bytes.

The three files come from the package that carries them, which set-up fetches by its name; each is
checked against the SHA-256 that the RFC pins.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest
from jsonschema_rs import Draft202012Validator, Registry

from openwop_conformance.a2ui.catalog import KIND, check_message
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import JsonValue, brief, parse
from openwop_conformance.schemas import schema, validator
from openwop_conformance.wire.envelope import surface_payload

from ..shared_data import FIXTURES, REPOSITORY
from .generated import Generator, nodes_of

PINS = {
    "server_to_client": "77080edd7d15077e5d345682c7bedec27b59c6df13ed3a72fd3de66318acb2d6",
    "catalog": "8cc94d0a482e67048f9fc989964ca5da56fe42f531d919315a508989fb22e13e",
    "common_types": "ac79788e95e5bdf0a39808953593a53c1bc9fcdcdb55480f4610613c6591e94c",
}
GENERATED = 20_000
SEED = 209


@cache
def upstream() -> Draft202012Validator:
    """Upstream's server message with the basic catalog bound, or a skip that says what is missing.

    The wheel lies in ``OPENWOP_UPSTREAM``, else where ``make`` puts it.
    """
    folder = Path(os.environ.get("OPENWOP_UPSTREAM") or REPOSITORY / ".venv" / "upstream")
    wheels = sorted(folder.glob("a2ui_agent_sdk-0.7.0-*.whl"))
    if not wheels:
        pytest.skip("upstream's schemas are not here: make fetches a2ui-agent-sdk 0.7.0 for them")
    files: dict[str, JsonValue] = {}
    with zipfile.ZipFile(wheels[0]) as wheel:
        for name, pin in PINS.items():
            data = wheel.read(f"a2ui/assets/0.9/{name}.json")
            assert hashlib.sha256(data).hexdigest() == pin, f"{name} is not the file that is pinned"
            files[name] = parse(data)
    message, catalog, common = files["server_to_client"], files["catalog"], files["common_types"]
    beside = message["$id"].replace("server_to_client", "catalog")  # how the files name it
    resources = [(f["$id"], f) for f in (message, catalog, common)]
    registry = Registry([*resources, (beside, {**catalog, "$id": beside})])
    return Draft202012Validator(message, registry=registry, offline=True)


def short(name: str) -> JsonValue:
    return parse((FIXTURES / name).read_bytes())


def names(folder: str) -> list[str]:
    return sorted(p.relative_to(FIXTURES).as_posix() for p in FIXTURES.glob(f"{folder}/**/*.json"))


def admitted(message: JsonValue) -> bool:
    try:
        check_message(message)
    except Violation:
        return False
    return True


def complete(messages: list[JsonValue]) -> list[JsonValue]:
    found: list[JsonValue] = surface_payload("a", messages)["messages"]
    return found


def test_generated_messages_of_the_profile_are_all_upstream_s() -> None:
    definitions = schema(KIND)["$defs"]
    generator = Generator(definitions, SEED)
    ours = validator(KIND, "message")
    for _ in range(GENERATED):
        message = generator.instance(definitions["message"])
        assert ours.is_valid(message), brief(message, 2000)
        assert upstream().is_valid(message), brief(message, 2000)
    nodes = nodes_of(definitions, "message")
    assert sorted(nodes[n] for n in nodes.keys() - generator.reached) == []


@pytest.mark.parametrize(
    ("entry", "member"), [("Text", "placeholder"), ("option", "icon"), ("event", "url")]
)
def test_a_member_that_upstream_lacks_would_be_seen(entry: str, member: str) -> None:
    definitions = deepcopy(schema(KIND)["$defs"])
    opened = {
        "Text": definitions["Text"],
        "option": definitions["option"],
        "event": definitions["action"]["properties"]["event"],
    }[entry]
    opened["properties"][member] = {"type": "string"}
    generator = Generator(definitions, SEED)
    made = (generator.instance(definitions["message"]) for _ in range(GENERATED))
    assert not all(upstream().is_valid(message) for message in made)


def test_every_positive_and_every_twin_is_upstream_s() -> None:
    for name in names("positive"):
        assert all(upstream().is_valid(m) for m in complete(short(name)["messages"])), name
    for name in [*names("profile"), *names("limits")]:
        assert all(upstream().is_valid(m) for m in complete(short(name)["twin"])), name


def test_what_the_profile_takes_away_from_upstream_is_what_the_rfc_names() -> None:
    """The negatives that upstream admits: each falls to one of the RFC's restrictions."""
    taken: dict[str, int] = {}
    for name in names("profile"):
        messages = complete(short(name)["messages"])
        assert not all(admitted(message) for message in messages), name
        if all(upstream().is_valid(m) for m in messages):
            family = name.split("/")[1]
            taken[family] = taken.get(family, 0) + 1
    assert taken == {
        "actions": 8,
        "closed": 8,
        "components": 9,
        "dynamic-values": 46,
        "egress": 7,
        "secret-input": 2,
    }
