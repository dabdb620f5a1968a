"""One caller fills the queue and holds the workers: others' jobs take turns with his, and what a job may take is bounded."""
import os
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from test_memory import ritz  # noqa: E402
from harness import Server, fixed_step_job, main, make_token, pendulum, soft_arm  # noqa: E402

def steps(count):
    """A job of so many equal steps, each of some microseconds."""
    return {"model": "pendulum", "kind": "dynamics", "t_end": count * 1e-3, "initial": {"q": [0.5]},
            "integrator": {"method": "rk4", "h": 1e-3}, "output": {"dt": count * 1e-5}}


def large_chain():
    """A robot of one equilibrium that takes a minute."""
    basis = {name: 7 for name in ("torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z")}
    rod = {"type": "rod", "length": 0.5, "section": {"shape": "circle", "radius": 0.02},
           "material": {"young": 1e6, "poisson": 0.5, "density": 1000}, "strain": {"basis": "legendre", "order": basis},
           "quadrature": {"points": 10}}
    links = [{"name": f"r{i}", **({"parent": f"r{i - 1}"} if i else {}), "joint": {"type": "fixed"}, "body": rod} for i in range(32)]
    return {"format": "tendril.model/1", "name": "large", "gravity": [0, 0, -9.81], "links": links}


ENDLESS = steps(1.9e8)
SHORT = {"model": "pendulum", "kind": "dynamics", "t_end": 0.02, "output": {"dt": 0.01}}


class Queue(unittest.TestCase):
    def start(self, *flags, tokens=("greedy", "good"), workers=1):
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        folder = os.path.join(own.name, "data")
        self.tokens = {name: make_token(folder, "admin" if name == "root" else "run", name) for name in tokens}
        self.eye = make_token(folder, "read", "eye")
        self.server = Server(folder, *flags, workers=workers)
        self.addCleanup(self.server.close)
        for name in self.tokens:
            self.ask(name, "PUT", "/v1/models/pendulum", pendulum())

    def ask(self, name, method, path, body=None, **headers):
        return self.server.request(method, path, body, {"Authorization": "Bearer " + self.tokens[name], **headers})

    def submit(self, name, job, **more):
        reply = self.ask(name, "POST", "/v1/jobs", {**job, **more})
        self.assertEqual(reply.status, 202, reply.body)
        return reply.json()["id"]

    def job(self, name, id):
        return self.ask(name, "GET", f"/v1/jobs/{id}").json()

    def wait(self, name, id, *states, timeout=120):
        end = time.monotonic() + timeout
        while (now := self.job(name, id))["state"] not in (states or ("succeeded", "failed", "cancelled")):
            self.assertLess(time.monotonic(), end, now)
            time.sleep(0.02)
        return now

    def block(self, name="greedy"):
        """Every worker has something to do until the returned function is called."""
        ids = [self.submit(name, ENDLESS) for _ in range(self.server.workers)]
        for id in ids:
            self.wait(name, id, "running")
        return lambda: [self.ask(name, "POST", f"/v1/jobs/{id}:cancel") for id in ids]

    def started(self, name, ids):
        return [self.wait(name, id)["started_at"] for id in ids]

    def test_owners_take_turns_and_priorities_count_among_the_jobs_of_one(self):
        self.start("--slice-seconds", "0")
        go_on = self.block()
        flood = [self.submit("greedy", SHORT, priority=100) for _ in range(30)]
        good = [self.submit("good", SHORT, priority=priority) for priority in (-100, 100, 0)]
        go_on()
        last, mine = sorted(self.started("greedy", flood)), self.started("good", good)
        self.assertLess(max(mine), last[5], "three jobs of the other one are done after five of the flood at most")
        self.assertLess(mine[1], mine[2])
        self.assertLess(mine[2], mine[0])

    def test_small_jobs_of_one_go_before_long_ones_of_another_until_both_had_as_much(self):
        self.start("--slice-seconds", "0")
        go_on = self.block()
        long = [self.submit("greedy", steps(1e5)) for _ in range(5)]
        small = [self.submit("good", SHORT) for _ in range(8)]
        go_on()
        last = max(self.started("good", small))
        before = [job for job in (self.job("greedy", id) for id in long) if job["started_at"] and job["started_at"] < last]
        self.assertLess(len(before), 3, "eight jobs of milliseconds do not wait for as many of a second")
        for id in long:
            self.ask("greedy", "POST", f"/v1/jobs/{id}:cancel")

    def test_urgent_jobs_of_admins_come_before_all(self):
        self.start("--slice-seconds", "0", tokens=("greedy", "good", "root"))
        go_on = self.block()
        ids = [("good", self.submit("good", SHORT, priority=100)), ("root", self.submit("root", SHORT)),
               ("root", self.submit("root", SHORT, priority=1))]
        go_on()
        started = [self.wait(name, id)["started_at"] for name, id in ids]
        self.assertEqual(min(started), started[2])

    def test_jobs_that_run_on_and_on_make_room_and_lose_nothing(self):
        self.start("--slice-seconds", "1", workers=2)
        document = steps(2e6)
        alone = self.submit("good", document)
        self.wait("good", alone)
        long = [self.submit("greedy", document, priority=100) for _ in range(3)]
        for id in long[:2]:
            self.wait("greedy", id, "running")
        mine = self.submit("good", SHORT)
        self.wait("good", mine, timeout=60)
        self.assertTrue(any(self.job("greedy", id)["state"] not in ("succeeded", "failed") for id in long), "they were not waited for")
        self.server.wait_for_log('"job_yields"')
        for id in long:
            self.assertEqual(self.wait("greedy", id)["state"], "succeeded")
        results = [self.ask(name, "GET", f"/v1/jobs/{id}/result?fields=t,q", Accept="application/x-npz").npz()["q"].tobytes()
                   for name, id in (("good", alone), ("greedy", long[0]), ("greedy", long[1]))]
        self.assertEqual(len(set(results)), 1, "the same bits, whether or not it made room")

    def test_a_job_that_reaches_no_checkpoint_stops_where_it_is_for_others(self):
        self.start("--slice-seconds", "1")
        for name in self.tokens:
            self.ask(name, "PUT", "/v1/models/soft", soft_arm())
        endless = {**fixed_step_job("soft", 1.9e4, 1e-4), "output": {"dt": 10, "fields": ["q"]}}  # a checkpoint in some minutes
        first = self.submit("greedy", endless)
        self.wait("greedy", first, "running")
        self.wait("good", self.submit("good", SHORT), timeout=60)
        before = self.job("greedy", first)["progress"]["fraction"]
        while self.job("greedy", first)["progress"]["fraction"] == before:
            time.sleep(0.05)
        self.assertEqual(self.job("greedy", first)["attempt"], 1, "it goes on where it was")
        second = self.submit("good", endless)
        self.wait("good", second, "running", timeout=60)
        self.ask("greedy", "POST", f"/v1/jobs/{first}:cancel")  # one that is stopped hears it, too
        self.wait("greedy", first, "cancelled", timeout=60)
        third = self.submit("greedy", endless)
        self.wait("greedy", third, "running", timeout=60)
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        for name, id in (("good", second), ("greedy", third)):
            self.assertIn(self.job(name, id)["state"], ("queued", "running"))
            self.ask(name, "POST", f"/v1/jobs/{id}:cancel")

    def test_a_job_that_is_too_large_to_be_stopped_in_memory_goes_back_into_the_queue(self):
        self.start("--slice-seconds", "1", "--memory", "64")  # of which workers that are stopped may have 14 MiB
        self.assertEqual(self.ask("greedy", "PUT", "/v1/models/block", ritz(2, side=25, links=6)).status, 201)
        endless = {"model": "block", "kind": "dynamics", "t_end": 1e3, "integrator": {"method": "rk4", "h": 1e-5}, "output": {"dt": 10}}
        first = self.submit("greedy", endless)
        self.wait("greedy", first, "running")
        self.wait("good", self.submit("good", SHORT), timeout=60)
        self.server.wait_for_log('"job_put_back"')
        self.assertNotIn('"job_parked"', self.server.log())
        self.assertIn('tendril_memory_bytes{account="parked"} 0\n', self.metrics())
        events = self.ask("greedy", "GET", f"/v1/jobs/{first}/events?since=0").json()["events"]
        self.assertTrue(any("last checkpoint" in event.get("message", "") for event in events), events)
        self.assertEqual(self.wait("greedy", first, "running", timeout=60)["attempt"], 2)
        self.ask("greedy", "POST", f"/v1/jobs/{first}:cancel")

    def test_one_owner_cannot_keep_all_places_of_stopped_jobs(self):
        self.start("--slice-seconds", "1", "--parked-jobs", "1")
        for name in self.tokens:
            self.ask(name, "PUT", "/v1/models/soft", soft_arm())
        endless = {**fixed_step_job("soft", 1.9e4, 1e-4), "output": {"dt": 10, "fields": ["q"]}}
        first = self.submit("greedy", endless)
        self.wait("greedy", first, "running")
        second = self.submit("greedy", {**endless, "priority": 100})  # his own, for which the first one stops
        self.server.wait_for_log('"job_parked"')
        self.assertGreater(int(self.metrics().split('tendril_memory_bytes{account="parked"} ')[1].split()[0]), 1 << 18)
        self.wait("good", self.submit("good", SHORT), timeout=60)
        self.server.wait_for_log('"job_put_back"')
        for id in (first, second):
            self.assertIn(self.job("greedy", id)["state"], ("queued", "running"))
            self.ask("greedy", "POST", f"/v1/jobs/{id}:cancel")

    def metrics(self):
        return self.server.request("GET", "/metrics", headers={"Authorization": "Bearer " + self.eye}).body.decode()

    def test_a_run_makes_room_in_its_check_and_goes_on_where_it_was(self):
        self.start("--slice-seconds", "1")
        count = 1e6  # some seconds, the last third of which are its check
        for _ in range(5):
            document = steps(count)
            first = self.submit("greedy", document)
            while "phase" not in (now := self.job("greedy", first))["progress"] and now["state"] in ("queued", "running"):
                time.sleep(0.01)
            self.wait("good", self.submit("good", SHORT), timeout=60)
            stopped, done = self.job("greedy", first), self.wait("greedy", first)
            self.assertEqual((done["state"], done["attempt"]), ("succeeded", 1))
            if "phase" in stopped["progress"]:
                break
            count *= 2  # the check was over before it had to make room
        self.assertEqual((stopped["state"], stopped["progress"]["phase"]), ("running", "checking"))

    def test_one_problem_does_not_outlast_the_time_of_its_job(self):
        self.start()
        self.ask("good", "PUT", "/v1/models/large", large_chain())
        late = self.wait("good", self.submit("good", {"model": "large", "kind": "statics", "max_wall_s": 0.5}), timeout=200)
        self.assertEqual((late["state"], late["error"]["code"], late["error"]["pointer"]), ("failed", "limit", "/max_wall_s"))

    def test_a_job_of_higher_priority_of_the_same_owner_is_made_room_for(self):
        server = Server(None, "--slice-seconds", "1")
        self.addCleanup(server.close)
        server.request("PUT", "/v1/models/pendulum", pendulum())
        long = server.submit(steps(5e7))
        server.wait_for_progress(long)
        server.wait(server.submit({**SHORT, "priority": 100}))
        self.assertIn(server.job(long)["state"], ("queued", "running"))
        server.request("POST", f"/v1/jobs/{long}:cancel")

    def test_how_many_jobs_of_one_owner_wait_is_bounded_with_their_documents(self):
        self.start("--queued-per-owner", "5", "--queued-mib-per-owner", "1", tokens=("greedy", "good", "heavy"))
        go_on = self.block()
        for _ in range(5):
            self.submit("greedy", SHORT)
        reply = self.ask("greedy", "POST", "/v1/jobs", SHORT)
        self.assertEqual((reply.status, reply.json()["code"]), (429, "rate_limited"))
        self.assertIn("queued-per-owner", reply.json()["detail"])
        self.assertIn("Retry-After", reply.headers)
        sweep = {"kind": "sweep", "base": SHORT, "vary": [{"path": "/job/t_end", "values": [0.01 * k for k in range(1, 8)]}]}
        self.assertEqual(self.ask("good", "POST", "/v1/jobs", sweep).status, 429)
        heavy = {**SHORT, "labels": {f"k{i}": "x" * 200 for i in range(30)},
                 "inputs": {"motor": {"type": "table", "t": [0.001 * i for i in range(30000)], "value": [0.5] * 30000}}}
        statuses = [self.ask("heavy", "POST", "/v1/jobs", heavy).status for _ in range(5)]
        self.assertEqual(statuses[0], 202)
        self.assertEqual(statuses[-1], 429)
        self.submit("good", SHORT)
        go_on()

    def test_what_a_job_may_take_is_known_when_it_comes_or_bounded_while_it_runs(self):
        self.start("--max-steps", "1000000", "--max-wall-s", "10")
        fixed = {**SHORT, "integrator": {"method": "rk4", "h": 1e-3}}
        for job, pointer in (({**fixed, "t_end": 1001, "output": {"dt": 10}}, "/integrator/h"),
                             ({**SHORT, "t_end": 1001, "output": {"dt": 1e-3}}, "/output/dt"), ({**SHORT, "max_wall_s": 20}, "/max_wall_s")):
            reply = self.ask("greedy", "POST", "/v1/jobs", job)
            self.assertEqual((reply.status, reply.json().get("pointer")), (400, pointer), reply.body)
        reply = self.ask("greedy", "POST", "/v1/jobs", {"kind": "sweep", "base": fixed, "vary": [{"path": "/job/t_end", "values": [1, 2000]}]})
        self.assertEqual(reply.status, 400, reply.body)
        self.start("--max-wall-s", "1")
        late = self.wait("greedy", self.submit("greedy", ENDLESS))
        self.assertEqual((late["state"], late["error"]["pointer"]), ("failed", "/max_wall_s"))


if __name__ == "__main__":
    main()
