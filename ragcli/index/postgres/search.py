"""The two legs as SQL. What may be seen is joined before anything is counted, ranked or cut off.

BM25 is computed from the postings, with counts of what its asker may see and of this version alone: what is closed, and
what other versions hold, moves no score. It is the folder's BM25: k1 1.2, b .75, fields weighed apart and added up.

Cosine is exact, or by pgvector's HNSW where there is a graph and much is allowed; a graph that comes back with fewer
rows than there are is asked no more, and all of them are scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragcli.index.postgres.contents import term_key
from ragcli.index.postgres.database import Database
from ragcli.index.postgres.schema import FIELDS
from ragcli.index.postgres.versions import AT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1, B = 1.2, 0.75
GRAPH = "chunks_by_vector"
_EF = 100
_EXACT_CHUNKS = 20_000
"""Up to so many allowed chunks all of them are scored: tens of milliseconds, and nothing is missed."""

ScoredRows = list[tuple[int, int, float]]
"""Content, ordinal and score of each hit, best first."""


@dataclass(frozen=True, slots=True)
class ContentSet:
    """Some contents of a version: those listed, or all of them for None."""

    version: int
    contents: Sequence[int] | None = None

    def table(self, name: str) -> str:
        """A subquery that gives the contents, with its values under ``name``."""
        if self.contents is None:
            return f"(SELECT content FROM places WHERE {AT})"
        return f"(SELECT unnest(%({name})s::bigint[]) AS content)"

    def values(self, name: str) -> dict[str, object]:
        """What ``table`` needs."""
        return {"version": self.version} if self.contents is None else {name: list(self.contents)}


_CHUNK_ID = "c.doc_id || convert_to('#' || f.ordinal, 'UTF8')"


@dataclass(frozen=True, slots=True)
class Lengths:
    """Number of chunks, and the mean number of terms in each field of one."""

    chunks: int
    means: tuple[float, ...]


def lengths(database: Database, group: ContentSet) -> Lengths:
    """What BM25 needs to know of a group as a whole."""
    means = ", ".join(f"coalesce(avg({name}), 0)" for name in FIELDS)
    row = database.row(
        f"SELECT count(*), {means} FROM chunks JOIN {group.table('open')} o USING (content)", group.values("open")
    )
    assert row is not None
    return Lengths(int(row[0]), tuple(max(float(mean), 1e-9) for mean in row[1:]))


def lexical(
    database: Database,
    terms: Mapping[str, int],
    boosts: Mapping[str, float],
    depth: int,
    *,
    group: ContentSet,
    counted: ContentSet,
    known: Lengths,
) -> ScoredRows:
    """The best ``depth`` chunks of ``group`` by BM25, whose counts are those of ``counted`` (``known`` its lengths)."""
    fields = [name for name in FIELDS if boosts.get(name, 1.0) > 0]
    holding = ", ".join(f"count(*) FILTER (WHERE {name} > 0) AS {name}" for name in fields)
    score = " + ".join(_field_score(name) for name in fields)
    values: dict[str, Any] = {
        "terms": [term_key(term) for term in terms],
        "times": [float(count) for count in terms.values()],
        "size": float(known.chunks),
        "depth": depth,
        **{f"boost_{name}": boosts.get(name, 1.0) for name in fields},
        **{f"mean_{name}": mean for name, mean in zip(FIELDS, known.means, strict=True)},
        **group.values("allowed"),
        **counted.values("open"),
    }
    sql = f"""
WITH asked AS (SELECT * FROM unnest(%(terms)s::bigint[], %(times)s::float8[]) AS q(term, times)),
found AS MATERIALIZED (
    SELECT p.* FROM postings p JOIN asked USING (term) JOIN {counted.table("open")} o USING (content)
),
held AS (SELECT term, {holding} FROM found GROUP BY term),
f AS (
    SELECT p.content, p.ordinal, round((sum(q.times * ({score}) ORDER BY p.term))::numeric, 9)::float8 AS score
    FROM found p JOIN held h USING (term) JOIN asked q USING (term)
    JOIN {group.table("allowed")} a USING (content) JOIN chunks k USING (content, ordinal)
    GROUP BY p.content, p.ordinal
)
SELECT f.content, f.ordinal, f.score FROM f JOIN contents c USING (content) WHERE f.score > 0
ORDER BY f.score DESC, {_CHUNK_ID} LIMIT %(depth)s"""
    return [(int(content), int(ordinal), float(score)) for content, ordinal, score in database.rows(sql, values)]


def _field_score(name: str) -> str:
    rarity = f"ln(1 + (%(size)s - h.{name} + 0.5) / (h.{name} + 0.5))"
    length = f"{K1} * ({1 - B} + {B} * k.{name} / %(mean_{name})s)"
    return f"%(boost_{name})s * {rarity} * p.{name} * {K1 + 1} / (p.{name} + {length})"


def exact(database: Database, vector: NDArray[np.float32], depth: int, group: ContentSet) -> ScoredRows:
    """The nearest chunks of the group, all of them scored."""
    sql = f"""
WITH f AS (
    SELECT k.content, k.ordinal, -(k.embedding <#> %(vector)s) AS score
    FROM chunks k JOIN {group.table("allowed")} a USING (content)
)
SELECT f.content, f.ordinal, f.score FROM f JOIN contents c USING (content)
ORDER BY f.score DESC, {_CHUNK_ID} LIMIT %(depth)s"""
    rows = database.rows(sql, {"vector": vector, "depth": depth, **group.values("allowed")})
    return [(int(content), int(ordinal), float(score)) for content, ordinal, score in rows]


def by_graph(database: Database, vector: NDArray[np.float32], depth: int, group: ContentSet) -> ScoredRows:
    """The nearest chunks of the group that the graph leads to, which may be fewer than there are."""
    expression = f"k.embedding::vector({len(vector)})"
    if group.contents is None:
        inside = f"EXISTS (SELECT 1 FROM places p WHERE p.content = k.content AND {AT})"
    else:
        inside = "k.content = ANY(%(allowed)s::bigint[])"
    sql = f"""
SELECT k.content, k.ordinal, -({expression} <#> %(vector)s) FROM chunks k
WHERE vector_dims(k.embedding) = {len(vector)} AND {inside}
ORDER BY {expression} <#> %(vector)s LIMIT %(depth)s"""
    with database.transaction():
        database.run("SET LOCAL enable_seqscan = off")
        database.run("SET LOCAL hnsw.iterative_scan = relaxed_order")
        database.run(f"SET LOCAL hnsw.ef_search = {max(_EF, min(1000, depth))}")
        rows = database.rows(sql, {"vector": vector, "depth": depth, **group.values("allowed")})
    return sorted(
        ((int(content), int(ordinal), float(score)) for content, ordinal, score in rows), key=lambda hit: -hit[2]
    )


def dense(
    database: Database, vector: NDArray[np.float32], depth: int, group: ContentSet, *, count: int, method: str
) -> tuple[ScoredRows, bool]:
    """The best of the ``count`` chunks of a group, and whether the graph named them."""
    few = count <= _EXACT_CHUNKS and method == "auto"
    if depth < 1 or method == "exact" or few or not has_graph(database):
        return exact(database, vector, depth, group), False
    found = by_graph(database, vector, depth, group)
    if len(found) < min(depth, count):
        return exact(database, vector, depth, group), False
    return found, True


def has_graph(database: Database) -> bool:
    """Whether there is an HNSW index over the vectors."""
    return database.row("SELECT 1 WHERE to_regclass(%s) IS NOT NULL", (f"{database.schema}.{GRAPH}",)) is not None
