"""Plots as inline SVG: no script, no outside file, colours from the page's style sheet so that they follow its theme.

Every function takes plain numbers and returns one ``<svg>``; marks carry a ``<title>`` that browsers show on hover.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 640
_LEFT, _RIGHT, _TOP = 190, 90, 8
_ROW = 26
_PER_CHARACTER, _WIDEST_MARGIN = 7, 320
_HEIGHT = 240


@dataclass(frozen=True, slots=True)
class Whisker:
    """A measure's mean with its interval and, when there is one, the baseline's mean."""

    name: str
    mean: float
    low: float
    high: float
    before: float | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar's label, length and the text at its end; ``reach`` draws a thin line further, to another value."""

    name: str
    value: float
    shown: str
    reach: float = 0.0


def intervals(rows: Sequence[Whisker], *, label: str) -> str:
    """A dot and its interval per measure on a scale from 0 to 1; the baseline as a hollow diamond."""
    height = _TOP + len(rows) * _ROW + 24
    parts = [_scale_line(value / 4, _TOP, height - 24, f"{value / 4:g}", _x(value / 4)) for value in range(5)]
    for place, row in enumerate(rows):
        y = _TOP + place * _ROW + _ROW / 2
        title = f"{row.name}: {row.mean:.4f} ({row.low:.4f} to {row.high:.4f})"
        title += f", baseline {row.before:.4f}" if row.before is not None else ""
        parts.append(f"<g><title>{escape(title)}</title>{_text(_LEFT - 10, y + 4, row.name, 'end')}")
        parts.append(f'<line class="whisker" x1="{_x(row.low):.1f}" x2="{_x(row.high):.1f}" y1="{y}" y2="{y}"/>')
        if row.before is not None:
            x = _x(row.before)
            parts.append(f'<path class="before" d="M{x:.1f} {y - 6}l6 6l-6 6l-6 -6z"/>')
        parts.append(f'<circle class="dot" cx="{_x(row.mean):.1f}" cy="{y}" r="4.5"/>')
        parts.append(_text(WIDTH - _RIGHT + 12, y + 4, f"{row.mean:.3f}", "start", "value") + "</g>")
    return _svg(parts, height, label)


def bars(rows: Sequence[Bar], *, label: str) -> str:
    """A horizontal bar per row, from zero, the longest filling the width; the margin is as wide as the labels."""
    height = _TOP + len(rows) * _ROW + 8
    left = min(_WIDEST_MARGIN, 20 + _PER_CHARACTER * max((len(row.name) for row in rows), default=0))
    longest = max((max(row.value, row.reach) for row in rows), default=0.0) or 1.0
    scale = (WIDTH - left - _RIGHT - 20) / longest
    parts = []
    for place, row in enumerate(rows):
        y = _TOP + place * _ROW
        width, end = max(1.0, scale * row.value), max(1.0, scale * max(row.value, row.reach))
        middle = y + _ROW / 2
        parts.append(f"<g><title>{escape(f'{row.name}: {row.shown}')}</title>")
        parts.append(_text(left - 10, middle + 4, row.name, "end"))
        if row.reach > row.value:
            parts.append(f'<line class="reach" x1="{left}" x2="{left + end:.1f}" y1="{middle}" y2="{middle}"/>')
        parts.append(f'<rect class="bar" x="{left}" y="{y + 5}" width="{width:.1f}" height="{_ROW - 10}" rx="2"/>')
        parts.append(_text(left + end + 8, middle + 4, row.shown, "start", "value") + "</g>")
    return _svg(parts, height, label)


def curve(points: Sequence[float], before: Sequence[tuple[int, float]], *, label: str) -> str:
    """A value from 0 to 1 at k = 1, 2, …; the baseline's known points as hollow diamonds."""
    left, bottom = 46, _HEIGHT - 34
    step = (WIDTH - left - 30) / max(1, len(points) - 1)

    def at(k: int, value: float) -> tuple[float, float]:
        return left + (k - 1) * step, bottom - value * (bottom - _TOP)

    parts = []
    for quarter in range(5):
        y = at(1, quarter / 4)[1]
        parts.append(f'<line class="grid" x1="{left}" x2="{WIDTH - 30}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(left - 8, y + 4, f"{quarter / 4:g}", "end", "tick"))
    places = [at(k, value) for k, value in enumerate(points, start=1)]
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts.append(f'<polyline class="curve" points="{drawn}"/>')
    for k, (x, y) in enumerate(places, start=1):
        title = f"<title>k = {k}: {points[k - 1]:.4f}</title>"
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4">{title}</circle>')
        if k == 1 or k % 5 == 0 or len(points) <= 12:
            parts.append(_text(x, bottom + 18, str(k), "middle", "tick"))
    for k, value in before:
        x, y = at(k, value)
        title = f"<title>baseline, k = {k}: {value:.4f}</title>"
        parts.append(f'<path class="before" d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z">{title}</path>')
    parts.append(_text((left + WIDTH - 30) / 2, _HEIGHT - 2, "k", "middle", "tick"))
    return _svg(parts, _HEIGHT, label)


def histograms(groups: Sequence[tuple[str, str, Sequence[float]]], *, label: str, bins: int = 20) -> str:
    """The distribution of several groups of values on one scale, one band above the other.

    A group is its name, the CSS class of its bars and its values. Heights are shares of the group.
    """
    values = [value for _, _, group in groups for value in group]
    if not values:
        return ""
    low, high = min(values), max(values)
    width = (high - low) / bins or 1.0
    band = 96
    parts = []
    for place, (name, kind, group) in enumerate(groups):
        base = _TOP + (place + 1) * band - 14
        counts = [0] * bins
        for value in group:
            counts[min(bins - 1, int((value - low) / width))] += 1
        tallest = max(counts) or 1
        parts.append(_text(_LEFT - 10, base - 26, name, "end"))
        parts.append(_text(_LEFT - 10, base - 8, f"{len(group)} questions", "end", "tick"))
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - 20}" y1="{base}" y2="{base}"/>')
        step = (WIDTH - 20 - _LEFT) / bins
        for slot, count in enumerate(counts):
            tall = (band - 28) * count / tallest
            title = f"<title>{low + slot * width:.3g} to {low + (slot + 1) * width:.3g}: {count}</title>"
            spot = f'x="{_LEFT + slot * step + 1:.1f}" y="{base - tall:.1f}" width="{step - 2:.1f}" height="{tall:.1f}"'
            parts.append(f'<rect class="{kind}" {spot}>{title}</rect>')
    height = _TOP + len(groups) * band + 14
    ticks = ((_LEFT, low, "start"), (WIDTH - 20, high, "end"))
    parts += [_text(x, height - 6, f"{value:.3g}", anchor, "tick") for x, value, anchor in ticks]
    return _svg(parts, height, label)


def _x(value: float) -> float:
    return _LEFT + value * (WIDTH - _LEFT - _RIGHT)


def _scale_line(value: float, top: float, bottom: float, shown: str, x: float) -> str:
    line = f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"/>'
    return line + _text(x, bottom + 16, shown, "middle", "tick")


def _text(x: float, y: float, text: str, anchor: str, kind: str = "label") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(parts: Sequence[str], height: float, label: str) -> str:
    head = f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {WIDTH} {height:g}">'
    return "\n".join([head, *parts, "</svg>"])
