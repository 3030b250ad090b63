"""One frozen section of settings per stage: every key with its default, its one line of meaning and its bounds."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ragcli import plugins

FILE_NAME = "rag.yaml"
MASK = "***"
SearchMode = Literal["hybrid", "bm25", "dense"]


def _setting(
    default: Any,
    meaning: str,
    *,
    low: float | None = None,
    high: float | None = None,
    group: str = "",
    own: tuple[str, ...] = (),
) -> Any:
    """A dataclass field with its one line of meaning and, for a number, its inclusive bounds.

    A setting that names a part has the ``group`` of entry points that bring others, and the names of ragcli's ``own``.
    """
    metadata = {"meaning": meaning, "low": low, "high": high, "group": group, "own": own}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: type(default)(default), metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class IndexConfig:
    """Where versions live and how they are built."""

    engine: str = _setting(
        "folder",
        "where versions live: folder, postgresql (its address in RAG_DATABASE_URL)",
        group=plugins.ENGINES,
        own=("folder", "postgresql"),
    )
    path: str = _setting(".rag", "the index folder, relative to this file")
    keep_versions: int = _setting(5, "versions kept after a publish; older ones are pruned", low=1)
    cache_days: int = _setting(
        90, "days that parsed files and vectors stay cached once nothing uses them; 0 keeps them for ever", low=0
    )
    default_acl: tuple[str, ...] = _setting((), "groups of a document that names none; empty means public")
    min_recall: float = _setting(
        0.95, "recall@10 of the graph against exact search under which ef is raised", low=0, high=1
    )
    hnsw_m: int = _setting(16, "links per node of the HNSW graph", low=2, high=128)
    hnsw_ef_construction: int = _setting(200, "candidates while the graph is built", low=8)
    hnsw_ef: int = _setting(200, "candidates while the graph is searched; set on every load", low=8, high=4096)
    stop_words: bool = _setting(False, "drop the language's stop words from BM25")
    title_boost: float = _setting(0.25, "extra weight of a match in the title, against 1 anywhere", low=0)
    heading_boost: float = _setting(0.25, "extra weight of a match in the heading path, against 1 anywhere", low=0)
    nearby_boost: float = _setting(1.0, "weight of a match in the chunk or beside it, added to that in it", low=0)


@dataclass(frozen=True)
class PathRule:
    """Metadata given to every document whose path matches a glob."""

    path: str = ""
    set: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class IngestConfig:
    """What is read and how."""

    exclude: tuple[str, ...] = _setting((".git/**", "node_modules/**", "__pycache__/**", ".rag/**"), "globs never read")
    include: tuple[str, ...] = _setting((), "globs read; empty means everything")
    gitignore: bool = _setting(True, "pass over what .gitignore and .ignore files name; the report counts it")
    hidden: bool = _setting(False, "read files and folders whose name starts with a dot")
    rules: tuple[PathRule, ...] = _setting((), "metadata by path: a list of {path: GLOB, set: {key: value}}")
    max_delete: float = _setting(
        20.0, "per cent of a root's documents an ingest may remove, and one always unless 0", low=0, high=100
    )
    max_file_mb: float = _setting(200.0, "larger files and archive entries are skipped and named", low=0)
    parsers: tuple[str, ...] = _setting((), "parsers of other packages, by name", group=plugins.PARSERS)
    workers: int = _setting(0, "parsing processes; 0 means one per core", low=0)
    timeout_seconds: float = _setting(
        120.0, "a file (or page) that takes more processor time is killed, named and skipped", low=0
    )
    memory_mb: int = _setting(2048, "a file that needs more memory is killed, named and skipped", low=64)
    archive_depth: int = _setting(3, "containers inside containers that are opened", low=0)
    archive_entries: int = _setting(10000, "entries read from one container", low=1)
    archive_unpacked_mb: int = _setting(1024, "unpacked size read from one container", low=1)
    ocr: Literal["auto", "off", "force"] = _setting(
        "auto", "auto (pages without a text layer), off or force (every page)"
    )
    ocr_languages: tuple[str, ...] = _setting(("eng",), "languages for OCR, as tesseract names them")
    passwords: tuple[str, ...] = _setting((), "tried on encrypted files, with those in RAG_PDF_PASSWORDS")
    near_duplicates: float = _setting(0.95, "similarity from which a text counts as a copy", low=0.5, high=1)
    strip_boilerplate: bool = _setting(True, "remove running headers, footers, menus and cookie banners")
    hidden_text: bool = _setting(
        False, "read what a document hides from its readers: sheets, rows, slides, runs, elements"
    )
    retention_days: int = _setting(0, "documents older than this are dropped; 0 keeps them all", low=0)


@dataclass(frozen=True)
class ChunkConfig:
    """How documents are cut."""

    strategy: Literal["structure", "fixed", "semantic"] = _setting("structure", "structure, fixed or semantic")
    max_tokens: int = _setting(200, "tokens of a chunk, by the embedding model's tokenizer, without its prefix", low=16)
    min_tokens: int = _setting(24, "smaller neighbours in one section are joined", low=0)
    overlap: int = _setting(0, "tokens repeated from the chunk before, in whole sentences", low=0)
    parent: Literal["off", "section", "neighbours"] = _setting("off", "what the generator gets around a found chunk")
    parent_max_tokens: int = _setting(600, "limit of that surrounding text", low=16)
    context: Literal["off", "anthropic", "questions"] = _setting(
        "off", "what the model of answer.model writes about each chunk: anthropic (where it stands) or questions"
    )
    context_batch: bool = _setting(False, "ask through the Message Batches API: half the price, within a day")


@dataclass(frozen=True)
class EmbedConfig:
    """Which model makes vectors."""

    model: str = _setting("all-MiniLM-L6-v2", "the packaged model, a hub name or a local folder")
    backend: str = _setting(
        "auto",
        "auto (onnx for the packaged model), onnx or sentence-transformers",
        group=plugins.EMBEDDERS,
        own=("auto", "onnx", "sentence-transformers"),
    )
    revision: str = _setting("", "revision of a hub model")
    batch_size: int = _setting(32, "texts embedded at a time; the packaged model takes fewer long ones", low=1)
    threads: int = _setting(0, "processor threads; 0 means one per core", low=0)
    query_prefix: str = _setting("", "put before every query (models such as E5 want one)")
    passage_prefix: str = _setting("", "put before every passage")
    window: int = _setting(0, "tokens the model reads; 0 means what the model says", low=0)


@dataclass(frozen=True)
class RetrieveConfig:
    """How candidates are found and fused."""

    mode: SearchMode = _setting("hybrid", "hybrid, bm25 or dense")
    k: int = _setting(8, "passages returned", low=1, high=1000)
    depth: int = _setting(100, "candidates taken from each leg", low=1)
    fusion: Literal["rrf", "convex"] = _setting("convex", "rrf, or convex: a weighted sum of scaled scores")
    rrf_k: int = _setting(60, "the constant of reciprocal rank fusion", low=1)
    dense_weight: float = _setting(0.7, "weight of the dense leg; BM25 has the rest", low=0, high=1)
    graph: Literal["off", "titles"] = _setting(
        "off", "titles: put what the first hits name by its title, or what names them, among the first"
    )
    split: bool = _setting(True, "search for each thing too where a question asks several")
    dense_method: Literal["auto", "exact", "hnsw"] = _setting("auto", "auto chooses by measured cost")


@dataclass(frozen=True)
class RerankConfig:
    """How the best candidates are put in order again."""

    method: str = _setting(
        "none",
        "none, cross-encoder or maxsim",
        group=plugins.RERANKERS,
        own=("none", "cross-encoder", "maxsim"),
    )
    model: str = _setting("", "the cross-encoder: a hub name or a local folder")
    depth: int = _setting(20, "candidates reranked", low=1)


@dataclass(frozen=True)
class AnswerConfig:
    """Who writes the answer and when to decline."""

    provider: str = _setting(
        "extractive",
        "extractive (offline), anthropic or openai (chat completions, which many servers speak)",
        group=plugins.GENERATORS,
        own=("extractive", "anthropic", "openai"),
    )
    model: str = _setting("claude-sonnet-5-5", "the model, as its server calls it")
    base_url: str = _setting("", "another server that speaks the provider's form; your own settings alone may name one")
    max_tokens: int = _setting(1024, "output tokens of one answer", low=1)
    timeout_seconds: float = _setting(60.0, "the longest silence of a server", low=1)
    deadline_seconds: float = _setting(300.0, "of a whole reply, tries and all", low=1)
    retries: int = _setting(3, "on 429, 5xx and overload", low=0)
    passages: int = _setting(8, "passages sent to the generator", low=1)
    passage_tokens: int = _setting(3000, "tokens of all passages sent", low=64)
    sentences: int = _setting(3, "sentences an extractive answer may have", low=1, high=10)
    min_confidence: float = _setting(0.5, "below this confidence the answer is: not found", low=0, high=1)
    direct_max_tokens: int = _setting(100000, "a corpus up to this size may be sent whole with --direct", low=0)
    max_steps: int = _setting(6, "searches one --agentic answer may make", low=1)
    link: bool = _setting(True, "file links on terminals that support them")

    @property
    def by_model(self) -> bool:
        """Whether a model behind an API writes the answer."""
        return self.provider in ("anthropic", "openai")


@dataclass(frozen=True)
class EvalConfig:
    """How a golden set is measured and gated."""

    fail_under: Mapping[str, float] = _setting({}, "thresholds such as R@5: 0.9")
    cutoffs: tuple[int, ...] = _setting((1, 3, 5, 10), "k of the measures")
    tolerance: float = _setting(0.01, "a drop up to this is never a regression", low=0, high=1)
    confidence: float = _setting(0.95, "of the bootstrap intervals", low=0.5, high=0.999)
    resamples: int = _setting(2000, "bootstrap resamples", low=100)
    seed: int = _setting(7, "of every random draw", low=0)


@dataclass(frozen=True)
class TraceConfig:
    """What is kept about past questions."""

    enabled: bool = _setting(True, "keep a trace of every question under the index folder")
    keep_days: int = _setting(90, "older traces are removed", low=1)


@dataclass(frozen=True)
class TablesConfig:
    """What a query over tables may take."""

    timeout_seconds: float = _setting(30.0, "of one query; then it is stopped", low=0.1)
    memory_mb: int = _setting(1024, "of one query", low=64)
    max_rows: int = _setting(10000, "rows that one query gives; that there were more is said", low=1)


@dataclass(frozen=True)
class Config:
    """Every setting. ``base`` is the folder that relative paths start from, ``file`` the file read, if any.

    ``user_file`` is where the user's own settings stand, whether or not there is such a file. ``origins`` maps
    ``section.key`` to ``default``, a file's name, the environment variable or ``command line``; ``from_project`` holds
    the settings that the user has no part in: those of a file of the working tree, and the defaults.
    """

    index: IndexConfig = IndexConfig()
    ingest: IngestConfig = IngestConfig()
    chunk: ChunkConfig = ChunkConfig()
    embed: EmbedConfig = EmbedConfig()
    retrieve: RetrieveConfig = RetrieveConfig()
    rerank: RerankConfig = RerankConfig()
    answer: AnswerConfig = AnswerConfig()
    eval: EvalConfig = EvalConfig()
    trace: TraceConfig = TraceConfig()
    tables: TablesConfig = TablesConfig()
    groups: tuple[str, ...] = ()
    offline: bool = False
    base: Path = field(default_factory=Path.cwd, compare=False)
    file: Path | None = field(default=None, compare=False)
    user_file: Path | None = field(default=None, compare=False)
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    from_project: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def index_path(self) -> Path:
        """The index folder, absolute."""
        return (self.base / os.path.expanduser(self.index.path)).absolute()  # noqa: PTH111 (see trust.from_base)

    def hash(self, *sections: str) -> str:
        """Hex digest of the named sections (all of them without names): equal settings, equal hash."""
        wanted = {name: value for name, value in self.to_mapping().items() if not sections or name in sections}
        return hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:16]

    def to_mapping(self) -> dict[str, dict[str, Any]]:
        """Sections as plain JSON values, in the order of the file; secrets are masked, so it may be kept and shown."""
        values: dict[str, dict[str, Any]] = {name: plain(getattr(self, name)) for name in SECTIONS}
        values["ingest"]["passwords"] = [MASK for _ in values["ingest"]["passwords"]]
        values["answer"]["base_url"] = re.sub(r"//[^/@]*@", f"//{MASK}@", values["answer"]["base_url"])
        return values


SECTIONS: Mapping[str, type] = {
    "index": IndexConfig,
    "ingest": IngestConfig,
    "chunk": ChunkConfig,
    "embed": EmbedConfig,
    "retrieve": RetrieveConfig,
    "rerank": RerankConfig,
    "answer": AnswerConfig,
    "eval": EvalConfig,
    "trace": TraceConfig,
    "tables": TablesConfig,
}


def plain(value: Any) -> Any:
    """``value`` as dicts, lists, strings, numbers and booleans."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
