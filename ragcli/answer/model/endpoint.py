"""Where a request to a model goes and with which key: decided, and refused, before anything is sent.

Secrets come from the environment alone, and the address from the user's own settings (``config.trust`` sees to that):
no file that came with a folder names it. Anthropic's key goes to Anthropic, or to the https server that the user named
in its place. A server on this machine gets it only when ``RAG_ANSWER_KEY`` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragcli.answer.model.address import Address, read_address
from ragcli.errors import ModelError

DEFAULT_URL = "https://api.anthropic.com"
OWN_KEY = "RAG_ANSWER_KEY"
"""The variable whose key goes to the server of ``answer.base_url``, wherever that is."""
PLACEHOLDER = "none"
"""What a server on this machine gets as a key: it wants none, but the header must be there."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that speaks the Messages API. At most one of ``api_key`` and ``auth_token`` is set; neither is shown.

    ``key_from`` is the variable the key came from, empty for the placeholder.
    """

    url: str
    host: str
    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)
    key_from: str = ""
    is_local: bool = False


def find_endpoint(base_url: str, origin: str, environ: Mapping[str, str], *, offline: bool) -> Endpoint:
    """The endpoint for ``answer.base_url``, whose value comes from ``origin`` (as ``Config.origins`` names it).

    Raises ModelError (``offline``, ``no_key``), ConfigError for an address that is none or that is not safe to use.
    """
    if offline:
        raise ModelError(
            "answer.provider is anthropic and RAG_OFFLINE is set: nothing was sent",
            hint="--provider extractive answers offline; or unset RAG_OFFLINE",
            category="offline",
        )
    where = f"answer.base_url ({origin})"
    if not base_url.strip():
        base_url, where = environ.get("ANTHROPIC_BASE_URL") or DEFAULT_URL, "ANTHROPIC_BASE_URL"
    address = read_address(base_url, where)
    is_default = address.url.removesuffix("/v1") == DEFAULT_URL
    key_from, key = _key(address, is_default, environ)
    token = key if key_from == "ANTHROPIC_AUTH_TOKEN" else None
    url = address.url.removesuffix("/v1")
    return Endpoint(url, address.host, None if token else key, token, key_from, address.is_local)


def _key(address: Address, is_default: bool, environ: Mapping[str, str]) -> tuple[str, str]:
    """The variable whose value goes to a server, and the value."""
    names = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]
    if address.is_local:
        names = [OWN_KEY]
    elif not is_default:
        names = [OWN_KEY, *names]
    for name in names:
        if environ.get(name):
            return name, environ[name]
    if is_default:
        raise ModelError(
            "no key for the Messages API: ANTHROPIC_API_KEY is not set",
            hint="export ANTHROPIC_API_KEY=…; or --provider extractive, which needs none",
            category="no_key",
        )
    return "", PLACEHOLDER
