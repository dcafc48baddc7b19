"""What jsonschema, the second library, says of an instance.

It is some thousand times slower than the first, so what it said once it is not asked again: a
corpus that is broken in one place differs from the sound one in few schemas and instances.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

import jsonschema

from ..jsonvalue import parse

FORMATS: Final = jsonschema.Draft202012Validator.FORMAT_CHECKER


@cache
def _validator(schema: bytes) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(parse(schema), format_checker=FORMATS)


@lru_cache(maxsize=100_000)
def says_jsonschema(schema: bytes, instance: bytes) -> bool:
    """Whether an instance is valid under a schema, both as JSON text."""
    return _validator(schema).is_valid(parse(instance))
