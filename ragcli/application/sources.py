"""The files that documents were read from, and the folders among them that are there no more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def source_path(roots: Mapping[str, str], source: str) -> Path | None:
    """The file that a source was read from, None when it is not on this machine (any more).

    A source is a path as an ingest shows it, which for odd names is not what they are on disk.
    """
    from ragcli.parse.files.walk import on_disk

    for name in dict.fromkeys((source, source.partition("!")[0])):
        for label, root in roots.items():
            for relative in dict.fromkeys((name, name.removeprefix(f"{label}/"))):
                place = Path(root, relative) if Path(root, relative).is_file() else on_disk(Path(root), relative)
                if place is not None and place.is_file():
                    return place
    return None


def gone_roots(roots: Mapping[str, str]) -> list[Path]:
    """The files and folders that were ingested and are nowhere to be found."""
    return [Path(root) for root in roots.values() if not Path(root).exists()]
