"""The errors a user can meet, and the exit code each one ends the process with.

    RagError
    ├── ConfigError          2   a setting, a flag or a filter is wrong
    ├── GoldenError          2   a golden file is malformed
    ├── NotFound             4   nothing in the index answers or matches
    ├── SourceError          2   a file or folder to read is missing or unreadable
    ├── ModelError           5   a model, an API or an engine could not be reached or refused
    ├── StoreError           6   the index is missing, incompatible or corrupt
    │   ├── DiskError        6   the index cannot be written: the disk is full, read-only or not allowed
    │   ├── EngineUnreachable 5  the server that holds the index cannot be reached or refuses
    │   └── IndexLocked     75   another process writes the index
    └── (KeyboardInterrupt 130)

A message says what is wrong, where, both values where two disagree; ``hint`` says what to type next.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Every exit code of ``rag``; ``--help`` is rendered from it."""

    OK = 0
    GATE = 1
    USAGE = 2
    STRICT = 3
    NOT_FOUND = 4
    MODEL = 5
    INDEX = 6
    INTERNAL = 70
    LOCKED = 75
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        """One line for ``--help``."""
        return _MEANINGS[self]


_MEANINGS = {
    ExitCode.OK: "done; for ask, an answer was found",
    ExitCode.GATE: "a gate failed: a threshold, a real regression, doctor or verify found a fault",
    ExitCode.USAGE: "usage, config or golden-file error",
    ExitCode.STRICT: "--strict: a sentence without support, or a file or page lost",
    ExitCode.NOT_FOUND: "not found: nothing answers (ask) or matches (search)",
    ExitCode.MODEL: "a model, API or engine could not be reached or refused",
    ExitCode.INDEX: "index missing, incompatible or corrupt",
    ExitCode.INTERNAL: "a defect of ragcli itself; --debug shows the traceback",
    ExitCode.LOCKED: "the index is being written by another process (--wait SECONDS)",
    ExitCode.INTERRUPTED: "interrupted; the last published version still serves",
}


class RagError(Exception):
    """Anything ragcli tells a user in one line instead of a traceback."""

    exit_code: ExitCode = ExitCode.USAGE
    category: str = "error"

    def __init__(self, message: str, *, hint: str = "", category: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if category is not None:
            self.category = category


def reason(error: Exception) -> str:
    """What went wrong, without the number and the name that Python puts around what the system says."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class ConfigError(RagError):
    """A setting, flag or filter that cannot be used as given."""

    category = "config"


class GoldenError(RagError):
    """A golden file with a malformed line; the message starts with ``file:line``."""

    category = "golden"


class SourceError(RagError):
    """A source file or folder that is missing or cannot be read at all."""

    category = "source"


class ParseError(SourceError):
    """One file could not be parsed; an ingest counts and names it and goes on."""

    category = "parse"


class AccessError(ParseError):
    """Who may see a file cannot be told, so that it must not be read."""


class NotFound(RagError):
    """Nothing in the index matches."""

    exit_code = ExitCode.NOT_FOUND
    category = "not_found"


class ModelError(RagError):
    """A model, an API or an engine could not be loaded or reached, or refused."""

    exit_code = ExitCode.MODEL
    category = "model"


class StoreError(RagError):
    """The index folder is missing, incompatible or corrupt.

    Categories in use: ``index_missing``, ``index_incompatible``, ``index_corrupt``.
    """

    exit_code = ExitCode.INDEX
    category = "index_corrupt"


class DiskError(StoreError):
    """The index cannot be written: the disk is full, cannot be written to, or not by this user."""

    category = "disk"


class EngineUnreachable(StoreError):
    """The server that holds the index cannot be reached or refuses."""

    exit_code = ExitCode.MODEL
    category = "engine_unreachable"


class IndexLocked(StoreError):
    """Another process holds the writer's lock."""

    exit_code = ExitCode.LOCKED
    category = "index_locked"
