"""The interfaces of what owns a model, an index or a connection; everything else is a function."""

from ragcli.interfaces.engine import Engine
from ragcli.interfaces.models import (
    Embedder,
    Generator,
    Models,
    Progress,
    Reranker,
    StreamingGenerator,
    TextModel,
    Tokenizer,
)
from ragcli.interfaces.parts import EmbedderFactory, GeneratorFactory, RerankerFactory, StoreFactory
from ragcli.interfaces.staging import Caches, ContextCache, DocumentCache, Notes, Staging, VectorCache
from ragcli.interfaces.store import SessionLog, Store, StoreWriter, TraceLog, Vectors, Wanted

__all__ = [
    "Caches",
    "ContextCache",
    "DocumentCache",
    "Embedder",
    "EmbedderFactory",
    "Engine",
    "Generator",
    "GeneratorFactory",
    "Models",
    "Notes",
    "Progress",
    "Reranker",
    "RerankerFactory",
    "SessionLog",
    "Staging",
    "Store",
    "StoreFactory",
    "StoreWriter",
    "StreamingGenerator",
    "TextModel",
    "Tokenizer",
    "TraceLog",
    "VectorCache",
    "Vectors",
    "Wanted",
]
