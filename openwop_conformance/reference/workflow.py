"""The fixtures as deterministic scripts: what a run does next follows from its log alone.

A fork is re-executed by the same function that executes a run, with the inherited events as the
part of the script that is already done.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from ..jsonvalue import JsonValue
from .events import Draft
from .state import RunState
from .store import Run

GATE: Final = "gate"
ACTIONS: Final = ("accept", "reject")
"""What the approval offers; another action is refused."""


def owner_of(run: Run) -> JsonValue:
    """The owner block of a run: its tenant, and the key holder as the subject."""
    subject = {
        "issuer": "urn:openwop-conformance:api-key",
        "subjectId": f"{run.tenant}-key",
        "tenant": run.tenant,
        "lane": "api-key",
        "kind": "user",
    }
    return {"tenant": run.tenant, "subject": subject}


def next_steps(run: Run, state: RunState) -> list[Draft]:
    """What a run does until it ends or waits: the rest of its script after what is recorded."""
    opening = WORKFLOWS[run.workflow](run)
    done = state.engine_events
    if done < len(opening):
        return opening[done:]
    if state.decision is None:
        return []
    return _closing(state.decision)[done - len(opening) - 1 :]


def resolution(run: Run, node_id: str, resume_value: JsonValue) -> Draft:
    """The event that answers an interrupt."""
    return Draft("interrupt.resolved", _resolved(run, node_id, resume_value), node_id)


def interrupt_id(run: Run, node_id: str) -> str:
    """The tenant-bound id of a node's interrupt, the same whenever it is asked for."""
    return f"{run.tenant}/{hashlib.sha256(f'{run.id} {node_id}'.encode()).hexdigest()[:32]}"


def _started(run: Run) -> Draft:
    return Draft(
        "run.started",
        {"workflowId": run.workflow, "owner": owner_of(run), "transport": "rest"},
    )


def _noop(run: Run) -> list[Draft]:
    return [
        _started(run),
        Draft("node.started", {"nodeId": "noop"}, "noop"),
        Draft("node.completed", {"nodeId": "noop", "outputs": {}}, "noop"),
        Draft("run.completed", {"outputs": {}}),
    ]


def _approval(run: Run) -> list[Draft]:
    request = {
        "kind": "approval",
        "key": GATE,
        "data": {
            "artifactId": "conformance-artifact",
            "artifactType": "text",
            "title": "Approve to finish the run",
            "actions": list(ACTIONS),
        },
    }
    return [
        _started(run),
        Draft("node.started", {"nodeId": GATE}, GATE),
        Draft("interrupt.requested", request, GATE),
        Draft("approval.requested", request, GATE),
        Draft("node.suspended", {"nodeId": GATE, "reason": "approval"}, GATE),
    ]


def _closing(decision: JsonValue) -> list[Draft]:
    cause = decision["eventId"]
    accepted = decision["payload"]["resumeValue"]["action"] == "accept"
    verdict = "approval.granted" if accepted else "approval.rejected"
    outputs = {"approved": accepted}
    return [
        Draft(verdict, decision["payload"], GATE, cause),
        Draft("node.resumed", {"nodeId": GATE}, GATE, cause),
        Draft("node.completed", {"nodeId": GATE, "outputs": outputs}, GATE),
        Draft("run.completed", {"outputs": outputs}),
    ]


def _resolved(run: Run, node_id: str, resume_value: JsonValue) -> JsonValue:
    return {
        "nodeId": node_id,
        "interruptId": interrupt_id(run, node_id),
        "kind": "approval",
        "resumeValue": resume_value,
    }


WORKFLOWS: Final[Mapping[str, Callable[[Run], list[Draft]]]] = MappingProxyType(
    {"conformance-approval": _approval, "conformance-noop": _noop}
)
"""Each fixture's script up to its end or its first wait."""
