"""Any other sentence model, by hub name or local folder, through sentence-transformers.

What a model is (dimension, window, prompts, revision) is read from its settings files, so that opening an index or
counting tokens never imports torch; the weights load with the first text.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragcli.config import EmbedConfig
from ragcli.embed.hub import find_model
from ragcli.embed.model_folder import read_dimension, read_json, read_prompts, read_window
from ragcli.embed.rows import Vectors, report_cut, unit
from ragcli.embed.tokens import ModelTokenizer, tokenizer_from_file
from ragcli.errors import ConfigError, ModelError
from ragcli.records import EmbedderInfo

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ragcli.interfaces import Progress

_BLOCK = 16  # batches between two reports of progress


def load_sentence_transformer(name: str, config: EmbedConfig, *, offline: bool) -> SentenceTransformerEmbedder:
    """The embedder for a hub name or a folder. Raises ModelError when its settings cannot be had."""
    found = find_model(name, config.revision, offline=offline)
    settings = read_json(found.path / "config.json")
    window = read_window(found.path, settings)
    if config.window > window:
        raise ConfigError(f"embed.window is {config.window}, {name} reads at most {window} tokens")
    query_prompt, passage_prompt = read_prompts(found.path)
    info = EmbedderInfo(
        model=name,
        revision=found.revision,
        dimension=read_dimension(found.path, settings),
        window=config.window or window,
        query_prefix=config.query_prefix or query_prompt,
        passage_prefix=config.passage_prefix or passage_prompt,
    )
    return SentenceTransformerEmbedder(found.path, info, config, offline=offline)


class SentenceTransformerEmbedder:
    """One model of sentence-transformers (implements ``interfaces.Embedder``)."""

    def __init__(self, settings: Path, info: EmbedderInfo, config: EmbedConfig, *, offline: bool) -> None:
        self._settings = settings
        self._info = info
        self._config = config
        self._offline = offline
        self._model: Any = None
        self._lock = threading.Lock()
        file = settings / "tokenizer.json"
        self._tokenizer = tokenizer_from_file(file) if file.is_file() else ModelTokenizer(self._converted_tokenizer)

    @property
    def info(self) -> EmbedderInfo:
        """Which model this is."""
        return self._info

    @property
    def tokenizer(self) -> ModelTokenizer:
        """The model's tokenizer, never truncating."""
        return self._tokenizer

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of questions, texts × dimension."""
        return self._sentences(texts, self._info.query_prefix, None)

    def passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Unit vectors of passages, texts × dimension. Raises ModelError when the model cannot be loaded."""
        return self._sentences(texts, self._info.passage_prefix, progress)

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """Unit vectors of each text's tokens without the special ones, tokens × dimension."""
        if not texts:
            return []
        rows = self._loaded().encode(list(texts), output_value="token_embeddings", **self._options(""))
        special = self._tokenizer.special(texts)
        return [_token_rows(row.cpu().numpy(), flags) for row, flags in zip(rows, special, strict=True)]

    def _sentences(self, texts: Sequence[str], prefix: str, progress: Progress | None) -> Vectors:
        vectors = np.empty((len(texts), self._info.dimension), np.float32)
        order = sorted(range(len(texts)), key=lambda position: (-len(texts[position]), position))
        step = self._config.batch_size * _BLOCK
        for start in range(0, len(order), step):
            chosen = order[start : start + step]
            batch = [texts[position] for position in chosen]
            report_cut([len(ids) for ids in self._tokenizer.ids([prefix + text for text in batch])], self._info.window)
            encoded = self._loaded().encode(batch, **self._options(prefix))
            vectors[chosen] = unit(self._checked(np.asarray(encoded, np.float32)))
            if progress is not None:
                progress("embed", start + len(chosen), len(texts))
        return vectors

    def _options(self, prefix: str) -> dict[str, Any]:
        return {"prompt": prefix, "batch_size": self._config.batch_size, "show_progress_bar": False}

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> Any:
        import torch
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        if self._config.threads:
            torch.set_num_threads(self._config.threads)
        name = self._info.model
        is_folder = Path(name).expanduser().is_dir()
        source = str(self._settings) if is_folder else name
        revision = self._config.revision or None
        try:
            model = SentenceTransformer(  # a model is data: one that brings code is refused, wherever it lies
                source, revision=revision, local_files_only=self._offline or is_folder, trust_remote_code=False
            )
        except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
            raise ModelError(
                f"the embedding model {name!r} cannot be loaded: {_first_line(error)}",
                hint="check embed.model and embed.revision; without a network, give the path of a local folder",
            ) from error
        model.max_seq_length = self._info.window
        return model

    def _checked(self, rows: Vectors) -> Vectors:
        info = self._info
        if rows.shape[1] != info.dimension:
            raise ModelError(
                f"{info.model}: vectors have {rows.shape[1]} dimensions, its settings say {info.dimension}"
            )
        return rows

    def _converted_tokenizer(self) -> Tokenizer:
        fast = getattr(self._loaded().tokenizer, "backend_tokenizer", None)
        if fast is None:
            raise ModelError(f"{self._info.model} has no fast tokenizer, which chunking needs")
        from tokenizers import Tokenizer

        return Tokenizer.from_str(fast.to_str())


def _token_rows(rows: NDArray[Any], special: Sequence[bool]) -> Vectors:
    """Rows of real tokens; a text cut at the window still ends in its special token."""
    flags = list(special) if len(special) == len(rows) else [*special[: len(rows) - 1], special[-1]]
    return unit(np.asarray(rows, np.float32)[~np.asarray(flags, bool)])


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
