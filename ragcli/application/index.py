"""The front door: everything that can be done with one index, for the commands and for guests of the library."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from ragcli.application.models import ConfiguredModels
from ragcli.application.scopes import ScopeOptions, scope_of, several, text
from ragcli.application.settings import Settings, settings_of
from ragcli.application.stores import existing, load_store
from ragcli.config import Config
from ragcli.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from ragcli.answer.calibration import Tuned
    from ragcli.answer.injection import InjectionResult
    from ragcli.application.building import Builder, IngestOptions
    from ragcli.application.curating import GoldenSets
    from ragcli.application.history import Sessions, Traces
    from ragcli.application.results import Evaluated, Explained, Ingested, IngestPlan
    from ragcli.application.versions import Versions
    from ragcli.chunk.plan import ContextPlan
    from ragcli.evaluate.golden_sets.file import GoldenSet
    from ragcli.evaluate.judge.agreement import Agreement
    from ragcli.evaluate.matrix import MatrixResult, MatrixSpec
    from ragcli.interfaces import Progress, Store
    from ragcli.pipelines.asking.ask import OnSentence
    from ragcli.pipelines.asking.prompt import PromptPlan
    from ragcli.pipelines.asking.reader import Reader
    from ragcli.pipelines.building.build import Built
    from ragcli.pipelines.building.chunk import ChunkResult
    from ragcli.pipelines.ingesting.one_file import Inspected
    from ragcli.records import AskResult, Forgotten, Retrieval, Scope, TableInfo
    from ragcli.records.tables import QueryResult

Path_ = str | PathLike[str]


class Index:
    """One index: documents go in, checked answers come out. Close it, or use it as a context manager.

    >>> from ragcli import Index
    >>> with Index.create("handbook.index") as index:
    ...     published = index.ingest(["sample_corpus"])
    ...     result = index.ask("How many remote days per week can I take?")
    >>> result.answer.text
    'Remote work is limited to two days per week [1].'

    A question is answered from the version that was current when the first one was asked (or from ``at``), until this
    object publishes another or ``refresh`` is called. What methods return has the fields that ``rag … --json`` prints:
    ``to_json()`` gives exactly that, ``ragcli.codec.encode`` the plain values of any record. Nothing is loaded before
    it is needed. Errors are ``ragcli.errors.RagError``; ``scope`` options are those of ``ScopeOptions``.
    """

    def __init__(self, config: Config, *, at: str | None = None, store: Store | None = None) -> None:
        """The index of ``config``; nothing is opened yet. ``store`` stands in for the one that the settings name."""
        self.config = config
        self._at = at
        if store is not None:
            self.__dict__["store"] = store

    @classmethod
    def create(cls, path: Path_ | None = None, *, config: Settings = None) -> Index:
        """A new index; the first ``ingest`` makes what is stored. Raises StoreError when one is there already."""
        index = cls(settings_of(config, path))
        if index.store.current() is not None:
            raise StoreError(f"there is an index in {index.store.location}", hint="Index.open opens it")
        return index

    @classmethod
    def open(cls, path: Path_ | None = None, *, config: Settings = None, at: str | None = None) -> Index:
        """An index that has a published version; ``at`` names another than the current one.

        Raises StoreError (``index_missing``) when nothing was published.
        """
        index = cls(settings_of(config, path), at=at)
        if existing(index.store).current() is None and at is None:
            index.store.open()  # raises, and says what is missing
        return index

    def close(self) -> None:
        """Let go of the version that is held; a later question opens the current one."""
        self.refresh()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def refresh(self) -> None:
        """Read the version that is current from now on, when the next question is asked."""
        reader = self.__dict__.pop("reader", None)
        self.__dict__.pop("golden", None)
        if reader is not None:
            reader.close()

    @functools.cached_property
    def store(self) -> Store:
        """Where the index lives."""
        return load_store(self.config)

    @functools.cached_property
    def models(self) -> ConfiguredModels:
        """The models that the settings name."""
        return ConfiguredModels(self.config)

    @functools.cached_property
    def reader(self) -> Reader:
        """The version that questions are asked of, with its models."""
        return self._reader_at(self._at)

    def _reader_at(self, version: str | None) -> Reader:
        from ragcli.pipelines.asking.reader import Reader

        return Reader(self.config, store=self.store, models=self.models, at=version)

    def scope(self, **scope: Unpack[ScopeOptions]) -> Scope:
        """What a question may see. Raises ConfigError for a filter, a group or a date that cannot be used."""
        return scope_of(self.config, scope)

    # ------------------------------------------------------------ building

    def ingest(
        self,
        paths: Path_ | Sequence[Path_],
        *,
        strict: bool = False,
        publish: bool = True,
        wait_seconds: float = 0,
        progress: Progress | None = None,
        **given: Unpack[IngestOptions],
    ) -> Ingested:
        """Bring the index in line with files and folders, and publish a version.

        With ``strict`` nothing is published when a file or page was lost; without ``publish`` it ends with parsing.
        Raises SourceError for a missing path or when too much is gone, IndexLocked when another process writes for
        longer than ``wait_seconds``.
        """
        found = self._builder(wait_seconds, progress).ingest(
            _several_paths(paths), given, strict=strict, publish=publish
        )
        self.refresh()
        return found

    def plan_ingest(self, paths: Path_ | Sequence[Path_], **given: Unpack[IngestOptions]) -> IngestPlan:
        """What an ingest would do and take; nothing is changed."""
        return self._builder().plan_ingest(_several_paths(paths), given)

    def chunk(self, *, wait_seconds: float = 0, progress: Progress | None = None) -> ChunkResult:
        """Cut every ingested document again where the settings ask for it, with statistics over all of them."""
        return self._builder(wait_seconds, progress).chunk()

    def plan_chunking(self, *, wait_seconds: float = 0) -> ContextPlan | None:
        """What chunking would ask of a language model; None when ``chunk.context`` is off."""
        return self._builder(wait_seconds).plan_chunking()

    def build(self, *, rebuild: bool = False, wait_seconds: float = 0, progress: Progress | None = None) -> Built:
        """Cut what changed, embed it and publish a version; ``rebuild`` ignores everything reusable."""
        built = self._builder(wait_seconds, progress).build(rebuild=rebuild)
        self.refresh()
        return built

    def _builder(self, wait_seconds: float = 0, progress: Progress | None = None) -> Builder:
        from ragcli.application.building import Builder

        return Builder(self.config, self.store, self.models, wait_seconds=wait_seconds, progress=progress)

    def forget(self, sources: str | Sequence[str], *, wait_seconds: float = 0) -> Forgotten:
        """Erase documents from every version, cache, trace and conversation; where a text still stands is named.

        Raises ConfigError when no source is named.
        """
        from ragcli.pipelines.forget import forget

        names, store = several(sources, "a source"), existing(self.store)
        if not names:
            raise ConfigError("no source is named: nothing is forgotten", hint="name a document, a file or a folder")
        self.refresh()
        with store.writer(wait_seconds) as writer:
            return forget(names, writer=writer, config=self.config, logs=(store.traces, store.sessions))

    @functools.cached_property
    def versions(self) -> Versions:
        """List, roll back, compare, check and drop versions."""
        from ragcli.application.versions import Versions

        return Versions(self.store, self.config, self._reader_at, self.refresh)

    # ------------------------------------------------------------ asking

    def search(self, question: str, **scope: Unpack[ScopeOptions]) -> Retrieval:
        """The ranked chunks for a question."""
        asked = self.scope(**scope)
        self.reader.begin(text(question, "a question"))
        return self.reader.retrieve(question, asked)

    def ask(
        self,
        question: str,
        *,
        session: str | None = None,
        direct: bool = False,
        agentic: bool = False,
        on_sentence: OnSentence | None = None,
        **scope: Unpack[ScopeOptions],
    ) -> AskResult:
        """The checked answer to a question; a trace is kept where the settings want one.

        ``session`` goes on with a conversation, ``direct`` sends the whole allowed corpus to the model, ``agentic``
        searches in several steps. ``on_sentence`` gets each sentence as soon as it is checked.
        """
        from ragcli.pipelines.asking.conversation import earlier_questions, keep_turn

        asked, reader = self.scope(**scope), self.reader
        reader.begin(text(question, "a question"))
        earlier = earlier_questions(self.sessions.turns(session, asked.groups)) if session is not None else []
        result = reader.ask(
            question,
            asked,
            keep=True,
            earlier=earlier,
            session=session,
            direct=direct,
            agentic=agentic,
            on_sentence=on_sentence,
        )
        if session is not None:
            keep_turn(self.store.sessions, session, asked.groups, result)
        return result

    def plan_prompt(self, question: str, *, direct: bool = False, **scope: Unpack[ScopeOptions]) -> PromptPlan:
        """What would be sent to a model for a question, and at what cost; nothing is sent."""
        from ragcli.pipelines.asking.prompt import plan_prompt

        return plan_prompt(self.reader, text(question, "a question"), self.scope(**scope), direct=direct)

    def tables(self, **scope: Unpack[ScopeOptions]) -> list[TableInfo]:
        """Every table that ``sql`` can read: those of the documents, and last the table of the documents themselves."""
        return list(self.reader.library(self.scope(**scope)).infos())

    def sql(self, query: str, **scope: Unpack[ScopeOptions]) -> QueryResult:
        """One SELECT over the tables in what may be seen; each row comes with the rows of documents it was made of.

        Raises ConfigError for SQL that cannot be run, a table that is not there, or a limit of ``tables`` that is met.
        """
        return self.reader.query(text(query, "a query"), self.scope(**scope))

    def explain(
        self, question: str, expect: str | Sequence[str], *, answers: bool = True, **scope: Unpack[ScopeOptions]
    ) -> Explained:
        """One question followed through every stage, to the one that lost each expected id, source or quote."""
        from ragcli.application.results import Explained
        from ragcli.pipelines.evaluating.explain import explain
        from ragcli.pipelines.evaluating.reader_steps import steps_of

        asked, reader = self.scope(**scope), self.reader
        steps = steps_of(reader, answers=answers)
        wanted = several(expect, "what is expected")
        trails = explain(text(question, "a question"), wanted, engine=reader.engine, steps=steps, scope=asked)
        return Explained(question, reader.engine.version, tuple(trails))

    def inspect(self, target: str, *, groups: Sequence[str] | None = None) -> list[Inspected]:
        """A file as it would be read and cut now, or a document or chunk of the index by its id."""
        from ragcli.pipelines.ingesting.one_file import inspect_file, inspect_indexed

        if Path(target).is_file():
            return inspect_file(Path(target), config=self.config, embedder=self.models.embedder())
        scope = self.scope(groups=groups, include_superseded=True)
        return [inspect_indexed(target, engine=self.reader.engine, scope=scope)]

    def source_path(self, source: str) -> Path | None:
        """The file that a source was read from, None when it is not on this machine (any more)."""
        from ragcli.application.sources import source_path

        return source_path(self.reader.engine.roots, source)

    def gone_roots(self) -> list[Path]:
        """The files and folders that were ingested and are nowhere to be found: what is served of them may be old."""
        from ragcli.application.sources import gone_roots

        return gone_roots(self.reader.engine.roots)

    @functools.cached_property
    def traces(self) -> Traces:
        """Past questions."""
        from ragcli.application.history import Traces

        return Traces(self.store, self.config)

    @functools.cached_property
    def sessions(self) -> Sessions:
        """Conversations."""
        from ragcli.application.history import Sessions

        return Sessions(self.store, self.config)

    # ------------------------------------------------------------ measuring

    def evaluate(
        self,
        golden: GoldenSet | Path_,
        *,
        answers: bool = True,
        judge: bool = False,
        judge_repeats: int = 1,
        fail_under: Mapping[str, float] | None = None,
        baseline: Path_ | None = None,
        allow_other_baseline: bool = False,
        progress: Progress | None = None,
        **scope: Unpack[ScopeOptions],
    ) -> Evaluated:
        """A golden set measured and gated; without ``answers`` only retrieval is.

        ``fail_under`` adds to the thresholds of the settings, ``baseline`` is a run kept by ``Evaluated.save``.
        """
        from ragcli.application.measuring import Gate, load_judge, measure

        before = Path(baseline) if baseline is not None else None
        gate = Gate({**self.config.eval.fail_under, **(fail_under or {})}, before, allow_other_baseline)
        asked = self.scope(**scope)
        judged = load_judge(self.config, self.store, repeats=judge_repeats) if judge else None
        cases = _golden(golden)
        return measure(cases, self.reader, asked, answers=answers, gate=gate, judge=judged, progress=progress)

    def evaluate_matrix(
        self,
        spec: MatrixSpec | Path_,
        golden: GoldenSet | Path_,
        *,
        configure: Callable[[dict[str, object]], Config],
        answers: bool = True,
        progress: Progress | None = None,
        **scope: Unpack[ScopeOptions],
    ) -> tuple[MatrixSpec, list[MatrixResult]]:
        """A golden set over several settings, compared; ``configure`` gives the settings of a row from its changes."""
        from ragcli.application.measuring import read_matrix, run_matrix

        rows = read_matrix(Path(spec)) if isinstance(spec, str | PathLike) else spec
        return rows, run_matrix(
            rows,
            _golden(golden),
            self.scope(**scope),
            base=self.config,
            store=self.store,
            configure=configure,
            answers=answers,
            progress=progress,
        )

    def tune(
        self, golden: GoldenSet | Path_, *, progress: Progress | None = None, **scope: Unpack[ScopeOptions]
    ) -> Tuned:
        """The threshold under which an answer is withheld, fitted on a golden set, with its cross-validated gain."""
        from ragcli.pipelines.evaluating.reader_steps import tune_reader

        return tune_reader(_golden(golden), self.reader, self.scope(**scope), progress)

    def check_judge(self, labelled: Path_, *, repeats: int = 1, progress: Progress | None = None) -> Agreement:
        """How far the configured judge agrees with people, on a labelled file; kept for later runs."""
        from ragcli.application.measuring import check_judge

        return check_judge(Path(labelled), self.config, self.store, repeats=repeats, progress=progress)

    def run_injection(self, *, progress: Progress | None = None) -> list[InjectionResult]:
        """The suite of poisoned documents through the configured answerer; it needs no index."""
        from ragcli.pipelines.evaluating.injection import run_suite

        embedder = None if self.config.retrieve.mode == "bm25" else self.models.embedder()
        return run_suite(self.models.generator(embedder), progress=progress)

    @functools.cached_property
    def golden(self) -> GoldenSets:
        """Golden sets proposed, checked and extended over the version that is read."""
        from ragcli.application.curating import GoldenSets

        return GoldenSets(self.reader, self.models)


def _golden(given: GoldenSet | Path_) -> GoldenSet:
    from ragcli.evaluate.golden_sets.file import GoldenSet, load_golden

    if isinstance(given, str | PathLike):
        return load_golden(Path(given))
    if not isinstance(given, GoldenSet):
        raise TypeError(f"a golden set is a GoldenSet or the path of its file, not {given!r}")
    return given


def _several_paths(paths: Path_ | Sequence[Path_]) -> Sequence[Path_]:
    return (paths,) if isinstance(paths, str | PathLike) else paths
