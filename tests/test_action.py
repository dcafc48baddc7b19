"""``action.yml``: what a workflow gives it reaches the command whole, and is never run as a script.

The steps are executed as a runner does it, by bash, against a command that notes how it was called.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
import yaml

from openwop_conformance.cli import parser
from tests.shared_data import REPOSITORY

ACTION: Final = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
STEPS: Final = {step.get("id", "install"): step for step in ACTION["runs"]["steps"]}
INPUTS: Final = ACTION["inputs"]
SECRETS: Final = {
    "api-key": "OPENWOP_API_KEY",
    "tenant-b-api-key": "OPENWOP_TENANT_B_API_KEY",
    "canary-secret-value": "OPENWOP_CANARY_SECRET_VALUE",
}
LINES: Final = {"select": "--select", "opt-out": "--opt-out", "reports": "--report"}
HOSTILE: Final = (
    "'; touch pwned; '",
    '"; touch pwned; "',
    "$(touch pwned)",
    "`touch pwned`",
    "${IFS}&& touch pwned",
    "--ledger=pwned",
    "*",
    "a  b",
    "\\",
    "ä\t|\u2028",
)
"""Each on one line, as a pattern is."""
HOSTILE_LINES: Final = (*HOSTILE, "a\nb", "a\nexit-code=0\nb", "a\n$(touch pwned)\n")

_EXPRESSION = re.compile(r"\$\{\{ inputs\.([a-z-]+)(?: \|\| env\.([A-Z_]+))? \}\}")

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


def test_no_script_holds_an_expression_and_no_step_is_another_s() -> None:
    assert len(STEPS) == len(ACTION["runs"]["steps"]) == 2
    for step in STEPS.values():
        assert set(step) <= {"name", "id", "shell", "env", "run"}
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]


def test_the_environment_of_a_step_is_made_of_inputs_and_every_input_is_used() -> None:
    used = []
    for step in STEPS.values():
        for name, value in step["env"].items():
            found = _EXPRESSION.fullmatch(value)
            assert found, value
            used.append(found[1])
            assert re.search(rf"\b{name}\b", step["run"]) or name == SECRETS[found[1]]
            assert found[2] in (None, name)
    assert sorted(used) == sorted(INPUTS)
    assert all(entry["description"].endswith(".") for entry in INPUTS.values())


def test_the_keys_are_in_no_script_and_only_where_the_run_is() -> None:
    assert not set(SECRETS.values()) & STEPS["install"]["env"].keys()
    assert not any(name in step["run"] for step in STEPS.values() for name in SECRETS.values())


def test_each_output_is_one_of_the_step_that_runs() -> None:
    for name, entry in ACTION["outputs"].items():
        assert entry["value"] == f"${{{{ steps.run.outputs.{name} }}}}"
        assert re.search(rf"\b{name}\b", STEPS["run"]["run"])


@dataclass
class Stepped:
    """A step that was taken."""

    code: int
    said: str
    outputs: dict[str, str]
    path: list[str]


class Runner:
    """What takes a step as a runner of GitHub's does, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder, folder / "bin"
        self.bin.mkdir()
        self.called = folder / "called"
        self.command("openwop-conformance", 'exit "${FAKE_CODE:-0}"')

    def command(self, name: str, then: str) -> Path:
        """A program that notes its arguments, a null after each, and what keys it has."""
        path = self.bin / name
        keys = " ".join(f'"${{{name}:-}}"' for name in SECRETS.values())
        path.write_text(
            f"#!/bin/bash\n[ $# = 0 ] || printf '%s\\0' {name} \"$@\" >> {self.called}\n"
            f"printf '%s\\0' {keys} > {self.folder}/keys\n{then}\n"
        )
        path.chmod(0o755)
        return path

    @property
    def words(self) -> list[str]:
        """All that was called since, word by word."""
        text = self.called.read_text("utf-8") if self.called.exists() else ""
        self.called.unlink(missing_ok=True)
        return text.split("\0")[:-1]

    def step(
        self, name: str, inputs: Mapping[str, str], environment: Mapping[str, str] | None = None
    ) -> Stepped:
        """Take a step with these inputs."""
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        files = {
            f: self.folder / f for f in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")
        }
        for file in files.values():
            file.write_text("")
        outer = {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(self.folder / "a temp"),
            "GITHUB_ACTION_PATH": str(self.folder / "an action"),
            **{name: str(file) for name, file in files.items()},
            **(environment or {}),
        }
        inner = {name: self.value(text, inputs, outer) for name, text in STEPS[name]["env"].items()}
        script = self.folder / "script.sh"
        script.write_text(STEPS[name]["run"])
        found = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=work,
            env=outer | inner,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert not any("pwned" in path.name for path in self.folder.rglob("*"))
        outputs = outputs_in(files["GITHUB_OUTPUT"].read_text("utf-8"))
        path = files["GITHUB_PATH"].read_text("utf-8").splitlines()
        return Stepped(found.returncode, found.stdout + found.stderr, outputs, path)

    @staticmethod
    def value(text: str, inputs: Mapping[str, str], outer: Mapping[str, str]) -> str:
        """What a runner makes of an expression."""
        found = _EXPRESSION.fullmatch(text)
        assert found
        given = inputs.get(found[1], INPUTS[found[1]]["default"])
        return given or outer.get(found[2] or "", "")


def outputs_in(text: str) -> dict[str, str]:
    """Outputs as a runner reads them: ``NAME=VALUE``, or ``NAME<<END`` and lines up to ``END``."""
    found, lines = {}, iter(text.removesuffix("\n").split("\n"))
    for line in lines:
        name, between, end = line.partition("<<")
        if between and "=" not in name:
            value = []
            while (line := next(lines)) != end:
                value.append(line)
            found[name] = "\n".join(value)
        else:
            name, _, found[name] = line.partition("=")
    return found


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def page(runner: Runner) -> str:
    """The page that a run puts into the job's summary as well."""
    return f"--report=markdown:{runner.folder}/a temp/openwop-conformance.md"


def test_without_inputs_it_is_a_run_with_a_ledger_and_the_summary(runner: Runner) -> None:
    found = runner.step("run", {})

    assert (found.code, found.said) == (0, "")
    name, *words = runner.words
    assert (name, words) == (
        "openwop-conformance",
        ["run", "--ledger=openwop-ledger.jsonl", page(runner)],
    )
    assert found.outputs == {
        "verdict": "conformant",
        "exit-code": "0",
        "ledger": "openwop-ledger.jsonl",
    }


SANE: Final = {
    "host": "http://127.0.0.1:1",
    "select": "host.v2.*\n\nhost.v1.*\n",
    "opt-out": "canary\nsecond-tenant",
    "major": "2",
    "shard": "2/3",
    "seed": "7",
    "jobs": "4",
    "time-scale": "2",
    "wait": "60",
    "baseline": "known.yaml",
    "ledger": "out/ledger.jsonl",
    "trace": "trace.jsonl",
    "reports": "json:a.json\nmarkdown:a b.md",
}


def test_what_is_given_is_what_the_command_line_understands(runner: Runner) -> None:
    assert runner.step("run", SANE).code == 0
    args = parser().parse_args(runner.words[1:])

    assert (args.host, args.major, args.shard) == ("http://127.0.0.1:1", 2, (2, 3))
    assert (args.seed, args.jobs, args.time_scale, args.wait) == (7, 4, 2, 60)
    assert args.select == ["host.v2.*", "host.v1.*"]
    assert args.opt_out == ["canary", "second-tenant"]
    assert [str(path) for path in (args.baseline, args.ledger, args.trace)] == [
        "known.yaml",
        "out/ledger.jsonl",
        "trace.jsonl",
    ]
    files = ["a.json", "a b.md", f"{runner.folder}/a temp/openwop-conformance.md"]
    assert [str(path) for _, path in args.report] == files


@pytest.mark.parametrize("hostile", HOSTILE_LINES, ids=repr)
def test_hostile_text_arrives_whole_in_every_input(runner: Runner, hostile: str) -> None:
    given = {name: hostile for name in INPUTS if name not in LINES}
    found = runner.step("run", given)

    name, *words = runner.words
    assert (found.code, found.said, name) == (0, "", "openwop-conformance")
    options = [
        f"--{name}={hostile}"
        for name in (
            "ledger",
            "sdk",
            "consumer",
            "major",
            "shard",
            "seed",
            "jobs",
            "time-scale",
            "wait",
            "baseline",
            "trace",
        )
    ]
    assert words == ["run", *options, page(runner), "--", hostile]
    assert (runner.folder / "keys").read_text("utf-8").split("\0")[:-1] == [hostile] * 3
    assert found.outputs == {"verdict": "conformant", "exit-code": "0", "ledger": hostile}


def test_hostile_lines_arrive_whole_one_by_one(runner: Runner) -> None:
    text = "\n".join(HOSTILE)
    assert runner.step("run", dict.fromkeys(LINES, text)).code == 0

    _, _, _, *words = runner.words
    wanted = [f"{option}={line}" for option in LINES.values() for line in HOSTILE]
    assert words == [*wanted, page(runner)]


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        (0, "conformant"),
        (1, "not-conformant"),
        (2, "usage"),
        (3, "incomplete"),
        (130, "broken-off"),
    ],
)
def test_the_step_leaves_as_the_run_did_after_it_said_how(
    runner: Runner, code: int, verdict: str
) -> None:
    found = runner.step("run", {}, {"FAKE_CODE": str(code)})

    assert found.code == code
    assert (found.outputs["verdict"], found.outputs["exit-code"]) == (verdict, str(code))


def test_a_key_of_the_job_s_environment_is_used_where_no_input_gives_one(runner: Runner) -> None:
    outer = {"OPENWOP_API_KEY": "of-the-job", "OPENWOP_TENANT_B_API_KEY": "another"}
    runner.step("run", {"api-key": "of-the-input"}, outer)

    keys = (runner.folder / "keys").read_text("utf-8").split("\0")[:-1]
    assert keys == ["of-the-input", "another", ""]


def install(runner: Runner, inputs: Mapping[str, str]) -> tuple[Stepped, Sequence[str]]:
    """The install step with a Python that makes an environment of programs that take notes."""
    pip = runner.command("pip-of-the-environment", "exit 0")
    copies = "".join(f'cp {pip} "$3/bin/{name}"\n' for name in ("python", "openwop-conformance"))
    python = runner.command("python-that-makes-it", f'mkdir -p "$3/bin"\n{copies}')
    return runner.step("install", {"python": str(python), **inputs}), runner.words


@pytest.mark.parametrize(
    ("inputs", "package"),
    [
        ({}, "{action}"),
        ({"extras": "browser"}, "{action}[browser]"),
        ({"version": "0.1.0"}, "openwop-conformance==0.1.0"),
        ({"version": "0.1.0", "extras": "browser"}, "openwop-conformance[browser]==0.1.0"),
        *(({"version": text}, f"openwop-conformance=={text}") for text in HOSTILE_LINES),
        *(({"extras": text}, f"{{action}}[{text}]") for text in HOSTILE),
    ],
    ids=repr,
)
def test_one_package_is_installed_and_nothing_but_the_command_is_put_on_the_path(
    runner: Runner, inputs: dict[str, str], package: str
) -> None:
    found, words = install(runner, inputs)
    home = runner.folder / "a temp" / "openwop-conformance"

    assert (found.code, found.said) == (0, "")
    action = str(runner.folder / "an action")
    installing = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--"]
    assert words == [
        "python-that-makes-it",
        "-m",
        "venv",
        str(home),
        "pip-of-the-environment",
        *installing,
        package.replace("{action}", action),
    ]
    assert found.path == [str(home / "command")]
    assert [path.name for path in (home / "command").iterdir()] == ["openwop-conformance"]
    assert os.access(home / "command" / "openwop-conformance", os.X_OK)


def test_where_nothing_can_be_installed_nothing_is_run(runner: Runner) -> None:
    failing = runner.command("failing", "exit 1")
    found = runner.step("install", {"python": str(failing)})

    assert found.code == 1
    assert found.path == []


def test_the_package_that_is_named_is_ours() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"package={project['name']}$" in STEPS["install"]["run"]
