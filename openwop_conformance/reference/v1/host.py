"""Runs of major 1, in the same store and by the same workflows as those of major 2. No HTTP here.

Their ids are opaque, their events open documents, and a run of another tenant is one that there
is not. Each method does the whole of what it says or raises ``Refusal`` and changes nothing.
"""

from __future__ import annotations

from ...a2ui.catalog import KIND
from ...errors import Violation
from ...jsonvalue import JsonValue
from ..events import Draft, Event, new_id
from ..host import Host
from ..refusal import Refusal
from ..store import Run
from ..workflow import ACTIONS, WORKFLOWS, resolution
from .refusal import of_violation

_NO_WORKFLOW = ""
"""The workflow of what is no run, but has a log since a seam was let record into it."""


class MajorOne:
    """What major 1 does with the runs of a ``Host``."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.policy = host.policy.v1

    # ------------------------------------------------------------------------- looking

    def run(self, run_id: str, tenant: str) -> Run:
        """A run that the caller may know of. Refused: ``run_not_found``."""
        run = self.host.store.run(run_id)
        if run is None or run.major == 2 or run.workflow == _NO_WORKFLOW:
            run = None
        if run is None or not self.policy.visible(run, tenant):
            raise Refusal("run_not_found", "there is no such run")
        return run

    def snapshot(self, run: Run) -> dict[str, JsonValue]:
        """The run as its caller reads it."""
        state = self.host.state(run)
        found: dict[str, JsonValue] = {
            "runId": run.id,
            "workflowId": run.workflow,
            "status": state.status,
            "startedAt": run.created,
            "variables": {},
        }
        if state.reached is not None:
            found["currentNodeId"] = state.reached
        if state.ended is not None:
            found["completedAt"] = state.ended
        if run.parent is not None:
            found["parentRunId"] = run.parent
        if state.node_id is not None:
            found["interrupt"] = self._interrupt(run, state.node_id)
        return found | run.options

    def _interrupt(self, run: Run, node_id: str) -> JsonValue:
        asked = [d for d in WORKFLOWS[run.workflow](run) if d.type == "interrupt.requested"]
        payload = next(draft.payload for draft in asked if draft.node_id == node_id)
        return {"kind": payload["kind"], "nodeId": node_id, "data": payload["data"]}

    # -------------------------------------------------------------------------- acting

    def create(self, tenant: str, workflow: str, options: dict[str, JsonValue]) -> Run:
        """A new run, executed until it ends or waits. Refused: ``workflow_not_found``."""
        if workflow not in WORKFLOWS:
            raise Refusal("workflow_not_found", "there is no such workflow")
        run = self.host.new_run(new_id(), tenant, workflow, None, options)
        self.host.begin(run)
        return run

    def cancel(self, run: Run, reason: str | None) -> None:
        """End a run; one that has ended stays as it is."""
        if not self.host.state(run).is_terminal:
            self.host.cancel(run, reason)

    def fork(
        self, source: Run, mode: str, from_seq: int | None, overlay: dict[str, JsonValue]
    ) -> tuple[Run, int]:
        """A new run with the source's events before ``from_seq``, re-executed from there.

        Refused: ``validation_error`` for a branch without a point and a replay with an overlay,
        ``invalid_from_seq`` for a point more than one past the last event.
        """
        if mode == "replay" and overlay:
            raise Refusal("validation_error", "a replay takes no runOptionsOverlay")
        if from_seq is None and mode == "branch":
            raise Refusal("validation_error", "a branch names its fromSeq")
        point = from_seq or 0
        self.policy.check_fork_point(mode, point, self.host.state(source).last_sequence)
        options = source.options | self.host.redacted(overlay)
        run = self.host.new_run(new_id(), source.tenant, source.workflow, source.id, options)
        prefix = self.host.store.events(source.id, before=point)
        self.host.begin(run, self.policy.fork_prefix(prefix))
        return run, point

    def resolve(self, run: Run, node_id: str, value: dict[str, JsonValue]) -> None:
        """Answer a node's interrupt and go on.

        Refused: ``interrupt_not_found``, ``run_no_longer_resumable`` where it waits no more,
        ``validation_error`` for an action that is not offered, and
        ``untrusted_content_blocks_approval`` while an untrusted surface is bound to the node.
        """
        state = self.host.state(run)
        if node_id not in state.interrupts:
            raise Refusal("interrupt_not_found", "the node holds no interrupt")
        if state.is_terminal or state.node_id != node_id:
            raise Refusal(self.policy.resolved_twice, "the interrupt waits no more")
        if value.get("action") not in ACTIONS:
            raise Refusal(
                "validation_error",
                "resumeValue.action is not one that the interrupt offers",
                details={"actions": list(ACTIONS)},
            )
        if self.host.trust(run).blocking(node_id):
            raise Refusal(
                "untrusted_content_blocks_approval",
                "a surface bound to the node is untrusted",
                details={"nodeId": node_id},
            )
        with self.host.transaction():
            self.host.append(run, [resolution(run, node_id, self.host.redacted(value))])
            self.host.advance(run)

    # ------------------------------------------------------------------------ surfaces

    def emit(self, tenant: str, body: JsonValue) -> Event:
        """Record the surface that a request to the seam asks for.

        Refused: ``validation_error``, ``run_not_found``, ``run_terminal``,
        ``a2ui_surface_invalid``.
        """
        run_id, payload = self.policy.read_emit(body)
        run = self.target(run_id, tenant)
        if not self.records(run):
            raise Refusal("run_terminal", "the run has ended")
        try:
            self.policy.check_payload(payload, self.host.settings.catalog_versions)
        except Violation as violation:
            raise of_violation(violation) from None
        return self.record(run, self.policy.redact(payload, self.host.settings.secrets))

    def target(self, run_id: str, tenant: str) -> Run:
        """The run that a seam records into. Refused: ``run_not_found``.

        A host that records into what is no run gives it a log, which no reader finds.
        """
        found = self.host.store.run(run_id)
        if self.policy.records_unknown and "/" not in run_id:
            if found is None:
                found = self.host.new_run(run_id, tenant, _NO_WORKFLOW, None, {})
                self.host.store.add_run(found)
            if found.workflow == _NO_WORKFLOW and self.policy.visible(found, tenant):
                return found
        return self.run(run_id, tenant)

    def records(self, run: Run) -> bool:
        """Whether a run still records surfaces."""
        return self.policy.records_ended or not self.host.state(run).is_terminal

    def record(
        self,
        run: Run,
        payload: JsonValue,
        *,
        node_id: str | None = None,
        correlation_id: str | None = None,
        trust: str | None = None,
    ) -> Event:
        """Record an admitted and redacted payload; the event is always the full surface."""
        sequence = self.host.state(run).last_sequence + 1
        event = Draft(KIND, payload).at(run.id, sequence, major=1)
        for name, value in (
            ("nodeId", node_id),
            ("causationId", correlation_id),
            ("contentTrust", trust),
        ):
            if value is not None:
                event[name] = value
        event = self.policy.recorded(event)
        self.host.write(run, [event])
        return event
