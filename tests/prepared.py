"""A Python that has run the suite already, and forks what it is asked for.

``PROGRAM -m MODULE …`` does what ``python -m MODULE …`` does, and so does ``-c CODE``, with the
folder, the environment and the streams of whoever calls it, and a second sooner: all that is
imported and read is there.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import random
import runpy
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.shared_data import REPOSITORY

CLIENT: Final = """\
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect(sys.argv[1])
    socket.send_fds(asked, [b"."], [0, 1, 2])
    asked.sendall(json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode())
    asked.shutdown(socket.SHUT_WR)
    sys.exit(int(asked.recv(9)))
"""


@contextlib.contextmanager
def prepared() -> Iterator[Path]:
    """The program, until the end of the block."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program, client, place = folder / "python", folder / "client.py", folder / "socket"
        client.write_text(CLIENT)
        command = shlex.join([sys.executable, "-IS", str(client), str(place)])
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        program.chmod(0o755)
        code = f"from tests.prepared import serve; serve({str(place)!r})"
        with subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=REPOSITORY,
            env={k: v for k, v in os.environ.items() if not k.startswith("OPENWOP_")},
            stdout=subprocess.PIPE,
            start_new_session=True,
        ) as server:
            try:
                assert server.stdout
                assert server.stdout.readline() == b"ready\n"
                yield program
            finally:
                os.killpg(server.pid, signal.SIGKILL)


def serve(place: str) -> None:
    """Run the suite once; then fork for each who asks at a socket."""
    import pytest  # noqa: F401  (it is one of the modules that are asked for)

    from openwop_conformance.cli import main

    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["run", "reference", "--select", "*.limits"]) == 0
    gc.collect()
    gc.freeze()  # a child that collects garbage would copy all that it shares with its parent
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        print("ready", flush=True)  # noqa: T201
        while True:
            asked, _ = listener.accept()
            if not os.fork():
                break
            asked.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _do(asked)


def _do(asked: socket.socket) -> None:
    """Run a module in a process of its own, and tell its exit code."""
    _, streams, _, _ = socket.recv_fds(asked, 1, 3)
    with asked.makefile("rb") as file:
        words, folder, environment = json.load(file)
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        asked.sendall(b"%d" % os.waitstatus_to_exitcode(status))
        os._exit(0)
    asked.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    random.seed()
    if words[0] == "-u":  # the streams are what they are
        del words[0]
    how, what, *words = words
    path = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = [folder if how == "-m" else "", *filter(None, path)]
    sys.argv = [what if how == "-m" else how, *words]
    if how == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(what, {"__name__": "__main__"})
