"""Settings: one frozen section per stage, loaded in layers, each value with its origin."""

from ragcli.config.loading import find_file, load
from ragcli.config.sections import (
    FILE_NAME,
    SECTIONS,
    AnswerConfig,
    ChunkConfig,
    Config,
    EmbedConfig,
    EvalConfig,
    IndexConfig,
    IngestConfig,
    PathRule,
    RerankConfig,
    RetrieveConfig,
    SearchMode,
    TablesConfig,
    TraceConfig,
)
from ragcli.config.text import example_yaml, parse_yaml

__all__ = [
    "FILE_NAME",
    "SECTIONS",
    "AnswerConfig",
    "ChunkConfig",
    "Config",
    "EmbedConfig",
    "EvalConfig",
    "IndexConfig",
    "IngestConfig",
    "PathRule",
    "RerankConfig",
    "RetrieveConfig",
    "SearchMode",
    "TablesConfig",
    "TraceConfig",
    "example_yaml",
    "find_file",
    "load",
    "parse_yaml",
]
