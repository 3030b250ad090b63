"""Access that hangs on more than one file: the ways to a file, copies of a text, rules that no file fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragcli.config import PathRule
from ragcli.interfaces import Staging
from ragcli.parse.access import strictest
from ragcli.parse.path_rules import matches
from ragcli.records import Document


def narrowed(document: Document, groups: Sequence[str], why: str) -> Document:
    """The document for those alone who may see it by ``groups`` too. Raises AccessError when that is nobody."""
    left = strictest([document.metadata.acl, groups], f"{document.doc_id}, {why}")
    return replace(document, metadata=replace(document.metadata, acl=left))


def unmatched_rules(rules: Sequence[PathRule], staging: Staging) -> list[str]:
    """A notice for every rule whose path fits no file of any root."""
    notices = []
    for position, rule in enumerate(rules):
        if not any(matches(rule.path, path, doc_id) for path, doc_id in _known(staging)):
            keys = ", ".join(map(str, rule.set)) or "nothing"
            notices.append(
                f"ingest.rules[{position}]: {rule.path!r} fits no file, so {keys} is set for none "
                "(paths start under the ingested folder; rag ingest --json lists them)"
            )
    return notices


def _known(staging: Staging) -> Iterable[tuple[str, str]]:
    """The path of every file met, with each document inside of it."""
    for root in staging.roots():
        for state in staging.files(root.root_id):
            yield from ((path, "") for path in (state.relative, state.real, *state.aliases) if path)
            yield from ((state.relative, report.path) for report in state.reports if report.path != state.relative)
            yield from ((state.relative, doc_id) for doc_id in state.doc_ids if "!" in doc_id)
