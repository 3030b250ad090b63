"""Charts, SmartArt and pictures of Office files (DrawingML), the same in Word, PowerPoint and Excel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ragcli.parse.assemble import one_line
from ragcli.parse.web.html_text import alternative_text as alternative_text
from ragcli.parse.web.html_text import local_name

if TYPE_CHECKING:
    from lxml.etree import _Element

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_NODES = ("node", "asst", "doc")
_DEEPEST = 20


def chart_title(chart: _Element) -> str:
    """The title of a chart, empty when it has none."""
    found = chart.find(f".//{CHART}chart/{CHART}title")
    return _text(found) if found is not None else ""


def chart_rows(chart: _Element) -> list[list[str]]:
    """A chart's data: its series as columns after one of its categories, the axes' titles in the header.

    Empty when the file keeps no values beside the drawing.
    """
    series = list(chart.iter(CHART + "ser"))
    columns = [(_series_name(one), _points(one, "val", "yVal")) for one in series]
    categories: dict[int, str] = {}
    for one in series:
        categories = {**_points(one, "cat", "xVal"), **categories}
    places = sorted({place for _, values in columns for place in values} | set(categories))
    if not places:
        return []
    axis, unit = _axes(chart)
    names = [f"{name} ({unit})" if name and unit and name != unit else name or unit for name, _ in columns]
    rows = [[axis, *names]]
    rows += [[categories.get(place, ""), *(values.get(place, "") for _, values in columns)] for place in places]
    return rows


def _axes(chart: _Element) -> tuple[str, str]:
    """The titles of the axis of categories and of that of values; a chart of points has two axes of values."""
    titles: dict[str, str] = {}
    for kind in ("catAx", "dateAx", "valAx"):
        for axis in chart.iter(CHART + kind):
            title, place = axis.find(CHART + "title"), axis.find(CHART + "axPos")
            lies = kind == "valAx" and place is not None and place.get("val") in ("b", "t")
            role = "category" if kind != "valAx" or (lies and "category" not in titles) else "value"
            titles.setdefault(role, _text(title) if title is not None else "")
    return titles.get("category", ""), titles.get("value", "")


def _series_name(series: _Element) -> str:
    name = series.find(CHART + "tx")
    return one_line(" ".join(node.text or "" for node in name.iter(CHART + "v"))) if name is not None else ""


def _points(series: _Element, *names: str) -> dict[int, str]:
    """Texts by place; a category of several levels has all of them, the outer first."""
    found: dict[int, str] = {}
    for name in names:
        for holder in series.iterfind(CHART + name):
            levels = list(holder.iter(CHART + "lvl")) or [holder]
            for level in reversed(levels):
                _add_points(level, found, many=len(levels) > 1)
    return found


def _add_points(level: _Element, found: dict[int, str], *, many: bool) -> None:
    code = next((node.text or "" for node in level.iter(CHART + "formatCode")), "")
    last = ""
    points = {}
    for point in level.iter(CHART + "pt"):
        place = point.get("idx") or ""
        value = point.find(CHART + "v")
        if place.isdigit() and value is not None:
            points[int(place)] = _number(one_line(value.text or ""), str(point.get("formatCode") or code))
    for place in range(max([*points, *found], default=-1) + 1) if many else points:
        last = points.get(place, last)
        found[place] = " > ".join(filter(None, (found.get(place, ""), last)))


def _number(text: str, code: str) -> str:
    """A stored number without the noise of binary fractions, as its format shows it."""
    from ragcli.parse.office.sheets.formats import shown

    try:
        value = float(text)
    except ValueError:
        return text
    return shown(value, code)


def diagram_items(data: _Element) -> Iterator[tuple[int, str]]:
    """The texts of a SmartArt diagram in order, each with its depth from 1."""
    points = {str(point.get("modelId")): point for point in data.iter(DIAGRAM + "pt")}
    children: dict[str, list[tuple[int, str]]] = {}
    for link in data.iter(DIAGRAM + "cxn"):
        if link.get("type") in (None, "parOf"):
            order = link.get("srcOrd") or "0"
            place = int(order) if order.isdigit() else 0
            children.setdefault(str(link.get("srcId")), []).append((place, str(link.get("destId"))))
    seen: set[str] = set()
    roots = [name for name, point in points.items() if point.get("type") == "doc"]
    for root in roots:
        yield from _below(root, 0, points, children, seen)
    for name, point in points.items():  # what no connection reaches
        if name not in seen and (point.get("type") or "node") in _NODES:
            yield from _below(name, 1, points, children, seen)


def _below(
    name: str,
    depth: int,
    points: Mapping[str, _Element],
    children: Mapping[str, list[tuple[int, str]]],
    seen: set[str],
) -> Iterator[tuple[int, str]]:
    if name in seen or name not in points or depth > _DEEPEST:
        return
    seen.add(name)
    text = _text(points[name])
    if text and depth:
        yield depth, text
    for _, child in sorted(children.get(name, ())):
        yield from _below(child, depth + 1, points, children, seen)


def all_texts(root: _Element) -> Iterator[str]:
    """Every text of a drawing of a kind that is not known otherwise, in order."""
    for node in root.iter():
        if local_name(node) in ("t", "v") and (text := one_line(node.text or "")):
            yield text


def _text(element: _Element) -> str:
    parts = []
    for node in element.iter(A + "t", A + "br", A + "p", CHART + "v"):
        parts.append(node.text or "" if node.tag in (A + "t", CHART + "v") else " ")
    return one_line("".join(parts))
