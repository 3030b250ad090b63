"""Global options anywhere on the command line."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from ragcli.cli.app import command_tree
from ragcli.cli.arguments import hoisted
from ragcli.errors import ConfigError

ROOT: Any = command_tree()


@pytest.mark.parametrize(
    ("line", "front", "rest"),
    [
        ("config show --json", "--json", "config show"),
        ("--json config show", "--json", "config show"),
        ("config --index DIR show -v", "--index DIR -v", "config show"),
        ("config show --index=DIR", "--index=DIR", "config show"),
        ("config show -vv --origin", "-vv", "config show --origin"),
        ("config show -- --json", "", "config show -- --json"),
        ("-- config --json", "", "-- config --json"),
        ("config show --jsn", "", "config show --jsn"),
        ("", "", ""),
    ],
)
def test_global_options_come_to_the_front(line: str, front: str, rest: str) -> None:
    assert hoisted(line.split(), ROOT) == (front.split(), rest.split())


@pytest.mark.parametrize("line", ["config show --config", "--index", "config --index --json show", "search x --index"])
def test_a_global_option_without_its_value_is_named(line: str) -> None:
    with pytest.raises(ConfigError, match=r"^--(config|index) needs a value"):
        hoisted(line.split(), ROOT)


def test_the_value_of_another_option_is_not_taken() -> None:
    small = typer.Typer()

    @small.command()
    def ingest(meta: list[str] = [], dry_run: bool = False) -> None: ...  # noqa: B006

    @small.callback()
    def top(json: bool = typer.Option(False, "--json")) -> None: ...

    root: Any = typer.main.get_command(small)
    assert hoisted(["ingest", "--meta", "--json", "--dry-run", "--json"], root) == (
        ["--json"],
        ["ingest", "--meta", "--json", "--dry-run"],
    )
    assert hoisted(["ingest", "--meta=a", "--json"], root) == (["--json"], ["ingest", "--meta=a"])
