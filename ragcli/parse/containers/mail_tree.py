"""A message's tree of parts: which are its text, in what form, and which are things of their own that came with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any

from ragcli.errors import ParseError
from ragcli.parse.assemble import clean
from ragcli.parse.containers.invitations import read_calendar
from ragcli.parse.containers.signed_mail import signed_content
from ragcli.parse.decode import decode
from ragcli.parse.hidden import HiddenText
from ragcli.parse.source import Extract
from ragcli.parse.web.html import read_html

_DEEPEST = 50
_STUB_SHARE = 0.7
"""Of the words of the HTML form those that the plain one must hold to stand for it."""

_WORD = re.compile(r"\w{2,}")
_QUOTED = re.compile(r"(>*) ?(.*)", re.S)


@dataclass(slots=True)
class MessageParts:
    """What a message is made of: texts in order (plain, or HTML as blocks), parts of their own, and what to report."""

    texts: list[str | Extract] = field(default_factory=list)
    others: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, more: MessageParts) -> None:
        """Put what another part holds after this."""
        self.texts += more.texts
        self.others += more.others
        self.notes += more.notes

    @property
    def words(self) -> set[str]:
        """Those of its texts."""
        plain = (text if isinstance(text, str) else text.text for text in self.texts)
        return {word for text in plain for word in _WORD.findall(text.casefold())}


def parts_of(message: EmailMessage, where: str, hidden: HiddenText) -> MessageParts:
    """Everything a message holds, each in one place."""
    return _MessageReader(where, hidden).read(message, 0)


class _MessageReader:
    """Reads the parts of one message."""

    def __init__(self, where: str, hidden: HiddenText) -> None:
        self._where = where
        self._hidden = hidden

    def read(self, part: Any, depth: int) -> MessageParts:
        """One part and all that is in it."""
        kind = part.get_content_type()
        if kind in ("message/rfc822", "message/global"):
            return MessageParts(others=[part])
        if kind == "multipart/encrypted":
            return MessageParts(notes=["the message is encrypted: only its headers were read"])
        if kind in ("application/pkcs7-mime", "application/x-pkcs7-mime"):
            return self._enveloped(part, depth)
        if not part.is_multipart():
            return self._leaf(part, kind, depth)
        if depth > _DEEPEST:
            return MessageParts(notes=[f"parts nested more than {_DEEPEST} deep were not read"])
        children = [child for child in part.get_payload() if hasattr(child, "get_content_type")]
        if kind == "multipart/alternative":
            return self._best([self.read(child, depth + 1) for child in children])
        if kind == "multipart/signed" and len(children) > 1:
            found = self.read(children[0], depth + 1)
            found.notes.append(_signature(part, children[1]))
            return found
        if kind in ("message/delivery-status", "message/disposition-notification"):
            return MessageParts(["\n\n".join(_fields(child) for child in children)])
        found = MessageParts()
        for child in children:
            found.add(self.read(child, depth + 1))
        return found

    def _best(self, forms: list[MessageParts]) -> MessageParts:
        """One of the forms of the same text: the plain one, unless it is a stub beside a full one."""
        plain = [form for form in forms if form.texts and all(isinstance(text, str) for text in form.texts)]
        rich = [form for form in forms if form.texts and form not in plain]
        events = [form for form in plain if any(str(text).startswith("Event: ") for text in form.texts)]
        plain = [form for form in plain if form not in events]
        chosen = max(plain, key=lambda form: len(form.words), default=None)
        fullest = max(rich, key=lambda form: len(form.words), default=None)
        if fullest is not None and (chosen is None or _is_stub(chosen.words, fullest.words)):
            chosen = fullest
        texts = [*(chosen.texts if chosen else ()), *(text for form in events for text in form.texts)]
        others = [other for form in forms for other in form.others]
        return MessageParts(texts, others, list(dict.fromkeys(note for form in forms for note in form.notes)))

    def _leaf(self, part: Any, kind: str, depth: int) -> MessageParts:
        attached = part.get_content_disposition() == "attachment" or (depth and part.get_filename())
        if kind == "text/calendar":
            content, warnings = _content(part)
            events = read_calendar(content)
            if events:
                return MessageParts([*events], [], warnings)
        if attached or part.get_content_maintype() not in ("text", "multipart"):
            return MessageParts(others=[part])
        content, warnings = _content(part)
        if kind == "text/html" and "<" in content:
            try:
                extract = read_html(content, self._where, self._hidden, main_only=False)
            except ParseError as error:
                return MessageParts([clean(content)], [], [*warnings, error.message])
            return MessageParts([extract] if extract.text.strip() else [], [], warnings)
        text = clean(content)
        if (part.get_param("format") or "") == "flowed":
            text = unflowed(text, joined=part.get_param("delsp") == "yes")
        return MessageParts([text] if text.strip() else [], [], warnings)

    def _enveloped(self, part: Any, depth: int) -> MessageParts:
        """A part of S/MIME: what is only signed is read, what is encrypted is named."""
        payload = part.get_payload(decode=True)
        inner = signed_content(payload) if isinstance(payload, bytes) else None
        if inner is None or depth > _DEEPEST:
            return MessageParts(notes=["the message is encrypted: only its headers were read"])
        found = self.read(inner, depth + 1)
        found.notes.append("signed with S/MIME; the signature was not checked")
        return found


def _is_stub(plain: set[str], rich: set[str]) -> bool:
    return len(plain & rich) < _STUB_SHARE * len(rich)


def fuller(plain: str | Extract, rich: Extract) -> str | Extract:
    """The plain form of a text, or the other one when the plain form is a stub beside it."""
    return rich if _is_stub(MessageParts([plain]).words, MessageParts([rich]).words) else plain


def _signature(part: Any, signature: Any) -> str:
    kind = "OpenPGP" if "pgp" in str(part.get_param("protocol") or signature.get_content_type()) else "S/MIME"
    name = signature.get_filename()
    return f"signed with {kind}{f' ({name})' if name else ''}; the signature was not checked"


def _fields(part: Any) -> str:
    return "\n".join(f"{name}: {' '.join(str(value).split())}" for name, value in part.raw_items())


def _content(part: Any) -> tuple[str, list[str]]:
    """The text of a part in its charset, and what was wrong with it."""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return "", ["a part of the message could not be decoded"]
    decoded = decode(payload, part.get_content_charset())
    return decoded.text, list(decoded.warnings)


def unflowed(text: str, *, joined: bool = False) -> str:
    """Text of ``format=flowed`` (RFC 3676) with its soft line ends taken out; ``joined`` is its ``delsp=yes``."""
    lines: list[str] = []
    depth, soft = "", False
    for line in text.split("\n"):
        match = _QUOTED.fullmatch(line)
        marks, words = (match[1], match[2]) if match else ("", line)
        if soft and marks == depth and words != "-- ":
            lines[-1] += words
        else:
            lines.append(f"{marks} {words}" if marks else words)
        soft = words.endswith(" ") and words != "-- "
        if soft and joined:
            lines[-1] = lines[-1][:-1]
        depth = marks
    return "\n".join(line.rstrip() for line in lines)


def texts_together(texts: Iterable[str | Extract]) -> str:
    """The texts of a message as one."""
    return "\n\n".join(text if isinstance(text, str) else text.text for text in texts)
