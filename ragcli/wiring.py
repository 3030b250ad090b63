"""From settings to the concrete stages: the one place that knows every class.

Everything is built when it is first asked for, so a lexical search loads no model and ``versions list`` no engine.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config, RetrieveConfig
from ragcli.errors import StoreError

if TYPE_CHECKING:
    from ragcli.evaluate.golden import GoldenSet
    from ragcli.evaluate.run import EvalRun
    from ragcli.index.engine import FolderEngine
    from ragcli.index.folder import IndexFolder
    from ragcli.index.writer import Writer
    from ragcli.interfaces import Embedder, Generator, Progress, Reranker, Tokenizer
    from ragcli.pipelines.chunk import ChunkResult
    from ragcli.pipelines.evaluate import Steps
    from ragcli.records import (
        AskResult,
        Chunk,
        Document,
        FileReport,
        GoldenCase,
        Retrieval,
        Scope,
        Trace,
    )
    from ragcli.traces import Traces


def index_folder(config: Config) -> IndexFolder:
    """The configured index folder, which need not exist yet."""
    from ragcli.index.folder import IndexFolder

    return IndexFolder(config.index_path, config.index)


def traces(config: Config) -> Traces:
    """The past questions kept beside the index."""
    from ragcli.traces import Traces

    return Traces(config.index_path / "traces")


# ---------------------------------------------------------------- models


def load_embedder(config: Config) -> Embedder:
    """The configured embedding model; a local folder is relative to the settings file. Cheap until it is used."""
    from ragcli.embed.loading import load_embedder as load

    settings = dataclasses.replace(config.embed, model=_model(config, config.embed.model))
    return load(settings, offline=config.offline)


def load_reranker(config: Config, embedder: Callable[[], Embedder]) -> Reranker | None:
    """The configured reranker, None for none; ``embedder`` is called only by a method that needs it."""
    from ragcli.retrieve.rerank import load_reranker as load

    settings = dataclasses.replace(config.rerank, model=_model(config, config.rerank.model))
    return load(settings, embedder() if settings.method == "maxsim" else None, offline=config.offline)


def _model(config: Config, name: str) -> str:
    """A model name as it is; one that is a folder beside the settings file as its path."""
    path = Path(name).expanduser()
    beside = config.base / path
    return str(beside) if name and not path.is_absolute() and beside.is_dir() else name


# ---------------------------------------------------------------- reading an index


class Stages:
    """The stages that answer questions from one version of an index."""

    def __init__(self, config: Config, *, at: str | None = None) -> None:
        self.config = config
        self.notices: list[str] = []
        self._at = at

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

        found = load_embedder(self.config)
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
        """The configured answerer."""
        from ragcli.answer.extractive import ExtractiveAnswerer

        return ExtractiveAnswerer(self.config.answer, None if self.lexical else self.embedder)

    def expect(self, questions: Sequence[str]) -> None:
        """Embed these questions in one batch when the first of them is asked."""
        from ragcli.pipelines.prefetch import Prefetched

        if not self.lexical:
            self.__dict__["embedder"] = Prefetched(self.embedder, questions)

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

    def ask(self, question: str, scope: Scope, *, keep: bool = False) -> AskResult:
        """The checked answer to a question, under the settings; ``keep`` leaves a trace where the settings want one."""
        from ragcli.pipelines.ask import ask

        return ask(
            question,
            retrieve=self.retrieve,
            engine=self.engine,
            generator=self.generator,
            tokenizer=self.tokenizer,
            scope=scope,
            config=self.config,
            keep=self._keep if keep and self.config.trace.enabled else None,
        )

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
        """The file that a source was read from, None when it is not known or no longer there."""
        return None


def evaluation_steps(stages: Stages, *, answers: bool) -> Steps:
    """What an evaluation runs each case through; without ``answers`` only retrieval."""
    from ragcli.pipelines.evaluate import Steps
    from ragcli.pipelines.explain import leg_probe
    from ragcli.retrieve.filters import parse_filter

    def ask(case: GoldenCase, scope: Scope) -> AskResult:
        return stages.ask(case.question, scope)

    return Steps(
        stages.retrieve,
        stages.config.retrieve.k,
        ask=ask if answers else None,
        probe=leg_probe(stages.engine, lambda: stages.embedder),
        parse_filter=parse_filter,
    )


def evaluate(
    golden: GoldenSet, stages: Stages, scope: Scope, *, answers: bool, progress: Progress | None = None
) -> EvalRun:
    """A golden set through the stages; without ``answers`` only retrieval is measured."""
    from ragcli.pipelines.evaluate import evaluate as run_evaluation

    stages.expect([case.question for case in golden.cases])
    return run_evaluation(
        golden,
        engine=stages.engine,
        steps=evaluation_steps(stages, answers=answers),
        scope=scope,
        config=stages.config,
        corpus=stages.corpus,
        progress=progress,
    )


# ---------------------------------------------------------------- building an index


@dataclass(frozen=True)
class Built:
    """What chunking and publishing did; ``index_version`` is None when nothing had changed."""

    index_version: str | None
    documents: int
    chunks: int
    truncated_chunks: int
    recall_at_10: float | None
    seconds: Mapping[str, float]
    notices: tuple[str, ...]


def build(config: Config, writer: Writer, *, rebuild: bool = False, progress: Progress | None = None) -> Built:
    """Cut what changed, embed it, and publish a version."""
    from ragcli.pipelines.chunk import chunk as run_chunk
    from ragcli.pipelines.index import build_index

    embedder = load_embedder(config)
    cut = run_chunk(config=config, writer=writer, embedder=embedder, force=rebuild, progress=progress)
    made = build_index(config=config, writer=writer, embedder=embedder, rebuild=rebuild, progress=progress)
    published = made.published
    return Built(
        index_version=published.version,
        documents=published.documents,
        chunks=published.chunks,
        truncated_chunks=cut.truncated,
        recall_at_10=published.recall_at_10,
        seconds={"chunk": cut.seconds, **published.seconds},
        notices=published.notices,
    )


def chunk(config: Config, writer: Writer, *, progress: Progress | None = None) -> ChunkResult:
    """Cut every ingested document again where the settings ask for it, with statistics over all of them."""
    from ragcli.pipelines.chunk import chunk as run_chunk

    embedder = load_embedder(config)
    return run_chunk(config=config, writer=writer, embedder=embedder, all_statistics=True, progress=progress)


def parse_file(path: Path, config: Config) -> tuple[tuple[Document, ...], tuple[FileReport, ...]]:
    """One file as an ingest would read it, with its reports."""
    from ragcli.parse.metadata import describe
    from ragcli.parse.pool import parse_files
    from ragcli.parse.walk import SourceFile, walk
    from ragcli.records import FileReport

    met = list(walk(path, config.ingest))
    files = [item for item in met if isinstance(item, SourceFile)]
    documents: list[Document] = []
    reports = [item for item in met if isinstance(item, FileReport)]
    for parsed in parse_files(files, config.ingest):
        documents += [describe(document, config.ingest.rules, {}, ())[0] for document in parsed.documents]
        reports += parsed.reports
    return tuple(documents), tuple(reports)


def chunk_document(document: Document, config: Config) -> tuple[Chunk, ...]:
    """A document cut under the present settings."""
    from ragcli.chunk.chunker import chunk_document as cut

    embedder = load_embedder(config)
    return cut(document, tokenizer=embedder.tokenizer, config=config.chunk, window=embedder.info.window)
