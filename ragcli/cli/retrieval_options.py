"""The options that search, ask, eval and explain share: what a question may see and how it is ranked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcli.config import SearchMode
from ragcli.errors import ConfigError

if TYPE_CHECKING:
    from ragcli.application.scopes import ScopeOptions


K = Annotated[int | None, typer.Option("-k", metavar="N", help="Passages returned [default: retrieve.k].")]
Filters = Annotated[
    list[str] | None,
    typer.Option("--filter", metavar="EXPR", help="key OP value, OP one of = != < <= > >= ~ (glob); repeatable, AND."),
]
Groups = Annotated[
    list[str] | None, typer.Option("--as", metavar="GROUP", help="Ask as a member of a group; repeatable.")
]
AsOf = Annotated[str | None, typer.Option(metavar="DATE", help="Documents in force on that day [default: today].")]
IncludeSuperseded = Annotated[
    bool, typer.Option("--include-superseded", help="Superseded, expired and future documents too.")
]
NoRerank = Annotated[bool, typer.Option("--no-rerank", help="Leave the fused order as it is.")]
At = Annotated[str | None, typer.Option(metavar="VERSION", help="A kept version instead of the current one.")]
Mode = Annotated[SearchMode | None, typer.Option(help="Legs that search [default: retrieve.mode].")]


@dataclass(frozen=True)
class RetrievalOptions:
    """The options as given; None and empty mean: as the settings say."""

    k: int | None = None
    filters: list[str] | None = None
    groups: list[str] | None = None
    as_of: str | None = None
    include_superseded: bool = False
    no_rerank: bool = False
    at: str | None = None
    mode: SearchMode | None = None

    def overrides(self) -> dict[str, Any]:
        """The settings that these options stand in for."""
        method = "none" if self.no_rerank else None
        return {"retrieve.k": self.k, "retrieve.mode": self.mode, "rerank.method": method}

    def scope(self) -> ScopeOptions:
        """What the question may see; the asker's groups are those of ``--as``, else of ``RAG_GROUPS``."""
        return {
            "filters": self.filters or (),
            "groups": self.groups,
            "as_of": self.as_of,
            "include_superseded": self.include_superseded,
        }


# The options of the commands that write the index.

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
