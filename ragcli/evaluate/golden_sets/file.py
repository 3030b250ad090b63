"""Golden sets: one JSON object a line, read into golden cases; every malformed line is named with file and line.

Two layouts are read, also mixed: ragcli's own (``expected_chunk(s)``, ``expected_source(s)``, ``expected``,
``expected_answer``, ``expected_answer_contains``, ``answerable``, ``filters``, ``groups``, ``history``, ``tags``) and
the one that public question sets are commonly converted to (``evidence``, ``grades``, ``pages``, ``answer_aliases``,
``answer_all``). Keys of other tools are ignored and counted; a key that is nearly one of ragcli's is an error.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragcli.errors import GoldenError, reason
from ragcli.evaluate.golden_sets.judgments import read_evidence, read_judgments
from ragcli.records import GoldenCase
from ragcli.regular_files import read_named

KEYS = (
    "id",
    "question",
    "answerable",
    "expected_chunk",
    "expected_chunks",
    "expected_source",
    "expected_sources",
    "expected",
    "expected_answer",
    "expected_answer_contains",
    "filters",
    "groups",
    "history",
    "tags",
    "made_by",
    "evidence",
    "grades",
    "pages",
    "answer_aliases",
    "answer_all",
)
_TYPO_CUTOFF = 0.82


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """The cases of one file. ``digest`` identifies its content; ``notices`` say what was not used."""

    name: str
    digest: str
    cases: tuple[GoldenCase, ...]
    notices: tuple[str, ...] = ()


def load_golden(path: Path) -> GoldenSet:
    """The golden set in ``path``. Raises GoldenError (``file:line: …``) for anything malformed or an empty file."""
    try:
        raw = read_named(path)
        text = raw.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise GoldenError(f"golden file {path} does not exist", hint="rag golden draft proposes one") from error
    except (OSError, UnicodeDecodeError) as error:
        raise GoldenError(f"cannot read golden file {path}: {reason(error)}") from error
    return parse_golden(text, name=str(path), digest=hashlib.sha256(raw).hexdigest()[:16])


def parse_golden(text: str, *, name: str, digest: str = "") -> GoldenSet:
    """The golden set written in ``text``; pure. ``name`` stands before the line number in errors."""
    cases: list[GoldenCase] = []
    lines: dict[str, int] = {}
    ignored: Counter[str] = Counter()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        row = _row(line, where)
        ignored.update(_unknown_keys(row, where))
        case = read_case(row, where=where, case_id=f"line-{number}")
        if case.case_id in lines:
            raise GoldenError(f"{where}: id {case.case_id!r} was used on line {lines[case.case_id]} already")
        lines[case.case_id] = number
        cases.append(case)
        ignored.update(_foreign(row, case))
    if not cases:
        raise GoldenError(f"{name}: holds no case", hint='one JSON object a line, such as {"question": "…"}')
    return GoldenSet(name, digest, tuple(cases), tuple(f"{key}: not used ({n} cases)" for key, n in ignored.items()))


def read_case(row: Mapping[str, Any], *, where: str, case_id: str = "") -> GoldenCase:
    """One row as a case. Raises GoldenError naming the key and its value."""
    question = text_of(row, "question", where)
    if not question.strip():
        raise GoldenError(f'{where}: a case needs a "question"')
    answer = text_of(row, "expected_answer", where)
    return GoldenCase(
        case_id=str(row.get("id") or "") or case_id,
        question=question.strip(),
        judgments=read_judgments(row, where),
        evidence=read_evidence(row, where),
        answerable=_flag(row, "answerable", where),
        answers=tuple(dict.fromkeys(part for part in (answer, *texts(row, "answer_aliases", where)) if part.strip())),
        contains=_contains(row, where),
        filters=texts(row, "filters", where),
        groups=texts(row, "groups", where),
        history=texts(row, "history", where),
        tags=texts(row, "tags", where),
        made_by=text_of(row, "made_by", where),
        where=where,
    )


def text_of(row: Mapping[str, Any], key: str, where: str) -> str:
    """A text, "" when the key is absent or null."""
    value = row.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise GoldenError(f"{where}: {key} is {_shown(value)}, expected text")
    return value


def texts(row: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    """A list of texts; one text counts as a list of one."""
    value = row.get(key)
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise GoldenError(f"{where}: {key} is {_shown(value)}, expected text or a list of texts")
    return tuple(items)


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line, object_pairs_hook=lambda pairs: _once(pairs, where))
    except (ValueError, RecursionError) as error:
        raise GoldenError(f"{where}: not valid JSON: {error}") from error
    if not isinstance(row, dict):
        raise GoldenError(f"{where}: expected an object, found {_shown(row)}")
    return row


def _once(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    """An object whose keys all differ: of two equal ones JSON keeps the last, and a label would be lost."""
    row = dict(pairs)
    if len(row) < len(pairs):
        twice = next(key for place, (key, _) in enumerate(pairs) if key in dict(pairs[:place]))
        raise GoldenError(f"{where}: {twice!r} stands twice in one object")
    return row


def _unknown_keys(row: Mapping[str, Any], where: str) -> list[str]:
    unknown = [key for key in row if key not in KEYS]
    for key in unknown:
        close = difflib.get_close_matches(key.lower(), KEYS, n=1, cutoff=_TYPO_CUTOFF)
        if close:
            raise GoldenError(f"{where}: unknown key {key!r}; did you mean {close[0]!r}?")
    return unknown


def _foreign(row: Mapping[str, Any], case: GoldenCase) -> list[str]:
    """Labels that were read over: chunk ids of another tool beside sources, evidence by sentence number."""
    named = row.get("expected_chunks") or row.get("expected_chunk")
    found = []
    if named and not any(judgment.chunk is not None for judgment in case.judgments):
        found.append("expected_chunks of another tool")
    if row.get("evidence") and not case.evidence:
        found.append("evidence without a text or a document")
    return found


def _flag(row: Mapping[str, Any], key: str, where: str) -> bool:
    value = row.get(key, True)
    if not isinstance(value, bool):
        raise GoldenError(f"{where}: {key} is {_shown(value)}, expected true or false")
    return value


def _contains(row: Mapping[str, Any], where: str) -> tuple[tuple[str, ...], ...]:
    """``expected_answer_contains``, else ``answer_all``: all entries must stand in the answer, a list is one of."""
    key = "expected_answer_contains" if row.get("expected_answer_contains") is not None else "answer_all"
    value = row.get(key)
    entries = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(entries, list):
        raise GoldenError(f"{where}: {key} is {_shown(value)}, expected text or a list of texts")
    alternatives = [texts({key: entry}, key, where) for entry in entries]
    if any(not "".join(entry).strip() for entry in alternatives):
        raise GoldenError(f"{where}: {key} holds an empty text, which every answer contains")
    return tuple(alternatives)


def _shown(value: Any) -> str:
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= 60 else written[:57] + "…"
