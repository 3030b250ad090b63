"""One search for a question that asks several things: each is searched for too, the rankings joined in turns."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TypeVar

from ragcli.answer.extract.decompose import parts
from ragcli.records import Hit, Ranking, Retrieval, RetrievedChunk

_T = TypeVar("_T")
_TELLING = 3
"""Of so many first hits one that says two names side by side tells that they are one name."""


def search_in_turns(question: str, search: Callable[[str], Retrieval]) -> Retrieval:
    """The question as a whole and, where it asks several things, each of them: every part keeps its best passages."""
    whole = search(question)
    asked = parts(question)
    if len(asked) > 1:
        asked = parts(question, [hit.chunk.indexed_text for hit in whole.hits[:_TELLING]])
    if len(asked) == 1:
        return whole
    joined = in_turns(question, [whole, *(search(part) for part in asked)])
    return dataclasses.replace(joined, hits=joined.hits[: max(len(whole.hits), len(asked))], parts=asked)


def in_turns(question: str, retrievals: Sequence[Retrieval]) -> Retrieval:
    """Several searches as one: the first hit of each, the second of each, …, a chunk once, at its best place.

    The score is the reciprocal of the rank. A sum of reciprocals would let a chunk that two parts found push out the
    best one of a third; here each part keeps its own.
    """
    hits: dict[str, RetrievedChunk] = {}
    for hit in _turns([one.hits for one in retrievals]):
        hits.setdefault(hit.chunk.chunk_id, hit)
    first = retrievals[0]
    return dataclasses.replace(
        first,
        query=question,
        hits=tuple(dataclasses.replace(hit, rank=n, score=1.0 / n) for n, hit in enumerate(hits.values(), start=1)),
        legs={leg: _joined([one.legs[leg] for one in retrievals]) for leg in first.legs},
        fused=_joined([one.fused for one in retrievals]),
        reranked=None if first.reranked is None else _joined([one.reranked for one in retrievals if one.reranked]),
        timings_ms={
            stage: sum(one.timings_ms.get(stage, 0.0) for one in retrievals)
            for stage in dict.fromkeys(stage for one in retrievals for stage in one.timings_ms)
        },
    )


def _joined(rankings: Sequence[Ranking]) -> Ranking:
    ids = dict.fromkeys(hit.chunk_id for hit in _turns([one.hits for one in rankings]))
    return Ranking(rankings[0].retriever, tuple(Hit(chunk_id, 1.0 / n, n) for n, chunk_id in enumerate(ids, start=1)))


def _turns(lists: Sequence[Sequence[_T]]) -> list[_T]:
    """The first of each list, the second of each, …"""
    longest = max(map(len, lists), default=0)
    return [one[place] for place in range(longest) for one in lists if place < len(one)]
