"""A conversation: the questions before this one, and this one kept for the next."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragcli.answer.extract.followup import EarlierQuestion
from ragcli.pipelines.asking.inquiry import with_notices
from ragcli.records import AskResult, Filter, Scope, Turn

if TYPE_CHECKING:
    from ragcli.interfaces import SessionLog


def earlier_questions(turns: Sequence[Turn]) -> list[EarlierQuestion]:
    """The questions of a session, each able to stand alone, oldest first."""
    return [EarlierQuestion(turn.standalone_question, turn.source) for turn in turns]


def likeliest(made: Sequence[AskResult]) -> int:
    """The place of the meaning of a follow-up that was answered with most confidence, the first of equals.

    Where no reading was answered, the first: it says what was looked for.
    """
    sure = [(one.answer.confidence or 0.0) if one.answer.found else -1.0 for one in made]
    return sure.index(max(sure))


def inside(scope: Scope, source: str) -> Scope:
    """``scope`` narrowed to one source; itself for none."""
    return dataclasses.replace(scope, filters=(*scope.filters, Filter("source", "=", source))) if source else scope


def with_place(result: AskResult, source: str) -> AskResult:
    """``result`` with a notice of the source that alone was asked, where the question was taken to be about it."""
    if not source:
        return result
    notice = f"asked of {source} alone, where the answer before came from"
    return dataclasses.replace(result, answer=with_notices(result.answer, notice))


def keep_turn(sessions: SessionLog, name: str, groups: Sequence[str], result: AskResult) -> None:
    """Keep a question and its answer."""
    answer = result.answer
    turn = Turn(
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        question=answer.question,
        standalone_question=answer.standalone_question,
        answer=answer.text,
        found=answer.found,
        trace_id=result.trace_id,
        doc_ids=tuple(dict.fromkeys(chunk_id.rpartition("#")[0] for chunk_id in answer.passages)),
        groups=tuple(groups),
        source=next((citation.source for citation in answer.citations), ""),
    )
    sessions.append(name, turn)
