"""Answers questions from your own documents, with citations that code has checked.

``Index`` is the front door for guests of the library; it is loaded when it is first asked for. This module imports
nothing: ``python -m ragcli`` runs it while the working folder may still stand before the library's own modules.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ragcli.application.index import Index

__version__ = "0.1.0"
__all__ = ["Index", "__version__"]


def __getattr__(name: str) -> object:
    if name == "Index":
        from ragcli.application.index import Index

        return Index
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
