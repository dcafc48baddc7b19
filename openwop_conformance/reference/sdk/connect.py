"""How the reference SDK is reached: in this process, or as a program over JSON lines."""

from __future__ import annotations

import sys

from ...adapters.calls import InProcess
from ...errors import UsageError
from ..lines import serve, settings_of
from .operations import ReferenceSdk


def reference_sdk(**args: str) -> InProcess:
    """The subject that ``reference`` names. It counts what it looks at, so that no busy machine
    changes what it is found to cost; with ``counts=no`` its time is measured.

    ``sabotage=NAME`` breaks one rule of it.
    """
    unknown = sorted(set(args) - {"counts", "sabotage"})
    if unknown or args.get("counts", "yes") not in ("yes", "no"):
        raise UsageError("the reference SDK takes counts=yes or no, and sabotage=NAME")
    shown = "".join(f"{'&' if i else '?'}{k}={v}" for i, (k, v) in enumerate(args.items()))
    made = sdk_with(args.get("sabotage"), counts=args.get("counts", "yes") == "yes")
    return InProcess(made, f"reference{shown}", trusted=True)


def sdk_with(sabotage: str | None, *, counts: bool = False) -> ReferenceSdk:
    """The SDK, whole or with one rule broken."""
    if sabotage is None:
        return ReferenceSdk(counts=counts)
    from ..sabotage.finding import called
    from ..sabotage.sdk import SDK_SABOTAGES

    return called(SDK_SABOTAGES, sabotage).made(counts=counts)


def main() -> None:
    """Answer calls on standard input with lines on standard output, until the input ends."""
    serve(reference_sdk(**settings_of(sys.argv[1:])))


if __name__ == "__main__":
    main()
