"""Index folders whose files are sound as files and lie: manifests, arrays, databases and BM25 indexes by hand."""

from __future__ import annotations

import functools
import json
import sqlite3
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.index.crafted import READING, Craft, reseal, version

SEGMENT = "segments/000001"
SEARCHING = frozenset({"search", "bm25", "ask"})


def crafts() -> Iterator[Craft]:
    """All of them."""
    yield from _manifests()
    yield from _arrays()
    yield from _schemas()
    yield from _records()
    yield from _bm25()
    yield from _staged()
    yield from _journals()


# ------------------------------------------------------------ manifests


def _manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Path, Path], None]:
    def apply(index: Path, somebody: Path) -> None:
        path = version(index) / "manifest.json"
        content = json.loads(path.read_text())
        change(content)
        path.write_text(json.dumps(content))

    return apply


_WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    1 << 70,
    1e400,
    float("nan"),
    "text",
    "NUL \0 in it",
    [],
    [[]],
    {},
    {"a": {"b": 1}},
)
_FIELDS = (
    *("version", "parent", "created", "package", "libraries", "config", "config_hash", "settings_hash", "fingerprint"),
    *("documents", "chunks", "embedder", "analyser", "languages", "hnsw_m", "recall_at_10", "segments"),
    *("next_number", "next_segment", "files", "roots"),
)
_SEGMENT_FIELDS = ("name", "documents", "chunks", "dead_documents", "dead_chunks", "recall_at_10", "ef", "ef_per_hit")
_NAMES = ("", ".", "..", "../../../somebody", "/etc", "a\0b", "x" * 5_000, "000001/../000001", "C:\\x", "\ud800")


def _manifests() -> Iterator[Craft]:
    for field in _FIELDS:
        for wrong in _WRONG:
            apply = _manifest(lambda content, field=field, wrong=wrong: content.update({field: wrong}))  # type: ignore[misc]
            yield Craft(f"manifest {field} is {str(wrong)[:30]!r}", apply)
    for field in _SEGMENT_FIELDS:
        for wrong in _WRONG:

            def change(content: dict[str, Any], field: str = field, wrong: object = wrong) -> None:
                content["segments"][0][field] = wrong

            yield Craft(f"segment {field} is {str(wrong)[:30]!r}", _manifest(change))
    for name in _NAMES:

        def rename(content: dict[str, Any], name: str = name) -> None:
            content["segments"][0]["name"] = name

        yield Craft(f"segment named {name[:30]!r}", _manifest(rename), READING)

        def add(content: dict[str, Any], name: str = name) -> None:
            content["files"][name] = {"bytes": 1, "sha256": "0" * 64}

        yield Craft(f"file named {name[:30]!r}", _manifest(add), READING)
    yield Craft("manifest of no segments", _manifest(lambda content: content.update(segments=[])), READING)
    twice = _manifest(lambda content: content.update(segments=content["segments"] * 2))
    yield Craft("every segment twice", twice, READING)
    many = _manifest(lambda content: content.update(segments=content["segments"][:1] * 200_000))
    yield Craft("200,000 segments", many, READING)
    yield Craft("manifest of no files", _manifest(lambda content: content.update(files={})), READING)
    dimension = _manifest(lambda content: content["embedder"].update(dimension=8))
    yield Craft("another dimension", dimension, READING)
    yield Craft("version of another name", _manifest(lambda content: content.update(version="v000007")), READING)


# ------------------------------------------------------------ arrays


def _array(name: str, write: Callable[[Path], None]) -> Callable[[Path, Path], None]:
    def apply(index: Path, somebody: Path) -> None:
        folder = version(index)
        write(folder / SEGMENT / name)
        reseal(folder)

    return apply


def _changed(change: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        array = change(np.array(np.load(path)))
        path.unlink()
        np.save(path, array, allow_pickle=True)

    return write


def _header(text: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.unlink()
        path.write_bytes(b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text)) + text + b"\0" * 64)

    return write


def _arrays() -> Iterator[Craft]:
    changes: dict[str, Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]] = {
        "objects": lambda array: np.array([{"a": 1}] * max(1, len(array)), dtype=object),
        "doubles": lambda array: array.astype("<f8"),
        "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
        "one row fewer": lambda array: array[:-1],
        "one dimension more": lambda array: array[None],
        "huge values": lambda array: np.full_like(array, np.iinfo("<i8").max if array.dtype.kind == "i" else 3e38),
        "negative": lambda array: -np.abs(array) - 1,
        "in another order": lambda array: array[::-1],
    }
    headers = {
        "deep header": b"(" * 9_000,
        "long header": b" " * 5_000_000 + b"\n",
        "header of code": b"{'descr': '<f4', 'fortran_order': False, 'shape': __import__('os').getcwd()}\n",
        "negative shape": b"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}\n",
        "huge shape": b"{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904,)}\n",
        "shape of shapes": b"{'descr': '<i8', 'fortran_order': False, 'shape': ((1,),)}\n",
    }
    for name in ("offsets.npy", "numbers.npy", "embeddings.npy"):
        for label, change in changes.items():
            vectors = name == "embeddings.npy"
            quiet = vectors and label in ("negative", "in another order", "huge values")
            apply = _array(name, _changed(change))
            yield Craft(
                f"{name}: {label}", apply, frozenset() if quiet else SEARCHING - ({"bm25"} if vectors else set())
            )
        for label, text in headers.items():
            yield Craft(f"{name}: {label}", _array(name, _header(text)), READING)
    for label, value in (("NaN", np.nan), ("infinite", np.inf)):
        for every in (1, 7):

            def fill(array: np.ndarray[Any, Any], value: float = value, every: int = every) -> np.ndarray[Any, Any]:
                array[::every] = value
                return array

            apply = _array("embeddings.npy", _changed(fill))
            yield Craft(f"embeddings.npy: {label} in every {every}.", apply, frozenset({"search", "ask"}))


# ------------------------------------------------------------ databases

_ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT {} FROM n"


@functools.cache
def _bomb() -> bytes:
    """A few megabytes that unpack to a text of three gigabytes."""
    packing, block = zlib.compressobj(9), b"a" * (1 << 20)
    parts = [packing.compress(b'"'), *(packing.compress(block) for _ in range(3 << 10)), packing.compress(b'"')]
    return b"".join([*parts, packing.flush()])


def _sql(script: str, place: str = f"{SEGMENT}/records.sqlite") -> Callable[[Path, Path], None]:
    """Run a script in the database at ``place``: of the version and sealed, or beside the versions."""

    def apply(index: Path, somebody: Path) -> None:
        sealed = place.startswith(SEGMENT)
        path = version(index) / place if sealed else index / place
        content = path.read_bytes()
        path.unlink()  # hard-linked to the version before
        path.write_bytes(content)
        database = sqlite3.connect(path, isolation_level=None)
        database.create_function("bomb", 0, _bomb)
        database.create_function("packed", 1, lambda text: zlib.compress(text.encode(), 1))
        database.create_function("deep", 0, lambda: zlib.compress(b"[" * 300_000 + b"]" * 300_000))
        database.executescript(script)
        database.close()
        if sealed:
            reseal(version(index))

    return apply


def _view(table: str, columns: str) -> str:
    return f"ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS {_ENDLESS.format(columns)};"


def _schemas() -> Iterator[Craft]:
    documents = "x AS row, 'hr/remote.md' AS doc_id, 'x' AS entry_key, x'00' AS head, x'00' AS body"
    views = {
        "documents": _view("documents", documents),
        "chunks": _view("chunks", "x AS row, x'00' AS data"),
        "postings": _view("postings", "'acl' AS key, '[]' AS value, 1 AS count, x'' AS rows"),
    }
    for table, script in views.items():
        yield Craft(f"{table} is an endless view", _sql(script), READING)
    scripts = {
        "a trigger": "CREATE TRIGGER t AFTER INSERT ON chunks BEGIN DELETE FROM documents; END;",
        "another table": "CREATE TABLE more (x);",
        "a virtual table": "CREATE VIRTUAL TABLE v USING fts4(x);",
        "no chunks table": "DROP TABLE chunks;",
        "a computed column": "DROP TABLE chunks; CREATE TABLE chunks (row INTEGER PRIMARY KEY, "
        "data BLOB AS (zeroblob(100000000)));",
        "an index of an expression": "CREATE INDEX i ON chunks (length(data));",
    }
    for name, script in scripts.items():
        yield Craft(f"records with {name}", _sql(script), READING)


def _json(table: str, column: str, value: str) -> str:
    return f"UPDATE {table} SET {column} = packed('{value}');"


def _records() -> Iterator[Craft]:
    shapes = ("null", "1", "[]", '"text"', "[[[]]]", '{"a": 1}', "{", "NaN")
    for table, column in (("chunks", "data"), ("documents", "head"), ("documents", "body")):
        for shape in shapes:
            yield Craft(f"{table}.{column} is {shape}", _sql(_json(table, column, shape)))
        yield Craft(f"{table}.{column} is deep", _sql(f"UPDATE {table} SET {column} = deep();"))
        yield Craft(f"{table}.{column} unpacks to 3 GB", _sql(f"UPDATE {table} SET {column} = bomb();"))
        for value in ("NULL", "1", "'text'", "x''", "zeroblob(1000)"):
            script = f"PRAGMA ignore_check_constraints=1; UPDATE OR IGNORE {table} SET {column} = {value};"
            yield Craft(f"{table}.{column} is {value}", _sql(script))
    yield from _chunks()
    for count, rows in (
        (1, "x'ffffffff'"),
        (1, "x'ffffff7f'"),
        (1, "x'0102'"),
        (-1, "x''"),
        (1 << 62, "x''"),
        (1, "1"),
    ):
        script = f"UPDATE postings SET count = {count}, rows = {rows};"
        yield Craft(f"postings of {count} rows {rows}", _sql(script), SEARCHING - {"search", "ask"})
    for value in ("''", "'x'", "'1'", "'[1]'", "'[[]]'", f"'{'[' * 50_000}'", "x'ff'", "'{}'"):
        script = f"UPDATE OR IGNORE postings SET value = {value} WHERE key = 'acl';"
        yield Craft(f"access set {value[:20]}", _sql(script))
    for name in ("''", "'a' || char(0) || 'b'", "'../../x'", "x'ff'", "'#'", "char(27) || '[31m'", "NULL"):
        script = f"UPDATE OR IGNORE documents SET doc_id = {name} WHERE row = (SELECT min(row) FROM documents);"
        yield Craft(f"document named {name}", _sql(script))
    yield Craft("rows far away", _sql("UPDATE documents SET row = row + 1000000;"))
    yield Craft("no documents", _sql("DELETE FROM documents;"))
    yield Craft("no chunks", _sql("DELETE FROM chunks;"))
    yield Craft("no postings", _sql("DELETE FROM postings;"))
    yield Craft("no index of ids", _sql("DROP INDEX documents_by_id;"))


_CHUNK_FIELDS = ("chunk_id", "doc_id", "ordinal", "span", "text", "heading_path", "first_page", "parent", "context")


def _chunks() -> Iterator[Craft]:
    """Every field of a chunk, one of another type."""
    for field in _CHUNK_FIELDS:
        for wrong in (None, 7, -1, "text", [], [1], {}, {"start": 5, "end": -5}, 1e300):
            yield Craft(f"chunk {field} is {json.dumps(wrong)}", _every_chunk(field, wrong))
    yield Craft("chunk with NUL and escapes", _every_chunk("text", "a\0b\x1b[31m\u202ec\ud800"))


def _every_chunk(field: str, wrong: object) -> Callable[[Path, Path], None]:
    def apply(index: Path, somebody: Path) -> None:
        path = version(index) / SEGMENT / "records.sqlite"
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)
        with sqlite3.connect(path) as database:
            for row, data in database.execute("SELECT row, data FROM chunks").fetchall():
                chunk = json.loads(zlib.decompress(data)) | {field: wrong}
                database.execute(
                    "UPDATE chunks SET data = ? WHERE row = ?", (zlib.compress(json.dumps(chunk).encode()), row)
                )
        database.close()
        reseal(version(index))

    return apply


# ------------------------------------------------------------ BM25


def _meta(name: str, change: Callable[[Any], Any]) -> Callable[[Path, Path], None]:
    def apply(index: Path, somebody: Path) -> None:
        folder = version(index)
        path = folder / "lexical" / name
        content = change(json.loads(path.read_text()))
        path.unlink()
        path.write_text(json.dumps(content))
        reseal(folder)

    return apply


def _set(*keys: str | int, to: Any) -> Callable[[Any], Any]:
    def change(content: Any) -> Any:
        inner = content
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = to
        return content

    return change


def _bm25() -> Iterator[Craft]:
    wrong: Any
    for wrong in (None, -1, 0, 1, 1 << 31, 1 << 32, 1 << 63, 1 << 70, 1.5, "x", [], {}):
        for key in ("max_doc", "segment_id", "deletes"):
            yield Craft(f"BM25 {key} is {wrong}", _meta("meta.json", _set("segments", 0, key, to=wrong)))
        yield Craft(f"BM25 opstamp is {wrong}", _meta("meta.json", _set("opstamp", to=wrong)))
        yield Craft(f"BM25 segments are {wrong}", _meta("meta.json", _set("segments", to=wrong)))
        yield Craft(f"BM25 schema is {wrong}", _meta("meta.json", _set("schema", to=wrong)))
    deletes = {"num_deleted_docs": 1 << 31, "opstamp": 1}
    yield Craft("BM25 deleted more than there is", _meta("meta.json", _set("segments", 0, "deletes", to=deletes)))
    for outside in ("../../../../somebody/secret.txt", "/proc/self/environ"):
        apply = _meta("meta.json", _set("segments", 0, "segment_id", to=outside))
        yield Craft(f"BM25 segment {outside}", apply, SEARCHING)
        yield Craft(f"BM25 manages {outside}", _meta(".managed.json", lambda content, o=outside: [*content, o]))  # type: ignore[misc]
    twice = _meta("meta.json", lambda content: content | {"segments": content["segments"] * 2})
    yield Craft("BM25 segments twice", twice, SEARCHING)
    none = _meta("meta.json", lambda content: content | {"segments": []})
    yield Craft("BM25 of no segments", none, SEARCHING)

    def absolute(index: Path, somebody: Path) -> None:
        _meta(".managed.json", lambda content: [*content, str(somebody / "secret.txt")])(index, somebody)

    yield Craft("BM25 manages somebody's file", absolute)


# ------------------------------------------------------------ staging and caches


def _staged() -> Iterator[Craft]:
    catalogue, cache = "staging/catalog.sqlite", "cache/documents.sqlite"
    for place, tables in ((catalogue, ("documents", "files", "roots", "chunk_sets", "looks")), (cache, ("entries",))):
        for table in tables:
            view = f"CREATE VIEW {table} AS SELECT * FROM old, ({_ENDLESS.format('x')});"
            script = f"ALTER TABLE {table} RENAME TO old; {view}"
            yield Craft(f"{place}: {table} is an endless view", _sql(script, place))
            body = f"INSERT INTO {table} SELECT t.* FROM {table} t, ({_ENDLESS.format('x')});"
            trigger = f"CREATE TRIGGER more AFTER INSERT ON {table} BEGIN {body} END;"
            yield Craft(f"{place}: endless trigger on {table}", _sql(trigger, place))
    for shape in ("null", "1", "[]", '"text"', '{"a": 1}', "NaN"):
        for column in ("documents.data", "chunk_sets.data"):
            table, name = column.split(".")
            yield Craft(f"staged {column} is {shape}", _sql(_json(table, name, shape), catalogue))
        yield Craft(f"cached document is {shape}", _sql(_json("entries", "value", shape), cache))
        script = f"UPDATE files SET reports = '{shape}', doc_ids = '{shape}';"
        yield Craft(f"staged file of {shape}", _sql(script, catalogue))
    for column in ("size", "mtime_ns", "sha256", "parse_key", "reports", "doc_ids"):
        for value in ("'text'", "x'ff'", "-1", "1e300"):
            yield Craft(f"staged files.{column} is {value}", _sql(f"UPDATE files SET {column} = {value};", catalogue))
    for script in (
        "UPDATE documents SET data = bomb();",
        "UPDATE documents SET data = deep();",
        "UPDATE chunk_sets SET data = bomb();",
        "UPDATE chunk_sets SET count = 1000000000;",
        "UPDATE roots SET path = '/etc';",
        "UPDATE roots SET label = '../../x';",
        "UPDATE documents SET doc_id = '../../x' WHERE doc_id = (SELECT min(doc_id) FROM documents);",
        "PRAGMA user_version = 99;",
    ):
        yield Craft(f"catalogue after {script[:60]}", _sql(script, catalogue))
    yield Craft("cached bomb", _sql("UPDATE entries SET value = bomb();", cache))
    yield Craft("cached vectors of no numbers", _sql("UPDATE entries SET value = x'0000c07f';", "cache/vectors.sqlite"))


_MAGIC = bytes.fromhex("d9d505f920a163d7")


def _journals() -> Iterator[Craft]:
    """A rollback journal that names another one: SQLite deletes the file of that name once it has rolled back."""
    for database in ("staging/catalog.sqlite", "cache/documents.sqlite", "cache/vectors.sqlite"):

        def apply(index: Path, somebody: Path, database: str = database) -> None:
            path = index / database
            connection = sqlite3.connect(path)
            connection.execute("PRAGMA journal_mode=DELETE")
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.close()
            named = str(somebody / "secret.txt").encode()
            header = (_MAGIC + struct.pack(">IIIII", 0, 0, pages, 512, 4_096)).ljust(512, b"\0")
            checksum = sum(named) & 0xFFFFFFFF
            page = 0x40000000 // 4_096 + 1
            tail = struct.pack(">I", page) + named + struct.pack(">II", len(named), checksum) + _MAGIC
            path.with_name(path.name + "-journal").write_bytes(header + tail)

        yield Craft(f"journal of {database} names somebody's file", apply)
