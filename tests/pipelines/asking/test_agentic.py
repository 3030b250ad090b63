"""Several searches for one answer, and the whole corpus as passages, over a real index in a folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ragcli.answer.model.anthropic import MessagesClient
from ragcli.answer.model.connection import Connection
from ragcli.answer.model.endpoint import find_endpoint
from ragcli.answer.model.searching import SearchingAnswerer
from ragcli.config import AnswerConfig, Config
from ragcli.pipelines.asking.agentic import ask_with_searches
from ragcli.pipelines.asking.inquiry import Inquiry, Keep
from ragcli.records import (
    Chunk,
    Document,
    Ranking,
    Retrieval,
    RetrievedChunk,
    Scope,
    Span,
)
from tests.answer.messages_server import Act, MessagesServer, answers, message, says, serving

TEXTS = {
    "leave.md": "Parental leave lasts twelve weeks.",
    "approval.md": "Parental leave is approved by the people team.",
    "parking.md": "Parking costs 10 euros a month.",
}


class _Tokenizer:
    def count(self, text: str) -> int:
        return len(text.split())

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        raise NotImplementedError


class _Engine:
    version = "v000001"

    def document(self, doc_id: str) -> Document:
        raise AssertionError("chunks are sent as they are")


def _chunk(doc_id: str) -> Chunk:
    text = TEXTS[doc_id]
    return Chunk(f"{doc_id}#1", doc_id, 1, Span(0, len(text)), text, doc_id)


def _retrieve(question: str, scope: Scope) -> Retrieval:
    wanted = {"long": "leave.md", "approves": "approval.md", "approval": "approval.md", "parking": "parking.md"}
    first = next((doc for word, doc in wanted.items() if word in question), "parking.md")
    docs = [first, *[doc for doc in sorted(TEXTS) if doc != first]][:2]
    hits = tuple(RetrievedChunk(rank, _chunk(doc), 1.0 / rank, source=doc) for rank, doc in enumerate(docs, start=1))
    return Retrieval(question, "hybrid", hits, {}, Ranking("fused", ()), None, "exact", 0, None, {"total": 1.0})


def _inquiry(question: str, config: Config | None = None, keep: Keep | None = None) -> Inquiry:
    return Inquiry(
        question=question,
        retrieve=_retrieve,
        engine=_Engine(),  # type: ignore[arg-type]
        tokenizer=_Tokenizer(),
        scope=Scope(),
        config=config or Config(),
        keep=keep,
    )


def _use(name: str, number: int, **given: Any) -> Act:
    block = {"type": "tool_use", "id": f"tu_{number}", "name": name, "input": given}
    return answers(message(content=[block], stop="tool_use"))


FINAL = {
    "found": True,
    "sentences": [
        {"text": "Parental leave lasts twelve weeks.", "citations": [{"passage": 1, "quote": "lasts twelve weeks"}]},
        {
            "text": "The people team approves it.",
            "citations": [{"passage": 2, "quote": "approved by the people team"}],
        },
    ],
}


def _search_and_answer(*script: Act, **settings: Any) -> tuple[Any, MessagesServer]:
    config = AnswerConfig(provider="anthropic", retries=0, **settings)
    with serving(*script) as server:
        endpoint = find_endpoint(server.url, "command line", {}, offline=False)
        answerer = SearchingAnswerer(config, MessagesClient(Connection(endpoint, timeout_seconds=5, retries=0)))
        result = ask_with_searches(
            _inquiry("How long is parental leave?", config=Config(answer=config)), answerer=answerer
        )
    return result, server


def test_the_model_searches_and_cites_what_it_saw() -> None:
    result, server = _search_and_answer(_use("search", 1, query="parking"), _use("answer", 2, **FINAL))
    assert [step.query for step in result.steps] == ["How long is parental leave?", "parking"]
    assert result.answer.passages == ("leave.md#1", "approval.md#1", "parking.md#1")
    assert [sentence.status for sentence in result.answer.sentences] == ["supported", "paraphrase"]
    assert result.answer.usage.input_tokens == 200
    second = server.bodies[1]["messages"]
    assert second[1]["content"][0]["type"] == "tool_use"
    shown = second[2]["content"][0]
    assert shown["tool_use_id"] == "tu_1"
    assert '<passage id="3" source="parking.md"' in shown["content"]
    assert "leave.md" not in shown["content"]


def test_after_the_last_step_it_must_answer() -> None:
    result, server = _search_and_answer(
        _use("search", 1, query="approval"), _use("answer", 2, found=False, sentences=[]), max_steps=2
    )
    assert [body["tool_choice"] for body in server.bodies] == [{"type": "auto"}, {"type": "tool", "name": "answer"}]
    assert (result.answer.found, result.answer.not_found_reason) == (False, "model_declined")
    assert len(result.steps) == 2


def test_a_model_that_answers_in_text_is_read_as_text() -> None:
    result, _ = _search_and_answer(says(json.dumps(FINAL)))
    assert [sentence.status for sentence in result.answer.sentences] == ["supported", "paraphrase"]


def test_a_wrong_tool_call_is_told_so() -> None:
    _, server = _search_and_answer(_use("delete_everything", 1), _use("answer", 2, **FINAL))
    assert server.bodies[1]["messages"][2]["content"][0]["is_error"] is True
