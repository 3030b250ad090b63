"""The merged settings and where each came from.

Order: command line > environment (``RAG_<SECTION>__<KEY>``, ``RAG_INDEX``, ``RAG_OFFLINE``, ``RAG_GROUPS``) > file of
the project > the user's own file > defaults. An unknown key or a wrong type is a ``ConfigError`` with its path and the
nearest known key. What reaches out of the project is not for a file of the working tree to decide: see ``trust``.
Secrets are read from the environment by the code that needs them and never stand here.
"""

from __future__ import annotations

import dataclasses
import os
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragcli.config import trust
from ragcli.config.checking import checked, nearest
from ragcli.config.sections import FILE_NAME, SECTIONS, Config
from ragcli.config.text import parse_yaml, value_from_text
from ragcli.errors import ConfigError
from ragcli.regular_files import read_named

_MOST_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class _Said:
    """One layer's value of one setting; ``users`` when the layer is the user's own word."""

    key: str
    value: Any
    origin: str
    users: bool = True


def load(
    *,
    file: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    variant: Mapping[str, Any] | None = None,
    variant_origin: str = "",
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Config:
    """The merged settings.

    ``file`` is ``--config``; without it ``RAG_CONFIG``, then the nearest ``rag.yaml`` upward from ``cwd``.
    ``overrides`` maps ``section.key`` to a value from the command line. ``variant`` goes before everything and has no
    more rights than a file of the project: the changes of one row of the matrix file ``variant_origin``.
    Raises ConfigError for a missing file, an unknown key, a wrong type, a value out of bounds, and one that only a
    file of the working tree asks for and that reaches out of the project.
    """
    environ = os.environ if environ is None else environ
    cwd = Path.cwd() if cwd is None else cwd
    path = find_file(file, environ, cwd)
    folder = trust.user_folder(environ)
    user_file = None if folder is None else folder / trust.USER_FILE_NAME
    layers = [*_from_files(path, user_file), *_from_environ(environ)]
    layers += [_Said(key, value, "command line") for key, value in (overrides or {}).items()]
    layers += [_Said(key, value, variant_origin, users=False) for key, value in (variant or {}).items()]
    base = path.parent.absolute() if path is not None else cwd.absolute()
    config = _merge(layers, base=base, file=path, user_file=user_file)
    groups = tuple(part.strip() for part in environ.get("RAG_GROUPS", "").split(",") if part.strip())
    offline = environ.get("RAG_OFFLINE", "").strip().lower() in {"1", "true", "yes", "on"}
    return dataclasses.replace(config, groups=groups, offline=offline)


def find_file(file: Path | None, environ: Mapping[str, str], cwd: Path) -> Path | None:
    """The config file that applies, or None when there is none; a named file that is missing is an error."""
    named = file or (Path(environ["RAG_CONFIG"]) if environ.get("RAG_CONFIG") else None)
    if named is not None:
        path = (cwd / named.expanduser()).absolute()
        if path.is_dir():
            raise ConfigError(f"config file {path} is a folder", hint=f"name the {FILE_NAME} inside it")
        if not path.exists():
            origin = "--config" if file else "RAG_CONFIG"
            raise ConfigError(f"config file {path} does not exist (from {origin})", hint="rag init writes one")
        return path
    for folder in (cwd.absolute(), *cwd.absolute().parents):
        if (folder / FILE_NAME).is_dir():
            raise ConfigError(
                f"config file {folder / FILE_NAME} is a folder", hint="rename it, or name a file: --config"
            )
        if (folder / FILE_NAME).exists():
            return folder / FILE_NAME
    return None


def _from_files(path: Path | None, user_file: Path | None) -> Iterator[_Said]:
    """What the user's own file says, then what the file that applies here says."""
    if user_file is not None and user_file.is_file():
        yield from (_Said(key, value, str(user_file)) for key, value in _from_file(user_file))
    if path is not None and path != user_file:
        users = trust.is_users(path, user_file.parent if user_file else None)
        yield from (_Said(key, value, path.name, users) for key, value in _from_file(path))


def _from_file(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        text = read_named(path, _MOST_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from error
    content = parse_yaml(text, str(path), unique=True)
    for name, section in content.items():
        if name not in SECTIONS:
            raise ConfigError(f"{path}: unknown section {name!r}{nearest(str(name), SECTIONS)}")
        if section is None:
            continue
        if not isinstance(section, Mapping):
            raise ConfigError(f"{path}: section {name!r} holds {section!r}, expected keys below it")
        for key, value in section.items():
            yield f"{name}.{key}", value


def _from_environ(environ: Mapping[str, str]) -> Iterator[_Said]:
    if environ.get("RAG_INDEX"):
        yield _Said("index.path", str(Path(environ["RAG_INDEX"]).expanduser().absolute()), "RAG_INDEX")
    for name in sorted(environ):
        if not name.startswith("RAG_") or "__" not in name:
            continue
        section, _, key = name[len("RAG_") :].lower().partition("__")
        if section not in SECTIONS:
            raise ConfigError(f"environment variable {name}: unknown section {section!r}{nearest(section, SECTIONS)}")
        hint = typing.get_type_hints(SECTIONS[section]).get(key)
        text = environ[name]
        value = text if hint is str else value_from_text(text, f"environment variable {name}")
        yield _Said(f"{section}.{key}", value, name)


def _merge(layers: Sequence[_Said], *, base: Path, file: Path | None, user_file: Path | None) -> Config:
    """The last value of each setting, once it is known to be allowed where it stands."""
    chosen: dict[str, _Said] = {}
    users: dict[str, list[Any]] = {}
    for said in layers:
        said = _checked(said)
        if said.users:
            users.setdefault(said.key, []).append(said.value)
        elif said.key == "answer.base_url" and said.key in users and said.value == "":
            continue  # an empty address does not take away the server that the user chose
        chosen[said.key] = said
    values: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    origins: dict[str, str] = {}
    from_project: set[str] = set()
    for name, kind in SECTIONS.items():
        defaults = kind()
        for item in dataclasses.fields(kind):
            key = f"{name}.{item.name}"
            said = chosen.get(key, _Said(key, getattr(defaults, item.name), "default", users=False))
            values[name][item.name], origins[key] = said.value, said.origin
            if not said.users and said.value not in users.get(key, []):
                trust.check(key, said.value, origin=said.origin, base=base, user_file=user_file)
                from_project.add(key)
    sections = {name: kind(**values[name]) for name, kind in SECTIONS.items()}
    return Config(
        **sections, base=base, file=file, user_file=user_file, origins=origins, from_project=frozenset(from_project)
    )


def _checked(said: _Said) -> _Said:
    """The value as the type that its setting asks for. Raises ConfigError."""
    section, _, key = said.key.partition(".")
    if section not in SECTIONS:
        raise ConfigError(f"{said.origin}: unknown section {section!r}{nearest(section, SECTIONS)}")
    known = {item.name: item for item in dataclasses.fields(SECTIONS[section])}
    if key not in known:
        raise ConfigError(f"{said.origin}: unknown key {said.key!r}{nearest(key, known, section)}")
    hint = typing.get_type_hints(SECTIONS[section])[key]
    value = checked(said.value, hint, known[key].metadata, f"{said.origin}: {said.key}")
    return dataclasses.replace(said, value=value)
