"""Office formulas (OMML) as LaTeX, so that they can be read, searched and quoted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_SYMBOLS = {
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∞": r"\infty", "π": r"\pi", "α": r"\alpha", "β": r"\beta",
    "γ": r"\gamma", "δ": r"\delta", "ε": r"\epsilon", "θ": r"\theta", "λ": r"\lambda", "μ": r"\mu", "σ": r"\sigma",
    "φ": r"\phi", "ω": r"\omega", "Δ": r"\Delta", "Σ": r"\Sigma", "Ω": r"\Omega", "±": r"\pm", "×": r"\times",
    "÷": r"\div", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx", "√": r"\sqrt", "∂": r"\partial",
    "∇": r"\nabla", "→": r"\to", "∈": r"\in", "⋅": r"\cdot", "·": r"\cdot",
}  # fmt: skip


def formula(node: _Element) -> str:
    """The formula under an ``m:oMath`` element (or any part of one) as LaTeX."""
    return " ".join("".join(_node(child) for child in node).split())


def _node(node: _Element) -> str:
    name = str(node.tag).removeprefix(_M)
    if name == "t":
        return "".join(f"{_SYMBOLS[char]} " if char in _SYMBOLS else char for char in node.text or "")
    if name.endswith("Pr"):
        return ""
    handler = _STRUCTURES.get(name)
    return handler(node) if handler else "".join(_node(child) for child in node)


def _part(node: _Element, name: str) -> str:
    found = node.find(_M + name)
    return "".join(_node(child) for child in found).strip() if found is not None else ""


def _property(node: _Element, group: str, name: str, default: str) -> str:
    found = node.find(f"{_M}{group}/{_M}{name}")
    value = found.get(_M + "val") if found is not None else None
    return default if value is None else value


def _fraction(node: _Element) -> str:
    return rf"\frac{{{_part(node, 'num')}}}{{{_part(node, 'den')}}}"


def _scripts(node: _Element) -> str:
    sub, sup = _part(node, "sub"), _part(node, "sup")
    return _part(node, "e") + (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")


def _before(node: _Element) -> str:
    return f"{{}}_{{{_part(node, 'sub')}}}^{{{_part(node, 'sup')}}}{_part(node, 'e')}"


def _root(node: _Element) -> str:
    degree = _part(node, "deg")
    return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_part(node, 'e')}}}"


def _large(node: _Element) -> str:
    symbol = _property(node, "naryPr", "chr", "∫")
    sub, sup = _part(node, "sub"), _part(node, "sup")
    limits = (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")
    return f"{_SYMBOLS.get(symbol, symbol)}{limits} {_part(node, 'e')}"


def _delimited(node: _Element) -> str:
    opening, closing = _property(node, "dPr", "begChr", "("), _property(node, "dPr", "endChr", ")")
    inside = _property(node, "dPr", "sepChr", "|").join(
        "".join(_node(child) for child in part) for part in node.findall(_M + "e")
    )
    return rf"\left{_escaped(opening)}{inside}\right{_escaped(closing)}"


def _escaped(delimiter: str) -> str:
    return {"{": r"\{", "}": r"\}", "": "."}.get(delimiter, delimiter)


def _function(node: _Element) -> str:
    name = _part(node, "fName")
    known = {"sin", "cos", "tan", "log", "ln", "exp", "lim", "max", "min"}
    return ("\\" if name in known else "") + f"{name} {_part(node, 'e')}"


def _limit(node: _Element) -> str:
    return f"{_part(node, 'e')}_{{{_part(node, 'lim')}}}"


def _over(node: _Element) -> str:
    return rf"\overline{{{_part(node, 'e')}}}"


def _accent(node: _Element) -> str:
    return rf"\hat{{{_part(node, 'e')}}}"


def _matrix(node: _Element) -> str:
    rows = [" & ".join("".join(map(_node, cell)) for cell in row.findall(_M + "e")) for row in node.findall(_M + "mr")]
    return r"\begin{matrix}" + r" \\ ".join(rows) + r"\end{matrix}"


def _array(node: _Element) -> str:
    return r" \\ ".join("".join(_node(child) for child in part) for part in node.findall(_M + "e"))


_STRUCTURES: dict[str, Callable[[_Element], str]] = {
    "f": _fraction,
    "sSup": _scripts,
    "sSub": _scripts,
    "sSubSup": _scripts,
    "sPre": _before,
    "rad": _root,
    "nary": _large,
    "d": _delimited,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
    "bar": _over,
    "acc": _accent,
    "m": _matrix,
    "eqArr": _array,
}
