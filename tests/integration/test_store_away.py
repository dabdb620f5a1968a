"""A server whose database goes away and comes back: what it says meanwhile, what goes on, and that it heals by itself."""
import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))

from harness import Server, long_job, main, pendulum, soft_arm  # noqa: E402
from with_postgresql import Postgresql  # noqa: E402


class Away(unittest.TestCase):
    def setUp(self):
        self.database = Postgresql(durable=True)
        self.addCleanup(self.database.close)
        self.server = Server(None, "--store", self.database.url("postgres"))
        self.addCleanup(self.server.close)

    def until(self, wanted, ask, timeout=60):
        end = time.monotonic() + timeout
        while (got := ask()) != wanted:
            self.assertLess(time.monotonic(), end, f"{got} and not {wanted}: {self.server.log()}")
            time.sleep(0.1)

    def ready(self):
        return self.server.request("GET", "/readyz").status

    def test_it_says_so_computes_what_needs_no_rows_and_goes_on_when_it_is_back(self):
        job = {"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}}
        before = self.server.submit(job)
        self.server.wait(before)
        running = self.server.submit(long_job(soft_arm(), t_end=10))
        self.server.wait_for_progress(running)
        self.database.stop("immediate")
        self.until(503, self.ready)
        reply = self.server.request("POST", "/v1/jobs", job)
        self.assertEqual((reply.status, reply.json()["code"]), (503, "unavailable"), reply.body.decode() + self.server.log()[-6000:])
        self.assertGreaterEqual(int(reply.headers["Retry-After"]), 1)
        self.assertEqual(self.server.request("GET", f"/v1/jobs/{before}").status, 503)
        told = self.server.request("GET", "/metrics")  # what it knows by itself, and what the database said last
        self.assertEqual(told.status, 200, told.body)
        self.assertRegex(told.body.decode(), r"(?m)^tendril_store_up 0$")
        self.assertRegex(told.body.decode(), r"(?m)^process_resident_memory_bytes \d")
        evaluated = self.server.request("POST", "/v1/evaluate", {"model": pendulum(), "states": [{"q": [0.1]}], "want": ["mass"]})
        self.assertEqual(evaluated.status, 200, evaluated.body)
        self.database.start()
        self.until(200, self.ready)
        self.assertRegex(self.server.request("GET", "/metrics").body.decode(), r"(?m)^tendril_store_up 1$")
        self.assertEqual(self.server.job(before)["state"], "succeeded")
        after = self.server.submit(job)
        self.assertEqual(self.server.wait(running)["state"], "succeeded")
        self.assertEqual(self.server.wait(after)["state"], "succeeded")
        if "node_fenced" not in self.server.log():  # as where all of it takes longer than 8 s
            self.assertEqual(self.server.job(running)["attempt"], 1)

    def test_a_claim_whose_answer_was_lost_runs_again(self):
        """As the rows stand after it: they say that this node runs a job of which its process knows nothing."""
        held = self.server.submit(long_job(soft_arm(), t_end=400))
        self.server.wait_for_progress(held)
        lost = self.server.submit({"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}})
        self.database.stop("immediate")
        self.server.wait_for_log("database_away")
        time.sleep(2)  # the node looks for its rows each second
        self.database.start()
        self.database.sql("UPDATE jobs SET state = 'running', attempt = 1, node = (SELECT id FROM nodes), started_ms = now_ms() - 20000 "
                          f"WHERE id = '{lost}'")
        self.until("queued", lambda: self.database.sql(f"SELECT state FROM jobs WHERE id = '{lost}'"))
        job = self.server.job(held)
        if "node_fenced" not in self.server.log():  # as where all of it takes so long that its workers had to end
            self.assertEqual((job["state"], job["attempt"]), ("running", 1))  # what is held goes on
        self.assertEqual(self.server.request("POST", f"/v1/jobs/{held}:cancel").status, 202)
        job = self.server.wait(lost)
        self.assertEqual((job["state"], job["attempt"]), ("succeeded", 2))

    def test_a_database_that_stands_still_is_away_too(self):
        """It takes connections and what is said, and does not answer."""
        pids = self.database.sql("SELECT pid FROM pg_stat_activity").split()
        postmaster = self.database.process.pid
        children = [int(pid) for pid in pids] + [postmaster]
        for pid in children:
            try:
                os.kill(pid, signal.SIGSTOP)
            except ProcessLookupError:
                pass  # the session that asked
        try:
            self.until(503, self.ready)
            self.assertEqual(self.server.request("GET", "/v1/jobs").status, 503)
            evaluated = self.server.request("POST", "/v1/evaluate", {"model": pendulum(), "states": [{"q": [0.1]}], "want": ["mass"]})
            self.assertEqual(evaluated.status, 200, evaluated.body)
        finally:
            for pid in children:
                try:
                    os.kill(pid, signal.SIGCONT)
                except ProcessLookupError:
                    pass
        self.until(200, self.ready)
        self.assertEqual(self.server.wait(self.server.submit({"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}}))["state"], "succeeded")

    def test_a_session_for_hints_that_stands_still_keeps_no_server_from_ending(self):
        """Another node is to be told, and the session in which that is done does not answer: neither does it at SIGTERM."""
        self.database.sql("INSERT INTO nodes (id, host, started_ms, lease_ms) VALUES ('other', 'h', 0, now_ms() + 600000)")
        says = "SELECT pid FROM pg_stat_activity WHERE application_name = 'tendrild' AND query LIKE '%pg_notify%'"
        job = {"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}}

        def told():
            self.server.submit(job)
            return self.database.sql(says) != ""

        self.until(True, told)
        session = int(self.database.sql(says))
        os.kill(session, signal.SIGSTOP)
        try:
            for _ in range(3):
                self.server.wait(self.server.submit(job))
            self.server.process.send_signal(signal.SIGTERM)
            self.assertEqual(self.server.process.wait(60), 0)
        finally:
            os.kill(session, signal.SIGCONT)

    def test_backends_that_are_killed_one_by_one_lose_nothing(self):
        job = {"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}}
        accepted = []
        for _ in range(20):
            reply = self.server.request("POST", "/v1/jobs", job)
            if reply.status == 202:
                accepted.append(reply.json()["id"])
            else:
                self.assertEqual(reply.status, 503, reply.body)
            self.database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tendrild' ORDER BY random() LIMIT 2")
        self.assertTrue(accepted)
        for job_id in accepted:
            self.assertEqual(self.server.wait(job_id)["state"], "succeeded")

    def test_a_server_without_its_database_does_not_start_and_says_why(self):
        self.server.stop()
        self.database.stop()
        with self.assertRaisesRegex(AssertionError, "cannot be reached"):
            self.server.start()
        self.database.start()
        self.server.start()


if __name__ == "__main__":
    main()
