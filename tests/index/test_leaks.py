"""What an asker gets depends on what the asker may see, and on nothing else.

Random corpora, groups, dates and filters; the rules are written down a second time here, over plain documents. A short
run is the default, ``RAGCLI_LEAK_CASES=10000`` is the long one.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ragcli.errors import ConfigError
from ragcli.index.engine import FolderEngine
from ragcli.index.folder import IndexFolder
from ragcli.records import Document, Filter, Scope
from tests.index.corpus import publish, vector
from tests.index.records import document

CASES = int(os.environ.get("RAGCLI_LEAK_CASES", "160"))
PER_CORPUS = 40
GROUPS = ("hr", "it", "board", "ops")
WORDS = ("alpha", "beta", "gamma", "delta", "E-4012", "omega")
DATES = (None, "2024-01-01", "2025-01-01", "2026-01-01")
HIDDEN = {"superseded", "draft"}


def _random_document(draw: random.Random, number: int, names: Sequence[str]) -> Document:
    folder = draw.choice(("", "hr/", "it/x/"))
    return document(
        f"{folder}d{number}.md",
        " ".join(draw.choices(WORDS, k=draw.randrange(1, 8))) + f" unique{number}",
        acl=tuple(draw.sample(GROUPS, k=draw.choice((0, 0, 1, 2)))),
        language=draw.choice((None, "en", "de")),
        status=draw.choice((None, None, None, "final", "superseded", "draft")),
        tags=tuple(draw.sample(("x", "y"), k=draw.randrange(3))),
        effective_date=draw.choice(DATES),
        expires=draw.choice((None, None, "2025-06-01")),
        supersedes=tuple(draw.sample(names, k=draw.choice((0, 0, 1)))) if names else (),
        extra={f"key{draw.randrange(3)}": draw.choice("ab")} if draw.random() < 0.3 else {},
    )


def _corpus(draw: random.Random) -> list[Document]:
    documents: list[Document] = []
    for number in range(draw.randrange(5, 40)):
        names = [item.doc_id for item in documents] + [f"d{n}.md" for n in range(number)]
        documents.append(_random_document(draw, number, names))
    return documents


def _random_scope(draw: random.Random) -> Scope:
    filters = [
        Filter("lang", "=", "en"),
        Filter("lang", "!=", "en"),
        Filter("tag", "=", "x"),
        Filter("source", "~", "hr/**"),
        Filter("source", "~", "*.md"),
        Filter("date", ">=", "2025"),
        Filter("effective_date", "<", "2025-01-01"),
        Filter("meta.key1", "=", "a"),
    ]
    return Scope(
        filters=tuple(draw.sample(filters, k=draw.choice((0, 0, 1, 2)))),
        groups=tuple(draw.sample(GROUPS, k=draw.randrange(3))),
        as_of=draw.choice(("2023-05-05", "2024-05-05", "2025-05-05", "2030-01-01")),
        include_superseded=draw.random() < 0.2,
    )


def _matches(item: Document, rule: Filter) -> bool:
    meta = item.metadata
    date = meta.effective_date or meta.modified
    return {
        "lang=en": meta.language == "en",
        "lang!=en": meta.language != "en",
        "tag=x": "x" in meta.tags,
        "source~hr/**": item.source.startswith("hr/"),
        "source~*.md": "/" not in item.source,
        "date>=2025": date is not None and date >= "2025-01-01",
        "effective_date<2025-01-01": meta.effective_date is not None and meta.effective_date < "2025-01-01",
        "meta.key1=a": meta.extra.get("key1") == "a",
    }[str(rule)]


def _target(name: str, source: Document, visible: Sequence[Document]) -> str | None:
    others = [item.doc_id for item in visible if item is not source]
    folder = source.doc_id.rpartition("/")[0]
    for exact in (name, f"{folder}/{name}" if folder else name):
        if exact in others:
            return exact
    ends = [other for other in others if other == name or other.endswith("/" + name)]
    return ends[0] if len(ends) == 1 else None


def _stale(item: Document, visible: Sequence[Document], as_of: str) -> bool:
    meta = item.metadata
    namers = [
        other
        for other in visible
        if any(_target(name, other, visible) == item.doc_id for name in other.metadata.supersedes)
    ]
    started = [other for other in namers if (other.metadata.effective_date or "") <= as_of]
    if started:
        return True
    if meta.effective_date and meta.effective_date > as_of:
        return True
    if meta.expires and meta.expires < as_of:
        return True
    return meta.status == "draft" or (meta.status == "superseded" and not namers)


def _expected(documents: Sequence[Document], scope: Scope) -> tuple[set[str], int]:
    """Ids that may be seen, and how many the asker would see but for their dates or status."""
    visible = [item for item in documents if not item.metadata.acl or set(item.metadata.acl) & set(scope.groups)]
    matching = [item for item in visible if all(_matches(item, rule) for rule in scope.filters)]
    assert scope.as_of
    stale = set() if scope.include_superseded else {i.doc_id for i in matching if _stale(i, visible, scope.as_of)}
    return {item.doc_id for item in matching} - stale, len(stale)


def _check(engine: FolderEngine, documents: Sequence[Document], scope: Scope, query: str) -> None:
    wanted, hidden = _expected(documents, scope)
    allowed = engine.allowed(scope)
    assert set(engine.doc_ids(allowed)) == wanted
    assert (allowed.count, allowed.superseded_hidden) == (len(wanted), hidden)
    texts = {f"{item.doc_id}#1": item.text for item in documents}
    asked = vector(query)
    truth = sorted((-float(vector(texts[f"{name}#1"]) @ asked), f"{name}#1") for name in wanted)
    for method in ("exact", "hnsw", "auto"):
        for depth in (1, 3, 100):
            hits = engine.dense(asked, depth, allowed, method)[0].hits
            assert [hit.chunk_id for hit in hits] == [name for _, name in truth[:depth]]
    words = {name for name in wanted if set(query.lower().split()) & set(texts[f"{name}#1"].lower().split())}
    found = engine.lexical(query, 100, allowed).hits
    assert {hit.chunk_id for hit in found} == {f"{name}#1" for name in words}
    assert len(engine.lexical(query, 2, allowed).hits) == min(2, len(words))


def _visible_only(documents: Sequence[Document], scope: Scope) -> list[Document]:
    return [item for item in documents if not item.metadata.acl or set(item.metadata.acl) & set(scope.groups)]


@pytest.mark.parametrize("seed", range(max(1, CASES // PER_CORPUS)))
def test_an_asker_gets_exactly_what_the_rules_allow(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    documents = _corpus(draw)
    half = documents[: len(documents) // 2]
    publish(tmp_path, half)
    publish(tmp_path, documents)
    with IndexFolder(tmp_path).open() as engine:
        for _ in range(PER_CORPUS):
            scope = _random_scope(draw)
            query = " ".join(draw.sample(WORDS, k=2))
            try:
                _check(engine, documents, scope, query)
            except ConfigError as error:
                seen = _visible_only(documents, scope)
                assert "meta.key1" in error.message
                assert not any("key1" in item.metadata.extra for item in seen)
                known = {f"meta.{name}" for item in seen for name in item.metadata.extra}
                assert {word.strip(",") for word in error.hint.split() if word.startswith("meta.")} == known


@pytest.mark.parametrize("seed", range(max(1, CASES // PER_CORPUS // 6)))
def test_forbidden_documents_might_as_well_not_be_there(tmp_path: Path, seed: int) -> None:
    """Every output is the same, to the bit, in an index without the forbidden documents."""
    draw = random.Random(1000 + seed)
    documents = _corpus(draw)
    scope = _random_scope(draw)
    publish(tmp_path / "all", documents)
    publish(tmp_path / "own", _visible_only(documents, scope))
    scopes = [Scope(scope.filters, scope.groups, f"202{n}-05-05", n == 5) for n in range(2, 6)]
    with IndexFolder(tmp_path / "all").open() as whole, IndexFolder(tmp_path / "own").open() as own:
        for each in scopes:
            outputs = [_outputs(engine, each, " ".join(WORDS[:3])) for engine in (whole, own)]
            assert outputs[0] == outputs[1]


def _outputs(engine: FolderEngine, scope: Scope, query: str) -> object:
    try:
        allowed = engine.allowed(scope)
    except ConfigError as error:
        return error.message, error.hint
    dense = engine.dense(vector(query), 5, allowed, "exact")[0]
    lexical = engine.lexical(query, 100, allowed).hits
    return allowed.count, allowed.superseded_hidden, dense, lexical, engine.doc_ids(allowed)


def test_the_graph_is_never_asked_for_what_is_not_allowed(tmp_path: Path) -> None:
    documents = [document(f"d{n}.md", f"text {n}", acl=("hr",) if n % 50 else ()) for n in range(1200)]
    publish(tmp_path, documents)
    with IndexFolder(tmp_path).open() as engine:
        allowed = engine.allowed(Scope())
        assert allowed.count == 24
        for n in range(40):
            ranking, used = engine.dense(vector(f"query {n}"), 30, allowed, "hnsw")
            assert {hit.chunk_id for hit in ranking.hits} == {f"d{n}.md#1" for n in range(0, 1200, 50)}
            assert used in ("hnsw", "exact")
            assert np.isfinite([hit.score for hit in ranking.hits]).all()
