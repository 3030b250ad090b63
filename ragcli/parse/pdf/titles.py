"""The title of a PDF: what its first page says that it is. Pure.

Pages begin with much that is no title: who regulates, where the company sits, what the form is called. A form is named
by who filed it, its name and the time it is about, each as the page says it; everything else by its highest heading.
What the file's metadata call it counts when the first page bears it out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragcli.parse.assemble import one_line
from ragcli.parse.pdf.blocks import TextBlock

_FILE_TITLE = re.compile(r"\.(?:docx?|pdf|tex|indd|qxd|dvi|rtf|pptx?|xlsx?)$|^untitled|^microsoft word", re.I)
_FORM = re.compile(r"^(?:form|schedule)\s+[\dA-Z][\w-]*(?:/A)?$", re.I)
_FORM_WITHIN = re.compile(r"\bform\s+\d{1,2}-[A-Z]{1,2}(?:/A)?\b", re.I)
_ENTITY = re.compile(r"^\((?:exact )?name of (?:the )?(?:registrant|issuer|company|applicant)", re.I)
_PERIOD = re.compile(
    r"(?:(?:fiscal|financial) year|(?:quarterly|transition) period|(?:quarter|year)) ended:? +[^\W\d]+ \d{1,2}, \d{4}"
    r"|date of report[^:]{0,60}: *[^\W\d]+ \d{1,2}, \d{4}",
    re.I,
)
_REGULATOR = re.compile(
    r"securities and exchange commission|food and drug administration|internal revenue service"
    r"|department of the treasury|companies house|financial conduct authority|bundesanstalt|autorité des marchés",
    re.I,
)
_STREET = re.compile(
    r"^\d+[\w/-]* .*\b(?:street|st|avenue|ave|road|rd|boulevard|blvd|drive|lane|way|plaza|square|court|suite|highway)\b"
    r"|\b[A-Z]{2} \d{5}(?:-\d{4})?\b|\b[A-Z]{1,2}\d{1,2} \d[A-Z]{2}\b"
    r"|(?:straße|strasse|gasse|platz|weg)\s+\d+\w?\b|^\d+,? (?:rue|avenue|place|boulevard) ",
    re.I,
)
_NO_TITLE = re.compile(
    r"^(?:(?:for )?immediate release|(?:press|news|media) release|(?:table of )?contents|confidential|draft"
    r"|exhibit [\d.]+|\(?mark one\)?|page \d+.*|contacts?:?|united states|www\..*|\S+@\S+|https?:.*|\W*\w?\W*)$",
    re.I,
)
_DATE_ALONE = re.compile(r"^(?:[^\W\d]+\.? \d{1,2},? \d{4}|\d{1,2}\.? [^\W\d]+\.? \d{4}|[\d./-]+)$")
_MOST = 200  # characters


def title_of(stated: str, blocks: Sequence[TextBlock], lines: Sequence[str] = ()) -> str:
    """The title, empty when the first page with text has none; ``stated`` is the metadata's.

    ``blocks`` are the document's, with the headings that type and outline make of them, ``lines`` those of page 1.
    """
    first = [block for block in blocks if block.page == blocks[0].page] if blocks else []
    filed = _filed([one_line(line) for line in lines])
    if filed:
        return filed
    stated = one_line(stated)
    if stated and not _FILE_TITLE.search(stated) and not _is_no_title(stated) and _borne_out(stated, first):
        return stated
    headings = [block for block in first if block.kind == "heading" and not _is_no_title(block.text)]
    best = min(headings, key=lambda block: block.level or 9, default=None)
    return one_line(best.text) if best is not None else ""


def _filed(lines: Sequence[str]) -> str:
    """Who filed a form, the form and the time it is about; empty where the page does not name who."""
    place = next((place for place, line in enumerate(lines) if place and _ENTITY.match(line)), None)
    if place is None:
        return ""
    whole = " ".join(lines)
    form = next((line for line in lines if _FORM.match(line)), "") or _found(_FORM_WITHIN, whole)
    return ", ".join(filter(None, (lines[place - 1], form, _found(_PERIOD, whole))))


def _found(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[0] if match else ""


def _is_no_title(text: str) -> bool:
    text = one_line(text)
    if len(text) > _MOST or _REGULATOR.search(text) or _STREET.search(text):
        return True
    return any(pattern.match(text) for pattern in (_NO_TITLE, _FORM, _DATE_ALONE))


def _borne_out(title: str, first: Sequence[TextBlock]) -> bool:
    """Whether the page shows the title, or every word of it."""
    shown = "\n".join(block.text for block in first).lower()
    if re.sub(r"\W+", "", title).lower() in re.sub(r"\W+", "", shown):
        return True
    words = re.findall(r"\w+", title.lower())
    return len(words) > 1 and set(words) <= set(re.findall(r"\w+", shown))
