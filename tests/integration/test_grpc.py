"""The gRPC face from outside: every method with stock grpcio and the .proto files, its errors and limits. The bits are
compared with REST in test_faces_agree.py."""
import io
import json
import random
import struct
import threading
import time
import unittest

import grpc
import numpy as np

import harness
from grpc_client import dynamics, dynamics_grpc, jobs, jobs_grpc, models, models_grpc
from harness import ServerTest, example, pendulum, ram

WANT = ["fd", "dfd_dq", "dfd_dqd", "dfd_du", "id", "mass", "energy", "poses", "tendons"]


def trailers(call):
    return {key: value for key, value in call.trailing_metadata() or ()}


def bits(values):
    return struct.pack(f"<{len(values)}d", *values)


class Channel(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.channel = grpc.insecure_channel(cls.server.ready["grpc"],
                                            options=[("grpc.max_receive_message_length", 1 << 30),
                                                     ("grpc.max_send_message_length", 1 << 30)])
        cls.models = models_grpc.ModelsStub(cls.channel)
        cls.dynamics = dynamics_grpc.DynamicsStub(cls.channel)
        cls.jobs = jobs_grpc.JobsStub(cls.channel)
        cls.cdm = example("cdm.model.json")
        cls.models.Update(models.UpdateModelRequest(name="cdm", document=json.dumps(cls.cdm)))
        cls.models.Update(models.UpdateModelRequest(name="pendulum", document=json.dumps(pendulum())))

    @classmethod
    def tearDownClass(cls):
        cls.channel.close()
        super().tearDownClass()

    def fails(self, status, code, call, pointer=None):
        """The call ends with this status and these trailers; returns its detail."""
        with self.assertRaises(grpc.RpcError) as caught:
            answer = call()
            if hasattr(answer, "__next__"):
                for _ in answer:
                    pass
        error = caught.exception
        found = trailers(error)
        self.assertEqual(error.code().name, status, error.details())
        self.assertEqual(found.get("tendril-code"), code, found)
        self.assertEqual(found.get("tendril-pointer"), pointer, found)
        self.assertTrue(found["tendril-request-id"])
        self.assertTrue(error.details())
        return error.details()


class Models(Channel):
    def test_a_model_is_created_read_revised_listed_and_deleted(self):
        first, second = json.dumps(pendulum(name="swing"), indent=1), json.dumps(pendulum(name="swing", gravity=[0, 0, -1]))
        made = self.models.Create(models.CreateModelRequest(document=first))
        self.assertEqual((made.name, made.revision, made.ndof, list(made.channels)), ("swing", 1, 1, ["motor"]))
        self.fails("ALREADY_EXISTS", "already_exists", lambda: self.models.Create(models.CreateModelRequest(document=first)))
        again = self.models.Update(models.UpdateModelRequest(name="swing", document=first))
        self.assertEqual(again.revision, 1)
        again = self.models.Update(models.UpdateModelRequest(name="swing", document=json.dumps(json.loads(first))))
        self.assertEqual((again.revision, again.sha256), (1, made.sha256))  # the same as JSON
        revised = self.models.Update(models.UpdateModelRequest(name="swing", document=second, if_match=made.sha256))
        self.assertEqual(revised.revision, 2)
        self.fails("FAILED_PRECONDITION", "failed_precondition", lambda: self.models.Update(
            models.UpdateModelRequest(name="swing", document=first, if_match=made.sha256)))
        for request in (models.GetModelRequest(name="swing@1"), models.GetModelRequest(name="swing", revision=1)):
            self.assertEqual(self.models.Get(request).document, first)
        newest = self.models.Get(models.GetModelRequest(name="swing"))
        self.assertEqual((newest.document, newest.revision, list(newest.coordinates)), (second, 2, ["arm.joint[0]"]))
        listed = self.models.List(models.ListModelsRequest(limit=2))
        rest = self.server.request("GET", "/v1/models?limit=2").json()
        self.assertEqual([m.name for m in listed.models], [m["name"] for m in rest["models"]])
        self.assertEqual(listed.next_cursor, rest["next_cursor"])
        self.models.Delete(models.DeleteModelRequest(name="swing"))
        self.fails("NOT_FOUND", "not_found", lambda: self.models.Get(models.GetModelRequest(name="swing")))

    def test_a_model_is_the_same_on_both_faces(self):
        ours, theirs = self.models.Get(models.GetModelRequest(name="cdm")), self.server.request("GET", "/v1/models/cdm").json()
        for key in ("name", "revision", "sha256", "created_at", "ndof"):
            self.assertEqual(getattr(ours, key), theirs[key])
        for key in ("coordinates", "channels"):
            self.assertEqual(list(getattr(ours, key)), theirs[key])
        self.assertEqual(json.loads(ours.document), theirs["document"])

    def test_validation_stores_nothing(self):
        checked = self.models.Create(models.CreateModelRequest(document=json.dumps(pendulum(name="ghost")), validate_only=True))
        self.assertEqual(checked.ndof, 1)
        self.fails("NOT_FOUND", "not_found", lambda: self.models.Get(models.GetModelRequest(name="ghost")))

    def test_errors_point_into_the_document_as_in_rest(self):
        wrong = example("cdm.model.json")
        wrong["links"][0]["body"]["section"]["radius"] = -1
        rest = self.server.request("POST", "/v1/models", wrong).json()
        detail = self.fails("INVALID_ARGUMENT", rest["code"], lambda: self.models.Create(
            models.CreateModelRequest(document=json.dumps(wrong))), rest["pointer"])
        self.assertEqual(detail, rest["detail"])
        self.assertIn("line 1", self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.models.Create(
            models.CreateModelRequest(document="{")), ""))

    def test_limits_of_lists_are_refused_alike(self):
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.models.List(models.ListModelsRequest(limit=5000)), "/limit")


class Evaluation(Channel):
    def states(self, count, n=24, m=5, seed=3):
        draw = random.Random(seed)
        vector = lambda size, scale: [scale * draw.gauss(0, 1) for _ in range(size)]
        return [{"q": vector(n, 0.02), "qd": vector(n, 0.5), "qdd": vector(n, 1), "u": [abs(x) for x in vector(m, 3)]}
                for _ in range(count)]

    def evaluate(self, states, want=WANT, **more):
        return self.dynamics.Evaluate(dynamics.EvaluateRequest(
            model="cdm", want=want, states=[dynamics.State(**state) for state in states], **more))

    def stream(self, messages, want=WANT, **setup):
        setup = {"model": "cdm", **setup}
        yield dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(want=want, **setup))
        for message in messages:
            yield dynamics.EvaluateStreamRequest(state=dynamics.State(**message))

    def test_one_state_has_the_bits_it_has_in_a_batch(self):
        states = self.states(7, seed=9)
        batch = self.evaluate(states)
        for i, state in enumerate(states):
            self.assertEqual(self.evaluate([state]).states[0], batch.states[i])

    def test_an_inline_model_and_a_revision_are_evaluated(self):
        state = {"q": [0.3], "qd": [0.1]}
        inline = self.dynamics.Evaluate(dynamics.EvaluateRequest(document=json.dumps(pendulum()), want=["fd", "energy"],
                                                                 states=[dynamics.State(**state)]))
        named = self.dynamics.Evaluate(dynamics.EvaluateRequest(model="pendulum@1", want=["fd", "energy"],
                                                                states=[dynamics.State(**state)]))
        self.assertEqual(inline, named)
        streamed = list(self.dynamics.EvaluateStream(self.stream([state], ["fd", "energy"], model=None,
                                                                 document=json.dumps(pendulum()))))
        self.assertEqual(streamed, list(named.states))

    def test_answers_at_a_rod_turned_inside_out_are_marked(self):
        document, states = json.dumps(ram()), [{"q": [0.0]}, {"q": [-1.2]}, {"q": [1e300]}, {"q": [-0.5]}, {"q": [-1.5]}]
        rest = self.server.request("POST", "/v1/evaluate", {"model": ram(), "want": ["tau"], "states": states}).json()["warnings"]
        plain = lambda found: [{"code": one.code, "detail": one.detail, "pointer": one.pointer} for one in found]
        unary = self.dynamics.Evaluate(dynamics.EvaluateRequest(document=document, want=["tau"], states=[dynamics.State(**one) for one in states]))
        self.assertEqual(plain(unary.warnings), rest)
        self.assertEqual([one["pointer"] for one in rest if one["code"] == "inside_out"], ["/states/1/q", "/states/4/q"])
        streamed = [plain(one.warnings) for one in self.dynamics.EvaluateStream(self.stream(states, ["tau"], model=None, document=document))]
        own = lambda found: [(one["code"], one["pointer"]) for one in found if one["code"] == "inside_out"]
        self.assertEqual([own(found) for found in streamed], [[], [("inside_out", "/q")], [], [], [("inside_out", "/q")]])
        self.assertEqual(streamed[0], [one for one in rest if not one["pointer"].startswith("/states/")])  # the model's, told once
        self.assertEqual([[one["code"] for one in found] for found in streamed[1:]], [["inside_out"], ["overstretched"], [], ["inside_out"]])

    def test_requests_that_are_wrong_are_refused_with_their_place(self):
        good = self.states(2)
        cases = [({"q": [1.0]}, "/states/2/q"), ({"q": [0.0] * 24, "qd": [1.0]}, "/states/2/qd"),
                 ({"q": [0.0] * 24, "u": [1.0]}, "/states/2/u"), ({}, "/states/2/q"),
                 ({"q": [float("nan")] + [0.0] * 23}, "/states/2/q"), ({"q": [0.0] * 24, "t": float("inf")}, "/states/2/t")]
        for state, pointer in cases:
            self.fails("INVALID_ARGUMENT", "invalid_argument", lambda s=state: self.evaluate(good + [s]), pointer)
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.evaluate(good, ["fd", "nothing"]), "/want/1")
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.evaluate(good, []), "/want")
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.evaluate(good, baumgarte=-1), "/baumgarte")
        request = dynamics.EvaluateRequest(want=["fd"], states=[dynamics.State(q=[0])])
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.dynamics.Evaluate(request), "/model")
        wrong = pendulum()
        wrong["links"][0]["body"]["mass"] = -2
        request = dynamics.EvaluateRequest(document=json.dumps(wrong), want=["fd"], states=[dynamics.State(q=[0])])
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.dynamics.Evaluate(request), "/document/links/0/body/mass")
        for name in ("nobody", "cdm@77", "a b"):
            request = dynamics.EvaluateRequest(model=name, want=["fd"], states=[dynamics.State(q=[0])])
            self.fails("NOT_FOUND", "not_found", lambda r=request: self.dynamics.Evaluate(r))

    def test_a_state_that_fails_is_an_entry_and_the_others_answer(self):
        bad = {"q": [1e200] * 24}
        states = [self.states(1)[0], bad, self.states(1)[0]]
        rest = self.server.request("POST", "/v1/models/cdm:evaluate", {"want": ["fd"], "states": states}).json()["states"]
        unary = self.evaluate(states, ["fd"])
        for answers in (unary.states, list(self.dynamics.EvaluateStream(self.stream(states, ["fd"])))):
            self.assertEqual(answers[1].error.code, rest[1]["error"]["code"])
            self.assertEqual(answers[1].error.detail, rest[1]["error"]["detail"])
            self.assertEqual(answers[1].error.quantity, rest[1]["error"]["quantity"])
            self.assertEqual(len(answers[1].values), 0)
            for good in (answers[0], answers[2]):
                self.assertFalse(good.HasField("error"))
                self.assertEqual(bits(good.values["fd"].data), bits(rest[0]["fd"]))

    def test_a_stream_answers_in_order_while_the_client_only_sends(self):
        states = [{"q": [0.001 * i]} for i in range(3000)]
        answers = list(self.dynamics.EvaluateStream(self.stream(states, ["poses", "fd"], model="pendulum")))
        whole = self.dynamics.Evaluate(dynamics.EvaluateRequest(
            model="pendulum", want=["poses", "fd"], states=[dynamics.State(**s) for s in states]))
        self.assertEqual(answers, list(whole.states))

    def test_a_stream_survives_states_that_are_wrong(self):
        good = self.states(1)[0]
        answers = list(self.dynamics.EvaluateStream(self.stream([good, {"q": [1.0]}, {**good, "u": [1.0]}, good])))
        self.assertEqual([a.error.pointer for a in answers], ["", "/q", "/u", ""])
        self.assertEqual([a.error.code for a in answers], ["", "invalid_argument", "invalid_argument", ""])
        self.assertEqual(answers[0], answers[3])

    def test_thousands_of_failures_do_not_end_a_stream(self):
        answers = list(self.dynamics.EvaluateStream(self.stream([{"q": [1e200] * 24}] * 2000 + self.states(1), ["fd"])))
        self.assertEqual({a.error.code for a in answers[:-1]}, {answers[0].error.code})
        self.assertEqual(len(answers[-1].values["fd"].data), 24)

    def test_a_stream_must_begin_with_its_setup(self):
        state = dynamics.EvaluateStreamRequest(state=dynamics.State(q=[0]))
        setup = dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model="pendulum", want=["fd"]))
        call = self.dynamics.EvaluateStream
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: call(iter([state])), "/setup")
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: call(iter([setup, setup])), "")
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: call(self.stream([], ["fd", "nothing"])), "/setup/want/1")
        self.fails("NOT_FOUND", "not_found", lambda: call(self.stream([], ["fd"], model="nobody")))
        self.assertEqual(list(call(iter([setup]))), [])
        self.assertEqual(list(call(iter([]))), [])

    def test_a_stream_keeps_the_revision_it_began_with(self):
        name, light, heavy = "changing", pendulum(name="changing"), pendulum(name="changing")
        heavy["links"][0]["body"]["com"] = [0, 0, -1.0]
        self.models.Update(models.UpdateModelRequest(name=name, document=json.dumps(light)))
        go_on = threading.Event()

        def requests():
            yield from self.stream([{"q": [0.5]}], ["fd"], model=name)
            go_on.wait(60)
            yield dynamics.EvaluateStreamRequest(state=dynamics.State(q=[0.5]))
        answers = self.dynamics.EvaluateStream(requests())
        first = next(answers)
        self.models.Update(models.UpdateModelRequest(name=name, document=json.dumps(heavy)))
        go_on.set()
        self.assertEqual(next(answers), first)
        newest = self.dynamics.Evaluate(dynamics.EvaluateRequest(model=name, want=["fd"], states=[dynamics.State(q=[0.5])]))
        self.assertNotEqual(newest.states[0], first)

    def evaluated(self):
        text = self.server.request("GET", "/metrics").body.decode()
        return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith("tendril_evaluated_states_total"))

    def test_a_deadline_and_a_cancel_stop_the_computing(self):
        state = dynamics.State(**self.states(1)[0])
        request = dynamics.EvaluateRequest(model="cdm", want=["dfd_dq"], states=[state] * 60000)
        before, logged = self.evaluated(), self.server.log().count('"status":1,')
        with self.assertRaises(grpc.RpcError) as caught:
            self.dynamics.Evaluate(request, timeout=0.4)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        future = self.dynamics.Evaluate.future(request)
        time.sleep(0.3)
        future.cancel()
        self.assertTrue(future.cancelled())
        end = time.monotonic() + 60
        while self.server.log().count('"status":1,') < logged + 2 and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.evaluated(), before, "states were computed to the end for nobody")

    def test_a_cancelled_stream_is_forgotten(self):
        def endless():
            yield from self.stream([{"q": [0.5]}], ["fd"], model="pendulum")
            threading.Event().wait(30)
        answers = self.dynamics.EvaluateStream(endless())
        self.assertTrue(next(answers).values["fd"].data)
        answers.cancel()
        self.assertEqual(answers.code(), grpc.StatusCode.CANCELLED)

    def test_a_request_id_of_the_client_comes_back(self):
        _, call = self.dynamics.Evaluate.with_call(
            dynamics.EvaluateRequest(model="pendulum", want=["fd"], states=[dynamics.State(q=[0])]),
            metadata=[("tendril-request-id", "mine-1")])
        self.assertEqual(trailers(call), {"tendril-request-id": "mine-1"})

    def test_a_message_that_is_too_large_is_refused_and_the_connection_lives(self):
        big = dynamics.EvaluateRequest(model="cdm", want=["fd"], states=[dynamics.State(q=[0.0] * (9 << 20))])
        with self.assertRaises(grpc.RpcError) as caught:
            self.dynamics.Evaluate(big)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED, caught.exception.details())
        many = dynamics.EvaluateRequest(model="cdm", want=["fd"], states=[dynamics.State()] * 300000)
        self.fails("RESOURCE_EXHAUSTED", "too_large", lambda: self.dynamics.Evaluate(many), "/states")
        self.assertEqual(len(self.evaluate(self.states(1)).states), 1)

    def test_eight_clients_stream_at_once_with_the_same_bits(self):
        states = self.states(150, seed=5)
        expected, found = list(self.evaluate(states, ["dfd_dq"]).states), {}

        def run(k):
            with grpc.insecure_channel(self.server.ready["grpc"], options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
                call = dynamics_grpc.DynamicsStub(channel).EvaluateStream
                found[k] = list(call(self.stream(states, ["dfd_dq"])))
        threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 8)
        for answers in found.values():
            self.assertEqual(answers, expected)


class Jobs(Channel):
    def job(self, **changes):
        return {"model": "pendulum", "kind": "dynamics", "t_end": 0.5, "initial": {"q": [0.5]},
                "integrator": {"method": "newmark", "h": 0.005}, "output": {"dt": 0.01, "fields": ["q", "qd"]},
                "labels": {"study": "a"}, **changes}

    def submit(self, document, **more):
        return self.jobs.Submit(jobs.SubmitJobRequest(document=json.dumps(document), **more))

    def finished(self, document):
        job = self.submit(document)
        self.server.wait(job.id)
        return job.id

    def request(self, job_id, **more):
        return jobs.JobRequest(id=job_id, **more)

    def test_a_job_runs_and_is_the_same_on_both_faces(self):
        job_id = self.finished(self.job())
        ours, theirs = self.jobs.Get(self.request(job_id)), self.server.job(job_id)
        self.assertEqual(ours.state, "succeeded")
        for key in ("id", "kind", "state", "attempt", "priority", "created_at", "started_at", "finished_at"):
            self.assertEqual(getattr(ours, key), theirs[key], key)
        self.assertEqual(dict(ours.labels), theirs["labels"])
        self.assertEqual((ours.model.name, ours.model.revision, ours.model.sha256),
                         tuple(theirs["model"][key] for key in ("name", "revision", "sha256")))
        self.assertEqual((ours.progress.fraction, ours.progress.t, ours.progress.t_end),
                         tuple(theirs["progress"][key] for key in ("fraction", "t", "t_end")))
        self.assertEqual((ours.error, ours.retry_of, ours.parent), ("", "", ""))

    def test_jobs_are_listed_as_in_rest(self):
        for _ in range(3):
            self.finished(self.job(labels={"study": "listed"}))
        ours = self.jobs.List(jobs.ListJobsRequest(label="study:listed", state="succeeded", limit=2))
        theirs = self.server.request("GET", "/v1/jobs?label=study:listed&state=succeeded&limit=2").json()
        self.assertEqual([j.id for j in ours.jobs], [j["id"] for j in theirs["jobs"]])
        self.assertEqual(ours.next_cursor, theirs["next_cursor"])
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.jobs.List(jobs.ListJobsRequest(cursor="5")))
        rest = self.jobs.List(jobs.ListJobsRequest(label="study:listed", cursor=ours.next_cursor))
        self.assertEqual((len(rest.jobs), rest.next_cursor), (1, ""))
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.jobs.List(jobs.ListJobsRequest(state="sleeping")))

    def test_the_same_request_id_makes_one_job(self):
        first = self.submit(self.job(), request_id="once")
        self.assertEqual(self.submit(self.job(), request_id="once").id, first.id)
        self.fails("FAILED_PRECONDITION", "idempotency_mismatch", lambda: self.submit(self.job(t_end=0.7), request_id="once"))
        self.server.wait(first.id)

    def test_a_job_is_cancelled_retried_and_deleted(self):
        self.models.Update(models.UpdateModelRequest(name="soft", document=json.dumps(harness.soft_arm())))
        job = self.submit(harness.long_job("soft"))
        self.server.wait_for_progress(job.id)
        self.fails("FAILED_PRECONDITION", "failed_precondition", lambda: self.jobs.Delete(self.request(job.id)))
        self.assertEqual(self.jobs.Cancel(self.request(job.id)).id, job.id)
        self.server.wait(job.id)
        self.assertEqual(self.jobs.Cancel(self.request(job.id)).state, "cancelled")
        self.fails("FAILED_PRECONDITION", "failed_precondition", lambda: self.jobs.GetResult(jobs.ResultRequest(id=job.id)))
        retry = self.jobs.Retry(self.request(job.id))
        self.assertEqual(retry.retry_of, job.id)
        twice = [self.jobs.Retry(self.request(job.id, request_id="again")).id for _ in range(2)]
        self.assertEqual(twice[0], twice[1])
        self.assertNotEqual(twice[0], retry.id)
        self.jobs.Cancel(self.request(twice[0]))
        self.jobs.Cancel(self.request(retry.id))
        self.server.wait(retry.id)
        self.jobs.Delete(self.request(retry.id))
        for call in (self.jobs.Get, self.jobs.Cancel, self.jobs.Retry, self.jobs.Delete):
            self.fails("NOT_FOUND", "not_found", lambda c=call: c(self.request(retry.id)))

    def test_wrong_jobs_are_refused_with_their_place(self):
        for change, pointer in (({"t_end": -1}, "/t_end"), ({"model": "nobody"}, "/model"), ({"kind": "magic"}, "/kind")):
            rest = self.server.request("POST", "/v1/jobs", self.job(**change)).json()
            self.assertEqual(rest["pointer"], pointer)
            detail = self.fails("INVALID_ARGUMENT", rest["code"], lambda c=change: self.submit(self.job(**c)), pointer)
            self.assertEqual(detail, rest["detail"])

    def test_a_watch_tells_every_event_of_rest_and_ends(self):
        job = self.submit(self.job())
        events = list(self.jobs.Watch(jobs.WatchRequest(id=job.id)))
        theirs = self.server.request("GET", f"/v1/jobs/{job.id}/events?since=0").json()["events"]
        self.assertEqual([json.loads(e.data) for e in events], theirs)
        self.assertEqual([(e.seq, e.event, e.time, e.job, e.attempt) for e in events],
                         [tuple(t[key] for key in ("seq", "event", "time", "job", "attempt")) for t in theirs])
        self.assertEqual(json.loads(events[-1].data)["state"], "succeeded")
        later = list(self.jobs.Watch(jobs.WatchRequest(id=job.id, since=events[1].seq)))
        self.assertEqual(later, events[2:])
        self.fails("NOT_FOUND", "not_found", lambda: self.jobs.Watch(jobs.WatchRequest(id="nobody")))
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.jobs.Watch(jobs.WatchRequest(id=job.id, since=-1)), "/since")

    def watchers(self):
        text = self.server.request("GET", "/metrics").body.decode()
        return next(int(line.split()[-1]) for line in text.splitlines() if line.startswith("tendril_event_watchers"))

    def test_watchers_of_a_waiting_job_hear_of_its_cancel_and_those_who_leave_are_forgotten(self):
        self.models.Update(models.UpdateModelRequest(name="soft", document=json.dumps(harness.soft_arm())))
        job = self.submit(harness.long_job("soft"))
        calls = [self.jobs.Watch(jobs.WatchRequest(id=job.id)) for _ in range(20)]
        for call in calls:
            next(call)
        self.assertEqual(self.watchers(), 20)
        for call in calls[:15]:
            call.cancel()
        end = time.monotonic() + 60
        while self.watchers() > 5 and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.watchers(), 5)
        self.jobs.Cancel(self.request(job.id))
        for call in calls[15:]:
            self.assertEqual(json.loads(list(call)[-1].data)["state"], "cancelled")
        with self.assertRaises(grpc.RpcError) as caught:
            waiting = self.submit(harness.long_job("soft"))
            try:
                for _ in self.jobs.Watch(jobs.WatchRequest(id=waiting.id), timeout=0.5):
                    pass
            finally:
                self.jobs.Cancel(self.request(waiting.id))
        self.assertEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.server.wait(waiting.id)

    def result(self, job_id, **more):
        chunks = list(self.jobs.GetResult(jobs.ResultRequest(id=job_id, **more)))
        for before, after in zip(chunks, chunks[1:]):
            self.assertEqual(after.offset, before.offset + len(before.data))
        self.assertTrue(all(0 < len(c.data) <= 1 << 20 and c.ByteSize() <= 1 << 20 for c in chunks))
        return b"".join(c.data for c in chunks), chunks

    def test_a_result_comes_in_pieces_that_are_the_file_of_rest(self):
        job_id = self.finished(self.job(t_end=60.0, output={"dt": 0.0005, "fields": ["q", "qd"]}))
        whole, chunks = self.result(job_id)
        self.assertGreater(len(chunks), 2)
        path = f"/v1/jobs/{job_id}/result"
        self.assertEqual(whole, self.server.request("GET", path, headers={"Accept": "application/x-npz"}).body)
        self.assertEqual({c.size for c in chunks}, {len(whole)})
        for form, kind in ((jobs.JSON, "application/json"), (jobs.CSV, "text/csv")):
            theirs = self.server.request("GET", f"{path}?fields=q&from=1&to=2.5&stride=7", headers={"Accept": kind}).body
            ours, _ = self.result(job_id, format=form, fields=["q"], begin=1, end=2.5, stride=7)
            self.assertEqual(ours, theirs)
        part, _ = self.result(job_id, fields=["qd"], begin=0, end=0)
        self.assertEqual(np.load(io.BytesIO(part))["qd"].shape, (1, 1))
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.jobs.GetResult(
            jobs.ResultRequest(id=job_id, fields=["nothing"])))
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: self.jobs.GetResult(
            jobs.ResultRequest(id=job_id, format=9)), "/format")

    def test_a_client_that_does_not_read_its_result_holds_up_nobody(self):
        job_id = self.finished(self.job(t_end=60.0, output={"dt": 0.0005, "fields": ["q", "qd"]}))
        lazy = [self.jobs.GetResult(jobs.ResultRequest(id=job_id)) for _ in range(8)]
        whole, _ = self.result(job_id)
        for call in lazy[:4]:
            call.cancel()
        for call in lazy[4:]:
            self.assertEqual(b"".join(c.data for c in call), whole)

    def test_a_result_that_is_not_there_yet_is_said_to_be_so(self):
        self.models.Update(models.UpdateModelRequest(name="soft", document=json.dumps(harness.soft_arm())))
        job = self.submit(harness.long_job("soft"))
        self.fails("FAILED_PRECONDITION", "not_ready", lambda: self.jobs.GetResult(jobs.ResultRequest(id=job.id)))
        self.jobs.Cancel(self.request(job.id))
        self.server.wait(job.id)
        self.fails("NOT_FOUND", "not_found", lambda: self.jobs.GetResult(jobs.ResultRequest(id="nobody")))


if __name__ == "__main__":
    harness.main()
