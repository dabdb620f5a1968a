"""The way to the database over TLS: who it is has to be proved, and what is wrong is said."""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))

from harness import BIN, Server, main, pendulum  # noqa: E402
from with_postgresql import Postgresql  # noqa: E402


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tendril-tls-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name in ("ours", "other"):
            cls.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN=the {name} authority",
                        "-keyout", f"{name}.key", "-out", f"{name}.pem")
        cls.openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=database", "-keyout", "server.key", "-out", "server.csr")
        with open(os.path.join(cls.folder, "names"), "w", encoding="ascii") as file:
            file.write("subjectAltName = DNS:localhost\n")
        cls.openssl("x509", "-req", "-in", "server.csr", "-CA", "ours.pem", "-CAkey", "ours.key", "-CAcreateserial", "-days", "2",
                    "-extfile", "names", "-out", "server.crt")
        cls.database = Postgresql(port=free_port(), listen="localhost")
        cls.addClassCleanup(cls.database.close)
        owner = os.stat(cls.database.data)
        for name in ("server.key", "server.crt"):
            path = shutil.copy(os.path.join(cls.folder, name), cls.database.data)
            os.chown(path, owner.st_uid, owner.st_gid)
            os.chmod(path, 0o600)
        with open(os.path.join(cls.database.data, "pg_hba.conf"), "w", encoding="ascii") as file:
            file.write("local all all trust\nhostssl all all localhost trust\n")
        cls.database.sql("ALTER SYSTEM SET ssl = on")
        cls.database.stop()
        cls.database.start()

    @classmethod
    def openssl(cls, *words):
        subprocess.run(["openssl", *words], cwd=cls.folder, check=True, capture_output=True)

    def url(self, host="localhost", authority="ours", mode="verify-full"):
        return f"postgresql://postgres@{host}:{self.database.port}/postgres?sslmode={mode}&sslrootcert={self.folder}/{authority}.pem"

    def refusal(self, url):
        done = subprocess.run([os.path.join(BIN, "tendrild"), "store", "migrate", "--store", url], capture_output=True, text=True, check=False,
                              timeout=120)
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stderr

    def test_a_server_whose_database_has_proved_its_name_runs_jobs_and_all_it_says_is_encrypted(self):
        server = Server(None, "--store", self.url())
        self.addCleanup(server.close)
        job = server.submit({"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}})
        self.assertEqual(server.wait(job)["state"], "succeeded")
        encrypted = self.database.sql("SELECT count(*) > 2, bool_and(t.ssl) FROM pg_stat_ssl AS t JOIN pg_stat_activity AS a USING (pid) "
                                      "WHERE a.application_name = 'tendrild'")
        self.assertEqual(encrypted, "t|t")

    def test_a_database_with_a_certificate_of_another_authority_is_refused(self):
        self.assertIn("certificate verify failed", self.refusal(self.url(authority="other")))

    def test_a_database_with_another_name_is_refused(self):
        self.assertRegex(self.refusal(self.url(host="127.0.0.1")), 'certificate for .?"(localhost|database).*does not match host name')

    def test_an_authority_that_cannot_be_read_is_said(self):
        self.assertRegex(self.refusal(self.url(authority="none")), "root certificate file .*none.pem.* does not exist")

    def test_a_way_without_tls_is_refused_by_a_database_that_wants_it(self):
        self.assertIn("no encryption", self.refusal(self.url(mode="disable")))


if __name__ == "__main__":
    main()
