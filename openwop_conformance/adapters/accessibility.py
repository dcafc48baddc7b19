"""Chromium's accessibility tree as what a person has before them: the nodes of a surface.

Pure functions of what ``Accessibility.queryAXTree`` of the DevTools protocol answers for the
element of a surface, so that roles and names are those that assistive technology gets, whatever
made the page. ``data-component-id``, where an element has it, says which component is meant.

Elements without a meaning of their own are left out and what is in them stays; a line of text that
runs through several inline elements is one text; a label's own words are the field's name and not
said twice. A group of radio buttons is one choice (``combobox``), and so are those of one ``name``
without a group, which has no name then; a ``fieldset`` of check boxes is a choice of several
(``listbox``), as a ``select`` is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from ..jsonvalue import JsonValue
from .snapshot import Elements, SurfaceElement

DEEPEST: Final = 32
"""How deep groups lie in each other; what is in a deeper one follows it."""

_TAGS: Final = (
    "#text A ABBR B BDI BDO BR CITE CODE DATA DEL DFN EM FONT I INS KBD MARK Q S SAMP SMALL SPAN"
    " STRIKE STRONG SUB SUP TIME TT U VAR"
)
_INLINE: Final = frozenset(_TAGS.split())
"""Elements within which a line of text goes on."""
_ROLES: Final = {
    "button": "button",
    "ToggleButton": "button",
    "PopUpButton": "button",
    "textbox": "textbox",
    "searchbox": "textbox",
    "spinbutton": "textbox",
    "checkbox": "checkbox",
    "switch": "checkbox",
    "radio": "radio",
    "combobox": "combobox",
    "ComboBoxMenuButton": "combobox",
    "listbox": "listbox",
    "option": "option",
    "slider": "slider",
    "Date": "date",
    "DateTime": "date",
    "InputTime": "date",
    "heading": "heading",
    "image": "image",
    "img": "image",
    "svg": "image",
    "link": "link",
    "separator": "separator",
    "splitter": "separator",
    "alert": "alert",
    "Iframe": "other",
    "Video": "other",
    "Audio": "other",
    "Canvas": "other",
    "Meter": "other",
    "progressbar": "other",
    "PluginObject": "other",
    "EmbeddedObject": "other",
}
_CONTAINERS: Final = (
    "group radiogroup region form article list table figure toolbar dialog alertdialog tablist"
    " tabpanel navigation complementary menu tree grid"
)
_GROUPS: Final = frozenset(_CONTAINERS.split())
_OPERABLE: Final = frozenset(
    {"button", "textbox", "password", "checkbox", "radio", "combobox", "listbox", "slider", "date"}
)


_Step: TypeAlias = tuple[Any, list[dict[str, JsonValue]], str, str | None, int, bool]
"""An accessibility node; where what it shows goes; the block and the component that it is in; how
deep; and whether it is in a label."""


@dataclass(frozen=True, slots=True)
class Member:
    """One thing to choose from, as it is operated."""

    label: str
    value: str
    backend: int


@dataclass(frozen=True, slots=True)
class Operable:
    """A field or a button of a surface, and the element that a person would operate."""

    node: dict[str, JsonValue]
    backend: int
    members: tuple[Member, ...] = ()
    """The buttons or boxes of a group that is one choice; of a ``select`` there are none."""


@dataclass(slots=True)
class Surface:
    """What is shown of one surface element, in the order of reading."""

    nodes: list[dict[str, JsonValue]] = field(default_factory=list)
    operable: list[Operable] = field(default_factory=list)


def surface_of(elements: Elements, surface: SurfaceElement, nodes: JsonValue) -> Surface:
    """What a surface element shows, from the accessibility nodes below it and its own."""
    page = _Page(elements, nodes)
    start = page.by_backend.get(surface.backend)
    return Surface() if start is None else _Walk(page).surface(start)


def large_surface_of(elements: Elements, surface: SurfaceElement) -> Surface:
    """What is written in a surface that is too large to be read otherwise: its texts alone."""
    made = (
        _made("text", elements.attribute(parent, "data-component-id"), text=text)
        for parent, text in elements.texts(surface)
    )
    return Surface(list(made))


class _Page:
    """A part of the accessibility tree with its elements."""

    def __init__(self, elements: Elements, nodes: JsonValue) -> None:
        self.elements = elements
        self.nodes: dict[str, Any] = {node["nodeId"]: node for node in nodes}
        self.by_backend: dict[int, Any] = {}
        for node in nodes:
            self.by_backend.setdefault(node.get("backendDOMNodeId", -1), node)

    def children(self, node: JsonValue) -> list[JsonValue]:
        """What lies directly in a node."""
        return [self.nodes[c] for c in node.get("childIds", ()) if c in self.nodes]

    def below(self, node: JsonValue) -> Iterator[JsonValue]:
        """All that lies in a node, in order."""
        waiting = self.children(node)[::-1]
        while waiting:
            one = waiting.pop()
            yield one
            waiting += self.children(one)[::-1]

    def text(self, node: JsonValue) -> str:
        """The text within a node."""
        return " ".join(
            "".join(_word(n, "name") for n in self.below(node) if _role(n) == "StaticText").split()
        )


class _Walk:
    """One way through one surface."""

    def __init__(self, page: _Page) -> None:
        self.page = page
        self.found = Surface()
        self._lines: dict[int, str] = {}
        """Each text node, by its identity, and the block that it is a line of."""
        self._labels: list[tuple[list[dict[str, JsonValue]], dict[str, JsonValue]]] = []

    def surface(self, start: JsonValue) -> Surface:
        """What a surface element shows."""
        stack: list[_Step] = [(start, self.found.nodes, start["nodeId"], None, 0, False)]
        while stack:
            node, into, block, component, depth, labels = stack.pop()
            element = node.get("backendDOMNodeId", -1)
            if self.page.elements.name.get(element, "#text") not in _INLINE:
                block = node["nodeId"]
            component = self.page.elements.attribute(element, "data-component-id") or component
            ax = "" if node.get("ignored") else _role(node)
            if ax in ("StaticText", "LineBreak"):
                self._line(_word(node, "name"), into, block, component, labels)
                continue
            if ax in ("InlineTextBox", "ListMarker"):
                continue
            shown, goes_on = self._shown(node, ax, component)
            below, deeper = into, depth
            if shown is not None:
                into.append(shown)
                if goes_on and depth < DEEPEST:
                    below, deeper = shown.setdefault("children", []), depth + 1
            if goes_on:
                labels = labels or ax in ("LabelText", "Legend")
                stack += [
                    (child, below, block, component, deeper, labels)
                    for child in reversed(self.page.children(node))
                ]
        self._tidy()
        self._gather()
        return self.found

    def _line(
        self,
        text: str,
        into: list[dict[str, JsonValue]],
        block: str,
        component: str | None,
        labels: bool,
    ) -> None:
        """Take a piece of text: of the line before it, or of its own."""
        last = into[-1] if into else None
        if last is not None and self._lines.get(id(last)) == block:
            last["text"] += text
            return
        node = _made("text", component, text=text)
        self._lines[id(node)] = block
        into.append(node)
        if labels:
            self._labels.append((into, node))

    def _tidy(self) -> None:
        """Take away what is no text, and the labels that are a field's name."""
        names = {_plain(one.node.get("name", "")) for one in self.found.operable}
        names |= {_plain(m.label) for one in self.found.operable for m in one.members}
        for into, node in self._labels:
            if _plain(node["text"]) in names:
                into[:] = [other for other in into if other is not node]
        lists = [self.found.nodes]
        while lists:
            into = lists.pop()
            for node in into:
                if node["role"] == "text":
                    node["text"] = node["text"].strip()
            into[:] = [n for n in into if n["role"] != "text" or n["text"]]
            lists += [n["children"] for n in into if "children" in n]

    def _gather(self) -> None:
        """Let the radio buttons of one ``name`` be one choice, in the place of the first."""
        together: dict[str, list[Operable]] = {}
        for one in self.found.operable:
            name = self.page.elements.attribute(one.backend, "name")
            if one.node["role"] == "radio" and name:
                together.setdefault(name, []).append(one)
        for buttons in together.values():
            members = [self._member(self.page.by_backend[one.backend]) for one in buttons]
            ticked = {m for m, one in zip(members, buttons, strict=True) if one.node["value"]}
            first, *others = buttons
            enabled = any(one.node["enabled"] for one in buttons)
            made = _made("combobox", first.node.get("id"), name="", enabled=enabled)
            made |= _choices(members, ticked)
            for one in others:
                one.node.clear()
            first.node.clear()
            first.node.update(made)
            at = self.found.operable.index(first)
            self.found.operable[at] = Operable(first.node, first.backend, tuple(members))
        self.found.operable[:] = [one for one in self.found.operable if one.node]
        lists = [self.found.nodes] if together else []
        while lists:
            into = lists.pop()
            into[:] = [node for node in into if node]
            lists += [node["children"] for node in into if "children" in node]

    def _shown(
        self, node: JsonValue, ax: str, component: str | None
    ) -> tuple[dict[str, JsonValue] | None, bool]:
        """The node that something is shown as, if it is one; and whether what is in it is too."""
        name = _word(node, "name").strip()
        role = _ROLES.get(ax)
        if role is None:
            picked = self._choice(node, ax, component) if ax in ("group", "radiogroup") else None
            if picked is not None:
                return picked, False
            named = {"name": name} if name else {}
            return (_made("group", component, **named) if ax in _GROUPS else None), True
        if role in ("heading", "alert"):
            text = (name if role == "heading" else "") or self.page.text(node)
            return (_made(role, component, text=text) if text else None), False
        if role in ("image", "link", "separator", "option", "other"):
            named = {"name": name} if name else {}
            return _made(role, component, **named), False
        return self._operable(node, role, component), False

    def _operable(self, node: JsonValue, role: str, component: str | None) -> dict[str, JsonValue]:
        """A field or a button."""
        element, elements = node.get("backendDOMNodeId", -1), self.page.elements
        states = _states(node)
        if role == "textbox" and elements.attribute(element, "type") == "password":
            role = "password"
        made = _made(role, component, name=_word(node, "name").strip())
        if role in ("checkbox", "radio"):
            made["value"] = states.get("checked") in (True, "true")
        elif role in ("textbox", "password", "date"):
            made["value"] = elements.value.get(element, _word(node, "value"))
        elif role == "slider":
            made["value"] = node.get("value", {}).get("value")
        elif role in ("combobox", "listbox"):
            options = [n for n in self.page.below(node) if _role(n) == "option"]
            made |= _choices([self._member(n) for n in options], self._selected(options))
            if not options and (said := _word(node, "value")):
                made["value"] = [said]
        self._finish(made, node, states)
        self.found.operable.append(Operable(made, element))
        return made

    def _choice(
        self, node: JsonValue, ax: str, component: str | None
    ) -> dict[str, JsonValue] | None:
        """A group that is one field, or ``None``."""
        parts = [n for n in self.page.below(node) if _ROLES.get(_role(n)) in _OPERABLE]
        kinds = {_role(n) for n in parts}
        fieldset = self.page.elements.name.get(node.get("backendDOMNodeId", -1)) == "FIELDSET"
        if kinds == {"radio"}:
            role = "combobox"
        elif kinds == {"checkbox"} and fieldset:
            role = "listbox"
        else:
            return None
        members = [self._member(n) for n in parts]
        checked = {m for m, n in zip(members, parts, strict=True) if _is_checked(n)}
        made = _made(role, component, name=_word(node, "name").strip())
        made |= _choices(members, checked)
        states = [_states(n) for n in parts]
        disabled = all(state.get("disabled") for state in states)
        self._finish(made, node, {**_states(node), "disabled": disabled})
        backend = node.get("backendDOMNodeId", -1)
        self.found.operable.append(Operable(made, backend, tuple(members)))
        return made

    def _member(self, node: JsonValue) -> Member:
        label, backend = _word(node, "name").strip(), node.get("backendDOMNodeId", -1)
        value = self.page.elements.attribute(backend, "value")
        return Member(label, label if value in (None, "on") else str(value), backend)

    def _selected(self, options: Sequence[JsonValue]) -> set[Member]:
        chosen = self.page.elements.selected
        return {
            self._member(n)
            for n in options
            if n.get("backendDOMNodeId") in chosen or _states(n).get("selected") in (True, "true")
        }

    def _finish(
        self, made: dict[str, JsonValue], node: JsonValue, states: dict[str, JsonValue]
    ) -> None:
        """What every field and button has."""
        made["enabled"] = not states.get("disabled") and states.get("readonly") is not True
        if description := _word(node, "description"):
            made["description"] = description
        if states.get("invalid") not in (None, False, "false"):
            made["invalid"] = True


def _choices(members: Sequence[Member], chosen: set[Member]) -> dict[str, JsonValue]:
    """The values chosen, and what there is to choose from; an empty one is no choice."""
    return {
        "value": [m.value for m in members if m in chosen and m.value],
        "children": [{"role": "option", "name": m.label, "value": m.value} for m in members],
    }


def _is_checked(node: JsonValue) -> bool:
    return _states(node).get("checked") in (True, "true")


def _made(role: str, component: str | None, **more: JsonValue) -> dict[str, JsonValue]:
    return {"role": role, **({} if component is None else {"id": component}), **more}


def _role(node: JsonValue) -> str:
    return str(node.get("role", {}).get("value", ""))


def _word(node: JsonValue, member: str) -> str:
    value = node.get(member, {}).get("value")
    return "" if value is None else str(value)


def _plain(text: JsonValue) -> str:
    return " ".join(str(text).split())


def _states(node: JsonValue) -> dict[str, JsonValue]:
    return {p["name"]: p["value"].get("value") for p in node.get("properties", ())}
