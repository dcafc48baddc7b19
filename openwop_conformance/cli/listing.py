"""``list``: the scenarios, or every requirement and where it is witnessed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..evidence.requirements import Requirement

GATES = "coherence"
"""Where a requirement about the corpus is witnessed."""

_SUBJECTS = {
    "host": "Hosts",
    "sdk": "SDKs",
    "consumer": "Consumers",
    "corpus": "The corpus itself",
}


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "list",
        help="list the scenarios, or every requirement",
        description="List the scenarios: id, title, and with --long what each needs. With "
        "--matrix, every requirement: level, subject, how it can be witnessed, and where it is.",
        allow_abbrev=False,
    )
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="only these ids")
    parser.add_argument("--long", action="store_true", help="requirement, source and needs too")
    parser.add_argument("--matrix", action="store_true", help="every requirement, witnessed or not")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--markdown", action="store_true", help="the matrix as a page")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Print the list."""
    from ..corpus import corpus
    from ..errors import UsageError
    from ..scenario.outline import outlines, select_outlines

    if args.matrix:
        return _matrix(args)
    if args.markdown:
        raise UsageError("--markdown goes with --matrix")
    chosen = select_outlines(outlines(corpus()), args.patterns)
    if args.json:
        import json

        print(json.dumps([o.as_json() for o in chosen], indent=2, ensure_ascii=False))  # noqa: T201
        return 0
    width = max(len(o.id) for o in chosen)
    for outline in chosen:
        print(f"{outline.id:<{width}}  {outline.title}")  # noqa: T201
        if args.long:
            print(f"{'':<{width}}  {outline.requirement}")  # noqa: T201
            print(f"{'':<{width}}  {outline.source}")  # noqa: T201
            if outline.needs:
                print(f"{'':<{width}}  needs {', '.join(outline.needs)}")  # noqa: T201
    return 0


def witnessed(corpus: Corpus) -> Iterator[tuple[Requirement, str]]:
    """Each requirement with where it is witnessed: a scenario's id, ``coherence``, or nothing."""
    from ..evidence.requirements import read_requirements
    from ..scenario.outline import outlines

    scenarios = {outline.requirement: outline.id for outline in outlines(corpus)}
    for row in read_requirements(corpus.requirements).values():
        gate = GATES if row.subject == "corpus" and not row.not_yet else ""
        yield row, scenarios.get(row.id, gate)


def matrix_document(corpus: Corpus) -> str:
    """The matrix as a Markdown page."""
    rows = list(witnessed(corpus))
    found = sum(bool(where) for _, where in rows)
    lines = [
        "# Requirements",
        "",
        "Every rule that this suite knows of, where it comes from, and where it is witnessed: by",
        "a scenario (`host.…`), by a gate (`coherence`), or not yet, and why not. `explain` says",
        "more of each. This page is the output of `list --matrix --markdown`.",
        "",
        f"{found} of {len(rows)} are witnessed.",
    ]
    for subject, title in _SUBJECTS.items():
        lines += ["", f"## {title}", "", "| rule | source | level | how | where |"]
        lines += ["|---|---|---|---|---|"]
        lines += [_line(row, where) for row, where in rows if row.subject == subject]
    return "\n".join(lines) + "\n"


def _matrix(args: argparse.Namespace) -> int:
    import fnmatch

    from ..corpus import corpus
    from ..errors import UsageError

    found = corpus()
    if args.markdown:
        print(matrix_document(found), end="")  # noqa: T201
        return 0
    rows = list(witnessed(found))
    for pattern in args.patterns:
        if not any(fnmatch.fnmatchcase(row.id, pattern) for row, _ in rows):
            raise UsageError(f"no requirement matches {pattern!r}")
    wanted = args.patterns or ["*"]
    chosen = [(r, w) for r, w in rows if any(fnmatch.fnmatchcase(r.id, p) for p in wanted)]
    if args.json:
        import dataclasses
        import json

        documents = [{**dataclasses.asdict(row), "witnessed": where} for row, where in chosen]
        print(json.dumps(documents, indent=2, ensure_ascii=False))  # noqa: T201
        return 0
    width = max(len(row.id) for row, _ in chosen)
    for row, where in chosen:
        place = where or f"not yet: {row.not_yet}"
        print(f"{row.id:<{width}}  {row.level:<6}  {row.subject:<8}  {row.witness:<19}  {place}")  # noqa: T201
    return 0


def _line(row: Requirement, where: str) -> str:
    place = f"`{where}`" if where else f"not yet: {row.not_yet}"
    cells = [f"{row.rule}<br>`{row.id}`", row.source, row.level, row.witness, place]
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
