"""A question with what may be searched for it; what was gathered; the result, with its notices and its trace."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ragcli.answer.check import suspicion
from ragcli.answer.extract.questions import AGGREGATE_NOTICE, is_aggregate
from ragcli.answer.pack import pack
from ragcli.config import Config
from ragcli.records import Answer, AskResult, Completion, Passage, Queried, Retrieval, Scope, Step, Trace, Usage

if TYPE_CHECKING:
    from ragcli.answer.check.verify import Verifier
    from ragcli.errors import ModelError
    from ragcli.interfaces import Engine, Tokenizer

Retrieve = Callable[[str, Scope], Retrieval]
Keep = Callable[[Trace], None]


@dataclass(frozen=True)
class Gathered:
    """What a generator gets to read about a question, and how it was found."""

    retrieval: Retrieval
    passages: tuple[Passage, ...]
    steps: tuple[Step, ...] = ()
    notices: tuple[str, ...] = ()
    queries: tuple[Queried, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Inquiry:
    """A question, who asks it (``scope``) and what is needed to look for an answer.

    ``standalone_question`` is what is searched for and answered when the question is a follow-up. ``keep`` is called
    with the trace (None: nothing is kept), which names the ``session``. ``spent`` is what was used before, for
    rewriting the question; the answer's usage includes it. An answer that does not speak of every stem in ``about`` is
    none.
    """

    question: str
    retrieve: Retrieve
    engine: Engine
    tokenizer: Tokenizer
    scope: Scope
    config: Config
    standalone_question: str | None = None
    session: str | None = None
    keep: Keep | None = None
    spent: Usage = dataclasses.field(default_factory=Usage)
    about: frozenset[str] = frozenset()

    @property
    def asked(self) -> str:
        """The question that is searched for and answered."""
        return (self.standalone_question or self.question).strip()

    def search(self, query: str) -> Retrieval:
        """One search in what the asker may see."""
        return self.retrieve(query, self.scope)

    def pack(self, retrieval: Retrieval) -> tuple[Passage, ...]:
        """The best passages of a search that fit into the budget."""
        return pack(retrieval, engine=self.engine, config=self.config.answer, tokenizer=self.tokenizer)

    def gather(self, question: str) -> Gathered:
        """The best passages of one search for ``question``."""
        retrieval = self.search(question)
        steps = tuple(Step(part, (), "a part of the question") for part in retrieval.parts)
        return Gathered(retrieval, self.pack(retrieval), steps)

    def conclude(self, answer: Answer, found: Gathered, timings: dict[str, float]) -> AskResult:
        """The result with its notices and all that was used, its trace kept."""
        answer = dataclasses.replace(answer, usage=self.spent + answer.usage)
        answer = with_notices(answer, *found.notices, *_notices(answer.standalone_question, found))
        version, trace_id = self.engine.version, new_trace_id()
        made_by = found.steps, found.queries
        result = AskResult(answer, found.retrieval, found.passages, version, trace_id, timings, *made_by)
        if self.keep is not None:
            self.keep(trace_of(result, scope=self.scope, session=self.session))
        return result

    def fail(self, error: ModelError, found: Gathered, verifier: Verifier, took_ms: float) -> None:
        """Keeps a trace of a question that a model left unanswered, with what of the answer had come."""
        nothing = Completion(False, (), self.config.answer.provider, self.config.answer.model)
        answer = verifier.answer(nothing, question=self.question, standalone_question=self.asked)
        answer = dataclasses.replace(answer, usage=self.spent)
        result = AskResult(
            answer,
            found.retrieval,
            found.passages,
            self.engine.version,
            new_trace_id(),
            {"total": took_ms},
            found.steps,
        )
        if self.keep is not None:
            kept = trace_of(result, scope=self.scope, session=self.session)
            self.keep(dataclasses.replace(kept, not_found_reason=None, failure=error.category))


def _notices(question: str, found: Gathered) -> list[str]:
    notices = [AGGREGATE_NOTICE] if is_aggregate(question) and not found.queries else []
    return notices + [text for text in (suspicion.notice(found.passages),) if text]


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
