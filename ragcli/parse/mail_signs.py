"""Whether bytes without a telling name are a message or a mailbox, or a text that begins with a header of its own."""

from __future__ import annotations

import re

_HEADER = re.compile(rb"([A-Za-z][\w-]*):[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*")
_TRANSPORT = {b"received", b"return-path", b"message-id", b"mime-version", b"delivered-to"}
_WRITTEN = {b"from", b"to", b"date", b"subject"}
_DATE = re.compile(rb"^date:[^\r\n]*\d{1,2} [A-Z][a-z]{2} \d{4} +\d\d:\d\d", re.I | re.M)
_CONTENT = re.compile(rb"^content-type:[ \t]*(?!text/(?:plain|html)\b|multipart/|message/|application/)", re.I | re.M)
_MAILBOX = re.compile(rb"From [^\r\n]*\d\d:\d\d[^\r\n]*\d{4}[^\r\n]*\r?\n[A-Za-z][\w-]*:")


def is_message(head: bytes) -> bool:
    """Whether ``head`` begins with headers that only a message has: one of its way, or all four of its writer."""
    end = 0
    names: set[bytes] = set()
    while match := _HEADER.match(head, end):
        names.add(match[1].lower())
        end = match.end()
    block = head[:end]
    if len(names) < 2 or _CONTENT.search(block):
        return False
    return bool(names & _TRANSPORT) or (names >= _WRITTEN and _DATE.search(block) is not None)


def is_mailbox(head: bytes) -> bool:
    """Whether ``head`` begins with the line that stands above each message of a mailbox, and a header."""
    return _MAILBOX.match(head) is not None
