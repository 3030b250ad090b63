"""Where the headings of plain text, reStructuredText, AsciiDoc, org and LaTeX are, and what is no markup in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from ragcli.parse.text.asciidoc import Heading, asciidoc_headings, asciidoc_literals, with_descriptions
from ragcli.parse.text.restructured import rst_literals
from ragcli.records import Block, Span

_UNDERLINED = re.compile(
    r"^(?:(?P<over>([^\w\s])\2{2,})[ \t]*\n)?(?P<title>[^\s\n][^\n]*|[ \t]+[^\s\n][^\n]*)\n"
    r"(?P<under>([^\w\s])\5{2,})[ \t]*$",
    re.M,
)
_ROLE = re.compile(r":[\w:+.-]+:`(?:!|~)?([^`<]+?)(?:\s*<[^>]*>)?`")
_RST_MARKS = re.compile(r"\*\*(.+?)\*\*|\*(.+?)\*|``(.+?)``|`([^`<]+?)(?:\s*<[^>]*>)?`_{0,2}")


def _rst(text: str) -> Iterator[Heading]:
    styles: list[tuple[bool, str]] = []
    for match in _UNDERLINED.finditer(text):
        title, under, over = match["title"].strip(), match["under"], match["over"]
        if not _is_rst_title(text, match, title, under, over):
            continue
        style = (bool(over), under[0])
        if style not in styles:
            styles.append(style)
        title = _RST_MARKS.sub(lambda mark: next(part for part in mark.groups() if part), _ROLE.sub(r"\1", title))
        yield Heading(Span(match.start(), match.end()), " ".join(title.split()), min(6, styles.index(style) + 1))


def _is_rst_title(text: str, match: re.Match[str], title: str, under: str, over: str | None) -> bool:
    if over and over[0] != under[0]:
        return False
    preceded = not over and match.start() > 0 and text[match.start() - 2 : match.start()].strip("\n") != ""
    wide = sum(2 if ord(char) > 0x1100 else 1 for char in title)
    long_enough = len(under) >= min(wide, len(title) + 1) - 1 and not re.fullmatch(r"[^\w\s]+", title)
    return (
        long_enough and not preceded and "\n" not in title and not match["title"].startswith((".. ", "| ", "+-", "$ "))
    )


def _plain_text(text: str) -> Iterator[Heading]:
    """Underlined titles (``===``, ``---``) and Markdown-like ``#`` lines."""
    sharp = {match.start(): match for match in re.finditer(r"^(#{1,6})[ \t]+(\S[^\n]*?)[ \t#]*$", text, re.M)}
    under = {item.span.start: item for item in _rst(text)}
    end = 0
    for start in sorted({*sharp, *under}):
        if start < end:
            continue
        if start in sharp:
            match = sharp[start]
            found = Heading(Span(start, match.end()), match[2], len(match[1]))
        else:
            found = under[start]
        end = found.span.end
        yield found


def _by_line(pattern: str, title_group: int, level_of: Callable[[str], int]) -> Callable[[str], Iterator[Heading]]:
    compiled = re.compile(pattern, re.M)

    def find(text: str) -> Iterator[Heading]:
        for match in compiled.finditer(text):
            title = " ".join(match[title_group].split())
            if title:
                yield Heading(Span(match.start(), match.end()), title, max(1, min(6, level_of(match[1]))))

    return find


_LATEX_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "title": 1}


def _latex(text: str) -> Iterator[Heading]:
    pattern = re.compile(
        r"\\(part|chapter|section|subsection|subsubsection|paragraph|title)\*?(?:\[[^\]]*\])?\{((?:[^{}]|\{[^{}]*\})*)\}"
    )
    for match in pattern.finditer(text):
        title = re.sub(r"\\[A-Za-z]+\*?\s*|[{}~$]", " ", match[2])
        if title.strip():
            yield Heading(Span(match.start(), match.end()), " ".join(title.split()), _LATEX_LEVELS[match[1]])


HEADINGS: Mapping[str, Callable[[str], Iterator[Heading]]] = {
    "text/plain": _plain_text,
    "text/x-rst": _rst,
    "text/asciidoc": asciidoc_headings,
    # A title ends on a letter, or the tail would be tried at every blank of a long run.
    "text/org": _by_line(
        r"^(\*{1,8})[ \t]+(?:(?:TODO|DONE)[ \t]+)?(\S(?:[^\n]*?\S)?)(?:[ \t]+:[\w:@]+:)?[ \t]*$", 2, len
    ),
    "text/x-tex": _latex,
}


def _between(opening: str, closing: str) -> Callable[[str], Iterator[Span]]:
    """Stretches from a line that fits ``opening`` to the next that fits ``closing`` (``\\1``: what was opened)."""
    compiled = re.compile(rf"^[ \t]*{opening}[^\n]*\n(?:[^\n]*\n)*?[ \t]*{closing}[ \t]*$", re.M | re.I)
    return lambda text: (Span(match.start(), match.end()) for match in compiled.finditer(text))


LITERALS: Mapping[str, Callable[[str], Iterator[Span]]] = {
    "text/plain": _between(r"(```|~~~)", r"\1"),
    "text/asciidoc": asciidoc_literals,
    "text/x-rst": rst_literals,
    "text/org": _between(r"#\+begin_(src|example|export|comment)\b", r"#\+end_\1"),
    "text/x-tex": _between(r"\\begin\{(verbatim\*?|lstlisting|minted|comment)\}", r"\\end\{\1\}"),
}
"""Media type to the blocks whose lines are not read as markup, in order."""

DESCRIPTIONS: Mapping[str, Callable[[str, Sequence[Block]], Iterator[Block]]] = {"text/asciidoc": with_descriptions}
"""Media type to what makes a term and its description one block."""
