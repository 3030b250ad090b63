"""A question to a checked answer: gather passages, generate, verify, and keep a trace."""

from __future__ import annotations

import dataclasses
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ragcli.answer import suspicion
from ragcli.answer.pack import pack
from ragcli.answer.questions import AGGREGATE_NOTICE, is_aggregate
from ragcli.answer.verify import Verifier
from ragcli.config import Config
from ragcli.errors import ConfigError
from ragcli.interfaces import Engine, Generator, StreamingGenerator, Tokenizer
from ragcli.records import (
    Answer,
    AskResult,
    Citation,
    Claim,
    Completion,
    Passage,
    Retrieval,
    Scope,
    Sentence,
    Step,
    Trace,
    Usage,
)

Retrieve = Callable[[str, Scope], Retrieval]
Keep = Callable[[Trace], None]
OnSentence = Callable[[Sentence, tuple[Citation, ...]], None]


@dataclass(frozen=True)
class Gathered:
    """What a generator gets to read about a question, and how it was found."""

    retrieval: Retrieval
    passages: tuple[Passage, ...]
    steps: tuple[Step, ...] = ()
    notices: tuple[str, ...] = ()


Gather = Callable[[str], Gathered]


def gather_best(
    question: str, *, retrieve: Retrieve, engine: Engine, tokenizer: Tokenizer, scope: Scope, config: Config
) -> Gathered:
    """The best passages of one search, packed into the budget."""
    retrieval = retrieve(question, scope)
    return Gathered(retrieval, pack(retrieval, engine=engine, config=config.answer, tokenizer=tokenizer))


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
    gather: Gather | None = None,
    on_sentence: OnSentence | None = None,
    spent: Usage | None = None,
) -> AskResult:
    """The checked answer to ``question`` from what ``scope`` may see.

    ``standalone_question`` is what is searched for and answered when the question is a follow-up. ``keep`` is called
    with the trace (None: nothing is kept). ``gather`` stands in for one search (the whole corpus, several searches).
    ``on_sentence`` gets each sentence as soon as it is written and checked, with the citations it is first to use.
    ``spent`` is what was used before, for rewriting the question; the answer's usage includes it.
    Raises ConfigError for an empty question, ModelError from the generator.
    """
    started = time.perf_counter()
    asked = (standalone_question or question).strip()
    if not asked:
        raise ConfigError("the question is empty", hint='rag ask "How many remote days per week can I take?"')
    if gather is None:
        found = gather_best(asked, retrieve=retrieve, engine=engine, tokenizer=tokenizer, scope=scope, config=config)
    else:
        found = gather(asked)
    gathered = time.perf_counter()
    verifier = Verifier(found.passages)
    completion = _complete(asked, found.passages, generator, config, _checking(verifier, on_sentence))
    generated = time.perf_counter()
    if on_sentence is None:
        for claim in completion.claims if completion.found else ():
            verifier.add(claim)
    answer = verifier.answer(completion, question=question, standalone_question=asked)
    ended = time.perf_counter()
    timings = {
        "retrieve": (gathered - started) * 1000,
        "generate": (generated - gathered) * 1000,
        "verify": (ended - generated) * 1000,
        "total": (ended - started) * 1000,
    }
    answer = dataclasses.replace(answer, usage=(spent or Usage()) + answer.usage)
    return conclude(answer, found, engine=engine, scope=scope, timings=timings, session=session, keep=keep)


def conclude(
    answer: Answer,
    found: Gathered,
    *,
    engine: Engine,
    scope: Scope,
    timings: dict[str, float],
    session: str | None,
    keep: Keep | None,
) -> AskResult:
    """The result with its notices, its trace kept."""
    answer = with_notices(answer, *found.notices, *_notices(answer.standalone_question, found.passages))
    result = AskResult(answer, found.retrieval, found.passages, engine.version, new_trace_id(), timings, found.steps)
    if keep is not None:
        keep(trace_of(result, scope=scope, session=session))
    return result


def _checking(verifier: Verifier, on_sentence: OnSentence | None) -> Callable[[Claim], None] | None:
    """Checks each claim as it comes and passes the sentence on."""
    if on_sentence is None:
        return None
    show = on_sentence

    def on_claim(claim: Claim) -> None:
        if (checked := verifier.add(claim)) is not None:
            show(*checked)

    return on_claim


def _complete(
    question: str,
    passages: tuple[Passage, ...],
    generator: Generator,
    config: Config,
    on_claim: Callable[[Claim], None] | None,
) -> Completion:
    """What the generator makes of the passages; it is not troubled when there are none."""
    if not passages:
        return Completion(False, (), config.answer.provider, "", confidence=0.0, not_found_reason="no_candidates")
    if on_claim is None:
        return generator.generate(question, passages)
    if isinstance(generator, StreamingGenerator):
        return generator.generate_streaming(question, passages, on_claim)
    completion = generator.generate(question, passages)
    for claim in completion.claims if completion.found else ():
        on_claim(claim)
    return completion


def _notices(question: str, passages: Sequence[Passage]) -> list[str]:
    found = [AGGREGATE_NOTICE] if is_aggregate(question) else []
    return found + [text for text in (suspicion.notice(passages),) if text]


def with_notices(answer: Answer, *notices: str) -> Answer:
    """``answer`` with further notices in front."""
    return dataclasses.replace(answer, notices=(*notices, *answer.notices)) if notices else answer


def new_trace_id() -> str:
    """Sortable by time, unguessable in its tail: ``20260301T101500-1a2b3c4d``."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"


def trace_of(result: AskResult, *, scope: Scope, session: str | None = None) -> Trace:
    """The trace of a result: only ids and texts that the asker was shown."""
    answer = result.answer
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
        timings_ms={name: round(value, 1) for name, value in result.timings_ms.items()},
        filters=tuple(str(item) for item in scope.filters),
        groups=scope.groups,
        session=session,
        steps=result.steps,
    )
