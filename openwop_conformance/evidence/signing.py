"""Ed25519 keys: made, read from files that nobody else can read, used to sign and to check.

A public key is its 32 raw bytes here. The library behind it is loaded when a key is first used.
"""

from __future__ import annotations

import base64
import binascii
import os
import stat
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from ..errors import UsageError

_P: Final = 2**255 - 19
_Y8: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL_ORDER_Y: Final = frozenset({0, 1, _P - 1, _Y8, _P - _Y8})
"""The y coordinates of the eight points whose order divides 8; either sign of x is one of them."""
_MAX_FILE: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key; only its public half appears in ``repr``."""

    seed: bytes = field(repr=False)
    public: bytes


def keygen(path: Path) -> bytes:
    """Make a key: the private one as PEM at ``path``, mode 0600, the public one at ``path.pub``.

    The public key. Raises ``UsageError`` when either file is there already or cannot be written.
    """
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    public_path = path.with_name(path.name + ".pub")
    if os.path.lexists(public_path):
        raise UsageError(f"{public_path} is there already, and no key is written over another")
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    public = key.public_key().public_bytes(
        forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo
    )
    _create(path, private, 0o600)
    _create(public_path, public, 0o644)
    return key.public_key().public_bytes_raw()


def _create(path: Path, content: bytes, mode: int) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        raise UsageError(f"{path} is there already, and no key is written over another") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def read_signing_key(path: Path) -> SigningKey:
    """The private key of a PEM file that its owner alone can read. Raises ``UsageError``."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                raise UsageError(f"{path} is no file with a signing key")
            if mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise UsageError(f"{path} is open to others: run 'chmod 600 {path}' first")
            content = file.read(_MAX_FILE)
    except OSError as error:
        raise UsageError(f"cannot read the signing key {path}: {error.strerror}") from None
    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError):  # what is no PEM, and what is encrypted
        key = None
    except Exception:  # an algorithm that the library does not know
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(f"{path} holds no unencrypted Ed25519 private key as PEM; see 'keygen'")
    return SigningKey(key.private_bytes_raw(), key.public_key().public_bytes_raw())


def read_public_key(text: str) -> bytes:
    """The key that a string gives: base64url of its 32 bytes, or a file of that or of PEM.

    Raises ``UsageError``, also for a key of small order, under which anything could verify.
    """
    try:
        return public_key(text)
    except ValueError as error:
        path = Path(text)
        if not path.exists():
            raise UsageError(f"{text!r} is no public key and no file: {error}") from None
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_FILE).decode("ascii").strip()
        return _of_pem(content) if content.startswith("-----") else public_key(content)
    except OSError as error:
        raise UsageError(f"cannot read the public key {path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path} holds no public key: {error}") from None


def public_key(text: str) -> bytes:
    """The key that is written as base64url of its 32 bytes. Raises ``ValueError``."""
    return checked(from_base64url(text, 32))


def _of_pem(text: str) -> bytes:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(text.encode())
    except Exception:  # the library has an error for each way in which PEM can be wrong
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("not the PEM of an Ed25519 public key")
    return checked(key.public_bytes_raw())


def checked(raw: bytes) -> bytes:
    """The key itself. Raises ``ValueError`` for small order, and for what is not canonical."""
    if len(raw) != 32:
        raise ValueError("a public key has 32 bytes")
    y = int.from_bytes(raw, "little") & (2**255 - 1)
    if y % _P in _SMALL_ORDER_Y:
        raise ValueError("a key of small order, under which anything could verify")
    if y >= _P:
        raise ValueError("a key that is not in canonical form")
    return raw


def sign(key: SigningKey, message: bytes) -> bytes:
    """The 64 bytes of the signature."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(key.seed).sign(message)


@lru_cache
def verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature is one of this key over these bytes: more than one rule asks."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(checked(public)).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def base64url(raw: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def from_base64url(text: str, length: int) -> bytes:
    """The ``length`` bytes of a text in its one right spelling. Raises ``ValueError``."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("not base64url") from None
    if len(raw) != length or base64url(raw) != text:
        raise ValueError(f"not {length} bytes as base64url without padding")
    return raw
