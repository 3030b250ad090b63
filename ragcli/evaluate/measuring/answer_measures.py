"""Measures of an answer against what a golden case accepts; pure, no model.

A value is None where it has no meaning for the case, and 0.0 where the system declined a question that has an answer.
"""

from __future__ import annotations

from ragcli.evaluate.golden_sets.labels import Judged
from ragcli.evaluate.measuring.compare import contains, exact_match, token_f1
from ragcli.records import Answer, GoldenCase

ANSWER_MEASURES = (
    "contains",
    "exact_match",
    "token_f1",
    "support_rate",
    "citation_precision",
    "citation_recall",
    "abstention_precision",
    "abstention_recall",
    "false_answers",
    "false_declines",
)


def measure_answer(judged: Judged, answer: Answer) -> dict[str, float | None]:
    """Every answer measure of one case."""
    case = judged.case
    precision, recall = citation_quality(judged, answer)
    return {
        "contains": _expected_found(case, answer),
        "exact_match": _against(case, exact_match(said(answer), case.answers), answer.found),
        "token_f1": _against(case, token_f1(said(answer), case.answers), answer.found),
        "support_rate": support_rate(answer),
        "citation_precision": precision,
        "citation_recall": recall,
        **abstention(case.answerable, answer.found),
    }


def said(answer: Answer) -> str:
    """The answer's sentences without the citation marks that its text carries."""
    return " ".join(sentence.text for sentence in answer.sentences) or answer.text


def support_rate(answer: Answer) -> float | None:
    """Share of the sentences that their citations support; None when there is no sentence."""
    if not answer.found or not answer.sentences:
        return None
    good = sum(sentence.status in ("supported", "paraphrase") for sentence in answer.sentences)
    return good / len(answer.sentences)


def citation_quality(judged: Judged, answer: Answer) -> tuple[float | None, float | None]:
    """Share of the citations that point to a label, and share of the labels that are cited.

    Invalid citations count as wrong ones. Both are None without a label or for a question without an answer; precision
    also when nothing was cited.
    """
    units = judged.evidence or judged.units
    if not units or not judged.case.answerable:
        return None, None
    if not answer.found:
        return None, 0.0
    cited = [citation.chunk_id for citation in answer.citations]
    right = sum(any(unit.served_by(chunk_id) for unit in units) for chunk_id in cited)
    total = len(cited) + len(answer.invalid_citations)
    return (right / total if total else None), sum(any(u.served_by(c) for c in cited) for u in units) / len(units)


def abstention(answerable: bool, found: bool) -> dict[str, float | None]:
    """The case's part in each abstention measure: the mean over the cases that have a value is the measure.

    Precision is the share of declined questions that have no answer; recall the share of questions without an
    answer that were declined; false answers its complement; false declines the share of answerable ones declined.
    """
    return {
        "abstention_precision": None if found else float(not answerable),
        "abstention_recall": None if answerable else float(not found),
        "false_answers": None if answerable else float(found),
        "false_declines": float(not found) if answerable else None,
    }


def _expected_found(case: GoldenCase, answer: Answer) -> float | None:
    if not case.answerable or not (case.contains or case.answers):
        return None
    if not answer.found:
        return 0.0
    wanted = case.contains or (case.answers,)
    whole = not case.contains
    return float(all(any(contains(said(answer), text, whole=whole) for text in either) for either in wanted))


def _against(case: GoldenCase, value: float, found: bool) -> float | None:
    if not case.answerable or not case.answers:
        return None
    return value if found else 0.0
