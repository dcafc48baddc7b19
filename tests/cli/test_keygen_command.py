"""``keygen``: what it writes and prints, and that it writes over nothing."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openwop_conformance.evidence.signing import base64url, read_public_key, read_signing_key

Cli = Callable[..., Any]


def test_a_key_is_made_and_its_public_half_printed(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "new" / "key"

    code, out, err = cli("keygen", file)
    assert (code, err) == (0, "")
    assert out == base64url(read_signing_key(file).public) + "\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_public_key(f"{file}.pub") == read_signing_key(file).public


def test_nothing_is_written_over(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "key"
    cli("keygen", file)
    before = file.read_bytes()

    code, out, err = cli("keygen", file)
    assert (code, out) == (2, "")
    assert "no key is written over another" in err
    assert file.read_bytes() == before
