"""Chunks that would not make sense on their own, and why: what to look at before blaming the search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ragcli.chunk.leads import header_of
from ragcli.chunk.statistics import SMALL_TOKENS
from ragcli.language.references import points_back
from ragcli.records import Chunk, Span

_ROW = re.compile(r"\s*\|.*\|\s*\Z")
_LETTERS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class ChunkDoubt:
    """One doubt about one chunk. ``rule`` is a name from ``RULES``, ``excerpt`` the words that raised it."""

    chunk_id: str
    rule: str
    excerpt: str


RULES = {
    "tiny": f"fewer than {SMALL_TOKENS} tokens: raise chunk.min_tokens",
    "orphan": "no title and no heading says where it comes from",
    "points back": "its first words refer to something before it: chunk.context or chunk.overlap helps",
    "mid-sentence": "it begins inside a sentence: chunk.max_tokens is smaller than the sentence",
    "headless table": "table rows without the header that names their columns",
    "no words": "hardly any letters: numbers, rules or a picture's remains",
    "repeated": "its text stands in another chunk word for word",
}


def lint(chunks: Iterable[Chunk]) -> Iterator[ChunkDoubt]:
    """The findings of each chunk, in the order of the chunks and of ``RULES``."""
    seen: dict[int, str] = {}
    for chunk in chunks:
        checks = {
            "tiny": _start(chunk) if chunk.token_count < SMALL_TOKENS else None,
            "orphan": _start(chunk) if not chunk.prefix else None,
            "points back": _points_back(chunk),
            "mid-sentence": _mid_sentence(chunk),
            "headless table": _headless(chunk),
            "no words": _start(chunk) if _wordless(chunk.text) else None,
            "repeated": seen.get(hash(chunk.text)),
        }
        seen.setdefault(hash(chunk.text), chunk.chunk_id)
        yield from (ChunkDoubt(chunk.chunk_id, rule, found) for rule, found in checks.items() if found)


def _start(chunk: Chunk) -> str:
    return " ".join(chunk.text[:80].split())


def _points_back(chunk: Chunk) -> str | None:
    if chunk.lead or chunk.context or chunk.ordinal == 1:
        return None
    return _start(chunk) if points_back(chunk.text) else None


def _mid_sentence(chunk: Chunk) -> str | None:
    """A lower-case start is a broken sentence, except in code, lists and tables, which often begin so."""
    if chunk.lead or chunk.ordinal == 1 or not chunk.text[:1].isalpha() or not chunk.text[:1].islower():
        return None
    first = chunk.text.split(None, 1)[0]
    return _start(chunk) if first.isalpha() and "(" not in chunk.text.split("\n", 1)[0][:60] else None


def _headless(chunk: Chunk) -> str | None:
    first = chunk.text.split("\n", 1)[0]
    if not _ROW.match(first) or "|" in chunk.lead:
        return None
    return None if header_of(chunk.text, Span(0, len(chunk.text))) else _start(chunk)


def _wordless(text: str) -> bool:
    visible = sum(not character.isspace() for character in text)
    return visible > 0 and len(_LETTERS.findall(text)) < 0.2 * visible


@dataclass(frozen=True, slots=True)
class LintReport:
    """How many chunks each rule names (rules in order, without those that name none) and the first of them."""

    counts: tuple[tuple[str, int], ...] = ()
    examples: tuple[ChunkDoubt, ...] = ()


def report(chunks: Iterable[Chunk], examples: int = 20) -> LintReport:
    """The findings of all chunks, counted, with at most ``examples`` of each rule."""
    counts = dict.fromkeys(RULES, 0)
    kept: list[ChunkDoubt] = []
    for finding in lint(chunks):
        counts[finding.rule] += 1
        if counts[finding.rule] <= examples:
            kept.append(finding)
    order = list(RULES)
    kept.sort(key=lambda finding: order.index(finding.rule))
    return LintReport(tuple((rule, count) for rule, count in counts.items() if count), tuple(kept))
