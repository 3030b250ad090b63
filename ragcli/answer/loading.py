"""The configured generator and, for a model behind an API, the connection to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragcli.answer.extract.decompose import PartwiseAnswerer
from ragcli.answer.extract.extractive import ExtractiveAnswerer
from ragcli.config import Config
from ragcli.errors import ConfigError
from ragcli.plugins import GENERATORS, Registry

if TYPE_CHECKING:
    from ragcli.answer.model.endpoint import Service
    from ragcli.answer.model.message import ModelClient
    from ragcli.answer.model.text_model import WrittenTextModel
    from ragcli.interfaces import Embedder, Generator, GeneratorFactory
    from ragcli.records import Passage


def load_generator(config: Config, *, embedder: Embedder | None, environ: Mapping[str, str]) -> Generator:
    """The generator that ``answer.provider`` names. Raises ModelError when it may not or cannot be used."""
    return PROVIDERS[config.answer.provider](config, embedder=embedder, environ=environ)


def _extractive(config: Config, *, embedder: Embedder | None, environ: Mapping[str, str]) -> Generator:
    return PartwiseAnswerer(ExtractiveAnswerer(config.answer, embedder))


def _written(config: Config, *, embedder: Embedder | None, environ: Mapping[str, str]) -> Generator:
    from ragcli.answer.model.written import WrittenAnswerer

    return WrittenAnswerer(config.answer, model_client(config, environ))


PROVIDERS: Registry[GeneratorFactory] = Registry(
    GENERATORS, "answer.provider", {"extractive": _extractive, "anthropic": _written, "openai": _written}
)


def text_model(config: Config, environ: Mapping[str, str], *, batch: bool = False) -> WrittenTextModel:
    """The configured model for writing about chunks and for judging: Anthropic's where the provider is extractive.

    Raises ConfigError for a ``batch`` where none is offered.
    """
    from ragcli.answer.model.text_model import WrittenTextModel

    client = model_client(config, environ)
    if batch and client.batch is None:
        raise ConfigError(
            f"chunk.context_batch is true, and answer.provider {config.answer.provider} offers no batches",
            hint="RAG_CHUNK__CONTEXT_BATCH=false",
        )
    return WrittenTextModel(client, config.answer.model, batch=client.batch if batch else None)


def model_client(config: Config, environ: Mapping[str, str]) -> ModelClient:
    """A client for ``answer.base_url``; nothing is sent yet.

    Raises ModelError without a key or under RAG_OFFLINE, ConfigError where no model is named.
    """
    from ragcli.answer.model.connection import Connection
    from ragcli.answer.model.endpoint import MESSAGES, find_endpoint

    settings, service = config.answer, _service(config)
    endpoint = find_endpoint(settings.base_url, _origin(config), environ, offline=config.offline, service=service)
    connection = Connection(endpoint, settings.timeout_seconds, settings.retries, settings.deadline_seconds)
    if service is MESSAGES:
        from ragcli.answer.model.anthropic import MessagesClient

        return MessagesClient(connection)
    from ragcli.answer.model.openai import ChatClient

    if config.origins.get("answer.model", "default") == "default":
        raise ConfigError(
            f"answer.provider is openai, and answer.model is still {settings.model}",
            hint="RAG_ANSWER__MODEL=NAME, as the server calls it",
        )
    return ChatClient(connection)


def first_request(
    config: Config, environ: Mapping[str, str], question: str, passages: Sequence[Passage]
) -> dict[str, Any] | None:
    """The body that would be sent to the model for a question; None when nothing leaves the machine."""
    if config.answer.provider == "extractive":
        return None
    from ragcli.answer.model.chat import chat_body
    from ragcli.answer.model.endpoint import MESSAGES, find_server
    from ragcli.answer.model.prompt import request, schema_first

    settings, service = config.answer, _service(config)
    _, is_own = find_server(settings.base_url, _origin(config), environ, service)
    schema = schema_first(service, is_own=is_own)
    body = request(question, passages, model=settings.model, max_tokens=settings.max_tokens, schema=schema)
    return body if service is MESSAGES else chat_body(body, is_own=is_own)


def _service(config: Config) -> Service:
    from ragcli.answer.model.endpoint import MESSAGES, SERVICES

    return SERVICES.get(config.answer.provider, MESSAGES)


def _origin(config: Config) -> str:
    return config.origins.get("answer.base_url", "default")
