"""One run, made by hand, as every report is told it; and what an ill-meaning subject says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from openwop_conformance.adapters.host import Request, Response
from openwop_conformance.engine.verdict import (
    Disposition,
    Event,
    Exchange,
    Failure,
    Row,
    RunFinished,
    RunStarted,
    ScenarioFinished,
)
from openwop_conformance.evidence.ledger import Header
from openwop_conformance.evidence.requirements import Requirement
from openwop_conformance.scenario.document import Position
from openwop_conformance.scenario.model import Scenario

HEADER = Header("1.2.3", "c" * 64, "http://127.0.0.1:8080", 7)
JSON = (("Accept", "application/json"), ("Content-Type", "application/json"))
SEAM = "/conformance/seams/sample/a2ui/emit-surface"

ESCAPE = "\x1b[31mred\x1b[0m \x1b]0;title\x07"
HOSTILE = (
    ESCAPE + " [bold red]markup[/] :smile: a\nb\r\n## heading\u2028 \u202ertl\u202c \x9b2J"
    " <script>alert(1)</script> ![x](http://evil) `code` *star* _under_ | cell | #1 @all ~~no~~"
    " $x$ &amp; \\ \x00 " + "x" * 10_000
)


def scenario(name: str) -> Scenario:
    return Scenario(
        id=f"host.v2.{name}",
        title=f"The title of {name}",
        source=f"RFC 0209 {name}",
        subject="host",
        major=2,
        needs=(),
        requirement=f"rows.{name}",
        sabotage=("s",),
        steps=(),
        place=Position(f"scenarios/host/v2/{name}.yaml", 2, 1),
    )


def requirement(name: str) -> Requirement:
    return Requirement(
        f"rows.{name}",
        f"The rule of {name}.",
        f"RFC 0209 {name}",
        "MUST",
        "host",
        "seam-gated",
        "Why.",
        "What.",
    )


def answered(number: int, request: Request, status: int, body: bytes, whose: str) -> Exchange:
    return Exchange(number, request, whose, Response(status, (), body))


MADE = answered(
    1, Request("POST", "/runs", JSON, b'{"workflowId":"w"}'), 201, b'{"runId":"acme/1"}', "owner"
)
EMITTED = answered(
    2,
    Request("POST", SEAM, JSON, b'{"runId":"acme/1","envelope":{"payload":{"surfaceId":"a"}}}'),
    201,
    b'{"sequence":5}',
    "owner",
)
AGAIN = answered(
    3,
    Request(
        "POST", SEAM, JSON, b'{"runId":"acme/1","envelope":{"payload":{"surfaceId":"a"},"n":1}}'
    ),
    201,
    b'{"sequence":6}',
    "other",
)
LOST = Exchange(
    4, Request("GET", "/runs/acme~2F1?x=1", JSON[:1]), "none", fault="no answer in 10 s"
)


def events(
    *results: tuple[str, Disposition, str, Sequence[Failure]], subject: str = HEADER.subject
) -> tuple[Event, ...]:
    """A run's events: for each result a scenario's name, its outcome, its reason, its failures."""
    finished = [
        ScenarioFinished(
            scenario(name),
            Row(
                f"rows.{name}",
                f"host.v2.{name}",
                disposition,
                3 if disposition in (Disposition.PASS, Disposition.FAIL) else 0,
                reason,
            ),
            tuple(failures),
            (MADE, EMITTED, AGAIN, LOST),
        )
        for name, disposition, reason, failures in results
    ]
    rows = tuple(sorted((f.row for f in finished), key=lambda row: row.id))
    started = RunStarted(subject, HEADER.seed, tuple(f.scenario for f in finished))
    return (started, *finished, RunFinished(rows, 1.25))


WHOLE = events(
    ("kept", Disposition.PASS, "", ()),
    (
        "broken",
        Disposition.FAIL,
        "admitted what has to be refused",
        (
            Failure(
                "admitted what has to be refused",
                "scenarios/host/v2/broken.yaml:12:3",
                because="createSurface on a live surface",
                expected="refused (envelope_invalid, rule fold)",
                got='201 {"sequence": 6}',
                case="profile/x.json",
                exchange=AGAIN,
            ),
            Failure("no answer: no answer in 10 s", "scenarios/b.yaml:13:3", exchange=LOST),
            *(
                Failure(f"case {n}", f"scenarios/b.yaml:{n}:3", case=f"c/{n}.json")
                for n in range(5)
            ),
        ),
    ),
    ("gone", Disposition.BLOCKED, "no second tenant's key was given", ()),
    ("absent", Disposition.INAPPLICABLE, "replay.modes is []: branch is not offered", ()),
    ("absent-too", Disposition.INAPPLICABLE, "replay.modes is []: branch is not offered", ()),
    ("left", Disposition.SKIPPED, "the operator opted out of canary", ()),
)
REQUIREMENTS = {f"rows.{n}": requirement(n) for n in ("kept", "broken", "gone", "absent", "left")}
"""All but one: a row without its words still has a place in a report."""

MEANT_ILL = events(
    (
        "ill",
        Disposition.FAIL,
        HOSTILE,
        (
            Failure(
                HOSTILE,
                "scenarios/ill.yaml:1:1",
                because="the rule",
                expected=HOSTILE,
                got=HOSTILE,
                exchange=Exchange(
                    1,
                    Request("POST", "/x", (), '{"a":"\x7f\u202e\U000e0001"}'.encode()),
                    "owner",
                    fault=HOSTILE,
                ),
            ),
        ),
    ),
    ("shut", Disposition.BLOCKED, HOSTILE, ()),
    subject="http://h/" + HOSTILE,
)


def tell(listener: Callable[[Event], None], told: Sequence[Event]) -> None:
    """Tell a listener all events of a run."""
    for event in told:
        listener(event)
