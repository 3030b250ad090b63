"""Several searches for one answer: a model decides what to search for."""

from __future__ import annotations

import dataclasses
import time

from ragcli.answer.check.verify import verify
from ragcli.answer.model.searching import SearchingAnswerer, search_tool
from ragcli.pipelines.asking.inquiry import Gathered, Inquiry
from ragcli.pipelines.asking.several import in_turns
from ragcli.records import AskResult, Passage, Retrieval


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

    searched = answerer.answer(inquiry.asked, [search_tool(search)])
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
