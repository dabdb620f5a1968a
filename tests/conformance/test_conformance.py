"""The cases of this folder's *.json, held against every face of a real server; README.md says how they are written."""
import glob
import importlib.util
import json
import os
import shutil
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import faces  # noqa: E402
from harness import Server, main  # noqa: E402

KINDS = {"string": str, "number": (int, float), "array": list, "object": dict}
SUITES = sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(HERE, "*.json")))


def put_in(value, known):
    """Words "$name" are what `known` has under that name."""
    if isinstance(value, str) and value.startswith("$"):
        return known[value[1:]]
    if isinstance(value, list):
        return [put_in(item, known) for item in value]
    if isinstance(value, dict):
        return {key: put_in(item, known) for key, item in value.items()}
    return value


def pick(value, pointer):
    for key in pointer.split("/")[1:]:
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


class Differs(AssertionError):
    pass


def need(condition, place, wanted, got):
    if not condition:
        raise Differs(f"at '{place}': wanted {json.dumps(wanted)[:300]}, got {json.dumps(got)[:300]}")


def compare_special(wanted, got, place):
    key = next(iter(wanted))
    if key == "$near":
        need(isinstance(got, (int, float)) and abs(got - wanted[key]) <= wanted.get("within", 1e-9), place, wanted, got)
    elif key == "$kind":
        need(isinstance(got, KINDS[wanted[key]]) and not isinstance(got, bool), place, wanted, got)
    elif key == "$length":
        need(isinstance(got, list) and len(got) == wanted[key], place, wanted, got)
    elif key == "$one_of":
        need(got in wanted[key], place, wanted, got)
    elif key in ("$first", "$last"):
        need(isinstance(got, list) and got, place, wanted, got)
        for end, at in (("$first", 0), ("$last", -1)):
            if end in wanted:
                compare(wanted[end], got[at], f"{place}/{at}")
    else:
        raise ValueError(f"'{key}' is no word of the conformance suite")


def compare(wanted, got, place=""):
    """Objects may have more members than wanted; arrays have as many as wanted; anything else is equal."""
    if isinstance(wanted, dict) and next(iter(wanted), "").startswith("$"):
        return compare_special(wanted, got, place)
    if isinstance(wanted, dict):
        need(isinstance(got, dict), place, wanted, got)
        for key, value in wanted.items():
            if isinstance(value, dict) and value.get("$missing"):
                need(key not in got, f"{place}/{key}", value, got.get(key))
                continue
            need(key in got, f"{place}/{key}", value, sorted(got))
            compare(value, got[key], f"{place}/{key}")
    elif isinstance(wanted, list):
        need(isinstance(got, list) and len(got) == len(wanted), place, wanted, got)
        for n, value in enumerate(wanted):
            compare(value, got[n], f"{place}/{n}")
    else:
        need(type(wanted) is type(got) or not isinstance(wanted, bool), place, wanted, got)
        need(wanted == got, place, wanted, got)
    return None


def without_details(value):
    """The numbers of a reply as doubles; errors of states by their code only, for one face may tell more than another."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, dict):
        return {key: item["code"] if key == "error" and item else without_details(item) for key, item in sorted(value.items())}
    return [without_details(item) for item in value] if isinstance(value, list) else value


class Conformance(unittest.TestCase):
    """One face; REST is run first, and what it gave is what the others must give, bit for bit."""

    reference = {}

    def run_suite(self, suite, make, name):
        with open(os.path.join(HERE, suite + ".json"), encoding="utf-8") as file:
            document = json.load(file)
        server, known, missing = Server(None, "--grpc", "127.0.0.1:0", workers=1), dict(document.get("documents", {})), []
        try:
            face = make(server)
        except unittest.SkipTest as reason:
            server.close()
            print(f"{name}: {reason}", file=sys.stderr)
            return
        try:
            for case in document["cases"]:
                with self.subTest(case=case["name"], face=name):
                    for number, step in enumerate(case["steps"]):
                        try:
                            self.step(face, step, known, (suite, case["name"], number))
                        except faces.Missing:
                            missing.append(step["call"])
                            break  # what follows in the case builds on it
                        except Differs as error:
                            raise AssertionError(f"step {number}, {step['call']}: {error}") from None
                    self.assertTrue(server.alive(), server.log())
        finally:
            face.close()
            server.close()
        if missing:
            print(f"{name} does not have: {', '.join(sorted(set(missing)))}", file=sys.stderr)

    def step(self, face, step, known, key):
        given = put_in(step.get("with", {}), known)
        try:
            got = face.call(step["call"], given)
        except faces.Refused as refused:
            need("fails" in step, "", step.get("gives"), f"refused: {refused}")
            compare(put_in(step["fails"], known), {"code": refused.code, "pointer": refused.pointer})
            return
        need("fails" not in step, "", step.get("fails"), got)
        if "gives" in step:
            compare(put_in(step["gives"], known), got)
        for name, pointer in step.get("keep", {}).items():
            known[name] = pick(got, pointer)
        if "same_bits" in step:
            numbers = without_details(got if step["same_bits"] is True else pick(got, step["same_bits"]))
            self.assertEqual(json.dumps(self.reference.setdefault(key, numbers)), json.dumps(numbers), "not the same bits as REST")


def http(make):
    return lambda server: make(f"http://{server.host}:{server.port}")


def grpc(server):
    if not server.ready["grpc"]:
        raise unittest.SkipTest("this server has no gRPC")
    if not importlib.util.find_spec("grpc"):
        raise unittest.SkipTest("there is no python3-grpcio")
    return faces.Grpc("grpc://" + server.ready["grpc"])


FACES = {"rest": http(faces.Rest), "python": http(faces.Python), "grpc": grpc, "c": http(faces.Command)}
if shutil.which("node"):
    FACES["javascript"] = http(faces.JavaScript)
else:
    print("there is no node: the client in JavaScript is not tested", file=sys.stderr)


def add(suite, names):
    def test(self):
        for name in names:
            self.run_suite(suite, FACES[name], name)
    setattr(Conformance, f"test_every_face_gives_what_{suite}_json_says", test)


for each in SUITES:
    add(each, list(FACES))

if __name__ == "__main__":
    main()
