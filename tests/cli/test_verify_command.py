"""``verify``: its exit codes, what it prints, and how quickly it starts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.evidence.signing import base64url
from tests.evidence.bundles import TRACE_BYTES, key, our_files, their_bundle
from tests.shared_data import shared

Cli = Callable[..., Any]
KEY = base64url(key(1).public)
PUBLISHED_KEY = "AkFQZ3z07zJUF2TUU_XFhT9HdUv9eF33K7scxSF4Bt0"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    file = tmp_path / "bundle.json"
    data, envelope = our_files()
    file.write_bytes(data)
    (tmp_path / "bundle.json.dsse.json").write_bytes(envelope)
    (tmp_path / "trace").write_bytes(TRACE_BYTES)
    return file


def test_exit_0_is_verified_with_a_key_and_the_envelope_next_to_the_bundle(
    cli: Cli, tmp_path: Path, bundle: Path
) -> None:
    code, out, err = cli("verify", bundle, "--key", KEY, "--trace", tmp_path / "trace")

    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"{bundle}: verified under a key that you gave",
        "bundle v3 of openwop-conformance 0.1.0 about a host 1.2",
        "totals: executedPass 2, executedFail 1, skipped 1, inapplicable 1, blocked 1",
        "warning (key-unpublished): k1 is not in the carried discovery document: whose it is, "
        "you must know",
    ]


def test_exit_1_is_rejected_by_name(cli: Cli, tmp_path: Path, bundle: Path) -> None:
    code, out, _ = cli("verify", bundle, "--key", KEY, "--trace", bundle)

    assert code == 1
    assert "rejected (trace-digest): " in out


def test_exit_2_is_coherent(cli: Cli, tmp_path: Path, bundle: Path) -> None:
    assert cli("verify", bundle).code == 2
    (tmp_path / "bundle.json.dsse.json").rename(tmp_path / "away")
    assert cli("verify", bundle, "--key", KEY).code == 2
    assert cli("verify", bundle, "--key", KEY, "--envelope", tmp_path / "away").code == 0


def test_exit_3_is_no_bundle(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("{}")

    assert cli("verify", tmp_path / "nowhere").code == 3
    assert cli("verify", tmp_path).code == 3
    assert cli("verify", tmp_path / "other").code == 3


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--key", "AAAA"),
        ("--verifier-key", "AAAA"),
        ("--envelope", "nowhere"),
        ("--trace", "nowhere"),
    ],
)
def test_what_cannot_be_read_is_exit_2_in_words(
    cli: Cli, bundle: Path, option: str, value: str
) -> None:
    code, out, err = cli("verify", bundle, option, value)

    assert (code, out) == (2, "")
    assert value in err


def test_json_says_the_same(cli: Cli, bundle: Path) -> None:
    code, out, _ = cli("verify", bundle, "--json")

    found = json.loads(out)
    assert (code, found["exitCode"], found["outcome"]) == (2, 2, "coherent")
    assert found["uncovered"] == ["everything"]
    assert found["bundleVersion"] == "3"
    assert [w["kind"] for w in found["warnings"]] == ["key-unpublished", "trace-not-given"]


def test_the_real_bundle_is_judged_aloud(cli: Cli) -> None:
    file = shared("openwop/samples/v3-bundle.reference-host.json")

    code, out, _ = cli("verify", file, "--key", PUBLISHED_KEY)
    assert code == 0
    assert "warning (key-self-published): v2-reference-3 is published only in " in out
    assert out.count("warning (partial-witness): ") == 2
    assert "covered by no signature: bundleVersion, generatedAt, " in out
    assert "certified, by its own word: openwop-discovery-core, " in out


def test_nothing_of_a_bundle_steers_the_terminal(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "bundle.json"
    bundle = their_bundle(lambda b: b["host"].update(name="\x1b[2J\u202eevil"))
    file.write_text(json.dumps(bundle), "utf-8")

    code, out, _ = cli("verify", file, "--key", KEY)
    assert code == 0
    assert "evil" in out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_no_key_is_loaded_and_no_engine_before_it_is_needed(tmp_path: Path) -> None:
    """What makes the command start in time: nothing of the run, and cryptography for a key only."""
    file = tmp_path / "bundle.json"
    file.write_bytes(our_files()[0])
    program = (
        "import sys\n"
        "from openwop_conformance.cli import main\n"
        f"code = main(['verify', {str(file)!r}])\n"
        "loaded = {n.partition('.')[0] for n in sys.modules}\n"
        "print(code, sorted(loaded & {'cryptography', 'httpx', 'rich', 'yaml', 'asyncio'}))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "2 []"
