"""What of a page a reader does not see, taken out of its tree; what a script opens on a click is content and stays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragcli.parse.hidden import HiddenText
from ragcli.parse.web.html_text import DROPPED, local_name
from ragcli.parse.web.styles import PageStyles, plain

if TYPE_CHECKING:
    from lxml.etree import _Element

_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*([a-z%]*)")
_PIXELS = {"px": 1.0, "": 1.0, "pt": 1.33, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "cm": 38.0, "mm": 3.8}
_PIXELS |= {"in": 96.0, "vw": 12.0, "vh": 8.0, "%": 6.0}
_FAR = -500.0  # pixels: further left or up than what slides in
_RELATIVE = ("em", "%")
# Two colours nobody can tell apart: the largest difference of red, green and blue, of 1.
_ALIKE = 0.06
_MOST_OPAQUE = 0.05
_OPENED = re.compile(
    r"(?:^|[\s_-])(?:accordions?|collaps(?:e|ed|ible)|tab-?(?:pane|panel|content)s?|faqs?|answers?|expand(?:able|er)?|"
    r"toggle-?content|spoilers?|disclosure|aos|wow|fade-?in|reveal|elementor-invisible)(?:$|[\s_-])",
    re.I,
)
_CONTROLS = ".//button|.//summary|.//*[@aria-expanded or @onclick or @role='button' or @role='tab']"
_OLD_MARKS = frozenset(("hidden", "color", "bgcolor", "background"))
_NOT_SHOWN = "text that is not displayed"


@dataclass(frozen=True, slots=True)
class _Inherited:
    """What an element hands on to those in it. A colour is red, green, blue, opacity, of 1; None is not known."""

    ink: tuple[float, ...] | None = (0.0, 0.0, 0.0, 1.0)
    ground: tuple[float, ...] | None = (1.0, 1.0, 1.0, 1.0)
    nothing: bool = False  # size 0
    unseen: bool = False  # visibility


def drop_hidden(root: _Element, hidden: HiddenText) -> bool:
    """Take out what a reader does not see, unless ``hidden`` reads it; whether anything was taken out or opened.

    What is opened (panels of an accordion, tabs, answers under a question) loses the marks that hide it.
    """
    page = _PageWalk(root, hidden)
    waiting: list[tuple[_Element, _Inherited]] = [(root, page.first)]
    while waiting:
        element, look = waiting.pop()
        if local_name(element) in DROPPED or not isinstance(element.tag, str):
            continue
        found = page.look(element, look)
        if found is not None:
            waiting += [(child, found) for child in reversed(element)]
    return page.changed


class _PageWalk:
    """One page on the way through its elements, from above."""

    def __init__(self, root: _Element, hidden: HiddenText) -> None:
        self._styles = PageStyles(root)
        self._hidden = hidden
        self._controlled = _controlled(root)
        self.changed = False
        # Style sheets of other files may paint whatever has a class or an id.
        self._foreign = any("stylesheet" in (item.get("rel") or "").lower() for item in root.iter("link"))
        self.first = _Inherited(None, None) if self._foreign else _Inherited()

    def look(self, element: _Element, above: _Inherited) -> _Inherited | None:
        """How the element looks; None when it was taken out with all in it."""
        if self._foreign and (above.ink or above.ground) and (element.get("class") or element.get("id")):
            above = replace(above, ink=None, ground=None)
        declared = self._styles.of(element)
        if not declared and not _OLD_MARKS.intersection(element.keys()):
            if reason := _mute(above):
                self._silence(element, reason)
            return above  # most elements
        style = {name: plain(value) for name, value in declared.items()}
        own = _own_look(element, style, above)
        reason = _gone(element, style)
        vanishes = own.unseen and not above.unseen
        if (reason or vanishes) and _shown_by_script(element, self._controlled):
            self._open(element)
            own, reason = replace(own, unseen=above.unseen), ""
        if reason:
            return own if self._leave_out(element, reason) else None
        if reason := _mute(own):
            self._silence(element, reason)
        return own

    def _open(self, element: _Element) -> None:
        self.changed = True
        element.attrib.pop("hidden", None)
        element.attrib.pop("style", None)

    def _leave_out(self, element: _Element, reason: str) -> bool:
        """Take an element out of the tree; whether it is read instead."""
        size = len(" ".join("".join(map(str, element.itertext())).split()))
        if size and self._hidden.reads(reason, size):
            self._open(element)
            return True
        self.changed = True
        parent = element.getparent()
        if parent is None:
            return True
        _keep_tail(element, parent)
        parent.remove(element)
        return False

    def _silence(self, element: _Element, reason: str) -> None:
        """Take out the text of an element that its children do not hold: they may look otherwise."""
        size = sum(len(text.strip()) for text in [element.text or "", *(child.tail or "" for child in element)])
        if not size or self._hidden.reads(reason, size):
            return
        self.changed = True
        element.text = " "
        for child in element:
            child.tail = " "


def _keep_tail(element: _Element, parent: _Element) -> None:
    if not element.tail:
        return
    before = element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + element.tail
    else:
        parent.text = (parent.text or "") + element.tail


# ---------------------------------------------------------------- looks


def _gone(element: _Element, style: Mapping[str, str]) -> str:
    """Why an element is not seen with all that is in it; empty when it may be."""
    if element.get("hidden") is not None or style.get("display") == "none":
        return _NOT_SHOWN
    if _number(style.get("opacity", "1")) <= _MOST_OPAQUE:
        return "transparent text"
    off = [_pixels(style.get(side, "")) for side in ("left", "top", "right")]
    if style.get("position") in ("absolute", "fixed") and min(off) <= _FAR:
        return "text off the screen"
    pushed = min(_pixels(style.get(name, "")) for name in ("text-indent", "margin-left", "margin-top"))
    if pushed <= _FAR or _moved_away(style.get("transform", "")):
        return "text off the screen"
    if _clipped(style):
        return "text cut away"
    return ""


def _moved_away(transform: str) -> bool:
    if re.search(r"scale[xy]?\(\s*0(?:\.0+)?\s*[,)]", transform):
        return True
    # A share is one of the element itself: half of it only centres it.
    moves = [move for part in re.findall(r"translate[xy3d]*\(([^)]*)\)", transform) for move in part.split(",")]
    return any(_pixels(move.strip()) <= _FAR for move in moves if "%" not in move)


def _clipped(style: Mapping[str, str]) -> bool:
    clip = re.sub(r"[\s,]+", " ", style.get("clip", ""))
    if re.fullmatch(r"rect\( ?(?:[01](?:px)? ?){4}\)", clip):
        return True
    if re.match(r"inset\(\s*(?:50|100)%|circle\(\s*0", style.get("clip-path", "")):
        return True
    flat = any(0 <= _pixels(style.get(name, ""), 9.0) <= 1 for name in ("height", "max-height", "width"))
    return flat and style.get("overflow", "") in ("hidden", "clip")


def _mute(look: _Inherited) -> str:
    """Why the text of an element itself is not seen; empty when it may be."""
    if look.unseen:
        return _NOT_SHOWN
    if look.nothing:
        return "text of size 0"
    if look.ink is not None and look.ink[3] <= _MOST_OPAQUE:
        return "transparent text"
    if look.ink is not None and look.ground is not None:
        apart = max(abs(one - other) for one, other in zip(look.ink[:3], look.ground[:3], strict=True))
        return "text in the colour of its ground" if apart <= _ALIKE else ""
    return ""


def _own_look(element: _Element, style: Mapping[str, str], above: _Inherited) -> _Inherited:
    ink, ground = above.ink, above.ground
    if written := style.get("color") or element.get("color"):
        ink = above.ink if written in ("inherit", "currentcolor") else _colour(written)
    painted = style.get("background-color") or style.get("background") or element.get("bgcolor")
    if painted or element.get("background") or style.get("background-image", "none") != "none":
        seen = _colour(painted or "")
        if seen is None or seen[3] > _MOST_OPAQUE or "url(" in (painted or ""):
            ground = seen
    if "text" in style.get("background-clip", ""):
        ground = None
    visibility = style.get("visibility", "")
    unseen = visibility in ("hidden", "collapse") if visibility not in ("", "inherit") else above.unseen
    return _Inherited(ink, ground, _is_nothing(style, above.nothing), unseen)


def _is_nothing(style: Mapping[str, str], above: bool) -> bool:
    size = style.get("font-size") or next(
        iter(re.findall(r"(?:^|\s)(0(?:px|em|pt)?)(?:/|\s)", style.get("font", ""))), ""
    )
    match = _LENGTH.fullmatch(size)
    if not match:
        return above if not size or size in ("inherit", "larger", "smaller") else False
    return (
        float(match[1]) == 0
        or (_PIXELS.get(match[2], 1) * float(match[1]) < 1 and match[2] not in _RELATIVE)
        or (above and match[2] in _RELATIVE)
    )


def _colour(written: str) -> tuple[float, ...] | None:
    import tinycss2.color3

    for part in (written, written.split(" ")[0]):
        colour = tinycss2.color3.parse_color(part)
        if isinstance(colour, tuple):
            return tuple(colour)
    return None


def _pixels(length: str, otherwise: float = 0.0) -> float:
    match = _LENGTH.match(length)
    return float(match[1]) * _PIXELS.get(match[2], 1.0) if match else otherwise


def _number(written: str) -> float:
    match = _LENGTH.match(written)
    return (float(match[1]) / (100 if match[2] == "%" else 1)) if match else 1.0


# ---------------------------------------------------------------- what a script opens


def _controlled(root: _Element) -> frozenset[str]:
    """The ids of elements that a control of the page opens."""
    ids: list[str] = []
    for item in root.iter("*"):
        ids += (item.get("aria-controls") or "").split()
        targets = [item.get("data-target"), item.get("data-bs-target")]
        if item.get("role") in ("tab", "button") or item.get("data-toggle") or item.get("data-bs-toggle"):
            targets.append(item.get("href"))
        ids += [target[1:] for target in targets if target and target.startswith("#")]
    return frozenset(filter(None, ids))


def _shown_by_script(element: _Element, controlled: frozenset[str]) -> bool:
    """Whether a reader opens the element on the page: a tab, a panel of an accordion, an answer under its question.

    Or the page itself shows it when it is ready, as whole pages and what is cloaked.
    """
    if local_name(element) in ("html", "body") or any(str(name).endswith("-cloak") for name in element.attrib):
        return True
    if element.get("id") in controlled or element.get("role") == "tabpanel":
        return True
    if element.get("hidden") == "until-found" or element.get("data-aos") or local_name(element) == "details":
        return True
    if _OPENED.search(f"{element.get('class') or ''} {element.get('id') or ''}"):
        return True
    before = element.getprevious()
    if before is None or not isinstance(before.tag, str):
        return False
    if (
        local_name(before) in ("button", "summary")
        or before.get("for")
        or before.get("aria-expanded")
        or before.get("onclick")
    ):
        return True
    return bool(before.xpath(_CONTROLS)) or "".join(map(str, before.itertext())).rstrip().endswith(("?", "？"))
