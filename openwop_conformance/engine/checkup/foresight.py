"""What a run would say before its first assertion: each scenario's gates, and no step of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...scenario.model import Scenario
from ..gates import decide
from ..run import SCENARIO_WITHIN, held_back
from ..session import Session, asked_for
from ..verdict import Disposition
from ..witness import Witness


@dataclass(frozen=True, slots=True)
class Outlook:
    """A scenario, and the disposition that its gates give it; ``None`` where it would be asked."""

    scenario: Scenario
    disposition: Disposition | None = None
    reason: str = ""


async def foreseen(scenarios: Sequence[Scenario], session: Session) -> tuple[Outlook, ...]:
    """The outlook of each scenario. What is sent is what the gates send, once for all of them."""
    return tuple([await _outlook(scenario, session) for scenario in scenarios])


async def _outlook(scenario: Scenario, session: Session) -> Outlook:
    with asked_for(scenario.id):
        try:
            async with session.within(SCENARIO_WITHIN):
                await decide(session, scenario)
        except Exception as fault:
            disposition, reason = held_back(fault)
            return Outlook(scenario, disposition, Witness(session, scenario).plain(reason))
        return Outlook(scenario)


def exit_code(outlooks: Sequence[Outlook]) -> int:
    """0 when a run can witness what binds; 3 when it cannot, or when nothing binds."""
    found = {outlook.disposition for outlook in outlooks}
    return 0 if None in found and Disposition.BLOCKED not in found else 3


def gathered(
    outlooks: Sequence[Outlook], disposition: Disposition
) -> list[tuple[str, list[Scenario]]]:
    """The scenarios of a disposition by their reasons, those of the most first."""
    groups: dict[str, list[Scenario]] = {}
    for outlook in outlooks:
        if outlook.disposition is disposition:
            groups.setdefault(outlook.reason, []).append(outlook.scenario)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
