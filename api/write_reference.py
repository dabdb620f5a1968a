#!/usr/bin/env python3
"""Writes api/model.md and api/job.md, the reference of both documents, from api/schema: every key with its type, its bounds and what it means.

    api/write_reference.py            writes
    api/write_reference.py --check    exit status 1 when a page is not what it would write
"""
import json
import os
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = """\
# The model document, key by key

Written by `api/write_reference.py` from the schema (`schema/model.schema.json`), from which the dashboard's editor
completes. SI units throughout: m, kg, s, N, Pa, rad. Keys in **bold** are needed, others may be left out.

A robot is a tree of links. Each hangs from its `parent` (or the world) at the end of a rod or anywhere along it (`at`,
0 to 1), moves by its `joint`, and may carry a `body`: rigid, a `rod`, or one of the reduced soft bodies.

**Frames.** A rod's own frame has x along the rod, from base to tip, y and z across its section. So strains are
`torsion` (about x), `bending_y` and `bending_z` (about y and z), `elongation` (along x), `shear_y`, `shear_z`; and a
tendon at `[y, z]` in the section with y > 0 bends the rod towards +y. A rod that hangs from the ceiling has
`"pose": {"rpy": [0, 1.5708, 0]}`: its x points along the world's -z, its y along the world's y, its z along the world's x.

The smallest robot worth looking at, a soft finger with a cable:

```json
{"format": "tendril.model/1", "name": "finger", "gravity": [0, 0, -9.81],
 "links": [{"name": "finger", "joint": {"type": "fixed"}, "pose": {"rpy": [0, 1.5708, 0]},
            "body": {"type": "rod", "length": 0.12, "section": {"shape": "circle", "radius": [0.01, 0.006]},
                     "material": {"young": 4e5, "poisson": 0.45, "density": 1070, "viscosity": 3000},
                     "strain": {"basis": "legendre", "order": {"bending_y": 3, "bending_z": 3}}}}],
 "actuators": [{"name": "cable", "type": "tendon", "link": "finger", "routing": {"type": "linear", "base": [0.008, 0], "tip": [0.004, 0]}}]}
```

`tendril validate FILE` says what is wrong or odd with a document, `tendril examples` writes shipped ones to begin from.
"""
JOB = """\
# The job document, key by key

Written by `api/write_reference.py` from the schema (`schema/job.schema.json`). A job has a `kind` and a `model`: the name of a stored one (`"name"`, `"name@3"`), or the
document itself. What it may record is in [quantities.md](quantities.md), fits and designs are told in
[fitting.md](fitting.md), keys of the model in [model.md](model.md). Keys in **bold** are needed.

The smallest jobs:

```json
{"kind": "statics", "model": "finger", "inputs": {"cable": [0, 1, 2, 3]}, "output": {"fields": ["q", "poses:finger"]}}
```

```json
{"kind": "dynamics", "model": "finger", "t_end": 2, "inputs": {"cable": {"type": "sine", "amplitude": 1, "offset": 1, "frequency": 0.5}},
 "output": {"dt": 0.02, "fields": ["q", "poses:finger", "energy"]}}
```
"""
PAGES = [("model.md", "model.schema.json", MODEL, "The document"), ("job.md", "job.schema.json", JOB, "Kinds of jobs")]


def heading(name):
    return name.replace("_", "-")


class Page:
    def __init__(self, schema):
        self.schema, self.definitions, self.lines = schema, schema["$defs"], []

    def resolve(self, node):
        return {**self.definitions[node["$ref"].rsplit("/", 1)[1]], **{k: v for k, v in node.items() if k != "$ref"}} if "$ref" in node else node

    def is_section(self, name):
        """Whether a definition has a section of its own: objects, and what is one of several."""
        node = self.definitions[name]
        return "properties" in node or "oneOf" in node

    def type_of(self, node):
        name = node.get("$ref", "").rsplit("/", 1)[1] if "$ref" in node else None
        if name and self.is_section(name):
            return f"[{heading(name)}](#{heading(name)})"
        node = self.resolve(node)
        if "const" in node:
            return f"`{json.dumps(node['const'])}`"
        if "enum" in node:
            return " or ".join(f"`{json.dumps(word)}`" for word in node["enum"])
        for choice in ("oneOf", "anyOf"):
            if choice in node and "properties" not in node:
                return "; or ".join(dict.fromkeys(self.type_of(one) for one in node[choice]))
        kind = node.get("type", "any")
        kind = " or ".join(kind) if isinstance(kind, list) else kind
        if kind == "array":
            return self.array(node)
        return kind + self.bounds(node)

    def array(self, node):
        low, high = node.get("minItems"), node.get("maxItems")
        size = f"{low} " if low is not None and low == high else f"{low} to {high} " if low and high else f"{low} or more " if low else f"up to {high} " if high else ""
        if "prefixItems" in node:
            return "list [" + ", ".join(self.type_of(one) for one in node["prefixItems"]) + "]"
        return f"list of {size}{self.type_of(node['items'])}" if isinstance(node.get("items"), dict) else f"list of {size}entries"

    @staticmethod
    def bounds(node):
        said = []
        for key, word in (("exclusiveMinimum", "> "), ("minimum", ">= "), ("exclusiveMaximum", "< "), ("maximum", "<= ")):
            if key in node:
                said.append(f"{word}{node[key]:g}")
        if "default" in node:
            said.append(f"default {json.dumps(node['default'])}")
        return " " + ", ".join(said) if said else ""

    def row(self, key, node, needed):
        meaning = node.get("description") or self.resolve(node).get("description", "")
        if node.get("type") != "array" and any(one.get("maxItems") == 0 for one in node.get("oneOf", [])):
            return  # of a joint without coordinates
        cells = [f"**`{key}`**" if needed else f"*`{key}`*", self.type_of(node), meaning]
        self.lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
        inner = self.resolve(node)
        if "$ref" not in node and "properties" in inner:
            self.rows(inner, key + ".")

    def rows(self, node, before=""):
        for key, one in node["properties"].items():
            self.row(before + key, one, key in node.get("required", []))

    def table(self, node):
        self.lines += ["| key | type | meaning |", "|---|---|---|"]
        self.rows(node)
        self.lines.append("")

    def told(self, text):
        if text:
            self.lines += textwrap.wrap(text, 118, break_long_words=False, break_on_hyphens=False) + [""]

    def variant(self, name, node):
        """One of several: by the words that tell it from the others."""
        words = [f"`{key}` `{json.dumps(one['const'])}`" for key, one in node["properties"].items() if "const" in self.resolve(one) and "const" in one]
        title = ", ".join(words) or "with " + ", ".join(f"`{key}`" for key in node.get("required", list(node["properties"])[:2]))
        self.lines += [f"### {heading(name)}: {title}", ""]

    def section(self, name):
        node = self.definitions[name]
        self.lines += [f"## {heading(name)}", ""]
        self.told(node.get("description"))
        if "properties" in node:
            self.table(node)
            return
        plain = [one for one in node["oneOf"] if "properties" not in self.resolve(one)]
        for one in plain:
            self.lines.append(f"- {self.type_of(one)}" + (f": {self.resolve(one)['description']}" if self.resolve(one).get("description") else ""))
        if plain:
            self.lines.append("")
        for one in node["oneOf"]:
            inner = self.resolve(one)
            if "$ref" in one and "properties" in inner:
                self.lines += [f"- {self.type_of(one)}", ""]
            elif "properties" in inner:
                self.variant(name, inner)
                self.told(inner.get("description"))
                self.table(inner)

    def in_reach(self):
        """Definitions with a section, as one meets them from the document down."""
        found, waiting = [], [{k: v for k, v in self.schema.items() if k != "$defs"}]
        while waiting:
            node = waiting.pop(0)
            if isinstance(node, dict):
                name = node.get("$ref", "").rsplit("/", 1)[-1] if isinstance(node.get("$ref"), str) else ""
                if name and name not in found:
                    found.append(name)
                    waiting.append(self.definitions[name])
            waiting += node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
        return [name for name in found if self.is_section(name)]

    def whole(self, intro, title):
        self.lines += [intro, f"## {title}", ""]
        if "properties" in self.schema:
            self.table(self.schema)
        else:
            self.lines += [f"- {self.type_of(one)}" for one in self.schema["oneOf"]] + [""]
        for name in self.in_reach():
            self.section(name)
        return "\n".join(self.lines).rstrip() + "\n"


def main(check):
    stale = []
    for name, schema, intro, title in PAGES:
        with open(os.path.join(HERE, "schema", schema), encoding="utf-8") as file:
            wanted = Page(json.load(file)).whole(intro, title)
        path = os.path.join(HERE, name)
        if check:
            with open(path, encoding="utf-8") as file:
                stale += [name] if file.read() != wanted else []
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted)
    if stale:
        print("not as api/write_reference.py writes them:", *stale)
    return len(stale) > 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
