"""One client: envelopes in, surfaces kept, and what a person has before them and does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...a2ui.catalog import KIND, Branch, check_payload
from ...a2ui.lock import without_locks
from ...a2ui.message import check_catalog_ids, check_surface_ids
from ...errors import Violation
from ...jsonvalue import JsonValue
from .acting import Acting
from .legacy import LegacyRun
from .rendering import Node, Rendering
from .surface import Envelope, FoldedSurface, Surface, View

Key = tuple[str | None, str]
"""A run, ``None`` where none was named, and a surface's id (RFC 0209 §C.9).

A version 1 surface has none of its own, and is called by its event."""


class Client:
    """What one person has open: the surfaces of one or more runs.

    Surfaces of one id in several runs stand one below the other under that id, in the order in
    which they first came; who acts reaches the first one that has what they operate.
    """

    make_surface: Callable[[str], FoldedSurface] = FoldedSurface
    make_legacy: Callable[[], LegacyRun] = LegacyRun
    make_rendering: Callable[[View], Rendering] = Rendering
    make_acting: Callable[[Surface, View, Callable[[View], Rendering]], Acting] = Acting

    def __init__(self) -> None:
        self.folded: dict[Key, FoldedSurface] = {}
        self.legacy: dict[str | None, LegacyRun] = {}
        self.submissions: list[Node] = []

    # --------------------------------------------------------------------------- arrivals

    def deliver(self, envelope: JsonValue) -> None:
        """Take an envelope. Of one that is refused nothing is kept, not even its sequence."""
        branch = self.branch(envelope)
        if branch is None or not self.is_valid(self.plain(envelope), branch):
            return
        run, arrived = envelope.get("run"), self.arrived(envelope)
        if branch == 1:
            self.run(run).add(arrived)
        else:
            self.surface((run, arrived.payload["surfaceId"])).add(arrived)

    def plain(self, envelope: JsonValue) -> JsonValue:
        """The payload as the closed profile knows it: without locks that its sender may set."""
        payload = envelope["payload"]
        return without_locks(payload) if self.may_lock(envelope) else payload

    def may_lock(self, envelope: JsonValue) -> bool:
        """Whether the host itself speaks, and not an agent, nor somebody it does not trust."""
        return bool(envelope.get("source") == "system" and envelope.get("trust") != "untrusted")

    def branch(self, envelope: JsonValue) -> Branch | None:
        """The branch that an envelope's version selects, or ``None`` for what is not known here.

        Version 0 is that of envelopes from before there were versions (RFC 0209 §A.1, §A.3).
        """
        version = envelope["schemaVersion"]
        if envelope.get("type", KIND) != KIND or isinstance(version, bool):
            return None
        known: dict[int, Branch] = {0: 1, 1: 1, 2: 2}
        return known.get(version)

    def is_valid(self, payload: JsonValue, branch: Branch) -> bool:
        """Whether a payload keeps its branch and, in version 2, names one surface and catalog."""
        try:
            check_payload(payload, branch)
            if branch == 2:
                check_surface_ids(payload)
                check_catalog_ids(payload)
        except Violation:
            return False
        return True

    def arrived(self, envelope: JsonValue) -> Envelope:
        """What is kept of an envelope."""
        return Envelope(
            envelope["payload"],
            envelope["sequence"],
            untrusted=envelope.get("trust") == "untrusted",
            partial=envelope.get("partial", False),
            node=envelope.get("node"),
            event=envelope.get("event"),
        )

    def frame(self, frame: JsonValue, sequence: int | None, run: str | None) -> None:
        """Take a delta frame of major 1."""
        for held in self.framed(frame, run):
            held.frame(frame, sequence)

    def framed(self, frame: JsonValue, run: str | None) -> list[LegacyRun]:
        """The runs that a frame is for: where none is named, those that have what it names.

        One that does not say what it is for may be for any.
        """
        if run is not None:
            return [self.run(run)]
        name = frame.get("surfaceRef") if isinstance(frame, dict) else None
        known = list(self.legacy.values())
        if not isinstance(name, str):
            return known
        return [held for held in known if held.is_held(name)] or [self.run(None)]

    def run(self, run: str | None) -> LegacyRun:
        """The version 1 surfaces of a run."""
        if run not in self.legacy:
            self.legacy[run] = self.make_legacy()
        return self.legacy[run]

    def surface(self, key: Key) -> FoldedSurface:
        """A surface of version 2."""
        if key not in self.folded:
            self.folded[key] = self.make_surface(key[1])
        return self.folded[key]

    # ------------------------------------------------------------------------ the person

    def surfaces(self) -> Iterator[tuple[Key, Surface]]:
        """All that may be shown, version 2 first."""
        yield from self.folded.items()
        for run, held in self.legacy.items():
            for reference, surface in held.surfaces():
                yield (run, reference), surface

    def rendered(self) -> dict[str, list[Node]]:
        """What is shown, by surface; one of which nothing is shown is left out."""
        shown: dict[str, list[Node]] = {}
        for (_, surface_id), surface in self.surfaces():
            view = surface.view()
            nodes = [] if view is None else self.make_rendering(view).nodes()
            if nodes:
                shown.setdefault(surface_id, []).extend(nodes)
        return shown

    def violations(self) -> list[JsonValue]:
        """What the locks of surfaces have refused, as structured violations."""
        return [found for surface in self.folded.values() for found in surface.violations()]

    def acting(self, surface_id: str) -> Iterator[tuple[Key, Acting]]:
        """The live surfaces of an id, with someone before each."""
        for key, surface in self.surfaces():
            view = surface.view() if key[1] == surface_id else None
            if view is not None:
                yield key, self.make_acting(surface, view, self.make_rendering)

    def set(self, surface: str, role: str, name: str, value: JsonValue) -> bool:
        """A field is set: by that alone nothing leaves the client."""
        return any(acting.set(role, name, value) for _, acting in self.acting(surface))

    def fire(self, surface: str, name: str) -> bool:
        """A button is pressed."""
        for (run, _), acting in self.acting(surface):
            fired = acting.fire(name)
            if fired is not None:
                named = {} if run is None else {"run": run}
                self.submit({"surface": surface, **fired, **named})
                return True
        return False

    def submit(self, submission: Node) -> None:
        """What a person has sent leaves the client."""
        self.submissions.append(submission)
