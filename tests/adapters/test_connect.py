"""One string names a host, and every wrong one says what is wrong with it."""

from __future__ import annotations

import asyncio
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.adapters.connect import ENTRY_POINT_GROUP, FORMS, connect_host
from openwop_conformance.adapters.host import Bounds, Host, Request
from openwop_conformance.adapters.http import HttpHost
from openwop_conformance.errors import UnreachableError, UsageError

SUBJECTS = """
from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.errors import UnreachableError

async def app(scope, receive, send):
    assert scope["type"] == "http"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"here"})

def make_app():
    return app

number = 7

class Made(AsgiHost):
    def __init__(self, seed="none", **rest):
        super().__init__(app, f"seed={seed} rest={rest}")

class Nested:
    Factory = Made

def strict(*, seed):
    return Made(seed)

def picky(seed="1"):
    raise ValueError("seed is no number")

def offline():
    raise UnreachableError("the cluster is down")

def nothing():
    return None

def half():
    class Half:
        name = "half"
        async def exchange(self, request, bounds): ...
    return Half()

def a_class():
    return Made

async def later():
    return Made()

def wrong_within(seed="1"):
    return len(7)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current directory with modules to name, forgotten again at the end."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/__init__.py").touch()
    (tmp_path / "lab/subjects.py").write_text(SUBJECTS)
    (tmp_path / "lab/needy.py").write_text("import not_installed_anywhere\n")
    (tmp_path / "lab/self_needy.py").write_text("import lab.missing_sibling\n")
    (tmp_path / "lab/typo.py").write_text("def broken(:\n")
    (tmp_path / "lab/raising.py").write_text("\nraise KeyError('LAB_URL')\n")
    (tmp_path / "lab/script.py").write_text("raise SystemExit('usage: script')\n")
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("lab", "lab_plugin"):
            del sys.modules[name]


def body_of(host: Host) -> bytes:
    async def run() -> bytes:
        answer = await host.exchange(Request("GET", "/"), Bounds())
        await host.close()
        return answer.body

    return asyncio.run(run())


def mistake(connectable: str) -> str:
    with pytest.raises(UsageError) as refusal:
        connect_host(connectable)
    text = str(refusal.value)
    assert text.count(FORMS) == 1
    assert text.endswith(FORMS)
    return text.removesuffix(FORMS).strip()


# ------------------------------------------------------------------------------------ the forms


@pytest.mark.parametrize("url", ["http://localhost:8080", "https://h.example/base", "HTTP://h"])
def test_a_url_is_a_host_over_http(url: str) -> None:
    host = connect_host(url)
    assert isinstance(host, HttpHost)
    assert host.name == url


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("place", ["lab.subjects:app", "lab.subjects:make_app()"])
def test_an_asgi_app_of_the_current_directory_is_a_host(place: str) -> None:
    host = connect_host(f"asgi:{place}")
    assert isinstance(host, AsgiHost)
    assert host.name == f"asgi:{place}"
    assert body_of(host) == b"here"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("connectable", "name"),
    [
        ("py:lab.subjects:Made", "seed=none rest={}"),
        ("py:lab.subjects:Nested.Factory", "seed=none rest={}"),
        ("py:lab.subjects:strict?seed=7", "seed=7 rest={}"),
        ("py:lab.subjects:Made?seed=a%26b&x=&y=1", "seed=a&b rest={'x': '', 'y': '1'}"),
        ("py:lab.subjects:Made?seed=http://h:1/", "seed=http://h:1/ rest={}"),
    ],
)
def test_a_python_factory_makes_a_host_of_its_arguments(connectable: str, name: str) -> None:
    host = connect_host(connectable)
    assert host.name == name
    assert body_of(host) == b"here"


@pytest.mark.usefixtures("here")
def test_the_reference_host_is_made_where_it_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("openwop_conformance.reference.connect")
    host = connect_host("py:lab.subjects:Made")
    given: list[dict[str, str]] = []

    def reference_host(**args: str) -> Host:
        given.append(args)
        return host

    module.__dict__["reference_host"] = reference_host
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert connect_host("reference") is host
    assert connect_host("reference?floor=2") is host
    assert given == [{}, {"floor": "2"}]


def install(where: Path, distribution: str, **points: str) -> None:
    metadata = where / f"{distribution}-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n")
    lines = [f"{name} = {value}" for name, value in points.items()]
    (metadata / "entry_points.txt").write_text("\n".join([f"[{ENTRY_POINT_GROUP}]", *lines]))


def test_a_bare_word_is_an_entry_point(here: Path) -> None:
    sys.path.insert(0, str(here))
    install(
        here,
        "lab_one",
        mine="lab.subjects:Made",
        gone="lab.nowhere:Made",
        twice="lab.subjects:Made",
    )
    install(here, "lab_two", twice="lab.subjects:strict")
    assert connect_host("mine?seed=3").name == "seed=3 rest={}"
    assert "known: gone, mine, twice" in mistake("yours")
    assert "'gone' (lab.nowhere:Made)" in mistake("gone")
    assert "lab.subjects:Made, lab.subjects:strict" in mistake("twice")


def test_without_an_entry_point_a_bare_word_says_so() -> None:
    assert "none is installed" in mistake("no-such-adapter")


# --------------------------------------------------------------------------------- the mistakes


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("connectable", "why"),
    [
        ("", "names no host"),
        ("two words", "names no host"),
        ("example.com/v1", "names no host"),
        ("ftp://user:hunter2@h", "'ftp' is no scheme"),
        ("localhost:8080", "did you mean http://localhost:8080?"),
        ("127.0.0.1:8080/v1", "did you mean http://127.0.0.1:8080?"),
        ("stdio:node sdk.js", "an SDK or a consumer"),
        ("http://", "no host"),
        ("http://user:hunter2@h", "OPENWOP_API_KEY"),
        ("asgi:", "asgi:package.module:attribute"),
        ("asgi:lab.subjects", "asgi:package.module:attribute"),
        ("py:.lab:app", "py:package.module:attribute"),
        ("py:lab/subjects.py:Made", "py:package.module:attribute"),
        ("asgi:lab.subjects:app?x=1", "takes no arguments"),
        ("py:lab.subjects:Made()", "needs no '()'"),
        ("py:lab.subjects:Made?seed", "not of the form key=value"),
        ("py:lab.subjects:Made?a b=1", "'a b' is no Python name"),
        ("py:lab.subjects:Made?x=hunter2&x=2", "'x' is given twice"),
        ("asgi:lap.subjects:app", "there is no module 'lap'"),
        ("asgi:lab.subject:app", "there is no module 'lab.subject'"),
        ("asgi:lab.subjects.app:x", "there is no module 'lab.subjects.app'"),
        ("asgi:lab.needy:app", "importing lab.needy failed with ModuleNotFoundError"),
        ("asgi:lab.self_needy:app", "importing lab.self_needy failed with ModuleNotFoundError"),
        ("asgi:lab.typo:app", "importing lab.typo failed with SyntaxError"),
        ("asgi:lab.raising:app", "raising.py:2)"),
        ("asgi:lab.script:app", "usage: script"),
        ("asgi:lab.subjects:ap", "did you mean 'app'?"),
        ("asgi:lab.subjects:number", "is of type int, not an ASGI application"),
        ("asgi:lab.subjects:make_app", "write make_app()"),
        ("asgi:lab.subjects:number()", "cannot be called"),
        ("asgi:lab.subjects:app()", "a call without arguments; its signature is"),
        ("asgi:lab.subjects:nothing()", "is of type NoneType, not an ASGI application"),
        ("py:lab.subjects:number", "cannot be called"),
        ("py:lab.subjects:strict", "its signature is (*, seed)"),
        ("py:lab.subjects:strict?sead=hunter2", "the arguments sead"),
        ("py:lab.subjects:picky?seed=x", "failed with ValueError: seed is no number"),
        ("py:lab.subjects:wrong_within", "lab/subjects.py:"),
        (
            "py:lab.subjects:nothing",
            "made is of type NoneType, and no host: it has no name, exchange",
        ),
        ("py:lab.subjects:half", "made is of type Half, and no host: it has no stream, close"),
        ("py:lab.subjects:a_class", "made is the class Made, and no host"),
        ("py:lab.subjects:later", "async function"),
    ],
)
def test_a_mistake_is_named_and_the_forms_are_shown(connectable: str, why: str) -> None:
    text = mistake(connectable)
    assert why in text
    assert "hunter2" not in text


@pytest.mark.usefixtures("here")
def test_a_factory_may_say_that_its_host_is_unreachable() -> None:
    with pytest.raises(UnreachableError, match="the cluster is down"):
        connect_host("py:lab.subjects:offline")
