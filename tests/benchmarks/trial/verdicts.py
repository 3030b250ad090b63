"""What a person said of an answer, kept beside it: another answer to the same question is unjudged until it is read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

from tests.benchmarks.trial.collections import HERE, Question

Verdict = Literal["right", "partly", "wrong", "declined", "unjudged"]


@dataclass(frozen=True)
class Judged:
    """An answer as it was shown ("" when the question was declined) and what was said of it.

    Where nothing answers, ``right`` is an answer that says so or leads on without a claim, and ``wrong`` a false one.
    """

    id: str
    answer: str
    verdict: Verdict


def kept(name: str) -> dict[str, list[Judged]]:
    """The judged answers of a collection by question; a question may have been answered in several ways."""
    path = _path(name)
    found: dict[str, list[Judged]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        judged = Judged(**json.loads(line))
        found.setdefault(judged.id, []).append(judged)
    return found


def judge(name: str, question: str, answer: str) -> Judged:
    """The answer with the verdict that was passed on just this text; ``declined`` needs none."""
    if not answer:
        return Judged(question, answer, "declined")
    known = (judged for judged in kept(name).get(question, ()) if judged.answer == answer)
    return next(known, Judged(question, answer, "unjudged"))


def keep(name: str, judged: Sequence[Judged]) -> None:
    """Add verdicts to those kept, in the place of earlier ones on the same text. Raises ValueError for no verdict."""
    for one in judged:
        if one.verdict not in get_args(Verdict) or one.verdict == "unjudged":
            raise ValueError(f"{one.id}: {one.verdict!r} is no verdict; use right, partly, wrong or declined")
    all_of = {(one.id, one.answer): one for group in kept(name).values() for one in group}
    all_of |= {(one.id, one.answer): one for one in judged if one.answer}
    lines = [json.dumps(asdict(all_of[key]), ensure_ascii=False) for key in sorted(all_of)]
    _path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def table(name: str, asked: Sequence[Question], judged: Sequence[Judged]) -> str:
    """Two lines of counts: the questions with an answer in the collection, and those without."""
    rows = []
    for label, answerable in (("answerable", True), ("near misses", False)):
        verdicts = Counter(one.verdict for q, one in zip(asked, judged, strict=True) if q.answerable == answerable)
        total = sum(verdicts.values())
        counts = "  ".join(f"{verdict} {verdicts[verdict]:3}" for verdict in get_args(Verdict))
        good = verdicts["right"] + verdicts["partly"] if answerable else verdicts["wrong"]
        meaning = "right+partly" if answerable else "false"
        rows.append(f"{name:15} {label:12} {total:3}  {counts}  {meaning} {good / max(1, total):.2f}")
    return "\n".join(rows)


def _path(name: str) -> Path:
    return HERE / f"{name}.verdicts.jsonl"
