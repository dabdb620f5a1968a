"""The routes of api/openapi.yaml as a list of lines for http/routes.h: routes.py FOLDER OUT. What a route takes and gives is
what its operation declares; its handler has its name."""
import os
import sys

import yaml

FLAGS = {"application/x-npz": "ROUTE_ANY_TYPE", "text/event-stream": "ROUTE_EVENTS", "text/csv": "ROUTE_CSV",
         "application/openmetrics-text": "ROUTE_METRICS", "text/html": "ROUTE_PAGE", "text/css": "ROUTE_PAGE"}
WIDTH = 118


def lines(contract):
    """LINE(method, path, ID, name, flags, query) of each operation."""
    def whole(node):
        while "$ref" in node and node["$ref"].startswith("#/components/"):
            _, _, kind, name = node["$ref"].split("/")
            node = contract["components"][kind][name]
        return node

    for path, item in contract["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            media = {kind for reply in operation["responses"].values() for kind in whole(reply).get("content", {})}
            taken = whole(operation.get("requestBody", {})).get("content", {})
            flags = ["ROUTE_BODY"] * ("requestBody" in operation) + ["ROUTE_ARCHIVE"] * ("application/x-npz" in taken and "application/x-npz" not in media) + sorted({FLAGS[kind] for kind in media if kind in FLAGS})
            parameters = map(whole, item.get("parameters", []) + operation.get("parameters", []))
            query = " ".join(one["name"] for one in parameters if one["in"] == "query")
            name = operation["operationId"]
            yield (f'  LINE("{method.upper()}", "{path}", {name.upper()}, {name}, {" | ".join(flags) or "0"}, '
                   + (f'"{query}")' if query else "NULL)"))


def header(contract):
    rows = ["#define HTTP_ROUTES(LINE)", *lines(contract)]
    return ("// Written by server/http/routes.py from api/openapi.yaml: method, path, operation, what it takes and gives, parameters.\n"
            + " \\\n".join(row.ljust(WIDTH) for row in rows).rstrip() + "\n")


if __name__ == "__main__":
    with open(os.path.join(sys.argv[1], "openapi.yaml"), encoding="utf8") as file:
        text = header(yaml.safe_load(file))
    with open(sys.argv[2], "w", encoding="utf8") as out:
        out.write(text)
