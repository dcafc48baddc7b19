"""The HTML page as a file: what it says, that it is whole in itself, and what no subject can do."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from openwop_conformance.adapters.host import Request, Response
from openwop_conformance.engine.verdict import (
    Disposition,
    Event,
    Exchange,
    Failure,
    RunFinished,
    RunStarted,
    ScenarioFinished,
)
from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.ledger import Header, digest
from openwop_conformance.evidence.requirements import Requirement
from openwop_conformance.reports.html import MOST_BYTES, HtmlReport
from openwop_conformance.scenario.model import Subject
from tests.report_events import (
    AGAIN,
    HEADER,
    MEANT_ILL,
    REQUIREMENTS,
    WHOLE,
    events,
    requirement,
    tell,
)

BEGAN = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
UNSEEN = replace(requirement("unseen"), not_yet="Nobody can see it.")


def written(
    folder: Path,
    told: tuple[Event, ...],
    header: Header = HEADER,
    requirements: dict[str, Requirement] = REQUIREMENTS,
) -> str:
    path = folder / "new" / "report.html"
    tell(HtmlReport(path, requirements, header, lambda: BEGAN), told)
    return path.read_text("utf-8")


INLINE = ("a", "b", "code", "em", "mark", "span", "strong")


class Skeleton(HTMLParser):
    """The tags of a page with their attributes' names, and its text without style and script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, ...]] = []
        self.values: list[tuple[str, str, str]] = []
        self.said = ""
        self._own = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, *(name for name, _ in attrs)))
        self.values += [(tag, name, value or "") for name, value in attrs]
        self._own = tag in ("style", "script")
        self.said += "" if tag in INLINE else " "

    def handle_endtag(self, tag: str) -> None:
        self.tags.append((f"/{tag}",))
        self._own = False

    def handle_data(self, data: str) -> None:
        if not self._own:
            self.said += data

    def handle_comment(self, data: str) -> None:
        self.tags.append(("!--", data))

    @property
    def words(self) -> str:
        return " ".join(self.said.split())


# ----------------------------------------------------------------------------- what it says


def test_the_verdict_comes_first_then_what_broke_then_what_is_not_known(tmp_path: Path) -> None:
    words = Skeleton(written(tmp_path, WHOLE)).words

    places = [
        words.index(text)
        for text in (
            "Not conformant: 1 rule is broken.",
            "Host http://127.0.0.1:8080",
            "6 rules in 1.2 s, 2 January 2030, 03:04 UTC",
            "Not established: 1 rule not witnessed, 1 rule opted out of, 2 rules that do not bind",
            "What is broken The rule of broken.",
            "What this run does not establish",
            "Every rule Search",
            "How to check it The same outcome",
        )
    ]
    assert places == sorted(places)


def test_a_failure_has_its_rule_why_it_is_one_and_how_to_see_it_again(tmp_path: Path) -> None:
    words = Skeleton(written(tmp_path, WHOLE)).words

    for text in (
        "rows.broken MUST RFC 0209 broken",
        "Why there is this rule Why.",
        "What usually breaks it What.",
        "admitted what has to be refused Rule createSurface on a live surface "
        "Fixture profile/x.json Asked at scenarios/host/v2/broken.yaml:12:3 Shown by exchange 3",
        "Expected refused (envelope_invalid, rule fold)",
        'Got 201 {"sequence": 6}',
        "2 more cases of the same rule c/3.json: case 3 c/4.json: case 4",
        "3 POST /conformance/seams/sample/a2ui/emit-surface → 201 shows the failure "
        "65 B sent, 14 B received",
        "Sent with the second tenant's key",
        "4 GET /runs/acme~2F1?x=1 → no answer in 10 s shows the failure",
        "RUN1=$(curl -sS -X POST -H 'Accept: application/json'",
        "openwop-conformance run http://127.0.0.1:8080 --select host.v2.broken",
    ):
        assert text in words, text


def test_what_is_not_established_is_said_with_its_reasons(tmp_path: Path) -> None:
    header = replace(HEADER, left_out=1)
    requirements = {**REQUIREMENTS, "rows.unseen": UNSEEN, "rows.later": requirement("later")}

    words = Skeleton(written(tmp_path, WHOLE, header, requirements)).words

    for text in (
        "1 rule not witnessed They bind this subject, or may, and could not be witnessed. "
        "no second tenant's key was given The rule of gone.",
        "1 rule opted out of Whoever ran this left them out on purpose. "
        "the operator opted out of canary The rule of left.",
        "replay.modes is []: branch is not offered The rule of absent. The title of absent-too",
        "1 scenario left out of this run Nothing is said about their rules. "
        "They were not selected. The rule of later.",
        "1 rule that no scenario asks about They bind, and this suite cannot or does not yet "
        "witness them. Nobody can see it. The rule of unseen.",
        "This is one run at one moment.",
        "was reached at an address of the machine on which the suite ran",
    ):
        assert text in words, text


@pytest.mark.parametrize(
    ("subject", "kind", "said"),
    [
        ("reference?floor=1", "host", "It is no deployed one: this run says that the suite works"),
        ("asgi:a:b", "host", "loaded into the process of the suite. It is not a deployed one"),
        ("http://[::1]:80/x", "host", "at an address of the machine on which the suite ran"),
        ("https://localhost.example", "host", "and may be another one tomorrow"),
        ("stdio:node x", "sdk", "what the adapter does is judged with it"),
        ("browser:reference", "consumer", "Other browsers, and the application around a renderer"),
    ],
)
def test_the_page_says_where_the_subject_was(
    tmp_path: Path, subject: str, kind: Subject, said: str
) -> None:
    header = replace(HEADER, subject=subject, kind=kind)

    assert said in Skeleton(written(tmp_path, WHOLE, header)).words


def test_the_page_says_how_to_check_it(tmp_path: Path) -> None:
    header = Header("1.2.3", "c" * 64, "a b", 7, left_out=3, kind="sdk")
    end = WHOLE[-1]
    assert isinstance(end, RunFinished)

    words = Skeleton(written(tmp_path, WHOLE, header)).words

    assert "openwop-conformance run --sdk 'a b' --seed 7 --trace trace.jsonl --select …" in words
    assert "openwop-conformance rederive trace.jsonl" in words
    assert f"Digest of the corpus {'c' * 64} Digest of the rows {digest(end.rows)} Seed 7" in words
    assert "6 run, 3 left out Began 2030-01-02T03:04:05Z" in words


def test_each_rule_is_a_row_with_what_the_filters_ask_for(tmp_path: Path) -> None:
    rows = [v for v in Skeleton(written(tmp_path, WHOLE)).values if v[0] == "tr"]

    found = [value for _, name, value in rows if name == "data-outcome"]
    assert found == [
        "executed-fail",
        "blocked",
        "executed-pass",
        "skipped",
        "inapplicable",
        "inapplicable",
    ]
    assert {value for _, name, value in rows if name == "data-subject"} == {"Host, major 2"}
    sources = [value for _, name, value in rows if name == "data-sources"]
    assert sources == ["|RFC|"] * 6, "no clause is cited: the first word stands for the document"


def test_the_order_in_which_scenarios_end_does_not_show(tmp_path: Path) -> None:
    told = written(tmp_path, WHOLE)

    assert written(tmp_path, (WHOLE[0], *WHOLE[-2:0:-1], WHOLE[-1])) == told


def test_of_much_that_failed_each_rule_is_a_line_and_none_is_open(tmp_path: Path) -> None:
    two = events(
        ("a", Disposition.FAIL, "r", (Failure("one", "x.yaml:1:1"),)),
        ("b", Disposition.FAIL, "r", (Failure("two", "x.yaml:1:1"),)),
    )
    one = events(("a", Disposition.FAIL, "r", (Failure("one", "x.yaml:1:1"),)))

    def opened(told: tuple[Event, ...]) -> list[bool]:
        tags = Skeleton(written(tmp_path, told)).tags
        return ["open" in tag for tag in tags if tag[0] == "details" and "id" in tag]

    assert opened(one) == [True]
    assert opened(two) == [False, False]


def test_a_page_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^the report cannot be written: "):
        tell(HtmlReport(tmp_path, {}, HEADER), WHOLE)


# --------------------------------------------------------------------------- whole in itself


def test_the_policy_lets_in_this_style_and_this_script_and_nothing_else(tmp_path: Path) -> None:
    text = written(tmp_path, WHOLE)

    def allowed(tag: str) -> str:
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        return base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()

    (policy,) = (v for _, n, v in Skeleton(text).values if n == "content" and "default-src" in v)
    assert policy == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{allowed('style')}'; "
        f"script-src 'sha256-{allowed('script')}'; base-uri 'none'; form-action 'none'"
    )


def test_nothing_in_the_page_has_an_address(tmp_path: Path) -> None:
    page = Skeleton(written(tmp_path, WHOLE))

    links = [value for _, name, value in page.values if name in ("href", "src", "action")]
    assert len(links) > 5
    assert [link for link in links if not link.startswith("#")] == ["data:,"]
    assert not [tag for tag in page.tags if "style" in tag[1:]], "the policy would refuse it"
    assert "url(" not in written(tmp_path, WHOLE)


def test_every_link_has_its_place(tmp_path: Path) -> None:
    page = Skeleton(written(tmp_path, WHOLE))

    ids = [value for _, name, value in page.values if name == "id"]
    assert len(ids) == len(set(ids))
    targets = {v[1:] for _, n, v in page.values if n == "href" and v.startswith("#")}
    assert targets <= set(ids)


# -------------------------------------------------------------------------- hostile subjects

ATTACKS = (
    "</script><script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    "</title></textarea></pre></details>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)' x='",
    "<!-- <svg/onload=alert(1)>",
    "]]><![CDATA[ &lt;b&gt; &#60;b&#62;",
    "{{ 7 * 7 }}{% raw %}{# x #}",
    "javascript:alert(1)",
    "\x00\x07\x1b[31m\x7f\x9b2J\r",
    "\u202egnp.exe\u2066\u200b\u2028\ufeff\U000e0001",
    "\ud800\udfff \udc00",
)


def said_everywhere(text: str) -> tuple[Event, ...]:
    """A run in which the subject says a text wherever it can say something."""
    reason = text.encode("utf-8", "replace").decode()
    body = json.dumps({reason: [reason]}).encode()
    raw = text.encode("utf-8", "surrogatepass")
    heard = Exchange(
        1,
        Request("POST", f"/x?{text}", ((text, text),), body),
        "owner",
        Response(200, ((text, text),), raw),
    )
    lost = Exchange(2, Request("CALL", text, (), body), "none", fault=text)
    failures = [
        Failure(text, "a.yaml:1:1", text, f"{text} 1", f"{text} 2", text, heard, text),
        Failure(text, "a.yaml:1:1", None, body.decode(), json.dumps({reason: []}), exchange=lost),
        *[Failure(text, "a.yaml:1:1", case=text)] * 5,
    ]
    told = events(
        ("ill", Disposition.FAIL, reason, failures),
        ("shut", Disposition.BLOCKED, reason, ()),
        subject=text,
    )
    costs = {"work": text, "unit": text, "n": 25, "costs": [1.0, 2.0, 40.0]}
    finished, end = told[1], told[-1]
    assert isinstance(finished, ScenarioFinished)
    assert isinstance(end, RunFinished)
    row = replace(finished.row, measured=[costs])
    return (
        told[0],
        replace(finished, row=row, exchanges=(heard, lost)),
        told[2],
        replace(end, rows=(row, *end.rows[1:]), dialect={"seam": text}),
    )


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_what_a_subject_says_changes_no_tag_and_no_attribute(tmp_path: Path, attack: str) -> None:
    text = written(tmp_path, said_everywhere(attack), replace(HEADER, subject=attack))
    calm = written(tmp_path, said_everywhere("calm"), replace(HEADER, subject="calm"))

    page, other = Skeleton(text), Skeleton(calm)
    marks = [("mark",), ("/mark",)]
    assert [t for t in page.tags if t not in marks] == [t for t in other.tags if t not in marks]
    assert [c for c in text if not c.isprintable() and c != "\n"] == []
    assert len(text) > len(calm)


def test_what_would_not_be_seen_is_shown(tmp_path: Path) -> None:
    page = Skeleton(written(tmp_path, said_everywhere("a\u202eb\x1bc\ud800d")))

    assert "a⟨U+202E⟩b⟨U+001B⟩c⟨U+D800⟩d" in page.said
    assert "a⟨U+202E⟩b⟨U+001B⟩c\\xed\\xa0\\x80d" in page.said, "bytes that are no UTF-8"


def test_a_run_that_is_meant_ill_is_told_like_any_other(tmp_path: Path) -> None:
    page = Skeleton(written(tmp_path, MEANT_ILL))

    assert "<script>alert(1)</script>" in page.said
    assert sum(tag[0] == "script" for tag in page.tags) == 1
    assert "more characters are not shown" in page.said


def test_no_header_that_carries_a_key_is_shown(tmp_path: Path) -> None:
    private = ("Authorization", "Proxy-Authorization", "Cookie", "set-cookie")
    headers = tuple((name, f"Bearer {name}-secret") for name in private)
    seen = Exchange(2, Request("GET", "/x", headers), "owner", Response(200, headers, b""))
    failures = [Failure("r", "a.yaml:1:1", exchange=AGAIN)]
    started, finished, end = events(("broken", Disposition.FAIL, "r", failures))
    assert isinstance(finished, ScenarioFinished)

    text = written(tmp_path, (started, replace(finished, exchanges=(seen, AGAIN)), end))

    assert text.count("not shown") == 8
    assert "-secret" not in text


# ---------------------------------------------------------------------------------- its size


def flood(letter: str) -> Callable[[int], ScenarioFinished]:
    """A broken rule with many cases and exchanges, all of them large."""
    much = letter * 6_000
    body = json.dumps({"a": much}, ensure_ascii=False).encode()
    headers = tuple((f"x-{n}", much) for n in range(50))

    def finished(number: int) -> ScenarioFinished:
        exchanges = tuple(
            Exchange(n, Request("POST", f"/{much}", headers, body), "owner", response)
            for n in range(1, 13)
        )
        failures = [
            Failure(much, "a.yaml:1:1", "why", much, f"x{much}", "c.json", exchange, much)
            for exchange in exchanges
        ]
        made = events((f"r{number:03}", Disposition.FAIL, much[:1000], failures))[1]
        assert isinstance(made, ScenarioFinished)
        return replace(made, exchanges=exchanges)

    response = Response(200, headers, body)
    return finished


@pytest.mark.parametrize("letter", ["x", "<", "\u202e"])
def test_191_broken_rules_and_endless_bodies_stay_below_the_bound(
    tmp_path: Path, letter: str
) -> None:
    make = flood(letter)
    finished = [make(number) for number in range(191)]
    rows = tuple(each.row for each in finished)
    started = RunStarted("s", 7, tuple(each.scenario for each in finished))

    text = written(tmp_path, (started, *finished, RunFinished(rows)))

    assert len(text.encode()) < MOST_BYTES
    assert text.count('<details class="broken"') == 191
    assert text.count("<h4>") >= 3 * 191, "a message, its exchanges, and how to see it again"
    assert text.count("more characters are not shown") > 191


def test_of_one_broken_rule_much_is_shown(tmp_path: Path) -> None:
    finished = flood("x")(0)
    started = RunStarted("s", 7, (finished.scenario,))

    text = written(tmp_path, (started, finished, RunFinished((finished.row,))))

    assert text.count(' class="failing"') == 5
    assert len(text.encode()) < MOST_BYTES / 10
