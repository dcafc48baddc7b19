"""Was a request admitted, or refused for the one reason it had to be?"""

from __future__ import annotations

from typing import Final

from ...adapters.host import Response
from ...errors import JsonError
from ...jsontree import strings_in
from ...jsonvalue import JsonValue, brief, parse
from ...scenario.verbs import Names, Refused
from ...wire.refusal import code_of, problem_of, rule_of
from ..verdict import CheckFailed, Exchange
from ..witness import Witness

KNOWN_RULES: Final = frozenset(
    {"branch", "surface-id-equality", "catalog-equality", "fold", "lock"}
)
"""The names that the public hosts give in ``details.rule``; another host's own are not judged."""


def body_of(exchange: Exchange, response: Response) -> JsonValue:
    """The JSON body of an answer; a body that is none fails the check."""
    try:
        return parse(response.body)
    except JsonError as error:
        raise CheckFailed(
            f"the answer is not JSON: {error}",
            expected="a JSON body",
            got=f"{response.status} with {len(response.body)} bytes",
            exchange=exchange,
        ) from None


def admitted(witness: Witness, exchange: Exchange, response: Response) -> JsonValue:
    """The body of a success (2xx); anything else fails."""
    witness.check(
        200 <= response.status < 300,
        "refused what has to be admitted",
        expected="success",
        got=described(response),
        exchange=exchange,
    )
    return body_of(exchange, response)


def refused_as(
    witness: Witness, exchange: Exchange, response: Response, refused: Refused
) -> JsonValue:
    """The body of a refusal that has the reason it must have."""
    wanted = _wanted(refused)
    if 200 <= response.status < 300:
        message = "admitted what has to be refused"
    elif response.status >= 500:
        message = "answered a server error: a crash is no refusal"
    else:
        message = f"answered {response.status}, which refuses nothing"
    witness.check(
        400 <= response.status < 500,
        message,
        expected=f"refused ({wanted})",
        got=described(response),
        exchange=exchange,
    )
    body = body_of(exchange, response)
    if refused.code is not None:
        witness.check(
            code_of(body) in _list(refused.code),
            "refused for another reason",
            expected=wanted,
            got=described(response),
            exchange=exchange,
        )
    rule = rule_of(body)
    if refused.rule is not None and rule in KNOWN_RULES:
        witness.check(
            rule in _list(refused.rule),
            "refused by another rule",
            expected=f"rule {' or '.join(_list(refused.rule))}",
            got=f"rule {rule}",
            exchange=exchange,
        )
    if refused.reason is not None:
        witness.check(
            any(refused.reason in text for _, text in strings_in(body)),
            "refused for another reason",
            expected=wanted,
            got=described(response),
            exchange=exchange,
        )
    if refused.registered:
        problem = problem_of(response.status, body)
        witness.check(
            problem is None,
            problem or "",
            expected="the closed error envelope, a registered code, its status",
            got=described(response),
            exchange=exchange,
        )
    return body


def described(response: Response) -> str:
    """An answer in a few words: its status and, of an error, its code, rule and message."""
    try:
        body = parse(response.body)
    except JsonError:
        return f"{response.status} (no JSON)"
    code = code_of(body)
    if code is None:
        return f"{response.status} {brief(body)}"
    rule = rule_of(body)
    message = body.get("message")
    return (
        f"{response.status} {code}"
        + (f" (rule {rule})" if rule else "")
        + (f": {brief(message)}" if isinstance(message, str) else "")
    )


def _wanted(refused: Refused) -> str:
    words = [*_list(refused.code), *([refused.reason] if refused.reason else [])]
    rule = _list(refused.rule)
    return " or ".join(words) + (f", rule {' or '.join(rule)}" if rule else "")


def _list(names: Names | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())
