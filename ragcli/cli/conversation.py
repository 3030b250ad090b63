"""A conversation: the questions before this one, and this one kept for the next."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragcli import wiring
from ragcli.config import Config

if TYPE_CHECKING:
    from ragcli.records import AskResult


class Conversation:
    """The session ``name``, as someone with these groups may see it; without a name nothing is read or kept."""

    def __init__(self, config: Config, name: str | None, groups: Sequence[str]) -> None:
        self._name = name
        self._groups = tuple(groups)
        self._sessions = wiring.sessions(config) if name is not None else None

    @property
    def earlier(self) -> list[str]:
        """The questions so far, each able to stand alone, oldest first."""
        if self._sessions is None or self._name is None:
            return []
        return [turn.standalone_question for turn in self._sessions.turns(self._name, self._groups)]

    def add(self, result: AskResult) -> None:
        """Keep a question and its answer."""
        if self._sessions is None or self._name is None:
            return
        from ragcli.sessions import Turn

        answer = result.answer
        turn = Turn(
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            question=answer.question,
            standalone_question=answer.standalone_question,
            answer=answer.text,
            found=answer.found,
            trace_id=result.trace_id,
            doc_ids=tuple(dict.fromkeys(chunk_id.rpartition("#")[0] for chunk_id in answer.passages)),
            groups=self._groups,
        )
        self._sessions.append(self._name, turn)
