"""api/openapi.yaml against the server's tables of routes and operations, both ways, and against itself."""
import os
import re
import unittest

import yaml
from jsonschema import Draft202012Validator

from tables import SOURCE, operations as table_of_operations, tables

METHODS = {"get", "put", "post", "delete", "patch"}


def contract():
    with open(os.path.join(SOURCE, "api", "openapi.yaml"), encoding="utf8") as f:
        return yaml.safe_load(f)


def routes():
    return {(route["method"], route["path"]): route for route in tables()["routes"]}


def operations(document):
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in METHODS:
                yield method.upper(), path, operation, item.get("parameters", [])


def references(node):
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        node = node.values()
    elif not isinstance(node, list):
        return
    for child in node:
        yield from references(child)


def resolve(document, reference):
    node = document
    for key in reference[2:].split("/"):
        node = node[key]
    return node


def quantities():
    return tables()["quantities"]


class Quantities(unittest.TestCase):
    def test_every_quantity_of_the_code_is_in_the_enumeration_and_its_description(self):
        described = contract()["components"]["schemas"]["Quantity"]
        self.assertIn("residual", quantities())
        self.assertEqual(described["enum"], quantities())
        listed = re.findall(r"\w+", described["description"].split("\n\n", 1)[1])
        self.assertEqual(set(quantities()) - set(listed), set())

    def test_the_table_for_users_has_a_row_of_formula_shape_and_frame_per_quantity_and_no_other(self):
        with open(os.path.join(SOURCE, "api", "quantities.md"), encoding="utf8") as f:
            table = re.search(r"\| name \| formula \|.*?\n(.*?)\n\n", f.read(), re.DOTALL).group(1)
        rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[1:]]
        self.assertEqual([row[0].strip("`") for row in rows], quantities())
        for row in rows:
            self.assertEqual(len(row), 5, row)
            self.assertTrue(row[1] and row[2], row)

    def test_the_table_is_one_click_from_where_one_begins(self):
        for place in (("README.md",), ("clients", "README.md"), ("clients", "python", "README.md"), ("engine", "README.md")):
            with open(os.path.join(SOURCE, *place), encoding="utf8") as f:
                links = re.findall(r"\]\(([^)]*quantities\.md)\)", f.read())
            self.assertTrue(links, place)
            for link in links:
                self.assertTrue(os.path.exists(os.path.join(SOURCE, *place[:-1], link)), link)


class Contract(unittest.TestCase):
    def setUp(self):
        self.document = contract()

    def test_contract_and_table_of_routes_have_the_same_operations(self):
        table, described = set(routes()), {(method, path) for method, path, _, _ in operations(self.document)}
        self.assertGreater(len(table), 10)
        self.assertEqual(table, described)

    def test_names_of_the_contract_are_those_of_the_operations(self):
        described = {(method, path): operation["operationId"] for method, path, operation, _ in operations(self.document)}
        self.assertEqual({key: route["operation"] for key, route in routes().items()}, described)

    def test_scopes_of_the_contract_are_those_of_the_table(self):
        described = {}
        for method, path, operation, _ in operations(self.document):
            needs = operation.get("security", self.document["security"])
            self.assertIn(needs, ([], [{"bearer": ["read"]}], [{"bearer": ["run"]}], [{"bearer": ["admin"]}]), path)
            described[method, path] = needs[0]["bearer"][0] if needs else "public"
        table = table_of_operations()
        self.assertEqual({key: table[route["operation"]]["scope"] for key, route in routes().items()}, described)

    def test_what_routes_take_and_give_is_what_the_contract_says(self):
        described = {}
        for method, path, operation, _ in operations(self.document):
            def whole(node):
                return resolve(self.document, node["$ref"]) if "$ref" in node else node
            body = whole(operation["requestBody"]) if "requestBody" in operation else None
            media = {kind for reply in operation["responses"].values() for kind in whole(reply).get("content", {})}
            described[method, path] = {
                "body": body is not None, "npz": "application/x-npz" in media,
                "archive": body is not None and "application/x-npz" in body["content"] and "application/x-npz" not in media, "csv": "text/csv" in media,
                "events": "text/event-stream" in media, "metrics": "application/openmetrics-text" in media}
            if body:
                self.assertTrue("application/x-npz" in body["content"] or "application/x-npz" not in media, path)
        for key, route in routes().items():
            self.assertEqual({kind: route[kind] for kind in described[key]}, described[key], key)

    def test_parameters_of_queries_are_those_of_the_table(self):
        described = {}
        for method, path, operation, shared in operations(self.document):
            declared = [p if "name" in p else resolve(self.document, p["$ref"])
                        for p in shared + operation.get("parameters", [])]
            described[method, path] = {p["name"] for p in declared if p["in"] == "query"}
        self.assertEqual({key: set((route["query"] or "").split()) for key, route in routes().items()}, described)

    def test_they_stand_in_the_same_order(self):
        order = []
        for _, path in routes():
            if path not in order:
                order.append(path)
        self.assertEqual(order, list(self.document["paths"]))

    def test_every_reference_leads_somewhere(self):
        for reference in references(self.document):
            if reference.startswith("#/"):
                resolve(self.document, reference)
            else:
                self.assertTrue(os.path.exists(os.path.join(SOURCE, "api", reference)), reference)

    def test_every_parameter_of_a_path_is_declared(self):
        for method, path, operation, shared in operations(self.document):
            declared = [p if "name" in p else resolve(self.document, p["$ref"])
                        for p in shared + operation.get("parameters", [])]
            in_path = {p["name"] for p in declared if p["in"] == "path"}
            self.assertEqual(set(re.findall(r"{(\w+)}", path)), in_path, f"{method} {path}")

    def test_every_operation_says_what_it_does_and_how_it_fails(self):
        seen = set()
        for method, path, operation, _ in operations(self.document):
            self.assertTrue(operation["summary"])
            self.assertNotIn(operation["operationId"], seen)
            seen.add(operation["operationId"])
            self.assertTrue(any(code.startswith("2") or code == "303" for code in operation["responses"]), path)
            if path != "/healthz":
                self.assertTrue(any(not code.startswith("2") for code in operation["responses"]), path)

    def test_schemas_are_schemas(self):
        for schema in self.document["components"]["schemas"].values():
            Draft202012Validator.check_schema(schema)

    def test_codes_of_problems_are_those_of_the_server(self):
        with open(os.path.join(SOURCE, "server", "codec", "wire", "problem.c"), encoding="utf8") as f:
            codes = set(re.findall(r'\[PROBLEM_\w+\] = \{"(\w+)"', f.read()))
        self.assertEqual(codes, set(self.document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]))

    def test_quantities_are_those_of_the_engine(self):
        self.assertGreater(len(quantities()), 10)
        self.assertEqual(set(quantities()), set(self.document["components"]["schemas"]["Quantity"]["enum"]))


if __name__ == "__main__":
    unittest.main()
