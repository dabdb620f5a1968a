"""Two programs of a stranger with stock grpcio, in plain text and over TLS with a token: one has the .proto files alone, the other
asks the server's reflection for everything and has no file. Each calls every method: replies, streams, deadlines, cancels, errors.

The edges of each method are in test_grpc.py."""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import grpc_client
import harness
from harness import SOURCE, Server, example, make_certificate, make_token, pendulum, soft_arm

STATES = [{"q": [0.01 * (k + i) for i in range(24)], "u": [5, 0, 0.1 * k, 0, 1]} for k in range(10)]
WANT = ["fd", "dfd_dq", "energy"]
SWING = {"model": "pendulum", "kind": "dynamics", "t_end": 30, "initial": {"q": [0.5]}, "integrator": {"method": "newmark", "h": 0.005},
         "output": {"dt": 0.0002, "fields": ["q"]}}


class Described:
    """Calls by name, from a pool of descriptors; remembers which ones were used."""

    def __init__(self, channel, pool, services, metadata):
        self.channel, self.pool, self.metadata, self.called = channel, pool, metadata, set()
        self.methods = {method.full_name: method for name in services for method in pool.FindServiceByName(name).methods}

    def message(self, descriptor):
        return message_factory.MessageFactory(self.pool).GetPrototype(descriptor)

    def __call__(self, name, *requests, **options):
        """Requests are dictionaries; a method that takes a stream gets them, or the iterator that is given."""
        method = self.methods[name if name in self.methods else "tendril.v1." + name]
        proto = descriptor_pb2.MethodDescriptorProto()
        method.CopyToProto(proto)
        self.called.add(method.full_name)
        takes, gives = self.message(method.input_type), self.message(method.output_type)
        kind = f"{'stream' if proto.client_streaming else 'unary'}_{'stream' if proto.server_streaming else 'unary'}"
        call = getattr(self.channel, kind)(f"/{method.containing_service.full_name}/{method.name}",
                                           request_serializer=takes.SerializeToString, response_deserializer=gives.FromString)
        call = call.future if options.pop("future", False) else call
        if proto.client_streaming:
            source = requests[0] if len(requests) == 1 and hasattr(requests[0], "__next__") else requests
            return call((takes(**request) for request in source), metadata=self.metadata, **options)
        return call(takes(**(requests[0] if requests else {})), metadata=self.metadata, **options)


class Generated:
    """The same over the stubs that protoc makes; the standard services, whose stubs would hide grpcio's own package, by descriptor."""

    def __init__(self, channel, pool, services, metadata):
        self.metadata, self.standard = metadata, Described(channel, pool, [s for s in services if s.startswith("grpc.")], metadata)
        self.stubs, self.mine = {}, set()
        self.methods = dict(self.standard.methods)
        for name in ("models", "dynamics", "jobs"):
            messages, stubs = getattr(grpc_client, name), getattr(grpc_client, name + "_grpc")
            for service in messages.DESCRIPTOR.services_by_name.values():
                stub = getattr(stubs, service.name + "Stub")(channel)
                for method in service.methods:
                    self.methods[method.full_name] = method
                    self.stubs[method.full_name] = (getattr(stub, method.name), getattr(messages, method.input_type.name))

    @property
    def called(self):
        return self.mine | self.standard.called

    def __call__(self, name, *requests, **options):
        if name.startswith("grpc."):
            return self.standard(name, *requests, **options)
        name = "tendril.v1." + name
        self.mine.add(name)
        call, takes = self.stubs[name]
        call = call.future if options.pop("future", False) else call
        if name.endswith("EvaluateStream"):
            source = requests[0] if len(requests) == 1 and hasattr(requests[0], "__next__") else requests
            return call((takes(**request) for request in source), metadata=self.metadata, **options)
        return call(takes(**(requests[0] if requests else {})), metadata=self.metadata, **options)


def by_files(channel, metadata):
    files = descriptor_pb2.FileDescriptorSet.FromString(grpc_client.descriptor_set()).file
    pool = descriptor_pool.DescriptorPool()
    for file in files:
        pool.Add(file)
    return Generated(channel, pool, [f"{file.package}.{service.name}" for file in files for service in file.service], metadata)


def by_reflection(version):
    """The only thing known beforehand is the protocol of reflection itself, which tools have built in (grpcurl, grpcio-reflection)."""
    own = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(grpc_client.descriptor_set()).file:
        if file.package == "grpc.reflection." + version:
            own.Add(file)

    def make(channel, metadata):
        service = f"grpc.reflection.{version}.ServerReflection"
        reflect = Described(channel, own, [service], None)

        def ask(*questions):
            return list(reflect(service + ".ServerReflectionInfo", *questions))
        names = [s.name for s in ask({"list_services": ""})[0].list_services_response.service]
        pool, known = descriptor_pool.DescriptorPool(), set()
        for answer in ask(*({"file_containing_symbol": name} for name in names)):
            for raw in reversed(answer.file_descriptor_response.file_descriptor_proto):
                file = descriptor_pb2.FileDescriptorProto.FromString(raw)
                if file.name not in known:
                    pool.Add(file)
                    known.add(file.name)
        return Described(channel, pool, names, metadata)
    return make


class Strangers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        own = tempfile.TemporaryDirectory()
        cls.addClassCleanup(own.cleanup)
        folder = os.path.join(own.name, "data")
        cls.token = {scope: make_token(folder, scope) for scope in ("run", "admin")}
        certificate, key = make_certificate(own.name, "server")
        cls.plain = Server()
        cls.addClassCleanup(cls.plain.close)
        cls.secured = Server(folder, "--tls-cert", certificate, "--tls-key", key, "--shared", token=cls.token["admin"], tls=certificate)
        cls.addClassCleanup(cls.secured.close)
        for server in (cls.plain, cls.secured):
            for name, model in (("cdm", example("cdm.model.json")), ("pendulum", pendulum()), ("soft", soft_arm())):
                assert server.request("PUT", f"/v1/models/{name}", model).status == 201
        with open(certificate, "rb") as file:
            cls.credentials = grpc.ssl_channel_credentials(file.read())

    def faces(self):
        """Every program at every server."""
        bearer = [("authorization", "Bearer " + self.token["run"])]
        for server, channel, metadata in ((self.plain, grpc.insecure_channel(self.plain.ready["grpc"]), None),
                                          (self.secured, grpc.secure_channel(self.secured.ready["grpc"], self.credentials), bearer)):
            with channel:
                for name, program in (("files", by_files), ("v1", by_reflection("v1")), ("v1alpha", by_reflection("v1alpha"))):
                    yield f"{name}{'-tls' if metadata else ''}", server, program(channel, metadata)

    def test_the_program_of_the_readme_runs_with_and_without_the_client_in_python(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            (program,) = (block for block in re.findall(r"```python\n(.*?)```", file.read(), re.S) if "import grpc" in block)
        program = program.replace("127.0.0.1:8081", self.plain.ready["grpc"])
        for path in ("", os.path.join(SOURCE, "clients", "python")):  # its package is called tendril, too
            done = subprocess.run([sys.executable, "-B", "-c", program], cwd=grpc_client.STUBS, env={**os.environ, "PYTHONPATH": path},
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len([float(line) for line in done.stdout.split()]), 100)

    def fails(self, status, code, call, pointer=None):
        with self.assertRaises(grpc.RpcError) as caught:
            answer = call()
            for _ in answer if hasattr(answer, "__next__") else ():
                pass
        error = caught.exception
        self.assertEqual(error.code().name, status, error.details())
        found = dict(error.trailing_metadata() or ())
        self.assertEqual((found.get("tendril-code"), found.get("tendril-pointer")), (code, pointer))

    def test_every_method_works_for_a_program_with_the_files_and_for_one_with_reflection_alone(self):
        for name, server, call in self.faces():
            with self.subTest(program=name):
                self.models(call, name)
                self.evaluations(server, call)
                self.streams(server, call)
                self.runs(server, call)
                self.standard(call)
                self.assertEqual(call.called, set(call.methods), "methods that were not called")
                self.assertEqual(len(call.methods), 20)

    def models(self, call, name):
        document = json.dumps(pendulum(name=name))
        self.assertEqual(call("Models.Create", {"document": document}).ndof, 1)
        self.fails("ALREADY_EXISTS", "already_exists", lambda: call("Models.Create", {"document": document}))
        self.assertEqual(call("Models.Update", {"name": name, "document": document}).revision, 1)
        self.assertEqual(call("Models.Get", {"name": name}).document, document)
        self.assertEqual({m.name for m in call("Models.List").models}, {"cdm", "pendulum", "soft", name})
        made = call("Models.Import", {"request": json.dumps({"model": json.loads(document), "attach": [
            {"model": json.loads(document), "parent": "arm", "prefix": "b_"}]})})
        self.assertEqual((made.ndof, list(made.coordinates)), (2, ["arm.joint[0]", "b_arm.joint[0]"]))
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: call("Models.Import", {"request": '{"urdf": "<robot/>"}'}), "/urdf")
        call("Models.Delete", {"name": name})
        self.fails("NOT_FOUND", "not_found", lambda: call("Models.Get", {"name": name}))

    def same(self, replies, rest):
        for reply, state in zip(replies, rest, strict=True):
            self.assertEqual(list(reply.values["fd"].data), state["fd"])
            self.assertEqual(list(reply.values["dfd_dq"].data), [x for row in state["dfd_dq"] for x in row])
            self.assertEqual(list(reply.values["energy/kinetic"].data), [state["energy"]["kinetic"]])

    def evaluations(self, server, call):
        rest = server.request("POST", "/v1/models/cdm:evaluate", {"want": WANT, "states": STATES}).json()["states"]
        self.same(call("Dynamics.Evaluate", {"model": "cdm", "want": WANT, "states": STATES}).states, rest)
        self.same(call("Dynamics.EvaluateStream", {"setup": {"model": "cdm", "want": WANT}}, *({"state": s} for s in STATES)), rest)
        self.fails("INVALID_ARGUMENT", "invalid_argument", lambda: call("Dynamics.Evaluate", {
            "model": "cdm", "want": WANT, "states": [{"q": [1]}]}), "/states/0/q")

    def streams(self, server, call):
        """Deadlines and cancels of each kind of call."""
        many = {"model": "cdm", "want": ["dfd_dq"], "states": STATES * 200}
        self.fails("DEADLINE_EXCEEDED", None, lambda: call("Dynamics.Evaluate", many, timeout=0.001))
        future = call("Dynamics.Evaluate", many, future=True)
        self.assertTrue(future.cancel() and future.cancelled())
        for stop in (False, True):
            go_on = threading.Event()

            def requests():
                yield {"setup": {"model": "pendulum", "want": ["fd"]}}
                yield {"state": {"q": [0.5]}}
                go_on.wait(60)
            answers = call("Dynamics.EvaluateStream", requests(), timeout=None if stop else 0.25)
            self.assertEqual(len(next(answers).values["fd"].data), 1)
            if stop:
                answers.cancel()
            self.fails("CANCELLED" if stop else "DEADLINE_EXCEEDED", None, lambda: answers)
            go_on.set()
        job = call("Jobs.Submit", {"document": json.dumps(harness.long_job("soft"))})
        self.fails("DEADLINE_EXCEEDED", None, lambda: call("Jobs.Watch", {"id": job.id}, timeout=0.1))
        self.fails("FAILED_PRECONDITION", "not_ready", lambda: call("Jobs.GetResult", {"id": job.id}))
        call("Jobs.Cancel", {"id": job.id})
        server.wait(job.id)
        again = call("Jobs.Retry", {"id": job.id})
        call("Jobs.Cancel", {"id": again.id})
        server.wait(again.id)
        for one in (again, job):
            call("Jobs.Delete", {"id": one.id})
        self.fails("NOT_FOUND", "not_found", lambda: call("Jobs.Get", {"id": job.id}))

    def runs(self, server, call):
        request = {"document": json.dumps(SWING), "request_id": "once"}
        job = call("Jobs.Submit", request)
        self.assertEqual(call("Jobs.Submit", request).id, job.id)
        events = [json.loads(event.data) for event in call("Jobs.Watch", {"id": job.id})]
        self.assertEqual(events, server.request("GET", f"/v1/jobs/{job.id}/events?since=0").json()["events"])
        self.assertEqual(events[-1]["state"], "succeeded")
        self.assertEqual(call("Jobs.Get", {"id": job.id}).state, "succeeded")
        self.assertEqual([j.id for j in call("Jobs.List", {"state": "succeeded"}).jobs], [job.id])
        pieces = [chunk.data for chunk in call("Jobs.GetResult", {"id": job.id})]
        self.assertGreater(len(pieces), 2)
        self.assertEqual(b"".join(pieces), server.request("GET", f"/v1/jobs/{job.id}/result", headers={"Accept": "application/x-npz"}).body)

    def standard(self, call):
        self.assertEqual(call("grpc.health.v1.Health.Check", {"service": "tendril.v1.Jobs"}).status, 1)
        watch = call("grpc.health.v1.Health.Watch")
        self.assertEqual(next(watch).status, 1)
        watch.cancel()
        for version in ("v1", "v1alpha"):
            (answer,) = call(f"grpc.reflection.{version}.ServerReflection.ServerReflectionInfo", {"list_services": ""})
            self.assertEqual(len(answer.list_services_response.service), 6)


if __name__ == "__main__":
    harness.main()
