from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.embed.packaged import packaged_folder
from ragcli.embed.tokens import ModelTokenizer, tokenizer_from_file
from ragcli.errors import ModelError

TOKENIZER = tokenizer_from_file(packaged_folder() / "tokenizer.json")


def test_counts_are_those_of_word_pieces() -> None:
    # by vocab.txt: remote | work ##space | policy | ,
    assert TOKENIZER.count("remote workspace policy,") == 5
    assert TOKENIZER.count("") == 0


def test_long_texts_are_neither_cut_nor_padded() -> None:
    # the packaged file asks for truncation and padding at 128
    assert TOKENIZER.count("word " * 1000) == 1000
    assert TOKENIZER.count_many(["word " * 1000, "word"]) == [1000, 1]


def test_ids_carry_the_special_tokens() -> None:
    assert TOKENIZER.ids(["word"]) == [[101, 2773, 102]]
    assert TOKENIZER.ids(["word"], special=False) == [[2773]]
    assert TOKENIZER.special(["word"]) == [[True, False, True]]


def test_offsets_are_characters_not_bytes() -> None:
    text = "Größe über 東京"
    pieces = [text[start:end] for start, end in TOKENIZER.offsets(text)]
    assert pieces == ["Gr", "ö", "ße", "über", "東", "京"]


@given(st.text(max_size=80))
def test_offsets_run_forward_inside_the_text_and_agree_with_the_count(text: str) -> None:
    offsets = TOKENIZER.offsets(text)
    assert len(offsets) == TOKENIZER.count(text) == TOKENIZER.count_many([text])[0]
    assert all(0 <= start <= end <= len(text) for start, end in offsets)
    assert offsets == sorted(offsets)


def test_a_lone_surrogate_is_one_unknown_character() -> None:
    assert TOKENIZER.offsets("a \udcff b") == TOKENIZER.offsets("a ? b") == [(0, 1), (2, 3), (4, 5)]
    assert TOKENIZER.count("a \udcff b") == TOKENIZER.count_many(["a \udcff b"])[0] == 3


def test_a_missing_or_broken_file_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"tokenizer\.json is missing"):
        tokenizer_from_file(tmp_path / "tokenizer.json").count("a")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="is not a tokenizer"):
        tokenizer_from_file(tmp_path / "tokenizer.json").count("a")


def test_loading_waits_for_the_first_use() -> None:
    calls: list[int] = []

    def load():
        calls.append(1)
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(packaged_folder() / "tokenizer.json"))

    tokenizer = ModelTokenizer(load)
    assert calls == []
    tokenizer.count("a")
    tokenizer.count("b")
    assert calls == [1]
