"""``coherence`` as its user meets it: what it prints, and how it leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.rulebook import gates
from openwop_conformance.rulebook.breaking import Copy
from tests.shared_data import upstream_folder

Cli = Callable[..., Any]


@pytest.fixture(autouse=True)
def _fewer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Fewer generated messages, and no cache of the user's."""
    monkeypatch.setitem(gates.GateRun.__init__.__kwdefaults__ or {}, "generated", 400)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def one_copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    folder = tmp_path_factory.mktemp("coherence")
    corpus().copy_to(folder / "copy")
    return Copy(folder / "copy", folder)


@pytest.fixture
def copy(one_copy: Copy) -> Iterator[Copy]:
    """A copy to edit; what a test edits is put right after it."""
    with one_copy.broken(lambda _: None):
        yield one_copy


def test_a_sound_corpus_is_green_with_its_assertions_and_what_was_reached(cli: Cli) -> None:
    code, out, err = cli("coherence", "--upstream", str(upstream_folder()))

    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("21 rules about the corpus ")
    assert "0 unseen" in out
    assert "400 messages generated with seed 209, through 162 of 162 places" in out
    assert "21 kept; " in out.splitlines()[-1]


def test_an_edited_copy_is_red_where_it_was_edited_and_says_what_is_wrong(
    cli: Cli, copy: Copy
) -> None:
    schema = "schemas/ui.a2ui-surface.schema.json"
    copy.edit(schema, "/$defs/Card/additionalProperties", lambda _: True)

    where = ["--corpus", str(copy.folder), "--upstream", str(upstream_folder())]
    code, out, _ = cli("coherence", *where)

    assert code == 1
    assert "FAIL    Every object of the profile is closed" in out
    assert "- profile/closed/card-on-click.json: has to be refused, and is valid" in out
    assert "20 kept, 1 broken; " in out


def test_without_upstream_s_files_what_needs_them_is_blocked_and_never_kept(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "nothing").mkdir()
    code, out, _ = cli("coherence", "--json", "--upstream", str(tmp_path / "nothing"))

    rows = {row["id"]: row for row in json.loads(out)["rows"]}
    blocked = {name for name, row in rows.items() if row["disposition"] == "blocked"}
    assert code == 3
    assert "openwop.requirement.0209.profile-subset-of-upstream" in blocked
    assert "openwop-conformance.corpus.upstream-pinned" in blocked
    assert "openwop-conformance.corpus.official-cases" in blocked
    assert "openwop-conformance.corpus.delta-frame-closed" not in blocked
    assert all("is not in" in rows[name]["reason"] for name in blocked)


def test_a_stale_ledger_fails_the_check_and_is_written_anew(cli: Cli, copy: Copy) -> None:
    where = ["--corpus", str(copy.folder), "--upstream", str(upstream_folder())]
    copy.remove("ledger/corpus-ledger.json")
    assert cli("coherence", "--write", *where)[0] == 0
    assert cli("coherence", "--check", *where)[0] == 0

    path = copy.folder / "fixtures/positive/minimal.json"
    copy.write(path, path.read_bytes().rstrip() + b"\n\n")
    code, out, _ = cli("coherence", "--check", *where)
    assert code == 1
    assert "corpus-ledger.json is stale: at '/corpus': expected " in out


def test_a_copy_to_edit_is_written_and_green(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert cli("coherence", "--export", str(folder))[0] == 0
    names = {path.name for path in folder.iterdir()}
    assert {"schemas", "scenarios", "fixtures", "ledger", "docs"} <= names

    code, _, err = cli("coherence", "--export", str(folder))
    assert code == 2
    assert "is not an empty folder" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--corpus", "nowhere"], "nowhere holds no corpus: none of schemas/, scenarios/"),
        (["--upstream", "nowhere"], "nowhere is no folder"),
        (["--sabotage", "nothing"], "no sabotage of the corpus is called 'nothing'"),
    ],
)
def test_a_mistake_of_the_user_is_told_and_leaves_with_2(
    cli: Cli, arguments: list[str], said: str
) -> None:
    code, out, err = cli("coherence", *arguments)

    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("fixtures/positive/minimal.json", "{", "minimal.json is not strict JSON"),
        ("fixtures/positive/minimal.json", "{}", "fixtures/positive/minimal.json: /: "),
        ("schemas/ai-envelope.schema.json", "[", "ai-envelope.schema.json is not strict JSON"),
        (
            "fixtures/upstream.json",
            "{}",
            'fixtures/upstream.json: /: "a2ui" is a required property',
        ),
        ("ledger/requirements.yaml", "x: [", "requirements.yaml:2:1: "),
    ],
)
def test_a_file_of_the_copy_that_cannot_be_read_is_named(
    cli: Cli, copy: Copy, name: str, text: str, said: str
) -> None:
    copy.write(copy.folder / name, text.encode())
    where = ["--corpus", str(copy.folder), "--upstream", str(upstream_folder())]
    code, _, err = cli("coherence", *where)

    assert code == 2
    assert said in err


def test_one_sabotage_is_carried_out_and_what_it_did_is_printed(cli: Cli) -> None:
    where = ["--upstream", str(upstream_folder())]
    code, out, _ = cli("coherence", *where, "--sabotage", "issued-id-gone")

    assert code == 0
    assert out.splitlines() == [
        "issued-id-gone: An id was issued, is gone, and has no alias.",
        "  turns red openwop-conformance.corpus.ids-kept",
    ]
