"""What a sentence-transformers model folder says about itself, read without loading its weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragcli.errors import ModelError

WEIGHTS = "model.safetensors"
_DEFAULT_WINDOW = 512

Pooling = Literal["mean", "cls"]


@dataclass(frozen=True)
class ModelFolder:
    """A model's settings. ``window`` is in tokens with the special ones; prompts are put before each text."""

    path: Path
    config: Mapping[str, Any]
    window: int
    pooling: Pooling
    query_prompt: str
    passage_prompt: str

    @property
    def weights(self) -> Path:
        """The safetensors file."""
        return self.path / WEIGHTS

    @property
    def tokenizer_file(self) -> Path:
        """The tokenizer as the tokenizers library reads it."""
        return self.path / "tokenizer.json"


def read_model_folder(path: Path) -> ModelFolder:
    """The settings of the model in ``path``. Raises ModelError when a part is missing or cannot be used."""
    config = read_json(path / "config.json")
    pooling_file = path / _pooling_folder(path) / "config.json"
    window, prompts = read_window(path, config), read_prompts(path)
    return ModelFolder(path, config, window, _pooling(read_json(pooling_file), pooling_file), *prompts)


def read_window(path: Path, config: Mapping[str, Any]) -> int:
    """Tokens the model reads: what the folder says, else the positions it has."""
    limits = [int(config.get("max_position_embeddings") or _DEFAULT_WINDOW)]
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        if (path / name).is_file():
            limits.append(int(read_json(path / name).get(key) or limits[0]))
    return min(limits)


def read_prompts(path: Path) -> tuple[str, str]:
    """The model's own prompts for queries and for passages, empty where it has none."""
    settings = path / "config_sentence_transformers.json"
    prompts = read_json(settings).get("prompts") or {} if settings.is_file() else {}
    return prompts.get("query", ""), prompts.get("passage", prompts.get("document", ""))


def folder_revision(path: Path) -> str:
    """A digest of every file that shapes the vectors, so that equal revisions mean equal vectors."""
    digest = hashlib.sha256()
    for file in sorted(item for item in path.rglob("*") if item.suffix in {".json", ".safetensors", ".bin", ".txt"}):
        digest.update(file.relative_to(path).as_posix().encode())
        digest.update(bytes.fromhex(file_sha256(file)))
    return f"sha256:{digest.hexdigest()[:16]}"


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file. Raises ModelError when the file is missing or holds something else."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelError(f"{path} is missing", hint="give embed.model a sentence-transformers model folder") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read {path}: {error}") from error
    if not isinstance(content, dict):
        raise ModelError(f"{path} holds {type(content).__name__}, expected an object")
    return content


def read_dimension(path: Path, config: Mapping[str, Any]) -> int:
    """Length of the model's vectors: of its last dense layer, else of its hidden states."""
    dimension = int(config.get("hidden_size") or config.get("dim") or config.get("d_model") or 0)
    for module in _modules(path):
        settings = path / str(module["path"]) / "config.json"
        if str(module.get("type", "")).endswith("Dense") and settings.is_file():
            dimension = int(read_json(settings)["out_features"])
    if not dimension:
        raise ModelError(f"{path / 'config.json'} does not say how long the model's vectors are")
    return dimension


def file_sha256(path: Path) -> str:
    """Hex SHA-256 of a file. Raises ModelError when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror or error}") from error


def _modules(path: Path) -> list[Mapping[str, Any]]:
    """The parts of a model, each with its folder inside ``path``. Raises ModelError for a list that is none."""
    file = path / "modules.json"
    if not file.is_file():
        return []
    try:
        modules = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"cannot read {file}: {error}") from error
    if not isinstance(modules, list) or not all(_is_part(module) for module in modules):
        raise ModelError(f"{file} is no list of parts, each with a folder inside {path}")
    return modules


def _is_part(module: Any) -> bool:
    place = module.get("path") if isinstance(module, Mapping) else None
    return isinstance(place, str) and not Path(place).is_absolute() and ".." not in Path(place).parts


def _pooling_folder(path: Path) -> str:
    for module in _modules(path):
        if str(module.get("type", "")).endswith("Pooling"):
            return str(module["path"])
    raise ModelError(f"{path} is not a sentence-transformers model: no modules.json that names a pooling module")


def _pooling(settings: Mapping[str, Any], where: Path) -> Pooling:
    chosen = sorted(key for key, used in settings.items() if key.startswith("pooling_mode_") and used is True)
    if chosen == ["pooling_mode_mean_tokens"] or settings.get("pooling_mode") == "mean":
        return "mean"
    if chosen == ["pooling_mode_cls_token"] or settings.get("pooling_mode") == "cls":
        return "cls"
    raise ModelError(
        f"{where}: pooling {', '.join(chosen) or 'unknown'}, the onnx backend knows mean and cls",
        hint="set embed.backend: sentence-transformers",
    )
