"""A query as the engine's own parser reads it: that it is one SELECT, what it reads, and where its rows come from.

The parser gives a statement as plain JSON, and can write one from it. What is checked is that tree, never the text: a
comment, a string or odd white space cannot hide anything in it. Pure.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragcli.errors import ConfigError
from ragcli.tables.naming import RAW

Tree = dict[str, Any]

_TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series"})
"""All that may stand after FROM besides tables: they read nothing but what they are given."""
_CLOSED_FUNCTIONS = frozenset({"current_setting", "getenv", "write_log", "nextval", "currval"})
"""Functions that speak of the machine or leave something behind."""
_LEAVES = ("TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY")
_HINT = 'one SELECT over the tables that rag tables lists: rag sql "SELECT count(*) FROM documents"'


@dataclass(frozen=True, slots=True)
class TableReference:
    """A table that a query reads, as it is written: its schema (``""`` or ``raw``) and its name."""

    schema: str
    name: str


class ReadQuery:
    """A query that may run. Raises ConfigError for everything that is not one SELECT over tables."""

    def __init__(self, parsed: Mapping[str, Any]) -> None:
        if parsed.get("error"):
            raise _refusal(parsed)
        statements = parsed.get("statements") or []
        if len(statements) != 1:
            many = "there is no statement" if not statements else f"there are {len(statements)} statements, not one"
            raise ConfigError(many, hint=_HINT)
        self._tree: Tree = dict(parsed)
        common = [entry for node in _dicts(self._tree) for entry in _map(node.get("cte_map"))]
        self._common = {entry["key"].casefold() for entry in common if "key" in entry}
        for node in _dicts(self._tree):
            _check(node)

    @property
    def tables(self) -> list[TableReference]:
        """The tables that it reads, each as it is written, each once."""
        found = [
            TableReference(node.get("schema_name") or "", node["table_name"])
            for node in _dicts(self._tree)
            if node.get("type") == "BASE_TABLE" and not self._is_common(node)
        ]
        return list(dict.fromkeys(found))

    def _is_common(self, node: Mapping[str, Any]) -> bool:
        """Whether a table is a part of the query itself, named by WITH."""
        return not node.get("schema_name") and node["table_name"].casefold() in self._common

    def tracing(self, row_of: Mapping[str, Any], rows_of: Mapping[str, Any]) -> list[tuple[Tree, list[TableReference]]]:
        """The query with columns more that say which rows each row was made of; the tables in the columns' order.

        ``row_of`` and ``rows_of`` are the expressions for one row and for the rows of a group, of a table ``T``. The
        second holds where the first cannot be bound; there is none where an added column would change the result.
        """
        node = self._tree["statements"][0]["node"]
        if node.get("type") != "SELECT_NODE":
            return []
        kinds = {modifier.get("type") for modifier in node.get("modifiers") or []}
        sources = self._sources(node.get("from_table") or {})
        if "DISTINCT_MODIFIER" in kinds or not sources:
            return []
        grouped = bool(node.get("group_expressions")) or node.get("aggregate_handling") != "STANDARD_HANDLING"
        expressions = [rows_of] if grouped else [row_of, rows_of]
        return [(self._with(expression, sources), [table for _, table in sources]) for expression in expressions]

    def _sources(self, source: Mapping[str, Any]) -> list[tuple[str, TableReference]]:
        """The tables that its FROM joins, by the name that columns are qualified with; none where it is not all."""
        kind = source.get("type")
        if kind == "JOIN":
            left, right = self._sources(source["left"]), self._sources(source["right"])
            return left + right if left and right else []
        if kind != "BASE_TABLE" or self._is_common(source) or source.get("sample"):
            return []
        reference = TableReference(source.get("schema_name") or "", source["table_name"])
        return [(source.get("alias") or reference.name, reference)]

    def _with(self, expression: Mapping[str, Any], sources: Sequence[tuple[str, TableReference]]) -> Tree:
        tree = copy.deepcopy(self._tree)
        for qualifier, _ in sources:
            added = copy.deepcopy(dict(expression))
            for part in _dicts(added):
                if part.get("class") == "COLUMN_REF":
                    part["column_names"] = [qualifier, *part["column_names"][1:]]
            tree["statements"][0]["node"]["select_list"].append(added)
        return tree


def _check(node: Mapping[str, Any]) -> None:
    kind = node.get("type")
    if kind == "BASE_TABLE":
        if node.get("catalog_name") or (node.get("schema_name") or "").casefold() not in ("", "main", RAW):
            where = ".".join(filter(None, (node.get("catalog_name"), node.get("schema_name"), node["table_name"])))
            raise ConfigError(f"there is no table {where!r}", hint="rag tables lists them")
    elif kind == "TABLE_FUNCTION":
        name = str((node.get("function") or {}).get("function_name", "")).casefold()
        if name not in _TABLE_FUNCTIONS:
            raise ConfigError(
                f"{name}() cannot be read from: a query sees the tables of the documents and nothing else", hint=_HINT
            )
    elif kind == "SHOW_REF" and not node.get("query"):
        raise ConfigError("SHOW lists nothing here", hint="rag tables lists tables, DESCRIBE NAME the columns of one")
    elif node.get("class") == "FUNCTION" and str(node.get("function_name", "")).casefold() in _CLOSED_FUNCTIONS:
        raise ConfigError(f"{node['function_name']}() is closed to queries", hint=_HINT)


def _refusal(parsed: Mapping[str, Any]) -> ConfigError:
    message = str(parsed.get("error_message", ""))
    if parsed.get("error_type") == "parser":
        return ConfigError(f"SQL: {message}", hint=_HINT)
    return ConfigError("only SELECT may be run: tables are read, never changed", hint=_HINT)


def _dicts(value: Any) -> Iterator[Tree]:
    """Every object of a JSON value, the outer ones first."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting += reversed(list(item.values()))
        elif isinstance(item, list):
            waiting += reversed(item)


def _map(value: Any) -> list[Tree]:
    return list(value.get("map") or []) if isinstance(value, dict) else []
