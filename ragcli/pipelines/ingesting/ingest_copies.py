"""Merges copies among the staged documents, and brings a copy back when what stood for it is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from ragcli.interfaces import Staging
from ragcli.parse.duplicates import Member, choose_kept, exact_of, family_of, size_of, sketch_of
from ragcli.records import Document, Look

Revive = Callable[[Look], Document | None]
"""Reads a copy's document again, None when its file cannot be read now."""


def look_of(document: Document, root_id: int, relative: str) -> Look:
    """What a staged document looks like to the search for copies."""
    family, exact, size = family_of(document), exact_of(document), size_of(document.text)
    return Look(document.doc_id, root_id, relative, family, exact, size, document.metadata.modified)


def settle(staging: Staging, families: Iterable[str], threshold: float, revive: Revive) -> set[tuple[int, str]]:
    """Decide anew which documents of each family stand for which; returns the files whose documents changed.

    Copies leave the staged documents and are listed in ``also_in`` of the one that stays.
    """
    touched: set[tuple[int, str]] = set()
    for family in sorted(set(families)):
        looks = staging.notes.family(family)
        members = [look for look in looks if look.kept is not None or staging.owner(look.doc_id) is not None]
        alone = len(members) < 2 and all(look.kept is None for look in members)
        if not alone:
            with staging.transaction():
                touched |= _settle_family(staging, members, threshold, revive)
    return touched


def _settle_family(staging: Staging, members: list[Look], threshold: float, revive: Revive) -> set[tuple[int, str]]:
    looks = {look.doc_id: look for look in members}
    candidates = [Member(look.doc_id, look.exact, look.size) for look in members]
    kept = choose_kept(candidates, _sketcher(staging, looks, revive), threshold)
    touched: set[tuple[int, str]] = set()
    for doc_id, original in kept.items():
        look = looks[doc_id]
        if look.kept == original:
            continue
        touched.add((look.root_id, look.relative))
        if original is None:
            document = revive(look)
            if document is None:
                continue
            staging.put_document(document, root_id=look.root_id, relative=look.relative)
        elif look.kept is None:
            staging.remove_document(doc_id)
        staging.notes.put_look(replace(look, kept=original))
    for doc_id in sorted(doc_id for doc_id, original in kept.items() if original is None):
        _list_copies(staging, doc_id, looks[doc_id].root_id, looks[doc_id].relative)
    return touched


def _sketcher(staging: Staging, looks: dict[str, Look], revive: Revive) -> Callable[[str], bytes]:
    def sketch(doc_id: str) -> bytes:
        look = looks[doc_id]
        if look.sketch is None:
            document = staging.document(doc_id) if look.kept is None else revive(look)
            made = sketch_of(document.text if document is not None else "")
            looks[doc_id] = look = replace(look, sketch=made)
            staging.notes.put_look(look)
        return look.sketch or b""

    return sketch


def list_copies(staging: Staging, doc_ids: Iterable[str]) -> None:
    """Bring the copies that staged documents name in line with those they stand for."""
    for doc_id in sorted(doc_ids):
        owner = staging.owner(doc_id)
        if owner is not None:
            _list_copies(staging, doc_id, *owner)


def _list_copies(staging: Staging, doc_id: str, root_id: int, relative: str) -> None:
    copies = staging.notes.copies(doc_id)
    document = staging.document(doc_id)
    if document.also_in != copies:
        staging.put_document(replace(document, also_in=copies), root_id=root_id, relative=relative)
