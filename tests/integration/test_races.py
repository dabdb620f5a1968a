"""Many clients at the same jobs, half of them over gRPC: submit, cancel, retry, delete, read and watch, while workers claim and
finish them.

tests/run.sh runs it on a server with the thread sanitizer, too, whose report fails the test like any other.
"""
import json
import random
import threading
import time

import grpc

from grpc_client import dynamics, dynamics_grpc, jobs, jobs_grpc, models, models_grpc
from harness import ServerTest, main, pendulum

CLIENTS, CALLS = 8, 60
ALLOWED = {"cancel": {200, 202, 404}, "retry": {202, 404, 409}, "delete": {204, 404, 409}, "get": {200, 404},
           "result": {200, 404, 409},
           "events": {200, 404}, "list": {200}, "submit": {202}, "model": {200, 201}, "evaluate": {200}}
TRANSITIONS = {None: {"queued"}, "queued": {"running", "cancelled"}, "running": {"queued", "succeeded", "failed", "cancelled"}}


class Board:
    """What all clients together know."""

    def __init__(self):
        self.lock = threading.Lock()
        self.made, self.deleted, self.wrong = [], set(), []

    def some(self, pick):
        with self.lock:
            return pick.choice(self.made[-40:]) if self.made else "nobody"


class Client(threading.Thread):
    def __init__(self, server, board, seed):
        super().__init__()
        self.server, self.board, self.random = server, board, random.Random(seed)

    def job(self):
        steps = {"integrator": {"method": "newmark", "h": 1e-4}, "output": {"dt": 0.1, "fields": ["q"]}}
        return {"model": "pendulum", "kind": "dynamics", "t_end": self.random.choice([0.1, 0.1, 1, 300]),
                "priority": self.random.randrange(-5, 5), **steps}

    def call(self, what):
        job = "/v1/jobs/" + self.board.some(self.random)
        method, path, body = {
            "submit": ("POST", "/v1/jobs", self.job()), "cancel": ("POST", job + ":cancel", None),
            "retry": ("POST", job + ":retry", None), "delete": ("DELETE", job, None), "get": ("GET", job, None),
            "result": ("GET", job + "/result?partial=1", None), "events": ("GET", job + "/events?wait=1", None),
            "list": ("GET", "/v1/jobs?state=" + self.random.choice(["queued", "running", "cancelled"]), None),
            "model": ("PUT", "/v1/models/pendulum", pendulum(gravity=[0, 0, -self.random.choice([9.81, 1.62])])),
            "evaluate": ("POST", "/v1/models/pendulum:evaluate", {"want": ["fd"], "states": [{"q": [0.1]}] * 50})}[what]
        reply = self.server.request(method, path, body)
        with self.board.lock:
            if reply.status not in ALLOWED[what]:
                self.board.wrong.append((what, path, reply.status, reply.body[:300]))
            elif what in ("submit", "retry") and reply.status == 202:
                self.board.made.append(reply.json()["id"])
            elif what == "delete" and reply.status == 204:
                self.board.deleted.add(job.rsplit("/", 1)[1])

    def run(self):
        kinds = ["submit"] * 3 + ["cancel"] * 4 + ["delete", "get"] * 2 + ["retry", "result", "events", "list", "model", "evaluate"]
        for _ in range(CALLS):
            self.call(self.random.choice(kinds))


class RpcClient(Client):
    """The same over gRPC, on a connection of its own."""

    ALLOWED = {"cancel": {"NOT_FOUND"}, "retry": {"NOT_FOUND", "FAILED_PRECONDITION"}, "delete": {"NOT_FOUND", "FAILED_PRECONDITION"},
               "get": {"NOT_FOUND"}, "result": {"NOT_FOUND", "FAILED_PRECONDITION"}, "events": {"NOT_FOUND", "DEADLINE_EXCEEDED"}}

    def ask(self, what, stub, job):
        """The id of a job that was made, or None."""
        made = None
        if what == "submit":
            made = stub.Submit(jobs.SubmitJobRequest(document=json.dumps(self.job())))
        elif what == "retry":
            made = stub.Retry(jobs.JobRequest(id=job))
        elif what in ("cancel", "delete", "get"):
            getattr(stub, what.capitalize())(jobs.JobRequest(id=job))
        elif what == "result":
            list(stub.GetResult(jobs.ResultRequest(id=job, partial=True)))
        elif what == "events":
            list(stub.Watch(jobs.WatchRequest(id=job), timeout=0.2))
        elif what == "list":
            stub.List(jobs.ListJobsRequest(state=self.random.choice(["queued", "running", "cancelled"])))
        elif what == "model":
            document = json.dumps(pendulum(gravity=[0, 0, -self.random.choice([9.81, 1.62])]))
            models_grpc.ModelsStub(self.channel).Update(models.UpdateModelRequest(name="pendulum", document=document))
        else:
            states = [dynamics.EvaluateStreamRequest(state=dynamics.State(q=[0.1]))] * 20
            setup = dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model="pendulum", want=["fd"]))
            stream = dynamics_grpc.DynamicsStub(self.channel)
            assert len(list(stream.EvaluateStream(iter([setup, *states])))) == 20
            stream.Evaluate(dynamics.EvaluateRequest(model="pendulum", want=["fd"], states=[dynamics.State(q=[0.1])] * 50))
        return made and made.id

    def call(self, what):
        job = self.board.some(self.random)
        try:
            made = self.ask(what, jobs_grpc.JobsStub(self.channel), job)
        except grpc.RpcError as error:
            if error.code().name not in self.ALLOWED.get(what, ()):
                with self.board.lock:
                    self.board.wrong.append((what, job, error.code(), error.details()))
            return
        with self.board.lock:
            if made:
                self.board.made.append(made)
            if what == "delete":
                self.board.deleted.add(job)

    def run(self):
        options = [("grpc.use_local_subchannel_pool", 1)]
        with grpc.insecure_channel(self.server.ready["grpc"], options=options) as self.channel:
            super().run()


class Races(ServerTest):
    workers = 3

    def all_jobs(self):
        jobs, cursor = [], ""
        while cursor is not None:
            page = self.server.request("GET", f"/v1/jobs?limit=100{cursor}").json()
            jobs += page["jobs"]
            cursor = page["next_cursor"] and "&cursor=" + page["next_cursor"]
        return jobs

    def check_log(self, job):
        events, since = [], 0
        while page := self.server.request("GET", f"/v1/jobs/{job['id']}/events?since={since}").json()["events"]:
            events, since = events + page, page[-1]["seq"]
        state = None
        for event in (event for event in events if event["event"] == "state"):
            self.assertIn(event["state"], TRANSITIONS.get(state, ()), events)
            state = event["state"]
        self.assertEqual(state, job["state"])
        self.assertNotIn(state, TRANSITIONS)  # an end

    def test_whatever_clients_do_at_once_no_job_is_lost_doubled_or_left_in_between(self):
        self.assertEqual(self.server.request("POST", "/v1/models", pendulum()).status, 201)
        board = Board()
        clients = [(RpcClient if seed % 2 else Client)(self.server, board, seed) for seed in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.assertEqual(board.wrong, [])
        self.assertGreater(len(board.made), CLIENTS * CALLS // 10)
        end = time.monotonic() + 240
        while (waiting := [job for job in self.all_jobs() if job["state"] in ("queued", "running")]) and time.monotonic() < end:
            for job in waiting:
                self.assertIn(self.server.request("POST", f"/v1/jobs/{job['id']}:cancel").status, (200, 202))
            time.sleep(0.2)
        remaining = self.all_jobs()
        self.assertEqual(sorted(job["id"] for job in remaining), sorted(set(board.made) - board.deleted))
        for job in remaining:
            self.check_log(job)
        self.assertTrue(board.deleted)
        self.assertTrue(remaining)  # which ends they met is luck


if __name__ == "__main__":
    main()
