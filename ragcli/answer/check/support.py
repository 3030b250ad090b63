"""Whether an evidence text carries a sentence, decided by rules that can be read: no model, no chance.

In this order: facts (a number, date, time, code or name that the evidence does not state), the sentence standing there
word for word, a contradiction between the two laid side by side (``alignment``), and the share of the sentence's words
that the evidence carries. A check like this cannot prove that a sentence follows: whatever is not word for word is at
most "carried", and what is word for word is "verbatim" only where nothing was left out of it.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ragcli.answer.check.alignment import clash
from ragcli.answer.check.reading import Reading, coverage
from ragcli.answer.check.wording import differences, left_out, standing
from ragcli.language.facts import Fact, missing, states
from ragcli.language.sentences import sentence_spans
from ragcli.language.words import words
from ragcli.records import NO_DIFFERENCES, Differences, Span

Support = Literal["verbatim", "carried", "contradicted", "absent"]
CARRIED = 0.6
_BARELY = 0.2
_FIGURES = ("number", "date", "time", "code")


@dataclass(frozen=True, slots=True)
class SupportVerdict:
    """How far an evidence text carries a sentence, and why not further.

    ``differs`` is filled for what is carried; ``against_figures`` says that the reason is a figure, date or code that
    the evidence does not state, which no other wording excuses.
    """

    support: Support
    coverage: float
    reason: str = ""
    differs: Differences = NO_DIFFERENCES
    against_figures: bool = False


def check(sentence: str, evidence: str, quoted: Sequence[str] = ()) -> SupportVerdict:
    """How far ``evidence`` (the cited passages whole) carries ``sentence``.

    ``quoted`` are the stretches of it that quotes point to. Without one the nearest sentences are looked for, and a
    sentence that shares few words with the evidence is absent; beside a quote it may be in other words.
    """
    claim, whole = Reading.of(sentence), Reading.of(evidence)
    share = coverage(claim, whole)
    if lost := missing(claim.facts, whole.facts, whole.vocabulary):
        reason = f"{lost[0].kind} {lost[0].text!r} is not in the cited passage"
        return SupportVerdict("absent", share, reason, against_figures=any(_is_figure(fact) for fact in lost))
    if quoted:
        near = Reading.of("\n".join(quoted))
    else:
        span = nearest_window(sentence, evidence)
        near = Reading.of(span.of(evidence)) if span is not None else whole
    if (verdict := _word_for_word(claim, [*map(Reading.of, quoted), near, whole], share)) is not None:
        return verdict
    differs = differences(claim, near)
    if reason := clash(claim, near, whole):
        return SupportVerdict("contradicted", share, reason, differs)
    reason = _not_in_order(claim, near) or ("" if differs.any else "it says the same words in another order or form")
    if share >= CARRIED or (bool(quoted) and _touches(claim, near, share)):
        return SupportVerdict("carried", share, reason, differs)
    return SupportVerdict("absent", share, reason or "too few of its words stand in the cited passage", differs)


def _word_for_word(claim: Reading, places: Sequence[Reading], share: float) -> SupportVerdict | None:
    """The verdict on a sentence whose words stand together in one of the places; None when they stand in none.

    A place where nothing was left out counts before one where something was.
    """
    worse: SupportVerdict | None = None
    for place, span in ((one, span) for one in places for span in standing(claim, one)):
        if (cut := _cut_negation(place.text, span)) is not None:
            worse = worse or SupportVerdict("contradicted", share, f"the passage says {cut!r} before these words")
        elif lost := left_out(place, span):
            worse = worse or SupportVerdict("carried", 1.0, differs=Differences((), lost))
        else:
            return SupportVerdict("verbatim", 1.0)
    return worse


def _is_figure(fact: Fact) -> bool:
    """Not a number in words: ``one`` counts nothing as often as it counts."""
    return fact.kind in _FIGURES and any(map(str.isdigit, fact.text))


def _touches(claim: Reading, near: Reading, share: float) -> bool:
    """Whether a sentence in other words than its quote can rest on it at all."""
    figures = [fact for fact in claim.facts if _is_figure(fact)]
    return share >= _BARELY or any(states(near.facts, near.vocabulary, fact) for fact in figures)


def nearest_window(sentence: str, evidence: str) -> Span | None:
    """The one or two neighbouring sentences of ``evidence`` that share most words with ``sentence``."""
    spans = sentence_spans(evidence)
    if not spans:
        return None
    wanted = {word.stem for word in words(sentence) if word.is_content} or {word.stem for word in words(sentence)}
    stems = [{word.stem for word in words(span.of(evidence))} for span in spans]
    single = max(range(len(spans)), key=lambda index: (_share(wanted, stems[index]), -index))
    best, best_share = spans[single], _share(wanted, stems[single])
    for index in (single - 1, single):
        if index >= 0 and index + 1 < len(spans):
            share = _share(wanted, stems[index] | stems[index + 1])
            if share > best_share + 0.1:
                best, best_share = Span(spans[index].start, spans[index + 1].end), share
    return best


def _share(wanted: set[str], given: set[str]) -> float:
    return len(wanted & given) / max(1, len(wanted))


def _cut_negation(evidence: str, span: Span) -> str | None:
    """A negator just before a verbatim fragment, in the same clause: ``not`` before ``allowed to smoke``."""
    head = re.split(r"[.!?;:,\n]", evidence[max(0, span.start - 60) : span.start])[-1]
    close = words(head)[-3:]
    return next((word.text for word in close if word.is_negator), None)


def _not_in_order(claim: Reading, near: Reading) -> str:
    """Facts of the claim that the nearest sentences do not state, or state fewer times or in another order."""
    if lost := missing(claim.facts, near.facts, near.vocabulary):
        return f"{lost[0].kind} {lost[0].text!r} stands elsewhere in the passage"
    mine = [_key(fact) for fact in claim.facts]
    theirs = [_key(fact) for fact in near.facts]
    extra = Counter(mine) - Counter(theirs)
    shared = [key for key in mine if key in theirs]
    common = difflib.SequenceMatcher(None, shared, [key for key in theirs if key in shared], autojunk=False)
    in_order = sum(block.size for block in common.get_matching_blocks())
    if len(shared) > in_order or any(extra[key] for key in shared):
        return "its facts stand in another order in the passage"
    return ""


def _key(fact: Fact) -> str:
    return min(fact.values) if fact.values else fact.text
