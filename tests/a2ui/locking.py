"""What the tests of locks share: payloads to draw, and a second notion of what is frozen.

Nothing here asks the code under test: regions are told by the naive fold's own paths.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from . import naive

CATALOG = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json"
Payload = list[dict[str, Any]]

NAMES = ["a", "b", "ab", "a/b", "~"]
PATHS = st.sampled_from(
    [
        "/", "/a", "/a/b", "/a/ab", "/a/b/a", "/a/0", "/a/1", "/a/10", "/a//b",
        "/b", "/ab", "/a~1b", "/a~1b/a",
    ]
)  # fmt: skip
"""Few enough to meet, with those that only seem to: longer names, escapes, other indices."""
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1.5, "", "x"]),
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(NAMES), below, max_size=3)
    ),
    max_leaves=6,
)
MODELS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4)


def text(name: str, value: Any) -> dict[str, Any]:
    return {"id": name, "component": "Text", "text": value}


def confirmation(model: Any) -> Payload:
    """A surface that shows each part of a model, and submits it with a button."""
    bound = {f"t{i}": {"path": f"/{escaped(name)}"} for i, name in enumerate(NAMES)}
    context = {name: {"path": f"/{escaped(name)}"} for name in NAMES}
    return [
        {"createSurface": {}},
        {
            "updateComponents": {
                "components": [
                    {"id": "root", "component": "Column", "children": [*bound, "go"]},
                    *(text(name, value) for name, value in bound.items()),
                    {
                        "id": "go",
                        "component": "Button",
                        "child": "word",
                        "action": {"event": {"name": "resume", "context": context}},
                    },
                    text("word", "Go"),
                ]
            }
        },
        {"updateDataModel": {"path": "/", "value": model}},
    ]


def escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def full(messages: Payload, surface: str = "s") -> Payload:
    made = []
    for message in messages:
        ((kind, body),) = message.items()
        catalog = {"catalogId": CATALOG} if kind == "createSurface" else {}
        made.append({"version": "v0.9", kind: {"surfaceId": surface, **catalog, **body}})
    return made


POLICIES = st.fixed_dictionaries(
    {}, optional={"allowedDataModelPaths": st.lists(PATHS, max_size=3)}
)
OPENED = st.fixed_dictionaries(
    {},
    optional={
        "allowedDataModelPaths": st.lists(PATHS, max_size=2),
        "allowComponentUpdates": st.booleans(),
        "allowDeleteSurface": st.booleans(),
    },
)
DATA = st.one_of(
    st.builds(lambda path: {"updateDataModel": {"path": path}}, PATHS),
    st.builds(lambda path, v: {"updateDataModel": {"path": path, "value": v}}, PATHS, VALUES),
    st.builds(lambda value: {"updateDataModel": {"value": value}}, VALUES),
)
OTHERS = st.one_of(
    st.builds(
        lambda n, t: {"updateComponents": {"components": [text(n, t)]}},
        st.sampled_from(["root", "t0", "word", "new"]),
        st.sampled_from(["x", "y"]),
    ),
    st.just({"deleteSurface": {}}),
    st.builds(lambda policy: {"lockSurface": policy}, OPENED),
    st.builds(
        lambda p: {"createSurface": {"surfacePolicy": {"mutability": "locked", **p}}}, OPENED
    ),
    st.just({"createSurface": {}}),
)
PAYLOADS = st.lists(
    st.lists(DATA, min_size=1, max_size=1) | st.lists(DATA | OTHERS, min_size=1, max_size=3),
    max_size=6,
)


def frozen(model: Any, allowed: list[str]) -> str:
    """The leaves of a model that no allowed path is at or above; comparable, not readable."""
    regions = [tuple(naive.split(path)) for path in allowed]
    found: list[tuple[tuple[str, ...], Any]] = []

    def walk(node: Any, at: tuple[str, ...]) -> None:
        if any(at[: len(region)] == region for region in regions):
            return
        if isinstance(node, dict | list) and node:
            children = node.items() if isinstance(node, dict) else enumerate(node)
            for key, child in children:
                walk(child, (*at, str(key)))
        elif not isinstance(node, dict | list) or not any(r[: len(at)] == at for r in regions):
            found.append((at, node))

    walk(model, ())
    return json.dumps(sorted(found, key=lambda leaf: leaf[0]))


def is_frozen(name: str, allowed: list[str]) -> bool:
    """Whether a member of the model is frozen whole: nothing allowed is at, above or below it."""
    regions = [tuple(naive.split(path)) for path in allowed]
    return not any(region == () or region[0] == name for region in regions)
