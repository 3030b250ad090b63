"""Which module reads which format."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from ragcli import plugins
from ragcli.config import IngestConfig
from ragcli.errors import ParseError
from ragcli.parse.detect import BINARY, CODE, LEGACY, MARKUP, SHEETS, SLIDES, UNREADABLE, WORD
from ragcli.parse.source import Parser, ParserPart


@dataclass(frozen=True, slots=True)
class Family:
    """A parser module and what it reads; raise ``version`` when its output changes.

    ``libraries`` are those that decide what comes out, ``extra`` the extra that installs them where it is not the core.
    """

    module: str
    version: int
    media_types: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    extra: str = ""


XLS = LEGACY[".xls"]
ODT, ODP = "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.presentation"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
BINARY_SHEETS = "application/vnd.ms-excel.sheet.binary.macroEnabled.12"
ARCHIVES = (
    "application/zip",
    "application/x-tar",
    "application/gzip",
    "application/x-bzip2",
    "application/x-xz",
    "application/x-7z-compressed",
    "application/vnd.rar",
)
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/tiff", "image/bmp", "image/webp")
_RST = MARKUP[".rst"]
_OTHER_MARKUP = tuple(kind for kind in MARKUP.values() if kind != _RST)
FAMILIES = (
    Family("text.markdown", 4, ("text/markdown",), ("markdown-it-py",)),
    Family("text.text", 5, ("text/plain", *_OTHER_MARKUP, *CODE.values(), "text/vtt", "application/x-subrip")),
    Family("text.text", 5, (_RST,), ("docutils",)),
    Family("web.html", 3, ("text/html", "application/xhtml+xml"), ("trafilatura", "lxml", "cssselect2", "tinycss2")),
    Family("pdf.document", 9, ("application/pdf",), ("pymupdf", "pyphen")),
    Family("pdf.image", 2, IMAGES, (), "ocr"),
    Family("office.word.document", 2, (WORD,), ("python-docx",)),
    Family("office.slides", 2, (SLIDES,), ("python-pptx",), "office"),
    Family("office.sheets.workbook", 3, (SHEETS, XLS, BINARY_SHEETS), ("python-calamine", "xlrd"), "office"),
    Family("office.opendocument.document", 2, (ODT, ODP)),
    Family("office.opendocument.sheets", 1, (ODS,)),
    Family("office.rtf.document", 2, ("application/rtf",)),
    Family("web.epub", 2, ("application/epub+zip",)),
    Family("web.xml", 1, ("application/xml",)),
    Family("text.notebook", 1, ("application/x-ipynb+json",)),
    Family("containers.mail", 2, ("message/rfc822", "application/mbox"), ("icalendar",)),
    Family("containers.outlook", 2, ("application/vnd.ms-outlook",), ("python-oxmsg",), "office"),
    Family("containers.archive", 2, ARCHIVES),
    Family("office.legacy", 2, (LEGACY[".doc"], LEGACY[".ppt"])),
    Family("office.protected", 1, (UNREADABLE,), ("msoffcrypto-tool",), "office"),
    Family("text.rows", 3, ("text/csv", "text/tab-separated-values", "application/jsonl", "application/json")),
)
_BY_TYPE = {kind: family for family in FAMILIES for kind in family.media_types}
_OUTPUT_SETTINGS = ("ocr", "ocr_languages", "strip_boilerplate")
_COMMON_VERSION = 6


def parse_key(config: IngestConfig) -> str:
    """Hash of what decides, besides a file's bytes and name, what is read from any file.

    What decides for some files only (limits, passwords, libraries) stands in their reports as ``conditions``.
    """
    parts: dict[str, object] = {name: getattr(config, name) for name in _OUTPUT_SETTINGS}
    parts["families"] = [(family.module, family.version) for family in FAMILIES]
    parts["common"] = _COMMON_VERSION
    if config.parsers:
        parts["others"] = sorted((end, name, part.version) for end, (name, part) in others(config.parsers).items())
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def family_of(media_type: str) -> Family:
    """Who reads a media type. Raises ParseError when nobody does."""
    family = _BY_TYPE.get(media_type)
    if family is None:
        what = "binary data of no known format" if media_type == BINARY else f"no parser for {media_type}"
        raise ParseError(what)
    return family


def parser_of(family: Family) -> Parser:
    """The family's reader. Raises ParseError when what it needs is not installed."""
    try:
        parser: Parser = importlib.import_module(f"ragcli.parse.{family.module}").parse
    except ModuleNotFoundError as error:
        raise missing(error, family.media_types[0]) from error
    return parser


@functools.cache
def others(names: tuple[str, ...]) -> Mapping[str, tuple[str, ParserPart]]:
    """The parsers of other packages that ``ingest.parsers`` names, by extension; the last one named has it.

    Raises ConfigError when one of them cannot be loaded.
    """
    loaded: list[tuple[str, ParserPart]] = [
        (name, plugins.load(plugins.PARSERS, name, "ingest.parsers")) for name in names
    ]
    return {extension: (name, part) for name, part in loaded for extension in part.extensions}


def missing(error: ModuleNotFoundError, media_type: str) -> ParseError:
    """The same as a ParseError with the command that installs what reads the media type."""
    family = _BY_TYPE.get(media_type)
    if family is None:
        return ParseError(f"needs {error.name}, which is not installed", hint=f"pip install {error.name}")
    hint = f"pip install 'ragcli[{family.extra}]'" if family.extra else "reinstall ragcli"
    return ParseError(f"needs {error.name}, which is not installed", hint=hint)
