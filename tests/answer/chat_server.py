"""What the local server of ``messages_server`` says when it speaks the wire format of chat completions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.answer.messages_server import Act, Handler, answers, sends_event


def chat_message(
    text: str | None = "",
    *,
    stop: str = "stop",
    calls: Sequence[tuple[str, dict[str, Any]]] = (),
    refusal: str | None = None,
    cached: int = 0,
) -> dict[str, Any]:
    """A completion as the API returns it; ``calls`` are names of tools with what they are given."""
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": refusal}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for n, (name, given) in enumerate(calls, start=1)
        ]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-test-1",
        "choices": [{"index": 0, "message": message, "finish_reason": stop, "logprobs": None}],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }


def chat_says(text: str | None, **more: Any) -> Act:
    """An act: a completion with this text."""
    return answers(chat_message(text, **more))


def chat_fails(status: int, kind: str, said: str = "a message from the server", **headers: str) -> Act:
    """An act: an error in the API's form."""
    return answers({"error": {"message": said, "type": kind, "code": kind, "param": None}}, status, **headers)


def chat_streams(
    text: str,
    *,
    piece: int = 7,
    cut_after: int | None = None,
    error_after: int | None = None,
    end_after: int | None = None,
    stop: str = "stop",
) -> Act:
    """An act: the text as server-sent events; after so many pieces the connection cut, an error sent, or the end."""

    def act(handler: Handler) -> None:
        handler.begin_stream()
        _chunk(handler, {"role": "assistant", "content": ""})
        for number, at in enumerate(range(0, len(text), piece)):
            if number == cut_after:
                handler.close_connection = True
                handler.connection.close()
                return
            if number == error_after:
                error = {"message": "Overloaded", "type": "overloaded_error", "code": 529}
                sends_event(handler, {"error": error})
                break
            if number == end_after:
                break
            _chunk(handler, {"content": text[at : at + piece]})
        else:
            _chunk(handler, {}, stop)
            usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
            sends_event(handler, _frame(choices=[], usage=usage))
            handler.send_chunk(b"data: [DONE]\n\n")
        handler.send_chunk(b"")

    return act


def _chunk(handler: Handler, delta: dict[str, Any], stop: str | None = None) -> None:
    sends_event(handler, _frame(choices=[{"index": 0, "delta": delta, "finish_reason": stop}]))


def _frame(**more: Any) -> dict[str, Any]:
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test-1", **more}
