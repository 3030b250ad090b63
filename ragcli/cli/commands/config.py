"""``rag config show``: the merged settings and where each came from."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ragcli.cli.invocation import epilog, invocation
from ragcli.config import Config
from ragcli.display import printable


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Show the settings in force.")
    group.command("show", epilog=epilog("rag config show", "rag config show --origin --json"))(show)
    app.add_typer(group, name="config", epilog=epilog("rag config show", "rag config show --origin"))


def show(
    context: typer.Context,
    origin: Annotated[bool, typer.Option("--origin", help="Say where each value came from.")] = False,
) -> None:
    """Print the merged settings; secrets are masked."""
    run = invocation(context)
    config = run.config()
    run.output.result(_content(config, origin), lambda: _text(config, origin))


def _settings(config: Config) -> list[tuple[str, Any, str]]:
    """``(section.key, value, origin)`` of every setting, in the order of the file."""
    return [
        (f"{section}.{key}", value, config.origins[f"{section}.{key}"])
        for section, values in config.to_mapping().items()
        for key, value in values.items()
    ]


def _content(config: Config, origin: bool) -> dict[str, Any]:
    content: dict[str, Any] = {
        "schema": "rag.config/1",
        "file": str(config.file) if config.file else None,
        "user_file": str(config.user_file) if config.user_file else None,
        "index": str(config.index_path),
        "groups": list(config.groups),
        "offline": config.offline,
        "settings": config.to_mapping(),
    }
    if origin:
        content["origins"] = {key: where for key, _, where in _settings(config)}
    return content


def _text(config: Config, origin: bool) -> str:
    import json

    own = f"{config.user_file}{'' if config.user_file.is_file() else ' (not there)'}" if config.user_file else "none"
    lines = [f"# file: {config.file or 'none'}", f"# your own file: {own}", f"# index: {config.index_path}"]
    if config.groups:
        lines.append(f"# groups: {', '.join(config.groups)} (RAG_GROUPS)")
    if config.offline:
        lines.append("# offline (RAG_OFFLINE)")
    for key, value, where in _settings(config):
        written = (
            value if isinstance(value, str) and value and value.isprintable() else json.dumps(value, ensure_ascii=False)
        )
        lines.append(f"{key} = {written}" + (f"  # {where}" if origin else ""))
    return "\n".join(printable(line) for line in lines)
