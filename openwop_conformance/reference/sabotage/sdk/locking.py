"""Sabotages of locked surfaces (experimental): the common ones, and what only an SDK does."""

from __future__ import annotations

from typing import Any, Final

from ....errors import CallError
from ....jsonvalue import JsonValue
from ...sdk.locking import LockedSurfaces
from ...sdk.parser import Parser
from ...sdk.parts import Parts
from ...sdk.stream import ResponseStream
from ...sdk.surfaces import LATE
from ..locks import COMMON, FORM, BrokenLocks
from .model import SdkSabotage


def _model_may(self: Any, source: str) -> bool:
    return source in ("system", "ai-generation") and self.version in LATE


def _silent(self: Any, message: JsonValue) -> None:
    try:
        LockedSurfaces.apply_one(self, message)
    except CallError as error:
        if error.kind != "policy":
            raise
        raise CallError("policy", str(error)) from None


def _forwarded(self: Any, content: str, wrapped: bool, state: Any, parts: Parts) -> dict[str, None]:
    try:
        return Parser._read(self, content, wrapped, state, parts)
    except CallError as error:
        if error.kind == "policy":
            for section in self._sections(content, wrapped):
                if not isinstance(section, str):
                    parts.messages(section)
        raise


def _streamed(self: Any, message: JsonValue, offset: int = 0) -> None:
    try:
        ResponseStream._emit(self, message, offset)
    except CallError as error:
        if error.kind == "policy":
            self._parts.message(message)
        raise


def _sdk(broken: BrokenLocks) -> SdkSabotage:
    return SdkSabotage(
        f"sdk-lock-{broken.name}", broken.breaks, state={"make_locks": staticmethod(broken.make)}
    )


SABOTAGES: Final = (
    *map(_sdk, (*COMMON, *FORM)),
    SdkSabotage(
        "sdk-lock-violation-silent",
        "A refusal does not say what a lock refused.",
        state={"apply_one": _silent},
    ),
    SdkSabotage(
        "sdk-lock-model-locks", "A model's messages may lock.", state={"may_lock": _model_may}
    ),
    SdkSabotage(
        "sdk-lock-forwarded",
        "What a lock refuses is among the parts of a response.",
        parser={"_read": _forwarded},
    ),
    SdkSabotage(
        "sdk-lock-streamed",
        "A stream emits what a lock refuses.",
        stream={"_emit": _streamed},
    ),
)
