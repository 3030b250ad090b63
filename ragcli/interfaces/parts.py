"""What a package brings to be named by a setting: what its entry point must lead to, a group each.

    ragcli.embedders    embed.backend      EmbedderFactory
    ragcli.rerankers    rerank.method      RerankerFactory
    ragcli.generators   answer.provider    GeneratorFactory
    ragcli.engines      index.engine       StoreFactory
    ragcli.parsers      ingest.parsers     parse.source.ParserPart

Each must be cheap to call: models load and connections open when they are first used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from ragcli.interfaces.models import Embedder, Generator, Reranker
from ragcli.interfaces.store import Store

if TYPE_CHECKING:
    from ragcli.config import Config, EmbedConfig, RerankConfig


class EmbedderFactory(Protocol):
    """Makes an embedding model from the ``embed`` section."""

    def __call__(self, config: EmbedConfig, *, offline: bool) -> Embedder:
        """The embedder; ``offline`` keeps it to what is on this machine. Raises ModelError, ConfigError."""


class RerankerFactory(Protocol):
    """Makes a reranker from the ``rerank`` section."""

    def __call__(self, config: RerankConfig, embedder: Callable[[], Embedder], *, offline: bool) -> Reranker | None:
        """The reranker; ``embedder`` gives the embedding model to a method that needs it. Raises ConfigError."""


class GeneratorFactory(Protocol):
    """Makes what writes answers."""

    def __call__(self, config: Config, *, embedder: Embedder | None, environ: Mapping[str, str]) -> Generator:
        """The generator; secrets come from ``environ`` alone, ``embedder`` is None in a search by words alone.

        Raises ModelError when it may not or cannot be used.
        """


class StoreFactory(Protocol):
    """Makes the place where an index lives."""

    def __call__(self, config: Config) -> Store:
        """The store, which need not exist yet. Raises StoreError when it cannot be reached."""
