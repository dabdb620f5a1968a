"""`tendril validate`: errors and warnings of documents with their places, without a server; what a server says of the same document."""
import json
import os
import subprocess
import tempfile
import unittest

from harness import BIN, SOURCE, ServerTest, example, main, pendulum, soft_arm

TENDRIL = os.path.join(BIN, "tendril")


def dynamics(model, **more):
    return {"model": model, "kind": "dynamics", "t_end": 1, **more}


class Validate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, document):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(document if isinstance(document, str) else json.dumps(document))
        return path

    def call(self, *words, status=0, stdin=""):
        done = subprocess.run([TENDRIL, "validate", *words], cwd=self.folder.name, capture_output=True, encoding="utf-8", input=stdin,
                              env={**os.environ, "TENDRIL_URL": "http://127.0.0.1:1"}, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_every_shipped_document_is_good_and_silent(self):
        folder = os.path.join(SOURCE, "api", "examples")
        said = self.call(*(os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".json")))
        self.assertNotIn("warning", said)
        self.assertNotIn("error at", said)
        self.assertIn("model cdm: no errors, 24 coordinates, 5 channels", said)

    def test_an_error_has_its_place_and_its_value_and_the_others_are_checked_too(self):
        bad = pendulum()
        bad["links"][0]["body"]["mass"] = -3
        said = self.call(self.path("bad.json", bad), self.path("good.json", soft_arm()), status=1)
        self.assertRegex(said, r"bad.json:1:\d+: error at /links/0/body/mass: .*-3")
        self.assertIn("good.json: model", said)
        self.assertRegex(self.call(self.path("text.json", '{"links": [}'), status=1), r"text.json:1:12: error: a value is missing before")
        self.assertIn("neither a model", self.call(self.path("other.json", {"name": "x"}), status=1))
        self.assertIn("/kind", self.call(self.path("kind.json", dynamics("x", kind="dynamic")), status=1))

    def test_characters_that_JSON_has_no_place_for_are_named_and_a_byte_order_mark_is_read_over(self):
        text = json.dumps(pendulum(), indent=1)
        self.assertIn("marked.json: model", self.call(self.path("marked.json", "\ufeff" + text)))
        minus = text.replace("-9.81", "\u22129.81")
        line = text[:text.index("-9.81")].count("\n") + 1
        self.assertRegex(self.call(self.path("minus.json", minus), status=1), rf"minus.json:{line}:\d+: error: U\+2212 is a typographic minus, write -")
        self.assertRegex(self.call(self.path("quotes.json", text.replace('"name"', "\u201cname\u201d", 1)), status=1), "U\\+201C is a typographic quotation mark")
        self.assertRegex(self.call("absent.json", status=2), "tendril: cannot read absent.json: No such file")

    def test_output_that_is_written_more_rarely_than_the_run_is_long_has_its_start_and_end(self):
        job = dynamics(pendulum(), output={"dt": 20, "fields": ["q"]})
        path = self.path("rare.json", job)
        self.assertRegex(self.call(path), "odd_duration: 20 s is longer than the run of 1 s: only its start and its end are kept")

    def test_warnings_are_told_and_are_no_errors(self):
        odd = {**pendulum(), "gravity": [0, 0, -9810]}
        self.assertRegex(self.call(self.path("odd.json", odd)), r"odd.json:1:\d+: warning at /gravity: odd_gravity: 9810")

    def test_errors_and_warnings_have_their_line_and_column_in_the_file(self):
        def place(text, member, value):
            """Of the value of the first line that has the member."""
            number, line = next((i, line) for i, line in enumerate(text.splitlines(), 1) if f'"{member}"' in line)
            return f"{number}:{line.index(value) + 1}"

        model = {**pendulum(), "gravity": [0, 0, -9810]}
        text = json.dumps(model, indent=2)
        path = self.path("odd.json", text)
        self.assertIn(f"odd.json:{place(text, 'gravity', '[')}: warning at /gravity: odd_gravity", self.call(path))
        warning, = json.loads(self.call("--json", path))["files"][0]["warnings"]
        self.assertEqual(f"{warning['line']}:{warning['column']}", place(text, "gravity", "["))
        model["links"][0]["body"]["mass"] = "heavy"
        text = json.dumps(model, indent=2)
        self.assertIn(f"""wrong.json:{place(text, 'mass', '"heavy"')}: error at /links/0/body/mass: """, self.call(self.path("wrong.json", text), status=1))
        del model["links"][0]["body"]["mass"]  # the place of what lacks it
        text = json.dumps(model, indent=2)
        self.assertIn(f"short.json:{place(text, 'body', '{')}: error at /links/0/body", self.call(self.path("short.json", text), status=1))
        self.assertRegex(self.call(self.path("neither.json", "{}"), status=1), r"neither.json:1:1: error at /kind: ")

    def test_a_job_is_checked_against_its_model_wherever_that_is(self):
        job = dynamics("pendulum", inputs={"moter": 1})
        wanted = r"j.json:1:\d+: error at /inputs/moter: .*no input channel"
        inline = self.path("j.json", {**job, "model": pendulum()})
        self.assertRegex(self.call(inline, status=1), wanted)
        path = self.path("j.json", job)
        said = self.call(path)
        self.assertIn("only the job's own words were checked", said)
        other = self.path("elsewhere.json", pendulum())
        self.assertRegex(self.call(path, other, status=1), wanted)
        self.assertRegex(self.call(other, path, status=1), wanted)
        self.path("pendulum.model.json", pendulum())
        self.assertRegex(self.call(path, status=1), wanted)
        self.assertRegex(self.call(self.path("j.json", {**job, "model": "pendulum@2"}), status=1), wanted)

    def test_a_model_s_oddities_are_told_once(self):
        odd = {**pendulum(), "gravity": [0, 0, -9810]}
        said = self.call(self.path("pendulum.model.json", odd), self.path("j.json", dynamics("pendulum")))
        self.assertEqual(said.count("odd_gravity"), 1, said)
        self.assertRegex(self.call(self.path("j.json", dynamics(odd))), r"j.json:1:\d+: warning at /model/gravity: odd_gravity")

    def test_every_job_of_a_sweep_is_checked(self):
        base = dynamics(pendulum(), inputs={"motor": 1})
        sweep = {"kind": "sweep", "base": base, "vary": [{"path": "/job/t_end", "values": [1, 2, -3]}]}
        self.assertRegex(self.call(self.path("s.json", sweep), status=1), r"error at /vary/0/values/2: .*-3")
        sweep["vary"] = [{"path": "/model/links/0/body/mass", "values": [1, 2, 0.5]}]
        self.assertIn("no errors", self.call(self.path("s.json", sweep)))
        base["sensitivity"] = {"parameters": ["/model/links/0/body/mass", "/model/links/0/body/color"]}
        base["integrator"] = {"method": "newmark", "h": 0.01}
        self.assertRegex(self.call(self.path("s.json", sweep), status=1), r"error at /base/sensitivity/parameters/1: .*nothing at")
        del base["sensitivity"]
        sweep["vary"][0]["values"][1] = -1
        self.assertRegex(self.call(self.path("s.json", sweep), status=1), r"error at /vary/0/values/1: ")

    def test_json_is_for_machines(self):
        odd = {**pendulum(), "gravity": [0, 0, -9810]}
        answer = json.loads(self.call("--json", "-", stdin=json.dumps(odd)))
        entry, = answer["files"]
        self.assertEqual((entry["valid"], entry["kind"], entry["model"], entry["errors"]), (True, "model", "pendulum", []))
        self.assertEqual([(w["code"], w["pointer"]) for w in entry["warnings"]], [("odd_gravity", "/gravity")])
        odd["links"][0]["body"]["mass"] = -3
        entry, = json.loads(self.call("--json", self.path("bad.json", odd), status=1))["files"]
        self.assertEqual((entry["valid"], entry["errors"][0]["pointer"]), (False, "/links/0/body/mass"))

    def test_a_file_that_is_not_there_is_no_error_of_a_document(self):
        self.assertIn("cannot read", self.call("nowhere.json", status=2))
        self.assertIn("usage", self.call(status=2))

    def test_the_help_teaches_it(self):
        said = self.call("--help")
        for word in ("pointer", "warnings", "Exit status", "tendril validate", "sweep"):
            self.assertIn(word, said)


class AsTheServer(ServerTest):
    def test_it_says_what_the_server_says(self):
        odd = soft_arm(name="odd")
        odd["links"][0]["body"]["material"]["young"] = 0.5
        wrong = soft_arm(name="wrong")
        wrong["links"][0]["body"]["length"] = 0
        for document in (odd, wrong, example("uw.model.json"), soft_arm(name="Arm_ä"), soft_arm(name="my arm")):
            reply = self.server.request("POST", "/v1/models?validate=1", document).json()
            done = subprocess.run([TENDRIL, "validate", "--json", "-"], input=json.dumps(document), capture_output=True, encoding="utf-8", check=False)
            entry, = json.loads(done.stdout)["files"]
            self.assertEqual(done.returncode, int("pointer" in reply))
            if "pointer" in reply:
                self.assertEqual((entry["errors"][0]["pointer"], entry["errors"][0]["detail"]), (reply["pointer"], reply["detail"]))
            else:
                said = [{key: value for key, value in warning.items() if key not in ("line", "column")} for warning in entry["warnings"]]
                self.assertEqual(said, reply["warnings"])

    def test_a_name_that_no_model_is_stored_under_is_good_inside_a_job(self):
        odd = pendulum(name="my pendulum")
        self.assertEqual(self.server.request("PUT", "/v1/models/mine", odd).status, 201)
        self.assertEqual(self.server.request("POST", "/v1/jobs", dynamics(odd)).status, 202)
        self.assertEqual(self.server.request("POST", "/v1/models", odd).json()["pointer"], "/name")


if __name__ == "__main__":
    main()
