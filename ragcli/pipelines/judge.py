"""Judges put together: from a model or from rules, over the answers of an evaluation or over a labelled file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragcli.evaluate.agreement import Agreement, Labelled, agreement, load_labelled
from ragcli.evaluate.judge import (
    JUDGED_MEASURES,
    STAND_IN,
    Complete,
    Opinion,
    Subject,
    Supports,
    judge_with_model,
    judge_without_model,
)
from ragcli.interfaces import Progress
from ragcli.records import Answer, GoldenCase, Passage

_FAITHFULNESS = ("judge_faithfulness",)


@dataclass(frozen=True)
class Judge:
    """A name to print, and the judging itself."""

    name: str
    opinion: Callable[[Subject, Sequence[str]], Opinion]

    def case(self, case: GoldenCase, answer: Answer, passages: Sequence[Passage]) -> Opinion | None:
        """The opinion of one answer; None for a question that was declined."""
        if not answer.found:
            return None
        sentences = tuple(sentence.text for sentence in answer.sentences)
        texts = tuple(passage.text for passage in passages)
        subject = Subject(case.question, answer.text, sentences, texts, case.answers)
        return self.opinion(subject, JUDGED_MEASURES)


def model_judge(name: str, complete: Complete, *, repeats: int) -> Judge:
    """A judge that asks a model."""

    def opinion(subject: Subject, measures: Sequence[str]) -> Opinion:
        return judge_with_model(subject, complete, repeats=repeats, measures=measures)

    return Judge(name, opinion)


def rule_judge(supports: Supports) -> Judge:
    """The judge that stands in where no model is configured."""
    return Judge(STAND_IN, lambda subject, _: judge_without_model(subject, supports))


def judge_check(
    path: Path, judge: Judge, *, limit: int | None = None, progress: Progress | None = None
) -> tuple[Agreement, list[tuple[Labelled, bool | None]]]:
    """A judge against human labels: a response is ruled supported when every claim of it is.

    Gives the numbers and each row with its ruling. Raises GoldenError for a malformed file.
    """
    rows = load_labelled(path, limit)
    rulings: list[bool | None] = []
    for number, row in enumerate(rows, start=1):
        subject = Subject("", row.response, (row.response,), (row.context,))
        value = judge.opinion(subject, _FAITHFULNESS).measures.get("judge_faithfulness")
        rulings.append(None if value is None else value >= 1.0)
        if progress is not None:
            progress("judge", number, len(rows))
    name = f"{path.parent.name}/{path.name}"
    return agreement(rulings, rows, judge=judge.name, file=name), list(zip(rows, rulings, strict=True))
