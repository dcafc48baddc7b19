"""What a consumer shows, as a person would go through it: texts, buttons, fields, in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from ...adapters.labels import FIELDS, labelled, nodes_of
from ...jsontree import objects_in
from ...jsonvalue import JsonValue, brief
from ...scenario.consumer_verbs import Shows
from ..verdict import Exchange
from ..witness import Witness
from .calls import same

_WORDS_ALONE: Final = frozenset({"group", "text", "heading", "alert", "other"})
"""Roles of what is there for its words only."""
_TELLING: Final = ("text", "name", "description", "value")
_READ: Final = frozenset(
    {"text", "label", "title", "message", "description", "value", "placeholder"}
)
"""The members of a payload whose texts a person reads."""
_MOST_TOLD: Final = 12


def shown_text(surface: Sequence[JsonValue]) -> list[str]:
    """Every text that a person reads, in order: names and descriptions of fields are some too."""
    found = []
    for node in nodes_of(surface):
        found += [node[member] for member in ("text", "name", "description") if node.get(member)]
    return found


def anything(surface: Sequence[JsonValue], words: Collection[str]) -> str | None:
    """The first thing of a surface that a person would notice, or ``None``.

    ``words`` are those of the surface: a text of the client's own, that something is loading or
    cannot be shown, is nothing of it. Groups are nothing either.
    """
    for node in nodes_of(surface):
        told = [str(node[name]) for name in _TELLING if node.get(name) not in (None, "")]
        if node["role"] not in _WORDS_ALONE or any(w in text for w in words for text in told):
            return " ".join([node["role"], *told[:1]])
    return None


def words_of(payload: JsonValue) -> set[str]:
    """The texts of a payload that a person might read."""
    return {
        word
        for held in objects_in(payload)
        for name, word in held.items()
        if name in _READ and isinstance(word, str) and word.strip()
    }


def judge(witness: Witness, args: Shows, surface: Sequence[JsonValue], exchange: Exchange) -> None:
    """Hold what is shown of a surface to what is said of it."""
    if args.nothing:
        found = anything(surface, witness.words.get(witness.id_for("surface", args.surface), ()))
        witness.check(
            found is None,
            "something of the surface is shown",
            expected="nothing",
            got=found,
            exchange=exchange,
        )
    if args.texts is not None:
        _texts(witness, args.texts, surface, exchange)
    for words in args.lacks or ():
        told = [*shown_text(surface), *_values(surface)]
        witness.check(
            not any(words in text for text in told),
            f"{words!r} is shown",
            expected="it nowhere",
            got=_told(told),
            exchange=exchange,
        )
    for name, pressable in (args.buttons or {}).items():
        _button(witness, name, pressable, surface, exchange)
    for label, value in (args.fields or {}).items():
        node = _field(witness, label, surface, exchange)
        same(witness, f"the field {label!r}", value, node.get("value"), exchange)
    for label in args.names or ():
        named = [n.get("name", "") for n in nodes_of(surface) if n["role"] in FIELDS]
        witness.check(
            label in named,
            f"no field has the accessible name {label!r}",
            expected=f"a field with the name {label!r}",
            got=_told(named),
            exchange=exchange,
        )
    for words in args.bare or ():
        told = shown_text(surface)
        witness.check(
            words not in told,
            f"{words!r} is shown as a text of the surface",
            expected="nothing, or a placeholder that says what it is",
            got=_told(told),
            exchange=exchange,
        )
    for label, words in (args.describes or {}).items():
        node = _field(witness, label, surface, exchange)
        described = str(node.get("description", ""))
        witness.check(
            words in described,
            f"the field {label!r} is not described by its message",
            expected=words,
            got=described or "no description",
            exchange=exchange,
        )
    for role, count in (args.roles or {}).items():
        found_of_role = sum(node["role"] == role for node in nodes_of(surface))
        witness.check(
            found_of_role == count,
            f"the number of elements with the role {role} is another",
            expected=str(count),
            got=str(found_of_role),
            exchange=exchange,
        )


def _texts(
    witness: Witness, wanted: Sequence[str], surface: Sequence[JsonValue], exchange: Exchange
) -> None:
    told = shown_text(surface)
    rest = iter(told)
    missing = next((text for text in wanted if not any(text == said for said in rest)), None)
    witness.check(
        missing is None,
        f"{missing!r} is not shown, or not in its order",
        expected=_told(wanted),
        got=_told(told),
        exchange=exchange,
    )


def _button(
    witness: Witness,
    name: str,
    pressable: bool,
    surface: Sequence[JsonValue],
    exchange: Exchange,
) -> None:
    buttons = [n for n in nodes_of(surface) if n["role"] == "button" and n.get("name") == name]
    witness.check(
        bool(buttons) or not pressable,
        f"there is no button {name!r}",
        expected=f"the button {name!r}",
        got=_told(n.get("name", "") for n in nodes_of(surface) if n["role"] == "button"),
        exchange=exchange,
    )
    witness.check(
        any(n.get("enabled", True) for n in buttons) is pressable,
        f"the button {name!r} can {'not ' if pressable else ''}be pressed",
        expected="enabled" if pressable else "disabled, or not there",
        got="disabled" if pressable else "enabled",
        exchange=exchange,
    )


def _field(
    witness: Witness, label: str, surface: Sequence[JsonValue], exchange: Exchange
) -> JsonValue:
    found = labelled(surface, label)
    witness.check(
        len(found) == 1,
        f"there is no field labelled {label!r}" if not found else f"{label!r} labels several",
        expected=f"one field {label!r}",
        got=_told(n.get("name", "") for n in nodes_of(surface) if n["role"] in FIELDS),
        exchange=exchange,
    )
    return found[0]


def _values(surface: Sequence[JsonValue]) -> Iterator[str]:
    for node in nodes_of(surface):
        for member in ("value", "description"):
            if node.get(member) not in (None, ""):
                yield str(node[member])


def _told(texts: Iterator[str] | Sequence[str]) -> str:
    told = list(texts)
    return brief(told[:_MOST_TOLD]) if told else "nothing"
