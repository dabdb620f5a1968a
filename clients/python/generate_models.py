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
what is left out is left out there. Names and words are looked at when a function is called, the rest is checked by the
server. Model puts them together.
"""
# fmt: off
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

from .building import CHECKS, Model, Part, part

List = Sequence[Any]  # of numbers, or of lists of them; numpy's arrays will do
Object = Mapping[str, Any]  # a part as a function here gives it, or a dict with the words of the format

'''


class Writer:
    checks = None  # {function: {"takes": the choices of members, "words": {member: words}, "keys": {member: keys}}}

    def __init__(self):
        self.checks = {}
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
        self.note_checks(name, variants, members)
        words = [f"{own(key)}: {self.kind(members[key])}" for key in required] + (["*"] if optional else [])
        words += [f"{own(key)}: Optional[{self.kind(members[key])}] = None" for key in optional]
        head = wrapped(f"def {name}(", words, ") -> Part:")
        given = [json.dumps(name), json.dumps(where) if where else "None", json.dumps(fixed)] + [f"{own(key)}={own(key)}" for key in members]
        body = wrapped("    return part(", given, ")")
        return "\n".join(head + self.docstring(variants, definition, members, required) + body) + "\n"

    def kind(self, schemas):
        kinds = {self.type_of(one) for one in schemas}
        return kinds.pop() if len(kinds) == 1 else "Any"

    def words_of(self, schema):
        """The words that a text may be there; None: any, or there is no text."""
        schema = self.resolved(schema)
        if "enum" in schema or "const" in schema:
            return schema.get("enum") or [schema["const"]]
        branches = [one for one in map(self.resolved, schema.get("oneOf", ())) if "enum" in one or one.get("type") == "string"]
        return [word for one in branches for word in one["enum"]] if branches and all("enum" in one for one in branches) else None

    def keys_of(self, schema):
        """The members that an object has there; None: it is none, or of several kinds."""
        schema = self.resolved(schema)
        return list(schema["properties"]) if schema.get("additionalProperties") is False and "oneOf" not in schema else None

    def note_checks(self, name, variants, members):
        def all_of(look):
            found = {key: [look(one) for one in schemas] for key, schemas in members.items()}
            return {own(key): list(dict.fromkeys(word for one in many for word in one)) for key, many in found.items() if None not in many}
        always = [key for key in members if all(key in one.get("required", ()) for one in variants)]
        takes = [[own(key) for key in one.get("required", ()) if key in members and key not in always] for one in variants]
        noted = {"takes": takes if all(takes) and len(takes) > 1 else [], "words": all_of(self.words_of), "keys": all_of(self.keys_of)}
        if any(noted.values()):
            self.checks[name] = {key: value for key, value in noted.items() if value}

    def about(self, schema, key):
        if schema == {"$ref": "#/$defs/name"}:
            return "Name of the link." if key == "link" else "Name."
        return self.resolved(schema).get("description", "")

    def docstring(self, variants, definition, members, required):
        abouts = dict.fromkeys([one["description"] for one in variants if "description" in one] or [definition.get("description", "")])
        choices = [[key for key in one.get("required", ()) if key in members and key not in required] for one in variants]
        if len(variants) > 1 and all(choices):
            abouts["Takes " + ", or ".join(" and ".join(f"`{own(key)}`" for key in one) for one in choices if one) + "."] = None
        takes = [one for one in abouts if one.startswith("Takes ")]
        lines = textwrap.wrap("   " + " ".join([either([one for one in abouts if one not in takes])] + takes), 116)
        rows = []
        for key, schemas in members.items():
            said = dict.fromkeys(self.about(one, key) for one in schemas)
            enums = dict.fromkeys(word for one in schemas for word in self.resolved(one).get("enum", ()))
            text = either([one for one in said if one]) + (f" One of {', '.join(map(str, enums))}." if enums else "")
            rows += textwrap.wrap(f"{own(key)}: {text}".rstrip(), 116, initial_indent="    ", subsequent_indent="        ")
        text = "\n".join(f"    {line}" if line else "" for line in lines + ([""] + rows if rows else []))
        quote = text.replace("\\", "\\\\").replace('"""', "'''").strip()
        return [f'    """{quote}', '    """'] if rows or len(lines) > 1 else [f'    """{quote}"""']


def either(texts):
    return texts[0] if len(texts) == 1 else " ".join(f"{'Either' if i == 0 else 'Or'}: {one}" for i, one in enumerate(texts))


def wrapped(begin, words, end):
    """A call or a definition over as many lines as it takes, its words whole."""
    line = begin.replace(" ", "\0") + ", ".join(word.replace(" ", "\0") for word in words) + end.replace(" ", "\0")
    lines = textwrap.wrap(line, 120, subsequent_indent=" " * len(begin), break_long_words=False, break_on_hyphens=False)
    return [one.replace("\0", " ") for one in lines]


def own(key):
    """A member's name as Python has it: `from` is a keyword."""
    return key + "_" if keyword.iskeyword(key) else key


def table(checks):
    rows = []
    for name, noted in checks.items():
        rows += textwrap.wrap(f"{json.dumps(name)}: {json.dumps(noted)},", 116, initial_indent="    ", subsequent_indent="        ",
                              break_long_words=False, break_on_hyphens=False)
    return "CHECKS.update({\n" + "\n".join(rows) + "\n})\n"


def text():
    writer = Writer()
    functions = list(writer.functions())
    names = [one[4:one.index("(")] for one in functions]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"two functions are called {sorted(twice)}")
    listed = textwrap.fill(", ".join(f'"{name}"' for name in ["Model", "Part"] + sorted(names)), 120, subsequent_indent=" " * 11)
    return HEAD + f"__all__ = [{listed}]\n\n\n" + "\n\n".join(functions) + "\n\n" + table(writer.checks)


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
