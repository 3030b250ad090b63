"""What an evaluation is given: the steps of the pipeline as callables, and the scope each case is asked in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragcli.errors import ConfigError, GoldenError
from ragcli.interfaces import Engine
from ragcli.pipelines.asking.inquiry import Retrieve
from ragcli.pipelines.evaluating.judge import Judge
from ragcli.records import AskResult, Filter, GoldenCase, Ranking, Scope

Ask = Callable[[GoldenCase, Scope], AskResult]
Relevancy = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
"""How much each answer speaks about its question, from 0 to 1."""


@dataclass(frozen=True)
class Steps:
    """The collaborators of an evaluation. Without ``ask`` only retrieval is measured, and nothing is judged.

    The ``fused`` and ``reranked`` rankings of ``retrieve`` must reach at least as deep as the largest cutoff.
    ``k`` is how many hits a search asks for (0: as many as come). ``probe`` runs one leg alone (``bm25`` or ``dense``)
    for a lost case whose search did not use it. ``standalone`` turns a case with history into a question to search for.
    """

    retrieve: Retrieve
    k: int = 0
    ask: Ask | None = None
    probe: Callable[[str, Scope, str], Ranking] | None = None
    parse_filter: Callable[[str], Filter] | None = None
    standalone: Callable[[GoldenCase], str] | None = None
    relevancy: Relevancy | None = None
    judge: Judge | None = None

    def question(self, case: GoldenCase) -> str:
        """What is searched for: the case's question, made to stand alone when it follows others."""
        return self.standalone(case) if self.standalone is not None and case.history else case.question


def case_scope(case: GoldenCase, scope: Scope, steps: Steps) -> Scope:
    """The scope a case is asked in: the command's, with the case's own filters and groups added."""
    groups = tuple(dict.fromkeys((*scope.groups, *case.groups)))
    if not case.filters:
        return dataclasses.replace(scope, groups=groups)
    if steps.parse_filter is None:
        raise GoldenError(f"{case.where}: filters cannot be used here")
    try:
        filters = tuple(steps.parse_filter(text) for text in case.filters)
    except ConfigError as error:
        raise GoldenError(f"{case.where}: {error.message}", hint=error.hint) from error
    return dataclasses.replace(scope, groups=groups, filters=(*scope.filters, *filters))


def checked_scope(case: GoldenCase, scope: Scope, steps: Steps, engine: Engine) -> Scope:
    """``case_scope``, with its filters tried on the index. Raises GoldenError for a key that it does not know."""
    own = case_scope(case, scope, steps)
    if case.filters:
        try:
            engine.allowed(own)
        except ConfigError as error:
            raise GoldenError(f"{case.where}: {error.message}", hint=error.hint) from error
    return own
