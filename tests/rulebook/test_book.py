"""The rules read from files: which fixture is held to what, what is no fixture, and its reason."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.a2ui.catalog import BASIC_CATALOG
from openwop_conformance.corpus import corpus
from openwop_conformance.errors import JsonError, UsageError, Violation
from openwop_conformance.jsonvalue import MISSING, JsonValue
from openwop_conformance.rulebook.book import ENTRIES, Case, Rulebook, case_of
from openwop_conformance.rulebook.gates import Check
from openwop_conformance.rulebook.lifting import Grain
from openwop_conformance.rulebook.reasons import (
    hold_to_their_reasons,
    hold_to_upstream,
    is_admitted_by_rule,
    is_upstream,
)
from openwop_conformance.rulebook.upstream import Upstream

from ..shared_data import upstream_folder

WHY = "A reader of this sentence knows whom it protects."


@cache
def book() -> Rulebook:
    return Rulebook(corpus())


def book_of(folder: Path, files: dict[str, Any]) -> Rulebook:
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return Rulebook(dataclasses.replace(corpus(), fixtures=folder))


def named(name: str) -> Case:
    (case,) = (case for case in book().cases if case.name == name)
    return case


# -------------------------------------------------------------------------------- the cases


def test_every_fixture_in_a_folder_is_a_case_by_name_and_what_lies_beside_them_is_none() -> None:
    names = [case.name for case in book().cases]
    files = [p.relative_to(corpus().fixtures).as_posix() for p in corpus().fixtures.rglob("*.json")]

    assert names == sorted(names)
    others = {file for file in files if file.startswith(("sdk/", "locked/"))}
    assert {*names, *others, "upstream.json"} == set(files)
    assert len(names) + len(others) == len(files) - 1
    assert len(names) > 600
    assert [name for name, _ in book().documents()] == sorted(files)


def test_a_case_of_the_corpus_is_refused_exactly_where_its_folder_says_so() -> None:
    for case in book().cases:
        top, _, rest = case.family.partition("/")
        refused = top in ("profile", "limits") or rest == "refused"
        assert case.refused is refused is (case.twin is not MISSING), case.name
        assert bool(case.rule) is refused
        assert case.shape in ENTRIES or case.shape == ""
        assert (case.shape == "") is (top == "kinds")
        assert (case.migrated is MISSING) is (top != "migration")


@pytest.mark.parametrize(
    ("name", "held", "shape"),
    [
        ("positive/a.json", "messages", "payloadV2"),
        ("positive/a.json", "payload", "payloadV2"),
        ("payload/refused/a.json", "payload", "payloadV2"),
        ("v1/admitted/a.json", "payload", "payloadV1"),
        ("v1/refused/a.json", "payload", "payloadV1"),
        ("migration/a.json", "payload", "payloadV1"),
        ("v10/a.json", "payload", "payloadV2"),
        ("v1/a.json", "messages", "payloadV2"),
        ("envelope/a.json", "envelope", "envelope"),
        ("v1/a.json", "envelope", "envelope"),
        ("delta/a.json", "frame", "frame"),
        ("kinds/a.json", "kind", ""),
    ],
)
def test_what_a_case_is_held_to_follows_from_the_member_and_the_folder(
    name: str, held: str, shape: str
) -> None:
    value: JsonValue = {"messages": [], "kind": "acme.x"}.get(held, {"a": 1})
    case = case_of(name, {"why": WHY, held: value})

    assert (case.name, case.family) == (name, name.rpartition("/")[0])
    assert case.shape == shape
    assert case.why == WHY
    assert not case.refused
    assert (case.rule, case.restriction, case.upstream) == ("", "", "")
    assert case.migrated is MISSING
    if held != "messages":
        assert case.instance == value


def test_messages_in_short_form_are_completed_in_the_case_and_in_its_twin() -> None:
    document = {
        "why": WHY,
        "rule": "branch",
        "restriction": "/$defs/component",
        "upstream": "admitted",
        "messages": [{"createSurface": {}}, {"version": "v1", "deleteSurface": {"surfaceId": "t"}}],
        "twin": [{"createSurface": {"theme": {}}}, "no message"],
    }
    case = case_of("profile/x/a.json", document)

    frame = {"version": "v0.9", "catalogId": BASIC_CATALOG, "surfaceId": "s"}
    create = {"surfaceId": "s", "catalogId": BASIC_CATALOG}
    assert case.instance == {
        **frame,
        "messages": [
            {"version": "v0.9", "createSurface": create},
            {"version": "v1", "deleteSurface": {"surfaceId": "t"}},
        ],
    }
    assert case.twin == {
        **frame,
        "messages": [
            {"version": "v0.9", "createSurface": {**create, "theme": {}}},
            "no message",
        ],
    }
    stated = {name: getattr(case, name) for name in ("rule", "restriction", "upstream")}
    assert stated == {name: document[name] for name in stated}


def test_a_payload_stays_as_it_is_and_a_twin_of_null_is_one() -> None:
    case = case_of("payload/a.json", {"why": WHY, "rule": "branch", "payload": [], "twin": None})

    assert case.instance == []
    assert case.twin is None
    assert case.refused


def test_what_version_2_makes_of_a_payload_is_read_beside_it() -> None:
    case = case_of("migration/a.json", {"why": WHY, "payload": {}, "migrated": {"messages": []}})

    assert case.migrated == {"messages": []}
    assert not case.refused


# -------------------------------------------------------------------------- what is no case

REFUSED = {"why": WHY, "rule": "branch", "payload": {}, "twin": {}}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"payload": {}}, '"why" is a required property'),
        ({"why": "Too short.", "payload": {}}, '/why: "Too short." is shorter than 20 characters'),
        ({**REFUSED, "why": WHY[:-1]}, "/why: "),
        ({k: v for k, v in REFUSED.items() if k != "twin"}, '"twin" is a required property'),
        ({k: v for k, v in REFUSED.items() if k != "rule"}, '"rule" is a required property'),
        ({**REFUSED, "frame": {}}, "is valid under more than one of the schemas"),
        ({"why": WHY, "kind": "a", "envelope": {}}, "is valid under more than one of the schemas"),
        ({"why": WHY}, "is not valid under any of the schemas"),
        ({**REFUSED, "rule": "none"}, "/rule: "),
        ({**REFUSED, "restriction": "no/pointer"}, "/restriction: "),
        ({**REFUSED, "upstream": "unknown"}, "/upstream: "),
        ({"why": WHY, "payload": {}, "restriction": "/a"}, '"rule" is a required property'),
        ({"why": WHY, "messages": {}}, "/messages: "),
        ({"why": WHY, "kind": 1}, "/kind: "),
        ({**REFUSED, "because": "x"}, "because"),
        ([], '[] is not of type "object"'),
        (None, 'null is not of type "object"'),
    ],
)
def test_a_file_that_is_no_case_is_named_with_what_is_wrong(
    tmp_path: Path, document: JsonValue, said: str
) -> None:
    files = {"a/good.json": {"why": WHY, "payload": {}}, "b/bad.json": document}

    with pytest.raises(UsageError) as caught:
        _ = book_of(tmp_path, files).cases
    assert str(caught.value).startswith("fixtures/b/bad.json: /")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"a": 1, "a": 2}', b"\xff", b"NaN", b'\xef\xbb\xbf{"a": 1}']
)
def test_a_file_that_is_not_strict_json_is_named(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UsageError) as caught:
        _ = book_of(tmp_path, {"a/b/bad.json": data}).cases

    path = tmp_path / "a" / "b" / "bad.json"
    assert str(caught.value).startswith(f"{path} is not strict JSON: ")


def test_a_file_that_is_not_there_or_is_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"/gone\.json cannot be read: No such file or directory$"):
        book_of(tmp_path, {}).fixture("gone.json")
    (tmp_path / "a" / "folder.json").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"/folder\.json cannot be read: Is a directory$"):
        list(book_of(tmp_path, {}).documents())


def test_other_files_beside_the_cases_are_not_read(tmp_path: Path) -> None:
    files = {"a/b.json": {"why": WHY, "kind": "x"}, "a/notes.txt": b"{", "top.json": {"no": "case"}}
    read = book_of(tmp_path, files)

    assert [case.name for case in read.cases] == ["a/b.json"]
    assert read.fixture("top.json") == {"no": "case"}


# ------------------------------------------------------------------------- families, schemas


def test_a_family_is_one_folder_and_is_marked_as_judged() -> None:
    read = Rulebook(corpus())
    assert read.judged == set()
    assert read.admitted("frame") == [c for c in read.cases if c.family == "delta/admitted"]
    assert {c.family for c in read.refused("v1/refused", "limits")} == {"v1/refused", "limits"}
    assert read.refused("v1/admitted") == read.refused() == []
    assert read.judged == set()

    kinds = read.family("kinds/refused")
    assert {case.family for case in kinds} == {"kinds/refused"}
    assert read.judged == {case.name for case in kinds}
    assert read.family("kinds") == []
    assert {case.name for case in [*kinds, *read.family("migration")]} == read.judged


def test_the_shapes_are_of_the_corpus_s_own_schemas(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    corpus().copy_to(folder)
    path = folder / "schemas" / "ai-envelope.schema.json"
    schema = json.loads(path.read_text("utf-8"))
    schema["required"].remove("meta")
    path.write_text(json.dumps(schema), "utf-8")
    read = Rulebook(corpus(folder))

    assert read.shapes.keys() == ENTRIES.keys()
    envelope = {"type": "x", "envelopeId": "e", "correlationId": "c", "payload": None}
    assert read.shapes["envelope"].check.is_valid(envelope)
    assert not book().shapes["envelope"].check.is_valid(envelope)
    assert read.schema("ai-envelope") is read.schema("ai-envelope")

    path.unlink()
    with pytest.raises(UsageError, match=r"ai-envelope\.schema\.json cannot be read: "):
        Rulebook(corpus(folder)).schema("ai-envelope")


def test_a_shape_without_a_restriction_is_compiled_once() -> None:
    read = Rulebook(corpus())
    lift = next(one for one in read.lifts["frame"] if one.name == "/required/patch")
    other = next(one for one in read.lifts["frame"] if one.name == "/required/surfaceRef")
    frame = {"surfaceRef": "s", "catalogVersion": "1"}

    assert read.without("frame", lift).is_valid(frame)
    assert not read.without("frame", other).is_valid(frame)
    assert read.without("frame", lift) is read.without("frame", lift)


# -------------------------------------------------------------------------------- its reason

OPERATION = {"op": "test", "path": "/"}
FRAME = {"surfaceRef": "s", "catalogVersion": "1", "patch": [OPERATION]}
TWIN = {**FRAME, "patch": [{**OPERATION, "op": "add"}]}
OTHER = {**TWIN, "surfaceRef": "t"}
OWN = "/$defs/operation/properties/op/enum"


def faults(read: Rulebook, **changes: JsonValue) -> list[str]:
    document = {
        "why": WHY,
        "rule": "delta-frame",
        "restriction": OWN,
        "frame": FRAME,
        "twin": TWIN,
        **changes,
    }
    hold_to_their_reasons(check := Check(), read, [case_of("delta/x.json", document)])
    assert check.assertions >= 3
    return check.failures


@pytest.mark.parametrize("restriction", [OWN, "/$defs/operation", "/properties/patch"])
def test_a_case_is_refused_for_the_restriction_that_it_names(restriction: str) -> None:
    assert faults(book(), restriction=restriction) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"restriction": "/properties/patch/minItems"}, "refused also without "),
        ({"restriction": "/$defs/operation/required/op"}, "refused also without "),
        ({"restriction": "/$defs/nothing/enum"}, "no restriction stands at "),
        ({"restriction": "/$defs/operation/properties/op/type"}, "no restriction stands at "),
        ({"restriction": f"{OWN}+"}, "no restriction stands at "),
    ],
)
def test_another_restriction_than_its_own_is_not_why_a_case_is_refused(
    changes: dict[str, str], said: str
) -> None:
    assert faults(book(), **changes) == [f"delta/x.json: {said}{changes['restriction']}"]


def test_a_case_has_to_name_a_restriction() -> None:
    nameless = dataclasses.replace(named("delta/refused/op-test.json"), restriction="")
    hold_to_their_reasons(check := Check(), book(), [nameless])

    assert check.failures == [f"{nameless.name}: no restriction stands at ''"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"frame": OTHER, "restriction": "/no"}, ["has to be refused, and is valid"]),
        ({"twin": OTHER}, ["its twin is more than one edit away"]),
        ({"twin": {**FRAME, "patch": [{"op": "no", "path": "/"}]}}, ["its twin is not valid"]),
        (
            {"twin": {"patch": []}},
            ["its twin is not valid", "its twin is more than one edit away"],
        ),
    ],
)
def test_a_case_is_refused_and_its_twin_is_valid_and_one_edit_away(
    changes: dict[str, JsonValue], said: list[str]
) -> None:
    assert faults(book(), **changes) == [f"delta/x.json: {text}" for text in said]


def test_a_case_that_breaks_two_restrictions_is_refused_without_either() -> None:
    frame = {**FRAME, "patch": [{"op": "test", "path": 1}]}
    for restriction in (OWN, "/$defs/operation/properties/path/type"):
        found = faults(book(), frame=frame, restriction=restriction)
        assert f"delta/x.json: refused also without {restriction}" in found


def test_whatever_becomes_of_a_case_it_was_judged() -> None:
    read = Rulebook(corpus())
    assert faults(read, restriction="/nowhere") != []
    assert read.judged == {"delta/x.json"}


def test_every_case_of_the_corpus_names_a_restriction_and_not_a_step_of_one() -> None:
    for case in book().cases:
        if case.restriction:
            names = {n.name for n in book().lifts[case.shape] if n.grain is not Grain.WIDER}
            assert case.restriction in names, case.name


# ------------------------------------------------------------------------ upstream's verdict


@pytest.mark.parametrize("payload", [None, [], "messages", {}, {"messages": {}}, {"messages": [1]}])
def test_what_has_no_messages_is_not_upstream_s(payload: JsonValue) -> None:
    upstream = Upstream(book(), upstream_folder())

    assert not is_upstream(upstream, payload)


def test_upstream_s_verdict_has_to_be_the_one_that_is_stated() -> None:
    upstream = Upstream(book(), upstream_folder())
    image = named("profile/egress/image.json")
    assert is_upstream(upstream, image.instance)

    for case, said in (
        (image, []),
        (
            dataclasses.replace(image, upstream="refused"),
            [f"{image.name}: upstream says admitted, and the fixture says refused"],
        ),
        (
            dataclasses.replace(image, upstream="", instance={}),
            [f"{image.name}: upstream says refused, and the fixture says nothing"],
        ),
        (dataclasses.replace(image, twin={}), [f"{image.name}: its twin is not upstream's"]),
    ):
        check = Check()
        hold_to_upstream(check, upstream, [case])
        assert (check.assertions, check.failures) == (2, said)


def test_a_rule_admits_what_it_does_not_refuse_and_no_other_error_is_a_refusal() -> None:
    def judge(instance: JsonValue, *more: object) -> None:
        if more:
            raise Violation("rule", "no")
        if instance == "broken":
            raise JsonError("no rule")

    assert is_admitted_by_rule(judge, "x")
    assert not is_admitted_by_rule(judge, "x", "more")
    with pytest.raises(JsonError):
        is_admitted_by_rule(judge, "broken")
