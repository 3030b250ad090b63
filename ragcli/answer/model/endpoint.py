"""Where a request to a model goes and with which key: decided, and refused, before anything is sent.

Secrets come from the environment alone. The key is for Anthropic's own address, for one that the environment or the
command line names, and for this machine. An address that stands in a settings file may have come with somebody else's
folder: it gets neither key nor passages until its host is named in ``RAG_TRUSTED_HOSTS``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ragcli.errors import ConfigError, ModelError

DEFAULT_URL = "https://api.anthropic.com"
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that speaks the Messages API. At most one of ``api_key`` and ``auth_token`` is set; neither is shown."""

    url: str
    host: str
    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)
    notices: tuple[str, ...] = ()


def find_endpoint(base_url: str, origin: str, environ: Mapping[str, str], *, offline: bool) -> Endpoint:
    """The endpoint for ``answer.base_url``, whose value comes from ``origin`` (as ``Config.origins`` names it).

    Raises ModelError (``offline``, ``untrusted_host``, ``no_key``) or ConfigError for an address that is none.
    """
    if offline:
        raise ModelError(
            "answer.provider is anthropic and RAG_OFFLINE is set: nothing was sent",
            hint="--provider extractive answers offline; or unset RAG_OFFLINE",
            category="offline",
        )
    if not base_url and environ.get("ANTHROPIC_BASE_URL"):
        base_url, origin = environ["ANTHROPIC_BASE_URL"], "ANTHROPIC_BASE_URL"
    url = (base_url or DEFAULT_URL).rstrip("/").removesuffix("/v1")
    host, is_local = _host(url, origin)
    _check_trust(url, host, is_local, base_url, origin, environ)
    api_key = environ.get("ANTHROPIC_API_KEY") or None
    auth_token = None if api_key else environ.get("ANTHROPIC_AUTH_TOKEN") or None
    if not api_key and not auth_token:
        if not base_url:
            raise ModelError(
                "no key for the Messages API: ANTHROPIC_API_KEY is not set",
                hint="export ANTHROPIC_API_KEY=…; or --provider extractive, which needs none",
                category="no_key",
            )
        api_key = "none"  # servers on one's own machines want no key, but the header must be there
    return Endpoint(url, host, api_key, auth_token, _notices(url, host, is_local, base_url))


def _host(url: str, origin: str) -> tuple[str, bool]:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").casefold()
        port = parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.username or parts.query or parts.fragment:
        raise ConfigError(f"answer.base_url ({origin}) is {url!r}, expected https://host[:port][/path]")
    shown = host if port is None else f"{host}:{port}"
    return shown, bool(_LOOPBACK.fullmatch(host))


def _check_trust(url: str, host: str, is_local: bool, base_url: str, origin: str, environ: Mapping[str, str]) -> None:
    named_by_user = origin == "command line" or origin.startswith(("RAG_", "ANTHROPIC_"))
    if not base_url or url == DEFAULT_URL or is_local or named_by_user:
        return
    trusted = {name.strip().casefold() for name in environ.get("RAG_TRUSTED_HOSTS", "").split(",")}
    if host in trusted or host.partition(":")[0] in trusted:
        return
    raise ModelError(
        f"{origin} sends questions, passages and your key to {host}; a settings file alone may not decide that",
        hint=f"export RAG_TRUSTED_HOSTS={host} if you trust it, or pass the address with RAG_ANSWER__BASE_URL",
        category="untrusted_host",
    )


def _notices(url: str, host: str, is_local: bool, base_url: str) -> tuple[str, ...]:
    if not base_url or url == DEFAULT_URL:
        return ()
    plain = " over plain http" if url.startswith("http:") and not is_local else ""
    return (f"passages are sent to {host}{plain}",)
