"""Several servers on one database: what each of them is asked is answered for all, and what one loses another takes over."""
import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))

import grpc  # noqa: E402
import numpy as np  # noqa: E402
from grpc_client import jobs, jobs_grpc  # noqa: E402
from harness import BIN, Server, long_job, main, pendulum, soft_arm  # noqa: E402
from with_postgresql import Postgresql  # noqa: E402

ENDED = ("succeeded", "failed", "cancelled")
NPZ = {"Accept": "application/x-npz"}
SMALL = {"model": pendulum(), "kind": "statics", "inputs": {"motor": 0.5}}


class Nodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = Postgresql(durable=True)

    @classmethod
    def tearDownClass(cls):
        cls.database.close()

    def setUp(self):
        self.schema = "t" + str(time.monotonic_ns())
        self.database.sql(f"CREATE SCHEMA {self.schema}")
        self.url = self.database.url("postgres") + f"&options=-csearch_path%3D{self.schema}"

    def node(self, name, *flags, workers=1):
        server = Server(None, "--store", self.url, "--node", name, *flags, workers=workers)
        self.addCleanup(server.close)
        return server

    def sql(self, text):
        return self.database.sql(f"SET search_path = {self.schema}; {text}")

    def until(self, wanted, ask, *servers, timeout=60):
        end = time.monotonic() + timeout
        while (got := ask()) != wanted:
            self.assertLess(time.monotonic(), end, f"{got} and not {wanted}: " + "\n".join(server.log()[-3000:] for server in servers))
            time.sleep(0.05)

    # ---------------------------------------------------------------------------------------------------- ownership

    def test_a_sweep_is_run_by_all_and_what_a_killed_one_had_by_those_that_are_left(self):
        b = self.node("b", workers=2)
        vary = [{"path": "/job/inputs/cable/amplitude", "values": [1 + 0.1 * k for k in range(4)]}]
        sweep = b.submit({"kind": "sweep", "base": long_job(soft_arm(), 20.0), "vary": vary})
        running = "SELECT count(*) || ' ' || count(DISTINCT node) FROM jobs WHERE state = 'running' AND kind <> 'sweep'"
        self.until("2 1", lambda: self.sql(running), b)
        a = self.node("a", workers=4)  # has places for what the other one is going to lose
        self.until("4 2", lambda: self.sql(running), a, b)
        kept = "SELECT string_agg(j.id, ' ') FROM jobs AS j JOIN parts AS p ON p.job = j.id WHERE j.state = 'running' AND j.ran_on = 'b'"
        self.until(True, lambda: bool(self.sql(kept)), a, b)
        had = self.sql("SELECT string_agg(id, ' ') FROM jobs WHERE state = 'running' AND ran_on = 'b'").split()
        b.kill()
        killed = time.monotonic()
        gone = f"SELECT count(*) FROM jobs WHERE id IN ({', '.join(repr(job) for job in had)}) AND attempt < 2"
        self.until("0", lambda: self.sql(gone), a)
        print(f"{len(had)} orphans run again after {time.monotonic() - killed:.1f} s", file=sys.stderr)
        done = a.wait(sweep)
        self.assertEqual((done["state"], done["jobs"]["succeeded"]), ("succeeded", 4), done)
        for job in had:
            self.assertEqual(self.sql(f"SELECT crashes, node_losses, attempt FROM jobs WHERE id = '{job}'"), "0|1|2")
        self.assert_undisturbed(a, self.orphan_that_went_on(a, had))

    def orphan_that_went_on(self, server, orphans):
        """One whose second attempt began at a checkpoint of the first."""
        lines = [json.loads(line) for line in server.log().splitlines() if line.startswith("{")]
        begun = {line["job"]: line["resumed_bytes"] for line in lines if line.get("event") == "job_started" and line["attempt"] == 2}
        went_on = [job for job in orphans if begun.get(job, 0) > 0]
        self.assertTrue(went_on, begun)
        return went_on[0]

    def assert_undisturbed(self, server, job):
        """Its result has the bits of the same document run by itself."""
        document = server.request("GET", f"/v1/jobs/{job}/document").json()
        alone = server.submit({**document["job"], "model": document["model"]})
        done = server.wait(alone)
        self.assertEqual((done["state"], done["attempt"]), ("succeeded", 1), done)
        got, wanted = (server.request("GET", f"/v1/jobs/{one}/result", headers=NPZ).npz() for one in (job, alone))
        self.assertEqual(set(got.files), set(wanted.files))
        for name in set(wanted.files) - {"summary"}:
            np.testing.assert_array_equal(got[name], wanted[name], err_msg=name)

    def test_nodes_that_tell_of_one_sweep_wait_for_their_turns_and_none_begins_anew(self):
        """Numbers of events go up by one; to give the same one twice would undo a change, with the ends of jobs in it."""
        a, b = self.node("a", workers=2), self.node("b", workers=2)
        said = len(self.database.said())
        for name in ("a", "b"):
            self.assertEqual(a.request("POST", f"/v1/nodes/{name}/drain").status, 200)
        for node in (a, b):
            node.wait_for_log("node_draining")
        sweep = a.submit({"kind": "sweep", "base": SMALL, "vary": [{"path": "/job/inputs/motor", "values": [0.01 * k for k in range(60)]}]})
        session = self.database.session()
        self.addCleanup(session.kill)
        session.stdin.write(f"SET search_path = {self.schema}; BEGIN; SELECT seq FROM jobs WHERE id = '{sweep}' FOR NO KEY UPDATE; INSERT INTO "
                            "events (job, seq, time_ms, attempt, type, data) SELECT j.seq, max(e.seq) + 1, max(e.time_ms), 0, 'log', "
                            "'{\"level\":\"info\",\"message\":\"first\"}' FROM jobs AS j JOIN events AS e ON e.job = j.seq WHERE j.id = "
                            f"'{sweep}' GROUP BY j.seq;\n")
        session.stdin.flush()
        held = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE 'INSERT INTO events%first%'"
        self.until("1", lambda: self.sql(held), a, b)
        for name in ("a", "b"):
            self.assertEqual(a.request("POST", f"/v1/nodes/{name}/drain?undo=1").status, 200)
        self.until(True, lambda: self.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") > "0", a, b)
        session.communicate("COMMIT;\n")
        done = b.wait(sweep)
        self.assertEqual((done["state"], done["jobs"]["succeeded"]), ("succeeded", 60), done)
        self.assertIn("first", str(a.request("GET", f"/v1/jobs/{sweep}/events?since=0").json()["events"]))
        self.assertNotIn("events_pkey", self.database.said()[said:])

    def test_a_node_that_stood_still_beyond_its_lease_gives_up_what_others_have(self):
        a, b = self.node("a"), self.node("b")
        job = a.submit(long_job(soft_arm(), 200.0))
        self.until(True, lambda: a.job(job)["state"] == "running", a, b)
        holder, other = (a, b) if self.sql(f"SELECT ran_on FROM jobs WHERE id = '{job}'") == "a" else (b, a)
        workers = holder.workers_running()
        holder.process.send_signal(signal.SIGSTOP)
        self.until(2, lambda: other.job(job)["attempt"], other)
        holder.process.send_signal(signal.SIGCONT)
        # it counts its seconds, or is told first, by what its attempt still wrote
        self.until(True, lambda: any(event in holder.log() for event in ("node_fenced", "job_lost")), holder)
        self.until(False, lambda: any(os.path.exists(f"/proc/{pid}") and pid in holder.workers_running() for pid in workers), holder)
        self.until((200, 200), lambda: (a.request("GET", "/readyz").status, b.request("GET", "/readyz").status), a, b)
        self.assertEqual((other.job(job)["state"], other.job(job)["attempt"]), ("running", 2))
        self.assertEqual(holder.request("POST", f"/v1/jobs/{job}:cancel").status, 202)
        self.assertEqual(holder.wait(job)["state"], "cancelled")
        small = holder.submit(SMALL)  # it takes part again
        self.assertEqual(other.wait(small)["state"], "succeeded")

    def lose_every_second_renewal(self, name, over):
        """Until `over`: the row of this node is held until its renewal waits, whose session ends, and let go until the next one is answered."""
        heartbeat = f"SELECT heartbeat_ms FROM nodes WHERE name = '{name}'"
        waits = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO nodes%'"
        session = self.database.session()
        self.addCleanup(session.kill)
        session.stdin.write(f"SET search_path = {self.schema};\n")
        lost = 0
        while not over():
            last = self.sql(heartbeat)
            session.stdin.write(f"BEGIN; SELECT 1 FROM nodes WHERE name = '{name}' FOR NO KEY UPDATE;\n")
            session.stdin.flush()
            self.until("1", lambda: self.sql("SELECT count(*) " + waits))
            time.sleep(0.7)  # what is lost within half a second is asked anew at once
            self.sql("SELECT pg_terminate_backend(pid) " + waits)
            session.stdin.write("COMMIT;\n")
            session.stdin.flush()
            lost += 1
            self.until(True, lambda last=last: self.sql(heartbeat) != last)
        session.communicate("")
        return lost

    def test_a_node_that_loses_a_renewal_now_and_then_takes_over_what_others_lost(self):
        a, b = self.node("a"), self.node("b")
        self.assertEqual(b.request("POST", "/v1/nodes/b/drain").status, 200)
        b.wait_for_log("node_draining")
        job = b.submit(long_job(soft_arm(), 200.0))
        self.until(True, lambda: b.job(job)["state"] == "running", a, b)
        self.assertEqual(b.request("POST", "/v1/nodes/b/drain?undo=1").status, 200)
        a.kill()
        end = time.monotonic() + 60
        taken = f"SELECT attempt FROM jobs WHERE id = '{job}'"
        lost = self.lose_every_second_renewal("b", lambda: self.sql(taken) == "2" or time.monotonic() > end)
        if "node_fenced" in b.log():
            self.skipTest("so slow a machine that the renewals after the lost ones came too late")
        self.assertGreater(lost, 1)
        self.assertEqual(self.sql(taken), "2", b.log()[-3000:])
        self.assertEqual(b.request("POST", f"/v1/jobs/{job}:cancel").status, 202)
        self.assertEqual(b.wait(job)["state"], "cancelled")

    def test_a_node_that_stood_still_in_the_midst_of_a_change_keeps_its_jobs_no_longer_than_its_lease(self):
        """What it has locked is let go by the database, not by the node, which says nothing any more."""
        a, b = self.node("a"), self.node("b")
        job = a.submit(long_job(soft_arm(), 200.0))
        self.until(True, lambda: a.job(job)["state"] == "running", a, b)
        holder, other = (a, b) if self.sql(f"SELECT ran_on FROM jobs WHERE id = '{job}'") == "a" else (b, a)
        self.addCleanup(lambda: holder.process.send_signal(signal.SIGCONT))
        session = self.database.session()
        self.addCleanup(session.kill)
        sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tendrild' AND "
        changes = "state = 'idle in transaction' AND query NOT LIKE 'BEGIN%'"
        for _ in range(20):  # until what waited for the job's row is a change of several statements
            session.stdin.write(f"SET search_path = {self.schema}; BEGIN; SELECT 1 FROM jobs WHERE id = '{job}' FOR UPDATE;\n")
            session.stdin.flush()
            self.until(True, lambda: self.sql(sessions + "wait_event_type = 'Lock'") != "0", a, b)
            holder.process.send_signal(signal.SIGSTOP)
            session.stdin.write("COMMIT;\n")
            session.stdin.flush()
            time.sleep(0.3)
            if self.sql(sessions + changes) != "0":
                break
            holder.process.send_signal(signal.SIGCONT)
            time.sleep(0.5)
        self.assertNotEqual(self.sql(sessions + changes), "0")
        self.until(2, lambda: other.job(job)["attempt"], other)
        late = self.sql("SELECT min(e.time_ms) - (SELECT min(lease_ms) FROM nodes) FROM events AS e JOIN jobs AS j ON j.seq = e.job WHERE "
                        f"j.id = '{job}' AND e.attempt = 1 AND e.type = 'state' AND e.data LIKE '%queued%'")
        self.assertLess(int(late), 10000)  # by the clock of the database; such a session had been kept for 30 s
        holder.process.send_signal(signal.SIGCONT)
        self.assertEqual(other.request("POST", f"/v1/jobs/{job}:cancel").status, 202)
        self.assertEqual(other.wait(job)["state"], "cancelled")

    def test_a_node_whose_database_is_away_ends_its_workers_before_others_may_have_their_jobs(self):
        a = self.node("a")
        job = a.submit(long_job(soft_arm(), 200.0))
        a.wait_for_progress(job)
        self.database.stop("immediate")
        try:
            a.wait_for_log("node_fenced")
            self.until([], a.workers_running, a)
        finally:
            self.database.start()
        self.until(2, lambda: self.attempt(a, job), a)
        self.assertIn("node_back", a.log())
        self.assertEqual(a.request("POST", f"/v1/jobs/{job}:cancel").status, 202)
        self.assertEqual(a.wait(job)["state"], "cancelled")

    @staticmethod
    def attempt(server, job):
        reply = server.request("GET", f"/v1/jobs/{job}")
        return reply.json()["attempt"] if reply.status == 200 else None

    def test_a_job_whose_nodes_are_lost_again_and_again_ends(self):
        a = self.node("a")
        job = a.submit(long_job(soft_arm(), 200.0))
        a.wait_for_progress(job)
        self.sql(f"UPDATE jobs SET node = 'gone', node_losses = 9 WHERE id = '{job}'")
        done = a.wait(job)
        self.assertEqual((done["state"], done["error"]["code"]), ("failed", "nodes_lost"), done)
        self.assertIn("lost 10 times", done["error"]["detail"])

    # --------------------------------------------------------------------------------------------- one for all, all for one

    def test_what_one_runs_is_watched_and_cancelled_at_another(self):
        a, b = self.node("a"), self.node("b")
        jobs = [a.submit(long_job(soft_arm(), 200.0)) for _ in range(2)]
        for job in jobs:
            for server in (a, b):
                server.wait_for_progress(job)  # also of one that it does not run
        streams = [self.stream(server, jobs[0]) for server in (a, b)]
        self.assertEqual(sorted(server.job(job)["node"] for server, job in zip((a, b), jobs)), ["a", "b"])
        for job in jobs:
            self.assertEqual(a.request("POST", f"/v1/jobs/{job}:cancel").status, 202)
            self.assertEqual(b.wait(job)["state"], "cancelled")
        for thread, heard in streams:
            thread.join(60)
            states = [json.loads(line[5:])["state"] for line in heard if line.startswith("data:") and "state" in json.loads(line[5:])]
            self.assertEqual(states[-1], "cancelled", heard[-5:])

    def stream(self, server, job):
        heard = []

        def read():
            connection = server.connect()
            connection.request("GET", f"/v1/jobs/{job}/events", headers={"Accept": "text/event-stream"})
            reply = connection.getresponse()
            heard.extend(line.decode().strip() for line in reply)
            connection.close()
        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread, heard

    def fetched(self, server):
        lines = server.request("GET", "/metrics").body.decode().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("tendril_store_fetched_bytes_total "))

    def far_result(self, *fields, t_end=400):
        """A large result: its path, the node that wrote it, and the other one."""
        a, b = self.node("a"), self.node("b")
        job = a.submit({"model": pendulum(), "kind": "dynamics", "t_end": t_end, "output": {"dt": 1e-3, "fields": fields},
                        "integrator": {"method": "newmark", "h": 1e-3}})
        done = a.wait(job)
        self.assertEqual(done["state"], "succeeded", done)
        return (f"/v1/jobs/{job}/result", *((a, b) if done["node"] == "a" else (b, a)))

    def test_a_range_of_a_result_at_another_node_reads_its_chunks_only(self):
        path, writer, other = self.far_result("q", "qd")
        mib = 1 << 20
        before = self.fetched(other)
        head = other.request("HEAD", path, headers=NPZ)
        size = int(head.headers["Content-Length"])
        self.assertGreater(size, 4 * mib)
        unchanged = other.request("GET", path, headers={**NPZ, "If-None-Match": head.headers["ETag"]})
        outside = other.request("GET", path, headers={**NPZ, "Range": f"bytes={size}-"})
        self.assertEqual((head.status, unchanged.status, outside.status), (200, 304, 416))
        self.assertEqual(self.fetched(other) - before, 0)
        whole = writer.request("GET", path, headers=NPZ).body
        self.assertEqual(len(whole), size)
        for first, count in ((100, 1000), (2 * mib - 5, 10), (2 * mib, 10), (size - 10, 10)):
            part = other.request("GET", path, headers={**NPZ, "Range": f"bytes={first}-{first + count - 1}"})
            self.assertEqual((part.status, part.headers["Content-Range"]), (206, f"bytes {first}-{first + count - 1}/{size}"))
            self.assertEqual(part.body, whole[first:first + count])
        last = (size - 1) % mib + 1
        self.assertEqual(self.fetched(other) - before, 3 * mib + last)
        self.assertEqual(other.request("GET", path, headers=NPZ).body, whole)

    def test_some_fields_or_rows_of_a_result_at_another_node_and_a_stream_that_ends_early_fetch_what_they_need_only(self):
        link, mib = pendulum()["links"][0]["name"], 1 << 20
        path, writer, other = self.far_result(f"poses:{link}", "q", "qd", t_end=200)
        size = int(other.request("HEAD", path, headers=NPZ).headers["Content-Length"])
        self.assertGreater(size, 20 * mib)
        before = self.fetched(other)
        channel = grpc.insecure_channel(other.ready["grpc"])
        self.addCleanup(channel.close)
        ask = jobs_grpc.JobsStub(channel).GetResult
        job = path.split("/")[3]
        begun = ask(jobs.ResultRequest(id=job))
        self.assertEqual(next(iter(begun)).size, size)
        begun.cancel()
        self.assertLess(self.fetched(other) - before, 17 * mib)
        for query, headers, limit in (("fields=q&from=50&to=60", NPZ, 4), ("fields=q", NPZ, 2), (f"fields=poses:{link}&stride=40000", {}, 8)):
            before = self.fetched(other)
            got, expected = (node.request("GET", f"{path}?{query}", headers=headers) for node in (other, writer))
            self.assertEqual((got.status, got.body), (200, expected.body), query)
            self.assertLess(self.fetched(other) - before, limit * mib, query)
        before = self.fetched(other)
        text = b"".join(chunk.data for chunk in ask(jobs.ResultRequest(id=job, format=jobs.CSV, fields=["qd"], stride=2)))
        self.assertEqual(text, writer.request("GET", f"{path}?fields=qd&stride=2", headers={"Accept": "text/csv"}).body)
        self.assertLess(self.fetched(other) - before, 3 * mib)
        whole = writer.request("GET", path, headers=NPZ).body
        self.assertEqual(b"".join(chunk.data for chunk in ask(jobs.ResultRequest(id=job))), whole)

    def test_models_and_tokens_that_one_has_stored_hold_at_the_other(self):
        a, b = self.node("a"), self.node("b")
        self.assertEqual(a.request("POST", "/v1/models", pendulum()).status, 201)
        self.assertEqual(b.request("GET", "/v1/models/pendulum").status, 200)
        self.assertEqual(a.request("PUT", "/v1/models/pendulum", pendulum(gravity=[0, 0, 0])).status, 200)
        self.assertEqual(b.request("GET", "/v1/models/pendulum").json()["document"]["gravity"], [0, 0, 0])
        made = subprocess.run([os.path.join(BIN, "tendrild"), "token", "create", "--data", a.folder + "-token", "--store", self.url,
                               "--scope", "admin", "--name", "root"], capture_output=True, text=True, check=True).stdout.strip()
        for server in (a, b):
            self.until(401, lambda server=server: server.request("GET", "/v1/models").status, a, b)
            server.token = made
            self.assertEqual(server.request("GET", "/v1/models").status, 200)
        second = a.request("POST", "/v1/tokens", {"name": "second", "scope": "read"}).json()["token"]
        bearer = {"Authorization": f"Bearer {second}"}
        b.token = None
        self.until(200, lambda: b.request("GET", "/v1/models", headers=bearer).status, a, b)
        self.assertEqual(a.request("DELETE", "/v1/tokens/second").status, 204)
        self.until(401, lambda: b.request("GET", "/v1/models", headers=bearer).status, a, b)

    # -------------------------------------------------------------------------------------------------- who there is

    def test_nodes_are_listed_and_one_that_is_drained_takes_no_more_jobs(self):
        a, b = self.node("a"), self.node("b")
        listed = {node["name"]: node for node in b.request("GET", "/v1/nodes").json()["nodes"]}
        self.assertEqual([(name, node["state"], node["slots"], node["self"]) for name, node in sorted(listed.items())],
                         [("a", "ready", 1, False), ("b", "ready", 1, True)])
        self.assertEqual(b.request("POST", "/v1/nodes/nobody/drain").status, 404)
        tendril = [os.path.join(BIN, "tendril"), "nodes"]
        environment = {**os.environ, "TENDRIL_URL": f"http://127.0.0.1:{b.port}"}
        done = subprocess.run([*tendril, "drain", "a"], env=environment, capture_output=True, text=True, check=True)
        self.assertIn("a is draining", done.stdout)
        for job in [a.submit(SMALL) for _ in range(6)]:
            self.assertEqual((b.wait(job)["state"], b.job(job)["node"]), ("succeeded", "b"))
        self.assertIn("draining", subprocess.run([*tendril, "list"], env=environment, capture_output=True, text=True, check=True).stdout)
        metrics = b.request("GET", "/metrics").body.decode()
        self.assertIn('tendril_node_slots{node="a",state="draining"} 1\n', metrics)
        self.assertIn('tendril_node_jobs_running{node="b",state="ready"} 0\n', metrics)
        self.assertTrue(metrics.endswith("# EOF\n"))
        self.assertEqual(a.request("POST", "/v1/nodes/b/drain").status, 200)
        nobody = a.submit(SMALL)
        for server in (a, b):
            self.until(True, lambda server=server: "every node is drained" in (server.job(nobody)["waiting_for"] or ""), a, b)
        again = a.request("POST", f"/v1/nodes/{listed['a']['id']}/drain?undo=1")
        self.assertEqual((again.status, again.json()["state"]), (200, "ready"), again.body)
        self.assertEqual((a.wait(nobody)["node"], a.job(nobody)["waiting_for"]), ("a", None))
        b.kill()
        self.assertEqual(a.wait(a.submit(SMALL))["node"], "a")
        self.until("lost", lambda: {node["name"]: node["state"] for node in a.request("GET", "/v1/nodes").json()["nodes"]}["b"], a)

    def test_a_server_alone_is_a_node(self):
        server = Server(None, "--node", "laptop")
        self.addCleanup(server.close)
        node, = server.request("GET", "/v1/nodes").json()["nodes"]
        self.assertEqual((node["name"], node["state"], node["slots"], node["running"], node["self"]), ("laptop", "ready", 1, 0, True))
        self.assertEqual(server.wait(server.submit(SMALL))["node"], "laptop")
        self.assertEqual(server.request("POST", "/v1/nodes/laptop/drain").json()["state"], "draining")
        job = server.submit(SMALL)
        self.assertIn("every node is drained", server.job(job)["waiting_for"])
        self.assertEqual(server.request("POST", "/v1/nodes/laptop/drain?undo=1").json()["state"], "ready")
        self.assertEqual(server.wait(job)["state"], "succeeded")

    # -------------------------------------------------------------------------------------------------- compute nodes

    def test_a_node_without_faces_runs_jobs_and_ends_when_it_has_had_none_for_a_while(self):
        a = self.node("a")
        occupied = a.submit(long_job(soft_arm(), 400.0))
        a.wait_for_progress(occupied)
        compute = subprocess.Popen([os.path.join(BIN, "tendrild"), "--data", a.folder + "-compute", "--store", self.url, "--node", "compute", "--http",
                                    "none", "--grpc", "none", "--workers", "2", "--until-idle", "3"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: compute.poll() is None and compute.kill())
        ready = json.loads(compute.stdout.readline())
        self.assertEqual((ready["http"], ready["grpc"]), (None, None))
        for job in [a.submit(SMALL) for _ in range(5)]:
            done = a.wait(job)
            self.assertEqual((done["state"], done["node"]), ("succeeded", "compute"))
        self.assertEqual(compute.wait(60), 0)
        compute.communicate()
        self.assertEqual(a.request("POST", f"/v1/jobs/{occupied}:cancel").status, 202)


if __name__ == "__main__":
    main()
