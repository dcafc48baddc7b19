"""What an SDK or a consumer says of itself when it is asked first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..a2ui.lock import FLAGS
from ..adapters.calls import call
from ..adapters.host import Response
from ..errors import JsonError
from ..jsonvalue import parse
from ..scenario.model import Subject
from ..schemas import problems, validator
from .verdict import Blocked

HELLO: Final = call("hello", {"protocol": 1})


@dataclass(frozen=True, slots=True)
class Offer:
    """What a subject offers; ``label`` is how its makers call it, with its version."""

    label: str
    versions: frozenset[str]
    operations: frozenset[str]
    features: frozenset[str]
    locks: bool = False
    """Whether it advertises locked surfaces (experimental)."""


def offer_of(response: Response, kind: Subject = "sdk") -> Offer:
    """The offer that ``hello`` was answered with. Raises ``Blocked`` for anything else."""
    try:
        said = parse(response.body)
    except JsonError as error:
        raise Blocked(f"hello is answered with no JSON: {error}") from None
    if response.status != 200:
        raise Blocked(f"hello is refused: {said['error']['message']}")
    hello = said["result"]
    for problem in problems(validator(f"{kind}-line", "hello"), hello):
        raise Blocked(f"hello is answered wrongly: {problem.path or '/'}: {problem.message}")
    return Offer(
        f"{hello['name']} {hello['version']}",
        frozenset(hello.get("versions", ())),
        frozenset(hello["operations"]),
        frozenset(hello.get("features", ())),
        all(hello.get("capabilities", {}).get(flag) for flag in FLAGS),
    )
