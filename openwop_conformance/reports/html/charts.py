"""What was measured as small charts: cost against n, beside the most that it may grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ...engine.steps.costing import GROWTH
from ...jsonvalue import JsonValue

WIDTH: Final = 280
HEIGHT: Final = 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 10, 92, 14, 24
_STEPS: Final = 24
_LINE: Final = 14
_POWER: Final = 1.5
"""The power of n along which the limit is drawn: at 4n, where it is judged, it is ``GROWTH``."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A measurement: where it stands in the chart, and what it says."""

    x: float
    y: float
    n: str
    cost: str


@dataclass(frozen=True, slots=True)
class Chart:
    """One kind of work at n, 2n and 4n. ``words`` say all that is drawn."""

    work: str
    marks: tuple[Mark, ...]
    limit: str
    """The points of the limit's line, as SVG has them."""
    limit_y: float
    """Where the limit stands at 4n."""
    cost_y: float
    """Where the cost at 4n is written, clear of the limit."""
    most: str
    """What the work may cost at 4n."""
    over: bool
    words: str


def charts(measured: JsonValue) -> Iterator[Chart]:
    """A chart for each different measurement of a row; what is of another shape has none."""
    drawn = []
    for entry in measured if isinstance(measured, list) else ():
        if isinstance(entry, dict) and entry not in drawn:
            drawn.append(entry)
            chart = _chart(entry)
            if chart is not None:
                yield chart


def _chart(entry: Mapping[str, JsonValue]) -> Chart | None:
    n: JsonValue = entry.get("n")
    costs: JsonValue = entry.get("costs")
    numbers = [n, *costs] if isinstance(costs, list) and len(costs) == 3 else []
    if not numbers or not all(isinstance(v, (int, float)) and 0 < v < 1e15 for v in numbers):
        return None
    top = max(*costs, GROWTH * costs[0])

    def place(size: float, cost: float) -> tuple[float, float]:
        across = (size / n - 1) / 3
        x = _LEFT + across * (WIDTH - _LEFT - _RIGHT)
        y = HEIGHT - _BOTTOM - cost / top * (HEIGHT - _TOP - _BOTTOM)
        return round(x, 1), round(y, 1)

    marks = tuple(
        Mark(*place(size, cost), f"{size:,}", _figure(cost))
        for size, cost in zip((n, 2 * n, 4 * n), costs, strict=True)
    )
    along = [n * (1 + 3 * step / _STEPS) for step in range(_STEPS + 1)]
    line = [place(size, costs[0] * (size / n) ** _POWER) for size in along]
    limit_y, cost_y = line[-1][1], marks[-1].y
    if abs(cost_y - limit_y) < _LINE:
        cost_y = limit_y + (_LINE if cost_y > limit_y else -_LINE)
    growth = costs[2] / costs[0]
    over = growth > GROWTH
    unit = "s" if entry.get("unit") == "seconds" else str(entry.get("unit") or "")
    return Chart(
        work=str(entry.get("work") or "work"),
        marks=marks,
        limit=" ".join(f"{x},{y}" for x, y in line),
        limit_y=limit_y,
        cost_y=cost_y,
        most=_figure(GROWTH * costs[0]),
        over=over,
        words=(
            f"At {_listed([mark.n for mark in marks])}: {_listed([mark.cost for mark in marks])} "
            f"{unit}. {growth:.1f} times as much for four times the work, "
            f"{'above' if over else 'within'} the limit of {GROWTH:.0f}."
        ),
    )


def _figure(cost: float) -> str:
    return f"{cost:,.0f}" if cost >= 100 else f"{cost:.3g}"


def _listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
