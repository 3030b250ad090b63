"""Where a request to a model goes and with which key: decided, and refused, before anything is sent.

Secrets come from the environment alone, and the address from the user's own settings (``config.trust`` sees to that):
no file that came with a folder names it. Anthropic's key goes to Anthropic, or to the https server that the user named
in its place; OpenAI's goes to OpenAI alone, because half of the world speaks its form. A server on this machine gets
neither: ``RAG_ANSWER_KEY`` is the key for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragcli.answer.model.address import Address, read_address
from ragcli.errors import ModelError

OWN_KEY = "RAG_ANSWER_KEY"
"""The variable whose key goes to the server of ``answer.base_url``, wherever that is."""
PLACEHOLDER = "none"
"""What a server on this machine gets as a key: it wants none, but the header must be there."""


@dataclass(frozen=True, slots=True)
class Service:
    """A form of request that many servers speak, and whose it is.

    ``url`` is where requests go when no server is named, ``url_from`` the variable that may name one. ``keys`` are the
    variables of its owner's keys; ``lends_key`` says whether they go to an https server that is named in its place.
    """

    provider: str
    form: str
    url: str
    url_from: str
    keys: tuple[str, ...]
    lends_key: bool


MESSAGES = Service(
    "anthropic",
    "the Messages API",
    "https://api.anthropic.com",
    "ANTHROPIC_BASE_URL",
    ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    lends_key=True,
)
CHAT = Service(
    "openai",
    "the chat completions API",
    "https://api.openai.com/v1",
    "OPENAI_BASE_URL",
    ("OPENAI_API_KEY",),
    lends_key=False,
)
SERVICES = {service.provider: service for service in (MESSAGES, CHAT)}
"""By the ``answer.provider`` that speaks it."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that speaks a service's form. At most one of ``api_key`` and ``auth_token`` is set; neither is shown.

    ``key_from`` is the variable the key came from, empty for the placeholder. ``is_own`` for the service's own server.
    """

    url: str
    host: str
    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)
    key_from: str = ""
    is_local: bool = False
    is_own: bool = False
    service: Service = MESSAGES


def find_endpoint(
    base_url: str, origin: str, environ: Mapping[str, str], *, offline: bool, service: Service = MESSAGES
) -> Endpoint:
    """The endpoint for ``answer.base_url``, whose value comes from ``origin`` (as ``Config.origins`` names it).

    Raises ModelError (``offline``, ``no_key``), ConfigError for an address that is none or that is not safe to use.
    """
    if offline:
        raise ModelError(
            f"answer.provider is {service.provider} and RAG_OFFLINE is set: nothing was sent",
            hint="--provider extractive answers offline; or unset RAG_OFFLINE",
            category="offline",
        )
    address, is_own = find_server(base_url, origin, environ, service)
    key_from, key = _key(address, is_own, environ, service)
    token = key if key_from == "ANTHROPIC_AUTH_TOKEN" else None
    api_key = None if token else key
    return Endpoint(address.url, address.host, api_key, token, key_from, address.is_local, is_own, service)


def find_server(base_url: str, origin: str, environ: Mapping[str, str], service: Service) -> tuple[Address, bool]:
    """The server for ``answer.base_url``, and whether it is the service's own. Raises ConfigError as above.

    Its address is the one that the service's client starts from: that of chat completions ends in a path, and ``/v1``
    where none was given; that of messages does without ``/v1``.
    """
    where = f"answer.base_url ({origin})"
    if not base_url.strip():
        base_url, where = environ.get(service.url_from) or service.url, service.url_from
    found = read_address(base_url, where)
    bare = found.url.removesuffix("/v1")
    is_own = bare == service.url.removesuffix("/v1")
    scheme_and_host = f"{found.url.partition('://')[0]}://{found.host}"
    url = bare if service is MESSAGES else f"{bare}/v1" if bare == scheme_and_host else found.url
    return Address(url, found.host, found.is_local), is_own


def _key(address: Address, is_own: bool, environ: Mapping[str, str], service: Service) -> tuple[str, str]:
    """The variable whose value goes to a server, and the value."""
    lent = service.keys if service.lends_key and not address.is_local else ()
    for name in service.keys if is_own else (OWN_KEY, *lent):
        if environ.get(name):
            return name, environ[name]
    if is_own:
        raise ModelError(
            f"no key for {service.form}: {service.keys[0]} is not set",
            hint=f"export {service.keys[0]}=…; or --provider extractive, which needs none",
            category="no_key",
        )
    return "", PLACEHOLDER
