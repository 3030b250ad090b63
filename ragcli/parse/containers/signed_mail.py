"""The message inside a signature of S/MIME that holds it (``smime-type=signed-data``, RFC 8551 §3.5)."""

from __future__ import annotations

import email
from collections.abc import Iterator
from email.errors import MessageError
from email.message import Message

from ragcli.parse.containers.mail_headers import BOUNDED

# Of the Cryptographic Message Syntax, RFC 5652.
_SIGNED = bytes.fromhex("06092a864886f70d010702")
_DATA = bytes.fromhex("06092a864886f70d010701")
_OCTETS, _CONSTRUCTED, _CONTENT = 0x04, 0x20, 0xA0
_DEEPEST = 20


def signed_content(data: bytes) -> Message | None:
    """The message that a signature holds, None when there is none in it (it is encrypted, or damaged)."""
    if _SIGNED not in data[:64]:
        return None
    start = data.find(_DATA)
    if start < 0:
        return None
    try:
        tag, content, _ = _element(data, start + len(_DATA))
        if tag != _CONTENT:
            return None
        octets = b"".join(_octets(content, 0))
        return email.message_from_bytes(octets, policy=BOUNDED) if octets else None
    except (IndexError, ValueError, MessageError):
        return None


def _element(data: bytes, at: int) -> tuple[int, bytes, int]:
    """Tag, content and end of the element of BER that begins at a place. Raises IndexError past the end."""
    tag, length, at = data[at], data[at + 1], at + 2
    if length == 0x80:  # without a length: up to two zero bytes on this level
        start = at
        while data[at : at + 2] != b"\0\0":
            _, _, at = _element(data, at)
        return tag, data[start:at], at + 2
    if length > 0x80:
        size = length & 0x7F
        length, at = int.from_bytes(data[at : at + size]), at + size
    if at + length > len(data):
        raise IndexError("an element longer than its data")
    return tag, data[at : at + length], at + length


def _octets(data: bytes, depth: int) -> Iterator[bytes]:
    """The bytes of the strings in an element, which may be cut into pieces."""
    at = 0
    while at < len(data):
        tag, content, at = _element(data, at)
        if tag == _OCTETS:
            yield content
        elif tag == _OCTETS | _CONSTRUCTED and depth < _DEEPEST:
            yield from _octets(content, depth + 1)
