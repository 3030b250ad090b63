"""Settings as a guest of the library gives them: none, a file, values by key, or ready made."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ragcli.config import Config, load

Settings = Config | Mapping[str, Any] | str | PathLike[str] | None
"""Nothing: as ``rag`` finds them; values by ``section.key``; the path of a ``rag.yaml``; or a ``Config``."""


def settings_of(given: Settings, path: str | PathLike[str] | None) -> Config:
    """The settings, with ``path`` for the index where it is given. Raises ConfigError as ``config.load`` does."""
    place = {} if path is None else {"index.path": str(Path(path).expanduser().absolute())}
    if isinstance(given, Config):
        index = dataclasses.replace(given.index, path=place.get("index.path", given.index.path))
        return dataclasses.replace(given, index=index)
    if given is None or isinstance(given, Mapping):
        return load(overrides={**(given or {}), **place})
    return load(file=Path(given), overrides=place)
