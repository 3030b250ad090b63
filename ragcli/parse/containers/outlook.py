"""Outlook's MSG files: the message and its attachments."""

from __future__ import annotations

import codecs
import functools
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from email.errors import MessageError
from email.header import decode_header, make_header
from email.parser import HeaderParser
from typing import Any

from ragcli.errors import AccessError, ParseError
from ragcli.parse.access import says_who
from ragcli.parse.assemble import clean, one_line
from ragcli.parse.containers.mail import letter, unused_name
from ragcli.parse.containers.mail_tree import fuller, texts_together
from ragcli.parse.decode import decode
from ragcli.parse.hidden import HiddenText
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.text.front_matter import claims_access, head_statements
from ragcli.parse.web.html import read_html
from ragcli.records import FileReport

# Of Outlook's properties: [MS-OXPROPS] gives the numbers, [MS-OXCDATA] the type of strings that are not Unicode.
_BODY_CODEPAGE, _STRING_CODEPAGE, _HTML, _STRING8 = 0x3FDE, 0x3FFD, 0x1013, 0x001E
_TRANSPORT_HEADERS = 0x007D


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """The message, then its attachments. Raises ParseError when there is no message in it."""
    hidden = HiddenText(context.config, context.conditions)
    from olefile import olefile
    from oxmsg import Message
    from oxmsg.domain.model import UnrecognizedCodePageError, UnsupportedEncodingError

    _know_windows_names()
    try:
        message = Message.load(io.BytesIO(source.data))
        charset = _unnamed_charset(message.properties)
        headers = {
            "From": _spelled(_renamed(message.sender, charset)),
            "To": "; ".join(
                f"{_renamed(item.name, charset)} <{item.email_address}>".strip()
                for item in message.recipients
                if item.name or item.email_address
            ),
            "Date": message.sent_date.isoformat(sep=" ") if message.sent_date else "",
            "Subject": one_line(_renamed(message.subject, charset)),
        }
        stated = [item for item in _travelled_with(message.properties) if says_who(item[0])]
        texts: list[str | Extract] = [clean(message.body or "")]
        if message.html_body:
            narrow = message.properties.binary_prop_value(_HTML) is None
            page = _renamed(message.html_body, charset if narrow else None)
            texts = [fuller(texts[0], read_html(page, source.doc_id, hidden, main_only=False))]
        attachments = [(_renamed(item.file_name, charset), item.file_bytes) for item in message.attachments]
    except (olefile.OleFileError, OSError, KeyError, ValueError, IndexError, AttributeError, AssertionError) as error:
        raise ParseError(f"{source.doc_id}: not a readable Outlook message: {error}") from error
    except (UnrecognizedCodePageError, UnsupportedEncodingError) as error:
        raise ParseError(f"{source.doc_id}: an Outlook message in a code page that is not known") from error
    body = texts_together(texts)
    if claims_access(body):
        told = "the message begins like front matter that says who may see it, which is not read in mail"
        raise AccessError(f"{source.doc_id}: {told}", hint="a header X-ACL, a rule in ingest.rules, or --acl")
    yield replace(letter(headers, texts, hidden.warnings), stated=(*stated, *head_statements(body)))
    used: set[str] = set()
    for number, (name, data) in enumerate(attachments, 1):
        shown = unused_name(one_line(name or "") or f"attachment-{number}", used)
        if data is None:
            yield FileReport(f"{source.doc_id}!{shown}", skipped="attachment cannot be read")
        else:
            yield Source(f"{source.doc_id}!{shown}", data)


def _travelled_with(properties: Any) -> list[tuple[str, str]]:
    """The headers that a message came with, as they stand in it; none for one that was never sent."""
    raw = properties.str_prop_value(_TRANSPORT_HEADERS) or ""
    return [(name, one_line(str(value))) for name, value in HeaderParser().parsestr(raw).items()]


@functools.cache
def _know_windows_names() -> None:
    """Outlook names code pages ``windows-950``, Python ``cp950``."""
    codecs.register(lambda name: codecs.lookup(f"cp{name[8:]}") if re.fullmatch(r"windows_\d{3,5}", name) else None)


def _unnamed_charset(properties: Any) -> str | None:
    """The code page of a message's strings where only that of its body is named; None where the strings name theirs.

    The library reads such strings as ISO 8859-15.
    """
    from oxmsg.domain.encodings import encoding_from_codepage

    narrow = any(item.ptyp == _STRING8 for item in properties)
    body = properties.int_prop_value(_BODY_CODEPAGE)
    if not narrow or body is None or properties.int_prop_value(_STRING_CODEPAGE) is not None:
        return None
    return str(encoding_from_codepage(body))


def _renamed(text: str | None, charset: str | None) -> str:
    """A string that was read as ISO 8859-15 as it stands in ``charset``, or in what else its bytes look like."""
    if charset is None or text is None or text.isascii():
        return text or ""
    try:
        return decode(text.encode("iso-8859-15"), charset).text
    except UnicodeEncodeError:
        return text


def _spelled(header: str) -> str:
    """A header of the message as it travelled, its encoded words (RFC 2047) in letters."""
    try:
        return one_line(str(make_header(decode_header(header))))
    except (MessageError, ValueError, LookupError):
        return one_line(header)
