"""Text that is safe to print: what documents and file names say never drives the terminal."""

from __future__ import annotations

import re
from pathlib import Path

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")
"""Control characters, direction overrides, lone surrogates and invisible tags; tab and newline stay."""


def printable(text: str) -> str:
    """``text`` with every character that could drive or mislead a terminal written as an escape such as ``\\x1b``."""
    return _UNSAFE.sub(_escape, text)


def one_line(text: str) -> str:
    """``printable`` text with each run of white space as one space."""
    return " ".join(printable(text).split())


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


def json_safe(text: str) -> str:
    """JSON with the same characters as ``\\u`` escapes: still the same value, and safe on a terminal."""
    return _UNSAFE.sub(lambda found: _json_escape(found.group()), text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8, as Python carries it
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(character: str) -> str:
    if character == "\n":
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
