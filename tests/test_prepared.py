"""What is prepared does as Python itself does: its words, its streams, its folder, its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = """\
import os, sys
print(sys.argv[1:], os.getcwd(), os.environ.get("SAID"), sys.stdin.read(), __name__)
print(sys.path[0], "to the other", file=sys.stderr)
{end}
"""


@pytest.mark.parametrize("how", ["-m", "-c"])
@pytest.mark.parametrize(
    "end", ["", "sys.exit(3)", "sys.exit('in words')", "os.kill(os.getpid(), 9)"]
)
def test_what_is_asked_ends_as_it_does_in_an_interpreter_of_its_own(
    python: Path, tmp_path: Path, end: str, how: str
) -> None:
    code = MODULE.format(end=end)
    (tmp_path / "a_module.py").write_text(code)
    words = ["-m", "a_module"] if how == "-m" else ["-u", "-c", code]
    ended = [
        subprocess.run(
            [program, *words, "a word", "é"],
            cwd=tmp_path,
            env={**os.environ, "SAID": "by whoever calls"},
            input="given",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        for program in (sys.executable, python)
    ]
    itself, forked = ((one.returncode & 255, one.stdout, one.stderr) for one in ended)
    assert forked == itself
    assert end == "os.kill(os.getpid(), 9)" or "a word" in forked[1]
