"""From settings to the concrete stages: the one place that knows every class.

Everything is built when it is first asked for, so a lexical search loads no model and ``versions list`` no engine.
"""

from ragcli.wiring.building import Built, build, chunk, chunk_document, parse_file, plan_chunking
from ragcli.wiring.evaluating import evaluate, evaluation_steps, load_judge, tune
from ragcli.wiring.matrix import read_matrix, run_matrix
from ragcli.wiring.models import load_embedder, load_reranker, load_text_model
from ragcli.wiring.reading import Stages, index_folder, sessions, traces

__all__ = [
    "Built",
    "Stages",
    "build",
    "chunk",
    "chunk_document",
    "evaluate",
    "evaluation_steps",
    "index_folder",
    "load_embedder",
    "load_judge",
    "load_reranker",
    "load_text_model",
    "parse_file",
    "plan_chunking",
    "read_matrix",
    "run_matrix",
    "sessions",
    "traces",
    "tune",
]
