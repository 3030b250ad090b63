"""The stores that the same cases run over, and how documents get into one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from ragcli.index.folder import IndexFolder
from ragcli.interfaces import Engine, Store
from ragcli.records import Document, Filter, Ranking, Scope
from tests.engines.memory import MemoryStore
from tests.index.corpus import publish_to


def _postgres(path: Path) -> Store:
    """A store in a schema of its own, named after a folder of the test."""
    from ragcli.index.postgres.store import PostgresStore

    name = f"test_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
    return PostgresStore(os.environ[ADDRESS], name=name)


ADDRESS = "RAGCLI_TEST_DATABASE_URL"
"""Of a server with pgvector, on which the cases make and leave schemas; without it they do not run there."""

STORES: Mapping[str, Callable[[Path], Store]] = {
    "folder": IndexFolder,
    "memory": lambda path: MemoryStore(),
    **({"postgresql": _postgres} if os.environ.get(ADDRESS) else {}),
}


def opened(store: Store, *documents: Document, **index: object) -> Engine:
    """The engine over these documents."""
    publish_to(store, documents, **index)
    return store.open()


def seen(engine: Engine, *filters: str, groups: tuple[str, ...] = (), **scope: object) -> list[str]:
    """Ids of the documents that a scope shows; a filter is written ``key OP value`` with blanks between."""
    parsed = tuple(Filter(*item.split(" ")) for item in filters)  # type: ignore[arg-type]
    return engine.doc_ids(engine.allowed(Scope(filters=parsed, groups=groups, **scope)))  # type: ignore[arg-type]


def ids(ranking: Ranking) -> list[str]:
    """The chunk ids of a ranking, in order."""
    return [hit.chunk_id for hit in ranking.hits]
