from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ragcli.config import Config
from ragcli.index.folder import IndexFolder
from ragcli.pipelines.index import IndexResult, build_index, vector_key
from ragcli.records import Document, EmbedderInfo, Scope
from tests.index.corpus import MODEL, stage, vector
from tests.index.records import document


class CountingEmbedder:
    """Hashes texts to vectors, counts them, and dies on request."""

    tokenizer = None

    def __init__(self, info: EmbedderInfo = MODEL, dies_after: int = 10**9) -> None:
        self.info = info
        self.texts: list[str] = []
        self.dies_after = dies_after

    def passages(self, texts: Sequence[str], progress: object = None) -> NDArray[np.float32]:
        if len(self.texts) + len(texts) > self.dies_after:
            raise KeyboardInterrupt
        self.texts += texts
        return np.stack([vector(text, self.info.dimension) for text in texts])


def _build(path: Path, documents: Sequence[Document], embedder: CountingEmbedder, rebuild: bool = False) -> IndexResult:
    with IndexFolder(path).writer() as writer:
        stage(writer, documents)
        return build_index(config=Config(), writer=writer, embedder=embedder, rebuild=rebuild)  # type: ignore[arg-type]


def test_each_text_is_embedded_once(tmp_path: Path) -> None:
    same = [document("a.md", "same", title="t"), document("b.md", "same", title="t"), document("c.md", "other")]
    embedder = CountingEmbedder()
    result = _build(tmp_path, same, embedder)
    assert sorted(embedder.texts) == ["c\nother", "t\nsame"]
    assert (result.embedded, result.reused) == (2, 1)
    again = CountingEmbedder()
    assert _build(tmp_path, [*same, document("d.md", "new")], again).published.version == "v000002"
    assert again.texts == ["d\nnew"]


def test_interrupted_embedding_resumes_from_the_cache(tmp_path: Path) -> None:
    documents = [document(f"d{n}.md", f"text {n}") for n in range(700)]
    with pytest.raises(KeyboardInterrupt):
        _build(tmp_path, documents, CountingEmbedder(dies_after=520))
    assert IndexFolder(tmp_path).current() is None
    second = CountingEmbedder()
    result = _build(tmp_path, documents, second)
    assert (result.embedded, result.reused, len(second.texts)) == (188, 512, 188)
    with IndexFolder(tmp_path).open() as engine:
        query = vector("d7\ntext 7")
        assert engine.dense(query, 1, engine.allowed(Scope()))[0].hits[0].chunk_id == "d7.md#1"


def test_rebuild_embeds_everything_again(tmp_path: Path) -> None:
    _build(tmp_path, [document("a.md")], CountingEmbedder())
    again = CountingEmbedder()
    result = _build(tmp_path, [document("a.md")], again, rebuild=True)
    assert (result.published.version, len(again.texts)) == ("v000002", 1)


def test_vector_key_tells_models_and_prefixes_apart() -> None:
    infos = [
        MODEL,
        EmbedderInfo("hash", "2", 8, 256),
        EmbedderInfo("hash", "1", 8, 128),
        EmbedderInfo("hash", "1", 8, 256, passage_prefix="p: "),
        EmbedderInfo("h", "ash", 8, 256),
    ]
    assert len({vector_key(info, "x") for info in infos}) == len(infos)
    assert vector_key(MODEL, "x") == vector_key(EmbedderInfo("hash", "1", 8, 256, query_prefix="q"), "x")
