"""Workers that are not what they should be: nonsense, lies and silence cost attempts of their job, and nothing else.

The server is given a program in place of tendril-worker that reads its job and then sends bytes of the test's choice, or
one that does its first job well and behaves badly afterwards. And the true worker, with a server that speaks too late.
"""
import json
import os
import re
import socket
import stat
import struct
import subprocess
import tempfile
import unittest

from harness import BIN, SOURCE, Server, main, pendulum

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


def frame(body, content=b"", turn=0):
    data = text(body, content) + (integer(13, turn) if turn else b"")
    return struct.pack("<I", len(data)) + data


RESUMED = 16
JOB, CANCEL, PROGRESS, CHUNK, DONE, FAILED, CANCELLED, ROWS, CHECKPOINT, DRAIN, DRAINED, HELLO = range(1, 13)  # 4: once
INFINITE = float("inf")
VERSION = subprocess.run([os.path.join(BIN, "tendril-worker"), "--version"], capture_output=True, check=True).stdout.split()[-1]
with open(os.path.join(SOURCE, "server", "worker", "spawn.h"), encoding="utf-8") as header:
    PROTOCOL = int(re.search(r"WORKER_PROTOCOL = (\d+)", header.read())[1])
GREETING = frame(HELLO, integer(1, PROTOCOL) + text(2, VERSION))
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
    "progress that is not a number": frame(PROGRESS, real(1, INFINITE) + real(2, -INFINITE) + real(3, float("nan"))),
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
        job_id = self.submit(server, "progress that is not a number")
        while server.job(job_id)["state"] in ("queued", "running"):
            fraction = server.job(job_id)["progress"]["fraction"]
            self.assertTrue(0 <= fraction <= 1, fraction)
        self.assertEqual(server.job(job_id)["attempt"], 3)


class AfterADoneJob(unittest.TestCase):
    JOB = {"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}}

    LARGE = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 5e-6, "fields": ["q"]}}

    def setUp(self, job_document=JOB):
        """An archive for the false worker, made by the true one."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.archive = folder.name, os.path.join(folder.name, "result.npz")
        job = os.path.join(folder.name, "job.json")
        with open(job, "w", encoding="utf-8") as file:
            json.dump(job_document, file)
        subprocess.run([os.path.join(BIN, "tendril-worker"), "--local", "-", job, "-o", self.archive], check=True)

    def serve(self, then, *options):
        program = os.path.join(self.folder, "worker")
        with open(program, "w", encoding="utf-8") as file:
            file.write(GOOD_PROGRAM.format(archive=self.archive, then=then, hello=GREETING))
        os.chmod(program, stat.S_IRWXU)
        server = Server(None, "--worker", program, *options)
        self.addCleanup(server.close)
        return server

    @staticmethod
    def started(server, job_id=""):
        return [json.loads(line) for line in server.log().splitlines() if '"job_started"' in line and job_id in line]

    def run_two_jobs(self, then):
        """(process, attempts, detail of the first remark) of each."""
        server = self.serve(then)
        ran = []
        for _ in range(2):
            job_id = server.submit(self.JOB)
            done = server.wait(job_id)
            self.assertEqual(done["state"], "succeeded", done)
            with open(self.archive, "rb") as file:
                whole = server.request("GET", f"/v1/jobs/{job_id}/result", headers={"Accept": "application/x-npz"})
                self.assertEqual(whole.body, file.read())
            events = server.request("GET", f"/v1/jobs/{job_id}/events?since=0").json()["events"]
            ran.append(([row["pid"] for row in self.started(server, job_id)], [e["message"] for e in events if e["event"] == "log"]))
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

    def test_a_worker_is_told_which_of_its_jobs_is_to_make_room_and_gets_the_next_one_if_that_ended_all_the_same(self):
        heard = os.path.join(self.folder, "heard")
        then = f"end(receive(), 0)\nfile = receive()\ndata = s.recv(1 << 16)\nopen({heard!r}, 'wb').write(data)\n"
        then += "end(file, 1)\nend(receive(), 2)\nreceive()"
        server = self.serve(then, "--slice-seconds", "1")
        server.wait(server.submit(self.JOB))
        long = server.submit(self.JOB)
        server.wait(long, ("running",))
        last = server.wait(server.submit({**self.JOB, "priority": 100}))
        with open(heard, "rb") as file:
            self.assertEqual(file.read(), frame(DRAIN, turn=1))
        self.assertEqual([(row["state"], row["attempt"]) for row in (server.wait(long), last)], [("succeeded", 1)] * 2)
        self.assertEqual(len({row["pid"] for row in self.started(server)}), 1)

    def test_a_cancel_that_was_acknowledged_holds_though_the_worker_comes_to_its_end(self):
        for job_document in (self.JOB, self.LARGE):
            with self.subTest(job_document["kind"]):
                self.setUp(job_document)
                server = self.serve("file = receive()\ns.recv(1 << 16)\nend(file, 0)\nreceive()")
                job_id = server.submit(job_document)
                server.wait(job_id, ("running",))
                self.assertEqual(server.request("POST", f"/v1/jobs/{job_id}:cancel").status, 202)
                self.assertEqual(server.wait(job_id)["state"], "cancelled")
                self.assertEqual(os.listdir(os.path.join(server.folder, "results")), [])

    def test_one_that_is_stopped_while_its_last_word_is_on_the_way_goes_on(self):
        begun, state = os.path.join(self.folder, "begun"), "open(f'/proc/{me}/stat').read().rsplit(')', 1)[1].split()[0]"
        then = f"file = receive()\nif os.path.exists({begun!r}): end(file, 0); receive()\n"
        then += f"me = os.getpid(); open({begun!r}, 'w').close()\nif os.fork() == 0:\n"
        then += f"  while {state} != 'T': time.sleep(0.01)\n  end(file, 0); os._exit(0)\n"
        then += "os.close(file)\nwhile s.recv(1 << 16): pass\nsys.exit(0)"
        server = self.serve(then, "--slice-seconds", "1")
        long = server.submit(self.JOB)
        server.wait(long, ("running",))
        server.submit({**self.JOB, "priority": 100})
        self.assertEqual(server.wait(long)["state"], "succeeded")
        self.assertIn('"job_parked"', server.log())
        status = f"/proc/{self.started(server, long)[0]['pid']}/status"
        try:  # it has no permit to compute any more, and has left meanwhile, or is about to
            with open(status, encoding="ascii") as file:
                self.assertNotIn("(stopped)", file.read())
        except (FileNotFoundError, ProcessLookupError):
            pass


class WhatComesTooLate(unittest.TestCase):
    """A true worker under a false server."""

    def setUp(self):
        self.socket, its = socket.socketpair()
        self.addCleanup(self.socket.close)
        self.socket.settimeout(60)
        with its:
            self.worker = subprocess.Popen(["/bin/sh", "-c", 'exec "$0" --serve "$PPID" 0 3<&%d' % its.fileno(),
                                            os.path.join(BIN, "tendril-worker")], pass_fds=[its.fileno()])
        self.addCleanup(self.worker.wait)
        self.addCleanup(self.worker.kill)
        self.assertEqual(self.heard(), [HELLO])

    def heard(self):
        """Kinds of frames until the last word about a job; [] at the end of the stream."""
        kinds = []
        while not kinds or kinds[-1] not in (HELLO, DONE, FAILED, CANCELLED, DRAINED):
            head = self.socket.recv(4, socket.MSG_WAITALL)
            if not head:
                return kinds
            kinds.append(self.socket.recv(struct.unpack("<I", head)[0], socket.MSG_WAITALL)[0] >> 3)
        return kinds

    def give(self, turn, before=b"", after=b"", t_end=0.2):
        """A job, with what is said right before and after it."""
        job = {"kind": "dynamics", "model": pendulum(), "t_end": t_end, "output": {"dt": 0.1, "fields": ["q"]}}
        content = text(1, b"job_x") + integer(2, 1) + text(4, json.dumps(job).encode())
        model = text(3, json.dumps(pendulum()).encode())
        with tempfile.TemporaryFile() as file:
            if before:
                self.socket.sendall(before)
            socket.send_fds(self.socket, [frame(JOB, content + model, turn) + after], [file.fileno()])

    def test_what_is_said_of_a_job_that_ended_meanwhile_does_not_disturb_the_next_one(self):
        self.give(0)
        self.assertEqual(self.heard()[-1], DONE)
        for turn in range(1, 4):  # a request to make room, one to go on, and a cancel cross with the end of the job
            late = frame(DRAIN, turn=turn - 1) + frame(RESUMED, real(1, 3.0), turn - 1) + frame(CANCEL, turn=turn - 1)
            self.give(turn, before=late, after=late)
            self.assertEqual(self.heard()[-1], DONE)
        self.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(self.worker.wait(60), 0)

    def test_what_is_said_of_the_job_that_runs_is_obeyed_in_a_later_turn_too(self):
        self.give(0)
        self.assertEqual(self.heard()[-1], DONE)
        self.give(1, after=frame(CANCEL, turn=1), t_end=1e5)
        self.assertEqual(self.heard()[-1], CANCELLED)

    def test_what_is_said_of_no_job_at_all_ends_the_worker(self):
        for words in (frame(DRAIN), frame(CANCEL, turn=7)):
            with self.subTest(words):
                self.socket.sendall(words)
                self.assertEqual((self.heard(), self.worker.wait(60)), ([], 3))
                self.doCleanups()
                self.setUp()

    def test_a_job_of_another_turn_ends_the_worker(self):
        self.give(1)
        self.assertEqual((self.heard(), self.worker.wait(60)), ([], 3))


if __name__ == "__main__":
    main()
