"""The words, groups and characters of RTF, and the code pages its fonts stand for (RTF 1.9.1)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+", re.S
)
CODE_PAGES = {
    77: "mac-roman",
    128: "cp932",
    129: "cp949",
    134: "gb18030",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}
"""Code pages by the character set of a font (``\\fcharset``)."""

SYMBOL_SET = 2
CHARACTERS = {
    "par": "\n",
    "line": "\n",
    "tab": "\t",
    "emdash": "—",
    "endash": "–",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
}
SIGNS = {"~": "\xa0", "_": "-", "-": "", "\\": "\\", "{": "{", "}": "}"}


@dataclass(frozen=True, slots=True)
class RtfToken:
    """``kind`` is word, byte, sign, open, close or text; ``number`` is a word's parameter, None without one."""

    kind: str
    text: str
    number: int | None = None


def tokens(source: str) -> Iterator[RtfToken]:
    """The tokens of a file read as Latin-1; binary data is passed over."""
    position = 0
    while position < len(source):
        match = _TOKEN.match(source, position)
        if match is None:
            position += 1
            continue
        position = match.end()
        word, number, byte, sign, brace, text = match.groups()
        if word:
            if word == "bin":
                position += max(0, int(number or 0))
            else:
                yield RtfToken("word", word, int(number) if number else None)
        elif byte:
            yield RtfToken("byte", chr(int(byte, 16)))
        elif sign:
            yield RtfToken("word", "par") if sign in "\r\n" else RtfToken("sign", sign)
        elif brace:
            yield RtfToken("open" if brace == "{" else "close", brace)
        elif text:
            yield RtfToken("text", text)


def decoded(raw: bytes, encoding: str) -> tuple[str, bytes]:
    """The characters of ``raw`` and what of it waits for another byte."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    text = decoder.decode(raw)
    return text, decoder.getstate()[0]


def joined(text: str) -> str:
    """Pairs of surrogates, as RTF writes characters beyond the first plane, as the characters they are."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
