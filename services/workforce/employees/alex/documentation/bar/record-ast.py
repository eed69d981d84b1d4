"""Writes what Python's own parser says of shapes.py.txt: python3 record-ast.py > shapes.ast.json"""

import ast
import json
from pathlib import Path


def shown(name):
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def walk(body, prefix=""):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and shown(node.name):
            yield prefix + node.name, ast.unparse(node.args) + ("" if node.returns is None else f" -> {ast.unparse(node.returns)}")
        elif isinstance(node, ast.ClassDef) and shown(node.name):
            yield prefix + node.name, ", ".join(ast.unparse(base) for base in node.bases)
            yield from walk(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.Try, ast.If)):
            yield from walk(node.body, prefix)
            for handler in getattr(node, "handlers", []):
                yield from walk(handler.body, prefix)
            yield from walk(node.orelse, prefix)


print(json.dumps(list(walk(ast.parse((Path(__file__).parent / "shapes.py.txt").read_text()).body)), indent=2))
