"""Tenant-bound ids as one path segment, and back."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.wire.ids import project, tenant_of, unproject

texts = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("bound", "segment"),
    [
        ("acme/run-1", "acme~2Frun-1"),
        ("a.b_c-D9", "a.b_c-D9"),
        ("~", "~7E"),
        ("a~2Fb", "a~7E2Fb"),
        ("a%2Fb", "a~252Fb"),
        ("a b?c#d", "a~20b~3Fc~23d"),
        ("é/\N{ROCKET}", "~C3~A9~2F~F0~9F~9A~80"),
        ("", ""),
    ],
)
def test_an_id_travels_as_one_segment(bound: str, segment: str) -> None:
    assert project(bound) == segment
    assert unproject(segment) == bound


@given(texts)
def test_every_id_comes_back_from_its_segment(bound: str) -> None:
    segment = project(bound)
    assert re.fullmatch(r"([A-Za-z0-9._-]|~[0-9A-F]{2})*", segment)
    assert unproject(segment) == bound


@given(texts.filter(lambda text: "~" not in text))
def test_the_percent_encoded_form_is_taken_too(bound: str) -> None:
    """``~`` is left alone by percent-encoding, so an id that holds one has to be projected."""
    assert unproject(quote(bound, safe="")) == bound
    assert unproject(quote(bound, safe="").lower()) == bound.lower() or not bound.isascii()


@given(texts, texts)
def test_two_ids_never_share_a_segment(one: str, other: str) -> None:
    assert (project(one) == project(other)) is (one == other)


@pytest.mark.parametrize(
    ("segment", "bound"),
    [("a~2fb", "a/b"), ("a%2fb", "a/b"), ("a~7E2F", "a~2F"), ("a~zz", "a~zz"), ("~", "~")],
)
def test_a_segment_is_read_once_and_in_either_case(segment: str, bound: str) -> None:
    assert unproject(segment) == bound


def test_a_segment_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(UnicodeDecodeError):
        unproject("a~FF")


@pytest.mark.parametrize(
    ("bound", "tenant"),
    [("acme/run-1", "acme"), ("acme/a/b", "acme"), ("/x", ""), ("run-1", None), ("", None)],
)
def test_a_tenant_is_what_stands_before_the_first_slash(bound: str, tenant: str | None) -> None:
    assert tenant_of(bound) == tenant
