"""What parsed files and embedded texts are kept under in the caches of any store."""

from __future__ import annotations

import hashlib

from ragcli.records import EmbedderInfo


def document_key(sha256: str, parse_key: str, relative: str) -> str:
    """What a parsed file is kept under: its content, the parsers and their settings, and its name without folders."""
    return f"{sha256}-{parse_key}-{relative.rsplit('/', 1)[-1]}"


def vector_key(info: EmbedderInfo, text: str) -> bytes:
    """What an embedded text is kept under: model, revision, window, prefix and the text itself, hashed."""
    parts = (info.model, info.revision, str(info.window), info.passage_prefix, text)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
