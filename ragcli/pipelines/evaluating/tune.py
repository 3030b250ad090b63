"""``rag tune``: the threshold of the answerer, fitted on a golden set by asking every question without one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from ragcli.answer.calibration import Outcome, Tuned, tune_threshold
from ragcli.answer.extract.extractive import ExtractiveAnswerer
from ragcli.config import Config
from ragcli.errors import GoldenError
from ragcli.interfaces import Embedder, Engine, Progress, Tokenizer
from ragcli.pipelines.asking.inquiry import Inquiry, Retrieve
from ragcli.records import GoldenCase, Scope


def tune(
    cases: Sequence[GoldenCase],
    *,
    retrieve: Retrieve,
    engine: Engine,
    embedder: Embedder | None,
    tokenizer: Tokenizer,
    scope_of: Callable[[GoldenCase], Scope],
    config: Config,
    progress: Progress | None = None,
) -> Tuned:
    """The fitted ``answer.min_confidence`` with its cross-validated gain. The same cases give the same result.

    Raises GoldenError when the set has fewer than five answerable or five unanswerable questions.
    """
    answerer = ExtractiveAnswerer(dataclasses.replace(config.answer, min_confidence=0.0), embedder)
    outcomes = []
    for number, case in enumerate(cases, start=1):
        inquiry = Inquiry(
            question=case.question,
            retrieve=retrieve,
            engine=engine,
            tokenizer=tokenizer,
            scope=scope_of(case),
            config=config,
        )
        made = answerer.generate(case.question, inquiry.gather(case.question).passages)
        outcomes.append(Outcome(case.case_id, made.confidence or 0.0, case.answerable))
        if progress is not None:
            progress("tune", number, len(cases))
    try:
        return tune_threshold(
            outcomes,
            config.answer.min_confidence,
            seed=config.eval.seed,
            resamples=config.eval.resamples,
            confidence=config.eval.confidence,
        )
    except ValueError as error:
        raise GoldenError(
            f"this golden set cannot be tuned on: {error}", hint="rag golden draft proposes both kinds"
        ) from error
