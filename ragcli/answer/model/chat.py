"""A request in the form of the Messages API said in the form of chat completions, and the reply said back. Pure.

Servers on people's own machines speak an older and smaller form than OpenAI's: texts are strings, not lists of blocks,
and nothing is sent that is not needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragcli.answer.model.message import Body, Message, ToolUse, checked, spoken
from ragcli.records import Usage

_STOP = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}


def chat_body(body: Body, *, is_own: bool) -> dict[str, Any]:
    """``body`` for chat completions; ``is_own`` for OpenAI's own server, whose newer models refuse ``max_tokens``."""
    system = body.get("system")
    messages = [{"role": "system", "content": _text(system)}] if system else []
    for message in body["messages"]:
        messages += _messages(message["role"], message["content"])
    said: dict[str, Any] = {
        "model": body["model"],
        "max_completion_tokens" if is_own else "max_tokens": body["max_tokens"],
        "messages": messages,
    }
    if wanted := body.get("output_config"):
        schema = {"name": "answer", "strict": True, "schema": wanted["format"]["schema"]}
        said["response_format"] = {"type": "json_schema", "json_schema": schema}
    if tools := body.get("tools"):
        said |= _tools(tools, body["tool_choice"])
    return said


def _tools(tools: Sequence[Mapping[str, Any]], choice: Mapping[str, str]) -> dict[str, Any]:
    """The tools and the choice among them. Not every server lets one be named: then it is the only one."""
    if choice["type"] != "tool":
        return {"tools": [_tool(tool) for tool in tools], "tool_choice": choice["type"]}
    return {"tools": [_tool(tool) for tool in tools if tool["name"] == choice["name"]], "tool_choice": "required"}


def _text(content: str | Sequence[Mapping[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(block["text"] for block in content if block["type"] == "text")


def _messages(role: str, content: str | Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One turn: here what a tool gave is a message of its own."""
    if isinstance(content, str):
        return [{"role": role, "content": content}]
    results = [_result(block) for block in content if block["type"] == "tool_result"]
    calls = [_call(block) for block in content if block["type"] == "tool_use"]
    text = _text(content)
    if calls:
        return [{"role": role, "content": text or None, "tool_calls": calls}]
    return [*results, {"role": role, "content": text}] if text or not results else results


def _result(block: Mapping[str, Any]) -> dict[str, Any]:
    wrong = "error: " if block.get("is_error") else ""
    return {"role": "tool", "tool_call_id": block["tool_use_id"], "content": f"{wrong}{_text(block['content'])}"}


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    given = json.dumps(block["input"], ensure_ascii=False)
    return {"id": block["id"], "type": "function", "function": {"name": block["name"], "arguments": given}}


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]}
    return {"type": "function", "function": function}


def message_of(text: str, calls: Iterable[tuple[str, str, str]], stop: str, usage: Usage, model: str) -> Message:
    """A reply as ours; ``calls`` are the id, name and JSON arguments of each call of a tool.

    Raises ValueError for a value of another type.
    """
    uses = tuple(ToolUse(id, name, _arguments(given)) for id, name, given in calls)
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    blocks += [{"type": "tool_use", "id": use.id, "name": use.name, "input": dict(use.input)} for use in uses]
    return checked(Message(spoken(text), _STOP.get(stop, stop), usage, model, uses, tuple(blocks)))


def _arguments(given: str) -> dict[str, Any]:
    """What a tool is called with; empty when the model wrote no object, so that the tool can say what it wants."""
    try:
        value = json.loads(given)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
