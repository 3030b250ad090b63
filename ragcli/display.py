"""Text of documents, file names and models as data to look at: it drives no terminal, forges no line and cites nothing.

What could is written as an escape, so that nothing is dropped in silence and ``--json`` alone has the text as it is.
Pure.
"""

from __future__ import annotations

import re

from ragcli.language.patterns import pattern
from ragcli.names import percent

_UNSAFE = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, U+0085 (next line) among them; tab and newline stay
    "\u2028\u2029"  # line and paragraph separator
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # marks, embeddings, overrides and isolates of direction
    "\ufff9-\ufffb\ud800-\udfff"  # annotations that hide text, halves of characters
    "\U000e0000-\U000e007f]"  # invisible tags
)
_CITATION = (
    r"[\[［]\s{0,9}\d[\d\s,;.–-]{0,99}[\]］]"
    r"|\[(?=(?:supported|paraphrase|misattributed|unsupported|uncited|invalid citations)\])"
)
"""What looks like one of our citations, or like the status of a sentence."""
_CITING = pattern(_CITATION)
_QUOTED = pattern(rf"\\(?=(?:{_CITATION}))")
_FORMULA = pattern(r"\s*[=+@＝＋＠−－-]|[\t\r\n]")
_PLAIN_NUMBER = pattern(r"[+-]?[0-9][0-9.,']*(?:[eE][+-]?[0-9]+)?%?\Z")


def printable(text: str) -> str:
    """``text`` with every character that could drive or mislead its reader written as an escape such as ``\\x1b``."""
    return _UNSAFE.sub(_escape, text)


def one_line(text: str) -> str:
    """``printable`` text with each run of white space as one space."""
    return " ".join(printable(text).split())


def as_quoted(text: str) -> str:
    """``text`` of a document with a ``\\`` before whatever looks like a citation of ours: ``\\[2]``."""
    return _CITING.sub(lambda found: "\\" + found.group(), text)


def as_written(text: str) -> str:
    """What ``as_quoted`` was given."""
    return _QUOTED.sub("", text)


def continued(text: str, indent: str = "  ") -> str:
    """``text`` with every line but the first set in, so that none of them looks like the beginning of something."""
    return text.replace("\n", f"\n{indent}")


def json_safe(text: str) -> str:
    """JSON with the same characters as ``\\u`` escapes: still the same value, and safe on a terminal."""
    return _UNSAFE.sub(lambda found: _json_escape(found.group()), text)


def spreadsheet_cell(text: str) -> str:
    """A cell that a spreadsheet shows and never computes: one that begins as a formula does gets a ``'`` before it."""
    return f"'{text}" if _FORMULA.match(text) and not _PLAIN_NUMBER.match(text) else text


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    if 0xD800 <= code <= 0xDFFF:  # a byte of a file name that is not UTF-8, as Python carries it
        return percent(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
