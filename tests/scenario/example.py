"""The head of a scenario that the tests complete, and words for its steps."""

from __future__ import annotations

from collections.abc import Callable

from openwop_conformance.scenario.model import Scenario

HEAD = """\
scenario: host.v2.example
title: An example
source: RFC 0209
subject: host
major: 2
needs: [floor.2]
requirement: x.example
sabotage: [broken]
let:
  create: {createSurface: {}}
  data: {updateDataModel: {path: /a, value: 1}}
  both: [$create, $data]
  inner: {text: plain}
steps:
"""
"""Fourteen lines: the first step stands in line 15."""

TWO = "twin: {messages: [$create, $data]}"
WHY = "refused: {code: envelope_invalid}\n  because: it is so\n"

Load = Callable[..., Scenario]
Fault = Callable[..., str]
