"""Makes the folder of the model from the PyPI package `rapidocr`: `python3 make-model.py <wheel> <folder>`."""

import hashlib
import pathlib
import shutil
import sys
import zipfile

# What each file is called in the package, and the digest of the one that was measured.
FILES = {
    "detection.onnx": (
        "rapidocr/models/PP-OCRv6_det_small.onnx",
        "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    ),
    "recognition.onnx": (
        "rapidocr/models/PP-OCRv6_rec_small.onnx",
        "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
    ),
    "direction.onnx": (
        "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
        "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
    ),
}
# The alphabet is metadata of the recognition model: a field of a protobuf, its key and the mark of its value.
ALPHABET = b"\n\tcharacter\x12"


def alphabet_of(model: bytes) -> bytes:
    at = model.rindex(ALPHABET) + len(ALPHABET)
    length = shift = 0
    while True:
        byte = model[at]
        length |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return model[at : at + length]


wheel, target = sys.argv[1], pathlib.Path(sys.argv[2])
if target.exists():
    shutil.rmtree(target)
made = target.with_name(f".{target.name}.part")
shutil.rmtree(made, ignore_errors=True)
made.mkdir(parents=True)
with zipfile.ZipFile(wheel) as inside:
    for name, (path, digest) in FILES.items():
        content = inside.read(path)
        if hashlib.sha256(content).hexdigest() != digest:
            sys.exit(f"{path} in the package is another than the one that was measured")
        (made / name).write_bytes(content)
(made / "dictionary.txt").write_bytes(alphabet_of((made / "recognition.onnx").read_bytes()))
shutil.copy(pathlib.Path(__file__).with_name("model.json"), made)
made.rename(target)
