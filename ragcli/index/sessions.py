"""Conversations kept for ``rag ask --session NAME``: one JSON Lines file a session under the index folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from ragcli.codec import decode, encode
from ragcli.errors import ConfigError, DiskError, NotFound
from ragcli.index.durable import DISK_HINT
from ragcli.records import SessionInfo, Turn
from ragcli.regular_files import check_folder, json_lines, make_folder, open_regular

SESSION_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Sessions:
    """The sessions of one index, in ``folder`` (``<index>/sessions``), which need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def turns(self, name: str) -> list[Turn]:
        """The turns of a session, oldest first, whoever may see them; empty for a new session."""
        return list(self._read(self._path(name)))

    def append(self, name: str, turn: Turn) -> None:
        """Adds a turn. Raises ConfigError for a name that cannot be a file's, StoreError when it cannot be written."""
        path = self._path(name)
        line = (json.dumps(encode(turn), ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
        try:
            make_folder(self.folder)
            handle = open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(handle, line)
            finally:
                os.close(handle)
        except OSError as error:
            raise DiskError(f"cannot write the session {path}: {error.strerror}", hint=DISK_HINT) from error

    def list(self) -> Sequence[SessionInfo]:
        """Every session, by name."""
        if not check_folder(self.folder):
            return []
        found = []
        for path in sorted(self.folder.glob("*.jsonl")):
            turns = list(self._read(path))
            found.append(SessionInfo(path.stem, len(turns), turns[-1].created if turns else ""))
        return found

    def drop(self, name: str, wanted: Callable[[Turn], bool]) -> None:
        """Removes the wanted turns of a session, and with the last one the session. Raises NotFound for none."""
        path = self._path(name)
        turns = list(self._read(path))
        kept = [turn for turn in turns if not wanted(turn)]
        if len(kept) == len(turns):
            raise NotFound(f"no session {name!r}", hint="rag session list")
        _keep(path, kept)

    def forget(self, doc_ids: Collection[str]) -> int:
        """Removes every turn that used one of the documents; how many went."""
        gone = 0
        for path in sorted(self.folder.glob("*.jsonl")) if check_folder(self.folder) else []:
            turns = list(self._read(path))
            kept = [turn for turn in turns if not set(turn.doc_ids) & set(doc_ids)]
            gone += len(turns) - len(kept)
            if len(kept) < len(turns):
                _keep(path, kept)
        return gone

    def _path(self, name: str) -> Path:
        if not SESSION_NAME.fullmatch(name):
            raise ConfigError(f"a session cannot be named {name!r}", hint="letters, digits, dots, dashes, underscores")
        return self.folder / f"{name}.jsonl"

    def _read(self, path: Path) -> Iterator[Turn]:
        for row in json_lines(path):
            try:
                yield decode(Turn, row)
            except TypeError:
                continue


def _keep(path: Path, turns: Sequence[Turn]) -> None:
    """Leave these turns of a session, and no file when there are none."""
    if not turns:
        path.unlink()
        return
    aside = path.with_suffix(".new")
    aside.unlink(missing_ok=True)
    lines = "".join(json.dumps(encode(turn), ensure_ascii=False) + "\n" for turn in turns)
    handle = open_regular(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(lines.encode("utf-8", "surrogatepass"))
    aside.replace(path)
