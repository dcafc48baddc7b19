"""Bundles v1 (RFC 0089) and v2 (RFC 0148): what in them can be re-derived. Neither is signed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..schemas import problems, validator
from .bundle import TOTALS, sha256
from .plausibility import Judged
from .rejections import Finding


def older_shape(bundle: dict[str, Any]) -> list[Finding]:
    """What is wrong with the form of a bundle v1 or v2."""
    return [
        Finding("schema", f"{problem.path or '/'}: {problem.message}")
        for problem in problems(validator("bundle-older"), bundle)
    ]


def older_rows(bundle: dict[str, Any]) -> list[Judged]:
    """The rows; a bundle v1 has one for each scenario, and no reasons."""
    results = bundle["results"]
    if bundle["bundleVersion"] == "1":
        names = {"passed": "executed-pass", "failed": "executed-fail", "skipped": "skipped"}
        return [
            Judged(scenario, scenario, result)
            for member, result in names.items()
            for scenario in results[member]
        ]
    return [
        Judged(row["requirementId"], row["scenarioId"], row["disposition"], row.get("detail", ""))
        for row in results["requirements"]
    ]


def older_contradictions(bundle: dict[str, Any]) -> Iterator[Finding]:
    """What in a bundle v1 or v2 of the right form contradicts itself."""
    rows = older_rows(bundle)
    for id_, times in Counter(row.id for row in rows).items():
        if times > 1:
            yield Finding("duplicate-requirement", f"{id_} has {times} rows")
    results = bundle["results"]
    if bundle["bundleVersion"] == "1":
        counted = {name: len(results[name]) for name in ("passed", "failed", "skipped")}
        counted["total"] = len(rows)
    else:
        found = Counter(row.result for row in rows)
        counted = {member: found[name] for name, member in TOTALS.items()}
        yield from _of_rows(results["requirements"])
    for name, count in counted.items():
        if (said := results["totals"][name]) != count:
            yield Finding("totals-mismatch", f"totals.{name} is {said}, and {count} rows are")
    document = bundle["discovery"].get("document")
    if document is not None and sha256(document) != bundle["discovery"]["sha256"]:
        yield Finding("discovery-digest", "discovery.sha256 is not the digest of the document")


def _of_rows(rows: list[dict[str, Any]]) -> Iterator[Finding]:
    for row in rows:
        if row["disposition"] == "executed-pass":
            if not row.get("assertionCount"):
                yield Finding("vacuous-pass", f"{row['requirementId']} passes without an assertion")
        elif not row.get("detail", "").strip():
            message = f"{row['requirementId']} is {row['disposition']} without a reason"
            yield Finding("reason-missing", message)
