"""A program over standard streams that is honest or not, as its first argument says."""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

MODE = sys.argv[1]
LINES = {
    "garbage": b"hello, I am a log line",
    "array": b"[1]",
    "other id": b'{"id": 7, "result": {}}',
    "both": b'{"id": 2, "result": {}, "error": {"kind": "data", "message": "x"}}',
    "unknown kind": b'{"id": 2, "error": {"kind": "odd", "message": "x"}}',
    "not utf-8": b'{"id": 2, "result": "\xff"}',
    "duplicate key": b'{"id": 2, "result": 1, "result": 2}',
    "refuses": b'{"id": 2, "error": {"kind": "integrity", "message": "no root"}}',
    "too long": b'{"id": 2, "result": "' + b"x" * 5000 + b'"}',
}
"""What is said to the second call, or else what an honest program says."""


def said(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.flush()


def result(asked: dict[str, Any]) -> Any:
    if MODE == "tells environment":
        return {"names": sorted(os.environ)}
    if MODE == "starts a child":
        sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
        return {"pid": subprocess.Popen(sleep).pid}
    return {"echo": asked["with"], "call": asked["call"], "pid": os.getpid()}


def misbehave() -> None:
    if MODE == "crashes":
        sys.stderr.write("one\ntwo\nthe last words\n")
        sys.stderr.flush()
        os._exit(3)
    if MODE == "dies by signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    if MODE == "half a line":
        sys.stdout.write('{"id": 2, "resu')
        sys.stdout.flush()
        os._exit(0)
    if MODE == "hangs":
        time.sleep(60)


if MODE == "ends at once":
    sys.exit("no such library")
if MODE == "chatters":
    sys.stderr.write("x" * 300_000 + "\n")
for number, line in enumerate(sys.stdin):
    call = json.loads(line)
    if number == 1:
        misbehave()
    if number == 1 and MODE in LINES:
        said(LINES[MODE])
    else:
        said(json.dumps({"id": call["id"], "result": result(call)}).encode())
if MODE == "ignores its end":
    time.sleep(60)
