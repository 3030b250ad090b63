"""The one writer of an index folder: staging, caches and publishing, under the lock."""

from __future__ import annotations

import contextlib
import functools
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config, IndexConfig
from ragcli.errors import StoreError
from ragcli.index.publishing.lock import writer_lock
from ragcli.index.staged.caches import Caches
from ragcli.index.staged.staging import Staging
from ragcli.index.versions import parent_manifest, read_current
from ragcli.records import Chunk, Document, EmbedderInfo, PublishResult
from ragcli.regular_files import check_folder

if TYPE_CHECKING:
    from ragcli.interfaces import EmbedChunks, IsMeant, Progress

_FOLDERS = ("staging", "staging/build", "staging/trash", "versions", "traces", "sessions", "runs")
"""Where a writer makes and removes files: folders of the index itself, or somebody's would be written to."""

TRIAL = "trial-"
"""What the folders of trials are called, in ``staging/``."""


class Writer:
    """What the holder of the lock may do. Use it only inside ``IndexFolder.writer``."""

    def __init__(self, folder: Path, caches: Path) -> None:
        self.folder = folder
        self._caches = caches

    @functools.cached_property
    def staging(self) -> Staging:
        """What the next version is built from."""
        return Staging(self.folder / "staging" / "catalog.sqlite")

    def published_roots(self) -> Mapping[str, str]:
        """Label and path of every root that the current version was ingested from; empty when it cannot be read."""
        with contextlib.suppress(StoreError):
            manifest = parent_manifest(self.folder, read_current(self.folder))
            return manifest.roots if manifest is not None else {}
        return {}

    @functools.cached_property
    def caches(self) -> Caches:
        """What is reusable by content hash."""
        return Caches(self._caches)

    def publish(
        self,
        *,
        embedder: EmbedderInfo,
        vectors: EmbedChunks,
        config: Config,
        rebuild: bool = False,
        progress: Progress | None = None,
    ) -> PublishResult:
        """Make the staged documents the current version; ``vectors`` gives a unit row per chunk, in order."""
        from ragcli.index.publishing.publish import Publication

        publication = Publication(
            self.folder,
            self.staging,
            embedder=embedder,
            vectors=vectors,
            config=config,
            rebuild=rebuild,
            progress=progress,
        )
        return publication.run()

    def published(self, wanted: IsMeant) -> Iterator[tuple[EmbedderInfo, Document, list[Chunk]]]:
        """Every wanted document of every kept version with its chunks, and the model of that version."""
        from ragcli.index.manifest import read_manifest
        from ragcli.index.publishing.forget import matching

        for view, place, row in matching(self.folder, wanted):
            segment = view.segments[place]
            yield read_manifest(view.folder).embedder, segment.document(row), segment.chunks(row)

    def erase(self, wanted: IsMeant, config: IndexConfig, roots: Collection[str] = ()) -> list[str]:
        """Take the wanted documents and roots out of every kept version; names of those that changed, as they are
        called now.
        """
        from ragcli.index.publishing.forget import Eraser

        for left in (self.folder / "staging").glob(f"{TRIAL}*"):
            shutil.rmtree(left, ignore_errors=True)  # of a killed trial, or one that runs: nothing may stay
        return Eraser(self.folder, config, wanted, frozenset(roots)).run()

    def sweep(self, texts: Collection[str], besides: Collection[str] = ()) -> tuple[int, list[str]]:
        """Take lines that hold one of the texts out of logs and notes, then search every file of the folder for them.

        How many files were searched, and the places in which something still stands. Every file is released first.
        """
        from ragcli.index.traces_of_text import clear_text_files, search_folder
        from ragcli.quotes import probes_besides

        needles = probes_besides(texts, besides)
        clear_text_files(self.folder, needles)
        self.close()
        return search_folder(self.folder, needles)

    def close(self) -> None:
        """Release every file."""
        if "staging" in self.__dict__:
            self.__dict__.pop("staging").close()
        if "caches" in self.__dict__:
            self.__dict__.pop("caches").close()


@contextlib.contextmanager
def open_writer(folder: Path, wait_seconds: float, caches: Path | None = None) -> Iterator[Writer]:
    """The writer of ``folder``, for the length of the block; its caches are in ``cache/`` unless they are elsewhere.

    Raises IndexLocked when another process has it, StoreError when a folder in it is a link.
    """
    with writer_lock(folder / "LOCK", wait_seconds):
        caches = caches or folder / "cache"
        for path in (*(folder / name for name in _FOLDERS), caches):
            check_folder(path)
        writer = Writer(folder, caches)
        try:
            yield writer
        finally:
            writer.close()
