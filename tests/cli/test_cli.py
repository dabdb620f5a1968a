"""The `tendril` command as people meet it: the first run, examples, completion, refusals, usage, interruption."""
import json
import os
import re
import signal
import struct
import subprocess
import time
import unittest

import numpy as np

from command import JOB, ROD, TENDRIL, Place, refusing


class Cli(Place):
    # ------------------------------------------------------------------------------------------ the newcomer's path

    def test_example_run_and_plot_leave_ten_seconds_of_the_manipulator_and_a_picture(self):
        self.assertIn("cdm", self.call("examples")[0])
        self.call("examples", "cdm", "--dir", "robots")
        self.call("run", "robots/cdm.job.json", "-o", "cdm.npz")
        with np.load(self.path("cdm.npz"), allow_pickle=False) as result:
            self.assertEqual((result["t"][0], result["t"][-1]), (0, 10))
            self.assertEqual(result["q"].shape[1], 24)
            self.assertTrue(np.isfinite(result["q"]).all())
        self.call("plot", "cdm.npz", "-o", "cdm.png")
        with open(self.path("cdm.png"), "rb") as stream:
            head = stream.read(24)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", head[16:24])
        self.assertGreater(min(width, height), 500)

    def test_run_takes_the_model_that_stands_beside_the_job_and_says_so(self):
        model = {**ROD, "name": "beside"}
        self.write("beside.model.json", model)
        self.write("beside.job.json", {**JOB, "model": "beside"})
        first = self.call("run", "beside.job.json")
        self.assertIn("the server has no model beside: sending", first[1])
        self.assertRegex(first[1], r"beside\.model\.json is stored as revision 1 of beside")
        self.assertNotIn("replaces", first[0])
        again = self.call("run", "beside.job.json")
        self.assertNotIn("sending", again[1])
        self.assertIn("result in beside.npz; it replaces an older file", again[0])
        self.write("beside.model.json", {**model, "gravity": [0, 0, 0]})
        told = self.call("run", "beside.job.json")[1]
        self.assertRegex(told, r"beside\.model\.json, which differs from the server's revision 1 and goes along with the job")
        self.assertIn("tendril models put", told)

    def test_a_refused_run_stores_no_model_and_the_edited_file_is_what_runs_next(self):
        still, model = {**ROD, "name": "edited", "gravity": [0, 0, 0]}, {**ROD, "name": "edited"}
        self.write("edited.model.json", model)
        self.write("edited.job.json", {**JOB, "model": "edited", "t_end": -1})
        told = self.call("run", "edited.job.json", status=1)[1]
        self.assertIn("at /t_end: edited.job.json:1:", told)
        self.assertNotIn("edited ", self.call("models", "list")[0])
        self.write("edited.job.json", {**JOB, "model": "edited"})
        self.write("edited.model.json", {**model, "gravity": [0, 0, "down"]})
        self.assertIn("at /gravity/2: edited.model.json:1:", self.call("run", "edited.job.json", status=1)[1])
        self.write("edited.model.json", still)
        self.call("run", "edited.job.json", "-o", "still.npz")
        self.write("edited.model.json", model)
        self.call("run", "edited.job.json", "-o", "falling.npz")
        q = [np.load(os.path.join(self.place.name, name))["q"] for name in ("still.npz", "falling.npz")]
        self.assertGreater(np.abs(q[0] - q[1]).max(), 1e-6)

    def test_what_is_wrong_with_a_sweep_over_a_job_is_said_of_its_over_or_its_file(self):
        self.write("varied.model.json", {**ROD, "name": "varied"})
        self.write("varied.job.json", {**JOB, "model": "varied"})
        told = self.call("sweep", "varied.job.json", "--over", "/job/t_end=0.1,0.2", "--over", "/model/links/0/body/lenght=1,2", status=1)[1]
        self.assertIn('did you mean "length"?', told)
        self.assertIn("at number 2 of --over", told)
        self.write("varied.job.json", {**JOB, "model": "varied", "t_ned": 1})
        told = self.call("sweep", "varied.job.json", "--over", "/job/t_end=0.1,0.2", status=1)[1]
        self.assertIn("at /t_ned: varied.job.json:1:", told)

    def test_run_takes_the_file_that_it_is_given_and_always_says_which_model_ran(self):
        still, model = {**ROD, "name": "which", "gravity": [0, 0, 0]}, {**ROD, "name": "which"}
        self.write("which.model.json", model)
        self.write("which.job.json", {**JOB, "model": "which"})
        self.call("run", "which.job.json", "-o", "first.npz")
        told = self.call("run", "which.job.json", "-o", "stored.npz")[1]
        self.assertIn("model which: the server's revision 1, the same as ", told)
        self.write("other.model.json", still)
        told = self.call("run", "other.model.json", "which.job.json", "-o", "file.npz")[1]
        self.assertIn("model: other.model.json, sent along with the job", told)
        self.write("third.model.json", {**still, "name": "third"})
        self.assertIn('the job says "which", the file is called "third"', self.call("run", "third.model.json", "which.job.json", "-o", "file.npz")[1])
        self.write("nobody.job.json", {**JOB, "model": "nobody"})
        self.assertIn("there is no nobody.model.json: give the model's file before the job's", self.call("run", "nobody.job.json", status=1)[1])
        os.remove(self.path("which.model.json"))
        self.assertIn("the server's revision 1", self.call("run", "which.job.json", "-o", "other.npz")[1])
        q = {name: np.load(os.path.join(self.place.name, name + ".npz"))["q"] for name in ("first", "stored", "file", "other")}
        self.assertEqual(len({q[name].tobytes() for name in ("first", "stored", "other")}), 1)
        self.assertGreater(np.abs(q["file"] - q["first"]).max(), 1e-6)
        self.assertIn("is not a model", self.call("run", "which.job.json", "which.job.json", status=2)[1])

    # ------------------------------------------------------------------------------------------ fits, designs, gradients

    def test_run_tells_what_a_fit_found_and_found_writes_the_robot_with_it(self):
        self.call("examples", "tentacle-fit")
        said = self.call("run", "tentacle-fit.job.json")[0]
        self.assertRegex(said, r"(?s)result in tentacle-fit.npz.*\nfit: converged after \d+ iterations \(\d+ runs\); cost .*times the noise\n")
        with np.load(self.path("tentacle-fit.npz"), allow_pickle=False) as result:
            best, deviation = result["best"], result["deviation"]
        rows = re.findall(r"^  (\w+) +([\d.]+)  \+- ([\d.]+) +([\d.]+) % +(\S+)   (\S+) to (\S+)$", said, re.MULTILINE)
        self.assertEqual([row[0] for row in rows], ["young", "density", "viscosity"])
        np.testing.assert_allclose([float(row[1]) for row in rows], best, rtol=1e-3)
        np.testing.assert_allclose([float(row[2]) for row in rows], deviation, rtol=0.1)
        self.assertEqual([float(row[4]) for row in rows], [1e6, 800, 400])
        self.assertEqual((float(rows[0][5]), float(rows[0][6])), (1e4, 1e7))
        told, files = self.call("found", "tentacle-fit.npz", "--model", "fitted.json")
        self.assertEqual(told, said[said.index("fit: "):])
        self.assertIn("fitted.json written", files)
        with open(self.path("fitted.json"), encoding="utf-8") as stream:
            fitted = json.load(stream)
        with open(self.path("tentacle-fit.model.json"), encoding="utf-8") as stream:
            given = json.load(stream)
        material = fitted["links"][0]["body"]["material"]
        np.testing.assert_allclose([material[name] for name in ("young", "density", "viscosity")], best, rtol=1e-14)
        given["links"][0]["body"]["material"].update({name: material[name] for name in ("young", "density", "viscosity")})
        self.assertEqual(fitted, given)
        self.call("found", "tentacle-fit.npz", "--job", "jobs.json")
        with open(self.path("jobs.json"), encoding="utf-8") as stream:
            self.assertEqual([job["t_end"] for job in json.load(stream)], [0.8] * 4)
        listed = json.loads(self.call("found", "tentacle-fit.npz", "--json")[0])
        self.assertEqual([p["value"] for p in listed["parameters"]], best.tolist())
        self.call("plot", "tentacle-fit.npz")

    def test_found_says_how_a_search_ended_and_why_a_number_has_no_deviation(self):
        material = "/model/links/0/body/material/"
        record = {"field": "poses:arm@1", "select": [[2, 3]], "value": [[-0.01], [0.0], [0.012], [0.02]]}
        of = [{"job": {"kind": "statics", "inputs": {"pull": [0.5, 1, 1.5, 2]}}, "data": [record]}]
        parameters = [{"path": material + "young", "name": "young", "lower": 1e5, "upper": 1e7, "scale": "log"}]
        self.write("bare.json", {"kind": "fit", "of": of, "parameters": parameters, "unconverged": "keep"})
        said = self.call("run", "rod.model.json", "bare.json")[0]
        self.assertRegex(said, r"no sigma was given: the noise is taken as what is left over, [\d.e-]+\n")
        self.assertRegex(said, r": fit of rod succeeded")
        self.write("held.json", {"kind": "fit", "of": of, "parameters": [{**parameters[0], "value": 9e6, "lower": 8e6}], "unconverged": "keep"})
        self.assertRegex(self.call("run", "rod.model.json", "held.json")[0], r"(?m)^  young +1e\+07 +\+- held .* at its bound$")
        self.write("cut.json", {"kind": "fit", "of": of, "parameters": parameters, "unconverged": "keep", "max_iterations": 1})
        self.assertRegex(self.call("run", "rod.model.json", "cut.json")[0], r"fit: did not converge after 1 iterations")

    def test_a_design_takes_the_model_beside_it_and_its_job_runs_with_what_was_found(self):
        self.write("pulled.model.json", {**ROD, "name": "pulled"})
        inside = {"model": "pulled", "kind": "statics", "inputs": {"pull": 1.0}, "output": {"fields": ["poses:arm@1"]}}
        choice = {"path": "/job/inputs/pull", "name": "pull", "lower": 0, "upper": 5}
        width = {"path": "/model/links/0/body/section/width/0", "lower": 0.02, "upper": 0.04}
        self.write("reach.json", {"kind": "design", "of": inside, "parameters": [choice, width], "objective": [
            {"field": "poses:arm@1", "select": [[0, 3], [2, 3]], "target": [0.27, -0.08], "weight": 1e4}], "unconverged": "keep"})
        said, told = self.call("run", "reach.json")
        self.assertIn("the server has no model pulled: sending pulled.model.json along with the job", told)
        self.assertRegex(said, r"(?m)^  pull +[\d.]+ +1   0 to 5")
        self.assertRegex(said, r"(?m)^  width/0 +[\d.e-]+ +0.03   0.02 to 0.04")
        self.call("found", "reach.npz", "--model", "best.model.json", "--job", "best.job.json")
        self.call("run", "best.model.json", "best.job.json", "-o", "again.npz")
        with np.load(self.path("reach.npz")) as found, np.load(self.path("again.npz")) as again:
            np.testing.assert_allclose(again["poses:arm@1"], found["poses:arm@1"], atol=1e-9)
            np.testing.assert_allclose(again["u"], found["best"][:1].reshape(1, 1), rtol=1e-14)

    def test_a_gradient_tells_its_slopes_and_other_results_are_refused(self):
        self.call("models", "put", "rod.model.json")
        young = {"path": "/model/links/0/body/material/young", "name": "young"}
        self.write("slopes.json", {"kind": "gradient", "of": {"model": "rod", "kind": "statics", "inputs": {"pull": [1, 2]}},
                                   "parameters": ["/job/inputs/pull", young], "objective": [{"field": "poses:arm@1", "select": [[2, 3]], "linear": 1}]})
        said = self.call("run", "slopes.json", "-o", "slopes.json.npz")[0]
        with np.load(self.path("slopes.json.npz")) as result:
            slopes = re.findall(r"(?m)^  (pull/0|pull/1|young) +(\S+)$", said)
            np.testing.assert_allclose([float(x) for _, x in slopes], result["gradient"], rtol=1e-8)
            self.assertIn(f"gradient: value {result['value']:.10g}", said)
        self.assertIn("a gradient finds no numbers", self.call("found", "slopes.json.npz", "--model", "x.json", status=2)[1])
        self.call("run", "rod.job.json")
        self.assertIn("kind 'dynamics', and no whole fit", self.call("found", "rod.npz", status=2)[1])
        self.assertIn("cannot read absent.npz", self.call("found", "absent.npz", status=2)[1])

    def test_examples_and_help_need_no_server(self):
        nowhere = {"url": "http://127.0.0.1:9"}
        shown = self.call("examples", **nowhere)[0]
        listed = [json.loads(line) for line in self.call("examples", "--json", **nowhere)[0].splitlines()]
        self.assertEqual(listed, self.server.get("/v1/examples")["examples"])
        for example in listed:
            self.assertRegex(shown, rf"(?m)^{re.escape(example['name'])} +[a-z]+ +\d+  {re.escape(example['description'][:400])}")
            self.call("examples", example["name"], **nowhere)
            given = self.server.get(f"/v1/examples/{example['name']}")
            for kind in ("model", "job"):
                with open(self.path(f"{example['name']}.{kind}.json"), encoding="utf-8") as stream:
                    text = stream.read()
                self.assertEqual(json.loads(text), given[kind])
                self.assertEqual(self.call("examples", example["name"], "--print", kind, **nowhere)[0], text)
        self.assertIn("there is no example 'cmd'; did you mean cdm?", self.call("examples", "cmd", status=2, **nowhere)[1])
        self.assertIn("`tendril examples` lists them", self.call("examples", "zzzzzzzz", status=2, **nowhere)[1])
        self.assertIn("model or job", self.call("examples", "cdm", "--print", "robot", status=2, **nowhere)[1])
        for words in (["--help"], ["help"], ["jobs", "--help"], ["help", "run"], ["examples", "--help"], ["jobs", "list", "--help"]):
            self.assertIn("Usage: tendril", self.call(*words, **nowhere)[0])

    def test_mistyped_commands_and_options_are_answered_with_the_nearest_ones(self):
        for words, meant in ((["rnu"], "`tendril run`"), (["jobs", "lst"], "`tendril jobs list`"), (["plto", "x.npz"], "`tendril plot`"),
                             (["plot", "x.npz", "--pannels", "u"], "--panels"), (["jobs", "list", "--stat", "queued"], "--state")):
            self.assertIn("did you mean " + meant, self.call(*words, status=2)[1])
        for words in (["xyz"], ["jobs", "frobnicate"], ["plot", "x.npz", "--zzz"]):
            self.assertNotIn("did you mean", self.call(*words, status=2)[1])

    def test_a_model_that_takes_another_robots_name_is_said_to_and_the_way_back_works(self):
        rod = ROD
        renamed = {**rod, "name": "taken", "links": [{**rod["links"][0], "name": "stick"}], "actuators": [], "loads": [], "contacts": []}
        self.write("one.model.json", {**rod, "name": "taken"})
        self.write("heavy.model.json", {**rod, "name": "taken", "gravity": [0, 0, -1]})
        self.write("other.model.json", renamed)
        for name in ("one", "heavy", "heavy"):
            self.assertNotIn("another robot", self.call("models", "put", f"{name}.model.json")[1], "other numbers are the same robot")
        said = self.call("models", "put", "other.model.json")[1]
        self.assertRegex(said, "taken was another robot: revision 2 has .* the links arm, this one has the links stick")
        back = re.search("`(tendril models get .*)`", said)[1]
        subprocess.run(["bash", "-euc", back.replace("tendril", TENDRIL)], cwd=self.place.name, check=True, env={**os.environ, "TENDRIL_URL": self.server.url})
        self.assertEqual(json.loads(self.call("models", "get", "taken")[0])["links"], rod["links"])

    def test_examples_never_overwrite_work_unless_forced(self):
        self.call("examples", "cdm")
        self.call("examples", "cdm")
        self.write("cdm.job.json", "{}")
        self.assertIn("--force", self.call("examples", "cdm", status=2)[1])
        self.call("examples", "cdm", "--force")

    # ------------------------------------------------------------------------------------------ completion

    def completed(self, line, **more):
        """What bash offers for the last word of a line."""
        words = line.split(" ")
        script = (f"source <('{TENDRIL}' completion bash); COMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}; _tendril; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True, cwd=self.place.name,
                              env={**os.environ, **more})
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_and_their_words(self):
        self.assertEqual(self.completed("tendril j"), ["jobs"])
        self.assertEqual(self.completed("tendril help jo"), ["jobs"])
        self.assertEqual(self.completed("tendril jobs "), ["submit", "list", "get", "watch", "cancel", "retry", "delete", "--help"])
        self.assertEqual(self.completed("tendril jobs list --st"), ["--state"])
        self.assertEqual(self.completed("tendril --json jobs list --state f"), ["failed"])
        self.assertEqual(self.completed("tendril jobs list -s "), ["queued", "running", "succeeded", "failed", "cancelled"])
        self.assertEqual(self.completed("tendril run rod.job.json --format "), ["npz", "json", "csv"])
        self.assertEqual(self.completed("tendril completion "), ["bash", "zsh"])
        self.assertEqual(self.completed("tendril run "), [])  # the shell's own: files
        self.assertEqual(self.completed("tendril nonsense "), [])
        self.assertIn("bash and zsh", self.call("completion", "fish", status=2)[1])

    def test_bash_completes_ids_and_names_by_asking_the_server(self):
        job = self.finished()
        where = {"PATH": os.path.dirname(TENDRIL) + os.pathsep + os.environ["PATH"], "TENDRIL_URL": self.server.url}
        self.assertIn(job, self.completed(f"tendril jobs get {job[:4]}", **where))
        self.assertEqual(self.completed(f"tendril replay {job[:-1]}", **where), [job])
        self.assertIn("rod.model.json", self.completed("tendril export rod", **where))
        self.assertEqual(self.completed("tendril models get ro", **where), ["rod"])
        self.assertEqual(self.completed("tendril evaluate ro", **where)[0], "rod")
        self.assertEqual(self.completed("tendril examples cd", **where), ["cdm"])
        self.assertEqual(self.completed("tendril jobs get x", **{**where, "TENDRIL_URL": "http://127.0.0.1:9"}), [])

    def test_both_completions_know_every_command_and_option(self):
        scripts = {shell: self.call("completion", shell, url="http://127.0.0.1:9")[0] for shell in ("bash", "zsh")}
        overview = self.call("--help")[0].split("Commands:")[1].split("\n\n")[0]
        for line in filter(None, overview.splitlines()):
            words = [word for word in line.split("  ")[1].split() if re.fullmatch("[a-z]+", word)]
            options = re.findall(r"(?m)^  (?:-\w, |    )(--[a-z-]+)", self.call(*words, "--help")[0].split("\nOptions:")[1])
            self.assertIn("--help", options)
            for script in scripts.values():
                part = re.search(rf"(?ms)^  '{' '.join(words)}'\)$.*?;;$", script).group(0)
                for option in options:
                    self.assertRegex(part, rf"{option}\b")
            self.assertTrue(set(options) <= set(self.completed(f"tendril {' '.join(words)} -")))

    # ------------------------------------------------------------------------------------------ what goes wrong

    def test_a_refusal_names_the_place_and_the_exit_status_is_1(self):
        broken = json.loads(json.dumps(ROD))
        broken["links"][0]["body"]["length"] = -1
        self.write("broken.model.json", broken)
        self.assertIn("/links/0/body/length", self.call("models", "put", "broken.model.json", status=1)[1])
        self.call("models", "put", "rod.model.json")
        self.assertIn("/states/0/q", self.call("evaluate", "rod", "-", status=1, text='{"q": [1]}')[1])
        self.write("bad.job.json", {**JOB, "t_end": -1})
        self.assertIn("/t_end", self.call("run", "bad.job.json", status=1)[1])

    def test_a_refusal_of_a_file_names_its_line_and_column(self):
        lines = json.dumps({**ROD, "gravity": "down"}, indent=1).splitlines()
        line = next(i for i, text in enumerate(lines, 1) if "gravity" in text)
        where = f"at /gravity: wrong.model.json:{line}:{lines[line - 1].index('down')}"
        self.write("wrong.model.json", "\n".join(lines))
        self.assertIn(where, self.call("models", "put", "wrong.model.json", status=1)[1])
        self.call("models", "put", "rod.model.json")
        self.write("bad.job.json", '{"model": "rod",\n "kind": "dynamics",\n "t_end": -1, "output": {"dt": 0.1, "fields": ["q"]}}')
        for words in (["jobs", "submit"], ["run"]):
            self.assertIn("at /t_end: bad.job.json:3:11\n", self.call(*words, "bad.job.json", status=1)[1])
        # several at once, in both files
        several = {**JOB, "model": "several", "t_ende": 2, "t_end": "soon"}
        self.write("several.job.json", json.dumps(several, indent=1))
        self.write("several.model.json", json.dumps({**ROD, "name": "several", "gravity": "down", "lonks": []}, indent=1))
        told = self.call("run", "several.job.json", status=1)[1]
        places = re.findall(r"at (/\w+): (several\.\w+)\.json:\d+:\d+", told)
        self.assertEqual(sorted(places), [("/gravity", "several.model"), ("/lonks", "several.model"),
                                          ("/t_end", "several.job"), ("/t_ende", "several.job")])
        self.assertIn('did you mean "links"?', told)
        for words in (["models", "put", "several.model.json"], ["validate", "several.model.json"]):
            told = "".join(self.call(*words, status=1))
            self.assertEqual(len(re.findall(r"/(?:gravity|lonks)\b", told)), 2, told)
        # the model goes along: places are still those of the file
        self.assertIn("at /t_end: bad.job.json:", self.call("run", "rod.model.json", "bad.job.json", status=1)[1])

    def test_warnings_are_told_wherever_the_server_tells_them(self):
        self.write("odd.model.json", {**ROD, "name": "odd", "gravity": [0, 0, -9810]})
        self.write("odd.job.json", {**JOB, "model": "odd"})
        warning = "warning: odd_gravity at {}/gravity: 9810"
        state = json.dumps({"q": [0.1, -0.2, 0.3, 0.05, 0.02]})
        self.assertIn(warning.format(""), self.call("models", "put", "odd.model.json")[1])
        self.assertIn(warning.format("/model"), self.call("jobs", "submit", "odd.job.json")[1])
        self.assertIn(warning.format("/model"), self.call("run", "odd.job.json")[1])
        for output in ((), ("-o", "x.json"), ("-o", "x.npz")):
            self.assertIn(warning.format(""), self.call("evaluate", "odd.model.json", "-", *output, text=state)[1], output)
        self.assertEqual(self.call("evaluate", "rod.model.json", "-", text=state)[1], "")

    def test_a_job_that_fails_says_why_and_the_exit_status_is_1(self):
        self.call("models", "put", "rod.model.json")
        self.write("fail.job.json", {**JOB, "integrator": {"method": "rk4", "h": 0.1}, "t_end": 20})
        said = self.call("run", "fail.job.json", status=1)[1]
        self.assertIn(" failed: ", said)
        self.assertFalse(os.path.exists(self.path("fail.npz")))

    def test_no_server_is_exit_status_3_and_says_what_to_do(self):
        said = self.call("run", "rod.job.json", status=3, url="http://127.0.0.1:9")[1]
        self.assertIn("TENDRIL_URL", said)

    def test_wrong_usage_is_exit_status_2(self):
        for words in (["nonsense"], ["run"], ["run", "absent.json"], ["run", "rod.job.json", "--nonsense"], [],
                      ["run", "rod.job.json", "-o", "a.xyz"], ["models", "get", "../etc"], ["plot", "absent.npz"]):
            self.call(*words, status=2)
        self.write("syntax.json", '{"model": }')
        self.assertIn("syntax.json:1:", self.call("run", "syntax.json", status=2)[1])

    def test_a_command_that_is_missing_is_a_remark_and_help_that_is_asked_for_the_answer(self):
        for group in ([], ["models"], ["jobs"], ["token"]):
            out, said = self.call(*group, status=2)
            self.assertEqual(out, "", group)
            self.assertIn("Commands:", said)
            self.assertEqual(self.call(*group, "--help"), (said, ""))
            self.assertEqual(self.call("help", *group), (said, ""))

    def test_a_moment_that_is_none_is_wrong_usage(self):
        for name in ("--since", "--until"):
            for word in ("5x", "x", "", "2026-01-31", "2026-01-31T22:00:00", "2026-01-31T22:00:00.5x", "-3h", "1e9d", "nans",
                         "2026-02-31T22:00:00Z", "2026-01-31T22:00:00+25:00"):
                self.assertIn(name, self.call("jobs", "list", name, word, status=2, url="http://127.0.0.1:9")[1], word)
            for word in ("5m", "1.5h", "2026-01-31T22:00:00Z", "2026-01-31T22:00:00.25Z",
                         "2026-01-31T22:00:00+02:00", "2026-01-31T22:00:00-09:30"):
                self.call("jobs", "list", name, word)

    def test_a_list_without_an_answer_has_no_head(self):
        for words in (["models", "list"], ["token", "list"], ["jobs", "list"]):
            self.assertEqual(self.call(*words, status=3, url="http://127.0.0.1:9")[0], "")
        self.call("models", "put", "rod.model.json")
        self.assertEqual(self.call("models", "list")[0].count("SHA256"), 1)
        with refusing() as url:
            for words in (["models", "list"], ["token", "list"], ["jobs", "list"]):
                self.assertEqual(self.call(*words, status=1, url=url)[0], "")

    def test_run_tries_its_output_before_it_submits(self):
        before = self.listed("--limit", "1000")
        os.mkdir(self.path("folder.npz"))
        for place in ("absent/x.npz", self.path("absent/x.npz"), "folder.npz", "rod.job.json/x.npz"):
            self.assertIn("cannot write " + place, self.call("run", "rod.job.json", "-o", place, status=1)[1])
        self.assertIn("both want standard output", self.call("run", "rod.job.json", "-o", "-", "--json", status=2)[1])
        self.assertEqual(self.listed("--limit", "1000"), before)

    def test_run_that_cannot_write_its_result_says_how_to_fetch_it(self):
        with open("/dev/full", "wb") as full:
            said = self.call("run", "rod.job.json", "-o", "-", status=1, stdout=full)[1]
        self.assertIn("cannot write standard output: No space left", said)
        job = re.search(r"`tendril result (\S+) -o FILE`", said).group(1)
        self.call("result", job, "-o", "kept.npz")

    def test_standard_output_that_cannot_be_written_is_exit_status_1(self):
        self.call("models", "put", "rod.model.json")
        with open("/dev/full", "wb") as full:
            for words in (["models", "get", "rod"], ["models", "list"], ["--help"]):
                self.assertIn("cannot write standard output", self.call(*words, stdout=full, status=1)[1])

    def test_who_stops_reading_ends_the_command_without_a_word(self):
        self.call("models", "put", "rod.model.json")
        reader, writer = os.pipe()
        os.close(reader)
        for words in (["jobs", "list"], ["models", "list", "--json"], ["models", "get", "rod"], ["examples"], ["--help"]):
            self.assertEqual(self.call(*words, stdout=writer, status=-signal.SIGPIPE)[1], "", words)
        os.close(writer)

    def test_watching_ends_when_nobody_reads_the_events(self):
        job = self.submit(t_end=1000, integrator={"method": "newmark", "h": 0.001}, output={"dt": 10, "fields": ["q"]})
        process = subprocess.Popen([TENDRIL, "jobs", "watch", job, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "TENDRIL_URL": self.server.url})
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(30), -signal.SIGPIPE)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertIn(self.server.get(f"/v1/jobs/{job}")["state"], ("queued", "running"))
        self.call("jobs", "cancel", job)
        self.call("jobs", "watch", job, status=1)

    def test_every_command_has_help(self):
        overview = self.call("--help")[0]
        commands = [line.split("  ")[1] for line in overview.split("Commands:")[1].split("\n\n")[0].splitlines() if line]
        self.assertGreater(len(commands), 15)
        for command in commands:
            words = [word for word in command.split() if word.islower() and word.isalpha()]
            text = self.call(*words, "--help")[0]
            self.assertIn("Usage: tendril " + words[0], text)
            self.assertIn("\n  tendril " + " ".join(words), text, "an example")

    def test_interrupting_run_leaves_the_job_at_the_server(self):
        self.call("models", "put", "rod.model.json")
        self.write("long.job.json", {**JOB, "t_end": 1000, "integrator": {"method": "newmark", "h": 0.001}, "output": {"dt": 10, "fields": ["q"]}})
        process = subprocess.Popen([TENDRIL, "run", "long.job.json"], cwd=self.place.name, stderr=subprocess.PIPE,
                                   env={**os.environ, "TENDRIL_URL": self.server.url}, encoding="utf-8")
        job = next(line.split()[1] for line in process.stderr if " submitted to " in line)  # which model runs is said before
        process.stderr.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[1]
        self.assertIn(f"tendril watch {job}", said)
        self.assertEqual(process.returncode, 130)
        self.assertIn(self.server.get(f"/v1/jobs/{job}")["state"], ("queued", "running"))
        self.call("jobs", "cancel", job)
        self.call("jobs", "watch", job, status=1)


if __name__ == "__main__":
    unittest.main()
