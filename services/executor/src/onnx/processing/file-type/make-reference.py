"""Writes reference.json: files of many types, and what the Python package says of each: all in its own mode, the label alone in the others.

Needs the PyPI package of the version that deploy/models/magika/fetch.py names. The file is committed:

    python make-reference.py
"""

import base64
import bz2
import gzip
import hashlib
import io
import json
import lzma
import pickle
import random
import sqlite3
import struct
import tarfile
import wave
import zipfile
import zlib
from pathlib import Path

from magika import Magika, PredictionMode

HERE = Path(__file__).parent
ROOT = HERE.parents[5]

# Files of the tree that do not change.
IN_TREE = [
    "LICENSE",
    "deploy/models/digits/model.onnx",
    "deploy/models/magika/LICENSE",
    "test/fixtures/photograph.jpg",
    "test/fixtures/receipt.png",
    "test/fixtures/sign-noisy.jpg",
    "test/fixtures/speech.wav",
]

TEXTS = {
    "python": "import os\nfrom pathlib import Path\n\n\ndef sizes(folder: str) -> dict[str, int]:\n    return {p.name: p.stat().st_size for p in Path(folder).iterdir() if p.is_file()}\n\n\nif __name__ == '__main__':\n    print(sizes(os.getcwd()))\n",
    "javascript": "'use strict'\nconst fs = require('fs')\n\nmodule.exports = function sizes(folder) {\n  return fs.readdirSync(folder).map(name => [name, fs.statSync(`${folder}/${name}`).size])\n}\n",
    "typescript": "import { readdir } from 'node:fs/promises'\n\nexport interface Entry {\n  readonly name: string\n  readonly isFile: boolean\n}\n\nexport async function list(folder: string): Promise<readonly Entry[]> {\n  const entries = await readdir(folder, { withFileTypes: true })\n  return entries.map(entry => ({ name: entry.name, isFile: entry.isFile() }))\n}\n",
    "go": "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tentries, err := os.ReadDir(\".\")\n\tif err != nil {\n\t\tfmt.Fprintln(os.Stderr, err)\n\t\tos.Exit(1)\n\t}\n\tfor _, entry := range entries {\n\t\tfmt.Println(entry.Name())\n\t}\n}\n",
    "rust": "use std::collections::HashMap;\n\n#[derive(Debug, Clone)]\npub struct Counter {\n    counts: HashMap<String, usize>,\n}\n\nimpl Counter {\n    pub fn add(&mut self, word: &str) {\n        *self.counts.entry(word.to_owned()).or_insert(0) += 1;\n    }\n}\n",
    "java": "package org.example;\n\nimport java.util.List;\n\npublic final class Names {\n    private Names() {}\n\n    public static String joined(List<String> names) {\n        return String.join(\", \", names);\n    }\n}\n",
    "c": "#include <stdio.h>\n#include <stdlib.h>\n\nint main(int argc, char **argv) {\n    for (int i = 1; i < argc; i++) {\n        printf(\"%s\\n\", argv[i]);\n    }\n    return EXIT_SUCCESS;\n}\n",
    "c++": "#include <iostream>\n#include <vector>\n\ntemplate <typename T>\nclass Stack {\npublic:\n    void push(const T &value) { values_.push_back(value); }\n    T pop() { T top = std::move(values_.back()); values_.pop_back(); return top; }\n\nprivate:\n    std::vector<T> values_;\n};\n",
    "shell": "#!/usr/bin/env bash\nset -euo pipefail\nfor file in \"$@\"; do\n  if [ -f \"$file\" ]; then\n    wc -l \"$file\"\n  fi\ndone\n",
    "ruby": "require 'json'\n\nclass Report\n  attr_reader :rows\n\n  def initialize(rows)\n    @rows = rows\n  end\n\n  def to_json(*args)\n    rows.map { |row| row.to_h }.to_json(*args)\n  end\nend\n",
    "php": "<?php\n\nnamespace App;\n\nfinal class Greeter\n{\n    public function greet(string $name): string\n    {\n        return sprintf('Hello, %s!', $name);\n    }\n}\n",
    "lua": "local M = {}\n\nfunction M.map(list, f)\n  local result = {}\n  for i, value in ipairs(list) do\n    result[i] = f(value)\n  end\n  return result\nend\n\nreturn M\n",
    "html": "<!doctype html>\n<html lang=\"en\">\n  <head>\n    <meta charset=\"utf-8\">\n    <title>Opening hours</title>\n  </head>\n  <body>\n    <h1>Opening hours</h1>\n    <p>Monday to Friday, 9 to 17.</p>\n  </body>\n</html>\n",
    "css": ":root {\n  --accent: #06c;\n}\n\nbody {\n  font: 1rem/1.5 system-ui, sans-serif;\n  margin: 0 auto;\n  max-width: 40rem;\n}\n\na:hover {\n  color: var(--accent);\n}\n",
    "svg": "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 10 10\">\n  <circle cx=\"5\" cy=\"5\" r=\"4\" fill=\"none\" stroke=\"#000\"/>\n  <path d=\"M2 5h6\"/>\n</svg>\n",
    "xml": "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<orders>\n  <order id=\"1\"><item>Lamp</item><quantity>2</quantity></order>\n  <order id=\"2\"><item>Desk</item><quantity>1</quantity></order>\n</orders>\n",
    "json": json.dumps({"name": "lamp", "tags": ["light", "desk"], "price": {"amount": "39.00", "currency": "EUR"}}, indent=2),
    "json lines": "".join(json.dumps({"id": n, "text": f"line {n}", "ok": n % 2 == 0}) + "\n" for n in range(12)),
    "yaml": "services:\n  web:\n    image: nginx:1.27\n    ports:\n      - '8080:80'\n    environment:\n      LOG_LEVEL: info\nvolumes:\n  data: {}\n",
    "toml": "[package]\nname = \"counter\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n",
    "ini": "[server]\nhost = 127.0.0.1\nport = 8080\n\n[log]\nlevel = info\nfile = /var/log/server.log\n",
    "csv": "date,item,quantity,price\n" + "".join(f"2026-11-{day:02},Lamp,{day % 4 + 1},39.00\n" for day in range(1, 20)),
    "tab-separated": "date\titem\tquantity\n" + "".join(f"2026-11-{day:02}\tLamp\t{day % 4 + 1}\n" for day in range(1, 20)),
    "markdown": "# Returns\n\nYou can return an item within **30 days**.\n\n- Print the [label](https://example.com/label).\n- Pack the item.\n\n```sh\ncurl https://example.com/returns\n```\n",
    "sql": "CREATE TABLE orders (\n  id INTEGER PRIMARY KEY,\n  item TEXT NOT NULL,\n  quantity INTEGER DEFAULT 1\n);\nINSERT INTO orders (item, quantity) VALUES ('Lamp', 2), ('Desk', 1);\nSELECT item, SUM(quantity) FROM orders GROUP BY item ORDER BY 2 DESC;\n",
    "dockerfile": "FROM node:24-bookworm-slim\nWORKDIR /app\nCOPY . .\nRUN npm ci --omit=dev\nUSER node\nENTRYPOINT [\"node\", \"server.js\"]\n",
    "makefile": "CC ?= cc\nOBJECTS = main.o list.o\n\nall: list\n\nlist: $(OBJECTS)\n\t$(CC) -o $@ $^\n\n.PHONY: clean\nclean:\n\trm -f $(OBJECTS) list\n",
    "diff": "diff --git a/list.c b/list.c\nindex 3b18e51..a1c2f0d 100644\n--- a/list.c\n+++ b/list.c\n@@ -1,4 +1,4 @@\n int main(void) {\n-    return 1;\n+    return 0;\n }\n",
    "latex": "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n\\section{Means}\nThe mean is $\\bar{x} = \\frac{1}{n}\\sum_{i=1}^{n} x_i$.\n\\end{document}\n",
    "calendar": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Example//EN\r\nBEGIN:VEVENT\r\nUID:1@example.com\r\nDTSTAMP:20261121T073000Z\r\nDTSTART:20261122T090000Z\r\nSUMMARY:Stand-up\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    "subtitles": "1\n00:00:01,000 --> 00:00:03,500\nGood morning.\n\n2\n00:00:04,000 --> 00:00:06,000\nHow are you?\n",
    "prose": "The lamp arrived on Tuesday. It was packed well, and it works. I would buy it again, but the cable could be longer. My sister has the same one in green, and she likes hers too.\n",
    "prose in Japanese": "ランプは火曜日に届きました。梱包も丁寧で、問題なく使えています。ケーブルがもう少し長ければよかったです。\n" * 3,
    "a script with Windows lines": "@echo off\r\nsetlocal enabledelayedexpansion\r\nfor %%f in (*.txt) do (\r\n  echo %%f\r\n)\r\nendlocal\r\n",
    "python after white space": " \n\t\r\n\x0b\x0c" * 300 + "import sys\n\n\ndef main() -> None:\n    print(sys.argv)\n" + " \n" * 900,
}

# White space, and what is hardly there.
SHORT = {
    "nothing": b"",
    "one byte": b"a",
    "seven letters": "läng…".encode()[:7],
    "seven bytes": b"\xff\x00\x01\x02\x03\x04\x05",
    "eight letters": b"print(1)",
    "white space": b" \n" * 3000,
    "seven letters in white space": b"\n" * 2000 + b"letters" + b" " * 5000,
    "letters behind a block of white space": b"\t" * 4096 + b"import os\nprint(os.getcwd())\n" * 20,
    "a letter cut by the block": b" " * 4095 + "é".encode() + b" " * 10,
    "a block": (b"id,name\n1,lamp\n" * 300)[:4096],
    "a block and one": (b"id,name\n1,lamp\n" * 300)[:4097],
}


def packed() -> dict:
    """Binary files, made with the standard library."""
    rng = random.Random(1837)
    text = "".join(TEXTS.values()).encode()
    made = {"gzip": gzip.compress(text, mtime=0), "bzip2": bz2.compress(text), "xz": lzma.compress(text), "zlib": zlib.compress(text)}
    made["zip"] = zipped({"orders.csv": TEXTS["csv"], "readme.md": TEXTS["markdown"]})
    made["jar"] = zipped({"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nCreated-By: 21 (Example)\r\n\r\n", "org/example/Names.class": "\u0000"})
    word = "http://schemas.openxmlformats.org"
    made["docx"] = zipped({
        "[Content_Types].xml": f'<?xml version="1.0"?><Types xmlns="{word}/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'<?xml version="1.0"?><Relationships xmlns="{word}/package/2006/relationships"/>',
        "word/document.xml": f'<?xml version="1.0"?><w:document xmlns:w="{word}/wordprocessingml/2006/main"><w:body><w:p/></w:body></w:document>',
    })
    inside = io.BytesIO()
    with tarfile.open(fileobj=inside, mode="w") as tar:
        entry = tarfile.TarInfo("orders.csv")
        entry.size = len(TEXTS["csv"])
        tar.addfile(entry, io.BytesIO(TEXTS["csv"].encode()))
    made["tar"] = inside.getvalue()
    made["pickle"] = pickle.dumps({"rows": [(n, f"row {n}", n / 3) for n in range(60)]}, protocol=4)
    made["bmp"] = b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + 768, 0, 0, 54, 40, 16, 16, 1, 24, 0, 768, 2835, 2835, 0, 0) + rng.randbytes(768)
    made["gif"] = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
    made["png"] = png(24, 24)
    inside = io.BytesIO()
    with wave.open(inside, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(rng.randbytes(2000))
    made["wav"] = inside.getvalue()
    database = sqlite3.connect(":memory:")
    database.executescript("PRAGMA page_size = 512;" + TEXTS["sql"])
    made["sqlite"] = database.serialize()
    made["pdf"] = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\nxref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000058 00000 n \ntrailer\n<< /Size 3 /Root 1 0 R >>\nstartxref\n110\n%%EOF\n"
    made["elf"] = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x401000, 64, 0, 0, 64, 56, 1, 64, 0, 0) + bytes(56) + rng.randbytes(600)
    made["wasm"] = b"\0asm\x01\0\0\0\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f\x03\x02\x01\0\x07\x07\x01\x03add\0\0\n\t\x01\x07\0 \0 \x01j\x0b"
    made["numpy"] = b"\x93NUMPY\x01\0v\0" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (64,), }".ljust(117) + b"\n" + rng.randbytes(512)
    made["random bytes"] = rng.randbytes(1500)
    made["text, then random bytes"] = TEXTS["python"].encode() * 30 + rng.randbytes(6000)
    return made


def zipped(files: dict) -> bytes:
    inside = io.BytesIO()
    with zipfile.ZipFile(inside, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 21, 0, 0, 0)), text)
    return inside.getvalue()


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes((x * y) % 256 for x in range(width)) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def main() -> None:
    judges = {str(mode): Magika(prediction_mode=mode) for mode in PredictionMode}

    def answers(content: bytes) -> dict:
        said = {mode: judge.identify_bytes(content).prediction for mode, judge in judges.items()}
        least = {mode: str(prediction.output.label) for mode, prediction in said.items()}
        return {**least, "high_confidence": described(said["high_confidence"])}

    made = {**{name: text.encode() for name, text in TEXTS.items()}, **packed(), **SHORT}
    reference = [{"name": name, "base64": base64.b64encode(content).decode(), "answers": answers(content)} for name, content in made.items()]
    for path in IN_TREE:
        content = (ROOT / path).read_bytes()
        reference.append({"name": path, "sha256": hashlib.sha256(content).hexdigest(), "answers": answers(content)})
    (HERE / "reference.json").write_text(json.dumps(reference, indent=2) + "\n")
    print(len(reference), "files of", len({one["answers"]["high_confidence"]["label"] for one in reference}), "types")


def described(prediction) -> dict:
    """In the words of the output of the pipeline."""
    kind = prediction.output
    model = str(prediction.dl.label)
    return {
        "label": str(kind.label),
        "media_type": kind.mime_type,
        "group": kind.group,
        "description": kind.description,
        "extensions": " ".join(kind.extensions),
        "is_text": kind.is_text,
        "confidence": prediction.score,
        "model_label": None if model == "undefined" else model,
        "overwrite_reason": str(prediction.overwrite_reason),
    }


if __name__ == "__main__":
    main()
