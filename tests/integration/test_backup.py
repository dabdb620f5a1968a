"""tendrild backup, restore and check: copies made while jobs run, are submitted and deleted, and what a server makes of them."""
import hashlib
import os
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

from harness import BIN, Server, long_job, main, make_token, pendulum, soft_arm

JOB = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.01, "fields": ["q", "qd"]}}


def tendrild(*words):
    return subprocess.run([os.path.join(BIN, "tendrild"), *words], capture_output=True, text=True, check=False, timeout=300)


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Backup(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tendril-backup-")
        self.addCleanup(self.folder.cleanup)
        self.data, self.copy = self.path("data"), self.path("copy")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def start(self, folder, *flags, **options):
        server = Server(folder, *flags, **options)
        self.addCleanup(server.close)
        return server

    def backup(self, to=None, *words):
        done = tendrild("backup", to or self.copy, "--data", self.data, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_jobs(self, server, count):
        return [server.wait(job)["id"] for job in [server.submit(JOB) for _ in range(count)]]

    def file(self, folder, job):
        return os.path.join(folder, "results", job + ".npz")

    def wait_for_checkpoint(self, server, job):
        end = time.monotonic() + 120
        while not os.path.exists(os.path.join(server.folder, "parts", job + ".checkpoint")):
            self.assertLess(time.monotonic(), end, server.log())
            time.sleep(0.02)

    def archive(self, server, job):
        return server.request("GET", f"/v1/jobs/{job}/result", headers={"Accept": "application/x-npz"}).body

    def change_byte(self, path, at):
        """In a file of its own: a link to it elsewhere stays as it is."""
        with open(path, "rb") as file:
            content = bytearray(file.read())
        content[at] ^= 0x55
        os.unlink(path)
        with open(path, "wb") as file:
            file.write(content)


class Copies(Backup):
    def test_a_copy_taken_under_load_has_every_job_that_had_succeeded_and_runs_the_others(self):
        server = self.start(self.data, workers=2)
        before = self.run_jobs(server, 20)
        slow = server.submit(long_job(soft_arm(), t_end=10))
        server.wait_for_progress(slow, 0.1)
        stop, deleted, submitted = threading.Event(), [], []

        def churn():
            while not stop.is_set():
                submitted.append(server.submit(JOB))
                if len(submitted) % 3 == 0 and server.wait(submitted[-3])["state"] == "succeeded":
                    assert server.request("DELETE", "/v1/jobs/" + submitted[-3]).status == 204
                    deleted.append(submitted[-3])

        threads = [threading.Thread(target=churn)]
        for thread in threads:
            thread.start()
        for i in range(5):
            self.backup(self.path(f"copy-{i}"))
        stop.set()
        for thread in threads:
            thread.join()
        self.assertGreater(len(deleted), 0)
        digests = {job: sha256(self.file(self.data, job)) for job in before}
        for i in range(5):
            copy = self.path(f"copy-{i}")
            checked = tendrild("check", "--data", copy)
            self.assertEqual(checked.returncode, 0, checked.stdout)
            self.assertIn("all is well", checked.stdout)
            for job, digest in digests.items():
                self.assertEqual(sha256(self.file(copy, job)), digest)
        served = self.start(self.path("copy-4"), workers=2)
        self.assertEqual(served.wait(slow)["state"], "succeeded")
        for job, digest in digests.items():
            self.assertEqual(hashlib.sha256(self.archive(served, job)).hexdigest(), digest)
        self.assertNotIn("result_lost", served.log())
        self.assertNotIn("result_without_row", served.log())

    def test_an_unfinished_job_goes_on_from_its_checkpoint_in_the_copy(self):
        server = self.start(self.data)
        slow = server.submit(long_job(soft_arm(), t_end=20))
        self.wait_for_checkpoint(server, slow)
        self.backup()
        server.request("POST", f"/v1/jobs/{slow}:cancel")
        served = self.start(self.copy)
        served.wait_for_log('"resumed_bytes"')
        resumed = [int(part.split(",")[0].split("}")[0]) for part in served.log().split('"resumed_bytes":')[1:]]
        self.assertGreater(resumed[0], 0, served.log())

    def test_results_are_links_and_a_later_copy_elsewhere_links_to_the_one_before(self):
        server = self.start(self.data)
        job = self.run_jobs(server, 1)[0]
        self.backup()
        self.assertEqual(os.stat(self.file(self.copy, job)).st_ino, os.stat(self.file(self.data, job)).st_ino)
        self.backup(self.path("own"), "--copy")
        self.assertNotEqual(os.stat(self.file(self.path("own"), job)).st_ino, os.stat(self.file(self.data, job)).st_ino)
        self.backup(self.path("next"), "--copy", "--previous", self.path("own"))
        self.assertEqual(os.stat(self.file(self.path("own"), job)).st_ino, os.stat(self.file(self.path("next"), job)).st_ino)

    def test_a_copy_of_an_unclean_folder_has_what_its_log_has(self):
        server = self.start(self.data)
        job = self.run_jobs(server, 1)[0]
        server.kill()
        self.backup()
        self.assertEqual(self.start(self.copy).job(job)["state"], "succeeded")

    def test_a_copy_that_was_cut_short_is_none(self):
        server = self.start(self.data)
        self.run_jobs(server, 30)
        process = subprocess.Popen([os.path.join(BIN, "tendrild"), "backup", self.copy, "--data", self.data, "--copy"],
                                   stdout=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while not os.path.isdir(os.path.join(self.copy, "results")) and time.monotonic() < end:
            pass
        process.kill()
        process.wait()
        if os.path.exists(os.path.join(self.copy, "tendril.db")):
            self.skipTest("it was faster than the kill")
        for words in (("restore", self.copy, "--data", self.path("new")), ("check", "--data", self.copy)):
            done = tendrild(*words)
            self.assertEqual(done.returncode, 1)
            self.assertIn("is not a data folder", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.path("new"), "tendril.db")))

    def test_submissions_go_on_while_a_copy_is_made(self):
        server = self.start(self.data)
        body = {**JOB, "labels": {"text": "x" * 60}}
        for _ in range(300):
            server.submit(body)
        process = subprocess.Popen([os.path.join(BIN, "tendrild"), "backup", self.copy, "--data", self.data],
                                   stdout=subprocess.DEVNULL)
        count = 0
        while process.poll() is None:
            server.submit(JOB)
            count += 1
        self.assertEqual(process.returncode, 0)
        self.assertGreater(count, 0)


class Restored(Backup):
    def test_what_was_deleted_after_the_copy_is_there_again(self):
        server = self.start(self.data)
        jobs = self.run_jobs(server, 3)
        sweep = server.submit({"kind": "sweep", "base": JOB, "vary": [{"path": "/job/t_end", "values": [0.5, 1.0]}]})
        state = server.wait(sweep)["state"]
        self.backup()
        for job in [*jobs, sweep]:
            self.assertEqual(server.request("DELETE", "/v1/jobs/" + job).status, 204)
        self.assertEqual(server.stop(), 0)
        os.rename(self.data, self.path("old"))
        done = tendrild("restore", self.copy, "--data", self.data)
        self.assertEqual(done.returncode, 0, done.stderr)
        server = self.start(self.data)
        for job in jobs:
            self.assertEqual(server.job(job)["state"], "succeeded")
            self.assertEqual(server.request("GET", f"/v1/jobs/{job}/result").status, 200)
        self.assertEqual(server.job(sweep)["state"], state)

    def test_what_is_printed_is_text_whatever_bytes_are_in_it(self):
        for words in (["check", "--data"], []):
            word = words or ["--data"]
            done = subprocess.run([os.path.join(BIN, "tendrild"), *word, os.fsencode(self.path("none")) + b"/\xff\x1b[2J/\xc3"],
                                  capture_output=True, check=False, timeout=60)
            self.assertNotEqual(done.returncode, 0)
            self.assertTrue(done.stderr.decode("utf-8").strip().isprintable(), done.stderr)

    def test_a_restore_into_a_data_folder_or_one_below_it_is_refused(self):
        server = self.start(self.data)
        self.run_jobs(server, 1)
        self.backup(self.path("kept"))
        for below in ("tmp/r", "results/r", "parts/r", "lost+found/r", "r", "tmp", "results"):
            to = os.path.join(self.data, below)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            done = subprocess.run([os.path.join(BIN, "tendrild"), "restore", self.path("kept"), "--data", to], capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 1, (below, done.stdout))
            self.assertIn("lies in the data folder", done.stderr)
            self.assertFalse(os.path.exists(os.path.join(to, "tendril.db")))

    def test_a_copy_into_the_data_folder_around_it_or_over_another_is_refused_with_a_word(self):
        server = self.start(self.data)
        self.run_jobs(server, 1)
        os.makedirs(self.path("other"))
        os.symlink(self.data, self.path("link"))
        before = sorted(os.listdir(self.data))
        for to, word in ((self.data, "itself"), (self.data + "/", "itself"), (self.path("link"), "itself"),
                         (os.path.join(self.data, "copy"), "in the data folder"), (os.path.join(self.data, "results", "x"), "in the data folder"),
                         (os.path.join(self.path("link"), "copy"), "in the data folder"), (self.folder.name, "outside of it|not there yet")):
            done = tendrild("backup", to, "--data", self.data)
            self.assertEqual(done.returncode, 1, (to, done.stdout))
            self.assertRegex(done.stderr, word)
        self.assertEqual(sorted(os.listdir(self.data)), before)
        self.backup()
        kept = sorted(os.listdir(self.copy))
        for folder in (self.data, self.copy):
            for name in os.listdir(folder):
                self.assertEqual(os.stat(os.path.join(folder, name)).st_mode & 0o077, 0, name)
        again = tendrild("backup", self.copy, "--data", self.data)
        self.assertEqual(again.returncode, 1)
        self.assertIn("already", again.stderr)
        inside = tendrild("restore", self.copy, "--data", os.path.join(self.copy, "again"))
        self.assertEqual(inside.returncode, 1)
        self.assertEqual(sorted(os.listdir(self.copy)), kept)

    def test_a_folder_that_is_not_empty_is_never_written_to(self):
        server = self.start(self.data)
        self.run_jobs(server, 1)
        self.backup()
        for words in (("restore", self.copy, "--data", self.data), ("backup", self.copy, "--data", self.data)):
            done = tendrild(*words)
            self.assertEqual(done.returncode, 1)
            self.assertIn("not an empty folder", done.stderr)

    def test_a_damaged_copy_is_refused_and_taken_with_force(self):
        server = self.start(self.data)
        jobs = self.run_jobs(server, 2)
        self.backup()
        self.change_byte(self.file(self.copy, jobs[0]), 100)
        done = tendrild("restore", self.copy, "--data", self.path("new"))
        self.assertEqual(done.returncode, 1)
        self.assertIn(jobs[0], done.stdout)
        self.assertFalse(os.path.exists(self.path("new")))
        self.assertEqual(tendrild("restore", self.copy, "--data", self.path("new"), "--force").returncode, 0)
        served = self.start(self.path("new"))
        self.assertEqual(served.request("GET", f"/v1/jobs/{jobs[1]}/result").status, 200)
        self.assertEqual(served.request("GET", f"/v1/jobs/{jobs[0]}/result").status, 410)

    def test_a_copy_that_nobody_may_write_to_can_be_checked_and_restored(self):
        server = self.start(self.data)
        job = self.run_jobs(server, 1)[0]
        self.backup(None, "--copy")
        subprocess.run(["chmod", "-R", "a-w", self.copy], check=True)
        self.addCleanup(subprocess.run, ["chmod", "-R", "u+w", self.copy], check=True)
        self.assertEqual(tendrild("restore", self.copy, "--data", self.path("new")).returncode, 0)
        self.assertEqual(self.start(self.path("new")).job(job)["state"], "succeeded")


class Checked(Backup):
    def check(self, *words):
        done = tendrild("check", "--data", self.data, *words)
        return done.returncode, done.stdout + done.stderr

    def test_a_folder_at_work_is_well(self):
        server = self.start(self.data)
        self.run_jobs(server, 3)
        slow = server.submit(long_job(soft_arm(), t_end=5))
        server.wait_for_progress(slow, 0.1)
        status, text = self.check()
        self.assertEqual(status, 0, text)
        self.assertIn("3 results", text)

    def test_each_kind_of_damage_is_named(self):
        server = self.start(self.data)
        jobs = self.run_jobs(server, 3)
        slow = server.submit(long_job(soft_arm(), t_end=20))
        self.wait_for_checkpoint(server, slow)
        server.request("POST", f"/v1/jobs/{slow}:cancel")
        server.wait(slow)
        self.assertEqual(server.stop(), 0)
        os.unlink(self.file(self.data, jobs[0]))
        os.truncate(self.file(self.data, jobs[1]), 50)
        self.change_byte(self.file(self.data, jobs[2]), 200)
        self.change_byte(os.path.join(self.data, "parts", slow + ".rows"), 8)
        status, text = self.check()
        self.assertEqual(status, 1)
        for job, words in ((jobs[0], "missing"), (jobs[1], "another size"), (jobs[2], "another checksum"),
                           (slow, "another checksum")):
            self.assertTrue(any(job in line and words in line for line in text.splitlines()), text)
        self.assertIn("4 things are wrong", text)
        self.assertNotIn(jobs[2], self.check("--quick")[1])

    def test_a_damaged_database_is_named_and_readiness_tells(self):
        server = self.start(self.data)
        self.run_jobs(server, 40)
        self.assertEqual(server.stop(), 0)
        self.damage_an_index()
        status, text = self.check()
        self.assertEqual(status, 1, text)
        self.assertIn("tendril.db: ", text)
        server = self.start(self.data)
        server.wait_for_log("database_damaged")
        reply = server.request("GET", "/readyz")
        self.assertEqual(reply.status, 503)
        self.assertIn("tendrild check", reply.json()["detail"])
        self.assertEqual(server.request("GET", "/healthz").status, 200)

    def test_a_flipped_bit_in_a_document_is_named(self):
        server = self.start(self.data)
        self.run_jobs(server, 1)
        self.assertEqual(server.stop(), 0)
        database = sqlite3.connect(os.path.join(self.data, "tendril.db"))
        body, = database.execute("SELECT body FROM documents WHERE body LIKE '%tendril.model/1%'").fetchone()
        database.execute("UPDATE documents SET body = ? WHERE body = ?", (body.replace("9.81", "9.80"), body))
        database.commit()
        database.close()
        self.assertIn("9.81", body)
        status, text = self.check()
        self.assertEqual(status, 1, text)
        self.assertIn("document", text)
        self.assertIn("another checksum", text)
        self.assertIn("1 things are wrong", text)

    def test_a_model_whose_document_the_disk_has_changed_is_not_served(self):
        server = self.start(self.data)
        self.assertEqual(server.request("PUT", "/v1/models/pendulum", pendulum()).status, 201)
        self.assertEqual(server.stop(), 0)
        database = sqlite3.connect(os.path.join(self.data, "tendril.db"))
        database.execute("UPDATE documents SET body = replace(body, '9.81', '9.80')")
        database.commit()
        database.close()
        server = self.start(self.data)
        question = {"states": [{"q": [0.1]}], "want": ["id"]}
        self.assertEqual(server.request("POST", "/v1/models/pendulum:evaluate", question).status, 500)
        self.assertEqual(server.request("GET", "/v1/models/pendulum").status, 500)
        server.wait_for_log("document_damaged")

    def test_a_fifo_in_the_place_of_a_result_is_damage(self):
        server = self.start(self.data)
        job = self.run_jobs(server, 1)[0]
        os.unlink(self.file(self.data, job))
        os.mkfifo(self.file(self.data, job))
        status, text = self.check()
        self.assertEqual(status, 1, text)
        self.assertIn(job, text)

    def test_a_fifo_or_a_link_is_never_waited_for_nor_followed(self):
        server = self.start(self.data)
        job = self.run_jobs(server, 1)[0]
        slow = server.submit(long_job(soft_arm(), t_end=20))
        self.wait_for_checkpoint(server, slow)
        server.request("POST", f"/v1/jobs/{slow}:cancel")
        self.assertEqual(server.wait(slow)["state"], "cancelled")
        for name, kind in ((self.file(self.data, job), os.mkfifo), (os.path.join(self.data, "parts", slow + ".rows"), os.mkfifo),
                           (os.path.join(self.data, "parts", slow + ".checkpoint"), lambda path: os.symlink("/dev/zero", path))):
            os.rename(name, name + ".away")
            kind(name)
            self.assertEqual(server.request("GET", f"/v1/jobs/{job}/result", headers={"Accept": "application/x-npz"}, timeout=20).status,
                             410)
            self.assertIn(server.request("GET", f"/v1/jobs/{slow}/result?partial=1", timeout=20).status,
                          (200, 409, 410))
            status, text = self.check()
            self.assertEqual(status, 1, text)
        self.backup(self.path("of-damage"))
        self.assertFalse(os.path.exists(self.file(self.path("of-damage"), job)))

    def test_files_of_no_job_and_missing_folders_are_said(self):
        server = self.start(self.data)
        job = self.run_jobs(server, 1)[0]
        self.assertEqual(server.stop(), 0)
        stray = self.file(self.data, "0" * len(job))
        with open(stray, "wb") as file:
            file.write(b"x")
        status, text = self.check()
        self.assertEqual(status, 0, text)
        self.assertIn(stray, text)
        self.assertIn("1 files belong to no job", text)
        os.unlink(stray)
        self.assertNotIn("belong", self.check()[1])
        os.rmdir(os.path.join(self.data, "parts"))
        status, text = self.check()
        self.assertEqual(status, 1, text)
        self.assertIn("parts: the folder is missing", text)

    def make_rows(self):
        """A folder with one row of each kind that is promised to somebody."""
        make_token(self.data, "admin")
        token = make_token(self.data, "run", "ann")
        server = self.start(self.data, "--slice-seconds", "0", token=token)
        slow = server.submit(long_job(soft_arm(), t_end=200))
        server.wait_for_progress(slow)
        key = {"Idempotency-Key": "promised"}
        waiting = server.request("POST", "/v1/jobs", {**JOB, "t_end": 1.25, "labels": {"unit": "seventeen"}}, key).json()["id"]
        server.kill()
        base = sqlite3.connect(os.path.join(self.data, "tendril.db"))
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        token_digest, = base.execute("SELECT sha256 FROM tokens WHERE name = 'ann'").fetchone()
        key_digest, = base.execute("SELECT sha256 FROM request_keys").fetchone()
        base.close()
        return waiting, slow, {"the job's document": b'"t_end":1.25', "its labels": b"seventeen", "an event": b'{"state":"queued"}',
                               "a request's key": key_digest.encode(), "a token": token_digest.encode()}

    def test_one_flipped_bit_in_a_row_of_what_was_promised_is_named(self):
        _, _, places = self.make_rows()
        self.assertEqual(self.check()[0], 0)
        path = os.path.join(self.data, "tendril.db")
        with open(path, "rb") as file:
            whole = file.read()
        for name, text in places.items():
            at = whole.find(text)
            self.assertGreater(at, 0, name)
            for step in (0, len(text) // 2, len(text) - 2):
                for bit in (0, 1):
                    changed = bytearray(whole)
                    changed[at + step] ^= 1 << bit
                    with open(path, "wb") as file:
                        file.write(changed)
                    status, said = self.check("--quick")
                    self.assertEqual(status, 1, (name, step, bit, said))
        with open(path, "wb") as file:
            file.write(whole)
        self.assertEqual(self.check()[0], 0)

    def test_a_job_whose_row_the_disk_has_changed_does_not_run_and_says_so(self):
        waiting, slow, places = self.make_rows()
        path = os.path.join(self.data, "tendril.db")
        with open(path, "r+b") as file:
            at = file.read().find(places["the job's document"]) + len('"t_end":')
            file.seek(at)
            file.write(b"7")  # 7.25 s instead of 1.25
        token = make_token(self.data, "admin", "looks")
        server = self.start(self.data, "--slice-seconds", "0", token=token)
        server.request("POST", f"/v1/jobs/{slow}:cancel")
        server.wait_for_log('"row_damaged"')
        job = server.job(waiting)
        self.assertIn(job["state"], ("queued", "running"), job)
        self.assertEqual(job["error"]["code"], "row_damaged")
        self.assertEqual(server.request("GET", "/readyz").status, 503)
        self.assertEqual(server.request("GET", f"/v1/jobs/{waiting}/document").status, 500)
        self.assertIn(server.request("POST", f"/v1/jobs/{waiting}:cancel").status, (200, 202))
        server.wait(waiting)
        self.assertEqual(server.request("POST", f"/v1/jobs/{waiting}:retry").status, 500)

    def damage_an_index(self):
        """A cell of the table of events points into nowhere."""
        database = sqlite3.connect(os.path.join(self.data, "tendril.db"))
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page, size = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").fetchone()[0], 4096
        self.assertEqual(database.execute("PRAGMA page_size").fetchone()[0], size)
        database.close()
        with open(os.path.join(self.data, "tendril.db"), "r+b") as file:
            file.seek((page - 1) * size + 8)
            file.write(b"\xff" * 24)

    def test_a_part_that_the_disk_has_changed_is_not_built_upon(self):
        server = self.start(self.data)
        slow = server.submit(long_job(soft_arm(), t_end=20))
        self.wait_for_checkpoint(server, slow)
        server.kill()
        rows = os.path.join(self.data, "parts", slow + ".rows")
        self.assertGreater(os.stat(rows).st_size, 64)
        self.change_byte(rows, 8)
        server.start()
        server.wait_for_log("part_damaged")
        server.wait_for_log('"resumed_bytes":0')
        server.request("POST", f"/v1/jobs/{slow}:cancel")

    def test_a_partial_result_whose_rows_are_damaged_is_lost_not_served(self):
        server = self.start(self.data)
        slow = server.submit(long_job(soft_arm(), t_end=20))
        self.wait_for_checkpoint(server, slow)
        server.request("POST", f"/v1/jobs/{slow}:cancel")
        server.wait(slow)
        self.assertEqual(server.request("GET", f"/v1/jobs/{slow}/result?partial=1").status, 200)
        self.change_byte(os.path.join(self.data, "parts", slow + ".rows"), 8)
        reply = server.request("GET", f"/v1/jobs/{slow}/result?partial=1")
        self.assertEqual((reply.status, reply.json()["code"]), (410, "result_lost"))


class Words(Backup):
    def test_usage(self):
        for words, status, said in ((("backup",), 2, "name the folder"), (("restore",), 2, "name the folder"),
                                    (("backup", self.copy, "--data", self.path("none")), 1, "is not a data folder"),
                                    (("check", "--data", self.path("none")), 1, "is not a data folder"),
                                    (("check", "there"), 2, "--data DIR"), (("backup", "a", "--wrong", "b"), 2, "--wrong")):
            done = tendrild(*words)
            self.assertEqual(done.returncode, status, (words, done.stderr))
            self.assertIn(said, done.stderr)
        for command in ("backup", "restore", "check"):
            self.assertTrue(tendrild(command, "--help").stdout.startswith("usage: tendrild " + command))


if __name__ == "__main__":
    main()
