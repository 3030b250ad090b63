"""Where the headings and the verbatim blocks of AsciiDoc are, and whether a text is AsciiDoc at all.

The rules are those of the AsciiDoc user guide: a title is one line with leading ``=``, or a line over a row of one
of ``= - ~ ^ +`` that is as long as it, give or take two. A row that opens a block is not the underline of one.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.records import Block, Span

_UNDERLINES = "=-~^+"
_SLACK = 2
_ROW = re.compile(r"([=\-~^+./*_])\1{2,}[ \t]*$")
_VERBATIM = "-.+/"
_COMPOUND = "=*_"
_ROW_STARTS = {char * 3 for char in "=-~^+./*_`"}
_FENCE = re.compile(r"```+")
_ONE_LINE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*$")
_NO_TITLE = re.compile(r"[\[.|:+/\s]|[*-]+[ \t]|\S*::|(?:ifdef|ifndef|ifeval|endif|include)::")
# Lines after which a new block may start without an empty line between.
_OPENING = re.compile(r"\[.*\]$|\.\S|:[\w!-]+:|//|(?:ifdef|ifndef|ifeval|endif|include)::|\+$")
_ANCHOR = re.compile(r"\[\[[^\]]*\]\]|^\[#[^\]]*\]|\{#[^}]*\}")
_MARKS = (
    (re.compile(r"\blinkgit:([\w.-]+)\[(\d+)\]"), r"\1(\2)"),
    (re.compile(r"<<[^,>]+,\s*([^>]+)>>"), r"\1"),
    (re.compile(r"(?:link:|https?://)\S+?\[([^\]]+)\]"), r"\1"),
    (re.compile(r"``(.+?)''"), r'"\1"'),
    (re.compile(r"(?<!\w)([*`+])(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"(?<!\w)(['_])(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
)
_EVIDENCE = tuple(
    re.compile(pattern, re.M)
    for pattern in (
        r"^(?:ifdef|ifndef|ifeval|include)::\S*\[.*\][ \t]*$",
        r"^\[(?:\[[\w-]+\]|verse|horizontal|listing|NOTE|TIP|WARNING|source\b[^\]\n]*|quote\b[^\]\n]*)\][ \t]*$",
        r"\blinkgit:[\w.-]+\[\d\]|\b(?:link|image|xref|footnote):[^\s\[]*\[[^\]\n]+\]|<<[\w-]+(?:,[^>\n]+)?>>",
        r"^\S[^\n]*[^\s:]::\n(?:[ \t]+\S|\S)",
        r"^={2,5} \w[^\n]*$",
        r"^\S[^\n]*\n\+\n\S",
        r"^:[a-z][\w-]*!?:(?: [^\n]*)?$",
    )
)
_TERM_ENDS = ("::", ";;")
_STATED = re.compile(r"^Content-type:[ \t]*text/asciidoc[ \t]*$", re.M | re.I)
_TELLING = 4  # of _EVIDENCE: these are enough alone
_DIRECTIVE = re.compile(r"^\.\. [\w:-]+::", re.M)


def looks_like_asciidoc(text: str) -> bool:
    """Whether marks that only AsciiDoc has are in ``text``: two kinds of them, or one telling kind again and again."""
    if _DIRECTIVE.search(text):
        return False
    counts = [sum(1 for _ in itertools.islice(pattern.finditer(text), 3)) for pattern in _EVIDENCE]
    return sum(map(bool, counts)) >= 2 or max(counts[:_TELLING]) >= 3 or bool(_STATED.search(text))


def asciidoc_headings(text: str) -> Iterator[Heading]:
    """The titles outside of blocks, in order; level 1 is ``=``."""
    return (found for found in _scan(text) if isinstance(found, Heading))


def asciidoc_literals(text: str) -> Iterator[Span]:
    """Blocks whose lines are not read as markup (listing, literal, pass, comment, fence), delimiters included."""
    return (found for found in _scan(text) if isinstance(found, Span))


def with_descriptions(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, a paragraph that ends with a term (``term::``) made one with the paragraph that describes it.

    The processor takes an indented paragraph after a term for its description too, whatever it looks like.
    """
    term: Block | None = None
    for block in blocks:
        if term is not None:
            between = text[term.span.end : block.span.start]
            if block.kind in ("paragraph", "code") and not between.strip():
                block = Block("paragraph", Span(term.span.start, block.span.end))
            else:
                yield term
        term = (
            block if block.kind == "paragraph" and text.endswith(_TERM_ENDS, block.span.start, block.span.end) else None
        )
        if term is None:
            yield block
    if term is not None:
        yield term


@dataclass(slots=True)
class _TextLines:
    """The lines of a text, where each starts, where each kind of row stands, and which rows end an open block."""

    lines: list[str]
    starts: list[int]
    rows: dict[str, list[int]]
    closing: set[int]

    def span(self, first: int, last: int) -> Span:
        """From the start of one line to the end of another."""
        return Span(self.starts[first], self.starts[last] + len(self.lines[last]))

    def next_row(self, row: str, after: int) -> int | None:
        """The next line that is ``row``."""
        places = self.rows.get(row, [])
        found = bisect.bisect_right(places, after)
        return places[found] if found < len(places) else None


def _lines(text: str) -> _TextLines:
    lines = text.split("\n")
    rows: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if line[:3] in _ROW_STARTS:
            rows.setdefault(line.rstrip(), []).append(number)
    return _TextLines(lines, [0, *itertools.accumulate(len(line) + 1 for line in lines)], rows, set())


def _scan(text: str) -> Iterator[Heading | Span]:
    page = _lines(text)
    lines = page.lines
    number, fresh = 0, True  # fresh: a block may start here
    while number < len(lines):
        line = lines[number]
        last = number
        found: Heading | Span | None = None
        if number in page.closing or not line.strip():
            fresh = True
        elif fresh and (heading := _title(page, number)) is not None:
            last, found = heading
        elif (end := _closing(page, number)) is not None:
            fresh = True
            if line[0] in _COMPOUND:
                page.closing.add(end)
            else:
                last, found = end, page.span(number, end)
        else:
            fresh = bool(_OPENING.match(line))
        if found is not None:
            yield found
        number = last + 1


def _title(page: _TextLines, number: int) -> tuple[int, Heading] | None:
    """The title that starts on a line, with the line it ends on."""
    line = page.lines[number]
    if (match := _ONE_LINE.match(line)) is not None:
        return number, Heading(page.span(number, number), _plain(match[2]), len(match[1]))
    if number + 1 >= len(page.lines) or number + 1 in page.closing or _NO_TITLE.match(line):
        return None
    under = page.lines[number + 1].rstrip()
    wide = sum(2 if ord(char) > 0x1100 else 1 for char in line.rstrip())
    if not _ROW.match(under) or under[0] not in _UNDERLINES or not re.search(r"\w", line):
        return None
    if min(abs(len(under) - wide), abs(len(under) - len(line.rstrip()))) > _SLACK:
        return None
    return number + 1, Heading(page.span(number, number + 1), _plain(line), _UNDERLINES.index(under[0]) + 1)


def _closing(page: _TextLines, number: int) -> int | None:
    """The line that closes the block which a line opens, None when it opens none or nothing closes it."""
    row = page.lines[number].rstrip()
    if _FENCE.match(row):
        return page.next_row("```", number)
    if len(row) < 4 or not _ROW.match(row) or row[0] not in _VERBATIM + _COMPOUND:
        return None
    # One processor wants both rows equally long, the other takes any row: an equal one, else one that nearly is.
    lengths = sorted(range(max(4, len(row) - _SLACK), len(row) + _SLACK + 1), key=lambda size: abs(size - len(row)))
    return next((end for size in lengths if (end := page.next_row(row[0] * size, number)) is not None), None)


def _plain(title: str) -> str:
    """A title's words without anchors and inline marks."""
    title = _ANCHOR.sub("", title)
    for pattern, replacement in _MARKS:
        title = pattern.sub(replacement, title)
    return " ".join(title.split())


# A heading found in a text.


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading's span, marks included, its clean title and its level from 1."""

    span: Span
    title: str
    level: int
