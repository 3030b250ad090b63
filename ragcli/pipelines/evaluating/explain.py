"""``rag explain``: one question and what it should find, followed through every stage."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from ragcli.errors import ConfigError, GoldenError, NotFound
from ragcli.evaluate.golden_sets.file import read_case
from ragcli.evaluate.golden_sets.labels import Judged, Target
from ragcli.evaluate.golden_sets.locate import locate
from ragcli.evaluate.golden_sets.resolving import Resolver
from ragcli.evaluate.losses import CasePath
from ragcli.evaluate.trail import Surroundings, Trail, follow
from ragcli.interfaces import Embedder, Engine
from ragcli.pipelines.evaluating.evaluate import Steps, measure_one
from ragcli.pipelines.evaluating.seen import SeenDocuments
from ragcli.records import GoldenCase, Judgment, Ranking, Scope

_DEEPER = 2000
_WHERE = "--expect"


def explain(
    question: str, expect: Sequence[str], *, engine: Engine, steps: Steps, scope: Scope, answerable: bool = True
) -> list[Trail]:
    """The trail of every expectation. ``expect`` holds chunk ids, sources (with ``#heading`` or ``#page=4``) or quotes.

    A document that the groups of ``scope`` may not see is not there: neither its text nor its name is confirmed.
    Raises NotFound for a quote that no document holds and looks like no id, ConfigError without any expectation.
    """
    if not expect:
        raise ConfigError("nothing is expected", hint='--expect "a quote", --expect hr/policy.md or --expect policy#2')
    seen = SeenDocuments(engine, scope.groups)
    resolver = Resolver(seen)
    judgments = [judgment for text in expect for judgment in expectation(text, seen, resolver)]
    case = GoldenCase("explained", question, tuple(judgments), answerable=answerable, where=_WHERE)
    judged = resolver.judge(case)
    measured = measure_one(judged, engine=engine, steps=steps, scope=scope)
    deeper = _deeper(question, scope, steps)
    return [follow(unit, _alone(measured.path, judged, unit), _around(unit, seen, deeper)) for unit in judged.units]


def expectation(text: str, seen: SeenDocuments, resolver: Resolver) -> list[Judgment]:
    """What an ``--expect`` means: a known id or source first, else a quote, in every document that holds it."""
    row = {"question": "-", "expected_chunk" if text.rpartition("#")[2].isdigit() else "expected_source": text}
    try:
        judgments = list(read_case(row, where=_WHERE).judgments)
    except GoldenError:
        judgments = []
    known = [judgment for judgment in judgments if resolver.doc_id(judgment.source, _WHERE) is not None]
    if known:
        return known
    holding = _holding(text, seen, loosely=False) or _holding(text, seen, loosely=True)
    if holding:
        return [Judgment(doc_id, quote=text) for doc_id in holding]
    if judgments and not any(character.isspace() for character in text):
        return judgments  # the trail says that it is not in the corpus
    raise NotFound(
        f"--expect {text!r} is no document, no chunk, and stands in no document's text",
        hint="rag inspect SOURCE shows what was parsed; what belongs to a group needs --as GROUP",
    )


def _holding(quote: str, seen: SeenDocuments, *, loosely: bool) -> list[str]:
    return [item for item in seen.doc_ids() if locate(quote, seen.document(item).text, loosely=loosely)]


def leg_probe(engine: Engine, embedder: Callable[[], Embedder], depth: int = _DEEPER) -> Callable[..., Ranking]:
    """A search with one leg alone, deep; the model is loaded only when the dense leg is asked for."""

    def probe(question: str, scope: Scope, leg: str) -> Ranking:
        allowed = engine.allowed(scope)
        if leg == "bm25":
            return engine.lexical(question, depth, allowed)
        return engine.dense(embedder().queries([question])[0], depth, allowed)[0]

    return probe


def _deeper(question: str, scope: Scope, steps: Steps) -> dict[str, Ranking]:
    return {leg: steps.probe(question, scope, leg) for leg in ("bm25", "dense")} if steps.probe else {}


def _alone(path: CasePath, judged: Judged, unit: Target) -> CasePath:
    """The path as if this unit were all that is expected, so that its own loss is named."""
    return dataclasses.replace(path, judged=dataclasses.replace(judged, units=(unit,), evidence=()))


def _around(unit: Target, seen: SeenDocuments, deeper: dict[str, Ranking]) -> Surroundings:
    there = unit.doc_id in set(seen.doc_ids())
    return Surroundings(
        document=seen.document(unit.doc_id) if there else None,
        chunks=seen.document_chunks(unit.doc_id) if there else (),
        window=seen.engine.embedder.window,
        deeper=deeper,
    )
