"""From settings to the concrete stages: the one place that knows every class.

Everything is built when it is first asked for, so a lexical search loads no model and ``versions list`` no engine.
"""

from ragcli.wiring.building import Built, build, chunk, chunk_document, forget, parse_file, plan_chunking, plan_ingest
from ragcli.wiring.evaluating import (
    MovedRank,
    check_gate,
    evaluate,
    evaluation_steps,
    load_judge,
    moved_ranks,
    run_injection,
    tune,
)
from ragcli.wiring.matrix import read_matrix, run_matrix
from ragcli.wiring.models import load_embedder, load_reranker, load_text_model, reach_model
from ragcli.wiring.reading import Stages, existing_folder, index_folder, sessions, traces

__all__ = [
    "Built",
    "MovedRank",
    "Stages",
    "build",
    "check_gate",
    "chunk",
    "chunk_document",
    "evaluate",
    "evaluation_steps",
    "existing_folder",
    "forget",
    "index_folder",
    "load_embedder",
    "load_judge",
    "load_reranker",
    "load_text_model",
    "moved_ranks",
    "parse_file",
    "plan_chunking",
    "plan_ingest",
    "reach_model",
    "read_matrix",
    "run_injection",
    "run_matrix",
    "sessions",
    "traces",
    "tune",
]
