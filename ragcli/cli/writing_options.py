"""The options of the commands that write the index."""

from __future__ import annotations

from typing import Annotated

import typer

from ragcli.errors import ConfigError

Wait = Annotated[
    float, typer.Option("--wait", metavar="SECONDS", min=0, help="Wait for another writer instead of stopping.")
]
Rebuild = Annotated[bool, typer.Option("--rebuild", help="Ignore every reusable artefact.")]


def key_values(pairs: list[str] | None, option: str) -> dict[str, str]:
    """``KEY=VALUE`` pairs. Raises ConfigError for one without ``=`` or without a key."""
    found = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"{option} {pair!r} is not KEY=VALUE")
        found[key.strip()] = value.strip()
    return found
