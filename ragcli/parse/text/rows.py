"""Tables and records as files: CSV, TSV, JSON Lines, JSON."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragcli.errors import AccessError, ParseError
from ragcli.parse.access import Statement, says_who, statements_in, table_statements
from ragcli.parse.assemble import Assembly, clean, one_line
from ragcli.parse.decode import decode
from ragcli.parse.own_files import count_questions
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.tables import table_text
from ragcli.parse.text.front_matter import claims_access, head_statements
from ragcli.parse.text.text import read_blocks
from ragcli.records import Coverage, FileReport

# The line by which a table says to Excel what stands between its fields.
_SEPARATOR = re.compile(r'\s*"?sep=([^\s\w"]|\t)"?[ \t;,]*(?:\n|\Z)', re.I)
_DELIMITERS = ",;\t|"
_ID_KEYS = ("_id", "id", "doc_id")
_TEXT_KEYS = ("text", "body", "content", "abstract")


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """A table is one document; each row of JSON Lines that has a text is one."""
    del context
    if source.media_type == "application/jsonl":
        yield from _json_lines(source)
    elif source.media_type == "application/json":
        yield from _json(source)
    else:
        yield _table(source)


# ---------------------------------------------------------------- CSV


def _table(source: Source) -> Extract:
    decoded = decode(source.data)
    text = clean(decoded.text)
    stated_mark = _SEPARATOR.match(text)
    text = text[stated_mark.end() :] if stated_mark else text
    delimiter = "\t" if source.media_type.startswith("text/tab") else _delimiter(text)
    delimiter = stated_mark[1] if stated_mark else delimiter
    if claims_access(text):
        told = "begins like front matter that says who may see it, which is not read in a table"
        raise AccessError(f"{source.doc_id}: {told}", hint="give the table a column acl, or restrict it with --acl")
    assembly = Assembly()
    tables = 0
    stated: list[Statement] = list(head_statements(re.sub(r"^#", "//", text[:2000], flags=re.M)))
    for table in _separate(_read(text, delimiter, source.doc_id)):
        rendered = table_text(table)
        tables += bool(rendered)
        assembly.add("table", rendered)
        stated += table_statements(table)
    coverage = Coverage(tables=tables, warnings=decoded.warnings)
    return Extract(assembly.text, assembly.blocks, coverage=coverage, encoding=decoded.encoding, stated=tuple(stated))


def _delimiter(text: str) -> str:
    """The delimiter that gives the most lines the same number of fields, by Python's own reader."""
    lines = [line for line in text.splitlines()[:50] if line.strip()]
    best = max(_DELIMITERS, key=lambda mark: _agreement(lines, mark))
    return best if _agreement(lines, best)[0] > 0 else ","


def _agreement(lines: list[str], mark: str) -> tuple[float, int]:
    csv.field_size_limit(2**31 - 1)
    counts = [len(row) for row in csv.reader(lines, delimiter=mark)]
    widest = max(counts, default=1)
    if widest < 2:
        return (0.0, 0)
    usual = max(sorted(set(counts)), key=counts.count)
    return (counts.count(usual) / len(counts) if usual > 1 else 0.1, widest)


def _read(text: str, delimiter: str, where: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise ParseError(f"{where}: not a readable table: {error}") from error


def _separate(rows: list[list[str]]) -> Iterator[list[list[str]]]:
    """The tables of a file: an empty row stands between them."""
    for filled, group in itertools.groupby(rows, key=lambda row: any(cell.strip() for cell in row)):
        if filled:
            yield list(group)


# ---------------------------------------------------------------- JSON


def _json_lines(source: Source) -> Iterator[Outcome]:
    decoded = decode(source.data)
    if questions := count_questions(decoded.text):
        reason = f"a golden set of {questions} question(s), no document"
        yield FileReport(source.doc_id, encoding=decoded.encoding, skipped=reason, passed_over=True)
        return
    seen: dict[str, int] = {}
    for number, line in enumerate(decoded.text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_every_statement)
        except (ValueError, RecursionError) as error:
            yield FileReport(f"{source.doc_id}!{number}", skipped=f"line {number} is not valid JSON: {error}")
            continue
        extract = _row(row, number, decoded.encoding)
        if extract is None:
            yield FileReport(f"{source.doc_id}!{number}", skipped=f"line {number} holds no text")
            continue
        seen[extract.row or ""] = seen.get(extract.row or "", 0) + 1
        if seen[extract.row or ""] > 1:
            reason = f"line {number}: the id {extract.row!r} was used before"
            yield FileReport(f"{source.doc_id}!{number}", skipped=reason)
            continue
        yield extract


def _row(row: Any, number: int, encoding: str) -> Extract | None:
    """A row with ``text``: its title and text, every other key metadata; without ``text`` its fields as lines."""
    if not isinstance(row, Mapping):
        row = {"text": row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)}
    name = next((str(row[key]) for key in _ID_KEYS if row.get(key) not in (None, "")), str(number))
    title = one_line(str(row.get("title") or ""))
    key = _text_key(row)
    text = clean(row[key]) if key else "\n".join(_fields(row))
    if not text.strip():
        return None
    used = {*_ID_KEYS, "title", key}
    rest = dict(row["metadata"]) if isinstance(row.get("metadata"), Mapping) else {}
    declared = {**rest, **{str(k): v for k, v in row.items() if key and k not in used and k != "metadata"}}
    # A row that says who may see it does so whatever else it holds, also below keys that are no metadata.
    stated = tuple(statements_in(row, among_metadata=key is not None))
    declared = {name: value for name, value in declared.items() if not says_who(name, among_metadata=True)}
    blocks, titles = read_blocks(text, "text/plain")
    row_id = re.sub(r"[\x00-\x20!#]", "_", clean(name))
    return Extract(
        text,
        blocks,
        title=title,
        declared=declared,
        heading_titles=titles,
        encoding=encoding,
        row=row_id,
        stated=stated,
    )


def _every_statement(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which a statement of access that is made twice is kept twice: the last one is not the truth."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        twice = key in found and says_who(key, among_metadata=True)
        found[f"{key}\u200b" if twice else key] = value
    return found


def _json(source: Source) -> Iterator[Outcome]:
    decoded = decode(source.data)
    text = clean(decoded.text)
    try:
        value = json.loads(text, object_pairs_hook=_every_statement)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{source.doc_id}: not valid JSON: {error}") from error
    if isinstance(value, list) and value and all(isinstance(item, Mapping) and "text" in item for item in value):
        rows = (_row(item, number, decoded.encoding) for number, item in enumerate(value, 1))
        yield from (row for row in rows if row is not None)
        return
    assembly = Assembly()
    for line in _fields(value):
        assembly.add("paragraph", clean(line))
    yield Extract(assembly.text, assembly.blocks, encoding=decoded.encoding, stated=tuple(_statements(value)))


def _statements(value: Any) -> Iterator[Statement]:
    """What a JSON value says of who may see it; the keys beside a text are metadata."""
    for item in value if isinstance(value, list) else [value]:
        beside_text = isinstance(item, Mapping) and _text_key(item) is not None
        yield from statements_in(item, among_metadata=beside_text)


def _text_key(row: Mapping[str, Any]) -> str | None:
    return next((key for key in _TEXT_KEYS if isinstance(row.get(key), str)), None)


def _fields(value: Any, path: str = "") -> Iterator[str]:
    """Every leaf of a JSON value as ``path.to.key: value``."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _fields(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        if all(not isinstance(item, list | Mapping) for item in value):
            if value:
                yield f"{path}: {', '.join(_leaf(item) for item in value)}".removeprefix(": ")
            return
        for item in value:
            yield from _fields(item, path)
    elif value not in (None, ""):
        yield f"{path}: {_leaf(value)}".removeprefix(": ")


def _leaf(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
