"""Who may see a document, as it says itself: which names say so, what may stand after them, and several at once.

Whatever looks like such a statement and cannot be honoured raises AccessError: the document is skipped and named, and
never becomes public by a slip of the pen. Pure.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ragcli.errors import AccessError

Statement = tuple[str, Any]
"""A name that says who may see a document, as it is written, and its value."""

_SURE = frozenset(
    [
        "acl",
        "acls",
        "acllist",
        "aclgroup",
        "aclgroups",
        "accesscontrol",
        "accesscontrollist",
        "accesscontrollists",
        "accessgroup",
        "accessgroups",
        "allowedgroups",
        "allowgroups",
        "readgroups",
        "visibleto",
        "restrictedto",
    ]
)
_AMONG_METADATA = frozenset(("groups", "access"))
_PREFIX = re.compile(r"(?:x|meta|metadata|rag|ragcli|doc|document|data)(?=.)")
_METADATA = frozenset(("meta", "metadata", "frontmatter", "params"))
_NOT_GROUPS = frozenset(("", "public", "open", "everyone", "everybody", "anyone", "all", "none", "null"))
_TOKEN = r"[\"']?[\w@/+][\w.@/+-]*[\"']?"
_TITLE_ROWS = 5  # lines of a title may stand above the names of the columns
_NAMES_ONLY = re.compile(rf"[\[(]?\s*{_TOKEN}(?:\s*[,;|]\s*{_TOKEN})*\s*[\])]?")


def folded(name: object) -> str:
    """A name as it is compared: compatibility forms, case, marks, separators and invisible characters do not count."""
    text = unicodedata.normalize("NFKC", str(name)).casefold()
    return "".join(char for char in text if char.isalnum())


def says_who(name: object, *, among_metadata: bool = False) -> bool:
    """Whether a key of this name says who may see a document.

    ``acl`` and its kin do wherever they stand; ``groups`` and ``access`` do ``among_metadata`` alone: in a table or a
    tree of data they are words like others.
    """
    bare = folded(name)
    names = _SURE | _AMONG_METADATA if among_metadata else _SURE
    while bare not in names:
        prefix = _PREFIX.match(bare)
        if prefix is None:
            return False
        bare = bare[prefix.end() :]
    return True


def statements_in(value: Any, *, among_metadata: bool = False) -> Iterator[Statement]:
    """Every statement in nested mappings and lists, however deep."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if says_who(key, among_metadata=among_metadata):
                yield str(key), item
            else:
                yield from statements_in(item, among_metadata=among_metadata and folded(key) in _METADATA)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from statements_in(item)


def groups_of(statement: Statement, where: str) -> tuple[str, ...]:
    """The groups a statement names. Raises AccessError when it names none, or is no list of names."""
    name, value = statement
    groups = tuple(dict.fromkeys(_groups(value, statement, where)))
    if not groups:
        hint = f"name a group ({name}: [staff]), or remove the key to make it public"
        raise AccessError(f"{where}: {name} names no group: who may see it cannot be told", hint=hint)
    if folded(name).endswith("access"):  # an English word as well: only what can be a group's name is taken for one
        for group in groups:
            if folded(group) in _NOT_GROUPS or re.search(r"\s", group):
                raise _unreadable(statement, where)
    return groups


def strictest(access: Iterable[Sequence[str]], where: str) -> tuple[str, ...]:
    """The groups that stand in every one of several statements; an empty one restricts nothing.

    Raises AccessError when they have no group in common: nobody is left who may see it by all of them.
    """
    limits = [tuple(groups) for groups in access if groups]
    left = [group for group in (limits[0] if limits else ()) if all(group in groups for groups in limits)]
    if limits and not left:
        told = " and ".join(f"[{', '.join(groups)}]" for groups in dict.fromkeys(limits))
        raise AccessError(
            f"{where}: it is restricted to {told}, which have no group in common", hint="name one of them"
        )
    return tuple(left)


def access_of(statements: Iterable[Statement], where: str) -> tuple[str, ...]:
    """The groups that all statements leave; none when nothing is stated. Raises AccessError as the two above."""
    return strictest([groups_of(statement, where) for statement in statements], where)


def looks_like_names(text: str) -> bool:
    """Whether a text can be a list of groups and nothing else: single words, with commas between them."""
    return _NAMES_ONLY.fullmatch(text.strip()) is not None


def visible(text: str) -> str:
    """``text`` in compatibility form without the characters that nobody sees."""
    text = unicodedata.normalize("NFKC", text)
    return text if text.isascii() else "".join(char for char in text if unicodedata.category(char) != "Cf")


def table_statements(rows: Sequence[Sequence[str]]) -> Iterator[Statement]:
    """What a table says: every filled cell under a header such as ``acl``, or beside it where names stand at the left.

    A column without any name states that nobody is meant, which no document can honour.
    """
    for number, row in enumerate(rows):
        header = number < _TITLE_ROWS and all(sum(map(bool, map(str.strip, above))) < 2 for above in rows[:number])
        for column, cell in enumerate(row):
            if not says_who(cell):
                continue
            if header:
                below = [line[column] for line in rows[number + 1 :] if len(line) > column]
                yield from ((cell, value) for value in dict.fromkeys(filter(str.strip, below)) or [""])
            elif column == 0 and looks_like_names(beside := next(filter(str.strip, row[1:]), "")):
                yield cell, beside


def _groups(value: Any, statement: Statement, where: str) -> Iterator[str]:
    if isinstance(value, str):
        yield from _listed(value)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            if isinstance(item, bool) or not isinstance(item, str | int | float | datetime.date):
                raise _unreadable(statement, where)
            yield from filter(None, [_name(_written(item))])
    elif isinstance(value, bool | Mapping):
        raise _unreadable(statement, where)
    elif value is not None:
        yield _name(_written(value))


def _written(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def _listed(text: str) -> Iterator[str]:
    text = text.strip()
    if text[:1] + text[-1:] in ("[]", "()"):
        text = text[1:-1]
    yield from filter(None, map(_name, re.split(r"[,;|\n]", text)))


def _name(text: str) -> str:
    text = "".join(
        char for char in unicodedata.normalize("NFC", text) if unicodedata.category(char) not in ("Cf", "Cc")
    )
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _unreadable(statement: Statement, where: str) -> AccessError:
    name, value = statement
    hint = f"write the groups as a list of names ({name}: [staff]; quotes for yes, no, on, off), or remove the key"
    return AccessError(
        f"{where}: {name} is {str(value)[:80]!r}, no list of groups: who may see it cannot be told", hint=hint
    )
