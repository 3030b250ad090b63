"""Forgetting: a document leaves every version, the staged state, caches and traces; then the folder is searched."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ragcli.config import Config
from ragcli.errors import ConfigError, SourceError
from ragcli.filters import glob_pattern
from ragcli.interfaces import StoreWriter
from ragcli.pipelines.cache_keys import vector_key
from ragcli.records import Document, Forgotten


@dataclass(slots=True)
class _Remains:
    """What was found of the documents before they went."""

    doc_ids: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    contexts: set[str] = field(default_factory=set)
    vector_keys: set[bytes] = field(default_factory=set)


class Forgetful(Protocol):
    """What keeps records of documents: a ``TraceLog``, a ``SessionLog``."""

    def forget(self, doc_ids: Collection[str]) -> int:
        """Remove every record that touched one of the documents; how many went."""


def forget(sources: Sequence[str], *, writer: StoreWriter, config: Config, logs: Sequence[Forgetful] = ()) -> Forgotten:
    """Erase every document whose id or source is one of ``sources`` (or matches one that is a glob).

    ``logs`` are past questions and conversations. Raises SourceError when a source matches
    nothing. The files themselves are not touched: what is still there is read again by the next ingest.
    """
    wanted = _Wanted(sources, writer.staging.document_files())
    remains = _collect(writer, wanted)
    wanted.check_all_matched()
    _clear_staging(writer, wanted)
    versions = writer.erase(wanted, config.index)
    _clear_caches(writer, wanted, remains)
    for log in logs:
        log.forget(sorted(remains.doc_ids))
    searched, found = writer.sweep(remains.texts)
    return Forgotten(tuple(sorted(remains.doc_ids)), tuple(versions), searched, tuple(found))


class _Wanted:
    """Whether a document is meant, remembering which of the names met one."""

    def __init__(self, sources: Sequence[str], files: Mapping[str, str]) -> None:
        """``files`` holds the path of the file that each staged document came out of."""
        if not all(name.strip() for name in sources):
            raise ConfigError("an empty name is no document", hint="rag search --filter source=… finds names")
        self._names = list(sources)
        self._patterns = [re.compile(glob_pattern(name), re.DOTALL) for name in sources if re.search(r"[*?\[]", name)]
        self._files = files
        self._met: set[str] = set()

    def __call__(self, doc_id: str, source: str) -> bool:
        hit = False
        for name in self._names:
            if name in (doc_id, source) or self._is_member(doc_id, name):
                self._met.add(name)
                hit = True
        for pattern in self._patterns:
            if pattern.fullmatch(doc_id) or pattern.fullmatch(source):
                self._met.add(pattern.pattern)
                hit = True
        return hit

    def _is_member(self, doc_id: str, name: str) -> bool:
        """Whether the document came out of the file, or the archive in a file, called ``name``.

        ``a!b.txt`` may be a member of ``a`` or a file of that name. Of a document that is in no folder any more nothing
        tells which, and it goes.
        """
        if not doc_id.startswith(name + "!"):
            return False
        file = self._files.get(doc_id, "")
        return len(name) >= doc_id.find(file) + len(file)

    def check_all_matched(self) -> None:
        """Raise SourceError for a name that met no document."""
        for name in self._names:
            if name not in self._met and glob_pattern(name) not in self._met:
                raise SourceError(
                    f"no document {name!r} in any version of the index", hint="rag search --filter source=… finds names"
                )


def _collect(writer: StoreWriter, wanted: _Wanted) -> _Remains:
    remains = _Remains()
    staging = writer.staging
    for doc_id in staging.document_keys():
        document = staging.document(doc_id)
        if wanted(doc_id, document.source):
            _note(remains, document)
    for info, document, chunks in writer.published(wanted):
        _note(remains, document)
        for chunk in chunks:
            remains.contexts.update(filter(None, (chunk.context, *chunk.questions)))
            remains.vector_keys.add(vector_key(info, chunk.indexed_text))
    return remains


def _note(remains: _Remains, document: Document) -> None:
    remains.doc_ids.add(document.doc_id)
    remains.texts.add(document.text)


def _clear_staging(writer: StoreWriter, wanted: _Wanted) -> None:
    staging = writer.staging
    with staging.transaction():
        for doc_id in staging.document_keys():
            owner = staging.owner(doc_id)
            if wanted(doc_id, staging.document(doc_id).source):
                staging.remove_document(doc_id)
                if owner is not None:
                    staging.remove_file(*owner)
    staging.scrub()


def _clear_caches(writer: StoreWriter, wanted: _Wanted, remains: _Remains) -> None:
    texts = remains.texts
    writer.caches.documents.remove_documents(lambda item: wanted(item.doc_id, item.source) or item.text in texts)
    writer.caches.vectors.remove(sorted(remains.vector_keys))
    writer.caches.contexts.remove_texts(remains.contexts)
