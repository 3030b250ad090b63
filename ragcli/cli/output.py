"""Where a command writes: the result to standard output, everything else to standard error."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

from ragcli.display import continued, json_safe, one_line, printable

Color = Literal["auto", "always", "never"]
_GAP = "  "
_NARROWEST = 8
"""Columns that a cell or a line keeps, however narrow the terminal."""


@dataclass(frozen=True)
class Output:
    """How this run prints. With ``json`` standard output gets one JSON value and one newline, nothing else."""

    json: bool = False
    quiet: bool = False
    verbosity: int = 0
    color: Color = "auto"

    def result(self, value: Any, text: str | Callable[[], str]) -> None:
        """The command's one result: ``value`` as JSON, or ``text`` (already safe to print)."""
        if self.json:
            sys.stdout.write(to_json(value) + "\n")
            return
        written = text if isinstance(text, str) else text()
        if written:
            sys.stdout.write(written if written.endswith("\n") else written + "\n")

    @property
    def streams(self) -> bool:
        """Whether a person watches standard output, so that pieces of a result may appear as they are made."""
        return not self.json and sys.stdout.isatty()

    def piece(self, text: str) -> None:
        """A part of the result, at once."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def notice(self, text: str) -> None:
        """A remark on standard error; silent with ``--quiet`` and when there is nothing to say."""
        if text and not self.quiet:
            self._remark(text)

    def detail(self, text: str) -> None:
        """A remark that only ``-v`` shows."""
        if self.verbosity and not self.quiet:
            self._remark(text)

    def warning(self, text: str) -> None:
        """Something the user should know even with ``--quiet``."""
        self._remark(f"warning: {text}")

    def _remark(self, text: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(continued(printable(text).rstrip("\n")) + "\n")
        sys.stderr.flush()

    def styled(self, stream: TextIO) -> bool:
        """Whether colours and links belong on ``stream``: ``--color`` before ``NO_COLOR`` before the terminal."""
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            return False
        return stream.isatty()

    def style(self, text: str, code: str) -> str:
        """``text`` in an ANSI style such as ``1`` (bold) on a standard output that takes it."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.styled(sys.stdout) else text

    @property
    def columns(self) -> int | None:
        """Width of the terminal that standard output is; None for a file or a pipe, where nothing is folded."""
        return shutil.get_terminal_size().columns if sys.stdout.isatty() else None

    def folded(self, text: str, indent: str = "", most: int | None = None) -> str:
        """``text`` broken between words where it is wider than the terminal, or than ``most`` columns anywhere."""
        width = min((n for n in (self.columns, most) if n is not None), default=None)
        if width is None:
            return indent + text
        return "\n".join(_fold(text, max(width - len(indent), _NARROWEST), indent))

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
        """A table in plain columns; names that end in ``>`` are set flush right. Every cell is made safe.

        On a terminal that is too narrow the widest cells are broken over several lines.
        """
        cells = [[one_line(str(cell)) if cell is not None else "" for cell in row] for row in rows]
        names = [name.removesuffix(">") for name in columns]
        widths = [max(cell_width(text) for text in column) for column in zip(names, *cells, strict=True)]
        right = [name.endswith(">") for name in columns]
        if self.columns is not None:
            widths = fitted(widths, self.columns)
        lines = [_row(names, widths, right)] + [_row(row, widths, right) for row in cells]
        return "\n".join([self.style(lines[0], "1"), *lines[1:]])


def cell_width(text: str) -> int:
    """Columns of ``text`` on a terminal; wide East Asian characters count two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def fitted(widths: Sequence[int], columns: int) -> list[int]:
    """The widths cut down to one largest width, so that all of them and the gaps between fit into ``columns``."""
    room = columns - len(_GAP) * (len(widths) - 1)
    most = max(widths, default=0)
    while most > _NARROWEST and sum(min(width, most) for width in widths) > room:
        most -= 1
    return [min(width, most) for width in widths]


def _fold(text: str, width: int, indent: str = "") -> list[str]:
    lines: list[str] = []
    for line in text.split("\n"):
        letters = width * len(line) // max(cell_width(line), 1)  # fewer where they are wide
        room = letters - 1 if "\\" in line else letters  # for an escape that goes down with its bracket
        lines += _whole_escapes(textwrap.wrap(line, max(1, room), break_on_hyphens=False)) or [""]
    return [indent + line for line in lines]


def _whole_escapes(lines: list[str]) -> list[str]:
    """The lines with no ``\\`` parted from the bracket behind it, which would then look like a citation of ours."""
    for number in range(len(lines) - 1):
        if lines[number].endswith("\\") and lines[number + 1].startswith(("[", "［")):
            lines[number], lines[number + 1] = lines[number][:-1], "\\" + lines[number + 1]
    return lines


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    folded = [
        [text] if cell_width(text) <= width else _fold(text, width) for text, width in zip(cells, widths, strict=True)
    ]
    lines = itertools.zip_longest(*folded, fillvalue="")
    return "\n".join(_line(parts, widths, right) for parts in lines)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for text, width, flush in zip(cells, widths, right, strict=True):
        space = " " * max(0, width - cell_width(text))
        padded.append(space + text if flush else text + space)
    return _GAP.join(padded).rstrip()


def to_json(value: Any) -> str:
    """One JSON text; plain ASCII where standard output cannot carry more."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "").replace("_", "")
    if encoding not in {"utf8", "utf16", "utf32", "utf8sig"}:
        return json.dumps(value, allow_nan=False)
    return json_safe(json.dumps(value, ensure_ascii=False, allow_nan=False))


def protect_streams() -> None:
    """No text may end the program: what a stream's encoding lacks is written as an escape; a closed one is a void."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def clean(text: str) -> str:
    """``text`` from the command line without the bytes that were no UTF-8 there."""
    return text.encode("utf-8", "replace").decode()


def shortened(text: str, width: int) -> str:
    """The first ``width`` characters of ``text`` on one line, an ellipsis where it was cut."""
    line = one_line(text)
    return line if len(line) <= width else line[: max(width - 1, 0)].rstrip() + "…"


def link(label: str, path: Path, page: int | None = None) -> str:
    """``label`` as an OSC 8 hyperlink to a file and, where it has pages, the page."""
    target = path.absolute().as_uri() + (f"#page={page}" if page else "")
    return f"\x1b]8;;{target}\x1b\\{label}\x1b]8;;\x1b\\"
