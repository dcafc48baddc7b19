"""The A2UI v0.9 envelope of a server message; what it carries is left to the catalog."""

from __future__ import annotations

from collections.abc import Container
from typing import Final, NoReturn

from ..errors import CallError
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
    texts in ``id`` and ``component``; a theme an object; data anything. Raises ``CallError`` of
    kind validation for whatever else is given, with the place of the first fault.
    """
    if not isinstance(message, dict):
        _refuse("", f"a message is an object, not {brief(message)}")
    version = message.get("version")
    if not isinstance(version, str) or version not in versions:
        if "version" not in message:
            _refuse("/version", "a message has a version")
        _refuse("/version", f"{brief(version)} is not a version that is spoken here")
    kind: str
    for kind in message:
        if kind in _MEMBERS:
            break
    else:
        kind = ""
    if not kind or len(message) != 2:
        _refuse_kinds(message)
    body = message[kind]
    if kind != "updateComponents" or not _is_update(body):
        _check_body(kind, body)
    return kind


def _is_update(body: JsonValue) -> bool:
    """Whether this is the body of an ``updateComponents``, as most are: quick, and no words."""
    if not isinstance(body, dict) or len(body) != 2 or not isinstance(body.get("surfaceId"), str):
        return False
    components = body.get("components")
    if not isinstance(components, list) or not components:
        return False
    for component in components:
        if (
            not isinstance(component, dict)
            or not isinstance(component.get("id"), str)
            or not isinstance(component.get("component"), str)
        ):
            return False
    return True


def _check_body(kind: str, body: JsonValue) -> None:
    """Refuse a body with a fault; its members come before what ``components`` holds."""
    if not isinstance(body, dict):
        _refuse(f"/{kind}", f"{kind} is an object, not {brief(body)}")
    members = _MEMBERS[kind]
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
        _refuse_components(body["components"])


def _refuse_components(components: list[JsonValue]) -> None:
    """Raise the error of the first component that is none, or that there is none."""
    if not components:
        _refuse("/updateComponents/components", "components has at least one component")
    for index, component in enumerate(components):
        place = f"/updateComponents/components/{index}"
        if not isinstance(component, dict):
            _refuse(place, f"a component is an object, not {brief(component)}")
        whose = "a component"
        for name in ("id", "component"):
            if name not in component:
                _refuse(f"{place}/{name}", f"{whose} needs {name}")
            if not isinstance(component[name], str):
                _refuse(f"{place}/{name}", f"{whose}: {name} is {brief(component[name])}, no text")
            whose = f"component {brief(component['id'])}"


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
    raise CallError("validation", f"{path or '/'}: {message}", details=[detail])
