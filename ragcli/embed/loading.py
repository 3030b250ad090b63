"""Chooses the backend for the configured embedding model; nothing heavy is loaded before the model is used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragcli import telemetry
from ragcli.config import EmbedConfig
from ragcli.embed import packaged
from ragcli.embed.model_folder import ModelFolder, folder_revision, read_model_folder
from ragcli.errors import ConfigError
from ragcli.plugins import EMBEDDERS, Registry
from ragcli.records import EmbedderInfo

if TYPE_CHECKING:
    from ragcli.interfaces import Embedder, EmbedderFactory


def load_embedder(config: EmbedConfig, *, offline: bool = False) -> Embedder:
    """The embedder for ``embed.model``, made by ``embed.backend``; cheap until it is used.

    ``auto`` runs the packaged model through onnxruntime and any other through sentence-transformers; ``onnx`` also
    runs a local BERT folder. ``offline`` keeps a hub name to what is already on this machine.
    Raises ModelError when the model cannot be had, ConfigError when a setting does not fit it.
    """
    telemetry.switch_off()
    return BACKENDS[config.backend](config, offline=offline)


def _auto(config: EmbedConfig, *, offline: bool) -> Embedder:
    made = _onnx if config.model in packaged.ALIASES else _sentence_transformers
    return made(config, offline=offline)


def _onnx(config: EmbedConfig, *, offline: bool) -> Embedder:
    if config.model in packaged.ALIASES:
        folder = read_model_folder(packaged.packaged_folder())
        return _onnx_model(folder, packaged.NAME, packaged.REVISION, config, packaged.SHA256)
    path = Path(config.model).expanduser()
    if not path.is_dir():
        raise ConfigError(
            f"embed.backend is onnx and embed.model {config.model!r} is neither {packaged.NAME!r} nor a folder",
            hint="set embed.backend: sentence-transformers for a hub name",
        )
    return _onnx_model(read_model_folder(path), config.model, folder_revision(path), config, "")


def _sentence_transformers(config: EmbedConfig, *, offline: bool) -> Embedder:
    from ragcli.embed.sentence_transformer import load_sentence_transformer

    model = str(packaged.packaged_folder()) if config.model in packaged.ALIASES else config.model
    return load_sentence_transformer(model, config, offline=offline)


BACKENDS: Registry[EmbedderFactory] = Registry(
    EMBEDDERS,
    "embed.backend",
    {"auto": _auto, "onnx": _onnx, "sentence-transformers": _sentence_transformers},
)


def _onnx_model(folder: ModelFolder, name: str, revision: str, config: EmbedConfig, sha256: str) -> Embedder:
    from ragcli.embed.onnx_bert import OnnxBertEmbedder

    positions = int(folder.config.get("max_position_embeddings", folder.window))
    if config.window > positions:
        raise ConfigError(f"embed.window is {config.window}, {name} reads at most {positions} tokens")
    info = EmbedderInfo(
        model=name,
        revision=revision,
        dimension=int(folder.config["hidden_size"]),
        window=config.window or folder.window,
        query_prefix=config.query_prefix or folder.query_prompt,
        passage_prefix=config.passage_prefix or folder.passage_prompt,
    )
    return OnnxBertEmbedder(folder, info, threads=config.threads, batch_size=config.batch_size, sha256=sha256)
