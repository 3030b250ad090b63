"""What one command costs as a whole process, against bare scripts over the same index.

    python -m tests.benchmarks.process_times [--index DIR] ["a question"] [--runs 7]

Two bare scripts, without filters, records, fusion or answer: one asks tantivy alone for the terms of the question, the
other also embeds the question with onnxruntime (a self-contained ONNX file of the same model, written here once) and
multiplies the mapped vectors. All run in turns in fresh processes, over the sample corpus unless another index is
named. Medians are printed as wall and as processor seconds, the latter being the one to read on a busy machine, each
beside its goal; then the parts of ``rag ask``, from within one more process.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from ragcli.embed.packaged import GRAPH, packaged_folder
from ragcli.index.folder import IndexFolder

FLOOR = """
import sys, numpy, onnxruntime, tantivy
from tokenizers import Tokenizer
model, tokenizer, lexical, vectors, question = sys.argv[1:]
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
ids = numpy.array([Tokenizer.from_file(tokenizer).encode(question).ids])
hidden = session.run(["hidden"], {"input_ids": ids, "attention_mask": numpy.ones_like(ids)})[0][0].mean(axis=0)
query = hidden / numpy.linalg.norm(hidden)
index = tantivy.Index.open(lexical)
terms = [tantivy.Query.term_query(index.schema, "text", word.lower()) for word in question.split()]
found = index.searcher().search(tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms]), 100)
scores = numpy.load(vectors, mmap_mode="r") @ query
print(len(found.hits), numpy.argsort(-scores)[:10])
"""

PARTS = """
import time
last = time.perf_counter(), time.process_time()
def lap(name):
    global last
    now = time.perf_counter(), time.process_time()
    wall, used = (1000 * (after - before) for before, after in zip(last, now))
    print(f"  {name:24} wall {wall:7.1f} ms  processor {used:7.1f} ms"); last = time.perf_counter(), time.process_time()
from pathlib import Path
from ragcli.application.index import Index
from ragcli.config import load
from ragcli.records import Scope
lap("import config, application")
import sys
config = load(overrides={"index.path": sys.argv[1]})
lap("read settings")
reader = Index(config).reader
reader.engine
lap("open index")
embedder = reader.embedder
embedder.info, embedder.tokenizer.count("a")
lap("tokenizer")
embedder.queries(["warm"])
lap("load model, embed")
found = reader.retrieve(sys.argv[2], Scope())
lap("search")
print("   ", {name: round(value, 1) for name, value in found.timings_ms.items()})
reader.generator
lap("load answerer")
answered = reader.ask(sys.argv[2], Scope())
lap("search and answer")
print("   ", {name: round(value, 1) for name, value in answered.timings_ms.items()})
"""


BARE_WORDS = """
import sys, tantivy
lexical, question = sys.argv[1:]
index = tantivy.Index.open(lexical)
terms = [tantivy.Query.term_query(index.schema, "text", word.lower()) for word in question.split()]
found = index.searcher().search(tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms]), 100)
print(len(found.hits))
"""

GOALS = {
    "rag --help": ("python -c pass", 1.0, 0.15),
    "rag search --mode bm25": ("bare words", 1.3, 0.1),
    "rag search": ("bare", 1.35, 0.0),
    "rag ask": ("bare", 1.5, 0.0),
}
"""Of each command what it may take: a factor of a bare one, and seconds on top."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", nargs="?", default="How many remote days per week can I take?")
    parser.add_argument("--index", type=Path, help="an index folder [default: the sample corpus, ingested for this]")
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index = arguments.index or Path(folder) / "index"
        rag = [sys.executable, "-m", "ragcli", "--index", str(index)]
        if arguments.index is None:
            subprocess.run([*rag, "--quiet", "ingest", "sample_corpus"], check=True, capture_output=True)
        bare = floor_command(Path(folder), index, arguments.question)
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "bare words": [sys.executable, "-c", BARE_WORDS, bare[5], arguments.question],
            "bare": bare,
            "rag --help": [*rag, "--help"],
            "rag search --mode bm25": [*rag, "search", "--mode", "bm25", arguments.question],
            "rag search": [*rag, "search", arguments.question],
            "rag ask": [*rag, "ask", arguments.question],
        }
        report(commands, arguments.runs)
        print("parts of rag ask, in one process:", flush=True)
        subprocess.run([sys.executable, "-c", PARTS, str(index), arguments.question], check=True)


def floor_command(folder: Path, index: Path, question: str) -> list[str]:
    """The bare script as a command, with the model and vectors it reads written into ``folder``."""
    import numpy as np
    import onnxruntime

    model = folder / "model.onnx"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(model)
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(packaged_folder()))
    shutil.copy(packaged_folder() / "model.safetensors", folder)
    onnxruntime.InferenceSession(GRAPH.read_bytes(), options, providers=["CPUExecutionProvider"])
    with IndexFolder(index).open() as engine:
        ids = [chunk.chunk_id for doc_id in engine.doc_ids() for chunk in engine.document_chunks(doc_id)]
        np.save(folder / "vectors.npy", engine.vectors(ids))
        lexical = index / "versions" / engine.version / "lexical"
    tokenizer = packaged_folder() / "tokenizer.json"
    return [sys.executable, "-c", FLOOR, *map(str, (model, tokenizer, lexical, folder / "vectors.npy")), question]


def report(commands: dict[str, list[str]], runs: int) -> None:
    """Median wall and processor seconds of each command, and the goal where there is one."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(runs + 1):
        for name, command in commands.items():
            times[name].append(timed(command))
    used = {name: statistics.median(used for _, used in pairs[1:]) for name, pairs in times.items()}
    for name, pairs in times.items():
        wall = statistics.median(wall for wall, _ in pairs[1:])
        line = f"{name:24} wall {wall:.3f} s  processor {used[name]:.3f} s"
        if name in GOALS:
            floor, factor, more = GOALS[name]
            line += f"  {used[name] / used[floor]:.2f} × {floor}; goal {factor:.2f} × + {more:.2f} s = "
            line += f"{factor * used[floor] + more:.3f} s"
        print(line)


def timed(command: Sequence[str]) -> tuple[float, float]:
    """Wall and processor seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HF_HUB_OFFLINE": "1"})
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 4):
        sys.exit(f"{command[:5]}: {done.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
