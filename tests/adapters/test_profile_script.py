"""The pages' own profile and patches against ours: no payload is admitted by one of them alone."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from openwop_conformance.a2ui.catalog import Branch, check_payload
from openwop_conformance.a2ui.delta import apply_frame
from openwop_conformance.a2ui.message import check_catalog_ids, check_surface_ids
from openwop_conformance.adapters.browser import PAGES
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.reference.consumer.legacy import rebased
from openwop_conformance.wire.envelope import surface_payload
from tests.shared_data import FIXTURES

JUDGE = """
const lines = require("fs").readFileSync(0, "utf8").split("\\n");
require(process.argv[1]);
const { isPayload1, isPayload2, agrees } = globalThis.openwopProfile;
const judge = (p) => [isPayload1(p), isPayload2(p), isPayload2(p) && agrees(p)];
const said = lines.map(JSON.parse).map(judge);
console.log(JSON.stringify(said));
"""
PATCHER = """
require(process.argv[1] + "/profile.js");
require(process.argv[1] + "/delta.js");
const { base, frames } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const after = (frame) => {
  const tree = new globalThis.openwopDelta.Tree("e");
  tree.full(structuredClone(base), 1);
  tree.frame(frame, 2);
  return tree.stale ? null : tree.payload;
};
console.log(JSON.stringify(frames.map(after)));
"""
FOLDERS = ("profile", "payload", "positive", "v1", "kinds", "limits", "migration")
JUNK: list[JsonValue] = [
    None, True, 0, 1.5, "", "x", [], {}, ["a"], [1], {"path": "/a"}, {"path": 1},
    {"call": "required"}, "v0.9", "resume", "Text", "toString", "__proto__", "constructor",
    "#aabbcc\n", "x" * 257, "😀" * 256, "/a",
]  # fmt: skip
NAMES = (
    "x toString __proto__ constructor weight checks accessibility label variant value path theme"
)


def payloads() -> Iterator[JsonValue]:
    """The payloads of all fixtures, those that are refused and those that are not."""
    for folder in FOLDERS:
        for path in sorted((FIXTURES / folder).rglob("*.json")):
            case = parse(path.read_bytes())
            for member in ("messages", "twin", "payload", "surface", "tree"):
                value = case.get(member)
                if isinstance(value, list):
                    yield surface_payload("s", value)
                elif member in ("surface", "tree"):
                    yield {"catalogVersion": "0.9.1", "surface": value}
                elif member in case:
                    yield value


def places(value: JsonValue, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield from places(value[key], (*at, key))


def mutant(payload: JsonValue, drawn: random.Random) -> JsonValue:
    """The payload with one or two values replaced, removed or added."""
    made = deepcopy(payload)
    for _ in range(drawn.choice([1, 1, 2])):
        at = drawn.choice(list(places(made)))
        if not at:
            continue
        within = made
        for key in at[:-1]:
            within = within[key]
        junk, how = deepcopy(drawn.choice(JUNK)), drawn.random()
        if how < 0.5:
            within[at[-1]] = junk
        elif how < 0.7:
            del within[at[-1]]
        elif isinstance(within, dict):
            within[drawn.choice(NAMES.split())] = junk
        else:
            within.append(junk)
    return made


def admitted(payload: JsonValue) -> list[bool]:
    """What our own check says: of version 1, of version 2, and that the ids agree too."""

    def keeps(branch: Branch) -> bool:
        try:
            check_payload(payload, branch)
        except Violation:
            return False
        return True

    one, two = keeps(1), keeps(2)
    agrees = two
    if two:
        try:
            check_surface_ids(payload)
            check_catalog_ids(payload)
        except Violation:
            agrees = False
    return [one, two, agrees]


def ran(script: str, place: str, given: str) -> JsonValue:
    """What a script of Node's prints, with the path of a file of the reference page."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    command = [node, "-e", script, str(PAGES / "reference" / place)]
    found = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def test_the_script_admits_what_the_schema_admits_and_nothing_else() -> None:
    drawn = random.Random(9)
    given = list(payloads())
    whole = [payload for payload in given if isinstance(payload, dict)]
    given += [mutant(drawn.choice(whole), drawn) for _ in range(1500)]

    lines = "\n".join(json.dumps(payload) for payload in given)
    said = ran(JUDGE, "profile.js", lines)
    wrong = [
        (payload, ours, theirs)
        for payload, ours, theirs in zip(given, map(admitted, given), said, strict=True)
        if ours != theirs
    ]
    assert wrong == []
    assert min(sum(row[at] for row in said) for at in range(3)) > 20


BASE: JsonValue = {
    "catalogVersion": "0.9.1",
    "surface": {
        "title": "T",
        "components": [
            {"component": "heading", "text": "H"},
            {"component": "field.select", "id": "s", "label": "S",
             "options": [{"value": "1", "label": "one"}, {"value": "2", "label": "two"}]},
            {"component": "action.button", "id": "b", "label": "B", "action": {"target": "resume"}},
        ],
    },
}  # fmt: skip
POINTERS = (
    "/title /components/0 /components/1/label /components/1/options/0 /components/1/options/-"
    " /components/- /components/9 /components/01 /components /surface /surface/title /reasoning"
    " /catalogVersion x /components/2/action/target /components/1/required /~2 /a~1b /title/x"
    " /surface/components/0/text /toString /components/toString"
)
VALUES: list[JsonValue] = [
    "x", True, 1, None, {"component": "text", "text": "n"}, {"value": "3", "label": "three"},
    "exchange", {"components": []}, [], {"component": "image"}, "0.9.1",
    {"catalogVersion": "0.9.1", "surface": {"components": []}},
]  # fmt: skip


def operation(drawn: random.Random) -> JsonValue:
    pointers = ["", *POINTERS.split()]
    made: dict[str, JsonValue] = {
        "op": drawn.choice(["add", "add", "remove", "replace", "replace", "move", "copy", "test"]),
        "path": drawn.choice(pointers),
    }
    if made["op"] in ("add", "replace", "test") or drawn.random() < 0.05:
        made["value"] = deepcopy(drawn.choice(VALUES))
    if made["op"] in ("move", "copy") or drawn.random() < 0.05:
        made["from"] = drawn.choice(pointers)
    if drawn.random() < 0.03:
        del made[drawn.choice(list(made))]
    return made


def test_the_script_patches_as_our_own_patch_does() -> None:
    drawn = random.Random(4)
    frames = [
        {
            "surfaceRef": "e",
            "catalogVersion": drawn.choice(["0.9.1"] * 20 + ["0.9"]),
            "patch": [operation(drawn) for _ in range(drawn.choice([0, 1, 1, 1, 1, 2]))],
        }
        for _ in range(2000)
    ]
    patched: list[JsonValue] = []
    for frame in frames:
        try:
            patched.append(apply_frame(BASE, rebased(frame), base="payload"))
        except Violation:
            patched.append(None)
    after = ran(PATCHER, "", json.dumps({"base": BASE, "frames": frames}))
    wrong = [row for row in zip(frames, patched, after, strict=True) if row[1] != row[2]]
    assert wrong == []
    assert sum(payload is not None for payload in after) > 60
