"""From settings to the concrete stages: the one place that knows every class.

Everything is built when it is first asked for, so a lexical search loads no model and ``versions list`` no engine.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config
from ragcli.errors import StoreError
from ragcli.records import EmbedderInfo, Retrieval, Scope

if TYPE_CHECKING:
    from ragcli.index.folder import IndexFolder
    from ragcli.interfaces import Embedder, Engine, Generator, Reranker


def index_folder(config: Config) -> IndexFolder:
    """The configured index folder, which need not exist yet."""
    from ragcli.index.folder import IndexFolder

    return IndexFolder(config.index_path)


class Stages:
    """The stages that answer questions from one version of an index."""

    def __init__(self, config: Config, *, at: str | None = None) -> None:
        self.config = config
        self._at = at

    @functools.cached_property
    def engine(self) -> Engine:
        """The version in use, held from now on. Raises StoreError when there is none or it cannot be read."""
        return index_folder(self.config).open(self._at)

    @functools.cached_property
    def embedder(self) -> Embedder:
        """The configured embedding model, checked against the one that made the index."""
        found = load_embedder(self.config)
        check_embedder(self.engine.embedder, found.info, self.engine.version)
        return found

    @functools.cached_property
    def reranker(self) -> Reranker | None:
        """The configured reranker, or None."""
        from ragcli.retrieve.rerank import load_reranker

        settings = self.config.rerank
        embedder = self.embedder if settings.method == "maxsim" else None
        return load_reranker(settings, embedder, offline=self.config.offline)

    def retrieve(self, question: str, scope: Scope) -> Retrieval:
        """The ranked chunks for a question, under the settings."""
        from ragcli.retrieve.search import retrieve

        lexical = self.config.retrieve.mode == "bm25"
        return retrieve(
            question,
            engine=self.engine,
            embedder=None if lexical else self.embedder,
            reranker=self.reranker,
            scope=scope,
            config=self.config.retrieve,
            rerank=self.config.rerank,
        )


def load_embedder(config: Config) -> Embedder:
    """The configured embedding model; a local folder is relative to the settings file. Cheap until it is used."""
    import dataclasses

    from ragcli.embed.loading import load_embedder as load

    settings = dataclasses.replace(config.embed, model=_model(config, config.embed.model))
    return load(settings, offline=config.offline)


def check_embedder(built: EmbedderInfo, configured: EmbedderInfo, version: str) -> None:
    """Refuse vectors of one model for questions of another. Raises StoreError with both values."""
    names = ("model", "revision", "dimension", "window", "query_prefix", "passage_prefix")
    differing = [name for name in names if getattr(built, name) != getattr(configured, name)]
    if differing:
        pairs = "; ".join(f"{name} {getattr(built, name)!r} and {getattr(configured, name)!r}" for name in differing)
        raise StoreError(
            f"index version {version} and the settings name different embedding models: {pairs}",
            hint="rag index builds a version under the present settings; or set embed.* back",
            category="index_incompatible",
        )


def _model(config: Config, name: str) -> str:
    """A model name as it is; one that is a folder beside the settings file as its path."""
    path = Path(name).expanduser()
    beside = config.base / path
    return str(beside) if name and not path.is_absolute() and beside.is_dir() else name
