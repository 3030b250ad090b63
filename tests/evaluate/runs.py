"""Whole runs for the tests of the reports, measured from rankings by the code under test."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ragcli.config import Config
from ragcli.evaluate.golden_sets.file import GoldenSet
from ragcli.evaluate.golden_sets.resolving import Resolver
from ragcli.evaluate.losses import CasePath, find_loss
from ragcli.evaluate.measuring.context import ContextPiece
from ragcli.evaluate.measuring.measures import measure_names
from ragcli.evaluate.measuring.results import Measured, case_result
from ragcli.evaluate.run import CaseResult, EvalRun
from ragcli.pipelines.evaluating.evaluate import summed_up
from ragcli.records import Answer, GoldenCase, Judgment
from tests.evaluate.builders import answer, named, retrieval

CONFIG = Config()
CORPUS = [f"d{n}.md" for n in range(12)]


def row(case: GoldenCase, hits: Sequence[str], given: Answer | None = None, *, below: Sequence[str] = ()) -> CaseResult:
    """One case measured over these hits and the candidates below them."""
    judged = Resolver(named(*CORPUS)).judge(case)
    found = retrieval(list(hits), bm25=[*hits, *below], dense=[*hits, *below], fused=[*hits, *below])
    pieces = tuple(ContextPiece(hit.chunk.chunk_id, hit.chunk.doc_id, hit.chunk.span) for hit in found.hits)
    path = CasePath(judged, found, pieces, given)
    return case_result(Measured(path, find_loss(path), {"retrieve": 3.0, "total": 5.0}), measure_names((1, 3, 5, 10)))


def run_of(rows: Sequence[CaseResult], *, answers: bool = False, **more: object) -> EvalRun:
    """The rows as a run."""
    golden = GoldenSet("golden.jsonl", "digest", ())
    made = summed_up(rows, golden, CONFIG, answers=answers)
    return dataclasses.replace(made, **{"corpus": "corpus", "index_version": "v000001", **more})  # type: ignore[arg-type]


def example(*, lost: Mapping[int, str] | None = None, markup: str = "") -> EvalRun:
    """Twelve questions, each expecting one document: found at rank 1, 2 or 3, the fifth and tenth not at all; answered,
    the last one without an answer and rightly declined.
    """
    rows = []
    for n in range(11):
        case = GoldenCase(
            f"c{n:02}{markup}",
            f"Where is {n}{markup}?",
            (Judgment(f"d{n}.md"),),
            answers=(f"{n} days",),
            tags=(f"t{n % 2}",),
        )
        others = [f"d{(n + step) % 12}.md#1" for step in (1, 2, 3)]
        hits = others if n % 5 == 4 else [*others[: n % 3], f"d{n}.md#1", *others[n % 3 :]]
        given = answer(None) if n % 5 == 4 else answer(f"It is {n} days{markup}.", f"d{n}.md#1")
        given = dataclasses.replace(given, confidence=0.2 if n % 5 == 4 else 0.5 + n / 30)
        rows.append(
            row(case, hits, given, below=[*(f"d{(n + step) % 12}.md#1" for step in range(4, 12)), f"d{n}.md#1"])
        )
    nothing = GoldenCase("none", f"Is there a gym{markup}?", answerable=False)
    rows.append(row(nothing, ["d1.md#1"], dataclasses.replace(answer(None), confidence=0.1)))
    return run_of(rows, answers=True, seconds={"total": 1.5})
