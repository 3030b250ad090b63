"""Evaluation over a real index; every stage broken on purpose in turn, and named."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ragcli.embed.loading import load_embedder
from ragcli.errors import ConfigError, GoldenError
from ragcli.evaluate.gate import judge_run
from ragcli.evaluate.run import EvalRun
from ragcli.index.folder import IndexFolder
from ragcli.interfaces import Embedder, Progress
from ragcli.pipelines.asking.ask import ask
from ragcli.pipelines.asking.inquiry import Inquiry
from ragcli.pipelines.asking.prefetch import Prefetched
from ragcli.pipelines.building.index import build_index
from ragcli.pipelines.evaluating.judge import rule_judge
from ragcli.pipelines.evaluating.seen import SeenDocuments
from ragcli.pipelines.evaluating.steps import Steps, case_scope
from ragcli.records import AskResult, Claim, Completion, Document, GoldenCase, Passage, Retrieval, Scope, Span, Usage
from tests.evaluate.project import HANDBOOK, Project, build, golden

REMOTE = '{"id": "remote", "question": "How many days may I work from home?", "expected_source": "remote.md"}'
CODE = '{"id": "code", "question": "E-4012", "expected": {"source": "errors.md", "quote": "the pump is dry"}}'
QUOTE = "Remote work is limited to two days per week."
QUOTED = (
    '{"id": "quoted", "question": "How many days may I work from home?", '
    f'"expected": {{"source": "remote.md", "quote": "{QUOTE}"}}}}'
)
SECRET = '{"id": "secret", "question": "When is the merger with Acme?", "expected_source": "secret.md"}'


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    made = build(tmp_path_factory.mktemp("handbook"))
    yield made
    made.engine.close()


def test_a_sound_pipeline_loses_nothing(project: Project) -> None:
    run = project.run(golden(REMOTE, CODE, QUOTED))
    assert run.losses == {}
    assert run.measures["Hit@1"].mean == 1.0
    assert run.measures["AP"].n == 3
    assert run.index_version == "v000001"
    assert run.corpus == SeenDocuments(project.engine, ()).fingerprint()
    assert [case.level for case in run.per_case] == ["document", "chunk", "chunk"]


def test_a_page_that_the_parser_drops(tmp_path: Path) -> None:
    def drop(document: Document) -> Document:
        cut = document.text.find(QUOTE)
        if cut < 0:
            return document
        blocks = tuple(
            dataclasses.replace(block, span=Span(block.span.start, min(block.span.end, cut)))
            for block in document.blocks
            if block.span.start < cut
        )
        sections = tuple(
            dataclasses.replace(section, span=Span(section.span.start, min(section.span.end, cut)))
            for section in document.sections
            if section.span.start < cut
        )
        return dataclasses.replace(document, text=document.text[:cut], blocks=blocks, sections=sections)

    broken = build(tmp_path, damage=drop)
    assert broken.run(golden(QUOTED, CODE)).losses == {"not_in_text": 1}


def test_a_quote_that_the_chunker_cuts(tmp_path: Path) -> None:
    long = (
        "The allowance for work outside of the office is, for everybody, in every team, two days, never more, a week."
    )
    broken = build(
        tmp_path,
        {**HANDBOOK, "remote.md": f"# Remote work\n\n{long}\n"},
        **{"chunk.strategy": "fixed", "chunk.max_tokens": 16},
    )
    row = f'{{"question": "days outside of the office", "expected": {{"source": "remote.md", "quote": "{long}"}}}}'
    run = broken.run(golden(row))
    assert run.losses == {"cut_by_chunking": 1}
    assert run.faults == {"cut_by_chunking": 1}


def test_a_filter_and_a_group_that_hide_the_document(project: Project) -> None:
    filtered = REMOTE.replace("}", ', "filters": ["source=travel.md"]}')
    assert project.run(golden(filtered, SECRET)).losses == {"not_in_corpus": 1, "filtered": 1}
    allowed = SECRET.replace("}", ', "groups": ["board"]}')
    assert project.run(golden(allowed)).losses == {}


class Deaf:
    """The engine with one leg that finds nothing."""

    def __init__(self, project: Project, leg: str) -> None:
        self._engine, self._leg = project.engine, leg

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)

    def lexical(self, query: str, depth: int, allowed: object) -> object:
        found = self._engine.lexical(query, depth, allowed)  # type: ignore[arg-type]
        return dataclasses.replace(found, hits=()) if self._leg == "bm25" else found

    def dense(self, vector: object, depth: int, allowed: object, method: str = "auto") -> object:
        found, how = self._engine.dense(vector, depth, allowed, method)  # type: ignore[arg-type]
        return (dataclasses.replace(found, hits=()) if self._leg == "dense" else found), how


BOTH = '{"question": "Cappuccino, E-4013", "expected_source": "errors.md"}'
MONEY = '{"question": "When do I get money?", "expected_source": "pay.md"}'


@pytest.mark.parametrize("off", ["setting", "broken"])
def test_bm25_off(project: Project, off: str) -> None:
    """The words put the code first, the meaning puts the drink first."""
    row = golden(BOTH)
    assert project.run(row, project.steps(row, k=1)).losses == {}
    if off == "setting":
        assert project.run(row, project.steps(row, mode="dense", k=1)).losses == {"bm25": 1}
        return
    deaf = dataclasses.replace(project, engine=Deaf(project, "bm25"))
    steps = dataclasses.replace(deaf.steps(row, k=1), probe=project.steps(row).probe)
    assert deaf.run(row, steps).losses == {"bm25": 1}


@pytest.mark.parametrize("off", ["setting", "broken"])
def test_dense_off(project: Project, off: str) -> None:
    """No word of the question stands in the passage."""
    row = golden(MONEY)
    assert project.run(row, project.steps(row, k=2)).losses == {}
    where = project if off == "setting" else dataclasses.replace(project, engine=Deaf(project, "dense"))
    mode = "bm25" if off == "setting" else "hybrid"
    assert where.run(row, where.steps(row, mode=mode, k=2)).losses == {"dense": 1}


class Reversed:
    """A reranker that likes best what was last."""

    name = "reversed"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        return [float(place) for place, _ in enumerate(texts)]


def test_a_reranker_reversed(project: Project) -> None:
    assert project.run(golden(REMOTE), project.steps(golden(REMOTE), reranker=Reversed(), k=3)).losses == {
        "reranking": 1
    }


def test_fusion_that_drowns_a_leg(project: Project) -> None:
    row = golden(BOTH)
    assert project.run(row, project.steps(row, dense_weight=1.0, k=1)).losses == {"fusion": 1}


KITCHEN = '{"question": "E-4012 espresso cappuccino machine kitchen", "expected_source": "errors.md"}'


def test_k_of_one(project: Project) -> None:
    row = golden(KITCHEN)
    assert project.run(row, project.steps(row, k=1)).losses == {"k": 1}
    assert project.run(row, project.steps(row, k=2)).losses == {}


def test_below_the_candidates(project: Project) -> None:
    """Both legs run and find something, and neither comes down to the passage."""
    row = golden(REMOTE.replace("remote.md", "coffee.md"))
    assert project.run(row, project.steps(row, depth=2, k=2)).losses == {"candidates": 1}


def test_a_window_that_cuts_every_chunk(tmp_path: Path) -> None:
    """The chunks were made for a model that reads more than the one that embeds them now."""
    furniture = "Chairs stand beside the tables, lamps hang above the tables, and plants stand on the window sills."
    pay = f"# Furniture\n\n{furniture} Salaries are paid on the last working day of the month.\n"
    texts = {**HANDBOOK, "pay.md": pay}
    row = golden(MONEY)
    whole = build(tmp_path, texts)
    assert whole.run(row, whole.steps(row, depth=2, k=2)).losses == {}
    whole.engine.close()
    short = load_embedder(dataclasses.replace(whole.config.embed, window=16), offline=True)
    with IndexFolder(whole.config.index_path).writer() as writer:
        build_index(config=whole.config, writer=writer, embedder=short)
    cut = Project(whole.config, IndexFolder(whole.config.index_path).open(), short)
    assert cut.run(row, cut.steps(row, depth=2, k=2)).losses == {"truncated": 1}
    cut.engine.close()


def test_measures_reach_below_k(project: Project) -> None:
    row = golden(KITCHEN)
    run = project.run(row, project.steps(row, k=1))
    assert len(run.per_case[0].retrieved) == 1
    assert run.measures["RR@10"].mean == 0.5


def test_a_depth_below_the_cutoffs_is_said(project: Project) -> None:
    shallow = dataclasses.replace(project.config.retrieve, depth=5)
    run = dataclasses.replace(project, config=dataclasses.replace(project.config, retrieve=shallow)).run(golden(REMOTE))
    assert run.notices == ("retrieve.depth is 5: measures at 10 see no more than that",)
    assert project.run(golden(REMOTE)).notices == ()


def test_a_golden_set_of_another_corpus_is_refused(project: Project) -> None:
    with pytest.raises(GoldenError, match=r"none of its 2 labels is in index v000001; first: x\.md"):
        project.run(golden('{"question": "q", "expected_sources": ["x.md", "y.md"]}'))


def test_a_label_that_left_the_corpus_is_no_miss(project: Project) -> None:
    gone = '{"id": "gone", "question": "Is there a gym?", "expected_source": "gym.md"}'
    run = project.run(golden(gone, REMOTE))
    assert (run.losses, run.faults) == ({"not_in_corpus": 1}, {"not_in_corpus": 1})
    assert run.measures["R@5"].mean == 0.5


def test_a_case_with_a_bad_filter_names_its_line(project: Project) -> None:
    bad = '{"question": "q", "expected_source": "remote.md", "filters": ["colour=red"]}'
    with pytest.raises(GoldenError, match=r"golden.jsonl:1: .*colour"):
        project.run(golden(bad))


def test_a_case_adds_its_filters_and_groups_to_the_scope(project: Project) -> None:
    case = GoldenCase("c", "q", filters=("lang=en",), groups=("b", "a"))
    scope = case_scope(case, Scope(groups=("a",), as_of="2026-01-01"), project.steps(golden(REMOTE)))
    assert (scope.groups, [str(item) for item in scope.filters], scope.as_of) == (("a", "b"), ["lang=en"], "2026-01-01")
    with pytest.raises(GoldenError, match="cannot be used"):
        case_scope(case, Scope(), Steps(lambda question, scope: None))  # type: ignore[arg-type,return-value]


def test_a_follow_up_is_searched_as_a_question_of_its_own(project: Project) -> None:
    row = golden(
        '{"question": "And E-4013?", "history": ["What does E-4012 mean?"], "expected_source": "errors.md"}',
        '{"question": "E-4012", "expected_source": "errors.md"}',
    )
    searched: list[str] = []
    steps = project.steps(row)

    def watched(question: str, scope: Scope) -> Retrieval:
        searched.append(question)
        return steps.retrieve(question, scope)

    made = dataclasses.replace(steps, retrieve=watched, standalone=lambda case: f"{case.history[0]} {case.question}")
    project.run(row, made)
    assert searched == ["What does E-4012 mean? And E-4013?", "E-4012"]


def test_progress_and_the_same_run_twice(project: Project) -> None:
    first, second = project.run(golden(REMOTE, CODE)), project.run(golden(REMOTE, CODE))
    assert first.measures == second.measures
    assert [case.items for case in first.per_case] == [case.items for case in second.per_case]


class Counting:
    """Counts the batches that reach the model."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self.batches = embedder, list[int]()

    def __getattr__(self, name: str) -> object:
        return getattr(self._embedder, name)

    def queries(self, texts: Sequence[str]) -> object:
        self.batches.append(len(texts))
        return self._embedder.queries(texts)

    def passages(self, texts: Sequence[str], progress: Progress | None = None) -> object:
        return self._embedder.passages(texts, progress)


def test_all_questions_are_embedded_in_one_batch(project: Project) -> None:
    counting = Counting(project.embedder)
    three = golden(REMOTE, CODE, SECRET)
    watched = dataclasses.replace(project, embedder=counting)
    watched.run(three, dataclasses.replace(watched.steps(three), probe=None))
    assert counting.batches == [3]
    ahead = Prefetched(counting, ["a", "b"])  # type: ignore[arg-type]
    assert (ahead.queries(["b"])[0] == project.embedder.queries(["b"])[0]).mean() > 0.9
    ahead.queries(["other"])
    assert counting.batches == [3, 2, 1]


# ---------------------------------------------------------------- baselines


def test_another_chunking_is_the_same_corpus_and_another_text_is_not(project: Project, tmp_path: Path) -> None:
    before = project.run(golden(REMOTE, CODE))
    again = build(tmp_path / "cut", **{"chunk.strategy": "fixed", "chunk.max_tokens": 32})
    assert again.engine.manifest.fingerprint != project.engine.manifest.fingerprint
    assert judge_run(again.run(golden(REMOTE, CODE)), fail_under={}, baseline=before, baseline_name="b").passed
    other = build(tmp_path / "other", {**HANDBOOK, "pay.md": "# Salary\n\nNothing is paid.\n"})
    with pytest.raises(ConfigError, match="another corpus"):
        judge_run(other.run(golden(REMOTE, CODE)), fail_under={}, baseline=before, baseline_name="b")


# ---------------------------------------------------------------- answers


class Says:
    """A generator that says what it is told to, citing passages by the document they come from."""

    def __init__(self, *claims: tuple[str, str, str], found: bool = True) -> None:
        self._claims, self._found = claims, found

    def generate(self, question: str, passages: Sequence[Passage]) -> Completion:
        number = {passage.chunk.doc_id: str(passage.number) for passage in reversed(passages)}
        claims = tuple(Claim(text, (number[doc_id],), (quote,)) for text, doc_id, quote in self._claims)
        return Completion(self._found, claims, "says", "m", Usage(3, 2), 0.9 if self._found else 0.1)


ANSWERED = (
    '{"id": "days", "question": "How many days may I work from home, and when is pay day?", '
    f'"expected": {{"source": "remote.md", "quote": "{QUOTE}"}}, "expected_answer_contains": "two days"}}'
)
RIGHT = (QUOTE, "remote.md", QUOTE)


def answered(project: Project, generator: Says, *rows: str, **answer: object) -> EvalRun:
    """The golden set asked through the real ask pipeline with this generator."""
    cases = golden(*(rows or (ANSWERED,)))
    retrieval = project.steps(cases)
    settings = dataclasses.replace(project.config.answer, **answer)  # type: ignore[arg-type]

    def asks(case: GoldenCase, scope: Scope) -> AskResult:
        inquiry = Inquiry(
            question=case.question,
            retrieve=retrieval.retrieve,
            engine=project.engine,
            tokenizer=project.embedder.tokenizer,
            scope=scope,
            config=dataclasses.replace(project.config, answer=settings),
        )
        return ask(inquiry, generator=generator)

    return project.run(cases, dataclasses.replace(retrieval, ask=asks))


def test_a_right_answer_is_not_lost_and_is_measured(project: Project) -> None:
    run = answered(project, Says(RIGHT))
    assert run.losses == {}
    for name in ("contains", "support_rate", "citation_precision", "citation_recall", "context_recall"):
        assert run.measures[name].mean == 1.0, name
    assert run.measures["abstention_recall"].n == 0
    assert (run.tokens["input_tokens"], run.tokens["output_tokens"]) == (3, 2)
    assert {"bm25", "dense", "retrieve", "generate", "total"} <= set(run.latency_ms)
    assert run.per_case[0].answer == QUOTE.replace(".", " [1].")


def test_a_generator_that_cites_another_passage(project: Project) -> None:
    assert answered(project, Says((QUOTE, "pay.md", QUOTE))).losses == {"citation": 1}


def test_a_generator_that_uses_another_passage(project: Project) -> None:
    pay = "Salaries are paid on the last working day of the month."
    assert answered(project, Says((pay, "pay.md", pay))).losses == {"generator": 1}


def test_a_generator_that_declines(project: Project) -> None:
    run = answered(project, Says(found=False))
    assert run.losses == {"declined": 1}
    assert run.measures["false_declines"].mean == 1.0


def test_a_budget_that_leaves_the_passage_out(project: Project) -> None:
    second = ANSWERED.replace(QUOTE, "Salaries are paid").replace("remote.md", "pay.md").replace("two days", "last")
    assert answered(project, Says(RIGHT), second, passages=1).losses == {"budget": 1}


def test_an_answer_where_there_is_none(project: Project) -> None:
    nothing = '{"id": "gym", "question": "How many days may I use the gym?", "answerable": false}'
    run = answered(project, Says(RIGHT), ANSWERED, nothing)
    assert run.losses == {"answered": 1}
    assert run.measures["false_answers"].mean == 1.0
    assert run.measures["abstention_recall"].mean == 0.0


def test_relevancy_and_a_judge_within_a_run(project: Project) -> None:
    cases = golden(ANSWERED)
    base = project.steps(cases)
    generator = Says(RIGHT)

    def asks(case: GoldenCase, scope: Scope) -> AskResult:
        inquiry = Inquiry(
            question=case.question,
            retrieve=base.retrieve,
            engine=project.engine,
            tokenizer=project.embedder.tokenizer,
            scope=scope,
            config=project.config,
        )
        return ask(inquiry, generator=generator)

    steps = dataclasses.replace(
        base,
        ask=asks,
        relevancy=lambda pairs: [0.25] * len(pairs),
        judge=rule_judge(lambda s, p: s in p, agreement="a"),
    )
    run = project.run(cases, steps)
    assert run.measures["answer_relevancy"].mean == 0.25
    assert run.measures["judge_faithfulness"].mean == 1.0
    assert run.measures["judge_relevancy"].mean is None
    assert run.judge["agreement"] == "a"
    assert [claim.claim for claim in run.per_case[0].claims] == [QUOTE]
