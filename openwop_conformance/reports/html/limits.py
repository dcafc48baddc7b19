"""What a run does not establish: what it could not see, did not ask, or cannot say at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ...engine.verdict import Disposition, Row
from ...evidence.ledger import Header
from .broken import MOST_TEXT
from .legible import Shown, cut
from .story import Story, some

_LOOPBACK: Final = re.compile(r"https?://(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(/|$)")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why some rules were not established."""

    text: Shown
    rules: tuple[tuple[str, str], ...]
    """Each with its id, empty where the matrix has no row of it, and its words."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One kind of thing that the run does not establish."""

    title: str
    note: str
    reasons: tuple[Reason, ...]


def limits(story: Story, rows: Sequence[Row]) -> tuple[Limit, ...]:
    header = story.header
    found = []
    for disposition, title, note in (
        (
            Disposition.BLOCKED,
            "not witnessed",
            "They bind this subject, or may, and could not be witnessed.",
        ),
        (Disposition.SKIPPED, "opted out of", "Whoever ran this left them out on purpose."),
        (
            Disposition.INAPPLICABLE,
            "that do not bind it",
            "They are about something that this subject does not claim or offer.",
        ),
    ):
        these = [row for row in rows if row.disposition is disposition]
        if these:
            found.append(Limit(f"{some(len(these), 'rule')} {title}", note, _reasons(story, these)))
    if header.left_out:
        asked = {row.id for row in rows}
        left = [
            r
            for r in story.requirements.values()
            if r.subject == header.kind and not r.not_yet and r.id not in asked
        ]
        reason = Reason(Shown("They were not selected."), tuple(("", r.rule) for r in left))
        title = f"{some(header.left_out, 'scenario')} left out of this run"
        found.append(Limit(title, "Nothing is said about their rules.", (reason,)))
    unasked = [r for r in story.requirements.values() if r.subject == header.kind and r.not_yet]
    if unasked:
        title = f"{some(len(unasked), 'rule')} that no scenario asks about"
        note = "They bind, and this suite cannot or does not yet witness them."
        each = tuple(Reason(Shown(r.not_yet), (("", r.rule),)) for r in unasked)
        found.append(Limit(title, note, each))
    return tuple(found)


def _reasons(story: Story, rows: Iterable[Row]) -> tuple[Reason, ...]:
    gathered: dict[str, list[Row]] = {}
    for row in rows:
        gathered.setdefault(row.reason, []).append(row)
    return tuple(
        Reason(
            cut(reason, MOST_TEXT)[0],
            tuple((row.id, story.rule_of(row.id)) for row in these),
        )
        for reason, these in gathered.items()
    )


def summary(found: Sequence[Limit], near: str) -> str:
    """The same in one sentence or two, for beside the verdict."""
    titles = [limit.title for limit in found]
    moment = f"It is one run, at one moment, {near}."
    return f"Not established: {', '.join(titles)}. {moment}" if titles else moment


def where(header: Header) -> tuple[str, str]:
    """Where the subject was: a few words, and what follows for one that is deployed."""
    form = header.subject.partition(":")[0]
    if form in ("http", "https"):
        if _LOOPBACK.match(header.subject):
            return (
                "of a host on the machine of the suite",
                "The host was reached at an address of the machine on which the suite ran. "
                "A deployed one has proxies, other data and other builds around it.",
            )
        return (
            "of whatever answers at that address",
            "The host was reached at its address. What answers there may be one of many, "
            "and may be another one tomorrow.",
        )
    if form == "stdio":
        return (
            "of a program that the suite started",
            "The subject was a program that the suite started and spoke to through an adapter: "
            "what the adapter does is judged with it, and no deployed system is.",
        )
    if form == "browser":
        return (
            "of a page in a Chromium that the suite started",
            "The page was shown in a Chromium of the suite, without a network. Other browsers, "
            "and the application around a renderer, were not looked at.",
        )
    if header.subject.partition("?")[0] == "reference":
        return (
            "of the reference subject that is embedded in the suite",
            "The subject is the suite's own reference, in its own process. It is no deployed "
            "one: this run says that the suite works, and nothing about any product.",
        )
    return (
        "of a subject in the suite's own process",
        "The subject was loaded into the process of the suite. It is not a deployed one: no "
        "network, no proxy and no other process stood between.",
    )
