"""How well a candidate answers a question: the features of the table, weighed and summed.

The weights lie in ``weights.json``, with how each set was found, on what, and what it gives on questions it was not
fitted on. The late-interaction feature is the mean, over the question's tokens, of each one's best cosine with a token
of the candidate (Khattab and Zaharia, ColBERT, 2020), over the vectors of the embedding model that is loaded anyway.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.answer.extract.candidates import Candidate
from ragcli.answer.extract.features import FEATURES, Seen, observe
from ragcli.interfaces import Embedder, Tokenizer
from ragcli.language.words import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCORED_BY_MODEL = 12
"""Reading 32 changed no answer on the sample corpus, nor did reading 8; each costs about 5 ms of processor time."""

Ranked = Sequence[tuple[Seen, float]]
"""Candidates with their scores, best first."""


@functools.cache
def weights(name: str) -> dict[str, float]:
    """The weights of one model of ``weights.json``."""
    content: Any = json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8"))
    found: dict[str, float] = content[name]["weights"]
    return found


def ranked(question: str, found: Sequence[Candidate], embedder: Embedder | None) -> list[tuple[Seen, float]]:
    """Candidates with their scores, best first; with a model the best by their words alone, seen by it."""
    seen = [_measured(each, by_model=False) for each in observe(question, found)]
    name = "candidates_without_model"
    if embedder is not None:
        seen = _seen_by_model(question, seen, embedder)
        name = "candidates"
    scored = [(each, score(each, name)) for each in seen]
    places = {id(item): place for place, item in enumerate(found)}
    return sorted(scored, key=lambda pair: (-pair[1], places[id(pair[0].item)]))


def score(seen: Seen, name: str) -> float:
    """The weighted sum; only its order within one question means anything."""
    return sum(weight * seen.values[feature] for feature, weight in weights(name).items())


def _measured(seen: Seen, *, by_model: bool) -> Seen:
    """With the values of the features that need the model, or of those that do not."""
    values = {feature.name: feature.of(seen) for feature in FEATURES if feature.by_model == by_model}
    return dataclasses.replace(seen, values={**seen.values, **values})


def _seen_by_model(question: str, seen: Sequence[Seen], embedder: Embedder) -> list[Seen]:
    """The best by the features that need no model, at most ``SCORED_BY_MODEL``, in their order."""
    order = sorted(range(len(seen)), key=lambda index: (-score(seen[index], "candidates_without_model"), index))
    chosen = [seen[index] for index in sorted(order[:SCORED_BY_MODEL])]
    asked, *rest = embedder.token_vectors([question, *(each.item.readable for each in chosen)])
    places = _word_places(question, embedder.tokenizer, len(asked))
    return [
        _measured(_with_vectors(each, asked, tokens, places), by_model=True)
        for each, tokens in zip(chosen, rest, strict=True)
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


def _with_vectors(
    seen: Seen, asked: NDArray[np.float32], tokens: NDArray[np.float32], places: Sequence[Sequence[int]]
) -> Seen:
    if not len(asked) or not len(tokens):
        return seen
    best = (asked @ tokens.T).max(axis=1)
    return dataclasses.replace(
        seen,
        cosine=_cosine(asked, tokens),
        max_sim=round(float(best.mean()), 6),
        word_sims=tuple(round(float(best[list(place)].mean()), 6) for place in places),
    )


def _cosine(asked: NDArray[np.float32], tokens: NDArray[np.float32]) -> float:
    """Cosine of the mean token vectors."""
    import numpy as np

    left, right = asked.mean(axis=0), tokens.mean(axis=0)
    return round(float(left @ right / (np.linalg.norm(left) * np.linalg.norm(right) + 1e-9)), 6)
