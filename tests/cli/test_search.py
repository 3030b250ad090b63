"""``rag search`` over the sample corpus."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragcli.cli.views.places import snippet
from ragcli.index.engine import FolderEngine
from ragcli.records import DenseMethod, Ranking
from tests.cli.running import REPOSITORY, environment, here

KEYS = [
    "schema",
    "query",
    "index_version",
    "mode",
    "dense_method",
    "filters",
    "groups",
    "superseded_hidden",
    "hits",
    "timings_ms",
]
HIT_KEYS = [
    "rank",
    "chunk_id",
    "doc_id",
    "source",
    "title",
    "heading_path",
    "page",
    "lines",
    "score",
    "bm25_rank",
    "bm25_score",
    "dense_rank",
    "dense_score",
    "rerank_score",
    "also_in",
    "text",
]


def test_json_has_the_keys_of_the_contract(sample_index: Path, tmp_path: Path) -> None:
    ran = here("search", "remote days", "-k", "3", "--index", str(sample_index), "--json", cwd=tmp_path)
    value = ran.json
    assert ran.code == 0
    assert set(KEYS) <= set(value)
    assert (value["schema"], value["index_version"], value["mode"]) == ("rag.search/1", "v000001", "hybrid")
    assert value["dense_method"] in ("exact", "hnsw")
    assert [hit["rank"] for hit in value["hits"]] == [1, 2, 3]
    assert all(set(HIT_KEYS) <= set(hit) for hit in value["hits"])
    best = value["hits"][0]
    assert best["source"] == "hr/remote-policy.md"
    assert best["heading_path"][-1] == "Limits"
    first, last = best["lines"]
    lines = (REPOSITORY / "sample_corpus" / best["source"]).read_text(encoding="utf-8").splitlines()[first - 1 : last]
    assert "\n".join(lines).strip() == best["text"].strip()
    assert [hit["score"] for hit in value["hits"]] == sorted((hit["score"] for hit in value["hits"]), reverse=True)


def test_text_names_place_and_legs(sample_index: Path, tmp_path: Path) -> None:
    ran = here("search", "E-4012", "--mode", "bm25", "-k", "1", "--index", str(sample_index), cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("1. Error codes of meters and gateways > Meters > E-4012\n   products/error-codes.md:")
    assert "bm25 #1 (" in ran.out
    assert "dense" not in ran.out


def test_nothing_matches_is_exit_4(sample_index: Path, tmp_path: Path) -> None:
    ran = here("search", "zyzzyva", "--mode", "bm25", "--index", str(sample_index), "--json", cwd=tmp_path)
    assert ran.code == 4
    assert ran.json["hits"] == []
    text = here("search", "zyzzyva", "--mode", "bm25", "--index", str(sample_index), cwd=tmp_path)
    assert (text.code, text.out) == (4, "")
    assert text.err.endswith("nothing matches\n")


def test_groups_filters_and_dates_bind_the_search(sample_index: Path, tmp_path: Path) -> None:
    def sources(*options: str, **env: str) -> set[str]:
        ran = here(
            "search",
            "bonus pool headcount",
            "-k",
            "50",
            "--json",
            "--index",
            str(sample_index),
            *options,
            cwd=tmp_path,
            env=env,
        )
        return {hit["source"] for hit in ran.json["hits"]}

    secret = {"leadership/bonus-pool.md", "leadership/headcount-plan-2027.md"}
    assert not secret & sources()
    assert secret <= sources("--as", "leadership")
    assert secret <= sources(RAG_GROUPS="leadership")
    assert not secret & sources("--as", "hr", RAG_GROUPS="leadership")
    assert {source.split("/")[0] for source in sources("--filter", "source~hr/**")} == {"hr"}
    assert sources("--filter", "lang=de") == {"hr/de/arbeitszeit-hamburg.md"}
    assert "hr/archive/remote-policy-2024.md" in sources("--include-superseded", "--filter", "source~hr/archive/*")
    assert "hr/archive/remote-policy-2024.md" not in sources("--filter", "source~hr/**")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--filter", "colour=red"], "colour"),
        (["--filter", "date>=2026-02-30"], "2026-02-30"),
        (["--filter", "lang"], "lang"),
        (["--as-of", "tomorrow"], "tomorrow"),
        (["--as", ""], "--as names no group"),
        (["-k", "0"], "0"),
        (["--mode", "fuzzy"], "fuzzy"),
    ],
)
def test_a_wrong_option_is_exit_2_and_never_an_empty_result(
    options: list[str], message: str, sample_index: Path, tmp_path: Path
) -> None:
    ran = here("search", "remote", "--index", str(sample_index), *options, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_an_index_that_is_not_there_is_exit_6_and_says_how_to_make_one(tmp_path: Path) -> None:
    ran = here("search", "remote", "--json", cwd=tmp_path)
    assert ran.code == 6
    assert ran.json["error"]["category"] == "index_missing"
    assert "rag ingest" in ran.json["error"]["hint"]
    assert not (tmp_path / ".rag").exists()
    missing = here("search", "remote", "--at", "v000009", cwd=tmp_path)
    assert missing.code == 6


def test_another_model_is_refused_with_both_values(sample_index: Path, tmp_path: Path) -> None:
    env = {"RAG_EMBED__PASSAGE_PREFIX": "passage: "}
    ran = here("search", "remote", "--index", str(sample_index), "--json", cwd=tmp_path, env=env)
    assert ran.code == 6
    error = ran.json["error"]
    assert error["category"] == "index_incompatible"
    assert "''" in error["message"] and "'passage: '" in error["message"]
    assert "rag index" in error["hint"]
    assert here("search", "remote", "--mode", "bm25", "--index", str(sample_index), cwd=tmp_path, env=env).code == 0


def test_a_lexical_search_loads_no_model(sample_index: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from ragcli.cli.main import main; "
        f"main(['search', 'remote days', '--mode', 'bm25', '--index', {str(sample_index)!r}, '--json']); "
        "import json; print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    result, modules = (json.loads(line) for line in done.stdout.splitlines())
    assert result["hits"]
    assert "tantivy" in modules
    assert not {"onnxruntime", "tokenizers", "torch", "sentence_transformers", "hnswlib", "rich", "anthropic"} & set(
        modules
    )


def test_a_snippet_does_not_repeat_the_headings_above_it() -> None:
    path = ("Error codes", "Meters", "E-4012")
    assert snippet("## Meters\n\n### E-4012\n\nThe zero point\nhas drifted.", path, 80) == "The zero point has drifted."
    assert snippet("Meters", path, 80) == "Meters"
    assert snippet("## Gateways\n\nReset.", path, 80) == "## Gateways Reset."


def test_a_version_that_is_served_otherwise_than_built_says_so(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FolderEngine, "notices", ("the graph cannot be loaded: exact search serves",))
    ran = here("search", "E-4012", "--mode", "bm25", "--index", str(sample_index), cwd=tmp_path)
    assert ran.err == "warning: the graph cannot be loaded: exact search serves\n"


def test_a_scan_of_bit_codes_is_exact_in_its_scores_and_names_its_first_pass(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = here("search", "remote days", "--index", str(sample_index), "--json", cwd=tmp_path).json
    assert (plain["dense_method"], plain["dense_first_pass"]) == ("exact", None)

    dense = FolderEngine.dense

    def large_corpus(engine: FolderEngine, *arguments: Any) -> tuple[Ranking, DenseMethod]:
        return dense(engine, *arguments)[0], "quantised"

    monkeypatch.setattr(FolderEngine, "dense", large_corpus)
    coded = here("search", "remote days", "--index", str(sample_index), "--json", cwd=tmp_path).json
    assert (coded["dense_method"], coded["dense_first_pass"]) == ("exact", "bit_codes")
    told = here("search", "remote days", "--index", str(sample_index), "-v", cwd=tmp_path).err
    assert "dense method: exact after a first pass over bit codes;" in told
