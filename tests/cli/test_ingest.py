"""``rag ingest``, ``chunk``, ``index`` and ``versions`` on a small folder: what is printed, kept and refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragcli.index.folder import IndexFolder
from tests.cli.running import environment, here, rag

FILE_KEYS = [
    "path",
    "documents",
    "pages",
    "pages_with_text",
    "ocr_pages",
    "image_only_pages",
    "tables",
    "encoding",
    "language",
    "garbage_ratio",
    "stripped_lines",
    "duplicates_of",
    "skipped",
    "warnings",
]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "leave.md").write_text("# Leave\n\nEvery employee has 28 days of leave a year.\n")
    (folder / "cars.md").write_text("# Cars\n\nA company car is for directors. It is returned on the last day.\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    return folder


def test_one_command_leads_to_an_answer(docs: Path, tmp_path: Path) -> None:
    ran = here("ingest", "docs", "--json", "--report", "coverage.json", cwd=tmp_path)
    assert ran.code == 0
    value = ran.json
    assert json.loads((tmp_path / "coverage.json").read_text()) == value
    assert value["schema"] == "rag.ingest/1"
    assert [set(FILE_KEYS) <= set(file) for file in value["files"]] == [True] * 3
    assert [file["path"] for file in value["files"]] == ["broken.pdf", "cars.md", "leave.md"]
    assert value["files"][0]["skipped"] and value["files"][1]["skipped"] is None
    assert (value["added"], value["changed"], value["removed"], value["unchanged"]) == (2, 0, 0, 0)
    assert (value["truncated_chunks"], value["index_version"]) == (0, "v000001")
    assert {"parse", "chunk", "embed"} <= set(value["seconds"])
    assert 50_000_000 < value["peak_bytes"] < 4_000_000_000
    assert "28 days" in here("ask", "How many days of leave are there?", cwd=tmp_path).out

    again = here("ingest", "docs", cwd=tmp_path)
    assert again.out.endswith("nothing changed: no new version\n")
    assert "broken.pdf" in again.out

    (docs / "cars.md").unlink()
    guarded = here("ingest", "docs", "--json", "--max-delete", "0", cwd=tmp_path)
    assert (guarded.code, guarded.json["error"]["category"]) == (2, "max_delete")
    removed = here("ingest", "docs", "--json", cwd=tmp_path).json
    assert (removed["removed"], removed["index_version"]) == (1, "v000002")

    listed = here("versions", "--json", cwd=tmp_path).json
    keys = {"version", "created", "documents", "chunks", "current", "bytes", "embedding_model", "recall_at_10"}
    assert all(keys <= set(version) for version in listed)
    assert [(version["version"], version["current"]) for version in listed] == [("v000001", False), ("v000002", True)]
    assert here("versions", "use", "v000001", cwd=tmp_path).out == "v000001 is the current version\n"
    assert "directors" in here("search", "car", "--mode", "bm25", cwd=tmp_path).out
    assert here("versions", "verify", cwd=tmp_path).out == "v000001 is sound\n"
    damaged = next((tmp_path / ".rag/versions/v000001").rglob("embeddings.npy"))
    damaged.chmod(0o644)
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"x")
    faults = here("versions", "verify", "--json", cwd=tmp_path)
    assert faults.code == 1 and faults.json["faults"]
    assert here("versions", "use", "v000009", cwd=tmp_path).code == 6


def test_strict_publishes_nothing_and_names_what_was_lost(docs: Path, tmp_path: Path) -> None:
    ran = here("ingest", "docs", "--strict", "--json", cwd=tmp_path)
    assert ran.code == 3
    assert ran.json["index_version"] is None
    assert "1 files were not read whole; nothing was published" in ran.err
    (docs / "broken.pdf").unlink()
    assert (
        here("ingest", "docs", "--strict", "--json", "--max-delete", "100", cwd=tmp_path).json["index_version"]
        == "v000001"
    )


def test_a_plan_touches_nothing(docs: Path, tmp_path: Path) -> None:
    ran = here("ingest", "docs", "--dry-run", "--json", cwd=tmp_path)
    assert ran.code == 0
    plan = ran.json["plan"]
    assert (ran.json["dry_run"], plan["files"], plan["sampled"]) == (True, 3, 3)
    assert (plan["chunks"], plan["pages"], plan["calls"], plan["dollars"]) == (2, 2, 0, 0.0)
    assert plan["bytes"] == sum(path.stat().st_size for path in docs.iterdir())
    assert plan["seconds"] > 0 and plan["disk_bytes"] > 2 * 3 * 4 * 384
    assert "nothing is sent to a model" in here("ingest", "docs", "--dry-run", cwd=tmp_path).out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs"]


def test_metadata_and_groups_from_the_command_line(docs: Path, tmp_path: Path) -> None:
    line = ("ingest", "docs", "--no-index", "--acl", "hr", "--meta", "type=policy", "--meta", "product=X200")
    assert here(*line, cwd=tmp_path).code == 0
    assert here("search", "leave", cwd=tmp_path).code == 6
    assert here("chunk", cwd=tmp_path).code == 0
    assert here("index", "--json", cwd=tmp_path).json["index_version"] == "v000001"
    assert here("search", "leave", "--mode", "bm25", cwd=tmp_path).code == 4
    found = here(
        "search", "leave", "--as", "hr", "--filter", "type=policy", "--filter", "meta.product=X200", cwd=tmp_path
    )
    assert "28 days" in found.out
    unnamed = here("ingest", "docs", "--acl", "", cwd=tmp_path)
    assert (unnamed.code, unnamed.err.splitlines()[1]) == (
        2,
        "hint: name the group; --no-acl takes away the groups of an earlier ingest",
    )
    assert here("ingest", "docs", "--acl", "hr", "--no-acl", cwd=tmp_path).code == 2
    assert here("search", "leave", "--mode", "bm25", cwd=tmp_path).code == 4  # still closed
    assert here("ingest", "docs", "--no-acl", cwd=tmp_path).code == 0
    assert here("search", "leave", "--mode", "bm25", cwd=tmp_path).code == 0
    wrong = here("ingest", "docs", "--meta", "type", cwd=tmp_path)
    assert (wrong.code, wrong.err) == (2, "error: --meta 'type' is not KEY=VALUE\n")


def test_versions_are_compared_and_documents_forgotten(docs: Path, tmp_path: Path) -> None:
    (docs / "broken.pdf").unlink()
    case = {"question": "How many days of leave?", "expected": [{"source": "leave.md", "quote": "days of leave"}]}
    (tmp_path / "golden.jsonl").write_text(json.dumps(case) + "\n")
    here("ingest", "docs", cwd=tmp_path)
    (docs / "leave.md").write_text("# Leave\n\nLeave is for directors, a zeppelin for the rest.\n")
    (docs / "more.md").write_text("# More\n\nHow many days of leave: see another page, days of leave.\n")
    here("ingest", "docs", cwd=tmp_path)
    line = ("versions", "diff", "v000001", "v000002")
    value = here(*line, "--golden", "golden.jsonl", "--json", cwd=tmp_path).json
    assert (value["added"], value["changed"], value["removed"]) == (["more.md"], ["leave.md"], [])
    assert [(moved["before"], moved["after"]) for moved in value["moved"]] == [(1, None)]
    assert here(*line, cwd=tmp_path).out.splitlines()[:2] == ["+ more.md", "~ leave.md"]

    assert here("ask", "What is for the rest?", cwd=tmp_path).code in (0, 4)
    forgotten = here("forget", "leave.md", "--json", cwd=tmp_path)
    assert (forgotten.code, forgotten.json["doc_ids"], forgotten.json["still_found"]) == (0, ["leave.md"], [])
    for path in (tmp_path / ".rag").rglob("*"):
        assert not path.is_file() or b"zeppelin" not in path.read_bytes(), path
    assert here("search", "zeppelin", "--mode", "bm25", cwd=tmp_path).code == 4
    assert here("forget", "leave.md", cwd=tmp_path).code == 2


@pytest.mark.parametrize("line", ["forget a.md", "chunk", "index", "versions use v000001", "versions prune --keep 1"])
def test_nothing_is_written_where_nothing_was_ingested(line: str, tmp_path: Path) -> None:
    ran = here(*line.split(), "--json", cwd=tmp_path)
    assert (ran.code, ran.json["error"]["category"]) == (6, "index_missing")
    assert "rag ingest" in ran.json["error"]["hint"]
    assert list(tmp_path.iterdir()) == []


def test_a_missing_path_is_exit_2(tmp_path: Path) -> None:
    ran = here("ingest", "nowhere", "--json", cwd=tmp_path)
    assert (ran.code, ran.json["error"]["category"]) == (2, "source")
    assert "nowhere" in ran.json["error"]["message"]


def test_a_second_writer_is_told_who_writes(docs: Path, tmp_path: Path) -> None:
    with IndexFolder(tmp_path / ".rag").writer():
        ran = rag("ingest", "docs", "--json", cwd=tmp_path)
    assert ran.code == 75
    assert f"process {os.getpid()} on " in ran.json["error"]["message"]
    assert "--wait" in ran.json["error"]["hint"]


def _hear_interrupts() -> None:
    """A test run in the background ignores SIGINT and would pass that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("number", "before", "message"),
    [
        (signal.SIGINT, True, "interrupted; the last published version still serves"),
        (signal.SIGTERM, True, "interrupted; the last published version still serves"),
        (
            signal.SIGINT,
            False,
            "interrupted; nothing is published yet, and the next rag ingest goes on where this one stopped",
        ),
    ],
)
def test_an_interrupt_is_exit_130_and_tells_what_serves(
    number: signal.Signals, before: bool, message: str, docs: Path, tmp_path: Path
) -> None:
    if before:
        assert here("ingest", "docs", cwd=tmp_path).code == 0
    for index in range(400):
        (docs / f"more{index}.md").write_text(f"# Rule {index}\n\nRule {index} says that {index} is a number.\n")
    command = [sys.executable, "-m", "ragcli", "ingest", "docs", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(), preexec_fn=_hear_interrupts, **pipes)
    deadline = time.monotonic() + 60
    lock = tmp_path / ".rag/LOCK"
    while not (lock.exists() and lock.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert json.loads(out) == {
        "error": {
            "code": 130,
            "category": "interrupted",
            "message": message,
            "hint": "",
        }
    }
    assert b"Traceback" not in err
    if before:
        assert "28 days" in here("search", "leave", "--mode", "bm25", cwd=tmp_path).out


def test_file_names_that_are_no_text(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in (b"caf\xe9.md", b"new\nline.md", b"\x1b[31mred.md"):
        (folder / os.fsdecode(name)).write_text(f"# Zebra\n\nA zebra has stripes.\n{name.hex()}")
    ran = rag("ingest", "docs", "-v", cwd=tmp_path)
    assert ran.code == 0
    found = rag("search", "zebra", "--mode", "bm25", cwd=tmp_path)
    value = rag("search", "zebra", "--mode", "bm25", "--json", cwd=tmp_path)
    assert len({hit["source"] for hit in value.json["hits"]}) == 3
    for text in (ran.out, ran.err, found.out, value.out):
        assert "\x1b" not in text and "\udce9" not in text


def test_chunk_says_what_it_made_and_what_a_model_would_cost(docs: Path, tmp_path: Path) -> None:
    assert here("ingest", "docs", "--no-index", cwd=tmp_path).code == 0
    assert "no model is asked" in here("chunk", "--dry-run", cwd=tmp_path).out
    asking = {"RAG_CHUNK__CONTEXT": "anthropic"}
    plan = here("chunk", "--dry-run", "--json", cwd=tmp_path, env=asking).json
    assert plan["calls"] == 2
    assert 0 < plan["dollars"] < 0.05
    assert "2 calls" in here("chunk", "--dry-run", cwd=tmp_path, env=asking).out
    refused = here("chunk", cwd=tmp_path, env=asking)
    assert refused.code == 5 and "ANTHROPIC_API_KEY" in refused.err
    made = here("chunk", cwd=tmp_path)
    assert made.code == 0
    assert "2 documents, 2 of them cut now" in made.out and "0 truncated" in made.out


def test_what_ragcli_wrote_is_no_document_and_ignore_files_are_counted(docs: Path, tmp_path: Path) -> None:
    (docs / "broken.pdf").unlink()
    assert here("init", cwd=docs).code == 0
    (docs / "golden.jsonl").write_text('{"question": "How much leave?", "expected_source": "leave.md"}\n')
    (docs / ".gitignore").write_text("build/\n*.log\n")
    (docs / "build").mkdir()
    (docs / "build" / "old.md").write_text("old")
    (docs / "a.log").write_text("log")
    first = here(
        "--index", str(docs / "answers"), "ingest", ".", "--json", "--strict", "--report", "report.json", cwd=docs
    )
    assert first.code == 0, first.err
    for name in ("run.html", "run.md", "run.xml", "run.json"):
        ran = here("--index", "answers", "eval", "golden.jsonl", "--retrieval-only", "--report", name, cwd=docs)
        assert ran.code == 0, ran.err
    ran = here("--index", "answers", "ingest", ".", "--json", "--strict", cwd=docs)
    assert ran.code == 0, ran.err
    assert (ran.json["added"], ran.json["removed"], ran.json["index_version"]) == (0, 0, None)
    passed_over = {report["path"] for report in ran.json["files"] if report["passed_over"]}
    assert passed_over == {
        *("answers", "golden.jsonl", "rag.yaml", "report.json", "run.html", "run.json", "run.md", "run.xml"),
    }
    assert all(report["skipped"] for report in ran.json["files"] if report["passed_over"])
    assert [(line["rule"], line["files"], line["folders"]) for line in ran.json["ignored"]] == [
        (".gitignore: *.log", 1, 0),
        (".gitignore: build/", 0, 1),
    ]
    shown = here("--index", "answers", "ingest", ".", cwd=docs)
    assert "passed over by ignore files: 1 files, 1 folders" in shown.out
    read = here("--index", "answers", "ingest", ".", "--json", cwd=docs, env={"RAG_INGEST__GITIGNORE": "false"})
    assert read.json["added"] == 2


def test_a_pipe_is_named_and_not_waited_on(docs: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(docs / "inner")
    (docs / "link.md").symlink_to("/dev/zero")
    ran = here("ingest", "docs", "pipe", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    skipped = {report["path"]: report["skipped"] for report in ran.json["files"] if report["skipped"]}
    assert "not a regular file" in skipped["pipe"] and "not a regular file" in skipped["inner"]
    assert "a link out of the folder" in skipped["link.md"]
    assert here("inspect", "pipe", cwd=tmp_path).code != 0


def test_a_folder_that_is_gone_is_told_by_ingest_ask_and_doctor(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "m.md").write_text("A heron stands in the water.")
    assert here("ingest", "docs", "more", cwd=tmp_path).code == 0
    shutil.rmtree(tmp_path / "more")
    mend = f"rag forget '{tmp_path / 'more'}'"
    assert mend in here("ingest", "docs", cwd=tmp_path).err
    asked = here("ask", "Where does a heron stand?", cwd=tmp_path)
    assert "1 of 2 ingested folders are gone" in asked.err and str(tmp_path / "more") not in asked.err
    checks = here("doctor", "--json", cwd=tmp_path).json["checks"]
    assert next(check["hint"] for check in checks if check["name"] == "sources").count(mend) == 1
    assert here("forget", str(tmp_path / "more"), cwd=tmp_path).code == 0
    assert "gone" not in here("ask", "Where does a heron stand?", cwd=tmp_path).err


def test_names_and_ids_do_not_depend_on_the_locale(tmp_path: Path) -> None:
    (tmp_path / "Maße").mkdir()
    (tmp_path / "Maße" / "Größe.md").write_text("# Größe\n\nDie Größe ist fünf.\n", encoding="utf-8")
    seen = []
    for locale in ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
        done = rag("ingest", "Maße", "--json", cwd=tmp_path, env=locale)
        assert (done.code, done.json["files"][0]["skipped"]) == (0, None), done.err
        found = rag("search", "Größe", "--json", "--mode", "bm25", cwd=tmp_path, env=locale)
        seen.append([hit["chunk_id"] for hit in found.json["hits"]])
        assert done.json["unchanged"] == len(seen) - 1
    assert seen == [["Größe.md#1"]] * 2
