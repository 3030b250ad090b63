"""Names of tables and columns in SQL, and which table a name means. Pure.

A name depends on nothing but what its asker may see: a closed document neither takes a name nor changes one.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragcli.errors import ConfigError

DOCUMENTS = "documents"
"""The table of the documents themselves."""
RAW = "raw"
"""The schema that holds every table again, each cell as text as it is written."""

_MOST = 60  # characters of a name
_SPOKEN = {"%": " percent ", "#": " number ", "&": " and ", "€": " eur ", "$": " usd ", "£": " gbp "}
_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Named:
    """A table to be named: its document, its number there of how many, and the sheet's name where it has one."""

    doc_id: str
    number: int
    count: int
    label: str = ""


def identifier(text: str, fallback: str) -> str:
    """``text`` as a name that needs no quotation marks: lower case, words joined by ``_``, letters of any script."""
    plain = unicodedata.normalize("NFKC", "".join(_SPOKEN.get(character, character) for character in text)).casefold()
    found = "_".join(re.findall(r"\w+", plain)).strip("_")
    while "__" in found:
        found = found.replace("__", "_")
    if len(found) > _MOST:
        found = found[:_MOST].rpartition("_")[0] or found[:_MOST]
    if not found:
        return fallback
    return f"_{found}" if found[0].isdigit() else found


def column_names(headers: Sequence[str]) -> list[str]:
    """One name a column, none twice: that of its header, ``column_3`` without one, ``price_2`` for the second."""
    names: list[str] = []
    for place, header in enumerate(headers, start=1):
        name = stem = identifier(header, f"column_{place}")
        again = 2
        while name in names:
            name, again = f"{stem}_{again}", again + 1
        names.append(name)
    return names


def table_names(tables: Sequence[Named]) -> list[str]:
    """A name for each table, none twice: of its file, where two share it of its path, then with the ending."""
    forms = [_forms(table) for table in tables]
    taken: set[str] = {DOCUMENTS}
    found: dict[int, str] = {}
    for level in range(3):
        counts = Counter(form[level] for place, form in enumerate(forms) if place not in found)
        for place, form in enumerate(forms):
            if place not in found and counts[form[level]] == 1 and form[level] not in taken:
                found[place] = form[level]
        taken.update(found.values())
    for place, form in enumerate(forms):
        again = 2
        while place not in found:
            name, again = f"{form[2]}_no{again}", again + 1
            if name not in taken:
                found[place] = name
                taken.add(name)
    return [found[place] for place in range(len(tables))]


class Names:
    """What names mean: the name of a table, ``doc_id``, ``doc_id#2``, or any shorter form that fits one table alone."""

    def __init__(self, tables: Sequence[Named], names: Sequence[str]) -> None:
        self._tables = tables
        self._names = list(names)
        self._known = {name: place for place, name in enumerate(names)}
        self._forms: dict[str, list[int]] = {}
        for place, table in enumerate(tables):
            for form in dict.fromkeys((*_forms(table), *_references(table))):
                self._forms.setdefault(form.casefold(), []).append(place)

    def meant(self, written: str) -> int | None:
        """The place of the table that is meant, None for ``documents``.

        Raises ConfigError for a name that means none or several, with names that do.
        """
        exact = [place for place, table in enumerate(self._tables) if written in _references(table)]
        if len(exact) == 1:
            return exact[0]
        if (place := self._known.get(written.casefold())) is not None:
            return place
        if written.casefold() == DOCUMENTS:
            return None
        found = self._forms.get(written.casefold(), [])
        if len(found) == 1:
            return found[0]
        if found:
            several = ", ".join(self._names[place] for place in found[:10])
            raise ConfigError(f"{written!r} may mean {len(found)} tables: {several}", hint="write one of these names")
        raise ConfigError(f"there is no table {written!r}{self._nearest(written)}", hint="rag tables lists them")

    def _nearest(self, written: str) -> str:
        close = difflib.get_close_matches(written.casefold(), [*self._names, DOCUMENTS], n=_NEAREST, cutoff=0.5)
        return f"; did you mean {', '.join(close)}?" if close else ""


def quoted(name: str) -> str:
    """A name as SQL writes it, in quotation marks."""
    return '"' + name.replace('"', '""') + '"'


def _forms(table: Named) -> tuple[str, str, str]:
    """Names from the shortest to the longest: file, path, path with its ending; each with the table's part of it."""
    path = table.doc_id
    file = path.rpartition("/")[2].rpartition("!")[2]
    stem = file.rpartition(".")[0] or file
    bare = path[: len(path) - len(file)] + stem
    part = "" if table.count == 1 else f"_{identifier(table.label, '') or table.number}"
    return identifier(stem, "table") + part, identifier(bare, "table") + part, identifier(path, "table") + part


def _references(table: Named) -> Iterable[str]:
    """The forms in which a table's document is named: its id alone where it has one table, else with the number."""
    numbered = f"{table.doc_id}#{table.number}"
    return (numbered, table.doc_id) if table.count == 1 else (numbered,)


def labels_that_tell_apart(titles: Sequence[str]) -> list[str]:
    """The titles of a document's tables where each has one of its own, else none of them."""
    named = [identifier(title, "") for title in titles]
    apart: Mapping[str, int] = Counter(named)
    return list(titles) if all(name and apart[name] == 1 for name in named) else [""] * len(titles)
