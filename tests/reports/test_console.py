"""What a person reads at the end of a run, to the letter, and what never reaches the terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from openwop_conformance.engine.verdict import Disposition, Event
from openwop_conformance.reports.console import ConsoleReport
from tests.report_events import MEANT_ILL, REQUIREMENTS, WHOLE, events, tell


def printed(told: tuple[Event, ...], *, terminal: bool = False) -> str:
    out = io.StringIO()
    console = Console(
        file=out, force_terminal=terminal, width=80, color_system="standard" if terminal else None
    )
    report = ConsoleReport(console, REQUIREMENTS, "1.2.3")
    try:
        tell(report, told)
    finally:
        report.close()
    return out.getvalue()


SNAPSHOT = """\
openwop-conformance 1.2.3: 6 scenarios against http://127.0.0.1:8080 (seed 7)

FAIL  The rule of broken.
      id        rows.broken
      source    RFC 0209 broken

      admitted what has to be refused
      rule      createSurface on a live surface
      fixture   profile/x.json
      expected  refused (envelope_invalid, rule fold)
      got       201 {"sequence": 6}
      at        scenarios/host/v2/broken.yaml:12:3
      exchange  POST /conformance/seams/sample/a2ui/emit-surface → 201
      curl      HOST=http://127.0.0.1:8080
                RUN1=$(curl -sS -X POST -H 'Accept: application/json' -H 'Content-Type: application/json' -H "Authorization: Bearer $OPENWOP_API_KEY" --data-raw '{"workflowId":"w"}' "$HOST"/runs | sed 's/.*"runId" *: *"\\([^"]*\\)".*/\\1/')
                curl -sS -w '\\n%{http_code}\\n' -X POST -H 'Accept: application/json' -H 'Content-Type: application/json' -H "Authorization: Bearer $OPENWOP_API_KEY" --data-raw '{"runId":"'"$RUN1"'","envelope":{"payload":{"surfaceId":"a"}}}' "$HOST"/conformance/seams/sample/a2ui/emit-surface
                curl -sS -w '\\n%{http_code}\\n' -X POST -H 'Accept: application/json' -H 'Content-Type: application/json' -H "Authorization: Bearer $OPENWOP_TENANT_B_API_KEY" --data-raw '{"runId":"'"$RUN1"'","envelope":{"payload":{"surfaceId":"a"},"n":1}}' "$HOST"/conformance/seams/sample/a2ui/emit-surface

      no answer: no answer in 10 s
      at        scenarios/b.yaml:13:3
      exchange  GET /runs/acme~2F1 → no answer in 10 s

      case 0
      fixture   c/0.json
      at        scenarios/b.yaml:0:3

      case 1
      fixture   c/1.json
      at        scenarios/b.yaml:1:3

      case 2
      fixture   c/2.json
      at        scenarios/b.yaml:2:3
      … and 2 more cases of the same rule
      again     openwop-conformance run http://127.0.0.1:8080 --select host.v2.broken

blocked: not witnessed
      no second tenant's key was given
        host.v2.gone

skipped: opted out of
      the operator opted out of canary
        host.v2.left

inapplicable: do not bind this subject
      replay.modes is []: branch is not offered
        host.v2.absent, host.v2.absent-too

Not conformant: 1 rule is broken.
6 requirements: 1 kept, 1 broken, 1 opted out of, 2 do not bind this subject, 1 not witnessed; 1.2 s
"""  # noqa: E501


def test_a_run_is_printed_to_the_letter() -> None:
    assert printed(WHOLE) == SNAPSHOT


def test_the_order_in_which_scenarios_end_does_not_show() -> None:
    assert printed((WHOLE[0], *WHOLE[-2:0:-1], WHOLE[-1])) == SNAPSHOT


@pytest.mark.parametrize(
    ("disposition", "last"),
    [
        (
            Disposition.PASS,
            "Conformant: the 1 rule that binds this subject was witnessed, and kept.\n"
            "1 requirement: 1 kept; 1.2 s\n",
        ),
        (
            Disposition.BLOCKED,
            "Incomplete: nothing failed, but 1 rule was not witnessed.\n"
            "1 requirement: 1 not witnessed; 1.2 s\n",
        ),
        (
            Disposition.INAPPLICABLE,
            "Incomplete: no rule was witnessed.\n"
            "1 requirement: 1 do not bind this subject; 1.2 s\n",
        ),
    ],
)
def test_the_last_lines_are_the_verdict(disposition: Disposition, last: str) -> None:
    reason = "" if disposition is Disposition.PASS else "so it is"

    assert printed(events(("one", disposition, reason, ()))).endswith("\n\n" + last)


def test_a_connectable_is_quoted_where_a_shell_would_change_it() -> None:
    broken = events(("x", Disposition.FAIL, "r", ()), subject="reference?floor=1&db=a b")

    assert "run 'reference?floor=1&db=a b' --select host.v2.x\n" in printed(broken)


def test_a_subject_without_an_address_leaves_its_host_to_the_reader() -> None:
    assert "HOST=http://127.0.0.1:8080  # its URL\n" in printed(
        (events(subject="reference")[0], *WHOLE[1:])
    )


def test_nothing_that_a_subject_says_is_markup_or_control() -> None:
    text = printed(MEANT_ILL)

    assert all(c.isprintable() for c in text.replace("\n", ""))
    assert len(text.splitlines()) == len(printed(MEANT_ILL).split("\n")) - 1 < 30
    assert "[bold red]markup[/] :smile: a�b��## heading�" in text
    assert "�[31mred�[0m" in text
    assert r'{"a":"\u007f\u202e\udb40\udc01"}' in text


def test_on_a_terminal_only_our_own_styles_are_control() -> None:
    text = printed(MEANT_ILL, terminal=True)

    ours = [code.partition("m")[0] for code in text.split("\x1b[")[1:]]
    assert "\x9b" not in text
    assert "\u202e" not in text
    assert "\x1b]" not in text
    assert "1;31" in ours, "the styles are on"
    assert "�[31mred" in text
    assert text.count("[bold red]markup[/]") == 8


def test_a_run_that_breaks_off_leaves_the_terminal_as_it_was() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=80)
    report = ConsoleReport(console, {}, "1.2.3")
    report(WHOLE[0])
    report(WHOLE[1])

    report.close()
    report.close()

    assert out.getvalue().count("\x1b[?25l") == out.getvalue().count("\x1b[?25h") == 1
