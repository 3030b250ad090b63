"""Answers questions from your own documents, with citations that code has checked.

``Index`` is the front door for guests of the library; it is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragcli.application.index import Index as Index

__version__ = "0.1.0"
__all__ = ["Index", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Index":
        from ragcli.application.index import Index

        return Index
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
