"""Every behaviour of major 1 that a sabotage, or a dialect, may replace, as one frozen value."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...jsonvalue import JsonValue
from ...wire.kinds import UNIVERSAL_KINDS
from .. import redaction
from ..events import Event
from ..redaction import Secrets
from ..refusal import Refusal
from ..settings import Settings
from ..state import RunState
from ..store import Run
from ..streaming import Writer
from . import admission, outcome, reading, refusal
from .delta import Base, Projection
from .discovery import PROTOCOL_VERSION, document, negotiate
from .outcome import Outcome
from .reading import Reading

if TYPE_CHECKING:
    from ..host import Host


def visible(run: Run, tenant: str) -> bool:
    """Whether a caller may know of a run."""
    return run.tenant == tenant


def blocks_approval(content_trust: str | None) -> bool:
    """Whether content keeps an approval that it is bound to from advancing (RFC 0102 §A.5)."""
    return content_trust == "untrusted"


def check_fork_point(mode: str, point: int, last_sequence: int) -> None:
    """Refuse to fork behind the end of the log: one past its last event is its end."""
    if point > last_sequence + 1:
        raise Refusal(
            "invalid_from_seq",
            "fromSeq is past the end of the source",
            details={"fromSeq": point, "maxSeq": last_sequence},
        )


def kind_known(kind: str, supported: Collection[str]) -> bool:
    """Whether a kind is handled: the universal ones always are."""
    return kind in UNIVERSAL_KINDS or kind in supported


def conflicts(recorded_type: str, envelope_type: str) -> bool:
    """Whether a correlationId that is taken is taken by another type of envelope."""
    return recorded_type != envelope_type


def unchanged(value: JsonValue) -> JsonValue:
    """The value as it is."""
    return value


@dataclass(frozen=True, slots=True)
class V1Policy:
    """The behaviours, in the order in which a request meets them."""

    # --- every request
    version_header: str | None = PROTOCOL_VERSION
    negotiate: Callable[[str | None], bool] = negotiate
    error_answer: Callable[[str, str, dict[str, JsonValue]], tuple[int, JsonValue]] = (
        refusal.error_answer
    )
    malformed: str = "validation_error"
    """The code of a body that is not JSON."""
    visible: Callable[[Run, str], bool] = visible

    # --- discovery
    discovery: Callable[[Settings], dict[str, JsonValue]] = document

    # --- runs
    first_sequence: int = 0
    resolved_twice: str = "run_no_longer_resumable"
    """The code of an interrupt that waits no more."""
    blocks_approval: Callable[[str | None], bool] = blocks_approval
    """A surface's ``contentTrust`` → whether it blocks an approval that a run waits for."""
    check_fork_point: Callable[[str, int, int], None] = check_fork_point
    """The mode, the point and the source's last sequence; raises ``Refusal``."""
    fork_prefix: Callable[[list[Event]], list[Event]] = unchanged
    """The events before the point → what the fork has of them."""

    # --- surfaces
    read_emit: Callable[[JsonValue], tuple[str, JsonValue]] = admission.read_emit
    records_unknown: bool = False
    """Whether the seam records into a run that there is not."""
    records_ended: bool = False
    """Whether a run that has ended still records surfaces."""
    check_payload: Callable[[JsonValue, tuple[str, ...]], None] = admission.check_tree
    """A payload and the pinned catalog versions; raises ``Violation``."""
    redact: Callable[[JsonValue, Secrets], JsonValue] = redaction.redact
    recorded: Callable[[Event], Event] = unchanged
    """The event of an admitted surface → what is recorded."""
    emit_answer: Callable[[Event], tuple[int, JsonValue]] = admission.emit_answer

    # --- the acceptor
    acceptor_blocks: Callable[[str | None], bool] = blocks_approval
    """An envelope's ``contentTrust`` → whether the acceptor blocks it at an approval."""
    kind_known: Callable[[str, Collection[str]], bool] = kind_known
    conflicts: Callable[[str, str], bool] = conflicts
    remembers: bool = False
    """Whether the acceptor knows correlations again that were of no run."""
    outcome_body: Callable[[Outcome], JsonValue] = outcome.outcome_body

    # --- reading
    log_answer: Callable[[list[Event], RunState], JsonValue] = reading.log_answer
    poll_answer: Callable[[list[Event], RunState], JsonValue] = reading.poll_answer
    served_log: Callable[[list[Event], bool], list[Event]] = reading.whole
    """The log, and whether deltas were asked for → what is served of it as JSON."""
    served_poll: Callable[[list[Event]], list[Event]] = unchanged
    shown: Callable[[str, frozenset[str]], bool] = reading.shown
    resumes_after: Callable[[int], int] = unchanged
    batched: Callable[[list[Event]], list[Event]] = unchanged
    """The events that a buffer gathered → what the batch holds."""
    follow: Callable[[Host, Run, Reading, Writer], Awaitable[AsyncIterator[bytes]]] = reading.follow
    """How a stream begins, before its first byte."""

    # --- deltas
    asks_for_deltas: Callable[[str | None], bool] = reading.asks_for_deltas
    base: Base = "payload"
    """What a patch's pointers start from."""
    delta: Projection = field(default_factory=Projection)
