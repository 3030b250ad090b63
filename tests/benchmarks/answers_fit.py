"""Fits the constants of the offline answerer: the weights of a candidate's features, and those of the confidence.

    python -m tests.benchmarks.answers_fit WORK_FOLDER --sets squad2,xquad_en [--limit 150] [--own INDEX GOLDEN]

Candidates: softmax over the candidates of a question whose answer is among them, L2, five folds. Confidence:
logistic regression on questions whose answer is among the passages, questions without an answer, and each
answerable question once more with the passages of its documents held back; eight folds by question. Needs scikit-
learn and scipy, which sentence-transformers brings.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ragcli.config
from ragcli import wiring
from ragcli.answer.candidates import candidates
from ragcli.answer.confidence import signs
from ragcli.answer.extractive import ExtractiveAnswerer
from ragcli.answer.pack import pack
from ragcli.answer.scoring import Features
from ragcli.evaluate.golden import load_golden
from ragcli.records import GoldenCase, Scope
from tests.benchmarks.answers import stages_for
from tests.benchmarks.answers_edits import shared_data

FEATURES = (
    "own_overlap", "near_overlap", "passage_overlap", "cosine", "max_sim", "passage_dense", "log_rank", "new", "offers",
    "is_question", "restricted", "position",
)  # fmt: skip
L2 = 0.02


@dataclass(frozen=True)
class Row:
    """One question with one set of passages."""

    question: str
    answerable: bool
    features: list[list[float]]
    right: list[bool]
    signs: dict[str, float]


def rows(stages: wiring.Stages, cases: Sequence[GoldenCase]) -> Iterator[Row]:
    """Each case as it is, and each answerable one with its documents held back."""
    answerer = ExtractiveAnswerer(stages.config.answer, stages.embedder)
    for case in cases:
        retrieval = stages.retrieve(case.question, Scope(groups=case.groups))
        sources = {judgment.source for judgment in case.judgments}
        others = tuple(hit for hit in retrieval.hits if hit.source not in sources)
        variants = [(retrieval, case.answerable)]
        if case.answerable and others:
            variants.append((dataclasses.replace(retrieval, hits=others), False))
        for variant, answerable in variants:
            settings = stages.config.answer
            passages = pack(variant, engine=stages.engine, config=settings, tokenizer=stages.tokenizer)
            ranked = answerer.ranked(case.question, candidates(passages))
            if not ranked:
                continue
            right = [answerable and _right(item.plain, item.passage.source, case, sources) for item, _, _ in ranked]
            if answerable and not any(right):
                continue
            vectors = [_vector(features) for _, features, _ in ranked]
            yield Row(case.question, answerable, vectors, right, signs(case.question, ranked, passages))


def _right(text: str, source: str, case: GoldenCase, sources: set[str]) -> bool:
    folded = text.casefold()
    if case.contains:
        stands = all(any(one.casefold() in folded for one in group) for group in case.contains)
    else:
        stands = any(answer.casefold() in folded for answer in case.answers)
    return stands and source in sources


def _vector(features: Features) -> list[float]:
    values = {
        **dataclasses.asdict(features),
        "log_rank": math.log(features.rank),
        "new": min(features.new_words, 6) / 6,
        "position": math.log1p(features.position),
    }
    return [float(values[name]) for name in FEATURES]


def fit_candidates(found: Sequence[Row]) -> None:
    """Prints the weights of the softmax over candidates, and its accuracy at one and two, cross-validated."""
    used = [row for row in found if row.answerable]
    tables = [np.array(row.features) for row in used]
    labels = [np.array(row.right) for row in used]
    scale = np.concatenate(tables).std(axis=0) + 1e-9
    order = np.random.RandomState(0).permutation(len(used))
    hits = np.zeros(2)
    for fold in np.array_split(order, 5):
        kept = [index for index in order if index not in set(fold)]
        weights = _softmax([tables[index] / scale for index in kept], [labels[index] for index in kept])
        for index in fold:
            ranked = np.argsort(-(tables[index] / scale) @ weights, kind="stable")
            hits += [labels[index][ranked[:k]].any() for k in (1, 2)]
    weights = _softmax([table / scale for table in tables], labels) / scale
    print(f"candidates: {len(used)} questions, right at 1 {hits[0] / len(used):.3f}, at 2 {hits[1] / len(used):.3f}")
    print("  " + ", ".join(f"{name} {weight:.2f}" for name, weight in zip(FEATURES, weights, strict=True)))


def _softmax(tables: Sequence[Any], labels: Sequence[Any]) -> Any:
    from scipy.optimize import minimize

    def loss(weights: Any) -> tuple[float, Any]:
        total, gradient = 0.0, np.zeros_like(weights)
        for table, right in zip(tables, labels, strict=True):
            scores = table @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            mass = shares[right].sum() + 1e-12
            total -= math.log(mass)
            gradient -= (np.where(right, shares, 0) / mass - shares) @ table
        count = len(tables)
        return total / count + L2 * weights @ weights, gradient / count + 2 * L2 * weights

    return minimize(loss, np.zeros(tables[0].shape[1]), jac=True, method="L-BFGS-B").x


def fit_confidence(found: Sequence[Row]) -> None:
    """Prints the weights of the logistic model and its area under the curve, cross-validated by question."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict

    names = sorted({name for row in found for name in row.signs if all(name in other.signs for other in found)})
    table = np.array([[row.signs[name] for name in names] for row in found])
    labels = np.array([row.answerable for row in found])
    groups = np.unique([row.question for row in found], return_inverse=True)[1]
    mean, scale = table.mean(axis=0), table.std(axis=0) + 1e-9
    model = LogisticRegression(C=0.1, max_iter=1000, class_weight="balanced")
    folds = StratifiedGroupKFold(8, shuffle=True, random_state=0)
    scored = cross_val_predict(model, (table - mean) / scale, labels, cv=folds, groups=groups, method="predict_proba")
    model.fit((table - mean) / scale, labels)
    weights = model.coef_[0] / scale
    intercept = float(model.intercept_[0] - weights @ mean)
    area = roc_auc_score(labels, scored[:, 1])
    print(f"confidence: {len(found)} rows, {labels.mean():.2f} answerable, area under the curve {area:.3f}")
    print(f"  intercept {intercept:.2f}, " + ", ".join(f"{n} {w:.2f}" for n, w in zip(names, weights, strict=True)))


def main() -> None:
    """Fits on all sets together and prints the constants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--sets", default="squad2,xquad_en")
    parser.add_argument("--limit", type=int, default=150)
    parser.add_argument("--own", nargs=2, metavar=("INDEX", "GOLDEN"), help="an index and its golden file")
    options = parser.parse_args()
    found: list[Row] = []
    for name in filter(None, options.sets.split(",")):
        golden = load_golden(shared_data() / "golden" / name / "golden.jsonl")
        found += rows(stages_for(name, options.work), golden.cases[: options.limit])
    if options.own:
        config = ragcli.config.load(overrides={"index.path": options.own[0]})
        found += rows(wiring.Stages(config), load_golden(Path(options.own[1])).cases)
    fit_candidates(found)
    fit_confidence(found)


if __name__ == "__main__":
    main()
