"""Near misses made by rule from a row that is answered: its question asks for something else, or its answer is gone.

SQuAD 2.0's annotators made unanswerable questions by swapping names, numbers and words, by antonyms and by negation
(Rajpurkar et al. 2018, table 2); the same is done here by pattern. Some of what is made is answerable all the same:
these are negatives for training, never for measuring.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.training.rows import Row

Rule = Callable[[Row, random.Random], str | None]

_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w'-]+(?: (?:of |the |de )?[A-Z][\w'-]+)*")
_NUMBER = re.compile(r"\b\d[\d,]*(?:\.\d+)?\b")
_WORD = re.compile(r"\b[a-z]{5,}\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[]?[A-Z0-9])")
_NOT_NAMES = {"What", "Who", "When", "Where", "Which", "Why", "How", "The", "In", "I"}
_COMMON = frozenset({
    "about", "after", "again", "along", "among", "another", "around", "because", "before", "being", "below",
    "between", "could", "during", "every", "first", "from", "having", "might", "other", "should", "since", "still",
    "their", "there", "these", "thing", "things", "those", "through", "toward", "under", "until", "using", "where",
    "which", "while", "whose", "within", "without", "would", "called", "named", "known", "many", "people", "person",
    "place", "place's", "became",
})  # fmt: skip
_NEGATED = {
    "is": "isn't", "are": "aren't", "was": "wasn't", "were": "weren't", "did": "didn't", "does": "doesn't",
    "do": "don't", "can": "can't", "could": "couldn't", "has": "hasn't", "have": "haven't", "had": "hadn't",
    "would": "wouldn't", "should": "shouldn't", "will": "won't",
}  # fmt: skip
_AUXILIARY = re.compile(rf"\b({'|'.join(_NEGATED)})\b")
_OPPOSITES = (
    "first last", "before after", "north south", "northern southern", "east west", "eastern western",
    "increase decrease", "increased decreased", "increasing decreasing", "largest smallest", "larger smaller",
    "large small", "highest lowest", "higher lower", "high low", "most least", "more fewer", "oldest youngest",
    "older younger", "old new", "early late", "earliest latest", "earlier later", "win lose", "won lost",
    "begin end", "began ended", "start stop", "started stopped", "male female", "man woman", "men women",
    "father mother", "son daughter", "brother sister", "husband wife", "king queen", "best worst", "better worse",
    "longest shortest", "longer shorter", "long short", "major minor", "majority minority", "public private",
    "allowed forbidden", "accepted rejected", "accept reject", "support oppose", "supported opposed", "rise fall",
    "rose fell", "gained lost", "built destroyed", "legal illegal", "positive negative", "common rare", "rich poor",
    "modern ancient", "strong weak", "stronger weaker", "inside outside", "top bottom", "left right",
    "summer winter", "death birth", "died born", "success failure", "friend enemy", "enter leave", "entered left",
    "buy sell", "bought sold", "import export", "attack defend", "attacked defended", "created abolished",
    "founded closed", "opened closed", "hot cold", "light dark", "fast slow", "faster slower",
    "possible impossible", "able unable", "agree disagree", "like dislike", "always never", "maximum minimum",
)  # fmt: skip
OPPOSITES: dict[str, str] = {}
for _pair in _OPPOSITES:
    _one, _other = _pair.split()
    OPPOSITES.setdefault(_one, _other)
    OPPOSITES.setdefault(_other, _one)


def _put(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def other_name(row: Row, rng: random.Random) -> str | None:
    """A name of the question becomes another name of the passage that is neither asked about nor the answer."""
    asked = [match for match in _NAME.finditer(row.question) if match.group() not in _NOT_NAMES]
    names = {
        name
        for name in _NAME.findall(row.passage)
        if name not in _NOT_NAMES and name not in row.question and name not in row.answer and row.answer not in name
    }
    if not asked or not names:
        return None
    return _put(row.question, rng.choice(asked), rng.choice(sorted(names)))


def other_number(row: Row, rng: random.Random) -> str | None:
    """A number of the question becomes another: one of the passage, or one near it."""
    asked = list(_NUMBER.finditer(row.question))
    if not asked:
        return None
    chosen = rng.choice(asked)
    stated = sorted({n for n in _NUMBER.findall(row.passage) if n not in row.question and n not in row.answer})
    alike = [number for number in stated if len(number) == len(chosen.group())]
    if alike and rng.random() < 0.5:
        return _put(row.question, chosen, rng.choice(alike))
    digits = chosen.group()
    place = rng.randrange(max(0, len(digits) - 2), len(digits))
    if not digits[place].isdigit():
        return None
    changed = digits[:place] + rng.choice([d for d in "123456789" if d != digits[place]]) + digits[place + 1 :]
    return None if changed in row.passage else _put(row.question, chosen, changed)


def opposite(row: Row, rng: random.Random) -> str | None:
    """A word of the question becomes its opposite."""
    found = [match for match in re.finditer(r"\b[a-z]+\b", row.question) if match.group() in OPPOSITES]
    if not found:
        return None
    chosen = rng.choice(found)
    return _put(row.question, chosen, OPPOSITES[chosen.group()])


def negated(row: Row, rng: random.Random) -> str | None:
    """The question's first auxiliary verb is negated; seldom, or the word alone gives the row away."""
    if rng.random() < 0.6:
        return None
    found = _AUXILIARY.search(row.question)
    return _put(row.question, found, _NEGATED[found.group()]) if found else None


def other_word(row: Row, rng: random.Random) -> str | None:
    """A word of the question that the passage uses becomes another word of the passage with the same ending."""
    said = set(_WORD.findall(row.passage)) - _COMMON
    asked = [match for match in _WORD.finditer(row.question) if match.group() in said]
    if not asked:
        return None
    chosen = rng.choice(asked)
    old = chosen.group()
    alike = sorted(
        word for word in said if word[-2:] == old[-2:] and word[:4] != old[:4] and word not in row.question + row.answer
    )
    return _put(row.question, chosen, rng.choice(alike)) if alike else None


QUESTION_RULES: dict[str, tuple[Rule, float]] = {
    "other_name": (other_name, 3.0),
    "other_number": (other_number, 2.0),
    "opposite": (opposite, 2.0),
    "negated": (negated, 0.35),
    "other_word": (other_word, 1.5),
}


def altered_question(row: Row, rng: random.Random) -> Row | None:
    """The row with another question, by a rule that fits it, or None when none does.

    It keeps the place of the old answer: that is where the passage comes nearest to the question.
    """
    names = sorted(QUESTION_RULES, key=lambda name: rng.random() ** (1 / QUESTION_RULES[name][1]), reverse=True)
    for name in names:
        question = QUESTION_RULES[name][0](row, rng)
        if question and question != row.question:
            return _negative(replace(row, question=question), name)
    return None


def without_answer(row: Row, least_words: int = 25) -> Row | None:
    """The row with every sentence that names the answer taken out of the passage, or None when too little is left."""
    if not row.has_span:
        return None
    kept: list[str] = []
    position = 0
    end = row.start + len(row.answer)
    for sentence in _SENTENCE.split(row.passage):
        start = row.passage.index(sentence, position)
        position = start + len(sentence)
        names_it = row.answer.lower() in sentence.lower() or (start < end and row.start < position)
        if not names_it:
            kept.append(sentence)
    passage = " ".join(kept)
    if len(passage.split()) < least_words:
        return None
    return _negative(replace(row, passage=passage, answer="", start=-1), "answer_removed")


def _negative(row: Row, kind: str) -> Row:
    return replace(row, row_id=f"{row.row_id}+{kind}", answerable=False, negative=kind)


def near_misses(
    rows: Sequence[Row], rng: random.Random, question_share: float = 0.5, removed_share: float = 0.4
) -> list[Row]:
    """Altered copies of the rows whose answer is marked; they stay in their row's group."""
    made: list[Row | None] = []
    for row in rows:
        if row.has_span and rng.random() < question_share:
            made.append(altered_question(row, rng))
        if row.has_span and rng.random() < removed_share:
            made.append(without_answer(row))
    return [row for row in made if row is not None]
