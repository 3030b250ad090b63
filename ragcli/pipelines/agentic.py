"""Several searches for one answer: a model decides what to search for, or offline a rule splits the question."""

from __future__ import annotations

import dataclasses
import time

from ragcli.answer.decompose import PartwiseAnswerer, parts
from ragcli.answer.pack import pack
from ragcli.answer.searching import SearchingAnswerer
from ragcli.answer.verify import verify
from ragcli.config import Config
from ragcli.interfaces import Engine, Generator, Tokenizer
from ragcli.pipelines.ask import Gathered, Keep, Retrieve, ask, conclude
from ragcli.records import AskResult, Passage, Retrieval, RetrievedChunk, Scope, Step, Usage


def ask_in_parts(
    question: str,
    *,
    retrieve: Retrieve,
    engine: Engine,
    generator: Generator,
    tokenizer: Tokenizer,
    scope: Scope,
    config: Config,
    standalone_question: str | None = None,
    session: str | None = None,
    keep: Keep | None = None,
    spent: Usage | None = None,
) -> AskResult:
    """Offline: each part of the question is searched and answered, the hits fused in turns, the claims put together."""
    asked = parts((standalone_question or question).strip())[: config.answer.max_steps]

    def gather(whole: str) -> Gathered:
        found = [retrieve(part, scope) for part in asked or (whole,)]
        steps = tuple(
            Step(one.query, tuple(hit.chunk.chunk_id for hit in one.hits), "a part of the question") for one in found
        )
        merged = in_turns(whole, found)
        return Gathered(merged, pack(merged, engine=engine, config=config.answer, tokenizer=tokenizer), steps)

    return ask(
        question,
        retrieve=retrieve,
        engine=engine,
        generator=PartwiseAnswerer(generator, asked) if len(asked) > 1 else generator,
        tokenizer=tokenizer,
        scope=scope,
        config=config,
        standalone_question=standalone_question,
        session=session,
        keep=keep,
        gather=gather,
        spent=spent,
    )


def ask_with_searches(
    question: str,
    *,
    retrieve: Retrieve,
    engine: Engine,
    answerer: SearchingAnswerer,
    tokenizer: Tokenizer,
    scope: Scope,
    config: Config,
    standalone_question: str | None = None,
    session: str | None = None,
    keep: Keep | None = None,
    spent: Usage | None = None,
) -> AskResult:
    """The model searches through the same filtered retriever; every passage it saw can be cited."""
    started = time.perf_counter()
    asked = (standalone_question or question).strip()
    retrievals: list[Retrieval] = []
    shown: set[str] = set()

    def search(query: str, first_number: int) -> tuple[Passage, ...]:
        retrieval = retrieve(query, scope)
        retrievals.append(retrieval)
        new = dataclasses.replace(
            retrieval, hits=tuple(hit for hit in retrieval.hits if hit.chunk.chunk_id not in shown)
        )
        passages = pack(new, engine=engine, config=config.answer, tokenizer=tokenizer)
        shown.update(passage.chunk.chunk_id for passage in passages)
        return tuple(
            dataclasses.replace(passage, number=number) for number, passage in enumerate(passages, start=first_number)
        )

    searched = answerer.answer(asked, search)
    generated = time.perf_counter()
    answer = verify(searched.completion, searched.passages, question=question, standalone_question=asked)
    answer = dataclasses.replace(answer, usage=(spent or Usage()) + answer.usage)
    ended = time.perf_counter()
    retrieving = sum(retrieval.timings_ms.get("total", 0.0) for retrieval in retrievals)
    timings = {
        "retrieve": retrieving,
        "generate": (generated - started) * 1000 - retrieving,
        "verify": (ended - generated) * 1000,
        "total": (ended - started) * 1000,
    }
    found = Gathered(in_turns(asked, retrievals), searched.passages, searched.steps)
    return conclude(answer, found, engine=engine, scope=scope, timings=timings, session=session, keep=keep)


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
