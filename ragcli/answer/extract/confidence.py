"""How likely it is that the passages answer the question: a small logistic model over what is at hand offline.

``SIGNS`` says what it goes by: a passage about parking does not answer a question about scooters, one about Rotterdam
none about Hamburg, and ``E-4210`` is another error than ``E-4012``. The coefficients lie in ``weights.json``;
``rag tune`` moves the threshold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ragcli.answer.extract.candidates import Candidate
from ragcli.answer.extract.focus import above, speaks_of_another
from ragcli.answer.extract.questions import asked_stems
from ragcli.answer.extract.scoring import Ranked, weights
from ragcli.language.facts import facts
from ragcli.language.lexicon import listed
from ragcli.language.words import Word, content_stems, words
from ragcli.records import Passage

SIGNS = {
    "nearest": "the best cosine of question and passage",
    "passage_gap": "how far the nearest passage stands out from the mean of the others",
    "document_gap": "how far the answer's document stands out from the mean of the other documents",
    "least_word": "of the question's words the one that the best passage matches least, by cosine",
    "absent_words": "share of the words of the question's subject that stand nowhere in the passage",
    "unsaid_name": "whether a name of the question does not stand in the sentence or around it",
    "unsaid_number": "whether a figure of the question does not stand in the sentence or around it",
    "absent_code": "whether a code of the question does not stand in the passage (not fitted: too few have one)",
    "present_code": "whether the question has codes and the passage all of them (not fitted)",
    "speaks_of_another": "whether it speaks of something else than what is asked about (`focus.py`; not fitted)",
    "near_overlap": "the best candidate's feature of that name, where there is no model",
    "passage_overlap": "the same over its whole passage, where there is no model",
}
"""What the confidence goes by, and what each sign means."""
_ALONE = 0.15
"""The gap to other passages where there are none to compare with."""


def confidence(question: str, ranked: Ranked, passages: Sequence[Passage]) -> float:
    """Between 0 and 1 for candidates ranked best first; 0.0 with none, or where no word of the question counts."""
    if not ranked or not content_stems(question):
        return 0.0
    values = signs(question, ranked, passages)
    known = weights("confidence" if "nearest" in values else "confidence_without_model")
    total = sum((known[name] * value for name, value in values.items() if name in known), known["intercept"])
    return round(1.0 / (1.0 + math.exp(-total)), 4)


def signs(question: str, ranked: Ranked, passages: Sequence[Passage]) -> dict[str, float]:
    """What the model looks at, for at least one ranked candidate."""
    first, _ = ranked[0]
    best = first.item
    if first.word_sims and any(passage.dense_score is not None for passage in passages):
        values = _with_model(best, ranked, passages)
        values |= absent(question, best, first.before)
    else:
        values = {"near_overlap": first.asked.share(first.near), "passage_overlap": first.asked.share(first.whole)}
    another = speaks_of_another(question, best, first.before, first.word_sims)
    named, stated = codes(question, best.passage)
    present = float(bool(named) and named <= stated)
    by_rule = {
        "absent_code": float(not named <= stated),
        "present_code": present,
        "speaks_of_another": float(bool(another)),
    }
    return values | by_rule


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
    rows = [seen.word_sims for seen, _ in ranked if seen.item.passage.number == best.passage.number]
    columns = zip(*rows, strict=True)
    return min((max(column) for column in columns), default=0.0)


def absent(question: str, best: Candidate, before: str = "") -> dict[str, float]:
    """What the question says and the best passage does not, and what its best sentence does not.

    ``absent_words`` is the share of the words of the question's subject that stand nowhere in the passage.
    ``unsaid_name`` and ``unsaid_number`` tell whether one that is written as a name (in capitals after the first word)
    or holds a figure does not stand in the sentence, the one before it or above the passage: "the Rotterdam office has
    42 spaces" does not answer for Hamburg, wherever else Hamburg is named.
    """
    subject = asked_stems(question)
    only_german = listed("function_words", "de") - listed("function_words", "en")
    asked = [word for word in words(question) if word.stem in subject]
    passage = best.passage
    said, told = (_stems(above(passage) + text) for text in (passage.text, f"{before}\n{best.readable}"))
    missing, unsaid = ([word for word in asked if word.stem not in stems] for stems in (said, told))
    german = any(word.folded in only_german for word in words(question))  # where every noun has a capital
    return {
        "absent_words": len(missing) / max(1, len(asked)),
        "unsaid_name": float(not german and any(map(_is_name, unsaid))),
        "unsaid_number": float(any(any(map(str.isdigit, word.text)) for word in unsaid)),
    }


def _stems(text: str) -> set[str]:
    return {word.stem for word in words(text)}


def _is_name(word: Word) -> bool:
    return word.start > 0 and word.text[:1].isupper()


def codes(question: str, passage: Passage) -> tuple[set[str], set[str]]:
    """The codes with figures in them that the question names, and everything that passage and headings name."""
    named = {fact.text for fact in facts(question) if fact.kind == "code" and re.search(r"\d", fact.text)}
    if not named:
        return set(), set()
    stated = words(above(passage) + passage.text)
    return {_joined(code.casefold()) for code in named}, {_joined(word.folded) for word in stated}


def _joined(code: str) -> str:
    return re.sub(r"[-_/]", "", code)
