"""What an extractive answer can be made of: sentences, list items and table rows of the passages, each with its place.

A list item knows its lead-in and a table row its header, because neither can be understood without.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ragcli.answer.check.suspicion import suspicious_spans
from ragcli.answer.extract.plain import as_read, is_code, is_markdown, links, without_asides
from ragcli.language.lexicon import any_of
from ragcli.language.patterns import pattern
from ragcli.language.sentences import sentence_spans
from ragcli.records import Passage, Span

_ITEM = pattern(r"(?:[-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])[^\S\n]+")
_FENCE = pattern(r"(?:```|~~~)[^\n]*\n?")
_FENCE_LINE = pattern(r"^[^\S\n]*(?:```|~~~)", re.MULTILINE)
_COMMAND = pattern(r"(?:\$|>>>|PS>|C:\\>)\s+\S")
_CODE_CHARACTERS = 300
_MAILS = ("message/rfc822", "application/mbox", "application/vnd.ms-outlook")
_BY_INDENT = "text/x-rst"
_BLANK = pattern(r"(?:\s|:{2,}(?=\s))*")
_RULE = pattern(r"^[^\S\n]*([-=^+*_.\"'#])\1{2,}[^\S\n]*$", re.MULTILINE)
_HEADING = pattern(r"#{1,6}\s")
_TAGS = pattern(r"(?:#[\w/-]+\s*)+")
_CALLOUT = pattern(r"^[^\S\n]*(?:>[^\S\n]*)+\[![\w-]+\][+-]?([^\n]*)$", re.MULTILINE)
_KEY = r"[^\W\d_][\w .-]{0,40}[:=](?=\s)[^\n]*(?:\n(?:[^\S\n]+\S|- )[^\n]*)*"
_FACT = pattern(rf"^{_KEY}$", re.MULTILINE)
_FACTS = pattern(rf"(?:{_KEY}(?:\n|\Z)|\n)*(?=\n|\Z)")
_ASKS = pattern(lambda: rf"{any_of('question_labels')}\s*\d{{0,3}}\s*[:.)]\s*", re.IGNORECASE)
_ANSWERS = pattern(lambda: rf"{any_of('answer_labels')}\s*[:.)]\s+", re.IGNORECASE)
_ASKING = ("?", "？")

CandidateKind = Literal["sentence", "item", "row", "code"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One piece of a passage. ``span`` is in ``passage.text``; ``plain`` is its text without markup.

    ``before`` is the candidate just before it in the passage, by index in the list; ``lead`` is the span of the list's
    lead-in or the table's header row in the passage, None when there is none (or it is in the chunk's own lead).
    ``topic`` is the question it stands under in a list of questions and answers, ``""`` elsewhere: it is scored with
    it and not shown, since whoever asks knows the question.
    """

    passage: Passage
    span: Span
    kind: CandidateKind
    plain: str
    position: int
    before: int | None = None
    lead: Span | None = None
    lead_text: str = ""
    topic: str = ""

    @property
    def readable(self) -> str:
        """The text with what is needed to understand it: what is scored."""
        if self.kind == "row" and self.lead_text:
            return row_as_text(self.lead_text, self.plain, self.passage.media_type)
        above = (self.topic, self.lead_text if self.kind in ("item", "code") else "", self.plain)
        return " ".join(part for part in above if part)


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
            found.append(dataclasses.replace(candidate, position=position, before=before))
            before = len(found) - 1
    return found


def _of_passage(passage: Passage) -> Iterator[Candidate]:
    reader = _PassageReader(passage)
    text = passage.text
    veiled = suspicious_spans(text)
    spans = sentence_spans(without_asides(text, passage.media_type))
    if is_markdown(passage.media_type) or passage.media_type in _MAILS:
        spans = _cut(spans, text, [*_keys(passage), *(match.span() for match in _CALLOUT.finditer(text))])
    for span in _without_rules(text, _joined(spans, links(text))):
        if any(start < span.end and span.start < end for start, end in veiled):
            continue
        candidate = reader.read(span)
        if candidate is not None:
            yield candidate


class _PassageReader:
    """Reads the pieces of one passage in order and knows what each stands under: lead-in, table header, question."""

    def __init__(self, passage: Passage) -> None:
        self._passage = passage
        self._markdown, self._is_code = is_markdown(passage.media_type), is_code(passage.media_type)
        self._headings = {name.casefold() for name in (passage.chunk.title, *passage.chunk.heading_path)}
        self._lead: Span | None = None
        self._lead_text = _chunk_lead(passage)
        self._header: Span | None = None
        self._header_text = _chunk_header(passage)
        self._in_table = False
        self._topic = _chunk_topic(passage)
        self._heading = ""
        self._outer: str | None = None  # what the text around a quotation stands under, within one
        self._fenced = False
        self._fences_pair = len(_FENCE_LINE.findall(passage.text)) % 2 == 0

    def read(self, span: Span) -> Candidate | None:
        """The candidate the piece makes; None for what only says where the next ones stand."""
        raw = span.of(self._passage.text)
        fence = _FENCE.match(raw)
        if fence and not self._fences_pair:  # cut within code: which side of a fence is code cannot be told
            return None
        if fence:
            self._fenced = not self._fenced
            span, raw = Span(span.start + fence.end(), span.end), raw[fence.end() :]
        if self._fenced or _COMMAND.match(raw) or self._is_set_in(span, raw):
            return self._code(span, raw)
        if self._markdown and self._is_above(span, raw):
            return None
        if raw.startswith("|") and not self._is_code:
            return self._row(span, raw)
        if self._in_table:
            self._header, self._header_text, self._in_table = None, "", False
        return self._sentence(span, raw)

    def _is_above(self, span: Span, raw: str) -> bool:
        """Whether the piece is a heading, a callout's title or tags, of which the first two head what follows.

        What a quotation is headed with or asks ends with it.
        """
        if callout := _CALLOUT.fullmatch(raw):
            title = self._plain(callout[1])
            self._quote_under(_asked(title) or title)
            return True
        if self._outer is not None and not _is_quoted(span, self._passage.text):
            self._topic, self._outer = self._outer, None
        if _HEADING.match(raw):
            self._heading, self._outer = self._plain(raw.lstrip("# ")), None
            self._topic, self._lead, self._lead_text = _asked(self._heading), None, ""
            return True
        return _TAGS.fullmatch(raw) is not None

    def _quote_under(self, topic: str) -> None:
        """Begin a quotation that stands under ``topic``, or under what it stands in."""
        self._outer = self._topic if self._outer is None else self._outer
        self._topic = topic or self._outer

    def _plain(self, raw: str) -> str:
        return as_read(raw, self._passage.media_type)

    def _is_set_in(self, span: Span, raw: str) -> bool:
        """Whether the piece stands indented under a lead-in, in the format in which that makes it code."""
        if self._passage.media_type != _BY_INDENT or not self._lead_text or _ITEM.match(raw):
            return False
        text = self._passage.text
        before = text[text.rfind("\n", 0, span.start) + 1 : span.start]
        return len(before) >= 3 and not before.strip(" ")

    def _code(self, span: Span, raw: str) -> Candidate | None:
        """Code says something only under a sentence that leads to it, or under a heading."""
        topic = self._topic or ("" if self._lead_text else self._heading)
        if not (self._lead_text or topic) or not raw.strip() or len(raw) > _CODE_CHARACTERS:
            return None
        plain = re.sub(r"\s+", " ", raw).strip()
        return Candidate(self._passage, span, "code", plain, 0, None, self._lead, self._lead_text, topic)

    def _row(self, span: Span, raw: str) -> Candidate | None:
        if is_row_rule(raw):
            return None
        if not self._in_table and not self._header_text:
            self._header, self._header_text, self._in_table = span, raw, True
            return None
        self._in_table = True
        return Candidate(self._passage, span, "row", raw, 0, None, self._header, self._header_text)

    def _sentence(self, span: Span, raw: str) -> Candidate | None:
        plain = self._plain(raw)
        is_heading = plain.casefold() in self._headings or _is_shouted(plain)
        if _stands_alone(span, self._passage.text) and (topic := _asked(plain)):
            if _is_quoted(span, self._passage.text):
                self._quote_under(topic)
            else:
                self._topic = topic
        elif self._topic:
            plain = _ANSWERS.sub("", plain, count=1)
        if len(plain) < 3 or not any(map(str.isalpha, plain)) or is_heading:
            return None
        topic = "" if plain.endswith(_ASKING) else self._topic
        if _ITEM.match(raw):
            return Candidate(self._passage, span, "item", plain, 0, None, self._lead, self._lead_text, topic)
        opens = plain.endswith((":", "："))
        self._lead, self._lead_text = (span, plain) if opens else (None, "")
        return Candidate(self._passage, span, "sentence", plain, 0, topic=topic)


def _asked(plain: str) -> str:
    """The question without its mark (``Q:``), when this is one; ``""`` when not."""
    return _ASKS.sub("", plain, count=1) if plain.endswith(_ASKING) else ""


def _stands_alone(span: Span, text: str) -> bool:
    """Whether nothing but signs stands on the lines of a piece beside it: a question that heads what follows."""
    before = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    end = text.find("\n", span.end)
    after = text[span.end : end if end >= 0 else None]
    return not any(map(str.isalnum, before)) and (
        not any(map(str.isalnum, after)) or _ASKS.match(span.of(text)) is not None
    )


def _is_quoted(span: Span, text: str) -> bool:
    """Whether a piece begins on a line that is marked as quoted."""
    return text[text.rfind("\n", 0, span.start) + 1 : span.end].lstrip().startswith(">")


def _chunk_topic(passage: Passage) -> str:
    """The question among the headings a chunk stands under, the nearest first."""
    above = (passage.chunk.title, *passage.chunk.heading_path, _chunk_lead(passage))
    return next((asked for name in reversed(above) if (asked := _asked(name.strip().rstrip(":")))), "")


def _joined(spans: Sequence[Span], whole: Sequence[tuple[int, int]]) -> list[Span]:
    """The spans, two made one where the cut between them lies inside a piece that must stay whole."""
    joined: list[Span] = []
    for span in spans:
        if joined and any(start < joined[-1].end < end and start < span.start < end for start, end in whole):
            span = Span(joined.pop().start, span.end)
        joined.append(span)
    return joined


def _keys(passage: Passage) -> Iterator[tuple[int, int]]:
    """The lines of a mail's header or of the facts of front matter at the head: each says something by itself."""
    end = _FACTS.match(passage.text)
    if passage.span.start == 0 and end is not None:
        yield from (match.span() for match in _FACT.finditer(passage.text, 0, end.end()))


def _cut(spans: Sequence[Span], text: str, lines: Sequence[tuple[int, int]]) -> list[Span]:
    """The spans with each of the lines one of its own: what opens a callout (``> [!tip] Title``) heads the rest."""
    edges = sorted({edge for line in lines for edge in line})
    pieces: list[Span] = []
    for span in spans:
        inside = [edge for edge in edges if span.start < edge < span.end]
        for start, end in pairwise([span.start, *inside, span.end]):
            pieces += _trimmed(text, start, end)
    return pieces


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
    return "" if lead.startswith("|") else as_read(lead, passage.media_type)


def _chunk_header(passage: Passage) -> str:
    """The header row of a table whose beginning is in another chunk."""
    rows = [line for line in passage.chunk.lead.splitlines() if line.strip().startswith("|")]
    return rows[0].strip() if rows else ""


def is_row_rule(row: str) -> bool:
    """Whether a table row is the line under the header: ``|---|:--|``."""
    return "--" in row and not row.strip("|-: \t\n")


def cells(row: str, media_type: str) -> list[str]:
    """The cells of a table row as they are read; ``\\|`` is a bar inside one."""
    parts = re.split(r"(?<!\\)\|", row.strip().strip("|"))
    return [as_read(part.replace("\\|", "|"), media_type) for part in parts]


def row_as_text(header: str, row: str, media_type: str) -> str:
    """``Plan: Basic, Price: 10 €`` from a header row and a row; the row's cells alone when the counts differ."""
    names, values = cells(header, media_type), cells(row, media_type)
    if len(names) != len(values):
        return ", ".join(value for value in values if value)
    return ", ".join(f"{name}: {value}" if name else value for name, value in zip(names, values, strict=True) if value)
