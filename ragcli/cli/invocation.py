"""One run of the program: its global options, and the settings they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from ragcli.cli.output import Output
from ragcli.config import Config, load


@dataclass(frozen=True)
class Invocation:
    """The global options of this run. ``index`` is relative to the working folder."""

    output: Output = field(default_factory=Output)
    config_file: Path | None = None
    index: Path | None = None
    progress: bool = True
    debug: bool = False

    def config(self, overrides: Mapping[str, Any] | None = None) -> Config:
        """The settings under this run's options; ``overrides`` maps ``section.key`` to a command's own option.

        An override of None is an option that was not given. Raises ConfigError.
        """
        given = {key: value for key, value in (overrides or {}).items() if value is not None}
        if self.index is not None:
            given["index.path"] = str(self.index.expanduser().absolute())
        return load(file=self.config_file, overrides=given)


def invocation(context: typer.Context) -> Invocation:
    """The run that a command belongs to."""
    found = context.find_object(Invocation)
    return found if found is not None else Invocation()
