"""Every promise of chunking on real trees, ingested by the product: AsciiDoc, reStructuredText, HTML, Markdown."""

from __future__ import annotations

import dataclasses
import shutil
import tarfile
from pathlib import Path

import pytest

from ragcli.config import ChunkConfig, Config, IngestConfig
from ragcli.index.folder import IndexFolder
from ragcli.pipelines.building.chunk import chunk
from ragcli.pipelines.ingesting.ingest import ingest
from ragcli.records import EmbedderInfo
from tests.chunk.documents import MiniLM
from tests.chunk.test_properties import check

SETTINGS = {
    "default": ChunkConfig(),
    "small": ChunkConfig(max_tokens=48, min_tokens=0, overlap=16, parent="section", parent_max_tokens=200),
}


class Model:
    """The packaged model as far as chunking asks it."""

    info = EmbedderInfo("all-MiniLM-L6-v2", "1", 384, 256)
    tokenizer = MiniLM()


@pytest.fixture(scope="session")
def files(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every fortieth file of each tree, and the whole of none."""
    folder = tmp_path_factory.mktemp("trees")
    for name in ("git_docs", "python311_docs_rst", "debian_policy_3formats"):
        with tarfile.open(shared_data / "trees" / f"{name}.tar.xz") as archive:
            members = sorted((m for m in archive.getmembers() if m.isfile() and m.size < 60_000), key=lambda m: m.name)
            archive.extractall(folder / name, members[:: 40 if len(members) > 80 else 4], filter="data")
    pages = sorted((shared_data / "trees" / "18f_handbook").rglob("*.md"))
    (folder / "handbook").mkdir()
    for number, page in enumerate(pages[::20]):
        shutil.copy(page, folder / "handbook" / f"{number}.md")
    return folder


@pytest.mark.shared
def test_real_trees_keep_every_promise(files: Path, tmp_path: Path) -> None:
    embedder = Model()
    with IndexFolder(tmp_path / ".rag").writer() as writer:
        parsed = ingest([files], config=Config(ingest=IngestConfig(workers=1)), writer=writer)
        assert parsed.added > 25
        for name, settings in SETTINGS.items():
            config = Config(chunk=settings)
            result = chunk(config=config, writer=writer, embedder=embedder)  # type: ignore[arg-type]
            assert (result.truncated, result.rechunked, result.empty) == (0, parsed.added, ()), name
            for doc_id in writer.staging.document_keys():
                document = writer.staging.document(doc_id)
                check(document, tuple(writer.staging.chunks(doc_id)), embedder.tokenizer, 256, settings)
            if name == "default":
                kept = {doc_id: writer.staging.chunks(doc_id) for doc_id in writer.staging.document_keys()}
        again = Config(chunk=dataclasses.replace(SETTINGS["default"]))
        chunk(config=again, writer=writer, embedder=embedder)  # type: ignore[arg-type]
        assert {doc_id: writer.staging.chunks(doc_id) for doc_id in kept} == kept
