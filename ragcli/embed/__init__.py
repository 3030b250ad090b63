"""Texts to unit vectors: one module a backend."""
