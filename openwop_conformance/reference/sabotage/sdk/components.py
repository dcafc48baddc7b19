"""Sabotages of how components are held to their catalog: each judges another component."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from ....a2ui.graph import Link
from ....errors import CallError
from ....jsonvalue import JsonValue
from ...sdk.state import RendererState
from ...sdk.surface import Catalog, Component
from ...sdk.surfaces import LATE
from .model import SdkSabotage

See = Callable[[Component, Any], Component]
_INHERITED: Final = frozenset({"constructor", "toString", "__proto__", "hasOwnProperty"})
_LAYOUT: Final = frozenset({"justify", "align", "direction", "axis", "displayStyle"})
_SOMETHING: Final = {"path": "/something"}


def _seen(see: See) -> Callable[..., list[Link]]:
    """A check of components that sees others than those that are stored."""

    def check_components(
        self: Any, catalog: Catalog, components: Sequence[Component], path: str
    ) -> list[Link]:
        late = self.version in LATE
        seen = [see(component, catalog) if late else component for component in components]
        return RendererState.check_components(self, catalog, seen, path)

    return check_components


def _everywhere(change: Callable[[dict[str, Any]], JsonValue]) -> See:
    """See each object of a component, from the inside out, as changed."""

    def changed(node: JsonValue) -> JsonValue:
        if isinstance(node, dict):
            return change({name: changed(item) for name, item in node.items()})
        return [changed(item) for item in node] if isinstance(node, list) else node

    return lambda component, _: changed(component)


def _names_folded(component: Component, catalog: Any) -> Component:
    for name in getattr(catalog, "component_types", ()):
        if name.lower() == component["component"].lower():
            return {**component, "component": name}
    return component


def _inherited_known(component: Component, catalog: Any) -> Component:
    if component["component"] in _INHERITED:
        return {"id": component["id"], "component": "Divider"}
    return component


def _unknown_calls_taken(inner: bool) -> See:
    """See an unknown function as data, in an argument or anywhere but in an action."""

    def changed(node: JsonValue, known: JsonValue, taken: bool) -> JsonValue:
        if isinstance(node, list):
            return [changed(item, known, taken) for item in node]
        if not isinstance(node, dict):
            return node
        if taken and isinstance(node.get("call"), str) and node["call"] not in known:
            return _SOMETHING
        return {
            name: changed(item, known, name != "functionCall" and (taken or name == "args"))
            for name, item in node.items()
        }

    def see(component: Component, catalog: Any) -> Component:
        functions = catalog.document.get("functions", {})
        seen: Component = changed(component, functions, not inner)
        return seen

    return see


def _layout_unread(component: Component, _: Any) -> Component:
    return {name: value for name, value in component.items() if name not in _LAYOUT}


def _parts_open(component: Component, _: Any) -> Component:
    parts = {"tabs": ("title", "child"), "options": ("label", "value")}
    return {
        name: [{k: v for k, v in item.items() if k in parts[name]} for item in value]
        if name in parts and isinstance(value, list)
        else value
        for name, value in component.items()
    }


def _bounds_unread(node: dict[str, Any]) -> JsonValue:
    args = node.get("args")
    if node.get("call") in ("length", "numeric") and isinstance(args, dict):
        rest = {name: value for name, value in args.items() if name not in ("min", "max")}
        return {**node, "args": {**rest, "min": 1}}
    if node.get("call") in ("and", "or") and isinstance(args, dict):
        values = args.get("values")
        more = [*values, True, True] if isinstance(values, list) else values
        return {**node, "args": {**args, "values": more}}
    if node.get("tabs") == []:
        return {**node, "tabs": [{"title": "One", "child": "x"}]}
    return node


def _first_arm(node: dict[str, Any]) -> JsonValue:
    action = node.get("action")
    if not isinstance(action, dict) or list(action) != ["functionCall", "event"]:
        return node
    return {**node, "action": {"functionCall": action["functionCall"]}}


def _flat_check(node: dict[str, Any]) -> JsonValue:
    if not {"call", "args", "message"} <= node.keys():
        return node
    call = {name: value for name, value in node.items() if name != "message"}
    return {"condition": call, "message": node["message"]}


def _null_absent(node: dict[str, Any]) -> JsonValue:
    return {name: value for name, value in node.items() if value is not None}


def _binding_open(node: dict[str, Any]) -> JsonValue:
    bound = isinstance(node.get("path"), str) and "componentId" not in node
    return {"path": node["path"]} if bound else node


def _any_by_name(
    self: Any, catalog: Catalog, components: Sequence[Component], path: str
) -> list[Link]:
    for other in self.catalogs:
        if all(one["component"] in getattr(catalog, "component_types", ()) for one in components):
            with suppress(CallError):
                return RendererState.check_components(self, other, components, path)
    return RendererState.check_components(self, catalog, components, path)


def _sabotage(name: str, breaks: str, see: See) -> SdkSabotage:
    return SdkSabotage(f"sdk-{name}", breaks, state={"check_components": _seen(see)})


SABOTAGES: Final = (
    _sabotage("component-names-folded", "names of components are any case", _names_folded),
    _sabotage(
        "inherited-names-known",
        "a component is looked up where the language's own members are found too",
        _inherited_known,
    ),
    _sabotage(
        "unknown-inner-function-taken",
        "a function in an argument of another is not looked up",
        _unknown_calls_taken(inner=True),
    ),
    _sabotage(
        "unknown-function-taken", "a function is not looked up", _unknown_calls_taken(inner=False)
    ),
    _sabotage("layout-unread", "any word does for how components are laid out", _layout_unread),
    _sabotage("parts-open", "a tab or an option may have any member", _parts_open),
    _sabotage("bounds-unread", "how few or how many is not checked", _everywhere(_bounds_unread)),
    _sabotage(
        "first-arm-taken", "an event beside a functionCall is passed over", _everywhere(_first_arm)
    ),
    _sabotage(
        "flat-check-taken", "a check may be the call of its condition", _everywhere(_flat_check)
    ),
    _sabotage("null-is-absent", "a property of null counts as none", _everywhere(_null_absent)),
    _sabotage("binding-open", "a binding may have more than a path", _everywhere(_binding_open)),
    SdkSabotage(
        "sdk-any-catalog-by-name",
        "a component passes when any catalog admits one of its name",
        state={"check_components": _any_by_name},
    ),
)
