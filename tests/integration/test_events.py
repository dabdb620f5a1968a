"""Events of jobs: long poll and server-sent events, resumed, bounded, many watchers, crashes, deletes, the end of the server."""
import json
import os
import signal
import socket
import threading
import time

from harness import Server, ServerTest, long_job, main, pendulum, soft_arm

SHORT = {"model": "pendulum", "kind": "dynamics", "t_end": 0.1, "output": {"dt": 0.1, "fields": ["q"]}}


def prepare(server):
    for model in (pendulum(), soft_arm()):
        assert server.request("POST", "/v1/models", model).status == 201


class Stream:
    """One watcher: server-sent events over a socket."""

    def __init__(self, server, job_id, **headers):
        self.socket = socket.create_connection((server.host, server.port), timeout=60)
        lines = "".join(f"{name}: {value}\r\n" for name, value in {"Accept": "text/event-stream", **headers}.items())
        self.socket.sendall(f"GET /v1/jobs/{job_id}/events HTTP/1.0\r\nHost: localhost\r\n{lines}\r\n".encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

    def blocks(self):
        """{"id", "event", "data"} of each event, or {"comment"}, until the server ends the stream."""
        block = {}
        for line in self.file:
            line = line.decode().rstrip("\r\n")
            if line:
                name, _, value = line.partition(": ")
                block[name or "comment"] = value
            elif block:
                yield block
                block = {}

    def events(self):
        for block in self.blocks():
            if "data" in block:
                event = json.loads(block["data"])
                assert (str(event["seq"]), event["event"]) == (block["id"], block["event"]), block
                yield event

    def close(self):
        self.file.close()
        self.socket.close()


class Events(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        prepare(cls.server)

    def poll(self, job_id, since=0, wait=0):
        reply = self.server.request("GET", f"/v1/jobs/{job_id}/events?since={since}&wait={wait}")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def follow(self, job_id):
        """Everything by long polls until the terminal event."""
        events, since = [], 0
        while not events or events[-1].get("state") not in ("succeeded", "failed", "cancelled"):
            page = self.poll(job_id, since, 30)
            self.assertTrue(page["events"], "a long poll came back empty while the job was not over")
            events += page["events"]
            since = page["next"]
        return events

    def states(self, events):
        return [event["state"] for event in events if event["event"] == "state"]

    def test_a_long_poll_tells_every_state_in_order(self):
        job_id = self.server.submit(SHORT)
        events = self.follow(job_id)
        self.assertEqual(self.states(events), ["queued", "running", "succeeded"])
        numbers = [event["seq"] for event in events]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual({event["job"] for event in events}, {job_id})
        self.assertEqual([events[0]["attempt"], events[-1]["attempt"]], [0, 1])
        self.assertEqual(self.poll(job_id, numbers[-1], 30), {"events": [], "next": numbers[-1]})  # at once: it is over

    def test_a_long_poll_without_news_answers_when_its_patience_is_over(self):
        blocker, job_id = self.server.submit(long_job("soft")), self.server.submit(SHORT)
        start = time.monotonic()
        self.assertEqual(self.poll(job_id, 1, 2), {"events": [], "next": 1})
        self.assertTrue(1.5 < time.monotonic() - start < 10)
        for job in (blocker, job_id):
            self.server.request("POST", f"/v1/jobs/{job}:cancel")
        self.assertEqual(self.states(self.follow(job_id)), ["queued", "cancelled"])
        self.assertEqual(self.states(self.follow(blocker)), ["queued", "running", "cancelled"])

    def test_a_stream_ends_after_the_terminal_event_and_resumes_where_it_was_left(self):
        job_id = self.server.submit(long_job("soft", 4))
        first = Stream(self.server, job_id)
        seen = []
        for event in first.events():
            seen.append(event)
            if event["event"] == "progress":
                break
        first.close()
        second = Stream(self.server, job_id, **{"Last-Event-ID": seen[-1]["seq"]})
        seen += second.events()
        second.close()
        self.assertEqual(self.states(seen), ["queued", "running", "succeeded"])
        numbers = [event["seq"] for event in seen]
        self.assertEqual(numbers, sorted(set(numbers)))
        fractions = [event["fraction"] for event in seen if event["event"] == "progress"]
        self.assertEqual(fractions, sorted(fractions))
        third = Stream(self.server, job_id, **{"Last-Event-ID": numbers[-1]})
        self.assertEqual(list(third.events()), [])
        third.close()

    def test_kept_samples_are_told_and_can_be_read(self):
        job_id = self.server.submit(long_job("soft", 100))
        stream, told = Stream(self.server, job_id), []
        for event in stream.events():
            if event["event"] == "samples":
                told.append(event["rows"])
                part = self.server.request("GET", f"/v1/jobs/{job_id}/result?partial=1&fields=t").json()
                self.assertGreaterEqual(len(part["arrays"]["t"]), told[-1])
                self.assertEqual(part["summary"]["integrator"]["method"], "newmark")
                self.assertGreater(part["summary"]["statistics"]["steps"], 0)
            if len(told) == 2:
                break
        stream.close()
        self.assertTrue(0 < told[0] < told[1], told)
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        self.follow(job_id)

    def test_old_progress_is_pruned_and_states_are_kept(self):
        job_id = self.server.submit(long_job("soft", 4000))
        self.server.wait_for_progress(job_id)
        while self.poll(job_id, 120, 30)["next"] < 150:
            pass
        events = self.poll(job_id)["events"]
        self.assertEqual(self.states(events), ["queued", "running"])
        self.assertLessEqual(len(events), 66)
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        events = self.follow(job_id)
        self.assertEqual(events[-1]["state"], "cancelled")
        last = [event for event in events if event["event"] == "progress"][-1]
        self.assertGreater(last["fraction"], 0)  # how far it came stays to be seen in the job, too
        progress = self.server.request("GET", f"/v1/jobs/{job_id}").json()["progress"]
        self.assertEqual(progress, {key: last[key] for key in ("fraction", "t", "t_end")})

    def test_a_lost_worker_is_remarked_and_the_job_goes_on(self):
        job_id = self.server.submit(long_job("soft", 4))
        self.server.wait_for_progress(job_id)
        os.kill(self.server.workers_running()[0], signal.SIGKILL)
        events = self.follow(job_id)
        self.assertEqual(self.states(events), ["queued", "running", "queued", "running", "succeeded"])
        remark = [event for event in events if event["event"] == "log"]
        self.assertEqual([(e["level"], e["attempt"]) for e in remark], [("warning", 1)])
        self.assertIn("lost", remark[0]["message"])

    def test_a_job_that_fails_says_why_in_its_last_event(self):
        bad = {**SHORT, "t_end": 5, "initial": {"qd": [1e200]}}
        self.assertEqual(self.server.wait(job_id := self.server.submit(bad))["state"], "failed")
        last = self.follow(job_id)[-1]
        self.assertEqual(last["error"], self.server.job(job_id)["error"])

    def test_deleting_a_job_ends_its_watchers(self):
        blocker, job_id = self.server.submit(long_job("soft")), self.server.submit(SHORT)
        stream = Stream(self.server, job_id)
        self.assertEqual(self.server.request("DELETE", f"/v1/jobs/{job_id}").status, 204)
        self.assertEqual(self.states(stream.events()), ["queued"])
        stream.close()
        self.server.request("POST", f"/v1/jobs/{blocker}:cancel")
        self.server.wait(blocker)

    def test_five_hundred_watchers_see_every_event(self):
        job_id = self.server.submit(long_job("soft", 60))
        self.server.wait_for_progress(job_id)
        streams = [Stream(self.server, job_id) for _ in range(500)]
        seen = [None] * len(streams)

        def drain(i):
            seen[i] = [event["seq"] for event in streams[i].events() if event["event"] == "state" or event["seq"] > newest]

        newest = max(event["seq"] for event in self.poll(job_id)["events"])
        threads = [threading.Thread(target=drain, args=(i,)) for i in range(len(streams))]
        for thread in threads:
            thread.start()
        self.server.wait_for_progress(job_id)
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        for thread in threads:
            thread.join()
        for stream in streams:
            stream.close()
        self.assertEqual(seen.count(seen[0]), 500)
        self.assertEqual(seen[0], sorted(set(seen[0])))

    def test_who_prefers_nothing_gets_a_stream_and_who_polls_a_list(self):
        job_id = self.server.submit(SHORT)
        self.server.wait(job_id)
        path = f"/v1/jobs/{job_id}/events"
        for query, accept, expected in (
                ("", None, "text/event-stream"), ("", "*/*", "text/event-stream"), ("", "text/*", "text/event-stream"),
                ("", "application/json", "application/json"), ("", "application/json, */*;q=0.5", "application/json"),
                ("?since=0", None, "application/json"), ("?since=0&wait=1", "*/*", "application/json"),
                ("?wait=0", "text/event-stream", "text/event-stream")):
            with self.subTest(query=query, accept=accept):
                reply = self.server.request("GET", path + query, headers={"Accept": accept} if accept else {})
                self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, expected))
                self.assertEqual(reply.body.startswith(b"id: 1\nevent: state\n"), expected == "text/event-stream")

    def test_a_wrong_request_is_a_problem(self):
        job_id = self.server.submit(SHORT)
        path = f"/v1/jobs/{job_id}/events"
        for query in ("since=-1", "since=x", "wait=61", "wait="):
            self.assert_problem(self.server.request("GET", f"{path}?{query}"), 400, "invalid_argument")
        self.assert_problem(self.server.request("GET", "/v1/jobs/nothing/events"), 404, "not_found")
        self.assert_problem(self.server.request("GET", path, headers={"Accept": "text/csv"}), 406, "not_acceptable",
                            words=("text/event-stream",))
        streaming = {"Accept": "text/event-stream", "Last-Event-ID": "abc"}
        self.assert_problem(self.server.request("GET", path, headers=streaming), 400, "invalid_argument")
        self.server.wait(job_id)


class EndOfServer(ServerTest):
    def test_watchers_do_not_hold_up_the_end_and_the_log_survives_it(self):
        server = Server(None)
        try:
            prepare(server)
            job_id = server.submit(long_job("soft", 4))
            server.wait_for_progress(job_id)
            stream = Stream(server, job_id)
            start = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - start, 4.5)
            before = list(stream.events())
            stream.close()
            self.assertEqual([e["state"] for e in before if e["event"] == "state"], ["queued", "running", "queued"])
            server.start()
            after = Stream(server, job_id, **{"Last-Event-ID": before[-1]["seq"]})
            self.assertEqual([e["state"] for e in after.events() if e["event"] == "state"], ["running", "succeeded"])
            after.close()
        finally:
            server.close()


if __name__ == "__main__":
    main()
