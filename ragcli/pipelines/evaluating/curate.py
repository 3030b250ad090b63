"""Golden sets made, checked and extended over an index: ``rag golden draft``, ``lint`` and ``promote``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ragcli.errors import ConfigError, GoldenError, reason
from ragcli.evaluate.golden_sets.draft import Draft, draft_offline, draft_with_model, folded
from ragcli.evaluate.golden_sets.file import GoldenSet, parse_golden, read_case
from ragcli.evaluate.golden_sets.lint import CaseFault, lint
from ragcli.evaluate.golden_sets.promote import promote
from ragcli.evaluate.judge.claims import Complete
from ragcli.evaluate.run import write_text
from ragcli.interfaces import Engine, Progress
from ragcli.pipelines.evaluating.evaluate import resolve
from ragcli.pipelines.evaluating.seen import all_groups
from ragcli.pipelines.evaluating.steps import Steps, checked_scope
from ragcli.records import GoldenCase, Scope, Trace, Usage
from ragcli.regular_files import read_named


def draft_golden(
    engine: Engine,
    scope: Scope,
    *,
    limit: int,
    unanswerable: float,
    complete: Complete | None = None,
    model: str = "",
    progress: Progress | None = None,
) -> tuple[list[Draft], Usage]:
    """Proposals from the documents that ``scope`` may see, and what a model cost; without one they come from rules.

    ``unanswerable`` is the share that should have no answer; those are always made by rule.
    """
    documents = [engine.document(doc_id) for doc_id in engine.doc_ids(engine.allowed(scope))]
    if not documents:
        raise ConfigError("no document may be seen to draft questions from", hint="--as GROUP, --include-superseded")
    offline = draft_offline(documents, limit=limit, unanswerable=unanswerable)
    if complete is None:
        return offline, Usage()
    nothing = [draft for draft in offline if not draft.quote]
    spent: list[Usage] = []

    def counted(rules: str, request: str) -> str:
        text, usage = complete(rules, request)
        spent.append(usage)
        return text

    made: list[Draft] = []
    wanted = limit - len(nothing)
    for doc_id, text in _pieces(engine, [document.doc_id for document in documents]):
        if len(made) >= wanted:
            break
        made += draft_with_model(engine.document(doc_id), text, counted, made_by=f"draft:{model}")
        if progress is not None:
            progress("draft", min(len(made), wanted), wanted)
    return [*made[:wanted], *nothing], sum(spent, Usage())


def _pieces(engine: Engine, doc_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Chunks of the documents, a document after the other, so that a few questions span the corpus."""
    cut = {doc_id: engine.document_chunks(doc_id) for doc_id in doc_ids}
    for place in range(max((len(chunks) for chunks in cut.values()), default=0)):
        for doc_id in doc_ids:
            if place < len(cut[doc_id]):
                yield doc_id, cut[doc_id][place].text


def lint_golden(golden: GoldenSet, *, engine: Engine, steps: Steps | None, scope: Scope) -> list[CaseFault]:
    """Every finding over a golden set, as the groups of ``scope`` and of each case see the documents.

    With ``steps`` that can ask, unanswerable cases are tried on the pipeline.
    """

    def answers(case: GoldenCase) -> str | None:
        if steps is None or steps.ask is None:
            return None
        given = steps.ask(case, checked_scope(case, scope, steps, engine)).answer
        supported = any(sentence.status == "supported" for sentence in given.sentences)
        return given.text if given.found and supported else None

    tried = answers if steps is not None and steps.ask is not None else None
    groups = [all_groups([scope.groups, case.groups]) for case in golden.cases]
    judged = resolve(golden, engine, groups)
    return lint(judged, texts=lambda doc_id: engine.document(doc_id).text, answers=tried)


def promote_trace(
    trace: Trace, *, engine: Engine, expect: Sequence[str] = (), unanswerable: bool = False
) -> dict[str, Any]:
    """The golden row for a logged question. Raises ConfigError when what would have been right is not known."""

    def chunks(chunk_ids: Sequence[str]) -> list[Any]:
        # A document may have been closed to the asker's groups since the question was asked.
        seen = frozenset(engine.doc_ids(engine.allowed(Scope(groups=trace.groups, include_superseded=True))))
        known = [item for item in chunk_ids if item.rpartition("#")[0] in seen and _exists(engine, item)]
        return engine.chunks(known)

    return promote(trace, chunks=chunks, expect=expect, unanswerable=unanswerable)


def append_rows(path: Path, rows: Sequence[dict[str, Any]]) -> int:
    """Adds the rows whose id and question the file does not have yet; how many were added.

    Raises GoldenError when a row, or a line that is there already, is malformed or unreadable; then nothing is written.
    """
    try:
        kept = read_named(path).decode("utf-8-sig") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise GoldenError(f"cannot read golden file {path}: {reason(error)}") from error
    there = parse_golden(kept, name=str(path)).cases if kept.strip() else ()
    questions, ids = {folded(case.question) for case in there}, {case.case_id for case in there}
    fresh: list[dict[str, Any]] = []
    for row in rows:
        case = read_case(row, where=f"{path} (new row)")
        if case.case_id not in ids and folded(case.question) not in questions:
            fresh.append(row)
            ids.add(case.case_id)
            questions.add(folded(case.question))
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in fresh)
    if fresh:
        write_text(path, kept + ("" if not kept or kept.endswith("\n") else "\n") + lines)
    return len(fresh)


def _exists(engine: Engine, chunk_id: str) -> bool:
    try:
        engine.chunks([chunk_id])
    except KeyError:
        return False
    return True
