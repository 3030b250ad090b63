"""What is on disk beside what is staged: which files to look into, which are gone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragcli.config import IngestConfig
from ragcli.errors import SourceError, StoreError
from ragcli.interfaces import Staging
from ragcli.parse.files.opening import open_regular
from ragcli.parse.files.walk import SourceFile, walk
from ragcli.records import FileReport, FileState, Root


@dataclass(frozen=True, slots=True)
class Place:
    """A root and the part of it that an ingest looks at (``under`` is empty for all of it)."""

    root: Root
    under: str
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Scan:
    """One place: its files, what could not be read, what changed, what only has a new time, what is gone.

    ``total`` counts the staged documents of the whole root.
    """

    place: Place
    files: tuple[SourceFile, ...]
    reports: tuple[FileReport, ...]
    states: Mapping[str, FileState]
    todo: tuple[SourceFile, ...]
    touched: tuple[FileState, ...]
    gone: tuple[FileState, ...]
    total: int

    @property
    def unchanged(self) -> tuple[FileState, ...]:
        """States of the files that need no look."""
        waiting = {file.relative for file in self.todo}
        names = (file.relative for file in self.files)
        return tuple(self.states[name] for name in names if name in self.states and name not in waiting)

    @property
    def unreadable(self) -> tuple[FileState, ...]:
        """States of files that are there but could not be read now: what was read of them before stays."""
        names = tuple(report.path for report in self.reports)
        return tuple(state for state in self.states.values() if is_under(state.relative, names))


def find_place(staging: Staging, path: Path, dry_run: bool) -> Place:
    """The root that holds ``path``, or a new one for it (not kept in a dry run)."""
    path = path.absolute()
    for root in staging.roots():
        if path == root.path:
            return Place(root, "")
        if path.is_relative_to(root.path):
            return Place(root, path.relative_to(root.path).as_posix())
    if dry_run or not path.exists():
        return Place(Root(0, path, path.name), "", is_new=True)
    return Place(staging.add_root(path), "", is_new=True)


def inner_roots(staging: Staging, path: Path) -> list[Root]:
    """Roots that lie inside ``path``: a wider root takes them in."""
    path = path.absolute()
    return [root for root in staging.roots() if root.path != path and root.path.is_relative_to(path)]


def scan_place(
    place: Place,
    staging: Staging,
    config: IngestConfig,
    key_of: Callable[[int, str], str],
    force: bool,
    holds: Callable[[Sequence[FileReport]], bool] = lambda _: True,
) -> Scan:
    """Compare a place with what is staged; ``key_of`` a root and a relative path is what the file is read under now,
    ``holds`` tells whether the conditions of an earlier outcome are still the same.

    Raises SourceError when the place does not exist.
    """
    met = list(walk(place.root.path, config, place.under))
    files = tuple(item for item in met if isinstance(item, SourceFile))
    reports = tuple(item for item in met if isinstance(item, FileReport))
    known = list(staging.files(place.root.root_id)) if place.root.root_id else []
    states = {state.relative: state for state in known if not place.under or is_under(state.relative, (place.under,))}
    todo: list[SourceFile] = []
    touched: list[FileState] = []
    for file in files:
        state = states.get(file.relative)
        if (
            force
            or state is None
            or (state.size, state.parse_key) != (file.size, key_of(place.root.root_id, file.relative))
            or not holds(state.reports)
        ):
            todo.append(file)
        elif state.mtime_ns != file.mtime_ns:
            if state.sha256 and digest(file.path) == state.sha256:
                touched.append(replace(state, mtime_ns=file.mtime_ns))
            else:
                todo.append(file)
    present = {file.relative for file in files}
    unread = tuple(report.path for report in reports)
    gone = tuple(s for s in states.values() if s.relative not in present and not is_under(s.relative, unread))
    total = sum(len(state.doc_ids) for state in known)
    return Scan(place, files, reports, states, tuple(todo), tuple(touched), gone, total)


def guard(found: Scan, limit: float) -> None:
    """Raise SourceError when more than ``limit`` per cent of the root's documents are gone from disk.

    A file whose content is there under another name is not gone; that is looked up only when it matters.
    """
    losing = sum(len(state.doc_ids) for state in found.gone)
    if found.total and losing / found.total * 100 > limit:
        sizes = {state.size for state in found.gone}
        moved = {digest(file.path) for file in found.todo if file.size in sizes}
        losing = sum(len(state.doc_ids) for state in found.gone if state.sha256 not in moved)
    if found.total and losing / found.total * 100 > limit:
        needed = min(100, int(losing / found.total * 100) + 1)
        raise SourceError(
            f"{found.place.root.path}: {losing} of {found.total} documents are gone from disk, "
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


def is_under(relative: str, folders: Sequence[str]) -> bool:
    """Whether a path is one of ``folders`` or inside one; ``.`` holds everything."""
    return any(name in (relative, ".") or relative.startswith(f"{name}/") for name in folders)


def digest(path: Path) -> str | None:
    """The SHA-256 of a file, None when it cannot be read."""
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
