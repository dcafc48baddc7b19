"""What the adapters of real libraries answer has the line's shapes; what it says is not judged."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from openwop_conformance import sdks
from openwop_conformance.errors import CallError, UsageError
from openwop_conformance.jsonvalue import JsonValue

PACKAGE: Final = Path(sdks.__file__).parent
SCHEMA: Final = json.loads((PACKAGE.parent / "schemas" / "sdk-line.schema.json").read_text("utf-8"))
WEB_CORE_DIR: Final = Path(os.environ.get("WEB_CORE_DIR", "/tmp/node"))

BASIC: Final = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json"
SMALL: Final = {
    "catalogId": "urn:example:small",
    "components": {
        "Note": {
            "type": "object",
            "properties": {"component": {"const": "Note"}, "id": {}, "text": {"type": "string"}},
            "required": ["component", "text"],
        }
    },
}


def message(**body: JsonValue) -> JsonValue:
    return {"version": "v0.9", **body}


CREATE: Final = message(createSurface={"surfaceId": "s", "catalogId": BASIC, "sendDataModel": True})
ROOT: Final = message(
    updateComponents={
        "surfaceId": "s",
        "components": [{"id": "root", "component": "Text", "text": "hi"}],
    }
)
DATA: Final = message(updateDataModel={"surfaceId": "s", "path": "/name", "value": "Ada"})
NUMBER: Final = message(
    updateComponents={
        "surfaceId": "s",
        "components": [{"id": "root", "component": "Text", "text": 7, "size": 1}],
    }
)
ELSEWHERE: Final = message(updateDataModel={"surfaceId": "none", "value": 1})
BLOCK: Final = json.dumps([CREATE, ROOT])
RESPONSE: Final = f"Here you are: <a2ui-json>{BLOCK}</a2ui-json> Enjoy."
CALLS: Final[list[tuple[str, JsonValue]]] = [
    ("hello", {"protocol": 1}),
    ("new_state", {"state": "a"}),
    ("new_state", {"state": "b", "catalogs": [SMALL, "basic"], "version": "v0.9.1"}),
    ("apply", {"state": "a", "messages": [CREATE, ROOT, DATA]}),
    ("apply_each", {"state": "a", "messages": [ROOT, ELSEWHERE, DATA]}),
    ("read", {"state": "a"}),
    ("read", {"state": "b"}),
    ("check_topology", {"state": "a", "surfaces": ["s", "never"]}),
    ("client_data", {"state": "a"}),
    ("client_data", {"state": "b"}),
    ("parser", {}),
    ("compile", {"content": BLOCK, "is_final": True}),
    ("parse_response", {"content": RESPONSE}),
    ("parse_response", {"content": BLOCK, "state": "a", "wrapped": False}),
    ("open_stream", {"stream": "x", "state": "a", "progressive_keys": ["text"]}),
    ("feed", {"stream": "x", "text": RESPONSE[:60]}),
    ("feed", {"stream": "x", "text": RESPONSE[60:]}),
    ("close_stream", {"stream": "x"}),
    ("stream", {"state": "a", "chunks": [RESPONSE[:99], RESPONSE[99:]]}),
    ("stream", {"state": "a", "chunks": [RESPONSE], "quiet": True}),
    ("validate_payload", {"payload": [CREATE, ROOT]}),
    ("validate_payload", {"payload": ROOT, "surface_catalogs": {"s": BASIC}}),
]
REFUSED: Final[list[tuple[str, JsonValue]]] = [
    ("apply", {"state": "a", "messages": [NUMBER, ELSEWHERE]}),
    ("compile", {"content": "[{]"}),
    ("parse_response", {"content": f"{RESPONSE} <a2ui-json>[{{]</a2ui-json>"}),
    ("stream", {"state": "a", "chunks": ["<a2ui-json>[{]</a2ui", "-json>"]}),
    ("validate_payload", {"payload": [CREATE, NUMBER]}),
]

Ask = Callable[[str, JsonValue], JsonValue]
"""Makes a call; its result, or an ``CallError``."""


def invalid(definition: str, value: JsonValue) -> list[str]:
    rules = {"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{definition}"}
    return [error.message for error in Draft202012Validator(rules).iter_errors(value)]


def in_process(module: str, factory: str, **settings: str) -> Ask:
    made = getattr(importlib.import_module(f"{sdks.__name__}.{module}"), factory)(**settings)
    return lambda call, given: getattr(made, call)(**given)


def core(checks: str) -> Ask:
    pytest.importorskip("a2ui.core", reason="a2ui-core is not installed (extra sdks)")
    return in_process("a2ui_core", "Core", checks=checks)


def agent() -> Ask:
    pytest.importorskip(
        "a2ui.inference_formats", reason="a2ui-agent-sdk is not installed (extra sdks)"
    )
    return in_process("a2ui_agent", "Agent")


def node(*arguments: str, **more: Any) -> subprocess.Popen[str]:
    command = shutil.which("node")
    if command is None:
        pytest.skip("Node is not installed")
    return subprocess.Popen(
        [command, str(PACKAGE / "web_core.mjs"), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def web_core() -> Iterator[Ask]:
    if not (WEB_CORE_DIR / "node_modules" / "@a2ui" / "web_core").is_dir():
        pytest.skip(f"@a2ui/web_core is not installed in {WEB_CORE_DIR} (set WEB_CORE_DIR)")
    ids = itertools.count(1)
    with node(str(WEB_CORE_DIR)) as process:
        assert process.stdin
        assert process.stdout
        to, of = process.stdin, process.stdout

        def ask(call: str, given: JsonValue) -> JsonValue:
            line = {"id": next(ids), "call": call, "with": given}
            to.write(json.dumps(line) + "\n")
            to.flush()
            answer = json.loads(of.readline())
            assert invalid("answer", answer) == []
            assert answer["id"] == line["id"]
            if error := answer.get("error"):
                details = error.get("details", ())
                raise CallError(error["kind"], error["message"], details=details)
            return answer["result"]

        yield ask
        to.close()
        assert process.wait(10) == 0


@pytest.fixture(scope="module", params=["none", "progressive", "strict", "agent", "web_core"])
def ask(request: pytest.FixtureRequest) -> Iterator[Ask]:
    if request.param == "web_core":
        yield from web_core()
    else:
        yield agent() if request.param == "agent" else core(request.param)


def offered(ask: Ask, calls: list[tuple[str, JsonValue]]) -> list[tuple[str, JsonValue]]:
    operations = ask("hello", {"protocol": 1})["operations"]
    return [(call, given) for call, given in calls if call in operations]


def test_every_call_that_is_tried_here_is_one_of_the_line() -> None:
    for call, given in CALLS + REFUSED:
        assert invalid("call", {"id": 1, "call": call, "with": given}) == []


def test_every_result_has_the_shape_of_its_call(ask: Ask) -> None:
    calls = offered(ask, CALLS)

    assert {call for call, _ in calls} == set(ask("hello", {"protocol": 1})["operations"])
    assert [
        (call, faults)
        for call, given in calls
        if (faults := invalid(f"result_{call}", ask(call, given)))
    ] == []


def test_every_refusal_has_the_shape_of_an_error_and_a_kind_of_its_own(ask: Ask) -> None:
    ask("new_state", {"state": "a"})
    for call, given in offered(ask, REFUSED):
        with pytest.raises(CallError) as refusal:
            ask(call, given)

        assert invalid("error", refusal.value.as_json()) == []
        assert refusal.value.kind != "crash", str(refusal.value)


def test_a_state_is_read_as_it_was_written(ask: Ask) -> None:
    ask("new_state", {"state": "a"})
    if not offered(ask, [("apply", {})]):  # a library without a state has nothing to read
        assert not offered(ask, [("read", {}), ("apply_each", {}), ("transaction", {})])
        return

    assert ask("apply_each", {"state": "a", "messages": [CREATE, DATA, ELSEWHERE, ROOT]}) == {
        "applied": 2
    }
    ask("apply", {"state": "a", "messages": [ROOT]})

    assert ask("read", {"state": "a"}) == {
        "surfaces": {
            "s": {
                "catalogId": BASIC,
                "components": {"root": {"id": "root", "component": "Text", "text": "hi"}},
                "data": {"name": "Ada"},
                "sendDataModel": True,
            }
        }
    }
    assert ask("client_data", {"state": "a"}) == {
        "data": {"version": "v0.9", "surfaces": {"s": {"name": "Ada"}}}
    }


def test_a_crash_of_the_library_is_not_made_a_refusal() -> None:
    made = core("none")
    with pytest.raises(KeyError, match="never"):
        made("read", {"state": "never"})


def test_a_setting_that_is_none_is_a_mistake_of_usage() -> None:
    with pytest.raises(UsageError, match="'most', and not one of none, progressive, strict"):
        core("most")


def test_web_core_says_what_it_needs() -> None:
    with node(env={"PATH": os.environ["PATH"]}) as process:
        _, said = process.communicate(timeout=10)

    assert process.returncode == 2
    assert re.search(r"usage: .* where @a2ui/web_core is installed", said)
