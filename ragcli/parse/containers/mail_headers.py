"""Headers of mail in time and memory that grow with their length alone.

The standard library's parser of structured headers needs time with the square of a header's length and memory by the
thousandfold. So it gets short ones; a long one that is read as text is decoded word by word, and nothing of it is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.errors import HeaderParseError
from email.header import decode_header
from email.policy import EmailPolicy
from typing import Any

LONGEST = 4096
"""Characters of a header that are parsed for their structure."""

_WORD = re.compile(r"=\?[^?\s]{1,80}\?[bBqQ]\?[^?]{0,1000}\?=")
_BETWEEN_WORDS = re.compile(r"(?<=\?=)\s{1,80}(?==\?)")


class _BoundedPolicy(EmailPolicy):
    """The standard policy, for which a long header is text."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Name and value as they stand in the message; of what describes a part no more than any program writes."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[:LONGEST] if name.lower().startswith("content-") else value

    def header_fetch_parse(self, name: str, value: str) -> Any:
        """The header's value, a ``str`` with or without parsed parts."""
        return super().header_fetch_parse(name, value) if len(value) <= LONGEST else decoded(value)


BOUNDED = _BoundedPolicy()


def decoded(value: str) -> str:
    """An unfolded header with its encoded words (RFC 2047) in plain letters."""
    joined = _BETWEEN_WORDS.sub("", re.sub(r"[\r\n]+", "", value))
    return _WORD.sub(lambda word: _plain(word.group()), joined)


def _parts(word: str) -> Sequence[tuple[Any, str | None]]:
    """The bytes of one encoded word and their encoding; nothing for one that is broken."""
    try:
        return decode_header(word)
    except (HeaderParseError, ValueError):
        return ()


def _plain(word: str) -> str:
    try:
        return "".join(part.decode(charset or "ascii", "replace") for part, charset in _parts(word)) or word
    except (LookupError, AttributeError):
        return word
