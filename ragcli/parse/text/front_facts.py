"""The lines of front matter that a reader may ask for: a phone number, a budget, a serial number.

They stay in the text of the document, as they are written and on their own lines. What says who may see a document,
what has a field of its own in the metadata, and what only steers how a page is published or listed is no fact.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragcli.parse.access import says_who
from ragcli.parse.metadata import has_a_field

_HOUSEKEEPING = frozenset(
    # who lists, links, draws and publishes the page, and when it was written
    """
    alias aliases author authors banner canonical canonical_url categories category comments cover created creation_date
    css cssclass cssclasses ctime date description disqus draft excerpt exclude featured generated hash head header hero
    hidden hide icon id image images index kanban_plugin lang lastmod last_edited layout linktitle links locale meta
    menu mtime nav nav_exclude nav_order navigation noindex og order output page_title pagination parent path permalink
    plugin position private publish published redirect redirect_from redirect_to redirects related revision robots
    search seo sequence series sidebar sidebar_label sidebar_position sidenav slug source sticky subtitle summary
    template thumbnail timestamp toc toc_depth topics uid unlisted updated_at url uuid version views weight zettel
    """.split()
)
_Scalar = str | int | float | datetime.date


def fact_lines(declared: Mapping[str, Any], lines: Mapping[str, int], source: str, first: int, body: int) -> str:
    """The source's lines from the first fact up to the body, those without a fact empty; ``""`` without a fact.

    ``lines`` gives the line of each key, ``source`` the lines between the fences, of which the first is number
    ``first``; the body begins on line ``body``. The text returned ends where the body begins.
    """
    written = source.split("\n")
    kept: set[int] = set()
    for key, value in declared.items():
        if (start := lines.get(str(key))) is not None and _is_fact(str(key), value):
            kept |= {start, *_continued(written, start - first, first)}
    if not kept:
        return ""
    return "".join((written[number - first] if number in kept else "") + "\n" for number in range(min(kept), body))


def _continued(written: Sequence[str], place: int, first: int) -> Iterator[int]:
    """The numbers of the lines on which the value of the key at ``place`` goes on: set in, or items of a list."""
    for position in range(place + 1, len(written)):
        if not written[position].startswith((" ", "\t", "- ")):
            return
        yield position + first


def _is_fact(key: str, value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    if not values or says_who(key, among_metadata=True) or has_a_field(key) or _plain(key) in _HOUSEKEEPING:
        return False
    return all(isinstance(one, _Scalar) and not isinstance(one, bool) and str(one).strip() for one in values)


def _plain(key: str) -> str:
    return key.strip().casefold().replace("-", "_").replace(" ", "_")
