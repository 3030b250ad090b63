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
    """Whether at least half of a root's files are at ``place``: by their paths in the root and sizes in bytes."""
    if place.is_file():
        return [place.stat().st_size] == list(sizes.values())
    found = sum(1 for name, size in sizes.items() if (place / name).is_file() and (place / name).stat().st_size == size)
    return found > 0 and 2 * found >= len(sizes)


def roots_now(manifest: Manifest, folder: Path) -> Mapping[str, str]:
    """Label and path of every root of a version, where it is now; ``folder`` is the index.

    A root that is nowhere has the path at which it would be looked for.
    """
    found = {}
    for label, path in manifest.roots.items():
        relative = manifest.root_places.get(label, "")
        places = [*candidates(Path(path), relative, folder), *(() if relative else guesses(Path(path), folder))]
        found[label] = str(next((place for place in places if place.exists()), places[0]))
    return found
