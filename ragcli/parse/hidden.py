"""One rule for all formats: what a reader of a document does not see is not indexed, and the report names it.

With ``ingest.hidden_text: true`` it is read as if it were seen. Each parser says what in its format is hidden.
"""

from __future__ import annotations

from ragcli.config import IngestConfig
from ragcli.parse.conditions import setting

_MOST_NAMED = 20


class HiddenText:
    """What one document hides, as its parser meets it.

    A file that hides something hangs on the setting, so that only such files are read again when it changes.
    """

    def __init__(self, config: IngestConfig, conditions: set[str] | None = None) -> None:
        """``conditions`` are those of the file's context, None for a text that has no file of its own."""
        self.read = config.hidden_text
        self._conditions = conditions
        self._met: dict[str, int] = {}

    def reads(self, what: str, characters: int = 0) -> bool:
        """Whether to read something hidden; if not, it is remembered for the report.

        ``what`` names kind and place (``sheet 'Margins' (very hidden)``, ``text hidden by its style``); with
        ``characters`` those of equal name are counted together.
        """
        if self._conditions is not None:
            self._conditions.add(setting("hidden_text"))
        if not self.read:
            self._met[what] = self._met.get(what, 0) + characters
        return self.read

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line that names what was left out; none when nothing was."""
        if not self._met:
            return ()
        named = [f"{what}, {size} characters" if size else what for what, size in self._met.items()]
        more = f"; {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
        listed = "; ".join(named[:_MOST_NAMED])
        return (f"hidden, left out (ingest.hidden_text: true reads it): {listed}{more}",)
