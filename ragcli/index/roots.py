"""Where an ingested folder is now: kept absolute, and relative to the index folder for what moves together with it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from ragcli.index.manifest import Manifest


def relative_to_index(path: Path, folder: Path) -> str:
    """The way from the index folder to a root, POSIX; empty where there is none (another drive)."""
    try:
        return Path(os.path.relpath(path, folder.absolute())).as_posix()
    except ValueError:
        return ""


def candidates(path: Path, relative: str, folder: Path) -> tuple[Path, ...]:
    """Where a root may be now, the likeliest first.

    The place relative to the index comes first: in a copied project both are there, and the other is the original's.
    """
    if not relative:
        return (path,)
    beside = Path(os.path.normpath(folder.absolute() / relative))
    return (beside,) if beside == path else (beside, path)


def guesses(path: Path, folder: Path) -> Iterator[Path]:
    """Where a root may be of which only the absolute path is known, when its project was moved or copied.

    That is the end of its path beside the index, the longest first; a root inside the project is where it was.
    """
    project = folder.absolute().parent
    if path.is_relative_to(project):
        return
    for number in range(1, len(path.parts)):
        place = project.joinpath(*path.parts[number:])
        if place.exists():
            yield place


def holds(place: Path, sizes: Mapping[str, int]) -> bool:
    """Whether at least half of some files, given by their paths in a root and their sizes in bytes, are there."""
    if place.is_file():
        return [place.stat().st_size] == list(sizes.values())
    found = sum(1 for name, size in sizes.items() if (place / name).is_file() and (place / name).stat().st_size == size)
    return found > 0 and 2 * found >= len(sizes)


def root_places(manifest: Manifest, folder: Path) -> Mapping[str, tuple[Path, ...]]:
    """Where each root of a version may be now, by its label, the likeliest first; ``folder`` is the index."""
    return {
        label: candidates(Path(path), manifest.root_places.get(label, ""), folder)
        for label, path in manifest.roots.items()
    }


def source_path(manifest: Manifest, folder: Path, source: str) -> Path | None:
    """The file that a source was read from, None when it is not on this machine (any more)."""
    outer = source.partition("!")[0]
    for label, roots in root_places(manifest, folder).items():
        for root in roots:
            # By its path in the root; by that path after the root's label; or the root is the file itself.
            places = (root / outer, root / outer.removeprefix(f"{label}/"), root if root.name == outer else None)
            for place in places:
                if place is not None and place.is_file():
                    return place
    return None


def gone_roots(manifest: Manifest, folder: Path) -> Iterator[Path]:
    """The roots of a version that are nowhere to be found: what was read from them may be outdated or deleted."""
    for places in root_places(manifest, folder).values():
        if not any(place.exists() for place in places):
            yield places[0]


def gone_notice(place: Path) -> str:
    """What to say of such a root, and what mends it."""
    return (
        f"{place} is gone, but what was read from it is still served: "
        f"rag ingest its new place if it was moved, rag forget '{place}' if it was deleted"
    )
