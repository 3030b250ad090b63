"""How well a candidate answers a question: a handful of features and one weighted sum, fitted on public questions.

The late-interaction feature is the mean, over the question's tokens, of each one's best cosine with a token of the
candidate (Khattab and Zaharia, ColBERT, 2020), over the vectors of the embedding model that is loaded anyway.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ragcli.answer.extract.candidates import Candidate
from ragcli.answer.extract.questions import Wanted, asked_stems, offers, wanted
from ragcli.interfaces import Embedder, Tokenizer
from ragcli.language.lexicon import any_of
from ragcli.language.patterns import pattern
from ragcli.language.words import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SCORED_BY_MODEL = 32


@dataclass(frozen=True, slots=True)
class Features:
    """What is known about one candidate; all but ``rank`` and ``new_words`` lie between 0 and 1 (cosines: -1 and 1).

    ``own_overlap`` is the share of the question's words, weighted by rarity among the candidates, that stand in the
    candidate; ``near_overlap`` counts the sentence before and the headings too, ``passage_overlap`` the whole passage.
    ``word_sims`` holds, for each content word of the question, the mean best cosine of its tokens with the candidate's.
    ``restricted`` marks a candidate that speaks of a special case the question does not mention (``qualifiers``).
    """

    own_overlap: float
    near_overlap: float
    passage_overlap: float
    rank: int
    passage_dense: float
    new_words: int
    offers: bool
    is_question: bool
    restricted: bool = False
    position: int = 0
    cosine: float = 0.0
    max_sim: float = 0.0
    word_sims: tuple[float, ...] = ()


def lexical_features(question: str, found: Sequence[Candidate]) -> list[Features]:
    """Features of each candidate that need no model."""
    asked = asked_stems(question)
    kind = wanted(question)
    own = [{word.stem for word in words(item.readable)} for item in found]
    whole = _passage_stems(found)
    weight = _rarity(asked, own)
    rows = []
    for item, stems in zip(found, own, strict=True):
        heading, passage = whole[item.passage.number]
        before = own[item.before] if item.before is not None else set()
        new = {word.stem for word in words(item.plain) if word.is_content} - asked
        rows.append(
            Features(
                own_overlap=_weighted(asked & stems, weight),
                near_overlap=_weighted(asked & (stems | before | heading), weight),
                passage_overlap=_weighted(asked & (passage | heading), weight),
                rank=item.passage.number,
                passage_dense=item.passage.dense_score or 0.0,
                new_words=len(new),
                offers=_offers(kind, item, asked),
                is_question=item.plain.endswith(("?", "？")),
                restricted=is_restricted(item.plain, asked),
                position=item.position,
            )
        )
    return rows


def _offers(kind: Wanted, item: Candidate, asked: set[str]) -> bool:
    return kind not in ("any", "list") and offers(kind, item.plain, asked)


def _passage_stems(found: Sequence[Candidate]) -> dict[int, tuple[set[str], set[str]]]:
    passages = {item.passage.number: item.passage for item in found}
    return {
        number: (
            {word.stem for word in words(passage.chunk.prefix)},
            {word.stem for word in words(passage.text)},
        )
        for number, passage in passages.items()
    }


def _rarity(asked: set[str], own: Sequence[set[str]]) -> dict[str, float]:
    """Inverse document frequency of each question word over the candidates."""
    total = len(own)
    return {stem: math.log(1 + (total + 1) / (sum(stem in present for present in own) + 0.5)) for stem in sorted(asked)}


def _weighted(shared: set[str], weight: dict[str, float]) -> float:
    total = sum(weight.values())
    return sum(weight[stem] for stem in sorted(shared)) / total if total else 0.0


# tests/benchmarks/answers_fit.py measures them beside a fresh fit, which is no better on articles it has not seen.
_WITH_MODEL = {
    "own_overlap": 2.6,
    "near_overlap": 4.25,
    "passage_overlap": 0.8,
    "cosine": 3.4,
    "max_sim": 5.0,
    "passage_dense": 3.0,
    "log_rank": -0.6,
    "new": 0.4,
    "offers": 1.5,
    "is_question": -20.0,  # not fitted: a question is no answer, however like the one that was asked
    "restricted": -1.5,
    "position": -0.1,
}
_WITHOUT_MODEL = {
    "own_overlap": 6.0,
    "near_overlap": 4.0,
    "passage_overlap": 1.3,
    "cosine": 0.0,
    "max_sim": 0.0,
    "passage_dense": 2.0,
    "log_rank": -0.6,
    "new": 1.0,
    "offers": 1.8,
    "is_question": -20.0,
    "restricted": -1.5,
    "position": -0.1,
}


def score(features: Features, *, with_model: bool) -> float:
    """The weighted sum; only its order within one question means anything."""
    weights = _WITH_MODEL if with_model else _WITHOUT_MODEL
    values = {
        "own_overlap": features.own_overlap,
        "near_overlap": features.near_overlap,
        "passage_overlap": features.passage_overlap,
        "cosine": features.cosine,
        "max_sim": features.max_sim,
        "passage_dense": features.passage_dense,
        "log_rank": math.log(features.rank),
        "new": min(features.new_words, 6) / 6,
        "offers": float(features.offers),
        "is_question": float(features.is_question),
        "restricted": float(features.restricted),
        "position": math.log1p(features.position),
    }
    return sum(weights[name] * value for name, value in values.items())


def with_model(
    question: str, found: Sequence[Candidate], rows: Sequence[Features], embedder: Embedder
) -> list[tuple[int, Features]]:
    """The best candidates by their cheap features, at most ``SCORED_BY_MODEL``, with the model's features added."""
    order = sorted(range(len(rows)), key=lambda index: (-score(rows[index], with_model=False), index))
    chosen = sorted(order[:SCORED_BY_MODEL])
    vectors = embedder.token_vectors([question, *(found[index].readable for index in chosen)])
    asked, rest = vectors[0], vectors[1:]
    places = _word_places(question, embedder.tokenizer, len(asked))
    return [
        (index, _seen_by_model(rows[index], asked, tokens, places)) for index, tokens in zip(chosen, rest, strict=True)
    ]


def _word_places(question: str, tokenizer: Tokenizer, count: int) -> list[list[int]]:
    """For each content word of the question, which of its ``count`` tokens it is made of."""
    offsets = list(tokenizer.offsets(question))[:count]
    places = [
        [place for place, (start, end) in enumerate(offsets) if start < word.end and word.start < end]
        for word in words(question)
        if word.is_content
    ]
    return [place for place in places if place]


def _seen_by_model(
    row: Features, asked: NDArray[np.float32], tokens: NDArray[np.float32], places: Sequence[Sequence[int]]
) -> Features:
    if not len(asked) or not len(tokens):
        return row
    best = (asked @ tokens.T).max(axis=1)
    return dataclasses.replace(
        row,
        cosine=_cosine(asked, tokens),
        max_sim=round(float(best.mean()), 6),
        word_sims=tuple(round(float(best[list(place)].mean()), 6) for place in places),
    )


def _cosine(asked: NDArray[np.float32], tokens: NDArray[np.float32]) -> float:
    """Cosine of the mean token vectors."""
    import numpy as np

    left, right = asked.mean(axis=0), tokens.mean(axis=0)
    return round(float(left @ right / (np.linalg.norm(left) * np.linalg.norm(right) + 1e-9)), 6)


# Special cases: whether a sentence narrows what a question asks about in general.
#
# Asked about refunds, "International refunds take up to 10 days" answers another question than the one put; asked about
# international refunds it is the answer. A classifying word straight before the shared noun, or a condition in front of
# the sentence, narrows it; a participle ("an approved refund") does not.

_CONDITION = pattern(lambda: rf"^{any_of('conditions')}\b(?P<case>[^,;:.]{{3,90}}),", re.IGNORECASE)


def is_restricted(sentence: str, asked: set[str]) -> bool:
    """Whether ``sentence`` speaks of a case that the question, by its subject's stems, does not mention."""
    return _narrowed_noun(sentence, asked) or _foreign_condition(sentence, asked)


def _narrowed_noun(sentence: str, asked: set[str]) -> bool:
    found = words(sentence)
    for before, word in pairwise(found):
        if word.stem not in asked or before.stem in asked or not before.is_content:
            continue
        if sentence[before.end : word.start].strip() or not before.text.isalpha():
            continue
        if not before.folded.endswith(("ed", "en", "ing", "ly")) and not _is_verb_like(before.folded):
            return True
    return False


def _is_verb_like(folded: str) -> bool:
    """A third person singular before its object ("offers refunds") rather than a noun before its head."""
    return folded.endswith("s") and not folded.endswith(("ss", "us", "is"))


def _foreign_condition(sentence: str, asked: set[str]) -> bool:
    match = _CONDITION.match(sentence)
    if match is None:
        return False
    case = {word.stem for word in words(match["case"]) if word.is_content}
    return bool(case) and not case & asked
