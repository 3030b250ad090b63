"""The store that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragcli.config import Config
from ragcli.errors import StoreError
from ragcli.plugins import ENGINES, Registry

if TYPE_CHECKING:
    from ragcli.interfaces import Store, StoreFactory


def load_store(config: Config) -> Store:
    """The configured store, which need not exist yet. Raises StoreError when its place is taken by something else."""
    return STORES[config.index.engine](config)


def _folder(config: Config) -> Store:
    from ragcli.index.folder import IndexFolder

    folder = IndexFolder(config.index_path, config.index)
    _ = folder.exists
    return folder


STORES: Registry[StoreFactory] = Registry(ENGINES, "index.engine", {"folder": _folder})


def existing(store: Store) -> Store:
    """The store itself. Raises StoreError when nothing was ever ingested into it."""
    if not store.exists:
        raise StoreError(f"no index in {store.location}", hint="rag ingest PATH makes one", category="index_missing")
    return store
