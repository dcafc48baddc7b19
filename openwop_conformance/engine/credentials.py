"""What the operator gives a run: keys and a canary, from the environment or a private file."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..errors import UsageError

API_KEY: Final = "OPENWOP_API_KEY"
OTHER_KEY: Final = "OPENWOP_TENANT_B_API_KEY"
CANARY: Final = "OPENWOP_CANARY_SECRET_VALUE"

MIN_CANARY: Final = 8
"""Shorter secrets would be found by accident."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """The keys of two tenants and the value of a secret that is configured in the host.

    None of them appears in ``repr``, in a report or in a recording.
    """

    owner: str | None = field(default=None, repr=False)
    other: str | None = field(default=None, repr=False)
    canary: str | None = field(default=None, repr=False)

    def given(self) -> frozenset[str]:
        """Which of a scenario's needs the operator has met."""
        named = {"second-tenant": self.other, "canary": self.canary}
        return frozenset(name for name, value in named.items() if value)

    def names(self) -> frozenset[str]:
        """The names, as in the environment, of what was given."""
        named = {API_KEY: self.owner, OTHER_KEY: self.other, CANARY: self.canary}
        return frozenset(name for name, value in named.items() if value)

    def of(self, whose: str) -> str | None:
        """The key of ``owner`` or ``other``; a made-up one for ``wrong``; ``None`` for ``none``."""
        if whose == "wrong":
            return "openwop-conformance-no-such-key"
        return {"owner": self.owner, "other": self.other}.get(whose)

    def hidden_in(self, text: str) -> str:
        """Text with each key and the canary as ``$NAME``, also where ``…`` cuts one short."""
        for name, value in ((API_KEY, self.owner), (OTHER_KEY, self.other), (CANARY, self.canary)):
            if not value or len(value) < MIN_CANARY:
                continue
            for form in {value, json.dumps(value, ensure_ascii=False)[1:-1]}:
                if form[:MIN_CANARY] not in text:
                    continue
                text = text.replace(form, f"${name}")
                for length in range(len(form) - 1, MIN_CANARY - 1, -1):
                    text = text.replace(f"{form[:length]}…", f"${name}…")
        return text


def read_credentials(environment: Mapping[str, str], file: Path | None = None) -> Credentials:
    """The credentials of a file, else of the environment.

    A file holds one key alone, or lines ``NAME=VALUE`` with the names of the environment. It may be
    readable by its owner only. Raises ``UsageError``.
    """
    values = dict(environment)
    if file is not None:
        values |= _read(file)
    canary = values.get(CANARY) or None
    if canary is not None and len(canary) < MIN_CANARY:
        raise UsageError(f"{CANARY} is shorter than {MIN_CANARY} characters: take a longer one")
    found = Credentials(values.get(API_KEY) or None, values.get(OTHER_KEY) or None, canary)
    for name, value in ((API_KEY, found.owner), (OTHER_KEY, found.other)):
        if value is not None and not re.fullmatch("[!-~]+", value):
            raise UsageError(f"{name} is no bearer key: spaces and non-ASCII do not belong in it")
    if found.owner is not None and found.owner == found.other:
        raise UsageError(f"{OTHER_KEY} equals {API_KEY}: give another tenant's key, or none")
    return found


def _read(file: Path) -> dict[str, str]:
    try:
        mode = os.stat(file).st_mode
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the credential file {file}: {error}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"{file} can be read by others: run 'chmod 600 {file}' first")
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if len(lines) == 1 and not lines[0].startswith("OPENWOP_"):
        return {API_KEY: lines[0]}
    values: dict[str, str] = {}
    for line in lines:
        name, equals, value = line.partition("=")
        if not equals or name not in (API_KEY, OTHER_KEY, CANARY):
            raise UsageError(
                f"{file}: a line is NAME=VALUE with one of {API_KEY}, {OTHER_KEY}, {CANARY}"
            )
        values[name] = value
    return values
