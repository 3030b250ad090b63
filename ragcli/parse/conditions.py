"""What an outcome hangs on besides the file and the settings that hold for all: limits, passwords, what is installed.

An outcome names only those that decided it. When one of them changes, this file is read again and no other.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import shutil
from collections.abc import Iterable, Sequence

from ragcli.config import IngestConfig

PASSWORDS = "passwords"
_LIBRARY, _PROGRAM, _SETTING = "library:", "program:", "ingest."


def library(name: str) -> str:
    """The condition that a distribution is installed in the version it has."""
    return _LIBRARY + name


def program(name: str) -> str:
    """The condition that a program is on the path or is not."""
    return _PROGRAM + name


def setting(name: str) -> str:
    """The condition that a key of ``ingest`` has the value it has."""
    return _SETTING + name


class Conditions:
    """Conditions as they are now: ``NAME=VALUE``."""

    def __init__(self, config: IngestConfig) -> None:
        self._config = config
        self._known: dict[str, str] = {}

    def state(self, names: Iterable[str]) -> tuple[str, ...]:
        """Each condition with its present value, sorted."""
        return tuple(self._state(name) for name in sorted(set(names)))

    def hold(self, states: Sequence[str]) -> bool:
        """Whether all of ``states`` are as they were."""
        return all(self._state(state.partition("=")[0]) == state for state in states)

    def _state(self, name: str) -> str:
        if name not in self._known:
            self._known[name] = f"{name}={self._value(name)}"
        return self._known[name]

    def _value(self, name: str) -> object:
        if name.startswith(_LIBRARY):
            return _version(name.removeprefix(_LIBRARY))
        if name.startswith(_PROGRAM):
            return shutil.which(name.removeprefix(_PROGRAM)) is not None
        if name == PASSWORDS:
            return _fingerprint(passwords_of(self._config))
        return getattr(self._config, name.removeprefix(_SETTING), None)


def passwords_of(config: IngestConfig) -> tuple[str, ...]:
    """The passwords to try, from the settings and ``RAG_PDF_PASSWORDS`` (one a line, or with commas between)."""
    given = os.environ.get("RAG_PDF_PASSWORDS", "")
    words = [*config.passwords, *given.split("\n"), *given.split(",")]
    return tuple(dict.fromkeys(word for word in words if word))


def _fingerprint(passwords: Sequence[str]) -> str:
    """Tells one set of passwords from another and is too short and too slow to guess them by."""
    if not passwords:
        return ""
    joined = "\n".join(passwords).encode("utf-8", "surrogatepass")
    return hashlib.pbkdf2_hmac("sha256", joined, b"ragcli", 200_000).hex()[:6]


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""
