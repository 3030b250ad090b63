"""A server's address read strictly, so that what is decided about it holds for where the bytes then go. Pure.

Two parsers that disagree about a host are how a check is passed and another machine is reached. So an address that can
be read in two ways is refused, and the one that is used is built anew from the parts that were checked.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from ragcli.errors import ConfigError

_PLAIN = re.compile(r"[!-~]+")
"""Printable ASCII without a blank: other letters may be folded into other hosts on the way (``１２７.0.0.1``)."""
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\Z")
_NUMBER = re.compile(r"[0-9]+\Z|0x[0-9a-f]*\Z")
_PATH = re.compile(r"(?:/[A-Za-z0-9._~!$&'()*+,;=:-]+)*/?\Z")
_FORM = "expected https://host[:port][/path], or http:// for a server on this machine"


@dataclass(frozen=True, slots=True)
class Address:
    """``url`` without a slash at its end; ``host`` with its port, as it is shown; ``is_local`` for this machine."""

    url: str
    host: str
    is_local: bool


def read_address(text: str, where: str) -> Address:
    """The address in ``text``, which stands in ``where``. Raises ConfigError saying what is wrong with it.

    Plain http is for this machine alone: ``localhost``, 127.0.0.0/8 and ::1.
    """
    try:
        parts = urlsplit(text)
        name, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _wrong(text, where, str(error)) from error
    if not _PLAIN.fullmatch(text) or "\\" in text or "%" in text:
        raise _wrong(text, where, "only plain ASCII without blanks, % and \\ (a name in other letters as xn--…)")
    if parts.scheme not in ("http", "https"):
        raise _wrong(text, where, "it is neither http nor https")
    if "@" in parts.netloc:
        raise _wrong(text, where, "a key does not belong into an address: it comes from the environment")
    if "?" in text or "#" in text or not _PATH.match(parts.path) or ".." in parts.path:
        raise _wrong(text, where, "after the host a plain path may follow, no more")
    bracketed = parts.netloc.startswith("[")
    written = f"[{name}]" if bracketed else name
    if port == 0 or parts.netloc.casefold() != (written if port is None else f"{written}:{port}"):
        raise _wrong(text, where, "its host or its port is not in the usual form")
    host, is_local = _number(name, bracketed) or _name(name)
    if not host:
        raise _wrong(text, where, "its host is neither a name nor an IP address in its usual form")
    if parts.scheme == "http" and not is_local:
        raise ConfigError(
            f"{where} is {text!r}: plain http would show passages and key to everyone on the way",
            hint=f"https://{host}; or a tunnel, ssh -L 8000:localhost:8000 {host.strip('[]')}, and http://localhost:8000",
            category="plain_http",
        )
    shown = host if port is None else f"{host}:{port}"
    return Address(f"{parts.scheme}://{shown}{parts.path.rstrip('/')}", shown, is_local)


def _number(name: str, bracketed: bool) -> tuple[str, bool] | None:
    """An IP address in its usual form, and whether it is this machine; None for what is none.

    An IPv4 address inside IPv6 is judged, and used, as the IPv4 address that it leads to.
    """
    try:
        found = ipaddress.IPv6Address(name) if bracketed else ipaddress.IPv4Address(name)
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is None:
            return f"[{found}]", found.is_loopback
        found = found.ipv4_mapped
    return str(found), found.is_loopback


def _name(name: str) -> tuple[str, bool]:
    """A host name; nothing for one that some read as a number (``2130706433``, ``127.1``, ``0x7f.1``)."""
    if not _NAME.match(name) or _NUMBER.match(name.rpartition(".")[2]):
        return "", False
    return name, name == "localhost"


def _wrong(text: str, where: str, why: str) -> ConfigError:
    shown = re.sub(r"//[^/@]*@", "//***@", text)  # what stands there may be a password
    return ConfigError(f"{where} is {shown!r}, {_FORM}: {why}")
