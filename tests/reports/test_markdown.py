"""The Markdown page, to the letter; what a subject cannot make of it; what fits into a summary.

It is read back by ``markdown-it``, which keeps to CommonMark and knows GitHub's tables.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from openwop_conformance.engine.verdict import Disposition, Event, Failure
from openwop_conformance.errors import UsageError
from openwop_conformance.reports.markdown import ROOM, MarkdownReport, code, fenced, text
from tests.report_events import HEADER, HOSTILE, MEANT_ILL, REQUIREMENTS, WHOLE, events, tell


def written(folder: Path, told: tuple[Event, ...], *, left_out: int = 0) -> str:
    path = folder / "new" / "report.md"
    tell(MarkdownReport(path, REQUIREMENTS, replace(HEADER, left_out=left_out)), told)
    return path.read_text("utf-8")


def read(page: str) -> list[Token]:
    """The tokens of a page, those inside of lines too."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


FEWER = events(
    ("kept", Disposition.PASS, "", ()),
    (
        "broken",
        Disposition.FAIL,
        "admitted what has to be refused",
        [
            Failure(
                "admitted what has to be refused",
                "scenarios/host/v2/broken.yaml:12:3",
                because="createSurface on a live surface",
                expected="refused (envelope_invalid)",
                got='201 {"sequence": 6}',
            )
        ],
    ),
    ("gone", Disposition.BLOCKED, "no key was given", ()),
    ("left", Disposition.SKIPPED, "opted out", ()),
)
SNAPSHOT = """\
# openwop-conformance: `http://127.0.0.1:8080`

**Not conformant: 1 rule is broken.**

4 requirements: 1 kept, 1 broken, 1 opted out of, 1 not witnessed.

## Broken rules

### The rule of broken.

Why.

`rows.broken`, from RFC 0209 broken

**admitted what has to be refused**

- rule: createSurface on a live surface
- at: `scenarios/host/v2/broken.yaml:12:3`

Expected:

```text
refused (envelope_invalid)
```

Got:

```text
201 {"sequence": 6}
```

Once more:

```sh
openwop-conformance run http://127.0.0.1:8080 --select host.v2.broken
```

## What this run does not establish

2 scenarios were left out by what was selected.

<details><summary>blocked: 1 not witnessed</summary>

- no key was given: `host.v2.gone`

</details>

<details><summary>skipped: 1 opted out of</summary>

- opted out: `host.v2.left`

</details>

## Evidence

- suite 1.2.3, seed 7
- corpus `DIGEST`
- digest of the rows `DIGEST`

<details><summary>All 4 requirements</summary>

| requirement | outcome | assertions | rule or reason |
|---|---|---|---|
| `rows.broken` | executed-fail | 3 | admitted what has to be refused |
| `rows.gone` | blocked | 0 | no key was given |
| `rows.kept` | executed-pass | 3 | The rule of kept. |
| `rows.left` | skipped | 0 | opted out |

</details>
"""


def test_a_run_is_written_to_the_letter(tmp_path: Path) -> None:
    page = written(tmp_path, FEWER, left_out=2)

    assert re.sub("[0-9a-f]{64}", "DIGEST", page) == SNAPSHOT


@pytest.mark.parametrize(
    ("disposition", "verdict"),
    [(Disposition.PASS, "Conformant"), (Disposition.BLOCKED, "Incomplete")],
)
def test_the_verdict_stands_at_the_top(
    tmp_path: Path, disposition: Disposition, verdict: str
) -> None:
    reason = "" if disposition is Disposition.PASS else "so it is"

    page = written(tmp_path, events(("one", disposition, reason, ())))
    assert page.splitlines()[2].startswith(f"**{verdict}: ")
    assert ("does not establish" in page) is (disposition is Disposition.BLOCKED)


def test_rows_of_one_reason_are_told_together(tmp_path: Path) -> None:
    page = written(tmp_path, WHOLE)

    assert "<summary>inapplicable: 2 do not bind this subject</summary>" in page
    told = r"- replay.modes is \[\]: branch is not offered: `host.v2.absent`, `host.v2.absent-too`"
    assert told in page.splitlines()


def test_of_many_cases_of_one_rule_five_are_shown(tmp_path: Path) -> None:
    page = written(tmp_path, WHOLE)

    assert "**case 2**" in page
    assert "**case 3**" not in page
    assert "… and 2 more cases of the same rule." in page


# ------------------------------------------------------------------------ what is only text

OURS = {
    "heading_open",
    "paragraph_open",
    "bullet_list_open",
    "list_item_open",
    "table_open",
    "thead_open",
    "tbody_open",
    "tr_open",
    "th_open",
    "td_open",
    "strong_open",
    "code_inline",
    "fence",
    "html_block",
    "inline",
    "text",
}


def test_a_page_of_an_ill_meaning_subject_has_the_parts_of_any_other(tmp_path: Path) -> None:
    page = written(tmp_path, MEANT_ILL)
    tokens = read(page)

    assert all(c.isprintable() for c in page.replace("\n", ""))
    kinds = {token.type for token in tokens if not token.type.endswith("_close")}
    assert kinds <= OURS
    html = {token.content.strip() for token in tokens if token.type == "html_block"}
    assert html == {
        "<details><summary>blocked: 1 not witnessed</summary>",
        "<details><summary>All 2 requirements</summary>",
        "</details>",
    }
    heads = [
        inside.content for head, inside in pairwise(tokens) if (head.tag, head.nesting) == ("h2", 1)
    ]
    assert heads == [
        "Broken rules",
        "What this run does not establish",
        "Evidence",
    ]
    assert len([token for token in tokens if token.type == "td_open"]) == 8
    fences = [token.content for token in tokens if token.type == "fence"]
    shown = "".join(c if c.isprintable() else "�" for c in HOSTILE.splitlines()[-1])
    assert [shown in fence for fence in fences] == [True] * 3


@given(said=st.text(st.sampled_from("`~<>&*_[]()#|!\\-+=:/w.1 \n\tab"), min_size=1, max_size=80))
def test_no_text_begins_anything_or_ends_what_it_stands_in(said: str) -> None:
    page = f"- {text(said)}\n\n**{text(said + 'x')}**\n\n| a |\n|---|\n| {text(said)} |\n"
    kinds = [token.type for token in read(page) if not token.type.endswith("_close")]

    allowed = {"bullet_list_open", "list_item_open", "paragraph_open", "inline", "text"}
    allowed |= {"strong_open", "table_open", "thead_open", "tbody_open", "tr_open"}
    allowed |= {"th_open", "td_open", "text_special"}
    assert set(kinds) <= allowed
    assert kinds.count("list_item_open") == kinds.count("th_open") == kinds.count("td_open") == 1


@given(said=st.text(st.sampled_from("`~<>& \n\tab"), min_size=1, max_size=80))
def test_nothing_breaks_out_of_a_fence_or_of_code(said: str) -> None:
    (fence,) = (t for t in read(fenced(said) + "\n\nafter") if t.type == "fence")
    shown = "".join(c if c.isprintable() or c == "\n" else "�" for c in said)
    assert fence.content.removesuffix("\n") == shown.removesuffix("\n")

    (word,) = said.split()[:1] or ["a"]
    flat = " ".join(said.split()) or word
    inside = [t.content for t in read(f"see {code(flat)}, after") if t.type == "code_inline"]
    assert inside == [flat]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("- item", r"\- item"),
        ("+ item", r"\+ item"),
        ("12. item", r"12\. item"),
        ("3) item", r"3\) item"),
        ("# head", r"\# head"),
        ("> quote", r"\> quote"),
        (r"a \| b", r"a \\\| b"),
        ("  two  \n lines ", "two lines"),
        ("http://evil and www.evil.example", r"http\://evil and www\.evil.example"),
        ("plain, with - and . in it", "plain, with - and . in it"),
    ],
)
def test_a_reason_begins_no_block_and_ends_no_cell(tmp_path: Path, said: str, shown: str) -> None:
    page = written(
        tmp_path, events(("x", Disposition.FAIL, said, [Failure(said, "scenarios/x.yaml:1:1")]))
    )

    assert f"\n**{shown}**\n" in page
    assert f"| {shown} |\n" in page


# ----------------------------------------------------------------------- a step's summary


CUT = "**The page is cut here: GitHub takes no more. The report itself has all of it.**"


def appended(path: Path, told: tuple[Event, ...]) -> str:
    tell(MarkdownReport(path, REQUIREMENTS, HEADER, appending=True), told)
    return path.read_text("utf-8")


def test_a_summary_is_the_page_below_what_was_there(tmp_path: Path) -> None:
    page = written(tmp_path, WHOLE)

    assert appended(tmp_path / "summary", WHOLE) == page
    assert appended(tmp_path / "summary", WHOLE) == f"{page}\n{page}"


def many(count: int, reason: str, *failures: Failure) -> tuple[Event, ...]:
    blocked = [(f"n{n}", Disposition.BLOCKED, reason, ()) for n in range(count)]
    return events(*blocked, ("ill", Disposition.FAIL, reason, failures))


def test_a_summary_that_is_too_long_has_fewer_rows_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    page = appended(path, many(2000, "x" * 700))

    assert ROOM * 0.9 < path.stat().st_size <= ROOM
    assert 1000 < page.count("| blocked |") < 2000
    assert page.endswith(f" |\n\n{CUT}\n\n</details>\n")
    assert "<summary>All 2001 requirements</summary>" in page
    assert "## Evidence" in page


def test_a_summary_that_is_too_long_without_rows_ends_after_a_whole_block(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    failures = [Failure("m", "f:1:1", got="x" * ROOM)] * 5
    page = appended(path, many(3, "x", *failures))

    assert path.stat().st_size <= ROOM
    assert page.startswith("# openwop-conformance: ")
    assert "**Not conformant: 1 rule is broken.**" in page
    assert page.endswith(f"\n\n{CUT}\n")
    assert not [token for token in read(page) if token.type == "fence"]


@pytest.mark.parametrize("there", [ROOM - 500, ROOM - 90, ROOM, ROOM + 5])
def test_a_summary_that_is_nearly_full_takes_no_more_than_it_can(
    tmp_path: Path, there: int
) -> None:
    path = tmp_path / "summary"
    path.write_bytes(b"x" * there)
    page = appended(path, WHOLE)

    assert path.stat().st_size <= max(ROOM, there)
    assert page[there:].startswith("\n# openwop") is (there == ROOM - 500)
    assert page[there:] == "" or page.endswith("all of it.**\n")


def test_a_summary_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match=r"^the report cannot be written: "):
        appended(tmp_path / "file" / "summary", WHOLE)
