"""api/**/*.proto against the server's table of methods, both ways; and the table of errors against the statuses of gRPC."""
import glob
import os
import re
import subprocess
import tempfile
import unittest

from google.protobuf import descriptor_pb2

from tables import SOURCE, tables

API = os.path.join(SOURCE, "api")
# https://grpc.io: the gRPC status that an HTTP status of ours stands beside
STATUSES = {400: {3}, 401: {16}, 403: {7}, 404: {5}, 405: {12}, 406: {3}, 408: {4}, 409: {6, 9}, 412: {9}, 410: {15}, 413: {8}, 415: {3},
            416: {11}, 422: {9}, 429: {8}, 500: {13}, 503: {14}, 507: {8}}


def files():
    names = sorted(glob.glob(os.path.join(API, "**", "*.proto"), recursive=True))
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["protoc", "-I", API, "--include_source_info", f"--descriptor_set_out={out.name}", *names], check=True)
        return descriptor_pb2.FileDescriptorSet.FromString(out.read()).file


def methods_of_contract():
    found = {}
    for file in files():
        for service in file.service:
            for m in service.method:
                found[f"/{file.package}.{service.name}/{m.name}"] = (m.client_streaming, m.server_streaming, m.input_type.lstrip("."))
    return found


def methods_of_server():
    return {m["path"]: (m["reads"], m["sends"], m["request"]) for m in tables()["methods"]}


class Contract(unittest.TestCase):
    def test_contract_and_table_have_the_same_methods_of_the_same_kind(self):
        contract, server = methods_of_contract(), methods_of_server()
        self.assertGreater(len(contract), 15)
        self.assertEqual(contract, server)

    def test_every_method_and_message_field_of_ours_has_a_name_in_one_style(self):
        for file in files():
            for message in file.message_type:
                for field in message.field:
                    self.assertRegex(field.name, r"^[a-z][a-z0-9_]*$")
            for service in file.service:
                for method in service.method:
                    self.assertRegex(method.name, r"^[A-Z][A-Za-z]*$")

    def test_errors_have_the_grpc_status_of_their_http_status(self):
        with open(os.path.join(SOURCE, "server", "codec", "wire", "problem.c"), encoding="utf8") as f:
            rows = re.findall(r'\[PROBLEM_\w+\] = \{"(\w+)", (\d+), (\d+), "', f.read())
        self.assertGreater(len(rows), 15)
        for code, http, status in rows:
            self.assertIn(int(status), STATUSES[int(http)], code)


if __name__ == "__main__":
    unittest.main()
