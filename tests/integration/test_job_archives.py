"""Jobs whose large arrays come as NPZ: the same jobs as in JSON, kept whole; what is wrong, at its place; bounds; and the Python client, which
sends them that way by itself."""
import io
import json
import os
import sys
import unittest
import zipfile

import numpy as np

from harness import SOURCE, ServerTest, main, npz, soft_arm

sys.path.insert(0, os.path.join(os.path.abspath(SOURCE), "clients", "python"))
import tendril  # noqa: E402

ARCHIVE = {"Content-Type": "application/x-npz"}
NPZ = {"Accept": "application/x-npz"}
COUNT = 2000


def pull():
    return {"model": soft_arm(order=0, name="pulled"), "kind": "dynamics", "t_end": 0.1, "integrator": {"method": "newmark", "h": 0.005}, "labels": {"npz": "t"},
            "inputs": {"cable": {"type": "table", "t": {"npz": "t"}, "value": {"npz": "value"}}}, "output": {"dt": 0.05, "fields": ["q"]}}


def numbers():
    return {"t": np.linspace(0, 0.1, COUNT), "value": np.abs(np.sin(np.arange(COUNT) / 3))}


def bundle(document, **members):
    return npz(job=np.frombuffer(json.dumps(document).encode(), np.uint8), **members)


class Archives(ServerTest):
    def submit(self, body, status=202, **headers):
        reply = self.server.request("POST", "/v1/jobs", body, {**ARCHIVE, **headers})
        self.assertEqual(reply.status, status, reply.body[:500])
        return reply.json()

    def result(self, job_id):
        self.assertEqual(self.server.wait(job_id)["state"], "succeeded")
        return self.server.request("GET", f"/v1/jobs/{job_id}/result", headers=NPZ).npz()

    def whole(self):
        job = pull()
        job["inputs"]["cable"].update({name: values.tolist() for name, values in numbers().items()})
        return job

    def test_it_is_the_job_that_json_makes_and_is_kept_whole(self):
        made = self.submit(bundle(pull(), **numbers()))
        self.assertEqual(made["labels"], {"npz": "t"})
        other = self.server.submit(self.whole())
        np.testing.assert_array_equal(self.result(made["id"])["q"], self.result(other)["q"])
        kept, same = (self.server.request("GET", f"/v1/jobs/{id}/document").json() for id in (made["id"], other))
        self.assertEqual(kept, same)
        again = self.server.request("POST", "/v1/jobs", {**kept["job"], "model": kept["model"]})
        self.assertEqual(again.status, 202)

    def test_arrays_of_any_shape_order_and_type_of_number_and_a_document_as_a_string(self):
        n = self.result(self.server.submit({"model": soft_arm(order=0, name="pulled"), "kind": "statics"}))["q"].shape[1]
        job = {"kind": "gradient", "of": {**pull(), "inputs": {"cable": 2.0}}, "parameters": ["/job/inputs/cable"], "cotangents": {"poses:arm@1": {"npz": "c"}}}
        del job["of"]["labels"]
        cotangent = np.arange(3 * 16).reshape(3, 4, 4) / 7
        answers = []
        for array in (cotangent, np.asfortranarray(cotangent), cotangent.astype(np.float32).astype(float), (cotangent * 7).astype(np.int64)):
            answers.append(self.result(self.submit(npz(job=np.array(json.dumps(job)), c=array))["id"])["gradient"][0])
        self.assertEqual(answers[0], answers[1])
        self.assertAlmostEqual(answers[2], answers[0], delta=1e-6 * abs(answers[0]))
        self.assertAlmostEqual(answers[3], 7 * answers[0], delta=1e-12 * abs(answers[3]))
        short = {**pull(), "inputs": {}, "initial": {"q": {"npz": "q"}, "qd": {"npz": "q"}}}  # asked for twice
        self.result(self.submit(bundle(short, q=np.zeros(n)))["id"])

    def test_the_same_key_and_archive_give_the_same_job(self):
        body = bundle(pull(), **numbers())
        first, second = (self.submit(body, **{"Idempotency-Key": "twice"}) for _ in range(2))
        self.assertEqual(first["id"], second["id"])
        other = bundle(pull(), **{**numbers(), "value": numbers()["value"] + 1})
        self.assertEqual(self.submit(other, 422, **{"Idempotency-Key": "twice"})["code"], "idempotency_mismatch")

    def test_what_is_wrong_is_told_at_its_place(self):
        value = numbers()["value"]
        spoiled = value.copy()
        spoiled[7] = np.nan
        endless = value.copy()
        endless[3] = np.inf
        elsewhere = {**pull(), "t_end": {"npz": "t"}}
        cases = [(bundle(pull(), t=numbers()["t"]), "/inputs/cable/value/npz", "no member \"value\""),
                 (bundle(pull(), **numbers(), more=value), "/more", "nothing in the document asks"),
                 (bundle(pull(), **{**numbers(), "value": value[:5]}), "/inputs/cable/value", "has 5 entries"),
                 (bundle(pull(), **{**numbers(), "value": spoiled}), "/inputs/cable/value/7", "null"),
                 (bundle(pull(), **{**numbers(), "value": endless}), "/value", "number 3 is infinite"),
                 (bundle(pull(), **{**numbers(), "value": np.array(["a"] * COUNT)}), "/inputs/cable/value/npz", "must hold numbers"),
                 (bundle(elsewhere, **numbers()), "/t_end", "expected a number"),
                 (bundle({**pull(), "t_end": {"npz": "job"}}, **numbers()), "/t_end/npz", "no member \"job\""),
                 (npz(**numbers()), "", "no member \"job\""),
                 (npz(job=np.array([1.5]), **numbers()), "/job", "JSON text"),
                 (npz(job=np.array("{"), **numbers()), "", "line 1"),
                 (b"no archive", "", "not a readable NPZ archive")]
        for body, pointer, said in cases:
            with self.subTest(pointer=pointer, said=said):
                problem = self.submit(body, 400)
                self.assertEqual((problem.get("pointer", ""), said in problem["detail"]), (pointer, True), problem)
        reply = self.server.request("POST", "/v1/models", bundle(pull()), ARCHIVE)
        self.assertEqual(reply.status, 415, reply.body)

    def test_what_would_be_too_much_as_text_is_refused_whatever_it_packs_into(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in (("job", np.array(json.dumps(pull()))), ("t", np.zeros(40 << 20, np.uint8)), ("value", np.zeros(8))):
                with archive.open(name + ".npy", "w") as member:
                    np.lib.format.write_array(member, array)
        problem = self.submit(out.getvalue(), 413)
        self.assertIn("bytes", problem["detail"])


class Client(ServerTest):
    def test_the_python_client_sends_large_arrays_that_way_and_small_ones_as_json(self):
        with tendril.Client(f"http://{self.server.host}:{self.server.port}") as client:
            sent, inner = [], client._face.connection.request

            def request(method, path, **named):
                if method == "POST":
                    sent.append(named.get("content_type", "application/json"))
                return inner(method, path, **named)
            client._face.connection.request = request
            job = pull()
            job["inputs"]["cable"].update(numbers())
            large = client.run(job)
            job["inputs"]["cable"].update({name: values.tolist() for name, values in numbers().items()})
            small = client.run(job)
            np.testing.assert_array_equal(large["q"], small["q"])
            self.assertEqual(sent, ["application/x-npz", "application/json"])
            job["inputs"]["cable"]["value"] = np.full(COUNT, np.nan)
            with self.assertRaisesRegex(ValueError, "/inputs/cable/value/0"):
                client.submit(job)


if __name__ == "__main__":
    main()
