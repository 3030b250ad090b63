"""Special cases: whether a sentence narrows what a question asks about in general.

Asked about refunds, "International refunds take up to 10 days" answers another question than the one put; asked about
international refunds it is the answer. A classifying word straight before the shared noun, or a condition in front of
the sentence, narrows it; a participle ("an approved refund") does not.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ragcli.answer.words import words

_CONDITION = re.compile(
    r"^(?:for|if|when|in case of|in the case of|unless|except for|only|with|für|wenn|falls|bei|pour|si"
    r"|en cas de|para)\b"
    r"(?P<case>[^,;:.]{3,90}),",
    re.IGNORECASE,
)


def is_restricted(sentence: str, asked: set[str]) -> bool:
    """Whether ``sentence`` speaks of a case that the question, by its subject's stems, does not mention."""
    return _narrowed_noun(sentence, asked) or _foreign_condition(sentence, asked)


def _narrowed_noun(sentence: str, asked: set[str]) -> bool:
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


def _foreign_condition(sentence: str, asked: set[str]) -> bool:
    match = _CONDITION.match(sentence)
    if match is None:
        return False
    case = {word.stem for word in words(match["case"]) if word.is_content}
    return bool(case) and not case & asked
