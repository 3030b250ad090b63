"""One version of an index with the models that search it and answer from it: a question in, a checked answer out.

Everything is loaded when it is first needed, so a lexical search loads no model.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from ragcli.config import Config, RetrieveConfig
from ragcli.errors import ConfigError, ModelError, StoreError

if TYPE_CHECKING:
    from ragcli.answer.extract.followup import EarlierQuestion, Meaning
    from ragcli.answer.model.written import WrittenAnswerer
    from ragcli.interfaces import Embedder, Engine, Generator, Models, Reranker, Store, Tokenizer
    from ragcli.pipelines.asking.ask import Gather, OnSentence
    from ragcli.pipelines.asking.inquiry import Inquiry
    from ragcli.pipelines.asking.prefetch import Prefetched
    from ragcli.pipelines.querying.library import Library
    from ragcli.records import AskResult, Passage, Retrieval, Scope, Trace, Usage
    from ragcli.records.tables import QueryResult


class Reader:
    """Searches and answers from the version ``at`` of a store (None: the current one), held until ``close``.

    ``notices`` gathers what a user should know about how it went.
    """

    def __init__(self, config: Config, *, store: Store, models: Models, at: str | None = None) -> None:
        self.config = config
        self.notices: list[str] = []
        self._store = store
        self._models = models
        self._at = at
        self._early: Prefetched | None = None

    def close(self) -> None:
        """Let go of the version."""
        engine = self.__dict__.pop("engine", None)
        if engine is not None:
            engine.close()

    @functools.cached_property
    def engine(self) -> Engine:
        """The version, held from now on. Raises StoreError when there is none or it cannot be read."""
        return self._store.open(self._at)

    @functools.cached_property
    def embedder(self) -> Embedder:
        """The configured embedding model, checked against the one that made the index."""
        from ragcli.index.compatibility import check_embedder

        found = self._early or self._models.embedder()
        check_embedder(self.engine.embedder, found.info)
        return found

    @functools.cached_property
    def reranker(self) -> Reranker | None:
        """The configured reranker, or None."""
        return self._models.reranker(lambda: self.embedder)

    @property
    def lexical(self) -> bool:
        """Whether questions are answered without any embedding model."""
        return self.config.retrieve.mode == "bm25"

    @property
    def tokenizer(self) -> Tokenizer:
        """The embedding model's tokenizer; loads no weights."""
        return (self._models.embedder() if self.lexical else self.embedder).tokenizer

    @functools.cached_property
    def generator(self) -> Generator:
        """The configured answerer. Raises ModelError when it may not or cannot be used."""
        return self._models.generator(None if self.lexical else self.embedder)

    @property
    def written(self) -> WrittenAnswerer | None:
        """The answerer behind an API; None when answers are made on this machine."""
        return cast("WrittenAnswerer", self.generator) if self.config.answer.by_model else None

    def expect(self, questions: Sequence[str]) -> None:
        """Embed these questions in one batch when the first of them is asked."""
        if not self.lexical:
            from ragcli.pipelines.asking.prefetch import Prefetched

            self.__dict__["embedder"] = Prefetched(self.embedder, questions)

    def begin(self, question: str) -> None:
        """Load the model in the background and embed this question, while the index opens."""
        if not self.lexical and "embedder" not in self.__dict__ and self._store.current() is not None:
            from ragcli.pipelines.asking.prefetch import Prefetched

            self._early = Prefetched(self._models.embedder(), [question])
            self._early.start()

    def retrieve(self, question: str, scope: Scope, settings: RetrieveConfig | None = None) -> Retrieval:
        """The ranked chunks for a question, under the settings or the ``settings`` given for this search."""
        from ragcli.pipelines.asking.several import search_in_turns
        from ragcli.retrieve.search import retrieve

        settings = settings or self.config.retrieve
        search = functools.partial(
            retrieve,
            engine=self.engine,
            embedder=None if settings.mode == "bm25" else self.embedder,
            reranker=self.reranker,
            scope=scope,
            config=settings,
            rerank=self.config.rerank,
        )
        return search_in_turns(question, search) if settings.split else search(question)

    def passages(self, question: str, scope: Scope, *, direct: bool = False) -> tuple[Passage, ...]:
        """What would be given to the generator for a question."""
        inquiry = self._inquiry(question, scope)
        gather = self._gather_all(inquiry) if direct else inquiry.gather
        return gather(question).passages

    def request(self, question: str, passages: Sequence[Passage]) -> dict[str, Any] | None:
        """The body that would be sent to the model for a question; None when nothing leaves the machine."""
        return self._models.request(question, passages)

    def ask(
        self,
        question: str,
        scope: Scope,
        *,
        keep: bool = False,
        earlier: Sequence[EarlierQuestion] = (),
        session: str | None = None,
        direct: bool = False,
        agentic: bool = False,
        on_sentence: OnSentence | None = None,
    ) -> AskResult:
        """The checked answer to a question, under the settings.

        ``keep`` leaves a trace where the settings want one. ``earlier`` are the questions before this one: a follow-up
        is asked in each of its meanings, and answered in the likeliest. ``direct`` sends the whole allowed corpus,
        ``agentic`` searches in several steps. ``on_sentence`` gets each sentence as soon as it is checked.
        """
        from ragcli.pipelines.asking.conversation import inside, likeliest, with_place

        found, spent = self._meanings(question, earlier)
        traces: list[Trace] = []
        inquiries = [
            self._inquiry(
                question,
                inside(scope, one.source),
                standalone_question=one.question,
                about=one.about,
                spent=spent,
                session=session,
                keep=traces.append if keep and self.config.trace.enabled else None,
            )
            for one in found
        ]
        shown = on_sentence if len(found) == 1 else None
        try:
            made = [self._ask_one(one, direct=direct, agentic=agentic, on_sentence=shown) for one in inquiries]
        except ModelError:
            for trace in traces:
                if trace.failure:
                    self._keep(trace)
            raise
        chosen = likeliest(made)
        for trace in traces:
            if trace.trace_id == made[chosen].trace_id:
                self._keep(trace)
        return with_place(made[chosen], found[chosen].source)

    def _ask_one(self, inquiry: Inquiry, *, direct: bool, agentic: bool, on_sentence: OnSentence | None) -> AskResult:
        from ragcli.pipelines.asking.ask import ask

        if agentic:
            return self._ask_in_steps(inquiry)
        scope = inquiry.scope
        library = functools.cache(lambda: self.library(scope))  # made for the few questions that need it, once
        if self.config.answer.provider == "extractive" and (queried := self._ask_tables(inquiry, library)) is not None:
            return queried
        gather = self._gather_all(inquiry) if direct else None
        result = ask(inquiry, generator=self.generator, gather=gather, on_sentence=on_sentence)
        return result if result.answer.found else self._with_tables_named(inquiry, library, result)

    def library(self, scope: Scope) -> Library:
        """The tables that a scope holds."""
        from ragcli.pipelines.querying.library import Library

        return Library(self.engine, scope)

    def query(self, sql: str, scope: Scope) -> QueryResult:
        """One SELECT over the tables that a scope holds. Raises ConfigError for SQL that cannot be run."""
        from ragcli.pipelines.querying.query import run_query

        library = self.library(scope)
        return run_query(sql, library, config=self.config.tables, index_version=self.engine.version)

    def _inquiry(self, question: str, scope: Scope, **more: Any) -> Inquiry:
        from ragcli.pipelines.asking.inquiry import Inquiry

        return Inquiry(
            question=question,
            retrieve=self.retrieve,
            engine=self.engine,
            tokenizer=self.tokenizer,
            scope=scope,
            config=self.config,
            **more,
        )

    def _meanings(self, question: str, earlier: Sequence[EarlierQuestion]) -> tuple[tuple[Meaning, ...], Usage]:
        """What a question may mean, by the model that answers or by rule, and what that cost."""
        from ragcli.answer.extract.followup import Meaning, meanings
        from ragcli.records import Usage

        if self.written is None or not earlier:
            return meanings(question, earlier), Usage()
        from ragcli.answer.model.rewriting import rewrite

        asked = [one.question for one in earlier]
        alone, spent = rewrite(question, asked, client=self.written.client, model=self.config.answer.model)
        return (Meaning(alone),), spent

    def _ask_tables(self, inquiry: Inquiry, library: Callable[[], Library]) -> AskResult | None:
        """The answer of one query over one table where the question asks for no more; None otherwise."""
        from ragcli.tables.asked import asked

        if asked(inquiry.asked) is None:
            return None
        from ragcli.pipelines.querying.tabular import ask_tables
        from ragcli.tables.sandbox import is_installed

        return ask_tables(inquiry, library()) if is_installed() else None

    def _with_tables_named(self, inquiry: Inquiry, library: Callable[[], Library], result: AskResult) -> AskResult:
        """What was not answered, with the table that may, where the question is one over a whole collection."""
        from ragcli.answer.extract.questions import is_aggregate

        if not is_aggregate(inquiry.asked):
            return result
        from ragcli.pipelines.asking.inquiry import with_notices
        from ragcli.pipelines.querying.tabular import tables_named

        notice = tables_named(inquiry, library())
        return dataclasses.replace(result, answer=with_notices(result.answer, *filter(None, [notice])))

    def _ask_in_steps(self, inquiry: Inquiry) -> AskResult:
        """A model decides what to search for; without one every search takes the question apart by rule."""
        from ragcli.answer.model.searching import SearchingAnswerer
        from ragcli.pipelines.asking.agentic import ask_with_searches
        from ragcli.pipelines.asking.ask import ask
        from ragcli.pipelines.querying.tool import query_tool

        if self.written is None:
            return ask(inquiry, generator=self.generator)
        answerer = SearchingAnswerer(self.config.answer, self.written.client)
        querying = query_tool(inquiry, self.library(inquiry.scope))
        return ask_with_searches(inquiry, answerer=answerer, querying=querying)

    def _gather_all(self, inquiry: Inquiry) -> Gather:
        from ragcli.pipelines.asking.direct import gather_all

        if self.written is None:
            raise ConfigError(
                "--direct sends the whole corpus to a model, and answer.provider is extractive",
                hint="--provider anthropic; without a model leave --direct out",
            )
        return functools.partial(gather_all, inquiry=inquiry)

    def direct_advice(self, scope: Scope) -> str:
        """A notice that the whole corpus would fit into the model's prompt; empty when not, or when none is used."""
        from ragcli.pipelines.asking.direct import advice, corpus_size

        if self.written is None:
            return ""
        return advice(corpus_size(self.engine, scope, self.config), self.config)

    def _keep(self, trace: Trace) -> None:
        """Keep a trace and drop old ones; an index that cannot be written is no reason to withhold an answer."""
        kept = self._store.traces
        try:
            kept.append(trace)
            kept.remove_old(self.config.trace.keep_days, datetime.date.today())
        except (StoreError, OSError) as error:
            self.notices.append(f"no trace was kept: {error}")
