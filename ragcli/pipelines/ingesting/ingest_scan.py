"""What is on disk beside what is staged: which files to look into, which are gone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragcli.config import IngestConfig
from ragcli.errors import SourceError, StoreError
from ragcli.interfaces import Staging
from ragcli.parse.files.walk import Ignored, SourceFile, on_disk, walk
from ragcli.pipelines.ingesting.ingest_places import Place, is_under
from ragcli.records import FileReport, FileState
from ragcli.regular_files import open_named


@dataclass(frozen=True, slots=True)
class Scan:
    """One place: its files, what could not be read, what changed, what only has a new time, what is gone.

    ``total`` counts the staged documents of the whole root, ``ignored`` is what ignore files pass over.
    """

    place: Place
    files: tuple[SourceFile, ...]
    reports: tuple[FileReport, ...]
    states: Mapping[str, FileState]
    todo: tuple[SourceFile, ...]
    touched: tuple[FileState, ...]
    gone: tuple[FileState, ...]
    total: int
    ignored: tuple[Ignored, ...] = ()

    @property
    def unchanged(self) -> tuple[FileState, ...]:
        """States of the files that need no look."""
        waiting = {file.relative for file in self.todo}
        names = (file.relative for file in self.files)
        return tuple(self.states[name] for name in names if name in self.states and name not in waiting)

    @property
    def unreadable(self) -> tuple[FileState, ...]:
        """States of files that are there but could not be read now: what was read of them before stays."""
        names = tuple(report.path for report in self.reports if not report.passed_over)
        return tuple(state for state in self.states.values() if is_under(state.relative, names))


def scan_place(
    place: Place,
    staging: Staging,
    config: IngestConfig,
    key_of: Callable[[int, SourceFile], str],
    force: bool,
    holds: Callable[[Sequence[FileReport]], bool] = lambda _: True,
) -> Scan:
    """Compare a place with what is staged; ``key_of`` a root and a file is what the file is read under now,
    ``holds`` tells whether the conditions of an earlier outcome are still the same.

    Raises SourceError when the place does not exist.
    """
    met = list(walk(place.root.path, config, place.under))
    files = tuple(item for item in met if isinstance(item, SourceFile))
    reports = tuple(item for item in met if isinstance(item, FileReport))
    known = {state.relative: state for state in staging.files(place.root.root_id)} if place.root.root_id else {}
    present = {file.relative for file in files}
    states = {
        name: state
        for name, state in known.items()
        if not place.under or name in present or is_under(name, (place.under,))
    }
    todo: list[SourceFile] = []
    touched: list[FileState] = []
    for file in files:
        state = states.get(file.relative)
        as_it_is = (file.size, key_of(place.root.root_id, file), file.aliases, file.real)
        as_read = None if state is None else (state.size, state.parse_key, state.aliases, state.real)
        if force or state is None or as_read != as_it_is or not holds(state.reports):
            todo.append(file)
        elif state.mtime_ns != file.mtime_ns:
            if state.sha256 and digest(file.path) == state.sha256:
                touched.append(replace(state, mtime_ns=file.mtime_ns))
            else:
                todo.append(file)
    unread = tuple(report.path for report in reports if not report.passed_over)
    gone = tuple(s for s in states.values() if s.relative not in present and not is_under(s.relative, unread))
    total = sum(len(state.doc_ids) for state in known.values())
    ignored = tuple(item for item in met if isinstance(item, Ignored))
    return Scan(place, files, reports, states, tuple(todo), tuple(touched), gone, total, ignored)


def guard(found: Scan, limit: float) -> None:
    """Raise SourceError when more than ``limit`` per cent of the root's documents are gone or passed over now.

    A file whose content is there under another name is not gone; that is looked up only when it matters. One of several
    documents may always go, unless ``limit`` is 0: a folder of three notes is no catastrophe with two.
    """
    losing = sum(len(state.doc_ids) for state in found.gone)
    if found.total and losing / found.total * 100 > limit:
        sizes = {state.size for state in found.gone}
        moved = {digest(file.path) for file in found.todo if file.size in sizes}
        losing = sum(len(state.doc_ids) for state in found.gone if state.sha256 not in moved)
    if found.total and losing / found.total * 100 > limit and not (limit and losing == 1 < found.total):
        needed = min(100, int(losing / found.total * 100) + 1)
        passed_over = [s for s in found.gone if on_disk(found.place.root.path, s.relative) is not None]
        there = f" or, as {passed_over[0].relative}, passed over now" if passed_over else ""
        raise SourceError(
            f"{found.place.root.path}: {losing} of {found.total} documents are gone from disk{there}, "
            f"more than --max-delete {limit:g} %",
            hint=f"check that the folder is whole; --max-delete {needed} removes them",
            category="max_delete",
        )


def guard_catalogue(staging: Staging, published: Mapping[str, str], limit: float) -> None:
    """Raise StoreError when what was ingested before is no longer known, although a published version holds it.

    An ingest would go on as if its paths were all there is and no ``--acl`` had ever been given for them.
    """
    if limit >= 100 or not published or staging.roots():
        return
    roots = ", ".join(sorted(published.values()))
    raise StoreError(
        f"{staging.location} knows of no ingest, but the current version was made from {roots}: other folders, and the "
        "--acl and --meta given before, would be lost",
        hint="rag ingest every one of them with its --acl and --meta, the first with --max-delete 100",
    )


def digest(path: Path) -> str | None:
    """The SHA-256 of a file, None when it cannot be read."""
    try:
        with open_named(path, follow=False) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
