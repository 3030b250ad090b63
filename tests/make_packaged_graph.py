"""Writes the graph of the packaged model anew: ``python -m tests.make_packaged_graph``."""

from __future__ import annotations

from ragcli.embed import bert_graph, packaged
from ragcli.embed.checkpoint import find_weights
from ragcli.embed.model_folder import read_model_folder


def make() -> bytes:
    """The graph over the weights as the package installs them."""
    folder = read_model_folder(packaged.packaged_folder())
    shape = bert_graph.read_shape(folder.config, str(folder.path))
    places = find_weights(folder.weights, bert_graph.weight_shapes(shape))
    return bert_graph.build(shape, places, folder.weights.name).SerializeToString(deterministic=True)


if __name__ == "__main__":
    packaged.GRAPH.write_bytes(make())
