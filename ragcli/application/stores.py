"""The store that the settings name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ragcli.config import Config
from ragcli.errors import ConfigError, StoreError
from ragcli.plugins import ENGINES, Registry

if TYPE_CHECKING:
    from ragcli.interfaces import Store, StoreFactory

DATABASE_ADDRESS = "RAG_DATABASE_URL"
"""The variable that says where the database is: an address can hold a password, so that no file may."""


def load_store(config: Config) -> Store:
    """The configured store, which need not exist yet. Raises StoreError when its place is taken by something else."""
    return STORES[config.index.engine](config)


def _folder(config: Config) -> Store:
    from ragcli.index.folder import IndexFolder

    folder = IndexFolder(config.index_path, config.index)
    _ = folder.exists
    return folder


def _postgresql(config: Config) -> Store:
    address = os.environ.get(DATABASE_ADDRESS)
    if not address:
        raise ConfigError(
            f"index.engine is postgresql, and {DATABASE_ADDRESS} does not say where the database is",
            hint=f"export {DATABASE_ADDRESS}=postgresql://USER:PASSWORD@HOST:5432/DATABASE",
        )
    from ragcli.index.postgres.store import PostgresStore

    return PostgresStore(address, config.index)


STORES: Registry[StoreFactory] = Registry(ENGINES, "index.engine", {"folder": _folder, "postgresql": _postgresql})


def existing(store: Store) -> Store:
    """The store itself. Raises StoreError when nothing was ever ingested into it."""
    if not store.exists:
        raise StoreError(f"no index in {store.location}", hint="rag ingest PATH makes one", category="index_missing")
    return store
