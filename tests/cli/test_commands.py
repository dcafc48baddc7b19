"""The commands that ask no host: list, explain, lint, schema; and what is no command at all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from openwop_conformance.cli import COMMANDS
from openwop_conformance.cli.schema import NAMES
from openwop_conformance.corpus import corpus
from openwop_conformance.evidence.requirements import read_requirements
from openwop_conformance.scenario.lint import load_all
from openwop_conformance.suite import VERSION

Cli = Callable[..., Any]
"""Arguments to ``(code, out, err)``."""

PYTHON = [sys.executable, "-m", "openwop_conformance"]


# ----------------------------------------------------------------------------------- usage


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["frob"], "invalid choice: 'frob' (choose from 'run', 'list', 'explain', 'lint', "),
        (["list", "--wide"], "unrecognized arguments: --wide"),
        (["list", "--js"], "unrecognized arguments: --js"),
        (["list", "--lon"], "unrecognized arguments: --lon"),
        (["explain", "x", "--js"], "unrecognized arguments: --js"),
        (["explain"], "the following arguments are required: ID"),
        (["lint", "--fix"], "unrecognized arguments: --fix"),
        (["schema", "html"], "argument name: invalid choice: 'html' (choose from 'scenario', "),
        (["run", "--sel", "x"], "unrecognized arguments: --sel"),
        (["run", "--major", "3"], "argument --major: invalid choice: 3"),
        (["run", "--seed", "-1"], "argument --seed: '-1' is not an integer from 0 to 2^53-1"),
        (["run", "--seed", str(2**53)], "is not an integer from 0 to 2^53-1"),
        (["run", "--jobs", "0"], "argument --jobs: '0' is not an integer from 1 to 256"),
        (["run", "--jobs", "257"], "argument --jobs: '257' is not an integer from 1 to 256"),
        (["run", "--time-scale", "0"], "'0' is not a number from 0.01 to 1000"),
        (["run", "--time-scale", "nan"], "'nan' is not a number from 0.01 to 1000"),
        (["run", "--time-scale", "fast"], "'fast' is not a number from 0.01 to 1000"),
        (["run", "--report", "pdf:x"], "'pdf:x' is not FORM:FILE with a FORM of badge, "),
        (["run", "--report", "json"], "'json' is not FORM:FILE with a FORM of badge, "),
        (["run", "--report", "json:"], "'json:' is not FORM:FILE with a FORM of badge, "),
        (["run", "--wait", "0"], "'0' is not a number of seconds up to 3600"),
        (["run", "--wait", "nan"], "'nan' is not a number of seconds up to 3600"),
        (["run", "--wait", "3601"], "'3601' is not a number of seconds up to 3600"),
        (["run", "--wait", "long"], "'long' is not a number of seconds up to 3600"),
        (["run", "--select"], "argument --select: expected at least one argument"),
        (["serve", "--port", "65536"], "argument --port: '65536' is not a port"),
        (["serve", "--floor", "3"], "argument --floor: invalid choice: 3"),
        (["sabotage", "--fast"], "unrecognized arguments: --fast"),
    ],
    ids=" ".join,
)
def test_arguments_that_make_no_sense_are_exit_2(cli: Cli, arguments: list[str], said: str) -> None:
    code, out, err = cli(*arguments)

    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(cli: Cli, name: str) -> None:
    code, out, _ = cli(name, "--help")
    assert code == 0
    assert out.startswith(f"usage: openwop-conformance {name} ")
    assert f"  {name} " in cli("--help").out


def test_help_explains_the_exit_codes_and_where_keys_come_from(cli: Cli) -> None:
    out = cli("--help").out

    for words in ("0 conformant", "1 something failed", "2 usage", "3 incomplete"):
        assert words in out
    for name in ("OPENWOP_API_KEY", "OPENWOP_TENANT_B_API_KEY", "OPENWOP_CANARY_SECRET_VALUE"):
        assert name in out


def test_the_version_is_the_packages(cli: Cli) -> None:
    assert cli("--version") == (0, f"openwop-conformance {VERSION}\n", "")


# ------------------------------------------------------------------------------------ list


def test_list_prints_each_scenarios_id_and_title_on_a_line(cli: Cli) -> None:
    code, out, err = cli("list")

    assert (code, err) == (0, "")
    for scenario, line in zip(load_all(corpus()), out.splitlines(), strict=True):
        assert line.split(maxsplit=1) == [scenario.id, scenario.title]


def test_list_long_adds_the_row_the_source_and_the_needs(cli: Cli) -> None:
    code, out, _ = cli("list", "--long", "host.v2.limits")

    assert code == 0
    assert [line.strip() for line in out.splitlines()] == [
        "host.v2.limits  A payload holds 1 to 64 messages, an update at most 512 components",
        "openwop-conformance.host.v2.limits",
        "RFC 0209 §A.2, §B.5",
        "needs seam.emit-surface, floor.2, fixture.conformance-approval",
    ]


def test_list_json_is_one_document(cli: Cli) -> None:
    code, out, _ = cli("list", "--json", "host.v2.l?????", "host.v2.legacy-*", "openwop.family.*")

    found = json.loads(out)
    assert code == 0
    assert [o["id"] for o in found] == [
        "host.v2.family",
        "host.v2.legacy-readable",
        "host.v2.limits",
    ]
    assert found[2] == {
        "id": "host.v2.limits",
        "title": "A payload holds 1 to 64 messages, an update at most 512 components",
        "source": "RFC 0209 §A.2, §B.5",
        "subject": "host",
        "major": 2,
        "requirement": "openwop-conformance.host.v2.limits",
        "needs": ["seam.emit-surface", "floor.2", "fixture.conformance-approval"],
        "sabotage": [
            "no-message-cap",
            "no-component-cap",
            "caps-off-by-one",
            "empty-payload-admitted",
        ],
        "file": "scenarios/host/v2/limits.yaml",
    }


def test_a_pattern_that_matches_nothing_is_exit_2(cli: Cli) -> None:
    assert cli("list", "host.*", "hots.*") == (
        2,
        "",
        "openwop-conformance: no scenario matches 'hots.*'\n",
    )


# --------------------------------------------------------------------------------- explain

PARTS = ["The rule (MUST)", "Source", "Why", "What usually breaks it", "How it is witnessed"]


@pytest.mark.parametrize(
    "name",
    [
        "openwop.requirement.0209.fold-guarded",
        "0209.fold-guarded",
        "fold-guarded",
        "host.v2.fold-guarded",
    ],
)
def test_a_row_is_explained_by_its_id_its_scenario_or_the_end_of_either(
    cli: Cli, name: str
) -> None:
    code, out, err = cli("explain", name)

    assert (code, err) == (0, "")
    assert out.startswith("openwop.requirement.0209.fold-guarded\n\nThe rule (MUST)\n  ")
    assert "host.v2.fold-guarded, in scenarios/host/v2/fold-guarded.yaml; needs" in out
    assert "\n  orphan-admitted, orphan-delete-admitted, second-create-admitted,\n" in out


def test_every_row_is_explained_in_all_its_parts(cli: Cli) -> None:
    for row in read_requirements(corpus().requirements).values():
        code, out, _ = cli("explain", row.id)
        flat = " ".join(out.split())

        assert code == 0
        more = {"host": ["Scenario", "Sabotages that turn it red"]}
        more["corpus"] = ["Sabotages that turn it red"]
        more["sdk"] = more["consumer"] = more["host"]
        last = ["Not witnessed yet"] if row.not_yet else more[row.subject]
        for part in [*PARTS[1:], *last]:
            assert f"\n{part}\n  " in out, (row.id, part)
        for text in (f"The rule ({row.level})", row.rule, row.source, row.why, row.breaks):
            assert " ".join(text.split()) in flat, row.id
        assert max(map(len, out.splitlines())) <= 100, row.id


def test_explain_json_is_one_document(cli: Cli) -> None:
    code, out, _ = cli("explain", "--json", "limits")

    found = json.loads(out)
    assert code == 0
    assert found["id"] == "openwop-conformance.host.v2.limits"
    assert found["scenario"]["id"] == "host.v2.limits"
    assert found.keys() >= {"rule", "source", "level", "witness", "why", "breaks"}


def test_an_unknown_row_is_exit_2_with_near_ones(cli: Cli) -> None:
    code, out, err = cli("explain", "fold-gaurded")

    assert (code, out) == (2, "")
    assert err.startswith("openwop-conformance: no requirement is called 'fold-gaurded'; near it: ")
    assert "openwop.requirement.0209.fold-guarded" in err


# ------------------------------------------------------------------------------------ lint

GOOD = """\
scenario: host.v2.mine
title: Mine
source: RFC 0209
subject: host
major: 2
requirement: openwop.requirement.0209.fold-guarded
sabotage: [orphan-admitted]
steps:
- run: conformance-approval
"""


def test_lint_finds_nothing_in_the_corpus(cli: Cli) -> None:
    count = len(load_all(corpus()))

    assert cli("lint") == (0, f"{count} scenarios: nothing is wrong\n", "")


def test_lint_of_a_sound_file_is_exit_0(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(GOOD, "utf-8")

    assert cli("lint", tmp_path / "good.yaml") == (0, "1 scenario: nothing is wrong\n", "")


def test_lint_prints_a_line_for_each_fault_with_its_place(cli: Cli, tmp_path: Path) -> None:
    texts = {
        "verb": GOOD.replace("- run:", "- walk:"),
        "row": GOOD.replace("0209.fold-guarded", "0209.no-such"),
        "sabotage": GOOD.replace("mine", "other").replace("[orphan", "[no-such, orphan"),
        "twice": GOOD.replace("0209.fold-guarded", "0209.no-such"),
    }
    files = []
    for name, text in texts.items():
        files.append(tmp_path / f"{name}.yaml")
        files[-1].write_text(text, "utf-8")

    code, out, err = cli("lint", *files)
    assert (code, err) == (1, "")
    lines = out.replace(f"{tmp_path}/", "").splitlines()
    assert lines[0].startswith("verb.yaml:9:9: unknown verb 'walk'; the verbs are run, emit, ")
    assert lines[1:] == [
        "twice.yaml:1:1: scenario host.v2.mine is already that of row.yaml",
        "twice.yaml:1:1: requirement openwop.requirement.0209.no-such is already that of row.yaml",
        "row.yaml:1:1: no requirement 'openwop.requirement.0209.no-such'",
        "sabotage.yaml:1:1: no sabotage 'no-such'",
        "twice.yaml:1:1: no requirement 'openwop.requirement.0209.no-such'",
    ]


def test_lint_of_a_file_that_is_not_there_is_exit_2(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli("lint", tmp_path / "gone.yaml")

    assert (code, out) == (2, "")
    assert "there is no file" in err


# ---------------------------------------------------------------------------------- schema


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_printed_as_a_valid_one(cli: Cli, name: str) -> None:
    code, out, err = cli("schema", name)

    assert (code, err) == (0, "")
    jsonschema.Draft202012Validator.check_schema(json.loads(out))
    assert json.loads(out)["$id"].startswith("urn:openwop-conformance:schema:")


def test_the_schema_of_scenarios_is_the_one_printed_without_a_name(cli: Cli) -> None:
    assert cli("schema") == cli("schema", "scenario")


def test_every_schema_of_the_package_has_a_name() -> None:
    folder = Path(__file__).resolve().parents[2] / "openwop_conformance" / "schemas"

    assert sorted(NAMES) == sorted(p.name.split(".schema.json")[0] for p in folder.glob("*.json"))


# --------------------------------------------------------------------------- as a process

SLOW = {
    "httpx",
    "starlette",
    "uvicorn",
    "hypothesis",
    "pytest",
    "_pytest",
    "rich",
    "jsonschema",
    "jsonpatch",
    "asyncio",
}


@pytest.mark.parametrize("arguments", [["list"], ["list", "--long"], ["explain", "fold-guarded"]])
def test_what_asks_no_host_loads_none_of_what_a_run_needs(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from openwop_conformance.cli import main\n"
        f"code = main({arguments!r})\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )

    loaded = set(json.loads(done.stderr.replace("'", '"')))
    assert "openwop_conformance" in loaded
    assert loaded & SLOW == set()
    assert done.stdout


def test_a_reader_that_goes_away_ends_a_command_without_a_word() -> None:
    with subprocess.Popen(
        [*PYTHON, "list", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141, "as a shell reports a broken pipe: no verdict"


def test_a_terminal_that_lacks_a_character_ends_nothing() -> None:
    done = subprocess.run(
        [*PYTHON, "list", "--long", "host.v2.limits"],
        env={"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
        check=True,
    )

    assert rb"RFC 0209 \xa7A.2" in done.stdout
    assert done.stderr == b""
