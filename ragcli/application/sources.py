"""The files that documents were read from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def source_path(roots: Mapping[str, str], source: str) -> Path | None:
    """The file that a source was read from, None when it is not on this machine (any more)."""
    outer = source.partition("!")[0]
    for label, text in roots.items():
        root = Path(text)
        places = (root / outer, root / outer.removeprefix(f"{label}/"), root if root.name == outer else None)
        for place in places:
            if place is not None and place.is_file():
                return place
    return None
