"""pgvector's HNSW graph over the vectors of all versions: made when there are many, and measured."""

from __future__ import annotations

from ragcli.config import IndexConfig
from ragcli.index.postgres import search
from ragcli.index.postgres.database import Database

FROM_CHUNKS = 20_000
"""Under so many chunks a scan answers as fast, and a graph would only cost room."""

_MOST_DIMENSIONS = 2_000
_QUESTIONS = 50
_DEPTH = 10


def make(database: Database, dimension: int, config: IndexConfig) -> None:
    """Make the graph once there are enough vectors; anew when they have another dimension. New ones join it."""
    kept = database.row("SELECT obj_description(to_regclass(%s), 'pg_class')", (f"{database.schema}.{search.GRAPH}",))
    shape = f"{dimension} dimensions, m {config.hnsw_m}, ef {config.hnsw_ef_construction}"
    if search.has_graph(database) and kept != (shape,):
        database.run(f"DROP INDEX {search.GRAPH}")
    counted = database.row("SELECT count(*) FROM chunks")
    many = counted is not None and int(counted[0]) >= FROM_CHUNKS
    if search.has_graph(database) or not many or dimension > _MOST_DIMENSIONS:
        return
    with database.transaction():
        database.run(
            f"CREATE INDEX {search.GRAPH} ON chunks USING hnsw ((embedding::vector({dimension})) vector_ip_ops) "
            f"WITH (m = {config.hnsw_m}, ef_construction = {max(config.hnsw_ef_construction, 2 * config.hnsw_m)}) "
            f"WHERE vector_dims(embedding) = {dimension}"
        )
        database.run(f"COMMENT ON INDEX {search.GRAPH} IS '{shape}'")


def recall(database: Database, version: int, chunks: int) -> float | None:
    """Recall@10 of the graph against exact search in a version, by vectors of its own; None without chunks."""
    if not chunks:
        return None
    if not search.has_graph(database):
        return 1.0
    group = search.ContentSet(version)
    rows = database.rows(
        f"SELECT embedding FROM chunks JOIN {group.table('allowed')} a USING (content) "
        f"ORDER BY hashint8(content), ordinal LIMIT {_QUESTIONS}",
        group.values("allowed"),
    )
    found = wanted = 0
    for (vector,) in rows:
        truth = {hit[:2] for hit in search.exact(database, vector.to_numpy(), _DEPTH, group)}
        named = {hit[:2] for hit in search.by_graph(database, vector.to_numpy(), _DEPTH, group)}
        found, wanted = found + len(truth & named), wanted + len(truth)
    return found / wanted
