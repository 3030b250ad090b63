"""BM25 quality of our analyser against tantivy's own, on public golden sets.

    python -m tests.benchmarks.index_bm25 [SET ...]

Documents are indexed whole where labels are documents, by paragraph where labels are passages. Printed: nDCG@10 over
expected sources, or Hit@5 of the paragraph with the evidence.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import tantivy

from ragcli.index.lexical.analysis import query_terms, terms
from ragcli.index.lexical.bm25 import LexicalReader
from ragcli.index.lexical.writing import LexicalChunk, LexicalWriter
from tests.conftest import _shared_data

Piece = tuple[str, str, str]
"""Source, title, text."""
Search = Callable[[str, int], list[int]]
LANGUAGES = {"jsquad_ja": "ja", "rgb_zh": "zh", "rgb_zh_counterfactual": "zh"}


def pieces(folder: Path, whole: bool) -> list[Piece]:
    if (folder / "corpus.jsonl").exists():
        rows = map(json.loads, (folder / "corpus.jsonl").read_text(encoding="utf-8").strip().split("\n"))
        return [(row["id"], row.get("title") or "", row["text"]) for row in rows]
    found = []
    for path in sorted((folder / "docs").rglob("*")):
        if path.suffix not in (".md", ".txt"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        source = path.relative_to(folder / "docs").as_posix()
        title = text.splitlines()[0].lstrip("# ").strip() if text.startswith("#") else path.stem.replace("_", " ")
        parts = [text] if whole else [part for part in text.split("\n\n") if part.strip()]
        found += [(source, title, part) for part in parts]
    return found


def ours(items: list[Piece], language: str) -> tuple[Search, float]:
    folder = Path(tempfile.mkdtemp()) / "lexical"
    writer = LexicalWriter(folder, len(items))
    started = time.thread_time()
    for number, (_, title, text) in enumerate(items):
        heading = " ".join(terms(title, language))
        writer.add(LexicalChunk(number, number, heading + " " + " ".join(terms(text, language)), heading, ""))
    seconds = time.thread_time() - started
    writer.finish()
    reader = LexicalReader(folder)

    def search(query: str, depth: int) -> list[int]:
        return [number for number, _ in reader.search(query_terms(query, [language]), {"title": 0.25}, depth)]

    return search, seconds


def bare(items: list[Piece], tokenizer: str) -> Search:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("number", fast=True)
    builder.add_text_field("text", tokenizer_name=tokenizer, index_option="freq")
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(128_000_000, 1)
    for number, (_, title, text) in enumerate(items):
        document = tantivy.Document()
        document.add_unsigned("number", number)
        document.add_text("text", f"{title}\n{text}")
        writer.add_document(document)
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(query: str, depth: int) -> list[int]:
        words = "".join(character if character.isalnum() else " " for character in query)
        hits = searcher.search(index.parse_query_lenient(words, ["text"])[0], depth, count=False).hits
        return [int(n) for n in searcher.fast_field_values("number", [address for _, address in hits])]

    return search


def judged(folder: Path, items: list[Piece], passages: bool) -> Iterator[tuple[str, set[int]]]:
    by_source: dict[str, list[int]] = {}
    for number, (source, _, _) in enumerate(items):
        by_source.setdefault(source, []).append(number)
    for line in (folder / "golden.jsonl").read_text(encoding="utf-8").strip().split("\n"):
        case = json.loads(line)
        numbers = [number for source in case["expected_sources"] for number in by_source.get(source, [])]
        if passages:
            evidence = " ".join(case["evidence"][0].split()) if case["evidence"] else None
            numbers = [n for n in numbers if evidence and " ".join(items[n][2].split()) in evidence]
        if numbers:
            yield case["question"], set(numbers)


def score(search: Search, cases: list[tuple[str, set[int]]], passages: bool) -> float:
    total = 0.0
    for question, wanted in cases:
        found = search(question, 10)
        if passages:
            total += bool(wanted & set(found[:5]))
        else:
            gain = sum(1 / math.log2(rank + 1) for rank, number in enumerate(found, 1) if number in wanted)
            total += gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(wanted)) + 1))
    return total / len(cases)


def main(names: list[str]) -> None:
    root = _shared_data() / "golden"
    default = ["scifact", "cranfield", "npl", "pubmedqa", "squad2", "jsquad_ja", "rgb_zh"]
    default += [f"xquad_{code}" for code in ("en", "de", "es", "hi", "zh", "ar")]
    print(f"{'set':14} {'measure':8} {'n':>5} {'ours':>6} {'en_stem':>8} {'default':>8} {'MB/s analysed':>14}")
    for name in names or default:
        passages = name.startswith(("xquad", "jsquad", "squad"))
        language = LANGUAGES.get(name, name.removeprefix("xquad_") if name.startswith("xquad") else "en")
        items = pieces(root / name, whole=not passages)
        cases = list(judged(root / name, items, passages))
        search, seconds = ours(items, language)
        rate = sum(len(text) for _, _, text in items) / 1e6 / seconds
        values = [score(each, cases, passages) for each in (search, bare(items, "en_stem"), bare(items, "default"))]
        measure = "Hit@5" if passages else "nDCG@10"
        print(f"{name:14} {measure:8} {len(cases):5} {values[0]:6.3f} {values[1]:8.3f} {values[2]:8.3f} {rate:14.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
