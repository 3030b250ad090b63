"""A project for tests of whole ingests: folders beside an index, documents parsed in this process, vectors by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragcli.config import Config, IngestConfig
from ragcli.index.folder import IndexFolder
from ragcli.index.traces_of_text import search_folder
from ragcli.pipelines.forget import forget
from ragcli.pipelines.ingesting import ingest_files
from ragcli.pipelines.ingesting.ingest import ingest
from ragcli.pipelines.ingesting.ingest_result import IngestResult
from ragcli.records import Forgotten
from tests.attack.forget import parse_here
from tests.index.corpus import MODEL, vectors
from tests.index.records import chunks

CONFIG = Config(ingest=IngestConfig(workers=1, near_duplicates=0.75))


class Project:
    """Folders beside an index."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.index = folder, IndexFolder(folder / "index")

    def ingest(self, *names: str, **options: object) -> tuple[str, ...]:
        return self.ingested(*names, **options).notices

    def ingested(self, *names: str, config: Config = CONFIG, **options: object) -> IngestResult:
        with self.index.writer() as writer:
            paths = [self.folder / name for name in names]
            result = ingest(paths, config=config, writer=writer, max_delete=100, **options)  # type: ignore[arg-type]
            for doc_id in writer.staging.unchunked():
                key = writer.staging.document_keys()[doc_id]
                writer.staging.put_chunks(doc_id, key, "c", chunks(writer.staging.document(doc_id), 10_000))
            writer.publish(embedder=MODEL, vectors=vectors, config=CONFIG)
        return result

    def forget(self, *names: str) -> Forgotten:
        with self.index.writer() as writer:
            return forget(names, writer=writer, config=CONFIG)

    def found(self) -> dict[str, tuple[str, ...]]:
        with self.index.open() as engine:
            return {doc_id: engine.document(doc_id).also_in for doc_id in engine.doc_ids()}

    def places(self, text: str) -> list[str]:
        return search_folder(self.index.path, [text])[1]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(ingest_files, "parse_files", parse_here)
    folder = tmp_path / "a"
    folder.mkdir()
    yield Project(folder)
