"""Any A2UI catalog: the basic one decides as upstream's files do, a custom one as it says."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.a2ui.catalog import BASIC_CATALOG
from openwop_conformance.a2ui.frame import check_frame
from openwop_conformance.a2ui.nesting import check_depth
from openwop_conformance.a2ui.open_catalog import Catalog, basic, read_catalog
from openwop_conformance.corpus import corpus
from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.upstream import Upstream

from ..shared_data import shared, upstream_folder

VERSIONS = frozenset({"v0.9", "v0.9.1"})
COMMON = "https://a2ui.org/specification/v0_9/common_types.json#/$defs/"
TEXT = {"id": "t", "component": "Text", "text": "x"}
CALL = {"call": "length", "args": {"value": {"path": "/x"}, "min": 1}, "returnType": "boolean"}
CHECKS = [
    {"condition": CALL, "message": "m"},
    {"condition": {"call": "and", "args": {"values": [True, CALL]}}, "message": "m"},
]
SPOKEN = {
    "call": "formatDate",
    "args": {"value": {"call": "required", "args": {"value": 1}}, "format": "yyyy"},
    "returnType": "string",
}
INSTANCES: list[dict[str, JsonValue]] = [
    {**TEXT, "text": SPOKEN, "variant": "h1", "weight": 1, "accessibility": {"label": "a"}},
    {"id": "c", "component": "Image", "url": "u", "description": {"path": "d"}, "fit": "cover"},
    {"id": "c", "component": "Icon", "name": "add", "accessibility": {"description": SPOKEN}},
    {"id": "c", "component": "Icon", "name": {"svgPath": "M0"}},
    {"id": "c", "component": "Video", "url": {"path": "/u"}},
    {"id": "c", "component": "AudioPlayer", "url": "u", "description": "d"},
    {"id": "c", "component": "Row", "children": ["a", "b", "a"], "justify": "end"},
    {"id": "c", "component": "Column", "children": {"componentId": "a", "path": "/l"}},
    {"id": "c", "component": "List", "children": [], "direction": "vertical", "align": "end"},
    {"id": "c", "component": "Card", "child": "a"},
    {"id": "c", "component": "Tabs", "tabs": [{"title": "1", "child": "a"}] * 2},
    {"id": "c", "component": "Modal", "trigger": "a", "content": "b"},
    {"id": "c", "component": "Divider", "axis": "vertical"},
    {
        **{"id": "c", "component": "Button", "child": "a", "variant": "primary", "checks": CHECKS},
        "action": {"event": {"name": "n", "context": {"a": 1, "b": {"path": "/b"}, "c": SPOKEN}}},
    },
    {
        **{"id": "c", "component": "Button", "child": "a"},
        "action": {"functionCall": {"call": "openUrl", "args": {"url": "https://a.example/"}}},
    },
    {
        **{"id": "c", "component": "TextField", "label": "l", "value": "v", "checks": CHECKS},
        **{"variant": "number", "validationRegexp": "a+"},
    },
    {"id": "c", "component": "CheckBox", "label": "l", "value": CALL, "checks": CHECKS},
    {
        **{"id": "c", "component": "ChoicePicker", "label": "l", "value": ["a"]},
        **{"options": [{"label": "A", "value": "a"}], "filterable": True, "checks": CHECKS},
        **{"variant": "multipleSelection", "displayStyle": "chips"},
    },
    {"id": "c", "component": "Slider", "label": "l", "min": 0, "max": 9, "value": {"path": "v"}},
    {
        **{"id": "c", "component": "DateTimeInput", "value": "2026-01-01", "enableDate": True},
        **{"enableTime": False, "min": "2026-01-01", "max": "2026-01-01T00:00:00Z", "label": "l"},
    },
]
FUNCTIONS = [
    {"call": "required", "args": {"value": {"any": [None]}}},
    {"call": "regex", "args": {"value": "v", "pattern": "p"}},
    {"call": "length", "args": {"value": "v", "min": 0, "max": 2}},
    {"call": "numeric", "args": {"value": 1, "max": 2.5}},
    {"call": "email", "args": {"value": "v"}},
    {"call": "formatString", "args": {"value": "v"}},
    {"call": "formatNumber", "args": {"value": 1, "decimals": 2, "grouping": True}},
    {"call": "formatCurrency", "args": {"value": 1, "currency": "EUR", "decimals": 2}},
    {"call": "formatDate", "args": {"value": [1], "format": "yyyy"}},
    {"call": "pluralize", "args": {"value": 1, "zero": "0", "one": "1", "other": "n"}},
    {"call": "openUrl", "args": {"url": "https://a.example/"}, "returnType": "void"},
    {"call": "and", "args": {"values": [True, False]}},
    {"call": "or", "args": {"values": [{"path": "/a"}, {"call": "not", "args": {"value": True}}]}},
    {"call": "not", "args": {"value": True}, "returnType": "boolean"},
]
INSTANCES += [
    {**TEXT, "id": "f", "component": "Button", "child": "a", "action": {"functionCall": call}}
    for call in FUNCTIONS
]
for one in INSTANCES:
    if one["id"] == "f":
        del one["text"]
FOREIGN: list[JsonValue] = [
    *(None, True, 7, -0.5, "", "h9", "required", "Text", [], {}, ["a"], [[1]], {"path": "/p"}),
    *({"path": "/p", "componentId": "a"}, {"call": "nope"}, {"call": "nope", "args": {}}),
    *(CALL, SPOKEN, {"event": {"name": "n"}}, "2026-01-01T00:00:00Z", "a b", "https://b.example"),
]


def refusal(work: Callable[[], object]) -> CallError | None:
    try:
        work()
    except CallError as error:
        return error
    return None


def refused(error: CallError | None) -> tuple[str, list[str]]:
    assert error is not None
    return error.kind, [detail["path"] for detail in error.details]


def component_refusal(component: JsonValue, catalog: Catalog | None = None) -> CallError | None:
    return refusal(lambda: (catalog or basic()).check_component(component))


# ----------------------------------------------------------------------------- the basic catalog


@pytest.fixture(scope="module")
def upstream() -> Callable[[str], Any]:
    """Upstream's own verdict on a component type, or on ``theme``, by its own four files."""
    from jsonschema_rs import Draft202012Validator, Registry

    schemas = Upstream(Rulebook(corpus()), upstream_folder()).schemas
    catalog, common = schemas["catalog.json"], schemas["common_types.json"]
    beside = catalog["$id"].replace("catalogs/basic/", "")
    registry = Registry(
        [(d["$id"], d) for d in (catalog, common)] + [(beside, {**catalog, "$id": beside})]
    )

    def verdict(place: str) -> Any:
        return Draft202012Validator(
            {"$ref": f"{catalog['$id']}#/{place}"},
            registry=registry,
            offline=True,
            validate_formats=True,
        ).is_valid

    return verdict


def places(value: JsonValue, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    below = value.items() if isinstance(value, dict) else ()
    for key, item in enumerate(value) if isinstance(value, list) else below:
        yield from places(item, (*at, key))


def mutants(instance: dict[str, JsonValue], chance: random.Random) -> Iterator[dict[str, Any]]:
    """The instance with every place replaced, removed, added to, and moved to another type."""
    for at in places(instance):
        if not at:
            continue
        for foreign in [*chance.sample(FOREIGN, 6), chance.choice(INSTANCES).get("value", 1)]:
            mutant = copy.deepcopy(instance)
            holder: Any = mutant
            for key in at[:-1]:
                holder = holder[key]
            held = holder[at[-1]]
            holder[at[-1]] = copy.deepcopy(foreign)
            yield mutant
            if isinstance(held, dict):
                added = copy.deepcopy(held)
                added[chance.choice(["extra", "path", "call", "args", "label", "min"])] = foreign
                holder[at[-1]] = added
                yield copy.deepcopy(mutant)
        del holder[at[-1]]
        yield mutant
    for key in ("extra", "checks", "child", "children", "weight", "accessibility", "value"):
        yield {**instance, key: chance.choice(FOREIGN)}


def test_the_basic_catalog_decides_on_mutants_as_upstream_s_files_do(
    upstream: Callable[[str], Any],
) -> None:
    chance, tally = random.Random(9), {True: 0, False: 0}
    verdicts = {kind: upstream(f"components/{kind}") for kind in basic().component_types}
    for instance in INSTANCES:
        assert verdicts[instance["component"]](instance), instance
        for mutant in [instance, *mutants(instance, chance)]:
            kind = mutant.get("component")
            expected = isinstance(kind, str) and kind in verdicts and verdicts[kind](mutant)
            error = component_refusal(mutant)
            assert (error is None) is expected, mutant
            assert error is None or (error.details and error.kind == "validation")
            tally[expected] += 1
    assert tally[True] > 500, tally
    assert tally[False] > 3000, tally


def test_every_type_and_function_of_the_basic_catalog_is_among_the_instances(
    upstream: Callable[[str], Any],
) -> None:
    document = basic().document
    assert {one["component"] for one in INSTANCES} == set(document["components"])
    assert [call["call"] for call in FUNCTIONS] == list(document["functions"])
    for call in FUNCTIONS:
        assert upstream(f"functions/{call['call']}")(call)


@pytest.mark.parametrize(
    "theme",
    [
        *({}, {"primaryColor": "#00bfFF", "x": 1}, {"primaryColor": "#00bfF"}, {"iconUrl": "a b"}),
        *({"iconUrl": "https://a.example"}, {"agentDisplayName": 1}, [], None, "blue"),
    ],
)
def test_a_theme_is_judged_as_by_upstream(theme: JsonValue, upstream: Callable[[str], Any]) -> None:
    error = refusal(lambda: basic().check_theme(theme, "/createSurface/theme"))

    assert (error is None) is upstream("$defs/theme")(theme)
    if error is not None:
        assert error.details[0]["path"].startswith("/createSurface/theme")


@pytest.mark.parametrize(
    ("file", "size"),
    [
        *(("button_checks", 7), ("checkable_components", 12), ("contact_form_example_test", 3)),
        *(("function_catalog_validation", 43), ("tabs_checks", 2), ("text_variants", 2)),
        ("theme_validation", 4),
    ],
)
def test_upstream_s_cases_of_server_messages_are_decided_as_they_say(file: str, size: int) -> None:
    suite = parse(shared(f"a2ui/suites/spec_v0_9/cases/{file}.json").read_bytes())
    assert suite["schema"] == "server_to_client.json"
    assert len(suite["tests"]) == size
    for case in suite["tests"]:
        error = refusal(lambda message=case["data"]: check_message(message))  # type: ignore[misc]
        assert (error is None) is case["valid"], case["description"]


def check_message(message: JsonValue, catalog: Catalog | None = None) -> None:
    catalog = catalog or basic()
    kind = check_frame(message, VERSIONS)
    body = message[kind]
    if kind == "createSurface" and "theme" in body:
        catalog.check_theme(body["theme"])
    for component in body.get("components", ()):
        catalog.check_component(component)


def test_both_documents_are_in_the_package() -> None:
    folder = files("openwop_conformance.a2ui") / "catalogs"
    for name in ("basic", "common_types"):
        assert json.loads((folder / f"{name}.json").read_bytes())["$defs"]
    assert basic().catalog_id == BASIC_CATALOG
    assert basic() is basic()


def test_to_import_the_module_loads_no_validator() -> None:
    code = (
        "import sys, openwop_conformance.a2ui.open_catalog as c; "
        "sys.exit('jsonschema_rs' in sys.modules or c.basic.cache_info().currsize)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


# --------------------------------------------------------------------------- where a refusal points


@pytest.mark.parametrize(
    ("component", "path", "words"),
    [
        ({**TEXT, "text": 5}, "/text", "5"),
        ({"id": "t", "component": "Text"}, "/text", "missing"),
        ({"component": "Text", "text": "x"}, "/id", "missing"),
        ({**TEXT, "size": 1}, "/size", "size"),
        ({**TEXT, "variant": "h9"}, "/variant", "h9"),
        ({**TEXT, "component": "Canvas"}, "/component", "Canvas"),
        ({**TEXT, "component": ["Text"]}, "/component", "Text"),
        ({"id": "t"}, "/component", "missing"),
        ([], "", "object"),
        ({**TEXT, "text": {"call": "nope", "args": {}}}, "/text/call", "nope"),
        ({**TEXT, "text": {"path": 5}}, "/text/path", "5"),
        ({**TEXT, "text": {"path": "/a", "or": 1}}, "/text/or", "or"),
        ({**TEXT, "text": {"path": "/a/~2"}}, "/text/path", "~2"),
        ({**TEXT, "accessibility": {"label": {"path": "~"}}}, "/accessibility/label/path", "~"),
        (
            {"id": "c", "component": "List", "children": {"componentId": "a", "path": "~"}},
            "/children/path",
            "~",
        ),
        (
            {"id": "c", "component": "Tabs", "tabs": [{"title": "1", "child": 5}]},
            "/tabs/0/child",
            "5",
        ),
        (
            {
                **{"id": "c", "component": "CheckBox", "label": "l"},
                "value": {"call": "not", "args": {"value": {"call": "no/pe", "args": {}}}},
            },
            "/value/args/value/call",
            "no/pe",
        ),
        (
            {"id": "c", "component": "CheckBox", "label": "l", "value": {"call": "not"}},
            "/value/args",
            "missing",
        ),
        (
            {
                **{"id": "c", "component": "Button", "child": "a"},
                "action": {"event": {"name": "n"}, "functionCall": FUNCTIONS[10]},
            },
            "/action/functionCall",
            "functionCall",
        ),
    ],
)
def test_a_refusal_names_the_component_the_place_and_the_reason(
    component: JsonValue, path: str, words: str
) -> None:
    error = refusal(lambda: basic().check_component(component, "/here"))

    assert error is not None
    assert error.kind == "validation"
    first = error.details[0]
    assert first["path"] == "/here" + path
    assert first["code"] == "VALIDATION_FAILED"
    assert words in first["message"]
    if isinstance(component, dict) and "id" in component:
        assert f'component "{component["id"]}"' in str(error)


def test_two_unknown_properties_are_two_details() -> None:
    error = component_refusal({**TEXT, "a": 1, "b": 2})

    assert refused(error) == ("validation", ["/a", "/b"])


@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan"), "\ud800", {1: 2}])
def test_no_value_raises_anything_but_a_refusal(value: JsonValue) -> None:
    for name in ("text", "weight", "id", "component", "accessibility"):
        component_refusal({**TEXT, name: value})
        refusal(lambda name=name: check_frame({name: value}, VERSIONS))  # type: ignore[misc]
        refusal(lambda: basic().check_theme({"primaryColor": value}))


def test_a_refusal_of_nested_calls_is_told_quickly() -> None:
    value: JsonValue = {"call": "nope", "args": {}}
    for _ in range(4):
        value = {"call": "and", "args": {"values": [value] * 4}}
    began = time.perf_counter()
    error = component_refusal({"id": "c", "component": "CheckBox", "label": "l", "value": value})

    assert error is not None
    assert time.perf_counter() - began < 1.0


# ------------------------------------------------------------------------------------- nesting


def calls(depth: int) -> JsonValue:
    value: JsonValue = True
    for _ in range(depth):
        value = {"call": "not", "args": {"value": value}}
    return value


def test_five_calls_may_stand_in_each_other_and_six_may_not() -> None:
    box = {"id": "c", "component": "CheckBox", "label": "l"}

    assert component_refusal({**box, "value": calls(5)}) is None
    error = component_refusal({**box, "value": calls(6)})
    assert refused(error) == ("recursion", ["/value" + "/args/value" * 5])


def lists(depth: int) -> JsonValue:
    value: JsonValue = []
    for _ in range(depth - 1):
        value = [value]
    return value


@given(st.integers(1, 60), st.integers(1, 60))
def test_a_depth_is_refused_exactly_when_it_is_beyond_the_limit(depth: int, limit: int) -> None:
    error = refusal(lambda: check_depth(lists(depth), limit, "/v"))

    assert (error is None) is (depth <= limit)
    if error is not None:
        assert refused(error) == ("recursion", ["/v"])


def test_a_component_nested_beyond_any_stack_is_refused() -> None:
    for foreign in (lists(100_000), {"a": lists(60)}):
        error = component_refusal({**TEXT, "text": foreign})
        assert error is not None
        assert error.kind == "recursion"
    assert refusal(lambda: check_depth("scalar", 0)) is None


# ----------------------------------------------------------------------------------- references


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        (TEXT, []),
        ({"id": "c", "component": "Row", "children": ["b", "a", "b"]}, ["b", "a", "b"]),
        ({"id": "c", "component": "Row", "children": {"path": "/l", "componentId": "a"}}, ["a"]),
        ({"id": "c", "component": "Modal", "content": "b", "trigger": "a"}, ["b", "a"]),
        ({"component": "Card", "child": "c", "id": "c"}, ["c"]),
        (INSTANCES[10], ["a", "a"]),
        (INSTANCES[13], ["a"]),
    ],
)
def test_children_come_from_the_schema_in_the_component_s_order(
    component: dict[str, JsonValue], expected: list[str]
) -> None:
    assert component_refusal(component) is None
    assert list(basic().children(component)) == expected


def catalog(component: JsonValue, **members: JsonValue) -> dict[str, JsonValue]:
    return {"catalogId": "https://c.example/c.json", "components": {"A": component}, **members}


def test_a_reference_is_found_wherever_a_custom_catalog_puts_it() -> None:
    document = catalog(
        {
            "type": "object",
            "allOf": [{"$ref": COMMON + "ComponentCommon"}],
            "properties": {
                "header": {"type": "string", "title": "ComponentId"},
                "rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
                "slots": {"additionalProperties": {"$ref": "../../v0_9/common_types.json"
                                                   "#/$defs/ComponentId"}},
                "own": {"$ref": "#/$defs/ComponentId"},
                "either": {"oneOf": [{"$ref": "common_types.json#/$defs/ChildList"}, False]},
                "child": {"type": "string"},
            },
        },
        **{
            "$defs": {
                "ComponentId": {"type": "string"},
                "Row": {
                    "properties": {
                        "cell": {"$ref": "common_types.json#/$defs/ComponentId"},
                        "below": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
                    }
                },
            }
        },
    )  # fmt: skip
    made = read_catalog(document)
    component = {
        **{"id": "i", "component": "A", "header": "h", "child": "no", "own": "o"},
        "rows": [{"cell": "1", "below": [{"cell": "2"}, {"below": [{"cell": "3"}], "cell": "4"}]}],
        **{"slots": {"x": "s", "id": "t"}, "either": ["e", "f"]},
    }

    made.check_component(component)
    assert list(made.children(component)) == ["h", "o", "1", "2", "3", "4", "s", "t", "e", "f"]


def test_upstream_s_custom_catalogs_are_read_and_found_to_refer() -> None:
    yaml = pytest.importorskip("yaml")
    suite = yaml.safe_load(shared("a2ui/suites/suites/validator.yaml").read_text())
    documents = [
        case["catalog"]["catalog_schema"] for case in suite if case["catalog"]["version"] == "0.9"
    ]
    assert len(documents) == 20
    made = [read_catalog(document) for document in documents if isinstance(document, dict)]
    custom = next(one for one in made if "Canvas" in one.component_types)
    canvas = {"id": "root", "component": "Canvas", "children": ["c1", "c2"]}
    custom.check_component(canvas)
    assert list(custom.children(canvas)) == ["c1", "c2"]
    simple = parse(shared("a2ui/suites/test_data/simplified_catalog_v09.json").read_bytes())
    card = {"id": "c", "component": "Card", "child": "a"}
    assert list(read_catalog(simple).children(card)) == ["a"]


# -------------------------------------------------------------------------------- custom catalogs


def test_the_basic_catalog_read_as_a_document_decides_as_the_built_in_one() -> None:
    chance, made = random.Random(5), read_catalog(basic().document)
    for instance in INSTANCES:
        for mutant in islice(mutants(instance, chance), 5):
            ours, theirs = component_refusal(mutant), component_refusal(mutant, made)
            assert (ours and ours.as_json()) == (theirs and theirs.as_json())


def test_a_custom_catalog_may_take_a_basic_component_with_functions_of_its_own() -> None:
    shout = {
        "properties": {"call": {"const": "shout"}, "args": {"maxProperties": 0}},
        "required": ["call"],
    }
    made = read_catalog(
        {
            "catalogId": "c",
            "components": {"Text": {"$ref": BASIC_CATALOG + "#/components/Text"}},
            "functions": {"shout": shout},
        }
    )

    assert component_refusal({**TEXT, "text": {"call": "shout", "args": {}}}, made) is None
    error = component_refusal({**TEXT, "text": {"call": "formatString", "args": {}}}, made)
    assert refused(error) == ("validation", ["/text/call"])


def test_a_catalog_without_functions_admits_no_call() -> None:
    made = read_catalog(catalog({"properties": {"text": {"$ref": COMMON + "DynamicString"}}}))
    component = {"id": "a", "component": "A", "text": {"path": "/x"}}

    assert component_refusal(component, made) is None
    assert component_refusal({**component, "text": {"call": "f", "args": {}}}, made) is not None
    assert refusal(lambda: made.check_theme({"any": 1})) is None
    assert refusal(lambda: made.check_theme(1)) is not None


@pytest.mark.parametrize(
    "document",
    [
        *(None, [], "basic", {}, {"catalogId": "c"}, {"components": {}}),
        {"catalogId": 1, "components": {}},
        {"catalogId": "c", "components": []},
        {"catalogId": "c", "components": {"A": True}},
        {"catalogId": "c", "components": {}, "functions": []},
        {"catalogId": "c", "components": {}, "$defs": 1},
        {"catalogId": "c", "components": {}, "$defs": {"theme": 1}},
        catalog({"$ref": "#/$defs/Gone"}),
        catalog({"$ref": "https://elsewhere.example/common_types.json#/$defs/ComponentId"}),
        catalog({"$ref": "file:///etc/passwd"}),
        catalog({"$ref": "other.json#/x"}),
        catalog({"$ref": COMMON + "Gone"}),
        catalog({"$ref": "#no-pointer"}),
        catalog({"$ref": 1}),
        catalog({"$dynamicRef": "#x"}),
        catalog({"properties": []}),
        catalog({"allOf": {}}),
        catalog({"properties": {"a": 1}}),
        catalog({"type": "strng"}),
        catalog({"pattern": "("}),
        catalog({"properties": {"a": {"const": lists(200)}}}),
    ],
)
def test_what_is_no_catalog_is_refused(document: JsonValue) -> None:
    error = refusal(lambda: read_catalog(document))

    assert error is not None
    assert error.kind == "catalog"


def test_references_in_a_circle_end() -> None:
    made = read_catalog(
        catalog(
            {"$ref": "#/$defs/B"},
            **{"$defs": {"B": {"allOf": [{"$ref": "#/$defs/C"}]}, "C": {"$ref": "#/components/A"}}},
        )
    )

    assert list(made.children({"id": "a", "component": "A"})) == []
    assert component_refusal({"id": "a", "component": "A"}, made) is None


def test_a_catalog_is_unmoved_when_the_document_is_changed() -> None:
    document = catalog({"type": "object"})
    made = read_catalog(document)
    document["components"]["A"]["required"] = ["x"]
    document["components"]["B"] = {}

    assert component_refusal({"id": "a", "component": "A"}, made) is None
    assert component_refusal({"id": "a", "component": "B"}, made) is not None


def test_a_pattern_cannot_hang() -> None:
    made = read_catalog(catalog({"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}))
    component = {"id": "a", "component": "A"}
    began = time.perf_counter()

    assert component_refusal({**component, "a": "a" * 100_000}, made) is None
    assert component_refusal({**component, "a": "a" * 100_000 + "!"}, made) is not None
    assert time.perf_counter() - began < 2.0


@pytest.mark.parametrize("pattern", ["^(?=a)a", "(?<!b)a", r"(a)\1", "((a{100}){100}){100}", "("])
def test_a_pattern_that_cannot_be_matched_in_linear_time_makes_no_catalog(pattern: str) -> None:
    error = refusal(lambda: read_catalog(catalog({"properties": {"a": {"pattern": pattern}}})))

    assert refused(error)[0] == "catalog"
    assert pattern.replace("\\", "\\\\") in str(error)
