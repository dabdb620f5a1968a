"""Requests gone wrong in every way on every route: only answers that the contract knows, a server that lives, flat memory.

TENDRIL_MUTATIONS sets their number (2000), TENDRIL_SEED the seed (1); both are printed, a run can be repeated.
"""
import concurrent.futures
import http.client
import json
import os
import random
import re
import resource
import socket
import struct
import sys
import time
import unittest

import yaml
from jsonschema import Draft202012Validator

import harness
from mutant import Maker, Mutant

COUNT = int(os.environ.get("TENDRIL_MUTATIONS", "2000"))
SEED = int(os.environ.get("TENDRIL_SEED", "1"))
CODES = {400: {"invalid_argument"}, 401: {"unauthenticated"}, 403: {"permission_denied"}, 404: {"not_found"}, 405: {"method_not_allowed"},
         406: {"not_acceptable"}, 408: {"timed_out"},
         409: {"already_exists", "failed_precondition", "not_ready"}, 412: {"failed_precondition"}, 413: {"too_large"},
         415: {"unsupported_media"}, 422: {"idempotency_mismatch"}, 429: {"rate_limited"}, 503: {"unavailable"}}
NO_BODY = (204, 304)


class Broken(AssertionError):
    """An answer that is no HTTP."""


class Reader:
    """Answers off a socket, strictly."""

    def __init__(self, sock, hasty=False):
        """hasty: the client has sent more than its request; a server that closes behind the answer takes what is under way along (RFC 9112, 9.6)."""
        self.sock, self.data, self.open, self.hasty, self.closing, self.cut = sock, b"", True, hasty, False, False

    def more(self):
        try:
            piece = self.sock.recv(1 << 16)
        except ConnectionResetError:  # what the server did not read of our bytes
            piece = b""
        self.open = piece != b""
        self.data += piece
        return self.open

    def take(self, size):
        while len(self.data) < size:
            if not self.more():
                if self.hasty and self.closing:
                    self.cut = True
                    break
                raise Broken(f"the answer ends {size - len(self.data)} bytes early: {self.data[:300]}")
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def until(self, mark):
        while mark not in self.data:
            if not self.more():
                raise Broken(f"the answer ends in its head: {self.data[:300]}")
        taken, self.data = self.data.split(mark, 1)
        return taken

    def body(self, headers):
        if headers.get("transfer-encoding") == "chunked":
            whole = b""
            while size := int(self.until(b"\r\n"), 16):
                whole += self.take(size)
                self.take(2)
            self.take(2)
            return whole
        if "content-length" in headers:
            return self.take(int(headers["content-length"]))
        while self.more():
            pass
        whole, self.data = self.data, b""
        return whole

    def answer(self, method):
        """(status, headers, body), None when the server closed instead."""
        while not self.data:
            if not self.more():
                return None
        head = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        if not re.fullmatch(r"HTTP/1\.[01] \d{3} [ -~]+", head[0]):
            raise Broken(f"no status line: {head[0][:200]}")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:])}
        status = int(head[0].split()[1])
        self.closing = headers.get("connection") == "close"
        if status == 100:
            return self.answer(method)
        bare = method == b"HEAD" or status in NO_BODY
        if bare and headers.get("connection") == "close":  # of what is no HTTP nobody knows whether it was a HEAD
            self.body({})
        return status, headers, b"" if bare else self.body(headers)


def unescaped(path):
    return re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]) if m[1] != b"00" else m[0], path)


def memory_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


class Mutations(harness.ServerTest):
    workers = 1

    @classmethod
    def setUpClass(cls):
        options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"  # else freed memory counts, up to 256 MiB
        cls.server = harness.Server(environment={"ASAN_OPTIONS": options})
        with open(os.path.join(harness.SOURCE, "api", "openapi.yaml"), encoding="utf8") as file:
            cls.contract = yaml.safe_load(file)
        cls.problem = Draft202012Validator(cls.contract["components"]["schemas"]["Problem"])
        cls.templates = [(re.compile(re.sub(rb"{\w+}", rb"[^/:]{1,95}",
                                            re.escape(path.encode()).replace(rb"\{", b"{").replace(rb"\}", b"}"))),
                          item) for path, item in cls.contract["paths"].items()]
        small = {"model": "pendulum", "kind": "dynamics", "t_end": 0.1, "output": {"dt": 0.05, "fields": ["q"]}}
        assert cls.server.request("POST", "/v1/models", harness.pendulum()).status == 201
        cls.done = cls.server.submit(small)
        cls.failed = cls.server.submit({**small, "max_wall_s": 1e-9})
        cls.spare = [cls.server.submit(small) for _ in range(5)]
        for job in (cls.done, cls.failed, *cls.spare):
            cls.server.wait(job)

    def places(self, method, path, name):
        if name == "id":
            return self.spare if method == "DELETE" else [self.done, self.done, self.failed]
        if name == "n":
            return ["1", "2"]
        if "examples" in path:
            return ["cdm"]
        return ["m1", "m2", "m3"] if method in ("DELETE", "PUT") else ["pendulum", "m1"]

    # --------------------------------------------------------------------------------------------- what is an answer

    def described(self, mutant):
        """The operation that the contract has for a request, None when there is none."""
        if mutant.raw is not None:
            return None
        path, method = unescaped(mutant.target.split(b"?")[0]), mutant.method.replace(b"HEAD", b"GET").decode("latin-1").lower()
        for template, item in self.templates:
            if template.fullmatch(path) and method in ("get", "put", "post", "delete") and method in item:
                return item[method]
        return None

    def check_problem(self, status, headers, body, method):
        self.assertIn(status, CODES)
        self.assertEqual(headers.get("content-type"), "application/problem+json")
        if method == b"HEAD":
            return
        problem = json.loads(body)
        self.assertEqual([], [error.message for error in self.problem.iter_errors(problem)])
        self.assertEqual((problem["status"], problem["request_id"]), (status, headers["x-request-id"]))
        self.assertIn(problem["code"], CODES[status])
        self.assertTrue(problem["detail"])

    def check(self, mutant, answer, first):
        status, headers, body = answer
        if status >= 400:
            self.check_problem(status, headers, body, mutant.method if first else b"")
            operation = self.described(mutant) if first else None
            if operation:
                self.assertTrue(str(status) in operation["responses"] or "default" in operation["responses"], "not in the contract")
            return
        self.assertIn(status, (200, 201, 202, 204, 206, 303, 304))
        if not first or mutant.raw is not None:
            return
        operation = self.described(mutant)
        self.assertIsNotNone(operation, "an answer from an address that the contract does not have")
        self.assertIn(str(status), operation["responses"])
        reply = operation["responses"][str(status)]
        if "$ref" in reply:
            reply = self.contract["components"]["responses"][reply["$ref"].rsplit("/", 1)[1]]
        media = reply.get("content", {})
        self.assertIn(headers.get("content-type", "").split(";")[0], media or [""])
        if headers.get("content-type") == "application/json" and mutant.method != b"HEAD" and status != 206:  # a part of it need not be
            json.loads(body)

    def send(self, mutant, sock, pause):
        data = mutant.bytes()
        size = len(data) // mutant.slices + 1
        try:
            for at in range(0, len(data), size):
                sock.sendall(data[at:at + size])
                if mutant.slices > 1:
                    time.sleep(pause)
            if mutant.end == "half-close":
                sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused, and closed, before all was sent

    def provoke(self, mutant):
        """Sends it; returns the statuses of all answers."""
        answers = []
        with socket.create_connection((self.server.host, self.server.port), timeout=60) as sock:
            # Ends with a reset: an end that comes with the last byte is seen by the server after a minute only, and
            # until then the connection counts as memory.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.send(mutant, sock, 0.01)
            if mutant.end == "abandon":
                return answers
            if not mutant.whole:
                sock.settimeout(0.3)  # the server may wait for more
            reader = Reader(sock, hasty=bool(mutant.tail))
            try:
                while answer := reader.answer(mutant.method if not answers else b""):
                    answers.append(answer[0])
                    if not reader.cut:
                        self.check(mutant, answer, len(answers) == 1)
                    if mutant.whole and not mutant.tail:
                        break
                    sock.settimeout(0.3)
            except socket.timeout:
                if mutant.whole and not answers:
                    raise Broken("no answer within a minute") from None
        if mutant.whole and not answers:
            raise Broken("closed without an answer")
        return answers

    def judged(self, mutant):
        try:
            return self.provoke(mutant), None
        except (AssertionError, ValueError, KeyError, OSError) as error:
            return [], f"{' + '.join(mutant.story)}: {type(error).__name__} {str(error)[:600]}\n    {mutant.bytes()[:700]}"

    # ------------------------------------------------------------------------------------------------------- the tests

    def rounds(self, maker, count):
        """Statuses seen; mutants are made here in order, and sent by a few clients at a time."""
        seen, wrong = {}, []
        mutants = [maker.make(self.server.port) for _ in range(count)]
        with concurrent.futures.ThreadPoolExecutor(6) as clients:
            for answers, complaint in clients.map(self.judged, mutants):
                wrong += [complaint] if complaint else []
                for status in answers:
                    seen[status] = seen.get(status, 0) + 1
        self.assertTrue(self.server.alive(), self.server.log()[-3000:])
        if wrong:
            self.fail(f"{len(wrong)} of {count}:\n" + "\n".join(wrong[:15]))
        return seen

    def end_all_jobs(self):
        for state in ("queued", "running"):
            for job in self.server.request("GET", f"/v1/jobs?state={state}&limit=1000").json()["jobs"]:
                self.server.request("POST", f"/v1/jobs/{job['id']}:cancel")

    def test_mutated_requests_get_documented_answers_and_leave_no_memory_behind(self):
        print(f"seed {SEED}, {COUNT} mutations", file=sys.stderr)
        maker = Maker(self.contract, random.Random(SEED), self.places)
        seen, memory = {}, []
        for _ in range(4):
            for status, count in self.rounds(maker, COUNT // 4).items():
                seen[status] = seen.get(status, 0) + count
            self.end_all_jobs()
            memory.append(memory_kb(self.server.process.pid))
        print(f"answers {dict(sorted(seen.items()))}, memory after each quarter {memory} kB", file=sys.stderr)
        for status in (200, 400, 404, 405):  # they reached the handlers, and were not all refused at the door
            self.assertGreater(seen.get(status, 0), COUNT // 100)
        if not harness.is_sanitized():  # which keep some of what was given back; they tell themselves what is lost
            self.assertLess(memory[3] - memory[1], 8 << 10, memory)

    def test_a_thousand_idle_and_stalled_connections_do_not_keep_others_out_and_are_forgotten(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < 1200:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        starts = [b"", b"GET /v1/jobs HT", b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{",
                  b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"]
        memory = []
        for _ in range(3):
            idle = [socket.create_connection((self.server.host, self.server.port)) for _ in range(1000)]
            for number, sock in enumerate(idle):
                sock.sendall(starts[number % len(starts)])
            for _ in range(20):
                self.assertEqual(self.server.request("GET", "/v1/models").status, 200)
            for sock in idle:
                sock.close()
            self.assertEqual(self.server.request("GET", "/healthz").status, 200)
            memory.append(memory_kb(self.server.process.pid))
        self.assertLess(memory[2] - memory[0], 8 << 10, memory)

    def test_idle_connections_leave_descriptors_to_jobs_where_they_are_few(self):
        server = harness.Server(prefix=("prlimit", "--nofile=300:300"))
        try:
            idle = [socket.create_connection((server.host, server.port)) for _ in range(90)]
            served = http.client.HTTPConnection(server.host, server.port, timeout=60)
            job = {"model": harness.pendulum(), "kind": "statics", "inputs": {"motor": 0.5}}
            job_id = server.request_on(served, "POST", "/v1/jobs", job).json()["id"]
            idle += [socket.create_connection((server.host, server.port)) for _ in range(400)]  # most wait in the backlog
            for _ in range(20):
                job_id = server.request_on(served, "POST", "/v1/jobs", job).json()["id"]
            end = time.monotonic() + 120
            while (state := server.request_on(served, "GET", f"/v1/jobs/{job_id}").json()["state"]) in ("queued", "running"):
                self.assertLess(time.monotonic(), end, "the job waits for ever")
                time.sleep(0.02)
            self.assertEqual(state, "succeeded")
            for sock in idle:
                sock.close()
            served.close()
        finally:
            server.close()
        self.assertNotIn("crashed", server.last_log)

    def test_the_judge_finds_answers_that_the_contract_does_not_have(self):
        mutant = Mutant(b"GET", b"/healthz", [], b"")
        problem = {"type": "urn:tendril:problem:not_found", "title": "x", "status": 404, "detail": "x", "code": "not_found",
                   "request_id": "r"}
        head = {"content-type": "application/problem+json", "x-request-id": "r"}
        self.check(mutant, (404, head, json.dumps(problem).encode()), True)
        for status, headers, body in ((500, head, json.dumps({**problem, "status": 500, "code": "internal"})),
                                      (404, {}, json.dumps(problem)),
                                      (404, head, json.dumps({**problem, "code": "internal"})), (404, head, "{}"),
                                      (201, head, "{}"),
                                      (200, {"content-type": "text/html"}, "{}"), (204, {}, "")):
            self.assertRaises(AssertionError, self.check, mutant, (status, headers, body.encode()), True)
        self.assertRaises(AssertionError, self.check, Mutant(b"GET", b"/nowhere", [], b""), (200, {}, b"{}"), True)


if __name__ == "__main__":
    harness.main()
