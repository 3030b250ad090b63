"""What the front door gives back where no single record holds it; each as the JSON that ``--json`` prints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.codec import encode

if TYPE_CHECKING:
    from ragcli.evaluate.gate import GateVerdict
    from ragcli.evaluate.golden_sets.lint import CaseFault
    from ragcli.evaluate.run import EvalRun
    from ragcli.evaluate.trail import Trail
    from ragcli.pipelines.building.build import Built
    from ragcli.pipelines.evaluating.reader_steps import MovedRank
    from ragcli.pipelines.ingesting.ingest_result import IngestResult
    from ragcli.pipelines.ingesting.plan import Plan
    from ragcli.records import VersionDiff


@dataclass(frozen=True, slots=True)
class Ingested:
    """What an ingest read and published; ``built`` is None when nothing was built (asked for, or lost under strict).

    ``peak_bytes`` is the most memory that this process has held, None for a plan and where the system does not tell.
    The processes that parse beside it are not in it: ``ingest.memory_mb`` bounds each of them.
    """

    parsed: IngestResult
    built: Built | None
    peak_bytes: int | None = None

    @property
    def index_version(self) -> str | None:
        """The version that was published, None when none was."""
        return self.built.index_version if self.built else None

    @property
    def notices(self) -> tuple[str, ...]:
        """What a user should know."""
        return (*self.parsed.notices, *(self.built.notices if self.built else ()))

    def to_json(self) -> dict[str, Any]:
        """What ``rag ingest --json`` prints."""
        parsed, built = self.parsed, self.built
        return {
            "schema": "rag.ingest/1",
            "files": [encode(report) for report in parsed.files],
            "notices": list(self.notices),
            "ignored": encode(parsed.ignored),
            "added": parsed.added,
            "changed": parsed.changed,
            "removed": parsed.removed,
            "unchanged": parsed.unchanged,
            "chunks": built.chunks if built else 0,
            "truncated_chunks": built.truncated_chunks if built else 0,
            "index_version": self.index_version,
            "recall_at_10": built.recall_at_10 if built else None,
            "seconds": {"parse": parsed.seconds, **(built.seconds if built else {})},
            "peak_bytes": self.peak_bytes,
        }


@dataclass(frozen=True, slots=True)
class IngestPlan:
    """What an ingest would do (``parsed``) and take (``plan``)."""

    parsed: IngestResult
    plan: Plan

    def to_json(self) -> dict[str, Any]:
        """What ``rag ingest --dry-run --json`` prints."""
        return Ingested(self.parsed, None).to_json() | {"dry_run": True, "plan": encode(self.plan)}


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A measured golden set with its verdict, and the run that it was compared with."""

    run: EvalRun
    verdict: GateVerdict
    baseline: EvalRun | None = None

    def to_json(self) -> dict[str, Any]:
        """What ``rag eval --json`` prints."""
        from ragcli.evaluate.reports.rendering import to_json

        return to_json(self.run, self.verdict)

    def save(self, path: Path) -> None:
        """Keep the run, to be a baseline later. Raises ConfigError when it cannot be written."""
        from ragcli.evaluate.run import save_run

        save_run(self.run, path, gate=self.to_json()["gate"])

    def report(self, name: str) -> str:
        """The report as the text of a file called ``name``, in the format that its ending asks for."""
        from ragcli.evaluate.reports.rendering import render

        return render(self.run, self.verdict, name, baseline=self.baseline)


@dataclass(frozen=True, slots=True)
class Explained:
    """The trail of every expectation of a question."""

    question: str
    index_version: str
    trails: tuple[Trail, ...]

    def to_json(self) -> dict[str, Any]:
        """What ``rag explain --json`` prints."""
        return {
            "schema": "rag.explain/1",
            "question": self.question,
            "index_version": self.index_version,
            "trails": [encode(trail) for trail in self.trails],
        }


@dataclass(frozen=True, slots=True)
class Compared:
    """What differs between two versions; ``moved`` are labels of a golden set that they rank differently."""

    diff: VersionDiff
    moved: tuple[MovedRank, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """What ``rag versions diff --json`` prints."""
        content = {"schema": "rag.diff/1", **encode(self.diff)}
        return content if self.moved is None else content | {"moved": [encode(item) for item in self.moved]}


@dataclass(frozen=True, slots=True)
class Verified:
    """Everything wrong with a version, a line each; empty when it is sound."""

    index_version: str | None
    faults: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """What ``rag versions verify --json`` prints."""
        return {"schema": "rag.verify/1", "index_version": self.index_version, "faults": list(self.faults)}


@dataclass(frozen=True, slots=True)
class Linted:
    """What is doubtful about the cases of a golden set."""

    cases: int
    findings: tuple[CaseFault, ...]

    def to_json(self) -> dict[str, Any]:
        """What ``rag golden lint --json`` prints."""
        findings = [encode(item) for item in self.findings]
        return {"schema": "rag.lint/1", "cases": self.cases, "findings": findings}
