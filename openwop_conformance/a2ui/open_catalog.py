"""Any A2UI v0.9 catalog, the basic one included: what it admits, and who refers to whom.

The closed profile of OpenWOP is ``catalog``. A validator is compiled for each type when it is first
needed; only a refused component is looked at again, for words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NoReturn

from ..errors import CallError
from ..jsonvalue import JsonValue, brief
from ..schemas import Problem
from .catalog_document import MOST_LEVELS, CatalogDocument, shipped
from .child_references import Accessor, accessor
from .component_problems import problems_of
from .frame import check_frame
from .nesting import check_depth, check_nesting

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = ["Catalog", "basic", "check_depth", "check_frame", "read_catalog"]

LARGEST_PATTERN: Final = 2**20
"""The bytes that a compiled pattern may take, which bounds the work for each character."""


@dataclass(frozen=True, slots=True)
class _Type:
    """What is compiled of one component type."""

    fits: Callable[[JsonValue], bool]
    children: Accessor


class Catalog:
    """A catalog: its id, its document, and what it says of components and themes.

    Make one with ``basic`` or ``read_catalog``. It does not change; do not change ``document``.
    """

    __slots__ = ("_document", "_telling", "_types", "_validators", "catalog_id", "document")

    def __init__(self, document: dict[str, JsonValue]) -> None:
        self.document: JsonValue = document
        self.catalog_id: str = document["catalogId"]
        self._document = CatalogDocument(document)
        self._telling: CatalogDocument | None = None
        self._types: dict[str, _Type] = {}
        self._validators: dict[tuple[str, ...], Draft202012Validator] = {}

    @property
    def component_types(self) -> Sequence[str]:
        """The names of the components, in the document's order."""
        return tuple(self.document["components"])

    def check_component(self, component: JsonValue, path: str = "") -> None:
        """Refuse a component that the catalog does not admit; its place is under ``path``.

        Raises ``CallError``: validation for an unknown type, a missing, unknown or ill-typed
        property, an unknown function, a bound path that is no JSON Pointer; recursion for what is
        nested too deep (``nesting``). A missing property has the path that it would have.
        """
        kind = component.get("component") if isinstance(component, dict) else None
        if not isinstance(kind, str):
            self._refuse_untyped(component, path)
        known = self._types.get(kind) or self._type(kind, component, path)
        for value in component.values():
            if value.__class__ is dict or value.__class__ is list:
                check_nesting(component, path)
                break
        try:
            if known.fits(component):
                return
        except ValueError:  # what is no JSON value; told below
            pass
        check = self._validator("components", kind, telling=True)
        raise _refusal(_whose(component), problems_of(check, component), path)

    def children(self, component: dict[str, JsonValue]) -> Sequence[str]:
        """Every id that an admitted component refers to, in its own order, repeats included."""
        kind = component["component"]
        return (self._types.get(kind) or self._type(kind, component, "")).children(component)

    def check_theme(self, theme: JsonValue, path: str = "") -> None:
        """Refuse a theme that the catalog does not admit; without a schema any object is one.

        Raises ``CallError`` of kind validation or recursion.
        """
        if not isinstance(theme, dict):
            raise _refusal("theme", [Problem("", f"{brief(theme)} is not of type object")], path)
        check_depth(theme, path=path)
        place = theme_place(self.document)
        if place is None:
            return
        check = self._validator(*place)
        try:
            if check.is_valid(theme):
                return
        except ValueError:  # what is no JSON value; told below
            pass
        raise _refusal("theme", problems_of(check, theme), path)

    def compile(self) -> None:
        """Compile every type, the functions and the theme now. Raises ``CallError`` (catalog)."""
        for kind in self.document["components"]:
            self._type(kind, {}, "")
        self._validator("$defs", "anyFunction")
        if (place := theme_place(self.document)) is not None:
            self._validator(*place)

    def _type(self, kind: str, component: JsonValue, path: str) -> _Type:
        if kind not in self.document["components"]:
            message = f"{brief(kind)} is not a component of the catalog {brief(self.catalog_id)}"
            raise _refusal(_whose(component), [Problem("/component", message)], path)
        check = self._validator("components", kind)
        name = self._document.name_of("components", kind)
        known = self._types[kind] = _Type(check.is_valid, accessor(self._document, name))
        return known

    def _validator(self, *place: str, telling: bool = False) -> Draft202012Validator:
        key = (*place, "telling") if telling else place
        if (known := self._validators.get(key)) is not None:
            return known
        document = self._document
        if telling:
            if self._telling is None:
                self._telling = CatalogDocument(self.document, by_name=True)
            document = self._telling
        schema = document.schema(document.name_of(*place))
        made = self._validators[key] = linear_validator(schema, "/".join(place))
        return made

    def _refuse_untyped(self, component: JsonValue, path: str) -> NoReturn:
        if not isinstance(component, dict):
            problem = Problem("", f"a component is an object, not {brief(component)}")
        elif "component" in component:
            problem = Problem("/component", f"{brief(component['component'])} names no type")
        else:
            problem = Problem("/component", "'component' is missing")
        raise _refusal(_whose(component), [problem], path)


@cache
def basic() -> Catalog:
    """The basic catalog of v0.9."""
    return Catalog(shipped("basic"))


def read_catalog(document: JsonValue) -> Catalog:
    """The catalog that a document describes, compiled; nothing is opened for a ``$ref``.

    Raises ``CallError`` of kind catalog for what is no catalog, for a ``$ref`` that leads nowhere
    or out of what is shipped here, and for a pattern that cannot be matched in linear time: one
    that looks around or back.
    """
    if not isinstance(document, dict):
        raise CallError("catalog", f"a catalog is an object, not {brief(document)}")
    if not isinstance(document.get("catalogId"), str):
        raise CallError("catalog", "a catalog has a text in catalogId")
    if not isinstance(document.get("components"), dict):
        raise CallError("catalog", "a catalog has an object of components")
    for member in ("functions", "$defs"):
        if not isinstance(document.get(member, {}), dict):
            raise CallError("catalog", f"{member} is {brief(document[member])}, not an object")
    for member in ("components", "functions"):
        for name, schema in document.get(member, {}).items():
            if not isinstance(schema, dict):
                raise CallError("catalog", f"{member}/{name} is {brief(schema)}, not an object")
    try:
        check_depth(document, MOST_LEVELS)
        catalog = Catalog(deepcopy(document))
        catalog.compile()
    except RecursionError:
        raise CallError("catalog", "its references nest too deep") from None
    except CallError as error:
        raise CallError("catalog", f"catalog {brief(document['catalogId'])}: {error}") from None
    return catalog


def theme_place(document: JsonValue) -> tuple[str, ...] | None:
    """Where a catalog document describes its themes: ``$defs/theme``, else ``theme``."""
    if "theme" in document.get("$defs", {}):
        return ("$defs", "theme")
    return ("theme",) if "theme" in document else None


def linear_validator(schema: JsonValue, place: str) -> Draft202012Validator:
    """A validator that asserts formats and whose patterns cannot hang. Raises ``CallError``."""
    from jsonschema_rs import Draft202012Validator, RegexOptions

    engine = RegexOptions(size_limit=LARGEST_PATTERN)
    try:
        return Draft202012Validator(
            schema, offline=True, validate_formats=True, pattern_options=engine
        )
    except ValueError as error:
        message = str(error).partition("\n")[0]
        raise CallError("catalog", f"{place} is no schema: {message}") from None


def _whose(component: JsonValue) -> str:
    """How a component is named to a person."""
    if not isinstance(component, dict):
        return "component"
    name = f"component {brief(component['id'])}" if "id" in component else "component without id"
    kind = component.get("component")
    return f"{name} ({kind})" if isinstance(kind, str) else name


def _refusal(whose: str, problems: list[Problem], path: str) -> CallError:
    """The error for problems of one thing, the first of them in its text."""
    found = problems or [Problem("", "it does not fit its schema")]
    details: list[JsonValue] = [
        {
            "path": path + problem.path,
            "code": "VALIDATION_FAILED",
            "message": f"{whose}: {problem.path[1:] or 'as a whole'}: {problem.message}",
        }
        for problem in found
    ]
    return CallError("validation", details[0]["message"], details=details)
