from __future__ import annotations

from pathlib import Path

import pytest

from ragcli.interfaces import Store
from tests.engines.stores import STORES


@pytest.fixture(scope="module", params=sorted(STORES))
def kind(request: pytest.FixtureRequest) -> str:
    """Which store the case runs over."""
    return str(request.param)


@pytest.fixture
def store(kind: str, tmp_path: Path) -> Store:
    """An empty store."""
    return STORES[kind](tmp_path / "index")
