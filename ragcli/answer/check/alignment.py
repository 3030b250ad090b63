"""A claim laid beside the sentence it rests on, part by part: who, what, how much, on what terms, yes or no.

Every part is a rule of a few lines that gives the reason for which the two cannot both be meant, or ``""``. Most look
at words that people choose with care (must, only, at least, per week); those that need the order of words speak only
where one text is nearly a copy of the other, since in free wording order proves nothing.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from ragcli.answer.check.reading import Reading, Token, coverage
from ragcli.language.lexicon import contrasts, listed
from ragcli.language.statements import (
    bound,
    denies,
    denies_implicitly,
    exclusives,
    is_telling,
    modalities,
    quantifiers,
    rates,
    without_bounds,
)

NEAR_COPY = 0.72
_ENOUGH = 0.5
_LONGEST_PART = 6


def clash(claim: Reading, near: Reading, passage: Reading) -> str:
    """Why ``claim`` contradicts ``near``, the sentences of ``passage`` closest to it; ``""`` when nothing says so."""
    copy = _Copy(claim, near)
    if reason := _swapped(copy) or (copy.is_near and (_exchanged(copy) or _put_in_place(copy, passage))) or "":
        return reason
    if coverage(claim, near) < _ENOUGH:
        return ""
    return (
        _polarity(claim, near)
        or _quantities(claim, near)
        or _rates(claim, near)
        or _groups("speaks of", quantifiers(claim.text), quantifiers(near.text))
        or _groups("says", modalities(claim.text), modalities(near.text))
        or _only(claim, near)
        or _opposite(copy)
    )


class _Copy:
    """The tokens of both texts matched in order; ``near`` is cut to the part that the claim runs along."""

    def __init__(self, claim: Reading, near: Reading) -> None:
        self.claim, self.near = claim, near
        self.mine: Sequence[Token] = claim.tokens
        theirs = near.tokens
        stems = [token.stem for token in self.mine]
        blocks = difflib.SequenceMatcher(None, stems, [token.stem for token in theirs], autojunk=False)
        matched = [block for block in blocks.get_matching_blocks() if block.size]
        first = max(0, matched[0].b - matched[0].a) if matched else 0
        last = matched[-1].b + len(stems) - matched[-1].a if matched else 0
        self.theirs: Sequence[Token] = theirs[first:last]
        self._matcher = difflib.SequenceMatcher(None, stems, [token.stem for token in self.theirs], autojunk=False)
        self.is_near = bool(stems) and self._matcher.ratio() >= NEAR_COPY

    def changes(self) -> Iterator[tuple[Sequence[Token], Sequence[Token]]]:
        """Tokens of the claim and those that stand in their place."""
        for tag, start, end, near_start, near_end in self._matcher.get_opcodes():
            if tag != "equal":
                yield self.mine[start:end], self.theirs[near_start:near_end]


# --- where one is nearly a copy of the other -----------------------------------------------------------------------


def _exchanged(copy: _Copy) -> str:
    """A negation added or left out, or a word put in the place of its opposite."""
    for mine, theirs in copy.changes():
        if any(_negates(token) for token in mine) != any(_negates(token) for token in theirs):
            return "a negation was added or left out"
        for a in mine:
            for b in theirs:
                if b.key in contrasts().get(a.key, ()):
                    return f"the passage says {b.text!r}, not {a.text!r}"
    return ""


def _swapped(copy: _Copy) -> str:
    """Two parts that have changed places, with more than a conjunction between: who pays whom, from what to what."""
    mine, theirs = [token.stem for token in copy.mine], [token.stem for token in copy.near.tokens]
    for offset in range(len(theirs) - len(mine) + 1):
        window = theirs[offset : offset + len(mine)]
        if window != mine and sorted(window) == sorted(mine) and (parts := _changed_places(mine, window)):
            a, b = (_text(copy.claim, copy.mine[start:end]) for start, end in parts)
            if all(any(token.is_content for token in copy.mine[start:end]) for start, end in parts):
                return f"{a!r} and {b!r} have changed places"
    return ""


def _changed_places(mine: list[str], theirs: list[str]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The two ranges of ``mine`` that must be exchanged to give ``theirs``; None when that does not do."""
    differing = [index for index, pair in enumerate(zip(mine, theirs, strict=True)) if pair[0] != pair[1]]
    first, last = differing[0], differing[-1] + 1
    inner, other = mine[first:last], theirs[first:last]
    for left in range(1, min(_LONGEST_PART, len(inner) - 2) + 1):
        for right in range(1, min(_LONGEST_PART, len(inner) - left - 1) + 1):
            middle = inner[left:-right]
            if not set(middle) <= listed("conjunctions") and other == inner[-right:] + middle + inner[:left]:
                return (first, first + left), (last - right, last)
    return None


def _put_in_place(copy: _Copy, passage: Reading) -> str:
    """A fact, name or word in a place where the passage has another one, and which it says of something else."""
    for mine, theirs in copy.changes():
        new = [token for token in mine if token.is_content and token.stem not in copy.near.stems]
        old = [token for token in theirs if token.is_content and token.stem not in copy.claim.stems]
        if not new or not old:
            continue
        if any(token.is_fact for token in new) and any(token.is_fact for token in old):
            return f"the passage says {_text(copy.near, old)!r} of this, not {_text(copy.claim, new)!r}"
        if all(_says(passage, token) for token in new) and len(mine) <= 3:
            return f"the passage says this of {_text(copy.near, old)!r}, not of {_text(copy.claim, new)!r}"
        if len(mine) <= 3 and (name := _new_name(new, copy)) and any(_is_name(token, copy.near) for token in old):
            return f"the passage names {_text(copy.near, old)!r}, not {name!r}"
    return ""


def _new_name(new: Sequence[Token], copy: _Copy) -> str:
    return next((token.text for token in new if _is_name(token, copy.claim)), "")


def _is_name(token: Token, reading: Reading) -> bool:
    return any(fact.kind in ("name", "code") and fact.start <= token.start < fact.end for fact in reading.facts)


def _says(passage: Reading, token: Token) -> bool:
    return token.stem in passage.stems


def _text(reading: Reading, tokens: Sequence[Token]) -> str:
    return reading.text[tokens[0].start : tokens[-1].end]


def _negates(token: Token) -> bool:
    return token.key in listed("negators") or token.key.endswith(("n't", "n\u2019t"))


# --- in any wording ------------------------------------------------------------------------------------------------


def _polarity(claim: Reading, near: Reading) -> str:
    """One denies what the other says. Words that deny by their meaning (``excluded``, ``free``) excuse a difference."""
    mine, theirs = without_bounds(claim.text), without_bounds(near.text)
    if denies(mine) == denies(theirs):
        return ""
    if denies(theirs):
        plain, _ = _by_polarity(claim, mine)
        near_plain, near_denied = _by_polarity(near, theirs)
        shared = sorted(plain & (near_denied - near_plain))
        return f"the passage denies {shared[0]!r}" if shared and not denies_implicitly(mine) else ""
    _, denied = _by_polarity(claim, mine)
    near_plain, _ = _by_polarity(near, theirs)
    shared = sorted(denied & near_plain)
    return f"the passage does not deny {shared[0]!r}" if shared and not denies_implicitly(theirs) else ""


def _by_polarity(reading: Reading, text: str) -> tuple[set[str], set[str]]:
    """Stems of content words said plainly, and those within reach of a negator: the next one, after ``no`` two."""
    plain: set[str] = set()
    denied: set[str] = set()
    remaining, previous_end = 0, 0
    for token in reading.tokens:
        if re.search(r"[.!?;:,\n()]", text[previous_end : token.start]):
            remaining = 0
        previous_end = token.end
        if _negates(token) and text[token.start : token.end].strip():
            remaining = 2 if token.key in listed("denying_nouns") else 1
        elif token.is_content:
            (denied if remaining else plain).add(token.stem)
            remaining = max(0, remaining - 1)
    return plain, denied


def _quantities(claim: Reading, near: Reading) -> str:
    """A number that counts something else, or that is the least where the passage has it as the most."""
    for mine in claim.numbers:
        said = bound(claim.text, mine)
        for theirs in near.numbers:
            other = bound(near.text, theirs)
            if not mine.values & theirs.values:
                continue
            if mine.unit and theirs.unit and mine.unit not in {one.unit for one in near.numbers}:
                return f"the passage says {near.text[theirs.start : theirs.end]!r} of the {theirs.unit}"
            if said and other and said != other:
                names = {"lower": "the least", "upper": "the most"}
                return f"{near.text[theirs.start : theirs.end]!r} is {names[other]} there, not {names[said]}"
    return ""


def _rates(claim: Reading, near: Reading) -> str:
    mine, theirs = rates(claim.text), rates(near.text)
    if mine and theirs and not mine & theirs:
        return f"the passage counts by the {sorted(theirs)[0]}, not by the {sorted(mine)[0]}"
    return ""


def _groups(verb: str, mine: frozenset[str], theirs: frozenset[str]) -> str:
    """Words of one kind on both sides, and none of the same sense."""
    if mine and theirs and not mine & theirs:
        return f"the passage {verb} {sorted(theirs)[0]!r}, the sentence {sorted(mine)[0]!r}"
    return ""


def _only(claim: Reading, near: Reading) -> str:
    """What the passage says of one alone, the claim says of another."""
    if exclusives(claim.text):
        return ""
    for start, end in exclusives(near.text):
        after = [token for token in near.tokens if token.start >= end][:1]
        if after and is_telling(after[0].key):  # only when …, only possible …: a condition, not one among others
            continue
        before = [token for token in near.tokens if token.end <= start and token.is_content][-2:]
        cut_off = not re.match(r"\s*\w", near.text[end:])
        focus = before if cut_off else after
        lost = [token for token in focus if token.stem not in claim.vocabulary | claim.stems]
        if lost and not denies(claim.text):
            return f"the passage says it of {_text(near, focus)!r} only"
    return ""


def _opposite(copy: _Copy) -> str:
    """A word of the claim whose opposite stands in the passage, with neither a denial nor an exchange to undo it."""
    claim, near = copy.claim, copy.near
    mine, theirs = {token.key: token for token in claim.tokens}, {token.key: token for token in near.tokens}
    for key, token in mine.items():
        others = [theirs[other] for other in contrasts().get(key, ()) if other in theirs and other not in mine]
        if not others or key in theirs or not (token.is_content or key in listed("strong_contrasts")):
            continue
        if denies(claim.text) != denies(near.text) or _sides_exchanged(copy, token, others[0]):
            continue
        return f"the passage says {others[0].text!r}, not {token.text!r}"
    return ""


def _sides_exchanged(copy: _Copy, mine: Token, theirs: Token) -> bool:
    """Whether what stands before the word in one text stands after its opposite in the other: A before B, B after A."""
    pivots = [(mine, theirs)]
    pivots += [
        (a, b) for a in copy.claim.tokens for b in copy.near.tokens if a.key == b.key and a.key in listed("than")
    ]
    for a, b in pivots:
        before, after = _sides(copy.claim, a)
        near_before, near_after = _sides(copy.near, b)
        if before & near_after - near_before and after & near_before - near_after:
            return True
        if before & near_after - near_before and not after & near_after:
            return True
    return False


def _sides(reading: Reading, pivot: Token) -> tuple[set[str], set[str]]:
    """Content stems before and after a word; for one that opens the text, what follows the comma counts as before."""
    tokens = [token for token in reading.tokens if token.is_content and token is not pivot]
    before = {token.stem for token in tokens if token.end <= pivot.start}
    comma = reading.text.find(",", pivot.end)
    if not before and comma > 0:
        return (
            {token.stem for token in tokens if token.start > comma},
            {token.stem for token in tokens if pivot.end <= token.start < comma},
        )
    return before, {token.stem for token in tokens if token.start >= pivot.end}
