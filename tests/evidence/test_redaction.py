"""What recording writes holds no key and no canary, however they are spelled or cut."""

from __future__ import annotations

import asyncio
import json
import string
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.adapters.host import Bounds, Chunk, Request, Response, Stream
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.errors import ExchangeError
from openwop_conformance.evidence.recording import RecordingHost
from openwop_conformance.evidence.redaction import Redaction
from openwop_conformance.evidence.trace import Record, TraceWriter, data_from_json, read_trace

CANARY = 'canary/"of\\tests"-ü😀'
GIVEN = Credentials("key-of-acme-0123456789k", "key-of-globex-0123456789", CANARY)
SECRETS = {
    "$OPENWOP_API_KEY": "key-of-acme-0123456789k",
    "$OPENWOP_TENANT_B_API_KEY": "key-of-globex-0123456789",
    "$OPENWOP_CANARY_SECRET_VALUE": CANARY,
}
HEADER: Record = {
    "suite": {"name": "openwop-conformance", "version": "0.1.0"},
    "corpus": "a" * 64,
    "subject": "spoken",
    "seed": 1,
    "leftOut": 0,
    "scenarios": ["host.v2.limits"],
    "jobs": 1,
    "timeScale": 1.0,
    "optedOut": [],
    "given": [],
    "began": "2026-01-01T00:00:00+00:00",
}


class Spoken:
    """A host whose one answer is these chunks, and then maybe a fault."""

    name = "spoken"

    def __init__(
        self, *chunks: bytes, headers: tuple[tuple[str, str], ...] = (), fails: bool = False
    ) -> None:
        self.status, self.headers = 200, headers
        self._chunks, self._fails = chunks, fails

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        if self._fails:
            raise ExchangeError("malformed", f"this is no answer: {self._chunks[0].decode()}")
        return Response(200, self.headers, b"".join(self._chunks))

    @asynccontextmanager
    async def stream(self, request: Request, bounds: Bounds) -> AsyncIterator[Stream]:
        yield self

    async def chunks(self) -> AsyncIterator[Chunk]:
        for data in self._chunks:
            yield Chunk(data, 0.0)
        if self._fails:
            raise ExchangeError("cut-off", "the answer broke off")

    async def close(self) -> None:
        return None


def recorded(
    host: Spoken,
    request: Request | None = None,
    credentials: Credentials = GIVEN,
    *,
    streamed: bool = False,
) -> tuple[Record, ...]:
    """The records of one exchange; what the reader got is what the host sent."""
    request = request or Request("GET", "/")

    async def exchanged(trace: TraceWriter) -> None:
        recording = RecordingHost(host, trace, Redaction(credentials))
        try:
            if not streamed:
                await recording.exchange(request, Bounds())
                return
            async with recording.stream(request, Bounds()) as stream:
                got = [chunk.data async for chunk in stream.chunks()]
                assert tuple(got) == host._chunks
        except ExchangeError:
            assert host._fails

    with TemporaryDirectory() as folder:
        trace = TraceWriter(Path(folder) / "trace", HEADER)
        asyncio.run(exchanged(trace))
        trace.close()
        return read_trace(Path(folder) / "trace").records


def streamed(*chunks: bytes, credentials: Credentials = GIVEN, fails: bool = False) -> bytes:
    """What the chunks of a stream are written as, in one piece."""
    records = recorded(Spoken(*chunks, fails=fails), credentials=credentials, streamed=True)
    said = [data_from_json(r["data"]) for r in records if r["record"] == "chunk"]
    assert records[-1]["record"] == ("fault" if fails else "end")
    return b"".join(said)


# -------------------------------------------------------------------------------- spellings


def plain(letter: str) -> str:
    return letter


def escaped(letter: str) -> str:
    units = letter.encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def escaped_in_capitals(letter: str) -> str:
    return escaped(letter).upper().replace("\\U", "\\u")


def percent(letter: str) -> str:
    return "".join(f"%{byte:02x}" for byte in letter.encode())


def percent_in_capitals(letter: str) -> str:
    return percent(letter).upper()


def as_json(letter: str) -> str:
    return json.dumps(letter)[1:-1]


def as_json_with_slashes(letter: str) -> str:
    return as_json(letter).replace("/", "\\/")


def as_a_url(letter: str) -> str:
    return quote(letter, safe="")


SPELLINGS: tuple[Callable[[str], str], ...] = (
    plain,
    escaped,
    escaped_in_capitals,
    percent,
    percent_in_capitals,
    as_json,
    as_json_with_slashes,
    as_a_url,
)


@pytest.mark.parametrize("spell", SPELLINGS, ids=lambda spell: spell.__name__)
@pytest.mark.parametrize("name", SECRETS)
def test_a_value_is_hidden_in_a_body_a_header_and_a_target(
    name: str, spell: Callable[[str], str]
) -> None:
    value = "".join(map(spell, SECRETS[name]))
    latin = value.encode().decode("latin-1")
    request = Request("POST", f"/a?b={value}&c", (("x-a", f"<{value}>"),), f"[{value}]".encode())
    asked, answered = recorded(Spoken(f"[{value}]".encode(), headers=(("x-b", latin),)), request)

    assert asked["target"] == f"/a?b={name}&c"
    assert asked["headers"] == [["x-a", f"<{name}>"]]
    assert asked["body"] == answered["body"] == f"[{name}]"
    assert answered["headers"] == [["x-b", name]]


@pytest.mark.parametrize("name", SECRETS)
def test_a_value_is_hidden_in_the_words_of_a_fault(name: str) -> None:
    _, fault = recorded(Spoken(SECRETS[name].encode(), fails=True))

    assert fault["message"] == f"this is no answer: {name}"


@pytest.mark.parametrize("fails", [False, True], ids=["whole", "broken off"])
@pytest.mark.parametrize("spell", SPELLINGS, ids=lambda spell: spell.__name__)
@pytest.mark.parametrize("name", SECRETS)
def test_a_value_that_is_cut_in_two_anywhere_is_hidden(
    name: str, spell: Callable[[str], str], fails: bool
) -> None:
    data = f"data: {''.join(map(spell, SECRETS[name]))}\n\n".encode()
    redaction = Redaction(GIVEN)

    for cut in range(len(data) + 1):
        held = redaction.held_back(data[:cut])
        rest = data[cut - held : cut] + data[cut:]
        said = redaction.hidden(data[: cut - held]) + redaction.hidden(rest)
        assert said == f"data: {name}\n\n".encode(), data[:cut]
    middle = len(data) // 2
    chunks = data[:middle], data[middle : middle + 1], data[middle + 1 :]
    assert streamed(*chunks, fails=fails) == f"data: {name}\n\n".encode()


@pytest.mark.parametrize("data", [b"x key-of-acme", b"x canary\\/\\u00", b"%6", b"\\"])
@pytest.mark.parametrize("fails", [False, True], ids=["whole", "broken off"])
def test_what_began_like_a_value_and_was_none_is_written_at_the_end(
    data: bytes, fails: bool
) -> None:
    assert streamed(data, fails=fails) == data


def test_a_value_longer_than_any_chunk_is_hidden() -> None:
    token = "".join(f"{number:x}." for number in range(400))
    data = f"<{token}>".encode()

    for size in (1, 7, 199, 300, 1000):
        chunks = [data[i : i + size] for i in range(0, len(data), size)]
        assert streamed(*chunks, credentials=Credentials(token)) == b"<$OPENWOP_API_KEY>"


@pytest.mark.parametrize("value", ["a-key-that-ends-as-it-began-a", "abcabcabc", "aaaaaaaa"])
def test_a_value_that_ends_as_it_begins_is_hidden_at_the_end_of_a_chunk(value: str) -> None:
    for after in (b"", b"b", b"\n\n"):
        said = streamed(b"x" + value.encode(), after, credentials=Credentials(value))
        assert said == b"x$OPENWOP_API_KEY" + after


def test_a_value_that_another_begins_with_or_ends_in_is_hidden() -> None:
    longer = Credentials("key-0123456789", "key-0123456789-b", "9-begins-here")
    for data, said in (
        (b"key-0123456789", b"$OPENWOP_API_KEY"),
        (b"key-0123456789-b", b"$OPENWOP_TENANT_B_API_KEY"),
        (b"key-0123456789key-0123456789-b", b"$OPENWOP_API_KEY$OPENWOP_TENANT_B_API_KEY"),
    ):
        for cut in range(len(data) + 1):
            assert streamed(data[:cut], data[cut:], credentials=longer) == said


LETTERS = string.ascii_letters + string.digits + "-_.~/\"\\%' ü😀\n"


@st.composite
def _spelled(draw: st.DrawFn) -> tuple[str, bytes, list[int]]:
    """A value, bytes that hold it in some spelling, and where they are cut."""
    alphabet = draw(st.sampled_from([LETTERS, "ab", "a\\u0", "%25a"]))
    value = draw(st.text(alphabet, min_size=8, max_size=16))
    words = [draw(st.text(alphabet, max_size=6)).encode()]
    for _ in range(draw(st.integers(1, 3))):
        spelling = (draw(st.sampled_from(SPELLINGS))(letter) for letter in value)
        words.append("".join(spelling).encode())
        words.append(draw(st.text(alphabet, max_size=6)).encode())
    data = b"".join(words)
    cuts = draw(st.lists(st.integers(0, len(data)), max_size=6))
    return value, data, sorted(cuts)


@given(_spelled())
def test_no_spelling_survives_whatever_the_cuts(drawn: tuple[str, bytes, list[int]]) -> None:
    value, data, cuts = drawn
    redaction = Redaction(Credentials(canary=value))
    held, said = b"", b""
    for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        heard = held + data[begin:end]
        kept = len(heard) - redaction.held_back(heard)
        said, held = said + redaction.hidden(heard[:kept]), heard[kept:]
    said += redaction.hidden(held)

    for spell in SPELLINGS:
        assert "".join(map(spell, value)).encode() not in said
    assert said == redaction.hidden(data)


@given(st.binary(max_size=200) | st.text().map(str.encode), st.lists(st.integers(0, 200)))
def test_bytes_without_a_value_are_written_as_they_are(data: bytes, cuts: list[int]) -> None:
    marks = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[i:j] for i, j in pairwise(marks)]

    assert streamed(*chunks) == data
    _, answered = recorded(Spoken(data))
    assert data_from_json(answered["body"]) == data


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_text_without_a_value_is_unchanged(text: str) -> None:
    assert Redaction(GIVEN).text(text) == Redaction(GIVEN).header(text) == text


# ------------------------------------------------------------------------------- short keys


def test_a_short_key_is_hidden_in_the_authorization_header_alone() -> None:
    lines = (("authorization", "Bearer abc"), ("x-other", "Bearer def"), ("x-word", "abc"))
    request = Request("POST", "/abc", lines, b'{"abc": "def"}')
    asked, answered = recorded(Spoken(b"abcdef"), request, Credentials("abc", "def"))

    assert asked["headers"] == [
        ["authorization", "Bearer $OPENWOP_API_KEY"],
        ["x-other", "Bearer $OPENWOP_TENANT_B_API_KEY"],
        ["x-word", "abc"],
    ]
    assert (asked["target"], asked["body"]) == ("/abc", '{"abc": "def"}')
    assert answered["body"] == "abcdef"


def test_without_credentials_nothing_is_hidden_or_held_back() -> None:
    redaction = Redaction(Credentials())

    assert redaction.hidden(b"a \\u0061 %61") == b"a \\u0061 %61"
    assert redaction.held_back(b"a\\") == 0
    assert redaction.header("Bearer x") == "Bearer x"
