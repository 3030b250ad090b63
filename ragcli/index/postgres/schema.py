"""The tables of an index in PostgreSQL: one schema an index.

    versions    what was published, a row each
    places      which content a document had, from one version to before another
    contents    a document as it was indexed: its records, under the hash of all that made them
    chunks      its chunks, their vectors and how many terms each field of them has
    postings    how often a chunk has a term in each field; a term is the first 64 bits of its hash
    attributes  what filters, groups and dates look contents up by
    staged_*, looks, given, cache, traces, turns, notes   what is kept beside the versions

A content never changes, so a version is a set of places; what is in no place is seen by no reader.
"""

from __future__ import annotations

from ragcli.errors import StoreError
from ragcli.index.postgres.database import Database

FORMAT = 1
FIELDS = ("text", "title", "headings", "nearby")
ENDLESS = 2147483647
"""Where the places of the newest version end."""

_FIELD_COLUMNS = ", ".join(f"{name} integer NOT NULL" for name in FIELDS)
_SCHEMA = f"""
CREATE TABLE versions (
    number integer PRIMARY KEY, created text NOT NULL, manifest bytea NOT NULL, fingerprint text NOT NULL,
    documents integer NOT NULL, chunks integer NOT NULL, recall double precision, current boolean NOT NULL
);
CREATE UNIQUE INDEX versions_current ON versions (current) WHERE current;
CREATE TABLE contents (
    content bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, entry_key text NOT NULL, build text NOT NULL,
    doc_id bytea NOT NULL, chunk_count integer NOT NULL, digest text NOT NULL,
    head bytea NOT NULL, body bytea NOT NULL, UNIQUE (entry_key, build)
);
CREATE TABLE places (
    doc_id bytea NOT NULL, content bigint NOT NULL REFERENCES contents ON DELETE CASCADE,
    born integer NOT NULL, died integer NOT NULL, PRIMARY KEY (doc_id, born)
);
CREATE INDEX places_by_content ON places (content, born, died);
CREATE TABLE chunks (
    content bigint NOT NULL REFERENCES contents ON DELETE CASCADE, ordinal integer NOT NULL, data bytea NOT NULL,
    embedding vector NOT NULL, {_FIELD_COLUMNS}, PRIMARY KEY (content, ordinal)
);
CREATE TABLE postings (
    term bigint NOT NULL, content bigint NOT NULL REFERENCES contents ON DELETE CASCADE, ordinal integer NOT NULL,
    {_FIELD_COLUMNS}, PRIMARY KEY (term, content, ordinal)
);
CREATE INDEX postings_by_content ON postings (content);
CREATE TABLE attributes (
    key bytea NOT NULL, value bytea NOT NULL, content bigint NOT NULL REFERENCES contents ON DELETE CASCADE
);
CREATE INDEX attributes_by_key ON attributes (key);
CREATE INDEX attributes_by_content ON attributes (content);

CREATE TABLE staged_roots (
    root_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, path bytea NOT NULL UNIQUE, label bytea NOT NULL UNIQUE
);
CREATE TABLE staged_files (
    root_id integer NOT NULL, relative bytea NOT NULL, data bytea NOT NULL, PRIMARY KEY (root_id, relative)
);
CREATE TABLE staged_documents (
    doc_id bytea PRIMARY KEY, document_key text NOT NULL, root_id integer NOT NULL, relative bytea NOT NULL,
    data bytea NOT NULL
);
CREATE TABLE staged_chunks (
    doc_id bytea PRIMARY KEY, document_key text NOT NULL, chunk_key text NOT NULL, entry_key text NOT NULL,
    count integer NOT NULL, data bytea NOT NULL
);
CREATE TABLE given (
    root_id integer NOT NULL, prefix bytea NOT NULL, meta bytea NOT NULL, acl bytea NOT NULL,
    PRIMARY KEY (root_id, prefix)
);
CREATE TABLE looks (
    doc_id bytea PRIMARY KEY, root_id integer NOT NULL, relative bytea NOT NULL, family bytea NOT NULL,
    exact bytea NOT NULL, size bigint NOT NULL, modified bytea, kept bytea, sketch bytea
);
CREATE INDEX looks_by_file ON looks (root_id, relative);
CREATE INDEX looks_by_family ON looks (family);
CREATE INDEX looks_by_exact ON looks (exact);
CREATE INDEX looks_by_kept ON looks (kept);
CREATE TABLE cache (
    kind text NOT NULL, key bytea NOT NULL, value bytea NOT NULL, day integer NOT NULL, PRIMARY KEY (kind, key)
);
CREATE TABLE traces (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, trace_id bytea NOT NULL, day bytea NOT NULL,
    data bytea NOT NULL
);
CREATE INDEX traces_by_id ON traces (trace_id);
CREATE TABLE turns (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name bytea NOT NULL, data bytea NOT NULL
);
CREATE INDEX turns_by_name ON turns (name);
CREATE TABLE notes (name bytea PRIMARY KEY, data bytea NOT NULL);
CREATE TABLE format (number integer PRIMARY KEY);
INSERT INTO format VALUES ({FORMAT})
"""


def is_there(database: Database) -> bool:
    """Whether the schema has been made. Raises StoreError when it is of another format."""
    if not database.rows("SELECT 1 WHERE to_regclass(%s) IS NOT NULL", (f"{database.schema}.format",)):
        return False
    found = database.row("SELECT number FROM format")
    if found != (FORMAT,):
        raise StoreError(
            f"{database.location} has format {found and found[0]}, this ragcli reads format {FORMAT}",
            hint="take the ragcli that made it, or ingest into another database",
            category="index_incompatible",
        )
    return True


def make(database: Database) -> None:
    """Make the schema unless it is there."""
    if is_there(database):
        return
    with database.transaction():
        database.run("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", (database.schema,))
        if not is_there(database):
            database.run(f"CREATE SCHEMA IF NOT EXISTS {database.schema}")
            database.run(_SCHEMA)


def drop(database: Database) -> None:
    """Remove the schema with all that is in it."""
    database.run(f"DROP SCHEMA IF EXISTS {database.schema} CASCADE")
