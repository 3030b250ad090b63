"""The models that the settings name; each is cheap until it is used."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.config import Config
from ragcli.errors import ConfigError, ModelError

if TYPE_CHECKING:
    from ragcli.answer.model.text_model import WrittenTextModel
    from ragcli.interfaces import Embedder, Generator, Reranker
    from ragcli.records import Passage


class ConfiguredModels:
    """Implements ``interfaces.Models``; a local folder is relative to the settings file."""

    def __init__(self, config: Config) -> None:
        self._config = config

    def embedder(self) -> Embedder:
        """The configured embedding model."""
        from ragcli.embed.loading import load_embedder

        settings = dataclasses.replace(self._config.embed, model=self._beside(self._config.embed.model))
        config = self._config
        named_by_project = "embed.model" in config.from_project
        try:
            return load_embedder(settings, offline=config.offline or named_by_project)
        except ModelError as error:
            if config.offline or not named_by_project or error.category != "not_on_this_machine":
                raise
            raise ModelError(
                f"the model {settings.model!r} is not on this machine, and a file of the project fetches nothing",
                hint=f"to fetch it once: RAG_EMBED__MODEL={shlex.quote(settings.model)} rag doctor",
                category="not_on_this_machine",
            ) from error

    def forget_weights(self) -> None:
        """Read the weights whole, and hash them, when they are loaded next; else they are known by size and times."""
        from ragcli.embed.remembered import forget_weights

        forget_weights()

    def reranker(self, embedder: Callable[[], Embedder]) -> Reranker | None:
        """The configured reranker, None for none; ``embedder`` is called only by a method that needs it."""
        from ragcli.retrieve.rerank import load_reranker

        settings = dataclasses.replace(self._config.rerank, model=self._beside(self._config.rerank.model))
        offline = self._config.offline or "rerank.model" in self._config.from_project
        return load_reranker(settings, embedder, offline=offline)

    def generator(self, embedder: Embedder | None) -> Generator:
        """The configured answerer. Raises ModelError when it may not or cannot be used."""
        from ragcli.answer.loading import load_generator

        return load_generator(self._config, embedder=embedder, environ=os.environ)

    def text_model(self, *, batch: bool = False) -> WrittenTextModel:
        """The language model behind an API. Raises ModelError without a key or under RAG_OFFLINE."""
        from ragcli.answer.loading import text_model

        return text_model(self._config, os.environ, batch=batch)

    def request(self, question: str, passages: Sequence[Passage]) -> dict[str, Any] | None:
        """The body that would be sent to a model for a question; None when nothing leaves the machine."""
        from ragcli.answer.loading import first_request

        return first_request(self._config, os.environ, question, passages)

    def reach(self) -> str:
        """Ask the configured model the least that shows it is there; what answered, and where.

        Raises ModelError when it cannot be reached or refuses.
        """
        from ragcli.answer.loading import model_client

        settings = self._config.answer
        client = model_client(self._config, os.environ)
        client.reach(settings.model)
        return f"{settings.provider}, {settings.model} answers at {client.endpoint.host}"

    def _beside(self, name: str) -> str:
        """A model name as it is; one that is a folder beside the settings file as its path."""
        if name.startswith("~") and os.path.expanduser(name) == name:  # noqa: PTH111 (pathlib's raises)
            raise ConfigError(
                f"the model folder {name!r} is in the home of nobody here", hint="rag config show --origin"
            )
        if max(map(len, [*map(os.fsencode, Path(name).parts), b""])) > 255 or len(os.fsencode(name)) > 4095:
            raise ConfigError(f"{name[:80]}… is too long for the name or the folder of a model")
        path = Path(name).expanduser()
        beside = self._config.base / path
        return str(beside) if name and not path.is_absolute() and beside.is_dir() else name
