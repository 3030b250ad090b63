"""The offline answerer: the one to three sentences of the passages that answer, word for word, or none.

Sentences, list items and table rows are scored against the question (``scoring``); the best is kept with what it needs
to be understood, and a second one only when the first does not stand out. Deterministic; nothing leaves the machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.answer.extract.candidates import Candidate, candidates
from ragcli.answer.extract.confidence import confidence
from ragcli.answer.extract.features import Seen
from ragcli.answer.extract.focus import is_unasked_key
from ragcli.answer.extract.forms import claims_of, is_whole, whole_list
from ragcli.answer.extract.numbered import part_first, surely_meant
from ragcli.answer.extract.questions import is_aggregate
from ragcli.answer.extract.scoring import Ranked, ranked
from ragcli.config import AnswerConfig
from ragcli.interfaces import Embedder
from ragcli.language.lexicon import listed
from ragcli.language.words import words
from ragcli.records import Claim, Completion, Passage

_MARGIN = 1.25
_PART_IS_SURE = 0.9
_MOST = 0.6
"""Share of the question's words, by rarity, that a sentence must have with what stands above it to give a total."""


class ExtractiveAnswerer:
    """A ``Generator`` that quotes. Without an embedder it goes by words alone."""

    def __init__(self, config: AnswerConfig, embedder: Embedder | None = None) -> None:
        self._config = config
        self._embedder = embedder

    def generate(self, question: str, passages: Sequence[Passage]) -> Completion:
        """The sentences that answer, each a claim quoting itself.

        ``found`` is False under ``min_confidence``, and for a count, sum or extreme over the collection that no
        sentence gives: passages are a sample.
        """
        model = self._embedder.info.model if self._embedder is not None else "words"
        found = candidates(passages)
        if not found:
            return Completion(False, (), "extractive", model, confidence=0.0, not_found_reason="no_candidates")
        best = part_first(question, ranked(question, found, self._embedder))
        sure = confidence(question, best, passages)
        if surely_meant(question, best):
            sure = max(sure, _PART_IS_SURE)
        if sure < self._config.min_confidence or (is_aggregate(question) and not _is_told(question, best[0][0])):
            return Completion(False, (), "extractive", model, confidence=sure, not_found_reason="low_evidence")
        claims = _claims(question, found, best, self._config.sentences)
        return Completion(True, claims, "extractive", model, confidence=sure)


def _is_told(question: str, best: Seen) -> bool:
    """Whether one sentence gives the total or the extreme itself: it has most words of the question, and is no row."""
    extremes = {word.folded for word in words(question)} & listed("superlatives")
    said = {word.folded for word in words(best.item.readable)}
    return best.item.kind != "row" and best.asked.share(best.near) >= _MOST and extremes <= said


def _claims(question: str, found: Sequence[Candidate], ordered: Ranked, limit: int) -> tuple[Claim, ...]:
    best, best_score = ordered[0]
    claims = claims_of(question, best.item, found, limit)
    if is_whole(question, best.item, found):
        return tuple(claims)
    for other, value in ordered[1:2]:
        if best_score - value < _MARGIN and (both := whole_list(best.item, other.item, found)):
            return (both,)
        if best_score - value < _MARGIN and len(claims) < limit and _adds(question, other.item, claims):
            claims += [claim for claim in claims_of(question, other.item, found, 1) if claim not in claims]
    return tuple(claims[:limit])


def _adds(question: str, other: Candidate, claims: Sequence[Claim]) -> bool:
    """Whether a second sentence says something new that may have been asked for."""
    return not _repeats(other, claims) and not is_unasked_key(question, other.plain)


def _repeats(other: Candidate, claims: Sequence[Claim]) -> bool:
    return any(other.plain in claim.text or claim.text in other.plain for claim in claims)
