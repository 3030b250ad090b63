"""Fits the constants of the offline answerer: the weights of a candidate's features, and those of the confidence.

    python -m tests.benchmarks.answers_fit WORK_FOLDER [--sets squad2:260,xquad_en:90] [--seed 7] [--ablate]

Questions come from each set's ``golden_full.jsonl`` without those of its ``golden.jsonl``, which is for measuring.
What is known of each is kept in WORK_FOLDER, so that a second run fits in seconds. Candidates: softmax over the
candidates of a question whose answer is among them, L2, beside the weights of ``weights.json``. Confidence:
logistic regression on questions whose answer is among the passages and questions without one; in a set without such,
each question once more with the chunks that hold its answer held back. The intercept lets ``KEPT`` of the answerable
questions through at .5. All shares printed are of articles that were not fitted on. Needs scikit-learn and scipy,
which sentence-transformers brings.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ragcli.answer.extract.candidates import candidates
from ragcli.answer.extract.confidence import signs
from ragcli.answer.extract.features import FEATURES
from ragcli.answer.extract.scoring import ranked, weights
from ragcli.answer.pack import pack
from ragcli.pipelines.asking.reader import Reader
from ragcli.records import Retrieval, Scope
from tests.benchmarks.answers import contains, reader_for
from tests.benchmarks.answers_edits import shared_data

NOT_FITTED = ("is_question",)
"""Too seldom met in these sets; the weight is set by hand."""
NAMES = tuple(feature.name for feature in FEATURES if feature.name not in NOT_FITTED)
BY_MODEL = tuple(feature.name for feature in FEATURES if feature.by_model)
SIGNS = (
    "nearest", "passage_gap", "document_gap", "least_word", "absent_words", "unsaid_name", "unsaid_number",
)  # fmt: skip
LEXICAL_SIGNS = ("near_overlap", "passage_overlap")
L2, C, KEPT = 0.02, 0.1, 0.9


@dataclass(frozen=True)
class Row:
    """One question with one set of passages."""

    set: str
    article: str
    answerable: bool
    held_back: bool
    features: list[list[float]]
    right: list[bool]
    signs: dict[str, float]
    lexical_signs: dict[str, float]


def known(name: str, limit: int, seed: int, work: Path) -> list[Row]:
    """The rows of a set, from the work folder when they were made before."""
    kept = work / f"rows-{name}-{limit}-{seed}.json"
    if not kept.exists():
        made = list(rows(name, reader_for(name, work), unseen(name, limit, seed)))
        kept.write_text(json.dumps([dataclasses.asdict(row) for row in made]), encoding="utf-8")
    return [Row(**row) for row in json.loads(kept.read_text(encoding="utf-8"))]


def unseen(name: str, limit: int, seed: int) -> list[dict[str, Any]]:
    """A seeded sample of the set's questions that are not among those it is measured on."""
    folder = shared_data() / "golden" / name
    measured, every = (
        [json.loads(line) for line in (folder / file).open(encoding="utf-8")]
        for file in ("golden.jsonl", "golden_full.jsonl")
    )
    seen = {row["id"] for row in measured} | {row["question"] for row in measured}
    found = [row for row in every if row["id"] not in seen and row["question"] not in seen]
    return random.Random(seed).sample(found, min(limit, len(found)))


def rows(name: str, reader: Reader, cases: Sequence[dict[str, Any]]) -> Iterator[Row]:
    """Each case as it is and, in a set where every question has an answer, once more with the answer held back."""
    reader.expect([case["question"] for case in cases])
    hold_back = all(case["answerable"] for case in cases)
    for case in cases:
        retrieval = reader.retrieve(case["question"], Scope())
        others = tuple(hit for hit in retrieval.hits if not _right(hit.chunk.text, hit.source, case))
        variants = [(retrieval, bool(case["answerable"]))]
        if hold_back and others:
            variants.append((dataclasses.replace(retrieval, hits=others), False))
        for number, (variant, answerable) in enumerate(variants):
            row = _row(name, reader, case, variant, answerable=answerable, held_back=number > 0)
            if row is not None:
                yield row


def _row(
    name: str, reader: Reader, case: dict[str, Any], retrieval: Retrieval, *, answerable: bool, held_back: bool
) -> Row | None:
    """None when nothing was found, or when the answer was not."""
    question, settings = case["question"], reader.config.answer
    passages = pack(retrieval, engine=reader.engine, config=settings, tokenizer=reader.tokenizer)
    found = candidates(passages)
    if not found:
        return None
    ordered = ranked(question, found, reader.embedder)
    right = [answerable and _right(seen.item.readable, seen.item.passage.source, case) for seen, _ in ordered]
    if answerable and not any(right):
        return None
    return Row(
        name,
        case.get("about_source") or (case["expected_sources"] or [ordered[0][0].item.passage.source])[0],
        answerable,
        held_back,
        [[seen.values[name] for name in NAMES] for seen, _ in ordered],
        right,
        signs(question, ordered, passages),
        signs(question, ranked(question, found, None), passages),
    )


def _right(text: str, source: str, case: dict[str, Any]) -> bool:
    return source in case["expected_sources"] and contains(text, case)


def fit_candidates(found: Sequence[Row], names: Sequence[str], title: str) -> None:
    """Prints the weights of the softmax over candidates, and how often the best and the two best are right."""
    used = [row for row in found if row.answerable]
    columns = [NAMES.index(name) for name in names]
    tables = [np.array(row.features)[:, columns] for row in used]
    labels = [np.array(row.right) for row in used]
    scale = np.concatenate(tables).std(axis=0) + 1e-9
    hits = np.zeros((2, 2))
    for fold in _folds([row.article for row in used]):
        kept = [index for index in range(len(used)) if index not in fold]
        fitted = _softmax([tables[index] / scale for index in kept], [labels[index] for index in kept])
        for index in fold:
            order = np.argsort(-(tables[index] / scale) @ fitted, kind="stable")
            hits[0] += [labels[index][order[:k]].any() for k in (1, 2)]
    fitted = _softmax([table / scale for table in tables], labels) / scale
    standing = weights(title)
    for table, right in zip(tables, labels, strict=True):
        order = np.argsort(-table @ np.array([standing.get(name, 0.0) for name in names]), kind="stable")
        hits[1] += [right[order[:k]].any() for k in (1, 2)]
    for said, (one, two) in zip(("fitted", "as they stand"), hits / len(used), strict=True):
        print(f"{title}, {said}: {len(used)} questions, right at 1 {one:.3f}, at 2 {two:.3f}")
    print("  " + ", ".join(f'"{name}": {weight:.2f}' for name, weight in zip(names, fitted, strict=True)))


def _folds(articles: Sequence[str]) -> list[set[int]]:
    """Eight folds of whole articles, the largest spread first."""
    sizes = sorted(set(articles), key=lambda name: (-list(articles).count(name), name))
    fold_of = {name: place % 8 for place, name in enumerate(sizes)}
    return [{place for place, name in enumerate(articles) if fold_of[name] == fold} for fold in range(8)]


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


def fit_confidence(found: Sequence[Row], names: Sequence[str], title: str, *, lexical: bool = False) -> None:
    """Prints the weights of the logistic model and, by set, what it tells apart in articles it was not fitted on."""
    from sklearn.linear_model import LogisticRegression

    values = [row.lexical_signs if lexical else row.signs for row in found]
    found = [row for row, known in zip(found, values, strict=True) if all(name in known for name in names)]
    values = [row.lexical_signs if lexical else row.signs for row in found]
    table = np.array([[row[name] for name in names] for row in values])
    labels = np.array([row.answerable for row in found])
    mean, scale = table.mean(axis=0), table.std(axis=0) + 1e-9
    model = LogisticRegression(C=C, max_iter=1000, class_weight="balanced")
    scored = np.zeros(len(found))
    for fold in _folds([row.article for row in found]):
        test = np.array([place in fold for place in range(len(found))])
        if test.any():
            model.fit((table[~test] - mean) / scale, labels[~test])
            scored[test] = model.decision_function((table[test] - mean) / scale)
    model.fit((table - mean) / scale, labels)
    weights = model.coef_[0] / scale
    intercept = -float(np.quantile((table @ weights)[labels], 1 - KEPT))
    print(f"{title}: {len(found)} questions, {labels.mean():.2f} answerable")
    print(
        f'  "intercept": {intercept:.2f}, ' + ", ".join(f'"{n}": {w:.2f}' for n, w in zip(names, weights, strict=True))
    )
    for name in sorted({row.set for row in found}):
        print(f"  {name}: " + _told_apart([row.set == name for row in found], labels, scored, found))


def _told_apart(chosen: Sequence[bool], labels: Any, scored: Any, found: Sequence[Row]) -> str:
    """Area under the curve, and balanced accuracy where each article is judged by the others' best threshold."""
    from sklearn.metrics import roc_auc_score

    places = np.flatnonzero(np.array(chosen))
    truth, values = labels[places], scored[places]
    right = np.zeros(len(places), dtype=bool)
    for fold in _folds([found[place].article for place in places]):
        test = np.array([number in fold for number in range(len(places))])
        if test.any():
            cuts = np.unique(values[~test])
            best = max(cuts, key=lambda cut: (_balanced(truth[~test], values[~test] >= cut), cut))
            right[test] = (values[test] >= best) == truth[test]
    balanced = (right[truth].mean() + right[~truth].mean()) / 2
    return f"area under the curve {roc_auc_score(truth, values):.3f}, balanced accuracy {balanced:.3f}"


def _balanced(truth: Any, said: Any) -> float:
    return float((said[truth].mean() + (~said[~truth]).mean()) / 2)


def main() -> None:
    """Fits on all sets together and prints the constants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--sets", default="squad2:260,xquad_en:90", help="NAME:QUESTIONS,…")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--ablate", action="store_true", help="also fit without each feature")
    options = parser.parse_args()
    found: list[Row] = []
    for item in options.sets.split(","):
        name, _, limit = item.partition(":")
        found += known(name, int(limit or 150), options.seed, options.work)
        print(f"{name}: {sum(row.set == name for row in found)} rows", flush=True)
    for title, left_out in (("candidates", ()), ("candidates_without_model", BY_MODEL)):
        used = [name for name in NAMES if name not in left_out]
        fit_candidates(found, used, title)
        if options.ablate:
            for name in used:
                print(f"without {name}:", end=" ")
                fit_candidates(found, [other for other in used if other != name], title)
    fit_confidence(found, SIGNS, "confidence")
    fit_confidence(found, LEXICAL_SIGNS, "confidence without a model", lexical=True)


if __name__ == "__main__":
    main()
