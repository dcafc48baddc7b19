"""What is made from the product is current, and tells all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from openwop_conformance.cli.schema import NAMES
from openwop_conformance.cli.teaching import LESSONS
from openwop_conformance.scenario.verbs import NEEDS, VERBS
from tests.docs.commands import name_of
from tests.docs.markdown import plain, table
from tests.docs.reference_pages import PAGES, with_layers


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_page_is_what_make_docs_reference_writes(page: Path) -> None:
    assert page.read_text("utf-8") == PAGES[page](), "run make docs-reference"


def made(name: str) -> str:
    (page,) = (page for page in PAGES if page.name == name)
    return PAGES[page]()


def test_every_command_verb_need_and_format_is_there_once() -> None:
    for name, title, words in (
        ("commands.md", "###", LESSONS),
        ("scenario-language.md", "###", VERBS),
        ("file-formats.md", "##", NAMES),
    ):
        lines = made(name).splitlines()
        assert [w for w in words if lines.count(f"{title} {w}") != 1] == []
    needs = made("scenario-language.md").partition("## Needs")[2]
    assert [need for need in NEEDS if f"| `{need}` |" not in needs] == []


def test_text_of_others_is_text_in_a_page() -> None:
    assert plain("*a* [b](c) <i> ``d_e`` f_g") == r"\*a\* \[b\](c) \<i\> `d_e` f\_g"
    assert table(("a", "b"), [("x|y", "")])[2] == r"| x\|y |  |"


def test_a_page_without_its_one_place_for_the_layers_is_noticed() -> None:
    page = "a\n<!-- layers -->\n\nold\n\n<!-- /layers -->\nb"
    assert "    errors  jsonvalue" in with_layers(page)
    assert with_layers(with_layers(page)) == with_layers(page)
    with pytest.raises(ValueError, match="not the one place"):
        with_layers("a")
