"""What ``rag forget`` is asked for: documents, copies, files and roots by their names, and which name met something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ragcli.errors import ConfigError, SourceError
from ragcli.filters import glob_pattern
from ragcli.interfaces import Staging
from ragcli.records import Root


class Meant:
    """Whether a document is meant, remembering which of the names met one.

    A name is a document's id or source, a glob over these, a file that documents came out of, or a root: by its path,
    or by its label where no document is called so.
    """

    def __init__(self, names: Sequence[str], staging: Staging) -> None:
        if not all(name.strip() for name in names):
            raise ConfigError("an empty name is no document", hint="rag search --filter source=… finds names")
        self._names = list(names)
        self._patterns = {
            name: re.compile(glob_pattern(name), re.DOTALL) for name in names if re.search(r"[*?\[]", name)
        }
        looks = staging.notes.all_looks()
        self._files = {look.doc_id: look.relative for look in looks} | dict(staging.document_files())
        self._met: set[str] = set()
        self.roots = self._named_roots(staging.roots())
        ids = {root.root_id for root in self.roots}
        self._known = {look.doc_id for look in looks if look.root_id in ids}

    def _named_roots(self, roots: Sequence[Root]) -> list[Root]:
        found = []
        for name in self._names:
            plain = name.rstrip("/") or name
            by_path = [root for root in roots if Path(plain) == root.path or Path(plain).absolute() == root.path]
            is_document = any(plain in (doc_id, file) for doc_id, file in self._files.items())
            by_label = [root for root in roots if root.label == plain and not is_document]
            if by_path or by_label:
                self._met.add(name)
                found += by_path or by_label
        return found

    def __call__(self, doc_id: str, source: str) -> bool:
        hit = doc_id in self._known
        for name in self._names:
            if name in (doc_id, source) or self._is_member(doc_id, name) or self._fits(name, doc_id, source):
                self._met.add(name)
                hit = True
        return hit

    def add(self, doc_ids: Iterable[str]) -> None:
        """Mean these documents too: what came out of a file that was named by its path."""
        self._known |= set(doc_ids)

    def is_path(self, *paths: str) -> bool:
        """Whether one of the names is, or is a glob that fits, one of these paths of a file."""
        return any(name in paths or self._fits(name, paths[0], paths[-1]) for name in self._names)

    def _fits(self, name: str, doc_id: str, source: str) -> bool:
        pattern = self._patterns.get(name)
        return pattern is not None and bool(pattern.fullmatch(doc_id) or pattern.fullmatch(source))

    def _is_member(self, doc_id: str, name: str) -> bool:
        """Whether the document came out of the file, or the archive in a file, called ``name``.

        ``a!b.txt`` may be a member of ``a`` or a file of that name. Of a document that is in no folder any more nothing
        tells which, and it goes.
        """
        if not doc_id.startswith(name + "!"):
            return False
        file = self._files.get(doc_id, "")
        return len(name) >= doc_id.find(file) + len(file)

    def check_all_met(self) -> None:
        """Raise SourceError for a name that met nothing."""
        for name in self._names:
            if name not in self._met:
                raise SourceError(
                    f"no document {name!r} in any version of the index", hint="rag search --filter source=… finds names"
                )
