"""Results that must be kept, found again or declared lost; jobs that are pruned by age and quota, and those that are not."""
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest

from harness import Server, ServerTest, in_a_folder, in_schema, long_job, main, make_token, pendulum, soft_arm

JOB = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.01, "fields": ["q", "qd"]}}
BIG = {"model": pendulum(), "kind": "dynamics", "t_end": 4, "integrator": {"method": "rk4", "h": 0.01},
       "output": {"dt": 0.0005, "fields": ["q", "energy", "poses:arm"]}}
DAY_MS = 86400000
ELSEWHERE = "TENDRIL_TEST_STORE" in os.environ  # rows and results are in PostgreSQL


class Kept(unittest.TestCase):
    def start(self, *flags):
        server = Server(None, *flags)
        self.addCleanup(server.close)
        return server

    def run_job(self, server, job=JOB):
        done = server.wait(server.submit(job))
        self.assertEqual(done["state"], "succeeded", done)
        return done["id"]

    def file(self, server, job_id):
        return os.path.join(server.folder, "results", job_id + ".npz")

    def size(self, server, job_id):
        return len(self.fetch(server, job_id).body)

    def is_kept(self, server, job_id):
        if ELSEWHERE:
            return in_schema(server.folder, f"SELECT count(*) FROM results WHERE job = '{job_id}'") != "0"
        return os.path.exists(self.file(server, job_id))

    def fetch(self, server, job_id, media="application/x-npz", **headers):
        return server.request("GET", f"/v1/jobs/{job_id}/result", headers={"Accept": media, **headers})

    def change(self, server, sql, *values):
        """Changes the database of a server that is stopped, as time or a crash would."""
        if ELSEWHERE:
            for place, value in enumerate(values, 1):
                sql = sql.replace(f"?{place}", f"'{value}'" if isinstance(value, str) else str(value))
            self.assertEqual(in_schema(server.folder, sql + " RETURNING 1"), "1")
            return
        database = sqlite3.connect(os.path.join(server.folder, "tendril.db"))
        database.create_function("row_digest", -1, lambda *values: None)  # what is not known is not compared
        with database:
            self.assertEqual(database.execute(sql, values).rowcount, 1)
        database.close()

    def until(self, server, job_id, good, timeout=30):
        end = time.monotonic() + timeout
        while not good(reply := server.request("GET", f"/v1/jobs/{job_id}")):
            self.assertLess(time.monotonic(), end, reply.body)
            time.sleep(0.02)

    def metric(self, server, line):
        for text in server.request("GET", "/metrics").body.decode().splitlines():
            if text.startswith(line + " "):
                return float(text.split()[-1])
        raise AssertionError(line)


class Parts(Kept):
    """What is kept of unfinished jobs counts for --results-quota, too."""

    MANY = {**long_job(soft_arm()), "output": {"dt": 0.0002, "fields": ["q", "qd", "poses:arm"]}}

    def kept(self, server):
        if ELSEWHERE:
            rows = [line.split("|") for line in in_schema(server.folder, "SELECT job, rows, bytes - rows FROM parts").splitlines()]
            return {name: int(size) for job, of_rows, of_state in rows for name, size in ((job + ".rows", of_rows), (job + ".checkpoint", of_state))}
        folder = os.path.join(server.folder, "parts")
        sizes = {}
        for name in os.listdir(folder):
            try:
                sizes[name] = os.stat(os.path.join(folder, name)).st_size
            except FileNotFoundError:
                pass
        return sizes

    def wait_until(self, good):
        end = time.monotonic() + 60
        while not good():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_a_running_job_whose_rows_go_beyond_the_quota_is_stopped_and_says_so(self):
        server = self.start("--results-quota", "1")
        done = server.wait(server.submit(self.MANY))
        self.assertEqual((done["state"], done["attempt"]), ("failed", 1), done)
        self.assertEqual(done["error"]["code"], "quota_exceeded")
        self.assertIn("results-quota", done["error"]["detail"])
        self.assertLess(sum(self.kept(server).values()), 3 << 20)
        self.run_job(server)

    def test_parts_of_cancelled_jobs_make_room_the_oldest_first(self):
        server = self.start("--results-quota", "1024", "--retention-min-days", "3")
        first, second = [self.cancel_with_a_part(server) for _ in range(2)]
        self.assertEqual(server.stop(), 0)
        sizes = self.kept(server)
        both = sum(sizes.values())
        for job_id in (first, second):  # as if one of them alone would nearly fill the quota
            if ELSEWHERE:
                self.change(server, "UPDATE parts SET bytes = ?2 WHERE job = ?1", job_id, 600 << 20)
            else:
                os.truncate(os.path.join(server.folder, "parts", job_id + ".rows"), 600 << 20)
        self.assertGreater(both, 1 << 20)
        if ELSEWHERE:
            self.change(server, "UPDATE parts SET touched_ms = 1000 WHERE job = ?1", first)
        else:
            os.utime(os.path.join(server.folder, "parts", first + ".rows"), (1e9, 1e9))
        server.start()
        self.wait_until(lambda: first + ".rows" not in self.kept(server))
        server.wait_for_log('"part_dropped"')
        self.assertIn(second + ".rows", self.kept(server))
        ServerTest.assert_problem(self, server.request("GET", f"/v1/jobs/{first}/result?partial=1"), 409, "failed_precondition",
                                  words=["nothing of it was kept"])
        self.assertEqual(server.job(first)["state"], "cancelled")
        self.run_job(server)

    def test_rows_of_one_owner_stop_his_own_job_and_leave_what_is_kept_of_others(self):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        folder = os.path.join(own.name, "data")
        tokens = {name: make_token(folder, "run", name) for name in ("good", "greedy")}
        server = Server(folder, "--results-quota", "8", workers=2, token=tokens["good"])
        self.addCleanup(server.close)
        few = {**long_job(soft_arm()), "output": {"dt": 0.01, "fields": ["q"]}}
        kept = self.cancel_with_a_part(server, few)  # the oldest
        running = server.submit(few)
        self.wait_until(lambda: running + ".rows" in self.kept(server))
        server.token = tokens["greedy"]
        done = server.wait(server.submit(self.MANY))
        self.assertEqual((done["state"], done["error"]["code"]), ("failed", "quota_exceeded"), done)
        self.assertIn("results-quota-per-owner", done["error"]["detail"])
        server.token = tokens["good"]
        self.assertEqual(server.job(running)["state"], "running")
        self.assertIn(kept + ".rows", self.kept(server))
        self.assertEqual(server.request("GET", f"/v1/jobs/{kept}/result?partial=1", headers={"Accept": "application/x-npz"}).status, 200)
        server.request("POST", f"/v1/jobs/{running}:cancel")

    def cancel_with_a_part(self, server, job=MANY):
        job_id = server.submit(job)
        self.wait_until(lambda: job_id + ".checkpoint" in self.kept(server))
        server.request("POST", f"/v1/jobs/{job_id}:cancel")
        self.assertEqual(server.wait(job_id)["state"], "cancelled")
        return job_id


@in_a_folder
class Lost(Kept):
    def assert_lost(self, server, job_id, words):
        for media in ("application/x-npz", "application/json", "text/csv"):
            reply = self.fetch(server, job_id, media)
            ServerTest.assert_problem(self, reply, 410, "result_lost", words=[job_id, words])
        ServerTest.assert_problem(self, self.fetch(server, job_id, Range="bytes=0-9"), 410, "result_lost")
        job = server.job(job_id)
        self.assertEqual((job["state"], job["error"]["code"]), ("succeeded", "result_lost"))
        events = server.request("GET", f"/v1/jobs/{job_id}/events?since=0").json()["events"]
        remarks = [e["message"] for e in events if e["event"] == "log" and e["level"] == "error"]
        self.assertEqual(len(remarks), 1, events)
        self.assertIn(words, remarks[0])

    def test_a_missing_result_is_lost_until_it_is_there_again_and_its_job_may_be_retried(self):
        server = self.start()
        job_id = self.run_job(server)
        whole, path = self.fetch(server, job_id).body, self.file(server, job_id)
        os.rename(path, path + ".away")
        self.assert_lost(server, job_id, "missing")
        self.assertEqual(self.metric(server, "tendril_results_lost_total"), 1)
        again = server.request("POST", f"/v1/jobs/{job_id}:retry")
        self.assertEqual((again.status, again.json()["retry_of"]), (202, job_id))
        self.assertEqual(server.wait(again.json()["id"])["state"], "succeeded")
        os.rename(path + ".away", path)
        self.assertEqual(self.fetch(server, job_id).body, whole)
        self.assertIsNone(server.job(job_id)["error"])
        self.assertEqual(server.request("POST", f"/v1/jobs/{job_id}:retry").status, 409)

    def test_a_result_that_was_cut_or_changed_gives_no_data(self):
        server = self.start()
        for damage, words in ((lambda data: data[:-1], "size"), (lambda data: data + b"x", "size"), (lambda data: b"", "size"),
                              (lambda data: data[:500] + bytes([data[500] ^ 1]) + data[501:], "checksum")):
            job_id = self.run_job(server)
            self.assertEqual(self.fetch(server, job_id).status, 200)
            with open(self.file(server, job_id), "rb") as file:
                data = damage(file.read())
            with open(self.file(server, job_id), "wb") as file:
                file.write(data)
            self.assert_lost(server, job_id, words)

    def test_a_start_finds_what_is_missing_and_removes_what_belongs_to_nobody(self):
        server = self.start()
        lost, kept, deleted = (self.run_job(server) for _ in range(3))
        with open(self.file(server, deleted), "rb") as file:
            data = file.read()
        server.request("DELETE", f"/v1/jobs/{deleted}")
        self.assertFalse(os.path.exists(self.file(server, deleted)))
        self.assertEqual(server.stop(), 0)
        os.remove(self.file(server, lost))
        for name in (deleted + ".npz", "notes.txt", "copy.npz"):
            with open(os.path.join(server.folder, "results", name), "wb") as file:
                file.write(data)
        server.start()
        server.wait_for_log('"results_scanned"')
        self.until(server, lost, lambda reply: reply.json()["error"])
        end = time.monotonic() + 30
        while os.path.exists(self.file(server, deleted)) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(set(os.listdir(os.path.join(server.folder, "results"))), {kept + ".npz", "notes.txt", "copy.npz"})
        self.assertEqual(os.listdir(os.path.join(server.folder, "lost+found")), [deleted + ".npz"])
        self.assertIn("result_without_row", server.log())
        self.assertEqual(self.fetch(server, kept).status, 200)
        self.assertIsNone(server.job(kept)["error"])


@in_a_folder
class DamagedLog(Kept):
    """What was acknowledged after the last checkpoint stands in the write-ahead log alone, and SQLite takes a damaged one for a shorter one."""

    def killed(self):
        """A server that was killed with 20 jobs waiting, as it lies there; and the jobs."""
        server = self.start()
        jobs = [server.submit(long_job(soft_arm()))]
        with open(os.path.join(server.folder, "tendril.db-mark"), "rb") as file:
            self.early = file.read()
        jobs += [server.submit(long_job(soft_arm())) for _ in range(19)]
        server.kill()
        self.lying = os.path.join(server.own.name, "lying")
        shutil.copytree(server.folder, self.lying)
        return server, jobs

    def lay_back(self, server):
        shutil.rmtree(server.folder)
        shutil.copytree(self.lying, server.folder)
        return os.path.join(server.folder, "tendril.db-wal")

    def check(self, server):
        return subprocess.run([server.command()[0], "check", "--data", server.folder], capture_output=True, text=True, timeout=60,
                              check=False)

    def assert_lost(self, server, words):
        checked = self.check(server)
        self.assertEqual(checked.returncode, 1, checked.stdout)
        self.assertIn("tendril.db-wal", checked.stdout)
        refused = subprocess.run(server.command(), capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        for word in ("tendril.db-wal", "--accept-lost-rows", *words):
            self.assertIn(word, refused.stderr)

    def assert_whole(self, server, jobs):
        self.assertEqual(self.check(server).returncode, 0)
        server.start()
        for job_id in jobs:
            self.assertIn(server.job(job_id)["state"], ("queued", "running"))
        server.kill()

    def test_a_damaged_cut_or_missing_log_is_not_taken_for_a_shorter_one(self):
        server, jobs = self.killed()
        wal = self.lay_back(server)
        size = os.path.getsize(wal)
        self.assert_whole(server, jobs)
        for place in (17, 100, 4096, size // 2, size - 100):
            self.lay_back(server)
            with open(wal, "r+b") as file:
                file.seek(place)
                byte = file.read(1)[0]
                file.seek(place)
                file.write(bytes([byte ^ 1]))
            self.assert_lost(server, ["lost"])
        self.lay_back(server)
        os.truncate(wal, size // 2)
        self.assert_lost(server, ["the last "])
        self.lay_back(server)
        os.unlink(wal)
        self.assert_lost(server, ["all"])
        server.flags = (*server.flags, "--accept-lost-rows")
        server.start()
        server.flags = ()
        self.run_job(server)
        server.kill()
        self.assertEqual(self.check(server).returncode, 0)
        server.start()

    def test_a_mark_that_a_loss_of_power_has_left_behind_the_log_is_no_loss(self):
        server, jobs = self.killed()
        for mark in (self.early, self.early[:20], b"", bytes(len(self.early))):
            self.lay_back(server)
            with open(os.path.join(server.folder, "tendril.db-mark"), "wb") as file:
                file.write(mark)
            self.assert_whole(server, jobs)
        server.start()

    def test_logs_that_somebody_else_has_written_into_the_database_and_folders_of_before_are_no_loss(self):
        server, jobs = self.killed()
        self.lay_back(server)
        database = sqlite3.connect(os.path.join(server.folder, "tendril.db"))
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        self.assert_whole(server, jobs)
        wal = self.lay_back(server)
        os.unlink(os.path.join(server.folder, "tendril.db-mark"))
        self.assert_whole(server, jobs)
        server.start()
        self.assertEqual(server.stop(), 0)
        self.assertFalse(os.path.exists(wal))
        self.assert_whole(server, jobs)


@in_a_folder
class OlderDatabase(Kept):
    """An operator puts back yesterday's tendril.db: nothing that was computed since is deleted."""

    def test_results_of_lost_rows_are_kept_and_come_back_with_their_rows(self):
        server = self.start()
        first = self.run_job(server)
        self.assertEqual(server.stop(), 0)
        database, older, newer = (os.path.join(server.folder, name) for name in ("tendril.db", "older.db", "newer.db"))
        shutil.copy(database, older)
        server.start()
        later = [self.run_job(server) for _ in range(12)]
        self.assertEqual(server.stop(), 0)
        shutil.copy(database, newer)
        shutil.copy(older, database)
        refused = subprocess.run(server.command(), capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("12 of the 13 results", refused.stderr)
        self.assertIn("--accept-lost-rows", refused.stderr)
        server.flags = (*server.flags, "--accept-lost-rows")
        server.start()
        server.wait_for_log('"results_scanned"', times=3)
        self.assertEqual(self.fetch(server, first).status, 200)
        self.assertEqual(set(os.listdir(os.path.join(server.folder, "lost+found"))), {job + ".npz" for job in later})
        self.assertEqual(server.stop(), 0)
        shutil.copy(newer, database)
        server.start()
        for job_id in later:
            self.until(server, job_id, lambda _: self.fetch(server, job_id).status == 200)  # they come back one by one
        self.assertEqual(os.listdir(os.path.join(server.folder, "lost+found")), [])


@in_a_folder
class Adopted(Kept):
    """The server died after the file had its name and before the row said so."""

    RUNNING = ("UPDATE jobs SET state = 'running', attempt = ?2, finished_ms = NULL, result_size = NULL, result_sha256 = NULL "
               "WHERE id = ?1")

    def restart_as_running(self, attempt=1, damage=None):
        server = self.start()
        job_id = self.run_job(server)
        whole = self.fetch(server, job_id).body
        self.assertEqual(server.stop(), 0)
        self.change(server, self.RUNNING, job_id, attempt)
        if damage:
            with open(self.file(server, job_id), "wb") as file:
                file.write(damage(whole))
        server.start()
        return server, whole, server.wait(job_id)

    def test_a_result_whose_row_was_not_written_any_more_is_taken_over(self):
        server, whole, done = self.restart_as_running()
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 1))
        self.assertEqual(self.fetch(server, done["id"]).body, whole)
        self.assertIn('"result_adopted"', server.log())
        states = [e["state"] for e in server.request("GET", f"/v1/jobs/{done['id']}/events?since=0").json()["events"]
                  if e["event"] == "state"]
        self.assertEqual(states[-1], "succeeded")

    def test_the_file_of_an_attempt_that_does_not_own_the_job_is_not_taken_over(self):
        server, whole, done = self.restart_as_running(attempt=2)
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 3))
        self.assertNotEqual(self.fetch(server, done["id"]).body, whole)
        self.assertNotIn('"result_adopted"', server.log())

    def test_a_damaged_file_is_not_taken_over(self):
        for damage in (lambda data: data[:-100], lambda data: data[:400] + bytes([data[400] ^ 4]) + data[401:], lambda data: b""):
            server, _, done = self.restart_as_running(damage=damage)
            self.assertEqual((done["state"], done["attempt"]), ("succeeded", 2))
            self.assertEqual(self.fetch(server, done["id"]).status, 200)


class Pruned(Kept):
    def age(self, server, job_id, days):
        self.change(server, "UPDATE jobs SET finished_ms = finished_ms - ?2 WHERE id = ?1", job_id, int(days * DAY_MS))

    def prunings(self, server):
        rows = [json.loads(line) for line in server.log().splitlines() if '"job_pruned"' in line]
        return [(row["job"], row["reason"]) for row in rows]

    def test_jobs_older_than_the_retention_go_with_their_results_and_younger_ones_stay(self):
        server = self.start("--retention-days", "2")
        old, failed = self.run_job(server), server.submit({**JOB, "max_wall_s": 1e-9})
        self.assertEqual(server.wait(failed)["state"], "failed")
        young = self.run_job(server)
        self.assertEqual(server.stop(), 0)
        for job_id, days in ((old, 2.1), (young, 1.9), (failed, 3)):
            self.age(server, job_id, days)
        server.start()
        for job_id in (old, failed):
            self.until(server, job_id, lambda reply: reply.status == 404)
        server.wait_for_log('"job_pruned"', times=2)  # after its row has gone
        self.assertEqual(sorted(self.prunings(server)), sorted([(old, "age"), (failed, "age")]))
        self.assertFalse(self.is_kept(server, old))
        self.assertEqual(self.fetch(server, young).status, 200)
        self.assertEqual(self.metric(server, 'tendril_jobs_pruned_total{reason="age"}'), 2)

    def test_without_a_retention_nothing_goes(self):
        server = self.start()
        job_id = self.run_job(server)
        self.assertEqual(server.stop(), 0)
        self.age(server, job_id, 20000)
        server.start()
        server.wait_for_log('"results_scanned"')
        time.sleep(3)
        self.assertEqual(self.fetch(server, job_id).status, 200)

    def test_a_quota_deletes_the_oldest_results_beyond_the_promise(self):
        server = self.start("--results-quota", "2", "--retention-min-days", "0")
        jobs = [self.run_job(server, BIG) for _ in range(3)]
        self.assertGreater(3 * self.size(server, jobs[2]), 2 << 20)
        for job_id in jobs[:2]:
            self.until(server, job_id, lambda reply: reply.status == 404)
        self.assertEqual(self.fetch(server, jobs[2]).status, 200)
        self.assertEqual(self.prunings(server)[0], (jobs[0], "quota"))
        self.assertLess(self.metric(server, "tendril_store_results_bytes"), 2 << 20)
        self.run_job(server, BIG)

    def test_within_the_promise_nothing_is_deleted_and_new_jobs_are_refused(self):
        server = self.start("--results-quota", "1", "--retention-min-days", "3", "--retention-days", "10")
        key = {"Idempotency-Key": "first"}
        first = server.request("POST", "/v1/jobs", BIG, key).json()["id"]
        self.assertEqual(server.wait(first)["state"], "succeeded")
        self.assertGreater(self.size(server, first), 1 << 20)
        server.wait_for_log('"quota_reached"')
        ServerTest.assert_problem(self, server.request("POST", "/v1/jobs", JOB), 507, "quota_exceeded",
                                  words=["results-quota", "retention-min-days", "3 days"])
        self.assertEqual(server.request("POST", "/v1/jobs", BIG, key).json()["id"], first)
        self.assertEqual(self.fetch(server, first).status, 200)
        limits = server.request("GET", "/v1/limits").json()
        self.assertEqual((limits["results_quota_bytes"], limits["retention_days"], limits["retention_min_days"]), (1 << 20, 10, 3))
        self.assertEqual(self.metric(server, "tendril_jobs_refused_total"), 1)
        self.assertEqual(server.stop(), 0)
        server.start()
        ServerTest.assert_problem(self, server.request("POST", "/v1/jobs", JOB), 507, "quota_exceeded")
        self.assertEqual(server.request("DELETE", f"/v1/jobs/{first}").status, 204)
        server.wait_for_log('"quota_free"')
        self.run_job(server)
        self.assertEqual(self.prunings(server), [])

    def test_what_is_refused_once_the_promise_is_over_makes_room(self):
        server = self.start("--results-quota", "1", "--retention-min-days", "3")
        first = self.run_job(server, BIG)
        self.assertEqual(server.stop(), 0)
        self.age(server, first, 3.1)
        server.start()
        self.until(server, first, lambda reply: reply.status == 404)
        self.run_job(server)
        server.wait_for_log('"job_pruned"')  # after its row has gone
        self.assertEqual(self.prunings(server), [(first, "quota")])

    def start_for_two(self, *flags):
        """A server with tokens of two owners; returns it, and a function that makes it somebody's next requests."""
        server = self.start("--results-quota", "4", *flags)
        self.assertEqual(server.stop(), 0)
        tokens = {name: make_token(server.folder, "run", name) for name in ("good", "evil")}
        server.start()

        def become(name):
            server.token = tokens[name]
        return server, become

    def fill(self, server, job=BIG):
        """Jobs until one is refused; its answer, and the jobs."""
        jobs = []
        for _ in range(40):
            reply = server.request("POST", "/v1/jobs", job)
            if reply.status != 202:
                return reply, jobs
            jobs.append(reply.json()["id"])
            self.assertEqual(server.wait(jobs[-1])["state"], "succeeded")
            time.sleep(0.2)
        return None, jobs

    def run_where_there_is_room(self, server, job):
        """Room is made in the background: a busy machine may refuse a job until it is."""
        for _ in range(100):
            reply = server.request("POST", "/v1/jobs", job)
            if reply.status != 507:
                break
            time.sleep(0.2)
        self.assertEqual(reply.status, 202, reply.body)
        self.assertEqual(server.wait(reply.json()["id"])["state"], "succeeded")
        return reply.json()["id"]

    def test_an_owner_who_fills_his_share_is_refused_and_nobody_else_is(self):
        server, become = self.start_for_two("--retention-min-days", "7")
        become("good")
        first = self.run_job(server)
        become("evil")
        refused, jobs = self.fill(server)
        ServerTest.assert_problem(self, refused, 507, "quota_exceeded", words=["results-quota", "your share"])
        become("good")
        self.run_job(server)
        self.assertEqual(self.fetch(server, first).status, 200)

    def test_room_is_made_by_who_holds_most_and_never_by_others_below_their_share(self):
        server, become = self.start_for_two("--retention-min-days", "0")
        become("good")
        first = self.run_job(server)  # the oldest of all
        become("evil")
        jobs = [self.run_where_there_is_room(server, BIG) for _ in range(4)]
        server.wait_for_log('"job_pruned"')
        become("good")
        self.run_job(server)
        self.assertEqual(self.fetch(server, first).status, 200)
        gone = [job for job, _ in self.prunings(server)]
        self.assertTrue(gone and gone == jobs[:len(gone)], (gone, jobs))


if __name__ == "__main__":
    main()
