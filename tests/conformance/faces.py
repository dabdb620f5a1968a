"""The faces of a server, each as an object with call(operation, arguments): what it gives, in the form of the REST reply.

A refusal is Refused(code, pointer); an operation that a face does not have is Missing. Rest is built from api/openapi.yaml
alone: path, method and parameters of each operation as the contract says.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import numpy as np
import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "clients", "python"))
sys.path.insert(0, os.path.join(SOURCE, "tests", "integration"))
from harness import BIN  # noqa: E402
import tendril  # noqa: E402

ENDED = ("succeeded", "failed", "cancelled")


class Refused(Exception):
    def __init__(self, code, pointer):
        super().__init__(f"{code} at {pointer}")
        self.code, self.pointer = code, pointer


class Missing(Exception):
    """The face has no such operation."""


class Rest:
    """Plain HTTP with JSON, as the contract says."""

    def __init__(self, url):
        self.url, self.operations = url, {}
        with open(os.path.join(SOURCE, "api", "openapi.yaml"), encoding="utf-8") as file:
            contract = yaml.safe_load(file)
        for path, item in contract["paths"].items():
            for method in ("get", "put", "post", "delete"):
                if method in item:
                    self.operations[item[method]["operationId"]] = (method.upper(), path)

    def close(self):
        pass

    def call(self, name, given):
        given, headers = dict(given), {"Accept": "application/json"}
        if name == "models_validate":
            name, given["validate"] = "models_create", 1
        if name == "jobs_check":
            name, given["validate"] = "jobs_submit", 1
        if name == "jobs_wait":
            self.call("jobs_events", given)
            return self.call("jobs_get", given)
        if name == "jobs_events":
            headers["Accept"] = "text/event-stream"
        method, path = self.operations[name]
        if name == "evaluate":
            path = path.replace("{name}", urllib.parse.quote(given.pop("model")))
        for key in re.findall(r"{(\w+)}", path):
            path = path.replace("{" + key + "}", urllib.parse.quote(str(given.pop(key))))
        for key, header, form in (("if_match", "If-Match", '"%s"'), ("key", "Idempotency-Key", "%s")):
            if key in given:
                headers[header] = form % given.pop(key)
        body = given.pop("document", None) or given.pop("job", None)
        if name.startswith("evaluate") or name == "models_import":
            body, given = given, {}
        if given:
            query = {key: ",".join(value) if isinstance(value, list) else value for key, value in given.items()}
            path += "?" + urllib.parse.urlencode(query)
        return self.send(method, path, body, headers)

    def send(self, method, path, body, headers):
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + path, data if method != "POST" else data or b"", headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                text = reply.read().decode()
        except urllib.error.HTTPError as error:
            problem = json.loads(error.read())
            raise Refused(problem["code"], problem.get("pointer")) from None
        if headers["Accept"] == "text/event-stream":
            return {"events": [read(line[6:]) for line in text.split("\n") if line.startswith("data: ")]}
        return read(text) if text else None


def read(text):
    """JSON with every number a double: -0 keeps its sign."""
    return json.loads(text, parse_int=float)


def nested(flat):
    """{"energy/kinetic": …} as {"energy": {"kinetic": …}}."""
    out = {}
    for name, value in flat.items():
        quantity, _, part = name.partition("/")
        if part:
            out.setdefault(quantity, {})[part] = value
        else:
            out[quantity] = value
    return out


class Python:
    """clients/python, arrays as NPZ (or gRPC)."""

    def __init__(self, url):
        self.client = tendril.Client(url)

    def close(self):
        self.client.close()

    def call(self, name, given):
        try:
            return getattr(self, name)(**given)
        except tendril.TendrilError as error:
            raise Refused(error.code, error.pointer) from None

    def models_create(self, document):
        return self.client.models.create(document)

    def models_validate(self, document):
        return self.client.models.validate(document)

    def models_import(self, **request):
        return self.client.models.imported(request)

    def models_put(self, name, document, if_match=None):
        return self.client.models.put(document, name, if_match)

    def models_get(self, name):
        return self.client.models.get(name)

    def models_list(self):
        return {"models": list(self.client.models)}

    def models_delete(self, name, if_match=None):
        self.client.models.delete(name, if_match)

    def models_revisions(self, name):
        return {"revisions": self.client.models.revisions(name)}

    def models_revision(self, name, n):
        return self.client.models.revision(name, n)

    def evaluate(self, model, want, states, baumgarte=None):
        arrays = {key: [state.get(key, [0.0] * width(states, key)) for state in states]
                  for key in ("q", "qd", "qdd", "u") if any(key in state for state in states)}
        found = self.client.evaluate(model, arrays.pop("q"), want=want, baumgarte=baumgarte, **arrays)
        rows = [nested({key: value[n].tolist() for key, value in found.items()}) for n in range(len(states))]
        for error in found.errors:
            rows[error.index] = {"error": {"code": error.code, "detail": error.detail}}
        return {"ndof": len(states[0]["q"]), "states": rows}

    evaluate_inline = evaluate

    def jobs_submit(self, job, key=None):
        return self.client.submit(job, key=key).data

    def jobs_check(self, job):
        return self.client.check(job)

    def jobs_get(self, id):
        return self.client.job(id).data

    def jobs_wait(self, id):
        return self.client.job(id).wait(check=False).data

    def jobs_list(self, **filters):
        return {"jobs": [job.data for job in self.client.jobs(**filters)]}

    def jobs_cancel(self, id):
        return self.client.job(id).cancel().data

    def jobs_retry(self, id):
        return self.client.job(id).retry().data

    def jobs_delete(self, id):
        self.client.job(id).delete()

    def jobs_events(self, id):
        return {"events": list(self.client.job(id).events())}

    def jobs_result(self, id, fields=None, stride=None, **bounds):
        result = self.client.job(id).result(fields, bounds.get("from"), bounds.get("to"), stride)
        return {"summary": result.summary, "arrays": {key: value.tolist() for key, value in result.items()}}

    def examples_list(self):
        return {"examples": self.client.examples()}

    def examples_get(self, name):
        return self.client.example(name)

    def limits(self):
        return self.client.limits()

    def version(self):
        return self.client.version()

    def health(self):
        return self.client.health()

    def ready(self):
        return self.client.ready()


class Grpc(Python):
    """clients/python over gRPC."""

    def call(self, name, given):
        try:
            return super().call(name, given)
        except Refused as refused:
            if refused.code == "method_not_allowed":
                raise Missing(name) from None
            raise


def width(states, key):
    return next(len(state[key]) for state in states if key in state)


class JavaScript:
    """clients/js in node: a line of JSON to it for each call, a line back."""

    def __init__(self, url):
        self.process = subprocess.Popen([shutil.which("node"), os.path.join(HERE, "face.mjs"), url], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(30) == 0, f"node ended with {self.process.returncode}"

    def call(self, name, given):
        self.process.stdin.write(json.dumps({"call": name, "with": given}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "node is gone"
        reply = read(line.replace('"-0"', "-0"))  # which JSON.stringify cannot write
        if "trouble" in reply:
            raise AssertionError(reply["trouble"])
        if "code" in reply:
            raise Refused(reply["code"], reply.get("pointer"))
        return reply["gives"]


class Command:
    """clients/c by its `tendril` command, one process per call."""

    def __init__(self, url):
        self.url, self.folder = url, tempfile.TemporaryDirectory(prefix="tendril-conformance-")

    def close(self):
        self.folder.cleanup()

    def call(self, name, given):
        if not hasattr(self, name):
            raise Missing(name)
        return getattr(self, name)(**given)

    def file(self, name, document):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return path

    def run(self, *words):
        done = subprocess.run([os.path.join(BIN, "tendril"), *words, "--url", self.url, "--json"], capture_output=True, text=True,
                              encoding="utf-8", timeout=120)
        refusal = re.search(r" \((\d{3}) (\w+)\)\n(?:  at (\S*?)(?: of what was sent|: \S+:\d+:\d+)\n)?", done.stderr)
        if done.returncode == 1 and refusal:
            raise Refused(refusal[2], refusal[3])
        if done.returncode == 1 and "no job's id begins with" in done.stderr:  # what the command itself found out
            raise Refused("not_found", None)
        assert done.returncode == 0 or (done.returncode == 1 and words[1] == "watch"), done
        return done.stdout

    def one(self, *words):
        return read(self.run(*words))

    def lines(self, *words):
        return [read(line) for line in self.run(*words).splitlines()]

    def models_put(self, name, document, if_match=None):
        if if_match:
            raise Missing("if_match")
        return self.one("models", "put", self.file("model.json", document), "--name", name)

    def models_import(self, urdf, attach=(), **words):
        path = os.path.join(self.folder.name, "robot.urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(urdf)
        options = [text for key, value in words.items() for text in (f"--{key}", value)]
        for part in attach:
            options += ["--attach", self.file("part.json", part["model"]), "--at", part["parent"]] + (["--prefix", part["prefix"]] if "prefix" in part else [])
        return self.one("import", path, "-o", os.path.join(self.folder.name, "imported.json"), *options)

    def models_get(self, name):
        return self.one("models", "get", name)

    def models_revision(self, name, n):
        return self.models_get(f"{name}@{n}")

    def models_list(self):
        return {"models": self.lines("models", "list")}

    def models_delete(self, name):
        self.run("models", "delete", name)

    def evaluate(self, model, **request):
        path = model if isinstance(model, str) else self.file("inline.json", model)
        return self.one("evaluate", path, self.file("states.json", request))

    evaluate_inline = evaluate

    def jobs_submit(self, job, key=None):
        return self.one("jobs", "submit", self.file("job.json", job), *(["--key", key] if key else []))

    def jobs_get(self, id):
        return self.one("jobs", "get", id)

    def jobs_events(self, id):
        return {"events": self.lines("jobs", "watch", id)}

    def jobs_wait(self, id):
        self.run("jobs", "watch", id)
        return self.jobs_get(id)

    def jobs_list(self, **filters):
        words = [word for key, value in filters.items() for word in (f"--{key}", str(value))]
        return {"jobs": self.lines("jobs", "list", "--limit", "1000", *words)}

    def jobs_cancel(self, id):
        return self.one("jobs", "cancel", id)

    def jobs_retry(self, id):
        return self.one("jobs", "retry", id)

    def jobs_delete(self, id):
        self.run("jobs", "delete", id)

    def jobs_result(self, id, fields=None, **part):
        path = os.path.join(self.folder.name, "result.npz")
        words = [word for key, value in part.items() for word in (f"--{key}", str(value))]
        self.run("result", id, "-o", path, *words, *(["--fields", ",".join(fields)] if fields else []))
        result = tendril.Result.load(path)
        return {"summary": result.summary, "arrays": {key: np.asarray(value).tolist() for key, value in result.items()}}

    def examples_list(self):
        return {"examples": self.lines("examples")}
