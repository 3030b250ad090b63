from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragcli.config import EmbedConfig
from ragcli.embed.loading import load_embedder
from ragcli.embed.model_folder import read_dimension, read_json
from ragcli.embed.sentence_transformer import SentenceTransformerEmbedder
from ragcli.errors import ConfigError, ModelError
from ragcli.interfaces import Embedder

TEXTS = ["Refunds within 5 working days.", "", "X200-B", "The committee " * 60]


@pytest.fixture(scope="module")
def tiny(tiny_mean: Path) -> Embedder:
    return load_embedder(EmbedConfig(model=str(tiny_mean), batch_size=2))


def test_what_a_folder_says_is_known_without_torch(tiny_mean: Path) -> None:
    code = (
        "import sys; from ragcli.config import EmbedConfig; from ragcli.embed.loading import load_embedder\n"
        f"e = load_embedder(EmbedConfig(model={str(tiny_mean)!r})); i = e.info\n"
        "print(i.dimension, i.window, repr(i.query_prefix), e.tokenizer.count('remote work'),\n"
        "      {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "32 40 'query: ' 2 set()"


def test_both_backends_agree(tiny: Embedder, tiny_mean: Path) -> None:
    onnx = load_embedder(EmbedConfig(model=str(tiny_mean), backend="onnx"))
    assert tiny.info == onnx.info
    np.testing.assert_allclose(tiny.queries(TEXTS), onnx.queries(TEXTS), atol=2e-6)
    np.testing.assert_allclose(tiny.passages(TEXTS), onnx.passages(TEXTS), atol=2e-6)
    for ours, theirs in zip(tiny.token_vectors(TEXTS), onnx.token_vectors(TEXTS), strict=True):
        assert len(ours) <= 38
        np.testing.assert_allclose(ours, theirs, atol=2e-6)


def test_queries_and_passages_differ_by_their_prompts(tiny: Embedder) -> None:
    assert not np.allclose(tiny.queries(["refund"]), tiny.passages(["refund"]), atol=1e-3)


def test_configured_prefixes_replace_the_models_prompts(tiny: Embedder, tiny_mean: Path) -> None:
    swapped = EmbedConfig(model=str(tiny_mean), query_prefix="passage: ", passage_prefix="query: ")
    other = load_embedder(swapped)
    assert (other.info.query_prefix, other.info.passage_prefix) == ("passage: ", "query: ")
    np.testing.assert_allclose(other.queries(TEXTS), tiny.passages(TEXTS), atol=2e-6)


def test_loading_draws_no_bar_of_its_own(tiny_mean: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load_embedder(EmbedConfig(model=str(tiny_mean))).queries(["a"])
    assert capfd.readouterr().err == ""


def test_vectors_are_unit_rows_and_progress_is_reported(tiny_mean: Path) -> None:
    embedder = load_embedder(EmbedConfig(model=str(tiny_mean), batch_size=1))
    seen: list[tuple[str, int, int]] = []
    vectors = embedder.passages([f"text {n}" for n in range(20)], lambda *report: seen.append(report))
    assert seen == [("embed", 16, 20), ("embed", 20, 20)]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors[7], embedder.passages(["text 7"])[0], atol=2e-6)
    assert embedder.passages([]).shape == (0, 32) and embedder.token_vectors([]) == []


def test_the_packaged_model_runs_here_too_when_asked_for() -> None:
    general = load_embedder(EmbedConfig(backend="sentence-transformers"), offline=True)
    default = load_embedder(EmbedConfig())
    assert (general.queries(["a refund"]) * default.queries(["a refund"])).sum() > 0.99999


def test_a_hub_name_offline_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(
        ModelError, match="'intfloat/e5-small-v2' is not on this machine and offline mode is on"
    ) as caught:
        load_embedder(EmbedConfig(model="intfloat/e5-small-v2"), offline=True)
    assert "local folder" in caught.value.hint and caught.value.exit_code == 5


@pytest.mark.parametrize("name", ["/no/such/model", "./models/none", "a/b/c"])
def test_a_path_that_does_not_exist_is_no_hub_name(name: str) -> None:
    with pytest.raises(ModelError, match=f"model folder {name} does not exist"):
        load_embedder(EmbedConfig(model=name))


def test_a_folder_with_broken_weights_is_a_model_error(tiny_mean: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_mean, tmp_path / "model")
    (folder / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_embedder(EmbedConfig(model=str(folder))).queries(["a"])


def test_a_model_folder_that_brings_code_is_refused_and_runs_nothing(tiny_mean: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    code = f"open({str(ran)!r}, 'w')\nfrom sentence_transformers.models import Transformer as Evil\n"
    for number, (name, key) in enumerate([("modules.json", "type"), ("config.json", "auto_map")]):
        folder = shutil.copytree(tiny_mean, tmp_path / f"model{number}")
        (folder / "evil.py").write_text(code)
        content = json.loads((folder / name).read_text())
        if key == "type":
            content[0]["type"] = "evil.Evil"
        else:
            content |= {"model_type": "evil", "auto_map": {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil"}}
        (folder / name).write_text(json.dumps(content))
        with pytest.raises(ModelError):
            load_embedder(EmbedConfig(model=str(folder))).queries(["a"])
        assert not ran.exists()


@pytest.mark.parametrize("content", ["{}", "[1]", "[", '[{"path": "../other"}]', '[{"path": "/dev"}]', "[" * 100_000])
def test_parts_of_a_model_lie_in_its_folder(content: str, tiny_mean: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_mean, tmp_path / "model")
    (folder / "modules.json").write_text(content)
    with pytest.raises(ModelError, match=r"modules\.json"):
        load_embedder(EmbedConfig(model=str(folder), backend="onnx"))


def test_a_window_over_the_models_is_refused(tiny_mean: Path) -> None:
    with pytest.raises(ConfigError, match=r"embed\.window is 100, .* reads at most 40 tokens"):
        load_embedder(EmbedConfig(model=str(tiny_mean), window=100))


def test_a_smaller_window_is_kept_and_reported(tiny_mean: Path, caplog: pytest.LogCaptureFixture) -> None:
    embedder = load_embedder(EmbedConfig(model=str(tiny_mean), window=10, passage_prefix="p "))
    assert embedder.info.window == 10
    embedder.passages(["word " * 6, "word " * 7])
    assert "1 of 2 texts" not in caplog.text
    embedder.passages(["word " * 7, "word " * 8])
    assert "1 of 2 texts are longer than the 10 tokens" in caplog.text
    # [CLS] p + 7 words + [SEP]
    np.testing.assert_allclose(embedder.passages(["word " * 30]), embedder.passages(["word " * 8]), atol=2e-6)


def test_the_dimension_is_that_of_the_last_dense_layer(tiny_mean: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_mean, tmp_path / "model")
    modules = json.loads((folder / "modules.json").read_text())
    modules.append({"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"})
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "2_Dense").mkdir()
    (folder / "2_Dense" / "config.json").write_text(json.dumps({"in_features": 32, "out_features": 8}))
    assert read_dimension(folder, read_json(folder / "config.json")) == 8


def test_a_model_whose_settings_are_wrong_about_its_dimension_is_refused(tiny_mean: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_mean, tmp_path / "model")
    embedder = load_embedder(EmbedConfig(model=str(folder)))
    shrunk = dataclasses.replace(embedder.info, dimension=8)
    other = SentenceTransformerEmbedder(folder, shrunk, EmbedConfig(), offline=True)
    with pytest.raises(ModelError, match="vectors have 32 dimensions, its settings say 8"):
        other.queries(["a"])


def test_a_model_without_a_tokenizer_file_counts_by_its_own(tiny_mean: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_mean, tmp_path / "model")
    (folder / "tokenizer.json").unlink()
    embedder = load_embedder(EmbedConfig(model=str(folder)))
    assert embedder.tokenizer.count_many(["remote workspace policy,", "word " * 1000]) == [5, 1000]
