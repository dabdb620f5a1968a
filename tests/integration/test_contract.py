"""What a running server answers against api/openapi.yaml: every operation, its status, media type and body."""
import glob
import json
import os
import re
import tempfile
import unittest

import yaml
from jsonschema import Draft202012Validator, RefResolver

import harness

ROOT = "http://contract/"


def load_contract():
    with open(os.path.join(harness.SOURCE, "api", "openapi.yaml"), encoding="utf8") as f:
        return yaml.safe_load(f)


def stored_documents():
    for path in glob.glob(os.path.join(harness.SOURCE, "api", "schema", "*.json")):
        with open(path, encoding="utf8") as f:
            yield path, json.load(f)


def stored_schemas():
    for path, document in stored_documents():
        document.pop("$id")  # referred to by their place in api/
        yield ROOT + "schema/" + os.path.basename(path), document


class Contract(harness.ServerTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        data = os.path.join(cls.folder.name, "data")
        cls.server = harness.Server(data, token=harness.make_token(data, "admin"))
        cls.contract = load_contract()
        cls.resolver = RefResolver(ROOT + "openapi.json", cls.contract, store=dict(stored_schemas()))
        cls.seen = set()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def deref(self, node):
        return self.resolver.resolve(node["$ref"])[1] if "$ref" in node else node

    def check(self, method, path, template=None, body=None, expected=None, **headers):
        """Sends a request; the reply must be described under `template` (default: the path itself)."""
        template = template or path.split("?")[0]
        reply = self.server.request(method, path, body, headers)
        operation = self.contract["paths"][template][method.lower()]
        described = operation["responses"].get(str(reply.status)) or operation["responses"].get("default")
        self.assertIsNotNone(described, f"{method} {path}: {reply.status} is not in the contract")
        if expected:
            self.assertEqual(reply.status, expected, reply.body[:500])
        self.seen.add(operation["operationId"])
        self.check_body(self.deref(described), reply, f"{method} {path}")
        for name in self.deref(described).get("headers", {}):
            self.assertIn(name, reply.headers, f"{method} {path}")
        return reply

    def check_body(self, described, reply, story):
        if "content" not in described:
            self.assertEqual(reply.body, b"", story)
            return
        media = reply.headers["Content-Type"].split(";")[0]
        self.assertIn(media, described["content"], story)
        if media.endswith("json"):
            schema = described["content"][media]["schema"]
            errors = [f"{list(e.path)}: {e.message}"[:400]
                      for e in Draft202012Validator(schema, resolver=self.resolver).iter_errors(reply.json())]
            self.assertEqual([], errors, story)

    def nodes(self):
        node = self.check("GET", "/v1/nodes", expected=200).json()["nodes"][0]
        drain = "/v1/nodes/{node}/drain"
        self.assertTrue(self.check("POST", f"/v1/nodes/{node['name']}/drain", drain, expected=200).json()["state"] == "draining")
        self.assertFalse(self.check("POST", f"/v1/nodes/{node['id']}/drain?undo=1", drain, expected=200).json()["state"] == "draining")
        self.check("POST", "/v1/nodes/nobody/drain", drain, expected=404)

    def test_every_operation_answers_as_the_contract_says(self):
        robot = harness.pendulum()
        one = "/v1/models/{name}"
        self.check("POST", "/v1/models?validate=1", body=robot, expected=200)
        self.check("POST", "/v1/models", body=robot, expected=201)
        self.check("POST", "/v1/models", body=robot, expected=409)
        self.check("POST", "/v1/models", body={**robot, "links": 3}, expected=400)
        self.check("GET", "/v1/models", expected=200)
        self.check("GET", "/v1/models?limit=0", expected=400)
        self.check("GET", "/v1/models/pendulum", one, expected=200)
        self.check("GET", "/v1/models/nobody", one, expected=404)
        self.check("PUT", "/v1/models/pendulum", one, {**robot, "gravity": [0, 0, -1.62]}, 200)
        self.check("PUT", "/v1/models/other", one, {**robot, "name": "other"}, 201)
        self.check("PUT", "/v1/models/other", one, {**robot, "name": "other"}, 412, **{"If-Match": '"x"'})
        self.check("GET", "/v1/models/pendulum/revisions", one + "/revisions", expected=200)
        self.check("GET", "/v1/models/pendulum/revisions/1", one + "/revisions/{n}", expected=200)
        self.check("GET", "/v1/models/pendulum/revisions/9", one + "/revisions/{n}", expected=404)
        with open(os.path.join(harness.SOURCE, "tests", "urdf", "arm6.urdf"), encoding="utf8") as file:
            described = file.read()
        self.check("POST", "/v1/models:import", body={"urdf": described, "attach": [{"model": robot, "parent": "tool0"}]}, expected=200)
        self.check("POST", "/v1/models:import", body={"urdf": described, "model": robot}, expected=400)
        self.evaluate(robot, one)
        self.jobs()
        self.check("DELETE", "/v1/models/other", one, expected=204)
        self.tokens()
        self.nodes()
        for path in ("/v1/examples", "/healthz", "/readyz", "/v1/limits", "/v1/version", "/openapi.json", "/metrics"):
            self.check("GET", path, expected=200)
        self.dashboard()
        self.check("GET", "/v1/examples/cdm", "/v1/examples/{name}", expected=200)
        self.check("GET", "/v1/examples/nobody", "/v1/examples/{name}", expected=404)
        described = {o["operationId"] for item in self.contract["paths"].values() for m, o in item.items()
                     if m in ("get", "put", "post", "delete")}
        self.assertEqual(described, self.seen)

    def dashboard(self):
        page = self.check("GET", "/", expected=200, Accept="text/html")
        self.check("GET", "/", "/", None, 304, **{"If-None-Match": page.headers["ETag"]})
        assets = re.findall(r"/assets/[\w.-]+", page.body.decode())  # none in a build without npm
        for path in assets:
            self.check("GET", path, "/assets/{file}", expected=200)
        documents = self.check("GET", "/docs", expected=200)
        self.check("GET", "/docs", "/docs", None, 304, **{"If-None-Match": documents.headers["ETag"]})
        said = documents.body.decode()
        if assets:  # a text browser reads it: no script, nothing that is loaded but its own style, and links that lead somewhere in it
            style, = re.findall(r'<link rel="stylesheet" href="(/assets/[\w.-]+)">', said)
            self.check("GET", style, "/assets/{file}", expected=200)
            self.assertEqual(re.findall(r"<(?:script|link|img|iframe|style)\b", said), ["<link"])
            for words in ("Warnings: what they say", "From a model to a fitted", "coarse_quadrature", "dfd_dq", "Attaching one robot to another", "Tendril from Python"):
                self.assertTrue(words in said, words)
            ids = set(re.findall(r' id="([^"]+)"', said))
            self.assertEqual({to for to in re.findall(r'<a href="#([^"/][^"]*)"', said)} - ids, set())
        self.check("GET", "/assets/nobody", "/assets/{file}", expected=404)

    def evaluate(self, robot, one):
        words = self.contract["components"]["schemas"]["Quantity"]["enum"]
        states = [{"q": [0.3], "qd": [1], "qdd": [2], "u": [0.5], "t": 0}, {"q": [-2.5]}]
        for state in states:
            state.update(jvp={"of": "fd", "q": [1], "p": [0, 1, 0, 0]}, vjp={"of": "fd", "cotangent": [1]})
        parameters = ["/model/links/0/body/mass", {"path": "/model/links/0/body/com", "name": "com"}]
        body = {"want": words, "states": states, "parameters": parameters, "step": {"h": 0.01}}
        reply = self.check("POST", "/v1/models/pendulum:evaluate", one + ":evaluate", body, 200)
        self.assertEqual(set(words), set(reply.json()["states"][1]))
        self.assertEqual([p["name"] for p in reply.json()["parameters"]], [parameters[0], "com[0]", "com[1]", "com[2]"])
        self.check("POST", "/v1/models/pendulum:evaluate", one + ":evaluate", {"want": ["id"], "states": [{"q": [1e308, 1]}]}, 400)
        self.check("POST", "/v1/models/pendulum:evaluate", one + ":evaluate", body, 200, Accept="application/x-npz")
        self.check("POST", "/v1/evaluate", body={**body, "model": robot}, expected=200)

    def jobs(self):
        job = {"model": "pendulum", "kind": "dynamics", "t_end": 1, "labels": {"a": "b"}, "output": {"fields": ["q", "energy"]}}
        one = "/v1/jobs/{id}"
        done = self.check("POST", "/v1/jobs", body=job, expected=202).json()["id"]
        self.check("POST", "/v1/jobs", body={**job, "t_end": -1}, expected=400)
        self.server.wait(done)
        self.check("GET", f"/v1/jobs/{done}", one, expected=200)
        self.check("GET", "/v1/jobs?state=succeeded&label=a:b", expected=200)
        kept = self.check("GET", f"/v1/jobs/{done}/document", one + "/document", expected=200).json()
        self.assertEqual((kept["job"], kept["model"]["name"]), (job, "pendulum"))
        self.check("GET", "/v1/jobs/nobody/document", one + "/document", expected=404)
        self.check("GET", f"/v1/jobs/{done}/events", one + "/events", expected=200)
        self.check("GET", f"/v1/jobs/{done}/events", one + "/events", expected=200, Accept="text/event-stream")
        self.check("GET", f"/v1/jobs/{done}/result", one + "/result", expected=200)
        self.check("GET", f"/v1/jobs/{done}/result", one + "/result", expected=200, Accept="application/x-npz")
        self.check("GET", f"/v1/jobs/{done}/result?fields=q&stride=2", one + "/result", expected=200, Accept="text/csv")
        self.check("GET", f"/v1/jobs/{done}/result?fields=x", one + "/result", expected=400)
        self.check("GET", f"/v1/jobs/{done}/result", one + "/result", None, 206, Accept="application/x-npz", Range="bytes=0-9")
        self.check("GET", f"/v1/jobs/{done}/result", one + "/result", None, 416, Accept="application/x-npz", Range="bytes=-0")
        self.check("POST", f"/v1/jobs/{done}:cancel", one + ":cancel", expected=200)
        self.check("DELETE", f"/v1/jobs/{done}", one, expected=204)
        self.check("GET", f"/v1/jobs/{done}", one, expected=404)
        self.server.request("PUT", "/v1/models/soft", harness.soft_arm())
        long = self.check("POST", "/v1/jobs", body=harness.long_job("soft"), expected=202).json()["id"]
        self.check("GET", f"/v1/jobs/{long}/result", one + "/result", expected=409)
        self.check("POST", f"/v1/jobs/{long}:cancel", one + ":cancel", expected=202)
        self.server.wait(long)
        again = self.check("POST", f"/v1/jobs/{long}:retry", one + ":retry", expected=202).json()["id"]
        self.check("POST", f"/v1/jobs/{again}:retry", one + ":retry", expected=409)
        self.server.request("POST", f"/v1/jobs/{again}:cancel")
        key = {"Idempotency-Key": "one"}
        self.check("POST", "/v1/jobs", body=job, expected=202, **key)
        self.check("POST", "/v1/jobs", body={**job, "t_end": 2}, expected=422, **key)

    def tokens(self):
        one = "/v1/tokens/{id}"
        made = self.check("POST", "/v1/tokens", body={"name": "other", "scope": "read"}, expected=201).json()
        self.check("POST", "/v1/tokens", body={"name": "other", "scope": "run"}, expected=409)
        self.check("POST", "/v1/tokens", body={"name": "other", "scope": "all"}, expected=400)
        self.check("GET", "/v1/tokens", expected=200)
        self.check("GET", "/v1/tokens/other", one, expected=200)
        self.check("GET", "/v1/tokens", expected=401, Authorization="Bearer " + made["token"][:-1])
        self.check("GET", "/v1/tokens", expected=403, Authorization="Bearer " + made["token"])
        self.check("DELETE", f"/v1/tokens/{made['id']}", one, expected=204)
        self.check("GET", f"/v1/tokens/{made['id']}", one, expected=404)

    def test_the_contract_that_is_served_is_the_one_of_the_source_without_files(self):
        served = self.server.request("GET", "/openapi.json").json()
        text = json.dumps(self.contract).replace('"schema/model.schema.json"', '"#/components/schemas/ModelDocument"')
        expected = json.loads(text.replace('"schema/job.schema.json"', '"#/components/schemas/JobDocument"'))
        for path, schema in stored_documents():
            expected["components"]["schemas"][os.path.basename(path).split(".")[0].capitalize() + "Document"] = schema
        self.assertEqual(served, expected)
        table = {(method.upper(), path) for path, item in served["paths"].items() for method in item if method != "parameters"}
        for method, path in table:  # each is really there: no 404 without a detail of its own, no 405
            reply = self.server.request(method, re.sub("{[^}]*}", "nobody", path), body={} if method in ("POST", "PUT") else None)
            self.assertNotEqual(reply.status, 405, (method, path))
            self.assertNotIn(b"there is nothing at", reply.body, (method, path))

    def test_the_limits_of_the_contract_are_those_of_the_server(self):
        limits = self.server.request("GET", "/v1/limits").json()
        states = self.contract["components"]["schemas"]["EvaluateRequest"]["properties"]["states"]
        self.assertEqual(states["maxItems"], limits["states"])
        schema = dict(stored_schemas())[ROOT + "schema/model.schema.json"]
        self.assertEqual(schema["properties"]["links"]["maxItems"], limits["links"])

    def test_paths_that_are_not_in_the_contract_are_problems(self):
        for method, path, status in (("GET", "/v1/robots", 404), ("PATCH", "/v1/models", 405), ("POST", "/healthz", 405)):
            reply = self.server.request(method, path)
            self.assert_problem(reply, status, "not_found" if status == 404 else "method_not_allowed")
            problem = self.contract["components"]["schemas"]["Problem"]
            self.assertEqual([], list(Draft202012Validator(problem).iter_errors(reply.json())))
            self.assertTrue(re.match(r"urn:tendril:problem:\w+$", reply.json()["type"]))


if __name__ == "__main__":
    harness.main()
