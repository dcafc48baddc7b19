"""Sabotages of what a stream emits and checks, and of what becomes of it when it fails."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from typing import Any, Final

from ....errors import CallError
from ....jsonvalue import JsonValue
from ...sdk.pieces import Member, MessageClosed
from ...sdk.reading import BlockClosed
from ...sdk.stream import ResponseStream
from .model import SdkSabotage

Parts = list[JsonValue]


def _data_held(self: Any, event: Any) -> None:
    held = self.__dict__.setdefault("held", [])
    if isinstance(event, Member):
        return
    if isinstance(event, MessageClosed) and "updateDataModel" in event.message:
        held.append(event)
        return
    if isinstance(event, BlockClosed):
        for each in held:
            ResponseStream._take(self, each)
        held.clear()
    ResponseStream._take(self, event)


def _data_again(self: Any, chunk: str | bytes) -> Parts:
    last = getattr(self, "last", None)
    parts = ResponseStream.feed(self, chunk)
    messages = [message for part in parts for message in part.get("messages", ())]
    if messages:
        self.last = messages[-1] if "updateDataModel" in messages[-1] else None
    elif last is not None:
        parts.append({"messages": [last]})
    return parts


def _open_message(self: Any) -> Any:
    """The message that is open, as far as its values are whole."""
    block = self._reader._block
    frames = block._frames if block is not None else []
    message = next((f.value for f in frames if f.role == "message"), None)
    if message is None or len(frames) > 3 or not frames[-1].value:
        return None
    return message


def _early(kind: str, enough: Collection[str], without: str = "version") -> dict[str, Any]:
    """Methods that emit a message of a kind as soon as its body has certain members."""

    def show(self: Any) -> None:
        ResponseStream._show_growth(self)
        body = (_open_message(self) or {}).get(kind)
        if not isinstance(body, dict) or without in body or getattr(self, "early", False):
            return
        if body.keys() >= set(enough):
            self.early = True
            self._emit({"version": "v0.9", kind: dict(body)})

    def closed(self: Any, message: dict[str, JsonValue]) -> None:
        if kind in message and getattr(self, "early", False):
            self.early = False
        else:
            ResponseStream._message_closed(self, message)

    return {"_show_growth": show, "_message_closed": closed}


def _skips(self: Any, message: dict[str, JsonValue]) -> None:
    first, self._refused = self._refused, None
    ResponseStream._message_closed(self, message)
    self._refused = first or self._refused


def _raises(self: Any, message: dict[str, JsonValue]) -> None:
    ResponseStream._message_closed(self, message)
    if self._refused is not None:
        raise self._refused


def _tree_noted(self: Any, problem: CallError | None) -> None:
    problem = problem or self._refused
    if problem is not None:
        raise problem
    self._parts.end_block()


def _tree_at_end(self: Any) -> Parts:
    self.state.check_topology(list(self._touched))
    return ResponseStream.close(self)


class _Everything(frozenset[str]):
    """All keys there are."""

    def __contains__(self, key: object) -> bool:
        return True

    def isdisjoint(self, other: object) -> bool:
        return False


def _heals_all(self: Any) -> None:
    self._cuttable = _Everything()
    ResponseStream._show_open(self)


def _nothing(self: Any) -> None:
    pass


def _stays(self: Any) -> Any:
    return nullcontext()


def _begins_whole(self: Any, chunk: str | bytes) -> Parts:
    if not hasattr(self, "whole"):
        self.whole = self.state.transaction()
        self.whole.__enter__()
    return ResponseStream.feed(self, chunk)


def _closes_whole(self: Any) -> Parts:
    parts = ResponseStream.close(self)
    if hasattr(self, "whole"):
        self.whole.__exit__(None, None, None)  # or it is undone whenever the stream is collected
    return parts


def _fails_whole(self: Any) -> None:
    ResponseStream._fail(self)
    failed = CallError("parse", "the response cannot be read")
    self.whole.__exit__(CallError, failed, None)


def _ended_alone(self: Any) -> None:
    self._ended = True


def _marks_all(self: Any) -> None:
    self._ended = True
    self.state.mark_checked(list(self.state.surfaces))


def _reads_on(self: Any) -> None:
    ResponseStream._fail(self)
    self._ended = False
    self._reader = self._new_reader(True)
    self._touched, self._refused = {}, None


def _silent(self: Any, chunk: str | bytes) -> Parts:
    return [] if self._ended else ResponseStream.feed(self, chunk)


SABOTAGES: Final = (
    SdkSabotage(
        "sdk-data-emitted-at-block-end",
        "updates of the data model are emitted when their block ends",
        stream={"_take": _data_held},
    ),
    SdkSabotage(
        "sdk-data-emitted-again",
        "an update of the data model is emitted again with each chunk that brings nothing",
        stream={"feed": _data_again},
    ),
    SdkSabotage(
        "sdk-create-emitted-early",
        "a createSurface is emitted once its surfaceId and catalogId are there",
        stream=_early("createSurface", ("surfaceId", "catalogId")),
    ),
    SdkSabotage(
        "sdk-delete-emitted-early",
        "a deleteSurface is emitted once its surfaceId is there",
        stream=_early("deleteSurface", ("surfaceId",)),
    ),
    SdkSabotage(
        "sdk-rejected-skipped",
        "a rejected message is skipped, and those after it are emitted",
        stream={"_message_closed": _skips},
    ),
    SdkSabotage(
        "sdk-rejected-raises-at-once",
        "a rejected message raises before its block closes",
        stream={"_message_closed": _raises},
    ),
    SdkSabotage(
        "sdk-tree-checked-at-end",
        "the trees that a block touched are checked when the stream closes",
        stream={"_block_closed": _tree_noted, "close": _tree_at_end},
    ),
    SdkSabotage(
        "sdk-tree-of-stream-unchecked",
        "the trees that a block of a stream touched are not checked",
        stream={"_block_closed": _tree_noted},
    ),
    SdkSabotage(
        "sdk-early-data-is-final",
        "an updateDataModel is emitted before its path has come, and not again",
        stream=_early("updateDataModel", ("surfaceId", "value"), without="path"),
    ),
    SdkSabotage(
        "sdk-heals-everything",
        "any text is healed, ids and paths included",
        stream={"_show_open": _heals_all},
    ),
    SdkSabotage(
        "sdk-heals-nothing",
        "the text of a progressive key is shown when it is whole",
        stream={"_show_open": _nothing},
    ),
    SdkSabotage(
        "sdk-failed-chunk-kept",
        "what a failing chunk applied before it failed stays",
        stream={"_undoing": _stays},
    ),
    SdkSabotage(
        "sdk-failed-stream-undone",
        "a failing chunk undoes all that its stream applied",
        stream={"feed": _begins_whole, "close": _closes_whole, "_fail": _fails_whole},
    ),
    SdkSabotage(
        "sdk-failed-stream-unmarked",
        "a failed stream marks no surface as checked",
        stream={"_fail": _ended_alone},
    ),
    SdkSabotage(
        "sdk-failed-stream-marks-all",
        "a failed stream marks every surface of its state as checked",
        stream={"_fail": _marks_all},
    ),
    SdkSabotage(
        "sdk-failed-stream-reads-on",
        "a failed stream reads the next chunk afresh",
        stream={"_fail": _reads_on},
    ),
    SdkSabotage(
        "sdk-failed-stream-silent",
        "a failed stream takes further chunks and gives nothing",
        stream={"feed": _silent},
    ),
)
