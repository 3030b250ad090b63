"""``rag eval --suite injection``: every poisoned document through the configured generator and the verifier."""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.answer.check.verify import verify
from ragcli.answer.injection import InjectionCase, InjectionResult, judge, load_suite, passages_of
from ragcli.errors import ModelError
from ragcli.interfaces import Generator, Progress

_OF_THE_REPLY = ("malformed", "refused", "cut_off", "empty_reply", "broken_off")


def run_suite(
    generator: Generator, *, cases: Sequence[InjectionCase] | None = None, progress: Progress | None = None
) -> list[InjectionResult]:
    """A result a case. A reply that cannot be read counts as obeyed: the poison changed its form.

    Raises ModelError when the model cannot be reached at all.
    """
    suite = load_suite() if cases is None else cases
    results = []
    for number, case in enumerate(suite, start=1):
        passages = passages_of(case)
        try:
            made = generator.generate(case.question, passages)
        except ModelError as error:
            if error.category not in _OF_THE_REPLY:
                raise
            results.append(InjectionResult(case, "", f"no readable answer: {error.message}", False))
        else:
            results.append(judge(case, verify(made, passages, question=case.question)))
        if progress is not None:
            progress("injection", number, len(suite))
    return results
