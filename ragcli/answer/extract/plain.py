"""The text of a document as it is read: what is printed of a sentence, never what is cited.

A quote stays as it stands in its document, letter for letter; this is how a sentence of it looks to a reader. What
counts as markup is what the document's format says: an asterisk is emphasis in Markdown and a pointer in C. What is
written as code or after a backslash is meant literally and is left alone, and so is all of a file of code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ragcli.language.patterns import pattern

_SHIFT = {code: 0xE000 + code for code in range(0x21, 0x7F) if not chr(code).isalnum()}
_BACK = {shifted: code for code, shifted in _SHIFT.items()}
_SPACE = pattern(r"\s+")
_INK = pattern(r"\S")
_BULLET = pattern(r"^\s*[-*+•‣◦▪–]\s+")

_LITERAL = pattern(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)|\\([!-/:-@\[-`{-~])", re.DOTALL)
_TARGET = r"\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_LINK = pattern(rf"!?\[([^\[\]]{{0,300}})\](?:{_TARGET}|\[[^\[\]\n]{{0,100}}\])")
_CUT_LINK = pattern(r"!?\[([^\[\]\n]*)(?:\]\([^()\n]*)?$")
_WIKI_LINK = pattern(r"!?\[\[(?=\S)(?:[^\[\]|\n]*\|)?([^\[\]|\n]*[^\s\[\]|])\]\]")
_CALLOUT = pattern(r"^((?:[^\S\n]*>)+[^\S\n]*)\[![\w-]+\][+-]?", re.MULTILINE)
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

_ANCHOR = pattern(r"\[\[[^\]\n]*\]\]|\[#[\w.-]+\]")
_CROSS_REFERENCE = pattern(r"<<(?:[^<>,\n]*,)?\s*([^<>\n]*)>>|\bxref:[^\s\[\]]*\[([^\]\n]*)\]")
_ASCIIDOC_LINK = pattern(r"(?:link:|mailto:|image::?|(?=https?://))[^\s\[\]]*\[(?:([^\],\n]*)[^\]\n]*)\]")
_ATTRIBUTES = pattern(r"^[^\S\n]*(?:\[[^\]\n]*\]|:[\w-]+:.*|\+|//.*)[^\S\n]*$", re.MULTILINE)

_RST_LITERAL = pattern(r"(``)(?!`)(.+?)(?<!`)``(?!`)|\\([!-/:-@\[-`{-~])", re.DOTALL)
_DIRECTIVE = pattern(r"^[^\S\n]*\.\.(?:[^\S\n].*(?:\n[^\S\n]+:[\w-]+:.*)*)?$", re.MULTILINE)
_ROLE = pattern(r":[\w:.+-]+:`(?:~|!)?([^`<\n]*[^`<\s])?\s*(?:<[^`\n]*>)?`")
_RST_LINK = pattern(r"`([^`<\n]+?)\s*<[^`\n]*>`_{1,2}|`([^`\n]+)`_{1,2}|\b([\w.-]*\w)_(?![\w_])")
_LITERAL_AHEAD = pattern(r":{2,}\s*$")

_ORG_LINK = pattern(r"\[\[[^\]\n]*\](?:\[([^\]\n]*)\])?\]")
_ORG_LITERAL = pattern(r"(?<![\w])([=~])(?=\S)(.+?)(?<=\S)\1(?!\w)")


def is_code(media_type: str) -> bool:
    """Whether a document is a file of code."""
    return media_type.startswith("text/x-code-")


def is_markdown(media_type: str) -> bool:
    """Whether a document's text is read as Markdown."""
    return _READERS.get(media_type) is _markdown


def as_read(text: str, media_type: str) -> str:
    """A piece of a document in one line: link texts kept, targets, tags, emphasis and list markers gone.

    ``media_type`` is the document's; ``""`` is read as Markdown. Of a file of code white space alone is touched.
    """
    if is_code(media_type):
        return _SPACE.sub(" ", text).strip()
    return _SPACE.sub(" ", _READERS.get(media_type, _unmarked)(text)).strip().translate(_BACK)


def _markdown(text: str) -> str:
    plain = _LITERAL.sub(_held, _CALLOUT.sub(r"\1", text))
    plain = _CUT_LINK.sub(r"\1", _LINK.sub(r"\1", _WIKI_LINK.sub(r"\1", plain)))
    plain = _CUT_TAG.sub("", _TAG.sub(lambda tag: "" if tag["inline"] else " ", plain))
    plain = _START.sub("", _EMPHASIS.sub("", _QUOTED.sub("", plain)))
    for entity, character in _ENTITIES.items():
        plain = plain.replace(entity, character)
    return _LITERAL_AHEAD.sub("", plain)


def _asciidoc(text: str) -> str:
    plain = _ATTRIBUTES.sub("", _LITERAL.sub(_held, text))
    plain = _CROSS_REFERENCE.sub(_first_group, _ANCHOR.sub("", plain))
    plain = _ASCIIDOC_LINK.sub(_first_group, plain)
    return _LITERAL_AHEAD.sub("", _START.sub("", _EMPHASIS.sub("", plain)))


def _rst(text: str) -> str:
    plain = _RST_LITERAL.sub(_held, _DIRECTIVE.sub("", text))
    plain = _RST_LINK.sub(_first_group, _ROLE.sub(_first_group, plain))
    return _LITERAL_AHEAD.sub(":", _START.sub("", _EMPHASIS.sub("", plain)))


def _org(text: str) -> str:
    plain = _ORG_LITERAL.sub(lambda found: found[2].translate(_SHIFT), text)
    return _START.sub("", _EMPHASIS.sub("", _ORG_LINK.sub(_first_group, plain)))


def _unmarked(text: str) -> str:
    """Formats whose text holds no markup any more, or never did: only the sign of a list item goes."""
    return _BULLET.sub("", text)


def _held(match: re.Match[str]) -> str:
    """What is meant literally, its signs put where no rule sees them."""
    code: str = match[3] or match[2].strip()
    return code.translate(_SHIFT)


def _first_group(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group), "")


_READERS: Mapping[str, Callable[[str], str]] = {
    "": _markdown,
    "text/markdown": _markdown,
    "application/x-ipynb+json": _markdown,
    "text/asciidoc": _asciidoc,
    "text/x-rst": _rst,
    "text/org": _org,
}


def without_asides(text: str, media_type: str) -> str:
    """``text`` with blanks, as many, for the lines that only steer how it is set: directives, targets, attributes."""
    lines = {"text/x-rst": _DIRECTIVE, "text/asciidoc": _ATTRIBUTES}.get(media_type)
    return text if lines is None else lines.sub(lambda found: _INK.sub(" ", found.group()), text)


def links(text: str) -> list[tuple[int, int]]:
    """Where the links of ``text`` stand: no sentence ends inside one."""
    return [match.span() for match in _LINK.finditer(text)]
