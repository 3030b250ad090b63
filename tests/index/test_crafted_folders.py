"""Crafted index folders, a few of each sort; ``python -m tests.attack index_folders`` tries all of them."""

from __future__ import annotations

import os
import random

import pytest

from tests.index import crafted, crafted_contents

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

ALWAYS = (
    "pipe at CURRENT",
    "link to somebody's file at manifest.json",
    "folder at manifest.json",
    "chunks is an endless view",
    "postings of 1 rows x'ffffff7f'",
    "manifest of no segments",
    "BM25 manages somebody's file",
    "journal of staging/catalog.sqlite names somebody's file",
    "link to somebody's file at LOCK",
    "link to somebody's folder for the folder staging/build",
    "deep JSON at traces/2026-01-02.jsonl",
)
OTHERS = 4


def test_crafted_folders_are_refused_in_time_and_lead_nowhere() -> None:
    from tests.attack.index_folders import attack

    known = {craft.name: craft for craft in (*crafted.crafts(), *crafted_contents.crafts())}
    drawn = [known[name] for name in ALWAYS]
    others = [craft for name, craft in sorted(known.items()) if name not in ALWAYS and "3 GB" not in name]
    drawn += random.Random(12).sample(others, OTHERS)
    assert attack(drawn).failures == []
