"""What a checkup found: one line each, and whether a run has to wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mark = Literal["good", "lacking", "bad"]
"""As it should be; not there, and that may be so; to be mended before a run says anything."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: where it belongs, what it is, what was found, what to do."""

    part: str
    mark: Mark
    what: str
    said: str
    advice: str = ""
