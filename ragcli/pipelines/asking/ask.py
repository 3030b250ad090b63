"""A question to a checked answer: gather passages, generate, verify, and keep a trace."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

from ragcli.answer.check.verify import Verifier
from ragcli.errors import ConfigError, ModelError
from ragcli.interfaces import Generator, StreamingGenerator
from ragcli.language.words import content_stems
from ragcli.pipelines.asking.inquiry import Gathered, Inquiry, with_notices
from ragcli.records import AskResult, Citation, Claim, Completion, Passage, Sentence

Gather = Callable[[str], Gathered]
OnSentence = Callable[[Sentence, tuple[Citation, ...]], None]


def ask(
    inquiry: Inquiry,
    *,
    generator: Generator,
    gather: Gather | None = None,
    on_sentence: OnSentence | None = None,
) -> AskResult:
    """The checked answer to a question from what its asker may see.

    ``gather`` stands in for one search (the whole corpus, several searches). ``on_sentence`` gets each sentence as
    soon as it is written and checked, with the citations it is first to use.
    Raises ConfigError for an empty question, ModelError from the generator: a trace is kept of what it had written.
    """
    started = time.perf_counter()
    asked = inquiry.asked
    if not asked:
        raise ConfigError("the question is empty", hint='rag ask "How many remote days per week can I take?"')
    found = (gather or inquiry.gather)(asked)
    gathered = time.perf_counter()
    verifier = Verifier(found.passages)
    try:
        completion = _complete(inquiry, found.passages, generator, _checking(verifier, on_sentence))
    except ModelError as error:
        inquiry.fail(error, found, verifier, (time.perf_counter() - started) * 1000)
        raise
    generated = time.perf_counter()
    if on_sentence is None:
        for claim in completion.claims if completion.found else ():
            verifier.add(claim)
    answer = verifier.answer(completion, question=inquiry.question, standalone_question=asked)
    if completion.found and completion.unanswered:
        answer = with_notices(answer, f"nothing was found for: {'; '.join(completion.unanswered)}")
    ended = time.perf_counter()
    timings = {
        "retrieve": (gathered - started) * 1000,
        "generate": (generated - gathered) * 1000,
        "verify": (ended - generated) * 1000,
        "total": (ended - started) * 1000,
    }
    return inquiry.conclude(answer, found, timings)


def _checking(verifier: Verifier, on_sentence: OnSentence | None) -> Callable[[Claim], None] | None:
    """Checks each claim as it comes and passes the sentence on, as soon as it is sure that the answer is shown.

    An answer of which nothing holds is withheld: sentences that alone would not be shown wait for one that is.
    """
    if on_sentence is None:
        return None
    show, waiting = on_sentence, list[tuple[Sentence, tuple[Citation, ...]]]()

    def on_claim(claim: Claim) -> None:
        if (checked := verifier.add(claim)) is not None:
            waiting.append(checked)
        if verifier.carries:
            for one in waiting:
                show(*one)
            waiting.clear()

    return on_claim


def _complete(
    inquiry: Inquiry, passages: tuple[Passage, ...], generator: Generator, on_claim: Callable[[Claim], None] | None
) -> Completion:
    """What the generator makes of the passages; it is not troubled when there are none."""
    if not passages:
        provider = inquiry.config.answer.provider
        return Completion(False, (), provider, "", confidence=0.0, not_found_reason="no_candidates")
    if on_claim is not None and isinstance(generator, StreamingGenerator):
        return generator.generate_streaming(inquiry.asked, passages, on_claim)
    completion = generator.generate(inquiry.asked, passages)
    if completion.found and not inquiry.about <= _spoken_of(completion.claims, passages):
        completion = dataclasses.replace(completion, found=False, claims=(), not_found_reason="low_evidence")
    if completion.found and on_claim is not None:
        for claim in completion.claims:
            on_claim(claim)
    return completion


def _spoken_of(claims: tuple[Claim, ...], passages: tuple[Passage, ...]) -> set[str]:
    """Stems of what is claimed and of the titles and headings above it."""
    cited = {number for claim in claims for number in claim.cited}
    above = [
        " ".join((passage.chunk.title, *passage.chunk.heading_path))
        for passage in passages
        if str(passage.number) in cited
    ]
    return set().union(*(content_stems(text) for text in (*(claim.text for claim in claims), *above)))
