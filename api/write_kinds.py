#!/usr/bin/python3
"""Words of kinds (joints, bases, quantities, methods …) from the tables of the engine and the server to whoever lists them.

    api/write_kinds.py build/release/tests/list_kinds           writes
    api/write_kinds.py build/release/tests/list_kinds --check   exit status 1 when a file is not what it would write

list_kinds prints the tables. Written are api/kinds.json (all of them), the lists of words in the schemas and openapi.yaml,
clients/dashboard/src/api/kinds.ts, clients/c/base/kinds.h and clients/python/tendril/kinds.py. clients/js/generate_types.py and tests/oracle read kinds.json.
Kinds that have words of their own (a joint with its members) are written into the schema by hand; check() says which lack.
"""
import json
import os
import re
import subprocess
import sys
import textwrap

API = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(API)


def names(rows):
    return [row["name"] if isinstance(row, dict) else row for row in rows]


def bases(kinds, elements):
    return [row["name"] for row in kinds["bases"] if row["elements"] == elements and row["name"] != "table"]


# Lists of words: (pointer into a schema, words).
SCHEMA_LISTS = {
    "model": [
        ("/$defs/strain/oneOf/0/properties/basis", lambda k: bases(k, False)),
        ("/$defs/strain/oneOf/1/properties/basis", lambda k: bases(k, True)),
        ("/$defs/reduced_lvp/properties/modes/items/properties/field", lambda k: k["fields"]),
        ("/$defs/load/properties/frame", lambda k: k["load_frames"]),
        *((f"/$defs/contact/oneOf/{i}/properties/per", lambda k: k["contact_per"]) for i in range(5)),
    ],
    "job": [
        ("/$defs/integrator/properties/method", lambda k: k["methods"]),
        ("/$defs/integrator/properties/formulation", lambda k: k["formulations"]),
        ("/$defs/controller/properties/type", lambda k: k["controllers"]),
        ("/$defs/controller/properties/reference/properties/space", lambda k: k["reference_spaces"]),
        ("/$defs/controller/properties/reference/properties/interpolation", lambda k: k["interpolations"]),
    ],
}
# Schemas of openapi.yaml whose first `enum` is a list.
OPENAPI_LISTS = {"Problem": "problems", "Quantity": "quantities", "JobState": "job_states", "JobKind": "jobs", "Scope": "scopes"}
# Alternatives: the words that `key` may have anywhere below the definitions.
ALTERNATIVES = [
    ("model", "type", ["joint"], "joints"), ("model", "basis", ["strain"], "bases"), ("model", "shape", ["section", "stiffness_section"], "sections"),
    ("model", "type", ["shape"], "rigid_shapes"), ("model", "type", ["routing"], "routings"), ("model", "type", ["actuator"], "actuators"),
    ("model", "type", ["contact"], "contacts"), ("model", "type", ["body", "reduced_curvature"], "bodies"),
    ("model", "kinematics", ["reduced_curvature", "reduced_polynomial", "reduced_gaussian", "reduced_variable_radius", "reduced_lvp",
                             "reduced_ritz", "reduced_ritz_mesh"], "kinematics"),
    ("job", "type", ["constant", "signal"], "signals"), ("job", "kind", ["dynamics", "statics", "linearize", "fit", "gradient", "design", "sweep"], "jobs"),
]
DASHBOARD = {"joints": "Joint", "bases": "Basis", "bodies": "Body", "kinematics": "Kinematics", "rigid_shapes": "RigidShape", "sections": "Section",
             "components": "Component", "routings": "Routing", "actuators": "Actuator", "load_frames": "LoadFrame", "contacts": "Contact",
             "jobs": "JobKind", "job_states": "JobState"}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def lists_of(schema, pointer=""):
    """Pointers of what has an `enum`, in the order of the text."""
    for key, value in schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ():
        if key == "enum" and isinstance(value, list):
            yield pointer
        yield from lists_of(value, f"{pointer}/{key}")


def with_lists(text, wanted):
    """The schema's text with the lists that are wanted, {pointer: words}."""
    places = lists_of(json.loads(text))

    def one(match):
        words = wanted.get(next(places))
        return match.group(0) if words is None or json.loads(match.group(2)) == words else match.group(1) + json.dumps(words)

    return re.sub(r'("enum": )(\[[^\]]*\])', one, text)


def with_openapi_lists(text, kinds):
    for name, key in OPENAPI_LISTS.items():
        words = names(kinds[key])
        found = re.compile(rf"(\n    {name}:(?:(?!\n    \w).)*?\n( +)enum: )\[([^\]]*)\]", re.DOTALL).search(text)
        if re.findall(r"\w+", found.group(3)) == words:
            continue
        indent = found.group(2) + " " * len("enum: [")
        lines = textwrap.wrap(", ".join(words), 140 - len(indent))
        text = text[:found.start()] + found.group(1) + "[" + f"\n{indent}".join(lines) + "]" + text[found.end():]
    return text


def untrue(kinds):
    """Codes of warnings that say that a result is not to be trusted."""
    return [row["name"] for row in kinds["warnings"] if row["rank"] == 1]


def dashboard(kinds):
    lines = ["// Written by api/write_kinds.py from the engine's tables. A kind that is added there is missing where the compiler says so.\n"]
    for key, name in DASHBOARD.items():
        lines.append(f"export const {key.upper()} = {json.dumps(names(kinds[key]))} as const;")
        lines.append(f"export type {name} = (typeof {key.upper()})[number];\n")
    lines.append("/** Codes of warnings that say that a result is not to be trusted. */")
    lines.append(f"export const UNTRUE: readonly string[] = {json.dumps(untrue(kinds))};\n")
    return "\n".join(lines)


def python(kinds):
    words = "".join(f'"{code}", ' for code in untrue(kinds)).rstrip(", ")
    return ('"""Written by api/write_kinds.py from the tables of the engine: change those."""\n\n'
            f"# Codes of warnings that say that a result is not to be trusted.\nUNTRUE = ({words})\n")


def header(kinds):
    words = textwrap.wrap(" ".join(names(kinds["quantities"])), 100)
    text = " \\\n".join(f'  "{line}' + (r"\n" if i + 1 < len(words) else "") + '"' for i, line in enumerate(words))
    return ("// Written by api/write_kinds.py from the engine's tables: change those.\n"
            "#ifndef TENDRIL_CLIENT_KINDS_H\n#define TENDRIL_CLIENT_KINDS_H\n\n"
            "// clang-format off\n/// What evaluate gives, for help: lines of words.\n"
            f"#define KINDS_QUANTITIES \\\n{text}\n"
            "/// Codes of warnings that say that a result is not to be trusted, for an array of texts.\n"
            f"#define KINDS_UNTRUE {', '.join(json.dumps(code) for code in untrue(kinds))}\n// clang-format on\n\n#endif\n")


def files(kinds):
    """{path: text} of all that is written."""
    rows = ",\n".join(f' "{key}": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in value) + "\n ]" for key, value in kinds.items())
    out = {"api/kinds.json": "{\n" + rows + "\n}\n", "clients/dashboard/src/api/kinds.ts": dashboard(kinds), "clients/c/base/kinds.h": header(kinds),
           "clients/python/tendril/kinds.py": python(kinds)}
    for name, lists in SCHEMA_LISTS.items():
        path = f"api/schema/{name}.schema.json"
        out[path] = with_lists(read(path), {pointer: words(kinds) for pointer, words in lists})
    out["api/openapi.yaml"] = with_openapi_lists(read("api/openapi.yaml"), kinds)
    return out


def words_below(schema, key):
    for name, value in schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ():
        if name == key and isinstance(value, dict) and ("const" in value or "enum" in value):
            yield from value.get("enum", [value.get("const")])
        else:
            yield from words_below(value, key)


def check(kinds):
    """Sentences about kinds that a schema lacks, or has beyond the tables; and about lists that it does not have."""
    for name, key, definitions, kind in ALTERNATIVES:
        defs = json.loads(read(f"api/schema/{name}.schema.json"))["$defs"]
        found = {word for definition in definitions for word in words_below(defs[definition], key)}
        for word in sorted(found ^ set(names(kinds[kind]))):
            yield f"{name}.schema.json, {definitions[0]}: \"{word}\" is " + ("not among" if word in found else "missing of") + f" the {kind}"
    for name, lists in SCHEMA_LISTS.items():
        there = set(lists_of(json.loads(read(f"api/schema/{name}.schema.json"))))
        yield from (f"{name}.schema.json has no list at {pointer}" for pointer, _ in lists if pointer not in there)


def stale(kinds):
    """Files that are not what would be written."""
    return [path for path, text in files(kinds).items() if not os.path.exists(os.path.join(TOP, path)) or read(path) != text]


def main(program, *options):
    kinds = json.loads(subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout)
    if "--check" in options:
        wrong = list(check(kinds)) + [f"{path} is not what api/write_kinds.py writes" for path in stale(kinds)]
    else:
        for path, text in files(kinds).items():
            with open(os.path.join(TOP, path), "w", encoding="utf-8") as file:
                file.write(text)
        wrong = list(check(kinds)) # of what has been written
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
