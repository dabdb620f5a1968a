#!/usr/bin/python3
"""The operations of openapi.yaml as tables for the clients: operationId -> method, path, parameters of the query.

    api/write_operations.py          writes
    api/write_operations.py --check  exit status 1 when a file is not what it would write

So an operation that asks for names and a query and answers with JSON has no place of its own in a client's transport.
"""
import json
import os
import sys

import yaml

API = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(API)
NOT_FOR_CLIENTS = {"contract", "dashboard", "dashboard_asset", "docs"}


def operations():
    """[(name, method, path, [parameters of the query])] in the order of the contract."""
    with open(os.path.join(API, "openapi.yaml"), encoding="utf-8") as file:
        contract = yaml.safe_load(file)

    def resolved(parameter):
        return contract["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]] if "$ref" in parameter else parameter

    for path, item in contract["paths"].items():
        for method, operation in item.items():
            if method == "parameters" or operation["operationId"] in NOT_FOR_CLIENTS:
                continue
            parameters = map(resolved, item.get("parameters", []) + operation.get("parameters", []))
            yield operation["operationId"], method.upper(), path, [one["name"] for one in parameters if one["in"] == "query"]


def python(rows):
    lines = [f"    {json.dumps(name)}: ({json.dumps(method)}, {json.dumps(path)}, ({''.join(json.dumps(q) + ', ' for q in query).rstrip(' ')})),"
             for name, method, path, query in rows]
    return ('"""Written by api/write_operations.py from api/openapi.yaml: operation -> (method, path, parameters of the query)."""\n\n'
            "OPERATIONS = {\n" + "\n".join(lines) + "\n}\n")


def javascript(rows):
    lines = [f"  {name}: [{json.dumps(method)}, {json.dumps(path)}]," for name, method, path, _ in rows]
    return ("// Written by api/write_operations.py from api/openapi.yaml: operation -> [method, path].\n"
            "export const operations = {\n" + "\n".join(lines) + "\n};\n")


def header(rows):
    lines = [f"#define CLIENT_{name.upper()} ((client_operation){{{json.dumps(method)}, {json.dumps(path)}}})" for name, method, path, _ in rows]
    return ("// Written by api/write_operations.py from api/openapi.yaml: method and path of every operation.\n"
            "#ifndef TENDRIL_CLIENT_LIB_OPERATIONS_H\n#define TENDRIL_CLIENT_LIB_OPERATIONS_H\n\n"
            "typedef struct client_operation {\n  const char *method, *path;\n} client_operation;\n\n" + "\n".join(lines) + "\n\n#endif\n")


def files():
    rows = list(operations())
    return {"clients/python/tendril/operations.py": python(rows), "clients/js/src/operations.js": javascript(rows),
            "clients/c/lib/http/operations.h": header(rows)}


def stale():
    """Files that are not what would be written."""
    wrong = []
    for path, text in files().items():
        place = os.path.join(TOP, path)
        with open(place if os.path.exists(place) else os.devnull, encoding="utf-8") as file:
            if file.read() != text:
                wrong.append(path)
    return wrong


def main():
    if "--check" in sys.argv:
        wrong = stale()
        if wrong:
            sys.exit(f"{', '.join(wrong)}: not what the contract says, run api/write_operations.py")
        return
    for path, text in files().items():
        with open(os.path.join(TOP, path), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
