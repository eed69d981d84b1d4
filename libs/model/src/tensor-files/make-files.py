"""Writes and reads tensors as NumPy and safetensors do, for `reference.test.ts`: `make FOLDER`, `check FOLDER`."""

import io
import json
import struct
import sys
import zipfile

import numpy as np
import safetensors.numpy
from safetensors import safe_open

NUMBERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
TEXTS = np.array([["a", "", "Zürich"], ["日本語", "🙂 two", "x" * 40]])


def extremes(dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([[True, False, True], [False, False, True]])
    if kind == "f":
        info = np.finfo(dtype)
        return np.array([[0, -0.0, info.max], [np.nan, np.inf, -np.inf]], dtype)
    info = np.iinfo(dtype)
    return np.array([[info.min, info.max, 0], [1, 2, 3]], dtype)


def plain():
    arrays = {}
    for dtype in NUMBERS:
        arrays[dtype] = extremes(dtype)
        arrays[f"{dtype}/0-d"] = np.array(extremes(dtype)[0, 1])
        arrays[f"{dtype}/empty"] = np.zeros((0, 3), dtype)
    return arrays


def npy(array, version):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=version)
    return buffer.getvalue()


def make(folder):
    arrays = plain()
    safetensors.numpy.save_file(arrays, f"{folder}/plain.safetensors", metadata={"format": "np"})
    arrays |= {"text": TEXTS, "text/0-d": np.array("one"), "text/empty": np.zeros((2, 0), "U3")}
    np.savez(f"{folder}/stored.npz", **arrays)
    np.savez_compressed(f"{folder}/deflated.npz", **arrays)
    odd = {
        "big": extremes("int32").astype(">i4"),
        "big/float64": extremes("float64").astype(">f8"),
        "columns": np.asfortranarray(np.arange(24, dtype="int16").reshape(2, 3, 4)),
        "columns/text": np.asfortranarray(TEXTS),
        "big/text": TEXTS.astype(">U40"),
        "bytes": np.array([b"ab", b"", "Zürich".encode()]),
        "../../etc/passwd": np.array([1], "uint8"),
        "long": np.ones((1,) * 16, "float32"),
    }
    with zipfile.ZipFile(f"{folder}/odd.npz", "w") as file:
        for at, (name, array) in enumerate(odd.items()):
            version = [(1, 0), (2, 0), (3, 0)][at % 3]
            with file.open(f"{name}.npy", "w", force_zip64=True) as entry:
                entry.write(npy(array, version))
    np.savez(f"{folder}/none.npz")
    safetensors.numpy.save_file({}, f"{folder}/none.safetensors")
    with open(f"{folder}/arrays.json", "w") as file:
        json.dump({name: shown(array) for name, array in (arrays | odd).items()}, file)


def shown(array):
    if array.dtype.kind in "US":
        data = [text if isinstance(text, str) else text.decode() for text in array.flatten().tolist()]
        return {"dtype": "string", "shape": array.shape, "data": data}
    native = array.astype(array.dtype.newbyteorder("<"))
    name = native.dtype.name
    return {"dtype": name, "shape": array.shape, "hex": native.tobytes("C").hex()}


def check(folder):
    """Prints what NumPy and safetensors read in what `reference.test.ts` wrote."""
    with np.load(f"{folder}/out.npz", allow_pickle=False) as file:
        npz = {name: shown(file[name]) for name in file.files}
    with zipfile.ZipFile(f"{folder}/out.npz") as file:
        assert file.testzip() is None
    with safe_open(f"{folder}/out.safetensors", "np") as file:
        safe = {name: shown(file.get_tensor(name)) for name in file.keys()}
    with open(f"{folder}/out.safetensors", "rb") as file:
        assert struct.unpack("<Q", file.read(8))[0] % 8 == 0
    json.dump({"npz": npz, "safetensors": safe}, sys.stdout)


{"make": make, "check": check}[sys.argv[1]](sys.argv[2])
