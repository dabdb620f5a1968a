"""Words of kinds stand once, in the tables of the engine and the server, operations in openapi.yaml: what lists them elsewhere is
what api/write_kinds.py and api/write_operations.py write."""
import copy
import json
import os
import re
import subprocess
import sys
import unittest

SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
LIST = os.path.join(os.environ.get("TENDRIL_BIN", os.path.join(SOURCE, "build", "release", "bin")), "..", "tests", "list_kinds")
sys.path.insert(0, os.path.join(SOURCE, "api"))
sys.dont_write_bytecode = True

import write_kinds  # noqa: E402
import write_operations  # noqa: E402


def numbers(text, of=None):
    """{(place, whether it is whole)} of the numbers that documents of a schema (or of one of its definitions) may have; 0 stands for any
    index, "any" for any key. An item of fixed numbers (prefixItems) has its own index."""
    schema, found = json.loads(text), set()

    def walk(node, path, seen):
        if "$ref" in node:
            name = node["$ref"].rsplit("/", 1)[1]
            if seen.count(name) < 2:
                walk(schema["$defs"][name], path, (*seen, name))
        for choice in (*node.get("oneOf", ()), *node.get("anyOf", ())):
            walk(choice, path, seen)
        if node.get("type") in ("number", "integer"):
            found.add((path, node["type"] == "integer"))
        for key, member in node.get("properties", {}).items():
            walk(member, f"{path}/{key}", seen)
        for i, item in enumerate(node.get("prefixItems", ())):
            walk(item, f"{path}/{i}", seen)
        if isinstance(node.get("items"), dict):
            walk(node["items"], path + "/0", seen)
        if isinstance(node.get("additionalProperties"), dict):
            walk(node["additionalProperties"], path + "/any", seen)

    walk(schema["$defs"][of] if of else schema, f"/{of}" if of else "", ())
    return found


def fitting(pattern):
    """A pattern of the table: * is any token, ** any number of them."""
    words = {"/**": "(?:/[^/]+)*", "/*": "/[^/]+"}
    return re.compile("".join(words.get(token, re.escape(token)) for token in re.findall("/[^/]*", pattern)))


class Kinds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kinds = json.loads(subprocess.run([LIST], check=True, stdout=subprocess.PIPE).stdout)

    def test_every_list_is_what_the_tables_say(self):
        self.assertEqual(write_kinds.stale(self.kinds), [], "run api/write_kinds.py build/…/tests/list_kinds")

    def test_every_kind_has_its_place_in_the_schemas(self):
        self.assertEqual(list(write_kinds.check(self.kinds)), [])

    def test_no_word_stands_twice_in_a_table(self):
        for key, rows in self.kinds.items():
            words = write_kinds.names(rows)
            self.assertNotIn(None, words, key)
            self.assertEqual(len(words), len(set(words)), key)

    def test_a_basis_that_is_added_reaches_schema_dashboard_and_kinds(self):
        more = copy.deepcopy(self.kinds)
        more["bases"].insert(2, {"name": "wavelet", "elements": False, "lowest_order": 0})
        changed = write_kinds.stale(more)
        self.assertEqual(changed, ["api/kinds.json", "clients/dashboard/src/api/kinds.ts", "api/schema/model.schema.json"])
        document = json.loads(write_kinds.files(more)["api/schema/model.schema.json"])
        self.assertEqual(document["$defs"]["strain"]["oneOf"][0]["properties"]["basis"]["enum"][2], "wavelet")

    def test_a_quantity_that_is_added_reaches_the_contract(self):
        more = copy.deepcopy(self.kinds)
        more["quantities"].append({"name": "entropy", "rank": 0})
        self.assertEqual(write_kinds.stale(more), ["api/kinds.json", "clients/c/base/kinds.h", "api/openapi.yaml"])
        self.assertIn("jvp, vjp, entropy]", " ".join(write_kinds.files(more)["api/openapi.yaml"].split()))

    def test_every_energy_is_explained_where_quantities_are(self):
        with open(os.path.join(SOURCE, "api", "quantities.md"), encoding="utf-8") as file:
            row = next(line for line in file if line.startswith("| `energy` |"))
        self.assertEqual([word for word in self.kinds["energies"] if word not in row], [])

    def test_a_joint_without_a_place_in_the_schema_is_told(self):
        more = copy.deepcopy(self.kinds)
        more["joints"].append({"name": "screw", "dof": 1})
        self.assertEqual(list(write_kinds.check(more)), ['model.schema.json, joint: "screw" is missing of the joints'])

    def test_every_number_of_a_model_document_has_a_row_that_says_whether_it_may_be_a_parameter(self):
        rows = [(fitting(row["name"]), row) for row in self.kinds["parameters"]]
        used = set()
        for path, whole in sorted(numbers(write_kinds.read("api/schema/model.schema.json"))):
            row = next((row for pattern, row in rows if pattern.fullmatch(path)), None)
            self.assertIsNotNone(row, f"{path} has no row in server/codec/document/parameters/table.c")
            self.assertFalse(whole and "refused" not in row, f"{path} is a whole number, and may be a parameter")
            used.add(row["name"])
        self.assertEqual([row["name"] for _, row in rows if row["name"] not in used], [], "rows of numbers that no document has")

    def test_every_number_of_a_job_has_a_row_that_says_whether_it_may_be_a_parameter(self):
        rows = [(fitting(row["name"]), row) for row in self.kinds["job_parameters"]]
        used = set()
        for kind in ("dynamics", "statics", "linearize"):
            for path, whole in sorted(numbers(write_kinds.read("api/schema/job.schema.json"), kind)):
                row = next((row for pattern, row in rows if pattern.fullmatch(path)), None)
                self.assertIsNotNone(row, f"{path} has no row in server/codec/document/parameters/table.c")
                self.assertFalse(whole and "refused" not in row, f"{path} is a whole number, and may be a parameter")
                used.add(row["name"])
        self.assertEqual([row["name"] for _, row in rows if row["name"] not in used], [], "rows of numbers that no document has")

    def test_a_number_that_is_added_to_the_format_is_missed_in_the_table(self):
        schema = json.loads(write_kinds.read("api/schema/model.schema.json"))
        schema["properties"]["temperature"] = {"type": "number"}
        added = [path for path, _ in numbers(json.dumps(schema)) if not any(fitting(row["name"]).fullmatch(path) for row in self.kinds["parameters"])]
        self.assertEqual(added, ["/temperature"])

    def test_the_clients_know_the_operations_of_the_contract(self):
        self.assertEqual(write_operations.stale(), [], "run api/write_operations.py")
        self.assertIn(("models_revision", "GET", "/v1/models/{name}/revisions/{n}", ["owner"]), list(write_operations.operations()))


if __name__ == "__main__":
    unittest.main()
