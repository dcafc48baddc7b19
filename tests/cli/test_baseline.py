"""``run --baseline``: known failures stay red and are exit 0; wrong entries are exit 1."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.engine.verdict import Disposition
from openwop_conformance.evidence.ledger import read_ledger
from tests.shared_data import REPOSITORY

Cli = Callable[..., Any]
BROKEN = """\
from openwop_conformance.reference.connect import build_app
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import sabotage_called
from openwop_conformance.reference.settings import Settings

settings = Settings(keys={"acme": "the-key-of-acme", "globex": "the-key-of-globex"})
first, second = (sabotage_called(n) for n in ("second-create-admitted", "no-message-cap"))


def app():
    return build_app(settings, second.change(first.change(Policy())))
"""
FOLD = "openwop.requirement.0209.fold-guarded"
LIMITS = "openwop-conformance.host.v2.limits"
CHOSEN = ("--select", "*.fold-guarded", "*.limits", "host.v2.discovery-coherent")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A host that breaks two of the chosen rules, in this process."""
    (tmp_path / "host_of_two_failures.py").write_text(BROKEN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OPENWOP_API_KEY", "the-key-of-acme")
    return "asgi:host_of_two_failures:app()"


def known(*names: str, expires: str | None = None) -> str:
    """Write a baseline in the working folder."""
    entries = [{"requirement": name, "reason": "ticket 12"} for name in names]
    if expires:
        entries[0]["expires"] = expires
    Path("known.yaml").write_text(json.dumps({"known": entries}, indent=1), "utf-8")
    return "known.yaml"


def test_failures_that_are_all_known_are_exit_0_and_stay_red(cli: Cli, host: str) -> None:
    plain = cli("run", host, *CHOSEN, "--seed", "7", "--ledger", "plain")
    code, out, err = cli(
        "run", host, *CHOSEN, "--seed", "7", "--ledger", "l", "--report", "markdown:r.md",
        "--baseline", known(FOLD, LIMITS),
    )  # fmt: skip

    assert (plain.code, code, err) == (1, 0, "")
    assert out.count("FAIL  ") == 2
    assert out.splitlines()[-1] == (
        "Not conformant: 2 rules are broken, both known (baseline known.yaml)."
    )
    assert Path("l").read_bytes() == Path("plain").read_bytes()
    assert sum(r.disposition is Disposition.FAIL for r in read_ledger(Path("l"))[1]) == 2
    assert "**Not conformant: 2 rules are broken.**" in Path("r.md").read_text("utf-8")


def test_a_failure_that_is_not_known_is_exit_1(cli: Cli, host: str) -> None:
    code, out, _ = cli("run", host, *CHOSEN, "--baseline", known(FOLD))

    assert code == 1
    assert out.splitlines()[-1] == (
        "Not conformant: 2 rules are broken, 1 of them known (baseline known.yaml)."
    )


def test_an_entry_for_what_was_not_chosen_says_nothing(cli: Cli, host: str) -> None:
    chosen = ("--select", "*.fold-guarded")

    assert cli("run", host, *chosen, "--baseline", known(FOLD, LIMITS)).code == 0


def test_an_entry_for_what_no_run_has_is_wrong_also_in_a_selection(cli: Cli, host: str) -> None:
    code, out, _ = cli(
        "run", host, "--select", "*.fold-guarded", "--baseline", known(FOLD, "openwop.fold-gaurded")
    )

    assert code == 1
    assert out.splitlines()[-2:] == [
        "known.yaml:8:19: no row of this run is called openwop.fold-gaurded: correct the id, or "
        "remove the entry",
        "Not conformant: 1 rule is broken, and it is known (baseline known.yaml). The baseline "
        "known.yaml is wrong in 1 entry.",
    ]


def test_an_expired_entry_is_exit_1(cli: Cli, host: str) -> None:
    code, out, _ = cli(
        "run", host, *CHOSEN, "--baseline", known(FOLD, LIMITS, expires="2026-01-31")
    )

    assert code == 1
    assert (
        f"known.yaml:4:19: the entry for {FOLD} expired on 2026-01-31: mend the rule, or renew the "
        "entry\n"
    ) in out
    assert "2 rules are broken, 1 of them known (baseline known.yaml). The baseline" in out


def test_a_stale_entry_is_exit_1_though_nothing_failed(cli: Cli, host: str) -> None:
    code, out, _ = cli("run", "reference", *CHOSEN, "--baseline", known(LIMITS))

    assert code == 1
    assert out.splitlines()[-2:] == [
        f"known.yaml:4:19: {LIMITS} passes now: remove the entry",
        "Conformant: the 3 rules that bind this subject were witnessed, and kept. The baseline "
        "known.yaml is wrong in 1 entry.",
    ]


def test_what_was_not_witnessed_keeps_a_run_incomplete(cli: Cli, host: str) -> None:
    code, out, _ = cli(
        "run", host, "--select", "*.fold-guarded", "*.no-secret", "--baseline", known(FOLD)
    )

    assert code == 3
    assert out.splitlines()[-1] == (
        "Not conformant: 1 rule is broken, and it is known (baseline known.yaml); 1 rule was not "
        "witnessed."
    )


def test_json_keeps_standard_output_and_the_baseline_is_told_beside_it(cli: Cli, host: str) -> None:
    code, out, err = cli("run", host, *CHOSEN, "--json", "--baseline", known(FOLD, LIMITS))

    assert code == 0
    assert json.loads(out)["counts"]["executed-fail"] == 2
    assert err == "Not conformant: 2 rules are broken, both known (baseline known.yaml).\n"


def test_a_baseline_that_adds_nothing_says_nothing(cli: Cli, host: str) -> None:
    code, out, _ = cli("run", "reference", "--select", "*.limits", "--baseline", known())

    assert code == 0
    assert out.count("Conformant: ") == 1


def test_the_page_shows_commands_that_work(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (REPOSITORY / "docs" / "how-to" / "keep-a-baseline.md").read_text("utf-8")
    example = page.partition("```yaml\n")[2].partition("```")[0]
    lines = [line.split()[1:] for line in page.splitlines() if line.startswith("    openwop-")]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "known.yaml").write_text(example, "utf-8")

    codes = []
    for line in lines:
        words = ["reference" if word.startswith("http") else word for word in line]
        codes.append(cli(*words, *(CHOSEN if words[0] == "run" else ())).code)
    assert codes == [0, 0, 0, 1], "the reference host breaks neither rule: the entries are stale"
    assert cli("schema", "baseline").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("known: [{requirement: r.a}]\n", 'known.yaml:1:9: "reason" is a required property'),
        ("known: [{requirement: r.a, reason: &x y}]\n", "known.yaml:1:36: anchors and aliases"),
        (None, "known.yaml:1:1: No such file or directory"),
    ],
)
def test_what_is_no_baseline_is_exit_2_before_anything_is_sent(
    cli: Cli, host: str, text: str | None, said: str
) -> None:
    if text is not None:
        Path("known.yaml").write_text(text, "utf-8")

    code, out, err = cli("run", host, *CHOSEN, "--baseline", "known.yaml")
    assert (code, out) == (2, "")
    assert err.startswith(f"openwop-conformance: {said}")
