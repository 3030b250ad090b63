"""A logged question made into a golden case: what a user said was good becomes a label; pure.

The label is a quote, so that it survives re-chunking; it comes from what this retriever found, and ``made_by`` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ragcli.display import as_written
from ragcli.errors import ConfigError
from ragcli.evaluate.golden_sets.locate import locate
from ragcli.evaluate.measuring.compare import tokens
from ragcli.language.sentences import sentence_spans
from ragcli.records import Chunk, Trace

_MARK = re.compile(r" ?(?<!\\)\[\d+\](?=\W|$)")


def promote(
    trace: Trace,
    *,
    chunks: Callable[[Sequence[str]], list[Chunk]],
    expect: Sequence[str] = (),
    unanswerable: bool = False,
) -> dict[str, Any]:
    """The row for a trace.

    An answer with good feedback is labelled by quotes from what it cites and by its own text. ``expect`` (sources,
    chunk ids) and ``unanswerable`` are a person's word and stand in for it. Raises ConfigError when neither feedback
    nor person says what would have been right.
    """
    row: dict[str, Any] = {"id": f"log-{trace.trace_id}", "question": trace.question}
    if trace.standalone_question and trace.standalone_question != trace.question:
        row["question"] = trace.standalone_question
    if unanswerable:
        row |= {"answerable": False, "made_by": f"person:{trace.trace_id}"}
    elif expect:
        row |= _named(expect) | {"made_by": f"person:{trace.trace_id}"}
    else:
        row |= _from_answer(trace, chunks) | {"made_by": f"promote:{trace.trace_id}"}
    row |= {"filters": list(trace.filters)} if trace.filters else {}
    row |= {"groups": list(trace.groups)} if trace.groups else {}
    return {**row, "tags": ["log"]}


def _from_answer(trace: Trace, chunks: Callable[[Sequence[str]], list[Chunk]]) -> dict[str, Any]:
    if trace.feedback == "good" and not trace.found:
        return {"answerable": False}
    if trace.feedback != "good" or not trace.cited:
        verdict = trace.feedback or "none"
        raise ConfigError(
            f"trace {trace.trace_id} has feedback {verdict}: what would have been right is not known",
            hint="--expect SOURCE for what it should have found, --unanswerable, or rag feedback … good first",
        )
    places = [
        {"source": item.doc_id, "quote": quote}
        for item in chunks(trace.cited)
        if (quote := best_quote(trace.answer, item.text))
    ]
    return {"expected": places, "expected_answer": as_written(_MARK.sub("", trace.answer))}


def _named(expect: Sequence[str]) -> dict[str, Any]:
    chunk_ids = [item for item in expect if item.rpartition("#")[2].isdigit()]
    sources = [item for item in expect if item not in chunk_ids]
    found: dict[str, Any] = {"expected_chunks": chunk_ids} if chunk_ids else {}
    return found | ({"expected_sources": sources} if sources else {})


def best_quote(answer: str, text: str) -> str:
    """The sentence of ``text`` that the answer repeats, else the one that shares most words with it."""
    sentences = [span.of(text).strip() for span in sentence_spans(text)]
    sentences = [sentence for sentence in sentences if sentence]
    said = frozenset(tokens(answer))
    repeated = [sentence for sentence in sentences if len(tokens(sentence)) > 2 and locate(sentence, answer)]
    ranked = sorted(sentences, key=lambda sentence: -len(said & frozenset(tokens(sentence))))
    return next(iter([*repeated, *ranked]), "")
