"""Gates: facts about the subject first, then what the operator gave, then what is served."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from openwop_conformance.adapters.host import Request, Response
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.engine.verdict import Disposition, Row, exit_code, verdict
from openwop_conformance.errors import ExchangeError, UnreachableError
from openwop_conformance.reference.discovery import document
from openwop_conformance.reference.settings import Settings
from openwop_conformance.wire.discovery import PATH
from tests.engine.subjects import Answering, Scripted, claiming, json_answer, one, scenario

WHOLE = document(Settings())
ALL_GIVEN = Credentials("owner-key-0000", "other-key-0000", "canary-0000")


def served(request: Request) -> Response:
    """Refuses everything, but it is there."""
    return json_answer(400, {"error": "validation_error", "message": "no"})


def judged(
    name: str,
    *,
    credentials: Credentials = ALL_GIVEN,
    opted_out: tuple[str, ...] = (),
    rest: Answering = served,
    **members: Any,
) -> Row:
    host = claiming(rest, **members)
    options = Options(seed=1, opted_out=frozenset(opted_out))
    finished = asyncio.run(one(scenario(name), host, credentials=credentials, options=options))
    if finished.row.disposition in (Disposition.INAPPLICABLE, Disposition.SKIPPED):
        assert [request.target for request in host.asked] == [PATH]
        assert finished.exchanges == ()
    return finished.row


def family(name: str, **facets: Any) -> dict[str, Any]:
    return {**WHOLE[name], **facets}


@pytest.mark.parametrize(
    ("name", "members", "fact"),
    [
        ("fold-guarded", {"conformance": None}, "conformance.seamsProfile is not"),
        ("fold-guarded", {"conformance": {"seamsProfile": "v9"}}, "conformance.seamsProfile"),
        ("seam-contract", {"conformance": {}}, "conformance.seamsProfile"),
        (
            "fold-guarded",
            {"supportedEnvelopes": family("supportedEnvelopes", kinds=[])},
            "supportedEnvelopes.kinds does not list ui.a2ui-surface",
        ),
        (
            "fold-guarded",
            {"schemaVersions": family("schemaVersions", kinds={})},
            "schemaVersions.kinds advertises no version",
        ),
        (
            "fold-guarded",
            {"schemaVersions": family("schemaVersions", kinds={"ui.a2ui-surface": 1})},
            "advertises 1 for ui.a2ui-surface, not 2",
        ),
        ("fold-guarded", {"fixtures": ["conformance-noop"]}, "does not list conformance-approval"),
        ("fold-guarded", {"fixtures": None}, "does not list conformance-approval"),
        ("below-floor-strict", {}, "envelopeStrictness.mode is warn, not strict"),
        (
            "below-floor-warn",
            {"envelopeStrictness": family("envelopeStrictness", mode="strict")},
            "envelopeStrictness.mode is strict, not warn",
        ),
        ("fork-folds-prefix", {"replay": None}, "replay is not offered"),
        ("fork-folds-prefix", {"replay": family("replay", modes=["branch"])}, "not offered"),
    ],
)
def test_what_a_host_does_not_claim_is_a_fact_about_it(
    name: str, members: dict[str, Any], fact: str
) -> None:
    row = judged(name, **members)
    assert (row.disposition, row.assertions) == (Disposition.INAPPLICABLE, 0)
    assert fact in row.reason


def test_facts_about_the_subject_come_before_what_the_operator_left_out() -> None:
    nobody = Credentials()
    for name in ("no-secret", "tenant-isolation"):
        row = judged(name, credentials=nobody, conformance=None)
        assert row.disposition is Disposition.INAPPLICABLE, row
        row = judged(name, credentials=nobody, opted_out=("canary",), fixtures=[])
        assert row.disposition is Disposition.INAPPLICABLE, row


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("no-secret", "OPENWOP_CANARY_SECRET_VALUE"),
        ("tenant-isolation", "OPENWOP_TENANT_B_API_KEY"),
    ],
)
def test_what_the_operator_did_not_give_blocks_and_is_named(name: str, variable: str) -> None:
    row = judged(name, credentials=Credentials("owner-key-0000"))
    assert row.disposition is Disposition.BLOCKED
    assert variable in row.reason


def test_without_any_key_the_run_that_cannot_start_names_the_variable() -> None:
    def closed(request: Request) -> Response:
        return json_answer(401, {"error": "unauthenticated", "message": "a key is needed"})

    without = judged("fold-guarded", credentials=Credentials(), rest=closed)
    assert without.disposition is Disposition.BLOCKED
    assert without.reason == (
        'conformance-approval cannot be started: 401 unauthenticated: "a key is needed"; '
        "no key was given (OPENWOP_API_KEY)"
    )
    with_one = judged("fold-guarded", rest=closed)
    assert "is the key right?" in with_one.reason


def test_the_operators_choice_skips() -> None:
    row = judged("no-secret", credentials=Credentials(), opted_out=("canary",))
    assert (row.disposition, row.reason) == (
        Disposition.SKIPPED,
        "the operator opted out of canary",
    )
    row = judged("fold-guarded", opted_out=("seam.emit-surface",))
    assert row.disposition is Disposition.SKIPPED


@pytest.mark.parametrize("status", [404, 405])
def test_a_seam_that_is_declared_and_dead_blocks_what_needs_it(status: int) -> None:
    row = judged("fold-guarded", rest=lambda request: json_answer(status, {}))
    assert row.disposition is Disposition.BLOCKED
    assert row.reason == f"the seams profile is declared, but the seam answers {status}"


def test_the_seam_is_probed_once_a_run() -> None:
    host = claiming(served)

    async def main() -> None:
        from openwop_conformance.engine.run import run_one

        session = Session(host, Options(seed=1), ALL_GIVEN)
        await asyncio.gather(
            *(run_one(scenario(n), session) for n in ("fold-guarded", "limits", "family"))
        )

    asyncio.run(main())
    targets = [request.target for request in host.asked]
    assert targets.count(PATH) == 1
    assert sum("emit-surface" in target for target in targets) == 1


# ------------------------------------------------------------------------- discovery itself


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (json_answer(500, WHOLE), "answers 500"),
        (json_answer(304, WHOLE), "answers 304"),
        (Response(200, (), b"<html>"), "is not JSON"),
        (Response(200, (), b'{"fixtures": [], "fixtures": []}'), "is not JSON"),
        (ExchangeError("timeout", "nothing came"), "could not be read: nothing came"),
        (ExchangeError("cut-off", "gone"), "could not be read: gone"),
        (UnreachableError("refused"), "can no longer be reached"),
    ],
)
def test_discovery_that_cannot_be_read_blocks_what_depends_on_it(
    answer: Response | Exception, words: str
) -> None:
    host = Scripted(lambda request: answer)
    finished = asyncio.run(one(scenario("fold-guarded"), host, credentials=ALL_GIVEN))
    assert finished.row.disposition is Disposition.BLOCKED
    assert words in finished.row.reason
    assert len(host.asked) == 1


def test_a_scenario_without_needs_asks_although_discovery_cannot_be_read() -> None:
    host = Scripted(lambda request: json_answer(500, {}))
    finished = asyncio.run(one(scenario("discovery-coherent"), host))
    assert finished.row.disposition is Disposition.FAIL
    assert len(finished.exchanges) == 1


@pytest.mark.parametrize(
    ("answer", "fact"),
    [
        (json_answer(406, {"error": "protocol_version_unsupported", "message": "no"}), "(406)"),
        (json_answer(200, {**WHOLE, "protocolVersions": ["1.4", "1.11"]}), "no version of major 2"),
        (json_answer(200, {**WHOLE, "protocolVersions": ["20.0"]}), "no version of major 2"),
        (json_answer(200, {**WHOLE, "protocolVersions": []}), "no version of major 2"),
    ],
)
@pytest.mark.parametrize("name", ["fold-guarded", "discovery-coherent", "no-secret"])
def test_a_host_of_another_major_is_not_bound_by_this_one(
    name: str, answer: Response, fact: str
) -> None:
    host = Scripted(lambda request: answer)
    finished = asyncio.run(one(scenario(name), host))
    assert finished.row.disposition is Disposition.INAPPLICABLE
    assert fact in finished.row.reason


@pytest.mark.parametrize("value", [[], "text", 5, None, [[]], {"a": 1}])
@pytest.mark.parametrize("member", ["conformance", "supportedEnvelopes", "fixtures", "replay"])
def test_claims_of_the_wrong_shape_are_no_claims(member: str, value: Any) -> None:
    found = json_answer(200, {**WHOLE, member: value})
    finished = asyncio.run(one(scenario("fork-folds-prefix"), Scripted(lambda request: found)))
    assert finished.row.disposition is Disposition.INAPPLICABLE


# ------------------------------------------------------------------------------ the verdict


@pytest.mark.parametrize(
    ("dispositions", "code", "sentence"),
    [
        ("P", 0, "Conformant: the 1 rule that binds this subject was witnessed, and kept."),
        ("PPI", 0, "Conformant: the 2 rules that bind this subject were witnessed, and kept."),
        (
            "PSS",
            0,
            "Conformant but for 2 opted out of: "
            "the 1 other rule that binds this subject was witnessed, and kept.",
        ),
        ("PFB", 1, "Not conformant: 1 rule is broken."),
        ("FF", 1, "Not conformant: 2 rules are broken."),
        ("PB", 3, "Incomplete: nothing failed, but 1 rule was not witnessed."),
        ("BBI", 3, "Incomplete: nothing failed, but 2 rules were not witnessed."),
        ("II", 3, "Incomplete: no rule was witnessed."),
        ("", 3, "Incomplete: no rule was witnessed."),
    ],
)
def test_the_verdict_says_how_many_rules_it_is_about(
    dispositions: str, code: int, sentence: str
) -> None:
    named = {
        "P": Disposition.PASS,
        "F": Disposition.FAIL,
        "S": Disposition.SKIPPED,
        "I": Disposition.INAPPLICABLE,
        "B": Disposition.BLOCKED,
    }
    rows = tuple(Row(f"row.{i}", "s", named[d]) for i, d in enumerate(dispositions))
    assert (exit_code(rows), verdict(rows)) == (code, sentence)
