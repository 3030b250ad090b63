"""What every client of a model shares: how it connects, how long it waits, and one sentence for each way to fail.

The SDKs retry 408, 409, 429, 5xx and broken connections with backoff and honour ``retry-after``; they come from one
generator, so that their errors have the same names.
"""

from __future__ import annotations

import contextvars
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import httpx2

from ragcli.answer.model import failures
from ragcli.answer.model.endpoint import Endpoint
from ragcli.errors import ModelError

_OF_THE_SDK = (ValueError, AssertionError, RuntimeError, TypeError, AttributeError, LookupError)
"""What an SDK raises, beside its own errors, over a reply that it did not foresee."""


@dataclass(slots=True)
class _Call:
    """One request with its retries: when it must be over, and what kind of reply came."""

    until: float
    kind: str = ""


_CALL: contextvars.ContextVar[_Call] = contextvars.ContextVar("_CALL")
"""The request that is under way, each thread's own."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How to speak to one endpoint. ``timeout_seconds`` is the longest silence, ``deadline_seconds`` all in all."""

    endpoint: Endpoint
    timeout_seconds: float
    retries: int
    deadline_seconds: float = 300.0

    def http_client(self, sdk: ModuleType) -> Any:
        """The connection pool for a client of ``sdk``.

        A redirect would carry key and passages to a host that nobody named, and a proxy what stays on this machine to
        another one.
        """
        # What an SDK's records hold of another type is looked at here; pydantic's remarks on it would go to the user.
        warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
        local = self.endpoint.is_local
        proxies: dict[str, Any] = dict.fromkeys(("all://", "http://", "https://")) if local else {}
        return sdk.DefaultHttpxClient(
            follow_redirects=False,
            timeout=self.timeout_seconds,
            mounts=proxies,
            event_hooks={"request": [self._before], "response": [self._after]},
        )

    @contextmanager
    def faults(self, sdk: ModuleType, model: str) -> Iterator[None]:
        """Turns what ``sdk`` raises about a request into ModelError, and sets the clock for it.

        Nothing but the SDK may run inside: what it raises over a reply is of every kind.
        """
        call = _Call(time.monotonic() + self.deadline_seconds)
        _CALL.set(call)
        endpoint = self.endpoint
        try:
            yield
        except (sdk.APITimeoutError, httpx2.TimeoutException) as error:
            raise self._too_slow(call) from error
        except sdk.APIStatusError as error:
            kind, said = _told(error)
            status = failures.status_of(kind, None) if error.status_code == 200 else error.status_code
            raise failures.refused(status, said, kind, endpoint, model) from error
        except (sdk.APIConnectionError, httpx2.TransportError) as error:
            if time.monotonic() >= call.until:
                raise self._too_slow(call) from error
            raise failures.unconnected(endpoint, str(error.__cause__ or error)) from error
        except sdk.APIResponseValidationError as error:
            raise failures.not_in_form(endpoint, str(error)) from error
        except sdk.APIError as error:  # in the middle of a stream, where there is no status any more
            kind, said = _told(error)
            status = failures.status_of(kind, getattr(error, "code", None))
            raise failures.refused(status, said, kind, endpoint, model) from error
        except (httpx2.DecodingError, *_OF_THE_SDK) as error:
            raise failures.not_in_form(endpoint, _why(error, call.kind)) from error

    def _too_slow(self, call: _Call) -> ModelError:
        host = self.endpoint.host
        if time.monotonic() >= call.until:
            return ModelError(
                f"{host} did not finish its answer within {self.deadline_seconds:g} seconds",
                hint="raise answer.deadline_seconds, or lower answer.max_tokens or answer.passages",
                category="timeout",
            )
        return ModelError(
            f"{host} did not answer within {self.timeout_seconds:g} seconds",
            hint="raise answer.timeout_seconds, or lower answer.passages",
            category="timeout",
        )

    def _before(self, request: httpx2.Request) -> None:
        """No wait for this request is longer than what is left of the time for all."""
        left = max(0.001, _CALL.get().until - time.monotonic())
        limits = request.extensions.get("timeout", {})
        request.extensions["timeout"] = {name: min(left, limit or left) for name, limit in limits.items()}

    def _after(self, response: httpx2.Response) -> None:
        call = _CALL.get()
        call.kind = response.headers.get("content-type", "").partition(";")[0]
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Bounded(response.stream, call.until, response.request)


class _Bounded(httpx2.SyncByteStream):
    """A reply whose bytes may come as slowly as they like, but not for ever: a timeout of reads sees no trickle."""

    def __init__(self, stream: httpx2.SyncByteStream, until: float, request: httpx2.Request) -> None:
        self._stream, self._until, self._request = stream, until, request

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._stream:
            if time.monotonic() >= self._until:
                raise httpx2.ReadTimeout("the whole time is over", request=self._request)
            yield piece

    def close(self) -> None:
        self._stream.close()


def _told(error: Any) -> tuple[str, str]:
    """Type, code and message of an error as the server gave them; some servers put them one level deeper."""
    body: dict[str, Any] = error.body if isinstance(error.body, dict) else {}
    nested = body.get("error")
    inner = nested if isinstance(nested, dict) else body
    kind = " ".join(str(inner[name]) for name in ("type", "code") if isinstance(inner.get(name), str))
    said = inner.get("message") or nested or body.get("detail") or error.message or ""
    return kind, str(said).strip()[:400]


def _why(error: BaseException, kind: str) -> str:
    """What was wrong with a reply: its kind where that says it, else what the SDK said."""
    if kind and kind not in ("application/json", "text/event-stream"):
        return f"it sent {kind}"
    return str(error) or "there was no message in its reply"
