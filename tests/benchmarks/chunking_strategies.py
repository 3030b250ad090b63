"""Strategies side by side on real golden sets, through the product: ingest once, then chunk, index and eval for each.

    python -m tests.benchmarks.chunking_strategies WORK_FOLDER [--set squad2 …] [--strategy structure …]

Prints one table a set: R@5, RR@10 and nDCG@10 of the default search, the share of labelled evidence that stands whole
in one chunk, and the tokens of five passages as they would be sent. Embeddings are cached in WORK_FOLDER, so that a
second run costs only the search. The evidence of each set is made short first: the sentence with the answer for
squad2, the first sentence of the answer for the two documentation trees, the page for financebench, the heading for
anthropic_docs.

``--lexical`` measures BM25 alone, in minutes instead of hours: a cut-down model of one layer with the same tokenizer
and window stands in for the embedder, and its vectors are never searched.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragcli.language.sentences import sentence_spans

SHARED = Path(os.environ.get("RAGCLI_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
STRATEGIES: dict[str, dict[str, str]] = {
    "structure": {},
    "structure 160": {"max_tokens": "160"},
    "structure 96": {"max_tokens": "96"},
    "structure + overlap": {"overlap": "40"},
    "fixed": {"strategy": "fixed"},
    "fixed + overlap": {"strategy": "fixed", "overlap": "40"},
    "semantic": {"strategy": "semantic"},
    "parent-child": {"max_tokens": "96", "parent": "section", "parent_max_tokens": "300"},
}
MEASURES = ("R@5", "RR@10", "nDCG@10")


def main() -> None:
    """Run the sets and strategies named on the command line (all of them by default)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--set", action="append", choices=sorted(SETS))
    parser.add_argument("--strategy", action="append", choices=list(STRATEGIES))
    parser.add_argument("--lexical", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    lexical = {"RAG_EMBED__MODEL": str(tiny_model(options.work.absolute() / "tiny")), "RAG_EMBED__BACKEND": "onnx"}
    for name in options.set or sorted(SETS):
        folder = options.work.absolute() / (f"{name}.bm25" if options.lexical else name)
        folder.mkdir(parents=True, exist_ok=True)
        documents = SETS[name][0](folder)
        settings = SETS[name][2] | (lexical | {"RAG_RETRIEVE__MODE": "bm25"} if options.lexical else {})
        golden = folder / "golden.jsonl"
        golden.write_text("".join(json.dumps(case) + "\n" for case in SETS[name][1]()), encoding="utf-8")
        rag(folder, settings, "ingest", str(documents), "--no-index")
        print(f"\n{name}: {sum(1 for _ in golden.open())} questions", flush=True)
        print(f"| {'strategy':<20} | chunks | {' | '.join(MEASURES)} | whole evidence | tokens of 5 | seconds |")
        print("|---" * 8 + "|", flush=True)
        for strategy in options.strategy or STRATEGIES:
            print(row(folder, golden, strategy, settings), flush=True)


def row(folder: Path, golden: Path, strategy: str, settings: dict[str, str]) -> str:
    """One line of the table."""
    started = time.monotonic()
    chunk_settings = {f"RAG_CHUNK__{key.upper()}": value for key, value in STRATEGIES[strategy].items()}
    environment = {**settings, **chunk_settings}
    rag(folder, environment, "index")
    result = json.loads(rag(folder, environment, "eval", str(golden), "--retrieval-only", "-k", "5", "--json"))
    means = {name: found["mean"] for name, found in result["measures"].items()}
    chunks, whole, tokens = passages(folder, golden, result)
    cells = " | ".join(f"{means[name]:.3f}" for name in MEASURES)
    seconds = time.monotonic() - started
    return f"| {strategy:<20} | {chunks:>6} | {cells} | {whole:.3f} | {tokens:.0f} | {seconds:.0f} |"


def passages(folder: Path, golden: Path, result: dict[str, Any]) -> tuple[int, float, float]:
    """Chunks in all, share of cases whose evidence no chunk boundary parts, mean tokens of the first five passages."""
    from ragcli.index.folder import IndexFolder
    from ragcli.records import Span

    engine = IndexFolder(folder / ".rag").open()
    total = sum(len(engine.document_chunks(doc_id)) for doc_id in engine.doc_ids())
    tokens: list[int] = []
    for case in result["per_case"]:
        spans: dict[str, list[Span]] = {}
        size = 0
        for found in engine.chunks(case["retrieved"][:5]):
            span = found.parent or found.span
            ratio = found.token_count / max(1, len(found.span))
            taken = spans.setdefault(found.doc_id, [])
            if not any(old.start <= span.start and span.end <= old.end for old in taken):
                taken.append(span)
                size += round(len(span) * ratio)
        tokens.append(size)
    lost = result["losses"].get("cut_by_chunking", 0) + result["losses"].get("cut", 0)
    return total, 1 - lost / max(1, len(result["per_case"])), sum(tokens) / max(1, len(tokens))


def tiny_model(target: Path) -> Path:
    """The packaged model cut down to one layer of 32 dimensions: as fast as a model can be, and worth nothing."""
    import numpy as np
    from safetensors.numpy import load_file, save_file

    from ragcli.embed.packaged import packaged_folder

    if (target / "model.safetensors").is_file():
        return target
    source = packaged_folder()
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.safetensors", "*.onnx"), dirs_exist_ok=True)
    config = json.loads((source / "config.json").read_text())
    sizes = {config["hidden_size"]: 32, config["intermediate_size"]: 64}
    config |= {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    (target / "config.json").write_text(json.dumps(config))
    kept = {
        name: np.ascontiguousarray(values[tuple(slice(sizes.get(size, size)) for size in values.shape)])
        for name, values in load_file(source / "model.safetensors").items()
        if ".layer." not in name or ".layer.0." in name
    }
    save_file(kept, target / "model.safetensors")
    return target


def rag(folder: Path, environment: dict[str, str], *arguments: str) -> str:
    """Standard output of one ``rag`` command on the set's index."""
    command = [sys.executable, "-m", "ragcli", *arguments, "--index", str(folder / ".rag")]
    environment = {**os.environ, **environment, "RAG_OFFLINE": "1"}
    finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if finished.returncode not in (0, 1, 3):
        raise SystemExit(f"{' '.join(command)} ended with {finished.returncode}")
    return finished.stdout


# ---------------------------------------------------------------- the sets


def golden_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The answerable cases of a golden file."""
    with path.open(encoding="utf-8") as lines:
        yield from (case for case in map(json.loads, lines) if case.get("answerable", True))


def squad2() -> Iterator[dict[str, Any]]:
    """Evidence: the first sentence of the paragraph that holds the answer."""
    for case in golden_rows(SHARED / "golden" / "squad2" / "golden.jsonl"):
        paragraph, answer = case["evidence"][0], case["expected_answer"]
        found = [s.of(paragraph) for s in sentence_spans(paragraph, "en")]
        quote = next((text for text in found if answer in text), paragraph)
        yield labelled(case, [{"source": case["expected_sources"][0], "quote": quote}])


def anthropic_docs() -> Iterator[dict[str, Any]]:
    """Evidence: the section of each labelled chunk, by its heading."""
    folder = SHARED / "golden" / "anthropic_docs"
    with (folder / "chunks.jsonl").open(encoding="utf-8") as lines:
        headings = {chunk["chunk_link"]: chunk["chunk_heading"] for chunk in map(json.loads, lines)}
    for case in golden_rows(folder / "golden.jsonl"):
        labels = []
        for link in case["expected_chunks"]:
            page = re.sub(r"^https?://[^/]+/en/", "", link.split("#")[0]) + ".md"
            if page in case["expected_sources"] and link in headings:
                labels.append({"source": page, "heading": headings[link]})
        yield labelled(case, labels or [{"source": source} for source in case["expected_sources"]])


def financebench() -> Iterator[dict[str, Any]]:
    """Evidence: the labelled pages."""
    for case in golden_rows(SHARED / "golden" / "financebench" / "golden.jsonl"):
        pages = [{"source": page["doc"], "page": page["page_0based"] + 1} for page in case.get("pages", [])]
        yield labelled(case, pages or [{"source": source} for source in case["expected_sources"]])


def tree(name: str) -> Iterator[dict[str, Any]]:
    """Evidence: the first sentence of the answer, as it stands in the source."""
    for case in golden_rows(SHARED / "trees" / f"{name}.golden.jsonl"):
        answer = case["expected_answer"]
        first = sentence_spans(answer, "en")[0].of(answer).lstrip("- ")
        yield labelled(case, [{"source": case["expected_sources"][0], "quote": first}])


def labelled(case: dict[str, Any], expected: list[dict[str, Any]]) -> dict[str, Any]:
    """A case in the project's own golden format."""
    return {"id": case["id"], "question": case["question"], "expected": expected}


def unpacked(name: str, folder: Path) -> Path:
    """The tree out of its archive, once."""
    target = folder / "tree"
    if not target.is_dir():
        with tarfile.open(SHARED / "trees" / f"{name}.tar.xz") as archive:
            archive.extractall(target, filter="data")
    inner = [path for path in target.iterdir() if path.is_dir()]
    return inner[0] if len(inner) == 1 else target


def of_golden(name: str) -> Path:
    """The documents of a golden set."""
    return SHARED / "golden" / name / "docs"


SETS: dict[str, Any] = {
    "squad2": (lambda folder: of_golden("squad2"), squad2, {}),
    "anthropic_docs": (lambda folder: of_golden("anthropic_docs"), anthropic_docs, {}),
    "financebench": (lambda folder: of_golden("financebench"), financebench, {}),
    # The guides, notes and settings: the command pages and release notes answer none of the questions, and the HTML
    # files are the same pages again.
    "git_docs": (
        lambda folder: unpacked("git_docs", folder),
        lambda: tree("git_docs"),
        {"RAG_INGEST__INCLUDE": "['git[a-z]*.txt', 'user-manual.txt', 'howto/**', 'technical/**', 'config/**']"},
    ),
    # Without the library's reference, which answers none of the questions.
    "python311_docs_rst": (
        lambda folder: unpacked("python311_docs_rst", folder),
        lambda: tree("python311_docs_rst"),
        {"RAG_INGEST__INCLUDE": "['faq/**', 'tutorial/**', 'howto/**', 'reference/**']"},
    ),
}


if __name__ == "__main__":
    main()
