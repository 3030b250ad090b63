"""``rag inspect`` and ``rag doctor``."""

from __future__ import annotations

from pathlib import Path

from ragcli.records import Block, Chunk, Coverage, Document, Metadata, Span
from tests.cli.running import REPOSITORY, here

KEYS = ["schema", "doc_id", "source", "title", "text", "blocks", "metadata", "coverage", "chunks"]


def test_json_of_a_document_in_the_index(sample_index: Path, tmp_path: Path) -> None:
    value = here("inspect", "hr/remote-policy.md", "--index", str(sample_index), "--json", cwd=tmp_path).json
    assert set(KEYS) <= set(value)
    assert (value["schema"], value["doc_id"]) == ("rag.document/1", "hr/remote-policy.md")
    assert {"kind", "start", "end", "page", "level"} <= set(value["blocks"][0])
    for chunk in value["chunks"]:
        assert {"chunk_id", "start", "end", "tokens", "heading_path", "page"} <= set(chunk)
        assert value["text"][chunk["start"] : chunk["end"]] in chunk["indexed_text"]
    suffix = here("inspect", "remote-policy.md", "--index", str(sample_index), "--json", cwd=tmp_path).json
    assert suffix == value
    one = here("inspect", "hr/remote-policy.md#2", "--index", str(sample_index), "--json", cwd=tmp_path).json
    assert one["chunks"] == value["chunks"][1:2]


def test_what_a_group_may_not_see_is_not_found(sample_index: Path, tmp_path: Path) -> None:
    line = ("inspect", "leadership/bonus-pool.md", "--index", str(sample_index), "--json")
    assert here(*line, cwd=tmp_path).code == 4
    assert here(*line, "--as", "leadership", cwd=tmp_path).json["doc_id"] == "leadership/bonus-pool.md"
    unknown = here("inspect", "nowhere.md", "--index", str(sample_index), cwd=tmp_path)
    assert (unknown.code, unknown.out) == (4, "")
    assert here("inspect", "remote-policy.md#99", "--index", str(sample_index), cwd=tmp_path).code == 4


def test_a_file_needs_no_index_and_shows_one_page(tmp_path: Path) -> None:
    path = str(REPOSITORY / "sample_corpus/products/x200-datasheet.pdf")
    whole = here("inspect", path, "--json", cwd=tmp_path).json
    pages = sorted({block["page"] for block in whole["blocks"]})
    assert len(pages) > 1
    page = here("inspect", path, "--page", str(pages[-1]), "--json", cwd=tmp_path).json
    assert {block["page"] for block in page["blocks"]} == {pages[-1]}
    assert 0 < len(page["chunks"]) <= len(whole["chunks"])
    text = here("inspect", path, "--page", "1", cwd=tmp_path).out
    assert " p.1 " in text and f" p.{pages[-1]} " not in text
    assert not (tmp_path / ".rag").exists()
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing")
    assert here("inspect", "broken.pdf", cwd=tmp_path).code == 2


def test_the_margin_names_chunk_block_and_page_and_cuts_a_block_where_a_chunk_begins() -> None:
    from ragcli.cli.output import Output
    from ragcli.cli.views import layout

    text = "Title\n\none two\x1b[2J three"
    blocks = (Block("heading", Span(0, 5), 1, 1), Block("paragraph", Span(7, len(text)), 2))
    document = Document(
        "d.md", "d.md", "Title", text, blocks, (), Metadata(language="en"), "text/markdown", "0", "p", Coverage()
    )
    cuts = (Span(0, 11), Span(11, len(text)))
    chunks = tuple(Chunk(f"d.md#{n}", "d.md", n, span, span.of(text), "Title") for n, span in enumerate(cuts, 1))
    lines = layout.text(document, chunks, Output(color="never")).splitlines()
    assert lines[0] == "Title (d.md)"
    assert [line for line in lines if "│" in line] == [
        "  #1 heading 1    p.1  │ Title",
        "  #1 paragraph    p.2  │ one ",
        "  #2 paragraph    p.2  │ two\\x1b[2J three",
    ]


def test_doctor_passes_on_a_sound_index_and_names_what_is_wrong(sample_index: Path, tmp_path: Path) -> None:
    sound = here("doctor", "--index", str(sample_index), "--json", cwd=tmp_path)
    assert (sound.code, sound.json["passed"]) == (0, True)
    assert {"settings", "embedding model", "index", "index and model", "answers"} <= {
        check["name"] for check in sound.json["checks"]
    }
    env = {"RAG_ANSWER__PROVIDER": "anthropic", "RAG_EMBED__MODEL": "no/such-model", "RAG_OFFLINE": "1"}
    ill = here("doctor", "--json", cwd=tmp_path, env=env)
    assert ill.code == 1
    faults = {check["name"]: check["hint"] for check in ill.json["checks"] if check["state"] == "fault"}
    assert {"embedding model", "index", "answers"} <= set(faults)
    assert all(faults.values())
    (tmp_path / "rag.yaml").write_text("nonsense: 1\n")
    assert here("doctor", cwd=tmp_path).out.startswith("fault  settings: ")
