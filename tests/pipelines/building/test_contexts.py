"""Contexts through the chunk pipeline: asked once, kept, resumed after a failure, planned without a call."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ragcli.chunk.plan import ContextPlan
from ragcli.config import ChunkConfig, Config
from ragcli.errors import ConfigError, ModelError
from ragcli.index.folder import IndexFolder
from ragcli.index.publishing.writer import Writer
from ragcli.pipelines.building.chunk import ChunkResult, chunk, plan_contexts
from ragcli.records import ModelRequest, Usage
from tests.pipelines.building.test_chunk import WordEmbedder, page, put

SETTINGS = Config(chunk=ChunkConfig(max_tokens=10, min_tokens=0, context="anthropic"))


class Echo:
    """Replies with the first words of the chunk it was asked about, last request first."""

    name = "claude-sonnet-4-5"

    def __init__(self, fail_after: int = 1000) -> None:
        self.asked: list[ModelRequest] = []
        self.fail_after = fail_after

    def complete_many(self, requests: Sequence[ModelRequest], *, max_tokens: int) -> Iterator[tuple[int, str, Usage]]:
        for done, index in enumerate(reversed(range(len(requests)))):
            if done == self.fail_after:
                raise ModelError("overloaded")
            self.asked.append(requests[index])
            words = requests[index].prompt.split("<chunk>\n")[1].split()[:3]
            yield index, "About " + " ".join(words), Usage(10, 1)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    with IndexFolder(tmp_path / ".rag").writer() as opened:
        put(opened, page("a.md", 4), page("b.md", 2))
        yield opened


def run(writer: Writer, model: Echo | None, config: Config = SETTINGS) -> ChunkResult:
    return chunk(config=config, writer=writer, embedder=WordEmbedder(window=100), model=model)


def test_each_chunk_gets_its_own_context_and_none_is_asked_for_twice(writer: Writer) -> None:
    model = Echo()
    result = run(writer, model)
    assert result.usage == Usage(60, 6) and len(model.asked) == 6
    contexts = [c.context for c in writer.staging.chunks("a.md")]
    assert contexts == [f"About Sentence number {n}" for n in range(4)]
    put(writer, page("b.md", 3))
    again = Echo()
    run(writer, again)
    assert len(again.asked) == 3


def test_a_failure_keeps_what_was_answered_and_stages_nothing_half_done(writer: Writer) -> None:
    with pytest.raises(ModelError):
        run(writer, Echo(fail_after=4))
    assert writer.staging.chunk_keys() == {}
    again = Echo()
    run(writer, again)
    assert len(again.asked) == 2
    assert all(c.context for doc in ("a.md", "b.md") for c in writer.staging.chunks(doc))


def test_without_a_model_nothing_is_touched(writer: Writer) -> None:
    with pytest.raises(ConfigError, match=r"chunk\.context"):
        run(writer, None)
    assert writer.staging.chunk_keys() == {}


def test_another_model_writes_its_own_contexts(writer: Writer) -> None:
    run(writer, Echo())
    other = Echo()
    other.name = "claude-haiku-4-5"
    assert run(writer, other).rechunked == 2
    assert len(other.asked) == 6


def test_the_plan_counts_calls_and_asks_nothing(writer: Writer) -> None:
    def planned(config: Config) -> ContextPlan | None:
        return plan_contexts(
            config=config, writer=writer, embedder=WordEmbedder(window=100), model_name="claude-sonnet-4-5"
        )

    found = planned(SETTINGS)
    assert found is not None and (found.calls, found.cached_replies) == (6, 0)
    assert found.usage.output_tokens == 600 and found.dollars is not None
    assert writer.staging.chunk_keys() == {}
    assert planned(Config()) is None
    with pytest.raises(ModelError):
        run(writer, Echo(fail_after=2))
    resumed = planned(SETTINGS)
    assert resumed is not None and (resumed.calls, resumed.cached_replies) == (4, 2)
    run(writer, Echo())
    after = planned(SETTINGS)
    assert after is not None and after.calls == 0


def test_the_way_of_asking_changes_no_chunk(writer: Writer) -> None:
    run(writer, Echo())
    batched = Config(chunk=dataclasses.replace(SETTINGS.chunk, context_batch=True))
    assert run(writer, Echo(), batched).rechunked == 0
