"""The merged settings and where each came from.

Order: command line > environment (``RAG_<SECTION>__<KEY>``, ``RAG_INDEX``, ``RAG_OFFLINE``, ``RAG_GROUPS``) > file >
defaults. An unknown key or a wrong type is a ``ConfigError`` with its path and the nearest known key. Secrets are
read from the environment by the code that needs them and never stand here.
"""

from __future__ import annotations

import dataclasses
import os
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragcli.config.checking import checked, nearest
from ragcli.config.sections import FILE_NAME, SECTIONS, Config
from ragcli.config.text import parse_yaml, value_from_text
from ragcli.errors import ConfigError


def load(
    *,
    file: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Config:
    """The merged settings.

    ``file`` is ``--config``; without it ``RAG_CONFIG``, then the nearest ``rag.yaml`` upward from ``cwd``.
    ``overrides`` maps ``section.key`` to a value from the command line.
    Raises ConfigError for a missing file, an unknown key, a wrong type or a value out of bounds.
    """
    environ = os.environ if environ is None else environ
    cwd = Path.cwd() if cwd is None else cwd
    path = find_file(file, environ, cwd)
    layers: list[tuple[str, str, Any]] = []
    if path is not None:
        layers += [(key, path.name, value) for key, value in _from_file(path)]
    layers += list(_from_environ(environ))
    layers += [(key, "command line", value) for key, value in (overrides or {}).items()]
    base = path.parent.absolute() if path is not None else cwd.absolute()
    config = _merge(layers, base=base, file=path)
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


def _from_file(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
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


def _from_environ(environ: Mapping[str, str]) -> Iterator[tuple[str, str, Any]]:
    if environ.get("RAG_INDEX"):
        yield "index.path", "RAG_INDEX", str(Path(environ["RAG_INDEX"]).expanduser().absolute())
    for name in sorted(environ):
        if not name.startswith("RAG_") or "__" not in name:
            continue
        section, _, key = name[len("RAG_") :].lower().partition("__")
        if section not in SECTIONS:
            raise ConfigError(f"environment variable {name}: unknown section {section!r}{nearest(section, SECTIONS)}")
        hint = typing.get_type_hints(SECTIONS[section]).get(key)
        text = environ[name]
        yield f"{section}.{key}", name, text if hint is str else value_from_text(text, f"environment variable {name}")


def _merge(layers: Sequence[tuple[str, str, Any]], *, base: Path, file: Path | None) -> Config:
    values: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    origins: dict[str, str] = {}
    for dotted, origin, value in layers:
        section, _, key = dotted.partition(".")
        known = {item.name: item for item in dataclasses.fields(SECTIONS[section])}
        if key not in known:
            raise ConfigError(f"{origin}: unknown key {dotted!r}{nearest(key, known, section)}")
        hint = typing.get_type_hints(SECTIONS[section])[key]
        values[section][key] = checked(value, hint, known[key].metadata, f"{origin}: {dotted}")
        origins[dotted] = origin
    sections = {name: kind(**values[name]) for name, kind in SECTIONS.items()}
    for name, kind in SECTIONS.items():
        for item in dataclasses.fields(kind):
            origins.setdefault(f"{name}.{item.name}", "default")
    return Config(**sections, base=base, file=file, origins=origins)
