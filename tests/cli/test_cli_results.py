"""What the `tendril` command fetches and computes: results and their parts, evaluations, models and revisions."""
import json
import os
import re
import sys
import unittest

import numpy as np

from command import JOB, ROD, Place


class Results(Place):
    # ------------------------------------------------------------------------------------------ results

    def test_a_result_is_the_same_from_the_server_in_npz_and_json_and_without_a_server(self):
        self.call("run", "rod.job.json", "-o", "a.npz")
        job = json.loads(self.call("run", "rod.job.json", "-o", "b.json", "--json")[0])
        self.call("result", job["id"], "-o", "c.npz")
        self.call("simulate", "rod.model.json", "rod.job.json", "-o", "d.npz")
        with open(self.path("b.json"), encoding="utf-8") as stream:
            arrays = json.load(stream)["arrays"]
        results = [np.load(self.path(name), allow_pickle=False) for name in ("a.npz", "c.npz", "d.npz")]
        for field in ["t"] + JOB["output"]["fields"]:
            expected = results[0][field]
            for other in [results[1][field], results[2][field], np.array(arrays[field])]:
                self.assertEqual(other.shape, expected.shape, field)
                self.assertTrue(np.array_equal(other, expected), field)
        for result in results:
            result.close()

    def test_parts_of_a_result_in_every_format(self):
        declared = self.server.get("/openapi.json")["paths"]["/v1/jobs/{id}/result"]["get"]["parameters"]
        if not any(parameter.get("name") == "fields" for parameter in declared):
            self.skipTest("this server gives whole results only")
        job = self.finished()
        self.call("result", job, "-o", "whole.npz")
        part = ["--fields", "q,poses:arm@0.5", "--from", "0.05", "--to", "0.1", "--stride", "2"]
        self.call("result", job, "-o", "part.npz", *part)
        with np.load(self.path("whole.npz"), allow_pickle=False) as whole, np.load(self.path("part.npz"), allow_pickle=False) as some:
            rows = [i for i, t in enumerate(whole["t"]) if 0.05 - 1e-12 <= t <= 0.1 + 1e-12][::2]
            self.assertEqual(len(rows), 3)
            for field in ("t", "q", "poses:arm@0.5"):
                self.assertTrue(np.array_equal(some[field], whole[field][rows]), field)
            self.assertNotIn("energy", some.files)
            self.assertEqual(self.call("result", job, "--format", "csv", *part)[0].strip(), job + ".csv")
            table = np.genfromtxt(self.path(job + ".csv"), delimiter=",", skip_header=1)
            self.assertTrue(np.array_equal(table[:, :6], np.column_stack([some["t"], some["q"]])))
        self.call("result", job, "-o", "part.json", *part)
        with open(self.path("part.json"), encoding="utf-8") as stream:
            self.assertEqual(len(json.load(stream)["arrays"]["q"]), 3)
        self.assertIn("nonsense", self.call("result", job, "--fields", "nonsense", "-o", "x.npz", status=1)[1])
        self.assertFalse(os.path.exists(self.path("x.npz")))

    def test_wrong_parts_are_refused_before_anything_is_sent(self):
        for words in (["--stride", "0"], ["--from", "soon"], ["--format", "xls"], ["-o", "out.txt"]):
            self.call("result", "job", *words, status=2, url="http://127.0.0.1:9")

    def test_a_linearisation_is_drawn_and_advises_nothing_that_is_refused(self):
        self.write("l.job.json", {"kind": "linearize", "at": "equilibrium", "inputs": {"pull": 1}})
        self.call("simulate", "rod.model.json", "l.job.json", "-o", "l.npz")
        _, told = self.call("plot", "l.npz", "-o", "l.svg")
        self.assertEqual(told, "")
        self.assertIn("a linearisation has none", self.call("plot", "l.npz", "-o", "x.svg", "--shapes", "2", status=2)[1])

    def test_names_of_many_links_are_cut_with_three_dots(self):
        links = [{"name": f"link_number_{i}", "joint": {"type": "revolute", "axis": [0, 1, 0]}, **({"parent": f"link_number_{i - 1}"} if i else {}),
                  "body": {"type": "rigid", "mass": 1, "inertia": [1, 1, 1]}} for i in range(14)]
        self.write("many.model.json", {"format": "tendril.model/1", "name": "many", "links": links})
        self.write("many.job.json", {"kind": "statics", "inputs": {}})
        self.call("simulate", "many.model.json", "many.job.json", "-o", "many.npz")
        self.assertRegex(self.call("plot", "many.npz", "-o", "many.png", url="http://127.0.0.1:1")[1], r'"poses:link_number_\d", …')

    def test_statics_results_can_be_drawn_too(self):
        self.write("s.job.json", {"model": "rod", "kind": "statics", "inputs": {"pull": [0, 1, 2, 4]}})
        self.call("models", "put", "rod.model.json")
        self.call("run", "s.job.json")
        self.call("plot", "s.npz", "-o", "s.png", url="this is no address")  # needs no server
        self.assertGreater(os.path.getsize(self.path("s.png")), 1000)

    def test_the_robot_of_a_job_that_kept_q_alone_is_drawn_as_the_server_places_it(self):
        self.write("q.job.json", {**JOB, "output": {"dt": 0.01, "fields": ["q"]}})
        self.write("p.job.json", {**JOB, "output": {"dt": 0.01, "fields": ["q", "poses:arm"]}})
        for name in "qp":
            self.call("simulate", "rod.model.json", name + ".job.json", "-o", name + ".npz")
            self.assertEqual(self.call("plot", name + ".npz", "--shapes", "3", "--size", "600x400", "-o", name + ".png")[1], "")
        with open(self.path("q.png"), "rb") as own, open(self.path("p.png"), "rb") as recorded:
            self.assertEqual(own.read(), recorded.read())
        nobody = self.call("plot", "q.npz", "-o", "x.png", url="http://127.0.0.1:1")[1]
        self.assertRegex(nobody, r'no server placed them from q \(no answer from http://127.0.0.1:1.*"fields": \["poses:arm"\]')
        self.assertIn("no server placed them", self.call("plot", "q.npz", "-o", "x.png", "--shapes", "3", url="http://127.0.0.1:1", status=2)[1])

    def test_robots_of_a_sweep_over_lengths_have_the_length_of_their_job(self):
        self.call("models", "put", "rod.model.json")
        self.write("s.job.json", {"model": "rod", "kind": "statics", "inputs": {"pull": 1.0}, "output": {"fields": ["q"]}})
        self.call("sweep", "s.job.json", "--over", "/model/links/0/body/length=0.1,0.2,0.4", "-o", "s.npz")
        self.call("plot", "s.npz", "--panels", "tip", "-o", "s.svg")
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../clients/python"))
        from tendril.client import _open
        from tendril.rebuilt import with_poses
        from tendril.result import Result
        result = Result.load(self.path("s.npz"))
        result.face = _open(self.server.url, None, 60, 0, None)
        points = with_poses(result)["poses:arm"][:, :, :3, 3]
        self.assertEqual([round(float(row), 2) for row in np.linalg.norm(np.diff(points, axis=1), axis=2).sum(axis=1)], [0.1, 0.2, 0.4])

    def test_a_damaged_result_is_refused_by_plot(self):
        self.call("simulate", "rod.model.json", "rod.job.json", "-o", "a.npz")
        with open(self.path("a.npz"), "rb") as stream:
            good = stream.read()
        for name, damaged in {"cut": good[:len(good) // 2], "empty": b"", "flipped": good[:600] + b"\xff" + good[601:],
                              "noise": b"PK\3\4" * 50}.items():
            with open(self.path("bad.npz"), "wb") as stream:
                stream.write(damaged)
            self.assertIn("cannot read bad.npz", self.call("plot", "bad.npz", "-o", "x.png", status=2)[1], name)
            self.assertFalse(os.path.exists(self.path("x.png")))

    # ------------------------------------------------------------------------------------------ evaluate, models, jobs

    def test_evaluate_gives_the_same_numbers_for_a_file_and_a_name(self):
        self.call("models", "put", "rod.model.json")
        state = json.dumps({"q": [0.1, -0.2, 0.3, 0.05, 0.02], "u": [1.5]})
        inline = self.call("evaluate", "rod.model.json", "-", "--want", "fd,energy", text=state)[0]
        named = self.call("evaluate", "rod", "-", "--want", "fd,energy", text=state)[0]
        self.assertEqual(json.loads(inline), json.loads(named))
        self.assertEqual(len(json.loads(named)["states"][0]["fd"]), 5)
        self.call("evaluate", "rod", "-", "--want", "fd", "-o", "fd.npz", text=state)
        with np.load(self.path("fd.npz"), allow_pickle=False) as arrays:
            self.assertEqual(arrays["fd"][0].tolist(), json.loads(named)["states"][0]["fd"])

    def test_evaluate_takes_steps(self):
        state = json.dumps({"q": [0.01, -0.02, 0.03, 0.005, 0.002]})
        said = json.loads(self.call("evaluate", "rod.model.json", "-", "--want", "x_next,dx_next_dx", "--step", "1e-3,newmark,2", text=state)[0])
        self.assertEqual((np.shape(said["states"][0]["x_next"]), np.shape(said["states"][0]["dx_next_dx"])), ((10,), (10, 10)))
        self.assertIn("one by one", self.call("evaluate", "rod.model.json", "-", "--want", "x_next", "--step", "1e-3,bdf", status=1, text=state)[1])

    def test_evaluate_differentiates_by_places_and_their_names(self):
        state, places = json.dumps({"q": [0.1, -0.2, 0.3, 0.05, 0.02]}), "E=/model/links/0/body/material/young,/model/links/0/body/length"
        said = json.loads(self.call("evaluate", "rod.model.json", "-", "--want", "dfd_dp", "--parameters", places, text=state)[0])
        self.assertEqual([(one["name"], one["way"]) for one in said["parameters"]], [("E", "affine"), ("/model/links/0/body/length", "differences")])
        self.assertEqual(np.shape(said["states"][0]["dfd_dp"]), (5, 2))
        refusal = self.call("evaluate", "rod.model.json", "-", "--parameters", "/model/links/0/body/strain/order/bending_y", status=1, text=state)[1]
        self.assertIn("an order is a count", refusal)

    def test_an_evaluation_exits_1_when_every_state_failed_and_0_when_one_did_not(self):
        good, bad = {"q": [0.1, -0.2, 0.3, 0.05, 0.02]}, {"q": [1e300] * 5}
        for name, states, status in (("all", [bad, bad], 1), ("one", [good, bad], 0)):
            for output in ((), ("-o", name + ".json"), ("-o", name + ".npz")):
                with self.subTest(states=name, output=output):
                    said = self.call("evaluate", "rod.model.json", "-", "--want", "fd", *output, status=status,
                                     text=json.dumps(states))
                    self.assertEqual("every state failed" in said[1], status == 1)

    def test_the_help_of_evaluate_names_every_quantity(self):
        refusal = self.call("evaluate", "rod", "-", "--want", "nothing", status=1, text='{"q": []}')[1]
        known = re.search(r"known: (.*) \(400", refusal).group(1).split(", ")
        described = re.search(r"Quantities: ([a-z_\s]+)\.", self.call("evaluate", "--help")[0]).group(1).split()
        self.assertEqual(sorted(described), sorted(known))

    def test_models_are_put_listed_read_back_and_deleted(self):
        self.write("m.model.json", {**ROD, "name": "passing"})
        self.assertIn("5 coordinates", self.call("models", "put", "m.model.json")[0])
        self.assertIn("passing", self.call("models", "list")[0])
        self.assertEqual(json.loads(self.call("models", "get", "passing@1")[0]), {**ROD, "name": "passing"})
        self.call("models", "delete", "passing")
        self.assertIn("404", self.call("models", "get", "passing", status=1)[1])

    def test_a_revision_is_known_by_its_number_or_the_beginning_of_its_sha256(self):
        for gravity in (-1, -2, -1):  # the first document comes back
            self.write("m.model.json", {**ROD, "name": "revised", "gravity": [0, 0, gravity]})
            self.call("models", "put", "m.model.json")
        rows = [json.loads(line) for line in self.call("models", "revisions", "revised", "--json")[0].splitlines()]
        self.assertEqual([row["revision"] for row in rows], [1, 2, 3])
        self.assertRegex(self.call("models", "revisions", "revised")[0], rf"(?m)^       2  {rows[1]['sha256']}  \S+Z$")
        self.assertEqual(rows[0]["sha256"], rows[2]["sha256"])
        for row, number, gravity in ((rows[0], 3, -1), (rows[1], 2, -2)):
            cut = next(n for n in range(4, 65) if not row["sha256"][:n].isdecimal())
            got = json.loads(self.call("models", "get", "revised@" + row["sha256"][:cut].upper(), "--json")[0])
            self.assertEqual((got["revision"], got["document"]["gravity"][2]), (number, gravity))
            state = json.dumps({"q": [0.1, -0.2, 0.3, 0.05, 0.02]})
            told = [self.call("evaluate", f"revised@{which}", "-", text=state)[0] for which in (row["sha256"], number)]
            self.assertEqual(*told)
        self.assertIn("no revision of revised begins with 'abcdabcdabcd'", self.call("models", "get", "revised@abcdabcdabcd", status=1)[1])
        for none in ("revised@abc", "revised@newest", "revised@" + "a" * 65):
            self.assertIn("names no revision", self.call("models", "get", none, status=2)[1])
        self.assertIn("404", self.call("models", "get", "absent@abcd", status=1)[1])
        self.assertIn("404", self.call("models", "revisions", "absent", status=1)[1])
        self.call("models", "delete", "revised")


if __name__ == "__main__":
    unittest.main()
