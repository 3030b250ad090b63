"""The interfaces of what owns a model, an index or a connection; everything else is a function.

Each module is loaded when a name of it is asked for: a search needs none of the writer's.
"""

# ruff: noqa: I001 (it would write each of the names below as an import of its own)

from __future__ import annotations

from typing import TYPE_CHECKING

from ragcli.late_names import late_names

if TYPE_CHECKING:
    from ragcli.interfaces.engine import Engine as Engine
    from ragcli.interfaces.models import (
        Embedder as Embedder,
        Generator as Generator,
        Models as Models,
        Progress as Progress,
        Reranker as Reranker,
        StreamingGenerator as StreamingGenerator,
        TextModel as TextModel,
        Tokenizer as Tokenizer,
    )
    from ragcli.interfaces.parts import (
        EmbedderFactory as EmbedderFactory,
        GeneratorFactory as GeneratorFactory,
        RerankerFactory as RerankerFactory,
        StoreFactory as StoreFactory,
    )
    from ragcli.interfaces.staging import (
        Caches as Caches,
        ContextCache as ContextCache,
        DocumentCache as DocumentCache,
        Notes as Notes,
        Staging as Staging,
        VectorCache as VectorCache,
    )
    from ragcli.interfaces.store import (
        SessionLog as SessionLog,
        Store as Store,
        StoreWriter as StoreWriter,
        TraceLog as TraceLog,
        EmbedChunks as EmbedChunks,
        IsMeant as IsMeant,
    )

__getattr__ = late_names(
    __name__,
    {
        "engine": "Engine",
        "models": "Embedder Generator Models Progress Reranker StreamingGenerator TextModel Tokenizer",
        "parts": "EmbedderFactory GeneratorFactory RerankerFactory StoreFactory",
        "staging": "Caches ContextCache DocumentCache Notes Staging VectorCache",
        "store": "SessionLog Store StoreWriter TraceLog EmbedChunks IsMeant",
    },
)
