"""Reading an index: the stages that search and answer, each built when it is first asked for."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragcli.config import Config, RetrieveConfig
from ragcli.errors import ConfigError, StoreError
from ragcli.wiring.models import load_embedder, load_reranker

if TYPE_CHECKING:
    from ragcli.answer.model.written import WrittenAnswerer
    from ragcli.index.engine import FolderEngine
    from ragcli.index.folder import IndexFolder
    from ragcli.interfaces import Embedder, Generator, Reranker, Tokenizer
    from ragcli.pipelines.asking.ask import Gather, OnSentence
    from ragcli.pipelines.asking.inquiry import Inquiry
    from ragcli.pipelines.asking.prefetch import Prefetched
    from ragcli.records import AskResult, Passage, Retrieval, Scope, Trace, Usage
    from ragcli.sessions import Sessions
    from ragcli.traces import Traces


def index_folder(config: Config) -> IndexFolder:
    """The configured index folder, which need not exist yet."""
    from ragcli.index.folder import IndexFolder

    return IndexFolder(_place(config), config.index)


def _place(config: Config) -> Path:
    """The path of the index. Raises StoreError when it is no folder."""
    path = config.index_path
    if path.exists() and not path.is_dir():
        hint = "name a folder, with --index or index.path"
        raise StoreError(f"{path} is a file, no index folder", hint=hint, category="index_missing")
    return path


def existing_folder(config: Config) -> IndexFolder:
    """The configured index folder. Raises StoreError when nothing was ever ingested into it."""
    folder = index_folder(config)
    if not folder.path.is_dir():
        raise StoreError(f"no index in {folder.path}", hint="rag ingest PATH makes one", category="index_missing")
    return folder


def traces(config: Config) -> Traces:
    """The past questions kept beside the index."""
    from ragcli.traces import Traces

    return Traces(_place(config) / "traces")


def sessions(config: Config) -> Sessions:
    """The conversations kept beside the index."""
    from ragcli.sessions import Sessions

    return Sessions(_place(config) / "sessions")


class Stages:
    """The stages that answer questions from one version of an index."""

    def __init__(self, config: Config, *, at: str | None = None) -> None:
        self.config = config
        self.notices: list[str] = []
        self._at = at
        self._early: Prefetched | None = None

    @functools.cached_property
    def engine(self) -> FolderEngine:
        """The version in use, held from now on. Raises StoreError when there is none or it cannot be read."""
        return index_folder(self.config).open(self._at)

    @property
    def corpus(self) -> str:
        """Fingerprint of the documents in the version."""
        return self.engine.manifest.fingerprint

    @functools.cached_property
    def embedder(self) -> Embedder:
        """The configured embedding model, checked against the one that made the index."""
        from ragcli.index.folder import check_embedder

        found = self._early or load_embedder(self.config)
        check_embedder(self.engine.embedder, found.info)
        return found

    @functools.cached_property
    def reranker(self) -> Reranker | None:
        """The configured reranker, or None."""
        return load_reranker(self.config, lambda: self.embedder)

    @property
    def lexical(self) -> bool:
        """Whether questions are answered without any model."""
        return self.config.retrieve.mode == "bm25"

    @property
    def tokenizer(self) -> Tokenizer:
        """The embedding model's tokenizer; loads no weights."""
        return (load_embedder(self.config) if self.lexical else self.embedder).tokenizer

    @functools.cached_property
    def generator(self) -> Generator:
        """The configured answerer. Raises ModelError when it may not or cannot be used."""
        from ragcli.answer.loading import load_generator

        return load_generator(self.config, embedder=None if self.lexical else self.embedder, environ=os.environ)

    def expect(self, questions: Sequence[str]) -> None:
        """Embed these questions in one batch when the first of them is asked."""
        from ragcli.pipelines.asking.prefetch import Prefetched

        if not self.lexical:
            self.__dict__["embedder"] = Prefetched(self.embedder, questions)

    def begin(self, question: str) -> None:
        """Load the model in the background and embed this question, while the index opens."""
        from ragcli.pipelines.asking.prefetch import Prefetched

        if not self.lexical and (self.config.index_path / "CURRENT").is_file():
            self._early = Prefetched(load_embedder(self.config), [question])
            self._early.start()

    def retrieve(self, question: str, scope: Scope, settings: RetrieveConfig | None = None) -> Retrieval:
        """The ranked chunks for a question, under the settings or the ``settings`` given for this search."""
        from ragcli.retrieve.search import retrieve

        settings = settings or self.config.retrieve
        return retrieve(
            question,
            engine=self.engine,
            embedder=None if settings.mode == "bm25" else self.embedder,
            reranker=self.reranker,
            scope=scope,
            config=settings,
            rerank=self.config.rerank,
        )

    def passages(self, question: str, scope: Scope, *, direct: bool = False) -> tuple[Passage, ...]:
        """What would be given to the generator for a question."""
        inquiry = self._inquiry(question, scope)
        gather = self._gather_all(inquiry) if direct else inquiry.gather
        return gather(question).passages

    def request(self, question: str, passages: Sequence[Passage]) -> dict[str, Any] | None:
        """The body that would be sent to the model behind the Messages API; None when nothing leaves the machine."""
        from ragcli.answer.model import prompt

        settings = self.config.answer
        if settings.provider == "extractive":
            return None
        return prompt.request(question, passages, model=settings.model, max_tokens=settings.max_tokens, schema=True)

    def ask(
        self,
        question: str,
        scope: Scope,
        *,
        keep: bool = False,
        earlier: Sequence[str] = (),
        session: str | None = None,
        direct: bool = False,
        agentic: bool = False,
        on_sentence: OnSentence | None = None,
    ) -> AskResult:
        """The checked answer to a question, under the settings.

        ``keep`` leaves a trace where the settings want one. ``earlier`` are the questions before this one, for a
        follow-up. ``direct`` sends the whole allowed corpus, ``agentic`` searches in several steps. ``on_sentence``
        gets each sentence as soon as it is checked.
        """
        from ragcli.pipelines.asking.ask import ask

        alone, spent = self._standalone(question, earlier)
        kept = self._keep if keep and self.config.trace.enabled else None
        inquiry = self._inquiry(question, scope, standalone_question=alone, spent=spent, session=session, keep=kept)
        if agentic:
            return self._ask_in_steps(inquiry)
        gather = self._gather_all(inquiry) if direct else None
        return ask(inquiry, generator=self.generator, gather=gather, on_sentence=on_sentence)

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

    def _standalone(self, question: str, earlier: Sequence[str]) -> tuple[str, Usage]:
        """A follow-up as a question of its own, by the model that answers or by rule, and what that cost."""
        from ragcli.answer.extract.followup import standalone
        from ragcli.records import Usage

        if self.written is None or not earlier:
            return standalone(question, earlier), Usage()
        from ragcli.answer.model.rewriting import rewrite

        return rewrite(question, earlier, client=self.written.client, model=self.config.answer.model)

    def _ask_in_steps(self, inquiry: Inquiry) -> AskResult:
        """A model decides what to search for; without one the question is taken apart by rule."""
        from ragcli.answer.model.searching import SearchingAnswerer
        from ragcli.pipelines.asking.agentic import ask_in_parts, ask_with_searches

        if self.written is None:
            return ask_in_parts(inquiry, generator=self.generator)
        answerer = SearchingAnswerer(self.config.answer, self.written.client)
        return ask_with_searches(inquiry, answerer=answerer)

    @property
    def written(self) -> WrittenAnswerer | None:
        """The answerer behind the Messages API; None when answers are made on this machine."""
        return cast("WrittenAnswerer", self.generator) if self.config.answer.provider == "anthropic" else None

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
        import datetime

        kept = traces(self.config)
        try:
            kept.append(trace)
            kept.remove_old(self.config.trace.keep_days, datetime.date.today())
        except (StoreError, OSError) as error:
            self.notices.append(f"no trace was kept: {error}")

    def source_path(self, source: str) -> Path | None:
        """The file that a source was read from, None when it is not on this machine (any more)."""
        outer = source.partition("!")[0]
        for label, text in self.engine.manifest.roots.items():
            root = Path(text)
            places = (root / outer, root / outer.removeprefix(f"{label}/"), root if root.name == outer else None)
            for place in places:
                if place is not None and place.is_file():
                    return place
        return None
