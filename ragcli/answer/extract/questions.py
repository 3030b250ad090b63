"""What a question asks for, by rule: the kind of fact an answer must hold, and whether one passage can hold it."""

from __future__ import annotations

import re
from typing import Literal

from ragcli.language.facts import Fact, facts
from ragcli.language.words import content_stems, words

Wanted = Literal["number", "duration", "money", "date", "person", "place", "list", "any"]

_RULES: tuple[tuple[Wanted, str], ...] = (
    (
        "number",
        r"""\bhow\ often\ per\b|\bhow\ many\ times\b
        |\bwhat(?:'s|\ is|\ are|\ was|\ were)\ the\ (?:\w+\ )?(?:greatest|largest|smallest|highest|lowest|max|min
            |maximum|minimum)
        (?:\ \w+)?\ (?:number|amount|size|weight|height|length|speed|flow|temperature|pressure|rate|voltage|distance
            |age)\b""",
    ),
    (
        "duration",
        r"""\bhow\ (?:long|soon|often|quickly|fast)\b
        |\bhow\ many\ (?:\w+\ )?(?:second|minute|hour|day|week|month|year)s?\b
        |\bwie\ (?:lange?|oft|schnell)\b|\bcombien\ de\ temps\b|\bcuánto\ tiempo\b
        |どのくらい|何[日時分年週]間?|多久|多长时间""",
    ),
    (
        "money",
        r"""\bhow\ much\ (?:does|do|is|are|will|would|did)\b.*\b(?:cost|pay|price|charge|fee|worth)
        |\bwhat\ (?:is|are)\ the\ (?:price|cost|fee)s?\b|\bhow\ (?:expensive|cheap)\b
        |\bwhat\ (?:does|do|did|would|will)\b.*\b(?:costs?|earn|pay)\b
        |\bwas\ kostet\b|\bwie\ teuer\b|\bcuánto\ cuesta|いくら|多少钱""",
    ),
    (
        "number",
        r"""\bhow\ (?:many|much|old|far|tall|large|big|high|heavy|wide|deep)\b
        |\bwhat\ (?:percentage|percent|number|proportion|fraction)\b
        |\bwie\ (?:viele?|hoch|groß|weit|alt)\b|\bcombien\b|\bcuánt[oa]s?\b
        |何[人個件回歳台社年月日]|いくつ|多少|几""",
    ),
    (
        "date",
        r"""\bwhen\b|\b(?:what|which|in\ what|in\ which)\ (?:year|date|day|month|century|decade)\b
        |\b(?:by|at|until)\ what\ (?:date|time)\b|\buntil\ when\b|\bwhat\ time\b
        |\bwann\b|\bin\ welchem\ jahr\b|\bquand\b|\bcuándo\b|\ben\ qué\ año\b
        |いつ|何年|何月|何日|什么时候|哪一年|何时""",
    ),
    ("person", r"\bwho(?:m|se)?\b|\bwer\b|\bwen\b|\bwem\b|\bqui\ est\b|\bquiénes?\b|誰|だれ|谁"),
    (
        "place",
        r"""\bwhere\b|\b(?:what|which|in\ what|in\ which)\ (?:city|country|place|state|region|town|location)\b
        |\bwo\b|\boù\b|\bdónde\b|どこ|哪里|哪儿""",
    ),
    (
        "list",
        r"""\bwhat\ are\ the\b|\bwhich\ (?:\w+\ )?(?:are|were|documents|steps|items|things)\b|\blist\b
        |\bname\ (?:all|the|three|two)\b|\bwhat\ (?:steps|items|documents|things)\b""",
    ),
)
_PATTERNS = tuple((kind, re.compile(rule, re.IGNORECASE | re.VERBOSE)) for kind, rule in _RULES)
_AGGREGATE = re.compile(
    r"""\bhow\ many\ (?:of\ (?:the|our)\b|(?:\w+\ ){0,3}
        (?:documents?|contracts?|policies|files|customers?|invoices?|tickets?|employees|records?|pages)\b)
    |\b(?:total|sum|average|mean|median)\ (?:number|amount|of|cost|value|price)\b
    |\b(?:which|what)\ (?:\w+\ ){0,3}(?:has|have|had|is|are|was|were)\ the
        \ (?:most|least|highest|lowest|longest|shortest|largest|smallest|newest|oldest|latest)\b
    |\b(?:list|show|count|find)\ (?:all|every|each)\b|\ball\ (?:the\ )?(?:documents|contracts|policies|files)\b
    |\bcompare\ (?:all|every)\b|\bhow\ often\ (?:is|are|do|does)\ .*\ (?:mentioned|appear)\b""",
    re.IGNORECASE | re.VERBOSE,
)
AGGREGATE_NOTICE = (
    "this looks like a count, sum or comparison over the whole collection: passages are a sample of it, not a query"
)


def wanted(question: str) -> Wanted:
    """The kind of fact the question asks for; ``any`` when no rule says."""
    return next((kind for kind, pattern in _PATTERNS if pattern.search(question)), "any")


def is_aggregate(question: str) -> bool:
    """Whether the answer is a count, sum or comparison over documents rather than something one passage says."""
    return bool(_AGGREGATE.search(question))


_FRAMES = re.compile(
    r"\bhow long\b.*\b(?P<long>takes?|took|last(?:s|ed)?|needs?)\b|\bwhat\b.*\b(?P<happen>happens?|happened)\b"
    r"|\b(?P<tell>tell|explain|describe|name|list|give|show)\b",
    re.IGNORECASE,
)


def asked_stems(question: str) -> set[str]:
    """Stems of the question's own subject: its content words without those of its frame (``how long does … take``)."""
    stems = content_stems(question)
    frame = {
        word.stem for match in _FRAMES.finditer(question) for part in match.groups() if part for word in words(part)
    }
    return (stems - frame) or stems or {word.stem for word in words(question)}


_DURATIONS = frozenset({"second", "minute", "hour", "day", "week", "month", "quarter", "year"})


def offers(kind: Wanted, text: str, question_stems: frozenset[str] | set[str]) -> bool:
    """Whether ``text`` holds a fact of the wanted kind that the question did not bring along; True for ``any``."""
    if kind in ("any", "list"):
        return True
    return any(_fits(kind, fact) for fact in facts(text) if not _is_old(fact, question_stems)) or (
        kind in ("person", "place") and _has_new_capital(text, question_stems)
    )


def _fits(kind: Wanted, fact: Fact) -> bool:
    if kind == "number":
        return fact.kind == "number"
    if kind == "duration":
        return (fact.kind == "number" and fact.unit in _DURATIONS) or fact.kind == "time"
    if kind == "money":
        return fact.kind == "number" and fact.unit in ("euro", "dollar", "pound", "percent", "")
    if kind == "date":
        return fact.kind in ("date", "time") or (fact.kind == "number" and _is_year_or_time(fact))
    return fact.kind in ("name", "code")


def _is_year_or_time(fact: Fact) -> bool:
    if fact.unit in _DURATIONS:
        return True
    return any(value.isdigit() and 1000 <= int(value) <= 2100 for value in fact.values)


def _is_old(fact: Fact, question_stems: frozenset[str] | set[str]) -> bool:
    return all(word.stem in question_stems for word in words(fact.text)) if question_stems else False


def _has_new_capital(text: str, question_stems: frozenset[str] | set[str]) -> bool:
    return any(word.text[:1].isupper() and word.is_content and word.stem not in question_stems for word in words(text))
