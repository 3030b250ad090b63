"""A question to a checked answer: retrieve, pack, generate, verify, and keep a trace."""

from __future__ import annotations

import dataclasses
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from ragcli.answer.pack import pack
from ragcli.answer.questions import AGGREGATE_NOTICE, is_aggregate
from ragcli.answer.verify import verify
from ragcli.config import Config
from ragcli.errors import ConfigError
from ragcli.interfaces import Engine, Generator, Tokenizer
from ragcli.records import Answer, AskResult, Completion, Passage, Retrieval, Scope, Trace

Retrieve = Callable[[str, Scope], Retrieval]
Keep = Callable[[Trace], None]


def ask(
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
) -> AskResult:
    """The checked answer to ``question`` from what ``scope`` may see.

    ``standalone_question`` is what is searched for and answered when the question is a follow-up. ``keep`` is called
    with the trace (None: nothing is kept). Raises ConfigError for an empty question, ModelError from the generator.
    """
    started = time.perf_counter()
    asked = (standalone_question or question).strip()
    if not asked:
        raise ConfigError("the question is empty", hint='rag ask "How many remote days per week can I take?"')
    retrieval = retrieve(asked, scope)
    retrieved = time.perf_counter()
    passages = pack(retrieval, engine=engine, config=config.answer, tokenizer=tokenizer)
    completion = _complete(asked, passages, generator, config)
    generated = time.perf_counter()
    answer = verify(completion, passages, question=question, standalone_question=asked)
    answer = with_notices(answer, *([AGGREGATE_NOTICE] if is_aggregate(asked) else []))
    ended = time.perf_counter()
    timings = {
        "retrieve": (retrieved - started) * 1000,
        "generate": (generated - retrieved) * 1000,
        "verify": (ended - generated) * 1000,
        "total": (ended - started) * 1000,
    }
    result = AskResult(answer, retrieval, passages, engine.version, new_trace_id(), timings)
    if keep is not None:
        keep(trace_of(result, scope=scope, session=session))
    return result


def _complete(question: str, passages: tuple[Passage, ...], generator: Generator, config: Config) -> Completion:
    """What the generator makes of the passages; it is not troubled when there are none."""
    if passages:
        return generator.generate(question, passages)
    return Completion(False, (), config.answer.provider, "", confidence=0.0, not_found_reason="no_candidates")


def with_notices(answer: Answer, *notices: str) -> Answer:
    """``answer`` with further notices in front."""
    return dataclasses.replace(answer, notices=(*notices, *answer.notices)) if notices else answer


def new_trace_id() -> str:
    """Sortable by time, unguessable in its tail: ``20260301T101500-1a2b3c4d``."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"


def trace_of(result: AskResult, *, scope: Scope, session: str | None = None) -> Trace:
    """The trace of a result: only ids and texts that the asker was shown."""
    answer = result.answer
    timings: Mapping[str, float] = {name: round(value, 1) for name, value in result.timings_ms.items()}
    return Trace(
        trace_id=result.trace_id,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        question=answer.question,
        standalone_question=answer.standalone_question,
        index_version=result.index_version,
        mode=result.retrieval.mode,
        found=answer.found,
        not_found_reason=answer.not_found_reason,
        answer=answer.text,
        confidence=answer.confidence,
        hits=tuple((hit.chunk.chunk_id, round(hit.score, 4)) for hit in result.retrieval.hits),
        passages=answer.passages,
        cited=tuple(dict.fromkeys(citation.chunk_id for citation in answer.citations)),
        statuses=tuple(sentence.status for sentence in answer.sentences),
        provider=answer.provider,
        model=answer.model,
        usage=answer.usage,
        timings_ms=timings,
        filters=tuple(str(item) for item in scope.filters),
        groups=scope.groups,
        session=session,
        steps=result.steps,
    )
