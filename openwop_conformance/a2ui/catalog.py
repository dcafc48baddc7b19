"""The closed catalogs: does a payload keep the one branch that its version selects?

Validation runs on the whole payload with one compiled schema; only a refused payload is looked at
again, component by component, so that the error names the place instead of an ``anyOf``.
"""

from __future__ import annotations

from functools import cache
from typing import Final, Literal

from ..errors import Violation
from ..jsonvalue import JsonValue, brief
from ..schemas import Problem, problems, schema, validator

KIND: Final = "ui.a2ui-surface"
BASIC_CATALOG: Final = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json"
MESSAGE_KINDS: Final = ("createSurface", "updateComponents", "updateDataModel", "deleteSurface")

Branch = Literal[1, 2]


def check_payload(payload: JsonValue, branch: Branch) -> None:
    """Refuse a payload that is not of ``branch``, never asking the other one (RFC 0209 §A.1).

    Raises ``Violation`` with rule ``branch`` and the place of the first problem.
    """
    check = validator(KIND, f"payloadV{branch}")
    if not check.is_valid(payload):
        problem = _narrowed(payload, branch) or problems(check, payload)[0]
        raise Violation(
            "branch",
            f"not a version {branch} payload: {problem.message}",
            path=problem.path,
        )


def check_message(message: JsonValue) -> None:
    """Refuse a message outside the profile (RFC 0209 §B.5). Rule ``branch``."""
    problem = None if validator(KIND, "message").is_valid(message) else _message_problem(message)
    if problem is not None:
        raise Violation("branch", problem.message, path=problem.path)


@cache
def component_types(branch: Branch = 2) -> dict[str, str]:
    """Each component's type name → the ``$defs`` entry that describes it."""
    definitions = schema(KIND)["$defs"]
    union = definitions["component" if branch == 2 else "componentV1"]["anyOf"]
    names = [reference["$ref"].rpartition("/")[2] for reference in union]
    return {definitions[n]["properties"]["component"]["enum"][0]: n for n in names}


@cache
def reference_members(component_type: str) -> tuple[str, ...]:
    """The members of a profile component that refer to other components.

    Read from the schema's ``$ref`` to ``componentId`` or ``childIds``, never guessed from names.
    """
    definition = component_types().get(component_type)
    if definition is None:
        return ()
    members = schema(KIND)["$defs"][definition]["properties"]
    targets = {"#/$defs/componentId", "#/$defs/childIds"}
    return tuple(m for m, s in members.items() if m != "id" and s.get("$ref") in targets)


def _narrowed(payload: JsonValue, branch: Branch) -> Problem | None:
    """The first problem inside a message or a component, when the payload's frame is sound."""
    if branch == 2:
        items, prefix = _items(payload, "messages"), "/messages"
        for index, message in enumerate(items):
            if not validator(KIND, "message").is_valid(message):
                return _moved(_message_problem(message), f"{prefix}/{index}")
        return None
    surface = payload.get("surface") if isinstance(payload, dict) else None
    for index, component in enumerate(_items(surface, "components")):
        problem = _component_problem(component, 1)
        if problem is not None:
            return _moved(problem, f"/surface/components/{index}")
    return None


def _message_problem(message: JsonValue) -> Problem:
    """Why a message known to be invalid is so, as near to the place as can be."""
    bodies = [m for m in message if m != "version"] if isinstance(message, dict) else []
    if len(bodies) != 1 or bodies[0] not in MESSAGE_KINDS:
        found = ", ".join(sorted(map(str, bodies))) or "none"
        return Problem("", f"a message holds exactly one of {', '.join(MESSAGE_KINDS)}: {found}")
    (kind,) = bodies
    if kind == "updateComponents":
        for index, component in enumerate(_items(message[kind], "components")):
            problem = _component_problem(component, 2)
            if problem is not None:
                return _moved(problem, f"/{kind}/components/{index}")
    return problems(validator(KIND, kind), message)[0]


def _component_problem(component: JsonValue, branch: Branch) -> Problem | None:
    if not isinstance(component, dict) or "component" not in component:
        return Problem("", "a component is an object with a type in 'component'")
    name = component["component"]
    definition = component_types(branch).get(name) if isinstance(name, str) else None
    if definition is None:
        return Problem("/component", f"{brief(name)} is not a component of the closed catalog")
    return next(iter(problems(validator(KIND, definition), component)), None)


def _items(container: JsonValue, member: str) -> list[JsonValue]:
    items = container.get(member) if isinstance(container, dict) else None
    return items if isinstance(items, list) else []


def _moved(problem: Problem, prefix: str) -> Problem:
    return Problem(prefix + problem.path, problem.message)
