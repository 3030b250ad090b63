"""Several searches for one answer: a model decides what to search for."""

from __future__ import annotations

import dataclasses
import time

from ragcli.answer.check.verify import Verifier, passage_number, verify
from ragcli.answer.model.searching import SearchingAnswerer, search_tool
from ragcli.errors import ModelError
from ragcli.pipelines.asking.inquiry import Gathered, Inquiry
from ragcli.pipelines.asking.several import in_turns
from ragcli.pipelines.querying.tool import QueryTool
from ragcli.records import AskResult, Passage, Retrieval


def ask_with_searches(inquiry: Inquiry, *, answerer: SearchingAnswerer, querying: QueryTool | None = None) -> AskResult:
    """The model searches through the same filtered retriever, and queries the tables of the same scope.

    Every passage it saw can be cited, the result of a query through the rows it was made of.
    """
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

    def tables() -> str:
        return querying.tables({hit.chunk.doc_id for hit in retrievals[0].hits}) if querying is not None else ""

    tools = [search_tool(search), *([querying.tool()] if querying is not None else [])]
    try:
        searched = answerer.answer(inquiry.asked, tools, more=tables)
    except ModelError as error:
        seen = Gathered(in_turns(inquiry.asked, retrievals), ())
        inquiry.fail(error, seen, Verifier(()), (time.perf_counter() - started) * 1000)
        raise
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
    cited = {passage_number(name) for claim in searched.completion.claims for name in claim.cited}
    queries = querying.queries if querying is not None else {}
    used = tuple(query for number, query in queries.items() if str(number) in cited)
    found = Gathered(in_turns(inquiry.asked, retrievals), searched.passages, searched.steps, queries=used)
    return inquiry.conclude(answer, found, timings)
