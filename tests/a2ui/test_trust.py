"""Sticky trust: one untrusted envelope taints its surface for ever (RFC 0209 §C.12)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.a2ui.trust import Trust

observations = st.lists(
    st.tuples(
        st.sampled_from(["s", "t", "u"]),
        st.none() | st.sampled_from(["gate", "other"]),
        st.booleans(),
    ),
    max_size=12,
)


def observed(seen: list[tuple[str, str | None, bool]]) -> Trust:
    trust = Trust()
    for surface, node, untrusted in seen:
        trust.observe(surface, node_id=node, untrusted=untrusted)
    return trust


@given(observations)
def test_a_surface_is_tainted_exactly_when_any_of_its_envelopes_was_untrusted(
    seen: list[tuple[str, str | None, bool]],
) -> None:
    trust = observed(seen)
    for surface in ("s", "t", "u"):
        assert trust.tainted(surface) is any(u for s, _, u in seen if s == surface)


@given(observations, observations)
def test_taint_never_goes_away(
    before: list[tuple[str, str | None, bool]], after: list[tuple[str, str | None, bool]]
) -> None:
    earlier, later = observed(before), observed([*before, *after])
    assert all(later.tainted(s) for s in ("s", "t", "u") if earlier.tainted(s))
    for node in ("gate", "other"):
        assert set(earlier.blocking(node)) <= set(later.blocking(node))


@given(observations)
def test_a_node_waits_for_the_tainted_surfaces_that_any_envelope_bound_to_it(
    seen: list[tuple[str, str | None, bool]],
) -> None:
    trust = observed(seen)
    for node in ("gate", "other", "unheard-of"):
        bound = {s for s, n, _ in seen if n == node}
        tainted = {s for s, _, u in seen if u}
        assert trust.blocking(node) == tuple(sorted(bound & tainted))


def test_a_trusted_update_does_not_launder_and_an_untrusted_one_taints_what_was_trusted() -> None:
    trust = Trust()
    trust.observe("first", node_id="gate", untrusted=True)
    trust.observe("first", node_id="gate", untrusted=False)
    assert trust.blocking("gate") == ("first",)
    trust.observe("second", node_id="gate", untrusted=False)
    assert trust.blocking("gate") == ("first",)
    trust.observe("second", node_id=None, untrusted=True)
    assert trust.blocking("gate") == ("first", "second")
