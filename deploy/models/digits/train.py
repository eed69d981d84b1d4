"""Trains the `digits` model and writes model.onnx and model.json beside this file.

    python -m venv .venv && .venv/bin/pip install scikit-learn==1.9.1 onnx==1.23.2
    .venv/bin/python deploy/models/digits/train.py

The same versions on the same kind of machine give the same files: the split and the weights' start have fixed seeds.
"""

import json
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

SEED = 1837
HIDDEN = 128
HELD_OUT = 0.25
PIXEL_MAX = 16
REQUIRED_ACCURACY = 0.97
HERE = Path(__file__).parent


def main() -> None:
    data = load_digits()
    pixels = (data.data / PIXEL_MAX).astype(numpy.float32)
    train_x, test_x, train_y, test_y = train_test_split(
        pixels, data.target, test_size=HELD_OUT, stratify=data.target, random_state=SEED
    )
    network = MLPClassifier((HIDDEN,), alpha=1e-2, max_iter=400, random_state=SEED).fit(train_x, train_y)
    accuracy = float((network.predict(test_x) == test_y).mean())
    if accuracy < REQUIRED_ACCURACY:
        raise SystemExit(f"held-out accuracy {accuracy:.4f} is below {REQUIRED_ACCURACY}")

    onnx.save(to_onnx(network), HERE / "model.onnx")
    example = (test_x[0] * PIXEL_MAX).astype(int).tolist()
    manifest = to_manifest(accuracy, len(train_x), len(test_x), example)
    (HERE / "model.json").write_text(json.dumps(manifest, indent=2) + "\n")
    # The held-out part, digit first, for the test that measures the model through the runner.
    rows = [[label, *(row * PIXEL_MAX).astype(int)] for label, row in zip(test_y, test_x)]
    (HERE / "held-out.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    print(f"held-out accuracy {accuracy:.4f} on {len(test_x)}")


def to_onnx(network: MLPClassifier) -> onnx.ModelProto:
    """pixels [n, 64] -> probabilities [n, 10]: a hidden layer with ReLU, then softmax."""
    weights = {}
    for layer, (weight, bias) in enumerate(zip(network.coefs_, network.intercepts_)):
        weights[f"w{layer}"] = weight.astype(numpy.float32)
        weights[f"b{layer}"] = bias.astype(numpy.float32)
    nodes = [
        helper.make_node("Gemm", ["pixels", "w0", "b0"], ["hidden"]),
        helper.make_node("Relu", ["hidden"], ["active"]),
        helper.make_node("Gemm", ["active", "w1", "b1"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", 64])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["n", 10])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def to_manifest(accuracy: float, trained_on: int, held_out: int, example: list[int]) -> dict:
    return {
        "name": "Handwritten digits",
        "description": (
            "Tells which digit a picture of 8 by 8 pixels shows. Input: a JSON list of 64 numbers from 0 (white) to 16 "
            "(black), row by row. Output: `{digit, confidence, scores}`, with a score for each digit from 0 to 9. "
            f"Trained on {trained_on} of scikit-learn's 1,797 digits (UCI Optical Recognition of Handwritten Digits); "
            f"`accuracy` is over the {held_out} others, a stratified split drawn with seed {SEED} before training."
        ),
        "format": "onnx",
        "input_format": "json",
        "preprocess": {"name": "numbers", "count": 64, "min": 0, "max": PIXEL_MAX, "scale": 1 / PIXEL_MAX},
        "postprocess": {"name": "classify", "as": "digit"},
        "batchable": True,
        "max_batch": 128,
        "license": "CC-BY-4.0",
        "metrics": {"accuracy": round(accuracy, 4), "held_out": held_out, "trained_on": trained_on},
        "example_input": json.dumps(example, separators=(",", ":")),
    }


if __name__ == "__main__":
    main()
