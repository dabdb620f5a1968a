"""What must survive: a worker killed, the server killed, both; stops and second signals."""
import json
import os
import random
import signal
import socket
import time
import unittest

import numpy as np

from harness import Server, long_job, main, npz, pendulum, soft_arm

NPZ = {"Accept": "application/x-npz"}


def gone(pid, timeout=10):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


class Faults(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.close)
        self.assertEqual(self.server.request("POST", "/v1/models", soft_arm()).status, 201)

    def start_long_job(self, t_end=5.0):
        job_id = self.server.submit(long_job("soft", t_end))
        self.server.wait_for_progress(job_id)
        worker, = self.server.workers_running()
        return job_id, worker

    def result(self, job_id):
        reply = self.server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ)
        self.assertEqual(reply.status, 200, reply.body[:500])
        return reply.npz()

    def undisturbed(self, t_end):
        job_id = self.server.submit(long_job("soft", t_end))
        self.assertEqual(self.server.wait(job_id)["state"], "succeeded")
        return self.result(job_id)["q"]

    def test_a_worker_killed_in_mid_run_costs_an_attempt_and_the_job_succeeds_with_the_same_bits(self):
        job_id, worker = self.start_long_job()
        os.kill(worker, signal.SIGKILL)
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 2), done)
        np.testing.assert_array_equal(self.result(job_id)["q"], self.undisturbed(5.0))
        self.assertIn("killed by signal 9", self.server.log())

    def test_a_job_whose_worker_is_lost_three_times_fails_and_says_so(self):
        job_id = self.server.submit(long_job("soft", 400))
        killed = set()
        while self.server.job(job_id)["state"] in ("queued", "running"):
            at_work = self.server.job(job_id)["progress"]["fraction"] > 0  # one that falls before it has the job costs no attempt
            for worker in set(self.server.workers_running()) - killed if at_work else ():
                os.kill(worker, signal.SIGKILL)
                killed.add(worker)
            time.sleep(0.02)
        done = self.server.job(job_id)
        self.assertEqual((done["state"], done["attempt"], len(killed)), ("failed", 3, 3), done)
        self.assertEqual(done["error"]["code"], "worker_crashed")
        self.assertIn("killed by signal 9", done["error"]["detail"])

    def test_a_server_killed_in_mid_run_takes_its_workers_along_and_finishes_after_restart(self):
        job_id, worker = self.start_long_job()
        waiting = self.server.submit(long_job("soft", 0.5))
        self.server.kill()
        self.assertTrue(gone(worker), "the worker outlived its server")
        self.server.start()
        for one, attempts in ((job_id, 2), (waiting, 1)):
            done = self.server.wait(one)
            self.assertEqual((done["state"], done["attempt"]), ("succeeded", attempts), done)
        self.assertEqual(os.listdir(os.path.join(self.server.folder, "tmp")), [])
        self.assertEqual(self.server.request("GET", "/v1/models/soft").status, 200)
        np.testing.assert_array_equal(self.result(job_id)["q"], self.undisturbed(5.0))

    def test_every_job_acknowledged_before_a_kill_is_there_afterwards(self):
        jobs = [self.server.submit(long_job("soft", 0.02)) for _ in range(20)]
        self.server.kill()
        self.server.start()
        self.assertEqual({self.server.wait(job_id)["state"] for job_id in jobs}, {"succeeded"})

    def test_sigterm_queues_the_running_job_again_and_the_next_server_finishes_it(self):
        job_id, worker = self.start_long_job()
        start = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - start, 10)
        self.assertTrue(gone(worker))
        self.server.start()
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 2), done)

    def test_a_stopped_worker_does_not_block_a_stop(self):
        _, worker = self.start_long_job(400)
        os.kill(worker, signal.SIGSTOP)
        self.assertEqual(self.server.stop(), 0)
        self.assertTrue(gone(worker))
        self.server.start()

    def test_a_worker_that_does_not_answer_a_cancel_is_killed(self):
        job_id, worker = self.start_long_job(400)
        os.kill(worker, signal.SIGSTOP)
        self.assertEqual(self.server.request("POST", f"/v1/jobs/{job_id}:cancel").status, 202)
        self.assertEqual(self.server.wait(job_id, timeout=20)["state"], "cancelled")
        self.assertTrue(gone(worker))

    def test_a_second_signal_ends_at_once(self):
        self.start_long_job(400)
        body = npz(q=np.zeros((50000, 24)), want=np.array(["dfd_dq"]))  # a request to wait for
        head = (f"POST /v1/models/soft:evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-npz\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode()
        with socket.create_connection((self.server.host, self.server.port)) as s:
            s.sendall(head + body)
            time.sleep(0.2)
            self.server.process.send_signal(signal.SIGTERM)
            time.sleep(0.6)  # earlier it would be taken for the first one's twin
            self.server.process.send_signal(signal.SIGTERM)
            self.assertIn(self.server.process.wait(2), (0, 128 + signal.SIGTERM))
        self.server.start()

    def test_signals_to_a_whole_group_of_processes_put_jobs_back_uncounted(self):
        """As Slurm sends them: to every process, and once more to the server by the shell of the script."""
        job_id, worker = self.start_long_job(400)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(worker, number)
        self.server.process.send_signal(signal.SIGTERM)
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(30), 0)
        ends = [json.loads(line)["end"] for line in self.server.log().splitlines() if '"job_ended"' in line and job_id in line]
        self.assertEqual(ends, ["stopped"])
        self.server.start()
        self.server.wait_for_progress(job_id)
        self.assertEqual(self.server.job(job_id)["attempt"], 2)
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")

    def test_a_failed_job_is_not_tried_again(self):
        job_id = self.server.submit({"model": pendulum(), "kind": "dynamics", "t_end": 1, "max_wall_s": 1e-9,
                                     "output": {"dt": 0.1, "fields": ["q"]}})
        done = self.server.wait(job_id)
        self.assertEqual((done["state"], done["attempt"]), ("failed", 1))


class ManyWorkers(unittest.TestCase):
    def test_workers_killed_at_random_moments_lose_no_job_and_no_bit(self):
        server = Server(workers=3)
        self.addCleanup(server.close)
        server.request("POST", "/v1/models", soft_arm())
        jobs = [server.submit(long_job("soft", 1.0)) for _ in range(12)]
        pause, killed = random.Random(3), set()
        while any(server.job(job_id)["state"] in ("queued", "running") for job_id in jobs):
            time.sleep(pause.uniform(0.02, 0.2))
            started = [json.loads(line) for line in server.log().splitlines() if '"job_started"' in line]
            latest = {row["pid"]: row for row in started}  # a worker had other jobs before
            fresh = [row for pid, row in latest.items() if pid in server.workers_running()
                     and row["attempt"] == 1 and row["job"] not in killed]
            if fresh and len(killed) < 6:  # each job at most once: the third loss would be its end
                try:
                    os.kill(fresh[0]["pid"], signal.SIGKILL)
                except ProcessLookupError:
                    continue  # it had just finished
                killed.add(fresh[0]["job"])
        done = [server.job(job_id) for job_id in jobs]
        self.assertEqual({job["state"] for job in done}, {"succeeded"})
        self.assertGreaterEqual(sum(job["attempt"] for job in done), 12 + len(killed) // 2)
        results = [server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ).npz()["q"] for job_id in jobs]
        for q in results[1:]:
            np.testing.assert_array_equal(q, results[0])


if __name__ == "__main__":
    main()
