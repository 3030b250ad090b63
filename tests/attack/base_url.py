"""Addresses of a model's server in every spelling: what a stranger's file may name (nothing), what the user may.

Each form is written into a ``rag.yaml`` of a cloned folder, where it must be refused, and then given by the user's own
environment, where it must be refused or lead, by plain http, to this machine alone, and there without the real key. A
server listens on both loopback addresses and counts what arrives.
"""

from __future__ import annotations

import ipaddress
import json
import random
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from ragcli.answer.model.endpoint import PLACEHOLDER, Endpoint, find_endpoint
from ragcli.config import load
from ragcli.errors import RagError
from tests.attack import Outcome

SECRET = "sk-ant-the-users-own"
KEY = {"ANTHROPIC_API_KEY": SECRET}

LOCAL = (
    "http://localhost:{port}",
    "http://LOCALHOST:{port}",
    "HTTP://localhost:{port}",
    "http://127.0.0.1:{port}",
    "http://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}/v1",
    "http://127.0.0.1:{port}/v1/",
    "http://127.0.0.1:{port}/deep/er",
    "http://127.9.8.7:{port}",
    "http://127.255.255.254:{port}",
    "http://[::1]:{port}",
    "http://[0:0:0:0:0:0:0:1]:{port}",
    "http://[::ffff:127.0.0.1]:{port}",
    "http://[::FFFF:7f00:1]:{port}",
    "https://localhost:{port}",
    "https://127.0.0.1:{port}",
    "https://[::1]:{port}",
)
"""This machine: allowed when the user names it, and given the placeholder alone."""

REMOTE = (
    "https://llm.example",
    "https://llm.example:8443",
    "https://LLM.example/v1",
    "https://llm.example/gateway/anthropic",
    "https://xn--bcher-kva.example",
    "https://10.1.2.3:8000",
    "https://[2001:db8::1]",
    "https://[::ffff:10.1.2.3]",
    "https://localhost.example",
    "https://127.0.0.1.example",
    "https://foo.localhost",
    "https://my_host.example",
)
"""Other machines by https: allowed when the user names them, and given the user's key."""

REFUSED = (
    "http://llm.example",
    "http://10.1.2.3:{port}",
    "http://192.168.0.1:{port}",
    "http://0.0.0.0:{port}",
    "http://[::]:{port}",
    "http://[::ffff:1.2.3.4]:{port}",
    "http://[::ffff:0:127.0.0.1]:{port}",
    "http://[::127.0.0.1]:{port}",
    "http://[64:ff9b::127.0.0.1]:{port}",
    "http://[fe80::1]:{port}",
    "http://[fe80::1%25lo]:{port}",
    "http://[::1%25lo]:{port}",
    "http://[::1%lo]:{port}",
    "http://127.999.0.1:{port}",
    "http://127.0.0.256:{port}",
    "http://127.1:{port}",
    "http://127.0.1:{port}",
    "http://127:{port}",
    "http://2130706433:{port}",
    "http://017700000001:{port}",
    "http://0177.0.0.1:{port}",
    "http://0x7f.0.0.1:{port}",
    "http://0x7f000001:{port}",
    "http://0x7f.1:{port}",
    "http://127.0.0.1.:{port}",
    "http://localhost.:{port}",
    "http://localhost.localdomain:{port}",
    "http://foo.localhost:{port}",
    "http://localhost.example:{port}",
    "http://127.0.0.1.example:{port}",
    "http://127.0.0.1@evil.example:{port}",
    "http://evil.example@127.0.0.1:{port}",
    "http://user:password@127.0.0.1:{port}",
    "http://@127.0.0.1:{port}",
    "http://:@127.0.0.1:{port}",
    "http://127.0.0.1:{port}@evil.example",
    "http://evil.example\\@127.0.0.1:{port}",
    "http://127.0.0.1:{port}\\@evil.example",
    "http:\\\\127.0.0.1:{port}",
    "http:/127.0.0.1:{port}",
    "http:127.0.0.1:{port}",
    "http:///127.0.0.1:{port}",
    "//127.0.0.1:{port}",
    "127.0.0.1:{port}",
    "localhost:{port}",
    "ftp://127.0.0.1:{port}",
    "file:///etc/passwd",
    "unix:///var/run/docker.sock",
    "javascript:alert(1)",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock",
    "http://127.0.0.1:{port}?to=evil.example",
    "http://127.0.0.1:{port}#evil.example",
    "http://127.0.0.1:{port}/?",
    "http://127.0.0.1:{port}/#",
    "http://127.0.0.1:{port}//evil.example",
    "http://127.0.0.1:{port}/../up",
    "http://127.0.0.1:{port}/%2e%2e/up",
    "http://127.0.0.1:0",
    "http://127.0.0.1:65536",
    "http://127.0.0.1:-1",
    "http://127.0.0.1:port",
    "http://127.0.0.1:",
    "http://127.0.0.1:0{port}",
    "http://127.0.0.1:{port}:80",
    "http://127.0.0.1 :{port}",
    "http://127.0.0.1\t:{port}",
    "http://127.0.0.1\n:{port}",
    "http://127.0.0.1:{port}\r\nx-api-key: taken",
    "ht\ntp://127.0.0.1:{port}",
    "http://127.0.0.1:{port}\x7f",
    "http://127.0.0.1:{port}\u2028",
    "http://\uff11\uff12\uff17.0.0.1:{port}",
    "http://127\u30020\u30020\u30021:{port}",
    "http://\u2460\u2461\u2466.0.0.1:{port}",
    "http://loc\u00e0lhost:{port}",
    "http://\uff4cocalhost:{port}",
    "http://local\u00adhost:{port}",
    "http://127.0.0.1\u200b:{port}",
    "https://b\u00fccher.example",
    "http://[127.0.0.1]:{port}",
    "http://[::1:{port}",
    "http://::1:{port}",
    "http://[::1]evil.example:{port}",
    "http://evil[::1]:{port}",
    "http://[::1]]:{port}",
    "http://[v1.x]:{port}",
    "http://-localhost:{port}",
    "http://a..b:{port}",
    "http://.localhost:{port}",
    "https://",
    "https://:443",
    "http://",
    "x",
    "https://llm.example/a b",
    "https://llm.example/<script>",
)
"""What no origin may name: not this machine over plain http, and whatever can be read in two ways."""


class _Arrived(BaseHTTPRequestHandler):
    """Keeps the keys that came with each request, and answers it."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.keys.append((self.headers.get("x-api-key"), self.headers.get("authorization")))  # type: ignore[attr-defined]
        body = json.dumps({"input_tokens": 1}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, host: str, port: int, keys: list[tuple[str | None, str | None]]) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.keys = keys
        super().__init__((host, port), _Arrived)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that speaks TLS to this server hangs up."""


@contextmanager
def listening() -> Iterator[tuple[int, list[tuple[str | None, str | None]]]]:
    """Servers on one port of 127.0.0.1 and, where there is IPv6, ::1: the port, and the keys that arrive there."""
    keys: list[tuple[str | None, str | None]] = []
    servers = [_Server("127.0.0.1", 0, keys)]
    port = int(servers[0].server_address[1])
    with suppress(OSError):
        servers.append(_Server("::1", port, keys))
    for server in servers:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield port, keys
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def from_project(url: str, folder: Path) -> str:
    """What a cloned folder's ``rag.yaml`` with this address comes to: "" when it is refused."""
    text = json.dumps({"answer": {"base_url": url, "provider": "anthropic"}})  # JSON is YAML, escapes and all
    for written in (text, json.dumps({"answer": {"base_url": url}})):
        (folder / "rag.yaml").write_text(written, encoding="utf-8")
        for environ in (KEY, {**KEY, "RAG_ANSWER__PROVIDER": "anthropic"}):
            try:
                found = load(environ=environ, cwd=folder)
            except RagError:
                continue
            return f"{url!r} in a project's file is taken as {found.answer.base_url!r}"
    return ""


def from_user(url: str) -> Endpoint | None:
    """The endpoint that the user's own environment gets with this address; None when it is refused."""
    try:
        config = load(environ={**KEY, "RAG_ANSWER__BASE_URL": url}, cwd=Path(tempfile.gettempdir()))
        return find_endpoint(config.answer.base_url, "RAG_ANSWER__BASE_URL", KEY, offline=False)
    except RagError:
        return None


def wrong(found: Endpoint) -> str:
    """What is wrong with an endpoint that was let through; "" when nothing is."""
    import httpx2

    parts, host = urlsplit(found.url), httpx2.URL(found.url).host
    numeric = host.replace(".", "").isdigit() or ":" in host
    local = ipaddress.ip_address(host).is_loopback if numeric else host == "localhost"
    if parts.scheme == "http" and not local:
        return f"{found.url} is plain http to another machine"
    if local != found.is_local:
        return f"{found.url} is {'' if local else 'not '}this machine, and is not taken so"
    if local and found.api_key != PLACEHOLDER:
        return f"{found.url} would get a key"
    return ""


def run(tries: int, seed: int) -> Outcome:
    """Every form of the tables, then random mixtures of their pieces until there are ``tries``."""
    chance = random.Random(seed)
    forms = [*LOCAL, *REMOTE, *REFUSED]
    allowed = {*LOCAL, *REMOTE}
    failures: list[str] = []
    with listening() as (port, keys), tempfile.TemporaryDirectory() as name:
        mixed = [_mixture(chance, forms) for _ in range(max(0, tries - len(forms)))]
        for number, form in enumerate([*forms, *mixed]):
            url = form.replace("{port}", str(port))
            failures += filter(None, [from_project(url, Path(name))])
            found = from_user(url)
            if number < len(forms) and (found is not None) != (form in allowed):
                failures.append(f"{url!r} from the user's environment is {'taken' if found else 'refused'}")
            if found is not None:
                failures += filter(None, [wrong(found)])
                _send(found)
        failures += [f"the server got {key}" for key in keys if SECRET in str(key)]
        if not keys:
            failures.append("nothing arrived at all, so nothing was proved")
    return Outcome("base_url", len(forms) + len(mixed), failures)


def _send(found: Endpoint) -> None:
    """Really send something, by plain http and to this machine."""
    if not found.url.startswith("http://") or wrong(found):
        return
    from ragcli.answer.model.anthropic import MessagesClient
    from ragcli.answer.model.connection import Connection

    client = MessagesClient(Connection(found, timeout_seconds=5, retries=0))
    with suppress(RagError):  # nobody listens at another port
        client.count_tokens({"model": "m", "messages": [{"role": "user", "content": "x"}]})


def _mixture(chance: random.Random, forms: list[str]) -> str:
    """Two forms cut anywhere and joined, perhaps with something slipped in."""
    first, second = chance.choice(forms), chance.choice(forms)
    mixed = first[: chance.randrange(len(first) + 1)] + second[chance.randrange(len(second) + 1) :]
    if chance.random() < 0.5:
        at = chance.randrange(len(mixed) + 1)
        slipped = chance.choice(
            ["@", "\\", "/", ":", "%00", "%2e", ".", " ", "\t", "\x00", "[", "]", "\u3002", "#", "?"]
        )
        mixed = mixed[:at] + slipped + mixed[at:]
    return mixed or "x"
