from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragcli.errors import ConfigError, NotFound
from ragcli.evaluate.trail import Trail
from ragcli.pipelines.evaluating.explain import explain
from ragcli.records import Filter, Scope
from tests.evaluate.project import Project, build, golden

NONE = golden('{"question": "q", "expected_source": "remote.md"}')
TODAY = Scope(as_of="2026-01-01")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    made = build(tmp_path_factory.mktemp("handbook"))
    yield made
    made.engine.close()


def trail(project: Project, question: str, *expect: str, **retrieval: object) -> Trail:
    (found,) = explain(question, expect, engine=project.engine, steps=project.steps(NONE, **retrieval), scope=TODAY)
    return found


def passed(found: Trail) -> dict[str, bool | None]:
    return {step.stage: step.passed for step in found.steps}


def test_a_quote_is_followed_to_the_end(project: Project) -> None:
    found = trail(project, "How many days from home?", "limited to two days per week")
    assert found.loss is None
    assert passed(found) == dict.fromkeys(
        ("corpus", "text", "chunks", "filters", "bm25", "dense", "fusion", "k"), True
    ) | {"reranking": None}
    detail = {step.stage: step.detail for step in found.steps}
    assert "remote.md: " in detail["corpus"]
    assert "line 3" in detail["text"]
    assert "remote.md#1 (" in detail["chunks"]
    assert detail["k"] == "final rank 1, k = 8"


@pytest.mark.parametrize("expect", ["remote.md", "remote", "remote.md#1", "remote.md#Remote work"])
def test_an_expectation_by_id_source_or_heading(project: Project, expect: str) -> None:
    assert trail(project, "How many days from home?", expect).loss is None


def test_a_leg_that_missed_is_searched_deeper(project: Project) -> None:
    found = trail(project, "When do I get money?", "paid on the last working day", mode="bm25", k=2)
    steps = {step.stage: step for step in found.steps}
    assert steps["bm25"].detail.endswith("not found when searched deeper either")
    assert steps["dense"].passed is None
    assert steps["dense"].detail.startswith("did not run; alone it would be at rank 1 with score")
    assert found.loss is not None
    assert found.loss.stage == "dense"


def test_a_hidden_document_and_one_that_is_not_there(project: Project) -> None:
    (hidden,) = explain(
        "When is the merger?",
        ["secret.md"],
        engine=project.engine,
        steps=project.steps(NONE),
        scope=Scope((Filter("source", "=", "travel.md"),), ("board",), "2026-01-01"),
    )
    assert passed(hidden)["filters"] is False
    assert hidden.loss is not None and hidden.loss.stage == "filtered"
    gone = trail(project, "When is the merger?", "gym.md")
    assert passed(gone) == {"corpus": False}
    assert gone.loss is not None and gone.loss.stage == "not_in_corpus"


def test_what_a_group_may_not_see_is_not_there(project: Project) -> None:
    assert passed(trail(project, "When is the merger?", "secret.md")) == {"corpus": False}
    assert passed(trail(project, "When is the merger?", "secret.md#1")) == {"corpus": False}
    with pytest.raises(NotFound, match="stands in no document's text"):
        trail(project, "When is the merger?", "merger with Acme is planned for May")


def test_each_expectation_has_its_own_loss(project: Project) -> None:
    found = explain(
        "How many days from home?",
        ["remote.md", "gym.md"],
        engine=project.engine,
        steps=project.steps(NONE),
        scope=TODAY,
    )
    assert [item.loss.stage if item.loss else None for item in found] == [None, "not_in_corpus"]


def test_a_quote_that_stands_nowhere_and_no_expectation(project: Project) -> None:
    with pytest.raises(NotFound, match="stands in no document's text"):
        trail(project, "q", "these words stand nowhere")
    with pytest.raises(ConfigError, match="nothing is expected"):
        trail(project, "q")
