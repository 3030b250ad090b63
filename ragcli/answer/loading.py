"""The configured generator and, for the model behind the Messages API, the connection to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragcli.answer.extract.decompose import PartwiseAnswerer
from ragcli.answer.extract.extractive import ExtractiveAnswerer
from ragcli.config import Config
from ragcli.plugins import GENERATORS, Registry

if TYPE_CHECKING:
    from ragcli.answer.model.anthropic import MessagesClient
    from ragcli.answer.model.text_model import MessagesTextModel
    from ragcli.interfaces import Embedder, Generator, GeneratorFactory


def load_generator(config: Config, *, embedder: Embedder | None, environ: Mapping[str, str]) -> Generator:
    """The generator that ``answer.provider`` names. Raises ModelError when it may not or cannot be used."""
    return PROVIDERS[config.answer.provider](config, embedder=embedder, environ=environ)


def _extractive(config: Config, *, embedder: Embedder | None, environ: Mapping[str, str]) -> Generator:
    return PartwiseAnswerer(ExtractiveAnswerer(config.answer, embedder))


def _anthropic(config: Config, *, embedder: Embedder | None, environ: Mapping[str, str]) -> Generator:
    from ragcli.answer.model.written import WrittenAnswerer

    return WrittenAnswerer(config.answer, messages_client(config, environ))


PROVIDERS: Registry[GeneratorFactory] = Registry(
    GENERATORS, "answer.provider", {"extractive": _extractive, "anthropic": _anthropic}
)


def text_model(config: Config, environ: Mapping[str, str], *, batch: bool = False) -> MessagesTextModel:
    """The configured model for writing about chunks and for judging, whatever ``answer.provider`` says."""
    from ragcli.answer.model.text_model import MessagesTextModel

    return MessagesTextModel(messages_client(config, environ), config.answer.model, batch=batch)


def messages_client(config: Config, environ: Mapping[str, str]) -> MessagesClient:
    """A client for ``answer.base_url``; nothing is sent yet. Raises ModelError without a key or under RAG_OFFLINE."""
    from ragcli.answer.model.anthropic import MessagesClient
    from ragcli.answer.model.endpoint import find_endpoint

    settings = config.answer
    origin = config.origins.get("answer.base_url", "default")
    endpoint = find_endpoint(settings.base_url, origin, environ, offline=config.offline)
    return MessagesClient(endpoint, timeout_seconds=settings.timeout_seconds, retries=settings.retries)
