"""The A2UI v0.9 envelope of a server message; what it carries is left to the catalog."""

from __future__ import annotations

from collections.abc import Container
from typing import Final, NoReturn

from ..errors import SdkError
from ..jsonvalue import JsonValue, brief, pointer_of
from .catalog import MESSAGE_KINDS

_TYPES: Final[dict[type, str]] = {
    str: "a text",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    object: "a value",
}
_MEMBERS: Final[dict[str, dict[str, type]]] = {
    "createSurface": {"surfaceId": str, "catalogId": str, "theme": dict, "sendDataModel": bool},
    "updateComponents": {"surfaceId": str, "components": list},
    "updateDataModel": {"surfaceId": str, "path": str, "value": object},
    "deleteSurface": {"surfaceId": str},
}
_REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "createSurface": ("surfaceId", "catalogId"),
    "updateComponents": ("surfaceId", "components"),
    "updateDataModel": ("surfaceId",),
    "deleteSurface": ("surfaceId",),
}


def check_frame(message: JsonValue, versions: Container[str]) -> str:
    """The kind of a message: ``createSurface``, ``updateComponents`` and so on.

    ``versions`` are the values that ``version`` may have. A component need only be an object with
    texts in ``id`` and ``component``; a theme an object; data anything. Raises ``SdkError`` of
    kind validation for whatever else is given, with the place of the first fault.
    """
    if not isinstance(message, dict):
        _refuse("", f"a message is an object, not {brief(message)}")
    version = message.get("version")
    if not isinstance(version, str) or version not in versions:
        if "version" not in message:
            _refuse("/version", "a message has a version")
        _refuse("/version", f"{brief(version)} is not a version that is spoken here")
    kind = ""
    for name in message:
        if name != "version":
            kind = name
            break
    members = _MEMBERS.get(kind)
    if members is None or len(message) != 2:
        _refuse_kinds(message)
    body = message[kind]
    if not isinstance(body, dict):
        _refuse(f"/{kind}", f"{kind} is an object, not {brief(body)}")
    for name, value in body.items():
        wanted = members.get(name)
        if wanted is None:
            _refuse(pointer_of((kind, name)), f"{kind} has no member {brief(name)}")
        if not isinstance(value, wanted):
            _refuse(f"/{kind}/{name}", f"{name} is {_TYPES[wanted]}, not {brief(value)}")
    for name in _REQUIRED[kind]:
        if name not in body:
            _refuse(f"/{kind}/{name}", f"{kind} needs {name}")
    if kind == "updateComponents":
        _check_components(body["components"])
    return kind


def _check_components(components: list[JsonValue]) -> None:
    if not components:
        _refuse("/updateComponents/components", "components has at least one component")
    for index, component in enumerate(components):
        if (
            not isinstance(component, dict)
            or not isinstance(component.get("id"), str)
            or not isinstance(component.get("component"), str)
        ):
            place = f"/updateComponents/components/{index}"
            if not isinstance(component, dict):
                _refuse(place, f"a component is an object, not {brief(component)}")
            name = "component" if isinstance(component.get("id"), str) else "id"
            whose = f"component {brief(component['id'])}" if name != "id" else "a component"
            if name in component:
                _refuse(f"{place}/{name}", f"{whose}: {name} is {brief(component[name])}, no text")
            _refuse(f"{place}/{name}", f"{whose} needs {name}")


def _refuse_kinds(message: dict[str, JsonValue]) -> NoReturn:
    given = [name for name in message if name != "version"]
    strange = [name for name in given if name not in _MEMBERS]
    if strange and len(strange) < len(given):
        _refuse(pointer_of((strange[0],)), f"a message has no member {brief(strange[0])}")
    found = ", ".join(map(brief, given)) or "none"
    _refuse("", f"a message holds exactly one of {', '.join(MESSAGE_KINDS)}: {found}")


def _refuse(path: str, message: str) -> NoReturn:
    """Raise the error of a message's envelope at a place."""
    detail = {"path": path, "code": "VALIDATION_FAILED", "message": message}
    raise SdkError("validation", f"{path or '/'}: {message}", details=[detail])
