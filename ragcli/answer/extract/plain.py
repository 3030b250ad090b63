"""Markdown, AsciiDoc and HTML as they are read: what is printed of a sentence, never what is cited.

A quote stays as it stands in its document; this is how it looks to a reader. What is written as code or after a
backslash is meant literally and is left alone.
"""

from __future__ import annotations

import re

from ragcli.language.patterns import pattern

_LITERAL = pattern(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)|\\([!-/:-@\[-`{-~])", re.DOTALL)
_SHIFT = {code: 0xE000 + code for code in range(0x21, 0x7F) if not chr(code).isalnum()}
_BACK = {shifted: code for code, shifted in _SHIFT.items()}
_TARGET = r"\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_LINK = pattern(rf"!?\[([^\[\]]{{0,300}})\](?:{_TARGET}|\[[^\[\]\n]{{0,100}}\])")
_CUT_LINK = pattern(r"!?\[([^\[\]\n]*)(?:\]\([^()\n]*)?$")
_ANCHOR = pattern(r"\[\[[^\]\n]*\]\]")
_INLINE = (
    "a|abbr|b|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
)
_NAMES = (
    f"(?P<inline>{_INLINE})|aside|blockquote|body|br|caption|center|col|dd|details|div|dl|dt|figcaption|figure|footer"
    "|h[1-6]|head|header|hr|html|img|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_TAG = pattern(rf"<!--.*?(?:-->|$)|</?(?:{_NAMES})(?:\s[^<>]{{0,400}})?\s*/?>", re.DOTALL | re.IGNORECASE)
_CUT_TAG = pattern(rf"</?(?:{_NAMES})\s+[a-z-]+=[^<>]*$|^[^<>\"]*\"\s*/?>", re.IGNORECASE)
_EMPHASIS = pattern(r"\*\*|__|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_ENTITIES = {"&nbsp;": " ", "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"'}
_QUOTED = pattern(r"^[^\S\n]*>[>\s]*", re.MULTILINE)
_START = pattern(r"^(?:\s+|\+\n)*(?:[-*+•‣◦▪–]\s+)?(?:\[[ xX]\]\s+)?")


def strip_markup(text: str) -> str:
    """Text as it is read: link texts kept, targets, tags, emphasis, list markers and line breaks gone."""
    plain = _LITERAL.sub(_held, text)
    plain = _CUT_LINK.sub(r"\1", _LINK.sub(r"\1", _ANCHOR.sub("", plain)))
    plain = _CUT_TAG.sub("", _TAG.sub(lambda tag: "" if tag["inline"] else " ", plain))
    plain = _START.sub("", _EMPHASIS.sub("", _QUOTED.sub("", plain)))
    for entity, character in _ENTITIES.items():
        plain = plain.replace(entity, character)
    plain = re.sub(r":{2,}\s*$", "", plain)
    return re.sub(r"\s+", " ", plain).strip().translate(_BACK)


def _held(match: re.Match[str]) -> str:
    """What is meant literally, its signs put where no rule sees them."""
    code: str = match[3] or match[2].strip()
    return code.translate(_SHIFT)


def links(text: str) -> list[tuple[int, int]]:
    """Where the links of ``text`` stand: no sentence ends inside one."""
    return [match.span() for match in _LINK.finditer(text)]
