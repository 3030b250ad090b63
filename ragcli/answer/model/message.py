"""What goes to a model and comes back, whatever form its server speaks.

A request is written in the form of the Messages API: ``model``, ``max_tokens``, ``system``, ``messages``, ``tools``,
``tool_choice``, ``output_config``. A client that speaks another form says it in that form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ragcli.answer.model.endpoint import Endpoint
from ragcli.records import Usage

_THOUGHTS = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
Body = Mapping[str, Any]
CUT_OFF = ("max_tokens", "model_context_window_exceeded")
"""Reasons to stop that leave an answer incomplete."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool the model wants used."""

    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One reply. ``text`` is without thoughts; ``content`` are its blocks as a conversation must send them back."""

    text: str
    stop_reason: str
    usage: Usage
    model: str
    tool_uses: tuple[ToolUse, ...] = ()
    content: tuple[Mapping[str, Any], ...] = ()


def checked(message: Message) -> Message:
    """The message. Raises ValueError when a value in it is of another type: the SDKs do not look."""
    usage = message.usage
    counts = (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    texts = [message.text, message.stop_reason, message.model]
    texts += [text for use in message.tool_uses for text in (use.id, use.name)]
    inputs = [use.input for use in message.tool_uses]
    right = all(type(count) is int for count in counts) and all(isinstance(text, str) for text in texts)
    if not right or not all(isinstance(given, Mapping) for given in inputs):
        raise ValueError("a value in its reply is of the wrong type")
    return message


def piece(text: object) -> str:
    """A piece of a reply. Raises ValueError when it is no text."""
    if not isinstance(text, str):
        raise ValueError(f"a piece of its reply is no text: {str(text)[:80]!r}")
    return text


def spoken(text: str) -> str:
    """A reply without the thoughts before it, which some servers leave in the text; empty while they go on."""
    return _THOUGHTS.sub("", text, count=1)


Batch = Callable[[Sequence[Body]], Iterator[tuple[int, Message]]]
"""Replies to many requests at half the price, each with the index of its request, in any order."""


class ModelClient(Protocol):
    """A connection to one server. Every method raises ModelError with a category and what to do."""

    @property
    def endpoint(self) -> Endpoint:
        """The server."""

    @property
    def batch(self) -> Batch | None:
        """How many requests are sent at once at a lower price; None where that is not offered."""

    def send(self, body: Body) -> Message:
        """The whole reply."""

    def stream(self, body: Body) -> Iterator[str | Message]:
        """The text of the reply piece by piece; last the reply as a whole.

        A connection that breaks after the first piece is not tried again: what was shown cannot be taken back.
        """

    def reach(self, model: str) -> None:
        """Ask the least that shows whether the server is there and has the model."""
