"""A model that searches before it answers: tool use in steps, every passage it saw numbered once and citable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ragcli.answer.model import prompt
from ragcli.answer.model.anthropic import Message, MessagesClient, ToolUse
from ragcli.answer.model.reply import Reply, claim_of, read_prose, read_structured, read_tagged
from ragcli.answer.model.written import completion
from ragcli.config import AnswerConfig
from ragcli.errors import ModelError
from ragcli.records import Completion, Passage, Step, Usage

Search = Callable[[str, int], tuple[Passage, ...]]
"""Passages for a query that were not shown before, numbered from the given number."""

_SYSTEM = (
    prompt.SYSTEM
    + """
How to work
- Search until the passages you have seen answer the whole question, or further searches bring nothing new. \
Search for one thing at a time, in the words its document would use.
- Then call the answer tool once. Cite only passage ids you were shown.
"""
)
_SEARCH_TOOL: dict[str, Any] = {
    "name": "search",
    "description": "Searches the documents the user may see and returns passages not shown before.",
    "input_schema": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "what to look for"}},
        "required": ["query"],
        "additionalProperties": False,
    },
}
_ANSWER_TOOL: dict[str, Any] = {
    "name": "answer",
    "description": "Gives the answer, or says that the documents do not contain it.",
    "input_schema": prompt.SCHEMA,
}


@dataclass(frozen=True, slots=True)
class Searched:
    """What came of it: the completion, every passage shown, every search made."""

    completion: Completion
    passages: tuple[Passage, ...]
    steps: tuple[Step, ...]


class SearchingAnswerer:
    """Runs one question: at most ``answer.max_steps`` searches, the first being the question itself."""

    def __init__(self, config: AnswerConfig, client: MessagesClient) -> None:
        self._config = config
        self._client = client

    def answer(self, question: str, search: Search) -> Searched:
        """The answer with what was seen. Raises ModelError."""
        run = _Run(search)
        first = prompt.passages_text(run.look(question, "the question itself"))
        messages: list[dict[str, Any]] = [
            {"role": "user", "content": [prompt.cached(first), prompt.text_block(prompt.question_text(question))]}
        ]
        while True:
            last = len(run.steps) >= self._config.max_steps
            message = self._client.send(self._body(messages, last))
            run.usage = run.usage + message.usage
            if message.stop_reason in ("max_tokens", "model_context_window_exceeded"):
                raise ModelError(
                    f"the answer was cut off (answer.max_tokens is {self._config.max_tokens})",
                    hint="raise answer.max_tokens, or lower answer.max_steps",
                    category="cut_off",
                )
            reply = _final(message)
            if reply is not None or last:
                made = completion(reply or read_prose(message.text), model=message.model, usage=run.usage)
                return Searched(made, tuple(run.passages), tuple(run.steps))
            messages += [
                {"role": "assistant", "content": list(message.content)},
                {"role": "user", "content": [self._result(use, run) for use in message.tool_uses]},
            ]

    def _body(self, messages: Sequence[dict[str, Any]], last: bool) -> dict[str, Any]:
        return {
            "model": self._config.model,
            "max_tokens": self._config.max_tokens,
            "system": [prompt.cached(_SYSTEM)],
            "tools": [_SEARCH_TOOL, _ANSWER_TOOL],
            "tool_choice": {"type": "tool", "name": "answer"} if last else {"type": "auto"},
            "messages": list(messages),
        }

    def _result(self, use: ToolUse, run: _Run) -> dict[str, Any]:
        query = use.input.get("query") if use.name == "search" else None
        if not isinstance(query, str) or not query.strip():
            said, wrong = "the tool is search, with a query", True
        elif len(run.steps) >= self._config.max_steps:
            said, wrong = "no searches are left: call the answer tool", True
        else:
            said, wrong = prompt.passages_text(run.look(query, "asked for by the model")), False
        return {"type": "tool_result", "tool_use_id": use.id, "content": said, "is_error": wrong}


class _Run:
    def __init__(self, search: Search) -> None:
        self._search = search
        self.passages: list[Passage] = []
        self.steps: list[Step] = []
        self.usage = Usage()

    def look(self, query: str, reason: str) -> tuple[Passage, ...]:
        found = self._search(query, len(self.passages) + 1)
        self.passages += found
        self.steps.append(Step(query, tuple(passage.chunk.chunk_id for passage in found), reason))
        return found


def _final(message: Message) -> Reply | None:
    """The answer in a message: the answer tool's input, or text that reads as one; None while it goes on searching."""
    for use in message.tool_uses:
        if use.name == "answer":
            return _from_tool(use)
    if message.tool_uses:
        return None
    return read_structured(message.text) or read_tagged(message.text) or read_prose(message.text)


def _from_tool(use: ToolUse) -> Reply:
    sentences = use.input.get("sentences")
    claims = [claim_of(item) for item in sentences] if isinstance(sentences, list) else []
    kept = tuple(claim for claim in claims if claim is not None and claim.text)
    found = use.input.get("found") is True and bool(kept)
    return Reply(found, kept if found else ())
