"""Bytes to text in whatever encoding they are, and the name of the encoding that was found.

Byte order marks and declarations are believed first, then strict UTF-8. What is left is decided between the encodings
that decode the bytes at all: by ``charset-normalizer`` where the script is clear, by the letters themselves between
code pages of one script, which differ in a few characters only.
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
_EAST_ASIAN = ("euc_jp", "cp932", "gb18030", "big5", "euc_kr")
_ALPHABETIC = ("cp1252", "cp1250", "cp1251", "koi8-r", "cp866", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and the encoding it was in; ``guessed`` unless a mark, a declaration or UTF-8 itself proved it.

    ``replaced`` counts bytes that fit no character and became U+FFFD.
    """

    text: str
    encoding: str
    guessed: bool = False
    replaced: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the coverage must know about the bytes."""
        return (f"{self.replaced} bytes are not {self.encoding} and were replaced",) if self.replaced else ()


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


def _guess(data: bytes) -> Decoded:
    sample = data[:200_000]
    scored = []
    for order, name in enumerate((*_EAST_ASIAN, *_ALPHABETIC)):
        text = _lenient(sample, name)
        if text is not None:
            scored.append((_score(text, name), -order, name))
    if scored:
        best = max(scored)[2]
        text = data.decode(best, "replace")
        return Decoded(text, best, guessed=True, replaced=text.count("\ufffd"))
    return Decoded(data.decode("cp1252", "replace"), "cp1252", guessed=True)


def _lenient(sample: bytes, name: str) -> str | None:
    """The sample under an encoding, allowing the cut at its end."""
    decoder = codecs.getincrementaldecoder(name)("strict")
    try:
        return decoder.decode(sample)
    except UnicodeDecodeError:
        return None


_COMMON_HAN = frozenset(
    "的一是不了在人有我他这個们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种"
    "事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日軍者意无力它与长把机十民第公"
    "此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月話合回特"
    "代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数"
    "年月日時間東京会社本人大中小上下左右国語学校先生行来見入出立食飲話読書聞買電車駅道店家族父母子友達今何私彼者事物所同自分前"
)


_PUNCTUATION = frozenset("–—‘’‚“”„…€§°«»\u00a0•№،؛؟")


_FREQUENT_LEADS = {
    "gb18030": range(0xB0, 0xD8),
    "euc_jp": range(0xB0, 0xD0),
    "cp932": range(0x88, 0x98),
    "big5": range(0xA4, 0xC7),
}
"""First bytes of the planes in which each standard keeps the characters in daily use."""


def _score(text: str, encoding: str) -> float:
    """How much the text looks like language: letters in words of one script, few symbols, common characters."""
    outside = [char for char in text if char > "\x7f"]
    if not outside:
        return 0.0
    total = 0.0
    for before, char, after in zip(" " + text, text, text[1:] + " ", strict=False):
        if char > "\x7f":
            total += _char_score(before, char, after) if _script(char) != "CJK" else _han(char, encoding)
    if encoding in ("euc_jp", "cp932") and not any("\u3040" <= char <= "\u30ff" for char in outside):
        total -= 0.5 * len(outside)  # Japanese without a single kana is hardly ever written
    return total / len(outside)


def _han(char: str, encoding: str) -> float:
    if char in _COMMON_HAN:
        return 2.4
    return 1.5 if char.encode(encoding, "replace")[0] in _FREQUENT_LEADS.get(encoding, ()) else 0.2


def _char_score(before: str, char: str, after: str) -> float:
    kind, script = unicodedata.category(char), _script(char)
    if script in ("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"):
        return 1.6
    if script == "HANGUL":
        return -2.0 if "\u3131" <= char <= "\u318e" else 1.8
    if "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff5e":
        return 1.6
    if script == "HALFWIDTH":
        return -0.5
    if script:
        return _letter_score(before, char, after, script)
    if kind in ("Co", "Cc", "Cn"):
        return -6.0
    if char in _PUNCTUATION:
        return 0.5
    if char in "¿¡ºª":
        return 0.8 if before.isdigit() or (not before.isalpha() and after.isalpha()) else -2.0
    return -2.0 if before.isalpha() or after.isalpha() else -0.7


def _letter_score(before: str, char: str, after: str, script: str) -> float:
    """A letter among letters of its own script and case is likely; a capital inside a word or a mixed word is not."""
    score = 0.6
    for other in (before, after):
        if other.isalpha():
            score += 0.25 if _script(other) == script else -1.2
    if char.isupper() and before.islower():
        score -= 1.5
    if char.islower() and before.isupper() and after.isupper():
        score -= 1.0
    by_script = _SCRIPT_SCORES.get(script)
    return score + (by_script(before, char, after) if by_script else 0.0)


def _latin(before: str, char: str, after: str) -> float:
    """Accented letters stand among plain ones; a word of accented letters alone is another script misread."""
    alone = sum(1 for other in (before, after) if other > "\x7f" and other.isalpha())
    return (0.25 if char in "äöüßéèàçêáíóúñâîôëïûãõåæøÄÖÜÉ" else -0.35) - 0.6 * alone


def _cyrillic(before: str, char: str, after: str) -> float:
    del before, after
    low = char.lower()
    if low in "оеаинтсрвлк":
        return 0.4
    return (-0.15 if low in "фщъэюцхый" else 0.15) if "а" <= low <= "я" or low == "ё" else -0.8


def _greek(before: str, char: str, after: str) -> float:
    del before, after
    return 0.4 if char.lower() in "αοιετνσηρκπςμλάέίόύήώ" else 0.1


_SCRIPT_SCORES = {"LATIN": _latin, "CYRILLIC": _cyrillic, "GREEK": _greek}
