"""A conversation: the questions before this one, and this one kept for the next."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragcli.records import AskResult, Turn

if TYPE_CHECKING:
    from ragcli.interfaces import SessionLog


def earlier_questions(turns: Sequence[Turn]) -> list[str]:
    """The questions of a session, each able to stand alone, oldest first."""
    return [turn.standalone_question for turn in turns]


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
    )
    sessions.append(name, turn)
