"""Breaks of the fold guard: what a life of a surface admits, in a run, across runs, in a fork."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ...a2ui.fold import Life, next_life
from ...a2ui.message import bodies
from ...errors import Violation
from ...jsonvalue import JsonValue
from .. import rules
from ..comparing import OfRuns
from ..policy import Policy
from ..rules import Admission
from .model import Sabotage, set_to, with_rule


def _fold_allowing(allowed: Callable[[Life, str, bool], bool]) -> Callable[[Admission], None]:
    """A fold rule that lets some messages through: by life, kind, and whether it is the first."""

    def judge(admission: Admission) -> None:
        if not admission.folds(admission.envelope, admission.branch):
            return
        life = admission.life(admission.payload["surfaceId"])
        for index, kind, _ in bodies(admission.payload):
            if allowed(life, kind, index == 0):
                life = "deleted" if kind == "deleteSurface" else "live"
            else:
                life = next_life(life, kind)

    return judge


def _inside_only(admission: Admission) -> None:
    """Guards an envelope's first message against the log, and creation inside it not at all."""
    created = False
    life = admission.life(admission.payload["surfaceId"])
    for _, kind, _ in bodies(admission.payload):
        if kind == "createSurface" and created and life == "live":
            continue
        created = created or kind == "createSurface"
        life = next_life(life, kind)


def _last_surface_only(policy: Policy) -> Policy:
    touched: dict[str, str] = {}

    def judge(admission: Admission) -> None:
        run, surface = admission.state.run_id, admission.payload["surfaceId"]
        known = touched.get(run, surface) == surface
        life: Life = admission.life(surface) if known else "absent"
        for _, kind, _ in bodies(admission.payload):
            life = next_life(life, kind)
        touched[run] = surface

    return with_rule("fold", judge)(policy)


def _deletion_ends_all(policy: Policy) -> Policy:
    ended: set[str] = set()

    def judge(admission: Admission) -> None:
        kinds = [kind for _, kind, _ in bodies(admission.payload)]
        run = admission.state.run_id
        if run in ended and "createSurface" not in kinds:
            raise Violation("fold", "the surface was deleted")
        rules.lock(admission)
        if "createSurface" in kinds:
            ended.discard(run)
        if "deleteSurface" in kinds:
            ended.add(run)

    return with_rule("lock", judge)(policy)  # the last rule: what passes it is recorded


def _deletions_shared(policy: Policy) -> Policy:
    deleted: set[str] = set()

    def judge(admission: Admission) -> None:
        rules.fold(admission)
        surface = admission.payload["surfaceId"]
        for _, kind, _ in bodies(admission.payload):
            if kind == "createSurface":
                deleted.discard(surface)
            elif surface in deleted:
                raise Violation("fold", "the surface was deleted")
            elif kind == "deleteSurface":
                deleted.add(surface)

    return with_rule("fold", judge)(policy)


def _whole_fold_inherited(policy: Policy) -> Policy:
    later: set[str] = set()

    def prefix(events: list[JsonValue], from_seq: int) -> list[JsonValue]:
        for event in events:
            if event["sequence"] >= from_seq and "envelope" in event["payload"]:
                later.add(event["payload"]["envelope"]["payload"]["surfaceId"])
        return [event for event in events if event["sequence"] < from_seq]

    def judge(admission: Admission) -> None:
        surface = admission.payload["surfaceId"]
        if surface in later and admission.life(surface) == "absent":
            next_life("live", next(bodies(admission.payload))[1])
        rules.fold(admission)

    changed = with_rule("fold", judge)(policy)
    return replace(changed, fork_prefix=lambda events, at: prefix(list(events), at))


SABOTAGES: Final = (
    Sabotage(
        "orphan-admitted",
        "a surface may begin without createSurface",
        with_rule("fold", _fold_allowing(lambda life, kind, first: life == "absent" and first)),
    ),
    Sabotage(
        "orphan-delete-admitted",
        "deleting a surface that is not there counts as done",
        with_rule(
            "fold",
            _fold_allowing(lambda life, kind, first: life != "live" and kind == "deleteSurface"),
        ),
    ),
    Sabotage(
        "second-create-admitted",
        "createSurface on a live surface is admitted",
        with_rule(
            "fold",
            _fold_allowing(lambda life, kind, first: life == "live" and kind == "createSurface"),
        ),
    ),
    Sabotage(
        "update-after-delete-admitted",
        "the first message of an envelope may follow deleteSurface without a new createSurface",
        with_rule("fold", _fold_allowing(lambda life, kind, first: life == "deleted" and first)),
    ),
    Sabotage(
        "only-first-message-guarded",
        "the fold guard looks at the first message of an envelope alone",
        with_rule("fold", _fold_allowing(lambda life, kind, first: not first)),
    ),
    Sabotage(
        "second-create-inside-admitted",
        "two createSurface in one envelope are admitted",
        with_rule("fold", _inside_only),
    ),
    Sabotage(
        "fold-keeps-last-surface-only",
        "the fold remembers only the surface that was touched last",
        OfRuns(_last_surface_only),
    ),
    Sabotage(
        "deletion-crosses-surfaces",
        "a surface that is deleted takes the others of its run with it",
        OfRuns(_deletion_ends_all),
    ),
    Sabotage(
        "fold-shared-across-runs",
        "the fold is keyed by surfaceId alone",
        set_to(life_key=lambda run_id, surface_id: surface_id),
    ),
    Sabotage(
        "deletion-crosses-runs",
        "a surface deleted in one run counts as deleted in every run",
        _deletions_shared,
    ),
    Sabotage(
        "fork-inherits-whole-fold",
        "a fork knows the surfaces that were created after its point",
        _whole_fold_inherited,
    ),
)
