"""An index in a PostgreSQL database: the ``Store`` for more readers and more documents than one folder serves."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from ragcli.config import Config, IndexConfig
from ragcli.errors import IndexLocked, StoreError
from ragcli.index.compatibility import check_embedder
from ragcli.index.postgres import forgetting, schema, verify, versions
from ragcli.index.postgres.caches import Caches
from ragcli.index.postgres.database import Database, as_key, as_name, place_of
from ragcli.index.postgres.engine import PostgresEngine
from ragcli.index.postgres.logs import Sessions, Traces
from ragcli.index.postgres.publishing import Publication
from ragcli.index.postgres.records import document_of, record_of
from ragcli.index.postgres.staging import Staging
from ragcli.index.scopes import Current
from ragcli.interfaces import EmbedChunks, IsMeant, Progress
from ragcli.quotes import probes_besides
from ragcli.records import Chunk, Document, EmbedderInfo, PublishResult, Scope, VersionDiff, VersionInfo

SCHEMA = "ragcli"
_OPEN_ATTEMPTS = 20
_POLL_SECONDS = 0.05


class PostgresStore:
    """The index in one schema of a database, made when it is first written to.

    ``config`` holds the settings of search time; without it a version is searched under the settings of its build.
    """

    def __init__(
        self, address: str, config: IndexConfig | None = None, *, name: str = SCHEMA, caches: str | None = None
    ) -> None:
        """``name`` is the schema, ``caches`` that whose caches are used. Raises StoreError for what is no address."""
        self.location = place_of(address, name)
        self._address = address
        self._config = config
        self._name = name
        self._caches = caches
        self._kept: Database | None = None

    def _connect(self) -> Database:
        return Database(self._address, self._name)

    def _database(self, make: bool = False) -> Database | None:
        """The connection for small things; None when there is no schema yet and none is to be made."""
        if self._kept is None or self._kept.lost:
            self._kept = self._connect()
        if make:
            schema.make(self._kept)
        return self._kept if schema.is_there(self._kept) else None

    @property
    def exists(self) -> bool:
        """Whether the schema has been made. Raises StoreError when the server cannot be reached."""
        return self._database() is not None

    def current(self) -> str | None:
        """Name of the current version, None when nothing has been published."""
        database = self._database()
        found = None if database is None else versions.current(database)
        return None if found is None else found.name

    def open(self, version: str | None = None, embedder: EmbedderInfo | None = None) -> PostgresEngine:
        """A version, the current one by default, held until the engine is closed whatever is published meanwhile.

        Raises StoreError when there is none, or when ``embedder`` is not the model that made it.
        """
        database = self._connect()
        try:
            there = database if schema.is_there(database) else None
            for _ in range(_OPEN_ATTEMPTS):
                found = versions.find(there, version, self.location)
                if embedder is not None:
                    check_embedder(found.manifest.embedder, embedder)
                if versions.pin(database, found.number):
                    older = version is not None and not found.current
                    return PostgresEngine(
                        database, found, self._config, Current(self.current, self.open) if older else None
                    )
        except BaseException:
            database.close()
            raise
        database.close()
        raise StoreError(f"no version in {self.location} stays long enough to be opened", hint="rag versions list")

    def versions(self) -> list[VersionInfo]:
        """Every version, oldest first."""
        database = self._database()
        return [] if database is None else [versions.describe(database, item) for item in versions.every(database)]

    def verify(self, version: str | None = None) -> list[str]:
        """Everything wrong with a version (the current one by default), a line each; empty when it is sound."""
        database = self._database()
        found = versions.find(database, version, self.location)
        assert database is not None
        return verify.faults(database, found)

    def diff(self, before: str, after: str, groups: tuple[str, ...] = ()) -> VersionDiff:
        """What differs from one version to another, among the documents that ``groups`` may see in each and today."""
        scope = Scope(groups=groups, include_superseded=True)
        with self.open(before) as old, self.open(after) as new:
            return difference(old, new, scope)

    @contextlib.contextmanager
    def writer(self, wait_seconds: float = 0) -> Iterator[PostgresWriter]:
        """The one writer, for the length of the block; the schema is made when it is missing.

        Raises IndexLocked, naming the holder, when another process writes for longer than ``wait_seconds``.
        """
        with contextlib.closing(self._connect()) as database, _locked(database, wait_seconds):
            schema.make(database)
            if self._caches is None:
                yield PostgresWriter(database, database)
                return
            with contextlib.closing(Database(self._address, self._caches)) as caches:
                yield PostgresWriter(database, caches)

    def use(self, version: str, wait_seconds: float = 0) -> None:
        """Make a kept version the current one. Raises StoreError when it is not there."""
        versions.find(self._database(), version, self.location)
        with self.writer(wait_seconds) as writer:
            versions.set_current(writer.database, versions.find(writer.database, version, self.location).number)

    def prune(self, keep: int, wait_seconds: float = 0) -> list[str]:
        """Remove all but the newest ``keep`` versions and the current one; those that are being read stay for now."""
        with self.writer(wait_seconds) as writer:
            return versions.prune(writer.database, keep)

    @contextlib.contextmanager
    def scratch(self) -> Iterator[PostgresStore]:
        """An empty index for a trial, in a schema of its own that is removed afterwards, with this one's caches."""
        name = f"{self._name[:30]}_trial_{secrets.token_hex(6)}"
        caches = self._name if self.exists else None
        try:
            yield PostgresStore(self._address, self._config, name=name, caches=caches)
        finally:
            database = Database(self._address, name)
            schema.drop(database)
            database.close()

    @property
    def traces(self) -> Traces:
        """Past questions."""
        return Traces(self._database)

    @property
    def sessions(self) -> Sessions:
        """Conversations."""
        return Sessions(self._database)

    def note(self, name: str) -> str:
        """A small text kept beside the versions; empty when there is none."""
        database = self._database()
        row = None if database is None else database.row("SELECT data FROM notes WHERE name = %s", (as_key(name),))
        return "" if row is None else as_name(row[0])

    def put_note(self, name: str, text: str) -> None:
        """Keep a small text. Raises StoreError when it cannot be written."""
        database = self._database(True)
        assert database is not None
        database.run(
            "INSERT INTO notes VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET data = EXCLUDED.data",
            (as_key(name), as_key(text)),
        )


@contextlib.contextmanager
def _locked(database: Database, wait_seconds: float) -> Iterator[None]:
    """Hold the writer's lock for the length of the block. Raises IndexLocked, naming the holder.

    It goes with the connection too, but only once the server has seen that it is closed: whoever writes right after
    would find it held.
    """
    key = versions.lock_key(database.schema)
    ended = time.monotonic() + wait_seconds
    while database.row("SELECT pg_try_advisory_lock(%s)", (key,)) != (True,):
        if time.monotonic() >= ended:
            raise IndexLocked(
                f"the index {database.location} is being written by {_holder(database, key)}",
                hint="wait for it with --wait SECONDS",
            )
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        with contextlib.suppress(StoreError):  # a connection that is lost has let go
            database.row("SELECT pg_advisory_unlock(%s)", (key,))


def _holder(database: Database, key: int) -> str:
    """Process, host and start of who holds a lock, as its connection is named."""
    row = database.row(
        "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' "
        "AND granted AND objsubid = 1 AND ((classid::bigint << 32) | objid::bigint) = %s",
        (key,),
    )
    parts = str(row[0]).split(" ") if row is not None and row[0] else []
    if len(parts) != 4:
        return "another process"
    _, pid, host, started = parts
    return f"process {pid} on {host} since {started}"


class PostgresWriter:
    """What the holder of the lock may do. Use it only inside ``PostgresStore.writer``."""

    def __init__(self, database: Database, caches: Database) -> None:
        self.database = database
        self.staging = Staging(database)
        self.caches = Caches(caches)

    def published_roots(self) -> Mapping[str, str]:
        """Label and path of every root that the current version was ingested from; empty when there is none."""
        found = versions.current(self.database)
        return {} if found is None else found.manifest.roots

    def publish(
        self,
        *,
        embedder: EmbedderInfo,
        vectors: EmbedChunks,
        config: Config,
        rebuild: bool = False,
        progress: Progress | None = None,
    ) -> PublishResult:
        """Make the staged documents the current version; ``vectors`` gives a unit row per chunk, in order."""
        return Publication(self.database, self.staging, embedder, vectors, config, rebuild, progress).run()

    def published(self, wanted: IsMeant) -> Iterator[tuple[EmbedderInfo, Document, list[Chunk]]]:
        """Every wanted document of every kept version with its chunks, and the model of that version."""
        doomed = list(forgetting.wanted_contents(self.database, wanted).doomed)
        for version in versions.every(self.database):
            rows = self.database.rows(
                f"SELECT content, head, body FROM places JOIN contents USING (content) WHERE {versions.AT} "
                "AND content = ANY(%(doomed)s)",
                {"version": version.number, "doomed": doomed},
            )
            for content, head, body in rows:
                chunks = self.database.rows("SELECT data FROM chunks WHERE content = %s ORDER BY ordinal", (content,))
                document = document_of(head, body)
                yield version.manifest.embedder, document, [record_of(Chunk, data) for (data,) in chunks]

    def erase(self, wanted: IsMeant, config: IndexConfig, roots: Collection[str] = ()) -> list[str]:
        """Take the wanted documents and roots out of every kept version; names of those that changed."""
        return forgetting.erase(self.database, wanted, roots)

    def sweep(self, texts: Collection[str], besides: Collection[str] = ()) -> tuple[int, list[str]]:
        """Take rows that hold one of the texts out of logs and notes, then search every table for them.

        How many tables were searched, and the places in which something still stands.
        """
        return forgetting.sweep(self.database, probes_besides(texts, besides))


def difference(old: PostgresEngine, new: PostgresEngine, scope: Scope) -> VersionDiff:
    """Documents added, changed and removed from ``old`` to ``new``; chunks are compared by their indexed text."""
    was, now = _keys(old, scope), _keys(new, scope)
    added, removed = sorted(now.keys() - was.keys()), sorted(was.keys() - now.keys())
    changed = sorted(doc_id for doc_id in was.keys() & now.keys() if was[doc_id] != now[doc_id])
    gained = lost = 0
    for doc_id in (*added, *removed, *changed):
        had = _texts(old, doc_id) if doc_id in was else Counter[str]()
        has = _texts(new, doc_id) if doc_id in now else Counter[str]()
        gained, lost = gained + (has - had).total(), lost + (had - has).total()
    return VersionDiff(old.version, new.version, tuple(added), tuple(changed), tuple(removed), gained, lost)


def _keys(engine: PostgresEngine, scope: Scope) -> dict[str, str]:
    return {
        doc_id: engine.rows.entry_keys[engine.rows.row_of[doc_id]] for doc_id in engine.doc_ids(engine.allowed(scope))
    }


def _texts(engine: PostgresEngine, doc_id: str) -> Counter[str]:
    return Counter(chunk.indexed_text for chunk in engine.document_chunks(doc_id))
