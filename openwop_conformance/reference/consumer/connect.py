"""How the reference consumer is reached: in this process, or as a program over JSON lines."""

from __future__ import annotations

import sys

from ...adapters.calls import InProcess
from ...errors import UsageError
from ..lines import serve, settings_of
from .operations import ReferenceConsumer


def reference_consumer(**args: str) -> InProcess:
    """The subject that ``reference`` names; ``sabotage=NAME`` breaks one rule of it."""
    unknown = ", ".join(sorted(set(args) - {"sabotage"}))
    if unknown:
        raise UsageError(f"the reference consumer takes no {unknown}, only sabotage=NAME")
    shown = "".join(f"?{key}={value}" for key, value in args.items())
    return InProcess(consumer_with(args.get("sabotage")), f"reference{shown}", trusted=True)


def consumer_with(sabotage: str | None) -> ReferenceConsumer:
    """The consumer, whole or with one rule broken."""
    if sabotage is None:
        return ReferenceConsumer()
    from ..sabotage.consumer import CONSUMER_SABOTAGES
    from ..sabotage.finding import called

    return called(CONSUMER_SABOTAGES, sabotage).made()


def main() -> None:
    """Answer calls on standard input with lines on standard output, until the input ends."""
    serve(reference_consumer(**settings_of(sys.argv[1:])))


if __name__ == "__main__":
    main()
