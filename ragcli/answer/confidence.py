"""How likely it is that the passages answer the question: a small logistic model over what is at hand offline.

What tells most: how near the best passage is (its cosine), how far it stands out from the other passages and its
document from the other documents, the question's least matched word (a passage about parking does not answer a
question about scooters), and whether a code that the question names stands in the passage (``E-4210`` is another
error than ``E-4012``). The coefficients are fitted by ``tests/benchmarks/answers_fit.py``, for a little more
answerable questions than others; ``rag tune`` moves the threshold.
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

_WITH_MODEL = {
    "intercept": -4.06,
    "nearest": 3.41,
    "passage_gap": 5.9,
    "document_gap": 3.16,
    "least_word": 3.03,
    "absent_code": -2.15,
    "present_code": 1.15,
}
_WITHOUT_MODEL = {
    "intercept": -1.1,
    "near_overlap": 2.15,
    "passage_overlap": 1.78,
    "absent_code": -2.58,
    "present_code": 1.15,
}
_ALONE = 0.15
"""The gap to other passages where there are none to compare with."""


def confidence(question: str, ranked: Ranked, passages: Sequence[Passage]) -> float:
    """Between 0 and 1 for candidates ranked best first; 0.0 when nothing was ranked."""
    if not ranked:
        return 0.0
    values = signs(question, ranked, passages)
    weights = _WITH_MODEL if "nearest" in values else _WITHOUT_MODEL
    total = sum((weights[name] * value for name, value in values.items()), weights["intercept"])
    return round(1.0 / (1.0 + math.exp(-total)), 4)


def signs(question: str, ranked: Ranked, passages: Sequence[Passage]) -> dict[str, float]:
    """What the model looks at, for at least one ranked candidate."""
    best, features, _ = ranked[0]
    if features.word_sims and any(passage.dense_score is not None for passage in passages):
        values = _with_model(best, ranked, passages)
    else:
        values = {"near_overlap": features.near_overlap, "passage_overlap": features.passage_overlap}
    named, stated = codes(question, best.passage)
    present = float(bool(named) and named <= stated)
    return values | {"absent_code": float(not named <= stated), "present_code": present}


def _with_model(best: Candidate, ranked: Ranked, passages: Sequence[Passage]) -> dict[str, float]:
    scored = [(passage.source, passage.dense_score) for passage in passages if passage.dense_score is not None]
    nearest = max(score for _, score in scored)
    source = best.passage.source
    own = max((score for name, score in scored if name == source), default=nearest)
    return {
        "nearest": nearest,
        "passage_gap": _gap(nearest, [score for _, score in scored[1:]]),
        "document_gap": _gap(own, [score for name, score in scored if name != source]),
        "least_word": _least_word(best, ranked),
    }


def _gap(best: float, others: Sequence[float]) -> float:
    return best - sum(others) / len(others) if others else _ALONE


def _least_word(best: Candidate, ranked: Ranked) -> float:
    """The lowest, over the question's content words, of the word's best match among the best passage's candidates."""
    rows = [row.word_sims for item, row, _ in ranked if item.passage.number == best.passage.number]
    columns = zip(*rows, strict=True)
    return min((max(column) for column in columns), default=0.0)


def codes(question: str, passage: Passage) -> tuple[set[str], set[str]]:
    """The codes with figures in them that the question names, and everything that passage and headings name."""
    named = {fact.text for fact in facts(question) if fact.kind == "code" and re.search(r"\d", fact.text)}
    if not named:
        return set(), set()
    stated = words(f"{passage.chunk.prefix}\n{passage.chunk.lead}\n{passage.text}")
    return {_joined(code.casefold()) for code in named}, {_joined(word.folded) for word in stated}


def _joined(code: str) -> str:
    return re.sub(r"[-_/]", "", code)
