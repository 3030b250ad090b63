"""The one writer of an index folder: staging, caches and publishing, under the lock."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config
from ragcli.errors import StoreError
from ragcli.index.publishing.lock import writer_lock
from ragcli.index.staged.caches import Caches
from ragcli.index.staged.staging import Staging
from ragcli.index.versions import parent_manifest, read_current
from ragcli.interfaces import Progress
from ragcli.records import Chunk, EmbedderInfo, PublishResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors = Callable[[list[Chunk]], "NDArray[np.float32]"]


class Writer:
    """What the holder of the lock may do. Use it only inside ``IndexFolder.writer``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

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
        return Caches(self.folder / "cache")

    def publish(
        self,
        *,
        embedder: EmbedderInfo,
        vectors: Vectors,
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

    def close(self) -> None:
        """Release every file."""
        if "staging" in self.__dict__:
            self.__dict__.pop("staging").close()
        if "caches" in self.__dict__:
            self.__dict__.pop("caches").close()


@contextlib.contextmanager
def open_writer(folder: Path, wait_seconds: float) -> Iterator[Writer]:
    """The writer of ``folder``, for the length of the block. Raises IndexLocked when another process has it."""
    with writer_lock(folder / "LOCK", wait_seconds):
        writer = Writer(folder)
        try:
            yield writer
        finally:
            writer.close()
