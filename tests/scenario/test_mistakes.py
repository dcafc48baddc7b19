"""Each mistake in a scenario is found at its place, and told in words that help."""

from __future__ import annotations

import pytest

from openwop_conformance.scenario.host_verbs import HOST_VERBS

from .example import HEAD, TWO, WHY, Fault, Load

VERB_LIST = ", ".join(HOST_VERBS)
NAMES = "$catalog, $create, $data, $both, $inner and $canary"
STEPS: dict[str, tuple[str, str]] = {
    "an unknown verb": (
        "- run: w\n- emitt: {messages: []}\n",
        f"16:10: unknown verb 'emitt'; the verbs are {VERB_LIST}",
    ),
    "two verbs": (
        "- run: w\n  cancel: run\n",
        f"15:3: a step has one verb; the verbs are {VERB_LIST}",
    ),
    "no verb": ("- because: x\n", f"15:3: a step has one verb; the verbs are {VERB_LIST}"),
    "no mapping": ("- run\n", f"15:3: a step has one verb; the verbs are {VERB_LIST}"),
    "an unknown argument": (
        "- emit: {messages: [], surfac: a}\n",
        "15:9: Additional properties are not allowed ('surfac' was unexpected)",
    ),
    "an unknown word beside the verb": (
        "- run: w\n  becuase: x\n",
        "15:3: Additional properties are not allowed ('becuase' was unexpected)",
    ),
    "a missing argument": ("- run: {name: r}\n", '15:8: "workflow" is a required property'),
    "an argument of the wrong type": (
        "- emit: {messages: [], surface: 5}\n",
        '15:33: 5 is not of type "string"',
    ),
    "an argument out of its words": (
        "- log: {via: email}\n",
        '15:14: "email" is not one of "poll", "stream" or "subscription"',
    ),
    "a number for true": (
        "- emit: {messages: [], stamp: true}\n",
        "15:31: true is not valid under any of the schemas listed in the 'anyOf' keyword",
    ),
    "a list without a $": (
        "- emit: {messages: both}\n",
        '15:20: "both" does not match "^\\$[a-z]"',
    ),
    "a name that is no list": (
        "- emit: {messages: $inner}\n",
        '15:20: /messages: {"text":"plain"} is not of type "array"',
    ),
    "an escaped name for a list": (
        "- emit: {messages: $$both}\n",
        '15:20: "$$both" does not match "^\\$[a-z]"',
    ),
    "a canary for a list": (
        "- emit: {messages: $canary}\n",
        '15:20: /messages: "$canary" is not of type "array"',
    ),
    "a name that is no text": (
        "- emit: {messages: [], surface: $data}\n",
        '15:33: /surface: {"updateDataModel":{"path":"/a","value":1}} is not of type "string"',
    ),
    "neither messages nor a payload": (
        "- emit: {surface: a}\n",
        "15:9: emit takes messages, or else a payload",
    ),
    "messages and a payload": (
        "- emit: {messages: [], payload: {}}\n",
        "15:9: emit takes messages, or else a payload",
    ),
    "an unknown name": (
        "- emit: {messages: [$create, $datta]}\n",
        f"15:30: $datta is not defined; there are {NAMES}",
    ),
    "an unknown name deep in a message": (
        "- emit: {messages: [{updateDataModel: {value: [1, $x]}}]}\n",
        f"15:51: $x is not defined; there are {NAMES}",
    ),
    "an unknown member of a name": (
        "- emit: {messages: [$inner.nothing]}\n",
        f"15:21: $inner.nothing is not defined; there are {NAMES}",
    ),
    "a member of what is no object": (
        "- emit: {messages: [$inner.text.x]}\n",
        f"15:21: $inner.text.x is not defined; there are {NAMES}",
    ),
    "a dollar alone": (
        '- emit: {messages: ["$"]}\n',
        f"15:21: $ is not defined; there are {NAMES}",
    ),
    "a case without each": (
        "- emit: {messages: $case.messages}\n",
        f"15:20: $case.messages is not defined; there are {NAMES}",
    ),
    "an unknown name in because": (
        "- run: w\n  because: $why\n",
        f"16:12: $why is not defined; there are {NAMES}",
    ),
    "a name in because that is no text": (
        "- run: w\n  because: $inner\n",
        "16:12: $inner is not text",
    ),
    "an unknown name in a twin": (
        f"- emit: {{messages: [$data]}}\n  {WHY}  twin: {{messages: [$creat, $data]}}\n",
        f"18:21: $creat is not defined; there are {NAMES}",
    ),
    "an unknown word in a twin": (
        f"- emit: {{messages: [$data]}}\n  {WHY}  twin: {{mesages: [$create, $data]}}\n",
        "18:9: Additional properties are not allowed ('mesages' was unexpected)",
    ),
    "a wrong type in a twin": (
        f"- emit: {{messages: [$data]}}\n  {WHY}  twin: {{surface: 1}}\n",
        '18:19: /surface: 1 is not of type "string"',
    ),
    "a refusal without because": (
        f"- emit: {{messages: [$data]}}\n  refused: {{code: x}}\n  {TWO}\n",
        "15:3: a refusal needs because: the rule, in words",
    ),
    "a refusal without a twin": (
        f"- emit: {{messages: [$data]}}\n  {WHY}",
        "15:3: a refusal needs a twin: the same request one edit away, admitted",
    ),
    "a refusal without a reason": (
        f"- emit: {{messages: [$data]}}\n  refused: {{rule: fold}}\n  because: x\n  {TWO}\n",
        "16:12: a refusal is bound to its reason: give code or reason",
    ),
    "an empty refusal": (
        f"- emit: {{messages: [$data]}}\n  refused: {{}}\n  because: x\n  {TWO}\n",
        "16:12: a refusal is bound to its reason: give code or reason",
    ),
    "a refusal of a verb that cannot be refused": (
        "- run: w\n  refused: {code: x}\n  because: y\n",
        "15:3: Additional properties are not allowed ('refused' was unexpected)",
    ),
    "a race without a reason": (
        "- race: {messages: [$create]}\n",
        "15:3: a race needs refused: the reason that all but one are refused for",
    ),
    "a twin of nothing": (
        f"- emit: {{messages: [$data]}}\n  {TWO}\n",
        '15:3: "refused" is a required property',
    ),
    "an empty twin": (
        f"- emit: {{messages: [$data]}}\n  {WHY}  twin: {{}}\n",
        "18:9: {} has less than 1 property",
    ),
    "a twin of two words": (
        f"- emit: {{messages: [$data]}}\n  {WHY}  twin: {{surface: b, trust: trusted}}\n",
        "18:9: a twin changes exactly one word; this one changes surface, trust",
    ),
    "a twin of the messages and another word": (
        f"- emit: {{messages: [$data]}}\n  {WHY}  twin: {{messages: [$create, $data], run: r}}\n",
        "18:9: a twin changes exactly one word; this one changes messages, run",
    ),
    "a twin that changes nothing": (
        f"- emit: {{messages: [$data]}}\n  {WHY}  twin: {{surface: a, messages: [$data]}}\n",
        "18:9: a twin changes exactly one word; this one changes nothing",
    ),
    "an each that matches nothing": (
        "- run: w\n- emit: {messages: []}\n  each: none/*.json\n",
        "17:9: no fixture matches 'none/*.json'",
    ),
    "no step": ("", "14:7: nothing stands here: write a value, or null"),
    "an empty list of steps": ("  []\n", "15:3: [] has less than 1 item"),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_wrong_step_is_an_error_at_its_place(fault: Fault, name: str) -> None:
    steps, expected = STEPS[name]

    assert fault(steps) == f"f.yaml:{expected}"


HEADS: dict[str, tuple[str, str, str]] = {
    "an unknown need": ("[floor.2]", "[floor.2, floor.3]", "6:18: "),
    "a need twice": ("[floor.2]", "[floor.2, floor.2]", "6:8: "),
    "an id without parts": ("host.v2.example", "example", "1:11: "),
    "an id in capitals": ("host.v2.example", "host.V2.example", "1:11: "),
    "a subject that is none": ("subject: host", "subject: server", "4:10: "),
    "a major that is none": ("major: 2", "major: 3", "5:8: "),
    "a major as text": ("major: 2", "major: '2'", "5:8: "),
    "no sabotage": ("[broken]", "[]", "8:11: "),
    "an empty title": ("An example", "''", "2:8: "),
    "an unknown word": ("title:", "tittle:", "1:1: "),
    "a name that is none": ("  inner:", "  Inner:", "10:3: "),
    "a name of the suite's own": ("  inner:", "  catalog:", "13:12: $catalog is the suite's own"),
    "the name of the fixture": ("  inner:", "  case:", "13:9: $case is the suite's own"),
    "the canary's name": ("  inner:", "  canary:", "13:11: $canary is the suite's own"),
    "a name before it is given": (
        "[$create, $data]",
        "[$create, $inner]",
        "12:19: $inner is not defined; there are $catalog, $create, $data and $canary",
    ),
}


@pytest.mark.parametrize("name", HEADS)
def test_a_wrong_head_is_an_error_at_its_place(fault: Fault, name: str) -> None:
    old, new, expected = HEADS[name]
    assert HEAD.count(old) == 1

    assert fault("- run: w\n", HEAD.replace(old, new)).startswith(f"f.yaml:{expected}")


@pytest.mark.parametrize("word", ["scenario", "title", "source", "requirement", "sabotage"])
def test_a_head_without_one_of_its_words_is_an_error_that_names_it(fault: Fault, word: str) -> None:
    lines = [line for line in HEAD.splitlines(keepends=True) if not line.startswith(f"{word}:")]

    assert fault("- run: w\n", "".join(lines)) == f'f.yaml:1:1: "{word}" is a required property'


def test_a_file_that_is_no_mapping_is_an_error(fault: Fault) -> None:
    assert fault("- a\n", head="") == 'f.yaml:1:1: ["a"] is not of type "object"'


def test_a_step_that_witnesses_nothing_without_a_need_asks_for_it(
    fault: Fault, loaded: Load
) -> None:
    head = HEAD.replace("subject: host", "subject: consumer")

    assert fault("- contained: c\n", head.replace("floor.2", "feature.deltas")) == (
        "f.yaml:15:3: contained witnesses nothing without feature.network: add it to needs"
    )
    assert loaded("- contained: c\n", head.replace("floor.2", "feature.network")).steps


def test_a_fixture_that_is_not_strict_json_is_an_error_in_that_file(fault: Fault) -> None:
    steps = "- emit: {messages: $case.messages}\n  each: set/*.json\n"

    assert fault(steps, bad='{"a": 1, "a": 2}') == "fixtures/set/bad.json:1:1: duplicate key 'a'"


def test_a_fixture_that_lacks_what_is_asked_of_it_is_an_error_where_it_is_asked(
    fault: Fault,
) -> None:
    steps = "- emit: {messages: $case.messages}\n  each: set/*.json\n"

    assert fault(steps, bad={"message": []}) == (
        "f.yaml:15:20: $case.messages is not defined; "
        "there are $catalog, $create, $data, $both, $inner, $case and $canary "
        "(fixture set/bad.json)"
    )


def test_a_fixtures_twin_more_than_one_edit_away_is_an_error_that_names_the_fixture(
    fault: Fault,
) -> None:
    steps = (
        "- emit: {messages: $case.messages}\n  each: set/*.json\n"
        f"  {WHY}  twin: {{messages: $case.twin}}\n"
    )

    good, far = {"messages": [1], "twin": [1, 2]}, {"messages": [1], "twin": [1, 2, 3]}

    assert (
        fault(steps, a=good, b=far)
        == "f.yaml:19:9: a twin is one edit away; this one is more (fixture set/b.json)"
    )
