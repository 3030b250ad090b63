"""What a page says itself about how its elements look: ``style`` attributes and the style sheets inside the page.

Style sheets of other files are not fetched, so what they say is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml.etree import _Element

PROPERTIES = frozenset({
    "background", "background-clip", "background-color", "background-image", "clip", "clip-path", "color", "display",
    "font", "font-size", "height", "left", "margin-left", "margin-top", "max-height", "opacity", "overflow",
    "position", "right", "text-indent", "top", "transform", "visibility", "width",
})  # fmt: skip
"""Those that can hide a text."""

_MAY_HIDE = re.compile(
    r"display\s*:\s*none|visibility\s*:|opacity\s*:\s*\.?0|font(?:-size)?\s*:\s*\.?0|:\s*-\d{2,}|clip|transform|"
    r"(?:height|width)\s*:\s*[01]\D|(?<![\w-])color\s*:",
    re.I,
)
# A rule that sets none of the properties: most of a sheet is such, and this is much faster than reading it.
_IDLE = re.compile(
    r"(?<=\})[^{}@\"'/]*\{(?:(?!(?<![\w-])(?:" + "|".join(sorted(PROPERTIES)) + r")\s*:)[^{}\"'/])*\}", re.I
)
_SCREENS = ("", "all", "screen", "only screen")


class PageStyles:
    """The declared values of a page's elements, by the cascade of CSS: importance, specificity, order."""

    def __init__(self, root: _Element) -> None:
        self._rules: dict[_Element, dict[str, str]] = {}
        sheets = [sheet for item in root.iter("style") if (sheet := item.text) and _holds(item)]
        whole = "\n".join(sheets)
        if _MAY_HIDE.search(whole):
            self._match(root, _IDLE.sub("", whole))

    def of(self, element: _Element) -> Mapping[str, str]:
        """Property and value in small letters, of those in ``PROPERTIES``."""
        written = element.get("style")
        declared = self._rules.get(element, {})
        if not written:
            return declared
        own = list(_declarations(_parsed(written)))
        # What a sheet calls important stands over the attribute; such rules keep a mark.
        winning = {name: value for name, value in declared.items() if value.endswith("!")}
        return {**declared, **{name: value for name, value, _ in own}, **winning}

    def _match(self, root: _Element, sheet: str) -> None:
        import cssselect2

        matcher, found = cssselect2.Matcher(), False
        for selectors, declarations in _rules_of(sheet):
            for selector in selectors:
                matcher.add_selector(selector, declarations)
                found = True
        if not found:
            return
        for wrapper in cssselect2.ElementWrapper.from_html_root(root).iter_subtree():
            values: dict[str, tuple[bool, str]] = {}
            for _, _, pseudo, declarations in matcher.match(wrapper):
                for name, value, important in declarations if pseudo is None else ():
                    if important or not values.get(name, (False, ""))[0]:
                        values[name] = (important, value)
            if values:
                marked = {name: value + "!" * important for name, (important, value) in values.items()}
                self._rules[wrapper.etree_element] = marked


def plain(value: str) -> str:
    """A value without the mark of importance."""
    return value.removesuffix("!")


def _rules_of(sheet: str) -> Iterator[tuple[list[Any], list[tuple[str, str, bool]]]]:
    """The rules of a sheet that hold on a screen and set one of the properties."""
    import cssselect2
    import tinycss2

    pending = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    for rule in pending:
        if rule.type == "at-rule" and rule.content and rule.lower_at_keyword in ("media", "supports", "layer"):
            if rule.lower_at_keyword != "media" or _on_screen(tinycss2.serialize(rule.prelude)):
                yield from _rules_of(tinycss2.serialize(rule.content))
        if rule.type != "qualified-rule":
            continue
        declarations = list(_declarations(rule.content))
        if not declarations:
            continue
        try:
            yield cssselect2.compile_selector_list(rule.prelude), declarations
        except cssselect2.SelectorError:
            continue  # browsers pass over a rule whose selector they do not know, too


def _declarations(content: Any) -> Iterator[tuple[str, str, bool]]:
    import tinycss2

    for item in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if item.type == "declaration" and item.lower_name in PROPERTIES:
            yield item.lower_name, tinycss2.serialize(item.value).strip().lower(), item.important


def _parsed(style: str) -> Any:
    import tinycss2

    return tinycss2.parse_component_value_list(style, skip_comments=True)


def _holds(sheet: _Element) -> bool:
    """Whether a style element holds on a screen where scripts run."""
    return _on_screen(sheet.get("media") or "") and next(sheet.iterancestors("noscript"), None) is None


def _on_screen(media: str) -> bool:
    return media.strip().lower() in _SCREENS
