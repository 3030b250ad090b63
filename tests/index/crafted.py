"""Index folders that no ragcli wrote: changed files under a manifest that agrees with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragcli.codec import encode
from ragcli.index.manifest import NAME
from ragcli.index.versions import hash_tree


def reseal(version: Path, **changes: Any) -> None:
    """Make the manifest of a version folder agree with the files that are in it now, and change these keys of it."""
    path = version / NAME
    files = {name: info for name, info in hash_tree(version, {}, None).items() if name != NAME and "/." not in name}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"files": encode(files)} | changes))
