"""Every recipe of ``docs/how-to/ci.md``, carried out command by command against a host.

Installing is left out, and a selection is added to each run so that it is quick; all else is as it
is shown.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from openwop_conformance.cli import main
from openwop_conformance.evidence.ledger import read_ledger
from tests.serving import Host, served
from tests.shared_data import REPOSITORY

PAGE: Final = (REPOSITORY / "docs" / "how-to" / "ci.md").read_text("utf-8")
RECIPES: Final = {
    name: (language, text)
    for language, name, text in re.findall(r"```(yaml|sh)\n# (\S+)\n(.*?)```", PAGE, re.DOTALL)
}
WORKFLOWS: Final = [name for name in RECIPES if name.startswith(".github/workflows/")]
SHOWN_URL: Final = "http://127.0.0.1:8080"
SELECTION: Final = ("*.catalog-equality", "*.no-secret", "*.tenant-isolation", "*.limits")
SHIM: Final = """\
#!/bin/sh
command=$1; shift
if [ "$command" = run ]; then set -- {selection} "$@"; fi
exec {python} -m openwop_conformance "$command" "$@"
"""

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with served(tmp_path_factory.mktemp("host")) as found:
        yield found


@pytest.fixture(scope="module")
def digest(host: Host, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of one run of the selection."""
    folder = tmp_path_factory.mktemp("one")
    keys = folder / "keys"
    keys.touch(0o600)
    keys.write_text("".join(f"{name}={value}\n" for name, value in host.keys.items()))
    ledger = folder / "ledger"
    words = ["run", host.url, "--credential-file", str(keys), "--ledger", str(ledger), "--select"]
    assert main([*words, *SELECTION]) == 0
    total = read_ledger(ledger)[2]
    assert total
    return total


class Machine:
    """What a CI service gives a job: a folder, an environment, a shell."""

    def __init__(self, folder: Path, host: Host, python: Path) -> None:
        self.host, self.work = host, folder / "work"
        self.work.mkdir()
        self.bin = folder / "bin"
        self.bin.mkdir()
        selection = " ".join(f"'--select={pattern}'" for pattern in SELECTION)
        self.program("openwop-conformance", SHIM.format(selection=selection, python=python))
        for name in ("pip", "docker"):
            self.program(name, f'#!/bin/sh\necho "{name} $*" >> {folder}/prepared\n')
        self.summary = folder / "summary"
        self.outputs = folder / "outputs"
        self.said = ""

    def program(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)

    def run(self, shell: tuple[str, ...], script: str, environment: Mapping[str, str]) -> int:
        """The exit code of a script."""
        bare = {k: v for k, v in os.environ.items() if not k.startswith("OPENWOP_")}
        runners = {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "PYTHONPATH": str(REPOSITORY),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_OUTPUT": str(self.outputs),
            "RUNNER_TEMP": str(self.bin.parent),
        }
        real = {n: v.replace(SHOWN_URL, self.host.url) for n, v in environment.items()}
        self.summary.touch()
        found = subprocess.run(
            [*shell, "-c", script.replace(SHOWN_URL, self.host.url)],
            cwd=self.work,
            env=bare | runners | real,
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        self.said += found.stdout + found.stderr
        return found.returncode

    # ------------------------------------------------------------------------------ GitHub

    def workflow(self, text: str) -> int:
        """Take the jobs of a workflow one after the other; the last code that is not 0."""
        code = 0
        for job in yaml.safe_load(text)["jobs"].values():
            matrix = job.get("strategy", {}).get("matrix", {"": [""]})
            ((axis, values),) = matrix.items()
            for value in values:
                code = self.job(job, {f"matrix.{axis}": str(value)}) or code
        return code

    def job(self, job: Mapping[str, Any], known: Mapping[str, str]) -> int:
        for step in job["steps"]:
            environment = job.get("env", {}) | step.get("env", {})
            if "run" in step:
                assert "${{" not in step["run"]
                code = self.run(("bash", "-e"), step["run"], self.valued(environment, known))
            elif "openwop-conformance" in step["uses"]:
                code = self.action(step["with"], known)
            else:
                continue
            if code:
                return code
        return 0

    def action(self, given: Mapping[str, Any], known: Mapping[str, str]) -> int:
        """The action's last step; the first would install."""
        action = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
        assert set(given) <= action["inputs"].keys()
        inputs = {name: entry["default"] for name, entry in action["inputs"].items()}
        inputs |= self.valued(given, known)
        step = action["runs"]["steps"][-1]
        environment = {
            name: inputs[re.findall(r"inputs\.([a-z-]+)", text)[0]]
            for name, text in step["env"].items()
        }
        return self.run(("bash", "-e", "-o", "pipefail"), step["run"], environment)

    def valued(self, texts: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, str]:
        """Texts with the values of their expressions."""

        def value(found: re.Match[str]) -> str:
            where, _, name = found[1].partition(".")
            return self.host.keys[name] if where == "secrets" else known[found[1]]

        return {
            name: re.sub(r"\$\{\{ ([a-zA-Z._]+) \}\}", value, str(text))
            for name, text in texts.items()
        }

    # ------------------------------------------------------------------------------ GitLab

    def pipeline(self, text: str) -> int:
        """Take the jobs of a pipeline one after the other; the last code that is not 0."""
        document = yaml.safe_load(text)
        before = document.pop("default", {}).get("before_script", [])
        document.pop("stages", None)
        code = 0
        for job in document.values():
            total = job.get("parallel", 1)
            for index in range(1, total + 1):
                environment = {
                    **self.host.keys,
                    **job.get("variables", {}),
                    "CI_NODE_INDEX": str(index),
                    "CI_NODE_TOTAL": str(total),
                }
                script = "\n".join([*before, *job["script"]])
                code = self.run(("bash", "-e", "-o", "pipefail"), script, environment) or code
            for pattern in artifacts(job):
                assert list(self.work.glob(pattern)), f"there is no {pattern}"
        return code


def artifacts(job: Mapping[str, Any]) -> Iterator[str]:
    """The patterns of the files that a job of GitLab's keeps."""
    yield from job["artifacts"]["paths"]
    if "reports" in job["artifacts"]:
        yield job["artifacts"]["reports"]["junit"]


@pytest.fixture
def machine(tmp_path: Path, host: Host, python: Path) -> Machine:
    return Machine(tmp_path, host, python)


def test_the_recipes_are_all_here() -> None:
    assert len(WORKFLOWS) == 3
    assert len(RECIPES) == 7
    assert PAGE.count("```yaml") + PAGE.count("```sh") == len(RECIPES)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_script_of_a_workflow_holds_an_expression(name: str) -> None:
    jobs = yaml.safe_load(RECIPES[name][1])["jobs"].values()
    scripts = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    assert scripts
    assert not any("${{" in script for script in scripts)


@pytest.mark.parametrize("name", RECIPES)
def test_each_recipe_gives_the_verdict_and_the_ledger_of_one_run(
    machine: Machine, digest: str, name: str
) -> None:
    language, text = RECIPES[name]
    if name in WORKFLOWS:
        code = machine.workflow(text)
    elif language == "yaml":
        code = machine.pipeline(text)
    else:
        environment = {**machine.host.keys, "OPENWOP_BASE_URL": machine.host.url}
        code = machine.run(("sh",), text, environment)
    assert code == 0, machine.said
    (ledger,) = machine.work.glob("*ledger.jsonl")
    header, _, total = read_ledger(ledger)
    assert total == digest
    assert header["subject"] == machine.host.url
    assert "Conformant: " in machine.said
    assert not any(key in machine.said for key in machine.host.keys.values())
    wants_summary = "OWNER/openwop-conformance" in text or "markdown:" in text
    assert bool(machine.summary.read_text("utf-8")) is wants_summary
    for file in re.findall(r"junit:(\S+?\.xml)", text):
        pattern = re.sub(r"\$\w+", "*", file)
        assert list(machine.work.glob(pattern)), f"there is no {file}"


SHELL: Final = RECIPES["conformance.sh"][1]


def test_the_shell_tells_a_broken_rule_from_one_that_was_not_witnessed(
    machine: Machine, tmp_path: Path
) -> None:
    lacking = {"OPENWOP_API_KEY": machine.host.keys["OPENWOP_API_KEY"]}
    where = {"OPENWOP_BASE_URL": machine.host.url}
    assert machine.run(("sh",), SHELL, lacking | where) == 3
    assert "\nit breaks nothing that was seen, and not everything was\n" in machine.said

    (tmp_path / "broken").mkdir()
    with served(tmp_path / "broken", "--sabotage", "secret-in-error") as broken:
        assert machine.run(("sh",), SHELL, broken.keys | {"OPENWOP_BASE_URL": broken.url}) == 1
    assert "\nit breaks a rule\n" in machine.said


def test_the_table_has_each_exit_code_once() -> None:
    page = (REPOSITORY / "docs" / "reference" / "outputs.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d[\d, ]*) \|.*\|.*\|$", page, re.MULTILINE)
    assert rows == ["0", "1", "2", "3", "130, 137, 143"]
