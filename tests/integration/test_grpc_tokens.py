"""Tokens and TLS on the gRPC face: the same gate as REST, the same words."""
import contextlib
import json
import os
import socket
import tempfile
import threading
import time
import unittest

import grpc

import harness
from grpc_client import dynamics, dynamics_grpc, jobs, jobs_grpc, models, models_grpc
from harness import Server, make_certificate, make_token, pendulum


def authorization(token):
    return [("authorization", f"Bearer {token}")] if token else []


class Gate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.own = tempfile.TemporaryDirectory()
        folder = os.path.join(cls.own.name, "data")
        cls.token = {scope: make_token(folder, scope) for scope in ("read", "run", "admin")}
        cls.certificate, key = make_certificate(cls.own.name, "good")
        cls.server = Server(folder, "--tls-cert", cls.certificate, "--tls-key", key, token=cls.token["admin"],
                            tls=cls.certificate)
        with open(cls.certificate, "rb") as file:
            cls.credentials = grpc.ssl_channel_credentials(file.read())
        cls.channel = grpc.secure_channel(cls.server.ready["grpc"], cls.credentials)
        cls.models, cls.jobs = models_grpc.ModelsStub(cls.channel), jobs_grpc.JobsStub(cls.channel)
        cls.dynamics = dynamics_grpc.DynamicsStub(cls.channel)
        cls.models.Update(models.UpdateModelRequest(name="pendulum", owner="none", document=json.dumps(pendulum())),
                          metadata=authorization(cls.token["admin"]))

    @classmethod
    def tearDownClass(cls):
        cls.channel.close()
        cls.server.close()
        log = cls.server.last_log
        cls.own.cleanup()
        assert not any(token[8:40] in log for token in cls.token.values()), "a token in the log"

    def refused(self, status, code, call):
        with self.assertRaises(grpc.RpcError) as caught:
            answer = call()
            for _ in answer if hasattr(answer, "__next__") else ():
                pass
        self.assertEqual(caught.exception.code().name, status, caught.exception.details())
        found = dict(caught.exception.trailing_metadata() or ())
        self.assertEqual(found.get("tendril-code"), code, found)

    def calls(self, token):
        """Something that reads and something that runs, of each service and kind of call."""
        given = {"metadata": authorization(token)}
        batch = dynamics.EvaluateRequest(model="pendulum", want=["fd"], states=[dynamics.State(q=[0.1])])
        setup = dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model="pendulum", want=["fd"]))
        job = jobs.SubmitJobRequest(document="{}")
        reads = [lambda: self.models.List(models.ListModelsRequest(), **given), lambda: self.jobs.List(jobs.ListJobsRequest(), **given),
                 lambda: self.jobs.Watch(jobs.WatchRequest(id="nobody"), **given),
                 lambda: self.jobs.GetResult(jobs.ResultRequest(id="nobody"), **given)]
        runs = [lambda: self.dynamics.Evaluate(batch, **given), lambda: list(self.dynamics.EvaluateStream(iter([setup]), **given)),
                lambda: self.jobs.Submit(job, **given), lambda: self.jobs.Cancel(jobs.JobRequest(id="nobody"), **given),
                lambda: self.models.Delete(models.DeleteModelRequest(name="nobody"), **given)]
        return reads, runs

    def test_without_a_token_or_with_a_wrong_one_nothing_is_done(self):
        for token in ("", "nonsense", "tendril_" + "0" * 64, self.token["run"][:-1], self.token["run"] + "0"):
            reads, runs = self.calls(token)
            for call in reads + runs:
                self.refused("UNAUTHENTICATED", "unauthenticated", call)

    def test_a_token_that_may_read_does_not_run(self):
        reads, runs = self.calls(self.token["read"])
        for call in runs:
            self.refused("PERMISSION_DENIED", "permission_denied", call)
        for call in reads[:2]:
            call()
        for call in reads[2:]:
            self.refused("NOT_FOUND", "not_found", call)

    def test_a_token_that_may_run_does_both(self):
        reads, runs = self.calls(self.token["run"])
        for call in reads[:2] + runs[:2]:
            call()
        self.refused("INVALID_ARGUMENT", "invalid_argument", runs[2])
        for call in reads[2:] + runs[3:]:
            self.refused("NOT_FOUND", "not_found", call)

    def test_a_refused_call_is_logged_with_its_method(self):
        self.refused("UNAUTHENTICATED", "unauthenticated",
                     lambda: self.models.List(models.ListModelsRequest(), metadata=[("tendril-request-id", "refused-1")]))
        self.server.wait_for_log('"request_id":"refused-1","method":"/tendril.v1.Models/List","status":16')

    def test_a_stream_ends_when_its_token_is_deleted(self):
        made = self.server.request("POST", "/v1/tokens", {"name": "short-lived", "scope": "run"}).json()
        go_on = threading.Event()

        def requests():
            yield dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model="pendulum", want=["fd"]))
            yield dynamics.EvaluateStreamRequest(state=dynamics.State(q=[0.1]))
            go_on.wait(60)
            yield dynamics.EvaluateStreamRequest(state=dynamics.State(q=[0.2]))
            time.sleep(30)
        stream = self.dynamics.EvaluateStream(requests(), metadata=authorization(made["token"]))
        self.assertEqual(len(next(stream).values["fd"].data), 1)
        self.assertEqual(self.server.request("DELETE", f"/v1/tokens/{made['id']}").status, 204)
        go_on.set()
        self.refused("UNAUTHENTICATED", "unauthenticated", lambda: stream)

    def test_a_deleted_token_is_none(self):
        made = self.server.request("POST", "/v1/tokens", {"name": "gone", "scope": "admin"}).json()
        self.models.List(models.ListModelsRequest(), metadata=authorization(made["token"]))
        self.assertEqual(self.server.request("DELETE", f"/v1/tokens/{made['id']}").status, 204)
        reads, runs = self.calls(made["token"])
        for call in reads + runs:
            self.refused("UNAUTHENTICATED", "unauthenticated", call)

    def test_a_token_that_turns_up_elsewhere_is_not_logged(self):
        token = self.token["run"]
        given = [("tendril-request-id", token), *authorization(token)]
        self.refused("NOT_FOUND", "not_found", lambda: self.models.Get(models.GetModelRequest(name=token[:60]), metadata=given))
        self.refused("NOT_FOUND", "not_found", lambda: self.jobs.Get(jobs.JobRequest(id=token), metadata=given))
        for path in ("/" + token, "/tendril.v1.Models/" + token):
            unknown = self.channel.unary_unary(path, request_serializer=bytes, response_deserializer=bytes)
            self.refused("UNIMPLEMENTED", "method_not_allowed", lambda c=unknown: c(b"", metadata=given))
        self.refused("INVALID_ARGUMENT", "invalid_argument", lambda: self.jobs.Submit(
            jobs.SubmitJobRequest(document=json.dumps({"kind": token})), metadata=given))  # tearDownClass reads the log

    def test_garbage_on_the_port_harms_nobody(self):
        host, port = self.server.ready["grpc"].rsplit(":", 1)
        held = []
        for data in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"", os.urandom(3000),
                     b"\x16\x03\x01\x00\x80\x01" + os.urandom(20), b"\x16\x03\x01\xff\xff" + bytes(70000)) * 5:
            held.append(socket.create_connection((host, int(port)), timeout=30))
            with contextlib.suppress(OSError):  # it may be closed while we still send
                held[-1].sendall(data)
        self.models.List(models.ListModelsRequest(), metadata=authorization(self.token["read"]), timeout=60)
        for s in held:
            s.close()

    def test_plain_text_and_unknown_certificates_get_nowhere(self):
        for channel in (grpc.insecure_channel(self.server.ready["grpc"]),
                        grpc.secure_channel(self.server.ready["grpc"], grpc.ssl_channel_credentials())):
            with channel, self.assertRaises(grpc.RpcError) as caught:
                models_grpc.ModelsStub(channel).List(models.ListModelsRequest(), metadata=authorization(self.token["run"]), timeout=10)
            self.assertIn(caught.exception.code(), (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED))
        self.assertEqual([m.name for m in self.models.List(models.ListModelsRequest(), metadata=authorization(self.token["read"])).models],
                         ["pendulum"])


class OneGate(unittest.TestCase):
    """What is counted and checked on one face counts on the other."""

    def code(self, call):
        with self.assertRaises(grpc.RpcError) as caught:
            call()
        return caught.exception.code().name, dict(caught.exception.trailing_metadata() or ())

    def test_a_rate_is_that_of_both_faces_together(self):
        server = Server(None, "--rate", "1", "--burst", "5")
        with grpc.insecure_channel(server.ready["grpc"]) as channel:
            listed = models_grpc.ModelsStub(channel).List
            together = False
            for _ in range(20):  # a second may pass in between
                calls = 0
                with self.assertRaises(grpc.RpcError) as caught:
                    while calls < 1000:
                        listed(models.ListModelsRequest())
                        calls += 1
                self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
                self.assertEqual(dict(caught.exception.trailing_metadata())["tendril-code"], "rate_limited")
                reply = server.request("GET", "/v1/models")
                together = together or (reply.status == 429 and reply.json()["code"] == "rate_limited")
            self.assertTrue(together, "calls of gRPC leave the rate of REST alone")
        server.close()

    def test_rebound_names_are_sent_away(self):
        server = Server()
        for name, allowed in (("localhost", True), ("127.0.0.1:8081", True), ("evil.example", False)):
            with grpc.insecure_channel(server.ready["grpc"], options=[("grpc.default_authority", name)]) as channel:
                if allowed:
                    models_grpc.ModelsStub(channel).List(models.ListModelsRequest())
                else:
                    status, found = self.code(lambda: models_grpc.ModelsStub(channel).List(models.ListModelsRequest()))
                    self.assertEqual((status, found["tendril-code"]), ("PERMISSION_DENIED", "permission_denied"))
        server.close()


if __name__ == "__main__":
    harness.main()
