"""What a file is: magic bytes first, then the look of its text, then its extension."""

from __future__ import annotations

import io
import json
import re
import zipfile

from ragcli.parse.decode import wide_encoding
from ragcli.parse.text.asciidoc import looks_like_asciidoc

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LEGACY = {".doc": "application/msword", ".ppt": "application/vnd.ms-powerpoint", ".xls": "application/vnd.ms-excel"}
LEGACY |= {".dot": LEGACY[".doc"], ".pps": LEGACY[".ppt"], ".xlt": LEGACY[".xls"]}
BINARY = "application/octet-stream"
UNREADABLE = "application/x-protected"
_SAMPLE = 65536

_MAGIC = (
    (b"{\\rtf", "application/rtf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"BM", "image/bmp"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ\x90", "application/x-executable"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(rb"^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)


def detect(name: str, extension: str, data: bytes) -> str:
    """The media type of ``data``, whatever its name claims; ``application/octet-stream`` for what is no text either."""
    return _by_magic(extension, data) or _by_text(name, extension, data)


def _by_magic(extension: str, data: bytes) -> str | None:
    if data[:1024].find(b"%PDF-") >= 0 and not data.startswith((b"PK\x03\x04", b"From ")):
        return "application/pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(extension, data)
    if data.startswith(_OLE):
        return _ole_kind(extension, data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if len(data) > 262 and data[257:262] == b"ustar":
        return "application/x-tar"
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind if kind != "image/bmp" or b"\x00" in data[:64] else None
    return None


def _zip_kind(extension: str, data: bytes) -> str:
    """What kind of document a ZIP container holds; a damaged one is taken at the word of its extension."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as container:
            names = set(container.namelist())
            mimetype = container.read("mimetype").decode("ascii", "replace").strip() if "mimetype" in names else ""
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError):
        names, mimetype = set(), ""
    if mimetype:
        return mimetype
    for member, kind in (("word/", WORD), ("ppt/", SLIDES), ("xl/", SHEETS)):
        if "[Content_Types].xml" in names and any(name.startswith(member) for name in names):
            return kind
    if not names:
        return _ZIPPED.get(extension, "application/zip")
    return "application/zip"


_ZIPPED = {
    ".docx": WORD,
    ".docm": WORD,
    ".pptx": SLIDES,
    ".xlsx": SHEETS,
    ".xlsm": SHEETS,
    ".epub": "application/epub+zip",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".odp": "application/vnd.oasis.opendocument.presentation",
}


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-le")


def _ole_kind(extension: str, data: bytes) -> str:
    """Which old Office format, mail or protected new format an OLE container is, by the names of its streams."""
    if _utf16("EncryptedPackage") in data or _utf16("EncryptionInfo") in data:
        return UNREADABLE
    if _utf16("__substg1.0_") in data or _utf16("__properties_version1.0") in data:
        return "application/vnd.ms-outlook"
    if _utf16("WordDocument") in data:
        return LEGACY[".doc"]
    if _utf16("PowerPoint Document") in data:
        return LEGACY[".ppt"]
    if _utf16("Workbook") in data or _utf16("Book") in data:
        return LEGACY[".xls"]
    return LEGACY.get(extension, BINARY)


def _by_text(name: str, extension: str, data: bytes) -> str:
    head = data[:4096]
    known = BY_EXTENSION.get(extension) or _BY_NAME.get(name.lower())
    if looks_binary(data) and known not in ("message/rfc822", "application/mbox"):
        return BINARY
    if is_mailbox(head) and known in (None, "text/plain", "application/mbox", "message/rfc822"):
        return "application/mbox"
    if _HTML.match(head) and known not in CODE.values():
        return "text/html"
    if head.lstrip().startswith(b"<?xml") and known in (None, "text/plain"):
        return "application/xml"
    if known is None and is_message(head):
        return "message/rfc822"
    if known == "application/json" and _is_json_lines(data):
        return "application/jsonl"
    if known in (None, "text/plain") and looks_like_asciidoc(data[:_SAMPLE].decode("latin-1")):
        return "text/asciidoc"
    return known or "text/plain"


_BY_NAME = {"dockerfile": "text/x-code-dockerfile", "makefile": "text/x-code-makefile", "readme": "text/plain"}
_BY_NAME |= {"license": "text/plain", "changelog": "text/plain", "jenkinsfile": "text/x-code-groovy"}


def looks_binary(data: bytes) -> bool:
    """Whether the bytes are no text in any encoding: many control characters and no UTF-16 or UTF-32 pattern."""
    sample = data[:65536]
    marks = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x00\x00\xfe\xff")
    if not sample or sample.startswith(marks) or wide_encoding(data):
        return False
    if b"\x00" in sample[:512] and len(sample) < 512:
        return True
    control = sum(sample.count(code) for code in _CONTROL_BYTES)
    return control > _FEW_CONTROLS and control / len(sample) >= 0.01


_FEW_CONTROLS = 4  # stray ones make no short note binary; a zero byte does
_CONTROL_BYTES = [bytes([code]) for code in range(32) if code not in (9, 10, 12, 13, 27)]


def _is_json_lines(data: bytes) -> bool:
    """Whether a ``.json`` file really holds one object a line."""
    lines = [line for line in data[:65536].splitlines()[:3] if line.strip()]
    if len(lines) < 2:
        return False
    try:
        return all(isinstance(json.loads(line), dict) for line in lines[:2])
    except ValueError:
        return False


# What a file's extension says about its text.

MARKUP = {".rst": "text/x-rst", ".rest": "text/x-rst", ".adoc": "text/asciidoc", ".asciidoc": "text/asciidoc"}
MARKUP |= {".asc": "text/asciidoc", ".org": "text/org", ".tex": "text/x-tex", ".latex": "text/x-tex"}
_CODE = """
.py .pyi .js .mjs .cjs .ts .tsx .jsx .java .kt .kts .scala .c .h .cc .cpp .cxx .hpp .cs .go .rs .rb
.php .pl .pm .swift .m .mm .lua .r .jl .sh .bash .zsh .fish .ps1 .bat .cmd .sql .yaml .yml .toml
.ini .cfg .conf .properties .css .scss .less .vue .svelte .dart .ex .exs .erl .hs .ml .fs .clj .lisp
.el .vim .tf .proto .graphql .cmake .gradle .groovy .asm .s .f90 .pas .v .sv .vhd .zig .nim .diff
.patch .dockerfile .makefile .mk
"""
CODE = {extension: f"text/x-code-{extension[1:]}" for extension in _CODE.split()}
BY_EXTENSION = {
    **MARKUP,
    **CODE,
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdx": "text/markdown",
    ".mkd": "text/markdown",
    ".qmd": "text/markdown",
    ".rmd": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".log": "text/plain",
    ".srt": "application/x-subrip",
    ".vtt": "text/vtt",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".mhtml": "message/rfc822",
    ".mht": "message/rfc822",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".tab": "text/tab-separated-values",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
    ".ipynb": "application/x-ipynb+json",
    ".xml": "application/xml",
    ".nxml": "application/xml",
    ".eml": "message/rfc822",
    ".mbox": "application/mbox",
    ".rtf": "application/rtf",
}


# Whether bytes without a telling name are a message or a mailbox, or a text that begins with a header of its own.

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
