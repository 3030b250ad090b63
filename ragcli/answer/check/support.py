"""Whether an evidence text carries a sentence, decided by rules that can be read: no model, no chance.

In this order: facts (a number, date, time, code or name that the evidence does not state), negation (what one says the
other denies), substitution (a near copy in which a word was exchanged), and the share of the sentence's words that the
evidence carries. A check like this cannot prove that a sentence follows; it is built never to approve one that differs
in a fact, and to say "paraphrase" where it cannot be sure of more.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ragcli.language.facts import Fact, facts, missing
from ragcli.language.lexicon import opposites
from ragcli.language.sentences import sentence_spans
from ragcli.language.words import Word, words
from ragcli.quotes import locate
from ragcli.records import Span

Support = Literal["verbatim", "close", "carried", "contradicted", "absent"]
CARRIED = 0.6
TOO_FEW_WORDS = "too few of its words stand in the cited passage"
_NEAR_COPY = 0.72
_SCOPE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far an evidence text carries a sentence, and why not further."""

    support: Support
    coverage: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text read once. ``content`` are its words with a meaning of their own, those of numbers and dates left out."""

    text: str
    words: tuple[Word, ...]
    content: tuple[Word, ...]
    facts: tuple[Fact, ...]
    vocabulary: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Reading:
        """Reads ``text``."""
        found = tuple(words(text))
        parts = {part for word in found for part in re.split(r"[-/_.']", word.folded)}
        vocabulary = {word.folded for word in found} | {word.stem for word in found} | parts
        stated = facts(text)
        valued = [(fact.start, fact.end) for fact in stated if fact.kind in ("number", "date", "time")]
        content = tuple(
            word
            for word in found
            if word.is_content and not any(start < word.end and word.start < end for start, end in valued)
        )
        return cls(text, found, content, tuple(stated), frozenset(vocabulary))


def check(sentence: str, evidence: str) -> Verdict:
    """How far ``evidence`` (a passage, or what surrounds a quote) carries ``sentence``."""
    claim, whole = Reading.of(sentence), Reading.of(evidence)
    share = coverage(claim, whole)
    if lost := missing(claim.facts, whole.facts, whole.vocabulary):
        return Verdict("absent", share, f"{lost[0].kind} {lost[0].text!r} is not in the cited passage")
    if (span := locate(sentence, evidence)) is not None:
        if (cut := _cut_negation(evidence, span)) is None:
            return Verdict("verbatim", 1.0)
        return Verdict("contradicted", share, f"the passage says {cut!r} before these words")
    nearest = nearest_window(sentence, evidence)
    near = Reading.of(nearest.of(evidence)) if nearest is not None else whole
    if reason := _flipped(claim, near) or _exchanged(claim, near):
        return Verdict("contradicted", share, reason)
    if disorder := _not_in_order(claim, near):
        return Verdict("carried" if share >= CARRIED else "absent", share, disorder)
    if coverage(claim, near) >= CARRIED and not _new_words_in_copy(claim, near):
        return Verdict("close", share)
    if share >= CARRIED:
        return Verdict("carried", share)
    return Verdict("absent", share, TOO_FEW_WORDS)


def coverage(claim: Reading, evidence: Reading) -> float:
    """Share of the claim's content words that the evidence has in some inflection; 1.0 when it has none of its own."""
    if not claim.content:
        return 1.0
    return sum(_carries(evidence.vocabulary, word) for word in claim.content) / len(claim.content)


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


def _carries(vocabulary: frozenset[str], word: Word) -> bool:
    if word.folded in vocabulary or word.stem in vocabulary:
        return True
    parts = [part for part in re.split(r"[-/_.']", word.folded) if part]
    return len(parts) > 1 and all(part in vocabulary for part in parts)


def _cut_negation(evidence: str, span: Span) -> str | None:
    """A negator just before a verbatim fragment, in the same clause: ``not`` before ``allowed to smoke``."""
    head = re.split(r"[.!?;:,\n]", evidence[max(0, span.start - 60) : span.start])[-1]
    close = words(head)[-3:]
    return next((word.text for word in close if word.is_negator), None)


def _polarity(reading: Reading) -> tuple[set[str], set[str]]:
    """Stems of content words said plainly, and those within reach of a negator (to the clause's end, four words on)."""
    plain: set[str] = set()
    negated: set[str] = set()
    remaining, previous_end = 0, 0
    for word in reading.words:
        if re.search(r"[.!?;:,\n()]", reading.text[previous_end : word.start]):
            remaining = 0
        previous_end = word.end
        if word.is_negator:
            remaining = _SCOPE_WORDS
        elif word.is_content:
            (negated if remaining else plain).add(word.stem)
            remaining = max(0, remaining - 1)
    return plain, negated


def _flipped(claim: Reading, near: Reading) -> str:
    """A word the claim says plainly and the evidence only denies, or the other way round."""
    claim_plain, claim_negated = _polarity(claim)
    near_plain, near_negated = _polarity(near)
    for stem in sorted((claim_plain - claim_negated) & (near_negated - near_plain)):
        return f"the passage denies {stem!r}"
    for stem in sorted((claim_negated - claim_plain) & (near_plain - near_negated)):
        return f"the passage does not deny {stem!r}"
    if bool(claim_negated) != bool(near_negated) and _similar(claim, near) >= _NEAR_COPY:
        return "only one of the two is a denial"
    return ""


def _tokens(reading: Reading) -> list[str]:
    return [word.stem for word in reading.words]


def _similar(claim: Reading, near: Reading) -> float:
    return difflib.SequenceMatcher(None, _tokens(claim), _tokens(near), autojunk=False).ratio()


def _exchanged(claim: Reading, near: Reading) -> str:
    """In a near copy, a word that was exchanged for another: its opposite, a name, or a negator added or left out."""
    matcher = difflib.SequenceMatcher(None, _tokens(claim), _tokens(near), autojunk=False)
    if matcher.ratio() < _NEAR_COPY:
        return ""
    for tag, start, end, near_start, near_end in matcher.get_opcodes():
        mine, theirs = claim.words[start:end], near.words[near_start:near_end]
        if tag == "equal":
            continue
        if any(word.is_negator for word in mine) != any(word.is_negator for word in theirs):
            return "a negation was added or left out"
        for a in mine:
            for b in theirs:
                if frozenset((a.folded, b.folded)) in opposites():
                    return f"the passage says {b.text!r}, not {a.text!r}"
        if tag == "replace" and len(mine) <= 3 and (reason := _new_name(mine, theirs, near)):
            return reason
    return ""


def _new_name(mine: Sequence[Word], theirs: Sequence[Word], near: Reading) -> str:
    for word in mine:
        if word.text[:1].isupper() and word.is_content and not _carries(near.vocabulary, word):
            if any(other.text[:1].isupper() and other.is_content for other in theirs):
                return f"the passage names {' '.join(other.text for other in theirs)!r}, not {word.text!r}"
    return ""


def _new_words_in_copy(claim: Reading, near: Reading) -> bool:
    """Whether a near copy holds a content word that its model does not have, or holds it more often."""
    extra = Counter(word.stem for word in claim.content) - Counter(word.stem for word in near.words)
    return bool(extra) and _similar(claim, near) >= _NEAR_COPY


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
