"""A disk that is full, read-only or damaged: clear errors, nothing acknowledged is lost, and all goes on when there is room.

The small file systems are tmpfs and need the right to mount; without it those tests are skipped, and say so.
"""
import contextlib
import errno
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

import numpy as np  # noqa: E402
from harness import BIN, Server, long_job, main, make_token, pendulum, soft_arm  # noqa: E402

NPZ = {"Accept": "application/x-npz"}
TERMINAL = ("succeeded", "failed", "cancelled")


@contextlib.contextmanager
def small_disk(test, megabytes):
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", folder],
                                               stderr=subprocess.DEVNULL, check=False).returncode != 0:
            test.skipTest("mounting is not allowed here")
        try:
            yield folder
        finally:
            subprocess.run(["umount", "-l", folder], check=False)


@contextlib.contextmanager
def served(disk, *flags):
    server = Server(os.path.join(disk, "data"), *flags)
    try:
        yield server
    finally:
        server.close()


def fill(folder):
    """Takes every byte that is left; returns the file to remove."""
    path = os.path.join(folder, "filler")
    with open(path, "ab", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while file.write(b"x" * size) == size:
                    pass
    return path


def small_job(**changes):
    return {"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}, **changes}


def result(server, job_id):
    reply = server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ)
    assert reply.status == 200, reply.body[:500]
    return reply.npz()


class FullAtTheStart(unittest.TestCase):
    def start(self, disk, word):
        log = tempfile.TemporaryFile(mode="a+b")
        self.addCleanup(log.close)
        process = subprocess.Popen([os.path.join(BIN, "tendrild"), "--data", os.path.join(disk, "data"), "--http", "127.0.0.1:0", "--grpc",
                                    "none"], stdout=subprocess.PIPE, stderr=log)
        self.addCleanup(process.stdout.close)
        end = time.monotonic() + 30
        while word not in os.pread(log.fileno(), 10000, 0):
            self.assertLess(time.monotonic(), end, os.pread(log.fileno(), 10000, 0))
            self.assertIsNone(process.poll(), os.pread(log.fileno(), 10000, 0))
            time.sleep(0.02)
        return process

    def test_it_is_said_and_waited_for_where_nothing_can_be_served_yet(self):
        with small_disk(self, 16) as disk:
            os.mkdir(os.path.join(disk, "data"))
            filler = fill(disk)
            process = self.start(disk, b"waiting_for_room")
            os.unlink(filler)
            self.assertIn(b'"ready"', process.stdout.readline())
            process.terminate()
            self.assertEqual(process.wait(60), 0)

    def test_waiting_ends_by_a_signal(self):
        with small_disk(self, 16) as disk:
            os.mkdir(os.path.join(disk, "data"))
            fill(disk)
            process = self.start(disk, b"waiting_for_room")
            process.terminate()
            self.assertEqual(process.wait(60), 0)
            self.assertEqual(process.stdout.read(), b"")

    def test_what_is_there_is_served_or_waited_for_and_nothing_is_lost(self):
        with small_disk(self, 3) as disk:
            with served(disk) as server:
                done = server.submit(small_job())
                self.assertEqual(server.wait(done)["state"], "succeeded")
                server.kill()
            filler = fill(disk)
            process = self.start(disk, b"disk_full")
            os.unlink(filler)
            self.assertIn(b'"ready"', process.stdout.readline())
            process.terminate()
            self.assertEqual(process.wait(60), 0)
            with served(disk) as server:
                self.assertEqual(server.job(done)["state"], "succeeded")
                self.assertEqual(server.wait(server.submit(small_job()))["state"], "succeeded")


class FullDisk(unittest.TestCase):
    def assert_refused_for_the_disk(self, reply):
        self.assertEqual((reply.status, reply.json()["code"]), (503, "unavailable"), reply.body)
        self.assertIn("disk", reply.json()["detail"])

    def submit_until_refused(self, server):
        """Jobs that were acknowledged, on a disk that has (nearly) no room."""
        acknowledged = []
        for k in range(300):
            reply = server.request("POST", "/v1/jobs", small_job(labels={"k": str(k)}))
            if reply.status != 202:
                self.assert_refused_for_the_disk(reply)
                return acknowledged
            acknowledged.append(reply.json()["id"])
        raise AssertionError("a full disk takes every job")

    def test_documents_of_one_owner_leave_room_for_small_jobs_of_others(self):
        with small_disk(self, 64) as disk:
            data = os.path.join(disk, "data")
            tokens = {name: make_token(data, "run", name) for name in ("good", "evil")}
            with served(disk) as server:
                server.token, taken, reply = tokens["evil"], 0, None
                for k in range(40):
                    inputs = [0.1234567890123 + 1e-7 * (i + k) for i in range(200_000)]
                    reply = server.request("POST", "/v1/jobs", small_job(inputs={"motor": inputs}))
                    if reply.status != 202:
                        break
                    taken += 1
                self.assertEqual((reply.status, reply.json()["code"]), (507, "quota_exceeded"), reply.body)
                self.assertGreater(taken, 0)
                server.token = tokens["good"]
                for _ in range(20):
                    reply = server.request("POST", "/v1/jobs", small_job())
                    self.assertEqual(reply.status, 202, reply.body)

    def test_many_small_documents_of_one_owner_leave_the_reserve_to_others(self):
        with small_disk(self, 40) as disk:
            data = os.path.join(disk, "data")
            tokens = {name: make_token(data, "run", name) for name in ("good", "evil")}
            with served(disk, "--documents-mib-per-owner", "0") as server:
                server.token = tokens["evil"]
                for k in range(2000):
                    reply = server.request("PUT", f"/v1/models/m{k}", pendulum(description=f"{k % 10}" * 60_000 + str(k)))
                    if reply.status != 201:
                        break
                self.assertEqual((reply.status, reply.json()["code"]), (507, "quota_exceeded"), reply.body)
                self.assertIn("equal part", reply.json()["detail"])
                self.assertEqual(server.request("POST", "/v1/jobs", small_job()).status, 507)
                server.token = tokens["good"]
                for k in range(10):
                    self.assertEqual(server.request("PUT", f"/v1/models/m{k}", pendulum(description=f"{k}" * 60_000)).status, 201)
                    self.assertEqual(server.request("POST", "/v1/jobs", small_job()).status, 202)
                server.token = tokens["evil"]
                end = time.monotonic() + 60
                for k in range(300):
                    while (reply := server.request("DELETE", f"/v1/models/m{k}")).status == 503:  # the disk is slow, and says so
                        self.assertLess(time.monotonic(), end, reply.body)
                        time.sleep(0.1)
                    self.assertEqual(reply.status, 204, reply.body)
                while server.request("POST", "/v1/jobs", small_job()).status != 202:
                    self.assertLess(time.monotonic(), end, "what was deleted makes room")
                    time.sleep(0.1)

    def test_models_that_find_no_room_are_refused_and_those_before_are_there(self):
        with small_disk(self, 3) as disk, served(disk) as server:
            stored, reply = [], None
            for k in range(100):
                reply = server.request("POST", "/v1/models", pendulum(name=f"m{k}", description="x" * 60_000))
                if reply.status != 201:
                    break
                stored.append(f"m{k}")
            self.assert_refused_for_the_disk(reply)
            for name in stored:
                self.assertEqual(server.request("GET", f"/v1/models/{name}").status, 200)

    def test_jobs_wait_for_room_and_end_as_if_there_had_been_room_all_the_time(self):
        with small_disk(self, 8) as disk, served(disk) as server:
            self.live_through(server, disk)

    def live_through(self, server, disk):
        self.assertEqual(server.request("POST", "/v1/models", soft_arm()).status, 201)
        done = server.submit(small_job())
        self.assertEqual(server.wait(done)["state"], "succeeded")
        job = long_job("soft", 20.0)
        running = server.submit(job)
        server.wait_for_progress(running)
        queued = [server.submit(small_job()) for _ in range(3)]
        fill(disk)
        queued += self.submit_until_refused(server)
        end = time.monotonic() + 120
        while "is full or fails" not in server.log() and time.monotonic() < end:  # rows are written once a second
            fill(disk)
            time.sleep(0.1)
        for _ in range(20):  # what the lost attempt gave back is taken, too
            filler = fill(disk)
            time.sleep(0.1)
        self.assertIn("is full or fails", server.log())
        for job_id in [running, *queued]:
            self.assertNotIn(server.job(job_id)["state"], TERMINAL)
        self.assertEqual(result(server, done)["q"].shape, (1, 1))
        self.assertEqual(len(server.request("GET", "/v1/jobs?limit=1000").json()["jobs"]), len(queued) + 2)
        not_ready = server.request("GET", "/readyz")
        self.assertEqual(not_ready.status, 503, not_ready.body)
        self.assertIn("writes: the disk of the data folder is full", not_ready.json()["detail"])
        while not server.job(running)["waiting_for"] and time.monotonic() < end:  # its worker may not have written since
            filler = fill(disk)
            time.sleep(0.1)
        self.assertIn("disk is full", server.job(running)["waiting_for"])
        evaluated = server.request("POST", "/v1/evaluate", {"model": pendulum(), "states": [{"q": [0.1]}], "want": ["id"]})
        self.assertEqual(evaluated.status, 200, evaluated.body)
        os.unlink(filler)
        self.assertEqual(server.request("GET", "/readyz").status, 200)
        later = server.submit(small_job())
        for job_id in [running, *queued, later]:
            ended = server.wait(job_id)
            self.assertEqual(ended["state"], "succeeded", ended)
        alone = server.submit(job)
        self.assertEqual(server.wait(alone)["state"], "succeeded")
        self.assertGreater(server.job(running)["attempt"], 1)
        np.testing.assert_array_equal(result(server, running)["q"], result(server, alone)["q"])

    def test_a_result_that_does_not_fit_waits_and_says_so_and_others_go_on(self):
        rows = {"model": pendulum(), "kind": "dynamics", "t_end": 2, "integrator": {"method": "rk4", "h": 0.001},
                "output": {"dt": 5e-5, "fields": ["q", "qd", "u", "energy", "poses:arm"]}}
        with small_disk(self, 4) as disk, served(disk) as server:
            job_id = server.submit(rows)
            self.until(lambda: server.job(job_id)["attempt"] > 3)  # which it has three of
            self.until(lambda: server.job(job_id)["state"] == "queued")
            waits = server.job(job_id)
            self.assertIn("the disk is full or fails", waits["waiting_for"])
            self.assertIsNone(waits["error"])
            events = server.request("GET", f"/v1/jobs/{job_id}/events?since=0").json()["events"]
            self.assertEqual(len([event for event in events if event["event"] == "log"]), 1, "the same remark again and again")
            self.assertEqual(server.wait(server.submit(small_job()))["state"], "succeeded")
            self.assertEqual(server.request("GET", "/readyz").status, 200)
            subprocess.run(["mount", "-o", "remount,size=40m", disk], check=True)
            done = server.wait(job_id)
            self.assertEqual((done["state"], done["waiting_for"]), ("succeeded", None), done)
            self.assertEqual(os.listdir(os.path.join(server.folder, "tmp")), [])

    def until(self, good, timeout=120):
        end = time.monotonic() + timeout
        while not good():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)


class Folder(unittest.TestCase):
    def refused(self, data, *words):
        """tendrild ends with one line about the folder."""
        done = subprocess.run([os.path.join(BIN, "tendrild"), "--data", data, "--http", "127.0.0.1:0"], capture_output=True,
                              text=True, timeout=60, check=False)
        said = [line for line in done.stderr.splitlines() if not line.startswith("{")]
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertEqual((done.stdout, len(said)), ("", 1), done.stderr)
        for word in words:
            self.assertIn(word, said[0])

    def test_a_read_only_folder_is_refused_whether_or_not_it_holds_data(self):
        with small_disk(self, 8) as disk:
            data = os.path.join(disk, "data")
            Server(data).close()
            subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
            self.refused(data, data, os.strerror(errno.EROFS))
            self.refused(os.path.join(disk, "new"), os.path.join(disk, "new"), os.strerror(errno.EROFS))

    def test_a_path_that_is_no_folder_or_has_none_above_it_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file")
            with open(path, "w", encoding="utf-8") as file:
                file.write("x")
            self.refused(path, path, os.strerror(errno.ENOTDIR))
            self.refused(os.path.join(path, "data"), path, os.strerror(errno.ENOTDIR))
            self.refused(os.path.join(folder, "a", "b"), "a/b", os.strerror(errno.ENOENT))

    def test_a_database_that_is_none_is_refused_and_left_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            Server(data).close()
            for wrong in (b"not a database, " * 1000, b"SQLite format 3\0" + b"\xff" * 5000):
                with open(os.path.join(data, "tendril.db"), "wb") as file:
                    file.write(wrong)
                self.refused(data, "tendril.db")
                with open(os.path.join(data, "tendril.db"), "rb") as file:
                    self.assertEqual(file.read(), wrong)

    def test_a_database_with_damaged_pages_is_refused_or_answers_with_problems_and_does_not_crash(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            server = Server(data)
            names = [f"m{k}" for k in range(200)]
            for name in names:
                self.assertEqual(server.request("POST", "/v1/models", pendulum(name=name)).status, 201)
            server.close()
            path = os.path.join(data, "tendril.db")
            with sqlite3.connect(path) as base:
                page, = base.execute("PRAGMA page_size").fetchone()
                roots = [root for root, in base.execute("SELECT rootpage FROM sqlite_master WHERE rootpage > 0")]
            with open(path, "r+b") as file:
                for number in range(1, os.path.getsize(path) // page):
                    if number + 1 not in roots:
                        file.seek(number * page)
                        file.write(b"\xa5" * page)
            try:
                server = Server(data)
            except AssertionError:
                self.refused(data, "tendril.db", "malformed")
                return
            statuses = {server.request("GET", f"/v1/models/{name}").status for name in names}
            statuses.add(server.request("GET", "/v1/models").status)
            self.assertLessEqual(statuses, {200, 500, 503})
            self.assertTrue(statuses & {500, 503}, "the damage went unnoticed")
            self.assertTrue(server.alive())
            server.close()


if __name__ == "__main__":
    main()
