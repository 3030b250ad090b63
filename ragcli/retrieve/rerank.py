"""Rerankers: a cross-encoder named in the config, or late interaction over the embedding model's own tokens."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli import telemetry
from ragcli.config import RerankConfig
from ragcli.errors import ConfigError, ModelError
from ragcli.plugins import RERANKERS, Registry

if TYPE_CHECKING:
    from ragcli.interfaces import Embedder, Reranker, RerankerFactory

_BATCH = 32


def load_reranker(config: RerankConfig, embedder: Callable[[], Embedder], *, offline: bool = False) -> Reranker | None:
    """The configured reranker, None for ``none``; its model loads on first use.

    ``embedder`` is called by a method that needs the embedding model. Raises ConfigError when the method lacks what it
    needs.
    """
    telemetry.switch_off()
    return METHODS[config.method](config, embedder, offline=offline)


def _none(config: RerankConfig, embedder: Callable[[], Embedder], *, offline: bool) -> None:
    """No reranking."""


def _maxsim(config: RerankConfig, embedder: Callable[[], Embedder], *, offline: bool) -> Reranker:
    return MaxSimReranker(embedder())


def _cross_encoder(config: RerankConfig, embedder: Callable[[], Embedder], *, offline: bool) -> Reranker:
    if not config.model:
        raise ConfigError(
            "rerank.method is cross-encoder and rerank.model is empty",
            hint="name one, such as cross-encoder/ms-marco-MiniLM-L6-v2, or a local folder",
        )
    return CrossEncoderReranker(config.model, offline=offline)


METHODS: Registry[RerankerFactory] = Registry(
    RERANKERS, "rerank.method", {"none": _none, "maxsim": _maxsim, "cross-encoder": _cross_encoder}
)


class MaxSimReranker:
    """Late interaction (Khattab & Zaharia 2020): each token of the question is worth its best match in the passage.

    The score is the mean of those cosines, so it does not grow with the question's length. Implements
    ``interfaces.Reranker``; needs no further model.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The method and model."""
        return f"maxsim ({self._embedder.info.model})"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Mean best cosine of the question's tokens in each text; 0 where either has no tokens."""
        asked, *read = self._embedder.token_vectors([question, *texts])
        return [float((asked @ rows.T).max(axis=1).mean()) if len(asked) and len(rows) else 0.0 for rows in read]


class CrossEncoderReranker:
    """A model that reads question and passage together, by hub name or local folder (``interfaces.Reranker``)."""

    def __init__(self, model: str, *, offline: bool = False) -> None:
        self._model_name = model
        self._offline = offline
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The method and model."""
        return f"cross-encoder ({self._model_name})"

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """The model's score for each text, as its own activation gives it. Raises ModelError when it cannot load."""
        if not texts:
            return []
        pairs = [(question, text) for text in texts]
        found = self._loaded().predict(pairs, batch_size=_BATCH, show_progress_bar=False)
        if found.ndim != 1:
            raise ModelError(
                f"{self._model_name} gives {found.shape[1]} scores a pair, a reranker gives one",
                hint="set rerank.model to a cross-encoder trained for ranking",
            )
        scores = [float(score) for score in found]
        if not all(map(math.isfinite, scores)):
            raise ModelError(f"{self._model_name} gives scores that are no numbers", hint="set rerank.method: none")
        return scores

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> Any:
        from safetensors import SafetensorError
        from sentence_transformers import CrossEncoder
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        folder = Path(self._model_name).expanduser()
        name = str(folder) if folder.is_dir() else self._model_name
        try:
            # A model is data: one that brings code is refused, wherever it lies.
            return CrossEncoder(name, local_files_only=self._offline or folder.is_dir(), trust_remote_code=False)
        except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ModelError(
                f"the cross-encoder {self._model_name!r} cannot be loaded: {reason}",
                hint="check rerank.model; without a network, give a local folder or set rerank.method: none",
            ) from error
