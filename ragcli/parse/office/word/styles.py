"""What the styles of a Word document say of its paragraphs and runs: names, numbering, outline level, hidden text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DEEPEST = 20  # styles one may be based on
_OFF = ("0", "false", "off")
_HEADING = re.compile(r"heading (\d)$")
_NAMED = ("heading", "title", "list", "caption")


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """One style: ``numbering`` is its (numId, level), either None where it does not say; ``hidden`` likewise."""

    name: str
    based_on: str
    numbering: tuple[str | None, int | None] | None = None
    outline: int | None = None
    hidden: bool | None = None


class WordStyles:
    """The styles of one document by id."""

    def __init__(self, root: Iterable[_Element]) -> None:
        self._styles: dict[str, ParagraphStyle] = {}
        self._default = ""
        for node in root:
            if node.tag == W + "style" and (name := node.get(W + "styleId")):
                self._styles[name] = _style(node)
                if node.get(W + "type") == "paragraph" and node.get(W + "default") not in (None, *_OFF):
                    self._default = name

    def chain(self, name: str) -> Iterator[tuple[str, ParagraphStyle]]:
        """The style of that id and those it is based on, nearest first."""
        for _ in range(_DEEPEST):
            style = self._styles.get(name)
            if style is None:
                return
            yield name, style
            name = style.based_on

    def of(self, paragraph: _Element) -> str:
        """The id of a paragraph's style."""
        node = paragraph.find(f"{W}pPr/{W}pStyle")
        return str(node.get(W + "val")) if node is not None else self._default

    def meaning(self, paragraph: _Element) -> str:
        """The lower-case name of the first style in the chain that means something, or ``outline N``, or empty.

        ``heading N`` and ``title`` are said by name; ``outline N`` (from 1) only by the level in Word's outline.
        """
        name = self.of(paragraph)
        for _, style in self.chain(name):
            if style.name.startswith(_NAMED) or "quote" in style.name:
                return style.name
        own = level_of(paragraph.find(f"{W}pPr/{W}outlineLvl"))
        levels = (own, *(style.outline for _, style in self.chain(name)))
        level = next((level for level in levels if level is not None), 9)
        return f"outline {level + 1}" if level < 6 else ""

    def hides(self, run: _Element, paragraph_style: str) -> bool:
        """Whether a run is not shown: by its own property, else by its styles, which undo each other."""
        own = toggle(run.find(f"{W}rPr/{W}vanish"))
        if own is not None:
            return own
        node = run.find(f"{W}rPr/{W}rStyle")
        character = str(node.get(W + "val")) if node is not None else ""
        return self._hides(character) != self._hides(paragraph_style)

    def _hides(self, name: str) -> bool:
        return next((style.hidden for _, style in self.chain(name) if style.hidden is not None), False)

    def numbering_of(self, name: str) -> Mapping[str, str | int | None] | None:
        """The numbering a style gives: its ``number`` and ``level``, and the ``style`` in the chain that has it."""
        for owner, style in self.chain(name):
            if style.numbering is not None:
                return {"number": style.numbering[0], "level": style.numbering[1], "style": owner}
        return None


def heading_level(meaning: str) -> int | None:
    """The level (1–6) of a heading's style, by its name."""
    found = _HEADING.match(meaning)
    return max(1, min(6, int(found[1]))) if found else 1 if meaning == "title" else None


def toggle(node: _Element | None) -> bool | None:
    """A property that is on when it is there, unless it says otherwise; None when it is not there."""
    return None if node is None else node.get(W + "val") not in _OFF


def level_of(node: _Element | None) -> int | None:
    """A level from 0, None when there is none."""
    value = node.get(W + "val") if node is not None else None
    return int(value) if value is not None and value.isdigit() else None


def numbering_of(node: _Element | None) -> tuple[str | None, int | None] | None:
    """The (numId, level) under a ``numPr`` element, None when there is no such element."""
    if node is None:
        return None
    number = node.find(W + "numId")
    return (str(number.get(W + "val")) if number is not None else None, level_of(node.find(W + "ilvl")))


def _style(node: _Element) -> ParagraphStyle:
    name, based_on = node.find(W + "name"), node.find(W + "basedOn")
    return ParagraphStyle(
        name=str(name.get(W + "val") or "").lower() if name is not None else "",
        based_on=str(based_on.get(W + "val") or "") if based_on is not None else "",
        numbering=numbering_of(node.find(f"{W}pPr/{W}numPr")),
        outline=level_of(node.find(f"{W}pPr/{W}outlineLvl")),
        hidden=toggle(node.find(f"{W}rPr/{W}vanish")),
    )
