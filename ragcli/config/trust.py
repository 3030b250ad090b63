"""Which settings a file of the working tree may make. Such a file may have come with somebody else's folder.

It may shape what is done inside the project. It may not decide where a question, a passage, a document or a key goes,
what is fetched, or which folder outside of the project is read or written: that is for the command line, the
environment and the user's own file. Where one of those says the same, the project's file may say it too.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragcli import plugins
from ragcli.config.sections import SECTIONS
from ragcli.errors import ConfigError

USER_FILE_NAME = "config.yaml"


def user_folder(environ: Mapping[str, str], platform: str = sys.platform) -> Path | None:
    """The folder of the user's own settings; None where the environment names no home.

    ``$XDG_CONFIG_HOME/ragcli`` wherever that is set to an absolute path (a relative one is void, as its standard says),
    else ``~/.config/ragcli``, on macOS ``~/Library/Application Support/ragcli``, on Windows ``%APPDATA%\\ragcli``.
    """
    named = Path(environ.get("XDG_CONFIG_HOME", ""))
    if named.is_absolute():
        return named / "ragcli"
    if platform == "win32":
        return Path(environ["APPDATA"]) / "ragcli" if environ.get("APPDATA") else None
    home = Path(environ.get("HOME", ""))
    if not home.is_absolute():
        return None
    return home / ("Library/Application Support" if platform == "darwin" else ".config") / "ragcli"


def is_users(path: Path, folder: Path | None) -> bool:
    """Whether a file lies in the user's own folder: it itself, wherever a link in its place leads."""
    return folder is not None and _lies_in(path.parent, folder)


@dataclass(frozen=True, slots=True)
class Reach:
    """A setting that reaches out of the project: what it does there, and which of its values do not."""

    does: str
    stays: Callable[[Any, Path], bool]


def _lies_in(path: Path, folder: Path) -> bool:
    """Whether a path is in a folder once every link is followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _inside(value: str, base: Path) -> bool:
    """Whether a path leads into the project."""
    return _lies_in(from_base(value, base), base)


def from_base(value: str, base: Path) -> Path:
    """A path as settings write it, absolute; ``~nobody`` is a name like any other."""
    return (base / os.path.expanduser(value)).absolute()  # noqa: PTH111 (pathlib's raises for an unknown user)


def _no_path_outside(value: str, base: Path) -> bool:
    """Whether a model is named, or is a folder of the project. A name is looked up on this machine, never fetched."""
    looks_like_path = value.startswith((".", "~")) or "\\" in value or ".." in value or Path(value).is_absolute()
    is_there = os.path.exists(base / value) or os.path.exists(value)  # noqa: PTH110 (pathlib's raises for a long name)
    return _inside(value, base) if looks_like_path or is_there else True


def _is_own(own: Sequence[str]) -> Callable[[Any, Path], bool]:
    """Whether a part is ragcli's own: one of another package may send what it gets anywhere."""
    return lambda value, _: {*((value,) if isinstance(value, str) else value)} <= {*own}


_PARTS = {
    f"{section}.{item.name}": item.metadata["own"]
    for section, kind in SECTIONS.items()
    for item in dataclasses.fields(kind)
    if item.metadata.get("group") and item.metadata["group"] != plugins.GENERATORS
}
"""The settings that name parts, and ragcli's own; who writes answers has a rule of its own."""

REACHING: Mapping[str, Reach] = {
    "answer.provider": Reach("sends questions and passages to a model", lambda value, _: value == "extractive"),
    "answer.base_url": Reach("names the server that gets questions, passages and a key", lambda value, _: value == ""),
    "chunk.context": Reach("sends every document to a model", lambda value, _: value == "off"),
    "index.path": Reach("names a folder outside of the project", _inside),
    "embed.model": Reach("names a folder outside of the project", _no_path_outside),
    "rerank.model": Reach("names a folder outside of the project", _no_path_outside),
    **{key: Reach("uses a part of another package", _is_own(own)) for key, own in _PARTS.items()},
    "index.engine": Reach("keeps the documents outside of the project", lambda value, _: value == "folder"),
}
"""Every setting that names a host, a service, a path or a part of another package. No setting names a command."""

OPTIONS = {"answer.provider": "--provider", "index.path": "--index"}
"""The command-line options that say the same."""


def check(key: str, value: Any, *, origin: str, base: Path, user_file: Path | None) -> None:
    """Raises ConfigError when ``value``, which only a file of the working tree asks for, reaches out of the project."""
    reach = REACHING.get(key)
    if reach is None or reach.stays(value, base):
        return
    section, _, name = key.partition(".")
    wanted, leads = value if isinstance(value, str) else f"[{', '.join(value)}]", ""
    if "folder" in reach.does:
        wanted = os.path.realpath(from_base(value, base))
        leads = f", which leads to {_short(wanted)}"
    said = shlex.quote(wanted)  # what is printed to be typed must not carry commands of its own
    ways = [f"{OPTIONS[key]} {said}"] if key in OPTIONS else []
    ways.append(f"RAG_{section.upper()}__{name.upper()}={said}")
    if user_file is not None:
        ways.append(f"'{section}: {{{name}: {wanted!r}}}' in {user_file}")
    raise ConfigError(
        f"{origin}: {key} is {_short(value)!r}{leads}: that {reach.does}, and only your own settings may do so, "
        "never a file that may have come with a folder",
        hint=f"if you want it: {', or '.join(ways)}" if len(wanted) <= _LONG else "it is no value to be typed",
        category="untrusted_setting",
    )


_LONG = 300


def _short(value: str) -> str:
    return value if len(value) <= _LONG else value[:_LONG] + "…"
