"""Who may call, from outside: tokens and their scopes, TLS and its files, names, rates, connections; and no token in a log."""
import contextlib
import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

import yaml

import harness
from harness import store_flags, BIN, SOURCE, Server, make_certificate, make_token, pendulum

SECRET = re.compile(r"tendril_[0-9a-f]{64}\Z")


def run(program, *arguments, **environment):
    return subprocess.run([os.path.join(BIN, program), *arguments], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **environment})


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def needed_scopes():
    """(method, path, scope) of every operation of the contract."""
    with open(os.path.join(SOURCE, "api", "openapi.yaml"), encoding="utf8") as file:
        contract = yaml.safe_load(file)
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                needs = operation.get("security", contract["security"])
                yield method.upper(), re.sub("{[^}]*}", "nobody", path), needs[0]["bearer"][0] if needs else None


class Tokens(harness.ServerTest):
    @classmethod
    def setUpClass(cls):
        cls.own = tempfile.TemporaryDirectory()
        folder = os.path.join(cls.own.name, "data")
        cls.token = {scope: make_token(folder, scope) for scope in ("read", "run", "admin")}
        cls.server = Server(folder)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        log = cls.server.last_log
        cls.own.cleanup()
        assert "tendril_0" not in log and not any(token[8:40] in log for token in cls.token.values()), "a token in the log"
        assert '"token":"read"' in log, "the log says whose token it was"

    def ask(self, method, path, token=None, body=None, **headers):
        return self.server.request(method, path, body, {**(bearer(token) if token else {}), **headers})

    def test_every_operation_wants_the_scope_that_the_contract_says(self):
        order = [None, "read", "run", "admin"]
        for method, path, needed in needed_scopes():
            for own in order:
                reply = self.ask(method, path, own and self.token[own], {} if method in ("POST", "PUT") else None)
                if path.startswith("/v1/nodes") and own == "run":  # nodes run everybody's jobs: who has an owner sees none, and drains none
                    self.assert_problem(reply, 403, "permission_denied")
                elif order.index(own) >= order.index(needed):
                    self.assertNotIn(reply.status, (401, 403), (method, path, own))
                elif own is None:
                    self.assert_problem(reply, 401, "unauthenticated")
                    self.assertEqual(reply.headers["WWW-Authenticate"], 'Bearer realm="tendril"')
                else:
                    self.assert_problem(reply, 403, "permission_denied", words=(f'"{own}"', needed))

    def test_a_read_only_token_looks_and_changes_nothing(self):
        self.assertEqual(self.ask("PUT", "/v1/models/pendulum", self.token["run"], pendulum()).status, 201)
        self.assertEqual(self.ask("GET", "/v1/models/pendulum", self.token["read"]).status, 200)
        self.assert_problem(self.ask("DELETE", "/v1/models/pendulum", self.token["read"]), 403, "permission_denied")
        self.assertEqual(self.ask("GET", "/v1/models/pendulum", self.token["read"]).status, 200)

    def test_what_is_not_the_token_is_401_and_says_why(self):
        good = self.token["admin"]
        for header, word in (("", "Bearer TOKEN"), ("Bearer", "Bearer TOKEN"), (f"Basic {good}", "Bearer TOKEN"),
                             (good, "Bearer TOKEN"), (f"Bearer {good}0", "mistyped"), (f"Bearer {good[:-1]}", "mistyped"),
                             (f"Bearer {good} x", "mistyped"), (f"Bearer {good.upper()}", "mistyped"),
                             ("Bearer " + "x" * 9000, "mistyped"), ("Bearer ü", "mistyped")):
            reply = self.ask("GET", "/v1/models", Authorization=header.encode("latin1"))
            problem = self.assert_problem(reply, 401, "unauthenticated", words=(word,))
            self.assertIn("invalid_token", reply.headers["WWW-Authenticate"])
            self.assertNotIn(good[8:24], json.dumps(problem))
        self.assertEqual(self.ask("GET", "/v1/models", Authorization=f"bearer {good}").status, 200)

    def test_a_token_is_made_used_listed_and_deleted_and_then_refused_on_the_same_connection(self):
        admin = self.token["admin"]
        made = self.ask("POST", "/v1/tokens", admin, {"name": "guest", "scope": "run"})
        self.assertEqual((made.status, made.headers["Cache-Control"]), (201, "no-store"))
        self.assertEqual(made.headers["Location"], "/v1/tokens/" + made.json()["id"])
        secret = made.json()["token"]
        self.assertRegex(secret, SECRET)
        listed = self.ask("GET", "/v1/tokens", admin)
        self.assertNotIn(secret[8:].encode(), listed.body)
        self.assertIn(("guest", "run"), [(t["name"], t["scope"]) for t in listed.json()["tokens"]])
        self.assertEqual(self.ask("GET", "/v1/tokens/guest", admin).json()["id"], made.json()["id"])
        with contextlib.closing(self.server.connect()) as kept:
            self.assertEqual(self.server.request_on(kept, "GET", "/v1/models", headers=bearer(secret)).status, 200)
            self.assertEqual(self.ask("DELETE", "/v1/tokens/guest", admin).status, 204)
            reply = self.server.request_on(kept, "GET", "/v1/models", headers=bearer(secret))
            self.assert_problem(reply, 401, "unauthenticated", words=("deleted",))
        self.assert_problem(self.ask("DELETE", "/v1/tokens/guest", admin), 404, "not_found")

    def test_wrong_requests_for_tokens_are_refused_with_their_place(self):
        for body, status, pointer in (({"name": "x"}, 400, ""), ({"scope": "run"}, 400, ""),
                                      ({"name": "x", "scope": "root"}, 400, "/scope"), ({"name": "x", "scope": 1}, 400, "/scope"),
                                      ({"name": "a b", "scope": "run"}, 400, "/name"), ({"name": 3, "scope": "run"}, 400, "/name"),
                                      ({"name": "x", "scope": "run", "for": 1}, 400, "/for"), ([], 400, ""),
                                      ({"name": "read", "scope": "run"}, 409, None)):
            reply = self.ask("POST", "/v1/tokens", self.token["admin"], body)
            self.assertEqual(reply.status, status, (body, reply.body))
            if pointer is not None:
                self.assertTrue(reply.json()["pointer"].startswith(pointer), (body, reply.body))

    def test_a_token_that_turns_up_in_a_path_is_not_logged(self):
        token = "tendril_" + "0" * 64
        for method in ("GET", "DELETE"):
            self.assertEqual(self.ask(method, "/v1/tokens/" + token, self.token["admin"]).status, 404)
        self.server.wait_for_log("/v1/tokens/tendril_***")  # tearDownClass looks for the rest

    def test_the_body_of_a_stranger_is_not_waited_for(self):
        head = "POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000000\r\n\r\n"
        with socket.create_connection((self.server.host, self.server.port), timeout=30) as s:
            s.sendall(head.encode())
            self.assertTrue(s.recv(4096).startswith(b"HTTP/1.1 401 "))

    def test_a_stream_of_events_ends_after_its_token_is_deleted(self):
        admin, token = self.token["admin"], None
        self.ask("PUT", "/v1/models/soft", admin, harness.soft_arm())
        job = self.ask("POST", "/v1/jobs", admin, harness.long_job("soft", 4000)).json()["id"]
        token = self.ask("POST", "/v1/tokens", admin, {"name": "watcher", "scope": "read"}).json()["token"]
        connection = self.server.connect()
        connection.request("GET", f"/v1/jobs/{job}/events", headers={**bearer(token), "Accept": "text/event-stream"})
        stream = connection.getresponse()
        self.assertTrue(stream.readline().startswith(b"id: "))
        self.assertEqual(self.ask("DELETE", "/v1/tokens/watcher", admin).status, 204)
        stream.read()  # returns: the job goes on, the stream does not
        connection.close()
        self.assertIn(self.ask("GET", f"/v1/jobs/{job}", admin).json()["state"], ("queued", "running"))
        self.ask("POST", f"/v1/jobs/{job}:cancel", admin)

    def test_the_tendril_command_makes_lists_and_deletes_tokens(self):
        url = {"TENDRIL_URL": f"http://127.0.0.1:{self.server.port}", "TENDRIL_TOKEN": self.token["admin"]}
        made = run("tendril", "token", "create", "--name", "laptop", "--scope", "read", **url)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertRegex(made.stdout.strip(), SECRET)
        self.assertIn("laptop", run("tendril", "token", "list", **url).stdout)
        rows = [json.loads(line) for line in run("tendril", "token", "list", "--json", **url).stdout.splitlines()]
        self.assertIn("laptop", [row["name"] for row in rows])
        as_laptop = {**url, "TENDRIL_TOKEN": made.stdout.strip()}
        self.assertEqual(run("tendril", "models", "list", **as_laptop).returncode, 0)
        refused = run("tendril", "token", "list", **as_laptop)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("permission_denied", refused.stderr)
        self.assertEqual(run("tendril", "token", "delete", "laptop", **url).returncode, 0)
        refused = run("tendril", "models", "list", **as_laptop)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("TENDRIL_TOKEN", refused.stderr)
        self.assertEqual(run("tendril", "token", "create", "--name", "x", **url).returncode, 2)


class WithoutAServer(unittest.TestCase):
    def setUp(self):
        self.own = tempfile.TemporaryDirectory()
        self.addCleanup(self.own.cleanup)
        self.folder = os.path.join(self.own.name, "data")

    def token(self, *words, **environment):
        folder = words[words.index("--data") + 1] if "--data" in words else environment.get("TENDRIL_DATA")
        return run("tendrild", "token", *words, *(store_flags(folder) if folder else ()), **environment)

    def test_a_token_is_printed_once_and_nothing_else_is_on_stdout(self):
        made = self.token("create", "--data", self.folder, "--scope", "admin", "--name", "me")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertRegex(made.stdout.rstrip("\n"), SECRET)
        self.assertNotIn(made.stdout[8:40], made.stderr)
        listed = self.token("list", TENDRIL_DATA=self.folder)
        self.assertEqual((listed.returncode, listed.stdout.split()[1]), (0, "admin"))
        self.assertNotIn(made.stdout[8:40], listed.stdout)

    def test_a_token_without_name_and_scope_is_an_admin_s(self):
        for words in ((), (), ("--scope", "read"), ("--name", "me")):
            made = self.token("create", "--data", self.folder, *words)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertRegex(made.stdout.rstrip("\n"), SECRET)
        rows = [line.split() for line in self.token("list", "--data", self.folder).stdout.splitlines()]
        self.assertEqual([(scope, name) for _, scope, _, name in rows],
                         [("admin", "admin"), ("admin", "admin-2"), ("read", "read"), ("admin", "me")])

    def test_wrong_words_are_status_2_and_refusals_1(self):
        for words, status in ((("create", "--name", "x", "--scope", "root"), 2), (("create", "--scope", "root"), 2),
                              (("create", "--name", "a b", "--scope", "run"), 2), (("delete",), 2), (("forge",), 2), ((), 2),
                              (("list", "--speed", "9"), 2), (("delete", "--name", "nobody"), 1)):
            done = self.token(*words, *(("--data", self.folder) if words else ()))
            self.assertEqual((done.returncode, done.stdout), (status, ""), (words, done.stderr))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        make_token(self.folder, "run")
        self.assertEqual(self.token("create", "--data", self.folder, "--scope", "run", "--name", "run").returncode, 1)
        self.assertEqual(self.token("--help").returncode, 0)

    def test_a_folder_that_is_being_served_is_refused(self):
        server = Server(self.folder)
        done = self.token("create", "--data", self.folder, "--scope", "run", "--name", "x")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("in use", done.stderr)
        server.close()

    def test_without_tokens_the_server_is_open_but_for_the_making_of_tokens(self):
        server = Server(self.folder)
        self.assertEqual(server.request("PUT", "/v1/models/pendulum", pendulum()).status, 201)
        self.assertEqual(server.request("GET", "/v1/models", headers=bearer("of-elsewhere")).status, 200)
        for method, body in (("GET", None), ("POST", {"name": "x", "scope": "admin"})):
            reply = server.request(method, "/v1/tokens", body)
            self.assertEqual((reply.status, reply.json()["code"]), (401, "unauthenticated"))
            self.assertIn("tendrild token create", reply.json()["detail"])
        server.close()

    def test_deleted_tokens_leave_the_folder_closed_until_clear(self):
        token = make_token(self.folder, "admin")
        server = Server(self.folder)
        self.assertEqual(server.request("GET", "/v1/models").status, 401)
        self.assertEqual(server.request("DELETE", "/v1/tokens/admin?force=1", headers=bearer(token)).status, 204)
        self.assertEqual(server.request("GET", "/v1/models", headers=bearer(token)).status, 401)
        server.close()
        server = Server(self.folder)
        self.assertEqual(server.request("GET", "/v1/models", headers=bearer(token)).status, 401)
        self.assertEqual(server.request("GET", "/v1/models").status, 401)
        server.close()
        self.assertEqual(self.token("clear", "--data", self.folder).returncode, 0)
        server = Server(self.folder)
        self.assertEqual(server.request("GET", "/v1/models").status, 200)
        server.close()


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.own = tempfile.TemporaryDirectory()
        cls.certificate, cls.key = make_certificate(cls.own.name, "good")
        cls.old, cls.old_key = make_certificate(cls.own.name, "old", at="2020-01-01")
        cls.early, cls.early_key = make_certificate(cls.own.name, "early", at="2090-01-01")
        cls.folder = os.path.join(cls.own.name, "data")
        cls.token = make_token(cls.folder, "run")

    @classmethod
    def tearDownClass(cls):
        cls.own.cleanup()

    def refused(self, words, *flags, folder=None):
        done = run("tendrild", "--data", folder or self.folder, "--http", "127.0.0.1:0", *flags)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        said = [line for line in done.stderr.splitlines() if not line.startswith("{")]
        self.assertEqual(len(said), 1, done.stderr)
        for word in words:
            self.assertIn(word, said[0])

    def test_files_that_cannot_serve_end_the_start_with_one_line_that_names_them(self):
        empty = os.path.join(self.own.name, "empty.pem")
        open(empty, "wb").close()
        locked = os.path.join(self.own.name, "locked.pem")
        subprocess.run(["openssl", "rsa", "-in", self.key, "-out", locked, "-aes128", "-passout", "pass:x"], check=True,
                       capture_output=True)
        for certificate, key, words in ((self.old, self.old_key, (self.old, "expired at 2020-01-31T")),
                                        (self.early, self.early_key, (self.early, "not valid before 2090-01-01T")),
                                        (self.certificate, self.old_key, ("does not belong", self.old_key)),
                                        ("/no/such", self.key, ("/no/such", "No such file")),
                                        (self.certificate, "/no/such", ("/no/such", "No such file")),
                                        (self.key, self.key, (self.key, "not a certificate")),
                                        (self.certificate, self.certificate, (self.certificate, "not a private key")),
                                        (self.certificate, locked, (locked, "without a password")),
                                        (empty, self.key, (empty, "not a certificate")),
                                        (self.certificate, empty, (empty, "not a private key")),
                                        ("/dev/zero", self.key, ("/dev/zero",))):
            self.refused(words, "--tls-cert", certificate, "--tls-key", key)
        self.refused(("--tls-cert", "--tls-key"), "--tls-cert", self.certificate)
        self.refused(("--tls-key", "--tls-cert"), "--tls-key", self.key)

    def test_other_addresses_want_tls_and_a_token_or_an_explicit_word(self):
        tls = ("--tls-cert", self.certificate, "--tls-key", self.key)
        for address in ("0.0.0.0:0", "[::]:0"):
            self.refused(("loopback", "--tls-cert", "--insecure"), "--http", address)
            self.refused(("loopback", "token create"), "--http", address, *tls, folder=self.folder + "-without")
        self.refused(("--insecure", "true or false"), "--insecure=perhaps", "--http", "0.0.0.0:0")
        self.refused(("--hosts", '"a b"'), "--hosts", "a b")
        server = Server(self.folder, "--http", "0.0.0.0:0", *tls, token=self.token, tls=self.certificate)
        server.host = "127.0.0.1"
        self.assertEqual(server.request("GET", "/v1/models", headers={"Host": "10.1.2.3:8080"}).status, 200)
        self.assertEqual(server.request("GET", "/v1/models", headers={"Host": "evil.example"}).status, 403)
        server.close()
        server = Server(self.folder + "-open", "--http", "0.0.0.0:0", "--insecure")
        server.wait_for_log('"insecure"')
        server.host = "127.0.0.1"
        self.assertEqual(server.request("GET", "/v1/models").status, 200)
        server.close()

    @contextlib.contextmanager
    def server(self, *flags):
        server = Server(self.folder, "--tls-cert", self.certificate, "--tls-key", self.key, *flags, token=self.token,
                        tls=self.certificate)
        self.addCleanup(lambda: self.assertNotIn(self.token[8:40], getattr(server, "last_log", "")))
        try:
            yield server
        finally:
            server.close()

    def test_requests_large_replies_and_runs_work_over_tls(self):
        with self.server() as server:
            self.assertIs(server.ready["tls"], True)
            self.assertEqual(server.request("PUT", "/v1/models/pendulum", pendulum()).status, 201)
            states = [{"q": [0.01 * i]} for i in range(20000)]
            with contextlib.closing(server.connect()) as kept:
                for _ in range(3):
                    reply = server.request_on(kept, "POST", "/v1/models/pendulum:evaluate", {"want": ["fd"], "states": states})
                    self.assertEqual((reply.status, len(reply.json()["states"])), (200, len(states)))
            job = server.submit({"model": "pendulum", "kind": "dynamics", "t_end": 1})
            server.wait(job)
            archive = server.request("GET", f"/v1/jobs/{job}/result", headers={"Accept": "application/x-npz"})
            self.assertIn("q", archive.npz())
            events = server.request("GET", f"/v1/jobs/{job}/events", headers={"Accept": "text/event-stream"})
            self.assertIn(b"succeeded", events.body)

    def test_old_protocols_unknown_roots_and_other_names_do_not_connect(self):
        with self.server() as server:
            def connect(context, name="localhost"):
                with socket.create_connection((server.host, server.port), timeout=30) as plain:
                    with context.wrap_socket(plain, server_hostname=name) as secure:
                        return secure.version()
            self.assertIn(connect(ssl.create_default_context(cafile=self.certificate)), ("TLSv1.2", "TLSv1.3"))
            with self.assertRaises(ssl.SSLCertVerificationError):
                connect(ssl.create_default_context())
            with self.assertRaises(ssl.SSLCertVerificationError):
                connect(ssl.create_default_context(cafile=self.certificate), "evil.example")
            old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
            old.set_ciphers("ALL:@SECLEVEL=0")
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                connect(old)
            self.assertTrue(server.alive())

    def test_old_ciphers_are_refused_and_pages_stay_encrypted(self):
        with self.server() as server:
            self.assertIn("max-age", server.request("GET", "/healthz").headers["Strict-Transport-Security"])
            faces = (server.port, ["http/1.1"]), (int(server.ready["grpc"].rsplit(":", 1)[1]), ["h2"])
            for ciphers, taken in (("AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA", False), ("ECDHE-RSA-AES128-SHA", False),
                                   ("ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA384", False), ("ECDHE-RSA-AES128-GCM-SHA256", True)):
                for port, protocols in faces:
                    context = ssl.create_default_context(cafile=self.certificate)
                    context.maximum_version = ssl.TLSVersion.TLSv1_2
                    context.set_ciphers(ciphers + ":@SECLEVEL=0")
                    context.set_alpn_protocols(protocols)
                    with socket.create_connection((server.host, port), timeout=30) as plain:
                        if taken:
                            context.wrap_socket(plain, server_hostname="localhost").close()
                            continue
                        with self.assertRaises((ssl.SSLError, ConnectionError), msg=f"{ciphers} on {port}"):
                            context.wrap_socket(plain, server_hostname="localhost")

    def test_garbage_and_plain_http_on_the_tls_port_harm_nobody(self):
        with self.server() as server:
            silent = [socket.create_connection((server.host, server.port)) for _ in range(50)]
            self.addCleanup(lambda: [s.close() for s in silent])
            for data in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", os.urandom(5000), b"\x16\x03\x01\xff\xff" + b"\0" * 70000, b""):
                with contextlib.suppress(OSError):  # it may be closed while we still send
                    self.assertNotIn(b"HTTP/1.1 200", server.raw(data, timeout=5, half_close=True))
                self.assertTrue(server.alive())

    def test_what_the_library_refuses_itself_is_a_problem_over_tls_too(self):
        with self.server() as server:
            for head in ("Content-Length: x\r\n", "X: " + "y" * 100000 + "\r\n"):
                with socket.create_connection((server.host, server.port), timeout=30) as plain:
                    with server.context.wrap_socket(plain, server_hostname="localhost") as secure:
                        secure.sendall(f"POST /v1/models HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode())
                        answer = secure.recv(65536)
                self.assertIn(answer.split(b" ")[1], (b"400", b"413"), answer[:300])
                self.assertIn(b"application/problem+json", answer)
            self.assertTrue(server.alive())

    def test_the_tendril_command_trusts_the_certificates_it_is_given(self):
        with self.server() as server:
            url = {"TENDRIL_URL": f"https://localhost:{server.port}", "TENDRIL_TOKEN": self.token}
            done = run("tendril", "models", "list", **url, TENDRIL_CA_FILE=self.certificate)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = run("tendril", "models", "list", **url, TENDRIL_CA_FILE=self.old)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("certificate", done.stderr)


class NamesAndLimits(unittest.TestCase):
    def test_names_that_are_configured_are_answered_to_and_their_pages_may_call(self):
        server = Server(None, "--hosts", "tendril.test,robots.example")
        for host, origin, status in (("tendril.test", None, 200), ("Robots.Example:80", "https://tendril.test", 200),
                                     ("localhost", "http://localhost:3000", 200), ("localhost", "https://evil.example", 403),
                                     ("localhost", "null", 403), ("evil.example", None, 403), ("10.0.0.1", None, 403),
                                     ("tendril.test.evil.example", None, 403), ("localhost", "http://10.0.0.1", 403)):
            reply = server.request("GET", "/v1/models", headers={"Host": host, **({"Origin": origin} if origin else {})})
            self.assertEqual(reply.status, status, (host, origin, reply.body))
        server.close()

    def test_a_caller_beyond_the_rate_gets_429_and_when_to_come_again_and_others_go_on(self):
        with tempfile.TemporaryDirectory() as own:
            folder = os.path.join(own, "data")
            fast, slow = make_token(folder, "run", "fast"), make_token(folder, "run", "slow")
            server = Server(folder, "--rate", "1", "--burst", "3")
            self.assertEqual(server.request("GET", "/v1/models", headers=bearer(slow)).status, 200)
            replies = []
            while len(replies) < 1000 and (not replies or replies[-1].status == 200):
                replies.append(server.request("GET", "/v1/models", headers=bearer(fast)))
            self.assertGreaterEqual(len(replies), 4)
            self.assertEqual((replies[-1].status, replies[-1].json()["code"]), (429, "rate_limited"))
            self.assertEqual(replies[-1].headers["Retry-After"], "1")
            self.assertEqual(server.request("GET", "/v1/models", headers=bearer(slow)).status, 200)
            guesses = []
            while len(guesses) < 1000 and 429 not in guesses:
                guesses.append(server.request("GET", "/v1/models", headers=bearer("wrong")).status)
            self.assertEqual(set(guesses), {401, 429})
            self.assertEqual(server.request("GET", "/healthz").status, 200)
            again = server.request("GET", "/v1/limits", headers=bearer(slow))
            while again.status == 429:  # what Retry-After promises
                time.sleep(int(again.headers["Retry-After"]))
                again = server.request("GET", "/v1/limits", headers=bearer(slow))
            self.assertEqual((again.json()["rate"], again.json()["burst"]), (1, 3))
            server.close()

    def test_the_c_client_waits_as_long_as_it_is_told(self):
        server = Server(None, "--rate", "5", "--burst", "1")
        url = {"TENDRIL_URL": f"http://127.0.0.1:{server.port}"}
        for _ in range(4):
            self.assertEqual(run("tendril", "models", "list", **url).returncode, 0)
        server.close()

    def test_connections_of_one_address_beyond_the_limit_are_closed_and_room_is_given_again(self):
        server = Server(None, "--connections-per-address", "5")
        kept = [server.connect() for _ in range(5)]
        for connection in kept:
            self.assertEqual(server.request_on(connection, "GET", "/healthz").status, 200)
        with self.assertRaises((http.client.RemoteDisconnected, ConnectionError)):
            server.request("GET", "/healthz")
        for connection in kept:
            self.assertEqual(server.request_on(connection, "GET", "/healthz").status, 200)
            connection.close()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(http.client.RemoteDisconnected, ConnectionError):
                if server.request("GET", "/healthz").status == 200:
                    break
        self.assertEqual(server.request("GET", "/v1/limits").json()["connections_per_address"], 5)
        server.close()


if __name__ == "__main__":
    harness.main()
