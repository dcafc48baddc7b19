"""A folded surface as what a person has before them: nodes with roles, names, values and states.

A pure function of the view. It walks without recursion, and a surface that would come to too much
is not shown at all, as its components can refer to each other in ways that double at every level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ...a2ui.fold import Component
from ...a2ui.topology import ROOT, children_of, topology
from ...jsonvalue import JsonValue
from .binding import as_choices, as_flag, as_text, is_given, path_of, value_of
from .budget import Budget, TooLarge
from .surface import View

Node = dict[str, JsonValue]

DEEPEST: Final = 32
"""How deep groups lie in each other. What is in a deeper one follows it in the list that it is
itself in: the order of reading stays, and the answer can be read with ``jsonvalue.parse``."""
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5"})


class Rendering:
    """One look at one surface."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.problems: list[str] = []
        """The messages of the fields that do not pass, in the order of reading."""
        self._buttons: list[tuple[Component, Node]] = []
        self.budget = Budget()

    def nodes(self) -> list[Node]:
        """The surface's nodes; none before it has a root, or with a cycle below it."""
        if not self.renderable():
            return []
        try:
            shown = self.walked(self.starts())
            for component, node in self._buttons:
                self.enable(component, node)
        except TooLarge:
            return []
        return shown

    def renderable(self) -> bool:
        """Whether anything of the surface may be shown (RFC 0209 §C.9)."""
        return ROOT in self.view.components and topology(self.view.components).renderable

    def starts(self) -> Iterable[str]:
        """The components with which the walk begins."""
        return (ROOT,)

    def walked(self, starts: Iterable[str]) -> list[Node]:
        """The nodes of components and of what is below them; those that are not there left out."""
        top: list[Node] = []
        stack: list[tuple[Iterator[str], list[Node], int]] = [(iter(starts), top, 0)]
        while stack:
            names, into, depth = stack[-1]
            name = next(names, None)
            if name is None:
                stack.pop()
                continue
            self.budget.step()
            component = self.view.components.get(name)
            if component is None:
                continue
            node = self.node(component)
            self.budget.weigh(*node.values())
            into.append(node)
            if node["role"] == "group":
                below = into
                if depth < DEEPEST:
                    below = node["children"] = []
                stack.append((self.children(component), below, min(depth + 1, DEEPEST)))
        return top

    def children(self, component: Component) -> Iterator[str]:
        """The ids of what a group holds."""
        return children_of(component)

    # -------------------------------------------------------------------------- components

    def node(self, component: Component) -> Node:
        """The node of one component, without what is below it."""
        match component["component"]:
            case "Text":
                return self.text_node(component)
            case "Divider":
                return {"role": "separator", "id": component["id"]}
            case "TextField":
                return self.field(component, "textbox", as_text(self.value(component)))
            case "CheckBox":
                return self.field(component, "checkbox", as_flag(self.value(component)))
            case "ChoicePicker":
                return self.picker(component)
            case "DateTimeInput":
                return self.field(component, "date", as_text(self.value(component)))
            case "Button":
                return self.button(component)
            case _:
                return {"role": "group", "id": component["id"]}

    def text_node(self, component: Component) -> Node:
        """A text or a heading. Whatever the text holds, it is text."""
        role = "heading" if component.get("variant") in _HEADINGS else "text"
        return {"role": role, "id": component["id"], "text": self.text(component["text"])}

    def field(self, component: Component, role: str, value: JsonValue) -> Node:
        """A field. One without a binding cannot be set: what it was given would be nowhere."""
        node = {
            "role": role,
            "id": component["id"],
            "name": self.name(component),
            "value": value,
            "enabled": path_of(component.get("value")) is not None,
        }
        message = self.failing(component)
        if message is not None:
            self.problems.append(message)
            node |= {"description": message, "invalid": True}
        else:
            self.describe(component, node)
        return node

    def picker(self, component: Component) -> Node:
        """A choice of one or of several. Values that are no option are not shown as chosen."""
        options, chosen = component["options"], self.chosen(component)
        value = list(dict.fromkeys(o["value"] for o in options if o["value"] in chosen))
        single = is_single(component)
        role = "combobox" if single else "listbox"
        node = self.field(component, role, value[:1] if single else value)
        node["children"] = [self.option(option) for option in options]
        return node

    def chosen(self, component: Component) -> set[str]:
        """The values that the data model has as chosen, whether or not they are options."""
        given = self.value(component)
        self.budget.step(len(given) if isinstance(given, list) else 1)
        return set(as_choices(given))

    def option(self, option: JsonValue) -> Node:
        """One of the things to choose from."""
        self.budget.step()
        node = {"role": "option", "name": self.text(option["label"]), "value": option["value"]}
        self.budget.weigh(*node.values())
        return node

    def button(self, component: Component) -> Node:
        """A button, disabled until all of the surface was seen."""
        name = self.label(component) or self.text_below(component["child"])
        node: Node = {"role": "button", "id": component["id"], "name": name, "enabled": False}
        self._buttons.append((component, node))
        return node

    # ------------------------------------------------------------------------------- names

    def text(self, dynamic: JsonValue) -> str:
        """A dynamic text as it is now; empty where there is no value yet."""
        return as_text(value_of(dynamic, self.view.data))

    def value(self, component: Component) -> JsonValue:
        """A field's value as it is now."""
        return value_of(component.get("value"), self.view.data)

    def label(self, component: Component) -> str:
        """The label that is for assistive technology alone, where there is one."""
        return self.text(component.get("accessibility", {}).get("label"))

    def name(self, component: Component) -> str:
        """A field's accessible name."""
        return self.label(component) or self.text(component.get("label"))

    def text_below(self, name: str) -> str:
        """The texts of a component and of what is below it, as a button is named by them."""
        texts: list[str] = []
        stack = [iter((name,))]
        while stack:
            below = next(stack[-1], None)
            if below is None:
                stack.pop()
                continue
            self.budget.step()
            component = self.view.components.get(below)
            if component is None:
                continue
            if component["component"] == "Text":
                texts.append(self.text(component["text"]))
                self.budget.weigh(texts[-1])
            stack.append(iter(children_of(component)))
        return " ".join(text for text in texts if text)

    def describe(self, component: Component, node: Node) -> None:
        """Give a node the hint of its component, where there is one."""
        hint = self.text(component.get("accessibility", {}).get("description"))
        if hint:
            node["description"] = hint

    # ------------------------------------------------------------------------------ checks

    def failing(self, component: Component) -> str | None:
        """The message of the first check that fails, if one does."""
        for check in component.get("checks", ()):
            if not self.passes(check):
                message: str = check["message"]
                return message
        return None

    def passes(self, check: JsonValue) -> bool:
        """Whether a check holds now; the profile's one function is ``required``."""
        bound = check["condition"]["args"]["value"]
        return is_given(value_of(bound, self.view.data))

    # ----------------------------------------------------------------------------- actions

    def enable(self, component: Component, node: Node) -> None:
        """Say whether a button can be pressed, and what is missing where it is for a check."""
        message = self.blocking(component)
        if message is not None:
            node["description"] = message
        else:
            self.describe(component, node)
        allowed = self.final() and self.trusted(component["action"]["event"]["name"])
        node["enabled"] = allowed and message is None
        self.budget.weigh(node.get("description", ""))

    def blocking(self, component: Component) -> str | None:
        """The message of the check that blocks a button: its own, or of a field that is shown.

        The profile takes a button's checks away, so that those of the fields are all there are.
        """
        own = self.failing(component)
        return own if own is not None else next(iter(self.problems), None)

    def final(self) -> bool:
        """Whether the envelope that last touched the surface is final (RFC 0209 §C.13)."""
        return not self.view.partial

    def trusted(self, event: str) -> bool:
        """Whether trust allows an action: an approval only where nothing was untrusted (§C.12)."""
        return event != "resume" or not self.view.tainted


def is_single(component: Component) -> bool:
    """Whether at most one option of a picker can be chosen, as upstream has it by default."""
    return bool(component.get("variant", "mutuallyExclusive") == "mutuallyExclusive")
