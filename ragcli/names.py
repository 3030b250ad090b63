"""Names that are no valid text: bytes that were no UTF-8 in a file's name, as Python carries them (lone surrogates).

One way to write them as text, ``%XX`` a byte, wherever a name is shown or looked up, and one to keep them as they are
in a database. Pure.
"""

from __future__ import annotations

from ragcli.language.patterns import pattern

_BROKEN = pattern("[\ud800-\udfff]")
_UNREADABLE = pattern("[\x00-\x1f\x7f\ud800-\udfff]")


def percent(character: str) -> str:
    """``%XX`` for each byte of a character; a byte that Python carries as a surrogate is itself."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"%{code - 0xDC00:02X}"
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def valid(text: str) -> str:
    """The text with ``%XX`` for what is no valid text."""
    return text if text.isascii() else _BROKEN.sub(lambda found: percent(found.group()), text)


def readable(name: str) -> str:
    """A name that can be stored and printed: ``valid``, and control characters as ``%XX`` too."""
    if name.isascii() and name.isprintable():
        return name
    return _UNREADABLE.sub(lambda found: percent(found.group()), name)


def kept(name: str) -> str | bytes:
    """A name as a database keeps it: text, or bytes where it is no valid text. ``name_of`` is the way back."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogatepass")
    return name


def name_of(value: object) -> str:
    """The name that was kept as ``value``."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else str(value)
