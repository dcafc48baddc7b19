"""What a person does on a page: looks at it, sets a field, presses a button.

What is operated is found in the accessibility tree, by the role and name that a person is told, or
by the text before a field that has no name, and then operated through Playwright, which waits for
an element that can be seen and reached.
"""

from __future__ import annotations

import json
from typing import Any, Final

from ..jsonvalue import JsonValue
from .accessibility import Member, Operable, Surface, large_surface_of, surface_of
from .attempts import OURS
from .chromium import Tab
from .labels import boxes_behind, labelled
from .snapshot import REQUEST, Elements, SurfaceElement

_CHOICES: Final = frozenset({"combobox", "listbox"})
_MARK: Final = "data-openwop-at"
_PATIENCE: Final = 2000
"""Milliseconds that a person tries to operate something."""
SETTLED: Final = """new Promise((done) => {
  const frame = (after) => requestAnimationFrame(() => setTimeout(after, 0));
  frame(() => frame(done));
})"""


async def look(tab: Tab) -> list[tuple[str, Surface]]:
    """What every surface of the page shows, once it has settled."""
    await tab.call(SETTLED)
    elements = Elements(await tab.cdp.send("DOMSnapshot.captureSnapshot", REQUEST))
    shown = []
    for one in elements.surfaces:
        shown.append((one.surface_id, await _surface(tab, elements, one)))
    return shown


async def _surface(tab: Tab, elements: Elements, element: SurfaceElement) -> Surface:
    if element.large:
        return large_surface_of(elements, element)
    place = {"backendNodeId": element.backend}
    try:
        answered = await tab.cdp.send("Accessibility.queryAXTree", place)
    except tab.error:
        if tab.page.is_closed():
            raise
        return Surface()  # it went away, or nobody gets to see it
    return surface_of(elements, element, answered["nodes"])


async def _found(tab: Tab, surface: str, role: str, name: str) -> Operable | None:
    """The first thing of a role and a name that can be operated; a field by its label too."""
    wanted = " ".join(name.split())
    for surface_id, shown in await look(tab):
        if surface_id != surface:
            continue
        for one in shown.operable:
            is_it = one.node["role"] == role and " ".join(one.node["name"].split()) == wanted
            if is_it and one.node["enabled"]:
                return one
        if (beside := _labelled(shown, role, wanted)) is not None:
            return beside
    return None


def _labelled(shown: Surface, role: str, label: str) -> Operable | None:
    """The nameless field of a role behind a label, or the check boxes that are such a choice."""
    for node in labelled(shown.nodes, label):
        for one in shown.operable:
            if one.node is node and node["role"] == role and node["enabled"]:
                return one
    boxes = boxes_behind(shown.nodes, label) if role == "listbox" else []
    parts = [one for box in boxes for one in shown.operable if one.node is box]
    if not parts:
        return None
    members = tuple(Member(one.node["name"], one.node["name"], one.backend) for one in parts)
    chosen = [one.node["name"] for one in parts if one.node["value"]]
    return Operable({"role": role, "value": chosen}, parts[0].backend, members)


async def fire(tab: Tab, surface: str, name: str) -> bool:
    """Press a button; whether there is one that could be pressed."""
    found = await _found(tab, surface, "button", name)
    if found is None:
        return False
    done = await _operate(tab, found.backend, lambda it: it.click(timeout=_PATIENCE))
    await tab.call(SETTLED)
    return done


async def set_field(tab: Tab, surface: str, wanted: tuple[str, str], value: JsonValue) -> bool:
    """Set the field of a role and a name, and leave it; whether it could be set."""
    role, name = wanted
    found = await _found(tab, surface, role, name)
    if found is None and role in _CHOICES:
        (other,) = _CHOICES - {role}
        found = await _found(tab, surface, other, name)
    if found is None:
        return False
    if found.members:
        return await _choose(tab, found, value if isinstance(value, list) else [value])
    if role in ("checkbox", "radio"):
        return await _operate(
            tab, found.backend, lambda it: it.set_checked(value is True, timeout=_PATIENCE)
        )
    if role in _CHOICES:
        chosen = [str(v) for v in (value if isinstance(value, list) else [value])]
        known = {o[m] for o in found.node["children"] for m in ("name", "value")}
        if not known.issuperset(chosen):
            return False
        return await _operate(
            tab, found.backend, lambda it: it.select_option(chosen, timeout=_PATIENCE)
        )
    text = value if isinstance(value, str) else json.dumps(value)
    return await _operate(tab, found.backend, lambda it: it.fill(text, timeout=_PATIENCE))


async def _choose(tab: Tab, found: Operable, chosen: list[JsonValue]) -> bool:
    """Tick those members of a group that are chosen, by value or by label, and no others."""
    known = {word for m in found.members for word in (m.value, m.label)}
    if not all(one in known for one in chosen):
        return False
    before = found.node["value"]
    for member in found.members:
        wanted = member.value in chosen or member.label in chosen
        if wanted is (member.value in before):
            continue
        if found.node["role"] == "combobox" and not wanted:
            continue  # another radio button takes this one back
        ticked = await _operate(
            tab,
            member.backend,
            lambda it, on=wanted: it.set_checked(on, timeout=_PATIENCE),
        )
        if not ticked:
            return False
    return True


async def _operate(tab: Tab, backend: int, action: Any) -> bool:
    """Do something with an element as a person would, and leave it; whether it could be done."""
    mark, unmark = (
        {"functionDeclaration": f"function () {{ this.toggleAttribute('{_MARK}', {on}); }}{OURS}\n"}
        for on in ("true", "false")
    )
    try:
        resolved = await tab.cdp.send("DOM.resolveNode", {"backendNodeId": backend})
        target = {"objectId": resolved["object"]["objectId"]}
        await tab.cdp.send("Runtime.callFunctionOn", {**mark, **target})
        try:
            await action(tab.page.locator(f"[{_MARK}]"))
        finally:
            await tab.cdp.send("Runtime.callFunctionOn", {**unmark, **target})
        await tab.call("document.activeElement?.blur()")
    except tab.error:
        if tab.page.is_closed():
            raise
        return False
    return True
