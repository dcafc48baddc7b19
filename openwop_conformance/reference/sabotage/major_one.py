"""Breaks of major 1 that have nothing to do with deltas: admission, the acceptor, reading."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Final

from ...a2ui.catalog import KIND, component_types
from ...jsonvalue import JsonValue
from ...schemas import compiled, schema
from ..settings import CATALOG_VERSION, Settings
from ..v1.admission import check_tree
from ..v1.discovery import document
from .model import Change, Sabotage, mapped, v1_set_to
from .recording import one_back

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

Definitions = dict[str, JsonValue]


def _with(edit: Callable[[Definitions], None]) -> Change:
    """Payloads are held to an edited copy of the schema, which lets more through."""

    @cache
    def edited() -> Draft202012Validator:
        definitions = deepcopy(schema(KIND)["$defs"])
        edit(definitions)
        return compiled({"$ref": "#/$defs/payloadV1", "$defs": definitions})

    def check(payload: JsonValue, versions: tuple[str, ...]) -> None:
        if not edited().is_valid(payload):
            check_tree(payload, versions)

    return v1_set_to(check_payload=check)


def _any_component(definitions: Definitions) -> None:
    other = {"type": "string", "not": {"enum": list(component_types(1))}}
    strange = {"type": "object", "required": ["component"], "properties": {"component": other}}
    definitions["componentV1"]["anyOf"].append(strange)


def _opened(definitions: Definitions) -> None:
    def without(value: JsonValue) -> JsonValue:
        if isinstance(value, dict) and value.get("additionalProperties") is False:
            return {k: v for k, v in value.items() if k != "additionalProperties"}
        return value

    definitions.update(mapped(definitions, without))


def _any_level(definitions: Definitions) -> None:
    definitions["heading"]["properties"]["level"] = {"type": "integer"}


def _any_target(definitions: Definitions) -> None:
    action = definitions["actionButton"]["properties"]["action"]
    action["properties"]["target"] = {"type": "string"}


def _any_version(payload: JsonValue, versions: tuple[str, ...]) -> None:
    named = isinstance(payload, dict) and isinstance(payload.get("catalogVersion"), str)
    check_tree({**payload, "catalogVersion": CATALOG_VERSION} if named else payload, versions)


def _claiming_more(settings: Settings) -> dict[str, JsonValue]:
    def claimed(value: JsonValue) -> JsonValue:
        if isinstance(value, dict) and "deltaTransport" in value:
            return {**value, "maxPatchOperations": 100}
        return value

    found: dict[str, JsonValue] = mapped(document(settings), claimed)
    return found


SABOTAGES: Final = (
    Sabotage(
        "v1-catalog-unchecked",
        "a component that is not in the catalog is admitted",
        _with(_any_component),
    ),
    Sabotage("v1-tree-opened", "a surface may have members that nobody knows", _with(_opened)),
    Sabotage("v1-level-unbounded", "a heading may have any level", _with(_any_level)),
    Sabotage("v1-action-url-admitted", "an action may name any target", _with(_any_target)),
    Sabotage(
        "v1-version-unchecked",
        "every catalog version is taken for the one that is pinned",
        v1_set_to(check_payload=_any_version),
    ),
    Sabotage(
        "v1-kind-not-gated",
        "the acceptor takes kinds that are not supported",
        v1_set_to(kind_known=lambda kind, supported: True),
    ),
    Sabotage(
        "v1-conflict-cached",
        "a recorded correlation answers for every kind",
        v1_set_to(conflicts=lambda recorded_type, envelope_type: False),
    ),
    Sabotage(
        "v1-untrusted-approves",
        "untrusted content does not keep an approval from advancing",
        v1_set_to(blocks_approval=lambda content_trust: False),
    ),
    Sabotage(
        "v1-acceptor-trusts",
        "the acceptor does not block untrusted content at an approval",
        v1_set_to(acceptor_blocks=lambda content_trust: False),
    ),
    Sabotage(
        "v1-unknown-run-recorded",
        "the seams record into a run that there is not",
        v1_set_to(records_unknown=True),
    ),
    Sabotage(
        "v1-malformed-500",
        "a body that is not JSON is an internal error",
        v1_set_to(malformed="internal_error"),
    ),
    Sabotage(
        "v1-claim-open",
        "a2uiSurface has a member of the host's own",
        v1_set_to(discovery=_claiming_more),
    ),
    Sabotage(
        "v1-resume-inclusive", "Last-Event-ID is sent again", v1_set_to(resumes_after=one_back)
    ),
)
