from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from safetensors import safe_open

from ragcli.config import EmbedConfig
from ragcli.embed import packaged
from ragcli.embed.checkpoint import find_weights
from ragcli.embed.loading import load_embedder
from ragcli.embed.model_folder import read_model_folder
from ragcli.embed.onnx_bert import OnnxBertEmbedder
from ragcli.errors import ModelError
from ragcli.interfaces import Embedder
from ragcli.records import EmbedderInfo
from tests import make_packaged_graph

TEXTS = [
    "How many remote days per week can I take?",
    "Refunds are returned to the original payment method within 5 working days.",
    "x",
    "",
    "Größe, naïve, 東京の会議室 — E-4012 (X200-B)!",
    "The committee " * 60,
]


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    return load_embedder(EmbedConfig())


def _reference(folder: Path, texts: list[str], prompt: str = "") -> np.ndarray:
    """What sentence-transformers makes of the texts, by torch."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), local_files_only=True)
    return np.asarray(model.encode(texts, prompt=prompt, normalize_embeddings=True, show_progress_bar=False))


def test_the_packaged_model_gives_the_vectors_of_sentence_transformers(minilm: OnnxBertEmbedder) -> None:
    ours, theirs = minilm.passages(TEXTS), _reference(minilm._folder.path, TEXTS)
    assert ours.shape == (6, 384) and ours.dtype == np.float32
    cosines = (ours * theirs).sum(axis=1)
    assert cosines.min() > 0.99999, cosines


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_local_bert_folder_with_prompts_equals_sentence_transformers(
    pooling: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(f"tiny_{pooling}")
    embedder = load_embedder(EmbedConfig(model=str(folder), backend="onnx"))
    assert embedder.info.query_prefix == "query: " and embedder.info.passage_prefix == "passage: "
    assert (embedder.info.window, embedder.info.dimension) == (40, 32)
    np.testing.assert_allclose(embedder.queries(TEXTS), _reference(folder, TEXTS, "query: "), atol=2e-6)
    np.testing.assert_allclose(embedder.passages(TEXTS), _reference(folder, TEXTS, "passage: "), atol=2e-6)


def test_a_vector_does_not_depend_on_its_batch(minilm: Embedder) -> None:
    together = minilm.passages(TEXTS)
    alone = np.concatenate([minilm.passages([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_batches_keep_the_order_of_texts_and_report_progress(tiny_mean: Path) -> None:
    embedder = load_embedder(EmbedConfig(model=str(tiny_mean), backend="onnx", batch_size=2))
    seen: list[tuple[str, int, int]] = []
    vectors = embedder.passages(TEXTS[:5], lambda *report: seen.append(report))
    assert seen == [("embed", 2, 5), ("embed", 4, 5), ("embed", 5, 5)]
    np.testing.assert_allclose(vectors[1], embedder.passages([TEXTS[1]])[0], atol=1e-5)


def test_texts_beyond_one_block_keep_their_places(minilm: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = minilm.passages(TEXTS)
    monkeypatch.setattr("ragcli.embed.onnx_bert._BLOCK", 4)
    np.testing.assert_allclose(minilm.passages(TEXTS), whole, atol=1e-5)
    assert [len(rows) for rows in minilm.token_vectors(TEXTS[:5])] == minilm.tokenizer.count_many(TEXTS[:5])


def test_a_text_over_the_window_is_cut_and_reported(minilm: Embedder, caplog: pytest.LogCaptureFixture) -> None:
    long = "remote work " * 300
    with caplog.at_level(logging.WARNING):
        vector = minilm.passages([long])
    assert "1 of 1 texts are longer than the 256 tokens" in caplog.text
    np.testing.assert_allclose(vector, minilm.passages(["remote work " * 127]), atol=1e-5)  # 254 and two special


def test_token_vectors_are_unit_rows_without_special_tokens(minilm: Embedder) -> None:
    texts = ["remote work policy", "", "X200-B"]
    rows = minilm.token_vectors(texts)
    assert [len(row) for row in rows] == minilm.tokenizer.count_many(texts) == [3, 0, 4]  # x ##200 - b
    np.testing.assert_allclose(np.linalg.norm(rows[0], axis=1), 1, atol=1e-5)
    mean = minilm.passages(["remote work policy"])[0]
    assert (rows[0] @ mean > 0.5).all(), "token states point the way their mean does"


def test_nothing_to_embed(minilm: Embedder) -> None:
    assert minilm.passages([]).shape == (0, 384)
    assert minilm.token_vectors([]) == []


def test_damaged_weights_are_named_with_both_hashes(tiny_mean: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_mean, tmp_path / "model")
    info = EmbedderInfo("tiny", "r", 32, 40)
    good = OnnxBertEmbedder(read_model_folder(folder), info)
    assert good.passages(["fine"]).shape == (1, 32)
    expected = "0" * 64
    damaged = OnnxBertEmbedder(read_model_folder(folder), info, sha256=expected)
    with pytest.raises(ModelError, match=f"damaged: its SHA-256 is [0-9a-f]{{64}}, expected {expected}"):
        damaged.passages(["never"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[: len(data) // 2], "is not a safetensors file"),
        (lambda data: data[:20], "is not a safetensors file"),
        (lambda data: b"", "is not a safetensors file"),
        (
            lambda data: data.replace(b"encoder.layer.1.output.dense.bias", b"encoder.layer.7.output.dense.bias"),
            "1 weights",
        ),
    ],
)
def test_broken_weights_are_a_model_error(change, message: str, tiny_mean: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_mean, tmp_path / "model")
    weights = folder / "model.safetensors"
    weights.write_bytes(change(weights.read_bytes()))
    with pytest.raises(ModelError, match=message):
        load_embedder(EmbedConfig(model=str(folder), backend="onnx")).passages(["text"])


def test_packaged_weights_that_are_cut_off_are_named(tmp_path: Path) -> None:
    folder = shutil.copytree(packaged.packaged_folder(), tmp_path / "model")
    weights = folder / "model.safetensors"
    os.truncate(weights, weights.stat().st_size // 2)
    damaged = OnnxBertEmbedder(read_model_folder(folder), EmbedderInfo("m", "r", 384, 256), sha256=packaged.SHA256)
    with pytest.raises(ModelError, match="damaged: its SHA-256"):
        damaged.passages(["never"])


def test_the_kept_graph_is_the_one_that_would_be_made() -> None:
    kept, made = onnx.load(packaged.GRAPH, load_external_data=False), onnx.load_from_string(make_packaged_graph.make())
    assert kept == made


def test_weights_are_found_where_the_library_reads_them(tiny_mean: Path) -> None:
    path = tiny_mean / "model.safetensors"
    with safe_open(str(path), framework="numpy") as file:
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it has no iterator)
    content = path.read_bytes()
    for name, place in find_weights(path, {name: array.shape for name, array in arrays.items()}).items():
        assert content[place.offset : place.offset + place.length] == arrays[name].tobytes(), name


def test_without_the_onnx_library_a_model_of_your_own_says_what_to_install(
    tiny_mean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert load_embedder(EmbedConfig()).queries(["the packaged model needs none"]).shape == (1, 384)
    with pytest.raises(ModelError) as raised:
        load_embedder(EmbedConfig(model=str(tiny_mean), backend="onnx")).passages(["text"])
    assert "ragcli[onnx]" in (raised.value.hint or "")


def test_the_default_path_never_imports_torch() -> None:
    code = (
        "import sys; from ragcli.config import EmbedConfig; from ragcli.embed.loading import load_embedder\n"
        "e = load_embedder(EmbedConfig()); e.info; assert 'onnxruntime' not in sys.modules\n"
        "e.tokenizer.count('a'); assert 'onnxruntime' not in sys.modules\n"
        "e.queries(['a']); e.token_vectors(['a'])\n"
        "print(sorted({'torch', 'transformers', 'onnx', 'safetensors', 'sentence_transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
