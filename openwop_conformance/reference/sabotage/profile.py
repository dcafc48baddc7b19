"""Breaks of the closed catalog: one restriction of the schema lifted, or one too many imposed."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Final

from ...a2ui.catalog import KIND
from ...errors import Violation
from ...jsonvalue import JsonValue
from ...schemas import compiled, schema
from .. import rules
from ..policy import Policy
from ..rules import Admission
from .model import Sabotage, mapped, with_rule

Definitions = dict[str, JsonValue]


def _with(edit: Callable[[Definitions], None]) -> Callable[[Policy], Policy]:
    """A branch rule that validates version 2 against an edited copy of the schema.

    What that refuses as well is refused in the same words.
    """

    @cache
    def is_valid() -> Callable[[JsonValue], bool]:
        definitions = deepcopy(schema(KIND)["$defs"])
        edit(definitions)
        return compiled({"$ref": "#/$defs/payloadV2", "$defs": definitions}).is_valid

    def judge(admission: Admission) -> None:
        if admission.branch == 2 and is_valid()(admission.payload):
            return
        rules.branch(admission)
        if admission.branch == 2:
            raise Violation("branch", "not a version 2 payload")

    return with_rule("branch", judge)


def _component(name: str, **members: JsonValue) -> Callable[[Definitions], None]:
    """An edit that adds a component to the catalog."""

    def edit(definitions: Definitions) -> None:
        base = deepcopy(definitions["Divider"])
        del base["properties"]["axis"]
        base["properties"] |= {"component": {"const": name}, **members}
        definitions[name] = base
        definitions["component"]["anyOf"].append({"$ref": f"#/$defs/{name}"})

    return edit


def _no_message_cap(definitions: Definitions) -> None:
    del definitions["payloadV2"]["properties"]["messages"]["maxItems"]


def _no_component_cap(definitions: Definitions) -> None:
    update = definitions["updateComponents"]["properties"]["updateComponents"]
    del update["properties"]["components"]["maxItems"]


def _caps_off_by_one(definitions: Definitions) -> None:
    definitions["payloadV2"]["properties"]["messages"]["maxItems"] += 1


def _no_message_floor(definitions: Definitions) -> None:
    del definitions["payloadV2"]["properties"]["messages"]["minItems"]


def _icon_url(definitions: Definitions) -> None:
    create = definitions["createSurface"]["properties"]["createSurface"]
    create["properties"]["theme"]["properties"]["iconUrl"] = {"type": "string"}


def _open_url(definitions: Definitions) -> None:
    call = {"type": "object", "required": ["functionCall"]}
    definitions["action"] = {"anyOf": [definitions["action"], call]}


def _any_event(definitions: Definitions) -> None:
    definitions["action"]["properties"]["event"]["properties"]["name"] = {"type": "string"}


def _format_string(definitions: Definitions) -> None:
    call = {"type": "object", "required": ["call"]}
    definitions["dynString"]["anyOf"].append(call)


def _obscured(definitions: Definitions) -> None:
    definitions["TextField"]["properties"]["variant"]["enum"].append("obscured")


def _extra_property(definitions: Definitions) -> None:
    del definitions["Card"]["additionalProperties"]


def _any_variant(definitions: Definitions) -> None:
    definitions["Text"]["properties"]["variant"] = {"type": "string"}


def _no_reasoning(definitions: Definitions) -> None:
    del definitions["payloadV2"]["properties"]["reasoning"]


def _incomplete(definitions: Definitions) -> None:
    def narrowed(value: JsonValue) -> JsonValue:
        if isinstance(value, list) and "spaceEvenly" in value:
            return [item for item in value if item != "spaceEvenly"]
        return value

    definitions.update(mapped(definitions, narrowed))


SABOTAGES: Final = (
    Sabotage("no-message-cap", "a payload holds any number of messages", _with(_no_message_cap)),
    Sabotage(
        "no-component-cap", "an update holds any number of components", _with(_no_component_cap)
    ),
    Sabotage("empty-payload-admitted", "a payload may hold no message", _with(_no_message_floor)),
    Sabotage("caps-off-by-one", "65 messages are admitted", _with(_caps_off_by_one)),
    Sabotage(
        "image-admitted",
        "Image is in the catalog",
        _with(_component("Image", url=True, description=True, fit=True, variant=True)),
    ),
    Sabotage("icon-url-admitted", "theme.iconUrl is allowed", _with(_icon_url)),
    Sabotage(
        "list-admitted",
        "List is in the catalog",
        _with(_component("List", children=True, direction=True, align=True)),
    ),
    Sabotage("open-url-admitted", "a button may call a function", _with(_open_url)),
    Sabotage("any-event-admitted", "a button may name any event", _with(_any_event)),
    Sabotage("format-string-admitted", "a text may be a function call", _with(_format_string)),
    Sabotage("obscured-admitted", "a text field may hide what is typed", _with(_obscured)),
    Sabotage("extra-property-admitted", "Card takes any property", _with(_extra_property)),
    Sabotage("any-variant-admitted", "Text takes any variant", _with(_any_variant)),
    Sabotage("reasoning-refused", "payload.reasoning is refused", _with(_no_reasoning)),
    Sabotage("profile-incomplete", "justify: spaceEvenly is not known", _with(_incomplete)),
)
