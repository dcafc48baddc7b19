"""Keys: files that nobody else reads, one spelling each, and none under which anything verifies."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization as forms
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.signing import (
    base64url,
    checked,
    from_base64url,
    keygen,
    public_key,
    read_public_key,
    read_signing_key,
    sign,
    verifies,
)

from .bundles import key

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def root(number: int) -> int | None:
    found = pow(number, (P + 3) // 8, P)
    if (found * found - number) % P:
        found = found * pow(2, (P - 1) // 4, P) % P
    return found if (found * found - number) % P == 0 else None


def small_order_points() -> set[tuple[int, int]]:
    """The points whose order divides 8, from the curve's equation alone."""
    ys = {0, 1, P - 1}
    half = root(1 + D)
    assert half is not None
    for sign_of in (half, P - half):
        y = root((sign_of - 1) * pow(D, -1, P) % P)  # 2P has y = 0 where d y^4 + 2 y^2 = 1
        if y is not None:
            ys |= {y, P - y}
    points = set()
    for y in ys:
        x = root((y * y - 1) * pow(D * y * y + 1, -1, P) % P)
        if x is not None:
            points |= {(x, y), ((P - x) % P, y)}
    return {point for point in points if _eight_times(point) == (0, 1)}


def _eight_times(point: tuple[int, int]) -> tuple[int, int]:
    for _ in range(3):
        x, y = point
        t = D * x * x * y * y
        point = (
            2 * x * y * pow(1 + t, -1, P) % P,
            (y * y + x * x) * pow(1 - t, -1, P) % P,
        )
    return point


def encodings() -> set[bytes]:
    """Every 32 bytes that may be read as such a point: either sign, y also beyond the field."""
    return {
        (y + sign_of * 2**255).to_bytes(32, "little")
        for _, small in small_order_points()
        for y in (small, small + P)
        if y < 2**255
        for sign_of in (0, 1)
    }


def test_there_are_eight_points_of_small_order_and_more_spellings_of_them() -> None:
    assert len(small_order_points()) == 8
    assert len(encodings()) == 14


@pytest.mark.parametrize("raw", sorted(encodings()), ids=bytes.hex)
def test_a_key_of_small_order_is_refused_in_every_spelling(raw: bytes, tmp_path: Path) -> None:
    file = tmp_path / "weak"
    file.write_text(base64url(raw))

    with pytest.raises(ValueError, match="small order"):
        checked(raw)
    with pytest.raises(UsageError, match="small order"):
        read_public_key(str(file))
    assert not verifies(raw, bytes(64), b"")
    assert not verifies(raw, (1).to_bytes(32, "little") + bytes(32), b"anything")


def test_a_small_order_key_in_a_pem_is_refused_too(tmp_path: Path) -> None:
    file = tmp_path / "weak.pem"
    key_of_order_2 = Ed25519PublicKey.from_public_bytes((P - 1).to_bytes(32, "little"))
    file.write_bytes(
        key_of_order_2.public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)
    )

    with pytest.raises(UsageError, match="small order"):
        read_public_key(str(file))


def test_a_coordinate_beyond_the_field_is_refused() -> None:
    with pytest.raises(ValueError, match="canonical"):
        checked((P + 3).to_bytes(32, "little"))


def test_a_made_key_reads_back_and_its_public_half_in_three_forms(tmp_path: Path) -> None:
    file = tmp_path / "new" / "key"

    public = keygen(file)
    found = read_signing_key(file)
    text = tmp_path / "text"
    text.write_text(base64url(public) + "\n")
    assert found.public == public
    assert public == read_public_key(base64url(public))
    assert public == read_public_key(str(text))
    assert public == read_public_key(str(tmp_path / "new" / "key.pub"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert verifies(public, sign(found, b"message"), b"message")
    assert not verifies(public, sign(found, b"message"), b"massage")
    assert repr(found.seed) not in repr(found)


@pytest.mark.parametrize("there", ["key", "key.pub"])
def test_no_key_is_written_over_a_file_nor_through_a_link(tmp_path: Path, there: str) -> None:
    (tmp_path / there).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(UsageError, match="there already"):
        keygen(tmp_path / "key")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666])
def test_a_private_key_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    keygen(tmp_path / "key")
    os.chmod(tmp_path / "key", mode)

    with pytest.raises(UsageError, match="chmod 600"):
        read_signing_key(tmp_path / "key")


def test_what_is_no_private_key_is_refused_in_words(tmp_path: Path) -> None:
    other = ec.generate_private_key(ec.SECP256R1())
    contents = {
        "text": b"no key",
        "public": b"",
        "curve": other.private_bytes(
            forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()
        ),
        "locked": other.private_bytes(
            forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.BestAvailableEncryption(b"x")
        ),
    }
    for name, content in contents.items():
        (tmp_path / name).touch(0o600)
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UsageError, match="holds no unencrypted Ed25519 private key"):
            read_signing_key(tmp_path / name)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(UsageError, match="is no file with a signing key"):
        read_signing_key(tmp_path / "pipe")
    with pytest.raises(UsageError, match="cannot read"):
        read_signing_key(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "text", ["", "AAAA", "A" * 44, "!" * 43, "no/such/file", base64url(b"\x09" * 31)]
)
def test_what_is_no_public_key_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_public_key(text or str(tmp_path / "nowhere"))


def test_base64url_has_one_spelling() -> None:
    text = base64url(b"\x01" * 64)

    assert from_base64url(text, 64) == b"\x01" * 64
    for other in (text + "==", text[:-1] + "R", text + "A", text + "\n", " " + text):
        with pytest.raises(ValueError, match="base64url"):
            from_base64url(other, 64)
    with pytest.raises(ValueError, match="base64url"):
        public_key(base64url(key(1).public)[:-1] + "é")


def test_a_signature_with_s_beyond_the_order_does_not_verify() -> None:
    order = 2**252 + 27742317777372353535851937790883648493
    good = sign(key(1), b"m")
    s = int.from_bytes(good[32:], "little") + order

    assert verifies(key(1).public, good, b"m")
    assert not verifies(key(1).public, good[:32] + s.to_bytes(32, "little"), b"m")
