"""What is known about a document besides its text: what it declares, then path rules, then the command line."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragcli.config import PathRule
from ragcli.language.dates import month
from ragcli.parse.access import access_of, says_who, statements_in
from ragcli.parse.path_rules import matches
from ragcli.records import Document, Metadata

DATE_KEYS = ("modified", "effective_date", "expires")
LIST_KEYS = ("supersedes", "tags")
TEXT_KEYS = ("language", "status", "type")
_ALIASES = {"lang": "language", "effective": "effective_date", "expiry": "expires", "expiration_date": "expires"}
_ALIASES |= {
    "keywords": "tags",
    "doc_type": "type",
    "last_modified": "modified",
    "updated": "modified",
}


def describe(
    document: Document, rules: Sequence[PathRule], meta: Mapping[str, str], acl: Sequence[str], path: str
) -> tuple[Document, tuple[str, ...]]:
    """The document with path rules applied over what it declares, then ``--meta`` and ``--acl``; and warnings.

    ``path`` is that of its file under the root; a document inside of it is also known by its path in there.
    """
    layers: list[tuple[str, Mapping[str, Any]]] = []
    for position, rule in enumerate(rules):
        if matches(rule.path, path, document.doc_id):
            layers.append((f"ingest.rules[{position}]", rule.set))
    layers.append(("--meta", meta))
    if acl:
        layers.append(("--acl", {"acl": list(acl)}))
    layers = list(_last_access(layers))
    warnings: list[str] = []
    metadata, title = document.metadata, document.title
    for where, values in layers:
        metadata, problems = declare(metadata, values, where)
        warnings += problems
        title = str(values.get("title", title))
    return replace(document, metadata=metadata, title=title), tuple(warnings)


def _last_access(layers: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The layers, with who may see it left only in the last that says so: what it hides need not be in order."""
    saying = [
        position for position, (_, values) in enumerate(layers) if any(statements_in(values, among_metadata=True))
    ]
    for position, (where, values) in enumerate(layers):
        yield where, values if position in saying[-1:] else _without_access(values)


def _without_access(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values and the values in them, without what says who may see a document."""
    return {
        key: _without_access(value) if isinstance(value, Mapping) else value
        for key, value in values.items()
        if not says_who(key, among_metadata=True)
    }


def has_a_field(raw: object) -> bool:
    """Whether a key is the title or has a field of its own in the metadata."""
    return _name(raw) in ("title", "meta", *DATE_KEYS, *LIST_KEYS, *TEXT_KEYS)


def _name(raw: object) -> str:
    return _ALIASES.get(_key(raw), _key(raw))


def declare(
    metadata: Metadata, values: Mapping[str, Any], where: str, lines: Mapping[str, int] | None = None
) -> tuple[Metadata, tuple[str, ...]]:
    """``metadata`` with ``values`` set over it; a bad date is a warning that names file and line, and is left out.

    Raises AccessError when something in it says who may see it and cannot be honoured; of several such statements the
    groups that all of them name are left.
    ``lines`` gives the source line of a key. A key without a field of its own goes to ``extra``; ``title`` is not
    metadata and passes by.
    """
    fields: dict[str, Any] = {}
    if groups := access_of(statements_in(values, among_metadata=True), where):
        fields["acl"] = groups
    extra = dict(metadata.extra)
    warnings: list[str] = []
    for raw, value in values.items():
        name = _name(raw)
        if name == "title" or value is None or says_who(raw, among_metadata=True):
            continue
        if name in DATE_KEYS:
            date = to_date(value)
            if date is None:
                line = (lines or {}).get(str(raw))
                place = f"{where}:{line}" if line else where
                warnings.append(f"{place}: {raw} is {_text(value)!r}, not a date (YYYY-MM-DD)")
            else:
                fields[name] = date
        elif name in LIST_KEYS:
            fields[name] = to_list(value)
        elif name in TEXT_KEYS:
            fields[name] = _text(value).strip() or None
        elif name == "meta" and isinstance(value, Mapping):
            extra |= {_key(key): _text(item) for key, item in value.items() if not says_who(key, among_metadata=True)}
        else:
            extra[name.removeprefix("meta.")] = _text(value)
    return replace(metadata, **fields, extra=extra), tuple(warnings)


def _key(raw: object) -> str:
    return re.sub(r"[\s-]+", "_", str(raw).strip()).lower()


def to_list(value: Any) -> tuple[str, ...]:
    """A list, or text with commas, as its non-empty parts."""
    parts: Iterable[Any] = value if isinstance(value, list | tuple | set) else str(value).split(",")
    return tuple(dict.fromkeys(text for part in parts if (text := _text(part).strip())))


def to_date(value: Any) -> str | None:
    """A date written as YYYY-MM-DD (or with slashes, a time, a month's name) as ISO text, else None.

    ``01/02/2026`` is not read: day and month cannot be told apart.
    """
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    text = str(value).strip()
    match = re.match(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:\D|$)", text) or re.match(r"(\d{4})(\d\d)(\d\d)$", text)
    if match:
        return _valid(int(match[1]), int(match[2]), int(match[3]))
    match = re.match(r"(\d{1,2})\.(\d{1,2})\.(\d{4})$", text)
    if match:
        return _valid(int(match[3]), int(match[2]), int(match[1]))
    match = re.match(r"(\d{1,2})\.? ([^\W\d_]+)\.?,? (\d{4})$", text)
    if match:
        return _valid(int(match[3]), month(match[2]), int(match[1]))
    match = re.match(r"([^\W\d_]+)\.? (\d{1,2}),? (\d{4})$", text)
    return _valid(int(match[3]), month(match[1]), int(match[2])) if match else None


def _valid(year: int, month: int, day: int) -> str | None:
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        return None


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, list | tuple) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(map(str, value))
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str, sort_keys=True)
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
