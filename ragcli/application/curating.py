"""``Index.golden``: golden sets proposed, checked and extended over an index."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.application.results import Linted
from ragcli.records import Scope

if TYPE_CHECKING:
    from ragcli.application.models import ConfiguredModels
    from ragcli.evaluate.golden_sets.draft import Draft
    from ragcli.interfaces import Progress
    from ragcli.pipelines.asking.reader import Reader
    from ragcli.records import Trace, Usage


class GoldenSets:
    """Golden sets over what the reader of one version shows."""

    def __init__(self, reader: Reader, models: ConfiguredModels) -> None:
        self._reader = reader
        self._models = models

    def draft(
        self,
        *,
        scope: Scope,
        limit: int = 50,
        unanswerable: float = 0.2,
        with_model: bool = False,
        progress: Progress | None = None,
    ) -> tuple[list[Draft], Usage]:
        """Proposals anchored by quotes, and what a model cost; without one they come from rules.

        ``unanswerable`` is the share that should have no answer.
        """
        from ragcli.pipelines.evaluating.curate import draft_golden

        model = self._models.text_model() if with_model else None
        return draft_golden(
            self._reader.engine,
            scope,
            limit=limit,
            unanswerable=unanswerable,
            complete=model.complete if model else None,
            model=model.name if model else "",
            progress=progress,
        )

    def lint(self, golden: str | PathLike[str], *, scope: Scope, ask: bool = False) -> Linted:
        """Labels that are not in the corpus, duplicates, and cases that measure less than they seem.

        With ``ask`` the unanswerable cases are tried on the pipeline.
        """
        from ragcli.evaluate.golden_sets.file import load_golden
        from ragcli.pipelines.evaluating.curate import lint_golden
        from ragcli.pipelines.evaluating.reader_steps import steps_of

        cases = load_golden(Path(golden))
        steps = steps_of(self._reader, answers=True) if ask else None
        findings = lint_golden(cases, engine=self._reader.engine, steps=steps, scope=scope)
        return Linted(len(cases.cases), tuple(findings))

    def promote(self, trace: Trace, *, expect: Sequence[str] = (), unanswerable: bool = False) -> dict[str, Any]:
        """The golden row for a past question. Raises ConfigError when what would have been right is not known."""
        from ragcli.pipelines.evaluating.curate import promote_trace

        return promote_trace(trace, engine=self._reader.engine, expect=expect, unanswerable=unanswerable)

    @staticmethod
    def append(path: str | PathLike[str], rows: Sequence[dict[str, Any]]) -> int:
        """Add the rows whose id and question the file does not have yet; how many were added."""
        from ragcli.pipelines.evaluating.curate import append_rows

        return append_rows(Path(path), rows)
