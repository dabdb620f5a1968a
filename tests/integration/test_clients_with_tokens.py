"""The clients in Python and JavaScript at a server with tokens and TLS."""
import asyncio
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import BIN, SOURCE, Server, main, make_certificate, make_token, pendulum

CLIENTS = os.path.join(os.path.abspath(SOURCE), "clients")
sys.path.insert(0, os.path.join(CLIENTS, "python"))
import tendril  # noqa: E402

NODE = shutil.which("node")


class Guarded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.own = tempfile.TemporaryDirectory()
        folder = os.path.join(cls.own.name, "data")
        cls.tokens = {scope: make_token(folder, scope) for scope in ("read", "admin")}
        cls.certificate, key = make_certificate(cls.own.name, "server")
        cls.server = Server(folder, "--tls-cert", cls.certificate, "--tls-key", key, token=cls.tokens["admin"], tls=cls.certificate)
        cls.url = f"https://127.0.0.1:{cls.server.port}"
        cls.grpc = "grpcs://localhost:" + cls.server.ready["grpc"].rsplit(":", 1)[1]

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.own.cleanup()
        assert not any(token[8:] in cls.server.last_log for token in cls.tokens.values()), "a token in the log"

    def client(self, token):
        client = tendril.Client(self.url, token, ca=self.certificate)
        self.addCleanup(client.close)
        return client

    def test_python_is_let_in_by_its_token_as_far_as_its_scope_reaches(self):
        with self.assertRaises(tendril.Unauthenticated):
            list(self.client("tendril_" + "0" * 64).models)
        with self.assertRaises(tendril.PermissionDenied):
            self.client(self.tokens["read"]).models.put(pendulum())
        admin = self.client(self.tokens["admin"])
        admin.models.put(pendulum())
        self.assertIn(("pendulum", "admin"), [(model["name"], model["owner"]) for model in self.client(self.tokens["read"]).models])
        job = admin.submit(model="pendulum", kind="dynamics", t_end=0.1)
        self.assertEqual([event["seq"] for event in job.events()][0], 1)

    def test_python_does_not_trust_an_unknown_certificate(self):
        with tendril.Client(self.url, self.tokens["admin"]) as client, self.assertRaisesRegex(tendril.Unreachable, "CERTIFICATE_VERIFY_FAILED.*not trusted.*ca=FILE"):
            client.version()

    def test_TLS_is_named_where_it_is_the_cause_and_nobody_is_asked_whether_a_server_runs(self):
        plain = self.url.replace("https", "http")
        with tendril.Client(plain) as client, self.assertRaisesRegex(tendril.Unreachable, "begins with https://"):
            client.version()
        environment = {name: value for name, value in os.environ.items() if name != "TENDRIL_CA_FILE"}
        for url, words in ((plain, "wants TLS, its address begins with https://"), (self.url, "not trusted: TENDRIL_CA_FILE names a file")):
            done = subprocess.run([os.path.join(BIN, "tendril"), "models", "list", "--url", url], capture_output=True, text=True, env=environment, timeout=60, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertNotIn("Is a server running", done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("grpc"), "there is no python3-grpcio")
    def test_python_over_grpc_is_let_in_likewise(self):
        self.client(self.tokens["admin"]).models.put(pendulum())
        def ask(token, ca=self.certificate):
            with tendril.Client(self.grpc, token, ca=ca) as client:
                return client.evaluate("pendulum", [0.1])["fd"]
        self.assertEqual(ask(self.tokens["admin"]).tobytes(), self.client(self.tokens["admin"]).evaluate("pendulum", [0.1])["fd"].tobytes())
        for token, refusal in (("tendril_" + "0" * 64, tendril.Unauthenticated), (self.tokens["read"], tendril.PermissionDenied)):
            with self.assertRaises(refusal):
                ask(token)
        with self.assertRaises(tendril.Unreachable):
            ask(self.tokens["admin"], ca=None)

    @unittest.skipUnless(shutil.which("faketime"), "faketime is not installed")
    def test_a_certificate_that_has_expired_meanwhile_is_not_trusted(self):
        program = "import sys, tendril\ntry: print(list(tendril.Client(*sys.argv[1:3], ca=sys.argv[3]).models))\n" \
                  "except tendril.Unreachable as error: print(error)"
        for url, words in ((self.url.replace("127.0.0.1", "localhost"), "certificate has expired"), (self.grpc, "certificate verify failed")):
            if url == self.grpc and not importlib.util.find_spec("grpc"):
                continue
            for later, expected in (([], "["), (["faketime", "-f", "+60d"], words)):
                done = subprocess.run([*later, sys.executable, "-B", "-c", program, url, self.tokens["admin"], self.certificate],
                                      capture_output=True, text=True, timeout=120, check=True,
                                      env={**os.environ, "PYTHONPATH": os.path.join(CLIENTS, "python"), "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
                self.assertIn(expected, done.stdout)

    def test_python_makes_lists_and_deletes_tokens(self):
        admin = self.client(self.tokens["admin"])
        made = admin.tokens.create("lab", "run")
        lab = self.client(made["token"])
        self.assertEqual(lab.models.put(pendulum())["ndof"], 1)
        self.assertIn("lab", [token["name"] for token in admin.tokens.list()])
        self.assertEqual(admin.tokens.get("lab")["scope"], "run")
        admin.tokens.delete(made["id"])
        with self.assertRaises(tendril.Unauthenticated):
            lab.models.get("pendulum")

    def test_python_names_the_owner_of_models_and_jobs_over_both_faces(self):
        admin = self.client(self.tokens["admin"])
        made = {name: self.client(admin.tokens.create(name, "run", owner="duo")["token"]) for name in ("one", "two")}
        made["one"].models.put(pendulum(name="own", gravity=[0, 0, -1]))
        self.assertEqual(made["two"].models.get("own")["owner"], "duo")
        admin.models.put(pendulum(name="own", gravity=[0, 0, -2]), owner="none")
        with tendril.Client(self.grpc, self.tokens["admin"], ca=self.certificate) as over_grpc:
            for client in (admin, over_grpc):
                self.assertEqual([client.models.get("own", owner=owner)["owner"] for owner in (None, "none", "duo")], [None, None, "duo"])
                self.assertEqual([model["name"] for model in client.models.list(owner="duo")], ["own"])
        job = made["two"].submit(model="own", kind="dynamics", t_end=0.02).wait()
        self.assertEqual([one.id for one in admin.jobs(owner="duo")], [job.id])
        self.assertEqual(admin.job(job.id).data["owner"], "duo")
        with self.assertRaises(tendril.FailedPrecondition):
            admin.tokens.delete("admin")
        admin.models.delete("own", owner="none")
        self.assertEqual(made["one"].models.get("own")["owner"], "duo")

    def test_asyncio_lists_tokens(self):
        async def names():
            async with tendril.AsyncClient(self.url, self.tokens["admin"], ca=self.certificate) as client:
                return [token["name"] for token in await client.tokens.list()]
        self.assertIn("admin", asyncio.run(names()))

    @unittest.skipUnless(NODE, "there is no node")
    def test_javascript_does_the_same(self):
        program = f"""
            import {{ Client }} from "file://{CLIENTS}/js/src/index.js";
            const [url, reader, admin] = process.argv.slice(2);
            const code = (promise) => promise.then(() => "fine", (error) => error.code);
            const as = (token) => new Client(url, {{ token }});
            const made = await as(admin).tokens.create("browser", "run");
            const out = [await code(as("tendril_0").tokens.list()), await code(as(reader).tokens.list()),
                         await code(as(made.token).models.put({json.dumps(pendulum())})), (await as(admin).tokens.get("browser")).scope];
            await as(admin).tokens.delete(made.id);
            out.push(await code(as(made.token).models.get("pendulum")));
            console.log(JSON.stringify(out));"""
        path = os.path.join(self.own.name, "program.mjs")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        done = subprocess.run([NODE, path, self.url, self.tokens["read"], self.tokens["admin"]], capture_output=True, text=True,
                              timeout=120, env={**os.environ, "NODE_EXTRA_CA_CERTS": self.certificate})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), ["unauthenticated", "permission_denied", "fine", "run", "unauthenticated"])


if __name__ == "__main__":
    main()
