#!/usr/bin/python3
"""Writes src/types.d.ts: the types of everything on the wire, from api/openapi.yaml, api/schema/*.schema.json and api/kinds.json.

    clients/js/generate_types.py          writes
    clients/js/generate_types.py --check  exit status 1 when the file is not what it would write
"""
import json
import os
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
API = os.path.join(HERE, "..", "..", "api")
OUT = os.path.join(HERE, "src", "types.d.ts")
SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null", "object": "object"}
DOCUMENTS = {"schema/model.schema.json": "ModelDocument", "schema/job.schema.json": "JobDocument"}


def camel(words):
    return "".join(word[:1].upper() + word[1:] for word in words.replace("-", "_").split("_"))


class Types:
    """Types of one schema document; `name_of` turns its references into names."""

    def __init__(self, name_of):
        self.name_of = name_of

    def of(self, schema, indent=""):
        """The type of a schema, as TypeScript."""
        if schema is True or schema == {}:
            return "unknown"
        if "$ref" in schema:
            name, must = self.name_of(schema["$ref"]), schema.get("required", [])
            return f"({name} & Required<Pick<{name}, {' | '.join(map(json.dumps, must))}>>)" if must else name
        if "const" in schema:
            return json.dumps(schema["const"])
        if "enum" in schema:
            return " | ".join(json.dumps(value) for value in schema["enum"])
        for key, mark in (("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")):
            if key in schema and not ("properties" in schema and all("required" in option for option in schema[key])):
                parts = list(dict.fromkeys(self.of(option, indent) for option in schema[key]))
                return parts[0] if len(parts) == 1 else "(" + mark.join(parts) + ")"
        kind = schema.get("type", "object" if "properties" in schema else None)
        if isinstance(kind, list):
            return " | ".join(self.of({**schema, "type": one}, indent) for one in kind)
        if kind == "array":
            return self.array(schema, indent)
        if kind == "object":
            return self.object(schema, indent)
        return SCALARS.get(kind, "unknown")

    def array(self, schema, indent):
        if "prefixItems" in schema:
            return "[" + ", ".join(self.of(item, indent) for item in schema["prefixItems"]) + "]"
        item, count = self.of(schema.get("items", {}), indent), schema.get("minItems")
        if count == schema.get("maxItems") and count and count <= 6:
            return "[" + ", ".join([item] * count) + "]"
        return f"Array<{item}>"

    def object(self, schema, indent):
        deeper, rows = indent + "  ", []
        for name, member in schema.get("properties", {}).items():
            if isinstance(member, dict) and "description" in member:
                rows.append(f"{deeper}/** {member['description'].replace('*/', '* /')} */")
            optional = "" if name in schema.get("required", []) else "?"
            word = name if name.isidentifier() else json.dumps(name)
            rows.append(f"{deeper}{word}{optional}: {self.of(member, deeper)};")
        rest = schema.get("additionalProperties")
        if isinstance(rest, dict):
            rows.append(f"{deeper}[name: string]: {self.of(rest, deeper)};" if not schema.get("properties")
                        else f"{deeper}[name: string]: unknown;")
        elif not rows:
            return "Record<string, unknown>"
        return "{\n" + "\n".join(rows) + f"\n{indent}}}"

    def declaration(self, name, schema):
        about = " ".join(str(schema.get("description", "")).split()).replace("*/", "* /")
        return (f"/** {about} */\n" if about else "") + f"export type {name} = {self.of(schema)};\n"


def document_types(path, name):
    """Declarations of a schema file: its root as `name`, its $defs with the first word of `name` before them."""
    with open(os.path.join(API, path), encoding="utf-8") as file:
        schema = json.load(file)
    prefix = name.replace("Document", "")

    def name_of(reference):
        if reference == "#":
            return name
        return DOCUMENTS.get(f"schema/{reference}") or prefix + camel(reference.rsplit("/", 1)[1])

    types = Types(name_of)
    yield types.declaration(name, {key: value for key, value in schema.items() if key != "$defs"})
    for key, definition in schema.get("$defs", {}).items():
        yield types.declaration(prefix + camel(key), definition)


def wire_types():
    """Declarations of the schemas of the contract, and its operations by name."""
    with open(os.path.join(API, "openapi.yaml"), encoding="utf-8") as file:
        contract = yaml.safe_load(file)
    types = Types(lambda reference: DOCUMENTS.get(reference) or WIRE.get(reference.rsplit("/", 1)[1], reference.rsplit("/", 1)[1]))
    for name, schema in contract["components"]["schemas"].items():
        if name == "Evaluated":
            members = [f"  {row['name']}: {shape(row)};" for row in kinds()["quantities"]]
            yield f"/** {schema['description']} Those that were asked for. */\nexport type Evaluated = {{\n" + "\n".join(members) + "\n};\n"
            continue
        yield types.declaration(WIRE.get(name, name), schema)
    names = [operation["operationId"] for item in contract["paths"].values() for operation in item.values()
             if isinstance(operation, dict) and "operationId" in operation]
    yield "/** Names of the operations. */\nexport type Operation = " + " | ".join(json.dumps(name) for name in names) + ";\n"


def kinds():
    with open(os.path.join(API, "kinds.json"), encoding="utf-8") as file:
        return json.load(file)


def shape(quantity):
    """The type of a quantity, a row of kinds.json. Not every robot has every kind of energy."""
    def array(rank):
        return "number" + "[]" * rank

    if "members" in quantity:
        more = [f"{name}?: number" for name in kinds()["energies"] if name not in quantity["members"]] if quantity["name"] == "energy" else []
        return "{ " + "; ".join([f"{name}: {array(rank)}" for name, rank in quantity["members"].items()] + more) + " }"
    return f"Record<string, {array(quantity['rank'])}>" if "by" in quantity else array(quantity["rank"])


WIRE = {"Job": "JobData", "Model": "StoredModel"}  # Job and Models are classes of the client


def text():
    parts = ["// Written by clients/js/generate_types.py from api/openapi.yaml and api/schema: change those.\n", *wire_types()]
    for path, name in DOCUMENTS.items():
        parts += document_types(path, name)
    return "\n".join(parts)


def main():
    wanted = text()
    if "--check" in sys.argv:
        with open(OUT, encoding="utf-8") as file:
            if file.read() != wanted:
                sys.exit("clients/js/src/types.d.ts is not what the contract says: run clients/js/generate_types.py")
        return
    with open(OUT, "w", encoding="utf-8") as file:
        file.write(wanted)


if __name__ == "__main__":
    main()
