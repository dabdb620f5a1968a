"""Results in forms and parts: Range and ETag; fields, from, to, stride; JSON, NPZ and CSV."""
import csv
import hashlib
import io
import os
import sqlite3
import unittest

import numpy as np

from harness import in_a_folder, Server, ServerTest, long_job, main, pendulum, soft_arm

JOB = {"model": pendulum(), "kind": "dynamics", "t_end": 2, "output": {"dt": 0.01, "fields": ["q", "qd"]}}


class Parts(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        job_id = cls.server.submit(JOB)
        assert cls.server.wait(job_id)["state"] == "succeeded"
        cls.path = f"/v1/jobs/{job_id}/result"
        cls.whole = cls.server.request("GET", cls.path, headers={"Accept": "application/x-npz"})

    def get(self, **headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.server.request("GET", self.path, headers={"Accept": "application/x-npz", **names})

    def test_one_range_gives_just_these_bytes(self):
        size = len(self.whole.body)
        for header, first, last in (("0-0", 0, 0), ("10-99", 10, 99), (f"{size - 5}-", size - 5, size - 1),
                                    ("-7", size - 7, size - 1), (f"100-{10 * size}", 100, size - 1),
                                    (f"-{10 * size}", 0, size - 1), ("0-99999999999999999999999", 0, size - 1)):
            part = self.get(Range=f"bytes={header}")
            self.assertEqual((part.status, part.body), (206, self.whole.body[first:last + 1]), header)
            self.assertEqual(part.headers["Content-Range"], f"bytes {first}-{last}/{size}")
            self.assertEqual(part.headers["ETag"], self.whole.headers["ETag"])

    def test_a_range_outside_the_archive_is_refused_with_its_size(self):
        size = len(self.whole.body)
        for header in (f"bytes={size}-", f"bytes={size}-{size + 5}", "bytes=-0", "bytes=99999999999999999999999-"):
            reply = self.get(Range=header)
            self.assert_problem(reply, 416, "range_not_satisfiable", words=[str(size)])
            self.assertEqual(reply.headers["Content-Range"], f"bytes */{size}", header)
        self.assertEqual(self.get(Range=f"bytes={size}-", If_Range='"other"').status, 200)
        self.assertEqual(self.server.request("HEAD", self.path, headers={"Accept": "application/x-npz", "Range": "bytes=0-9"}).status, 200)

    def test_what_is_no_single_range_gives_the_whole(self):
        for header in ("bytes=0-1,5-6", "lines=0-1", "bytes=", "bytes=-", "bytes=5-2", "bytes=x-1", "bytes=1-2x",
                       "bytes= 1-2", "0-1"):
            reply = self.get(Range=header)
            self.assertEqual((reply.status, reply.body), (200, self.whole.body), header)
            self.assertNotIn("Content-Range", reply.headers)

    def test_a_download_is_only_continued_when_the_file_is_the_same(self):
        tag = self.whole.headers["ETag"]
        self.assertEqual(self.get(Range="bytes=5-", If_Range=tag).status, 206)
        self.assertEqual(self.get(Range="bytes=5-", If_Range='"other"').body, self.whole.body)

    def test_what_the_client_has_is_not_sent_again(self):
        tag = self.whole.headers["ETag"]
        for header in (tag, "*", f'"a", {tag}'):
            reply = self.get(If_None_Match=header)
            self.assertEqual((reply.status, reply.body, reply.headers["ETag"]), (304, b"", tag))
        self.assertEqual(self.get(If_None_Match='"other"').status, 200)


CSV, JSON, NPZ = ({"Accept": media} for media in ("text/csv", "application/json", "application/x-npz"))


class Forms(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.request("POST", "/v1/models", soft_arm(order=1))
        fields = ["q", "qd", "u", "energy", "strain:arm", "poses:arm", "poses:arm@1", "tendons"]
        dynamics = {"model": "soft", "kind": "dynamics", "t_end": 0.4, "inputs": {"cable": 2},
                    "integrator": {"method": "newmark", "h": 0.01}, "output": {"dt": 0.01, "fields": fields}}
        statics = {"model": pendulum(), "kind": "statics", "unconverged": "keep",
                   "inputs": {"motor": [0.0, 1.0, 1e6, -3.0]}}
        ids = [cls.server.submit(job) for job in (dynamics, statics)]
        for job_id in ids:
            done = cls.server.wait(job_id)
            assert done["state"] == "succeeded", done
        cls.dynamics, cls.statics = (f"/v1/jobs/{job_id}/result" for job_id in ids)
        cls.fields = fields

    def get(self, path, headers, status=200):
        reply = self.server.request("GET", path, headers=headers)
        self.assertEqual(reply.status, status, reply.body[:500])
        return reply

    def table(self, path):
        reply = self.get(path, CSV)
        self.assertEqual(reply.headers["Content-Type"], "text/csv")
        head, *rows = list(csv.reader(io.StringIO(reply.body.decode())))
        values = np.array([[float(x) for x in row] for row in rows]).reshape(len(rows), -1 if rows else len(head))
        self.assertEqual(values.shape, (len(rows), len(head)))
        return head, values

    def test_csv_has_a_named_column_for_every_number_with_the_bits_of_the_archive(self):
        head, values = self.table(self.dynamics)
        archive, summary = self.get(self.dynamics, NPZ).npz(), self.get(self.dynamics, JSON).json()["summary"]
        points = len(summary["points"]["arm"])
        strain = ["torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z"]
        pose = ["r11", "r12", "r13", "x", "r21", "r22", "r23", "y", "r31", "r32", "r33", "z"]
        expected = ["t", *(f"{x}.{name}" for x in ("q", "qd") for name in summary["coordinates"]), "u.cable",
                    "energy.kinetic", "energy.elastic", "energy.gravitational", "energy.contact",
                    *(f"strain:arm[{k}].{name}" for k in range(points) for name in strain),
                    *(f"poses:arm[{k}].{name}" for k in range(points) for name in pose),
                    *(f"poses:arm@1.{name}" for name in pose), "tendons[0]"]
        self.assertEqual(head, expected)
        rows = len(archive["t"])
        flat = [archive["t"][:, None]]
        for name in self.fields:
            member = archive[name][..., :3, :] if name.startswith("poses") else archive[name]
            flat.append(member.reshape(rows, -1))
        np.testing.assert_array_equal(values, np.hstack(flat))

    def test_the_three_forms_of_a_part_hold_the_same_numbers(self):
        for query in ("?fields=q,poses:arm@1", "?from=0.1&to=0.3", "?stride=7", "?fields=qd&from=0.035&stride=3&to=0.2",
                      "?from=9", "?fields=energy,q,energy"):
            text, archive = self.get(self.dynamics + query, JSON).json(), self.get(self.dynamics + query, NPZ).npz()
            head, values = self.table(self.dynamics + query)
            self.assertEqual(set(text["arrays"]), set(archive.files) - {"summary"}, query)
            self.assertEqual(len(values), len(archive["t"]))
            for name, array in text["arrays"].items():
                np.testing.assert_array_equal(np.array(array).reshape(archive[name].shape), archive[name])
            if len(values):
                np.testing.assert_array_equal(values[:, head.index("t")], archive["t"])
                name, values_of = ("q", "q.arm") if "q" in archive.files else ("qd", "qd.arm")
                columns = [k for k, column in enumerate(head) if column.startswith(values_of)]
                np.testing.assert_array_equal(values[:, columns], archive[name])

    def test_a_part_is_what_slicing_the_whole_would_give(self):
        whole = self.get(self.dynamics, NPZ).npz()
        part = self.get(self.dynamics + "?fields=q,u&from=0.1&to=0.3&stride=4", NPZ).npz()
        chosen = [k for k, t in enumerate(whole["t"]) if 0.1 - 1e-9 <= t <= 0.3 + 1e-9][::4]
        self.assertEqual(sorted(part.files), ["q", "summary", "t", "u"])
        for name in part.files:
            np.testing.assert_array_equal(part[name], whole[name] if name == "summary" else whole[name][chosen])

    def test_statics_are_cut_by_the_number_of_the_problem(self):
        head, values = self.table(self.statics)
        self.assertEqual(head, ["index", "u.motor", "q.arm.joint[0]", "converged", "stable", "iterations", "residual"])
        np.testing.assert_array_equal(values[:, :2], [[0, 0], [1, 1], [2, 1e6], [3, -3]])
        np.testing.assert_array_equal(values[:, 3], [1, 1, 0, 1])
        head, values = self.table(self.statics + "?from=1&stride=2&fields=q,iterations")
        self.assertEqual((head, list(values[:, 0])), (["index", "q.arm.joint[0]", "iterations"], [1, 3]))
        self.assertEqual(self.get(self.statics + "?to=1&fields=u", JSON).json()["arrays"], {"u": [[0], [1]]})

    def test_wrong_parts_are_refused_with_what_is_wrong(self):
        for query, words in (("fields=q,nothing", ["\"nothing\"", "t, q, qd, u, energy"]), ("fields=", ["poses:arm@1"]),
                             ("from=a", ["from", "\"a\""]), ("to=", ["to"]), ("from=1e999", ["from"]), ("to=nan", ["to"]),
                             ("from=2&to=1", ["2", "1"]), ("stride=0", ["stride"]), ("stride=-1", ["stride"]),
                             ("stride=99999999999999999999", ["stride"]), ("partial=2", ["partial"])):
            for form in (CSV, JSON, NPZ):
                reply = self.server.request("GET", f"{self.dynamics}?{query}", headers=form)
                self.assert_problem(reply, 400, "invalid_argument", words=words)

    def test_every_form_and_part_has_a_tag_of_its_own_that_saves_sending_it_again(self):
        tags = {}
        for form in (CSV, JSON, NPZ):
            for query in ("", "?fields=q", "?stride=2", "?fields=q&stride=2", "?from=0.1", "?to=0.1"):
                reply = self.get(self.dynamics + query, form)
                tag = reply.headers["ETag"]
                self.assertRegex(tag, r'^"[0-9a-f]{64}"$')
                self.assertNotIn(tag, tags)
                self.assertIn("Accept", reply.headers["Vary"])
                tags[tag] = (form, query)
                self.assertEqual(self.get(self.dynamics + query, form).headers["ETag"], tag)
        for tag, (form, query) in tags.items():
            for given in (tag, f"W/{tag}", f'"other", {tag}'):
                reply = self.get(self.dynamics + query, {**form, "If-None-Match": given}, 304)
                self.assertEqual((reply.body, reply.headers["ETag"]), (b"", tag))
        self.get(self.dynamics, {**CSV, "If-None-Match": tag}, 200)  # the last one, of an archive

    def test_a_part_as_archive_may_be_fetched_in_ranges(self):
        whole = self.get(self.dynamics + "?fields=q", NPZ).body
        part = self.get(self.dynamics + "?fields=q", {**NPZ, "Range": "bytes=10-19"}, 206)
        self.assertEqual((part.body, part.headers["Content-Range"]), (whole[10:20], f"bytes 10-19/{len(whole)}"))

    def test_text_may_be_fetched_in_ranges(self):
        for form in ({}, CSV):
            for query in ("", "?fields=q&stride=3"):
                with self.subTest(form=form, query=query):
                    whole = self.get(self.dynamics + query, form)
                    tag, size = whole.headers["ETag"], len(whole.body)
                    self.assertEqual(whole.headers["Accept-Ranges"], "bytes")
                    part = self.get(self.dynamics + query, {**form, "Range": "bytes=10-19", "If-Range": tag}, 206)
                    self.assertEqual((part.body, part.headers["Content-Range"]), (whole.body[10:20], f"bytes 10-19/{size}"))
                    self.assertEqual([part.headers[name] for name in ("ETag", "Content-Type")],
                                     [tag, whole.headers["Content-Type"]])
                    again = self.get(self.dynamics + query, {**form, "Range": "lines=1-2"}, 200)
                    self.assertEqual(again.body, whole.body)
                    outside = self.server.request("GET", self.dynamics + query, headers={**form, "Range": f"bytes={size}-"})
                    self.assert_problem(outside, 416, "range_not_satisfiable", words=[str(size)])

    def test_parts_of_what_a_stopped_job_has_kept_come_in_every_form(self):
        self.server.request("POST", "/v1/models", soft_arm(name="slow"))
        job_id = self.server.submit(long_job("slow"))
        path = f"/v1/jobs/{job_id}/result?partial=1"
        while self.server.request("GET", path).status != 200:
            self.server.wait_for_progress(job_id)
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        self.server.wait(job_id)
        head, values = self.table(path + "&fields=q&stride=3")
        whole = self.get(path, NPZ)
        np.testing.assert_array_equal(values[:, 1:], whole.npz()["q"][::3])
        self.assertEqual(self.get(path, NPZ).headers["ETag"], whole.headers["ETag"])
        self.get(path, {**NPZ, "If-None-Match": whole.headers["ETag"]}, 304)
        self.assertEqual(head[:2], ["t", "q.arm.torsion[0]"])


class Large(unittest.TestCase):
    """A result of 64 MiB in the place of a small one."""

    def plant(self, server, job_id, rows):
        """Stops the server and gives the job another archive, as if it had written that."""
        path = os.path.join(server.folder, "results", job_id + ".npz")
        with np.load(path) as small:
            summary = small["summary"]
        self.assertEqual(server.stop(), 0)
        numbers = np.random.default_rng(1).standard_normal((rows, 6))
        np.savez(path, t=np.arange(rows) * 0.5, summary=summary, **{"strain:arm": numbers})
        with open(path, "rb") as file:
            data = file.read()
        database = sqlite3.connect(os.path.join(server.folder, "tendril.db"))
        with database:
            database.execute("UPDATE jobs SET result_size = ?, result_sha256 = ? WHERE id = ?",
                             (len(data), hashlib.sha256(data).hexdigest(), job_id))
        database.close()
        server.start()
        return numbers

    def peak(self, server):
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))

    @in_a_folder
    def test_it_is_sent_in_every_form_without_being_held_in_memory(self):
        server = Server()
        self.addCleanup(server.close)
        job_id = server.submit(JOB)
        self.assertEqual(server.wait(job_id)["state"], "succeeded")
        rows = 1_200_000
        numbers = self.plant(server, job_id, rows)
        path = f"/v1/jobs/{job_id}/result"
        server.request("GET", path + "?to=1", headers=CSV)  # what the first request takes
        with open(f"/proc/{server.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")  # the peak begins anew
        before = self.peak(server)
        whole = server.request("GET", path, headers=NPZ).npz()
        np.testing.assert_array_equal(whole["strain:arm"], numbers)
        part = server.request("GET", path + "?from=5&fields=strain:arm", headers=NPZ).npz()
        np.testing.assert_array_equal(part["strain:arm"], numbers[10:])
        text = server.request("GET", path + "?stride=4", headers=CSV).body
        table = np.loadtxt(io.BytesIO(text), delimiter=",", skiprows=1)
        np.testing.assert_array_equal(table[:, 1:], numbers[::4])
        arrays = server.request("GET", path + "?stride=8", headers=JSON).json()["arrays"]
        np.testing.assert_array_equal(np.array(arrays["strain:arm"]), numbers[::8])
        self.assertLess(self.peak(server) - before, 24 << 10, "KiB")


if __name__ == "__main__":
    main()
