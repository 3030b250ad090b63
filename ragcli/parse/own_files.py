"""Tells what ragcli itself wrote or is run with from documents: settings, golden sets, runs, reports, traces.

Such a file stands beside the documents and must not be found as a source. It is known by what it holds: the schema of
its JSON, a marker in a report, the keys of its rows.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ragcli.config import FILE_NAME, SECTIONS, parse_yaml
from ragcli.errors import ConfigError

_LABELS = frozenset(
    (
        "answerable",
        "expected",
        "expected_answer",
        "expected_answer_contains",
        "expected_chunk",
        "expected_chunks",
        "expected_source",
        "expected_sources",
    )
)
_TEXTS = ("text", "body", "content", "abstract")
_LOGGED = ({"trace_id", "question", "hits", "cited"}, {"trace_id", "standalone_question", "answer", "found"})
_VERDICT = {"trace_id", "feedback"}
_MATRIX = {"measures", "rows", "axes"}

_HEAD_BYTES = 4096
_YAML_BYTES = 200_000
_ROWS = 50
_SCHEMA = re.compile(rb'"schema"\s*:\s*"(rag\.[a-z-]+/\d+)"')
_SCHEMA_FIRST = re.compile(rb"\{\s*" + _SCHEMA.pattern)
_HTML = re.compile(
    rb'<meta name="generator" content="ragcli\b'
    # As reports began before they carried that.
    rb'|\A<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport"[^>]*>'
    rb"<title>[^<]*</title>\n<style>\n:root"
)
_MARKDOWN = re.compile(
    rb"\A<!-- ragcli [a-z ]+-->|\A## Evaluation: [^\n]*\n\n\d+ questions of `[^`\n]*` over index `v\d{6}`"
)
_JUNIT = re.compile(rb'\A<\?xml[^>]*>\s*<testsuites name="rag eval" ')
_RUN = re.compile(rb"\S+ Q0 \S+ \d+ -?[0-9.]+ \S+")
_QRELS = re.compile(rb"\S+ 0 \S+ \d+")


def own_file(name: str, data: bytes) -> str | None:
    """What a file is when it is ragcli's own, None for everything else; ``name`` is that of the file alone."""
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    extension = name.rpartition(".")[2].lower()
    kind = _KINDS.get(extension)
    return (kind(name, data) if kind is not None else None) or (_json(data) if data[:1] == b"{" else None)


def _json(data: bytes) -> str | None:
    found = _SCHEMA_FIRST.match(data) or _SCHEMA.search(data)
    if found is not None and (found.start() == 0 or _has_schema(data)):
        return f"what ragcli wrote ({found[1].decode()})"
    rows = list(_rows(data)) if b'"trace_id"' in data[:_HEAD_BYTES] else []
    if rows and all(map(_is_logged, rows)):
        return "a log of questions that ragcli kept"
    return None


def _has_schema(data: bytes) -> bool:
    """Whether the schema is a key of the whole and not of something in it."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, Mapping) and str(content.get("schema")).startswith("rag.")


def _rows(data: bytes) -> Iterator[Any]:
    """The first rows of JSON Lines, None for one that is none."""
    for line in _lines(data):
        try:
            yield json.loads(line)
        except (ValueError, RecursionError):
            yield None


def _lines(data: bytes) -> list[bytes]:
    """The first lines that are not blank; one that is cut off by the limit is none of them."""
    limit = _ROWS * _HEAD_BYTES
    whole = data[:limit].split(b"\n")[: _ROWS if len(data) <= limit else -1]
    return [line.strip() for line in whole[:_ROWS] if line.strip()]


def _is_logged(row: Any) -> bool:
    return isinstance(row, Mapping) and (row.keys() == _VERDICT or any(keys <= row.keys() for keys in _LOGGED))


def _yaml(name: str, data: bytes) -> str | None:
    if name == FILE_NAME:
        return "settings of ragcli"
    try:
        content = parse_yaml(data.decode("utf-8", "replace"), name) if len(data) < _YAML_BYTES else None
    except ConfigError:
        return None
    if not isinstance(content, Mapping):
        return None
    if _are_settings(content) and (len(content) > 1 or name.startswith("rag.")):
        return "settings of ragcli"
    rows = content.get("rows", content.get("axes"))
    if content.keys() <= _MATRIX and isinstance(rows, Mapping) and all(map(_are_changes, rows.items())):
        return "a matrix of settings for rag eval"
    return None


def _are_settings(content: Mapping[Any, Any]) -> bool:
    """Whether all is a section of the settings with keys of that section, and there is a key at all."""
    keys = 0
    for name, section in content.items():
        kind = SECTIONS.get(name)
        if kind is None or not isinstance(section, Mapping | None):
            return False
        known = {item.name for item in dataclasses.fields(kind)}
        if not set(section or ()) <= known:
            return False
        keys += len(section or ())
    return keys > 0


def _are_changes(row: tuple[Any, Any]) -> bool:
    """Whether a row or an axis of a matrix names settings."""
    name, value = row
    names = list(value) if isinstance(value, Mapping) else [] if value is None else [name]
    return all(isinstance(key, str) and key.partition(".")[0] in SECTIONS for key in names)


def _all_lines(data: bytes, pattern: re.Pattern[bytes]) -> bool:
    lines = _lines(data)
    return bool(lines) and all(map(pattern.fullmatch, lines))


def _report(pattern: re.Pattern[bytes]) -> Callable[[str, bytes], str | None]:
    return lambda name, data: "a report of rag eval" if pattern.search(data[:_HEAD_BYTES]) else None


def _trec(pattern: re.Pattern[bytes]) -> Callable[[str, bytes], str | None]:
    return lambda name, data: "rankings or labels in TREC's format" if _all_lines(data, pattern) else None


_KINDS: Mapping[str, Callable[[str, bytes], str | None]] = {
    "yaml": _yaml,
    "yml": _yaml,
    "html": _report(_HTML),
    "htm": _report(_HTML),
    "md": _report(_MARKDOWN),
    "xml": _report(_JUNIT),
    "run": _trec(_RUN),
    "qrels": _trec(_QRELS),
}


def count_questions(text: str) -> int:
    """How many cases a JSON Lines file holds when every row is a case of a golden set; 0 when one row is not.

    A case has a ``question``, says what is expected or whether there is an answer, and has no text of its own.
    """
    count = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return 0
        if not _is_case(row):
            return 0
        count += 1
    return count


def _is_case(row: Any) -> bool:
    if not isinstance(row, Mapping) or not isinstance(row.get("question"), str):
        return False
    return not _LABELS.isdisjoint(row) and not any(isinstance(row.get(key), str) for key in _TEXTS)
