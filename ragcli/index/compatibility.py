"""Whether a version can be built upon, and whether a model may search it."""

from __future__ import annotations

import dataclasses
import hashlib
import json

from ragcli.config import Config, IndexConfig
from ragcli.errors import StoreError
from ragcli.index.lexical import analysis
from ragcli.index.manifest import FORMAT
from ragcli.records import EmbedderInfo, stricter_default


def settings_hash(embedder: EmbedderInfo, config: Config) -> str:
    """Hash of what shapes the files of a version: under another one nothing of the version before can be used."""
    index = config.index
    shaping = [
        FORMAT,
        analysis.VERSION,
        embedder.model,
        embedder.revision,
        embedder.dimension,
        embedder.window,
        embedder.passage_prefix,
        index.hnsw_m,
        index.hnsw_ef_construction,
    ]
    return hashlib.sha256(json.dumps(shaping).encode()).hexdigest()[:16]


def why_rebuilt(
    current: str | None, stored: EmbedderInfo | None, embedder: EmbedderInfo, *, same: bool, rebuild: bool
) -> str:
    """Why the ``current`` version is not built upon; empty when it is.

    ``stored`` is its model, None when it cannot be read; ``same`` says whether all else that shapes it is the same.
    """
    if rebuild:
        return "asked for"
    if current is None:
        return "first version"
    if stored is None:
        return f"{current} is missing, damaged or of another format"
    if (stored.model, stored.dimension) != (embedder.model, embedder.dimension):
        return (
            f"embedding model was {stored.model} ({stored.dimension} dimensions), "
            f"is {embedder.model} ({embedder.dimension})"
        )
    return "" if same else "settings of the index changed"


def searched_under(config: IndexConfig | None, built: IndexConfig) -> IndexConfig:
    """The settings of a search: those given, else those of the build; of the access default always the stricter."""
    if config is None:
        return built
    return dataclasses.replace(config, default_acl=stricter_default(built.default_acl, config.default_acl))


def check_embedder(stored: EmbedderInfo, given: EmbedderInfo) -> None:
    """Raise StoreError (``index_incompatible``), with both values, unless the models make comparable vectors."""
    for name in ("model", "revision", "dimension", "passage_prefix"):
        before, now = getattr(stored, name), getattr(given, name)
        if before != now:
            raise StoreError(
                f"the index was made with embedding {name} {before!r}, the config says {now!r}",
                hint="rag index embeds everything anew; or set the embed section back",
                category="index_incompatible",
            )


def check_analyser(version: str, analyser: str) -> None:
    """Raise StoreError (``index_incompatible``) for a version whose BM25 terms were made under other rules."""
    if analyser != analysis.VERSION:
        raise StoreError(
            f"{version} was made with analyser {analyser!r}, this ragcli has {analysis.VERSION!r}",
            hint="rag index builds it anew",
            category="index_incompatible",
        )
