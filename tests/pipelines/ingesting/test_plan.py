"""A plan is exact over a sample that holds everything, and in proportion over one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli.config import ChunkConfig, Config
from ragcli.config.sections import EmbedConfig
from ragcli.embed.loading import load_embedder
from ragcli.parse.files.walk import SourceFile, walk
from ragcli.pipelines.ingesting.plan import SAMPLE_BYTES, SAMPLE_FILES, plan, sample


def file(name: str, size: int) -> SourceFile:
    return SourceFile(Path(name), name, size, 0)


def test_the_sample_is_spread_over_the_sizes_and_bounded() -> None:
    files = [file(f"{n:04}", n) for n in range(1, 1001)]
    chosen = sample(files)
    assert len(chosen) <= SAMPLE_FILES
    assert chosen == sample(list(reversed(files)))
    assert chosen[0].size == 1 and chosen[-1].size > 900
    big = [file("a", 1), file("b", SAMPLE_BYTES), file("c", SAMPLE_BYTES)]
    assert [item.relative for item in sample(big)] == ["a"]
    assert sample(big[1:]) == [big[1]]
    assert sample([]) == []


def found(folder: Path) -> list[SourceFile]:
    return [item for item in walk(folder, Config().ingest) if isinstance(item, SourceFile)]


@pytest.fixture(scope="module")
def embedder() -> object:
    return load_embedder(EmbedConfig())


def test_a_plan_over_everything_counts_what_is_there(tmp_path: Path, embedder: object) -> None:
    for n in range(3):
        (tmp_path / f"{n}.md").write_text(f"# Rule {n}\n\nRule {n} says that {n} is a number.\n")
    made = plan(found(tmp_path), config=Config(), embedder=embedder)  # type: ignore[arg-type]
    assert (made.files, made.sampled, made.pages, made.chunks) == (3, 3, 3, 3)
    assert (made.calls, made.dollars) == (0, 0.0)
    priced = Config(chunk=ChunkConfig(context="anthropic"))
    asked = plan(found(tmp_path), config=priced, embedder=embedder)  # type: ignore[arg-type]
    assert asked.calls == 3 and asked.dollars is not None and asked.dollars > 0


def test_a_plan_over_a_sample_is_in_proportion(tmp_path: Path, embedder: object) -> None:
    text = "# Rule\n\nThe rule says that this is a rule.\n"
    for n in range(2 * SAMPLE_FILES):
        (tmp_path / f"{n:03}.md").write_text(text)
    made = plan(found(tmp_path), config=Config(), embedder=embedder)  # type: ignore[arg-type]
    assert (made.files, made.sampled) == (2 * SAMPLE_FILES, SAMPLE_FILES)
    assert (made.pages, made.chunks) == (2 * SAMPLE_FILES, 2 * SAMPLE_FILES)


def test_a_plan_for_nothing() -> None:
    made = plan([], config=Config(), embedder=load_embedder(EmbedConfig()))
    assert (made.files, made.chunks, made.tokens, made.seconds) == (0, 0, 0, pytest.approx(0, abs=0.5))
