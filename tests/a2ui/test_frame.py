"""The envelope of a v0.9 message: it decides as upstream's schema does, and says where it fails."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.a2ui.frame import check_frame
from openwop_conformance.corpus import corpus
from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.upstream import Upstream

from ..shared_data import upstream_folder

VERSIONS = {"v0.9"}
BODIES: dict[str, dict[str, JsonValue]] = {
    "createSurface": {"surfaceId": "s", "catalogId": "c", "theme": {}, "sendDataModel": True},
    "updateComponents": {"surfaceId": "", "components": [{"id": "a", "component": "Divider"}]},
    "updateDataModel": {"surfaceId": "s", "path": "x", "value": None},
    "deleteSurface": {"surfaceId": "s"},
}
FOREIGN: list[JsonValue] = [None, True, 0, 1.5, "", "v0.9", [], [1], [{}], {}, {"id": "a"}]
KEYS = [*BODIES, "version", "surfaceId", "components", "value", "extra"]


def verdict(message: JsonValue) -> str | None:
    """The first detail's path of a refusal; nothing else may be raised."""
    try:
        assert check_frame(message, VERSIONS) in BODIES
    except CallError as refusal:
        error = refusal
    else:
        return None
    assert error.kind == "validation"
    (detail,) = error.details
    assert detail["code"] == "VALIDATION_FAILED"
    assert detail["message"]
    path: str = detail["path"]
    return path


@pytest.fixture(scope="module")
def upstream() -> Any:
    return Upstream(Rulebook(corpus()), upstream_folder()).message.is_valid


@pytest.mark.parametrize("kind", BODIES)
def test_the_envelope_is_held_to_as_upstream_s_schema_holds_it(kind: str, upstream: Any) -> None:
    body = BODIES[kind]
    whole: dict[str, JsonValue] = {"version": "v0.9", kind: body}
    assert check_frame(whole, VERSIONS) == kind
    tried = [{k: v for k, v in whole.items() if k != key} for key in whole]
    tried += [{**whole, key: value} for key in KEYS for value in FOREIGN]
    tried += [{**whole, kind: {k: v for k, v in body.items() if k != key}} for key in body]
    tried += [{**whole, kind: {**body, key: value}} for key in {*KEYS, *body} for value in FOREIGN]
    tried += [{**whole, other: content} for other, content in BODIES.items()]
    for message in tried:
        assert (verdict(message) is None) is upstream(message), message


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["v0.9", "s", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYS, "id", "component"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(json_values)
def test_no_value_raises_anything_but_a_refusal(value: JsonValue) -> None:
    verdict(value)
    verdict({"version": "v0.9", "updateComponents": value})
    verdict({"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": [value]}})


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ([], ""),
        ({}, "/version"),
        ({"version": "v0.8", "deleteSurface": {"surfaceId": "s"}}, "/version"),
        ({"version": ["v0.9"], "deleteSurface": {"surfaceId": "s"}}, "/version"),
        ({"version": "v0.9"}, ""),
        ({"version": "v0.9", "deleteSurface": {}, "createSurface": {}}, ""),
        ({"version": "v0.9", "deleteSurface": {"surfaceId": "s"}, "a/b": 1}, "/a~1b"),
        ({"version": "v0.9", "deleteSurface": None}, "/deleteSurface"),
        ({"version": "v0.9", "deleteSurface": {"surfaceId": 1}}, "/deleteSurface/surfaceId"),
        ({"version": "v0.9", "deleteSurface": {}}, "/deleteSurface/surfaceId"),
        (
            {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": []}},
            "/updateComponents/components",
        ),
        *(
            (
                {
                    "version": "v0.9",
                    "updateComponents": {
                        "surfaceId": "s",
                        "components": [{"id": "a", "component": "Any"}, component],
                    },
                },
                "/updateComponents/components/1" + below,
            )
            for component, below in [
                (7, ""),
                ({}, "/id"),
                ({"id": 7, "component": "Text"}, "/id"),
                ({"id": "b"}, "/component"),
                ({"id": "b", "component": {"Text": {}}}, "/component"),
            ]
        ),
    ],
)
def test_a_refusal_points_to_the_fault(message: JsonValue, path: str) -> None:
    assert verdict(message) == path
