"""Front matter: the YAML between two ``---`` at the head of Markdown, plain text and text markup."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragcli.config import parse_yaml
from ragcli.errors import AccessError, ConfigError

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_HEAD = re.compile(r"\A---[ \t]*\n((?:[ \t]*\S[^\n]*(?:\n|\Z))*)")
# Other formats may set the first row apart as a block of its own.
_LIKE_HEAD = re.compile(r"\A---[ \t]*\n\s*((?:[ \t]*\S[^\n]*(?:\n|\Z))*)")
_ACCESS = re.compile(r"^[ \t\"'{]*(?:acl|groups)[ \t\"']*:", re.M | re.I)
_KEY = re.compile(r"^([A-Za-z_][\w.-]*)[ \t]*:", re.M)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The keys, the line of each, the text after them, the line it starts on, and a warning (or ``""``)."""

    declared: Mapping[str, Any]
    lines: Mapping[str, int]
    body: str
    first_line: int
    warning: str


def claims_access(text: str) -> bool:
    """Whether a text begins like front matter that says who may see it."""
    head = _LIKE_HEAD.match(text)
    return head is not None and _ACCESS.search(head[1]) is not None


def split_front_matter(text: str, where: str) -> FrontMatter:
    """The keys above a text and the text after them.

    Front matter that is no valid YAML stays part of the text and gives the warning. Raises AccessError when such front
    matter, or one without an end, says who may see the document: it must not become public by a slip of the pen.
    """
    match = _FRONT.match(text)
    if not match:
        head = _HEAD.match(text)
        if head and _ACCESS.search(head[1]):
            raise AccessError(
                f"{where}: front matter without an end: who may see it cannot be told", hint="close it with ---"
            )
        return FrontMatter({}, {}, text, 1, "")
    try:
        declared = parse_yaml(match[1], f"{where} front matter")
    except ConfigError as error:
        if _ACCESS.search(match[1]):
            raise AccessError(f"{error.message}; who may see it cannot be told", hint="mend it") from error
        return FrontMatter({}, {}, text, 1, f"{error.message}; kept as text")
    lines = {key[1]: 2 + match[1].count("\n", 0, key.start()) for key in _KEY.finditer(match[1])}
    body = text[match.end() :]
    first = 1 + text.count("\n", 0, match.end())
    stripped = body.lstrip("\n")
    return FrontMatter(declared, lines, stripped, first + len(body) - len(stripped), "")
