"""Stock @grpc/grpc-js from npm with the .proto files alone: tests/grpc/calls.mjs against two servers, one of them with TLS and
tokens. The versions are those of tests/grpc/package-lock.json; they are installed once into the build folder."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))

import harness  # noqa: E402
from harness import BIN, SOURCE, Server, example, make_certificate, make_token, pendulum, soft_arm  # noqa: E402
from npm_packages import install  # noqa: E402

HERE = os.path.join(os.path.abspath(SOURCE), "tests", "grpc")
PACKAGES = os.path.join(os.path.dirname(os.path.abspath(BIN)), "grpc-js")
MODELS = {"pendulum": pendulum(), "soft": soft_arm(), "cdm": example("cdm.model.json")}


@unittest.skipUnless(shutil.which("node") and shutil.which("npm"), "node or npm is missing: @grpc/grpc-js is not tested")
class GrpcJs(unittest.TestCase):
    def test_every_method_in_plain_text_and_over_tls_with_a_token(self):
        install(HERE, PACKAGES)
        with tempfile.TemporaryDirectory() as place:
            folder = os.path.join(place, "data")
            tokens = {scope: make_token(folder, scope) for scope in ("read", "run", "admin")}
            (ca, key), (other, _) = make_certificate(place, "server"), make_certificate(place, "other")
            servers = Server(), Server(folder, "--tls-cert", ca, "--tls-key", key, "--shared", token=tokens["admin"], tls=ca)
            try:
                done = self.run_node(*servers, tokens, ca, other)
            finally:
                for server in servers:
                    server.close()
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for token in tokens.values():
                self.assertNotIn(token[8:], servers[1].last_log)

    @staticmethod
    def run_node(plain, secured, tokens, ca, other):
        for server in (plain, secured):
            for name, model in MODELS.items():
                assert server.request("PUT", f"/v1/models/{name}", model).status == 201
        made = secured.request("POST", "/v1/tokens", {"name": "gone", "scope": "run"}).json()
        assert secured.request("DELETE", f"/v1/tokens/{made['id']}").status == 204
        tokens["deleted"] = made["token"]
        port = secured.ready["grpc"].rsplit(":", 1)[1]
        given = {"api": os.path.join(SOURCE, "api"), "packages": PACKAGES, "models": MODELS, "longJob": harness.long_job("soft"),
                 "open": {"grpc": plain.ready["grpc"], "http": f"http://{plain.ready['http']}"},
                 "guarded": {"grpc": f"localhost:{port}", "http": f"https://127.0.0.1:{secured.port}", "tokens": tokens, "ca": ca,
                             "otherCa": other}}
        return subprocess.run(["node", "--test", os.path.join(HERE, "calls.mjs")], capture_output=True, text=True, encoding="utf-8",
                              timeout=300, check=False,
                              env={**os.environ, "TENDRIL_TEST": json.dumps(given), "NODE_EXTRA_CA_CERTS": ca})


if __name__ == "__main__":
    harness.main()
