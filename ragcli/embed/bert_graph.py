"""A BERT encoder as an ONNX graph, written from its ``config.json`` by the ``onnx`` library.

The graph names its weights as the checkpoint does and holds none of them: it says where each lies in the safetensors
file, which onnxruntime maps, so nothing is copied. The packaged model's graph is made once and kept beside this module
(``python -m tests.make_packaged_graph``): importing ``onnx`` takes 240 ms of processor time, a third of a question's.
Architecture: Devlin et al. 2019, post-layer-norm, exact (erf) GELU, learned positions. All rows of a batch are one
matrix except inside attention.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragcli.embed.checkpoint import TensorPlace
from ragcli.errors import ModelError

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

Attribute = int | float | list[int]

_IR_VERSION, _OPSET = 8, 17
_FLOAT = 1  # TensorProto.FLOAT
_MASKED = -3.0e4  # added to the scores of padding: far below any real score, and exp() of it is exactly 0


@dataclass(frozen=True)
class BertShape:
    """The sizes of a BERT encoder."""

    layers: int
    hidden: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float


def read_shape(config: Mapping[str, Any], where: str) -> BertShape:
    """The sizes in a ``config.json``. Raises ModelError when it is not a BERT encoder this graph can express."""
    wanted = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
    for key, expected in wanted.items():
        if config.get(key, expected) != expected:
            raise ModelError(
                f"{where}: {key} is {config[key]!r}, the onnx backend reads {expected!r}",
                hint="set embed.backend: sentence-transformers",
            )
    try:
        return BertShape(
            layers=int(config["num_hidden_layers"]),
            hidden=int(config["hidden_size"]),
            heads=int(config["num_attention_heads"]),
            inner=int(config["intermediate_size"]),
            vocabulary=int(config["vocab_size"]),
            positions=int(config["max_position_embeddings"]),
            types=int(config.get("type_vocab_size", 2)),
            epsilon=float(config.get("layer_norm_eps", 1e-12)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{where}: not the configuration of a BERT encoder: {error!r}") from error


def weight_shapes(shape: BertShape) -> dict[str, tuple[int, ...]]:
    """Every weight the graph asks for, by its name in the checkpoint, with its dimensions."""
    hidden, inner = shape.hidden, shape.inner
    weights: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (shape.vocabulary, hidden),
        "embeddings.position_embeddings.weight": (shape.positions, hidden),
        "embeddings.token_type_embeddings.weight": (shape.types, hidden),
    }
    dense = {}
    norms = ["embeddings.LayerNorm"]
    for number in range(shape.layers):
        layer = f"encoder.layer.{number}"
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            dense[f"{layer}.{part}"] = (hidden, hidden)
        dense[f"{layer}.intermediate.dense"] = (inner, hidden)
        dense[f"{layer}.output.dense"] = (hidden, inner)
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name, size in dense.items():
        weights |= {f"{name}.weight": size, f"{name}.bias": size[:1]}
    for name in norms:
        weights |= {f"{name}.weight": (hidden,), f"{name}.bias": (hidden,)}
    return weights


def build(shape: BertShape, places: Mapping[str, TensorPlace], file: str) -> ModelProto:
    """The model: ``input_ids`` and ``attention_mask`` (int64, texts × tokens) to ``hidden`` (texts × tokens × hidden,
    float32). Its weights lie at ``places`` in ``file``, a name beside which the session must be told the folder.

    Raises ModelError when the ``onnx`` library is not installed.
    """
    try:
        from onnx import TensorProto, helper
    except ImportError as error:
        raise ModelError(
            "embed.backend: onnx with a model of your own needs the onnx library",
            hint="pip install 'ragcli[onnx]', or set embed.backend: sentence-transformers",
        ) from error
    graph = _GraphNodes(shape)
    rows = graph.embeddings()
    graph.attention_mask()
    for number in range(shape.layers):
        rows = graph.layer(f"encoder.layer.{number}", rows)
    graph.add("Reshape", [rows, "shape.tokens"], "hidden")
    tokens = ("texts", "tokens")
    weights = [_external(name, size, places[name], file) for name, size in weight_shapes(shape).items()]
    made = helper.make_graph(
        graph.nodes,
        "encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT64, tokens) for name in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("hidden", TensorProto.FLOAT, (*tokens, shape.hidden))],
        [*graph.constants, *weights],
    )
    opset = helper.make_opsetid("", _OPSET)
    return helper.make_model(made, producer_name="ragcli", ir_version=_IR_VERSION, opset_imports=[opset])


def _external(name: str, shape: tuple[int, ...], place: TensorPlace, file: str) -> TensorProto:
    """A float tensor whose values lie in another file."""
    from onnx import StringStringEntryProto, TensorProto

    entries = {"location": file, "offset": str(place.offset), "length": str(place.length)}
    return TensorProto(
        name=name,
        dims=shape,
        data_type=TensorProto.FLOAT,
        data_location=TensorProto.EXTERNAL,
        external_data=[StringStringEntryProto(key=key, value=value) for key, value in entries.items()],
    )


def _numbers(name: str, values: list[int]) -> TensorProto:
    from onnx import TensorProto, helper

    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


def _scalar(name: str, value: float) -> TensorProto:
    from onnx import TensorProto, helper

    return helper.make_tensor(name, TensorProto.FLOAT, [], [value])


class _GraphNodes:
    """Nodes in the order they are computed; every method returns the name of what it made."""

    def __init__(self, shape: BertShape) -> None:
        self.shape = shape
        self.nodes: list[NodeProto] = []
        size = shape.hidden // shape.heads
        self.constants = [
            _numbers("zero", [0]),
            _numbers("one", [1]),
            _numbers("two", [2]),
            _numbers("hidden.size", [shape.hidden]),
            _numbers("heads", [shape.heads, size]),
            _numbers("shape.rows", [-1, shape.hidden]),
            _numbers("axes.mask", [1, 2]),
            _scalar("half", 0.5),
            _scalar("unit", 1.0),
            _scalar("root.half", math.sqrt(0.5)),
            _scalar("scale", 1 / math.sqrt(size)),
            _scalar("masked", _MASKED),
        ]

    def add(self, operator: str, inputs: list[str], output: str, **attributes: Attribute) -> str:
        from onnx import helper

        made = helper.make_node(operator, inputs, [output], name=output)
        made.attribute.extend(helper.make_attribute(name, value) for name, value in sorted(attributes.items()))
        self.nodes.append(made)
        return output

    def embeddings(self) -> str:
        """Words, positions and token type 0, added and normalised, as rows."""
        self.add("Shape", ["input_ids"], "shape.ids")
        self.add("Concat", ["shape.ids", "hidden.size"], "shape.tokens", axis=0)
        self.add("Concat", ["shape.ids", "heads"], "shape.heads", axis=0)
        self.add("Slice", ["shape.ids", "one", "two"], "length")
        words = self.add("Gather", ["embeddings.word_embeddings.weight", "input_ids"], "words", axis=0)
        positions = self.add("Slice", ["embeddings.position_embeddings.weight", "zero", "length", "zero"], "positions")
        kind = self.add("Slice", ["embeddings.token_type_embeddings.weight", "zero", "one", "zero"], "type")
        placed = self.add("Add", [positions, kind], "positions.typed")
        summed = self.add("Add", [words, placed], "embedded")
        return self._norm("embeddings.LayerNorm", self.add("Reshape", [summed, "shape.rows"], "embedded.rows"))

    def attention_mask(self) -> None:
        """``mask.bias`` (texts × 1 × 1 × tokens): 0 for a token, far below any score for padding."""
        self.add("Cast", ["attention_mask"], "mask.float", to=_FLOAT)
        self.add("Sub", ["unit", "mask.float"], "mask.padding")
        self.add("Mul", ["mask.padding", "masked"], "mask.flat")
        self.add("Unsqueeze", ["mask.flat", "axes.mask"], "mask.bias")

    def layer(self, name: str, rows: str) -> str:
        """Self-attention and the feed-forward block, each added to its input and normalised."""
        attended = self._dense(f"{name}.attention.output.dense", self._attention(f"{name}.attention.self", rows))
        middle = self._norm(
            f"{name}.attention.output.LayerNorm", self.add("Add", [attended, rows], f"{name}.attention.residual")
        )
        inner = self._gelu(f"{name}.gelu", self._dense(f"{name}.intermediate.dense", middle))
        outer = self._dense(f"{name}.output.dense", inner)
        return self._norm(f"{name}.output.LayerNorm", self.add("Add", [outer, middle], f"{name}.residual"))

    def _attention(self, name: str, rows: str) -> str:
        query = self._heads(f"{name}.query", rows, [0, 2, 1, 3])
        key = self._heads(f"{name}.key", rows, [0, 2, 3, 1])
        values = self._heads(f"{name}.value", rows, [0, 2, 1, 3])
        scores = self.add("MatMul", [query, key], f"{name}.products")
        scaled = self.add("Mul", [scores, "scale"], f"{name}.scaled")
        masked = self.add("Add", [scaled, "mask.bias"], f"{name}.masked")
        weights = self.add("Softmax", [masked], f"{name}.weights", axis=-1)
        mixed = self.add("MatMul", [weights, values], f"{name}.mixed")
        turned = self.add("Transpose", [mixed], f"{name}.turned", perm=[0, 2, 1, 3])
        return self.add("Reshape", [turned, "shape.rows"], f"{name}.rows")

    def _heads(self, name: str, rows: str, order: list[int]) -> str:
        split = self.add("Reshape", [self._dense(name, rows), "shape.heads"], f"{name}.split")
        return self.add("Transpose", [split], f"{name}.heads", perm=order)

    def _dense(self, name: str, rows: str) -> str:
        return self.add("Gemm", [rows, f"{name}.weight", f"{name}.bias"], f"{name}.out", transB=1)

    def _norm(self, name: str, rows: str) -> str:
        inputs = [rows, f"{name}.weight", f"{name}.bias"]
        return self.add("LayerNormalization", inputs, f"{name}.out", axis=-1, epsilon=self.shape.epsilon)

    def _gelu(self, name: str, rows: str) -> str:
        scaled = self.add("Mul", [rows, "root.half"], f"{name}.scaled")
        error = self.add("Erf", [scaled], f"{name}.erf")
        raised = self.add("Add", [error, "unit"], f"{name}.raised")
        product = self.add("Mul", [rows, raised], f"{name}.product")
        return self.add("Mul", [product, "half"], f"{name}.out")
