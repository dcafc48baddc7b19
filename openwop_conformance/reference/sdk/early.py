"""What v0.8 does otherwise: surfaces that begin late, and the updates that wait for them.

An update before ``beginRendering`` is looked at when it comes and judged in full when the surface
begins, against the catalog that it then names. Components of the standard catalog are checked by
name and nesting only, those of others against their schemas, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from ...a2ui.catalog_document import MOST_LEVELS
from ...a2ui.component_problems import problems_of
from ...a2ui.data_model import segments_of
from ...a2ui.graph import Graph
from ...a2ui.nesting import check_depth, check_nesting
from ...a2ui.open_catalog import linear_validator
from ...errors import CallError, Violation
from ...jsonvalue import JsonValue, pointer_of
from .surface import Component, Surface, refusal, refuse

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

    from .surfaces import Surfaces

VERSION: Final = "v0.8"
KINDS: Final = ("beginRendering", "surfaceUpdate", "dataModelUpdate", "deleteSurface")
STANDARD_ID: Final = "https://a2ui.org/specification/v0_8/standard_catalog_definition.json"
_STANDARD: Final = (
    "AudioPlayer Button Card CheckBox Column DateTimeInput Divider Icon Image List Modal "
    "MultipleChoice Row Slider Tabs Text TextField Video"
)
_SINGLE: Final = ("child", "entryPointChild", "contentChild")
_REFERRED: Final = ("components", "$defs", "definitions")
"""The parts of a catalog document into which its schemas may refer."""
_VALUES: Final[dict[str, type | tuple[type, ...]]] = {
    "valueString": str,
    "valueNumber": (int, float),
    "valueBoolean": bool,
    "valueMap": list,
}
Update = tuple[str, dict[str, Any]]
"""The kind and the body of an update that waits."""


@dataclass(frozen=True, slots=True)
class EarlyCatalog:
    """A v0.8 catalog: its types by name, each with what checks its members, if anything does."""

    catalog_id: str
    types: Mapping[str, Draft202012Validator | None]

    def check_component(self, component: JsonValue, path: str = "") -> None:
        """``{"id", "component": {Type: {…}}}`` of a known type, its members right and not nested
        too deep. Raises ``CallError``."""
        name = _type_of(component, path)
        if name not in self.types:
            raise refusal("validation", f"no component {name!r}", f"{path}/component")
        check_nesting(component, path)
        check = self.types[name]
        for problem in () if check is None else problems_of(check, component["component"][name]):
            place = f"{path}/component{pointer_of((name,))}{problem.path}"
            raise refusal("validation", f"{name}: {problem.message}", place)

    def children(self, component: Component) -> Sequence[str]:
        """The ids that a component refers to, under the names that v0.8 gives references."""
        ((_, members),) = component["component"].items()
        return tuple(_children(members))

    def check_theme(self, theme: JsonValue, path: str = "") -> None:
        """Styles are an object of the catalog's own making."""
        if not isinstance(theme, dict):
            raise refusal("validation", "styles are an object", path)
        check_depth(theme, path=path)


def standard() -> EarlyCatalog:
    """The standard catalog of v0.8."""
    return EarlyCatalog(STANDARD_ID, dict.fromkeys(_STANDARD.split()))


def read_catalog(document: JsonValue) -> EarlyCatalog:
    """A catalog document ``{"catalogId", "components": {Type: schema}}``, compiled.

    A schema is of the members of the type, and may refer into the document. Raises ``CallError`` of
    kind catalog.
    """
    if isinstance(document, dict):
        catalog_id, components = document.get("catalogId"), document.get("components")
        if isinstance(catalog_id, str) and isinstance(components, dict):
            held = {name: document[name] for name in _REFERRED if name in document}
            try:
                check_depth(held, MOST_LEVELS)
            except CallError as error:
                raise refusal("catalog", str(error)) from None
            return EarlyCatalog(catalog_id, {name: _compiled(held, name) for name in components})
    raise refusal("catalog", "a v0.8 catalog has a catalogId and components by name")


def _compiled(held: dict[str, JsonValue], name: str) -> Draft202012Validator:
    pointer = quote(pointer_of(("components", name)))
    return linear_validator({**held, "$ref": f"#{pointer}"}, f"components/{name}")


def check_frame(message: JsonValue) -> str:
    """The kind of a v0.8 message whose body has the right members, or ``CallError``."""
    kinds = [kind for kind in KINDS if kind in message] if isinstance(message, dict) else []
    if len(kinds) != 1 or len(message) != 1 or not isinstance(message[kinds[0]], dict):
        raise refusal(
            "validation", f"a message is an object with exactly one of {', '.join(KINDS)}"
        )
    (kind,) = kinds
    body = message[kind]
    asked: dict[str, type] = {"surfaceId": str}
    if kind == "beginRendering":
        asked["root"] = str
    elif kind != "deleteSurface":
        asked["components" if kind == "surfaceUpdate" else "contents"] = list
    allowed = {"catalogId": str, "path": str}
    for member, type_ in (asked | {m: t for m, t in allowed.items() if m in body}).items():
        if not isinstance(body.get(member), type_):
            raise refusal("validation", f"{member} is not right", f"/{kind}/{member}")
    return kind


def take(state: Surfaces, kind: str, body: dict[str, Any]) -> None:
    """Apply one message whose frame was checked, or keep it for the surface that it is for."""
    surface_id = body["surfaceId"]
    surface = state.surfaces.get(surface_id)
    if kind == "beginRendering":
        with state.transaction():
            begin(state, body)
    elif kind == "deleteSurface":
        if state.waiting.get(surface_id):
            forget(state, surface_id)
        else:
            state.delete_surface(surface_id)
    elif surface is not None:
        update(state, surface, kind, body)
    else:
        look_at(state, kind, body)
        wait(state, surface_id, (kind, body))


def begin(state: Surfaces, body: dict[str, Any]) -> None:
    """Make the surface, or give a live one another root, and apply what waited for it."""
    surface_id, default = body["surfaceId"], state.catalogs[0].catalog_id
    catalog = state.catalog_for(body.get("catalogId", default), "/beginRendering/catalogId")
    live = state.surfaces.get(surface_id)
    if live is not None:
        if live.catalog is not catalog and "catalogId" in body:
            raise refusal(
                "integrity", "a live surface keeps its catalog", "/beginRendering/catalogId"
            )
        reroot(state, live, body["root"])
        return
    surface = Surface(surface_id, catalog, Graph(state.counter), root=body["root"])
    if "styles" in body:
        catalog.check_theme(body["styles"], "/beginRendering/styles")
        surface.theme = body["styles"]
    state.add_surface(surface)
    for kind, held in forget(state, surface_id):
        update(state, surface, kind, held)


def reroot(state: Surfaces, surface: Surface, root: str) -> None:
    before, surface.root = surface.root, root

    def undo() -> None:
        surface.root = before

    state.record(undo)


def look_at(state: Surfaces, kind: str, body: dict[str, Any]) -> None:
    """Refuse an update that no surface could take, whichever catalog it will have."""
    if kind == "surfaceUpdate":
        refusals = []
        for catalog in state.catalogs:
            try:
                state.check_components(catalog, body["components"], "/surfaceUpdate/components")
            except CallError as error:
                refusals.append(error)
            else:
                return
        raise refusals[0]
    value_of(body["contents"], "/dataModelUpdate/contents")
    try:
        segments_of(body.get("path"))
    except Violation as violation:
        refuse(violation, "/dataModelUpdate/path")


def wait(state: Surfaces, surface_id: str, held: Update) -> None:
    """Keep an update until its surface begins."""
    state.waiting.setdefault(surface_id, []).append(held)

    def undo() -> None:
        state.waiting[surface_id].pop()
        if not state.waiting[surface_id]:
            del state.waiting[surface_id]

    state.record(undo)


def forget(state: Surfaces, surface_id: str) -> list[Update]:
    """Take out what waits for a surface."""
    held = state.waiting.pop(surface_id, [])
    if held:
        state.record(lambda: state.waiting.__setitem__(surface_id, held))
    return held


def update(state: Surfaces, surface: Surface, kind: str, body: dict[str, Any]) -> None:
    """Apply an update to a live surface."""
    if kind == "surfaceUpdate":
        state.put_components(surface, body["components"], "/surfaceUpdate/components")
        return
    value = value_of(body["contents"], "/dataModelUpdate/contents")
    state.record(state.write(surface, {"path": body.get("path"), "value": value}))


def value_of(contents: JsonValue, path: str, depth: int = 0) -> dict[str, JsonValue]:
    """The object that a list of keyed values stands for, or ``CallError``."""
    value: dict[str, JsonValue] = {}
    if depth > 50:
        raise refusal("recursion", "a value nested deeper than 50", path)
    for index, entry in enumerate(contents):
        at = f"{path}/{index}"
        kinds = [k for k in _VALUES if k in entry] if isinstance(entry, dict) else []
        if len(kinds) != 1 or not isinstance(entry.get("key"), str):
            raise refusal("validation", "an entry has a key and one value", at)
        (kind,) = kinds
        given = entry[kind]
        if not isinstance(given, _VALUES[kind]) or (
            kind == "valueNumber" and isinstance(given, bool)
        ):
            raise refusal("validation", f"{kind} has another type", f"{at}/{kind}")
        if kind == "valueMap":
            given = value_of(given, f"{at}/{kind}", depth + 1)
        value[entry["key"]] = given
    return value


def _type_of(component: JsonValue, path: str) -> str:
    if isinstance(component, dict) and isinstance(component.get("id"), str):
        inner = component.get("component")
        if isinstance(inner, dict) and len(inner) == 1:
            ((name, members),) = inner.items()
            if isinstance(members, dict):
                return str(name)
    raise refusal("validation", "a component has an id and one type with members", path)


def _children(members: dict[str, JsonValue]) -> Iterator[str]:
    yield from (members[m] for m in _SINGLE if isinstance(members.get(m), str))
    children = members.get("children")
    listed = children
    if isinstance(children, dict):
        listed = children.get("explicitList")
        template = children.get("template")
        if isinstance(template, dict) and isinstance(template.get("componentId"), str):
            yield template["componentId"]
    if isinstance(listed, list):
        yield from (child for child in listed if isinstance(child, str))
    tabs = members.get("tabItems")
    for tab in tabs if isinstance(tabs, list) else ():
        if isinstance(tab, dict) and isinstance(tab.get("child"), str):
            yield tab["child"]
