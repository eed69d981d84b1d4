"""
The node tests of the ONNX standard, for a server under test. Usage: cases.py <part> <parts> <cases in a model>

Has ONNX Runtime's Python package run every case of one part. Prints a line of JSON for each that does not pass, with
the reason, and one for each model: its bytes and inputs as a custom task takes them, and the cases in it. Then reads
what the server returned from standard input, a line of JSON for a model, and prints how each of its cases compares.
Both are compared by the standard's own function.
"""

import base64
import json
import sys
import warnings

import numpy as np
import onnx
import onnx.compose
import onnxruntime
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner, _normalize_tensor

# The types of values that share a model with others: the rest is sent alone, so that a refusal is of one case.
SHARED = {"float", "double", "float16", "bool", "string"} | {f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)}

# The types of tensors that a task's JSON has.
DTYPES = ("float16", "float32", "float64", "bool") + tuple(
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
)


def main(part, parts, most):
    warnings.simplefilter("ignore")
    onnxruntime.set_default_logger_severity(4)
    cases = sorted(load_model_tests(kind="node"), key=lambda case: case.name)[part % parts :: parts]
    passed = []
    for case in cases:
        fault = runtime_faults(case.model, [case], [""])[0]
        if fault is None:
            passed.append(case)
        else:
            say({"name": case.name, "fault": fault})
    models = []
    for members in packed(passed, most):
        model, prefixes = merged(members)
        if any(runtime_faults(model, members, prefixes)):
            models += [(each.model, [each], [""]) for each in members]
        else:
            models.append((model, members, prefixes))
    for index, (model, members, prefixes) in enumerate(models):
        say({"index": index, **described(model, members, prefixes, as_base64=index % 2 == 1)})
    say({"total": len(cases)})
    for line in sys.stdin:
        returned = json.loads(line)
        _, members, prefixes = models[returned["index"]]
        say({"faults": compared(members, prefixes, returned["output"])})


def say(message):
    print(json.dumps(message), flush=True)


def packed(cases, most):
    """Cases that can be in one model: of the same version of each operator set, and of the same version of the file."""
    shelves = {}
    for case in cases:
        imports = sorted((each.domain, each.version) for each in case.model.opset_import)
        alone = case.name if set(types_of(case)) - SHARED or case.model.functions else ""
        shelves.setdefault((case.model.ir_version, str(imports), alone), []).append(case)
    for shelf in shelves.values():
        for start in range(0, len(shelf), most):
            yield shelf[start : start + most]


def merged(members):
    """One model of the graphs of several, side by side, and what each one's names begin with."""
    if len(members) == 1:
        return members[0].model, [""]
    model = onnx.ModelProto()
    model.CopyFrom(members[0].model)
    model.ClearField("graph")
    model.graph.name = "cases"
    prefixes = [f"{index}/" for index in range(len(members))]
    for member, prefix in zip(members, prefixes):
        graph = onnx.compose.add_prefix(member.model, prefix).graph
        for field in ("node", "input", "output", "initializer", "sparse_initializer", "value_info"):
            getattr(model.graph, field).extend(getattr(graph, field))
    return model, prefixes


def described(model, members, prefixes, as_base64):
    written, unwritable = {}, None
    for name, given in feeds_of(members, prefixes).items():
        try:
            written[name] = write_tensor(given, as_base64)
        except Unwritable as error:
            unwritable = f"input {name}: {error}"
    return {
        "runtime": onnxruntime.__version__,
        "names": [member.name for member in members],
        "model": base64.b64encode(model.SerializeToString()).decode(),
        "inputs": written,
        "unwritable": unwritable,
        "outputs": [value.name for value in model.graph.output],
        "types": sorted({name for member in members for name in types_of(member)}),
    }


def feeds_of(members, prefixes):
    feeds = {}
    for member, prefix in zip(members, prefixes):
        ((inputs, _),) = member.data_sets
        feeds |= {prefix + value.name: feed(given) for value, given in zip(member.model.graph.input, inputs)}
    return feeds


def runtime_faults(model, members, prefixes):
    """Why ONNX Runtime does not pass each of the cases; None where it does."""
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        names = [value.name for value in model.graph.output]
        results = dict(zip(names, session.run(names, feeds_of(members, prefixes))))
    except Exception as error:  # Each kind of failure of ONNX Runtime is an exception of its own.
        return [f"{type(error).__name__}: {error}"] * len(members)
    return [difference(member, prefix, results) for member, prefix in zip(members, prefixes)]


def compared(members, prefixes, output):
    """How what the server returned differs from what is expected, by the case's name; None where it does not."""
    results = {name: read_tensor(tensor) for name, tensor in output.items()}
    return {member.name: difference(member, prefix, results) for member, prefix in zip(members, prefixes)}


def difference(member, prefix, results):
    ((_, expected),) = member.data_sets
    try:
        outputs = [results[prefix + value.name] for value in member.model.graph.output]
        Runner.assert_similar_outputs(
            [_normalize_tensor(each) for each in expected], outputs, rtol=member.rtol, atol=member.atol
        )
        return None
    except (AssertionError, TypeError, KeyError) as error:
        return f"{type(error).__name__}: {error}"


def feed(given):
    array = _normalize_tensor(given)
    return np.asarray(array) if isinstance(array, np.generic) else array


class Unwritable(Exception):
    """A value that a task's JSON has no form for."""


def write_tensor(array, as_base64):
    if not isinstance(array, np.ndarray):
        raise Unwritable(f"no tensor but {type(array).__name__}")
    shape = list(array.shape)
    if array.dtype.kind in "OUST":
        return {"dtype": "string", "shape": shape, "data": [text(each) for each in array.reshape(-1)]}
    if array.dtype.name not in DTYPES:
        raise Unwritable(f"elements of {array.dtype.name}")
    if as_base64:
        data = base64.b64encode(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()).decode()
    else:
        data = [element(each) for each in array.reshape(-1).tolist()]
    return {"dtype": array.dtype.name, "shape": shape, "data": data}


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def element(value):
    if isinstance(value, float) and not np.isfinite(value):
        return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and abs(value) >= 2**53:
        return str(value)
    return value


def read_tensor(tensor):
    dtype, shape, data = tensor["dtype"], tensor["shape"], tensor["data"]
    if dtype == "string":
        return np.array(data, dtype=object).reshape(shape)
    if isinstance(data, str):
        return np.frombuffer(base64.b64decode(data), dtype=np.dtype(dtype).newbyteorder("<")).reshape(shape)
    if dtype.startswith("float"):
        data = [float(each) for each in data]
    elif dtype != "bool":
        data = [int(each) for each in data]
    return np.array(data, dtype=dtype).reshape(shape)


def types_of(case):
    return {type_name(value.type) for value in (*case.model.graph.input, *case.model.graph.output)}


def type_name(value_type):
    """Of a tensor its element type; of anything else what it is."""
    kind = value_type.WhichOneof("value")
    if kind != "tensor_type":
        return kind.removesuffix("_type")
    return onnx.TensorProto.DataType.Name(value_type.tensor_type.elem_type).lower()


main(*(int(word) for word in sys.argv[1:]))
