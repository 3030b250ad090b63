"""Front matter: the YAML between two ``---``, or the TOML between two ``+++``, at the head of a text.

Its forms that no program reads (after a blank line, under ``----`` or ``---yaml``, as JSON) are read when they say who
may see the text, and so is a single line at its head that says so in the manner of its format.
"""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragcli.config import parse_yaml
from ragcli.errors import AccessError, ConfigError
from ragcli.parse.access import Statement, looks_like_names, says_who, statements_in, visible
from ragcli.parse.text.front_facts import fact_lines

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.S | re.M)
_KEY = re.compile(r"^([A-Za-z_][\w.-]*)[ \t]*[:=]", re.M)
# Anything a person may have meant for front matter: what stands before it, its fence, what is written behind that.
_LIKE = re.compile(
    r"\A[\s\ufeff\u200b-\u200f\u2060]*(?:<!--.*?-->\s*)*(?P<fence>-{3,}|\+{3,}|;{3,}|`{3,}|~{3,}|\u2014+)", re.S
)
_OPENING = re.compile(r"[ \t]*(?P<kind>[\w+#-]*)[^\n:=]*\n")
_JSON = re.compile(r"\A[\s\ufeff]*\{")
_HEADER_LINE = re.compile(r"[ \t]*(?:$|[#?\"'{}\[\]|-]|[\w\"'.][^\n:=]*[:=]|\S+\s*$)")
_MENTION = re.compile(r"([^\W\d_][\w .-]{0,40}?)[\"']?[ \t]*\n?[ \t]*[:=]")
_HEAD = 8000
# A line that says one thing of its text: ``acl: hr``, ``:acl: hr``, ``#+ACL: hr``, ``// acl: hr``, in ``<!-- -->``.
_MARKS = r"<!--|\[//\]: # [(\"']|//|/?\*+|%+|\.\.|#\+(?:property:)?|(?:rem|note)(?=[ \t])|:|;+|--|@"
_SAYS = (
    r"[ \t]*(?P<name>[^\W\d_][\w-]*)[ \t]*"
    r"(?:[:=]+[ \t]*|(?<=acl)[ \t]+)(?P<value>[^\n]*?)[ \t]*(?:-->|\*/|(?<=\w)[)\"'])?[ \t]*"
)
_LINE = re.compile(rf"[ \t]*(?P<mark>{_MARKS})?{_SAYS}", re.I)
_LINE_OF_CODE = re.compile(rf"[ \t]*(?P<mark>{_MARKS}|\#+(?=[ \t]))?{_SAYS}", re.I)
_AMONG_FIELDS = re.compile(r"\W*$|\[//\]:|\[[^\]\n]*\]\s*$|(?:WEBVTT|NOTE)\b|[\w \t-]{1,40}[:=](?:\s|$)")
_HEAD_LINES = 40
_FIELD_MARKS = (":", "#+", "#+property:", "<!--")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The keys, the line of each, the text after them, the line it starts on, and a warning (or ``""``).

    ``facts`` are the lines before the body that are asked for like its text (``front_facts``), up to the body itself.
    """

    declared: Mapping[str, Any]
    lines: Mapping[str, int]
    body: str
    first_line: int
    warning: str
    facts: str = ""


def split_front_matter(text: str, where: str) -> FrontMatter:
    """The keys above a text and the text after them.

    Front matter that cannot be read stays part of the text and gives the warning. Raises AccessError when such front
    matter, or one without an end, says who may see the document: it must not become public by a slip of the pen.
    """
    for pattern, read in ((_FRONT, _yaml), (_TOML, _toml)):
        if match := pattern.match(text):
            return _read(text, match, read, where)
    claim = _claim(text)
    if claim is None:
        return FrontMatter({}, {}, text, 1, "")
    return _meant(text, claim, where)


def claims_access(text: str) -> bool:
    """Whether a text begins like front matter, of whatever form, that says who may see it."""
    return _claim(text) is not None


def head_statements(text: str, *, hash_remarks: bool = False) -> Iterator[Statement]:
    """What single lines at the head of a text say about who may see it.

    A line with the mark of a field, an attribute or a comment says so among the first lines; one without, as long as
    nothing but such lines stands above it. What can be no list of groups is prose about access lists. ``hash_remarks``:
    a line after ``#`` is a remark, and no heading.
    """
    among_fields = True
    for line in visible(text[:_HEAD]).split("\n")[:_HEAD_LINES]:
        match = (_LINE_OF_CODE if hash_remarks else _LINE).fullmatch(line)
        if match and says_who(match["name"]) and (match["mark"] or (among_fields and re.search("[:=]", line))):
            value = match["value"].strip()
            if looks_like_names(value) or (not value and match["mark"] in _FIELD_MARKS):
                yield match["name"], value
        among_fields &= _AMONG_FIELDS.match(line) is not None


def settings_statements(text: str, where: str) -> Iterator[Statement]:
    """What the keys at the left edge of a YAML or TOML file say; deeper ones speak of something else.

    Raises AccessError when one of them says so and the file cannot be read.
    """
    lines = re.finditer(r"""^["']?([^\W\d_][\w .-]{0,40}?)["']?[ \t]*[:=]""", visible(text), re.M)
    if not any(says_who(line[1]) for line in lines):
        return
    try:
        content = _toml(text, where, False) if where.lower().endswith(".toml") else _yaml(text, where, True)
    except ConfigError as error:
        raise AccessError(f"{error.message}; who may see it cannot be told", hint="mend it") from error
    yield from ((str(key), value) for key, value in content.items() if says_who(key))


def _read(text: str, match: re.Match[str], read: Any, where: str) -> FrontMatter:
    """Front matter in its proper form."""
    claimed = _mentions(match[1])
    try:
        declared = read(match[1], f"{where} front matter", claimed)
    except ConfigError as error:
        if claimed:
            raise AccessError(f"{error.message}; who may see it cannot be told", hint="mend it") from error
        return FrontMatter({}, {}, text, 1, f"{error.message}; kept as text")
    if claimed and not any(statements_in(declared, among_metadata=True)):
        message = f"{where}: front matter seems to say who may see it, but not under a key of its own"
        raise AccessError(f"{message}; who may see it cannot be told", hint="acl: [GROUP] on a line of its own")
    return _split(text, match.start(1), match.end(1), match.end(), declared)


def _split(text: str, start: int, end: int, after: int, declared: Mapping[str, Any]) -> FrontMatter:
    first = 1 + text.count("\n", 0, start)
    lines = {key[1]: first + text.count("\n", start, start + key.start()) for key in _KEY.finditer(text[start:end])}
    body = text[after:]
    stripped = body.lstrip("\n")
    line = 1 + text.count("\n", 0, after) + len(body) - len(stripped)
    facts = fact_lines(declared, lines, text[start:end], first, line)
    return FrontMatter(declared, lines, stripped, line, "", facts)


def _yaml(content: str, where: str, strict: bool) -> Mapping[str, Any]:
    return parse_yaml(content, where, unique=strict)


def _toml(content: str, where: str, strict: bool) -> Mapping[str, Any]:
    del strict  # TOML knows no repeated key
    try:
        return tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from error


@dataclass(frozen=True, slots=True)
class _Opening:
    """Where something like front matter begins that says who may see a text; ``fence`` is empty for JSON."""

    fence: str
    start: int


def _claim(text: str) -> _Opening | None:
    if _JSON.match(text):
        start = text.index("{")
        return _Opening("", start) if _mentions(_header_lines(text[start:])) else None
    match = _LIKE.match(text)
    if match is None:
        return None
    return _Opening(match["fence"], match.end()) if _mentions(_header_lines(text[match.end() :])) else None


def _header_lines(text: str) -> str:
    """The rest of the first line, and the lines that could be keys, values or remarks after it."""
    kept: list[str] = []
    for number, line in enumerate(text[:_HEAD].split("\n")):
        if number and not _HEADER_LINE.match(visible(line)):
            break
        if number and re.fullmatch(r"\s*(?:-{3,}|\+{3,}|;{3,}|`{3,}|~{3,}|\.{3})\s*", line):
            break
        kept.append(line)
    return "\n".join(kept)


def _mentions(head: str) -> bool:
    """Whether lines of keys and values name, outside of remarks, who may see the text."""
    plain = "\n".join(line for line in visible(head).split("\n") if not line.lstrip().startswith("#"))
    plain = textwrap.dedent(plain)
    for match in _MENTION.finditer(plain):
        starts_line = not plain[plain.rfind("\n", 0, match.start()) + 1 : match.start()].strip("\"'{[( -?")
        if says_who(match[1].split("\n")[-1], among_metadata=starts_line):
            return True
    return False


def _meant(text: str, claim: _Opening, where: str) -> FrontMatter:
    """Front matter in a form of its own that says who may see the text. Raises AccessError when it cannot be read."""
    if not claim.fence:
        return _json(text, claim, where)
    opening = _OPENING.match(text, claim.start)
    if opening is None:
        raise _unread(where, "front matter that is not read in this form")
    fence = re.escape(claim.fence[0])
    closing = re.compile(rf"^[ \t]*(?:{fence}{{3,}}|\.\.\.)[ \t]*(?:\n|\Z)", re.M).search(text, opening.end())
    if closing is None:
        raise _unread(where, "front matter without an end", f"close it with {claim.fence}")
    content = text[opening.end() : closing.start()]
    read = _toml if claim.fence[0] == "+" or opening["kind"].lower() == "toml" else _yaml
    try:
        declared = read(textwrap.dedent(visible(content)), f"{where} front matter", True)
    except ConfigError as error:
        raise _unread(where, "front matter", error.message) from error
    if not any(statements_in(declared, among_metadata=True)):
        raise _unread(where, "front matter that seems to say who may see it, but not under a key of its own")
    return _split(text, opening.end(), closing.start(), closing.end(), declared)


def _json(text: str, claim: _Opening, where: str) -> FrontMatter:
    try:
        declared, end = json.JSONDecoder().raw_decode(text, claim.start)
    except (ValueError, RecursionError) as error:
        raise _unread(where, "JSON at its head", str(error)) from error
    if not any(statements_in(declared, among_metadata=True)):
        raise _unread(where, "JSON at its head that seems to say who may see it, but not under a key of its own")
    return _split(text, claim.start, end, end, declared)


def _unread(where: str, what: str, hint: str = "write it between two lines of ---") -> AccessError:
    return AccessError(f"{where}: {what}: who may see it cannot be told", hint=hint)
