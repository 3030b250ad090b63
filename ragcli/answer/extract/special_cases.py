"""How a sentence can miss a question whose words it has: it speaks of a special case, of the opposite, or defines.

Asked about refunds, "International refunds take up to 10 days" answers another question than the one put; asked about
international refunds it is the answer. A classifying word straight before the shared noun, or a condition in front of
the sentence, narrows it; a participle ("an approved refund") does not.
"""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import pairwise

from ragcli.language.lexicon import any_of, opposites
from ragcli.language.patterns import pattern
from ragcli.language.words import words

_CONDITION = pattern(lambda: rf"^{any_of('conditions')}\b(?P<case>[^,;:.]{{3,90}}),", re.IGNORECASE)


def is_restricted(sentence: str, asked: Set[str]) -> bool:
    """Whether ``sentence`` speaks of a case that the question, by its subject's stems, does not mention."""
    return _narrowed_noun(sentence, asked) or _foreign_condition(sentence, asked)


def _narrowed_noun(sentence: str, asked: Set[str]) -> bool:
    found = words(sentence)
    for before, word in pairwise(found):
        if word.stem not in asked or before.stem in asked or not before.is_content:
            continue
        if sentence[before.end : word.start].strip() or not before.text.isalpha():
            continue
        if not before.folded.endswith(("ed", "en", "ing", "ly")) and not _is_verb_like(before.folded):
            return True
    return False


def _is_verb_like(folded: str) -> bool:
    """A third person singular before its object ("offers refunds") rather than a noun before its head."""
    return folded.endswith("s") and not folded.endswith(("ss", "us", "is"))


def _foreign_condition(sentence: str, asked: Set[str]) -> bool:
    match = _CONDITION.match(sentence)
    if match is None:
        return False
    case = {word.stem for word in words(match["case"]) if word.is_content}
    return bool(case) and not case & asked


_DEFINING = pattern(lambda: rf"\W*{any_of('defining')}\b", re.IGNORECASE)
_BEFORE_DEFINING = 90


def is_definition(sentence: str, asked: Set[str]) -> bool:
    """Whether the sentence begins with what is asked for, whole, and goes on with what it is or means."""
    left = set(asked)
    for word in words(sentence[:_BEFORE_DEFINING]):
        left.discard(word.stem)
        if not left:
            rest = sentence[word.end :]
            closing = rest.find(")") + 1 if rest.lstrip().startswith("(") else 0
            return _DEFINING.match(rest, closing) is not None
    return False


def is_opposed(question: str, sentence: str) -> bool:
    """Whether the sentence has the opposite of a word of the question, and not that word itself."""
    mine, theirs = ({word.folded for word in words(text) if word.is_content} for text in (question, sentence))
    return any(len(pair & mine) == 1 and pair - mine <= theirs and not pair & mine & theirs for pair in opposites())
