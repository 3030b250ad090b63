"""The offline answerer on public golden sets: right answers, declined questions, citations and quotes in place.

    python -m tests.benchmarks.answers WORK_FOLDER [--sets squad2,xquad_en] [--limit 150] [--seed 7]

Each set is ingested once into WORK_FOLDER. Every question is asked once, without a threshold. Printed: answers
that contain an accepted answer, among the answerable questions whose passage was retrieved, and those given at the
configured threshold; balanced accuracy of declining at it and, cross-validated, at a fitted one; citations of what
was not sent and quotes that do not stand at their span, both of which must be 0.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragcli import Index
from ragcli.answer.calibration import FOLDS, Outcome, tune_threshold
from ragcli.answer.check.verify import verify
from ragcli.answer.extract.extractive import ExtractiveAnswerer
from ragcli.pipelines.asking.reader import Reader
from ragcli.records import Answer, Scope
from tests.benchmarks.answers_edits import shared_data

SETS = ("squad2", "xquad_en", "xquad_de", "jsquad_ja", "datatalks_faq")


@dataclass(frozen=True)
class Asked:
    """One question, answered without a threshold."""

    case: dict[str, Any]
    answer: Answer
    retrieved: bool
    misplaced: int


def reader_for(name: str, work: Path) -> Reader:
    """An index of the set's documents, built when it is not there."""
    folder = work / name
    index = folder / ".rag"
    if not (index / "CURRENT").exists():
        folder.mkdir(parents=True, exist_ok=True)
        source = shared_data() / "golden" / name
        source = source / "corpus.jsonl" if (source / "corpus.jsonl").exists() else source / "docs"
        command = [sys.executable, "-m", "ragcli", "--index", str(index), "ingest", str(source), "--quiet"]
        subprocess.run(command, check=True)
    return Index.open(index).reader


def golden(name: str, limit: int, seed: int) -> list[dict[str, Any]]:
    """The set's questions, a seeded sample of them when there are more than ``limit``."""
    path = shared_data() / "golden" / name / "golden.jsonl"
    rows = [json.loads(line) for line in path.open(encoding="utf-8")]
    if len(rows) > limit:
        rows = random.Random(seed).sample(rows, limit)
    return sorted(rows, key=lambda row: str(row["id"]))


def ask_all(reader: Reader, rows: Sequence[dict[str, Any]]) -> Iterator[Asked]:
    """Every question with ``min_confidence`` 0, so that one run serves every threshold."""
    settings = dataclasses.replace(reader.config.answer, min_confidence=0.0)
    answerer = ExtractiveAnswerer(settings, reader.embedder)
    for row in rows:
        passages = reader.passages(row["question"], Scope())
        answer = verify(answerer.generate(row["question"], passages), passages, question=row["question"])
        expected = set(row["expected_sources"])  # a row of a corpus file is named after the file
        texts = [passage.text for passage in passages if passage.chunk.doc_id.rpartition("!")[2] in expected]
        retrieved = any(contains(text, row) for text in texts)
        yield Asked(row, answer, retrieved, misplaced(reader, answer))


def contains(text: str, row: dict[str, Any]) -> bool:
    """Whether an accepted answer stands in the text, or all parts of one that has several, each by one of its names.

    An answer that is a whole entry counts by its first sentence.
    """
    accepted = [row.get("expected_answer") or "", *(row.get("answer_aliases") or [])]
    folded = _folded(text)
    parts = [part if isinstance(part, list) else [part] for part in row.get("answer_all") or []]
    if parts and all(any(_folded(name) in folded for name in part) for part in parts):
        return True
    return any(_folded(answer)[:80] in folded for answer in accepted if answer)


def misplaced(reader: Reader, answer: Answer) -> int:
    """Citations whose quote does not stand at their span, or that name no passage that was sent."""
    wrong = len(answer.invalid_citations)
    for citation in answer.citations:
        document = reader.engine.document(citation.chunk_id.rpartition("#")[0])
        stands = citation.span is not None and citation.span.of(document.text) == citation.quote
        wrong += not stands or citation.chunk_id not in answer.passages
    return wrong


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .,;")


def report(name: str, asked: Sequence[Asked], threshold: float) -> str:
    """One line of the table."""
    answerable = [one for one in asked if one.case["answerable"]]
    retrieved = [one for one in answerable if one.retrieved]
    right = sum(contains(one.answer.text, one.case) for one in retrieved)
    kept = sum((one.answer.confidence or 0) >= threshold and contains(one.answer.text, one.case) for one in retrieved)
    sentences = sum(len(one.answer.sentences) for one in asked) / max(1, len(asked))
    cells = [
        f"{name:14} {len(asked):5} {len(retrieved):9} {right / max(1, len(retrieved)):9.3f}",
        f"{kept / max(1, len(retrieved)):10.3f} {sentences:9.2f} {_abstention(asked, threshold)}",
        f"{sum(one.misplaced for one in asked):9}",
    ]
    return " ".join(cells)


def _abstention(asked: Sequence[Asked], threshold: float) -> str:
    outcomes = [Outcome(one.case["id"], one.answer.confidence or 0.0, one.case["answerable"]) for one in asked]
    if min(sum(one.answerable == kind for one in outcomes) for kind in (True, False)) < FOLDS:
        answered = sum(one.confidence >= threshold for one in outcomes) / len(outcomes)
        return f"{'–':>8} {'–':>8} {answered:8.3f}"
    tuned = tune_threshold(outcomes, threshold)
    return f"{tuned.before.balanced_accuracy:8.3f} {tuned.cross_validated:8.3f} {tuned.before.answered:8.3f}"


def main() -> None:
    """Prints the table, a line a set as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    print(
        f"{'set':14} {'asked':>5} {'retrieved':>9} {'contains':>9} {'and given':>10} {'sentences':>9} "
        f"{'balanced':>8} {'tuned':>8} {'answered':>8} {'misplaced':>9}"
    )
    for name in options.sets.split(","):
        reader = reader_for(name, options.work)
        asked = list(ask_all(reader, golden(name, options.limit, options.seed)))
        print(report(name, asked, reader.config.answer.min_confidence), flush=True)


if __name__ == "__main__":
    main()
