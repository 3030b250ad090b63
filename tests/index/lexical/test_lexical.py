from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from ragcli.config import IndexConfig
from ragcli.errors import StoreError
from ragcli.index.folder import IndexFolder
from ragcli.index.lexical import bm25 as lexical
from ragcli.index.lexical.bm25 import LexicalReader, has_deletions, part_name, without_stop_words
from ragcli.index.lexical.index_files import SHARED, part_names
from ragcli.index.lexical.writing import LexicalChunk, LexicalWriter
from ragcli.records import Scope
from tests.index.corpus import publish
from tests.index.records import document


def _write(folder: Path, chunks: list[LexicalChunk], deleted: list[int] | None = None) -> LexicalReader:
    writer = LexicalWriter(folder, len(chunks))
    for chunk in chunks:
        writer.add(chunk)
    writer.delete(deleted or [])
    writer.finish()
    return LexicalReader(folder)


def test_rare_chunks_behind_many_forbidden_ones_are_all_found(tmp_path: Path) -> None:
    """Every forbidden chunk scores higher than every allowed one: taking a fixed depth would find none."""
    chunks = [
        LexicalChunk(n, n, "word " * (1 if n % 100 == 0 else 5) + "pad " * (n % 100 == 0) * 20, "", "")
        for n in range(3000)
    ]
    reader = _write(tmp_path, chunks)
    allowed = [n for n in range(3000) if n % 100 == 0]
    hits = reader.search({"word": 1}, {}, 50, share=1.0, keep=lambda numbers: [n % 100 == 0 for n in numbers])
    assert [number for number, _ in hits] == allowed
    keep = [n % 100 == 0 for n in range(3000)]
    asked: list[int] = []

    def some(numbers: list[int]) -> list[bool]:
        asked.append(len(numbers))
        return [keep[n] for n in numbers]

    assert reader.search({"word": 1}, {}, 50, share=0.5, keep=some, only=lambda: allowed) == hits
    assert asked == [157]  # one look at 50 / .5 · 1.25 + 32 hits, then the documents were named
    assert reader.search({"word": 1}, {}, 50, only=lambda: allowed, few=True) == hits
    assert len(reader.search({"word": 1}, {}, 7, keep=lambda numbers: [n % 100 == 0 for n in numbers])) == 7


def test_scores_are_bm25(tmp_path: Path) -> None:
    """idf = ln(1 + (N − n + .5) / (n + .5)); k1 = 1.2, b = .75; lengths 2, 4, 6 are stored exactly."""
    from math import log

    texts = ["cat dog", "cat cat dog bird", "dog bird bird fish fish fish"]
    reader = _write(tmp_path, [LexicalChunk(n, n, text, "", "") for n, text in enumerate(texts)])
    idf = log(1 + (3 - 2 + 0.5) / (2 + 0.5))

    def score(count: int, length: int) -> float:
        return idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / 4))

    assert reader.search({"cat": 1}, {}, 5) == [
        (1, pytest.approx(score(2, 4), rel=1e-5)),
        (0, pytest.approx(score(1, 2), rel=1e-5)),
    ]


def test_boosts_weigh_fields(tmp_path: Path) -> None:
    reader = _write(
        tmp_path,
        [LexicalChunk(0, 0, "cat", "", ""), LexicalChunk(1, 1, "x", "cat", ""), LexicalChunk(2, 2, "x", "", "cat")],
    )
    order = [number for number, _ in reader.search({"cat": 1}, {"title": 3, "headings": 2}, 3)]
    assert order == [1, 2, 0]
    assert [number for number, _ in reader.search({"cat": 1}, {"title": 0, "headings": 0}, 3)] == [0]


def test_deleted_chunks_are_gone(tmp_path: Path) -> None:
    chunks = [LexicalChunk(n, n, "word", "", "") for n in range(2500)]
    _write(tmp_path, chunks)
    reader = _write(tmp_path, [LexicalChunk(9999, 9999, "word", "", "")], deleted=list(range(0, 2500, 2)))
    assert reader.numbers() == [*range(1, 2500, 2), 9999]
    assert len(reader.search({"word": 1}, {}, 5000)) == 1251


def test_damaged_index_is_a_store_error(tmp_path: Path) -> None:
    _write(tmp_path, [LexicalChunk(0, 0, "word", "", "")])
    (tmp_path / "meta.json").write_text("{")
    with pytest.raises(StoreError, match="the BM25 index cannot be read"):
        LexicalReader(tmp_path)
    with pytest.raises(StoreError, match="the BM25 index cannot be read"):
        LexicalReader(tmp_path / "missing")


def test_any_damaged_file_is_a_store_error_or_harmless(tmp_path: Path) -> None:
    draw = random.Random(0)
    sound = tmp_path / "sound"
    words = [" ".join(f"w{int(draw.paretovariate(0.7)) % 500}" for _ in range(30)) for _ in range(1500)]
    _write(sound, [LexicalChunk(n, n, text, f"t{n}", "") for n, text in enumerate(words)])
    outcomes = set()
    for attempt in range(60):
        folder = tmp_path / str(attempt)
        shutil.copytree(sound, folder)
        path = draw.choice([path for path in sorted(folder.iterdir()) if path.stat().st_size])
        data = bytearray(path.read_bytes())
        for _ in range(draw.choice((1, 4, 40))):
            data[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(bytes(data))
        try:
            reader = LexicalReader(folder)
            reader.search({f"w{n}": 1 for n in range(1, 30)}, {}, 50)
            reader.search({"w1": 1}, {}, 10, only=lambda: list(range(50)), few=True)
            outcomes.add("served")
        except StoreError:
            outcomes.add("refused")
    assert outcomes == {"served", "refused"}


def test_stop_words_can_be_left_out(tmp_path: Path) -> None:
    assert without_stop_words(["the", "cat", "of"], "english") == {"cat"}
    assert without_stop_words(["the", "cat"], "klingon") == {"the", "cat"}
    publish(tmp_path, [document("a.md", "the of and"), document("b.md", "cat")])
    for stop_words, expected in ((False, {"a.md#1", "b.md#1"}), (True, {"b.md#1"})):
        with IndexFolder(tmp_path, IndexConfig(stop_words=stop_words)).open() as engine:
            allowed = engine.allowed(Scope())
            assert {hit.chunk_id for hit in engine.lexical("the cat", 5, allowed).hits} == expected
            assert engine.lexical("the", 5, allowed).hits[0].chunk_id == "a.md#1"


def test_equal_scores_are_in_order_of_ids(tmp_path: Path) -> None:
    publish(tmp_path, [document(f"{name}.md", "same words") for name in "cab"])
    with IndexFolder(tmp_path).open() as engine:
        hits = engine.lexical("same", 5, engine.allowed(Scope())).hits
    assert [hit.chunk_id for hit in hits] == ["a.md#1", "b.md#1", "c.md#1"]


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("de", "Die Versicherungen zahlen", "Versicherung"),
        ("fr", "les cafés fermés", "café"),
        ("ja", "東京都の天気", "天気"),
        ("hi", "विकास की नीति", "नीति"),
        ("zh", "卢克贡献了擒抱", "擒抱"),
        ("ru", "погода в Москве", "Москва"),
        (None, "running", "runs"),
    ],
)
def test_languages_live_side_by_side(tmp_path: Path, language: str | None, text: str, query: str) -> None:
    publish(
        tmp_path, [document("x.md", text, language=language), document("en.md", "the weather policies", language="en")]
    )
    with IndexFolder(tmp_path).open() as engine:
        allowed = engine.allowed(Scope())
        assert engine.lexical(query, 5, allowed).hits[0].chunk_id == "x.md#1"
        assert engine.lexical("policy", 5, allowed).hits[0].chunk_id == "en.md#1"


def test_a_chunk_is_found_by_what_stands_beside_it(tmp_path: Path) -> None:
    reader = _write(
        tmp_path,
        [
            LexicalChunk(0, 0, "cat", "", "", "dog"),
            LexicalChunk(1, 1, "dog", "", "", "cat bird"),
            LexicalChunk(2, 2, "bird", "", "", "dog"),
        ],
    )
    both = reader.search({"cat": 1, "bird": 1}, {"nearby": 0.25}, 3)
    assert {number for number, _ in both} == {0, 1, 2}
    assert [number for number, _ in both][-1] == 1
    assert {number for number, _ in reader.search({"cat": 1, "bird": 1}, {"nearby": 0}, 3)} == {0, 2}


def test_in_a_large_index_a_word_that_is_everywhere_is_sought_in_the_chunks_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = [
        LexicalChunk(n, n, "the rare" if n == 7 else "the" if n % 2 else "pad", "", "", nearby="the pad rare"[: 7 + n])
        for n in range(20)
    ]
    reader = _write(tmp_path, chunks)
    everyone = reader.search({"the": 1}, {}, 20)
    assert len(everyone) == 20
    monkeypatch.setattr(lexical, "_LARGE", 20)
    odd = [number for number, _ in reader.search({"the": 1}, {}, 20)]
    assert sorted(odd) == list(range(1, 20, 2))
    assert reader.search({"rare": 1}, {}, 20)[0][0] == 7
    assert len(reader.search({"rare": 1}, {}, 20)) > 1, "a rare word is still sought beside the chunks"


@pytest.mark.parametrize("name", ["../../secret", "/etc/hosts", "a.txt", 7, ""])
def test_a_file_that_is_none_of_its_own_is_never_deleted(tmp_path: Path, name: object) -> None:
    """tantivy deletes what its list of files names and no segment needs."""
    folder, secret = tmp_path / "a" / "index", tmp_path / "secret"
    secret.write_text("secret")
    _write(folder, [LexicalChunk(0, 0, "word", "", "")])
    managed = folder / ".managed.json"
    managed.write_text(json.dumps([*json.loads(managed.read_text()), name]))
    for opening in (lambda: LexicalWriter(folder, 1), lambda: LexicalReader(folder)):
        with pytest.raises(StoreError, match="lists other files than those of a BM25 index"):
            opening()
    assert secret.exists()


def _apart(folder: Path, texts: dict[str, list[str]]) -> LexicalReader:
    parts = {name: part_name(json.dumps([name]) if name else "[]") for name in texts}
    numbered = enumerate((name, text) for name in texts for text in texts[name])
    return _write(folder, [LexicalChunk(n, n, text, "", "", part=parts[name]) for n, (name, text) in numbered])


def test_what_is_closed_moves_no_score(tmp_path: Path) -> None:
    open_ones = {"": ["cat dog", "cat", "bird bird cat"], "hr": ["cat dog dog", "fish"]}
    both = {**open_ones, "it": ["dog dog dog"] * 7 + ["cat " * 50]}
    asked = {"cat": 1, "dog": 2}
    parts = {"", part_name('["hr"]')}
    found = _apart(tmp_path / "both", both).search(asked, {}, 9, parts=parts)
    assert len(found) == 4
    assert found == _apart(tmp_path / "own", open_ones).search(asked, {}, 9)


def test_parts_are_counted_together(tmp_path: Path) -> None:
    """Over texts of one length the scores are those of one index that holds all."""
    texts = {"": ["a b", "a c", "d e"], "hr": ["a f", "b g"], "it": ["b a"]}
    together = {"": [text for name in texts for text in texts[name]]}
    asked = {"a": 1, "b": 1, "g": 1}
    apart, whole = (
        _apart(tmp_path / name, made).search(asked, {}, 9) for name, made in (("p", texts), ("w", together))
    )
    assert [number for number, _ in apart] == [number for number, _ in whole]
    assert [score for _, score in apart] == pytest.approx([score for _, score in whole], rel=1e-5)


def test_sets_beyond_the_limit_share_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragcli.index.lexical.writing.PARTS", 3)
    names = [f"g{n}" for n in range(6)]
    reader = _apart(tmp_path, {"": ["cat"], **{name: [f"cat {name}"] for name in names}})
    assert len(part_names(tmp_path)) == 5 and SHARED in part_names(tmp_path)
    for n, name in enumerate(names, 1):
        found = reader.search({name: 1}, {}, 9, parts={"", part_name(json.dumps([name]))})
        assert [number for number, _ in found] == [n]
    assert reader.numbers() == list(range(7))


def test_chunks_are_deleted_from_whichever_part_holds_them(tmp_path: Path) -> None:
    _apart(tmp_path, {"": ["cat", "cat"], "hr": ["cat", "cat"], "it": ["cat"]})
    reader = _write(tmp_path, [], deleted=[1, 2])
    assert reader.numbers() == [0, 3, 4]
    assert has_deletions(tmp_path)


def test_an_index_of_older_make_is_searched_whole(tmp_path: Path) -> None:
    _write(tmp_path, [LexicalChunk(0, 0, "cat", "", "")])
    (tmp_path / "apart").unlink()
    reader = _write(tmp_path, [LexicalChunk(1, 1, "cat", "", "", part=part_name('["hr"]'))])
    assert not (tmp_path / "apart").exists()
    found = reader.search({"cat": 1}, {}, 9, parts={part_name('["hr"]')})
    assert sorted(number for number, _ in found) == [0, 1]
