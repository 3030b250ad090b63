"""What an extractive answer can be made of: sentences, list items and table rows of the passages, each with its place.

A list item knows its lead-in and a table row its header, because neither can be understood without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ragcli.answer.suspicion import suspicious_spans
from ragcli.records import Passage, Span
from ragcli.sentences import sentence_spans

_ITEM = re.compile(r"(?:[-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])[^\S\n]+")
_FENCE = re.compile(r"```|~~~")
_BLANK = re.compile(r"(?:\s|:{2,}(?=\s))*")
_RULE = re.compile(r"^[^\S\n]*([-=^+*_.\"'#])\1{2,}[^\S\n]*$", re.MULTILINE)
_MARKUP = re.compile(
    r"\[\[[^\]\n]*\]\]|\*\*|__|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`|!?\[([^\]\n]*)\]\([^()\n]*\)|<[a-zA-Z/][^<>\n]{0,80}>"
)

CandidateKind = Literal["sentence", "item", "row"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One piece of a passage. ``span`` is in ``passage.text``; ``plain`` is its text without markup.

    ``before`` is the candidate just before it in the passage, by index in the list; ``lead`` is the span of the list's
    lead-in or the table's header row in the passage, None when there is none (or it is in the chunk's own lead).
    """

    passage: Passage
    span: Span
    kind: CandidateKind
    plain: str
    position: int
    before: int | None = None
    lead: Span | None = None
    lead_text: str = ""

    @property
    def readable(self) -> str:
        """The text with what is needed to understand it: what is scored."""
        if self.kind == "row" and self.lead_text:
            return row_as_text(self.lead_text, self.plain)
        return f"{self.lead_text} {self.plain}" if self.kind == "item" and self.lead_text else self.plain


def candidates(passages: Sequence[Passage]) -> list[Candidate]:
    """Every candidate of every passage, in order; a text that stands in two passages counts once, where it is first."""
    found: list[Candidate] = []
    seen: set[str] = set()
    for passage in passages:
        before: int | None = None
        for position, candidate in enumerate(_of_passage(passage)):
            key = candidate.plain.casefold()
            if key in seen:
                before = None
                continue
            seen.add(key)
            found.append(
                Candidate(
                    candidate.passage, candidate.span, candidate.kind, candidate.plain, position, before,
                    candidate.lead, candidate.lead_text,
                )
            )  # fmt: skip
            before = len(found) - 1
    return found


def _of_passage(passage: Passage) -> Iterator[Candidate]:
    text = passage.text
    veiled = suspicious_spans(text)
    headings = {name.casefold() for name in (passage.chunk.title, *passage.chunk.heading_path)}
    lead, lead_text = None, _chunk_lead(passage)
    header, header_text = None, _chunk_header(passage)
    previous_row = False
    for span in _without_rules(text, sentence_spans(text)):
        raw = span.of(text)
        if any(start < span.end and span.start < end for start, end in veiled):
            continue
        if raw.startswith("#") or _FENCE.match(raw):
            lead, lead_text = None, ""
            continue
        if raw.startswith("|"):
            if is_row_rule(raw):
                continue
            if not previous_row and not header_text:
                header, header_text, previous_row = span, raw, True
                continue
            yield Candidate(passage, span, "row", raw, 0, None, header, header_text)
            previous_row = True
            continue
        if previous_row:
            header, header_text, previous_row = None, "", False
        plain = strip_markup(raw)
        if len(plain) < 3 or not any(map(str.isalpha, plain)) or plain.casefold() in headings or _is_shouted(plain):
            continue
        if _ITEM.match(raw):
            yield Candidate(passage, span, "item", plain, 0, None, lead, lead_text)
            continue
        yield Candidate(passage, span, "sentence", plain, 0)
        opens = plain.endswith((":", "："))
        lead, lead_text = (span, plain) if opens else (None, "")


def _without_rules(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """The spans cut at lines that only draw (``-----``): they end a block or, under a line as long, make it a title."""
    for span in spans:
        start = span.start
        for rule in _RULE.finditer(text, span.start, span.end):
            end = start + len(text[start : rule.start()].rstrip())
            last = text.rfind("\n", start, end) + 1 or start
            if abs((end - last) - len(rule.group().strip())) <= 2:
                end = start + len(text[start:last].rstrip())
            yield from _trimmed(text, start, end)
            start = rule.end()
        yield from _trimmed(text, start, span.end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    match = _BLANK.match(text, start, end)
    start = match.end() if match else start
    if start < end:
        yield Span(start, end)


def _is_shouted(plain: str) -> bool:
    """A heading of plain text: a short line in capitals."""
    return plain.isupper() and len(plain.split()) <= 12 and plain[-1:] not in ".!?:;"


def _chunk_lead(passage: Passage) -> str:
    lead = passage.chunk.lead.strip()
    return "" if lead.startswith("|") else strip_markup(lead)


def _chunk_header(passage: Passage) -> str:
    """The header row of a table whose beginning is in another chunk."""
    rows = [line for line in passage.chunk.lead.splitlines() if line.strip().startswith("|")]
    return rows[0].strip() if rows else ""


def strip_markup(text: str) -> str:
    """Text as it is read: link texts kept, targets, emphasis, list markers and line breaks gone."""
    plain = _MARKUP.sub(lambda match: match.group(1) or "", text)
    plain = re.sub(r"^[>\s]+", "", plain)
    plain = re.sub(r"^(?:[-*+•‣◦▪–])\s+", "", plain)
    plain = re.sub(r":{2,}\s*$", "", plain)
    return re.sub(r"\s+", " ", plain).strip()


def is_row_rule(row: str) -> bool:
    """Whether a table row is the line under the header: ``|---|:--|``."""
    return "--" in row and not row.strip("|-: \t\n")


def cells(row: str) -> list[str]:
    """The cells of a Markdown table row, without markup."""
    return [strip_markup(cell) for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def row_as_text(header: str, row: str) -> str:
    """``Plan: Basic, Price: 10 €`` from a header row and a row; the row's cells alone when the counts differ."""
    names, values = cells(header), cells(row)
    if len(names) != len(values):
        return ", ".join(value for value in values if value)
    return ", ".join(f"{name}: {value}" if name else value for name, value in zip(names, values, strict=True) if value)
