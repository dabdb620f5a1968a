"""Workers that are not what they should be: nonsense, lies and silence cost attempts of their job, and nothing else.

The server is given a program in place of tendril-worker that reads its job and then sends bytes of the test's choice, or
one that does its first job well and behaves badly afterwards.
"""
import json
import os
import stat
import struct
import subprocess
import tempfile
import unittest

from harness import BIN, Server, main, pendulum

PROGRAM = """#!/usr/bin/python3
import os, re, socket, sys, time
s = socket.socket(fileno=3)
s.sendall({hello!r})
job, files, _, _ = socket.recv_fds(s, 1 << 16, 2)
number = re.search(rb'"lie": ?"(\\d+)"', job)[1].decode()
with open({folder!r} + "/" + number, "rb") as file:
    data = file.read()
try:
    os.write(files[0], b"PK")  # what should be its archive
    s.sendall(data)
except OSError:
    sys.exit(1)
time.sleep({linger})
"""

# Does every job well, with the archive that it is given, if `then` is empty.
GOOD_PROGRAM = """#!/usr/bin/python3
import os, socket, sys, time
s = socket.socket(fileno=3)
s.sendall({hello!r})
def receive():
    job, files, _, _ = socket.recv_fds(s, 1 << 16, 2)
    if not job:
        sys.exit(0)
    return files[0]
def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
def say(body, content=b"", turn=0):
    data = bytes([body << 3 | 2]) + varint(len(content)) + content + (b"\\x68" + varint(turn) if turn else b"")
    s.sendall(len(data).to_bytes(4, "little") + data)
def end(file, turn, close=True):
    os.write(file, archive)
    if close:
        os.close(file)
    say(5, b"\\x08" + varint(len(archive)), turn)
with open({archive!r}, "rb") as source:
    archive = source.read()
{then}
turn = 0
while True:
    end(receive(), turn)
    turn += 1
"""


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def text(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value


def integer(number, value):
    return varint(number << 3) + varint(value)


def real(number, value):
    return varint(number << 3 | 1) + struct.pack("<d", value)


def frame(body, content=b""):
    return struct.pack("<I", len(text(body, content))) + text(body, content)


JOB, CANCEL, PROGRESS, CHUNK, DONE, FAILED, CANCELLED, ROWS, CHECKPOINT, DRAIN, DRAINED, HELLO = range(1, 13)  # 4: once
INFINITE = float("inf")
VERSION = subprocess.run([os.path.join(BIN, "tendril-worker"), "--version"], capture_output=True, check=True).stdout.split()[-1]
GREETING = frame(HELLO, integer(1, 3) + text(2, VERSION))
LIES = {
    "bytes that are no frame": os.urandom(200),
    "a length beyond every limit": b"\xff\xff\xff\xff",
    "half a frame": frame(ROWS, text(2, b"x" * 100))[:50],
    "an empty frame": struct.pack("<I", 0),
    "what only the server says": frame(JOB) + frame(CANCEL) + frame(DRAIN),
    "an end without a result": frame(DONE, integer(1, 0)),
    "a result of another size": frame(DONE, integer(1, 3)),
    "a result that is none": frame(DONE, integer(1, 2)),
    "a message of another version": frame(CHUNK, text(1, b"PK")) + frame(DONE, integer(1, 2)),
    "rows from nowhere": frame(ROWS, integer(1, 1 << 40) + text(2, b"x" * 8)),
    "rows beyond every file": frame(ROWS, integer(1, (1 << 64) - 8) + text(2, b"x" * 8)),
    "a checkpoint of rows that never came": frame(CHECKPOINT, integer(1, 800) + text(2, b"x")),
    "cancelled, but nobody asked": frame(CANCELLED),
    "drained, but nobody asked": frame(DRAINED),
    "a failure in no alphabet": frame(FAILED, text(1, b"\xff") + text(2, b"\xfe") + text(3, b"\xfd")),
    "a failure of the disk in no alphabet": frame(FAILED, text(1, b"limit") + text(2, b"\xfe\xff") + integer(4, 1)),
    "a failure of a megabyte": frame(FAILED, text(1, b"limit") + text(2, b"x" * (1 << 20))),
    "progress that is no number": frame(PROGRESS, real(1, INFINITE) + real(2, -INFINITE) + real(3, float("nan"))),
    "nothing": b"",
}


class FalseWorkers(unittest.TestCase):
    def serve(self, linger):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for number, data in enumerate(LIES.values()):
            with open(os.path.join(folder.name, str(number)), "wb") as file:
                file.write(data)
        program = os.path.join(folder.name, "worker")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(folder=folder.name, linger=linger, hello=GREETING))
        os.chmod(program, stat.S_IRWXU)
        server = Server(None, "--worker", program, workers=8)
        self.addCleanup(server.close)
        return server

    @staticmethod
    def submit(server, lie):
        return server.submit({"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.1, "fields": ["q"]},
                              "labels": {"lie": str(list(LIES).index(lie))}})

    def test_whatever_a_worker_says_its_job_fails_after_three_attempts_with_a_reason_and_the_server_goes_on(self):
        server = self.serve(linger=0)
        jobs = {lie: self.submit(server, lie) for lie in LIES}
        for lie, job_id in jobs.items():
            with self.subTest(lie):
                done = server.wait(job_id)
                self.assertEqual((done["state"], done["attempt"]), ("failed", 3), done)
                self.assertEqual(done["error"]["code"], "worker_crashed")
                self.assertIn("the last of 3", done["error"]["detail"])
                events = server.request("GET", f"/v1/jobs/{job_id}/events?since=0")
                json.loads(events.body.decode(), parse_constant=self.fail)
        self.assertEqual(os.listdir(os.path.join(server.folder, "tmp")), [])
        self.assertTrue(server.alive())

    def test_progress_is_a_number_while_a_worker_says_it_is_not(self):
        server = self.serve(linger=1)
        job_id = self.submit(server, "progress that is no number")
        while server.job(job_id)["state"] in ("queued", "running"):
            fraction = server.job(job_id)["progress"]["fraction"]
            self.assertTrue(0 <= fraction <= 1, fraction)
        self.assertEqual(server.job(job_id)["attempt"], 3)


class AfterADoneJob(unittest.TestCase):
    JOB = {"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}}

    def setUp(self):
        """An archive for the false worker, made by the true one."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.archive = folder.name, os.path.join(folder.name, "result.npz")
        job = os.path.join(folder.name, "job.json")
        with open(job, "w", encoding="utf-8") as file:
            json.dump(self.JOB, file)
        subprocess.run([os.path.join(BIN, "tendril-worker"), "--local", "-", job, "-o", self.archive], check=True)

    def run_two_jobs(self, then):
        """(process, attempts, detail of the first remark) of each."""
        program = os.path.join(self.folder, "worker")
        with open(program, "w", encoding="utf-8") as file:
            file.write(GOOD_PROGRAM.format(archive=self.archive, then=then, hello=GREETING))
        os.chmod(program, stat.S_IRWXU)
        server = Server(None, "--worker", program)
        self.addCleanup(server.close)
        ran = []
        for _ in range(2):
            job_id = server.submit(self.JOB)
            done = server.wait(job_id)
            self.assertEqual(done["state"], "succeeded", done)
            with open(self.archive, "rb") as file:
                whole = server.request("GET", f"/v1/jobs/{job_id}/result", headers={"Accept": "application/x-npz"})
                self.assertEqual(whole.body, file.read())
            started = [json.loads(line) for line in server.log().splitlines() if '"job_started"' in line and job_id in line]
            events = server.request("GET", f"/v1/jobs/{job_id}/events?since=0").json()["events"]
            ran.append(([row["pid"] for row in started], [e["message"] for e in events if e["event"] == "log"]))
        return ran

    def test_one_that_closes_its_file_and_waits_gets_the_next_job(self):
        (first, _), (second, _) = self.run_two_jobs("")
        self.assertEqual(first, second)

    def test_one_that_keeps_the_file_of_its_result_open_is_ended_before_the_result_is_taken(self):
        (first, no_remarks), (second, _) = self.run_two_jobs("end(receive(), 0, close=False)\nreceive()")
        self.assertEqual((len(first), len(second), no_remarks), (1, 1, []))
        self.assertNotEqual(first, second)

    def test_one_that_goes_on_talking_is_replaced_and_the_next_job_does_not_notice(self):
        (first, _), (second, remarks) = self.run_two_jobs("end(receive(), 0)\nsay(3)\ntime.sleep(60)")
        self.assertEqual((len(first), len(second), remarks), (1, 1, []))
        self.assertNotEqual(first, second)

    def test_one_that_leaves_is_replaced_and_the_next_job_does_not_notice(self):
        (first, _), (second, remarks) = self.run_two_jobs("end(receive(), 0)\nsys.exit(0)")
        self.assertEqual((len(first), len(second), remarks), (1, 1, []))
        self.assertNotEqual(first, second)

    def test_a_frame_of_the_last_job_is_no_frame_of_the_next_one(self):
        for late in ("say(3)", "end(os.dup(2), 0)"):
            with self.subTest(late):
                bad = f"if not os.path.exists({self.folder!r} + '/late'):\n  end(receive(), 0); receive(); "
                bad += f"open({self.folder!r} + '/late', 'w').close(); {late}; time.sleep(60)\n"
                (first, _), (second, remarks) = self.run_two_jobs(bad)
                self.assertEqual(first, second[:1])
                self.assertEqual(len(second), 2)
                self.assertIn("another job", remarks[0])
                os.remove(os.path.join(self.folder, "late"))


if __name__ == "__main__":
    main()
