"""What the styles of an OpenDocument file say: hidden text, hidden slides and sheets, lists and outline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragcli.parse.office.opendocument.package import DRAW, PRESENTATION, STYLE, TABLE, TEXT, whole

if TYPE_CHECKING:
    from lxml.etree import _Element

_DEEPEST = 20
_LEVELS = {
    TEXT + "list-level-style-number": "number",
    TEXT + "list-level-style-bullet": "bullet",
    TEXT + "list-level-style-image": "bullet",
    TEXT + "outline-level-style": "number",
}
_SHOWN_FORM = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}num-list-format"


@dataclass(frozen=True, slots=True)
class Level:
    """How items of one level of a list are counted and written; ``pattern`` (``%1%.%2%``) says it all where it is."""

    kind: str = "bullet"
    form: str = ""
    prefix: str = ""
    suffix: str = ""
    shown_levels: int = 1
    start: int = 1
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class _StyleProperties:
    parent: str = ""
    hidden: bool | None = None


@dataclass(slots=True)
class OpenDocumentStyles:
    """The styles of one file; ``outline`` are the levels of its headings, from 1."""

    lists: dict[str, dict[int, Level]] = field(default_factory=dict)
    outline: dict[int, Level] = field(default_factory=dict)
    _styles: dict[tuple[str, str], _StyleProperties] = field(default_factory=dict)

    def read(self, root: _Element | None) -> None:
        """Take in the styles of one part; those of the content come after those of the styles."""
        for node in root.iter() if root is not None else ():
            if node.tag == STYLE + "style":
                key = (str(node.get(STYLE + "family")), str(node.get(STYLE + "name")))
                self._styles[key] = _style(node)
            elif node.tag == TEXT + "list-style":
                self.lists[str(node.get(STYLE + "name"))] = dict(_levels(node))
            elif node.tag == TEXT + "outline-style":
                self.outline = dict(_levels(node))

    def hides(self, family: str, name: str | None) -> bool:
        """Whether what has this style is not shown."""
        return any(style.hidden for style in self._chain(family, name) if style.hidden is not None)

    def _chain(self, family: str, name: str | None) -> Iterable[_StyleProperties]:
        for _ in range(_DEEPEST):
            style = self._styles.get((family, name or ""))
            if style is None:
                return
            yield style
            name = style.parent


def _style(node: _Element) -> _StyleProperties:
    hidden: bool | None = None
    for properties in node:
        if (shown := properties.get(TEXT + "display")) is not None:
            hidden = shown == "none"
        if (seen := properties.get(PRESENTATION + "visibility")) is not None:
            hidden = seen == "hidden"
        if (table := properties.get(TABLE + "display")) is not None:
            hidden = table == "false"
    return _StyleProperties(
        parent=str(node.get(STYLE + "parent-style-name") or ""),
        hidden=hidden,
    )


def _levels(node: _Element) -> Iterable[tuple[int, Level]]:
    for child in node:
        if child.tag not in _LEVELS:
            continue
        yield (
            whole(child.get(TEXT + "level")),
            Level(
                kind=_LEVELS[str(child.tag)],
                form=str(child.get(STYLE + "num-format") or ""),
                prefix=str(child.get(STYLE + "num-prefix") or ""),
                suffix=str(child.get(STYLE + "num-suffix") or ""),
                shown_levels=whole(child.get(TEXT + "display-levels")),
                start=whole(child.get(TEXT + "start-value")),
                pattern=str(child.get(_SHOWN_FORM) or ""),
            ),
        )


HIDDEN_PAGE = "drawing-page"
PAGE_STYLE = DRAW + "style-name"
