"""The chapter «More than one machine» of deploy/README.md, line by line: a folder with models, jobs and results is copied into
PostgreSQL, three nodes with roles of their own share it, and a sweep of fin-rays runs on all of them.

TENDRIL_FIN_RAYS=1000 takes as many as the chapter; 20 otherwise."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "..", folder) for folder in ("integration", "support")]

from harness import BIN, SOURCE, Server, main, pendulum  # noqa: E402
from slurm import free_port  # noqa: E402
from with_postgresql import Postgresql  # noqa: E402

JOB = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.1, "fields": ["q"]}}
COUNT = int(os.environ.get("TENDRIL_FIN_RAYS", "20"))

# What stands for the machines: sudo becomes the superuser of the test's database, each node has one worker, the first
# one a port that is free.
PREAMBLE = """
set -eu
sudo() { shift 2; PGHOST="$SOCKETS" PGUSER=postgres "$@"; }
tendrild() {
  case "$*" in
  *--node*none*) command tendrild "$@" --workers 1 ;;
  *--node*) command tendrild "$@" --workers 1 --http "${TENDRIL_URL#http://}" --grpc none ;;
  *) command tendrild "$@" ;;
  esac
}
trap 'trap "" TERM; kill 0; wait' EXIT # the whole group
"""


def lines():
    """The commands of the chapter, up to its details."""
    with open(os.path.join(SOURCE, "deploy", "README.md"), encoding="utf-8") as file:
        chapter = re.search(r"^## More than one machine\n(.*?)^### ", file.read(), re.MULTILINE | re.DOTALL)[1]
    return "\n".join(line[4:] for line in chapter.split("\n") if line.startswith("    "))


class Chapter(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tendril-chapter-")
        self.addCleanup(self.folder.cleanup)
        self.database = Postgresql()
        self.addCleanup(self.database.close)
        os.symlink(os.path.join(os.path.abspath(SOURCE), "deploy"), os.path.join(self.folder.name, "deploy"))

    def begin(self):
        """A folder of one machine, as it would be found: a job with its result."""
        server = Server(os.path.join(self.folder.name, "tendril-data"))
        job = server.submit(JOB)
        self.assertEqual(server.wait(job)["state"], "succeeded")
        archive = server.request("GET", f"/v1/jobs/{job}/result", headers={"Accept": "application/x-npz"}).body
        server.close()
        return job, archive

    def test_from_a_folder_to_three_nodes_and_a_sweep(self):
        job, archive = self.begin()
        script = lines()
        self.assertEqual(script.count("range(1000)"), 1)
        script = script.replace("range(1000)", f"range({COUNT})").replace("export DB=db.example", "export DB=" + urllib.parse.quote(
            self.database.folder, safe=""))
        checks = f"\ntendril result {job} -o old.npz\ntendril jobs list --json > jobs\n"
        environment = {**os.environ, "PATH": os.path.abspath(BIN) + ":" + os.environ["PATH"], "SOCKETS": self.database.folder,
                       "TENDRIL_URL": f"http://127.0.0.1:{free_port()}"}
        log = os.path.join(self.folder.name, "log")  # of servers, too: a pipe would be open as long as one of them lives
        with open(log, "w", encoding="utf-8") as file:
            done = subprocess.run(["bash", "-c", PREAMBLE + script + checks], cwd=self.folder.name, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=file, text=True, check=False, start_new_session=True)
        with open(log, encoding="utf-8") as file:
            self.assertEqual(done.returncode, 0, done.stdout + file.read()[-5000:])
        with open(os.path.join(self.folder.name, "old.npz"), "rb") as file:
            self.assertEqual(file.read(), archive)  # what was there came along
        ran = self.database.sql("SELECT state || ' ' || ran_on FROM jobs WHERE parent IS NOT NULL", "tendril").split("\n")
        self.assertEqual(len(ran), COUNT)
        self.assertEqual({line.split()[0] for line in ran}, {"succeeded"})
        self.assertEqual({line.split()[1] for line in ran}, {"one", "two", "three"})
        for name in ("one", "two", "three"):
            self.assertRegex(done.stdout, rf"(?m)^{name} +ready")
        self.assertRegex(done.stdout, r"(?m)^three +draining")


if __name__ == "__main__":
    main()
