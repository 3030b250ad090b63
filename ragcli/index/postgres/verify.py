"""Everything wrong with a version, a line each: what its rows say against what they hold."""

from __future__ import annotations

from ragcli.index.postgres import versions
from ragcli.index.postgres.contents import digest
from ragcli.index.postgres.database import Database, as_name
from ragcli.index.postgres.versions import AT, Published


def faults(database: Database, published: Published) -> list[str]:
    """What is wrong with a version; empty when it is sound. Every record of it is read and hashed."""
    found = []
    told = (published.fingerprint, published.documents, published.chunks)
    held = versions.summary(database, published.number)
    for name, said, there in zip(("fingerprint", "documents", "chunks"), told, held, strict=True):
        if said != there:
            found.append(f"{published.name}: {name} should be {said}, the places give {there}")
    rows = database.rows(
        f"SELECT p.doc_id, content FROM places p WHERE {AT} ORDER BY p.doc_id", {"version": published.number}
    )
    dimension = published.manifest.embedder.dimension
    for doc_id, content in rows:
        found += [
            f"{published.name}: {as_name(doc_id)}: {fault}" for fault in _of_content(database, content, dimension)
        ]
    return found


def _of_content(database: Database, content: int, dimension: int) -> list[str]:
    row = database.row("SELECT head, body, digest, chunk_count FROM contents WHERE content = %s", (content,))
    if row is None:
        return ["its records are missing"]
    head, body, said, count = row
    chunks = database.rows(
        "SELECT data, vector_dims(embedding), vector_norm(embedding), text > 0 AND NOT EXISTS "
        "(SELECT 1 FROM postings p WHERE p.content = c.content AND p.ordinal = c.ordinal) "
        "FROM chunks c WHERE content = %s ORDER BY ordinal",
        (content,),
    )
    found = []
    if len(chunks) != count:
        found.append(f"{len(chunks)} chunks, expected {count}")
    if digest(bytes(head), bytes(body), [bytes(data) for data, _, _, _ in chunks]) != said:
        found.append("its records have another hash than when they were written")
    for ordinal, (_, dimensions, length, unposted) in enumerate(chunks, start=1):
        if dimensions != dimension or abs(float(length) - 1) > 1e-3:
            found.append(f"chunk {ordinal} has a vector of {dimensions} dimensions and length {length:.3f}")
        if unposted:
            found.append(f"chunk {ordinal} has no BM25 postings")
    return found
