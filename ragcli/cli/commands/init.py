"""``rag init``: write a commented ``rag.yaml`` that equals the defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.targets import check_target
from ragcli.config import FILE_NAME, example_yaml
from ragcli.errors import ConfigError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("init", epilog=epilog("rag init", "rag init handbook/ && cd handbook"))(init)


def init(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Where to write it.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a commented rag.yaml with every setting and its default."""
    run = invocation(context)
    path = run.config_file or folder / FILE_NAME
    if force:
        check_target("--force", path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(example_yaml())
    except FileExistsError as error:
        raise ConfigError(f"{path} exists already", hint="rag init --force replaces it") from error
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from error
    run.output.result({"schema": "rag.init/1", "path": str(path.absolute())}, f"{path} written")
