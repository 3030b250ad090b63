"""Words at the start of a text that point back to what stood before it."""

from __future__ import annotations

import re

_WORDS = re.compile(
    r"(?:it|its|they|their|them|he|she|his|her|these|those|this|that|such|both|the (?:latter|former|above)|as above|"
    r"however|therefore|otherwise|also|in addition|furthermore|moreover|"
    r"er|sie|es|dies|diese[rsnm]?|dabei|dadurch|dazu|deshalb|außerdem|jedoch|"
    r"il|elle|ils|elles|cela|ceci|celui-ci|cependant|"
    r"ello|esto|éste|esta|estos|estas|sin embargo|además)\b"
    r"|(?:これ|それ|その|この|また、|しかし|它|他们|這|这|其|此外|但是|因此)",
    re.IGNORECASE,
)
_OPENERS = re.compile(r"[\s\"'“‘«(\[*_>#-]*")


def points_back(text: str, start: int = 0) -> bool:
    """Whether the text from ``start`` begins with such a word (English, German, French, Spanish, Japanese, Chinese)."""
    match = _OPENERS.match(text, start)
    return _WORDS.match(text, match.end() if match else start) is not None
