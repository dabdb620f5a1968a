"""api/openapi.yaml as one JSON document: openapi.py FOLDER OUT. Schemas in files of their own become members of components,
where their $id keeps references inside of them working (OpenAPI 3.1, JSON Schema 2020-12)."""
import json
import os
import sys

import yaml


def embed(node, names):
    """The same tree with references to files replaced; collects their names."""
    if isinstance(node, list):
        return [embed(child, names) for child in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str) and not reference.startswith("#"):
        names.add(reference)
        return {**node, "$ref": "#/components/schemas/" + member(reference)}
    return {key: embed(child, names) for key, child in node.items()}


def member(reference):
    """schema/model.schema.json is ModelDocument."""
    return os.path.basename(reference).split(".")[0].capitalize() + "Document"


def document(folder):
    with open(os.path.join(folder, "openapi.yaml"), encoding="utf8") as file:
        names = set()
        whole = embed(yaml.safe_load(file), names)
    for name in sorted(names):
        with open(os.path.join(folder, name), encoding="utf8") as file:
            whole["components"]["schemas"][member(name)] = json.load(file)
    return whole


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf8") as out:
        json.dump(document(sys.argv[1]), out, ensure_ascii=False, separators=(",", ":"))
