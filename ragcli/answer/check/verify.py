"""Checks a completion against the passages that were sent: ids, quotes, facts. Pure; the same for every provider.

Nothing a generator says about its sources is believed: an id that was not sent is listed as invalid, a quote counts
only where it stands, and a sentence whose numbers, dates, names or codes are not in its passages is unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ragcli.answer.check.citing import Checked, Quoted, marked, numbered
from ragcli.answer.check.conflicts import conflicts
from ragcli.answer.check.support import SupportVerdict, check, nearest_window
from ragcli.answer.extract.candidates import row_as_text
from ragcli.answer.extract.plain import as_read
from ragcli.language.patterns import pattern
from ragcli.language.sentences import sentence_spans
from ragcli.quotes import Normalised, locate, locate_loosely, normalise
from ragcli.records import (
    NO_DIFFERENCES,
    Answer,
    Citation,
    Claim,
    Completion,
    Passage,
    Sentence,
    SentenceStatus,
    Span,
    Underlying,
)


def verify(
    completion: Completion, passages: Sequence[Passage], *, question: str, standalone_question: str | None = None
) -> Answer:
    """The completion with every sentence judged and every citation looked up.

    A sentence is ``supported`` when it stands word for word in a passage it cites and leaves nothing out of what stands
    there, ``paraphrase`` when the cited passages may carry it in other words (the words that differ are given),
    ``misattributed`` when its quote stands in another passage, ``uncited`` without a citation, else ``unsupported``.
    The answer is withheld only when nothing in it holds: a sentence beside a true quote is marked and shown, unless a
    figure, date or code of it stands nowhere. An id that was not sent is listed and does not harm a right one.
    """
    verifier = Verifier(passages)
    for claim in completion.claims if completion.found else ():
        verifier.add(claim)
    return verifier.answer(completion, question=question, standalone_question=standalone_question or question)


class Verifier:
    """Checks claims one by one, as they are written; ``verify`` is the same over a whole completion."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = tuple(passages)
        self._desk = _Desk(self._passages)
        self._claims: set[Claim] = set()
        self._checked: list[Checked] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._citations: list[Citation] = []
        self._sentences: list[Sentence] = []

    def add(self, claim: Claim) -> tuple[Sentence, tuple[Citation, ...]] | None:
        """The claim as a checked sentence, and the citations printed for the first time.

        None for an empty claim and for one that was added before: models that find no end say the same again and again.
        """
        if not claim.text.strip() or claim in self._claims:
            return None
        self._claims.add(claim)
        checked, known = self._desk.check(claim), len(self._citations)
        sentence = numbered(checked, self._numbers, self._citations)
        self._checked.append(checked)
        self._sentences.append(sentence)
        return sentence, tuple(self._citations[known:])

    @property
    def carries(self) -> bool:
        """Whether something of what was added holds, so that the answer will not be withheld."""
        return any(item.carried for item in self._checked)

    def answer(self, completion: Completion, *, question: str, standalone_question: str) -> Answer:
        """The answer made of what was added."""
        checked, citations = self._checked, self._citations
        withheld = bool(checked) and not self.carries
        found = bool(checked) and not withheld
        reason = None if found else "all_unsupported" if withheld else completion.not_found_reason or "model_declined"
        notices = [f"{item.text!r}: {item.reason}" for item in checked if item.reason and item.status != "supported"]
        return Answer(
            question=question,
            standalone_question=standalone_question,
            found=found,
            not_found_reason=reason,
            text=" ".join(marked(sentence) for sentence in self._sentences) if found else "",
            sentences=tuple(self._sentences),
            citations=tuple(citations),
            invalid_citations=tuple(dict.fromkeys(name for item in checked for name in item.invalid)),
            passages=tuple(dict.fromkeys(one for passage in self._passages for one in passage.chunk_ids)),
            provider=completion.provider,
            model=completion.model,
            usage=completion.usage,
            confidence=completion.confidence,
            notices=(*completion.notices, *notices)
            + (
                conflicts(self._sentences, citations, [one for one in self._passages if not one.query]) if found else ()
            ),
        )


class _Desk:
    """The passages, read once for all claims."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.by_number = {str(passage.number): passage for passage in passages}
        self._normalised: dict[str, Normalised] = {}

    def check(self, claim: Claim) -> Checked:
        """One claim against what it cites."""
        invalid = tuple(name for name in claim.cited if passage_number(name) not in self.by_number)
        quoted = tuple(self._quoted(claim, index) for index in range(len(claim.cited)) if self._known(claim, index))
        if not claim.cited:
            return Checked(claim.text, "uncited", (), (), "it cites nothing", self._anywhere(claim.text))
        if not quoted:
            return Checked(claim.text, "unsupported", (), invalid, "it cites a passage that was not sent", False)
        status, verdict = _judged(claim.text, quoted)
        stands = any(item.span is not None for item in quoted)
        carried = status != "unsupported" or (stands and _is_doubtful(verdict))
        differs = NO_DIFFERENCES if status == "supported" else verdict.differs
        if status == "supported" and any(item.passage.query for item in quoted):
            status = "paraphrase"  # what a query came to stands in no document
        quoted = tuple(shown for item in quoted for shown in _cited(claim.text, item))
        return Checked(claim.text, status, quoted, invalid, verdict.reason, carried, differs)

    def _known(self, claim: Claim, index: int) -> bool:
        return passage_number(claim.cited[index]) in self.by_number

    def _quoted(self, claim: Claim, index: int) -> Quoted:
        passage = self.by_number[passage_number(claim.cited[index])]
        quote = claim.quotes[index].strip() if index < len(claim.quotes) else ""
        span = self.find(quote, passage) if quote else None
        elsewhere = None
        if quote and span is None:
            elsewhere = next((other.number for other in self.by_number.values() if self.find(quote, other)), None)
        return Quoted(passage, quote, span, elsewhere)

    def find(self, quote: str, passage: Passage) -> Span | None:
        """Where the quote stands in the passage's text; looser on pages read by OCR."""
        key = str(passage.number)
        if key not in self._normalised:
            self._normalised[key] = normalise(passage.text)
        search = locate_loosely if passage.chunk.ocr else locate
        return search(quote, self._normalised[key])

    def _anywhere(self, text: str) -> bool:
        return any(check(text, _readable(passage)).support not in _FAILED for passage in self.by_number.values())


_FAILED = ("contradicted", "absent")


def _is_doubtful(verdict: SupportVerdict) -> bool:
    """Whether a sentence beside a true quote is marked and still shown: it may be a wording that the rules misread."""
    return verdict.support == "contradicted" or (verdict.coverage > 0 and not verdict.against_figures)


_NUMBER = pattern(r"\[?\(?(?:(?:passage|p)[\s_#-]*)?0*([1-9][0-9]{0,5})\)?\]?", re.IGNORECASE)


def passage_number(name: str) -> str:
    """A passage number as models write it (``1``, ``[1]``, ``p1``, ``passage 1``) reduced to its figures."""
    match = _NUMBER.fullmatch(name.strip())
    return match[1] if match else name


def _judged(text: str, quoted: Sequence[Quoted]) -> tuple[SentenceStatus, SupportVerdict]:
    """The status of a sentence with what it cites, and the verdict behind it."""
    rows = [row for item in quoted for row in _restated(item)]
    whole = "\n".join([*(_readable(item.passage) for item in quoted), *rows])
    pointed = [*rows, *(_surroundings(item) for item in quoted if item.span is not None)]
    verdict = check(text, whole, pointed)
    if elsewhere := sorted({item.elsewhere for item in quoted if item.elsewhere}):
        reason = f"its quote stands in passage {', '.join(map(str, elsewhere))}"
        return "misattributed", replace(verdict, reason=reason)
    wrong = next((item.quote for item in quoted if item.quote and item.span is None), "")
    invented = f"the quote {wrong!r} stands nowhere"
    if verdict.support in _FAILED:
        return "unsupported", replace(verdict, reason=invented if wrong and not verdict.reason else verdict.reason)
    if wrong:
        return "paraphrase", replace(verdict, reason=invented)
    return "supported" if verdict.support == "verbatim" else "paraphrase", verdict


def _surroundings(item: Quoted) -> str:
    """The sentences a quote stands in, in a table after its header."""
    assert item.span is not None
    text = item.passage.text
    return f"{_table_header(text, item.span.start)}{_sentences(text, item.span).of(text)}"


def _sentences(text: str, span: Span) -> Span:
    """The span widened to whole sentences."""
    touched = [one for one in sentence_spans(text) if one.start < span.end and span.start < one.end]
    return Span(min(span.start, touched[0].start), max(span.end, touched[-1].end)) if touched else span


def _table_header(text: str, position: int) -> str:
    """The first row of the table that ``position`` is in, with a line end; ``""`` outside a table."""
    start = text.rfind("\n", 0, position) + 1
    if not text.startswith("|", start):
        return ""
    while start and text.startswith("|", previous := text.rfind("\n", 0, start - 1) + 1) and previous < start:
        start = previous
    return text[start:].partition("\n")[0] + "\n"


def _restated(item: Quoted) -> list[str]:
    """The sentences quoted as they are read, where that differs: a table row (``Plan: Basic, Price: 10``) under each
    header it may have, else without the marks of the document's format."""
    if item.span is None:
        return []
    text = item.passage.text
    start = text.rfind("\n", 0, item.span.start) + 1
    row = text[start:].partition("\n")[0]
    if not row.startswith("|"):
        whole = _sentences(text, item.span)  # and not the quote alone: what stands around it belongs to what it says
        read = as_read(_with_marks(text, whole), item.passage.media_type)
        return [] if read == whole.of(text) else [read]
    above = [line for line in item.passage.chunk.lead.splitlines() if line.strip().startswith("|")][:1]
    return [
        row_as_text(header.strip(), row, item.passage.media_type)
        for header in (_table_header(text, start), *above)
        if header.strip()
    ]


def _with_marks(text: str, span: Span) -> str:
    """A stretch with the marks of its format at both ends, which a quote is found without: ``> [!note]``, ``[[``."""
    line = text.rfind("\n", 0, span.start) + 1
    start = span.start if any(map(str.isalnum, text[line : span.start])) else line
    end = span.end
    while end < len(text) and not text[end].isspace() and not text[end].isalnum():
        end += 1
    return text[start:end]


def _readable(passage: Passage) -> str:
    return f"{_heading(passage)}\n{passage.text}"


def _heading(passage: Passage) -> str:
    return "\n".join(part for part in (passage.chunk.prefix, passage.effective_date or "", passage.chunk.lead) if part)


_MOST_ROWS = 5
"""Rows that are cited for one result."""


def _cited(text: str, item: Quoted) -> tuple[Quoted, ...]:
    """What is printed for a citation: for a query's result the rows of documents that the quoted part was made of."""
    if not item.passage.query:
        return (_shown(text, item),)
    rows, span = item.passage.rows, item.span
    here = [row for row in rows if span is not None and row.at.start < span.end and span.start < row.at.end]
    return tuple(map(_row, (here or rows)[:_MOST_ROWS]))


def _row(row: Underlying) -> Quoted:
    chunk = row.chunk
    passage = Passage(0, chunk, chunk.text, chunk.span, row.source, row.effective_date)
    return Quoted(passage, row.span.of(chunk.text) if row.span is not None else "", row.span)


def _shown(text: str, item: Quoted) -> Quoted:
    """What is printed under the citation: the quote as the document has it, or the nearest sentence in its place."""
    if item.span is not None:
        return Quoted(item.passage, item.span.of(item.passage.text), item.span)
    if item.elsewhere is not None:
        return item
    span = nearest_window(text, item.passage.text)
    return Quoted(item.passage, span.of(item.passage.text) if span else "", span)
