"""Requests that come twice: retries of jobs by people, and Idempotency-Key."""
import threading

from harness import ServerTest, long_job, main, pendulum, soft_arm

SHORT = {"model": "pendulum", "kind": "dynamics", "t_end": 0.1, "output": {"dt": 0.1, "fields": ["q"]}}


class Twice(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for model in (pendulum(), soft_arm()):
            assert cls.server.request("POST", "/v1/models", model).status == 201

    def submit(self, job, key):
        return self.server.request("POST", "/v1/jobs", job, {"Idempotency-Key": key})

    def test_a_retry_is_a_new_job_and_the_old_one_does_not_change(self):
        job = {**SHORT, "t_end": 5, "initial": {"qd": [1e200]}, "priority": 7, "labels": {"a": "b"}}
        failed = self.server.wait(self.server.submit(job))
        self.assertEqual((failed["state"], failed["retry_of"]), ("failed", None))
        self.server.request("PUT", "/v1/models/pendulum", pendulum(gravity=[0, 0, -1.62]))
        reply = self.server.request("POST", f"/v1/jobs/{failed['id']}:retry")
        self.assertEqual(reply.status, 202, reply.body)
        again = reply.json()
        self.assertEqual(reply.headers["Location"], f"/v1/jobs/{again['id']}")
        self.assertEqual((again["retry_of"], again["state"], again["attempt"]), (failed["id"], "queued", 0))
        for member in ("kind", "model", "labels", "priority"):  # the model as it was, whatever became of its name
            self.assertEqual(again[member], failed[member])
        again = self.server.wait(again["id"])
        self.assertEqual((again["state"], again["error"]), ("failed", failed["error"]))
        self.assertEqual(self.server.job(failed["id"]), failed)

    def test_the_same_key_and_job_give_the_same_retry_even_at_the_same_time(self):
        base = {**SHORT, "t_end": 5, "initial": {"qd": [1e200]}}
        sweep = {"kind": "sweep", "base": base, "vary": [{"path": "/job/t_end", "values": [5, 6]}]}
        for name, document in (("one", base), ("many", sweep)):
            failed = self.server.wait(self.server.submit(document))
            self.assertEqual(failed["state"], "failed")
            path, key, replies = f"/v1/jobs/{failed['id']}:retry", {"Idempotency-Key": f"again-{name}"}, []
            threads = [threading.Thread(target=lambda: replies.append(self.server.request("POST", path, headers=key))) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual({reply.status for reply in replies}, {202}, [reply.body for reply in replies])
            new, = {reply.json()["id"] for reply in replies}
            self.assertEqual((replies[0].json()["retry_of"], replies[0].headers["Location"]), (failed["id"], f"/v1/jobs/{new}"))
            self.server.wait(new)
            self.assertEqual(self.server.request("POST", path, headers=key).json()["id"], new)
            self.assertNotEqual(self.server.request("POST", path).json()["id"], new)
            self.assert_problem(self.server.request("POST", f"/v1/jobs/{new}:retry", headers=key), 422, "idempotency_mismatch")
            self.assert_problem(self.server.request("POST", "/v1/jobs", document, key), 422, "idempotency_mismatch")
        self.assert_problem(self.server.request("POST", path, headers={"Idempotency-Key": "x" * 129}), 400, "invalid_argument")

    def test_only_what_failed_or_was_cancelled_is_retried(self):
        blocker, queued = self.server.submit(long_job("soft")), self.server.submit(SHORT)
        self.server.wait_for_progress(blocker)
        for job_id in (blocker, queued):
            self.assert_problem(self.server.request("POST", f"/v1/jobs/{job_id}:retry"), 409, "failed_precondition")
            self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        self.server.wait(blocker)
        retried = self.server.request("POST", f"/v1/jobs/{queued}:retry").json()["id"]
        self.assertEqual(self.server.wait(retried)["state"], "succeeded")
        self.assert_problem(self.server.request("POST", f"/v1/jobs/{retried}:retry"), 409, "failed_precondition")
        self.assert_problem(self.server.request("POST", "/v1/jobs/nothing:retry"), 404, "not_found")

    def test_the_same_key_and_body_give_the_same_job_even_at_the_same_time(self):
        replies = []
        threads = [threading.Thread(target=lambda: replies.append(self.submit(SHORT, "night-1"))) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({reply.status for reply in replies}, {202})
        self.assertEqual(len({reply.json()["id"] for reply in replies}), 1)
        job_id = replies[0].json()["id"]
        self.server.wait(job_id)
        reply = self.submit(SHORT, "night-1")
        self.assertEqual((reply.status, reply.headers["Location"]), (202, f"/v1/jobs/{job_id}"))
        self.assertEqual(reply.json()["state"], "succeeded")

    def test_the_same_key_with_another_body_is_refused(self):
        job_id = self.submit(SHORT, "k").json()["id"]
        self.assert_problem(self.submit({**SHORT, "t_end": 0.2}, "k"), 422, "idempotency_mismatch")
        self.server.wait(job_id)
        self.server.request("DELETE", f"/v1/jobs/{job_id}")
        self.assertEqual(self.submit({**SHORT, "t_end": 0.2}, "k").status, 202)  # forgotten with its job

    def test_a_refused_job_does_not_use_up_its_key(self):
        self.assert_problem(self.submit({**SHORT, "t_end": -1}, "once"), 400, "invalid_argument", "/t_end")
        self.assertEqual(self.submit(SHORT, "once").status, 202)

    def test_a_key_must_be_visible_characters(self):
        for key in ("", "a b", "x" * 129, "caf\u00e9"):
            self.assert_problem(self.submit(SHORT, key), 400, "invalid_argument")


if __name__ == "__main__":
    main()
