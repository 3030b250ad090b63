"""A golden set over several settings: rows read from a file, runs compared with the first one, one table; pure.

    measures: [nDCG@10, R@5]          # columns; default: the measures a comparison watches
    rows:                             # each a name and the settings that differ from the configuration
      as configured: {}
      bm25 alone: {retrieve.mode: bm25}
    axes:                             # and every combination of these
      chunk.max_tokens: [120, 200]
      retrieve.k: [5, 8]

A row moves a measure when the interval of its difference from the first row leaves out zero; the intervals of a row
hold together. "Each step should move a number; if it does not, take it out."
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragcli.codec import encode
from ragcli.errors import ConfigError
from ragcli.evaluate.gate import LOWER_IS_BETTER, WATCHED
from ragcli.evaluate.measuring.bootstrap import Bootstrap, Difference, differences
from ragcli.evaluate.run import EvalRun

_KEYS = ("measures", "rows", "axes")
_MOST_ROWS = 200


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A name and the settings (``section.key``) it changes."""

    name: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MatrixSpec:
    """The rows to run, the first being the one that others are compared with, and the measures to show."""

    rows: tuple[MatrixRow, ...]
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatrixResult:
    """A row that was run. ``built`` says which index it ran on, ``build_seconds`` what making it cost."""

    row: MatrixRow
    run: EvalRun
    built: str
    build_seconds: float
    chunks: int
    changes: tuple[Difference, ...] = ()

    @property
    def moved(self) -> tuple[str, ...]:
        """Measures that this row moved, with the sign of better or worse."""
        return tuple(f"{'+' if _is_better(item) else '-'}{item.measure}" for item in self.changes if _is_moved(item))


def read_matrix(content: Mapping[str, Any], where: str) -> MatrixSpec:
    """The rows of a matrix file. Raises ConfigError for another form, a repeated name or too many rows."""
    for key in content:
        if key not in _KEYS:
            raise ConfigError(f"{where}: unknown key {key!r}; known: {', '.join(_KEYS)}")
    rows = content.get("rows") or {}
    if not isinstance(rows, Mapping):
        raise ConfigError(f"{where}: rows is {rows!r}, expected a name and its settings each")
    found = [MatrixRow(str(name), _settings(value, f"{where}: row {name!r}")) for name, value in rows.items()]
    found += _product(content.get("axes") or {}, where)
    if not found:
        raise ConfigError(f"{where}: no row", hint="rows: {bm25: {retrieve.mode: bm25}}")
    if len(found) > _MOST_ROWS:
        raise ConfigError(f"{where}: {len(found)} rows, at most {_MOST_ROWS} are run")
    names = [row.name for row in found]
    if len(set(names)) < len(names):
        raise ConfigError(f"{where}: two rows have the same name")
    return MatrixSpec(tuple(found), _measures(content.get("measures"), where))


def compared(results: Sequence[MatrixResult], how: Bootstrap) -> list[MatrixResult]:
    """The results with their changes against the first one; cases are paired by id."""
    first = results[0].run
    return [results[0], *(_compared(first, item, how) for item in results[1:])]


def columns(results: Sequence[MatrixResult], spec: MatrixSpec) -> list[str]:
    """Measures to show: those asked for, else the watched ones that have a value somewhere."""
    known = list(dict.fromkeys(name for item in results for name in item.run.measures))
    for name in spec.measures:
        if name not in known:
            raise ConfigError(f"measure {name!r} is not measured; measured: {', '.join(known)}")
    valued = {name for item in results for name, found in item.run.measures.items() if found.mean is not None}
    return list(spec.measures) or [name for name in WATCHED if name in valued]


def table(results: Sequence[MatrixResult], names: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Head and rows: each measure as mean ± half its interval, what the row moved, and what it costs."""
    head = ["row", "index", "chunks", *names, "moved", "ms a question", "seconds to build", "tokens"]
    return head, [_cells(item, names, first=place == 0) for place, item in enumerate(results)]


def _cells(item: MatrixResult, names: Sequence[str], *, first: bool) -> list[str]:
    spent = item.run.tokens.get("input_tokens", 0) + item.run.tokens.get("output_tokens", 0)
    latency = item.run.latency_ms.get("total", {}).get("p50")
    return [
        item.row.name,
        item.built,
        str(item.chunks),
        *(_mean(item.run, name) for name in names),
        "compared with" if first else " ".join(item.moved) or "nothing",
        f"{latency:.1f}" if latency is not None else "–",
        f"{item.build_seconds:.1f}" if item.build_seconds else "–",
        str(spent),
    ]


def _mean(run: EvalRun, name: str) -> str:
    found = run.measures.get(name)
    if found is None or found.mean is None or found.low is None or found.high is None:
        return "undefined"
    return f"{found.mean:.4f} ± {(found.high - found.low) / 2:.4f}"


def to_json(results: Sequence[MatrixResult]) -> dict[str, Any]:
    """The matrix as plain JSON values."""
    rows = [
        {
            "name": item.row.name,
            "settings": encode(item.row.settings),
            "measures": encode(item.run.measures),
            "changes": encode(item.changes),
            "moved": list(item.moved),
            "losses": encode(item.run.losses),
            "index": item.built,
            "chunks": item.chunks,
            "build_seconds": item.build_seconds,
            "seconds": encode(item.run.seconds),
            "latency_ms": encode(item.run.latency_ms),
            "tokens": encode(item.run.tokens),
        }
        for item in results
    ]
    return {"schema": "rag.matrix/1", "golden": results[0].run.golden, "cases": results[0].run.cases, "rows": rows}


def _settings(value: Any, where: str) -> dict[str, Any]:
    """Settings by dotted key; sections may be nested. Refuses what an index of the same documents cannot show."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} is {value!r}, expected settings such as retrieve.k: 5")
    found: dict[str, Any] = {}
    for key, item in value.items():
        found |= {f"{key}.{name}": inner for name, inner in item.items()} if isinstance(item, Mapping) else {key: item}
    for key in found:
        section, dot, _ = str(key).partition(".")
        if not dot:
            raise ConfigError(f"{where}: {key!r} is no setting; write it as section.key")
        if section in ("ingest", "trace", "eval"):
            raise ConfigError(
                f"{where}: {key} changes nothing here: the same documents are measured the same way",
                hint="rag ingest into another --index to compare parsers",
            )
        if key == "index.path":
            raise ConfigError(f"{where}: each row runs on the index that its settings ask for, so {key} is not one")
    return found


def _product(axes: Any, where: str) -> list[MatrixRow]:
    if not isinstance(axes, Mapping) or not all(isinstance(values, list) for values in axes.values()):
        raise ConfigError(f"{where}: axes is {axes!r}, expected a list of values for each setting")
    if not axes:
        return []
    keys = list(_settings(dict.fromkeys(axes), f"{where}: axes"))
    return [
        MatrixRow(
            ", ".join(f"{key}={value}" for key, value in zip(keys, values, strict=True)),
            dict(zip(keys, values, strict=True)),
        )
        for values in itertools.product(*axes.values())
    ]


def _measures(value: Any, where: str) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value or []
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ConfigError(f"{where}: measures is {value!r}, expected a list of names")
    return tuple(items)


def _compared(first: EvalRun, item: MatrixResult, how: Bootstrap) -> MatrixResult:
    old = {case.id: case.measures for case in first.per_case}
    shared = [case for case in item.run.per_case if case.id in old]
    names = [name for name in item.run.measures if name in first.measures and name in WATCHED]
    changes = differences(
        [old[case.id] for case in shared], [case.measures for case in shared], names, how, together=True
    )
    return MatrixResult(item.row, item.run, item.built, item.build_seconds, item.chunks, tuple(changes))


def _is_moved(item: Difference) -> bool:
    return item.low is not None and item.high is not None and (item.low > 0 or item.high < 0)


def _is_better(item: Difference) -> bool:
    return ((item.difference or 0.0) > 0) != (item.measure in LOWER_IS_BETTER)
