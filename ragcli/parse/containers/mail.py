"""Mail: EML and MBOX, with their attachments as sources of their own."""

from __future__ import annotations

import contextlib
import email
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from typing import Any

from ragcli.errors import AccessError, ParseError
from ragcli.parse.access import Statement, says_who
from ragcli.parse.assemble import Assembly, one_line, squeeze
from ragcli.parse.containers.mail_headers import BOUNDED
from ragcli.parse.containers.mail_tree import parts_of, texts_together
from ragcli.parse.decode import decode
from ragcli.parse.hidden import HiddenText
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.text.front_matter import claims_access, head_statements
from ragcli.records import Coverage, FileReport

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_OUTLOOK_BUNDLES = ("application/ms-tnef", "application/vnd.ms-tnef")
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
    parts = parts_of(message, source.doc_id, hidden)
    body = texts_together(parts.texts)
    if not any(headers.values()) and not body.strip():
        raise ParseError(f"{source.doc_id}: not a message")
    if claims_access(body):
        told = "the message begins like front matter that says who may see it, which is not read in mail"
        raise AccessError(f"{source.doc_id}: {told}", hint="a header X-ACL, a rule in ingest.rules, or --acl")
    stated = (*_statements(message, body), *(item for text in parts.texts for item in _stated_by(text)))
    yield replace(letter(headers, parts.texts, [*parts.notes, *hidden.warnings]), stated=stated)
    yield from _attachments(parts.others, source, context)


def _stated_by(text: str | Extract) -> tuple[Statement, ...]:
    return () if isinstance(text, str) else text.stated


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


def letter(headers: dict[str, str], texts: Sequence[str | Extract], warnings: Sequence[str]) -> Extract:
    """A message as a document: the subject its heading, then the other headers, then its texts."""
    assembly = Assembly()
    assembly.add("heading", headers.get("Subject", ""), level=1)
    lines = [f"{name}: {value}" for name, value in headers.items() if value and name != "Subject"]
    assembly.add("paragraph", "\n".join(lines))
    tables = 0
    for text in texts:
        if isinstance(text, Extract):
            tables += text.coverage.tables
            for block in text.blocks:
                level = min(6, (block.level or 1) + 1) if block.kind == "heading" else block.level
                assembly.add(block.kind, block.span.of(text.text), level=level)
            continue
        for paragraph in re.split(r"\n\s*\n", text):
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


def _attachments(parts: Sequence[Any], source: Source, context: Context) -> Iterator[Outcome]:
    used: set[str] = set()
    for number, part in enumerate(parts, 1):
        name = one_line(part.get_filename() or "") or f"attachment-{number}"
        name = unused_name(name, used)
        if part.get_content_type() in ("message/rfc822", "message/global"):
            data = _forwarded(part)
            yield Source(f"{source.doc_id}!{name if '.' in name else name + '.eml'}", data, "message/rfc822")
            continue
        payload = part.get_payload(decode=True)
        if not isinstance(payload, bytes):
            yield FileReport(f"{source.doc_id}!{name}", skipped="attachment cannot be decoded")
        elif part.get_content_type() in _OUTLOOK_BUNDLES or name.lower() == "winmail.dat":
            reason = "Outlook's own bundle of text and attachments (TNEF), which is not read: have it sent as HTML"
            yield FileReport(f"{source.doc_id}!{name}", skipped=reason)
        elif not _is_decoration(part):
            context.budget.take(len(payload), source.doc_id)
            yield Source(f"{source.doc_id}!{name}", payload)


def _forwarded(part: Any) -> bytes:
    """The message inside a part, also where it was encoded against the rules."""
    inner = part.get_payload(0) if part.is_multipart() else None
    if isinstance(inner, EmailMessage):
        headers = {name.lower() for name, _ in inner.raw_items()}
        content = inner.get_payload()
        encoding = str(part.get("Content-Transfer-Encoding") or "").strip().lower()
        if headers or not isinstance(content, str) or encoding not in ("base64", "quoted-printable"):
            return inner.as_bytes()
        inner["Content-Transfer-Encoding"] = encoding
        decoded = inner.get_payload(decode=True)
        return decoded if isinstance(decoded, bytes) else b""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


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
