"""Was a call answered as documented, with what had to come, or refused for its reason?"""

from __future__ import annotations

from ...adapters.host import Response
from ...errors import JsonError
from ...jsontree import strings_in
from ...jsonvalue import Difference, JsonValue, brief, first_difference, parse
from ...scenario.names import ANY_TEXT
from ...scenario.verbs import Refused
from ...schemas import problems, validator
from ..verdict import Blocked, CheckFailed, Exchange
from ..witness import Witness


def result_of(witness: Witness, name: str, exchange: Exchange, response: Response) -> JsonValue:
    """The result of a call, of the form that the call's schema gives; a refusal fails."""
    said = _said(exchange, response)
    if response.status == 501:
        raise Blocked(f"{name} is offered, and answered with: {said['error']['message']}")
    witness.check(
        response.status == 200,
        "crashes" if response.status == 500 else "refuses what has to be taken",
        expected=f"{name} to be done",
        got=_described(said),
        exchange=exchange,
    )
    result = said["result"]
    lines = f"{witness.scenario.subject}-line"
    for problem in problems(validator(lines, f"result_{name}"), result):
        raise CheckFailed(
            f"the result of {name} is not as documented: {problem.path or '/'}: {problem.message}",
            expected=f"a result as schema {lines} has it",
            got=brief(result),
            exchange=exchange,
        )
    return result


def error_of(
    witness: Witness, name: str, exchange: Exchange, response: Response, refused: Refused
) -> JsonValue:
    """The error of a call that has to be refused, for the reason that is bound to it."""
    said = _said(exchange, response)
    if response.status == 501:
        raise Blocked(f"{name} is offered, and answered with: {said['error']['message']}")
    wanted = [refused.code] if isinstance(refused.code, str) else refused.code
    why = " or ".join(wanted) if wanted else "an error"
    witness.check(
        response.status == 422,
        "takes what has to be refused" if response.status == 200 else "crashes: that is no refusal",
        expected=f"refused ({why})",
        got=_described(said),
        exchange=exchange,
    )
    error = said["error"]
    witness.check(
        wanted is None or error["kind"] in wanted,
        "is refused for another reason",
        expected=why,
        got=_described(said),
        exchange=exchange,
    )
    if refused.reason is not None:
        witness.check(
            any(refused.reason.lower() in text.lower() for _, text in strings_in(error)),
            "the error does not say what is wrong",
            expected=f"{refused.reason!r} in the error",
            got=_described(said),
            exchange=exchange,
        )
    return error


def same(
    witness: Witness, what: str, expected: JsonValue, got: JsonValue, exchange: Exchange
) -> None:
    """Hold a value to the one expected, in which ``$text`` stands for any text."""
    found = first_difference(expected, _with_any_text(expected, got))
    witness.check(
        found is None,
        f"not as it has to be: {what}{_place(found)}",
        expected=brief(found.expected) if found else None,
        got=brief(found.got) if found else None,
        exchange=exchange,
    )


def alike(
    witness: Witness, what: str, expected: JsonValue, got: JsonValue, exchange: Exchange
) -> None:
    """The same, where objects may have more members than expected."""
    same(witness, what, expected, _cut_to(expected, got), exchange)


def _said(exchange: Exchange, response: Response) -> JsonValue:
    try:
        return parse(response.body)
    except JsonError as error:
        raise CheckFailed(f"the answer is no strict JSON: {error}", exchange=exchange) from None


def _described(said: JsonValue) -> str:
    if "error" in said:
        return f"{said['error']['kind']}: {said['error']['message']}"
    return f"the result {brief(said['result'])}"


def _place(found: Difference | None) -> str:
    return f", at {found.pointer}" if found and found.pointer else ""


def _with_any_text(expected: JsonValue, got: JsonValue) -> JsonValue:
    """What was got, with ``$text`` wherever that is expected and some text stands."""
    if expected == ANY_TEXT and isinstance(got, str) and got:
        return expected
    if isinstance(expected, dict) and isinstance(got, dict):
        return {k: _with_any_text(expected.get(k), v) for k, v in got.items()}
    if isinstance(expected, list) and isinstance(got, list):
        longer = expected + [None] * (len(got) - len(expected))
        return [_with_any_text(e, g) for e, g in zip(longer, got, strict=False)]
    return got


def _cut_to(expected: JsonValue, got: JsonValue) -> JsonValue:
    if isinstance(expected, dict) and isinstance(got, dict):
        return {k: _cut_to(expected[k], v) for k, v in got.items() if k in expected}
    if isinstance(expected, list) and isinstance(got, list):
        longer = expected + [None] * (len(got) - len(expected))
        return [_cut_to(e, g) for e, g in zip(longer, got, strict=False)]
    return got
