"""``docs/reference/file-formats.md``: what each file and line holds, from the schemas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from openwop_conformance.cli.schema import NAMES
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.schemas import schema
from tests.docs.markdown import code, plain, table

_HEAD: Final = """\
# File formats

Made by `make docs-reference` from the schemas. Each is JSON Schema 2020-12;
`openwop-conformance schema scenario` prints it whole, with what this page leaves out: patterns,
bounds, and what goes with what. A `?` marks what may be left out.
"""
_ELSEWHERE: Final = {
    "scenario": "[The scenario language](scenario-language.md) has every word.",
    "sdk-line": "[The calls of an SDK](sdk-calls.md) has every call.",
    "consumer-line": "[The calls of a renderer](renderer-calls.md) has every call.",
}


def formats_page() -> str:
    """The page."""
    lines = [_HEAD, *table(("name", "what it describes"), _overview())]
    for name in NAMES:
        document = schema(name)
        title = plain(document["title"])
        lines += ["", f"## {name}", "", f"**{title}.** {plain(document['description'])}"]
        if name in _ELSEWHERE:
            lines += ["", _ELSEWHERE[name]]
            continue
        if "properties" in document:
            lines += ["", *table(("member", "is", ""), _members(document))]
        for part, node in document.get("$defs", {}).items():
            if "properties" in node:
                lines += ["", f"**{part}**" + _said(node, ": "), ""]
                lines += table(("member", "is", ""), _members(node))
    return "\n".join(lines) + "\n"


def _overview() -> Iterator[tuple[str, str]]:
    for name in NAMES:
        yield f"[{code(name)}](#{name.replace('.', '').lower()})", plain(schema(name)["title"])


def _said(node: JsonValue, before: str = "") -> str:
    said = node.get("description") if isinstance(node, dict) else None
    return before + plain(said) if said else ""


def _members(node: JsonValue) -> Iterator[tuple[str, str, str]]:
    required = node.get("required", ())
    for name, member in node["properties"].items():
        yield code(name if name in required else f"{name}?"), kind_of(member), _said(member)


def kind_of(node: JsonValue) -> str:
    """What a value has to be, in Markdown: ``{"type": "array", …}`` is *list of text*."""
    if not isinstance(node, dict):
        return "any value"
    if "$ref" in node:
        return plain(node["$ref"].rpartition("/")[2])
    if "const" in node:
        return code(str(node["const"]))
    if "enum" in node:
        return " or ".join(code(str(value)) for value in node["enum"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            return " or ".join(dict.fromkeys(kind_of(one) for one in node[keyword]))
    kinds = node.get("type")
    if isinstance(kinds, list):
        return " or ".join(kind_of({**node, "type": kind}) for kind in kinds)
    if kinds == "array":
        return f"list of {kind_of(node['items'])}" if "items" in node else "list"
    if kinds == "object" and "properties" in node:
        names = node.get("required", ())
        return ", ".join(code(n if n in names else f"{n}?") for n in node["properties"])
    names = {"string": node.get("format", "text"), "boolean": "true or false", None: "any value"}
    return str(names.get(kinds, kinds))
