"""RTF: headings, lists with their numbers, tables, notes, links, in the code pages of its fonts; hidden text named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ragcli.errors import ParseError
from ragcli.parse.assemble import one_line, squeeze
from ragcli.parse.hidden import HiddenText
from ragcli.parse.office.rtf.blocks import RtfBlocks
from ragcli.parse.office.rtf.tokens import (
    CHARACTERS,
    CODE_PAGES,
    SIGNS,
    SYMBOL_SET,
    RtfToken,
    decoded,
    joined,
    tokens,
)
from ragcli.parse.office.symbols import symbol
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.records import Coverage

_DEEPEST = 2_000  # groups inside groups
_ADDRESS = re.compile(r'HYPERLINK\s+(?:\\l\s+)?"?([^"\s]+)')
_BODY = {"rtf", "body", "fldrslt", "result", "shptxt", "ud", "shpinst", "shp", "field", "object", "upr"}
_ASIDE = {
    *("footnote", "annotation", "header", "headerl", "headerr", "headerf"),
    *("footer", "footerl", "footerr", "footerf"),
}
_KEPT = {*_BODY, *_ASIDE, "fonttbl", "stylesheet", "fldinst", "listtext", "pntext", "title", "info", "revtim"}
_SKIPPED = {
    "colortbl", "pict", "nonshppict", "objdata", "sp", "author", "operator", "keywords", "subject", "doccomm", "tcn",
    "company", "manager", "category", "comment", "creatim", "printim", "buptim", "listtable", "listoverridetable",
    "rsidtbl", "filetbl", "revtbl", "xe", "tc", "rxe", "bkmkstart", "bkmkend", "nonesttables", "template", "falt",
    "pntxta", "pntxtb", "pnseclvl", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "formfield", "atnid",
    "atnauthor",
}  # fmt: skip
_WORD_IN = re.compile(r"[^\W\d_]{2}")
_PAGE_NUMBER = re.compile(r"(?i)page\W*\d*.{0,8}")


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when it is no RTF."""
    text = source.data.decode("latin-1")
    if not text.lstrip("\x00\xef\xbb\xbf \r\n\t").startswith("{\\rtf"):
        raise ParseError(f"{source.doc_id}: not readable RTF: it does not begin with {{\\rtf")
    hidden = HiddenText(context.config, context.conditions)
    reader = _TokenReader(hidden)
    for token in tokens(text):
        reader.take(token)
    reader.finish()
    yield Extract(
        reader.blocks.assembly.text,
        reader.blocks.assembly.blocks,
        title=one_line(joined(reader.title)) or reader.blocks.first_title,
        declared={"modified": reader.modified} if reader.modified else {},
        coverage=Coverage(tables=reader.blocks.tables, warnings=hidden.warnings),
        encoding=reader.encoding,
    )


@dataclass(slots=True)
class _GroupState:
    """What holds inside a group: where its text goes, and how it is written."""

    destination: str = "rtf"
    hidden: bool = False
    deleted: bool = False
    font: int = 0
    skip: int = 1  # characters after a Unicode character that stand for it in old readers


@dataclass(slots=True)
class _Font:
    name: str = ""
    charset: int = 0


class _TokenReader:
    """Takes token after token."""

    def __init__(self, hidden: HiddenText) -> None:
        self.title = ""
        self.modified = ""
        self.encoding = "cp1252"
        self.blocks = RtfBlocks()
        self._hidden = hidden
        self._groups = [_GroupState(destination="rtf")]
        self._starred = False
        self._pending = b""
        self._to_skip = 0
        self._fonts: dict[int, _Font] = {}
        self._style = 0
        self._aside: list[tuple[int, str, list[str]]] = []  # depth, kind and parts of notes being read
        self._notes: list[str] = []
        self._edges: dict[str, None] = {}
        self._instruction = ""
        self._result_from = 0
        self._field_depth = 0
        self._date: dict[str, int] = {}
        self._commands = self._command_table()

    # ------------------------------------------------------------ tokens

    def take(self, token: RtfToken) -> None:
        """One token."""
        if token.kind not in ("byte", "text") and self._pending:
            self._flush()
        if token.kind == "open":
            if len(self._groups) < _DEEPEST:
                self._groups.append(replace(self._groups[-1]))
        elif token.kind == "close":
            self._close()
        elif self._groups[-1].destination == "skip":
            return
        elif token.kind == "byte":
            self._byte(ord(token.text))
        elif token.kind == "text":
            self._plain(token.text)
        elif token.kind == "sign":
            if token.text == "*":
                self._starred = True
            elif token.text in SIGNS:
                self._write(SIGNS[token.text])
        else:
            self._word(token.text, token.number)

    def _word(self, word: str, number: int | None) -> None:
        group = self._groups[-1]
        starred, self._starred = self._starred, False
        if word in _KEPT:
            self._enter(word)
        elif word in _SKIPPED or (starred and word not in self._commands):
            group.destination = "skip"
        elif word == "u" and number is not None:
            self._write(chr(number % 65_536))
            self._to_skip = group.skip
        elif word in self._commands:
            self._commands[word](number)
        elif word in CHARACTERS:
            self._write(CHARACTERS[word])

    def _enter(self, word: str) -> None:
        group = self._groups[-1]
        if group.destination == "info" and word == "title":
            group.destination = "title"
        elif word == "title":
            return
        elif word in _ASIDE:
            group.destination = word
            self._aside.append((len(self._groups), word, []))
            if word == "footnote":
                self.blocks.paragraph.parts.append(f"[{len(self._notes) + 1}]")
        elif word in ("upr", "ud"):  # the same text twice, the second time in Unicode
            group.destination = "body" if word == "ud" else word
        elif word == "fldrslt":
            group.destination = "body" if group.destination in _BODY else group.destination
            self._result_from = len(self._sink())
            self._field_depth = len(self._groups)
        elif word not in ("rtf", "body", "field", "object", "shp", "shpinst", "result"):
            group.destination = word
        if word in ("fldinst", "listtext", "pntext"):
            if word == "fldinst":
                self._instruction = ""
            else:
                self.blocks.paragraph.marker.clear()

    def _close(self) -> None:
        depth = len(self._groups)
        if depth == self._field_depth:
            self._field_depth = 0
            if address := _ADDRESS.search(self._instruction):
                self.blocks.links.add(joined("".join(self._sink()[self._result_from :])), address[1])
            self._instruction = ""
        if self._aside and self._aside[-1][0] == depth:
            self._note()
        if depth > 1:
            self._groups.pop()

    def _note(self) -> None:
        _, kind, parts = self._aside.pop()
        text = squeeze(joined("".join(parts)))
        if kind == "footnote":
            self._notes.append(f"[{len(self._notes) + 1}] {text}")
        elif kind == "annotation" or (_WORD_IN.search(text) and not _PAGE_NUMBER.fullmatch(text)):
            self._edges.setdefault(text)

    # ------------------------------------------------------------ characters

    def _byte(self, byte: int) -> None:
        if self._to_skip:
            self._to_skip -= 1
            return
        font = self._fonts.get(self._groups[-1].font, _Font())
        if font.charset == SYMBOL_SET:
            self._write(symbol(font.name, byte))
            return
        text, self._pending = decoded(self._pending + bytes([byte]), self._code_page())
        self._write(text)

    def _plain(self, text: str) -> None:
        """Characters as they stand; the second byte of a character may be one of them."""
        if self._to_skip:
            skipped = min(self._to_skip, len(text))
            self._to_skip -= skipped
            text = text[skipped:]
        while self._pending and text:
            found, self._pending = decoded(self._pending + text[0].encode("latin-1"), self._code_page())
            self._write(found)
            text = text[1:]
        if text and not text.isascii():
            text, self._pending = decoded(text.encode("latin-1"), self._code_page())
        self._write(text)

    def _flush(self) -> None:
        """Half a character that nothing follows."""
        self._pending = b""
        self._write("\ufffd")

    def _code_page(self) -> str:
        return CODE_PAGES.get(self._fonts.get(self._groups[-1].font, _Font()).charset, self.encoding)

    def _write(self, text: str) -> None:
        group = self._groups[-1]
        if not text or group.destination in ("skip", "upr", "info", "revtim"):
            return
        if group.destination == "fonttbl":
            self._fonts.setdefault(group.font, _Font()).name += text.split(";")[0]
        elif group.destination == "stylesheet":
            self.blocks.styles.setdefault(self._style, []).append(text.split(";")[0])
        elif group.destination == "fldinst":
            self._instruction += text
        elif group.destination == "title":
            self.title += text
        elif group.destination in ("listtext", "pntext"):
            self.blocks.paragraph.marker.append(text)
        elif group.deleted:
            return
        elif not group.hidden or self._hidden.reads("text hidden by its style", len(text)):
            self._sink().append(text)

    def _sink(self) -> list[str]:
        return self._aside[-1][2] if self._aside else self.blocks.paragraph.parts

    # ------------------------------------------------------------ commands

    def _command_table(self) -> dict[str, Callable[[int | None], None]]:
        return {
            "ansicpg": self._set_code_page,
            "mac": lambda _: self._set_encoding("mac-roman"),
            "pc": lambda _: self._set_encoding("cp437"),
            "pca": lambda _: self._set_encoding("cp850"),
            "uc": lambda number: self._set("skip", max(0, number if number is not None else 1)),
            "f": lambda number: self._set("font", number or 0),
            "fcharset": self._set_charset,
            "s": self._set_style,
            "v": lambda number: self._set("hidden", number != 0),
            "deleted": lambda number: self._set("deleted", number != 0),
            "plain": lambda _: self._set("hidden", False),
            "pard": lambda _: self.blocks.reset_paragraph(),
            "par": lambda _: self._end_paragraph(),
            "sect": lambda _: self._end_paragraph(),
            "page": lambda _: self._end_paragraph(),
            "outlinelevel": self._set_outline,
            "ilvl": self._set_level,
            "intbl": lambda _: setattr(self.blocks.paragraph, "in_table", True),
            "yr": lambda number: self._set_date("yr", number),
            "mo": lambda number: self._set_date("mo", number),
            "dy": lambda number: self._set_date("dy", number),
            **self._table_commands(),
        }

    def _table_commands(self) -> dict[str, Callable[[int | None], None]]:
        return {
            "trowd": lambda _: self.blocks.begin_row(),
            "trleft": lambda number: setattr(self.blocks.row, "left", number or 0),
            "trhdr": lambda _: setattr(self.blocks.row, "header", True),
            "clmrg": lambda _: setattr(self.blocks.place, "from_left", True),
            "clvmgf": lambda _: setattr(self.blocks.place, "goes_down", True),
            "clvmrg": lambda _: setattr(self.blocks.place, "from_above", True),
            "cellx": self.blocks.end_place,
            "cell": lambda _: self.blocks.end_cell(),
            "row": lambda _: self.blocks.end_row(),
            "nestcell": lambda _: self._write("; "),
            "nestrow": lambda _: self._write("\n"),
        }

    def _set(self, name: str, value: int | bool) -> None:
        setattr(self._groups[-1], name, value)

    def _set_encoding(self, name: str) -> None:
        self.encoding = name

    def _set_code_page(self, number: int | None) -> None:
        name = {65001: "utf-8", 10000: "mac-roman", 874: "cp874", 936: "gb18030"}.get(number or 0, f"cp{number}")
        try:
            b"".decode(name)
        except LookupError:
            return
        self.encoding = name

    def _set_charset(self, number: int | None) -> None:
        group = self._groups[-1]
        if group.destination == "fonttbl":
            self._fonts.setdefault(group.font, _Font()).charset = number or 0

    def _set_style(self, number: int | None) -> None:
        if self._groups[-1].destination == "stylesheet":
            self._style = number or 0
        else:
            self.blocks.paragraph.style = number or 0

    def _set_outline(self, number: int | None) -> None:
        if self._groups[-1].destination != "stylesheet":
            self.blocks.paragraph.outline = number

    def _set_level(self, number: int | None) -> None:
        if self._groups[-1].destination != "stylesheet":
            self.blocks.paragraph.level = number or 0

    def _set_date(self, name: str, number: int | None) -> None:
        if self._groups[-1].destination == "revtim" and number is not None:
            self._date[name] = number
            if len(self._date) == 3:
                self.modified = f"{self._date['yr']:04}-{self._date['mo']:02}-{self._date['dy']:02}"

    def _end_paragraph(self) -> None:
        if self._aside:
            self._aside[-1][2].append("\n")
        else:
            self.blocks.end_paragraph()

    def finish(self) -> None:
        """What is left: an open note in a file that is cut off, an open block, notes, headers and footers."""
        while self._aside:
            self._note()
        self.blocks.finish()
        for text in (*self._notes, *self._edges):
            self.blocks.assembly.add("other", text)
