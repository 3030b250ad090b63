"""Regular expressions that are compiled when they are first used.

Compiling a hundred of them costs more than a question needs; most are for texts that this question does not meet.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Lazy:
    """Looks like a compiled pattern; ``source`` may be a function, for one that is made from a lexicon."""

    def __init__(self, source: str | Callable[[], str], flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """The method ``name``; asked only before the first use, which puts all methods in place."""
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self._source if isinstance(self._source, str) else self._source(), self._flags)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return self.__dict__[name]


def pattern(source: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """``re.compile(source, flags)``, done on the first use. A wrong expression raises ``re.error`` there.

    >>> pattern(r"a+").sub("b", "caat")
    'cbt'
    """
    return cast("re.Pattern[str]", _Lazy(source, flags))
