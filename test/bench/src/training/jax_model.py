"""Runs an ONNX graph in JAX: its loss, the gradients of that, and steps of Adam, jitted, on one core.

Reads lines of JSON and answers each with one. {"open": {...}} takes a model in protobuf's JSON with its inputs,
and answers with the gradients; {"seconds": s} makes steps for so long and answers with how many a second, and the processor time of one.
"""

import base64
import json
import math
import os
import sys
import time

# Before JAX starts its threads.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

DTYPES = {1: np.float32, 7: np.int64, 9: np.bool_, "float32": np.float32, "int64": np.int64}


def array(dtype, shape, text):
    return np.frombuffer(base64.b64decode(text), DTYPES[dtype]).reshape([int(n) for n in shape])


def attributes(node):
    found = {}
    for each in node.get("attribute", []):
        kind = each["type"]
        if kind == "FLOAT":
            found[each["name"]] = each.get("f", 0.0)
        elif kind == "INT":
            found[each["name"]] = int(each.get("i", 0))
        elif kind == "INTS":
            found[each["name"]] = [int(n) for n in each.get("ints", [])]
        else:
            found[each["name"]] = base64.b64decode(each["s"]).decode()
    return found


def ints(values):
    return [int(n) for n in np.asarray(values).reshape(-1)]


def power(a, x, y):
    """At 0 JAX has a gradient only for exponents of an integer type."""
    is_whole = isinstance(y, np.ndarray) and (y == np.round(y)).all()
    return x ** (y.astype(np.int32) if is_whole else y)


def padding(a, lengths, kernel):
    """How much is added before and after each spatial axis."""
    rank = len(kernel)
    strides, dilations, pads = a.get("strides", [1] * rank), a.get("dilations", [1] * rank), a.get("pads", [0] * 2 * rank)
    found = []
    for at, (length, window, stride, dilation) in enumerate(zip(lengths, kernel, strides, dilations)):
        reach = (window - 1) * dilation + 1
        before, after = pads[at], pads[at + rank]
        if a.get("auto_pad", "NOTSET").startswith("SAME"):
            total = max(0, (-(-length // stride) - 1) * stride + reach - length)
            before = total // 2 if a["auto_pad"] == "SAME_UPPER" else total - total // 2
            after = total - before
        if a.get("ceil_mode"):
            after += -(length + before + after - reach) % stride
        found.append((before, after))
    return found


def conv(a, x, w, b=None):
    ones = [1] * (x.ndim - 2)
    y = lax.conv_general_dilated(
        x,
        w,
        a.get("strides", ones),
        padding(a, x.shape[2:], w.shape[2:]),
        rhs_dilation=a.get("dilations", ones),
        feature_group_count=a.get("group", 1),
    )
    return y if b is None else y + b.reshape([1, -1] + ones)


def windows(a, x, initial, combine):
    kernel = a["kernel_shape"]
    pads = [(0, 0), (0, 0)] + padding(a, x.shape[2:], kernel)
    return lax.reduce_window(x, initial, combine, [1, 1] + kernel, [1, 1] + a.get("strides", [1] * len(kernel)), pads)


def average(a, x):
    total = windows(a, x, 0.0, lax.add)
    if a.get("count_include_pad"):
        return total / np.prod(a["kernel_shape"])
    return total / windows(a, jnp.ones_like(x), 0.0, lax.add)


def normalized(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + epsilon)


def batch_normalization(a, x, scale, bias, *_):
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    column = [-1] + [1] * (x.ndim - 2)
    return normalized(x, axes, a.get("epsilon", 1e-5)) * scale.reshape(column) + bias.reshape(column)


def layer_normalization(a, x, scale, bias=0.0):
    axes = tuple(range(a.get("axis", -1) % x.ndim, x.ndim))
    return normalized(x, axes, a.get("epsilon", 1e-5)) * scale + bias


def lp_normalization(a, x):
    return x / jnp.linalg.norm(x, a.get("p", 2), a.get("axis", -1), keepdims=True)


def gemm(a, x, y, c=None):
    x = x.T if a.get("transA") else x
    y = y.T if a.get("transB") else y
    product = a.get("alpha", 1.0) * (x @ y)
    return product if c is None else product + a.get("beta", 1.0) * c


def slices(a, x, starts, ends, axes=None, steps=None):
    starts, ends = ints(starts), ints(ends)
    axes = range(len(starts)) if axes is None else ints(axes)
    steps = [1] * len(starts) if steps is None else ints(steps)
    chosen = [slice(None)] * x.ndim
    for axis, *bounds in zip(axes, starts, ends, steps):
        chosen[axis] = slice(*bounds)
    return x[tuple(chosen)]


def split(a, x, sizes=None):
    parts = a["outputs"] if sizes is None else ints(np.cumsum(sizes)[:-1])
    return jnp.split(x, parts, a.get("axis", 0))


def concat(a, *parts):
    """Shapes stay NumPy's, so that JAX knows them."""
    return (np if all(isinstance(each, np.ndarray) for each in parts) else jnp).concatenate(parts, a["axis"])


def reduced(function):
    def reduce(a, x, axes=None):
        axes = a.get("axes") if axes is None else ints(axes)
        return function(x, axis=tuple(axes) if axes else None, keepdims=bool(a.get("keepdims", 1)))

    return reduce


OPERATORS = {
    "Add": lambda a, x, y: x + y,
    "Sub": lambda a, x, y: x - y,
    "Mul": lambda a, x, y: x * y,
    "Div": lambda a, x, y: x / y,
    "Pow": power,
    "Neg": lambda a, x: -x,
    "Sqrt": lambda a, x: jnp.sqrt(x),
    "Exp": lambda a, x: jnp.exp(x),
    "Log": lambda a, x: jnp.log(x),
    "Erf": lambda a, x: jax.scipy.special.erf(x),
    "Where": lambda a, chosen, x, y: jnp.where(chosen, x, y),
    "Relu": lambda a, x: jax.nn.relu(x),
    "LeakyRelu": lambda a, x: jax.nn.leaky_relu(x, a.get("alpha", 0.01)),
    "Gelu": lambda a, x: jax.nn.gelu(x, approximate=a.get("approximate") == "tanh"),
    "Sigmoid": lambda a, x: jax.nn.sigmoid(x),
    "Tanh": lambda a, x: jnp.tanh(x),
    "Softmax": lambda a, x: jax.nn.softmax(x, a.get("axis", -1)),
    "LogSoftmax": lambda a, x: jax.nn.log_softmax(x, a.get("axis", -1)),
    "Greater": lambda a, x, y: x > y,
    "Cast": lambda a, x: x.astype(jnp.float32),
    "Gemm": gemm,
    "MatMul": lambda a, x, y: x @ y,
    "Conv": conv,
    "MaxPool": lambda a, x: windows(a, x, -jnp.inf, lax.max),
    "AveragePool": average,
    "GlobalAveragePool": lambda a, x: x.mean(tuple(range(2, x.ndim)), keepdims=True),
    "GlobalMaxPool": lambda a, x: x.max(tuple(range(2, x.ndim)), keepdims=True),
    "BatchNormalization": batch_normalization,
    "LayerNormalization": layer_normalization,
    "LpNormalization": lp_normalization,
    "ReduceSum": reduced(jnp.sum),
    "ReduceMean": reduced(jnp.mean),
    "ReduceMax": reduced(jnp.max),
    "Identity": lambda a, x: x,
    "Flatten": lambda a, x: x.reshape(math.prod(x.shape[: a.get("axis", 1)]), -1),
    "Reshape": lambda a, x, shape: x.reshape([x.shape[at] if n == 0 else n for at, n in enumerate(ints(shape))]),
    "Transpose": lambda a, x: x.transpose(a.get("perm")),
    "Squeeze": lambda a, x, axes=None: jnp.squeeze(x, None if axes is None else tuple(ints(axes))),
    "Unsqueeze": lambda a, x, axes: jnp.expand_dims(x, tuple(ints(axes))),
    "Expand": lambda a, x, shape: jnp.broadcast_to(x, np.broadcast_shapes(x.shape, ints(shape))),
    "Concat": concat,
    "Slice": slices,
    "Shape": lambda a, x: np.array(x.shape),
    "Gather": lambda a, x, indices: jnp.take(x, indices, axis=a.get("axis", 0)),
    "Split": split,
}


def loss_of(kind, output, target):
    if kind == "mean_squared":
        return ((output - target) ** 2).mean()
    if kind == "binary_cross_entropy":
        return (jax.nn.softplus(output) - output * target).mean()
    logarithms = jax.nn.log_softmax(output)
    return -jnp.take_along_axis(logarithms, target[..., None], -1).mean()


class Model:
    def __init__(self, graph, loss, trained, inputs, target, masks):
        self.nodes = [(each["opType"], each["input"], each["output"], attributes(each)) for each in graph["node"]]
        constants = {each["name"]: array(each["dataType"], each.get("dims", []), each["rawData"]) for each in graph["initializer"]}
        self.weights = {name: jnp.asarray(constants.pop(name)) for name in trained}
        self.constants = constants
        self.inputs = {name: jnp.asarray(array(**each)) for name, each in inputs.items()}
        self.target = jnp.asarray(array(**target))
        self.masks = [jnp.asarray(array(**each)) for each in masks]
        self.output = graph["output"][0]["name"]
        self.gradients = jax.jit(jax.grad(lambda weights, *given: self.loss(loss, weights, *given)))
        self.value = jax.value_and_grad(lambda weights, *given: self.loss(loss, weights, *given))
        self.step = jax.jit(self.adam, donate_argnums=0)
        zeros = {name: jnp.zeros_like(each) for name, each in self.weights.items()}
        copies = {name: each.copy() for name, each in self.weights.items()}
        self.state = (copies, zeros, {name: each.copy() for name, each in zeros.items()}, jnp.float32(0))

    def loss(self, kind, weights, inputs, target):
        values = {**self.constants, **weights, **inputs}
        masks = iter(self.masks)
        for operator, names, outputs, given in self.nodes:
            taken = [values[name] for name in names if name]
            if operator == "Dropout":
                result = taken[0] * next(masks)
            else:
                result = OPERATORS[operator]({**given, "outputs": len(outputs)}, *taken)
            values.update(zip(outputs, result if isinstance(result, list) else [result]))
        return loss_of(kind, values[self.output], target)

    def adam(self, state, inputs, target):
        weights, first, second, count = state
        count = count + 1
        loss, gradients = self.value(weights, inputs, target)
        tree = jax.tree_util.tree_map
        first = tree(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
        second = tree(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
        size, spread = 0.001 / (1 - 0.9**count), 1 / (1 - 0.999**count)
        weights = tree(lambda w, m, v: w - size * m / (jnp.sqrt(v * spread) + 1e-8), weights, first, second)
        return (weights, first, second, count), loss

    def rate(self, seconds):
        self.state, loss = self.step(self.state, self.inputs, self.target)
        loss.block_until_ready()
        count, began, before = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - began < seconds:
            for _ in range(20):
                self.state, loss = self.step(self.state, self.inputs, self.target)
            # As a loop that watches its loss does.
            loss.block_until_ready()
            count += 20
        cpu = time.process_time() - before
        return {"perSecond": count / (time.perf_counter() - began), "cpuUs": cpu * 1e6 / count}


def main():
    model = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "open" in asked:
            model = Model(**asked["open"])
            found = model.gradients(model.weights, model.inputs, model.target)
            answer = {name: np.asarray(each).reshape(-1).tolist() for name, each in found.items()}
        else:
            answer = model.rate(asked["seconds"])
        print(json.dumps(answer), flush=True)


print(jax.__version__, flush=True)
main()
