"""How likely it is that the passages answer the question: a small logistic model over what is at hand offline.

Four things tell most: how near the best passage is (its cosine), how far it stands out from the others, the question's
least matched word (a passage about parking does not answer a question about scooters), and a code that the question
names and the passage does not (``E-4210`` is another error than ``E-4012``). The coefficients are fitted by
``tests/benchmarks/answers_fit.py`` for a share of seven answerable questions in ten; ``rag tune`` moves the threshold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ragcli.answer.candidates import Candidate
from ragcli.answer.facts import facts
from ragcli.answer.scoring import Features
from ragcli.answer.words import words
from ragcli.records import Passage

Ranked = Sequence[tuple[Candidate, Features, float]]

_WITH_MODEL = {"intercept": -4.04, "nearest": 3.89, "gap": 9.18, "least_word": 3.63, "absent_code": -3.09}
_WITHOUT_MODEL = {"intercept": -1.1, "near_overlap": 2.15, "passage_overlap": 1.78, "absent_code": -2.58}


def confidence(question: str, ranked: Ranked, passages: Sequence[Passage]) -> float:
    """Between 0 and 1 for candidates ranked best first; 0.0 when nothing was ranked."""
    if not ranked:
        return 0.0
    best, features, _ = ranked[0]
    dense = [passage.dense_score for passage in passages if passage.dense_score is not None]
    if dense and features.word_sims:
        values = {
            "nearest": max(dense),
            "gap": max(dense) - sum(dense[1:]) / len(dense[1:]) if len(dense) > 1 else 0.15,
            "least_word": _least_word(best, ranked),
        }
        weights = _WITH_MODEL
    else:
        values = {"near_overlap": features.near_overlap, "passage_overlap": features.passage_overlap}
        weights = _WITHOUT_MODEL
    values = values | {"intercept": 1.0, "absent_code": float(has_absent_code(question, best.passage))}
    total = sum((weight * values[name] for name, weight in weights.items()), 0.0)
    return round(1.0 / (1.0 + math.exp(-total)), 4)


def _least_word(best: Candidate, ranked: Ranked) -> float:
    """The lowest, over the question's content words, of the word's best match among the best passage's candidates."""
    rows = [row.word_sims for item, row, _ in ranked if item.passage.number == best.passage.number]
    columns = zip(*rows, strict=True)
    return min((max(column) for column in columns), default=0.0)


def has_absent_code(question: str, passage: Passage) -> bool:
    """Whether the question names a code with figures in it that neither passage nor headings have."""
    named = [fact for fact in facts(question) if fact.kind == "code" and re.search(r"\d", fact.text)]
    if not named:
        return False
    stated = {_joined(word.folded) for word in words(f"{passage.chunk.prefix}\n{passage.chunk.lead}\n{passage.text}")}
    return any(_joined(fact.text.casefold()) not in stated for fact in named)


def _joined(code: str) -> str:
    return re.sub(r"[-_/]", "", code)
