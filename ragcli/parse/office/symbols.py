"""Characters of the fonts that draw signs where others have letters (Symbol, Wingdings, Webdings), as Unicode.

Symbol is mapped whole (Adobe's encoding); of the others the signs that carry meaning in documents: boxes, ticks,
crosses, bullets, arrows, hands, numbers in circles, telephones and letters.
"""

from __future__ import annotations

_SYMBOL_20 = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_SYMBOL_A0 = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
_SYMBOL = {0x20 + place: char for place, char in enumerate(_SYMBOL_20)}
_SYMBOL |= {0xA0 + place: char for place, char in enumerate(_SYMBOL_A0) if char != "\0"}


def _table(*runs: tuple[int, str]) -> dict[int, str]:
    return {start + place: char for start, chars in runs for place, char in enumerate(chars)}


_FONTS = {
    "symbol": _SYMBOL,
    "wingdings": _table(
        (0x20, " "),
        (0x22, "✂"),
        (0x28, "☎✆✉"),
        (0x36, "⌛⌨"),
        (0x3F, "✍"),
        (0x41, "✌"),
        (0x45, "☜☞☝☟"),
        (0x4A, "☺😐☹💣☠"),
        (0x51, "✈☼💧❄"),
        (0x58, "✠✡☪☯"),
        (0x6C, "●○■☐☐☐☐◆◆◆❖◆☒"),
        (0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"),
        (0x9E, "·•"),
        (0xA1, "○"),
        (0xA4, "◉"),
        (0xA7, "▪☐"),
        (0xAB, "★"),
        (0xD8, "➢"),
        (0xDF, "←→↑↓↖↗↙↘←→↑↓↖↗↙↘⇦⇨⇧⇩⬄⇳"),
        (0xFB, "✗✔☒☑"),
    ),
    "wingdings 2": _table((0x4F, "✗✓☒☑☒☒"), (0x96, "•"), (0x97, "●"), (0xA0, "▪"), (0xA2, "■☐")),
    "webdings": _table((0x61, "✔"), (0x63, "☐"), (0x67, "■"), (0x6E, "●"), (0x72, "✗")),
}
_UNMAPPED = ("wingdings", "webdings", "mt extra", "zapf dingbats", "zapfdingbats", "monotype sorts", "marlett")
_PRIVATE = range(0xF000, 0xF100)


def is_symbol_font(font: str) -> bool:
    """Whether a font draws signs that are mapped here."""
    return font.casefold() in _FONTS


def symbol(font: str, code: int) -> str:
    """The character that a font draws for a code (also in the private area, ``F0…``); empty when it is not known."""
    code = code - _PRIVATE.start if code in _PRIVATE else code
    table = _FONTS.get(font.casefold())
    if table is not None:
        return table.get(code, "")
    plain = 0x20 <= code < 0xD800 and code not in range(0x7F, 0xA0) and not font.casefold().startswith(_UNMAPPED)
    return chr(code) if plain else ""


def unmasked(text: str, font: str) -> str:
    """Text of such a font with its characters in the private area made what they look like; unknown ones stay."""
    if not is_symbol_font(font) or not any(ord(char) in _PRIVATE for char in text):
        return text
    return "".join(symbol(font, ord(char)) or char if ord(char) in _PRIVATE else char for char in text)
