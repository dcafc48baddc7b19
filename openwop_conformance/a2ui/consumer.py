"""A subscriber of delta frames: what it may render after each thing that it was sent.

Whatever is not known to be right is stored and not rendered (RFC 0114 §Normative.6–8). What the RFC
leaves open is read like this:

- *Any* full surface that keeps the catalog takes the place of every stale one. In version 1 a
  surface has no identity beside its run, and a full one that is sent again may be another event,
  whose id is another ``surfaceRef``.
- Taint is sticky, as RFC 0209 §C.12 has it, and for want of an identity it belongs to the run:
  after one untrusted full surface nothing of the run is trusted, whatever a frame or a later full
  surface says (§Normative.12). One that is late, repeated or outside the catalog taints as well.
- Sequences have holes, where events of other types are. So a hole means nothing, except after
  ``lost()``: then only the very next sequence proves that no frame was missed.
- What has a sequence that came already is ignored, but for one case: the full surface of the last
  event, while another one is stale. So a host answers a frame that failed.
- A frame that overtakes another leaves a hole until the other arrives; only then is it known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

from ..errors import Violation
from ..jsonvalue import JsonValue
from .catalog import check_payload
from .delta import Base, apply_frame, check_frame

MOST_VIOLATIONS: Final = 256
MOST_SEQUENCES: Final = 1_024
"""How many sequences are remembered; an older one that comes again is taken for a late one."""

Order = Literal["next", "again", "late"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What was delivered last under one ``surfaceRef``.

    ``stale`` is one that must not be rendered, and for which a full surface has to be asked; its
    ``payload`` is kept, or ``None`` where only frames came. ``trusted`` is what the full surface
    said, ``None`` where it said nothing, and ``False`` in a tainted run.
    """

    payload: JsonValue
    trusted: bool | None
    stale: bool


class Consumer:
    """One subscriber of one run. It never raises for what it was sent.

    Payloads are kept as they were given and are not to be changed. Memory is bounded: beyond
    ``most_surfaces`` the one delivered least recently is forgotten, and a frame for it is then one
    for an unknown surface.
    """

    def __init__(self, *, base: Base, most_surfaces: int = 64) -> None:
        self._base: Base = base
        self._most = most_surfaces
        self._held: dict[str, Shown] = {}  # the one delivered least recently first
        self._surfaces = MappingProxyType(self._held)
        self._doubted: set[str] = set()  # frames may have been missed since they were delivered
        self._tainted = False
        self._violations: list[Violation] = []
        self._lost = False
        self._last: int | None = None
        self._next: int | None = None  # what follows directly on the last delivery, where known
        self._seen: dict[int, None] = {}

    # ----------------------------------------------------------------------------- deliveries

    def full(
        self,
        ref: str,
        payload: JsonValue,
        *,
        trusted: bool | None = None,
        sequence: int | None = None,
    ) -> None:
        """A full surface arrived, of the event ``ref``."""
        if trusted is False and not self._tainted:
            self._tainted = True
            for name, shown in self._held.items():
                self._held[name] = replace(shown, trusted=False)
        order = self._order(sequence, full=True)
        if order != "next":
            self._out_of_order(ref, sequence, order)
            return
        self._doubted.discard(ref)
        said = False if self._tainted else trusted
        try:
            check_payload(payload, 1)
        except Violation as error:
            self._note(error)
            self._hold(ref, Shown(payload, said, stale=True))
            return
        for name in self.wants_full:
            self._forget(name)
        self._hold(ref, Shown(payload, said, stale=False))

    def frame(self, frame: JsonValue, *, sequence: int | None = None) -> None:
        """A delta frame arrived. One that is wrong, or whose base is, makes its surface stale.

        If it does not even say which surface it patches, it may be any: all are stale.
        """
        named = frame.get("surfaceRef") if isinstance(frame, dict) else None
        ref = named if isinstance(named, str) else None
        order = self._order(sequence, full=False)
        if order != "next":
            self._out_of_order(ref, sequence, order)
            return
        shown = None if ref is None else self._held.get(ref)
        if shown is not None and shown.stale:
            return  # it goes on until the host sends the full surface, and says nothing new
        try:
            if ref is None or shown is None:
                check_frame(frame)
                raise Violation(
                    "delta-base", "no surface is known by this name", path="/surfaceRef"
                )
            if ref in self._doubted:
                message = "frames may have been missed, and no full surface came first"
                raise Violation("delta-base", message, path="/surfaceRef")
            payload = apply_frame(shown.payload, frame, base=self._base)
        except Violation as error:
            self._note(error)
            self._spoil(ref)
        else:
            self._hold(ref, replace(shown, payload=payload))

    def lost(self) -> None:
        """The connection broke: what arrives next may have a gap before it."""
        self._lost = True

    # -------------------------------------------------------------------------------- answers

    @property
    def surfaces(self) -> Mapping[str, Shown]:
        """By ``surfaceRef``, the one delivered last at the end; a view that follows."""
        return self._surfaces

    @property
    def latest(self) -> Shown | None:
        """What was delivered last; neither what came twice nor a frame for a stale one counts."""
        return next(reversed(self._held.values()), None)

    def renderable(self, ref: str) -> JsonValue | None:
        """The payload under a ``surfaceRef``, or ``None`` while it is not known to be right."""
        shown = self._held.get(ref)
        return None if shown is None or shown.stale else shown.payload

    @property
    def wants_full(self) -> frozenset[str]:
        """The refs for which a full surface has to be asked: all that are stale."""
        return frozenset(ref for ref, shown in self._held.items() if shown.stale)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What was wrong, in order, the first ``MOST_VIOLATIONS``.

        Beside the rules of ``apply_frame``: ``delta-base``, where a frame's surface is unknown or
        frames were missed, and ``delta-order``, where a sequence came twice or late.
        """
        return tuple(self._violations)

    # ------------------------------------------------------------------------------- sequences

    def _order(self, sequence: int | None, *, full: bool) -> Order:
        """How a delivery lies to those before it; what is ``next`` is taken note of."""
        if sequence is not None and self._last is not None and sequence <= self._last:
            if full and sequence + 1 == self._next and self.wants_full:
                return "next"  # whether anything was lost since then remains open
            return "again" if sequence in self._seen else "late"
        if self._lost and (sequence is None or sequence != self._next):
            self._doubted.update(self._held)
        self._lost = False
        self._next = None
        if sequence is not None:
            self._last, self._next = sequence, sequence + 1
            self._seen[sequence] = None
            if len(self._seen) > MOST_SEQUENCES:
                del self._seen[next(iter(self._seen))]
        return "next"

    def _out_of_order(self, ref: str | None, sequence: int | None, order: Order) -> None:
        if order == "again":
            self._note(Violation("delta-order", f"sequence {sequence} came a second time"))
            return
        self._note(Violation("delta-order", f"sequence {sequence} came after {self._last}"))
        self._spoil(ref)

    # ----------------------------------------------------------------------------------- state

    def _hold(self, ref: str, shown: Shown) -> None:
        self._held.pop(ref, None)
        self._held[ref] = shown
        if len(self._held) > self._most:
            self._forget(next(iter(self._held)))

    def _forget(self, ref: str) -> None:
        del self._held[ref]
        self._doubted.discard(ref)

    def _spoil(self, ref: str | None) -> None:
        """Nothing of this surface is known to be right; without a name, of none."""
        if ref is None:
            for name, shown in self._held.items():
                self._held[name] = replace(shown, stale=True)
            return
        known = self._held.get(ref) or Shown(None, False if self._tainted else None, stale=True)
        self._hold(ref, replace(known, stale=True))

    def _note(self, error: Violation) -> None:
        """Keep what was wrong, without the traceback: that would keep the payloads alive."""
        if len(self._violations) < MOST_VIOLATIONS:
            self._violations.append(Violation(error.rule, str(error), path=error.path))
