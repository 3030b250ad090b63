"""How likely it is that the passages answer the question: a small logistic model over features at hand offline.

Coefficients are fitted on golden sets with answerable and unanswerable questions by
``tests/benchmarks/answers_fit.py``; ``rag tune`` moves the threshold, not the coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragcli.answer.candidates import Candidate
from ragcli.answer.facts import facts
from ragcli.answer.scoring import Features
from ragcli.answer.words import words
from ragcli.records import Passage

_WEIGHTS = {"intercept": -5.2, "max_sim": 5.0, "cosine": 1.5, "passage_dense": 2.5, "offers": 0.5, "absent_facts": -0.8}


def confidence(
    question: str, ranked: Sequence[tuple[Candidate, Features, float]], passages: Sequence[Passage]
) -> float:
    """Between 0 and 1; 0.0 when nothing was ranked."""
    if not ranked:
        return 0.0
    best, features, _ = ranked[0]
    dense = max((passage.dense_score or 0.0 for passage in passages), default=0.0)
    values = {
        "intercept": 1.0,
        "max_sim": features.max_sim,
        "cosine": features.cosine,
        "passage_dense": dense,
        "offers": float(features.offers),
        "absent_facts": absent_facts(question, best.passage),
    }
    total = sum(_WEIGHTS[name] * value for name, value in values.items())
    return round(1.0 / (1.0 + math.exp(-total)), 4)


def absent_facts(question: str, passage: Passage) -> float:
    """Share of the question's names, numbers, dates and codes that the passage and its headings do not have."""
    named = [fact for fact in facts(question) if fact.kind in ("name", "code", "number", "date")]
    if not named:
        return 0.0
    stems = {word.stem for word in words(f"{passage.chunk.prefix}\n{passage.text}")}
    lost = [fact for fact in named if not any(word.stem in stems for word in words(fact.text))]
    return len(lost) / len(named)
