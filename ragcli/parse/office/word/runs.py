"""The words of a Word paragraph as it shows them: nothing deleted or hidden, fields by their results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.parse.hidden import HiddenText
from ragcli.parse.links import Links
from ragcli.parse.office.number_forms import written
from ragcli.parse.office.office_math import formula
from ragcli.parse.office.symbols import is_symbol_font, symbol, unmasked
from ragcli.parse.office.word.styles import W, WordStyles, toggle

if TYPE_CHECKING:
    from lxml.etree import _Element

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_VML = "{urn:schemas-microsoft-com:vml}"
_CHARACTERS = {W + "tab": "\t", W + "ptab": "\t", W + "noBreakHyphen": "-", W + "br": "\n", W + "cr": "\n"}
_PASSED = {
    FALLBACK,
    *(W + name for name in ("txbxContent", "del", "moveFrom", "tbl", "pPr", "rPr", "instrText", "delText", "sdtPr")),
}
_ADDRESS = re.compile(r'^\s*HYPERLINK\s+"([^"]+)"')
TICKED, UNTICKED = "☒", "☐"


@dataclass(slots=True)
class _OpenField:
    """A field while it is read: its code, then its result from ``start`` on; what a form field holds itself."""

    code: str = ""
    start: int = -1
    value: str = ""


class Runs:
    """Reads paragraphs in order; notes are numbered as they are met, fields may reach over several paragraphs."""

    def __init__(self, styles: WordStyles, hidden: HiddenText, targets: Mapping[str, str], links: Links) -> None:
        """``targets`` gives the address behind each relation id."""
        self.unknown_signs = 0
        self.marks: dict[tuple[str, str], str] = {}
        self._styles = styles
        self._hidden = hidden
        self._targets = targets
        self._links = links
        self._fields: list[_OpenField] = []
        self._style = ""

    def text(self, paragraph: _Element) -> str:
        """The paragraph's words, formulas as LaTeX, without its text boxes."""
        self._style = self._styles.of(paragraph)
        parts: list[str] = []
        for field in self._fields:
            field.start = min(field.start, 0)
        self._children(paragraph, parts)
        self._fields = [field for field in self._fields if field.start >= 0]  # a code without a result ends here
        return "".join(parts)

    def _children(self, element: _Element, parts: list[str]) -> None:
        for node in element:
            self._node(node, str(node.tag), parts)

    def _node(self, node: _Element, tag: str, parts: list[str]) -> None:
        if tag == W + "r":
            self._run(node, parts)
        elif tag == W + "hyperlink":
            before = len(parts)
            self._children(node, parts)
            self._links.add("".join(parts[before:]), self._targets.get(node.get(RELATION + "id") or "", ""))
        elif tag in (MATH + "oMath", MATH + "oMathPara"):
            parts.append(f" ${formula(node)}$ ")
        elif tag == _VML + "textpath":
            parts.append(str(node.get("string") or ""))
        elif tag not in _PASSED:
            self._children(node, parts)

    def _run(self, run: _Element, parts: list[str]) -> None:
        if self._styles.hides(run, self._style):
            shown: list[str] = []
            self._contents(run, shown)
            size = len("".join(shown))
            if not size or not self._hidden.reads("text hidden by its style", size):
                return
            parts += shown
            return
        self._contents(run, parts)

    def _contents(self, run: _Element, parts: list[str]) -> None:
        font = run.find(f"{W}rPr/{W}rFonts")
        name = str(font.get(W + "ascii") or "") if font is not None else ""
        for node in run:
            tag = str(node.tag)
            if tag == W + "fldChar":
                self._field(node, parts)
            elif tag == W + "instrText" and self._fields:
                self._fields[-1].code += node.text or ""
            elif self._fields and self._fields[-1].start < 0:
                continue  # inside a field's code: nothing of it is shown
            elif tag == W + "t":
                text = node.text or ""
                parts.append(unmasked(text, name) if is_symbol_font(name) else text)
            elif tag in _CHARACTERS:
                parts.append(_CHARACTERS[tag])
            elif tag == W + "sym":
                parts.append(self._sign(node))
            elif tag in (W + "footnoteReference", W + "endnoteReference"):
                parts.append(self._mark(tag.removeprefix(W).removesuffix("Reference"), node.get(W + "id") or ""))
            elif tag == W + "ruby":
                parts.append(self._ruby(node))
            else:
                self._node(node, tag, parts)

    def _sign(self, node: _Element) -> str:
        code = node.get(W + "char") or ""
        font = str(node.get(W + "font") or "")
        sign = symbol(font, int(code, 16)) if re.fullmatch(r"[0-9A-Fa-f]{1,4}", code) else ""
        self.unknown_signs += not sign
        return sign

    def _mark(self, kind: str, name: str) -> str:
        """``[1]``, ``[2]`` for footnotes, ``[i]``, ``[ii]`` for endnotes: as they are met, not as they are stored."""
        number = sum(1 for known, _ in self.marks if known == kind) + 1
        form = "decimal" if kind == "footnote" else "lowerRoman"
        return self.marks.setdefault((kind, name), f"[{written(number, form)}]")

    def _ruby(self, node: _Element) -> str:
        base, reading = (
            "".join(text.text or "" for part in node.iter(W + name) for text in part.iter(W + "t"))
            for name in ("rubyBase", "rt")
        )
        return f"{base}({reading})" if reading else base

    def _field(self, node: _Element, parts: list[str]) -> None:
        kind = node.get(W + "fldCharType")
        if kind == "begin":
            self._fields.append(_OpenField(value=_form_value(node)))
        elif kind == "separate" and self._fields:
            self._fields[-1].start = len(parts)
        elif kind == "end" and self._fields:
            field = self._fields.pop()
            result = "".join(parts[field.start :]) if field.start >= 0 else ""
            if field.value and not result.strip():
                parts.append(field.value)
            elif address := _ADDRESS.match(field.code):
                self._links.add(result, address[1])


def _form_value(begin: _Element) -> str:
    """What a drop-down or a check box of an old form shows; empty for every other field."""
    choice, box = begin.find(f".//{W}ddList"), begin.find(f".//{W}checkBox")
    if choice is not None:
        entries = [str(entry.get(W + "val") or "") for entry in choice.iter(W + "listEntry")]
        chosen = choice.find(W + "result") if choice.find(W + "result") is not None else choice.find(W + "default")
        place = str(chosen.get(W + "val") or "0") if chosen is not None else "0"
        return entries[int(place)] if place.isdigit() and int(place) < len(entries) else ""
    if box is not None:
        state = toggle(box.find(W + "checked"))
        ticked = state if state is not None else toggle(box.find(W + "default"))
        return TICKED if ticked else UNTICKED
    return ""
