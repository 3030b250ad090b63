"""Several searches for one answer: a model decides what to search for, or offline a rule splits the question."""

from __future__ import annotations

import dataclasses
import time

from ragcli.answer.check.verify import verify
from ragcli.answer.extract.decompose import PartwiseAnswerer, parts
from ragcli.answer.model.searching import SearchingAnswerer
from ragcli.interfaces import Generator
from ragcli.pipelines.asking.ask import ask
from ragcli.pipelines.asking.inquiry import Gathered, Inquiry
from ragcli.records import AskResult, Passage, Retrieval, RetrievedChunk, Step


def ask_in_parts(inquiry: Inquiry, *, generator: Generator) -> AskResult:
    """Offline: each part of the question is searched and answered, the hits fused in turns, the claims put together."""
    asked = parts(inquiry.asked)[: inquiry.config.answer.max_steps]

    def gather(whole: str) -> Gathered:
        found = [inquiry.search(part) for part in asked or (whole,)]
        steps = tuple(
            Step(one.query, tuple(hit.chunk.chunk_id for hit in one.hits), "a part of the question") for one in found
        )
        merged = in_turns(whole, found)
        return Gathered(merged, inquiry.pack(merged), steps)

    answerer = PartwiseAnswerer(generator, asked) if len(asked) > 1 else generator
    return ask(inquiry, generator=answerer, gather=gather)


def ask_with_searches(inquiry: Inquiry, *, answerer: SearchingAnswerer) -> AskResult:
    """The model searches through the same filtered retriever; every passage it saw can be cited."""
    started = time.perf_counter()
    retrievals: list[Retrieval] = []
    shown: set[str] = set()

    def search(query: str, first_number: int) -> tuple[Passage, ...]:
        retrieval = inquiry.search(query)
        retrievals.append(retrieval)
        new = dataclasses.replace(
            retrieval, hits=tuple(hit for hit in retrieval.hits if hit.chunk.chunk_id not in shown)
        )
        passages = inquiry.pack(new)
        shown.update(passage.chunk.chunk_id for passage in passages)
        return tuple(
            dataclasses.replace(passage, number=number) for number, passage in enumerate(passages, start=first_number)
        )

    searched = answerer.answer(inquiry.asked, search)
    generated = time.perf_counter()
    answer = verify(
        searched.completion, searched.passages, question=inquiry.question, standalone_question=inquiry.asked
    )
    ended = time.perf_counter()
    retrieving = sum(retrieval.timings_ms.get("total", 0.0) for retrieval in retrievals)
    timings = {
        "retrieve": retrieving,
        "generate": (generated - started) * 1000 - retrieving,
        "verify": (ended - generated) * 1000,
        "total": (ended - started) * 1000,
    }
    found = Gathered(in_turns(inquiry.asked, retrievals), searched.passages, searched.steps)
    return inquiry.conclude(answer, found, timings)


def in_turns(question: str, retrievals: list[Retrieval]) -> Retrieval:
    """Several searches as one: the first hit of each, the second of each, …, a chunk once, at its best place.

    The fused score is the reciprocal of the rank (reciprocal rank fusion keeps a chunk that two parts found no higher
    than one that only its own part found; here each part must keep its best passage).
    """
    hits: list[RetrievedChunk] = []
    seen: set[str] = set()
    for place in range(max((len(one.hits) for one in retrievals), default=0)):
        for one in retrievals:
            if place < len(one.hits) and one.hits[place].chunk.chunk_id not in seen:
                seen.add(one.hits[place].chunk.chunk_id)
                hits.append(one.hits[place])
    ranked = tuple(dataclasses.replace(hit, rank=rank, score=1.0 / rank) for rank, hit in enumerate(hits, start=1))
    return dataclasses.replace(retrievals[0], query=question, hits=ranked)
