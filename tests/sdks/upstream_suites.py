"""How upstream's suites and our two fixtures of later ones say their cases, as calls of an SDK.

A case's catalogs become documents. They go by the ids that its messages create surfaces with, as
upstream's own runners bind whatever catalog a case has; envelopes and common types are the
protocol's own and not the simplified copies that some cases bring.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import yaml

from openwop_conformance.jsonvalue import MISSING, JsonValue

from .restatements import RESTATED, Raw
from .upstream import Ask, Case, Parts, Refused, Value, Wanted

BASIC: Final = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json"
GROWING: Final = ["text"]
"""The texts that the streaming suite shows while they grow."""

_GRAPH: Final = frozenset({"integrity", "recursion", "validation"})
_WORDINGS: Final[list[tuple[str, frozenset[str]]]] = [
    (r"'(\w+)' is a required property|^required property", frozenset({"validation"})),
    (r"'v0.9' was (expected)", frozenset({"validation"})),
    (r"is not of type|^Validation failed", frozenset({"validation"})),
    (r"Duplicate component ID(?:: (\w+))?", _GRAPH - {"recursion"}),
    (r"Missing root component(?:\.\*(\S+))?", frozenset({"integrity"})),
    (r"references non-existent component(?: '(\S+)')?", frozenset({"integrity"})),
    (r"Self-reference|Circular reference", _GRAPH - {"validation"}),
    (r"(?i)recursion limit", frozenset({"recursion"})),
    (r"Component '(\S+)' is not reachable from '(\S+)'", frozenset({"integrity"})),
    (r"Invalid path syntax", frozenset({"validation", "data"})),
    (r"not found in response|part is empty|Failed to parse", frozenset({"parse"})),
]
"""Upstream's words for a fault: our kinds for it, and the names that our error must tell too."""


def yaml_suite(path: Path) -> list[Case]:
    """The cases of one of the older suites; a name that comes again is numbered."""
    raws = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    seen: Counter[str] = Counter()
    found = []
    for raw in raws:
        seen[raw["name"]] += 1
        number = f"#{seen[raw['name']]}" if seen[raw["name"]] > 1 else ""
        version = f"v{raw['catalog']['version']}" if "catalog" in raw else "v0.9"
        catalog = _catalog(raw.get("catalog", {}), path.parents[1])
        kind = f"{path.stem}/{version}/{raw['action']}"
        read = partial(_read, raw["name"] + number, kind, version)
        found.append(read({**raw, "catalog": catalog}))
    return found


def _read(name: str, kind: str, version: str, raw: Raw) -> Case:
    def again(restatements: Sequence[str]) -> Case:
        said = raw
        for restatement in restatements:
            said = RESTATED[restatement](said)
        return _read(name, kind, version, said)

    asks = _ACTIONS.get(raw["action"], _none)(raw, version)
    return Case(name, kind, tuple(asks), again)


def data_model_suite(path: Path) -> list[Case]:
    """The cases of the compact data model suite; those that only watch have no calls."""
    found = []
    for name, initial, steps, *more in json.loads(path.read_bytes())["cases"]:
        asks = list(_data_steps(initial, steps, more[0] if more else {}))
        told = any(ask.wanted is not None for ask in asks)
        kind = f"data_model/v0.9/{'data_model' if told else 'notify'}"
        found.append(Case(name, kind, tuple(asks) if told else ()))
    return found


def own_suite(path: Path) -> list[Case]:
    """The cases of a fixture of ours, which says itself what its members are."""
    document = json.loads(path.read_bytes())
    suite = path.stem.removesuffix("_cases")
    return [
        Case(raw["case"], f"{suite}/{raw.get('version', 'v0.9')}/own", tuple(_own(raw, document)))
        for raw in document["cases"]
    ]


def refused(words: str) -> Refused:
    """The refusal that upstream's words for a fault describe."""
    for pattern, kinds in _WORDINGS:
        if match := re.search(pattern, words):
            named = [name for name in match.groups() if name not in (None, "expected")]
            return Refused(kinds, tuple(named))
    raise AssertionError(f"no kind is known for {words!r}")


# ----------------------------------------------------------------------------- older suites


def _catalog(catalog: dict[str, JsonValue], folder: Path) -> JsonValue:
    schema = catalog.get("catalog_schema", {})
    return json.loads((folder / schema).read_bytes()) if isinstance(schema, str) else schema


def _none(_: JsonValue, __: str) -> Iterator[Ask]:
    return iter(())


def _documents(catalog: JsonValue, ids: Iterable[str]) -> list[JsonValue]:
    """The catalog under each id, or under its own."""
    names = list(dict.fromkeys(ids)) or [catalog["catalogId"]]
    return [{**catalog, "catalogId": name} for name in names]


def _validating(raw: dict[str, JsonValue], version: str) -> Iterator[Ask]:
    for number, step in enumerate(raw.get("steps", [raw]), 1):
        bodies = [message.get("createSurface", {}) for message in step["payload"]]
        ids = [body["catalogId"] for body in bodies if "catalogId" in body]
        given = {
            "payload": step["payload"],
            "catalogs": _documents(raw["catalog"], ids),
            "version": version,
        }
        wanted = refused(step["expect_error"]) if "expect_error" in step else None
        yield Ask(number, "validate_payload", given, wanted)


def _streaming(raw: dict[str, JsonValue], version: str) -> Iterator[Ask]:
    catalogs = [{"components": {}, **raw["catalog"]}]
    yield Ask(0, "new_state", {"state": "s", "catalogs": catalogs, "version": version})
    yield Ask(0, "open_stream", {"stream": "r", "state": "s", "progressive_keys": GROWING})
    for number, step in enumerate(raw["steps"], 1):
        wanted: Wanted = Parts(step.get("expect", []))
        if "expect_error" in step:
            wanted = refused(step["expect_error"])
        yield Ask(number, "feed", {"stream": "r", "text": step["input"]}, wanted)


def _parsing(raw: dict[str, JsonValue], _: str) -> Iterator[Ask]:
    wanted = refused(raw["expect_error"]) if "expect_error" in raw else Parts(raw["expect"])
    given = {"content": raw["input"]}
    if "state" in raw:
        root = {"id": "root", "component": "Text", "text": "Hello"}
        body = {"surfaceId": "s", "components": [root]}
        yield from _state(
            ["basic"], "v0.9", [_created("s", BASIC), {"version": "v0.9", "updateComponents": body}]
        )
        given["state"] = "s"
    yield Ask(1, "parse_response", given, wanted)


def _compiling(raw: dict[str, JsonValue], _: str) -> Iterator[Ask]:
    yield Ask(1, "compile", {"content": raw["input"]}, Value(("messages",), raw["expect"]))


_ACTIONS: Final = {
    "validate": _validating,
    "process_chunk": _streaming,
    "parse_full": _parsing,
    "fix_payload": _compiling,
}


# ------------------------------------------------------------------------------- data model


def _data_steps(initial: JsonValue, steps: JsonValue, more: JsonValue) -> Iterator[Ask]:
    def write(step: int, wanted: Wanted = None, **body: JsonValue) -> Ask:
        message = {"version": "v0.9", "updateDataModel": {"surfaceId": "s", **body}}
        return Ask(step, "apply", {"state": "s", "messages": [message]}, wanted)

    def held(step: int, path: str, value: object) -> Ask:
        tokens = [t.replace("~1", "/").replace("~0", "~") for t in path.split("/") if t]
        at = ("surfaces", "s", "data", *tokens)
        return Ask(step, "read", {"state": "s"}, Value(at, value))

    yield from _state(["basic"], "v0.9", [_created("s", BASIC)])
    if initial is not None:
        yield write(0, value=initial)
    for number, (operation, *rest) in enumerate(steps, 1):
        if operation == "set":
            path, value, *fault = rest
            wanted = Refused(frozenset({"data", "validation"})) if fault else None
            yield write(number, wanted, path=path, value=value)
        elif operation == "delete":
            yield write(number, path=rest[0])
        elif operation == "get":
            yield held(number, rest[0], MISSING if rest[1] == "<absent>" else rest[1])
        elif operation == "type":
            yield held(number, rest[0], {"object": dict, "list": list}[rest[1]])
        elif operation == "key":
            yield held(number, f"{rest[0]}/{rest[1].replace('~', '~0').replace('/', '~1')}", str)
    for path, value in more.get("values", {}).items():
        yield held(len(steps), path, value)


def _created(surface: str, catalog: str) -> JsonValue:
    return {"version": "v0.9", "createSurface": {"surfaceId": surface, "catalogId": catalog}}


def _state(catalogs: JsonValue, version: str, messages: list[JsonValue]) -> Iterator[Ask]:
    yield Ask(0, "new_state", {"state": "s", "catalogs": catalogs, "version": version})
    if messages:
        yield Ask(0, "apply", {"state": "s", "messages": messages})


# ----------------------------------------------------------------------------- our fixtures


def _own(raw: dict[str, JsonValue], document: dict[str, JsonValue]) -> Iterator[Ask]:
    """A case of ours: ``messages`` one by one, a whole ``payload``, a ``response`` in chunks."""
    named = document.get("catalogs", {})
    catalogs = [named.get(name, name) for name in raw.get("catalogs", ["basic"])]
    version = raw.get("version", "v0.9")
    wanted = None
    if "refused" in raw:
        wanted = Refused(frozenset(raw["refused"]), tuple(raw.get("says", ())))
    if "payload" in raw:
        given = {"payload": raw["payload"], "catalogs": catalogs, "version": version}
        yield Ask(1, "validate_payload", given, wanted)
        return
    yield from _state(catalogs, version, raw.get("before", []))
    messages = raw.get("messages", [])
    for number, message in enumerate(messages, 1):
        last = wanted if number == len(messages) else None
        yield Ask(number, "apply", {"state": "s", "messages": [message]}, last)
    if "response" in raw:
        yield from _response(raw, wanted)
    number = len(messages) or len(raw.get("response", ()))
    if "reads" in raw:
        yield Ask(number, "read", {"state": "s"}, Value(("surfaces",), raw["reads"], partly=True))
    for surface in raw.get("without", ()):
        yield Ask(number, "read", {"state": "s"}, Value(("surfaces", surface), MISSING))
    if "client" in raw:
        yield Ask(number, "client_data", {"state": "s"}, Value(("data",), raw["client"]))


def _response(raw: dict[str, JsonValue], wanted: Wanted) -> Iterator[Ask]:
    given = {"stream": "r", "state": "s", "progressive_keys": raw.get("growing", [])}
    yield Ask(0, "open_stream", {**given, "wrapped": raw.get("wrapped", True)})
    steps = raw["response"]
    for number, (chunk, *parts) in enumerate(steps, 1):
        ends = wanted if number == len(steps) and wanted else Parts([_part(p) for p in parts])
        yield Ask(number, "feed", {"stream": "r", "text": chunk}, ends)
    if wanted is None:
        yield Ask(len(steps), "close_stream", {"stream": "r"}, Parts([]))


def _part(part: JsonValue) -> JsonValue:
    return {"text": part} if isinstance(part, str) else {"messages": [part]}
