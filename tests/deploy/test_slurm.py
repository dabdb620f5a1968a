"""deploy/slurm/tendril-node.sbatch in a Slurm of one machine: its nodes run jobs, put them back with their checkpoints before
their time is over and when they are cancelled, and end when there is nothing to do."""
import os
import re
import subprocess
import sys
import time
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "..", folder) for folder in ("integration", "support")]

from harness import BIN, SOURCE, Server, long_job, main, pendulum, soft_arm  # noqa: E402
from slurm import Slurm  # noqa: E402
from with_postgresql import Postgresql  # noqa: E402

SCRIPT = os.path.join(os.path.abspath(SOURCE), "deploy", "slurm", "tendril-node.sbatch")
SMALL = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.1, "fields": ["q"]}}


class Nodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.slurm = Slurm()
        cls.addClassCleanup(cls.slurm.close)
        cls.database = Postgresql()
        cls.addClassCleanup(cls.database.close)
        # Its one worker is kept busy, so that what is submitted runs on nodes.
        cls.server = Server(None, "--store", cls.database.url("postgres"), "--node", "here", "--slice-seconds", "0")
        cls.addClassCleanup(cls.server.close)
        cls.busy = cls.server.submit(long_job(soft_arm(), t_end=40000))
        cls.server.wait_for_progress(cls.busy)

    def submit(self, *words, idle=60):
        """The number of a job of Slurm."""
        settings = {"TENDRIL_STORE": self.database.url("postgres"), "TENDRILD": os.path.join(os.path.abspath(BIN), "tendrild"),
                    "TENDRIL_UNTIL_IDLE": str(idle),
                    "TENDRIL_WORKER_NICE": "0"}  # beside other tests a nicer worker may reach no checkpoint in its node's time
        return re.search(r"\d+$", self.slurm.run("sbatch", "--cpus-per-task=1", *words, SCRIPT, environment=settings))[0]

    def state(self, job):
        """Of a job of Slurm or of the elements of an array: COMPLETED, RUNNING, …"""
        text = self.slurm.run("scontrol", "--oneliner", "show", "job", job)
        return sorted(set(re.findall(r"JobState=(\w+)", text)))

    def until(self, wanted, ask, array=None):
        end = time.monotonic() + 120
        while (got := ask()) != wanted:
            if time.monotonic() > end:
                self.fail(f"{got} and not {wanted}: {self.slurm.log()}{self.output(array, 7) if array else ''}")
            time.sleep(0.1)

    def output(self, job, task):
        with open(self.slurm.path(f"tendril-node-{job}_{task}.log"), encoding="utf-8") as file:
            return file.read()

    def left_over(self):
        return [name for name in os.listdir("/tmp") if name.startswith("tendril-node-")]

    def test_nodes_of_an_array_run_jobs_and_end_when_there_is_nothing_to_do(self):
        jobs = [self.server.submit(SMALL) for _ in range(20)] + [self.server.submit(long_job(soft_arm(), t_end=8)) for _ in range(2)]
        array = self.submit("--array=1-2", idle=3)
        ran = {self.server.wait(job)["node"] for job in jobs}
        host = self.slurm.host
        self.assertEqual(ran, {f"{host}-{array}-1", f"{host}-{array}-2"})
        self.until(["COMPLETED"], lambda: self.state(array))
        self.assertIn('"stopping"', self.output(array, 1))

    def put_back(self, *words, end):
        """A node begins a long job and is told to end: the job waits again, uncounted, and another node goes on with it."""
        long = self.server.submit(long_job(soft_arm(), t_end=1000))
        array = self.submit("--array=7", *words)
        self.server.wait_for_progress(long)
        kept = f"SELECT count(*) FROM parts WHERE job = '{long}'"  # on a busy machine the first may take longer than a node waits
        self.until(True, lambda: self.database.sql(kept) == "1" or self.server.job(long)["state"] == "queued", array)
        end(array)
        self.until("queued", lambda: self.server.job(long)["state"], array)
        self.until(True, lambda: self.state(array)[0] not in ("RUNNING", "COMPLETING"))
        self.assertRegex(self.output(array, 7), r'"job_ended".*"end":"stopped"')
        other = self.submit("--array=8")
        self.until("running", lambda: self.server.job(long)["state"])
        self.until(True, lambda: '"job_started"' in self.output(other, 8))
        self.assertRegex(self.output(other, 8), r'"attempt":2.*"resumed_bytes":[1-9]', self.output(array, 7))  # from its checkpoint on
        self.server.request("POST", f"/v1/jobs/{long}:cancel")
        self.slurm.run("scancel", other)
        self.until(True, lambda: self.state(other)[0] not in ("RUNNING", "COMPLETING"))
        return array

    def test_before_its_time_is_over_a_node_puts_its_jobs_back(self):
        array = self.put_back("--time=2", "--signal=B:TERM@80", end=lambda array: None)  # 40 s, and Slurm sends the script's signal
        self.assertEqual(self.state(array), ["COMPLETED"])

    def test_so_it_does_when_slurm_cancels_it(self):
        self.put_back(end=lambda array: self.slurm.run("scancel", array))

    def test_the_script_asks_for_the_signal_in_good_time(self):
        with open(SCRIPT, encoding="utf-8") as file:
            seconds = int(re.search(r"^#SBATCH --signal=B:TERM@(\d+)$", file.read(), re.MULTILINE)[1])
        self.assertGreater(seconds, 8 + 12)  # workers to their checkpoints; a database that answers late

    def test_without_a_database_it_says_what_is_missing(self):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TENDRIL_")}
        done = subprocess.run(["bash", SCRIPT], env=clean, capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("TENDRIL_STORE: is not set", done.stderr)


if __name__ == "__main__":
    main()
