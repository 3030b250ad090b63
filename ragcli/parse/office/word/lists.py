"""The numbers of Word's lists, clauses and headings, counted as Word counts them (ECMA-376, 17.9).

A *number* (``w:num``) is an instance of an *abstract* list, whose levels say how its items are written. Instances of
one abstract list go on counting where another left off, unless one restarts; each level restarts below a higher one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ragcli.parse.office.number_forms import padded, written
from ragcli.parse.office.word.styles import W, WordStyles, numbering_of, toggle

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTENT = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
_PLACE = re.compile(r"%([1-9])")
_DEEPEST = 9
_LINKS = 5


@dataclass(frozen=True, slots=True)
class ListItem:
    """What stands before an item (``-``, ``3.``, ``2.1``; empty where nothing does) and its depth from 1."""

    marker: str
    level: int

    @property
    def numbered(self) -> bool:
        """Whether it is counted."""
        return self.marker not in ("", "-")


@dataclass(frozen=True, slots=True)
class _NumberingLevel:
    """How one level is counted and written. ``restart`` is the level (from 1) under which it begins anew, 0 never."""

    form: str = "decimal"
    text: str = ""
    start: int = 1
    restart: int | None = None
    legal: bool = False
    width: int = 0


@dataclass(slots=True)
class _Abstract:
    """An abstract list; ``of_style`` gives the level that a paragraph style is bound to."""

    levels: dict[int, _NumberingLevel] = field(default_factory=dict)
    of_style: dict[str, int] = field(default_factory=dict)
    link: str = ""
    counts: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _NumberedList:
    abstract: str
    starts: dict[int, int] = field(default_factory=dict)
    levels: dict[int, _NumberingLevel] = field(default_factory=dict)


class Numbering:
    """Counts items while a document is walked in order."""

    def __init__(self, root: Iterable[_Element], styles: WordStyles) -> None:
        self._styles = styles
        self._abstracts: dict[str, _Abstract] = {}
        self._numbers: dict[str, _NumberedList] = {}
        for node in root:
            if node.tag == W + "abstractNum":
                self._abstracts[str(node.get(W + "abstractNumId"))] = _abstract(node)
            elif node.tag == W + "num":
                self._numbers[str(node.get(W + "numId"))] = _number(node)

    def item(self, paragraph: _Element) -> ListItem | None:
        """The marker of a paragraph, counted; None when it is in no list."""
        found = self._place(paragraph)
        if found is None:
            return None
        number, level = found
        instance = self._numbers.get(number)
        abstract = self._abstract_of(instance)
        if instance is None or abstract is None:
            return ListItem("-", level + 1)
        style = self._level(instance, abstract, level)
        self._count(instance, abstract, level, style)
        if style.form == "bullet":
            return ListItem("-", level + 1)
        return ListItem(self._marker(instance, abstract, level, style), level + 1)

    def _place(self, paragraph: _Element) -> tuple[str, int] | None:
        """The number and the level (from 0) of a paragraph, from itself and its styles."""
        own = numbering_of(paragraph.find(f"{W}pPr/{W}numPr"))
        by_style = self._styles.numbering_of(self._styles.of(paragraph))
        number = own[0] if own and own[0] is not None else str(by_style["number"] or "") if by_style else ""
        if number in ("", "0"):
            return None
        if own and own[1] is not None:
            return number, min(own[1], _DEEPEST - 1)
        if by_style is None or (own and own[0] is not None):
            return number, self._bound_level(number, self._styles.of(paragraph)) or 0
        bound = self._bound_level(number, str(by_style["style"]))
        stated = by_style["level"]
        return number, bound if bound is not None else stated if isinstance(stated, int) else 0

    def _bound_level(self, number: str, style: str) -> int | None:
        abstract = self._abstract_of(self._numbers.get(number))
        return abstract.of_style.get(style) if abstract else None

    def _abstract_of(self, instance: _NumberedList | None) -> _Abstract | None:
        """The abstract list of an instance; one that only points to a list style stands for that style's."""
        for _ in range(_LINKS):
            abstract = self._abstracts.get(instance.abstract) if instance else None
            if abstract is None or not abstract.link or abstract.levels:
                return abstract
            linked = self._styles.numbering_of(abstract.link)
            instance = self._numbers.get(str(linked["number"])) if linked else None
        return None

    def _level(self, instance: _NumberedList, abstract: _Abstract, level: int) -> _NumberingLevel:
        return instance.levels.get(level) or abstract.levels.get(level) or _NumberingLevel(form="bullet")

    def _count(self, instance: _NumberedList, abstract: _Abstract, level: int, style: _NumberingLevel) -> None:
        counts = abstract.counts
        if level in instance.starts:  # an instance restarts once, when it is first met
            counts[level] = instance.starts.pop(level)
        else:
            counts[level] = counts[level] + 1 if level in counts else style.start
        for above in range(level):  # a level that is missing above counts as if it stood there once
            if above not in counts:
                counts[above] = instance.starts.pop(above, self._level(instance, abstract, above).start)
        for deeper in [place for place in counts if place > level]:
            restart = self._level(instance, abstract, deeper).restart
            if restart is None or level < restart:
                del counts[deeper]

    def _marker(self, instance: _NumberedList, abstract: _Abstract, level: int, style: _NumberingLevel) -> str:
        def value(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            if place > level:
                return ""
            own = self._level(instance, abstract, place)
            number = abstract.counts.get(place, own.start)
            if style.legal or own.form == "bullet":
                return str(number)
            return padded(number, own.width) if own.width else written(number, own.form)

        return " ".join(_PLACE.sub(value, style.text).split())


def _abstract(node: _Element) -> _Abstract:
    result = _Abstract()
    link = node.find(W + "numStyleLink")
    result.link = str(link.get(W + "val") or "") if link is not None else ""
    for place, level, style in _levels(node):
        result.levels[place] = level
        if style:
            result.of_style.setdefault(style, place)
    return result


def _number(node: _Element) -> _NumberedList:
    target = node.find(W + "abstractNumId")
    result = _NumberedList(str(target.get(W + "val")) if target is not None else "")
    for override in node.iter(W + "lvlOverride"):
        place = override.get(W + "ilvl") or ""
        start = override.find(W + "startOverride")
        value = start.get(W + "val") if start is not None else None
        if place.isdigit() and value is not None and value.isdigit():
            result.starts[int(place)] = int(value)
        for inner, level, _ in _levels(override):
            result.levels[inner] = level
            if value is None:
                result.starts.setdefault(inner, level.start)
    return result


def _levels(parent: _Element) -> Iterator[tuple[int, _NumberingLevel, str]]:
    for node in parent.iter(W + "lvl"):
        place, style = node.get(W + "ilvl") or "0", node.find(W + "pStyle")
        restart = _value(node, "lvlRestart")
        level = replace(
            _form(node),
            text=_value(node, "lvlText") or "",
            start=_whole(_value(node, "start"), 1),
            restart=_whole(restart, 0) if restart is not None else None,
            legal=toggle(node.find(W + "isLgl")) or False,
        )
        name = str(style.get(W + "val") or "") if style is not None else ""
        yield min(int(place), _DEEPEST - 1) if place.isdigit() else 0, level, name


def _form(level: _Element) -> _NumberingLevel:
    """How numbers are written; a custom form (``001, 002, …``) stands in an alternative of its own."""
    custom = level.find(f"{_CONTENT}/{_CHOICE}/{W}numFmt")
    if custom is not None and custom.get(W + "val") == "custom":
        sample = str(custom.get(W + "format") or "").split(",")[0].strip()
        return _NumberingLevel(width=len(sample) if sample.isdigit() else 0)
    return _NumberingLevel(form=_value(level, "numFmt") or "decimal")


def _value(node: _Element, name: str) -> str | None:
    found = node.find(W + name)
    value = found.get(W + "val") if found is not None else None
    return str(value) if value is not None else None


def _whole(value: str | None, default: int) -> int:
    return int(value) if value is not None and value.isdigit() else default
