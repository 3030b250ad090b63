"""One run of the program: its global options, and the settings they lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ragcli.cli.output import Output
from ragcli.config import Config, load
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli import Index


@dataclass(frozen=True)
class Invocation:
    """The global options of this run. ``index`` is relative to the working folder."""

    output: Output = field(default_factory=Output)
    config_file: Path | None = None
    index: Path | None = None
    progress: bool = True
    debug: bool = False

    def config(
        self, overrides: Mapping[str, Any] | None = None, *, variant: Mapping[str, Any] | None = None, origin: str = ""
    ) -> Config:
        """The settings under this run's options; ``overrides`` maps ``section.key`` to a command's own option.

        An override of None is an option that was not given. ``variant`` are changes that the file ``origin`` asks for,
        which has no more rights than the project's own file. Raises ConfigError.
        """
        given = {key: value for key, value in (overrides or {}).items() if value is not None}
        if self.index is not None:
            given["index.path"] = str(self.index.expanduser().absolute())
        return load(file=self.config_file, overrides=given, variant=variant, variant_origin=origin)

    def index_with(self, overrides: Mapping[str, Any] | None = None, *, at: str | None = None) -> Index:
        """The front door of the index under this run's settings; nothing is opened yet. Raises ConfigError."""
        from ragcli import Index

        return Index(self.config(overrides), at=at)


def invocation(context: typer.Context) -> Invocation:
    """The run that a command belongs to."""
    found = context.find_object(Invocation)
    return found if found is not None else Invocation()


# What every command's ``--help`` ends with: examples, the global options, the exit codes.

_GLOBAL_OPTIONS = (
    "  --config FILE, --index DIR, --json, --quiet, -v, -vv,",
    "  --color auto|always|never, --no-progress, --debug, --version",
)

_ALWAYS = (ExitCode.OK, ExitCode.USAGE, ExitCode.INTERNAL, ExitCode.INTERRUPTED)


def epilog(*examples: str, codes: Sequence[ExitCode] = (), globals_too: bool = True) -> str:
    """The end of a help page: ``examples``, the global options and the exit codes this command can end with."""
    shown = [code for code in ExitCode if code in _ALWAYS or code in codes]
    blocks = [_block("Examples:", [f"  {example}" for example in examples])]
    if globals_too:
        blocks.append(_block("Global options, before or after the command:", _GLOBAL_OPTIONS))
    blocks.append(_block("Exit codes:", [f"  {code.value:>3}  {code.meaning}" for code in shown]))
    return "\n\n".join(blocks)


def _block(title: str, lines: Sequence[str]) -> str:
    return "\n".join(("\b", title, *lines))
