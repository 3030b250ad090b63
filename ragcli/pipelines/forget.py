"""Forgetting: a document leaves every version, the staged state, caches and traces; then the folder is searched."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ragcli.config import Config
from ragcli.interfaces import Staging, StoreWriter
from ragcli.pipelines.cache_keys import vector_key
from ragcli.pipelines.forget_names import Meant
from ragcli.pipelines.forget_staged import Cleared, clear_staged, find_staged
from ragcli.quotes import probes
from ragcli.records import Document, FileReport, Forgotten


@dataclass(slots=True)
class _Remains:
    """What was found of the documents before they went. ``shared`` are texts that stay and say some of the same."""

    doc_ids: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    hashes: set[str] = field(default_factory=set)
    contexts: set[str] = field(default_factory=set)
    vector_keys: set[bytes] = field(default_factory=set)

    def note(self, document: Document) -> None:
        """Remember a document."""
        self.doc_ids.add(document.doc_id)
        self.texts.add(document.text)
        self.hashes.add(document.sha256)


class Forgetful(Protocol):
    """What keeps records of documents: a ``TraceLog``, a ``SessionLog``."""

    def forget(self, doc_ids: Collection[str]) -> int:
        """Remove every record that touched one of the documents; how many went."""


def forget(sources: Sequence[str], *, writer: StoreWriter, config: Config, logs: Sequence[Forgetful] = ()) -> Forgotten:
    """Erase every document whose id or source is one of ``sources`` (or matches one that is a glob), and its copies so
    named, which were never documents of their own; of a root everything that was read from it.

    ``logs`` are past questions and conversations. Raises SourceError when a source matches
    nothing. The files themselves are not touched: what is still there is read again by the next ingest.
    """
    meant = Meant(sources, writer.staging)
    staged = find_staged(writer.staging, meant)
    remains = _collect(writer, meant, staged)
    meant.check_all_met()
    clear_staged(writer.staging, meant, staged)
    versions = writer.erase(meant, config.index, staged.labels)
    _clear_caches(writer, meant, remains)
    sharing = _sharing(writer.staging, remains)
    for log in logs:
        log.forget(sorted(remains.doc_ids))
    searched, found = writer.sweep(remains.texts, remains.shared)
    return Forgotten(
        tuple(sorted(remains.doc_ids)),
        tuple(versions),
        searched,
        tuple(found),
        copies=tuple(sorted(staged.copies)),
        kept_by=tuple(sorted(staged.kept_by | sharing)),
    )


def _sharing(staging: Staging, remains: _Remains) -> set[str]:
    """Documents that stay and say some of what was forgotten; their texts are noted as shared."""
    sought = {" ".join(probe.split()) for text in remains.texts for probe in probes(text)}
    found = set()
    for doc_id in staging.document_keys() if sought else ():
        text = staging.document(doc_id).text
        flat = " ".join(text.split())
        if any(probe in flat for probe in sought):
            remains.shared.add(text)
            found.add(doc_id)
    return found


def _collect(writer: StoreWriter, meant: Meant, staged: Cleared) -> _Remains:
    staging = writer.staging
    remains = _Remains(doc_ids=set(staged.doc_ids), hashes=set(staged.hashes))
    for doc_id in staging.document_keys():
        if doc_id in staged.doc_ids:
            remains.note(staging.document(doc_id))
    for info, document, chunks in writer.published(meant):
        remains.note(document)
        remains.doc_ids.update(name for name in document.also_in if meant(name, name))
        for chunk in chunks:
            remains.contexts.update(filter(None, (chunk.context, *chunk.questions)))
            remains.vector_keys.add(vector_key(info, chunk.indexed_text))
    return remains


def _clear_caches(writer: StoreWriter, meant: Meant, remains: _Remains) -> None:
    def unwanted(documents: Sequence[Document], reports: Sequence[FileReport]) -> bool:
        named = [item for item in documents if meant(item.doc_id, item.source)]
        for item in named:
            remains.note(item)
        same = any(item.sha256 in remains.hashes or item.text in remains.texts for item in documents)
        return bool(named) or same or any(meant(report.path, report.path) for report in reports)

    writer.caches.documents.remove_files(unwanted)
    writer.caches.vectors.remove(sorted(remains.vector_keys))
    writer.caches.contexts.remove_texts(remains.contexts)
