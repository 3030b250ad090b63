"""``Index.versions``: list, roll back, compare, check and drop the versions of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.application.results import Compared, Verified
from ragcli.application.stores import existing
from ragcli.config import Config
from ragcli.records import Scope

if TYPE_CHECKING:
    from ragcli.interfaces import Store
    from ragcli.pipelines.asking.reader import Reader
    from ragcli.records import VersionInfo


class Versions:
    """The versions of one index. ``changed`` is called when another version became the current one."""

    def __init__(
        self, store: Store, config: Config, reader_at: Callable[[str], Reader], changed: Callable[[], None]
    ) -> None:
        self._store = store
        self._config = config
        self._reader_at = reader_at
        self._changed = changed

    def __iter__(self) -> Iterator[VersionInfo]:
        return iter(self.list())

    @property
    def current(self) -> str | None:
        """Name of the current version, None when nothing has been published."""
        return self._store.current()

    def list(self) -> list[VersionInfo]:
        """Every version, oldest first."""
        return self._store.versions()

    def use(self, version: str, *, wait_seconds: float = 0) -> None:
        """Make a kept version the current one. Raises StoreError when it is not there or damaged."""
        existing(self._store).use(version, wait_seconds)
        self._changed()

    def diff(self, before: str, after: str, *, scope: Scope, golden: str | PathLike[str] | None = None) -> Compared:
        """What differs from one version to another, as far as ``scope`` may see, and with a golden set which ranks."""
        found = existing(self._store).diff(before, after, scope.groups)
        if golden is None:
            return Compared(found)
        from ragcli.evaluate.golden_sets.file import load_golden
        from ragcli.pipelines.evaluating.reader_steps import moved_ranks

        cases = load_golden(Path(golden))
        with ExitStack() as open_versions:
            old, new = (open_versions.enter_context(closing(self._reader_at(name))) for name in (before, after))
            return Compared(found, tuple(moved_ranks(cases, old, new, scope)))

    def verify(self, version: str | None = None) -> Verified:
        """Check a version (the current one by default): every hash, and that its parts agree."""
        faults = self._store.verify(version)
        return Verified(version or self._store.current(), tuple(faults))

    def prune(self, keep: int | None = None, *, wait_seconds: float = 0) -> tuple[str, ...]:
        """Drop old versions but the newest ``keep`` (default: ``index.keep_versions``); names of those dropped."""
        wanted = self._config.index.keep_versions if keep is None else keep
        return tuple(existing(self._store).prune(wanted, wait_seconds))
