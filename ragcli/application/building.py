"""What ``Index.ingest``, ``chunk`` and ``build`` do: the pipelines of the write side under one hold of the writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TypedDict

from ragcli.application.models import ConfiguredModels
from ragcli.application.peak_memory import peak_bytes
from ragcli.application.results import Ingested, IngestPlan
from ragcli.application.stores import existing
from ragcli.chunk.plan import ContextPlan
from ragcli.config import Config
from ragcli.interfaces import Progress, Store, StoreWriter, TextModel
from ragcli.pipelines.building.build import Built, build
from ragcli.pipelines.building.chunk import ChunkResult, chunk, plan_contexts
from ragcli.pipelines.ingesting.ingest import ingest
from ragcli.pipelines.ingesting.plan import plan


class IngestOptions(TypedDict, total=False):
    """``meta`` and ``acl`` are given to every document under the paths, and hold until others are (an ``acl`` of no
    group takes them away); ``force`` reads unchanged files again; ``max_delete`` is the share, in per cent, of a
    root's documents that may be gone."""

    meta: Mapping[str, str] | None
    acl: Sequence[str] | None
    force: bool
    max_delete: float | None


class Builder:
    """The write side of one index; each call waits ``wait_seconds`` for another writer and reports ``progress``."""

    def __init__(
        self,
        config: Config,
        store: Store,
        models: ConfiguredModels,
        *,
        wait_seconds: float = 0,
        progress: Progress | None = None,
    ) -> None:
        self._config = config
        self._store = store
        self._models = models
        self._wait_seconds = wait_seconds
        self._progress = progress

    def ingest(
        self, paths: Sequence[str | PathLike[str]], given: IngestOptions, *, strict: bool, publish: bool
    ) -> Ingested:
        """Files to staged documents and, unless one was lost under ``strict``, to a version."""
        files = [Path(path) for path in paths]
        with self._store.writer(self._wait_seconds) as writer:
            parsed = ingest(files, config=self._config, writer=writer, progress=self._progress, **given)
            wanted = publish and not (strict and parsed.lost)
            built = self._build(writer, rebuild=False) if wanted else None
        return Ingested(parsed, built, peak_bytes())

    def plan_ingest(self, paths: Sequence[str | PathLike[str]], given: IngestOptions) -> IngestPlan:
        """The plan of an ingest, over a trial store where there is no index yet."""
        if not self._store.exists:
            with self._store.scratch() as trial:
                return self._planned(trial, paths, given)
        return self._planned(self._store, paths, given)

    def _planned(self, store: Store, paths: Sequence[str | PathLike[str]], given: IngestOptions) -> IngestPlan:
        files = [Path(path) for path in paths]
        with store.writer(self._wait_seconds) as writer:
            found = ingest(files, config=self._config, writer=writer, dry_run=True, **given)
        return IngestPlan(found, plan(found.planned, config=self._config, embedder=self._models.embedder()))

    def chunk(self) -> ChunkResult:
        """Every staged document cut under the present settings."""
        with existing(self._store).writer(self._wait_seconds) as writer:
            return chunk(
                config=self._config,
                writer=writer,
                embedder=self._models.embedder(),
                model=self._context_model(),
                all_statistics=True,
                progress=self._progress,
            )

    def plan_chunking(self) -> ContextPlan | None:
        """What a language model would be asked."""
        with existing(self._store).writer(self._wait_seconds) as writer:
            embedder, model = self._models.embedder(), self._config.answer.model
            return plan_contexts(config=self._config, writer=writer, embedder=embedder, model_name=model)

    def build(self, *, rebuild: bool) -> Built:
        """Staged documents to a version."""
        with existing(self._store).writer(self._wait_seconds) as writer:
            return self._build(writer, rebuild=rebuild)

    def _build(self, writer: StoreWriter, *, rebuild: bool) -> Built:
        return build(
            config=self._config,
            writer=writer,
            embedder=self._models.embedder(),
            model=self._context_model(),
            rebuild=rebuild,
            progress=self._progress,
        )

    def _context_model(self) -> TextModel | None:
        settings = self._config.chunk
        return self._models.text_model(batch=settings.context_batch) if settings.context != "off" else None
