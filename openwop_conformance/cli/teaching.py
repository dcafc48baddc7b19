"""What the help teaches beside the options: which commands belong together, examples, what to read.

A command says in one line what it does; that stands with its options, in its own module.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Lesson:
    """One or two command lines that are worth trying, and the document to read next."""

    examples: tuple[str, ...]
    read: str


GROUPS: Final = {
    "start": {
        "init": Lesson(("init host my-host", "init sdk my-sdk"), "docs/tutorial.md"),
        "doctor": Lesson(
            ("doctor http://localhost:8080", "doctor --consumer browser:page.html"),
            "docs/how-to/test-your-host.md",
        ),
        "serve": Lesson(
            ("serve --port 8080", "serve --sabotage second-create-inside-admitted"),
            "docs/how-to/test-your-host.md",
        ),
        "completion": Lesson(("completion bash", "completion fish"), "docs/reference/commands.md"),
    },
    "judge": {
        "run": Lesson(
            (
                "run http://localhost:8080 --ledger ledger.jsonl",
                "run --sdk 'stdio:python sdk_adapter.py' --select 'sdk.data-*'",
            ),
            "docs/reference/subjects.md or docs/reference/outputs.md",
        ),
        "list": Lesson(("list 'host.v2.*'", "list --matrix"), "docs/reference/requirements.md"),
        "explain": Lesson(("explain fold-guarded",), "docs/explanation/readings.md"),
    },
    "evidence": {
        "merge": Lesson(
            ("merge shard-1.jsonl shard-2.jsonl --ledger ledger.jsonl",), "docs/how-to/ci.md"
        ),
        "keygen": Lesson(("keygen signing.pem",), "docs/how-to/verify-a-bundle.md"),
        "certify": Lesson(
            (
                "certify http://localhost:8080 --host-build commit:4f2a9c1 --out bundle.json "
                "--signing-key signing.pem --key-id host-2026",
            ),
            "docs/how-to/verify-a-bundle.md",
        ),
        "sign": Lesson(
            (
                "sign bundle.json --signing-key verifier.pem --key-id verifier-2026 "
                "--out signed.json",
            ),
            "docs/how-to/verify-a-bundle.md",
        ),
        "verify": Lesson(
            ("verify bundle.json --key signing.pem.pub",), "docs/reference/verification.md"
        ),
        "rederive": Lesson(("rederive trace.jsonl",), "docs/explanation/evidence.md"),
        "har": Lesson(("har trace.jsonl --out trace.har",), "docs/explanation/evidence.md"),
        "diff": Lesson(("diff before.jsonl after.jsonl",), "docs/how-to/keep-a-baseline.md"),
    },
    "rules": {
        "coherence": Lesson(
            ("coherence", "coherence --export rules-of-mine"), "docs/explanation/corpus.md"
        ),
        "lint": Lesson(("lint my-scenario.yaml",), "docs/how-to/write-a-scenario.md"),
        "schema": Lesson(("schema", "schema sdk-line"), "docs/reference/file-formats.md"),
        "sabotage": Lesson(
            ("sabotage", "sabotage orphan-admitted"), "docs/how-to/write-a-sabotage.md"
        ),
    },
}
"""The commands by what they are for, in the order in which they are met."""
LESSONS: Final = {name: one for group in GROUPS.values() for name, one in group.items()}
FIRST: Final = (
    ("doctor http://localhost:8080", "what a run could witness, before it is made"),
    ("run http://localhost:8080", "which rules it keeps, and what breaks the others"),
    ("init sdk my-sdk", "an adapter for a library of yours, to begin with"),
)
"""Three command lines to begin with, and what they tell."""

PROGRAM: Final = "openwop-conformance"
_WIDTH: Final = 92


def epilog(name: str) -> str:
    """What follows the options of a command."""
    if name not in LESSONS:
        return ""
    lesson = LESSONS[name]
    lines = [f"  {PROGRAM} {example}" for example in lesson.examples]
    title = "examples" if len(lines) > 1 else "example"
    return "\n".join([f"{title}:", *lines, "", f"read next: {lesson.read}"])


def filled(text: str) -> str:
    """A description in lines of a terminal."""
    return textwrap.fill(text, _WIDTH, break_on_hyphens=False)


def overview(helps: Mapping[str, str]) -> str:
    """Every command with its line of help, by groups, and three examples."""
    wide = max(map(len, helps))
    lines = []
    for title, group in GROUPS.items():
        lines += [f"{title}:", *(f"  {n:<{wide}}  {helps[n]}" for n in group if n in helps), ""]
    others = [f"  {name:<{wide}}  {line}" for name, line in helps.items() if name not in LESSONS]
    if others:
        lines += ["more:", *others, ""]
    width = max(len(example) for example, _ in FIRST)
    lines += ["examples:", *(f"  {PROGRAM} {e:<{width}}  {what}" for e, what in FIRST)]
    return "\n".join(lines)
