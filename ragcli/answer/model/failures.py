"""What a server's refusal means to the user: a sentence in the server's words, a category, and what to do. Pure."""

from __future__ import annotations

from typing import Any

from ragcli.answer.model.endpoint import OWN_KEY, Endpoint
from ragcli.errors import ModelError

_STATUS_OF_KIND = {
    "invalid_request_error": 400,
    "exceed_context_size_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "overloaded_error": 529,
}
_NO_CREDIT = ("credit balance", "insufficient credit", "insufficient_quota", "exceeded your current quota")
_TOO_LONG = ("context size", "context length", "context window", "context_length", "too long", "max_model_len")
_AGAIN = "the server was asked several times; try again later or raise answer.retries"
_OFFLINE = "--provider extractive answers without it"


def status_of(kind: str, code: object) -> int:
    """The HTTP status that an error in the middle of a stream stands for, by its types or its code; 500 for others."""
    if isinstance(code, int | str) and str(code).isdecimal() and 400 <= int(code) < 600:
        return int(code)
    return next((_STATUS_OF_KIND[word] for word in kind.split() if word in _STATUS_OF_KIND), 500)


def refused(status: int, said: str, kind: str, endpoint: Endpoint, model: str) -> ModelError:
    """The error for an HTTP status; ``said`` is the server's message, ``kind`` its names for the error."""
    host, told = endpoint.host, f"{kind} {said}".casefold()
    if 300 <= status < 400:
        said = "it sends elsewhere, and no key or passage follows it there"
    if status == 402 or (status in (400, 403, 429) and any(word in told for word in _NO_CREDIT)):
        category, hint = "no_credit", f"add credit to the account of the key in {endpoint.key_from}; {_OFFLINE}"
    elif status in (400, 413, 422) and any(word in told for word in _TOO_LONG):
        category, hint = "too_large", _shorter(endpoint)
    elif status in (400, 422, 500) and "tool" in told:
        category, hint = "no_tools", "leave --agentic out, or take a model and a server that use tools"
    else:
        category, hint = _by_status(status, endpoint, model)
    return ModelError(f"{host} answered {status}: {said or 'no message'}", hint=hint, category=category)


def _shorter(endpoint: Endpoint) -> str:
    longer = "" if endpoint.is_own else "start the server with a longer context, or "
    return f"{longer}lower answer.passages or answer.passage_tokens, or leave --direct out"


def _by_status(status: int, endpoint: Endpoint, model: str) -> tuple[str, str]:
    """Category and hint of a status alone."""
    host, key = endpoint.host, endpoint.key_from
    wrong_key = f"the key in {key} was not accepted; make a new one or unset it"
    if not key:
        wrong_key = f"{host} wants a key: export {OWN_KEY}=… ({endpoint.service.keys[0]} is not sent to it)"
    return {
        400: ("bad_request", "check answer.model and answer.base_url; rag ask --dry-run shows what is sent"),
        401: ("bad_key", wrong_key),
        403: ("bad_key", f"the key in {key} may not use this model" if key else wrong_key),
        404: ("unknown_model", f"answer.model is {model!r}: check the name, and answer.base_url"),
        413: ("too_large", _shorter(endpoint)),
        422: ("bad_request", "check answer.model and answer.base_url; rag ask --dry-run shows what is sent"),
        429: ("rate_limited", _AGAIN),
        529: ("overloaded", _AGAIN),
    }.get(status, ("server_error", _AGAIN) if status >= 500 else ("refused", "check answer.base_url"))


def not_in_form(endpoint: Endpoint, why: str) -> ModelError:
    """The error for a reply that is none of the service's."""
    return ModelError(
        f"{endpoint.host} answered, but not in the form of {endpoint.service.form}: {why[:200]}",
        hint=f"check answer.base_url ({endpoint.url}) and answer.provider ({endpoint.service.provider})",
        category="malformed",
    )


def no_message(reply: Any) -> ValueError:
    """What is wrong with an SDK's reply that holds no message: what it holds instead."""
    fields = getattr(reply, "model_dump", None)
    return ValueError(f"no message in {str(fields(exclude_unset=True, warnings=False) if fields else reply)[:120]!r}")


def declined(why: str) -> ModelError:
    """The error for a model that will not answer, with its reason if it gave one."""
    return ModelError(
        f"the model refused to answer{f': {why}' if why else ''}",
        hint="ask in other words, or --provider extractive",
        category="refused",
    )


def broken_off(endpoint: Endpoint) -> ModelError:
    """The error for a reply that ended without having said so."""
    return ModelError(
        f"the answer of {endpoint.host} broke off",
        hint="ask again; rag doctor checks the server",
        category="broken_off",
    )


def unconnected(endpoint: Endpoint, why: str) -> ModelError:
    """The error for a connection that could not be made or that broke; ``why`` as the system says it."""
    host = endpoint.host
    if "WRONG_VERSION_NUMBER" in why or "RECORD_LAYER_FAILURE" in why:
        hint = f"the server does not speak https; on this machine http://{host} will do"
    elif "SSL" in why or "certificate" in why.casefold():
        hint = "check answer.base_url; for a certificate of your own: export SSL_CERT_FILE=/path/to/its/authority.pem"
    else:
        hint = "is the server running? rag doctor checks the address; --provider extractive needs no network"
    return ModelError(f"the connection to {host} failed: {why}", hint=hint, category="unreachable")
