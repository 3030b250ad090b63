"""What came of one file."""

from __future__ import annotations

from dataclasses import dataclass

from ragcli.parse.files.walk import SourceFile
from ragcli.records import Document, FileReport


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one file gave. ``sha256`` is empty when its bytes could not be read; the file's own report is the last."""

    file: SourceFile
    sha256: str
    documents: tuple[Document, ...]
    reports: tuple[FileReport, ...]
