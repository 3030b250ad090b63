"""Building an index: parse, cut, embed, publish."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Config
from ragcli.wiring.models import load_embedder, load_text_model
from ragcli.wiring.reading import sessions, traces

if TYPE_CHECKING:
    from ragcli.chunk.plan import ContextPlan
    from ragcli.index.publishing.writer import Writer
    from ragcli.interfaces import Progress, TextModel
    from ragcli.parse.files.walk import SourceFile
    from ragcli.pipelines.building.chunk import ChunkResult
    from ragcli.pipelines.ingesting.plan import Plan
    from ragcli.records import Chunk, Document, FileReport, Forgotten


@dataclass(frozen=True)
class Built:
    """What chunking and publishing did; ``index_version`` is None when nothing had changed."""

    index_version: str | None
    documents: int
    chunks: int
    truncated_chunks: int
    recall_at_10: float | None
    seconds: Mapping[str, float]
    notices: tuple[str, ...]


def build(config: Config, writer: Writer, *, rebuild: bool = False, progress: Progress | None = None) -> Built:
    """Cut what changed, embed it, and publish a version."""
    from ragcli.pipelines.building.chunk import chunk as run_chunk
    from ragcli.pipelines.building.index import build_index

    embedder = load_embedder(config)
    model = _context_model(config)
    cut = run_chunk(config=config, writer=writer, embedder=embedder, model=model, force=rebuild, progress=progress)
    made = build_index(config=config, writer=writer, embedder=embedder, rebuild=rebuild, progress=progress)
    published = made.published
    return Built(
        index_version=published.version,
        documents=published.documents,
        chunks=published.chunks,
        truncated_chunks=cut.truncated,
        recall_at_10=published.recall_at_10,
        seconds={"chunk": cut.seconds, **published.seconds},
        notices=published.notices,
    )


def chunk(config: Config, writer: Writer, *, progress: Progress | None = None) -> ChunkResult:
    """Cut every ingested document again where the settings ask for it, with statistics over all of them."""
    from ragcli.pipelines.building.chunk import chunk as run_chunk

    return run_chunk(
        config=config,
        writer=writer,
        embedder=load_embedder(config),
        model=_context_model(config),
        all_statistics=True,
        progress=progress,
    )


def plan_ingest(config: Config, files: Sequence[SourceFile]) -> Plan:
    """What parsing, cutting and embedding these files would take."""
    from ragcli.pipelines.ingesting.plan import plan

    return plan(files, config=config, embedder=load_embedder(config))


def plan_chunking(config: Config, writer: Writer) -> ContextPlan | None:
    """What chunking would ask of a language model; None when ``chunk.context`` is off."""
    from ragcli.pipelines.building.chunk import plan_contexts

    if config.chunk.context == "off":
        return None
    embedder = load_embedder(config)
    return plan_contexts(config=config, writer=writer, embedder=embedder, model_name=config.answer.model)


def _context_model(config: Config) -> TextModel | None:
    return load_text_model(config, batch=config.chunk.context_batch) if config.chunk.context != "off" else None


def parse_file(path: Path, config: Config) -> tuple[tuple[Document, ...], tuple[FileReport, ...]]:
    """One file as an ingest would read it, with its reports."""
    from ragcli.parse.files.pool import parse_files
    from ragcli.parse.files.walk import SourceFile, walk
    from ragcli.parse.metadata import describe
    from ragcli.records import FileReport

    met = list(walk(path, config.ingest))
    files = [item for item in met if isinstance(item, SourceFile)]
    documents: list[Document] = []
    reports = [item for item in met if isinstance(item, FileReport)]
    for parsed in parse_files(files, config.ingest):
        documents += [
            describe(document, config.ingest.rules, {}, (), parsed.file.relative)[0] for document in parsed.documents
        ]
        reports += parsed.reports
    return tuple(documents), tuple(reports)


def chunk_document(document: Document, config: Config) -> tuple[Chunk, ...]:
    """A document cut under the present settings, without what a language model would write about its chunks."""
    from ragcli.pipelines.building.chunk import chunk_staged

    return chunk_staged(document, config=config, embedder=load_embedder(config))


def forget(config: Config, writer: Writer, sources: Sequence[str]) -> Forgotten:
    """Erase documents from every version, cache, trace and conversation."""
    from ragcli.pipelines.forget import forget as run_forget

    def forget_traces(doc_ids: Collection[str]) -> None:
        traces(config).forget(doc_ids)
        sessions(config).forget(doc_ids)

    return run_forget(sources, writer=writer, config=config, forget_traces=forget_traces)
