#!/usr/bin/python3
"""Writes tendril/models.py: a function for each part of a model document, from api/schema/model.schema.json.

    clients/python/generate_models.py          writes
    clients/python/generate_models.py --check  exit status 1 when the file is not what it would write
"""
import json
import keyword
import os
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "api", "schema", "model.schema.json")
OUT = os.path.join(HERE, "tendril", "models.py")
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "List", "object": "Object"}

# What becomes a function: the definition, its own name where it has variants without one, and the list of a model that
# it goes into. "*" is the word of each variant.
TABLE = [
    ("pose", "pose", None), ("link", "link", "links"), ("drawn", "drawn_*", None),
    ("joint", "*", None), ("limits_of_1", "limits", None),
    ("body", "*", None), ("section", "*", None), ("stiffness_section", "stiffness_section", None), ("material", "material", None),
    ("strain", "strain", None), ("shape", "*", None), ("rigid_hydrodynamics", "rigid_hydrodynamics", None),
    ("rod_hydrodynamics", "rod_hydrodynamics", None),
    ("reduced_curvature", "reduced_curvature", None), ("reduced_polynomial", "reduced_polynomial", None),
    ("reduced_gaussian", "reduced_gaussian", None), ("reduced_variable_radius", "reduced_variable_radius", None),
    ("reduced_lvp", "reduced_lvp", None), ("reduced_ritz", "reduced_ritz", None), ("reduced_ritz_mesh", "reduced_ritz_mesh", None),
    ("mesh", "mesh", None), ("collision", "collision_*", None),
    ("actuator", "*", "actuators"), ("routing", "routing_*", None), ("segment", "segment", None),
    ("load", "load", "loads"), ("contact", "contact_*", "contacts"),
    ("loop", "loop", "loops"), ("loop_end", "end", None), ("spring", "spring", "springs"),
]
RENAMED = {("actuator", "joint"): "joint_actuator", ("actuator", "pressure"): "pressure", ("actuator", "field"): "magnetic_field"}

# Numbers, and parts that are written as they are: {"points": 8}.
PLAIN = {"name", "axis", "colour", "limits_of_2", "limits_of_3", "limits_of_6", "profile_spline", "profile_spline_not_negative", "profile3",
         "profile6", "profile6x6", "reference_strain", "inertia", "water_matrix", "magnetic_moment", "magnetisation", "rod_quadrature",
         "reduced_quadrature", "box_quadrature", "mesh_quadrature", "tendon_mode", "tendon_stiffness", "tendon_rest",
         "tendon_damping", "tendon_slack_width", "tendon_friction", "tendon_slip_speed", "contact_damping", "contact_friction",
         "contact_slip_speed", "contact_stick", "contact_anisotropy", "loop_joint"}

HEAD = '''"""Parts of a model document (tendril.model/1), a function for each; words, units and defaults are in the docstrings.

Written by generate_models.py from api/schema/model.schema.json. A function gives a dict as it stands in the document;
what is left out is left out there. Model puts them together; the server checks them.
"""
# fmt: off
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

from .building import Model, Part, part

List = Sequence[Any]  # of numbers, or of lists of them; numpy's arrays will do
Object = Mapping[str, Any]  # a part as a function here gives it, or a dict with the words of the format

'''


class Writer:
    def __init__(self):
        with open(SCHEMA, encoding="utf-8") as file:
            self.definitions = json.load(file)["$defs"]
        told = {row[0] for row in TABLE} | PLAIN
        if told != set(self.definitions):
            sys.exit(f"TABLE and PLAIN do not say what becomes of {sorted(told ^ set(self.definitions))}")

    def resolved(self, schema):
        """A schema with what it refers to under its own words."""
        return {**self.resolved(self.definitions[schema["$ref"].rsplit("/", 1)[1]]), **schema} if "$ref" in schema else schema

    def type_of(self, schema):
        schema = self.resolved(schema)
        if "enum" in schema:
            return "str" if all(isinstance(one, str) for one in schema["enum"]) else "Any"
        if "oneOf" in schema:
            kinds = sorted({word for one in schema["oneOf"] for word in self.type_of(one).removeprefix("Union[").removesuffix("]").split(", ")})
            return kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"
        kind = schema.get("type")
        return SCALARS.get(kind, "Any") if isinstance(kind, str) else "Any"

    def variants(self, name):
        """{word: [variants]} of a definition, in its order; None: it has no word of its own."""
        schema, found = self.definitions[name], {}
        for one in schema["oneOf"] if "properties" not in schema else [schema]:
            if "$ref" in one:  # a definition of its own in TABLE
                continue
            words = [value["const"] for key, value in one["properties"].items() if key in ("type", "shape", "basis") and "const" in value]
            found.setdefault(words[0] if words and name != "strain" else None, []).append(one)
        return found

    def functions(self):
        for name, called, where in TABLE:
            variants = self.variants(name)
            if "*" not in called:
                yield self.function(called, [one for many in variants.values() for one in many], where, self.definitions[name])
                continue
            for word, many in variants.items():
                yield self.function(RENAMED.get((name, word)) or called.replace("*", word), many, where, self.definitions[name])

    def function(self, name, variants, where, definition):
        members, fixed = {}, {}
        for variant in variants:
            for key, schema in variant["properties"].items():
                if "const" in schema and key in ("type", "shape", "kinematics"):
                    fixed[key] = schema["const"]
                else:
                    members.setdefault(key, []).append(schema)
        required = [key for key in members if all(key in one.get("required", ()) for one in variants)]
        optional = [key for key in members if key not in required]
        words = [f"{own(key)}: {self.kind(members[key])}" for key in required] + (["*"] if optional else [])
        words += [f"{own(key)}: Optional[{self.kind(members[key])}] = None" for key in optional]
        head = wrapped(f"def {name}(", words, ") -> Part:")
        given = [json.dumps(name), json.dumps(where) if where else "None", json.dumps(fixed)] + [f"{own(key)}={own(key)}" for key in members]
        body = wrapped("    return part(", given, ")")
        return "\n".join(head + self.docstring(variants, definition, members, required) + body) + "\n"

    def kind(self, schemas):
        kinds = {self.type_of(one) for one in schemas}
        return kinds.pop() if len(kinds) == 1 else "Any"

    def docstring(self, variants, definition, members, required):
        abouts = dict.fromkeys([one["description"] for one in variants if "description" in one] or [definition.get("description", "")])
        choices = [[key for key in one.get("required", ()) if key in members and key not in required] for one in variants]
        if len(variants) > 1 and all(choices):
            abouts["Takes " + ", or ".join(" and ".join(f"`{own(key)}`" for key in one) for one in choices if one) + "."] = None
        lines = textwrap.wrap("   " + " ".join(abouts), 116)
        rows = []
        for key, schemas in members.items():
            said = dict.fromkeys(self.resolved(one).get("description", "") for one in schemas)
            enums = dict.fromkeys(word for one in schemas for word in self.resolved(one).get("enum", ()))
            text = " ".join(one for one in said if one) + (f" One of {', '.join(map(str, enums))}." if enums else "")
            rows += textwrap.wrap(f"{own(key)}: {text}".rstrip(), 116, initial_indent="    ", subsequent_indent="        ")
        text = "\n".join(f"    {line}" if line else "" for line in lines + ([""] + rows if rows else []))
        quote = text.replace("\\", "\\\\").replace('"""', "'''").strip()
        return [f'    """{quote}', '    """'] if rows or len(lines) > 1 else [f'    """{quote}"""']


def wrapped(begin, words, end):
    """A call or a definition over as many lines as it takes, its words whole."""
    line = begin.replace(" ", "\0") + ", ".join(word.replace(" ", "\0") for word in words) + end.replace(" ", "\0")
    lines = textwrap.wrap(line, 120, subsequent_indent=" " * len(begin), break_long_words=False, break_on_hyphens=False)
    return [one.replace("\0", " ") for one in lines]


def own(key):
    """A member's name as Python has it: `from` is a keyword."""
    return key + "_" if keyword.iskeyword(key) else key


def text():
    functions = list(Writer().functions())
    names = [one[4:one.index("(")] for one in functions]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"two functions are called {sorted(twice)}")
    listed = textwrap.fill(", ".join(f'"{name}"' for name in ["Model", "Part"] + sorted(names)), 120, subsequent_indent=" " * 11)
    return HEAD + f"__all__ = [{listed}]\n\n\n" + "\n\n".join(functions)


def main():
    made = text()
    if sys.argv[1:] != ["--check"]:
        with open(OUT, "w", encoding="utf-8") as file:
            file.write(made)
        return
    with open(OUT, encoding="utf-8") as file:
        if file.read() != made:
            sys.exit(f"{OUT} is not what the schema says: run {os.path.relpath(__file__)}")


if __name__ == "__main__":
    main()
