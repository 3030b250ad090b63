from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ragcli.config import Config, IndexConfig
from ragcli.index.folder import IndexFolder
from ragcli.pipelines.building.index import IndexResult, build_index, trim_caches
from ragcli.pipelines.cache_keys import document_key, vector_key
from ragcli.records import Document, EmbedderInfo, FileState, Scope
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


def test_caches_keep_what_is_staged_and_drop_the_rest_when_it_is_old(tmp_path: Path) -> None:
    """``a.md`` is staged as before, ``b.md`` changed; each was parsed and embedded once."""
    info, today = MODEL, datetime.date.today()
    first = [document("a.md", "same"), document("sub/b.md", "before")]
    _build(tmp_path, first, CountingEmbedder())
    with IndexFolder(tmp_path).writer() as writer:
        for name, sha256 in (("a.md", "1"), ("sub/b.md", "2"), ("sub/b.md", "3")):
            writer.caches.documents.put(document_key(sha256, "p4-x", name), [document(name)])
            writer.staging.put_file(FileState(1, name, 1, 1, sha256, "p4-x-rules", (), (name,)))
        writer.staging.add_root(tmp_path)
    _build(tmp_path, [first[0], document("sub/b.md", "after")], CountingEmbedder())
    with IndexFolder(tmp_path).writer() as writer:
        assert trim_caches(writer, info, 90, today + datetime.timedelta(days=90)) == 0
        assert trim_caches(writer, info, 90, today + datetime.timedelta(days=91)) == 2
        keys = [vector_key(info, text) for text in ("a\nsame", "b\nbefore", "b\nafter")]
        assert set(writer.caches.vectors.get_many(keys)) == {keys[0], keys[2]}
        there = [writer.caches.documents.get(document_key(sha, "p4-x", "b.md")) is not None for sha in ("2", "3")]
        assert there == [False, True]
        assert writer.caches.documents.get(document_key("1", "p4-x", "a.md")) is not None


@pytest.mark.parametrize(("days", "left"), [(1, 1), (0, 2)])
def test_a_publish_trims_as_the_config_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int, left: int
) -> None:
    class Later(datetime.date):
        @classmethod
        def today(cls) -> datetime.date:
            return cls.fromordinal(datetime.datetime.now().toordinal() + 5)

    _build(tmp_path, [document("a.md", "before")], CountingEmbedder())
    monkeypatch.setattr("ragcli.pipelines.building.index.datetime.date", Later)
    config = Config(index=IndexConfig(cache_days=days))
    with IndexFolder(tmp_path).writer() as writer:
        stage(writer, [document("a.md", "after")])
        build_index(config=config, writer=writer, embedder=CountingEmbedder())  # type: ignore[arg-type]
        keys = [vector_key(MODEL, text) for text in ("a\nbefore", "a\nafter")]
        assert len(writer.caches.vectors.get_many(keys)) == left
