#!/usr/bin/env python3
"""A PostgreSQL server for tests, in a folder of its own, that ends with them.

    tests/support/with_postgresql.py PROGRAM ARGUMENT...

    tests/support/with_postgresql.py --servers tests/integration/test_jobs.py

runs a program with TENDRIL_TEST_POSTGRESQL, the part of a URL that says where the server is: postgresql://postgres@/NAME?THAT.
With --servers the servers that tests start (integration/harness.py) keep their jobs in it, too.
It is Debian's (/usr/lib/postgresql), listens on a socket in its folder only, and forgets what a loss of power would take
(fsync=off): tests of what is durable start their own. It refuses to run as root, so root lends it another user.
"""
import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time


def programs():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not found:
        sys.exit("there is no PostgreSQL server: apt-get install postgresql-15, or deploy/packages.sh --test")
    return found[-1]


class Postgresql:
    """A server, with durable commits or without; `listen`: an address in 10.0.0.0/8 besides its socket."""

    def __init__(self, port=5432, durable=False, listen=""):
        self.folder = tempfile.mkdtemp(prefix="tendril-postgresql-")
        self.port, self.durable, self.listen = port, durable, listen
        self.user = pwd.getpwuid(os.getuid()).pw_name if os.getuid() else "postgres"
        self.process = None
        if os.getuid() == 0:
            account = pwd.getpwnam(self.user)
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        self.data = os.path.join(self.folder, "data")
        self.run("initdb", "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8", "-D", self.data)
        if listen:
            with open(os.path.join(self.data, "pg_hba.conf"), "a", encoding="ascii") as file:
                file.write("host all all 10.0.0.0/8 trust\n")
        self.start()

    def command(self, name, *arguments):
        plain = [os.path.join(programs(), name), *arguments]
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--init-groups", *plain] if os.getuid() == 0 else plain

    def run(self, name, *arguments):
        done = subprocess.run(self.command(name, *arguments), cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self):
        settings = {"listen_addresses": self.listen, "unix_socket_directories": self.folder, "port": self.port, "max_connections": 200}
        if not self.durable:
            settings.update({"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"})
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(self.command("postgres", "-D", self.data, *words), cwd=self.folder, stdout=log, stderr=log)
        for _ in range(600):
            ready = subprocess.run(self.command("pg_isready", "-q", "-h", self.folder, "-p", str(self.port)), cwd=self.folder, check=False)
            if ready.returncode == 0:
                return
            assert self.process.poll() is None, open(os.path.join(self.folder, "log"), encoding="utf-8").read()
            time.sleep(0.05)
        raise AssertionError("PostgreSQL did not start")

    def stop(self, mode="fast"):
        subprocess.run(self.command("pg_ctl", "stop", "-D", self.data, "-m", mode, "-w"), cwd=self.folder, capture_output=True, check=False)
        self.process.wait(60)

    def where(self):
        return f"host={self.folder}&port={self.port}"

    def url(self, database):
        return f"postgresql://postgres@/{database}?{self.where()}"

    def sql(self, text, database="postgres"):
        done = subprocess.run(self.command("psql", "-h", self.folder, "-p", str(self.port), "-U", "postgres", "-d", database, "-AtqX",
                                           "-v", "ON_ERROR_STOP=1", "-c", text), cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def session(self, database="postgres"):
        """A psql that runs what is written to it."""
        return subprocess.Popen(self.command("psql", "-h", self.folder, "-p", str(self.port), "-U", "postgres", "-d", database, "-AtqX"),
                                cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def said(self):
        """Its log so far."""
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            return file.read()

    def close(self):
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    server = Postgresql(durable=os.environ.get("TENDRIL_TEST_DURABLE") == "1")
    try:
        servers = sys.argv[1:2] == ["--servers"]
        environment = {**os.environ, "TENDRIL_TEST_POSTGRESQL": server.where(), **({"TENDRIL_TEST_STORE": "postgresql"} if servers else {})}
        return subprocess.run(sys.argv[2:] if servers else sys.argv[1:], env=environment, check=False).returncode
    finally:
        server.close()


if __name__ == "__main__":
    sys.exit(main())
