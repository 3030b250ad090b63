"""Forgetting: a document leaves every version, the staged state, caches and traces; then the folder is searched."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragcli.config import Config
from ragcli.errors import ConfigError, SourceError
from ragcli.filters import glob_pattern
from ragcli.index.durable import replace_text
from ragcli.index.manifest import read_manifest
from ragcli.index.publishing.forget import Eraser, matching
from ragcli.index.publishing.writer import Writer
from ragcli.index.staged.caches import vector_key
from ragcli.index.traces_of_text import probes, search_folder
from ragcli.records import Document, Forgotten

_TEXT_FOLDERS = ("traces", "runs", "sessions")


@dataclass(slots=True)
class _Remains:
    """What was found of the documents before they went."""

    doc_ids: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    contexts: set[str] = field(default_factory=set)
    vector_keys: set[bytes] = field(default_factory=set)


def forget(
    sources: Sequence[str], *, writer: Writer, config: Config, forget_traces: Callable[[Collection[str]], object]
) -> Forgotten:
    """Erase every document whose id or source is one of ``sources`` (or matches one that is a glob).

    ``forget_traces`` removes the traces that touched the ids it is given. Raises SourceError when a source matches
    nothing. The files themselves are not touched: what is still there is read again by the next ingest.
    """
    wanted = _Wanted(sources, writer.staging.document_files())
    remains = _collect(writer, wanted)
    wanted.check_all_matched()
    _clear_staging(writer, wanted)
    versions = Eraser(writer.folder, config.index).run(wanted)
    _clear_caches(writer, wanted, remains)
    forget_traces(sorted(remains.doc_ids))
    needles = sorted({probe for text in remains.texts for probe in probes(text)})
    _clear_text_files(writer.folder, needles)
    writer.close()
    searched, found = search_folder(writer.folder, needles)
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


def _collect(writer: Writer, wanted: _Wanted) -> _Remains:
    remains = _Remains()
    staging = writer.staging
    for doc_id in staging.document_keys():
        document = staging.document(doc_id)
        if wanted(doc_id, document.source):
            _note(remains, document)
    for view, place, row in matching(writer.folder, wanted):
        segment = view.segments[place]
        _note(remains, segment.document(row))
        info = read_manifest(view.folder).embedder
        for chunk in segment.chunks(row):
            remains.contexts.update(filter(None, (chunk.context, *chunk.questions)))
            remains.vector_keys.add(vector_key(info, chunk.indexed_text))
    return remains


def _note(remains: _Remains, document: Document) -> None:
    remains.doc_ids.add(document.doc_id)
    remains.texts.add(document.text)


def _clear_staging(writer: Writer, wanted: _Wanted) -> None:
    staging = writer.staging
    with staging.transaction():
        for doc_id in staging.document_keys():
            owner = staging.owner(doc_id)
            if wanted(doc_id, staging.document(doc_id).source):
                staging.remove_document(doc_id)
                if owner is not None:
                    staging.remove_file(*owner)
    staging.scrub()


def _clear_caches(writer: Writer, wanted: _Wanted, remains: _Remains) -> None:
    texts = remains.texts
    writer.caches.documents.remove_documents(lambda item: wanted(item.doc_id, item.source) or item.text in texts)
    writer.caches.vectors.remove(sorted(remains.vector_keys))
    writer.caches.contexts.remove_texts(remains.contexts)


def _clear_text_files(folder: Path, needles: Sequence[str]) -> None:
    """Take lines that hold one of the texts out of JSON Lines files, and remove other files that do."""
    for name in _TEXT_FOLDERS:
        for path in sorted((folder / name).rglob("*")):
            if path.is_file():
                _clear_text_file(path, needles)


def _clear_text_file(path: Path, needles: Sequence[str]) -> None:
    forms = [form for needle in needles for form in (needle, json.dumps(needle)[1:-1])]
    content = path.read_text(encoding="utf-8", errors="replace")
    if not any(form in content for form in forms):
        return
    if path.suffix != ".jsonl":
        path.unlink()
        return
    kept = [line for line in content.split("\n") if not any(form in line for form in forms)]
    replace_text(path, "\n".join(kept))
