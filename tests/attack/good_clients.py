"""Good clients of a server under siege: each a process that does one thing over and over, compares what it gets with what it got in peace,
and writes down how long it took."""
import http.client
import io
import json
import multiprocessing
import os
import queue
import ssl
import sys
import time
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

import grpc  # noqa: E402
import numpy as np  # noqa: E402

from grpc_client import dynamics, dynamics_grpc  # noqa: E402
from harness import npz, pendulum, soft_arm  # noqa: E402

FORK = multiprocessing.get_context("fork")
PAUSE_S, SUBMIT_PAUSE_S = 0.02, 0.2
AFTER_THE_END_S = 150  # for a client that has done nothing until then
STATES = [{"q": [0.001 * i] * 24} for i in range(4)]
TERMINAL = ("succeeded", "failed", "cancelled")

# What is submitted again and again, of every kind that leaves rows; each takes some ten milliseconds.
JOBS = [{"model": "soft", "kind": "statics", "inputs": {"cable": 2}},
        {"model": "pendulum", "kind": "dynamics", "t_end": 2, "initial": {"q": [0.5]}, "integrator": {"method": "rk4", "h": 1e-4}},
        {"model": "soft", "kind": "dynamics", "t_end": 0.05, "inputs": {"cable": 1}},
        {"kind": "sweep", "base": {"model": "pendulum", "kind": "statics", "inputs": {"motor": 0.1}}, "vary": [{"path": "/job/inputs/motor", "values": [0.1, 0.2, 0.3]}]}]


class Bad(Exception):
    """An answer that a good client should never get."""


class Access:
    """How a good client reaches the server: a place, a token, a certificate. Nothing in it belongs to a process."""

    def __init__(self, http_address, grpc_address, token, certificate=None):
        self.http, self.grpc, self.token, self.certificate = http_address, grpc_address, token, certificate
        self.phase = "peace"  # its jobs carry it
        self.metadata = [("authorization", "Bearer " + token)]

    def connect(self, timeout=30):
        if not self.certificate:
            return http.client.HTTPConnection(*self.http, timeout=timeout)
        context = ssl.create_default_context(cafile=self.certificate)
        context.check_hostname = False  # it is asked by the address of this machine
        return http.client.HTTPSConnection(*self.http, timeout=timeout, context=context)

    def ask(self, connection, method, path, body=None, kind="application/json", **headers):
        body = json.dumps(body) if isinstance(body, dict) else body
        given = {"Authorization": "Bearer " + self.token, "Accept": kind, **headers}
        connection.request(method, path, body, {**given, "Content-Type": kind} if body is not None else given)
        reply = connection.getresponse()
        found = reply.read()
        if reply.status not in (200, 202):
            raise Bad(f"{method} {path}: {reply.status} {found[:300]!r}")
        return found

    def once(self, *arguments, **headers):
        connection = self.connect()
        try:
            return self.ask(connection, *arguments, **headers)
        finally:
            connection.close()

    def channel(self):
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.ssl_target_name_override", "localhost"),
                   ("grpc.max_reconnect_backoff_ms", 200), ("grpc.initial_reconnect_backoff_ms", 100)]
        target = "%s:%d" % self.grpc
        if not self.certificate:
            return grpc.insecure_channel(target, options[:1] + options[2:])
        with open(self.certificate, "rb") as file:
            return grpc.secure_channel(target, grpc.ssl_channel_credentials(file.read()), options)

    def jobs(self, ask=None):
        """All jobs of this caller, children of sweeps left out. `ask`: of a connection that is kept; else each question has its own."""
        found, cursor = [], ""
        while cursor is not None:
            page = json.loads((ask or self.once)("GET", f"/v1/jobs?limit=1000{cursor and '&cursor=' + cursor}"))
            found, cursor = found + page["jobs"], page["next_cursor"]
        return [job for job in found if not job["parent"]]

    def arrays(self, job, ask=None):
        """What a job computed, without what differs from one run to the next (times, names)."""
        with np.load(io.BytesIO((ask or self.once)("GET", f"/v1/jobs/{job}/result", None, "application/x-npz")), allow_pickle=False) as result:
            return {name: result[name].tobytes() for name in result.files if result[name].dtype.kind == "f"}


class Peace:
    """What a server answers when nobody disturbs it."""

    def __init__(self, access):
        for model in (pendulum(), soft_arm()):
            connection = access.connect()
            connection.request("PUT", "/v1/models/" + model["name"], json.dumps(model), {"Authorization": "Bearer " + access.token,
                                                                                     "Content-Type": "application/json"})
            assert connection.getresponse().status in (200, 201)
            connection.close()
        reply = json.loads(access.once("POST", "/v1/models/soft:evaluate", {"want": ["fd"], "states": STATES}))
        self.fd = [state["fd"] for state in reply["states"]]
        self.arrays, self.jobs = [], []
        for document in JOBS:
            job = json.loads(access.once("POST", "/v1/jobs", document))["id"]
            while json.loads(access.once("GET", "/v1/jobs/" + job))["state"] not in TERMINAL:
                time.sleep(0.02)
            self.jobs.append(job)
            self.arrays.append(access.arrays(job))
            assert self.arrays[-1], document


def same(found, expected, what):
    if found != expected:
        raise Bad(f"{what}: other numbers than in peace")


# --------------------------------------------------------------------------------------------------------- what they do
# Each makes a function that does it once; `number` counts its calls. What it returns is kept.

def evaluate_json(access, peace):
    connection, body = access.connect(), {"want": ["fd"], "states": STATES}

    def ask(number):
        del number
        reply = json.loads(access.ask(connection, "POST", "/v1/models/soft:evaluate", body))
        same([state["fd"] for state in reply["states"]], peace.fd, "evaluate")
    return ask


def evaluate_npz(access, peace):
    connection, body = access.connect(), npz(q=np.array([state["q"] for state in STATES]), want=np.array(["fd"]))

    def ask(number):
        del number
        found = access.ask(connection, "POST", "/v1/models/soft:evaluate", body, "application/x-npz")
        same(np.load(io.BytesIO(found), allow_pickle=False)["fd"].tolist(), peace.fd, "evaluate")
    return ask


def evaluate_unary(access, peace):
    stub = dynamics_grpc.DynamicsStub(access.channel())
    request = dynamics.EvaluateRequest(model="soft", want=["fd"], states=[dynamics.State(**state) for state in STATES])

    def ask(number):
        del number
        reply = stub.Evaluate(request, timeout=30, metadata=access.metadata)
        same([list(state.values["fd"].data) for state in reply.states], peace.fd, "evaluate")
    return ask


def evaluate_stream(access, peace):
    stub, going = dynamics_grpc.DynamicsStub(access.channel()), []

    def begin():
        questions = queue.SimpleQueue()
        questions.put(dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model="soft", want=["fd"])))
        return questions, stub.EvaluateStream(iter(questions.get, None), metadata=access.metadata)

    def ask(number):
        if not going:
            going.append(begin())
        questions, answers = going[0]
        try:
            questions.put(dynamics.EvaluateStreamRequest(state=dynamics.State(**STATES[number % 4])))
            same(list(next(answers).values["fd"].data), peace.fd[number % 4], "evaluate")
        except (grpc.RpcError, StopIteration) as error:
            going.clear()
            questions.put(None)
            raise Bad("the stream ended: " + repr(error)) from error
    return ask


def health(access, peace):
    """On a new connection each time, as a supervisor does."""
    del peace
    return lambda number: access.once("GET", "/healthz")


def look(access, peace):
    del peace
    connection = access.connect()
    return lambda number: access.ask(connection, "GET", ("/v1/models", "/v1/jobs?limit=10", "/v1/models/soft")[number % 3])


def submit(access, peace, word="submitted"):
    """Until it is acknowledged: (document, identifier)."""
    del peace
    connection, word = access.connect(), f"{access.phase}-{word}"

    def ask(number):
        kind = number % len(JOBS)
        try:
            reply = access.ask(connection, "POST", "/v1/jobs", {**JOBS[kind], "labels": {"who": word}}, **{"Idempotency-Key": f"{word}-{number}"})
        except OSError:
            connection.close()
            raise
        return kind, json.loads(reply)["id"]
    return ask


def watch(access, peace):
    """Submits, watches the events until the end, takes the result."""
    begin = submit(access, peace, "watched")

    def ask(number):
        kind, job = begin(number)
        connection = access.connect()
        connection.request("GET", f"/v1/jobs/{job}/events", headers={"Authorization": "Bearer " + access.token, "Accept": "text/event-stream"})
        reply = connection.getresponse()
        if reply.status != 200:
            raise Bad(f"events: {reply.status} {reply.read()[:300]!r}")
        states = [json.loads(line[6:]).get("state") for line in reply if line.startswith(b"data: ")]
        connection.close()
        if [state for state in states if state in TERMINAL] != ["succeeded"]:
            raise Bad(f"job {job}: {states}")
        same(access.arrays(job), peace.arrays[kind], "result of " + job)
        return kind, job
    return ask


def fetch(access, peace):
    """The result of a job that ended in peace."""
    return lambda number: same(access.arrays(peace.jobs[number % len(JOBS)]), peace.arrays[number % len(JOBS)], "result")


class Diary:
    """What one client saw: [(begin, end)], [(time, trouble)], [what was returned]."""

    def __init__(self, name):
        self.name, self.times, self.trouble, self.returned = name, [], [], []


def live(way, pause_s, access, peace, ending, said):
    warnings.simplefilter("ignore")  # connections of a server that was killed
    diary, ask, number, last = Diary(way.__name__), None, 0, float("inf")
    while not ending.is_set() or (not diary.times and time.monotonic() < last):  # what a kill broke off each time is tried on
        last = min(last, time.monotonic() + AFTER_THE_END_S) if ending.is_set() else last
        begin = time.monotonic()
        try:
            ask = ask or way(access, peace)
            returned = ask(number)
            diary.times.append((begin, time.monotonic()))
            diary.returned.append(returned)
            number += 1
        except (Bad, OSError, http.client.HTTPException, grpc.RpcError) as error:
            if not isinstance(error, Bad) or way not in (submit, watch):
                ask = None  # on a new connection
            diary.trouble.append((begin, time.monotonic(), f"{type(error).__name__}: {error}"[:300]))
            time.sleep(0.1)
        time.sleep(pause_s)
    said.put(diary)
    said.close()
    said.join_thread()
    os._exit(0)  # gRPC's threads would be waited for


WAYS = {evaluate_json: PAUSE_S, evaluate_npz: PAUSE_S, evaluate_unary: PAUSE_S, evaluate_stream: PAUSE_S, health: 0.05, look: 0.05,
        submit: SUBMIT_PAUSE_S, watch: SUBMIT_PAUSE_S, fetch: SUBMIT_PAUSE_S}


class GoodClients:
    """All of them at once, from now until `end`."""

    def __init__(self, access, peace):
        self.ending, self.said = FORK.Event(), FORK.Queue()
        self.processes = [FORK.Process(target=live, args=(way, pause, access, peace, self.ending, self.said), daemon=True) for way, pause in WAYS.items()]
        for process in self.processes:
            process.start()

    def end(self):
        """{name: Diary}"""
        self.ending.set()
        diaries = [self.said.get(timeout=120 + AFTER_THE_END_S) for _ in self.processes]
        for process in self.processes:
            process.join()
        return {diary.name: diary for diary in sorted(diaries, key=lambda diary: [way.__name__ for way in WAYS].index(diary.name))}
