"""Runs: they begin, record surfaces, wait for a decision, are forked and end. No HTTP here.

Each method either does the whole of what it says, in one transaction, or raises ``Refusal`` and
changes nothing. None of them waits, so within one event loop each is one step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ..a2ui.locked_fold import LockedFold
from ..a2ui.trust import Trust
from ..errors import Violation
from ..jsonvalue import JsonValue
from .bells import Bells
from .events import (
    ENGINE_VERSION,
    EVENT_LOG_SCHEMA,
    SURFACE_RECORDED,
    Draft,
    Event,
    inherited,
    new_id,
    now,
)
from .policy import Policy
from .refusal import Refusal, of_violation
from .rules import Admission
from .settings import Settings
from .state import Lives, RunState, fold_recorded, trust_recorded
from .store import Run, Store
from .workflow import ACTIONS, WORKFLOWS, next_steps, owner_of, resolution

_SHOWN_OPTIONS = ("configurable", "tags", "metadata")


class Host:
    """The runs of one database."""

    def __init__(self, settings: Settings, policy: Policy) -> None:
        self.settings, self.policy = settings, policy
        self.store = Store(settings.database)
        self.bells = Bells()
        self._states: dict[str, RunState] = {}
        self._lives: Lives = {}
        self._written = 0
        """How often the log was written to, also where that did not last."""

    # ------------------------------------------------------------------------- looking

    def run(self, run_id: str, tenant: str) -> Run:
        """A run of the caller's tenant. Refused: ``id_tenant_mismatch``, ``not_found``."""
        if not self.policy.visible(run_id, tenant):
            raise Refusal("id_tenant_mismatch", "the run id is bound to another tenant")
        run = self.store.run(run_id)
        if run is None or run.major == 1:
            raise Refusal("not_found", "there is no such run")
        return run

    def state(self, run: Run) -> RunState:
        """What the run's log adds up to; folded from the log when it is not at hand."""
        state = self._states.get(run.id)
        if state is None:
            first = self.policy.v1.first_sequence if run.major == 1 else 0
            state = RunState(run.id, last_sequence=first - 1)
            for event in self.store.events(run.id):
                state.observe(event, self._lives, self.policy)
            self._states[run.id] = state
        return state

    def fold(self, run: Run) -> LockedFold:
        """The surfaces of a run, from its log the first time and kept up with from then on."""
        state = self.state(run)
        if state.fold is None:
            state.fold = self.policy.new_fold()
            for event in self.store.events(run.id):
                payload = event["payload"] if event["type"] == SURFACE_RECORDED else {}
                if payload and self.policy.folds(payload["envelope"], payload["version"]):
                    fold_recorded(state.fold, payload["envelope"]["payload"]["messages"])
        return state.fold

    def trust(self, run: Run) -> Trust:
        """What is tainted in a run: from its log the first time, and kept up with from then on."""
        state = self.state(run)
        if state.trust is None:
            state.trust = self.policy.new_trust()
            for event in self.store.events(run.id):
                trust_recorded(state.trust, event, self.policy)
        return state.trust

    def snapshot(self, run: Run) -> dict[str, JsonValue]:
        """The run as its caller reads it."""
        state = self.state(run)
        found: dict[str, JsonValue] = {
            "runId": run.id,
            "workflowId": run.workflow,
            "status": state.status,
            "owner": owner_of(run),
            "eventLogSchemaVersion": EVENT_LOG_SCHEMA,
            "engineVersion": ENGINE_VERSION,
        }
        if state.node_id is not None:
            found["currentNodeId"] = state.node_id
        if run.parent is not None:
            found["parentRunId"] = run.parent
        found |= {k: run.options[k] for k in _SHOWN_OPTIONS if k in run.options}
        return self.policy.served_snapshot(found)

    # -------------------------------------------------------------------------- acting

    def create(self, tenant: str, workflow: str, options: dict[str, JsonValue]) -> Run:
        """A new run, executed until it ends or waits. Refused: ``not_found``."""
        if workflow not in WORKFLOWS:
            raise Refusal("not_found", "there is no such workflow")
        run = self.new_run(f"{tenant}/{new_id()}", tenant, workflow, None, options)
        self.begin(run)
        return run

    def cancel(self, run: Run, reason: str | None) -> None:
        """End a run. Refused: ``run_terminal``."""
        if self.state(run).is_terminal:
            raise Refusal("run_terminal", "the run has ended")
        payload = {"reason": reason or "requested", "cancelledBy": "user"}
        self.append(run, [Draft("run.cancelled", self.redacted(payload))])

    def fork(
        self, source: Run, mode: str, from_seq: int | None, overlay: dict[str, JsonValue]
    ) -> tuple[Run, int]:
        """A new run with the source's events before ``from_seq``, re-executed from there.

        Refused: ``validation_error`` for a branch without a point and a replay with an overlay,
        ``fork_point_invalid`` for a point that names no event.
        """
        if mode == "replay" and overlay:
            raise Refusal("validation_error", "a replay takes no runOptionsOverlay")
        if from_seq is None and mode == "branch":
            raise Refusal("validation_error", "a branch names its fromSeq")
        point = from_seq or 0
        last = self.state(source).last_sequence
        if not self.policy.fork_point_valid(point, last):
            raise Refusal(
                "fork_point_invalid",
                "fromSeq names no event of the source",
                details={"fromSeq": point, "lastSequence": last},
            )
        options = source.options | self.redacted(overlay)
        tenant = source.tenant
        run = self.new_run(f"{tenant}/{new_id()}", tenant, source.workflow, source.id, options)
        prefix = self.policy.fork_prefix(self.store.events(source.id), point)
        self.begin(run, [self.policy.fork_event(event) for event in prefix])
        return run, point

    def resolve(self, run: Run, node_id: str, value: dict[str, JsonValue]) -> None:
        """Answer a node's interrupt and go on.

        Refused: ``interrupt_not_found``, ``interrupt_already_resolved`` (also when the run has
        ended), ``validation_error`` for an action that is not offered, and ``forbidden`` while an
        untrusted surface is bound to the node; the run waits on then (RFC 0209 §C.12).
        """
        state = self.state(run)
        if node_id not in state.interrupts:
            raise Refusal("interrupt_not_found", "the node holds no interrupt")
        if self.policy.resolves_once and (state.is_terminal or state.node_id != node_id):
            raise Refusal("interrupt_already_resolved", "the interrupt is resolved")
        if value.get("action") not in ACTIONS:
            raise Refusal(
                "validation_error",
                "resumeValue.action is not one that the interrupt offers",
                details={"actions": list(ACTIONS)},
            )
        blockers = self.policy.approval_blockers(self.trust(run), node_id)
        if blockers:
            raise Refusal(
                "forbidden",
                "untrusted_content_blocks_approval: a surface bound to the node is untrusted",
                details={
                    "reason": "untrusted_content_blocks_approval",
                    "nodeId": node_id,
                    "surfaceIds": list(blockers),
                },
            )
        with self.transaction():
            self.append(run, [resolution(run, node_id, self.redacted(value))])
            self.advance(run)

    def judge(self, run: Run, envelope: JsonValue) -> int | Admission:
        """Put an envelope through the rules.

        The sequence under which it is already recorded, or what ``record`` needs. Refused with
        the code of the rule that objects, and ``details.rule``.
        """
        policy = self.policy
        state = self.state(run)
        admission = Admission(
            envelope,
            state,
            self.settings.floor,
            self.settings.strictness,
            redact=self.redacted,
            life=lambda surface: self._lives.get(policy.life_key(run.id, surface), "absent"),
            folds=policy.folds,
            lockers=policy.may_lock if self.settings.locked_surfaces else None,
            fold=lambda: self.fold(run),
        )
        for rule in policy.rules:
            try:
                recorded = rule.judge(admission)
            except Violation as violation:
                left = policy.left_behind(admission)
                if left is not None:
                    self.append(run, [left])
                raise of_violation(violation, envelope) from None
            if recorded is not None:
                return recorded
        return admission

    def record(self, run: Run, admission: Admission) -> int:
        """Record an envelope that was admitted; the sequence of its event."""
        envelope = self.policy.recorded(admission.redacted)
        trust = "untrusted" if self.policy.untrusted(envelope) else "trusted"
        payload = {"envelope": envelope, "version": admission.branch, "trust": trust}
        return self.append(
            run,
            [
                Draft(
                    SURFACE_RECORDED,
                    payload,
                    node_id=envelope.get("nodeId"),
                    causation_id=envelope["correlationId"],
                )
            ],
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside, or nothing; what was folded of it goes with it."""
        before = self._written
        try:
            with self.store.transaction():
                yield
        except BaseException:
            if self._written != before:
                self._states.clear()
                self._lives.clear()
            raise

    # ----------------------------------------------------------------- for both majors

    def new_run(
        self,
        run_id: str,
        tenant: str,
        workflow: str,
        parent: str | None,
        options: dict[str, JsonValue],
    ) -> Run:
        """A run as it will be kept, its options without secrets."""
        return Run(run_id, tenant, workflow, parent, self.redacted(options), now())

    def begin(self, run: Run, inheritance: Iterable[Event] = ()) -> None:
        """Keep a new run, with copies of the events it inherits, and execute it from there."""
        with self.transaction():
            self.store.add_run(run)
            self.write(run, inherited(inheritance, run.id))
            self.advance(run)

    def advance(self, run: Run) -> None:
        """Execute a run until it ends or waits."""
        steps = next_steps(run, self.state(run))
        if steps:
            self.append(run, steps)

    def append(self, run: Run, drafts: list[Draft]) -> int:
        """Write new events at the end of a run's log; the sequence of the first."""
        first = self.state(run).last_sequence + 1
        events = [d.at(run.id, first + i, major=run.major) for i, d in enumerate(drafts)]
        self.write(run, events)
        return first

    def write(self, run: Run, events: list[Event]) -> None:
        """Write events that have their place, and tell who waits for news of the run."""
        state = self.state(run)
        with self.transaction():
            self._written += 1
            self.store.append(events)
            for event in events:
                state.observe(event, self._lives, self.policy)
        self.bells.ring(run.id)

    def redacted(self, value: JsonValue) -> JsonValue:
        """A value as it may be kept."""
        return self.policy.redact(value, self.settings.secrets)
