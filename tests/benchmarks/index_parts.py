"""What it costs to count BM25 in what an asker may see: one index against a part for each of several sets of groups.

``python -m tests.benchmarks.index_parts [SET…]``. Texts are given to sets of groups by lot (one large set, the others
small), and asked by someone who may see all of them: whoever sees less, searches less. Times are processor time, taken
in turns.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from ragcli.index.lexical.analysis import query_terms, terms
from ragcli.index.lexical.bm25 import LexicalReader, part_name
from ragcli.index.lexical.writing import LexicalChunk, LexicalWriter
from tests.benchmarks.index_bm25 import Piece, Search, _shared_data, judged, pieces, score

SETS = (1, 3, 32)


def index(items: list[Piece], sets: int) -> tuple[Search, float]:
    """A search over the texts in so many parts, and the seconds of processor time that they took to write."""
    draw = random.Random(1)
    names = [part_name("[]"), *(part_name(f'["g{n}"]') for n in range(sets - 1))]
    writer = LexicalWriter(Path(tempfile.mkdtemp()) / "lexical", len(items))
    analysed = [(" ".join(terms(title, "en")), " ".join(terms(text, "en"))) for _, title, text in items]
    started = time.process_time()
    for number, (title, text) in enumerate(analysed):
        part = names[0] if draw.random() < 0.6 else draw.choice(names)
        writer.add(LexicalChunk(number, number, f"{title} {text}", title, "", part=part))
    writer.finish()
    seconds = time.process_time() - started
    reader = LexicalReader(writer.folder)

    def search(query: str, depth: int) -> list[int]:
        return [number for number, _ in reader.search(query_terms(query, ["en"]), {"title": 0.25}, depth)]

    return search, seconds


def main(names: list[str]) -> None:
    """Print the table."""
    print(f"{'set':12} {'texts':>6} {'parts':>6} {'nDCG@10':>8} {'ms a question':>14} {'seconds to write':>17}")
    for name in names or ["scifact", "cranfield", "npl"]:
        folder = _shared_data() / "golden" / name
        items = pieces(folder, whole=True)
        cases = list(judged(folder, items, passages=False))
        made = {sets: index(items, sets) for sets in SETS}
        spent = dict.fromkeys(SETS, 0.0)
        for question, _ in cases * 2:
            for sets, (search, _) in made.items():
                started = time.thread_time()
                search(question, 100)
                spent[sets] += time.thread_time() - started
        for sets, (search, seconds) in made.items():
            quality = score(search, cases, passages=False)
            each = spent[sets] / len(cases) / 2 * 1000
            print(f"{name:12} {len(items):>6} {sets:>6} {quality:>8.4f} {each:>14.2f} {seconds:>17.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
