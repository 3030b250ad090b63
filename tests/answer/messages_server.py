"""A local server that speaks the wire format of the Messages API: each test scripts what it says."""

from __future__ import annotations

import contextlib
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Act = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Records each request and plays the next act of the script (the last one for ever)."""

    protocol_version = "HTTP/1.1"
    server: MessagesServer

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"null")
        with self.server.lock:
            self.server.requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
            act = self.server.script.pop(0) if len(self.server.script) > 1 else self.server.script[0]
        act(self)

    do_GET = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        """Silence."""

    def reply(self, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self, kind: str = "text/event-stream") -> None:
        """The head of a reply that comes in chunks."""
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def send_chunk(self, raw: bytes) -> None:
        """One chunk; an empty one is the end."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
        self.wfile.flush()


class MessagesServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Sequence[Act]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request["body"] for request in self.requests]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of some tests."""


@contextmanager
def serving(*script: Act) -> Iterator[MessagesServer]:
    """A running server that plays ``script``."""
    server = MessagesServer(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def message(
    text: str = "", *, stop: str = "end_turn", content: list[Any] | None = None, **usage: int
) -> dict[str, Any]:
    """A message object as the API returns it."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test-1",
        "content": [{"type": "text", "text": text}] if content is None else content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20, **usage},
    }


def answers(body: Any, status: int = 200, **headers: str) -> Act:
    """An act: a JSON body."""
    return lambda handler: handler.reply(status, json.dumps(body).encode(), **headers)


def says(text: str, **more: Any) -> Act:
    """An act: a message with this text."""
    return answers(message(text, **more))


def fails(status: int, kind: str, said: str = "a message from the server", **headers: str) -> Act:
    """An act: an error in the API's form."""
    return answers({"type": "error", "error": {"type": kind, "message": said}}, status, **headers)


def sends(raw: bytes, kind: str = "application/json") -> Act:
    """An act: any bytes."""
    return lambda handler: handler.reply(200, raw, kind)


def sleeps(seconds: float) -> Act:
    """An act: nothing for a while."""
    return lambda handler: time.sleep(seconds)


def streams(
    text: str,
    *,
    piece: int = 7,
    cut_after: int | None = None,
    error_after: int | None = None,
    end_after: int | None = None,
    stop: str = "end_turn",
    citations: Sequence[Any] = (),
) -> Act:
    """An act: the text as server-sent events; after so many pieces the connection cut, an error sent, or the end."""

    def act(handler: Handler) -> None:
        handler.begin_stream()
        start = message(content=[], stop="")
        start["stop_reason"] = None
        _event(handler, {"type": "message_start", "message": start})
        _event(handler, {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        for number, at in enumerate(range(0, len(text), piece)):
            if number == cut_after:
                handler.close_connection = True
                handler.connection.close()
                return
            if number == error_after:
                _event(handler, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
                break
            if number == end_after:
                handler.send_chunk(b"")
                return
            delta: dict[str, Any] = {"type": "text_delta", "text": text[at : at + piece]}
            _event(handler, {"type": "content_block_delta", "index": 0, "delta": delta})
        for citation in citations:
            cited = {"type": "citations_delta", "citation": citation}
            _event(handler, {"type": "content_block_delta", "index": 0, "delta": cited})
        _event(handler, {"type": "content_block_stop", "index": 0})
        delta = {"stop_reason": stop, "stop_sequence": None}
        _event(handler, {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}})
        _event(handler, {"type": "message_stop"})
        handler.send_chunk(b"")

    return act


def trickles(raw: bytes, seconds: float, kind: str) -> Act:
    """An act: the bytes again and again, one each so many seconds, until nobody listens."""

    def act(handler: Handler) -> None:
        handler.begin_stream(kind)
        handler.close_connection = True
        with contextlib.suppress(OSError):
            for byte in itertools.cycle(raw):
                handler.send_chunk(bytes([byte]))
                time.sleep(seconds)

    return act


def sends_event(handler: Handler, data: dict[str, Any]) -> None:
    """A server-sent event without a name."""
    handler.send_chunk(f"data: {json.dumps(data)}\n\n".encode())


def _event(handler: Handler, data: dict[str, Any]) -> None:
    handler.send_chunk(f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode())
