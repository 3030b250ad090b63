"""How fast documents are chunked on one core, tokenizer included.

    RAYON_NUM_THREADS=1 python -m tests.benchmarks.chunking_speed [FOLDER …]

Parses the Markdown and text files of the folders (the shared golden sets by default), then times chunking alone, in
processor seconds of this process, beside the two floors it stands on: tokenizing each text once, with offsets, and
finding its sentences. The goal is 20 MB of text a minute.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from ragcli.chunk.chunker import chunk_document
from ragcli.config import ChunkConfig, EmbedConfig, IngestConfig
from ragcli.embed.loading import load_embedder
from ragcli.language.sentences import sentence_spans
from ragcli.parse.files.pool import parse_files
from ragcli.parse.files.walk import SourceFile, walk
from ragcli.records import Document

SHARED = Path(os.environ.get("RAGCLI_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
DEFAULT = ("trees/18f_handbook", "golden/anthropic_docs/docs", "golden/squad2/docs", "golden/jsquad_ja/docs")


def main() -> None:
    """Print one line a strategy."""
    folders = [Path(name) for name in sys.argv[1:]] or [SHARED / name for name in DEFAULT]
    documents = [document for folder in folders for document in parsed(folder)]
    size = sum(len(document.text.encode()) for document in documents)
    print(f"{len(documents)} documents, {size / 1e6:.1f} MB of text")
    tokenizer = load_embedder(EmbedConfig()).tokenizer
    tokenizer.count("warm")
    timed("floor: tokens with offsets", size, lambda: [tokenizer.offsets(each.text) for each in documents])
    timed("floor: sentences", size, lambda: [sentence_spans(each.text) for each in documents])
    for name, config in {
        "structure": ChunkConfig(),
        "structure, small with parents": ChunkConfig(max_tokens=96, parent="section"),
        "structure, overlap": ChunkConfig(overlap=40),
        "fixed": ChunkConfig(strategy="fixed", overlap=40),
    }.items():

        def cut(config: ChunkConfig = config) -> list[object]:
            return [chunk_document(each, tokenizer=tokenizer, config=config, window=256) for each in documents]

        timed(name, size, cut)


def timed(name: str, size: int, work: Callable[[], list[object]]) -> None:
    """Run once and print megabytes a minute."""
    started = time.process_time()
    work()
    seconds = time.process_time() - started
    print(f"{name:<32} {size / seconds * 60 / 1e6:8.1f} MB/min   {seconds:6.2f} s")


def parsed(folder: Path) -> list[Document]:
    """The documents of a folder's text files."""
    config = IngestConfig(workers=1)
    files = [file for file in walk(folder, config) if isinstance(file, SourceFile)]
    texts = [file for file in files if file.path.suffix in {".md", ".txt", ".rst"}]
    return [document for found in parse_files(texts, config) for document in found.documents]


if __name__ == "__main__":
    main()
