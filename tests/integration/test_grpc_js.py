"""Stock @grpc/grpc-js from npm with the .proto files alone: tests/grpc/calls.mjs against two servers, one of them with TLS and
tokens. The versions are those of tests/grpc/package-lock.json; they are installed once into the build folder."""
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import harness
from harness import BIN, SOURCE, Server, example, make_certificate, make_token, pendulum, soft_arm

HERE = os.path.join(os.path.abspath(SOURCE), "tests", "grpc")
PACKAGES = os.path.join(os.path.dirname(os.path.abspath(BIN)), "grpc-js")
MODELS = {"pendulum": pendulum(), "soft": soft_arm(), "cdm": example("cdm.model.json")}


def install():
    with open(os.path.join(HERE, "package-lock.json"), "rb") as file:
        lock = hashlib.sha256(file.read()).hexdigest()
    mark = os.path.join(PACKAGES, "installed")
    if os.path.exists(mark):
        with open(mark, encoding="ascii") as file:
            if file.read() == lock:
                return
    shutil.rmtree(PACKAGES, ignore_errors=True)
    os.mkdir(PACKAGES)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(HERE, name), PACKAGES)
    done = subprocess.run(["npm", "ci", "--no-fund", "--no-audit", "--ignore-scripts", "--loglevel=error"], cwd=PACKAGES,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"npm cannot install @grpc/grpc-js: {done.stdout}{done.stderr}"
    with open(mark, "w", encoding="ascii") as file:
        file.write(lock)


@unittest.skipUnless(shutil.which("node") and shutil.which("npm"), "node or npm is missing: @grpc/grpc-js is not tested")
class GrpcJs(unittest.TestCase):
    def test_every_method_in_plain_text_and_over_tls_with_a_token(self):
        install()
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
