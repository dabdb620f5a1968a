"""What stands around the gRPC methods: health, reflection (a client that has no .proto file), stopping, garbage on the port."""
import json
import os
import random
import resource
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import harness
from grpc_client import contract, descriptor_set, dynamics, dynamics_grpc, jobs, jobs_grpc, models, models_grpc
from harness import Server, ServerTest, example, pendulum


soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))  # of this process and its servers


def pool_of(files):
    pool = descriptor_pool.DescriptorPool()
    for file in files:
        pool.Add(file)
    return pool


def message(pool, name):
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName(name))


def local_pool():
    return pool_of(descriptor_pb2.FileDescriptorSet.FromString(descriptor_set()).file)


class Health:
    def __init__(self, channel):
        pool = local_pool()
        self.request, self.reply = (message(pool, f"grpc.health.v1.HealthCheck{end}") for end in ("Request", "Response"))
        codecs = {"request_serializer": self.request.SerializeToString, "response_deserializer": self.reply.FromString}
        self.check = channel.unary_unary("/grpc.health.v1.Health/Check", **codecs)
        self.watch = channel.unary_stream("/grpc.health.v1.Health/Watch", **codecs)


class Reflection:
    def __init__(self, channel, version):
        pool = local_pool()
        package = f"grpc.reflection.{version}.ServerReflection"
        self.request, self.reply = message(pool, package + "Request"), message(pool, package + "Response")
        self.call = channel.stream_stream(f"/{package}/ServerReflectionInfo", request_serializer=self.request.SerializeToString,
                                          response_deserializer=self.reply.FromString)

    def ask(self, *questions):
        return list(self.call(iter([self.request(**question) for question in questions])))


class Edges(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.channel = grpc.insecure_channel(cls.server.ready["grpc"], options=[("grpc.max_send_message_length", -1)])
        host, port = cls.server.ready["grpc"].rsplit(":", 1)
        cls.address = (host, int(port))
        models_grpc.ModelsStub(cls.channel).Update(models.UpdateModelRequest(name="cdm", document=json.dumps(example("cdm.model.json"))))

    @classmethod
    def tearDownClass(cls):
        cls.channel.close()
        super().tearDownClass()

    def serves(self):
        answer = dynamics_grpc.DynamicsStub(self.channel).Evaluate(dynamics.EvaluateRequest(
            model="cdm", want=["fd"], states=[dynamics.State(q=[0.01] * 24)]), timeout=30)
        self.assertEqual(len(answer.states[0].values["fd"].data), 24)

    def refused(self, call, code):
        with self.assertRaises(grpc.RpcError) as caught:
            call()
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        return dict(caught.exception.trailing_metadata() or ())

    # ------------------------------------------------------------------------------------------- health and reflection

    def test_health_knows_the_server_and_its_services(self):
        health = Health(self.channel)
        for name in ("", "tendril.v1.Models", "tendril.v1.Dynamics", "tendril.v1.Jobs"):
            self.assertEqual(health.check(health.request(service=name)).status, 1, name)
        self.assertEqual(self.refused(lambda: health.check(health.request(service="nobody")), grpc.StatusCode.NOT_FOUND)["tendril-code"],
                         "not_found")
        for name, status in (("", 1), ("nobody", 3)):
            watch = health.watch(health.request(service=name))
            self.assertEqual(next(watch).status, status)
            watch.cancel()

    def test_reflection_lists_every_service_in_both_versions(self):
        expected = set()
        for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set()).file:
            expected |= {f"{file.package}.{service.name}" for service in file.service}
        for version in ("v1", "v1alpha"):
            (answer,) = Reflection(self.channel, version).ask({"list_services": ""})
            self.assertEqual({s.name for s in answer.list_services_response.service}, expected)

    def test_reflection_hands_out_the_files_of_the_contract(self):
        whole = {file.name: file for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set()).file}
        self.assertEqual(set(whole), set(contract()))
        for version in ("v1", "v1alpha"):
            reflection = Reflection(self.channel, version)
            answers = reflection.ask(*({"file_by_filename": name} for name in whole))
            for name, answer in zip(whole, answers):
                first = descriptor_pb2.FileDescriptorProto.FromString(answer.file_descriptor_response.file_descriptor_proto[0])
                self.assertEqual(first, whole[name])
                self.assertEqual(answer.original_request.file_by_filename, name)

    def test_reflection_finds_symbols_and_says_what_is_unknown(self):
        found = {"tendril.v1.Jobs": "jobs", "tendril.v1.Jobs.Watch": "jobs", "tendril.v1.Matrix": "common",
                 "tendril.v1.StateReply.ValuesEntry": "dynamics", "tendril.v1.ResultFormat": "jobs"}
        reflection = Reflection(self.channel, "v1")
        for (symbol, file), answer in zip(found.items(), reflection.ask(*({"file_containing_symbol": s} for s in found))):
            first = descriptor_pb2.FileDescriptorProto.FromString(answer.file_descriptor_response.file_descriptor_proto[0])
            self.assertEqual(first.name, f"tendril/v1/{file}.proto", symbol)
        unknown = [{"file_containing_symbol": "tendril.v1.Nothing"}, {"file_containing_symbol": "tendril.v1.Jobs.Nothing"},
                   {"file_by_filename": "nothing.proto"}, {"all_extension_numbers_of_type": "tendril.v1.Job"},
                   {"file_containing_extension": {"containing_type": "tendril.v1.Job", "extension_number": 1}}]
        for answer in reflection.ask(*unknown):
            self.assertEqual(answer.error_response.error_code, 5)
        self.assertEqual(reflection.ask({})[0].error_response.error_code, 3)

    def test_a_client_with_reflection_alone_evaluates(self):
        (answer,) = Reflection(self.channel, "v1alpha").ask({"file_containing_symbol": "tendril.v1.Dynamics"})
        files = [descriptor_pb2.FileDescriptorProto.FromString(raw) for raw in answer.file_descriptor_response.file_descriptor_proto]
        pool = pool_of(reversed(files))  # what was asked for comes first, what it needs behind it
        request, reply = (message(pool, f"tendril.v1.Evaluate{end}") for end in ("Request", "Reply"))
        call = self.channel.unary_unary("/tendril.v1.Dynamics/Evaluate", request_serializer=request.SerializeToString,
                                        response_deserializer=reply.FromString)
        found = call(request(model="cdm", want=["fd"], states=[{"q": [0.01] * 24}]))
        rest = self.server.request("POST", "/v1/models/cdm:evaluate", {"want": ["fd"], "states": [{"q": [0.01] * 24}]}).json()
        self.assertEqual(list(found.states[0].values["fd"].data), rest["states"][0]["fd"])

    # ------------------------------------------------------------------------------------------------ what is not right

    def raw(self, method):
        return self.channel.unary_unary(method, request_serializer=bytes, response_deserializer=bytes)

    def test_unknown_methods_are_unimplemented(self):
        for method in ("/tendril.v1.Models/Explode", "/nothing", "/tendril.v1.Models", "/tendril.v1.Models/Create/x"):
            found = self.refused(lambda m=method: self.raw(m)(b""), grpc.StatusCode.UNIMPLEMENTED)
            self.assertEqual(found["tendril-code"], "method_not_allowed")

    def test_messages_that_are_not_protobuf_are_invalid(self):
        draw = random.Random(5)
        good = dynamics.EvaluateRequest(model="cdm", want=["fd"], states=[dynamics.State(q=[0.01] * 24)]).SerializeToString()
        cases = [b"\xff", b"\x0a\xff", b"\x0b", b"\x0a\x02\xc3\x28", b"\x0a\x03a\x00b", good[:-3], b"\x08" + b"\xff" * 11]
        for case in cases:
            found = self.refused(lambda c=case: self.raw("/tendril.v1.Dynamics/Evaluate")(c), grpc.StatusCode.INVALID_ARGUMENT)
            self.assertEqual(found["tendril-code"], "invalid_argument")
        answered = 0
        for _ in range(400):
            case = bytearray(good)
            for _ in range(draw.randint(1, 6)):
                case[draw.randrange(len(case))] = draw.randrange(256)
            try:
                self.raw("/tendril.v1.Dynamics/Evaluate")(bytes(case))
                answered += 1
            except grpc.RpcError as error:
                self.assertIn(error.code(), (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND,
                                             grpc.StatusCode.RESOURCE_EXHAUSTED), error.details())
        self.assertGreater(answered, 0)
        self.serves()

    def test_texts_that_are_not_utf8_are_named(self):
        found = self.refused(lambda: self.raw("/tendril.v1.Models/Create")(b"\x0a\x02\xc3\x28"), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertEqual(found["tendril-pointer"], "/document")

    def test_every_method_refuses_random_bytes_or_answers(self):
        draw = random.Random(7)
        for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set()).file:
            for service in file.service:
                for method in service.method:
                    call = self.channel.stream_stream(f"/{file.package}.{service.name}/{method.name}", request_serializer=bytes,
                                                      response_deserializer=bytes)
                    for _ in range(10):
                        try:
                            requests = iter([draw.randbytes(draw.randint(0, 40))])
                            for _ in zip(range(3), call(requests, timeout=5 if "Watch" not in method.name else 0.2)):
                                pass
                        except grpc.RpcError as error:
                            self.assertNotIn(error.code(), (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN), error.details())
        self.serves()

    def peak_kb(self):
        with open(f"/proc/{self.server.ready['pid']}/status", encoding="ascii") as file:
            return int(file.read().split("VmHWM:")[1].split()[0])

    def test_compressed_messages_are_refused_before_they_are_inflated(self):
        """200 kB that inflate to 200 MB, to every method, from a caller who needs no token for it."""
        before = self.peak_kb()
        for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set()).file:
            for service in file.service:
                for method in service.method:
                    call = self.channel.stream_stream(f"/{file.package}.{service.name}/{method.name}", request_serializer=bytes,
                                                      response_deserializer=bytes)
                    self.refused(lambda c=call: list(c(iter([bytes(200 << 20)]), timeout=60, compression=grpc.Compression.Gzip)),
                                 grpc.StatusCode.UNIMPLEMENTED)
        self.serves()
        self.assertLess(self.peak_kb() - before, 100 << 10)

    def test_garbage_on_the_port_harms_nobody(self):
        draw, preface = random.Random(11), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        cases = [b"\x16\x03\x01\x02\x00" + draw.randbytes(500), b"", preface,
                 preface + b"\xff\xff\xff\x00\x00\x00\x00\x00\x00", preface + bytes(9) + draw.randbytes(3000)]
        cases += [draw.randbytes(draw.randint(1, 2000)) for _ in range(30)]
        cases += [preface + bytes(9) + draw.randbytes(draw.randint(1, 200)) for _ in range(30)]
        held = []
        for case in cases:
            s = socket.create_connection(self.address, timeout=5)
            try:
                s.sendall(case)
            except OSError:
                pass
            held.append(s)
        self.serves()
        for s in held:
            s.close()
        self.serves()

    def test_http_1_is_no_grpc_and_grpc_no_http_1(self):
        for head in (b"GET / HTTP/1.1\r\n", b"POST /v1/models HTTP/1.1\r\nContent-Length: 2\r\n"):
            with socket.create_connection(self.address, timeout=60) as s:
                s.sendall(head + b"Host: localhost\r\n\r\n{}")
                answer = b""
                while chunk := s.recv(65536):  # until the server closes
                    answer += chunk
            self.assertNotIn(b"HTTP/1.1", answer)
        with grpc.insecure_channel(f"{self.server.host}:{self.server.port}") as channel:
            self.refused(lambda: jobs_grpc.JobsStub(channel).List(jobs.ListJobsRequest(), timeout=60), grpc.StatusCode.UNAVAILABLE)
        self.serves()

    def by_hand(self, method, body):
        """What the server answers to a call whose frames are written here; read until its status or the end of the connection."""
        def frame(kind, flags, stream, payload):
            return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
        fields = {":method": "POST", ":scheme": "http", ":path": method, ":authority": "localhost", "te": "trailers",
                  "content-type": "application/grpc"}
        head = b"".join(bytes([0, len(name)]) + name.encode() + bytes([len(value)]) + value.encode() for name, value in fields.items())
        answer = b""
        with socket.create_connection(self.address, timeout=60) as s:
            s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"") + frame(1, 4, 1, head) + frame(0, 1, 1, body))
            while b"grpc-status" not in answer and (chunk := s.recv(65536)):
                answer += chunk
        return answer

    def test_messages_that_are_cut_short_or_lie_about_their_length_are_refused(self):
        good = dynamics.EvaluateRequest(model="cdm", want=["fd"], states=[dynamics.State(q=[0.01] * 24)]).SerializeToString()
        whole = b"\0" + struct.pack(">I", len(good)) + good
        method = "/tendril.v1.Dynamics/Evaluate"
        self.assertIn(b"grpc-status\x010", self.by_hand(method, whole))
        for body in (b"", whole[:3], whole[:5], whole[:-7], b"\0" + struct.pack(">I", len(good) + 9) + good,
                     b"\0" + struct.pack(">I", 1 << 30) + good):
            answer = self.by_hand(method, body)
            self.assertIn(b"grpc-status\x013", answer)
            self.assertIn(b"invalid_argument", answer)
        self.serves()

    def test_a_thousand_idle_connections_on_each_port_leave_room(self):
        held = [socket.create_connection(address, timeout=60) for _ in range(1000)
                for address in (self.address, (self.server.host, self.server.port))]
        with grpc.insecure_channel(self.server.ready["grpc"], options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            listed = jobs_grpc.JobsStub(channel).List(jobs.ListJobsRequest(), timeout=60)
            self.assertEqual(len(listed.jobs), 0)
        self.assertEqual(self.server.request("GET", "/v1/jobs").json()["jobs"], [])
        for s in held:
            s.close()

    def evaluated(self):
        text = self.server.request("GET", "/metrics").body.decode()
        return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith("tendril_evaluated_states_total"))

    def test_a_stream_that_is_not_read_is_not_computed_further_and_holds_up_nobody(self):
        total, want = 4000, ["dfd_dq", "dfd_dqd", "did_dq", "did_dqd", "mass"]  # 23 kB an answer

        def requests():
            yield dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model="cdm", want=want))
            for k in range(total):
                yield dynamics.EvaluateStreamRequest(state=dynamics.State(q=[1e-5 * k] * 24))
        with grpc.insecure_channel(self.server.ready["grpc"], options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            begin = self.evaluated()
            stream = dynamics_grpc.DynamicsStub(channel).EvaluateStream(requests())
            first, before, now = next(stream), -1, self.evaluated()
            while before != now:  # until flow control has stopped the server
                time.sleep(0.3)
                before, now = now, self.evaluated()
            self.assertLess(now - begin, total / 2)
            self.serves()
            rest = list(stream)  # and it goes on
            self.assertEqual(len(rest), total - 1)
            self.assertEqual((len(first.values), len(rest[-1].values)), (5, 5))
        self.serves()

    def test_calls_are_counted_and_logged(self):
        jobs_grpc.JobsStub(self.channel).List(jobs.ListJobsRequest())
        text = self.server.request("GET", "/metrics").body.decode()
        self.assertIn('method="gRPC",route="/tendril.v1.Jobs/List"', text)
        self.refused(lambda: jobs_grpc.JobsStub(self.channel).Get(jobs.JobRequest(id="x"), metadata=[("tendril-request-id", "seen-in-log")]),
                     grpc.StatusCode.NOT_FOUND)
        self.server.wait_for_log('"request_id":"seen-in-log","method":"/tendril.v1.Jobs/Get","status":5')


class Stopping(unittest.TestCase):
    def test_streams_end_with_unavailable_and_the_server_stops_at_once(self):
        server = Server()
        channel = grpc.insecure_channel(server.ready["grpc"], options=[("grpc.enable_retries", 0)])
        models_grpc.ModelsStub(channel).Create(models.CreateModelRequest(document=json.dumps(harness.soft_arm())))
        models_grpc.ModelsStub(channel).Create(models.CreateModelRequest(document=json.dumps(pendulum())))
        stub = jobs_grpc.JobsStub(channel)
        job = stub.Submit(jobs.SubmitJobRequest(document=json.dumps(harness.long_job("soft"))))
        server.wait_for_progress(job.id)
        watch = stub.Watch(jobs.WatchRequest(id=job.id))
        next(watch)
        health = Health(channel)
        well = health.watch(health.request())
        self.assertEqual(next(well).status, 1)

        def endless():
            yield dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model="pendulum", want=["fd"]))
            yield dynamics.EvaluateStreamRequest(state=dynamics.State(q=[0.1]))
            threading.Event().wait(60)
        stream = dynamics_grpc.DynamicsStub(channel).EvaluateStream(endless())
        next(stream)
        ends, said = {}, []

        def follow(name, call):
            try:
                for answer in call:
                    said.append((name, answer))
            except grpc.RpcError as error:
                ends[name] = error.code()
        threads = [threading.Thread(target=follow, args=(name, call))
                   for name, call in (("watch", watch), ("health", well), ("stream", stream))]
        for thread in threads:
            thread.start()
        self.assertEqual(server.stop(), 0)
        for thread in threads:
            thread.join(30)
        self.assertEqual(ends, dict.fromkeys(("watch", "health", "stream"), grpc.StatusCode.UNAVAILABLE))
        self.assertIn(2, [answer.status for name, answer in said if name == "health"])
        channel.close()
        server.close()

    def test_idle_clients_do_not_hold_up_the_end(self):
        server = Server()
        channels = [grpc.insecure_channel(server.ready["grpc"], options=[("grpc.use_local_subchannel_pool", 1)]) for _ in range(5)]
        for channel in channels:
            jobs_grpc.JobsStub(channel).List(jobs.ListJobsRequest())
        held = socket.create_connection(server.ready["grpc"].rsplit(":", 1))
        self.assertEqual(server.stop(timeout=20), 0)
        for channel in channels:
            channel.close()
        held.close()
        server.close()


class Addresses(unittest.TestCase):
    def test_grpc_may_be_left_out(self):
        server = Server(None, "--grpc", "none")
        self.assertIsNone(server.ready["grpc"])
        server.close()

    def test_it_serves_on_ipv6_too(self):
        server = Server(None, "--grpc", "[::1]:0")
        self.assertTrue(server.ready["grpc"].startswith("[::1]:"))
        with grpc.insecure_channel(server.ready["grpc"]) as channel:
            self.assertEqual(len(jobs_grpc.JobsStub(channel).List(jobs.ListJobsRequest(), timeout=30).jobs), 0)
        server.close()

    def test_a_taken_port_is_an_error_and_another_address_is_refused(self):
        server = Server()
        for address, code in ((server.ready["grpc"], 1), ("0.0.0.0:0", 2), ("nonsense", 2)):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([os.path.join(harness.BIN, "tendrild"), "--data", folder, "--http", "127.0.0.1:0", "--grpc",
                                       address], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertIn(address, done.stderr.splitlines()[-1])
        server.close()


if __name__ == "__main__":
    harness.main()
