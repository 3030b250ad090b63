"""Mail: EML and MBOX, with their attachments as sources of their own."""

from __future__ import annotations

import contextlib
import email
import re
from collections.abc import Iterator
from dataclasses import replace
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from typing import Any

from ragcli.errors import AccessError, ParseError
from ragcli.parse.access import Statement, says_who
from ragcli.parse.assemble import Assembly, clean, one_line, squeeze
from ragcli.parse.containers.mail_headers import BOUNDED
from ragcli.parse.decode import decode
from ragcli.parse.hidden import HiddenText
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.text.front_matter import claims_access, head_statements
from ragcli.parse.web.html import read_html
from ragcli.records import Coverage, FileReport

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_FROM_LINE = re.compile(rb"^From [^\r\n]*\r?\n", re.M)


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document a message, then its attachments. Raises ParseError when there is no message in it."""
    if source.media_type == "application/mbox":
        yield from _mailbox(source, context)
    else:
        yield from _message(source, context)


def _mailbox(source: Source, context: Context) -> Iterator[Outcome]:
    starts = [*_FROM_LINE.finditer(source.data)]
    if not starts:
        raise ParseError(f"{source.doc_id}: holds no message")
    ends = [*(start.start() for start in starts[1:]), len(source.data)]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1):
        content = re.sub(rb"^>(>*From )", rb"\1", source.data[start.end() : end], flags=re.M)
        context.budget.take(len(content), source.doc_id)
        yield Source(f"{source.doc_id}!{number}.eml", content, "message/rfc822")


def _message(source: Source, context: Context) -> Iterator[Outcome]:
    try:
        message = email.message_from_bytes(_as_bytes(source.data), policy=BOUNDED)
    except (MessageError, ValueError, LookupError) as error:
        raise ParseError(f"{source.doc_id}: not a readable message: {error}") from error
    assert isinstance(message, EmailMessage)
    headers = {name: _header(message, name) for name in _HEADERS}
    hidden = HiddenText(context.config, context.conditions)
    body, tables, warnings = _body(message, source.doc_id, hidden)
    if not any(headers.values()) and not body.strip():
        raise ParseError(f"{source.doc_id}: not a message")
    if claims_access(body):
        told = "the message begins like front matter that says who may see it, which is not read in mail"
        raise AccessError(f"{source.doc_id}: {told}", hint="a header X-ACL, a rule in ingest.rules, or --acl")
    stated = tuple(_statements(message, body))
    yield replace(letter(headers, body, tables, warnings), stated=stated)
    yield from _attachments(message, source, context)


def _statements(message: EmailMessage, body: str) -> Iterator[Statement]:
    """What headers (``X-ACL: hr``) and the first lines of the text say of who may see a message."""
    for name, value in message.raw_items():
        if says_who(name):
            yield name, one_line(str(value))
    yield from head_statements(body)


def _as_bytes(data: bytes) -> bytes:
    """Messages are bytes of ASCII; one saved as UTF-16 is turned back."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return decode(data).text.encode()
    return data


def _header(message: EmailMessage, name: str) -> str:
    """A header as text; one that cannot be parsed as it stands."""
    try:
        value = str(message.get(name) or "")
    except (ValueError, TypeError, AttributeError, IndexError):
        value = next((str(text) for key, text in message.raw_items() if key.lower() == name.lower()), "")
    if any(0xDC80 <= ord(char) <= 0xDCFF for char in value):
        value = decode(value.encode("utf-8", "surrogateescape")).text
    return one_line(value)


def letter(headers: dict[str, str], body: str, tables: int, warnings: list[str]) -> Extract:
    """A message as a document: the subject its heading, then the other headers, then the body."""
    assembly = Assembly()
    assembly.add("heading", headers.get("Subject", ""), level=1)
    lines = [f"{name}: {value}" for name, value in headers.items() if value and name != "Subject"]
    assembly.add("paragraph", "\n".join(lines))
    for paragraph in re.split(r"\n\s*\n", body):
        quoted = all(line.startswith(">") for line in paragraph.split("\n") if line.strip())
        assembly.add("quote" if quoted else "paragraph", squeeze(paragraph))
    declared: dict[str, Any] = {"from": headers.get("From", ""), "to": headers.get("To", "")}
    with contextlib.suppress(ValueError, TypeError, IndexError):
        declared["modified"] = parsedate_to_datetime(headers.get("Date", ""))
    return Extract(
        assembly.text,
        assembly.blocks,
        title=headers.get("Subject", ""),
        declared={key: value for key, value in declared.items() if value},
        coverage=Coverage(tables=tables, warnings=tuple(warnings)),
    )


def _body(message: EmailMessage, where: str, hidden: HiddenText) -> tuple[str, int, list[str]]:
    """The message's text (the HTML form where there is no plain one), its tables, and what could not be read."""
    if message.get_content_type() in ("multipart/encrypted", "application/pkcs7-mime"):
        return "", 0, ["the message is encrypted: only its headers were read"]
    plain = message.get_body(preferencelist=("plain",))
    text = _content(plain) if plain is not None else ""
    if text.strip():
        return clean(text), 0, []
    page = message.get_body(preferencelist=("html",))
    markup = _content(page) if page is not None else ""
    if "<" not in markup:
        return clean(markup), 0, []
    extract = read_html(markup, where, hidden, main_only=False)
    return extract.text, extract.coverage.tables, list(hidden.warnings)


def _content(part: Any) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    return decode(payload, part.get_content_charset()).text


def _attachments(message: EmailMessage, source: Source, context: Context) -> Iterator[Outcome]:
    used: set[str] = set()
    for number, part in enumerate(message.iter_attachments(), 1):
        name = one_line(part.get_filename() or "") or f"attachment-{number}"
        name = unused_name(name, used)
        if part.get_content_type() == "message/rfc822":
            inner = part.get_payload(0) if part.is_multipart() else None
            data = inner.as_bytes() if isinstance(inner, EmailMessage) else b""
            yield Source(f"{source.doc_id}!{name if '.' in name else name + '.eml'}", data, "message/rfc822")
            continue
        payload = part.get_payload(decode=True)
        if not isinstance(payload, bytes):
            yield FileReport(f"{source.doc_id}!{name}", skipped="attachment cannot be decoded")
        elif not _is_decoration(part):
            context.budget.take(len(payload), source.doc_id)
            yield Source(f"{source.doc_id}!{name}", payload)


def _is_decoration(part: Any) -> bool:
    """Whether an attachment is a picture shown inside the text, such as a logo."""
    inline = part.get_content_disposition() == "inline" and part.get("Content-ID")
    return bool(inline) and part.get_content_maintype() == "image"


def unused_name(name: str, used: set[str]) -> str:
    """An attachment's name as part of an id, other than those in ``used``, which grows by it."""
    name = name.replace("/", "_").replace("!", "_").replace("#", "_")
    stem, dot, extension = name.rpartition(".")
    number, candidate = 2, name
    while candidate in used:
        candidate, number = f"{stem or extension}-{number}{dot}{extension if stem else ''}", number + 1
    used.add(candidate)
    return candidate
