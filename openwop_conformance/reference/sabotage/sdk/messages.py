"""Sabotages of messages: their envelope, their version, their whole effect and the errors of them.

Those of surfaces' lives and of components stand in ``lives`` and ``components``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from ....a2ui.catalog import BASIC_CATALOG, MESSAGE_KINDS
from ....a2ui.open_catalog import basic
from ....errors import CallError
from ....jsonvalue import JsonValue
from ...sdk.operations import ReferenceSdk
from ...sdk.state import RendererState
from ...sdk.surfaces import LATE
from . import components, lives
from .model import SdkSabotage

_MEMBERS: Final = {
    "createSurface": ("surfaceId", "catalogId", "theme", "sendDataModel"),
    "updateComponents": ("surfaceId", "components"),
    "updateDataModel": ("surfaceId", "path", "value"),
    "deleteSurface": ("surfaceId",),
}
_COMPONENT: Final = re.compile("/updateComponents/components/([0-9]+)")


def _read_as(change: Callable[[dict[str, Any]], JsonValue]) -> Callable[[Any, JsonValue], str]:
    """A check of the envelope that sees another message than the one that is applied."""

    def check_frame(self: Any, message: JsonValue) -> str:
        late = isinstance(message, dict) and self.version in LATE
        seen = change(message) if late else message
        return RendererState.check_frame(self, seen)

    return check_frame


def _known_members(message: dict[str, Any]) -> JsonValue:
    seen: dict[str, JsonValue] = {}
    for name, value in message.items():
        if name in MESSAGE_KINDS and isinstance(value, dict):
            seen[name] = {k: v for k, v in value.items() if k in _MEMBERS[name]}
        elif name == "version" or name in MESSAGE_KINDS:
            seen[name] = value
    return seen


def _first_body(message: dict[str, Any]) -> JsonValue:
    bodies = [kind for kind in message if kind in MESSAGE_KINDS]
    return {name: value for name, value in message.items() if name not in bodies[1:]}


def _any_null(message: dict[str, Any]) -> JsonValue:
    for kind in MESSAGE_KINDS:
        if kind in message and message[kind] is None:
            raise TypeError("'NoneType' object is not subscriptable")
    return message


def _in_body(
    change: Callable[[str, dict[str, Any]], JsonValue],
) -> Callable[[dict[str, Any]], JsonValue]:
    def changed(message: dict[str, Any]) -> JsonValue:
        return {
            name: change(name, value)
            if name in MESSAGE_KINDS and isinstance(value, dict)
            else value
            for name, value in message.items()
        }

    return changed


def _ids_as_text(kind: str, body: dict[str, Any]) -> JsonValue:
    name = body.get("surfaceId")
    return {**body, "surfaceId": str(name)} if isinstance(name, int | float) else body


def _no_components_taken(self: Any, message: JsonValue) -> str:
    body = message.get("updateComponents") if isinstance(message, dict) else None
    if isinstance(body, dict) and body.get("components") == []:
        surface = self.surfaces.get(body.get("surfaceId"))
        if surface is not None and surface.components:
            return "updateComponents"
    return RendererState.check_frame(self, message)


def _versioned(change: Callable[[JsonValue], JsonValue]) -> Callable[[dict[str, Any]], JsonValue]:
    return lambda message: {**message, "version": change(message.get("version"))}


# ---------------------------------------------------------------------------------- whole


def _partly(is_late: Callable[[CallError], bool]) -> Callable[[Any, JsonValue], None]:
    """Apply the components that stand before the one for which a message is refused."""

    def apply_one(self: Any, message: JsonValue) -> None:
        try:
            RendererState.apply_one(self, message)
        except CallError as error:
            place = _COMPONENT.match(error.details[0]["path"]) if error.details else None
            if place is not None and int(place[1]) and is_late(error):
                body = message["updateComponents"]
                before = {**body, "components": body["components"][: int(place[1])]}
                RendererState.apply_one(self, {**message, "updateComponents": before})
            raise

    return apply_one


def _of_shape(error: CallError) -> bool:
    return str(error).startswith("/updateComponents/")


def _of_catalog(error: CallError) -> bool:
    return error.kind == "validation" and not _of_shape(error)


def _of_ids(error: CallError) -> bool:
    return "comes twice" in str(error)


# --------------------------------------------------------------------------------- errors


def _errors(change: Callable[[dict[str, Any]], JsonValue]) -> Callable[..., JsonValue]:
    def validation_errors(self: Any, messages: Sequence[JsonValue], **given: Any) -> JsonValue:
        told = ReferenceSdk.validation_errors(self, messages, **given)
        return {"errors": [change(error) for error in told["errors"]]}

    return validation_errors


def _with_details(message: dict[str, Any]) -> JsonValue:
    return {**message, "error": {**message["error"], "details": []}}


def _without_path(message: dict[str, Any]) -> JsonValue:
    error = {name: value for name, value in message["error"].items() if name != "path"}
    return {**message, "error": error}


def _flat(message: dict[str, Any]) -> JsonValue:
    return {"version": message["version"], **message["error"]}


def _for_what_is_right(self: Any, messages: Sequence[JsonValue], **given: Any) -> JsonValue:
    told = ReferenceSdk.validation_errors(self, messages, **given)
    return told if told["errors"] else {"errors": [_NOTHING_WRONG]}


_NOTHING_WRONG: Final = {
    "version": "v0.9",
    "error": {"code": "OK", "surfaceId": "a", "message": "nothing is wrong"},
}


def _id_by_version(
    self: Any, state: str, catalogs: Sequence[JsonValue] = ("basic",), version: str = "v0.9"
) -> JsonValue:
    if version == "v0.9.1":
        late = {**basic().document, "catalogId": BASIC_CATALOG.replace("v0_9", "v0_9_1")}
        catalogs = [late if one == "basic" else one for one in catalogs]
    return ReferenceSdk.new_state(self, state, catalogs, version)


def _frame(name: str, breaks: str, change: Callable[[dict[str, Any]], JsonValue]) -> SdkSabotage:
    return SdkSabotage(f"sdk-{name}", breaks, state={"check_frame": _read_as(change)})


SABOTAGES: Final = (
    _frame("unknown-members-ignored", "what a message has too much is ignored", _known_members),
    _frame("second-body-ignored", "only the first body of a message is looked at", _first_body),
    _frame("null-body-crashes", "a body is used before its shape is checked", _any_null),
    _frame("ids-made-text", "a number is a surface's id too", _in_body(_ids_as_text)),
    SdkSabotage(
        "sdk-no-components-taken",
        "an update of a surface that has components may have none",
        state={"check_frame": _no_components_taken},
    ),
    _frame(
        "version-filled-in",
        "a missing version is taken for v0.9",
        _versioned(lambda version: "v0.9" if version is None else version),
    ),
    _frame(
        "version-unread",
        "any text is a version",
        _versioned(lambda version: "v0.9" if isinstance(version, str) else version),
    ),
    _frame(
        "later-version-unknown",
        "v0.9.1 is taken for unknown",
        _versioned(lambda version: "v0.9.1 " if version == "v0.9.1" else version),
    ),
    SdkSabotage(
        "sdk-components-one-by-one",
        "components are checked and added one after the other",
        state={"apply_one": _partly(_of_catalog)},
    ),
    SdkSabotage(
        "sdk-shape-found-late",
        "a component without a type is found when those before it were added",
        state={"apply_one": _partly(_of_shape)},
    ),
    SdkSabotage(
        "sdk-repeated-id-found-late",
        "an id that comes twice is found when the first one was added",
        state={"apply_one": _partly(_of_ids)},
    ),
    SdkSabotage(
        "sdk-error-has-details",
        "a VALIDATION_FAILED error has a member of its own",
        sdk={"validation_errors": _errors(_with_details)},
    ),
    SdkSabotage(
        "sdk-error-without-path",
        "a VALIDATION_FAILED error does not say where",
        sdk={"validation_errors": _errors(_without_path)},
    ),
    SdkSabotage(
        "sdk-error-form-of-its-own",
        "an error's members stand in the message",
        sdk={"validation_errors": _errors(_flat)},
    ),
    SdkSabotage(
        "sdk-error-for-what-is-right",
        "an error is sent when nothing is wrong",
        sdk={"validation_errors": _for_what_is_right},
    ),
    SdkSabotage(
        "sdk-catalog-id-by-version",
        "the basic catalog's id is made of the protocol version",
        sdk={"new_state": _id_by_version},
    ),
    *lives.SABOTAGES,
    *components.SABOTAGES,
)
