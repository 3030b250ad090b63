"""A model that looks before it answers: tool use in steps, every passage it saw numbered once and citable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ragcli.answer.model import prompt
from ragcli.answer.model.message import CUT_OFF, Message, ModelClient, ToolUse
from ragcli.answer.model.reply import Reply, claim_of, read_begun, read_prose, read_structured, read_tagged
from ragcli.answer.model.written import completion, empty_reply
from ragcli.config import AnswerConfig
from ragcli.errors import ConfigError, ModelError
from ragcli.records import Completion, Passage, Step, Usage

_SYSTEM = (
    prompt.SYSTEM
    + """
How to work
- Search until the passages you have seen answer the whole question, or further searches bring nothing new. \
Search for one thing at a time, in the words its document would use.
- Where there is a query tool, use it for what is counted, summed up, sorted or compared over the rows of a table; its \
result is a passage like any other.
- Then call the answer tool once. Cite only passage ids you were shown.
"""
)
_ANSWER_TOOL: dict[str, Any] = {
    "name": "answer",
    "description": "Gives the answer, or says that the documents do not contain it.",
    "input_schema": prompt.SCHEMA,
}


@dataclass(frozen=True, slots=True)
class Tool:
    """What the model may look with.

    ``look`` gives, for what it asks, passages not shown before, numbered from a number. It raises ConfigError for what
    cannot be asked so, and the model is told.
    """

    name: str
    description: str
    argument: str
    about: str
    look: Callable[[str, int], tuple[Passage, ...]]

    def definition(self) -> dict[str, Any]:
        """The tool as the model is told of it."""
        schema = {
            "type": "object",
            "properties": {self.argument: {"type": "string", "description": self.about}},
            "required": [self.argument],
            "additionalProperties": False,
        }
        return {"name": self.name, "description": self.description, "input_schema": schema}


def search_tool(look: Callable[[str, int], tuple[Passage, ...]]) -> Tool:
    """The search of the documents."""
    said = "Searches the documents the user may see and returns passages not shown before."
    return Tool("search", said, "query", "what to look for", look)


@dataclass(frozen=True, slots=True)
class Searched:
    """What came of it: the completion, every passage shown, everything that was looked for."""

    completion: Completion
    passages: tuple[Passage, ...]
    steps: tuple[Step, ...]


class SearchingAnswerer:
    """Runs one question: it is looked at most ``answer.max_steps`` times, first for the question itself."""

    def __init__(self, config: AnswerConfig, client: ModelClient) -> None:
        self._config = config
        self._client = client

    def answer(self, question: str, tools: Sequence[Tool], *, more: Callable[[], str] = str) -> Searched:
        """The answer with what was seen. ``tools`` begin with the search, and ``more`` is told after its first result.

        Raises ModelError.
        """
        run = _Run(tools)
        first = prompt.passages_text(run.look(tools[0], question, "the question itself"))
        shown = [prompt.cached(first), *([prompt.text_block(told)] if (told := more()) else [])]
        messages: list[dict[str, Any]] = [
            {"role": "user", "content": [*shown, prompt.text_block(prompt.question_text(question))]}
        ]
        while True:
            last = len(run.steps) >= self._config.max_steps
            message = self._client.send(self._body(messages, run, last))
            run.usage = run.usage + message.usage
            if message.stop_reason in CUT_OFF:
                return self._searched(self._begun(message), message, run, self._cut())
            reply = _final(message)
            if reply is not None or last or not message.tool_uses:
                return self._searched(reply or self._prose(message), message, run)
            messages += [
                {"role": "assistant", "content": list(message.content)},
                {"role": "user", "content": [self._result(use, run) for use in message.tool_uses]},
            ]

    def _searched(self, reply: Reply, message: Message, run: _Run, *notices: str) -> Searched:
        provider, model = self._client.endpoint.service.provider, message.model or self._config.model
        made = completion(reply, provider=provider, model=model, usage=run.usage, notices=notices)
        return Searched(made, tuple(run.passages), tuple(run.steps))

    def _prose(self, message: Message) -> Reply:
        reply = read_prose(message.text)
        if not reply.claims:
            raise empty_reply(message.model or self._config.model)
        return reply

    def _cut(self) -> str:
        return f"the answer was cut off (answer.max_tokens is {self._config.max_tokens})"

    def _begun(self, message: Message) -> Reply:
        reply = None if message.tool_uses else read_begun(message.text)
        if reply is None:
            hint = "raise answer.max_tokens, or lower answer.max_steps"
            raise ModelError(self._cut(), hint=hint, category="cut_off")
        return reply

    def _body(self, messages: Sequence[dict[str, Any]], run: _Run, last: bool) -> dict[str, Any]:
        return {
            "model": self._config.model,
            "max_tokens": self._config.max_tokens,
            "system": [prompt.cached(_SYSTEM)],
            "tools": [*(tool.definition() for tool in run.tools.values()), _ANSWER_TOOL],
            "tool_choice": {"type": "tool", "name": "answer"} if last else {"type": "auto"},
            "messages": list(messages),
        }

    def _result(self, use: ToolUse, run: _Run) -> dict[str, Any]:
        tool = run.tools.get(use.name)
        asked = use.input.get(tool.argument) if tool is not None else None
        wrong = True
        if tool is None or not isinstance(asked, str) or not asked.strip():
            said = " or ".join(f"the tool {one.name} with {one.argument}" for one in run.tools.values())
        elif len(run.steps) >= self._config.max_steps:
            said = "no steps are left: call the answer tool"
        else:
            try:
                said, wrong = prompt.passages_text(run.look(tool, asked, "asked for by the model")), False
            except ConfigError as error:
                said = prompt.visible(f"{error.message}; {error.hint}")
        return {"type": "tool_result", "tool_use_id": use.id, "content": said, "is_error": wrong}


class _Run:
    def __init__(self, tools: Sequence[Tool]) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.passages: list[Passage] = []
        self.steps: list[Step] = []
        self.usage = Usage()

    def look(self, tool: Tool, asked: str, reason: str) -> tuple[Passage, ...]:
        found: tuple[Passage, ...] = ()
        try:
            found = tool.look(asked, len(self.passages) + 1)
        finally:  # what cannot be asked is a step as well: no model may try for ever
            self.passages += found
            chunk_ids = tuple(dict.fromkeys(chunk_id for passage in found for chunk_id in passage.chunk_ids))
            self.steps.append(Step(asked, chunk_ids, reason))
        return found


def _final(message: Message) -> Reply | None:
    """The answer in a message: the answer tool's input, or text that reads as one; None while it goes on looking."""
    for use in message.tool_uses:
        if use.name == "answer":
            return _from_tool(use)
    if message.tool_uses:
        return None
    return read_structured(message.text) or read_tagged(message.text)


def _from_tool(use: ToolUse) -> Reply:
    sentences = use.input.get("sentences")
    claims = [claim_of(item) for item in sentences] if isinstance(sentences, list) else []
    kept = tuple(claim for claim in claims if claim is not None and claim.text)
    found = use.input.get("found") is True and bool(kept)
    return Reply(found, kept if found else ())
