"""Which root reads a path: one that holds it, one that was moved to it, or a new one; and what became of the others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragcli.config import IngestConfig
from ragcli.errors import SourceError
from ragcli.interfaces import Staging
from ragcli.parse.files.walk import place_in
from ragcli.records import Given, Root

_SAMPLE = 200


@dataclass(frozen=True, slots=True)
class Place:
    """A root and the part of it that an ingest looks at (``under`` is empty for all of it).

    ``moved_from`` is where the root was before, when it was found here.
    """

    root: Root
    under: str
    moved_from: Path | None = None


def find_place(staging: Staging, path: Path, config: IngestConfig, dry_run: bool) -> Place:
    """The root that reads ``path``, or a new one for it (not kept in a dry run).

    A path that its root would pass over was asked for by name: it becomes a root of its own. A root whose folder is
    gone, and whose files are found at ``path``, is taken to have moved there. Raises SourceError for a missing path.
    """
    path = path.resolve() if ".." in path.parts else path.absolute()
    roots = staging.roots()
    if not path.exists():
        known = f"; rag forget '{path}' erases what was read from it" if path in [root.path for root in roots] else ""
        raise SourceError(f"{path}: No such file or directory", hint=f"check the path{known}")
    real = path.resolve()
    for root in sorted(roots, key=lambda root: (-len(root.path.parts), root.root_id)):
        place = root.path.resolve()
        if real == place:
            return Place(root, "")
        under = place_in(place, config, real) if real.is_relative_to(place) and place.is_dir() else None
        if under is not None:
            return Place(root, under)
    moved = next((root for root in roots if not root.path.exists() and _has_moved_to(staging, root, path)), None)
    if moved is not None:
        if not dry_run:
            staging.move_root(moved.root_id, path)
        return Place(replace(moved, path=path), "", moved_from=moved.path)
    if dry_run or not (path.is_dir() or path.is_file()):
        return Place(Root(0, path, path.name), "")
    return Place(staging.add_root(path), "")


def _has_moved_to(staging: Staging, root: Root, path: Path) -> bool:
    """Whether at least half of what was read of a folder stands at ``path``, by name and size."""
    states = list(itertools.islice(staging.files(root.root_id), _SAMPLE))
    found = sum(1 for state in states if _size(path / state.relative) == state.size)
    return found > 0 and 2 * found >= len(states)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def inner_roots(staging: Staging, place: Place, config: IngestConfig) -> Iterator[tuple[Root, str]]:
    """Roots that lie inside a place and are read by it, with their paths there: a wider root takes them in."""
    outer = place.root.path.resolve()
    for root in staging.roots():
        real = root.path.resolve()
        if root.root_id != place.root.root_id and real.is_relative_to(outer) and outer.is_dir() and real.exists():
            under = place_in(outer, config, real)
            if under is not None and (not place.under or is_under(under, (place.under,))):
                yield root, under


def take_over_flags(staging: Staging, places: Sequence[Place], config: IngestConfig) -> list[str]:
    """Let what was given for a root hold for its files in the wider root that takes it in; notices of such roots."""
    notices = []
    for place in places:
        for root, under in inner_roots(staging, place, config) if place.root.root_id else ():
            for given in staging.notes.given(root.root_id):
                prefix = f"{under}/{given.prefix}" if given.prefix else under
                staging.notes.put_given(place.root.root_id, Given(prefix, given.meta, given.acl))
            notices.append(f"{root.path} is read as part of {place.root.path} from now on")
    return notices


def place_notices(staging: Staging, places: Sequence[Place]) -> list[str]:
    """What the user should know about roots: those that were found elsewhere, and those that are gone."""
    moved = [
        f"{p.moved_from} is gone; its files are at {p.root.path}, which takes its place" for p in places if p.moved_from
    ]
    asked = {place.root.root_id for place in places}
    gone = [root.path for root in staging.roots() if root.root_id not in asked and not root.path.exists()]
    return [*moved, *map(gone_notice, gone)]


def gone_notice(place: Path) -> str:
    """What to say of a root that is nowhere to be found, and what mends it."""
    return (
        f"{place} is gone, but what was read from it is still served: "
        f"rag ingest its new place if it was moved, rag forget '{place}' if it was deleted"
    )


def is_under(relative: str, folders: Sequence[str]) -> bool:
    """Whether a path is one of ``folders`` or inside one; ``.`` holds everything."""
    return any(name in (relative, ".") or relative.startswith(f"{name}/") for name in folders)
