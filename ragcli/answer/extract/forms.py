"""What is shown of a chosen candidate: it alone, or the whole of which it is a part, as the question asks.

A step of a how-to brings all steps, an item of a list that was asked for the list, a piece of the answer under a
question the whole answer, a table row its header, a sentence that points back the one before. A claim of several pieces
quotes the stretch of the document they stand in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragcli.answer.extract.candidates import Candidate
from ragcli.answer.extract.plain import as_read
from ragcli.answer.extract.questions import asked_stems, wanted
from ragcli.language.references import points_back
from ragcli.language.words import content_stems
from ragcli.records import Claim, Span

_WHOLE_CHARACTERS = 1500
"""What a list, the steps of a how-to or the answer under a question may take; more is cut, and shown to be."""
_ENTRY_CHARACTERS = 700
"""What a passage may hold to be shown whole as the entry under its heading."""
_SAME_QUESTION = 0.6
"""Share of the words of two questions that must be common for the one to be the other."""
_CUT = " …"


def claims_of(question: str, chosen: Candidate, found: Sequence[Candidate], limit: int) -> list[Claim]:
    """The chosen candidate in the form that the question asks for, as at most ``limit`` claims or a whole."""
    kind = wanted(question)
    if chosen.kind == "row":
        return [_claim(chosen, chosen.readable if chosen.lead_text else chosen.plain.strip("| "))]
    if entry := _entry(question, chosen, found):
        return [_together(entry)]
    if chosen.kind == "code":
        return [_block(chosen, found)]
    if chosen.kind == "item":
        if kind in ("list", "steps"):
            return [_whole_list(chosen, found)]
        return [_with_lead(chosen) if chosen.lead_text else _claim(chosen, chosen.plain)]
    if chosen.plain.endswith((":", "：")):
        return [_whole_list(chosen, found)]
    if limit > 1 and chosen.before is not None and points_back(chosen.plain):
        before = found[chosen.before]
        if before.kind == "sentence" and not before.plain.endswith("?"):
            return [_claim(before, before.plain), _claim(chosen, chosen.plain)]
    return [_claim(chosen, chosen.plain)]


def is_whole(question: str, chosen: Candidate, found: Sequence[Candidate]) -> bool:
    """Whether what is shown of the candidate is complete by itself, so that nothing from elsewhere is added."""
    if _entry(question, chosen, found):
        return True
    return wanted(question) in ("list", "steps") and chosen.kind == "item"


def _claim(chosen: Candidate, text: str) -> Claim:
    return Claim(text, (str(chosen.passage.number),), (chosen.span.of(chosen.passage.text),))


def _with_lead(chosen: Candidate) -> Claim:
    """``lead-in: item`` as one sentence, quoting both where they stand."""
    number = str(chosen.passage.number)
    text = f"{chosen.lead_text} {chosen.plain}"
    if chosen.lead is None:
        return Claim(text, (number,), (chosen.span.of(chosen.passage.text),))
    return Claim(text, (number, number), (chosen.lead.of(chosen.passage.text), chosen.span.of(chosen.passage.text)))


def _whole_list(chosen: Candidate, found: Sequence[Candidate]) -> Claim:
    """The lead-in and the items under it, or the run of items without one, as one sentence with one quote."""
    items = _under_lead(chosen, found) if chosen.kind == "sentence" or chosen.lead else _run(chosen, found)
    if not items:
        return _claim(chosen, chosen.plain)
    lead = chosen.span if chosen.kind == "sentence" else chosen.lead
    start = lead.start if lead is not None else items[0].span.start
    kept = [item for item in items if item.span.end - start <= _WHOLE_CHARACTERS] or items[:1]
    quote = Span(start, kept[-1].span.end).of(chosen.passage.text)
    cut = len(kept) < len(items)
    text = as_read(quote, chosen.passage.media_type) if _is_numbered(kept) else _with_semicolons(kept)
    return Claim(text + (_CUT if cut else ""), (str(chosen.passage.number),), (quote,))


def whole_list(chosen: Candidate, other: Candidate, found: Sequence[Candidate]) -> Claim | None:
    """The whole list when both are items of the same one: what asks for two of them asks for all; None elsewhere."""
    if chosen.kind != "item" or other.kind != "item" or chosen.passage.number != other.passage.number:
        return None
    items = _under_lead(chosen, found) if chosen.lead else _run(chosen, found)
    return _whole_list(chosen, found) if other in items else None


def _block(chosen: Candidate, found: Sequence[Candidate]) -> Claim:
    """The lines of code around the chosen one, under what leads to them."""
    lines = _around(chosen, found, lambda item: item.kind == "code" and item.lead == chosen.lead)
    if len(lines) == 1:
        return _with_lead(chosen)
    return _whole_list(chosen, found) if chosen.lead else _together(lines)


def _is_numbered(items: Sequence[Candidate]) -> bool:
    return any(item.plain[:1].isdigit() for item in items if item.kind == "item")


def _with_semicolons(items: Sequence[Candidate]) -> str:
    """``lead-in: one; two; three.``: what a list with bullets is as a sentence."""
    parts = [item.plain if item.kind == "code" else item.plain.rstrip(";.,") for item in items]
    return f"{items[0].lead_text} {'; '.join(parts)}".strip() + ("" if items[-1].kind == "code" else ".")


def _under_lead(chosen: Candidate, found: Sequence[Candidate]) -> list[Candidate]:
    lead = chosen.span if chosen.kind == "sentence" else chosen.lead
    return [item for item in _neighbours(chosen, found) if item.kind in ("item", "code") and item.lead == lead]


def _run(chosen: Candidate, found: Sequence[Candidate]) -> list[Candidate]:
    """The items right before and after the chosen one, under the same lead-in of the chunk if there is one."""
    return _around(chosen, found, lambda item: item.kind == "item" and item.lead_text == chosen.lead_text)


def _entry(question: str, chosen: Candidate, found: Sequence[Candidate]) -> list[Candidate]:
    """All that stands under the question that was asked, or under a short heading in its words; none elsewhere."""
    if chosen.topic:
        if not _is_same_question(question, chosen.topic):
            return []
        return _around(chosen, found, lambda item: item.topic == chosen.topic and not item.plain.endswith("?"))
    chunk = chosen.passage.chunk
    heading = chunk.heading_path[-1] if chunk.heading_path else chunk.title
    if len(chosen.passage.text) > _ENTRY_CHARACTERS or not _is_same_question(question, heading):
        return []
    return _around(chosen, found, lambda item: item.kind != "row")


def _around(chosen: Candidate, found: Sequence[Candidate], belongs: Callable[[Candidate], bool]) -> list[Candidate]:
    """The unbroken run of neighbours that belong to the chosen candidate, with itself."""
    beside = _neighbours(chosen, found)
    first = last = next(place for place, item in enumerate(beside) if item.span == chosen.span)
    while first > 0 and belongs(beside[first - 1]) and _touch(beside[first - 1], beside[first]):
        first -= 1
    while last + 1 < len(beside) and belongs(beside[last + 1]) and _touch(beside[last], beside[last + 1]):
        last += 1
    return beside[first : last + 1]


def _touch(left: Candidate, right: Candidate) -> bool:
    """Whether no word stands between the two: neither a heading nor what was left out as suspicious."""
    return not any(map(str.isalnum, left.passage.text[left.span.end : right.span.start]))


def _neighbours(chosen: Candidate, found: Sequence[Candidate]) -> list[Candidate]:
    return [item for item in found if item.passage.number == chosen.passage.number]


def _together(items: Sequence[Candidate]) -> Claim:
    """A run of pieces as one claim: the stretch of the document they stand in, as it is read and as it is quoted."""
    passage = items[0].passage
    kept = [item for item in items if item.span.end - items[0].span.start <= _WHOLE_CHARACTERS] or list(items[:1])
    quote = Span(kept[0].span.start, kept[-1].span.end).of(passage.text)
    cut = _CUT if len(kept) < len(items) else ""
    return Claim(as_read(quote, passage.media_type) + cut, (str(passage.number),), (quote,))


def _is_same_question(question: str, topic: str) -> bool:
    mine, theirs = asked_stems(question), content_stems(topic)
    fewer = min(len(mine), len(theirs))
    return mine == theirs or (fewer > 1 and len(mine & theirs) >= _SAME_QUESTION * fewer)
