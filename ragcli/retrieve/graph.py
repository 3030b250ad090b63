"""Documents that the first hits lead to: those they name by their titles, and those that name them.

A question that needs two documents often names only one; what the other says stands under a name that the first one
uses. The graph is not kept: it is read off the first hits, inside what the asker may see, so that nothing has to be
built, maintained or forgotten. Personalised PageRank (HippoRAG 2024 uses it over entities) tells which of the
documents reached is nearest to all of the first hits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ragcli.language.patterns import pattern
from ragcli.records import Allowed, Chunk, Hit, Link, Ranking

if TYPE_CHECKING:
    from ragcli.interfaces import Engine

_SEEDS, _ADDED = 3, 3
"""Documents that stay first and are followed, and documents that come right after them."""
_DAMPING, _ROUNDS = 0.5, 30
_LONGEST_TITLE = 8
_SHORTEST_TITLE = 4
_NAMED_OFTEN = 10
"""A title that stands in more of the hits for it than this names nothing in particular."""
_WORD = pattern(r"\S+")
_EDGES = ".,;:!?()[]{}\"'“”‘’«»*_`|<>"


def follow_titles(fused: Ranking, engine: Engine, allowed: Allowed) -> tuple[Ranking, tuple[Link, ...]]:
    """``fused`` with what its first documents lead to right after them, and the links that led there."""
    first = _first_chunks(fused, engine)
    links = [*_named(first, engine, allowed), *_naming(first, engine, allowed)]
    weights = {chunk.doc_id: hit.score for chunk, hit in first}
    reached = _nearest(weights, links)[:_ADDED]
    if not reached:
        return fused, ()
    added = [_chunk_of(doc_id, fused, engine) for doc_id in reached]
    ways = [link for link in links if link.source in reached or link.target in reached]
    return _after(fused, weights, added), tuple(dict.fromkeys(ways))


def _first_chunks(fused: Ranking, engine: Engine) -> list[tuple[Chunk, Hit]]:
    """The best chunk of each of the first documents."""
    hits: dict[str, Hit] = {}
    for hit in fused.hits:
        if len(hits) == _SEEDS:
            break
        hits.setdefault(_document(hit.chunk_id), hit)
    chunks = engine.chunks([hit.chunk_id for hit in hits.values()])
    return list(zip(chunks, hits.values(), strict=True))


def _document(chunk_id: str) -> str:
    return chunk_id.rpartition("#")[0]


def _named(first: Sequence[tuple[Chunk, Hit]], engine: Engine, allowed: Allowed) -> Iterator[Link]:
    """Links to the documents whose titles stand in a chunk."""
    for chunk, _ in first:
        found = [name for name in engine.titled(sorted(set(names_in(chunk.text))), allowed) if name != chunk.doc_id]
        for header in engine.headers(found):
            yield Link(chunk.doc_id, header.doc_id, header.title)


def _naming(first: Sequence[tuple[Chunk, Hit]], engine: Engine, allowed: Allowed) -> Iterator[Link]:
    """Links from the documents in which the title of a chunk's document stands."""
    for chunk, _ in first:
        if not _is_name(chunk.title):
            continue
        stands = re.compile(rf"(?<!\w){re.escape(chunk.title)}(?!\w)")
        hits = engine.lexical(chunk.title, 2 * _NAMED_OFTEN, allowed).hits
        others = [other for other in engine.chunks([hit.chunk_id for hit in hits]) if stands.search(other.text)]
        sources = dict.fromkeys(other.doc_id for other in others if other.doc_id != chunk.doc_id)
        if len(sources) <= _NAMED_OFTEN:
            yield from (Link(source, chunk.doc_id, chunk.title) for source in sources)


def names_in(text: str) -> Iterator[str]:
    """Every run of up to eight words that may be a title: it begins with a capital or a figure."""
    found = list(_WORD.finditer(text))
    for place, word in enumerate(found):
        start = word.start() + len(word.group()) - len(word.group().lstrip(_EDGES))
        if not text[start : start + 1].isupper() and not text[start : start + 1].isdigit():
            continue
        for last in found[place : place + _LONGEST_TITLE]:
            whole = text[start : last.end()]
            yield from (name for name in {whole, whole.rstrip(_EDGES)} if _is_name(name) and "\n" not in name)


def _is_name(title: str) -> bool:
    return len(title) >= _SHORTEST_TITLE and (title[:1].isupper() or title[:1].isdigit())


def _nearest(weights: Mapping[str, float], links: Sequence[Link]) -> list[str]:
    """The documents besides the first ones, by falling PageRank from those, ties by id."""
    names = sorted({*weights, *(name for link in links for name in (link.source, link.target))})
    if len(names) == len(weights):
        return []
    place = {name: number for number, name in enumerate(names)}
    edges = np.zeros((len(names), len(names)))
    for link in links:
        edges[place[link.source], place[link.target]] = edges[place[link.target], place[link.source]] = 1.0
    degrees = edges.sum(axis=1, keepdims=True)
    steps = np.divide(edges, degrees, out=np.zeros_like(edges), where=degrees > 0)
    start = np.array([max(weights.get(name, 0.0), 0.0) for name in names])
    start = start / start.sum() if start.sum() > 0 else np.full(len(names), 1 / len(names))
    rank = start
    for _ in range(_ROUNDS):
        lost = float(rank[degrees[:, 0] == 0].sum())
        rank = (1 - _DAMPING) * start + _DAMPING * (rank @ steps + lost * start)
    return sorted((name for name in names if name not in weights), key=lambda name: (-rank[place[name]], name))


def _chunk_of(doc_id: str, fused: Ranking, engine: Engine) -> str:
    """The best candidate of a document, its first chunk where it has none."""
    own = next((hit.chunk_id for hit in fused.hits if _document(hit.chunk_id) == doc_id), None)
    return own or engine.document_chunks(doc_id)[0].chunk_id


def _after(fused: Ranking, first: Mapping[str, float], added: Sequence[str]) -> Ranking:
    """``fused`` with chunks moved or put right behind the first chunk of the last of the first documents."""
    ids = [hit.chunk_id for hit in fused.hits if hit.chunk_id not in added]
    scores = {hit.chunk_id: hit.score for hit in fused.hits}
    places = [next(place for place, name in enumerate(ids) if _document(name) == doc_id) for doc_id in first]
    cut = max(places) + 1
    level = scores[ids[cut - 1]]
    order = [*ids[:cut], *added, *ids[cut:]]
    hits = (Hit(name, level if name in added else scores[name], rank) for rank, name in enumerate(order, start=1))
    return Ranking(fused.retriever, tuple(hits))
