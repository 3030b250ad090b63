from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ragcli.config import EmbedConfig, RerankConfig
from ragcli.embed.loading import load_embedder
from ragcli.embed.packaged import packaged_folder
from ragcli.errors import ConfigError, ModelError
from ragcli.interfaces import Embedder
from ragcli.retrieve.rerank import CrossEncoderReranker, MaxSimReranker, load_reranker

QUESTION = "How long does a refund take?"
TEXTS = ["Refunds arrive within 5 working days.", "Desks are booked by the week.", "", "Refund " * 200]


def _save_cross_encoder(folder: Path, labels: int) -> Path:
    """A randomly initialised BERT that scores pairs, saved as transformers saves it."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=30522,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        num_labels=labels,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copy(packaged_folder() / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _save_cross_encoder(tmp_path_factory.mktemp("cross-encoder"), 1)


def _reference(folder: Path) -> np.ndarray:
    """The same scores from transformers alone: the sigmoid of the single logit."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    batch = tokenizer([QUESTION] * 4, TEXTS, padding=True, truncation=True, max_length=64, return_tensors="pt")
    with torch.no_grad():
        return torch.sigmoid(model(**batch).logits[:, 0]).numpy()


def _no_embedder() -> Embedder:
    raise AssertionError("a cross-encoder needs no embedding model")


def test_a_cross_encoder_scores_pairs_as_transformers_does(cross_encoder: Path) -> None:
    reranker = load_reranker(RerankConfig("cross-encoder", str(cross_encoder)), _no_embedder, offline=True)
    assert reranker is not None
    scores = reranker.scores(QUESTION, TEXTS)
    np.testing.assert_allclose(scores, _reference(cross_encoder), atol=1e-5)
    assert len(set(scores)) == 4 and reranker.scores(QUESTION, []) == []
    assert reranker.name == f"cross-encoder ({cross_encoder})"


def test_a_classifier_is_no_reranker(tmp_path: Path) -> None:
    folder = _save_cross_encoder(tmp_path / "classifier", 3)
    with pytest.raises(ModelError, match="gives 3 scores a pair, a reranker gives one"):
        CrossEncoderReranker(str(folder)).scores(QUESTION, TEXTS)


def test_scores_that_are_no_numbers_are_refused(cross_encoder: Path) -> None:
    class Broken:
        def predict(self, pairs: list[tuple[str, str]], **options: object) -> np.ndarray:
            return np.array([0.5, np.nan])

    reranker = CrossEncoderReranker(str(cross_encoder))
    reranker._model = Broken()
    with pytest.raises(ModelError, match="gives scores that are no numbers"):
        reranker.scores(QUESTION, TEXTS[:2])


def test_a_cross_encoder_that_is_not_there_says_what_to_do() -> None:
    with pytest.raises(ModelError, match="cross-encoder/none-such' cannot be loaded") as caught:
        CrossEncoderReranker("cross-encoder/none-such", offline=True).scores(QUESTION, TEXTS)
    assert "rerank.method: none" in caught.value.hint


def test_the_configured_reranker() -> None:
    embedder = load_embedder(EmbedConfig())
    assert load_reranker(RerankConfig(), lambda: embedder) is None
    assert isinstance(load_reranker(RerankConfig("maxsim"), lambda: embedder), MaxSimReranker)
    with pytest.raises(ConfigError, match=r"rerank\.model is empty"):
        load_reranker(RerankConfig("cross-encoder"), lambda: embedder)


def test_maxsim_prefers_the_passage_that_answers() -> None:
    scores = MaxSimReranker(load_embedder(EmbedConfig())).scores(QUESTION, TEXTS)
    assert scores[0] > scores[1] > scores[2] == 0.0
    assert all(-1 <= score <= 1 for score in scores)


def test_maxsim_of_a_text_with_itself_is_one() -> None:
    reranker = MaxSimReranker(load_embedder(EmbedConfig()))
    assert reranker.scores(QUESTION, [QUESTION]) == pytest.approx([1.0], abs=1e-4)


def test_a_cross_encoder_that_brings_code_is_refused_and_runs_nothing(cross_encoder: Path, tmp_path: Path) -> None:
    folder, ran = shutil.copytree(cross_encoder, tmp_path / "model"), tmp_path / "ran"
    (folder / "evil.py").write_text(f"open({str(ran)!r}, 'w')\n")
    content = json.loads((folder / "config.json").read_text())
    named = {"AutoConfig": "evil.Evil", "AutoModelForSequenceClassification": "evil.Evil"}
    (folder / "config.json").write_text(json.dumps(content | {"model_type": "evil", "auto_map": named}))
    with pytest.raises(ModelError, match="cannot be loaded"):
        CrossEncoderReranker(str(folder), offline=True).scores(QUESTION, TEXTS)
    assert not ran.exists()
