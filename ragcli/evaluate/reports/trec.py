"""The rankings and labels of a run in the formats of trec_eval, so that any other tool can measure them again.

Ids hold no white space there: it is written as in a URL (``%20``), and so is ``%``.
"""

from __future__ import annotations

from ragcli.evaluate.run import EvalRun
from ragcli.names import percent


def to_trec_run(run: EvalRun, tag: str = "rag") -> str:
    """``query Q0 item rank score tag`` a line; the score is the negative rank, so that no tie can arise."""
    lines = [
        f"{plain(case.id)} Q0 {plain(item)} {rank} {-rank} {plain(tag)}"
        for case in run.per_case
        for rank, item in enumerate(case.items, start=1)
    ]
    return "".join(line + "\n" for line in lines)


def to_trec_qrels(run: EvalRun) -> str:
    """``query 0 item relevance`` a line, for every label of every case, found or not."""
    lines = [
        f"{plain(case.id)} 0 {plain(item)} {grade}" for case in run.per_case for item, grade in case.relevance.items()
    ]
    return "".join(line + "\n" for line in lines)


def plain(name: str) -> str:
    """A name without white space, reversibly."""
    return "".join(
        percent(character) if character.isspace() or character == "%" or not character.isprintable() else character
        for character in name
    )
