"""A disk that does not keep what was written: after a failed sync the server stores nothing more, says so, and a start is as after a loss
of power. (The next sync would succeed although the data are gone.)"""
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration"))
from harness import Server, ServerTest, long_job, main, pendulum, soft_arm  # pylint: disable=wrong-import-position

JOB = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.01, "fields": ["q", "qd"]}}


class FailingSync(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.TemporaryDirectory(prefix="tendril-sync-")
        cls.library = os.path.join(cls.built.name, "failing_sync.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "failing_sync.c")
        subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", cls.library, source, "-ldl"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.built.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tendril-sync-")
        self.addCleanup(self.folder.cleanup)
        self.trigger = os.path.join(self.folder.name, "trigger")
        options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self.server = Server(os.path.join(self.folder.name, "data"), environment={
            "LD_PRELOAD": self.library, "FAILING_SYNC": self.trigger, "ASAN_OPTIONS": options})
        self.addCleanup(self.server.close)

    def fail_next(self, word):
        with open(self.trigger + ".new", "w", encoding="ascii") as file:
            file.write(word)
        os.rename(self.trigger + ".new", self.trigger)

    def assert_stopped(self):
        self.server.wait_for_log("sync_failed")
        self.assertFalse(os.path.exists(self.trigger))
        for _ in range(3):  # for good: also when the disk seems to work again
            ServerTest.assert_problem(self, self.server.request("POST", "/v1/jobs", JOB), 503, "unavailable", words=["disk failed"])
            time.sleep(0.2)
        ServerTest.assert_problem(self, self.server.request("GET", "/readyz"), 503, "unavailable", words=["started again"])
        self.assertEqual(self.server.request("GET", "/healthz").status, 200)
        self.assertEqual(self.server.request("POST", "/v1/evaluate", {"model": pendulum(), "states": [{"q": [0.1]}], "want": ["fd"]}).status, 200)

    def states(self):
        return {job["id"]: job["state"] for job in self.server.request("GET", "/v1/jobs").json()["jobs"]}

    def assert_repaired(self, known):
        """After a start everything that was acknowledged is there and comes to its end."""
        self.server.stop()
        self.server.start()
        for job in known:
            self.assertEqual(self.server.wait(job)["state"], "succeeded")
        self.assertEqual(self.server.request("GET", "/readyz").status, 200)
        self.assertEqual(self.server.wait(self.server.submit(JOB))["state"], "succeeded")

    def test_of_the_log_of_the_database(self):
        known = [self.server.submit(JOB) for _ in range(3)]
        for job in known:
            self.server.wait(job)
        self.fail_next("tendril.db-wal")
        reply = self.server.request("POST", "/v1/jobs", JOB)
        self.assertEqual(reply.status, 503, reply.body)
        self.assert_stopped()
        self.assertTrue(set(known) <= set(self.states()))
        self.assert_repaired(known)

    def test_of_a_result(self):
        known = self.server.submit(JOB)
        self.server.wait(known)
        self.fail_next(".npz")
        job = self.server.submit(JOB)
        self.assert_stopped()
        self.assertNotEqual(self.server.job(job)["state"], "succeeded")
        self.assert_repaired([known, job])

    def test_of_the_folder_of_results(self):
        self.fail_next("/results")
        job = self.server.submit(JOB)
        self.assert_stopped()
        self.assertNotEqual(self.server.job(job)["state"], "succeeded")
        self.assert_repaired([job])

    def test_of_a_checkpoint(self):
        job = self.server.submit(long_job(soft_arm(), t_end=10))
        self.server.wait_for_progress(job, 0.1)
        self.fail_next("parts/")
        self.assert_stopped()
        self.assert_repaired([job])


if __name__ == "__main__":
    main()
