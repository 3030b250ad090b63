"""The front door: the example in its docstring, the JSON of the commands, and the whole of it over any store."""

from __future__ import annotations

import datetime
import doctest
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragcli
from ragcli import Index
from ragcli.codec import encode
from ragcli.config import load
from ragcli.errors import ConfigError, NotFound, SourceError, StoreError
from ragcli.interfaces import Store
from tests.cli.running import REPOSITORY, here
from tests.engines.stores import STORES

QUESTION = "How many remote days per week can I take?"
ANSWER = "Remote work is limited to two days per week [1]."
FILES = {
    "remote.md": "# Remote work\n\nRemote work is limited to two days per week.\n",
    "wifi.md": "# Wifi\n\nThe password of the wifi is heron.\n",
    "board.md": "---\nacl: board\n---\n# Board\n\nThe merger with Acme is planned for May.\n",
    "leave.md": "# Leave\n\nEverybody has thirty days of paid vacation a year.\n",
}
GOLDEN = [
    {"id": "remote", "question": "How many remote days a week?", "expected_source": "remote.md"},
    {"id": "wifi", "question": "What is the password of the wifi?", "expected_source": "wifi.md"},
    {"id": "gym", "question": "Does the company pay for a gym?", "answerable": False},
]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(params=sorted(STORES))
def index(request: pytest.FixtureRequest, tmp_path: Path, docs: Path) -> Iterator[Index]:
    """The front door over a store of each kind, the documents ingested."""
    store: Store = STORES[request.param](tmp_path / "index")
    config = load(overrides={"index.path": str(tmp_path / "index")}, environ={}, cwd=tmp_path)
    with Index(config, store=store) as opened:
        assert opened.ingest([docs]).index_version == "v000001"
        yield opened


def golden(folder: Path) -> Path:
    path = folder / "golden.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in GOLDEN), encoding="utf-8")
    return path


# ------------------------------------------------------------ for guests


def test_the_example_is_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(REPOSITORY / "sample_corpus", tmp_path / "sample_corpus")
    monkeypatch.chdir(tmp_path)
    parsed = doctest.DocTestFinder(recurse=False).find(Index, "Index")
    assert [len(example.examples) for example in parsed] == [3]
    runner = doctest.DocTestRunner()
    assert runner.run(parsed[0]).failed == 0


def test_importing_the_package_loads_nothing() -> None:
    code = "import sys; before = set(sys.modules); import ragcli; print(sorted(set(sys.modules) - before))"
    environ = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['ragcli']"
    with pytest.raises(AttributeError, match="no attribute 'Indexes'"):
        _ = ragcli.Indexes


def test_create_and_open(tmp_path: Path, docs: Path) -> None:
    with pytest.raises(StoreError, match="no index in") as caught:
        Index.open(tmp_path / "i")
    assert caught.value.category == "index_missing"
    with Index.create(tmp_path / "i", config={"retrieve.mode": "bm25"}) as index:
        index.ingest([docs])
    with pytest.raises(StoreError, match="there is an index in"):
        Index.create(tmp_path / "i")
    (tmp_path / "rag.yaml").write_text("retrieve: {k: 1}\n", encoding="utf-8")
    with Index.open(tmp_path / "i", config=tmp_path / "rag.yaml") as index:
        assert len(index.search("wifi password").hits) == 1
    with pytest.raises(ConfigError, match="unknown key"):
        Index.open(tmp_path / "i", config={"retrieve.depht": 3})
    with pytest.raises(StoreError, match="v000009"):
        Index.open(tmp_path / "i", at="v000009").search("x")


def _without_times(value: Any) -> Any:
    changing = {"timings_ms", "trace_id", "seconds", "peak_bytes", "latency_ms", "created"}
    if isinstance(value, dict):
        return {key: _without_times(item) for key, item in value.items() if key not in changing}
    return [_without_times(item) for item in value] if isinstance(value, list) else value


def test_records_give_what_the_commands_print(tmp_path: Path, docs: Path) -> None:
    def printed(*arguments: str) -> Any:
        return _without_times(here(*arguments, "--index", str(tmp_path / "i"), "--json", cwd=tmp_path).json)

    with Index.create(tmp_path / "i") as index:
        made = index.ingest([docs])
        assert _without_times(made.to_json()) == printed("ingest", str(docs)) | {
            "added": 4,
            "unchanged": 0,
            "chunks": 4,
            "index_version": "v000001",
            "recall_at_10": made.to_json()["recall_at_10"],
        }
        assert _without_times(index.search("wifi").to_json()) == printed("search", "wifi")
        assert _without_times(index.ask(QUESTION).to_json()) == printed("ask", QUESTION)
        explained = index.explain(QUESTION, ["two days per week"]).to_json()
        assert explained == printed("explain", QUESTION, "--expect", "two days per week")
        assert [_without_times(encode(info)) for info in index.versions] == printed("versions", "list")
        assert index.versions.verify().to_json() == printed("versions", "verify")
        assert [item.to_json() for item in index.inspect("wifi.md")] == [printed("inspect", "wifi.md")]
        measured = json.loads(json.dumps(index.evaluate(golden(tmp_path)).to_json()))
        assert _without_times(measured) == printed("eval", str(golden(tmp_path)))
        assert index.traces.stats()["questions"] == printed("stats")["questions"] == 2
        assert index.plan_ingest([docs]).to_json()["dry_run"]


# ------------------------------------------------------------ over any store


def test_questions_are_answered_from_the_version_that_was_published_last(index: Index, docs: Path) -> None:
    result = index.ask(QUESTION)
    assert (result.answer.text, result.index_version) == (ANSWER, "v000001")
    (docs / "remote.md").write_text("# Remote work\n\nRemote work is limited to three days per week.\n", "utf-8")
    assert index.ingest([docs]).parsed.changed == 1
    assert index.ask(QUESTION).answer.text == ANSWER.replace("two", "three")
    index.versions.use("v000001")
    assert index.ask(QUESTION).answer.text == ANSWER
    found = index.versions.diff("v000001", "v000002", scope=index.scope()).to_json()
    assert (found["changed"], found["chunks_gained"], found["chunks_lost"]) == (["remote.md"], 1, 1)
    assert index.versions.current == "v000001"
    assert index.versions.verify().faults == ()
    assert index.versions.prune(1) == ()
    (docs / "leave.md").unlink()
    assert index.ingest([docs], max_delete=50).parsed.removed == 1
    assert index.versions.current == "v000003"


def test_groups_open_what_is_closed(index: Index) -> None:
    question = "When is the merger with Acme planned?"
    assert not index.ask(question).answer.found
    assert "May" in index.ask(question, groups=["board"]).answer.text
    with pytest.raises(NotFound):
        index.inspect("board.md")
    assert index.inspect("board.md", groups=["board"])[0].chunks
    assert [trace.found for trace in index.traces.list()] == [False]
    assert [trace.found for trace in index.traces.list(["board"])] == [False, True]


def test_a_conversation_goes_on(index: Index) -> None:
    index.ask("What is the password of the wifi?", session="talk")
    index.ask("And how many remote days per week can I take?", session="talk")
    assert [turn.found for turn in index.sessions.turns("talk")] == [True, True]
    assert [(info.name, info.turns) for info in index.sessions.list()] == [("talk", 2)]
    index.sessions.drop("talk")
    assert index.sessions.list() == []


def test_a_golden_set_is_measured_and_checked(index: Index, tmp_path: Path) -> None:
    path = golden(tmp_path)
    found = index.evaluate(path, fail_under={"R@5": 0.9})
    assert found.verdict.passed
    assert found.run.measures["R@5"].mean == 1.0
    found.save(tmp_path / "main.json")
    again = index.evaluate(path, answers=False, baseline=tmp_path / "main.json")
    assert again.verdict.passed
    assert "<html" in again.report("eval.html")
    assert index.golden.lint(path, scope=index.scope()).cases == 3
    drafts, usage = index.golden.draft(scope=index.scope(), limit=20)
    assert all("Acme" not in draft.question for draft in drafts)
    assert usage.input_tokens == 0
    row = index.golden.promote(index.traces.feedback(index.ask(QUESTION).trace_id, "good"))
    assert index.golden.append(path, [row]) == 1


def test_settings_are_compared_on_stores_of_their_own(index: Index, tmp_path: Path) -> None:
    (tmp_path / "matrix.yaml").write_text("rows: {now: {}, small: {chunk.max_tokens: 16}}\n", encoding="utf-8")

    def configure(changes: dict[str, object]) -> Any:
        return load(overrides=changes, environ={}, cwd=tmp_path)

    _, rows = index.evaluate_matrix(tmp_path / "matrix.yaml", golden(tmp_path), configure=configure, answers=False)
    assert [row.built for row in rows] == ["at hand", "variant 1"]
    assert [info.version for info in index.versions] == ["v000001"]


def test_one_question_is_followed(index: Index) -> None:
    found = index.explain(QUESTION, ["two days per week"], answers=False)
    assert [trail.loss for trail in found.trails] == [None]
    assert index.source_path("remote.md") is not None
    assert index.plan_prompt(QUESTION).request is None


def test_what_is_forgotten_is_gone(index: Index) -> None:
    index.ask("What is the password of the wifi?", session="talk")
    result = index.forget(["wifi.md"])
    assert (result.doc_ids, result.still_found) == (("wifi.md",), ())
    assert all("heron" not in hit.chunk.text for hit in index.search("password heron").hits)
    assert (index.traces.list(), index.sessions.turns("talk")) == ([], [])


def test_documents_are_cut_again_and_the_index_made_anew(index: Index) -> None:
    assert index.chunk().documents == 4
    built = index.build(rebuild=True)
    assert (built.documents, built.index_version) == (4, "v000002")
    assert index.plan_chunking() is None


def test_a_strict_ingest_that_loses_a_file_publishes_nothing(index: Index, docs: Path) -> None:
    (docs / "bad.docx").write_bytes(b"PK\x03\x04 broken")
    found = index.ingest([docs], strict=True)
    assert (found.built, [report.path for report in found.parsed.lost]) == (None, ["bad.docx"])
    assert index.versions.current == "v000001"


def test_one_name_is_one_name_and_not_its_letters(index: Index) -> None:
    assert [hit.source for hit in index.search("merger", groups="board").hits] == [
        hit.source for hit in index.search("merger", groups=["board"]).hits
    ]
    with pytest.raises(ConfigError, match="'lang'"):
        index.search("merger", filters="lang")
    with pytest.raises(SourceError, match="'nosuch'"):
        index.forget("nosuch")


def test_an_option_that_is_none_is_refused(index: Index) -> None:
    with pytest.raises(TypeError, match="no option 'k'"):
        index.search("merger", k=3)  # type: ignore[call-arg]


def test_what_was_made_closed_is_not_open_where_its_settings_are_not_found(tmp_path: Path, docs: Path) -> None:
    place = tmp_path / "closed.index"
    with Index.create(place, config={"index.default_acl": ["staff"]}) as closed:
        closed.ingest(docs)
    with Index.open(place) as plain:
        assert not plain.search("vacation").hits
        assert plain.search("vacation", groups=["staff"]).hits
    with Index.open(place, config={"index.default_acl": ["board"]}) as other:
        for groups in (["staff"], ["board"], ["staff", "board"]):
            assert "leave.md" not in {hit.source for hit in other.search("vacation", groups=groups).hits}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda index: index.ask(None), "a question is text, not None"),
        (lambda index: index.search(b"cat"), "a question is text, not b'cat'"),
        (lambda index: index.explain(5, "x"), "a question is text, not 5"),
        (lambda index: index.sql(None), "a query is text, not None"),
        (lambda index: index.search("q", groups=5), "a group is text, or several are a list of texts, not 5"),
        (lambda index: index.search("q", groups=[None]), "a group is text, not None"),
        (lambda index: index.search("q", filters=[1]), "a filter is text, not 1"),
        (lambda index: index.search("q", as_of=5), "as_of is text, not 5"),
        (lambda index: index.search("q", include_superseded="no"), "include_superseded is True or False, not 'no'"),
        (lambda index: index.evaluate(5), "a golden set is a GoldenSet or the path of its file, not 5"),
        (lambda index: index.forget([5]), "a source is text, not 5"),
    ],
)
def test_a_value_of_the_wrong_type_is_named(call: Any, says: str, docs: Path, tmp_path: Path) -> None:
    with Index.create(tmp_path / ".rag", config={"trace.enabled": False}) as index:
        index.ingest(docs)
        with pytest.raises(TypeError) as caught:
            call(index)
        assert str(caught.value) == says


def test_a_date_may_be_one_a_quote_stands_alone_and_a_closed_index_opens_again(docs: Path, tmp_path: Path) -> None:
    index = Index.create(tmp_path / ".rag")
    index.ingest(docs)
    index.close()
    assert index.search("remote work", as_of=datetime.date(2026, 1, 1)).scope.as_of == "2026-01-01"
    assert index.explain("How many remote days?", "limited to two days").trails[0].loss is None
    with pytest.raises(ConfigError, match="no source is named"):
        index.forget([])
