"""The run as JUnit XML, as Jenkins, GitLab and GitHub's actions read it: a test case for each rule.

There is no one standard. What is written here keeps to the schema of Jenkins' xUnit plugin, and
stands once as an attribute and once as text where readers look in different places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from ..engine.verdict import Disposition, Event, RunFinished, RunStarted, ScenarioFinished, verdict
from ..evidence.ledger import Header, digest
from ..evidence.requirements import Requirement
from .output import put
from .wording import again, details, line, lines

_ELEMENTS: Final = {
    Disposition.FAIL: "failure",
    Disposition.BLOCKED: "error",
    Disposition.INAPPLICABLE: "skipped",
    Disposition.SKIPPED: "skipped",
}


class JUnitReport:
    """Listens to a run and writes one ``testsuite`` when it is over.

    A blocked row is an ``error``: nothing failed, but a run with one is no success.
    """

    def __init__(
        self, path: Path | None, requirements: Mapping[str, Requirement], header: Header
    ) -> None:
        self._path, self._requirements, self._header = path, requirements, header
        self._subject = header.subject
        self._finished: list[ScenarioFinished] = []

    def __call__(self, event: Event) -> None:
        """Take note of one event."""
        if isinstance(event, RunStarted):
            self._subject = event.subject
        elif isinstance(event, ScenarioFinished):
            self._finished.append(event)
        else:
            root = ET.Element("testsuites", {"name": "openwop-conformance"})
            suite = self._suite(event)
            root.attrib |= {n: suite.attrib[n] for n in ("tests", "failures", "errors", "time")}
            root.append(suite)
            ET.indent(root)
            text = ET.tostring(root).decode("ascii")  # the rest as &#…;, wherever it is sent
            put(self._path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')

    def _suite(self, event: RunFinished) -> ET.Element:
        elements = [_ELEMENTS.get(row.disposition) for row in event.rows]
        suite = ET.Element(
            "testsuite",
            {
                "name": line(f"openwop-conformance: {self._subject}"),
                "tests": str(len(elements)),
                "failures": str(elements.count("failure")),
                "errors": str(elements.count("error")),
                "skipped": str(elements.count("skipped")),
                "time": f"{event.seconds:.3f}",
            },
        )
        properties = ET.SubElement(suite, "properties")
        for name, value in (
            ("subject", self._subject),
            ("kind", self._header.kind),
            ("suite", self._header.suite),
            ("corpus", self._header.corpus),
            ("seed", self._header.seed),
            ("leftOut", self._header.left_out),
            ("digest", digest(event.rows)),
            ("verdict", verdict(event.rows)),
        ):
            ET.SubElement(properties, "property", {"name": name, "value": line(str(value))})
        suite.extend(self._case(f) for f in sorted(self._finished, key=lambda f: f.row.id))
        return suite

    def _case(self, finished: ScenarioFinished) -> ET.Element:
        row, scenario = finished.row, finished.scenario
        case = ET.Element(
            "testcase",
            {
                "classname": f"{self._header.kind}.{group_of(scenario.source)}",
                "name": row.id,
                "time": f"{finished.seconds:.3f}",
            },
        )
        if row.disposition in _ELEMENTS:
            said = {"message": line(row.reason), "type": str(row.disposition)}
            element = ET.SubElement(case, _ELEMENTS[row.disposition], said)
            told = self._told(finished) if finished.failures else [said["message"]]
            element.text = "\n".join(told)
        return case

    def _told(self, finished: ScenarioFinished) -> list[str]:
        """Every failure of a row, as lines."""
        requirement = self._requirements.get(finished.row.id)
        told = [requirement.rule if requirement else finished.scenario.title]
        told += [f"source    {finished.scenario.source}"]
        for failure in finished.failures:
            told += ["", line(failure.message)]
            for name, value in details(failure):
                first, *more = lines(value)
                told += [f"{name:<9} {first}", *(f"{'':<9} {one}" for one in more)]
        command = again(self._subject, self._header.kind, finished.scenario.id)
        return [*told, "", f"again     {line(command)}"]


def group_of(source: str) -> str:
    """What a rule is taken from, as far as rules are grouped by it: ``RFC 0209``.

    No dot is in it: readers take what stands before one for a package.
    """
    words = re.split(r"[,;§]", source)[0].split()[:2]
    return " ".join(words).partition(".")[0]
