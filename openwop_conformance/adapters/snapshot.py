"""The elements of a page as ``DOMSnapshot.captureSnapshot`` tells them: attributes, values, text.

It pierces open shadow roots and is quick where the accessibility tree is not, so it also says which
surfaces are too large for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ..jsonvalue import JsonValue

REQUEST: Final = {"computedStyles": ["visibility"]}
"""The parameters of the call whose answer is read here."""
LARGE_ELEMENTS: Final = 4_000
LARGE_CHARACTERS: Final = 100_000


@dataclass(slots=True)
class SurfaceElement:
    """An element with ``data-surface-id``, and how much is in it."""

    surface_id: str
    backend: int
    nodes: int = 0
    characters: int = 0

    @property
    def large(self) -> bool:
        """Whether reading its accessibility tree would take many seconds."""
        return self.nodes > LARGE_ELEMENTS or self.characters > LARGE_CHARACTERS


class Elements:
    """The elements of a document by their backend number, as far as they are asked for here."""

    def __init__(self, snapshot: JsonValue) -> None:
        strings, document = snapshot["strings"], snapshot["documents"][0]
        nodes, layout = document["nodes"], document["layout"]

        def word(index: int) -> str:
            return str(strings[index]) if index >= 0 else ""

        self._numbers: list[int] = nodes["backendNodeId"]
        self._parents: list[int] = nodes["parentIndex"]
        self.name = {n: word(i) for n, i in zip(self._numbers, nodes["nodeName"], strict=True)}
        self.attributes: dict[int, dict[str, str]] = {}
        for number, flat in zip(self._numbers, nodes["attributes"], strict=True):
            if flat:
                words = [word(i) for i in flat]
                self.attributes[number] = dict(zip(words[::2], words[1::2], strict=True))
        self.value: dict[int, str] = {}
        """What is entered in each text area and input."""
        for member in ("textValue", "inputValue"):
            rare = nodes.get(member, {"index": [], "value": []})
            for at, i in zip(rare["index"], rare["value"], strict=True):
                self.value[self._numbers[at]] = word(i)
        chosen = nodes.get("optionSelected", {}).get("index", ())
        self.selected = {self._numbers[at] for at in chosen}
        """The options that are chosen."""
        self._texts: dict[int, str] = {}
        rows = zip(layout["nodeIndex"], layout["text"], layout["styles"], strict=True)
        for at, text, styles in rows:
            if text >= 0 and "hidden" not in map(word, styles):
                self._texts[at] = word(text)
        self._owners: list[SurfaceElement | None] = []
        self.surfaces = self._counted()

    def attribute(self, number: int, name: str) -> str | None:
        """An element's attribute."""
        return self.attributes.get(number, {}).get(name)

    def texts(self, surface: SurfaceElement) -> Iterator[tuple[int, str]]:
        """The lines of text laid out in a surface, each with the number of its parent element."""
        for at, text in sorted(self._texts.items()):
            if self._owners[at] is surface and text.strip():
                yield self._numbers[self._parents[at]], text.strip()

    def _counted(self) -> list[SurfaceElement]:
        """The surface elements, and to which of them each node belongs; parents come first."""
        found: list[SurfaceElement] = []
        for at, (number, parent) in enumerate(zip(self._numbers, self._parents, strict=True)):
            owner = self._owners[parent] if parent >= 0 else None
            surface_id = self.attribute(number, "data-surface-id")
            if surface_id is not None:
                owner = SurfaceElement(surface_id, number)
                found.append(owner)
            self._owners.append(owner)
            if owner is not None:
                owner.nodes += 1
                owner.characters += len(self._texts.get(at, ""))
        return found
