"""Publishes one state after another until it is killed: ``python -m tests.index.crash_child FOLDER FIRST COUNT``."""

from __future__ import annotations

import sys
from pathlib import Path

from ragcli.config import Config, IndexConfig
from ragcli.index.folder import IndexFolder
from ragcli.pipelines.building.index import build_index
from ragcli.records import Document
from tests.index.corpus import stage
from tests.index.records import document
from tests.pipelines.building.test_index import CountingEmbedder

DOCUMENTS = 24


def state(number: int) -> list[Document]:
    """All documents of a state: a third of them changes from one to the next, and each says of which state it is."""
    return [document("state.md", f"state {number}")] + [
        document(f"d{n}.md", f"document {n} of state {number - (number + n) % 3}") for n in range(DOCUMENTS)
    ]


def main(folder: Path, first: int, count: int) -> None:
    for number in range(first, first + count):
        with IndexFolder(folder).writer(wait_seconds=30) as writer:
            stage(writer, state(number))
            config = Config(index=IndexConfig(keep_versions=2))
            build_index(config=config, writer=writer, embedder=CountingEmbedder())  # type: ignore[arg-type]
        print(number, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
