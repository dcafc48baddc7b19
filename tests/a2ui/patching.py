"""JSON Patch by copying whatever it walks through: what the real applier is compared with.

Written from RFC 6901 and RFC 6902 alone, sharing no code with what it checks, and free to be slow.
It knows no bounds; documents that come near them are not for it.
"""

from __future__ import annotations

import copy
from typing import Any

DIGITS = set("0123456789")


class Refused(Exception):
    """The patch does not apply; whoever asked still holds the document from before it."""


def split(pointer: str) -> list[str]:
    if not pointer:
        return []
    if pointer[0] != "/":
        raise Refused(pointer)
    return [unescaped(token) for token in pointer.split("/")[1:]]


def unescaped(token: str) -> str:
    out, rest = "", list(token)
    while rest:
        letter = rest.pop(0)
        if letter == "~":
            if not rest or rest[0] not in "01":
                raise Refused(token)
            letter = "~/"[int(rest.pop(0))]
        out += letter
    return out


def place(token: str, most: int) -> int:
    """The index that a token is, which is not beyond ``most``."""
    plain = token == "0" or (token[:1] not in ("", "0") and set(token) <= DIGITS)
    if not plain or len(token) > 9 or int(token) > most:
        raise Refused(token)
    return int(token)


def child(node: Any, token: str) -> Any:
    if isinstance(node, list):
        return node[place(token, len(node) - 1)]
    if isinstance(node, dict) and token in node:
        return node[token]
    raise Refused(token)


def found(node: Any, tokens: list[str]) -> Any:
    for token in tokens:
        node = child(node, token)
    return node


def changed(node: Any, tokens: list[str], change: Any) -> Any:
    """A copy in which ``change`` was called with the last container and the last token."""
    first, *rest = tokens
    below = changed(child(node, first), rest, change) if rest else None
    node = copy.copy(node)
    if not isinstance(node, (dict, list)):
        raise Refused(first)
    if not rest:
        change(node, first)
    elif isinstance(node, list):
        node[place(first, len(node) - 1)] = below
    else:
        node[first] = below
    return node


def added(document: Any, tokens: list[str], value: Any) -> Any:
    def change(node: Any, token: str) -> None:
        if isinstance(node, dict):
            node[token] = value
        else:
            node.insert(len(node) if token == "-" else place(token, len(node)), value)

    return changed(document, tokens, change) if tokens else value


def removed(document: Any, tokens: list[str]) -> Any:
    def change(node: Any, token: str) -> None:
        child(node, token)
        del node[token if isinstance(node, dict) else int(token)]

    if not tokens:
        raise Refused("the whole document")
    return changed(document, tokens, change)


def apply_one(document: Any, operation: dict[str, Any]) -> Any:
    kind, to = operation["op"], split(operation["path"])
    if kind == "remove":
        return removed(document, to)
    if kind in ("add", "replace"):
        if kind == "replace":
            found(document, to)
            document = removed(document, to) if to else document
        return added(document, to, copy.deepcopy(operation["value"]))
    source = split(operation["from"])
    value = copy.deepcopy(found(document, source))
    if kind == "move" and source == to:
        return document
    if kind == "move" and source == to[: len(source)]:
        raise Refused("into itself")
    return added(removed(document, source) if kind == "move" else document, to, value)


def apply(document: Any, patch: list[dict[str, Any]]) -> Any:
    """The document after a patch, or ``Refused``; the document given is left alone."""
    for operation in patch:
        document = apply_one(document, operation)
    return document
