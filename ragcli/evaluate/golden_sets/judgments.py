"""Reading the labels of one golden row: every way of naming what should be found becomes a judgment."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ragcli.errors import GoldenError
from ragcli.records import Judgment

_CHUNK_ID = re.compile(r"^(?P<source>.+)#(?P<ordinal>[1-9][0-9]*)$", re.DOTALL)
_PAGE = re.compile(r"^page=(?P<page>[0-9]+)$")
_WORST_GRADE = 4
_PLACE_KEYS = frozenset({"source", "quote", "heading", "page", "relevance"})


def read_judgments(row: Mapping[str, Any], where: str) -> tuple[Judgment, ...]:
    """The labels that rankings are measured by, without repetition, in the order written.

    ``pages`` (``{"doc", "page_0based"}``) take the place of the bare source of the same document. ``grades`` are
    Cranfield's codes, 1 (a complete answer) to 4 (of minimum interest), and become relevance 5 − grade. A chunk id
    that is not ``source#number`` belongs to another tool: the row's sources stand for it.
    """
    pages = _pages(row, where)
    paged = {judgment.source for judgment in pages}
    sources = [item for item in _sources(row, where) if not (item.whole_document and item.source in paged)]
    expected = [_place(item, where) for item in _entries(row, "expected", where)]
    found = [*_chunks(row, where, other=bool(sources or expected)), *sources, *expected, *pages]
    return tuple(dict.fromkeys(found))


def read_evidence(row: Mapping[str, Any], where: str) -> tuple[Judgment, ...]:
    """Texts inside the judged documents that hold the answer; each is tried in every source of the row.

    Entries without a text (numbers of sentences in the data set's own lists) are left out.
    """
    found = []
    sources = [source for source, _ in map(_split, _source_texts(row, where))]
    for item in _entries(row, "evidence", where):
        if isinstance(item, str):
            found += [Judgment(source, quote=item.strip("\ufeff \n")) for source in sources if item.strip()]
        elif isinstance(item, dict) and isinstance(item.get("quote") or item.get("text"), str):
            named = item.get("doc") or item.get("source")
            quote = item.get("quote") or item["text"]
            found += [Judgment(str(source), quote=quote) for source in ([named] if named else sources)]
    return tuple(dict.fromkeys(found))


def _chunks(row: Mapping[str, Any], where: str, *, other: bool) -> Iterable[Judgment]:
    for key in ("expected_chunk", "expected_chunks"):
        for item in _entries(row, key, where):
            match = _CHUNK_ID.match(_text(item, key, where))
            if match:
                yield Judgment(match["source"], chunk=int(match["ordinal"]))
            elif not other:
                raise GoldenError(f"{where}: {key} {item!r} is not a chunk id", hint="a chunk id ends in #1, #2, …")


def _sources(row: Mapping[str, Any], where: str) -> Iterable[Judgment]:
    grades = row.get("grades") or {}
    if not isinstance(grades, Mapping):
        raise GoldenError(f"{where}: grades is {grades!r}, expected a document and its grade each")
    for item in _source_texts(row, where):
        source, fragment = _split(item)
        page = _PAGE.match(fragment)
        if page and int(page["page"]) == 0:
            raise GoldenError(f"{where}: {item!r} names page 0; pages count from 1")
        yield Judgment(
            source,
            heading="" if page else fragment,
            page=int(page["page"]) if page else None,
            relevance=_grade(grades[item], where) if item in grades else 1,
        )


def _source_texts(row: Mapping[str, Any], where: str) -> list[str]:
    keys = ("expected_source", "expected_sources")
    return [_text(item, key, where) for key in keys for item in _entries(row, key, where)]


def _split(source: str) -> tuple[str, str]:
    """``path#heading`` as its two parts; the second is "" without a ``#``."""
    path, _, fragment = source.partition("#")
    return path, fragment.strip()


def _grade(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _WORST_GRADE:
        raise GoldenError(f"{where}: grade {value!r}, expected a number from 1 (best) to {_WORST_GRADE}")
    return _WORST_GRADE + 1 - value


def _pages(row: Mapping[str, Any], where: str) -> list[Judgment]:
    found = []
    for item in _entries(row, "pages", where):
        page = item.get("page_0based") if isinstance(item, dict) else None
        if not isinstance(page, int) or not isinstance(item.get("doc"), str):
            raise GoldenError(f'{where}: pages holds {json.dumps(item)}, expected {{"doc": …, "page_0based": …}}')
        found.append(Judgment(item["doc"], page=page + 1))
    return found


def _place(item: Any, where: str) -> Judgment:
    """One entry of ``expected``: a source with at most one of quote, heading and page."""
    if isinstance(item, str):
        item = {"source": item}
    if not isinstance(item, dict) or not isinstance(item.get("source"), str) or not item["source"]:
        raise GoldenError(f'{where}: expected holds {json.dumps(item, ensure_ascii=False)}, which names no "source"')
    unknown = sorted(set(item) - _PLACE_KEYS)
    if unknown:
        raise GoldenError(f"{where}: unknown key {unknown[0]!r} in expected; known: {', '.join(sorted(_PLACE_KEYS))}")
    page, relevance = item.get("page"), item.get("relevance", 1)
    if page is not None and (not isinstance(page, int) or isinstance(page, bool) or page < 1):
        raise GoldenError(f"{where}: page is {page!r}, expected a number from 1")
    if not isinstance(relevance, int) or isinstance(relevance, bool) or relevance < 1:
        raise GoldenError(f"{where}: relevance is {relevance!r}, expected a whole number from 1")
    quote, heading = _text(item.get("quote", ""), "quote", where), _text(item.get("heading", ""), "heading", where)
    if sum(part is not None and part != "" for part in (quote, heading, page)) > 1:
        raise GoldenError(f"{where}: an entry of expected takes one of quote, heading and page")
    return Judgment(item["source"], quote=quote, heading=heading, page=page, relevance=relevance)


def _entries(row: Mapping[str, Any], key: str, where: str) -> list[Any]:
    value = row.get(key)
    if value is None:
        return []
    if isinstance(value, str | dict):
        return [value]
    if not isinstance(value, list):
        raise GoldenError(f"{where}: {key} is {value!r}, expected a list")
    return value


def _text(value: Any, key: str, where: str) -> str:
    if not isinstance(value, str) or (key.startswith("expected") and not value.strip()):
        raise GoldenError(f"{where}: {key} holds {value!r}, expected a text")
    return value
