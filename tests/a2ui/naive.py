"""A fold that copies everything at every step: what the real one is compared with.

Written from the rules alone, sharing no code with what it checks, and free to be slow.
"""

from __future__ import annotations

import copy
from typing import Any

LARGEST_INDEX = 10_000


class Refused(Exception):
    """The step is against the rules; whoever asked still holds the state from before it."""


# ---------------------------------------------------------------------------------- data model


def split(path: str | None) -> list[str]:
    if path is None:
        return []
    if path and path[0] != "/":
        raise Refused(path)
    segments = []
    for part in path.split("/"):
        if part.replace("~0", "").replace("~1", "").count("~"):
            raise Refused(path)
        if part:
            segments.append(part.replace("~1", "/").replace("~0", "~"))
    if {"__proto__", "prototype", "constructor"} & set(segments):
        raise Refused(path)
    return segments


def numeric(segment: str) -> bool:
    return segment == "0" or (
        segment != "" and segment[0] in "123456789" and set(segment) <= set("0123456789")
    )


def index_of(segment: str) -> int:
    if not numeric(segment) or int(segment[:9]) > LARGEST_INDEX:
        raise Refused(segment)
    return int(segment)


def put(root: Any, path: str | None, value: Any) -> Any:
    return put_at(root, split(path), copy.deepcopy(value))


def put_at(node: Any, segments: list[str], value: Any) -> Any:
    if not segments:
        return value
    first, *rest = segments
    if node is None:
        node = [] if numeric(first) else {}
    if isinstance(node, dict):
        return {**node, first: put_at(node.get(first), rest, value)}
    if isinstance(node, list):
        index = index_of(first)
        longer = node + [None] * (index + 1 - len(node))
        return [*longer[:index], put_at(longer[index], rest, value), *longer[index + 1 :]]
    raise Refused(first)


def remove(root: Any, path: str | None) -> Any:
    segments = split(path)
    return remove_at(root, segments) if segments else {}


def remove_at(node: Any, segments: list[str]) -> Any:
    first, *rest = segments
    if node is None:
        return None
    if isinstance(node, dict):
        if rest:
            return {k: remove_at(v, rest) if k == first else v for k, v in node.items()}
        return {k: v for k, v in node.items() if k != first}
    if isinstance(node, list):
        index = index_of(first)
        return [
            (remove_at(v, rest) if rest else None) if i == index else v for i, v in enumerate(node)
        ]
    raise Refused(first)


# ----------------------------------------------------------------------------------------- fold

State = dict[str, Any]
"""Surface id → what it holds, or the word ``deleted``."""


def apply(state: State, message: dict[str, Any]) -> State:
    """The state after a message, or ``Refused``; the state given is left alone."""
    state = copy.deepcopy(state)
    ((kind, body),) = [(k, v) for k, v in message.items() if k != "version"]
    name = body["surfaceId"]
    surface = state.get(name)
    if kind == "createSurface":
        if isinstance(surface, dict):
            raise Refused("live")
        state[name] = {"theme": body.get("theme"), "components": [], "data": {}}
        return state
    if not isinstance(surface, dict):
        raise Refused("not live")
    if kind == "deleteSurface":
        state[name] = "deleted"
    elif kind == "updateComponents":
        for component in body["components"]:
            if not isinstance(component.get("id"), str) or "component" not in component:
                raise Refused("component")
            place = [i for i, c in enumerate(surface["components"]) if c["id"] == component["id"]]
            if place:
                surface["components"][place[0]] = copy.deepcopy(component)
            else:
                surface["components"].append(copy.deepcopy(component))
    elif "value" in body:
        surface["data"] = put(surface["data"], body.get("path"), body["value"])
    else:
        surface["data"] = remove(surface["data"], body.get("path"))
    return state


def apply_all(state: State, messages: list[dict[str, Any]]) -> State:
    for message in messages:
        state = apply(state, message)
    return state
