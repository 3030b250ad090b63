"""Bytes to text in whatever encoding they are, and the name of the encoding that was found.

Byte order marks and declarations are believed first, then strict UTF-8. What is left is decided by ``chardet``, whose
candidates are weighed by how common they are and by whether their words look like words; where two readings that
differ are about as likely, a warning says so.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ISO2022 = re.compile(rb"\x1b\$[@B]|\x1b\$\(D|\x1b\([JI]")
_WORD = re.compile(r"[^\W\d_]+")
_APART = {"CYRILLIC", "GREEK", "HEBREW", "ARABIC", "THAI", "HANGUL", "LATIN"}
"""Scripts whose letters do not stand together in one word."""
_COMMON = {
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874", "tis-620", "utf-8"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "koi8-r", "koi8-u"),
}
_LESS_COMMON = {
    *("iso8859-2", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-9", "iso8859-13", "iso8859-15"),
    *("iso8859-16", "mac-roman", "mac-cyrillic", "cp850", "cp852", "cp866"),
}
_WIDER = {
    **dict.fromkeys(("shift_jis", "shift_jis_2004", "shift_jisx0213"), "cp932"),
    **dict.fromkeys(("euc_jis_2004", "euc_jisx0213"), "euc_jp"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **{"euc_kr": "cp949", "iso8859-1": "cp1252"},
}
"""What files in an encoding are really in: the one that holds it whole, or the one that everybody writes."""
_CANDIDATES = 8
_SAMPLE = 20_000  # bytes of lines that are not plain ASCII
_LOOKED_AT = 4_000  # characters whose words are looked at
_LEAST = 0.1  # a likelihood under which nothing is known
_ODDITY = 3  # a few characters out of place say more than their share
_AS_LIKELY = 0.93


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and the encoding it was in; ``guessed`` unless a mark, a declaration or UTF-8 itself proved it.

    ``replaced`` counts bytes that fit no character and became U+FFFD; ``rival`` is an encoding that is about as likely
    and gives another text.
    """

    text: str
    encoding: str
    guessed: bool = False
    replaced: int = 0
    rival: str = ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the coverage must know about the bytes."""
        lost = f"{self.replaced} bytes are not {self.encoding} and were replaced" if self.replaced else ""
        unsure = f"read as {self.encoding}, which is not sure: it may be {self.rival} (save it as UTF-8)"
        return tuple(filter(None, (lost, unsure if self.rival else "")))


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """``data`` as text; never fails. ``declared`` is what the file says of itself (an HTML meta, a MIME header)."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            text = data.decode(name, "replace")
            return Decoded(text.removeprefix("\ufeff"), name, replaced=text.count("\ufffd"))
    wide = wide_encoding(data)
    if wide:
        return Decoded(data.decode(wide, "replace"), wide, guessed=True)
    for name in ("iso2022_jp_ext" if _ISO2022.search(data) else "", "utf-8", declared or ""):
        found = _strict(data, name) if name else None
        if found is not None and not (name == declared and _suspicious(found)):
            return Decoded(found, "iso2022_jp" if name.startswith("iso2022") else name.lower())
    return _nearly_utf8(data) or _guess(data)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark, by where its zero bytes (or the common high bytes) stand."""
    if len(data) < 4 or len(data) % 2:
        return None
    sample = data[: 65536 - 65536 % 4]
    quarter = max(1, len(sample) // 4)
    zeros = [sample[place::4].count(0) / quarter for place in range(4)]
    if len(data) % 4 == 0 and min(zeros[1:]) > 0.9 and zeros[0] < 0.2:
        return "utf-32-le"
    if len(data) % 4 == 0 and min(zeros[:3]) > 0.9 and zeros[3] < 0.2:
        return "utf-32-be"
    best = max(("utf-16-le", "utf-16-be"), key=lambda name: _plausible_wide(sample, name))
    return best if _plausible_wide(sample, best) > 0.9 and _plausible_wide(data[:2_000_000], best) > 0.9 else None


def _plausible_wide(sample: bytes, encoding: str) -> float:
    """Share of characters that real UTF-16 text holds; 0 when it holds none of the blanks any text has."""
    text = _strict(sample, encoding)
    if not text or not any(char in text for char in " \n\u3000\u3001\u3002"):
        return 0.0
    scripts = [_script(char) for char in text]
    common = {"LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "DEVANAGARI", "HANGUL", "CJK", "HIRAGANA", "KATAKANA"}
    good = sum(
        1
        for char, script in zip(text, scripts, strict=True)
        if script in common or char in "\t\n\r" or (char < "\u3100" and unicodedata.category(char)[0] in "ZPNSM")
    )
    newlines = text.count("\n") + text.count(" ") + text.count("\u3002") + text.count("\u3001")
    return good / len(text) if newlines * 200 >= len(text) else 0.0


def _script(char: str) -> str:
    return unicodedata.name(char, "").split(" ", 1)[0] if char.isalpha() else ""


def _nearly_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with a few broken bytes: other multi-byte characters are right and outnumber the breaks."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    right = sum(1 for char in text if char > "\x7f") - broken
    mostly = broken * 200 < len(text) and len(text) > 2000
    if right >= 2 * broken or (mostly and _isolated(data)):
        return Decoded(text, "utf-8", guessed=True, replaced=broken)
    return None


def _isolated(data: bytes) -> bool:
    """Whether the bytes over 127 include some that no code page uses for a letter in running text."""
    return bool(re.search(rb"[\xc0\xc1\xf5-\xff][\x80-\xbf]|[\x80-\xbf]{2}", data)) and not re.search(
        rb"[A-Za-z][\xc0-\xff][a-z]", data
    )


def _suspicious(text: str) -> bool:
    return any("\x80" <= char <= "\x9f" for char in text)


@dataclass(frozen=True, slots=True)
class _Decoding:
    likely: float
    encoding: str
    text: str


def _guess(data: bytes) -> Decoded:
    """The likeliest reading of bytes that nothing else tells about."""
    readings = _readings(_sample(data))
    for reading in readings:
        text = _strict(data, reading.encoding)
        if text is not None:
            return Decoded(text, reading.encoding, guessed=True, rival=_rival(reading, readings))
    name = readings[0].encoding if readings else "cp1252"
    text = data.decode(name, "replace")
    return Decoded(text, name, guessed=True, replaced=text.count("\ufffd"))


def _sample(data: bytes) -> bytes:
    """The first lines that are not plain ASCII: what tells encodings apart."""
    lines = (line for line in data.splitlines() if not line.isascii())
    sample, size = [], 0
    for line in lines:
        sample.append(line)
        size += len(line)
        if size >= _SAMPLE:
            break
    return b"\n".join(sample) if size < 2 * _SAMPLE else data[:_SAMPLE]


def _readings(sample: bytes) -> list[_Decoding]:
    """The candidates, the likeliest first."""
    import chardet

    found: dict[str, _Decoding] = {}
    for candidate in chardet.detect_all(sample, max_bytes=_SAMPLE)[:_CANDIDATES]:
        name = _name(candidate["encoding"] or "")
        text = _lenient(sample, name) if name else None
        if text is not None and name not in found:
            found[name] = _Decoding(candidate["confidence"] * _weight(name) * _wordlike(text), name, text)
    if max((reading.likely for reading in found.values()), default=0.0) < _LEAST:
        text = _lenient(sample, "cp1252")
        if text is not None:
            found["cp1252"] = _Decoding(_LEAST / 2 * _wordlike(text), "cp1252", text)  # where all else looks wrong
    return sorted(found.values(), key=lambda reading: (-reading.likely, reading.encoding))


def _rival(chosen: _Decoding, readings: list[_Decoding]) -> str:
    """Another reading that is about as likely; the next one at all where hardly anything is known."""
    others = (one for one in readings if one.text != chosen.text)
    bound = _AS_LIKELY * chosen.likely if chosen.likely >= _LEAST else 0.0
    return next((one.encoding for one in others if one.likely > bound), "")


def _name(encoding: str) -> str:
    """The codec's own name, empty when Python has none."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        return ""
    return _WIDER.get(name, name)


def _weight(name: str) -> float:
    return 1.0 if name in _COMMON else 0.98 if name in _LESS_COMMON else 0.9


def _lenient(sample: bytes, name: str) -> str | None:
    """The sample under an encoding, allowing the cut at its end."""
    decoder = codecs.getincrementaldecoder(name)("strict")
    try:
        return decoder.decode(sample)
    except UnicodeDecodeError:
        return None


def _wordlike(text: str) -> float:
    """The share of words of one script, times that (cubed) of characters that stand where such characters may."""
    text = text[:_LOOKED_AT]
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    mixed = sum(1 for word in words if len({_script(char) for char in word} & _APART) > 1)
    outside = sum(1 for char in text if char > "\x7f")
    odd = sum(_is_odd(*around) for around in zip(" " + text, text, text[1:] + " ", strict=False))
    return (1 - mixed / max(1, len(words))) * (1 - odd / max(1, outside)) ** _ODDITY


def _is_odd(before: str, char: str, after: str) -> bool:
    """A character without meaning, a sign inside a word, a capital after a small letter."""
    if char <= "\x7f":
        return False
    kind = unicodedata.category(char)
    if kind[0] in "SP":
        return before.isalpha() and after.isalpha() and char not in "’-·"
    return kind in ("Co", "Cc", "Cn") or (kind == "Lu" and before.islower())
