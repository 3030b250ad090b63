"""Lines of the text files that the binary files of the sample corpus are made from.

A source has one paragraph, heading (``#``, ``##``), list item (``-``) or table row (``| a | b |``) a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "sample_corpus_sources"


@dataclass(frozen=True)
class Line:
    """One line of a source; ``cells`` only for a table row."""

    kind: str
    text: str
    cells: tuple[str, ...] = ()


def read_lines(name: str) -> list[Line]:
    """The lines of a source file of the sample corpus, without the empty ones."""
    return lines_of(SOURCES / name)


def lines_of(path: Path) -> list[Line]:
    """The lines of a source file, without the empty ones."""
    return [_line(raw) for raw in path.read_text(encoding="utf-8").splitlines() if raw.strip()]


def _line(raw: str) -> Line:
    if raw.startswith("|"):
        return Line("row", raw, tuple(cell.strip() for cell in raw.strip("|").split("|")))
    for mark, kind in (("## ", "h2"), ("# ", "h1"), ("- ", "item")):
        if raw.startswith(mark):
            return Line(kind, raw[len(mark) :].strip())
    return Line("paragraph", raw.strip())


def title_of(lines: list[Line]) -> str:
    """The text of the first heading."""
    return next(line.text for line in lines if line.kind == "h1")
