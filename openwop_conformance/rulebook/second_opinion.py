"""What jsonschema, the second library, says of an instance.

It is some thousand times slower than the first, so what it said once it is not asked again, nor
what a definition says of a value within: a corpus that is broken in one place differs from the
sound one in few definitions and instances, and so does a case from its twin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, Final

import jsonschema

from ..jsonvalue import JsonValue, compact, parse
from ..schemas.shape import Shape

FORMATS: Final = jsonschema.Draft202012Validator.FORMAT_CHECKER


def _any_of(
    validator: Any, arms: Iterable[JsonValue], instance: JsonValue, _: JsonValue
) -> Iterator[jsonschema.ValidationError]:
    """``anyOf`` up to the first error of each arm: its own goes on to word all of them."""
    if not any(validator.evolve(schema=arm).is_valid(instance) for arm in arms):
        yield jsonschema.ValidationError("valid under none of the given schemas")


@cache
def _validator(schema: bytes) -> Any:
    document = parse(schema)

    @cache
    def definition(reference: str) -> bytes:
        return compact(Shape(document, reference.removeprefix("#")).alone.standalone)

    def ref(
        _: Any, reference: str, instance: JsonValue, __: JsonValue
    ) -> Iterator[jsonschema.ValidationError]:
        """A definition says the same of the same value, whatever refers to it."""
        if not says_jsonschema(definition(reference), compact(instance)):
            yield jsonschema.ValidationError(f"not valid under {reference}")

    made: Any = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
        jsonschema.Draft202012Validator, {"anyOf": _any_of, "$ref": ref}
    )
    return made(document, format_checker=FORMATS)


@lru_cache(maxsize=100_000)
def says_jsonschema(schema: bytes, instance: bytes) -> bool:
    """Whether an instance is valid under a schema, both as JSON text."""
    return bool(_validator(schema).is_valid(parse(instance)))
