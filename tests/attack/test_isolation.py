"""What belongs to somebody else is not there: every operation of both faces, for every caller, on the things of every owner.

The operations are those of the contract (openapi.yaml, *.proto), which other tests hold to the tables of the server; each has a rule
here, and one without a rule fails the test."""
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import yaml

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

import grpc  # noqa: E402

from grpc_client import dynamics, dynamics_grpc, jobs, jobs_grpc, models, models_grpc  # noqa: E402
from harness import BIN, SOURCE, Server, main, make_token, pendulum  # noqa: E402

OWNERS = ("ann", "ben", None)  # None: nobody, what was made before there were tokens
SCOPES = {"ann": "run", "ben": "run", "root": "admin", "eye": "read", "eye-of-ann": "read"}
SEES = {"ann": {"ann"}, "ben": {"ben"}, "root": set(OWNERS), "eye": set(OWNERS), "eye-of-ann": {"ann"}}
NEVER = "0" * 26  # no job's id


def short_job(**more):
    return {"model": "pendulum", "kind": "dynamics", "t_end": 0.02, "output": {"dt": 0.01}, **more}


def named(name, length):
    return pendulum(name=name, gravity=[0, 0, -length])


class World:
    """A server with tokens in whose folder everybody has jobs and models: `only-X` of X alone, and `common` of all."""

    def __init__(self, *flags):
        self.own = tempfile.TemporaryDirectory()
        folder = os.path.join(self.own.name, "data")
        self.server = Server(folder)
        self.tokens, self.pool = {}, {None: []}
        self.put_models(None)
        self.pool[None] = [self.finished(None, fresh=True) for _ in range(14)]
        self.server.close()
        for name, scope in SCOPES.items():
            self.tokens[name] = make_token(folder, scope, name) if name != "eye-of-ann" else self.make_owned(folder)
        self.server = Server(folder, *flags)
        for owner in ("ann", "ben"):
            self.put_models(owner)
            self.pool[owner] = []
        self.lasting = {owner: self.finished(owner) for owner in OWNERS}
        self.channel = grpc.insecure_channel(self.server.ready["grpc"])
        self.models, self.jobs = models_grpc.ModelsStub(self.channel), jobs_grpc.JobsStub(self.channel)
        self.dynamics = dynamics_grpc.DynamicsStub(self.channel)

    @staticmethod
    def make_owned(folder):
        done = subprocess.run([os.path.join(BIN, "tendrild"), "token", "create", "--data", folder, "--scope", "read", "--name",
                               "eye-of-ann", "--owner", "ann"], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def close(self):
        self.channel.close()
        self.server.close()
        self.own.cleanup()

    def ask(self, caller, method, path, body=None, **headers):
        if caller:
            headers["Authorization"] = "Bearer " + self.tokens[caller]
        return self.server.request(method, path, body, headers)

    def put_models(self, owner):
        names = ["common", "pendulum", f"only-{owner}"]
        for name in names:
            reply = self.ask(owner, "PUT", f"/v1/models/{name}", named(name, 9 if owner is None else len(owner) + ord(owner[0])))
            assert reply.status in (200, 201), reply.body

    def finished(self, owner, fresh=False):
        """The id of a job of this owner that has succeeded; nobody can be given no new ones once there are tokens."""
        if owner is None and not fresh:
            return self.pool[None].pop()
        made = self.ask(owner, "POST", "/v1/jobs", short_job(labels={"whose": str(owner)}))
        assert made.status == 202, made.body
        while (job := self.ask(owner, "GET", f"/v1/jobs/{made.json()['id']}").json())["state"] != "succeeded":
            assert job["state"] in ("queued", "running"), job
        return made.json()["id"]

    def metadata(self, caller):
        return [("authorization", "Bearer " + self.tokens[caller])]


# What a face answers, in words that both have: ("ok" or the code of the problem, its text).

def of_reply(reply):
    if reply.status < 400:
        return "ok", reply.body.decode("utf8", "replace")
    return reply.json()["code"], reply.json()["detail"]


def of_call(call):
    try:
        answer = call()
        return "ok", "".join(str(part) for part in answer) if hasattr(answer, "__next__") else str(answer)
    except grpc.RpcError as error:
        trailers = dict(error.trailing_metadata() or ())
        return trailers["tendril-code"], error.details()


# Rules. By a job's id: (how to ask, whether it changes something). "changes": scope run; "destroys": the thing is a
# fresh one.

def rest_job(method, suffix, query="", body=None, **headers):
    return lambda w, caller, id: of_reply(w.ask(caller, method, f"/v1/jobs/{id}{suffix}{query}", body, **headers))


def rpc_job(name, request=jobs.JobRequest, **more):
    return lambda w, caller, id: of_call(lambda: getattr(w.jobs, name)(request(id=id, **more), metadata=w.metadata(caller)))


BY_JOB = {
    "jobs_get": (rest_job("GET", ""), "looks"),
    "jobs_document": (rest_job("GET", "/document"), "looks"),
    "jobs_events": (rest_job("GET", "/events", "?since=0"), "looks"),
    "jobs_result": (rest_job("GET", "/result"), "looks"),
    "jobs_cancel": (rest_job("POST", ":cancel"), "changes"),
    "jobs_retry": (rest_job("POST", ":retry"), "changes"),
    "jobs_delete": (rest_job("DELETE", ""), "destroys"),
    "/tendril.v1.Jobs/Get": (rpc_job("Get"), "looks"),
    "/tendril.v1.Jobs/Watch": (rpc_job("Watch", jobs.WatchRequest), "looks"),
    "/tendril.v1.Jobs/GetResult": (rpc_job("GetResult", jobs.ResultRequest), "looks"),
    "/tendril.v1.Jobs/Cancel": (rpc_job("Cancel"), "changes"),
    "/tendril.v1.Jobs/Retry": (rpc_job("Retry"), "changes"),
    "/tendril.v1.Jobs/Delete": (rpc_job("Delete"), "destroys"),
}


def rest_model(method, suffix="", body=None):
    def ask(w, caller, name, owner):
        query = f"?owner={owner}" if owner else ""
        return of_reply(w.ask(caller, method, f"/v1/models/{name}{suffix}{query}", body))
    return ask


def rpc_model(name, request, **more):
    def ask(w, caller, model, owner):
        return of_call(lambda: getattr(w.models, name)(request(name=model, owner=owner or "", **more), metadata=w.metadata(caller)))
    return ask


def rpc_evaluate(w, caller, name, owner):
    request = dynamics.EvaluateRequest(model=name, owner=owner or "", want=["fd"], states=[dynamics.State(q=[0.1])])
    return of_call(lambda: w.dynamics.Evaluate(request, metadata=w.metadata(caller)))


def rpc_stream(w, caller, name, owner):
    def requests():
        yield dynamics.EvaluateStreamRequest(setup=dynamics.EvaluateSetup(model=name, owner=owner or "", want=["fd"]))
        yield dynamics.EvaluateStreamRequest(state=dynamics.State(q=[0.1]))
    return of_call(lambda: w.dynamics.EvaluateStream(requests(), metadata=w.metadata(caller)))


STATE = {"want": ["fd"], "states": [{"q": [0.1]}]}
BY_MODEL = {
    "models_get": (rest_model("GET"), "looks"),
    "models_revisions": (rest_model("GET", "/revisions"), "looks"),
    "models_revision": (rest_model("GET", "/revisions/1"), "looks"),
    "models_delete": (rest_model("DELETE"), "destroys"),
    "evaluate": (rest_model("POST", ":evaluate", STATE), "computes"),
    "/tendril.v1.Models/Get": (rpc_model("Get", models.GetModelRequest), "looks"),
    "/tendril.v1.Models/Delete": (rpc_model("Delete", models.DeleteModelRequest), "destroys"),
    "/tendril.v1.Dynamics/Evaluate": (rpc_evaluate, "computes"),
    "/tendril.v1.Dynamics/EvaluateStream": (rpc_stream, "computes"),
}
# Tests of their own below.
MAKES = {"models_create", "models_put", "/tendril.v1.Models/Create", "/tendril.v1.Models/Update", "jobs_submit", "/tendril.v1.Jobs/Submit"}
LISTS = {"models_list", "jobs_list", "/tendril.v1.Models/List", "/tendril.v1.Jobs/List", "metrics"}
# They know no owner: what is asked for comes with the request, is everybody's, or is for admins alone.
OWNERLESS = {"evaluate_inline", "models_import", "/tendril.v1.Models/Import", "examples_list", "examples_get", "health", "ready", "limits", "version", "contract", "dashboard",
             "dashboard_asset", "docs", "tokens_create", "tokens_list", "tokens_get", "tokens_delete", "nodes_list", "nodes_drain",
             "/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
             "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"}


def operations():
    with open(os.path.join(SOURCE, "api", "openapi.yaml"), encoding="utf8") as file:
        contract = yaml.safe_load(file)
    for item in contract["paths"].values():
        yield from (operation["operationId"] for method, operation in item.items() if method != "parameters")
    tables = json.loads(subprocess.run([os.path.join(BIN, "..", "tests", "list_operations")], check=True, stdout=subprocess.PIPE).stdout)
    yield from (method["path"] for method in tables["methods"])


class Isolation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.w = World()

    @classmethod
    def tearDownClass(cls):
        cls.w.close()

    def test_every_operation_has_a_rule(self):
        ruled = [*BY_JOB, *BY_MODEL, *MAKES, *LISTS, *OWNERLESS]
        self.assertEqual(sorted(operations()), sorted(ruled))

    def expect(self, found, expected, words):
        self.assertEqual(found[0] == "ok" or found[0] not in ("not_found", "permission_denied", "unauthenticated"), expected == "ok",
                         (words, found))
        if expected != "ok":
            self.assertEqual(found[0], expected, (words, found))

    def test_a_job_of_somebody_else_is_not_there_whatever_is_asked_of_it(self):
        w = self.w
        for operation, (ask, kind) in BY_JOB.items():
            for caller, sees in SEES.items():
                may = kind == "looks" or SCOPES[caller] != "read"
                never = ask(w, caller, NEVER)
                for owner in OWNERS:
                    visible = may and owner in sees
                    id = w.finished(owner) if kind == "destroys" and visible else w.lasting[owner]
                    found = ask(w, caller, id)
                    words = (operation, caller, owner)
                    self.expect(found, "ok" if visible else "not_found" if may else "permission_denied", words)
                    if not visible:
                        self.assertEqual(found[1].replace(id, NEVER), never[1], words)

    def without_hint(self, detail, caller):
        """What is said of a name that is not there; what may be meant instead is one that the caller sees."""
        detail, _, meant = detail.partition("; did you mean ")
        self.assertIn(meant.strip('"?'), ["", "common", *(f"only-{owner}" for owner in (None, *SEES[caller]))], detail)
        return detail

    def test_a_model_of_somebody_else_is_not_there_and_shared_ones_are_not_changed(self):
        w = self.w
        for operation, (ask, kind) in BY_MODEL.items():
            for caller, sees in SEES.items():
                may = kind == "looks" or SCOPES[caller] != "read"
                never = ask(w, caller, "never", None)
                for owner in OWNERS:
                    for with_owner in (False, True):
                        visible = may and (owner is None or owner in sees)
                        changed = kind == "destroys" and owner is None and SCOPES[caller] == "run"
                        words = (operation, caller, owner, with_owner)
                        found = ask(w, caller, f"only-{owner}", (owner or "none") if with_owner else None)
                        self.expect(found, "permission_denied" if not may or changed else "ok" if visible else "not_found", words)
                        if may and not visible:
                            self.assertEqual(self.without_hint(found[1], caller).replace(f"only-{owner}", "never"), never[1], words)
                        if kind == "destroys" and visible and not changed:
                            reply = w.ask("root", "PUT", f"/v1/models/only-{owner}?owner={owner or 'none'}", named(f"only-{owner}", 5))
                            self.assertEqual(reply.status, 201)

    def test_a_name_means_one_s_own_model_then_the_shared_one(self):
        w = self.w
        for caller, meant in (("ann", "ann"), ("ben", "ben"), ("root", None), ("eye", None), ("eye-of-ann", "ann")):
            reply = w.ask(caller, "GET", "/v1/models/common")
            self.assertEqual(reply.json()["owner"], meant)
            self.assertEqual(reply.headers["ETag"].strip('"'), reply.json()["sha256"])
            request = models.GetModelRequest(name="common")
            self.assertEqual(w.models.Get(request, metadata=w.metadata(caller)).owner or None, meant)
        self.assertEqual(w.ask("root", "GET", "/v1/models/common?owner=ben").json()["owner"], "ben")
        # the ETag of somebody else's model says nothing
        tag = w.ask("ben", "GET", "/v1/models/only-ben").headers["ETag"]
        self.assertEqual(w.ask("ann", "GET", "/v1/models/only-ben", **{"If-None-Match": tag}).status, 404)
        self.assertEqual(w.ask("ann", "PUT", "/v1/models/only-ben", named("only-ben", 5), **{"If-Match": tag}).status, 412)

    def test_what_is_made_belongs_to_who_made_it_and_changes_nothing_of_others(self):
        w = self.w
        before = {owner: w.ask("root", "GET", f"/v1/models/common?owner={owner or 'none'}").json() for owner in OWNERS}
        for i, put in enumerate((lambda: w.ask("ann", "PUT", "/v1/models/common", named("common", 1)).json()["owner"],
                                 lambda: w.models.Update(models.UpdateModelRequest(name="common", document=json.dumps(named("common", 2))),
                                                         metadata=w.metadata("ann")).owner,
                                 lambda: w.ask("ann", "POST", "/v1/models", named("made-1", 1)).json()["owner"],
                                 lambda: w.models.Create(models.CreateModelRequest(document=json.dumps(named("made-2", 2))),
                                                         metadata=w.metadata("ann")).owner)):
            self.assertEqual(put(), "ann", i)
        for owner in ("ben", None):
            self.assertEqual(w.ask("root", "GET", f"/v1/models/common?owner={owner or 'none'}").json(), before[owner])
        self.assertEqual(w.ask("ann", "GET", "/v1/models/common").json()["revision"], before["ann"]["revision"] + 2)
        for name in ("made-1", "made-2"):
            self.assertEqual(w.ask("ben", "GET", f"/v1/models/{name}").status, 404)
            self.assertEqual(w.ask("ben", "POST", "/v1/models", named(name, 3)).status, 201)  # the name is free for him
        for caller, owner, status in (("ann", "ben", 404), ("ann", "none", 403), ("root", "ben", 200), ("root", "none", 200)):
            reply = w.ask(caller, "PUT", f"/v1/models/common?owner={owner}", named("common", 30))
            self.assertEqual(reply.status, status, (caller, owner, reply.body))
        job = w.ask("ann", "POST", "/v1/jobs", short_job()).json()
        self.assertEqual(job["owner"], "ann")
        made = w.jobs.Submit(jobs.SubmitJobRequest(document=json.dumps(short_job())), metadata=w.metadata("ann"))
        self.assertEqual(made.owner, "ann")
        # a job names models as its submitter sees them
        for submit in (lambda d: of_reply(w.ask("ann", "POST", "/v1/jobs", d)),
                       lambda d: of_call(lambda: w.jobs.Submit(jobs.SubmitJobRequest(document=json.dumps(d)), metadata=w.metadata("ann")))):
            code, detail = submit(short_job(model="only-ben"))
            self.assertEqual((code, self.without_hint(detail, "ann").replace("only-ben", "never")), submit(short_job(model="never")))
            self.assertEqual(code, "invalid_argument")

    def test_a_number_that_one_s_own_model_had_never_means_a_shared_one(self):
        w = self.w
        for length in (1, 2, 3):
            self.assertIn(w.ask("root", "PUT", "/v1/models/numbers?owner=none", named("numbers", length)).status, (200, 201))
        self.assertEqual(w.ask("ann", "PUT", "/v1/models/numbers", named("numbers", 7)).status, 201)
        self.assertEqual(w.ask("ann", "DELETE", "/v1/models/numbers").status, 204)
        self.assertEqual(w.ask("ann", "GET", "/v1/models/numbers").json()["revision"], 3)
        self.assertEqual(w.ask("ann", "GET", "/v1/models/numbers/revisions/1").status, 404)
        self.assertEqual(w.ask("ann", "POST", "/v1/models/numbers@1:evaluate", STATE).status, 404)
        self.assertEqual(w.ask("ann", "POST", "/v1/models/numbers@3:evaluate", STATE).status, 200)
        self.assertEqual(w.ask("ben", "POST", "/v1/models/numbers@1:evaluate", STATE).status, 200)

    def listed(self, caller, what, query=""):
        found, cursor = [], ""
        while cursor is not None:
            page = self.w.ask(caller, "GET", f"/v1/{what}?limit=3{query}{cursor and '&cursor=' + cursor}").json()
            found, cursor = found + page[what], page["next_cursor"]
        return found

    def test_lists_and_counts_have_what_one_sees_and_nothing_else(self):
        w = self.w
        for caller, sees in SEES.items():
            found = self.listed(caller, "jobs")
            self.assertEqual({job["owner"] for job in found}, sees)
            over_rpc, cursor = [], ""
            while cursor is not None:
                page = w.jobs.List(jobs.ListJobsRequest(limit=3, cursor=cursor), metadata=w.metadata(caller))
                over_rpc, cursor = over_rpc + [job.id for job in page.jobs], page.next_cursor or None
            self.assertEqual([job["id"] for job in found], over_rpc)
            for query in ("&label=whose:ben", "&state=succeeded", "&kind=dynamics", "&model=pendulum", "&parent=none", "&owner=ben", "&owner=none",
                          "&owner=nemo", "&since=2020-01-01T00:00:00Z"):
                self.assertLessEqual({job["owner"] for job in self.listed(caller, "jobs", query)}, sees, (caller, query))
            self.assertEqual({job["owner"] for job in self.listed(caller, "jobs", "&owner=ben")}, sees & {"ben"})
            self.assertEqual({job["owner"] for job in self.listed(caller, "jobs", "&owner=none")}, sees & {None})
            counted = sum(int(line.rsplit(" ", 1)[1]) for line in w.ask(caller, "GET", "/metrics").body.decode().splitlines()
                          if line.startswith("tendril_jobs{"))
            self.assertEqual(counted, len(found), caller)
            everything = "tendril_http_requests_total" in w.ask(caller, "GET", "/metrics").body.decode()
            self.assertEqual(everything, sees == set(OWNERS), caller)
            of_models = self.listed(caller, "models")
            self.assertEqual({model["owner"] for model in of_models} - {None}, sees - {None})
            names = [model["name"] for model in of_models]
            if sees != set(OWNERS):
                self.assertEqual(len(names), len(set(names)), "a name that means one's own model is listed once")
            request = models.ListModelsRequest(limit=1000)
            rpc_models = w.models.List(request, metadata=w.metadata(caller)).models
            self.assertEqual([(m["name"], m["owner"] or "") for m in of_models], [(m.name, m.owner) for m in rpc_models])

    def test_a_cursor_tells_nothing_of_how_much_others_submit(self):
        w = self.w
        cursors = []
        for ours in range(3):
            self.assertEqual([w.ask("ann", "POST", "/v1/jobs", short_job()).status for _ in range(7 * ours)], [202] * 7 * ours)
            made = w.ask("ben", "POST", "/v1/jobs", short_job()).json()["id"]
            page = w.ask("ben", "GET", "/v1/jobs?limit=1").json()
            self.assertEqual([job["id"] for job in page["jobs"]], [made])
            over_rpc = w.jobs.List(jobs.ListJobsRequest(limit=1), metadata=w.metadata("ben")).next_cursor
            self.assertEqual(over_rpc, page["next_cursor"])
            cursors.append(page["next_cursor"])
        numbers = [int(cursor, 16) for cursor in cursors]
        self.assertTrue(all(number > 1 << 64 for number in numbers), cursors)
        self.assertTrue(all(abs(a - b) > 1 << 64 for a, b in zip(numbers, numbers[1:])), cursors)
        rest = w.ask("ben", "GET", f"/v1/jobs?cursor={cursors[1]}").json()["jobs"]
        self.assertLess(rest[0]["created_at"], w.ask("ben", "GET", "/v1/jobs?limit=1").json()["jobs"][0]["created_at"])
        for no_cursor in ("5", "0" * 32, cursors[0][:-1], cursors[0].upper() + "0"):
            self.assertEqual(w.ask("ben", "GET", f"/v1/jobs?cursor={no_cursor}").status, 400)

    def test_the_command_line_says_whose_model_is_meant(self):
        w = self.w
        environment = {**os.environ, "TENDRIL_URL": f"http://127.0.0.1:{w.server.port}", "TENDRIL_TOKEN": w.tokens["root"]}

        def models(*words):
            return subprocess.run([os.path.join(BIN, "tendril"), "models", *words], env=environment, capture_output=True, text=True, check=False)
        listed = models("list", "--owner", "ben", "--json")
        self.assertEqual({json.loads(line)["owner"] for line in listed.stdout.splitlines()}, {"ben"}, listed.stderr)
        for owner in ("ann", "ben", "none"):
            found = models("get", "common", "--owner", owner, "--json")
            self.assertEqual(json.loads(found.stdout)["owner"], None if owner == "none" else owner, found.stderr)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(named("of-the-command-line", 3), file)
            file.flush()
            self.assertEqual(models("put", file.name, "--owner", "ben").returncode, 0)
        self.assertEqual(w.ask("ben", "GET", "/v1/models/of-the-command-line").json()["owner"], "ben")
        self.assertEqual(w.ask("ann", "GET", "/v1/models/of-the-command-line").status, 404)
        self.assertEqual(models("delete", "of-the-command-line", "--owner", "ann").returncode, 1)
        self.assertEqual(models("delete", "of-the-command-line", "--owner", "ben").returncode, 0)
        self.assertEqual(models("list", "--owner", "").returncode, 2)

    def test_an_idempotency_key_of_somebody_else_is_free(self):
        w = self.w
        made = [w.ask(caller, "POST", "/v1/jobs", short_job(), **{"Idempotency-Key": "one"}) for caller in ("ann", "ben", "ann")]
        self.assertEqual([reply.status for reply in made], [202] * 3)
        ids = [reply.json()["id"] for reply in made]
        self.assertEqual(ids[0], ids[2])
        self.assertNotEqual(ids[0], ids[1])
        other = w.ask("ben", "POST", "/v1/jobs", short_job(t_end=0.03), **{"Idempotency-Key": "one"})
        self.assertEqual((other.status, other.json()["code"]), (422, "idempotency_mismatch"))
        request = jobs.SubmitJobRequest(document=json.dumps(short_job()), request_id="two")
        over_rpc = [w.jobs.Submit(request, metadata=w.metadata(caller)).id for caller in ("ann", "ben", "ann")]
        self.assertEqual((over_rpc[0] == over_rpc[2], over_rpc[0] == over_rpc[1]), (True, False))

    def test_a_job_says_whose_its_model_is(self):
        w = self.w
        for caller, name, owner in (("ann", "common", "ann"), ("ann", "only-None", None), ("ben", "common", "ben"), ("root", "only-ann", "ann")):
            made = w.ask(caller, "POST", "/v1/jobs", short_job(model=name)).json()
            self.assertEqual((made["model"]["name"], made["model"]["owner"]), (name, owner))
            seen = w.ask("root", "GET", f"/v1/jobs/{made['id']}").json()["model"]
            found = w.ask("root", "GET", f"/v1/models/{name}/revisions/{seen['revision']}?owner={seen['owner'] or 'none'}").json()
            self.assertEqual(found["sha256"], seen["sha256"], "its name, its owner and its number lead to it")
            over_rpc = w.jobs.Get(jobs.JobRequest(id=made["id"]), metadata=w.metadata("root"))
            self.assertEqual(over_rpc.model.owner, owner or "")
            while w.ask("root", "DELETE", f"/v1/jobs/{made['id']}").status != 204:  # it may run
                pass

    def test_the_jobs_of_a_sweep_and_of_its_retry_are_those_of_its_owner(self):
        w = self.w
        sweep = {"kind": "sweep", "base": short_job(), "vary": [{"path": "/job/t_end", "values": [0.01, 0.02]}]}
        made = w.ask("ann", "POST", "/v1/jobs", sweep).json()
        children = self.listed("ann", "jobs", f"&parent={made['id']}")
        self.assertEqual([job["owner"] for job in children], ["ann", "ann"])
        self.assertEqual(self.listed("ben", "jobs", f"&parent={made['id']}"), [])
        for job in (made, *children):
            self.assertEqual(w.ask("ben", "GET", f"/v1/jobs/{job['id']}").status, 404)
            self.assertEqual(w.ask("ben", "POST", f"/v1/jobs/{job['id']}:cancel").status, 404)
        slow = w.ask("ann", "POST", "/v1/jobs", short_job(t_end=1e4, integrator={"method": "rk4", "h": 1e-3}, output={"dt": 1000})).json()["id"]
        w.ask("ann", "POST", f"/v1/jobs/{slow}:cancel")
        while w.ask("ann", "GET", f"/v1/jobs/{slow}").json()["state"] != "cancelled":
            pass
        retry = w.ask("root", "POST", f"/v1/jobs/{slow}:retry")
        self.assertEqual((retry.status, retry.json()["owner"]), (202, "ann"), "a retry belongs to whose job it repeats")
        w.ask("ann", "POST", f"/v1/jobs/{retry.json()['id']}:cancel")


class Shared(unittest.TestCase):
    def test_with_shared_every_token_sees_and_changes_what_all_have(self):
        w = World("--shared")
        self.addCleanup(w.close)
        for caller in SCOPES:
            for owner in OWNERS:
                found = w.ask(caller, "GET", f"/v1/jobs/{w.lasting[owner]}")
                self.assertEqual((found.status, found.json()["owner"]), (200, owner))
        self.assertEqual(w.ask("ann", "DELETE", f"/v1/jobs/{w.lasting['ben']}").status, 204)
        self.assertEqual(w.ask("ann", "PUT", "/v1/models/only-ben", named("only-ben", 3)).json()["revision"], 2)
        keys = [w.ask(caller, "POST", "/v1/jobs", short_job(), **{"Idempotency-Key": "one"}).json()["id"] for caller in ("ann", "ben")]
        self.assertEqual(keys[0], keys[1])


class Folder(unittest.TestCase):
    def setUp(self):
        self.own = tempfile.TemporaryDirectory()
        self.addCleanup(self.own.cleanup)
        self.folder = os.path.join(self.own.name, "data")

    def run_tendrild(self, *words):
        return subprocess.run([os.path.join(BIN, "tendrild"), *words, "--data", self.folder], capture_output=True, text=True, check=False)

    def test_what_was_made_without_tokens_can_be_given_to_an_owner(self):
        server = Server(self.folder)
        for length in (1, 2):
            server.request("PUT", "/v1/models/pendulum", named("pendulum", length))
        server.request("PUT", "/v1/models/taken", named("taken", 1))
        job = server.submit(short_job())
        server.wait(job)
        server.close()
        token = make_token(self.folder, "run", "ann")
        server = Server(self.folder, token=token)
        self.assertEqual(server.request("GET", f"/v1/jobs/{job}").status, 404)
        self.assertEqual(server.request("PUT", "/v1/models/taken", named("taken", 2)).status, 201)
        server.close()
        for words, status in ((("adopt",), 2), (("adopt", "--to", "a b"), 2), (("adopt", "--from", "ann", "--to", "ann"), 2)):
            self.assertEqual(self.run_tendrild(*words).returncode, status, words)
        done = self.run_tendrild("adopt", "--to", "ann")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 jobs and 1 models given to ann", done.stderr)
        self.assertIn("1 models stay", done.stderr)
        server = Server(self.folder, token=token)
        self.assertEqual(server.job(job)["owner"], "ann")
        found = server.request("GET", "/v1/models/pendulum").json()
        self.assertEqual((found["owner"], found["revision"]), ("ann", 2))
        self.assertEqual(len(server.request("GET", "/v1/models/pendulum/revisions").json()["revisions"]), 2)
        self.assertEqual(server.request("GET", "/v1/models/taken?owner=none").json()["revision"], 1)
        server.close()

    def test_a_folder_of_an_older_schema_keeps_its_models_jobs_and_keys(self):
        """Each schema before owners, made by its migrations; rows as the programs of those days wrote them."""
        files = sorted(os.listdir(os.path.join(SOURCE, "migrations", "sqlite")))
        for last in [name for name in files if "0001" <= name[:4] < "0011"]:
            os.makedirs(self.folder)
            base = sqlite3.connect(os.path.join(self.folder, "tendril.db"))
            for name in files[:files.index(last) + 1]:
                with open(os.path.join(SOURCE, "migrations", "sqlite", name), encoding="utf8") as file:
                    base.executescript(file.read())
            document = json.dumps(pendulum())
            digest = hashlib.sha256(document.encode()).hexdigest()
            base.executescript(f"PRAGMA user_version = {int(last[:4])}")
            base.execute(f"INSERT INTO documents VALUES ('{digest}', ?)", (document,))
            base.execute("INSERT INTO models VALUES ('old', 2, 0, 1, 2), ('gone', 1, 1, 1, 2)")
            base.execute(f"INSERT INTO model_revisions VALUES ('old', 1, '{digest}', 1), ('old', 2, '{digest}', 2), ('gone', 1, '{digest}', 1)")
            base.execute("INSERT INTO jobs (id, kind, state, model_name, model_revision, model_sha256, document, created_ms, finished_ms, error) "
                         "VALUES ('0ld', 'dynamics', 'failed', 'old', 2, ?, ?, 3, 4, '{\"code\":\"x\",\"detail\":\"y\"}')", (digest, json.dumps(short_job())))
            if last >= "0002":
                base.execute("INSERT INTO request_keys VALUES ('key', 'ff', '0ld')")
            if last >= "0007":
                base.execute("INSERT INTO tokens VALUES ('t1', 'gone', 'admin', 'ee', 1, 2)")
            base.commit()
            base.close()
            admin, run, read = (make_token(self.folder, scope) for scope in ("admin", "run", "read"))
            server = Server(self.folder)
            for token, status in ((admin, 200), (run, 404), (read, 200)):
                self.assertEqual(server.request("GET", "/v1/jobs/0ld", headers={"Authorization": f"Bearer {token}"}).status, status, last)
                model = server.request("GET", "/v1/models/old", headers={"Authorization": f"Bearer {token}"}).json()
                self.assertEqual((model["owner"], model["revision"]), (None, 2), last)
                self.assertEqual(server.request("GET", "/v1/models/gone", headers={"Authorization": f"Bearer {token}"}).status, 404)
            server.close()
            base = sqlite3.connect(os.path.join(self.folder, "tendril.db"))
            self.assertEqual(base.execute("PRAGMA foreign_key_check").fetchall(), [])
            if last >= "0002":
                self.assertEqual(base.execute("SELECT owner, key, job FROM request_keys").fetchall(), [("", "key", "0ld")])
            base.close()
            subprocess.run(["rm", "-rf", self.folder], check=True)

    def test_the_last_admin_token_is_deleted_by_force_only(self):
        admin = make_token(self.folder, "admin")
        make_token(self.folder, "run")
        refused = self.run_tendrild("token", "delete", "--name", "admin")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("last", refused.stderr)
        server = Server(self.folder, token=admin)
        self.addCleanup(server.close)
        url = {**os.environ, "TENDRIL_URL": f"http://127.0.0.1:{server.port}", "TENDRIL_TOKEN": admin}
        delete = [os.path.join(BIN, "tendril"), "token", "delete", "admin"]
        self.assertEqual(server.request("DELETE", "/v1/tokens/run").status, 204)
        reply = server.request("DELETE", "/v1/tokens/admin")
        self.assertEqual((reply.status, reply.json()["code"]), (409, "failed_precondition"))
        self.assertIn("nobody makes or deletes tokens", reply.json()["detail"])
        self.assertEqual(server.request("POST", "/v1/tokens", {"name": "second", "scope": "admin"}).status, 201)
        self.assertEqual(server.request("DELETE", "/v1/tokens/second").status, 204)
        done = subprocess.run(delete, capture_output=True, text=True, env=url, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("force", done.stderr)
        self.assertEqual(subprocess.run([*delete, "--force"], capture_output=True, env=url, check=False).returncode, 0)
        self.assertEqual(server.request("GET", "/v1/tokens").status, 401)


if __name__ == "__main__":
    main()
