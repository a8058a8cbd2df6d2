"""Plots as SVG that stands in a page: scaled by the page, coloured by its style, told in words as well. Pure.

Series are told apart by colour (``s0``, ``s1``, ...) and, where they cross, by their dashes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Final

from pegboard.evaluation.markup import Markup, joined, tag

COLOURS: Final = 6
"""Further series begin with the first colour again."""

_WIDTH: Final = 720
_HEIGHT: Final = 260
_LEFT: Final = 56
_RIGHT: Final = 16
_TOP: Final = 30
_BOTTOM: Final = 34
_ROW: Final = 26
_SIDE: Final = 190
"""Room for labels beside rows."""

_DASHES: Final = (None, "6 3", "2 3", "8 3 2 3")
_LETTER: Final = 7
"""How wide a letter is, by and large."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Bar:
    """The height of one bar, from 0 to 1, and its interval. Immutable. None: there is no bar."""

    value: float | None
    low: float | None = None
    high: float | None = None


def bars(title: str, about: str, groups: Mapping[str, Sequence[Bar]], series: Sequence[str]) -> Markup:
    """Groups of upright bars, one of each series, from 0 to 1, with whiskers for intervals."""
    inner = _WIDTH - _LEFT - _RIGHT
    wide = inner / max(1, len(groups))
    thick = min(28.0, wide * 0.8 / max(1, len(series)))
    parts: list[str] = [_grid(), _legend(series)]
    for place, (label, found) in enumerate(groups.items()):
        middle = _LEFT + wide * (place + 0.5)
        parts.append(_text(middle, _HEIGHT - _BOTTOM + 18, _cut(label, wide), "middle"))
        begin = middle - thick * len(found) / 2
        for number, bar in enumerate(found):
            parts.extend(_bar(bar, begin + number * thick, thick, number, f"{series[number]}, {label}"))
    return _svg(title, about, _HEIGHT, parts)


def _bar(bar: Bar, left: float, thick: float, number: int, what: str) -> Iterator[Markup]:
    if bar.value is None:
        return
    top = _up(bar.value)
    told = tag("title", f"{what}: {bar.value:.3f}")
    height = _HEIGHT - _BOTTOM - top
    place = {"x": _n(left + 1), "y": _n(top), "width": _n(thick - 2), "height": _n(height)}
    yield tag("rect", told, class_=_colour(number), **place)
    if bar.low is not None and bar.high is not None:
        middle = left + thick / 2
        yield _line((middle, _up(bar.low)), (middle, _up(bar.high)), "whisker")


def curves(
    title: str, about: str, ticks: Mapping[float, str], lines: Mapping[str, Sequence[Point]], *, foot: str
) -> Markup:
    """A line for each series through its points, both axes from 0 to 1; ``ticks`` are marks of the lower one."""
    parts: list[str] = [_grid(), _legend(list(lines))]
    for x, label in ticks.items():
        parts.append(_line((_along(x), _up(0)), (_along(x), _up(0) + 4), "axis"))
        parts.append(_text(_along(x), _HEIGHT - _BOTTOM + 16, label, "middle"))
    parts.append(_text(_along(0.5), _HEIGHT - 4, foot, "middle"))
    for number, points in enumerate(lines.values()):
        path = " ".join(f"{_n(_along(x))},{_n(_up(y))}" for x, y in points)
        dashes = _DASHES[number % len(_DASHES)]
        parts.append(tag("polyline", class_=f"curve {_colour(number)}", points=path, stroke_dasharray=dashes))
    return _svg(title, about, _HEIGHT, parts)


def whiskers(title: str, about: str, rows: Mapping[str, tuple[float, float, float]]) -> Markup:
    """Rows of intervals, each (low, value, high), about a line at 0."""
    reach = max((abs(edge) for row in rows.values() for edge in (row[0], row[2])), default=0.0) or 0.01
    height = _TOP + _ROW * len(rows) + _BOTTOM

    def along(value: float) -> float:
        return _SIDE + (_WIDTH - _SIDE - _RIGHT) * (value / reach + 1.05) / 2.1

    foot = height - _BOTTOM + 4
    parts: list[str] = [_line((along(0), _TOP - 8), (along(0), foot), "axis")]
    parts += [_text(along(edge), foot + 16, f"{edge:+.3f}", "middle") for edge in (-reach, 0.0, reach)]
    for place, (label, (low, value, high)) in enumerate(rows.items()):
        y = _TOP + _ROW * (place + 0.5)
        parts.append(_text(_SIDE - 10, y + 4, _cut(label, _SIDE - 10), "end"))
        parts.append(_line((along(low), y), (along(high), y), "whisker"))
        sure = "sure" if low > 0 or high < 0 else "unsure"
        told = tag("title", f"{label}: {value:+.3f}, {low:+.3f} to {high:+.3f}")
        parts.append(tag("circle", told, class_=sure, cx=_n(along(value)), cy=_n(y), r=5))
    return _svg(title, about, height, parts)


def logarithmic(values: Iterable[float]) -> tuple[dict[float, str], float, float]:
    """(marks of an axis of powers of ten, the exponents at its ends) that hold all values, which are above 0."""
    exponents = [log10(value) for value in values] or [0.0]
    low, high = int(min(exponents) // 1), int(-(-max(exponents) // 1))
    high = max(high, low + 1)
    return {(power - low) / (high - low): f"{10.0**power:g}" for power in range(low, high + 1)}, low, high


def _svg(title: str, about: str, height: float, parts: Sequence[str]) -> Markup:
    box = f"0 0 {_WIDTH} {_n(height)}"
    inside = (tag("title", title), tag("desc", about), *parts)
    return tag("svg", *inside, viewBox=box, role="img", aria_label=f"{title}. {about}")


def _grid() -> Markup:
    """Lines at quarters, from 0 to 1."""
    marks = (0.0, 0.25, 0.5, 0.75, 1.0)
    lines = (_line((_LEFT, _up(mark)), (_WIDTH - _RIGHT, _up(mark)), "axis" if not mark else "grid") for mark in marks)
    return joined(*lines, *(_text(_LEFT - 8, _up(mark) + 4, f"{mark:.2f}", "end") for mark in marks))


def _legend(series: Sequence[str]) -> Markup:
    """The series' names with their colours, as far as there is room above."""
    widths = [24 + _LETTER * len(name) for name in series]
    places = itertools.accumulate(widths, initial=_LEFT)
    shown = [
        joined(
            tag("rect", class_=_colour(number), x=_n(x), y=6, width=12, height=12),
            _text(x + 17, 16, name, "start"),
        )
        for number, (x, name) in enumerate(zip(places, series, strict=False))
        if x + widths[number] <= _WIDTH
    ]
    return joined(*shown)


def _colour(number: int) -> str:
    return f"s{number % COLOURS}"


def _along(x: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * x


def _up(y: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * y


def _line(begin: Point, end: Point, kind: str) -> Markup:
    return tag("line", class_=kind, x1=_n(begin[0]), y1=_n(begin[1]), x2=_n(end[0]), y2=_n(end[1]))


def _text(x: float, y: float, words: str, anchor: str) -> Markup:
    return tag("text", words, x=_n(x), y=_n(y), text_anchor=anchor)


def _cut(label: str, room: float) -> str:
    most = max(4, int(room / _LETTER))
    return label if len(label) <= most else label[: most - 1] + "…"


def _n(number: float) -> str:
    """A coordinate: a tenth of a pixel is enough."""
    return f"{number:.1f}".removesuffix(".0")
