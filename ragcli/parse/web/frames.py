"""What the elements of a page call themselves: its frame (menus, banners, footers), or a part of its content. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragcli.parse.web.html_text import flat_text, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element

_FRAME_TAGS = {"nav", "footer", "aside", "form", "dialog", "menu"}
_FRAME_ROLES = {"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alert", "alertdialog"}
_FRAME_NAMES = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|sidebar|side-?bar|menu|nav|navbar|navigation|footer|breadcrumbs?|share|sharing|"
    r"social|related|recommend(?:ed|ations)?|newsletter|subscribe|comments?|advert(?:isement)?|ads?|promo|popup|modal|"
    r"widgets?|teasers?|login|signup|pagination|pager|disqus|skip-?link|toolbar|masthead)(?:$|[\s_-])",
    re.I,
)
_MEANT_ROLES = {"note", "doc-footnote", "doc-endnotes", "doc-bibliography", "doc-tip", "doc-notice", "doc-glossary"}
_MEANT_NAMES = re.compile(
    r"(?:^|[\s_-])(?:admonition|callout|caution|warning|danger|important|footnotes?|endnotes?|references|reflist|"
    r"bibliography|fn-group|ref-list)(?:$|[\s_-])",
    re.I,
)
# Sections that may be called so by what they are about.
_AMBIGUOUS = re.compile(r"(?:^|[\s_-])(?:menu|comments?)(?:$|[\s_-])", re.I)
_OF_COMMENTERS = re.compile(
    r"(?:^|[\s_-])(?:comment-?(?:list|body|author|meta|content|form|reply)|commentlist|reply|respond|avatar|gravatar)"
    r"(?:$|[\s_-])",
    re.I,
)
_CONTENT = ("main", "article")
_HEADING = re.compile(r"h[1-6]$")
_FEW_WORDS = 5
_PROSE_WORDS = 12
_MOST_LINKED = 0.3


def frame_of(element: _Element, tag: str) -> str:
    """The name under which an element is something other than content, as a reader of HTML writes it; empty if not."""
    if tag in ("body", "html", *_CONTENT):
        return ""
    role = (element.get("role") or "").lower()
    named = f"{element.get('class') or ''} {element.get('id') or ''}"
    if tag in _FRAME_TAGS or role in _FRAME_ROLES:
        return "" if _belongs(element, tag, role, named) else (f"<{tag}>" if tag in _FRAME_TAGS else f"role={role}")
    match = _FRAME_NAMES.search(named)
    if match is None or _about(element, tag, named):
        return ""
    return f"<{tag}> called {match[0].strip(' _-')}"


def is_meant(element: _Element, tag: str) -> bool:
    """Whether an element that is no frame says that it is a part of the content: cautions, notes, what one opens."""
    if (element.get("role") or "").lower() in _MEANT_ROLES or tag in ("details", "dl", "table", "pre"):
        return _in_content(element) and _linked_share(element) < _MOST_LINKED
    if tag == "aside" or _AMBIGUOUS.search(_names(element)):
        return True  # a frame unless it belongs to the content
    return bool(_MEANT_NAMES.search(_names(element))) and _in_content(element)


def _belongs(element: _Element, tag: str, role: str, named: str) -> bool:
    """Whether an element of the frame's kinds is a part of the content all the same."""
    if tag == "form":
        return any(local_name(item) in ("h1", *_CONTENT) for item in element.iterdescendants())
    if tag == "footer":
        return local_name(_parent(element)) == "blockquote" or _is_notes(element, role, named)
    if tag != "aside" and role not in ("alert", "complementary"):
        return False
    if not _in_content(element) or _FRAME_NAMES.search(named):
        return False
    return role in _MEANT_ROLES or (
        len(flat_text(element).split()) >= _FEW_WORDS and _linked_share(element) < _MOST_LINKED
    )


def _is_notes(element: _Element, role: str, named: str) -> bool:
    return role in _MEANT_ROLES or bool(re.search(r"(?:foot|end)notes?|references", named, re.I))


def _about(element: _Element, tag: str, named: str) -> bool:
    """Whether a section only has such a name because it is about a menu or about comments: it holds prose."""
    rest = _AMBIGUOUS.sub(" ", named)
    if tag not in ("section", "div") or _FRAME_NAMES.search(rest) or not _AMBIGUOUS.search(named):
        return False
    if not any(_HEADING.match(local_name(item)) for item in element.iterdescendants()):
        return False
    if any(
        local_name(item) in ("form", "textarea") or _OF_COMMENTERS.search(_names(item)) for item in element.iter("*")
    ):
        return False
    return len(flat_text(element).split()) >= _PROSE_WORDS and _linked_share(element) < _MOST_LINKED


def _names(element: _Element) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"


def _parent(element: _Element) -> _Element:
    parent = element.getparent()
    return element if parent is None else parent


def _in_content(element: _Element) -> bool:
    return any(local_name(item) in _CONTENT or item.get("role") == "main" for item in element.iterancestors())


def _linked_share(element: _Element) -> float:
    linked = sum(len(flat_text(link)) for link in element.iter("a"))
    return linked / max(1, len(flat_text(element)))
