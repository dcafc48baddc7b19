"""``sign``: a second signature by somebody else, on nothing that does not hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]


@pytest.fixture
def keys(cli: Cli, tmp_path: Path) -> tuple[Path, Path]:
    for name in ("host", "verifier"):
        cli("keygen", tmp_path / name)
    return tmp_path / "host", tmp_path / "verifier"


@pytest.fixture
def bundle(cli: Cli, tmp_path: Path, keys: tuple[Path, Path]) -> Path:
    file = tmp_path / "bundle.json"
    said = cli(
        "certify", "reference", "--out", file, "--host-build", "commit:abc", "--signing-key",
        keys[0], "--key-id", "k1", "--select", "host.v2.limits",
    )  # fmt: skip
    assert said.code == 0
    return file


def test_what_is_signed_verifies_under_both_keys_and_under_both_only(
    cli: Cli, tmp_path: Path, bundle: Path, keys: tuple[Path, Path]
) -> None:
    host, verifier = (f"{key}.pub" for key in keys)
    out_file = tmp_path / "new" / "signed.json"

    code, out, err = cli(
        "sign", bundle, "--signing-key", keys[1], "--key-id", "v1", "--out", out_file, "--key", host
    )
    assert (code, err) == (0, "")
    assert out.splitlines() == [f"signed {out_file} as v1", f"envelope {out_file}.dsse.json"]
    assert cli("verify", out_file, "--key", host, "--verifier-key", verifier).code == 0
    assert cli("verify", out_file, "--key", host).code == 2
    assert cli("verify", out_file, "--verifier-key", verifier).code == 2
    assert cli("verify", out_file, "--key", verifier, "--verifier-key", host).code == 1
    again = ("sign", out_file, "--signing-key", keys[1], "--key-id", "v1", "--out", bundle)
    assert "has a verifier's signature already" in cli(*again).err


def test_without_the_hosts_key_it_is_said_that_nobody_looked(
    cli: Cli, tmp_path: Path, bundle: Path, keys: tuple[Path, Path]
) -> None:
    code, out, _ = cli(
        "sign", bundle, "--signing-key", keys[1], "--key-id", "v1", "--out", tmp_path / "s"
    )

    assert code == 0
    assert "the host's signature was not checked" in out


@pytest.mark.parametrize(("which", "key_id"), [(0, "v1"), (1, "k1")])
def test_the_hosts_own_key_or_its_name_is_refused(
    cli: Cli, tmp_path: Path, bundle: Path, keys: tuple[Path, Path], which: int, key_id: str
) -> None:
    code, _, err = cli(
        "sign", bundle, "--signing-key", keys[which], "--key-id", key_id, "--out", tmp_path / "s"
    )

    assert code == 2
    assert "independent-self-signed" in err
    assert not (tmp_path / "s").exists()


def test_what_does_not_hold_is_not_signed(
    cli: Cli, tmp_path: Path, bundle: Path, keys: tuple[Path, Path]
) -> None:
    sign = ("sign", bundle, "--signing-key", keys[1], "--key-id", "v1", "--out", tmp_path / "s")

    assert cli(*sign, "--key", f"{keys[1]}.pub").code == 1
    Path(f"{bundle}.dsse.json").rename(tmp_path / "away")
    assert cli(*sign, "--key", f"{keys[0]}.pub").code == 2
    assert "only a bundle with its envelope is signed" in cli(*sign).err
    bundle.write_bytes(bundle.read_bytes().replace(b'"commit"', b'"image-digest"'))
    (tmp_path / "away").rename(f"{bundle}.dsse.json")
    code, _, err = cli(*sign)
    assert code == 1
    assert "envelope-subject" in err
    assert not (tmp_path / "s").exists()
    bundle.unlink()
    assert "is no file" in cli(*sign).err
