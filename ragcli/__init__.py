"""Answers questions from your own documents, with citations that code has checked."""

__version__ = "0.1.0"
