"""Takes documents, copies and files out of what is staged, so that neither their names nor hashes of their texts stay.

What they stood for, and what shares their text, was not named: its file is read again by the next ingest, in whatever
root it is. So nothing is lost, and until then nothing of the text is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ragcli.interfaces import Staging
from ragcli.pipelines.forget_names import Meant
from ragcli.records import FileReport, FileState, Look


@dataclass(slots=True)
class Cleared:
    """What went, and what it left behind.

    ``hashes`` are those of the files; ``copies`` are documents that had the same text, to be read again, ``kept_by``
    those that stand for a forgotten copy and so hold its text, ``labels`` roots of which nothing is left.
    """

    doc_ids: set[str] = field(default_factory=set)
    hashes: set[str] = field(default_factory=set)
    copies: set[str] = field(default_factory=set)
    kept_by: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)


def find_staged(staging: Staging, meant: Meant) -> Cleared:
    """What is meant among the staged documents, their copies and the files that gave none; nothing is changed."""
    looks = staging.notes.all_looks()
    gone = {look.doc_id for look in looks if meant(look.doc_id, look.relative)}
    gone |= {doc_id for doc_id in staging.document_keys() if meant(doc_id, staging.document(doc_id).source)}
    found = Cleared(doc_ids=gone)
    for root in staging.roots():
        for state in staging.files(root.root_id):
            is_meant = _is_file_meant(meant, root.label, state)
            came = _documents_of(staging, state)
            if meant.is_path(state.relative, f"{root.label}/{state.relative}"):
                gone |= came
            if is_meant and not came:
                gone.add(state.relative)
            if is_meant or not gone.isdisjoint(_documents_of(staging, state)):
                found.hashes.add(state.sha256)
    found.hashes.discard("")
    found.kept_by = {look.kept for look in looks if look.doc_id in gone and look.kept} - gone
    meant.add(gone)
    return found


def _is_file_meant(meant: Meant, label: str, state: FileState) -> bool:
    return any(meant(name, name) for name in (state.relative, f"{label}/{state.relative}"))


def _documents_of(staging: Staging, state: FileState) -> set[str]:
    return {*state.doc_ids, *(look.doc_id for look in staging.notes.of_file(state.root_id, state.relative))}


def clear_staged(staging: Staging, meant: Meant, found: Cleared) -> None:
    """Take it out, for good. ``found`` learns of the copies that stay and of the roots that do not."""
    with staging.transaction():
        looks = staging.notes.all_looks()
        texts = {look.exact for look in looks if look.doc_id in found.doc_ids and look.exact}
        for doc_id in found.doc_ids:
            staging.remove_document(doc_id)
        _leave_copies(staging, looks, texts, found)
        _clear_files(staging, meant, found)
        for doc_id in sorted(found.kept_by):
            _list_copies(staging, doc_id)
        for root in meant.roots:
            found.labels.add(root.label)
            staging.remove_root(root.root_id)
    staging.scrub()


def _leave_copies(staging: Staging, looks: Iterable[Look], texts: set[str], found: Cleared) -> None:
    """Mark what has a forgotten text too, so that it is read again: copies, and documents of other readers."""
    for look in looks:
        if look.doc_id in found.doc_ids or not (look.kept in found.doc_ids or look.exact in texts):
            continue
        if look.kept is not None and look.kept not in found.doc_ids:
            continue  # a copy of what stays: nothing changes for it
        staging.notes.put_look(replace(look, exact="", sketch=None, kept=None if look.kept is None else ""))
        state = staging.file(look.root_id, look.relative)
        if state is not None:
            staging.put_file(replace(state, sha256="", reports=_without(state.reports, found.doc_ids)))
        if look.kept is not None:
            found.copies.add(look.doc_id)


def _clear_files(staging: Staging, meant: Meant, found: Cleared) -> None:
    for root in staging.roots():
        left = 0
        for state in list(staging.files(root.root_id)):
            documents = _documents_of(staging, state)
            is_touched = _is_file_meant(meant, root.label, state) or not found.doc_ids.isdisjoint(state.doc_ids)
            is_touched = is_touched or any(report.path in found.doc_ids for report in state.reports)
            rest = documents - found.doc_ids
            if is_touched and not rest:
                staging.remove_file(root.root_id, state.relative)
                staging.notes.hide_given(root.root_id, state.relative)
                continue
            left += 1
            if is_touched:  # a container of which something stays: without reports and hash it is read again
                doc_ids = tuple(doc_id for doc_id in state.doc_ids if doc_id in rest)
                staging.put_file(replace(state, parse_key="", sha256="", reports=(), doc_ids=doc_ids))
        if not left and root.label in found.doc_ids and not root.path.is_dir():
            found.labels.add(root.label)  # the root was that one file
            staging.remove_root(root.root_id)


def _without(reports: tuple[FileReport, ...], names: set[str]) -> tuple[FileReport, ...]:
    return tuple(replace(r, duplicates_of=tuple(n for n in r.duplicates_of if n not in names)) for r in reports)


def _list_copies(staging: Staging, doc_id: str) -> None:
    """Let a document name the copies that are left, and keep its chunks, which are the same."""
    owner, cut = staging.owner(doc_id), staging.chunk_keys().get(doc_id)
    if owner is None:
        return
    document = replace(staging.document(doc_id), also_in=staging.notes.copies(doc_id))
    before = staging.document_keys()[doc_id]
    key = staging.put_document(document, root_id=owner[0], relative=owner[1])
    if cut is not None and cut[0] == before:
        staging.put_chunks(doc_id, key, cut[1], staging.chunks(doc_id))
