"""What an ingest read and lost, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragcli.cli.output import Output, shortened
from ragcli.display import one_line

if TYPE_CHECKING:
    from ragcli.application.results import Ingested, IngestPlan
    from ragcli.pipelines.building.build import Built
    from ragcli.pipelines.ingesting.ingest_result import IngestResult
    from ragcli.records import FileReport

_ROWS = 30
_LINES = 5


def text(output: Output, ingested: Ingested) -> str:
    """The files that have something to tell (all of them with ``-v``), then the counts."""
    parsed, built = ingested.parsed, ingested.built
    rows = [report for report in parsed.files if output.verbosity or remarks(report)]
    shown = rows if output.verbosity else rows[:_ROWS]
    parts = []
    if shown:
        columns = ("file", "documents>", "pages>", "with text>", "remarks")
        cells = [(r.path, r.documents, r.pages, r.pages_with_text, shortened(remarks(r), 110)) for r in shown]
        parts.append(output.table(columns, cells))
    if len(rows) > len(shown):
        parts.append(f"… and {len(rows) - len(shown)} more files with remarks (-v, or --report FILE)")
    return "\n".join([*parts, _counts(parsed), *_ignored(parsed), *(built_lines(built) if built else ())])


def remarks(report: FileReport) -> str:
    """Everything about a file that a reader should know, empty when it was read whole and plainly."""
    found = []
    if report.skipped is not None:
        found.append(f"{'passed over' if report.passed_over else 'skipped'}: {report.skipped}")
    if report.image_only_pages:
        found.append(f"{report.image_only_pages} image-only pages not read")
    if report.ocr_pages:
        found.append(f"{report.ocr_pages} pages by OCR")
    if report.duplicates_of:
        found.append(f"duplicate of {', '.join(report.duplicates_of)}")
    if report.garbage_ratio > 0.01:
        found.append(f"{report.garbage_ratio:.0%} garbage characters")
    return one_line("; ".join([*found, *report.warnings]))


def plan_text(planned: IngestPlan) -> str:
    """What an ingest would do and take."""
    found, plan = planned.parsed, planned.plan
    share = "all of them read for it" if plan.sampled == plan.files else f"{plan.sampled} of them read for it"
    cost = "no list price known" if plan.dollars is None else f"${plan.dollars:.2f} by the list prices"
    lines = [
        f"would parse {plan.files} files, {plan.bytes / 1e6:.1f} MB ({share}), and remove {found.removed} documents;"
        f" {found.unchanged} documents are unchanged",
        f"about {plan.pages} pages, {plan.chunks} chunks, {plan.tokens} tokens",
        f"about {plan.seconds:.0f} seconds on this machine and {plan.disk_bytes / 1e6:.1f} MB on disk",
        f"{plan.calls} calls to a model, {cost}" if plan.calls else "nothing is sent to a model",
        *found.notices,
    ]
    return "\n".join(one_line(line) for line in lines)


def _counts(parsed: IngestResult) -> str:
    skipped = sum(report.skipped is not None and not report.passed_over for report in parsed.files)
    changes = f"{parsed.added} added, {parsed.changed} changed, {parsed.removed} removed, {parsed.unchanged} unchanged"
    return f"{len(parsed.files)} files, {skipped} skipped; documents: {changes}"


def _ignored(parsed: IngestResult) -> list[str]:
    """What ignore files passed over, in one line; empty when nothing was."""
    if not parsed.ignored:
        return []
    files, folders = sum(line.files for line in parsed.ignored), sum(line.folders for line in parsed.ignored)
    most = sorted(parsed.ignored, key=lambda line: (-line.files - line.folders, line.rule))[:_LINES]
    named = "; ".join(f"{line.rule} ({line.files + line.folders})" for line in most)
    more = f"; {len(parsed.ignored) - _LINES} more lines" if len(parsed.ignored) > _LINES else ""
    return [one_line(f"passed over by ignore files: {files} files, {folders} folders ({named}{more})")]


def built_lines(built: Built) -> list[str]:
    """What was published, as lines."""
    seconds = ", ".join(f"{name} {value:.1f} s" for name, value in built.seconds.items())
    lines = [f"{built.chunks} chunks, {built.truncated_chunks} truncated"]
    if built.index_version is None:
        return [*lines, "nothing changed: no new version"]
    recall = "" if built.recall_at_10 is None else f", recall@10 of the graph {built.recall_at_10:.3f}"
    return [*lines, f"published {built.index_version}{recall} ({seconds})"]
