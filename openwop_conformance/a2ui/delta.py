"""Delta frames of major 1: a patch in place of a full surface, checked, applied and made.

A frame is never recorded; it stands for the full surface that other subscribers get (RFC 0114).
Patches are RFC 6902 without ``test``, and strict: what one library takes and another refuses, as
the index ``01``, is refused here.
"""

from __future__ import annotations

import json
from typing import Final, Literal

from ..errors import JsonError, Violation
from ..jsonvalue import MAX_DEPTH, MISSING, JsonValue, brief, compact, equal, tokens_of
from ..schemas import problems, validator
from .catalog import check_payload

Base = Literal["payload", "tree"]
"""What a patch's pointers start from: the payload, or the tree in its ``surface``.

RFC 0114 patches "the surface"; its example and the host that we recorded mean the tree.
"""

MOST_OPERATIONS: Final = 10_000
MAX_BYTES: Final = 8 * 1024 * 1024
"""What a patched document may come to: no event that we read carries a larger one in full."""
MAX_COPIED: Final = 1024 * 1024
"""What the ``copy`` operations of one frame may write: each could double what is there."""

_FRAME: Final = "a2ui-surface-delta-frame"
_NEEDS: Final = {"add": "value", "replace": "value", "move": "from", "copy": "from"}


# --------------------------------------------------------------------------------- the frame


def check_frame(frame: JsonValue) -> None:
    """Refuse what is no delta frame (RFC 0114 §Schema). Raises ``Violation`` (``delta-frame``).

    Beside the schema: each operation has the member that it needs, each pointer is one (RFC 6901),
    and there are at most ``MOST_OPERATIONS``.
    """
    _check_depth(frame, _text(frame, "delta-frame"), "delta-frame")
    check = validator(_FRAME)
    if not check.is_valid(frame):
        problem = problems(check, frame)[0]
        raise Violation("delta-frame", problem.message, path=problem.path)
    patch = frame["patch"]
    if len(patch) > MOST_OPERATIONS:
        message = f"{len(patch)} operations are more than {MOST_OPERATIONS}"
        raise Violation("delta-frame", message, path="/patch")
    for index, operation in enumerate(patch):
        need = _NEEDS.get(operation["op"])
        if need is not None and need not in operation:
            message = f"{operation['op']} needs {need!r}"
            raise Violation("delta-frame", message, path=f"/patch/{index}")
        for member in ("path", "from") if need == "from" else ("path",):
            _check_pointer(operation[member], f"/patch/{index}/{member}")


def _check_pointer(pointer: str, place: str) -> None:
    try:
        tokens = tokens_of(pointer)
    except JsonError as error:
        raise Violation("delta-frame", str(error), path=place) from None
    if len(tokens) > MAX_DEPTH:
        raise Violation("delta-frame", f"a pointer deeper than {MAX_DEPTH}", path=place)


# ---------------------------------------------------------------------------------- applying


def apply_frame(payload: JsonValue, frame: JsonValue, *, base: Base) -> JsonValue:
    """The payload that a frame makes of the one last delivered (RFC 0114 §Normative.6–8).

    The payload given is never changed, and the new one shares no container with it or the frame.
    The result is validated as a whole, as a full surface would be. Raises ``Violation``:
    ``delta-frame``; ``catalog-version``, when the frame names another or the patch changes it
    (§Normative.14–15); ``delta``, when the patch does not apply or goes beyond the bounds;
    ``branch``, when the result leaves the closed catalog.
    """
    check_frame(frame)
    version = _member(payload, "catalogVersion")
    if frame["catalogVersion"] != version:
        message = f"the frame is of {brief(frame['catalogVersion'])}, its base of {brief(version)}"
        raise Violation("catalog-version", message, path="/catalogVersion")
    result: JsonValue
    if base == "tree":
        tree = _member(payload, "surface")
        if tree is MISSING:
            raise Violation("delta", "the base has no surface that could be patched")
        result = {**payload, "surface": patched(tree, frame["patch"])}
    else:
        result = patched(payload, frame["patch"])
        if isinstance(result, dict) and _member(result, "catalogVersion") != version:
            message = "the patch changes the catalog version, which only a full surface may"
            raise Violation("catalog-version", message, path="/catalogVersion")
    check_payload(result, 1)
    return result


def patched(document: JsonValue, patch: list[JsonValue]) -> JsonValue:
    """A copy of any document with the patch of a checked frame applied: all of it, or none.

    Raises ``Violation`` (``delta``). Bytes are counted as they are written: what an operation takes
    away again is not counted back.
    """
    from jsonpatch import JsonPatchException, apply_patch
    from jsonpointer import JsonPointerException

    text = _text(document, "delta")
    copy = json.loads(text)
    size, copied, deepens = len(text) + len(_text(patch, "delta")), 0, False
    for index, operation in enumerate(patch):
        try:
            if operation["op"] == "copy":
                copied += _weight(copy, operation["from"])
            if size + copied > MAX_BYTES or copied > MAX_COPIED:
                raise Violation("delta", "more would be written than is allowed")
            copy = apply_patch(copy, [operation], in_place=True)
        except (JsonPatchException, JsonPointerException, RecursionError, Violation) as error:
            why = str(error).partition(" in {")[0]  # where jsonpointer shows the whole document
            message = f"{operation['op']} of {brief(operation['path'])} does not apply: {why}"
            raise Violation("delta", message, path=f"/patch/{index}") from None
        deepens |= "from" in operation or isinstance(operation.get("value"), (dict, list))
    if deepens:
        _check_depth(copy, None, "delta")
    return copy


def _weight(document: JsonValue, pointer: str) -> int:
    """How many bytes a copy of a place will write."""
    from jsonpointer import EndOfList, resolve_pointer

    source = resolve_pointer(document, pointer)
    if isinstance(source, EndOfList):  # '-': no place to copy from, as the copy itself will say
        return 0
    text = _text(source, "delta")
    _check_depth(source, text, "delta")
    return len(text)


# ------------------------------------------------------------------------------------ making


def diff(old: JsonValue, new: JsonValue, *, base: Base) -> list[JsonValue]:
    """The patch that makes ``new`` of ``old``: of ``add``, ``remove`` and ``replace`` alone.

    ``move`` and ``copy`` are optional to support (RFC 0114 §Schema). Empty when both are one JSON
    value, as ``1`` and ``1.0`` are; never longer, as compact JSON, than the replacement of all.
    Raises ``Violation`` where only a full surface will do: ``catalog-version`` when that differs,
    ``delta`` when members differ that a patch of the tree does not reach.
    """
    versions = [_member(payload, "catalogVersion") for payload in (old, new)]
    if versions[0] is not versions[1] and not equal(*versions):
        message = "another catalog version starts from a full surface"
        raise Violation("catalog-version", message, path="/catalogVersion")
    if base == "tree":
        if not equal(_beside(old), _beside(new)):
            raise Violation("delta", "more differs than the tree")
        old, new = _member(old, "surface"), _member(new, "surface")
        if old is MISSING or new is MISSING:
            raise Violation("delta", "there is no surface to compare", path="/surface")
    if equal(old, new):
        return []
    from jsonpatch import JsonPatch

    whole = [{"op": "replace", "path": "", "value": new}]
    patch: list[JsonValue] = JsonPatch.from_diff(old, new, optimization=False).patch
    shorter = len(compact(patch)) <= len(compact(whole)) and len(patch) <= MOST_OPERATIONS
    return patch if shorter else json.loads(json.dumps(whole))


def _beside(payload: JsonValue) -> JsonValue:
    """What a payload holds beside its tree."""
    if not isinstance(payload, dict):
        return payload
    return {name: value for name, value in payload.items() if name != "surface"}


# ------------------------------------------------------------------------------------ bounds


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name, MISSING) if isinstance(value, dict) else MISSING


def _text(value: JsonValue, rule: str) -> str:
    try:
        return json.dumps(value)
    except RecursionError:
        raise Violation(rule, f"nested deeper than {MAX_DEPTH}") from None


def _check_depth(value: JsonValue, text: str | None, rule: str) -> None:
    """Refuse arrays and objects in more than ``MAX_DEPTH`` levels, without recursion.

    The value's text, where it is at hand, often says at once that there are too few of them.
    """
    if text is not None and text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        containers = [item for item in level if isinstance(item, (dict, list))]
        if not containers:
            return
        level = [
            child
            for item in containers
            for child in (item.values() if isinstance(item, dict) else item)
        ]
    raise Violation(rule, f"nested deeper than {MAX_DEPTH}")
