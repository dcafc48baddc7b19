"""Sabotages of our page in the browser: what each breaks is in ``pages/reference/sabotage.js``.

The page takes ``?sabotage=NAME``; here are the names, and the words for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from .finding import by_name


@dataclass(frozen=True, slots=True)
class PageSabotage:
    """One rule that the page breaks, in words."""

    name: str
    breaks: str


_SABOTAGES: Final[tuple[PageSabotage, ...]] = (
    PageSabotage("page-root-unneeded", "Components are shown before there is a root among them."),
    PageSabotage("page-partial-enabled", "A partial envelope enables its buttons as a final one."),
    PageSabotage("page-trust-latest", "A trusted envelope makes an untrusted surface trusted."),
    PageSabotage("page-deleted-stays", "A deleted surface stays before the person."),
    PageSabotage("page-profile-unchecked", "Version 2 is taken without a look at the profile."),
    PageSabotage("page-version-guessed", "A payload is of the version that it looks like."),
    PageSabotage("page-text-as-markup", "Text is set as markup."),
    PageSabotage("page-as-it-arrives", "Envelopes are folded as they arrive."),
    PageSabotage("page-exchange-to-interrupt", "What an exchange collects answers the interrupt."),
    PageSabotage("page-context-unresolved", "The bindings of a context are sent as they stand."),
    PageSabotage("page-context-as-empty", "A button without a context submits nothing."),
    PageSabotage("page-checks-ignored", "No check of a field ever fails."),
    PageSabotage("page-typed-is-lost", "What a person enters is not written anywhere."),
    PageSabotage("page-obscured-shown", "An obscured field is shown as a plain one."),
    PageSabotage(
        "page-message-unsaid", "What describes a field or a button is shown, and not told."
    ),
    PageSabotage("page-image-fetched", "An image in Markdown, in any text, is opened."),
    PageSabotage("page-address-opened", "A text that is an address is opened."),
    PageSabotage("page-entry-opened", "An address that a person enters is opened for a preview."),
    PageSabotage("page-press-tracked", "Each press is told to a third party."),
    PageSabotage("page-expression-run", "What a text has in double braces is run."),
    PageSabotage("page-patch-fetches", "What a patch has the address of is opened unvalidated."),
    PageSabotage("page-patch-unseen", "A patch that fails leaves the surface as it was."),
    PageSabotage("page-undefined-shown", "A text without a value is shown as undefined."),
)

PAGE_SABOTAGES: Final[Mapping[str, PageSabotage]] = by_name(_SABOTAGES)
"""Every sabotage of the page by its name."""
