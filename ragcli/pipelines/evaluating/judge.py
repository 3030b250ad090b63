"""Judges put together: from a model or from rules, over the answers of an evaluation or over a labelled file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragcli.evaluate.judge.agreement import Agreement, Labelled, agreement, load_labelled
from ragcli.evaluate.judge.claims import (
    JUDGED_MEASURES,
    STAND_IN,
    Complete,
    Opinion,
    Subject,
    Supports,
    judge_with_model,
    judge_without_model,
)
from ragcli.evaluate.measuring.answer_measures import said
from ragcli.interfaces import Progress
from ragcli.records import Answer, GoldenCase, Passage, Usage

_FAITHFULNESS = ("judge_faithfulness",)


@dataclass(frozen=True)
class Judge:
    """A name to print, the judging itself, and how far it agreed with people when that was measured."""

    name: str
    opinion: Callable[[Subject, Sequence[str]], Opinion]
    agreement: str = ""

    def case(self, case: GoldenCase, answer: Answer, passages: Sequence[Passage]) -> Opinion | None:
        """The opinion of one answer; None for a question that was declined."""
        if not answer.found:
            return None
        sentences = tuple(sentence.text for sentence in answer.sentences)
        texts = tuple(passage.text for passage in passages)
        subject = Subject(case.question, said(answer), sentences, texts, case.answers)
        return self.opinion(subject, JUDGED_MEASURES)


@dataclass
class Judging:
    """What the judging of a run adds up to."""

    usage: Usage = field(default_factory=Usage)
    judged: int = 0
    unreadable: int = 0
    widest: float = 0.0

    def add(self, opinion: Opinion | None) -> None:
        """One answer's opinion."""
        if opinion is None:
            return
        self.judged += 1
        self.usage = self.usage + opinion.usage
        self.unreadable += opinion.unreadable
        self.widest = max(self.widest, *opinion.spread.values()) if opinion.spread else self.widest

    def summary(self, judge: Judge | None) -> dict[str, str]:
        """What is printed with every judged result; empty without a judge."""
        if judge is None:
            return {}
        unmeasured = "not measured (rag eval judge-check FILE)"
        return {
            "judge": judge.name,
            "answers": str(self.judged),
            "unreadable_replies": str(self.unreadable),
            "widest_spread_between_repeats": f"{self.widest:.2f}",
            "agreement": judge.agreement or unmeasured,
        }


def model_judge(name: str, complete: Complete, *, repeats: int, agreement: str = "") -> Judge:
    """A judge that asks a model."""

    def opinion(subject: Subject, measures: Sequence[str]) -> Opinion:
        return judge_with_model(subject, complete, repeats=repeats, measures=measures)

    return Judge(name, opinion, agreement)


def rule_judge(supports: Supports, *, agreement: str = "") -> Judge:
    """The judge that stands in where no model is configured."""
    return Judge(STAND_IN, lambda subject, _: judge_without_model(subject, supports), agreement)


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
