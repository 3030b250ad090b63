"""A small handbook taken through the real pipeline: parsed, chunked, embedded by the packaged model and indexed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ragcli.config import Config, load
from ragcli.embed.loading import load_embedder
from ragcli.evaluate.golden_sets.file import GoldenSet, parse_golden
from ragcli.evaluate.run import EvalRun
from ragcli.filters import parse_filter
from ragcli.index.folder import IndexFolder
from ragcli.interfaces import Embedder, Engine, Reranker
from ragcli.pipelines.asking.prefetch import Prefetched
from ragcli.pipelines.building.chunk import chunk
from ragcli.pipelines.building.index import build_index
from ragcli.pipelines.evaluating.evaluate import Steps, evaluate
from ragcli.pipelines.evaluating.explain import leg_probe
from ragcli.pipelines.ingesting.ingest import ingest
from ragcli.records import Document, Retrieval, Scope
from ragcli.retrieve.search import retrieve

HANDBOOK = {
    "remote.md": "# Remote work\n\nYou may work from home. Remote work is limited to two days per week.\n",
    "leave.md": "# Annual leave\n\nEverybody has thirty days of paid vacation a year.\n",
    "errors.md": "# Error codes\n\nE-4012 means that the pump is dry.\n\nE-4013 means that the valve is stuck.\n",
    "travel.md": "# Travel\n\nBook trains in second class. Flights need the consent of your manager.\n",
    "pay.md": "# Salary\n\nSalaries are paid on the last working day of the month.\n",
    "sick.md": "# Illness\n\nTell your manager before nine when you are unwell. A doctor's note is due on day four.\n",
    "desk.md": "# Desks\n\nDesks are shared. Clear yours in the evening.\n",
    "coffee.md": "# Kitchen\n\nThe machine makes espresso and cappuccino for free.\n",
    "parking.md": "# Cars\n\nThe garage opens at six. Visitors park on level two.\n",
    "secret.md": "---\nacl: [board]\n---\n# Board\n\nThe merger with Acme is planned for May.\n",
}


@dataclasses.dataclass
class Project:
    """An index of the handbook, open, and everything needed to evaluate over it."""

    config: Config
    engine: Engine
    embedder: Embedder

    def steps(self, golden: GoldenSet, *, reranker: Reranker | None = None, **retrieval: object) -> Steps:
        """Real retrieval under changed settings of the ``retrieve`` section."""
        settings = dataclasses.replace(self.config.retrieve, **retrieval)  # type: ignore[arg-type]
        embedder = Prefetched(self.embedder, [case.question for case in golden.cases])
        search = partial(
            retrieve,
            engine=self.engine,
            embedder=embedder,
            reranker=reranker,
            config=settings,
            rerank=self.config.rerank,
        )

        def find(question: str, scope: Scope) -> Retrieval:
            return search(question, scope=scope)

        probe = leg_probe(self.engine, lambda: self.embedder)
        return Steps(find, settings.k, probe=probe, parse_filter=parse_filter)

    def run(self, golden: GoldenSet, steps: Steps | None = None, scope: Scope | None = None) -> EvalRun:
        """The evaluation of a golden set."""
        return evaluate(
            golden,
            engine=self.engine,
            steps=steps or self.steps(golden),
            scope=scope or Scope(as_of="2026-01-01"),
            config=self.config,
        )


def golden(*rows: str) -> GoldenSet:
    """A golden set from its lines."""
    return parse_golden("\n".join(rows), name="golden.jsonl", digest="1")


def build(
    folder: Path,
    texts: Mapping[str, str] = HANDBOOK,
    *,
    damage: Callable[[Document], Document] = lambda document: document,
    **settings: object,
) -> Project:
    """The texts as files, taken through the pipeline; ``damage`` changes each document between parser and chunker."""
    source = folder / "docs"
    source.mkdir(parents=True)
    for name, text in texts.items():
        (source / name).write_text(text, encoding="utf-8")
    config = load(overrides={"index.path": str(folder / "index"), **settings}, environ={}, cwd=folder)
    embedder = load_embedder(config.embed, offline=True)
    with IndexFolder(config.index_path).writer() as writer:
        ingest(
            [source],
            config=config,
            writer=writer,
            meta={},
            acl=(),
            force=False,
            max_delete=100.0,
            dry_run=False,
        )
        _damage(writer.staging, sorted(texts), damage)
        chunk(config=config, writer=writer, embedder=embedder)
        build_index(config=config, writer=writer, embedder=embedder)
    return Project(config, IndexFolder(config.index_path).open(), embedder)


def _damage(staging: object, doc_ids: Sequence[str], damage: Callable[[Document], Document]) -> None:
    with staging.transaction():  # type: ignore[attr-defined]
        for doc_id in doc_ids:
            whole = staging.document(doc_id)  # type: ignore[attr-defined]
            changed = damage(whole)
            if changed != whole:
                staging.put_document(changed, root_id=1, relative=doc_id)  # type: ignore[attr-defined]
