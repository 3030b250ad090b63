"""Small real models: randomly initialised, saved by sentence-transformers, the same on every run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ragcli.embed.packaged import packaged_folder


def _save_bert(folder: Path, pooling: str) -> Path:
    """A sentence-transformers folder: 2 layers, 32 dimensions, 4 heads, window 40, the packaged tokenizer."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(5)
    settings = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    config = BertConfig(vocab_size=30522, max_position_embeddings=64, **settings)
    BertModel(config).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copy(packaged_folder() / name, folder / name)
    (folder / "1_Pooling").mkdir()
    modes = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token"}
    chosen = {mode: key == pooling for key, mode in modes.items()}
    _write(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": 32, **chosen})
    _write(folder / "sentence_bert_config.json", {"max_seq_length": 40, "do_lower_case": False})
    _write(folder / "config_sentence_transformers.json", {"prompts": {"query": "query: ", "passage": "passage: "}})
    modules = [("0", "", "Transformer"), ("1", "1_Pooling", "Pooling")]
    entries = [
        {"idx": int(n), "name": n, "path": p, "type": f"sentence_transformers.models.{t}"} for n, p, t in modules
    ]
    (folder / "modules.json").write_text(json.dumps(entries))
    return folder


def _write(path: Path, content: dict[str, object]) -> None:
    path.write_text(json.dumps(content))


@pytest.fixture(scope="session")
def tiny_mean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT with mean pooling and prompts of its own."""
    return _save_bert(tmp_path_factory.mktemp("tiny-mean"), "mean")


@pytest.fixture(scope="session")
def tiny_cls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the first token's vector as the sentence's."""
    return _save_bert(tmp_path_factory.mktemp("tiny-cls"), "cls")
