"""File names as they are shown, stored and used in ids: printable, valid text, and no two of a folder alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ragcli.names import readable

# What ``readable`` writes for a control character or a byte that is no UTF-8, and the sign of such an escape itself. A
# name that holds one by itself has its sign escaped; ``100%`` and ``my%20file`` stay as they are.
_LIKE_AN_ESCAPE = re.compile(r"%(?=[01][0-9A-F]|25|7F|[89A-F][0-9A-F])")


def shown_names(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of the name as shown (NFC unless that would make two names equal) and as on disk, sorted."""
    shown = {name: shown_name(name) for name in names}
    composed = {name: unicodedata.normalize("NFC", text) for name, text in shown.items()}
    counts: dict[str, int] = {}
    for text in composed.values():
        counts[text] = counts.get(text, 0) + 1
    return sorted((text if counts[text] == 1 else shown[name], name) for name, text in composed.items())


def shown_name(name: str) -> str:
    """A name as it is shown alone; different names stay different."""
    return readable(_LIKE_AN_ESCAPE.sub("%25", name) if "%" in name else name)
