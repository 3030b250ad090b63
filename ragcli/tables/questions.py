"""A simple question of one table as SQL, by rule. Pure.

It is made only when every word that carries meaning is accounted for: by the operation, the header of a column, a
value that stands in the table, its title, or a word such as *row*. A word left over means that the question asks for
something that the query would not say, and then there is none: a wrong count looks exactly like a right one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragcli.language.lexicon import listed, named
from ragcli.language.stems import stem
from ragcli.language.words import Word, content_stems, words
from ragcli.records.tables import TableColumn
from ragcli.tables.asked import AskedOperation, Operation, asked
from ragcli.tables.naming import quoted

_LONGEST_VALUE = 6  # words of a cell that a question may name
_LONGEST_CELL = 80  # characters of such a cell
_YEARS = range(1900, 2100)
_NUMBERS = ("integer", "number")
_DATES = ("date", "timestamp")


@dataclass(frozen=True, slots=True)
class AskedTable:
    """A table that may be asked: its name, what it is called, its columns and its cells as written."""

    name: str
    title: str
    columns: Sequence[TableColumn]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """A column that must hold a value that the question names."""

    column: TableColumn
    value: str


@dataclass(frozen=True, slots=True)
class Made:
    """A query with what it says: the operation, its column (None for rows) and the conditions."""

    sql: str
    table: str
    operation: Operation
    column: TableColumn | None
    conditions: tuple[ValueCondition, ...]
    distinct: bool = False


def made_queries(question: str, candidates: Iterable[AskedTable]) -> list[Made]:
    """A query for each table that accounts for the whole question; several mean that it is not clear which is meant."""
    wanted = asked(question)
    if wanted is None:
        return []
    readings = [wanted, *([replace(wanted, operation="sum")] if wanted.sums_too else [])]
    found = []
    for candidate in candidates:
        made = (_TableReading(reading, candidate).made() for reading in readings)
        found += [one for one in made if one is not None][:1]
    return found


def nearest(question: str, candidates: Iterable[AskedTable]) -> AskedTable | None:
    """The table whose title, headers and values share most with the question; None when none shares half of it."""
    wanted = asked(question)
    stems = {word.stem for word in wanted.words if word.is_content} if wanted is not None else content_stems(question)
    if not stems:
        return None
    best: tuple[int, AskedTable] | None = None
    for candidate in candidates:
        known = content_stems(" ".join([candidate.title, *(column.header for column in candidate.columns)]))
        known |= {
            word for row in candidate.rows for cell in row if len(cell) < 40 for word in content_stems(cell) & stems
        }
        shared = len(stems & known)
        if 2 * shared >= len(stems) and (best is None or shared > best[0]):
            best = shared, candidate
    return best[1] if best is not None else None


class _TableReading:
    """One question read against one table: which words are accounted for, and by what."""

    def __init__(self, wanted: AskedOperation, candidate: AskedTable) -> None:
        self._asked = wanted
        self._table = candidate
        self._left = list(wanted.words)
        self._headers = [content_stems(column.header) for column in candidate.columns]
        self._values = [self._named_values(place) for place in range(len(candidate.columns))]

    def made(self) -> Made | None:
        """The query, None when the table does not account for the question."""
        conditions = self._conditions()
        if conditions is None or not any(word.is_content for word in self._asked.words):
            return None
        self._headers_of({condition.column.name for condition in conditions})
        operation = self._asked.operation
        if operation == "count":
            return self._count(conditions)
        column = self._target()
        if column is None:
            return None
        self._take(self._stems(column) | _unit_stems(column))
        if not self._accounted(self._row_words(operation, conditions)):
            return None
        return Made(self._sql(operation, column, conditions), self._table.name, operation, column, conditions)

    # ------------------------------------------------------------ conditions

    def _conditions(self) -> tuple[ValueCondition, ...] | None:
        """The values of the table that the question names, the longest first; None where a name fits two columns."""
        found: list[ValueCondition] = []
        for length in range(min(_LONGEST_VALUE, len(self._left)), 0, -1):
            start = 0
            while start + length <= len(self._left):
                run = self._left[start : start + length]
                fitting = self._holding(run)
                if fitting is None:
                    return None
                if fitting:
                    found += fitting
                    del self._left[start : start + length]
                else:
                    start += 1
        names = [condition.column.name for condition in found]
        return tuple(found) if len(names) == len(set(names)) else None

    def _holding(self, run: Sequence[Word]) -> list[ValueCondition] | None:
        """The one column with a cell that is these words; None where there are several."""
        if not any(word.is_content for word in run):
            return []
        stems = tuple(word.stem for word in run)
        found: dict[str, ValueCondition] = {}
        for column, values in zip(self._table.columns, self._values, strict=True):
            if stems in values:
                found[column.name] = ValueCondition(column, values[stems])
        if len(found) > 1:
            said = [one for one in found.values() if self._stems(one.column) & {word.stem for word in self._left}]
            return said if len(said) == 1 else None
        return list(found.values())

    def _named_values(self, place: int) -> dict[tuple[str, ...], str]:
        """The cells of a column that the question may name, by the stems of their words."""
        column = self._table.columns[place]
        cells = dict.fromkeys(row[place] for row in self._table.rows)
        if column.type == "integer" and all(cell.isdigit() and int(cell) in _YEARS for cell in cells if cell):
            return {(cell,): cell for cell in cells if cell}
        if column.type != "text":
            return {}
        starts = tuple({word.folded[:2] for word in self._asked.words})
        near = [cell for cell in cells if len(cell) <= _LONGEST_CELL and cell.casefold().startswith(starts)]
        found = ((tuple(word.stem for word in words(cell)), cell) for cell in near)
        return {stems: cell for stems, cell in found if stems}

    # ------------------------------------------------------------ columns

    def _stems(self, column: TableColumn) -> set[str]:
        return self._headers[[one.name for one in self._table.columns].index(column.name)]

    def _headers_of(self, names: set[str]) -> None:
        """The header of a column under a condition is accounted for: *in the category Hardware*."""
        for column in self._table.columns:
            if column.name in names:
                self._take(self._stems(column))

    def _target(self) -> TableColumn | None:
        """The column of numbers that the question names, or that its extreme speaks of; None when not exactly one."""
        extreme = self._asked.operation in ("max", "min")
        of_dates = self._asked.kind == "date"
        left = {word.stem for word in self._left}
        for types in [_DATES] if of_dates else [_NUMBERS, _DATES] if extreme else [_NUMBERS]:
            columns = [column for column in self._table.columns if column.type in types]
            said = [column for column in columns if self._stems(column) & left]
            if said:
                return _only_best(said, [len(self._stems(column) & left) for column in said])
            kinds = [column for column in columns if of_dates or self._is_of(column, self._asked.kind)]
            if self._asked.kind != "any" and kinds:
                return kinds[0] if len(kinds) == 1 else None
        return None

    def _is_of(self, column: TableColumn, kind: str) -> bool:
        known = {stem(word) for word, name in named("kinds_of_columns").items() if name == kind}
        money = kind == "price" and named("units").get(column.unit.casefold(), "") in ("euro", "dollar", "pound")
        return money or bool(self._stems(column) & known)

    def _row_words(self, operation: Operation, conditions: tuple[ValueCondition, ...]) -> set[str]:
        """The header of what the rows are, mostly the first column: *which product has …*.

        Where it has a value twice, *which department has the most …* may ask for one row or for the sum of several.
        """
        texts = [column for column in self._table.columns if column.type == "text"]
        if not texts or (operation in ("max", "min") and self._repeats(texts[0], conditions)):
            return set()
        return self._stems(texts[0])

    def _count(self, conditions: tuple[ValueCondition, ...]) -> Made | None:
        """Rows, or the different values of a column that has some more than once: the one that is named first."""
        first = next((word.stem for word in self._left if word.is_content), "")
        texts = [column for column in self._table.columns if column.type == "text" and first in self._stems(column)]
        column = texts[0] if len(texts) == 1 and self._repeats(texts[0], ()) else None
        for one in texts[:1]:
            self._take(self._stems(one))
        if not self._accounted(self._row_words("count", conditions) if column is not None else set()):
            return None
        what = "count(*)" if column is None else f"count(DISTINCT {quoted(column.name)})"
        sql = f"SELECT {what} FROM {quoted(self._table.name)}{self._where(conditions)}"
        return Made(sql, self._table.name, "count", column, conditions, column is not None)

    def _repeats(self, column: TableColumn, conditions: tuple[ValueCondition, ...]) -> bool:
        """Whether a value of the column stands in several of the rows that meet the conditions."""
        places = {one.name: place for place, one in enumerate(self._table.columns)}
        rows = [row for row in self._table.rows if all(row[places[c.column.name]] == c.value for c in conditions)]
        cells = [row[places[column.name]] for row in rows if row[places[column.name]]]
        return len(set(cells)) < len(cells)

    # ------------------------------------------------------------ what is accounted for

    def _take(self, stems: set[str]) -> None:
        self._left = [word for word in self._left if word.stem not in stems]

    def _accounted(self, more: set[str]) -> bool:
        """Whether what is left carries no meaning: words of the title, of tables, of what the rows are."""
        known = content_stems(self._table.title) | more
        known |= {stem(word) for word in listed("table_words") | listed("common_verbs")}
        return all(not word.is_content or word.stem in known for word in self._left)

    # ------------------------------------------------------------ SQL

    def _sql(self, operation: Operation, column: TableColumn, conditions: tuple[ValueCondition, ...]) -> str:
        table, name = quoted(self._table.name), quoted(column.name)
        where = self._where(conditions)
        if operation in ("sum", "mean"):
            function = "sum" if operation == "sum" else "avg"
            return f"SELECT {function}({name}), count({name}) FROM {table}{where}"
        extreme = f"(SELECT {operation}({name}) FROM {table}{where})"
        join = " AND " if where else " WHERE "
        return f"SELECT * FROM {table}{where}{join}{name} = {extreme}"

    def _where(self, conditions: tuple[ValueCondition, ...]) -> str:
        parts = [f"{quoted(one.column.name)} = {_literal(one)}" for one in conditions]
        texts = [place for place, column in enumerate(self._table.columns) if column.type == "text"]
        if texts:  # a total among the rows would count twice
            totals = [row[texts[0]] for row in self._table.rows if _is_total(row[texts[0]])]
            chosen = {one.value for one in conditions}
            listed_totals = ", ".join(_text(cell) for cell in dict.fromkeys(totals) if cell not in chosen)
            if listed_totals:
                parts.append(f"{quoted(self._table.columns[texts[0]].name)} NOT IN ({listed_totals})")
        return f" WHERE {' AND '.join(parts)}" if parts else ""


def _only_best(columns: Sequence[TableColumn], scores: Sequence[int]) -> TableColumn | None:
    best = max(scores)
    return columns[scores.index(best)] if scores.count(best) == 1 else None


def _unit_stems(column: TableColumn) -> set[str]:
    """The words that say the unit of a column: *euros*, *kg*."""
    unit = named("units").get(column.unit.casefold(), column.unit.casefold())
    return {stem(word) for word, name in named("units").items() if unit and name == unit} | {stem(unit)}


def _is_total(cell: str) -> bool:
    said = [word.folded for word in words(cell)]
    return bool(said) and (said[0] in listed("totals") or " ".join(said[:2]) in listed("totals"))


def _literal(condition: ValueCondition) -> str:
    return condition.value if condition.column.type == "integer" else _text(condition.value)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
