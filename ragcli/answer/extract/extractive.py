"""The offline answerer: the one to three sentences of the passages that answer, word for word, or none.

Sentences, list items and table rows are scored against the question (``scoring``); the best is kept with what it needs
to be understood, and a second one only when the first does not stand out. Deterministic; nothing leaves the machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.answer.extract.candidates import Candidate, candidates, row_as_text
from ragcli.answer.extract.confidence import confidence
from ragcli.answer.extract.numbered import part_first, surely_meant
from ragcli.answer.extract.questions import wanted
from ragcli.answer.extract.scoring import Features, lexical_features, score, with_model
from ragcli.config import AnswerConfig
from ragcli.interfaces import Embedder
from ragcli.language.references import points_back
from ragcli.records import Claim, Completion, Passage, Span

_MARGIN = 1.25
_PART_IS_SURE = 0.9
_LIST_CHARACTERS = 700


class ExtractiveAnswerer:
    """A ``Generator`` that quotes. Without an embedder it goes by words alone."""

    def __init__(self, config: AnswerConfig, embedder: Embedder | None = None) -> None:
        self._config = config
        self._embedder = embedder

    def generate(self, question: str, passages: Sequence[Passage]) -> Completion:
        """The sentences that answer, each a claim quoting itself; ``found`` is False under ``min_confidence``."""
        model = self._embedder.info.model if self._embedder is not None else "words"
        found = candidates(passages)
        if not found:
            return Completion(False, (), "extractive", model, confidence=0.0, not_found_reason="no_candidates")
        ranked = self.ranked(question, found)
        sure = confidence(question, ranked, passages)
        if surely_meant(question, ranked):
            sure = max(sure, _PART_IS_SURE)
        if sure < self._config.min_confidence:
            return Completion(False, (), "extractive", model, confidence=sure, not_found_reason="low_evidence")
        claims = _claims(question, found, ranked, self._config.sentences)
        return Completion(True, claims, "extractive", model, confidence=sure)

    def ranked(self, question: str, found: Sequence[Candidate]) -> list[tuple[Candidate, Features, float]]:
        """Candidates with their features and scores, best first."""
        rows = lexical_features(question, found)
        if self._embedder is None:
            scored = [(index, row, score(row, with_model=False)) for index, row in enumerate(rows)]
        else:
            scored = [
                (index, row, score(row, with_model=True))
                for index, row in with_model(question, found, rows, self._embedder)
            ]
        scored.sort(key=lambda item: (-item[2], item[0]))
        return part_first(question, [(found[index], row, value) for index, row, value in scored])


def _claims(
    question: str, found: Sequence[Candidate], ranked: Sequence[tuple[Candidate, Features, float]], limit: int
) -> tuple[Claim, ...]:
    best, _, best_score = ranked[0]
    claims = _with_context(question, best, found, limit)
    for other, _, value in ranked[1:2]:
        if best_score - value < _MARGIN and len(claims) < limit and not _repeats(other, claims):
            claims += [claim for claim in _with_context(question, other, found, 1) if claim not in claims]
    return tuple(claims[:limit])


def _with_context(question: str, chosen: Candidate, found: Sequence[Candidate], limit: int) -> list[Claim]:
    """The chosen candidate with its lead-in, its list, or the sentence its pronoun points to."""
    if chosen.kind == "row":
        header = chosen.lead_text
        return [_claim(chosen, row_as_text(header, chosen.plain) if header else chosen.plain.strip("| "))]
    if chosen.kind == "code":
        return [_with_lead(chosen)]
    if chosen.kind == "item":
        if wanted(question) == "list" or not chosen.lead_text:
            return [_whole_list(chosen, found)] if wanted(question) == "list" else [_claim(chosen, chosen.plain)]
        return [_with_lead(chosen)]
    if chosen.plain.endswith((":", "：")):
        return [_whole_list(chosen, found)]
    if limit > 1 and chosen.before is not None and points_back(chosen.plain):
        before = found[chosen.before]
        if before.kind == "sentence" and not before.plain.endswith("?"):
            return [_claim(before, before.plain), _claim(chosen, chosen.plain)]
    return [_claim(chosen, chosen.plain)]


def _claim(chosen: Candidate, text: str) -> Claim:
    return Claim(text, (str(chosen.passage.number),), (chosen.span.of(chosen.passage.text),))


def _with_lead(chosen: Candidate) -> Claim:
    """``lead-in: item`` as one sentence, quoting both where they stand."""
    number = str(chosen.passage.number)
    text = f"{chosen.lead_text} {chosen.plain}"
    if chosen.lead is None:
        return Claim(text, (number,), (chosen.span.of(chosen.passage.text),))
    return Claim(text, (number, number), (chosen.lead.of(chosen.passage.text), chosen.span.of(chosen.passage.text)))


def _whole_list(chosen: Candidate, found: Sequence[Candidate]) -> Claim:
    """The lead-in and the items under it, as far as they fit, as one sentence with one quote."""
    lead = chosen.span if chosen.kind == "sentence" else chosen.lead
    items = [
        item
        for item in found
        if item.kind in ("item", "code")
        and item.passage.number == chosen.passage.number
        and item.lead == lead
        and lead is not None
    ]
    start = lead.start if lead is not None else chosen.span.start
    kept = [item for item in items if item.span.end - start <= _LIST_CHARACTERS]
    if not kept:
        return _claim(chosen, chosen.plain)
    span = Span(start, kept[-1].span.end)
    intro = kept[0].lead_text
    parts = [item.plain if item.kind == "code" else item.plain.rstrip(";.,") for item in kept]
    text = f"{intro} {'; '.join(parts)}" + ("" if kept[-1].kind == "code" else ".")
    return Claim(text, (str(chosen.passage.number),), (span.of(chosen.passage.text),))


def _repeats(other: Candidate, claims: Sequence[Claim]) -> bool:
    return any(other.plain in claim.text or claim.text in other.plain for claim in claims)
