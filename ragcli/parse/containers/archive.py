"""ZIP, TAR and single compressed files: every entry in memory, within limits; nothing is written to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from ragcli.errors import ParseError
from ragcli.parse.conditions import PASSWORDS, setting
from ragcli.parse.decode import decode
from ragcli.parse.source import Context, Outcome, Source, too_large
from ragcli.records import FileReport

_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, lzma.LZMAError, NotImplementedError, tarfile.TarError)
_UTF8_NAME = 0x800
_CHUNK = 1 << 20


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """The entries as sources. Raises ParseError when the container is damaged or its limits are used up."""
    kind = source.media_type
    if kind == "application/zip":
        yield from _zip(source, context)
    elif kind == "application/x-tar" or _holds_tar(source.data, kind):
        yield from _tar(source, context)
    elif kind in _OPENERS:
        yield _single(source, context)
    else:
        raise ParseError(f"{source.doc_id}: {kind.rsplit('/', 1)[-1]} archives are not read", hint="unpack it")


_OPENERS = {"application/gzip": gzip.open, "application/x-bzip2": bz2.open, "application/x-xz": lzma.open}


def _zip(source: Source, context: Context) -> Iterator[Outcome]:
    try:
        package = zipfile.ZipFile(io.BytesIO(source.data))
        entries = package.infolist()
    except _BROKEN as error:
        raise ParseError(f"{source.doc_id}: not a readable ZIP archive: {error}") from error
    with package:
        for entry in entries:
            doc_id = f"{source.doc_id}!{_shown(_zip_name(entry))}"
            if entry.is_dir() or _ignored(doc_id):
                continue
            data = _oversize(entry.file_size, doc_id, context) or _zip_data(package, entry, doc_id, context)
            date = "-".join(f"{part:02}" for part in entry.date_time[:3]) if entry.date_time[0] > 1980 else None
            yield _source(doc_id, data, date)


def _zip_data(package: zipfile.ZipFile, entry: zipfile.ZipInfo, doc_id: str, context: Context) -> bytes | FileReport:
    tries = [None, *(word.encode() for word in context.passwords)] if entry.flag_bits & 1 else [None]
    problem = "encrypted, and no known password opens it"
    for password in tries:
        try:
            with package.open(entry, pwd=password) as stream:
                return _bounded(stream, context, doc_id)
        except RuntimeError:
            continue
        except _BROKEN as error:
            problem = f"damaged entry: {error}"
    if entry.flag_bits & 1:
        context.conditions.add(PASSWORDS)
    return FileReport(doc_id, skipped=problem)


def _zip_name(entry: zipfile.ZipInfo) -> str:
    """The entry's name; without the UTF-8 flag its bytes are in some code page."""
    if entry.flag_bits & _UTF8_NAME:
        return entry.filename
    try:
        return decode(entry.filename.encode("cp437")).text
    except UnicodeEncodeError:
        return entry.filename


def _tar(source: Source, context: Context) -> Iterator[Outcome]:
    opener = _OPENERS.get(source.media_type)
    try:
        stream: IO[bytes] = opener(io.BytesIO(source.data)) if opener else io.BytesIO(source.data)  # type: ignore[operator]
        with tarfile.open(fileobj=stream, mode="r|", errorlevel=1) as archive:
            for entry in archive:
                doc_id = f"{source.doc_id}!{_shown(entry.name)}"
                if entry.isdir() or _ignored(doc_id):
                    continue
                content = archive.extractfile(entry) if entry.isreg() else None
                if content is None:
                    yield FileReport(doc_id, skipped="a link or device in an archive, not followed")
                    continue
                if (report := _oversize(entry.size, doc_id, context)) is not None:
                    yield report
                    if opener:  # to reach the next entry, this one is unpacked and thrown away
                        context.budget.take(entry.size, doc_id)
                    continue
                yield _source(doc_id, _bounded(content, context, doc_id))
    except _BROKEN as error:
        raise ParseError(f"{source.doc_id}: damaged archive, read up to the damage: {error}") from error


def _holds_tar(data: bytes, kind: str) -> bool:
    opener = _OPENERS.get(kind)
    if opener is None:
        return False
    try:
        with opener(io.BytesIO(data)) as stream:  # type: ignore[operator]
            head = stream.read(512)
    except _BROKEN:
        return False
    return bool(head[257:262] == b"ustar")


def _single(source: Source, context: Context) -> Source | FileReport:
    name = re.sub(r"\.(?:gz|bz2|xz)$", "", source.name, flags=re.I)
    doc_id = f"{source.doc_id}!{name}"
    try:
        with _OPENERS[source.media_type](io.BytesIO(source.data)) as stream:  # type: ignore[operator]
            return _source(doc_id, _bounded(stream, context, doc_id))
    except _BROKEN as error:
        raise ParseError(f"{source.doc_id}: damaged: {error}") from error


def _bounded(stream: IO[bytes], context: Context, doc_id: str) -> bytes | FileReport:
    """All bytes of an entry, counted as they are unpacked so that a bomb stops early."""
    context.budget.take(0, doc_id)
    parts, size = [], 0
    while part := stream.read(_CHUNK):
        context.budget.take(len(part), doc_id, entries=0)
        size += len(part)
        if (report := _oversize(size, doc_id, context, "at least ")) is not None:
            return report
        parts.append(part)
    return b"".join(parts)


def _oversize(size: int, doc_id: str, context: Context, about: str = "") -> FileReport | None:
    """The report of an entry that is larger than a file may be."""
    reason = too_large(size, context.config)
    if reason is None:
        return None
    context.conditions.add(setting("max_file_mb"))
    return FileReport(doc_id, skipped=about + reason)


def _source(doc_id: str, data: bytes | FileReport, modified: str | None = None) -> Source | FileReport:
    return data if isinstance(data, FileReport) else Source(doc_id, data, modified=modified)


def _shown(name: str) -> str:
    """An entry's path as part of a doc_id: no leading slash, no ``..``, no character that ids use."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return re.sub(r"[\x00-\x1f!#]", "_", "/".join(parts)).encode("utf-8", "replace").decode()


def _ignored(doc_id: str) -> bool:
    parts = doc_id.rsplit("!", 1)[-1].split("/")
    return "__MACOSX" in parts or parts[-1] in (".DS_Store", "Thumbs.db")
