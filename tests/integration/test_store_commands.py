"""What an operator does with a PostgreSQL store: a data folder is copied into it and goes on there, it is checked, migrated, used under
roles that may no more than they need and through a pooler; and no password is printed."""
import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))

from harness import BIN, SOURCE, Server, long_job, main, pendulum, soft_arm  # noqa: E402
from with_postgresql import Postgresql  # noqa: E402

RUN = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.01, "fields": ["q", "qd"]}, "labels": {"study": "a\"b"}}
SWEEP = {"kind": "sweep", "base": {"model": pendulum(), "kind": "statics", "inputs": {"motor": 0}},
         "vary": [{"path": "/job/inputs/motor", "values": [0.1, 0.2, 0.3]}]}


def store(*words, check=None, environment=None):
    done = subprocess.run([os.path.join(BIN, "tendrild"), "store", *words], capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})
    if check is not None:
        assert done.returncode == check, done.stdout + done.stderr
    return done


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = Postgresql()
        cls.addClassCleanup(cls.database.close)

    def fresh(self, name):
        self.database.sql(f"CREATE DATABASE {name}")
        return self.database.url(name)

    def serve(self, folder, *flags, **more):
        server = Server(folder, *flags, **more)
        self.addCleanup(lambda: server.log_file.closed or server.close())
        return server

    def folder(self):
        folder = tempfile.mkdtemp(prefix="tendril-copy-")
        self.addCleanup(shutil.rmtree, folder, True)
        return os.path.join(folder, "data")

    def make_folder(self):
        """A folder with some of everything, whose server was killed while a job ran. What it says of it."""
        server = self.serve(self.folder())
        for q in (1, 2):
            reply = server.request("PUT", "/v1/models/arm", {**pendulum(), "gravity": [0, 0, -q]})
            self.assertIn(reply.status, (200, 201), reply.body)
        ids = [server.submit(RUN), server.submit({**RUN, "model": "arm", "t_end": 0.1 + 0.2}), server.submit({"model": pendulum(), "kind": "dynamics", "t_end": 1, "max_wall_s": 1e-3})]
        sweep = server.request("POST", "/v1/jobs", SWEEP, {"Idempotency-Key": "k1"})
        self.assertEqual(sweep.status, 202, sweep.body)
        ids.append(sweep.json()["id"])
        for job in ids:
            server.wait(job)
        running = server.submit(long_job(soft_arm(), t_end=30))
        path = os.path.join(server.folder, "parts", running + ".checkpoint")
        end = time.monotonic() + 60
        while not os.path.exists(path):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        told = {job: self.tell(server, job) for job in ids}
        self.models = self.tell_models(server)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        return server.folder, told, running

    def tell_models(self, server):
        replies = [server.request("GET", path) for path in ("/v1/models", "/v1/models/arm", "/v1/models/arm/revisions", "/v1/models/arm/revisions/1")]
        assert all(reply.status == 200 for reply in replies), [reply.body for reply in replies]
        return [reply.body for reply in replies]

    def tell(self, server, job):
        """What callers see of a job."""
        row = server.job(job)
        result = server.request("GET", f"/v1/jobs/{job}/result", headers={"Accept": "application/x-npz"})
        events = server.request("GET", f"/v1/jobs/{job}/events?limit=1000", headers={"Accept": "application/json"})
        return {"row": {key: row[key] for key in sorted(row) if key not in ("node", "links")}, "status": result.status,
                "bytes": result.body if row["kind"] != "sweep" and result.status == 200 else None, "events": events.body if events.status == 200 else events.status}

    def copy_twice(self, *results):
        folder, told, running = self.make_folder()
        name = "copied_" + ("shared" if results else "whole")
        url = self.fresh(name)
        store("migrate", "--store", url, check=0)
        # the first copy is killed in the midst: somebody holds the table of events
        holder = subprocess.Popen(self.database.command("psql", "-h", self.database.folder, "-U", "postgres", "-d", name, "-qc",
                                                        "BEGIN; LOCK TABLE events; SELECT pg_sleep(600)"), cwd=self.database.folder)
        first = subprocess.Popen([os.path.join(BIN, "tendrild"), "store", "copy", "--from", folder, "--to", url, *results],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while self.database.sql("SELECT count(*) FROM job_labels", name) == "0":
            self.assertLess(time.monotonic(), end)
            self.assertIsNone(first.poll(), "the copy ended though a table was locked")
            time.sleep(0.1)
        first.kill()
        first.wait()
        self.database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()")
        holder.wait()
        end = time.monotonic() + 30  # the killed one was a node
        while (done := store("copy", "--from", folder, "--to", url, *results)).returncode != 0:
            self.assertIn("nodes work with that database", done.stderr)
            self.assertLess(time.monotonic(), end)
            time.sleep(1)
        self.assertIn("1 checkpoints are there", done.stdout)
        self.assertIn("copied as a whole before", store("copy", "--from", folder, "--to", url, *results, check=0).stdout)
        self.copied_from = folder
        done = store("check", "--store", url, *results, check=0)
        self.assertIn("all is well", done.stdout)
        server = self.serve(self.folder(), "--store", url, *results)
        for job, before in told.items():
            self.assertEqual(self.tell(server, job), before)
        again = server.request("POST", "/v1/jobs", SWEEP, {"Idempotency-Key": "k1"})
        self.assertIn(again.status, (200, 202))
        self.assertEqual(again.json()["id"], list(told)[-1])
        self.assertEqual(self.tell_models(server), self.models)
        server.wait_for_log("job_started", timeout=60)
        line = next(json.loads(text) for text in server.log().splitlines() if '"job_started"' in text)
        self.assertEqual((line["job"], line["attempt"]), (running, 2))
        self.assertGreater(line["resumed_bytes"], 0)
        return server, url, name

    def test_a_row_that_its_folder_knows_to_be_damaged_is_damaged_in_the_copy(self):
        server = self.serve(self.folder())
        job = server.submit(SWEEP["base"])
        server.wait(job)
        server.close()
        with contextlib.closing(sqlite3.connect(os.path.join(server.folder, "tendril.db"))) as db:
            db.execute("UPDATE jobs SET labels = '{\"a\":\"b\"}' WHERE id = ?", (job,))
            db.commit()
        url = self.fresh("damaged")
        store("copy", "--from", server.folder, "--to", url, check=0)
        self.assertIn(f"job {job} is not what was written", store("check", "--store", url, check=1).stdout)

    def test_a_copied_folder_is_what_it_was_and_goes_on_from_its_checkpoint_and_damage_is_found(self):
        server, url, name = self.copy_twice()
        deleted = next(job for job in server.request("GET", "/v1/jobs?limit=100&state=succeeded").json()["jobs"] if job["parent"] is None and job["kind"] != "sweep")["id"]
        self.assertEqual(server.request("DELETE", f"/v1/jobs/{deleted}").status, 204)
        server.close()
        done = store("copy", "--from", self.copied_from, "--to", url, check=1)
        self.assertIn("worked with since: the folder has", done.stderr)
        self.assertEqual(self.database.sql(f"SELECT count(*) FROM jobs WHERE id = '{deleted}'", name), "0", "a copy brings back nothing that was deleted")
        self.database.sql("UPDATE chunks SET bytes = set_byte(bytes, 100, 255 - get_byte(bytes, 100)) WHERE blob = (SELECT min(blob) FROM results)", name)
        self.database.sql("DELETE FROM chunks WHERE blob = (SELECT max(blob) FROM results WHERE size IS NOT NULL)", name)
        self.database.sql("UPDATE job_counts SET failed = failed + 1 WHERE shard = (SELECT min(shard) FROM job_counts)", name)
        self.database.sql("UPDATE jobs SET document = document || ' ' WHERE seq = (SELECT min(seq) FROM jobs)", name)
        self.database.sql("UPDATE events SET time_ms = time_ms + 1 WHERE job = (SELECT min(job) FROM events) AND seq = 1", name)
        self.database.sql("DELETE FROM events WHERE job = (SELECT max(seq) FROM jobs WHERE kind = 'sweep') AND type = 'state' AND seq > 1", name)
        self.database.sql("UPDATE request_keys SET sha256 = 'x'", name)
        made = "INSERT INTO tokens (id, name, scope, owner, sha256, created_ms) VALUES "
        self.database.sql(f"{made} ('1', 'ended', 'read', '', 'a', 0), ('2', 'raised', 'read', '', 'b', 0); UPDATE tokens SET deleted_ms = 1 WHERE id = '1'; "
                          "UPDATE tokens SET scope = 'admin' WHERE id = '2'", name)
        done = store("check", "--store", url, check=1)
        for words in ("another checksum", "another size", "counts of jobs", "jobs: job", "events: event 1 of job", "events: of job", "request keys: the key k1 is not",
                      "tokens: token raised is not", "9 things are wrong"):
            self.assertIn(words, done.stdout)
        said, counted = re.search(r"counts of jobs: they say (\d+) failed, the rows (\d+)\n", done.stdout).groups()
        self.assertEqual(int(said), int(counted) + 1)

    def test_a_folder_is_copied_with_its_results_in_a_folder_that_nodes_share(self):
        shared = self.folder()
        server, _, name = self.copy_twice("--results", shared)
        self.assertEqual(self.database.sql("SELECT count(*) FROM results", name), "0")
        self.assertGreater(len(os.listdir(os.path.join(shared, "results"))), 3)
        server.close()

    def test_a_database_with_something_else_in_it_or_that_a_node_works_with_is_refused(self):
        url = self.fresh("other")
        server = self.serve(self.folder(), "--store", url)
        server.wait(server.submit(RUN))
        folder = self.serve(self.folder())
        folder.close()
        done = store("copy", "--from", folder.folder, "--to", url, check=1)
        self.assertIn("nodes work with that database", done.stderr)
        server.close()
        done = store("copy", "--from", folder.folder, "--to", url, check=1)
        self.assertIn("not empty", done.stderr)

    def test_a_schema_that_older_programs_may_use_is_used_and_a_newer_one_is_not(self):
        url = self.fresh("versions")
        self.assertIn("the schema is of version", store("migrate", "--store", url, check=0).stdout)
        self.database.sql("UPDATE tendril_schema SET version = 999", "versions")
        self.assertIn("999", store("migrate", "--store", url, check=0).stdout)
        server = self.serve(self.folder(), "--store", url)
        server.close()
        self.database.sql("UPDATE tendril_schema SET min_compatible = 999", "versions")
        done = store("migrate", "--store", url, check=1)
        self.assertIn("newer version", done.stderr)

    def test_nodes_work_under_roles_that_may_no_more_than_they_need(self):
        url = self.fresh("roles")
        store("migrate", "--store", url, check=0)
        with open(os.path.join(SOURCE, "deploy", "postgresql", "roles.sql"), encoding="utf-8") as file:
            self.database.sql(file.read(), "roles")
        api = self.serve(self.folder(), "--store", url.replace("postgres@", "tendril_api@"))
        self.assertEqual(api.request("PUT", "/v1/models/arm", pendulum()).status, 201)
        api.wait(api.submit({**RUN, "model": "arm"}))
        held = api.submit(long_job(soft_arm(), t_end=200))
        api.wait_for_progress(held)
        compute = self.serve(self.folder(), "--store", url.replace("postgres@", "tendril_compute@"))
        other = [api.submit(RUN), api.request("POST", "/v1/jobs", SWEEP).json()["id"]]
        for job in other:
            self.assertEqual(api.wait(job)["state"], "succeeded")
            self.assertEqual(api.request("GET", f"/v1/jobs/{job}/result").status, 200)
        api.request("POST", f"/v1/jobs/{held}/cancel")
        self.assertNotIn("permission denied", api.log())
        wanted = [text for text in compute.log().splitlines() if "permission denied" in text and "models" not in text]
        self.assertEqual(wanted, [])
        refused = compute.request("PUT", "/v1/models/other", pendulum())
        self.assertGreaterEqual(refused.status, 500)
        for sql in ("DELETE FROM jobs", "UPDATE tokens SET scope = 'admin'", "DROP TABLE jobs", "INSERT INTO jobs SELECT * FROM jobs"):
            done = subprocess.run(self.database.command("psql", "-h", self.database.folder, "-U", "tendril_compute", "-d", "roles", "-c", sql),
                                  cwd=self.database.folder, capture_output=True, text=True, check=False)
            self.assertRegex(done.stderr, "permission denied|must be owner")

    def refuse(self, *words, environment=None):
        """What a server says that does not start."""
        done = subprocess.run([os.path.join(BIN, "tendrild"), "--data", self.folder(), "--http", "127.0.0.1:0", "--grpc", "none", *words],
                              capture_output=True, text=True, check=False, timeout=120, env={**os.environ, **(environment or {})})
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_a_node_that_looks_for_results_elsewhere_is_refused_and_calls_none_lost(self):
        url, shared, other = self.fresh("places"), self.folder(), self.folder()
        store("migrate", "--store", url, check=0)  # says nothing of results
        node = self.serve(self.folder(), "--store", url, "--results", shared)
        self.assertIn("in a folder that all its nodes share: name it by --results", self.refuse("--store", url))
        self.assertIn("is not the folder where the results of this database are", self.refuse("--store", url, "--results", other))
        second = self.serve(self.folder(), "--store", url, "--results", shared)
        second.close()
        job = node.submit(RUN)
        node.wait(job)
        node.close()
        self.assertIn("is not the folder where the results of this database are", self.refuse("--store", url, "--results", other))
        self.assertIn("name it by --results", store("check", "--store", url, check=1).stderr)
        self.assertIn("name it by --results", self.refuse("--store", url))
        store("check", "--store", url, "--results", shared, check=0)
        self.database.sql("DELETE FROM settings WHERE name = 'results'", "places")  # as those before that did not remember
        self.assertIn("name it by --results", self.refuse("--store", url))
        self.assertEqual(self.database.sql("SELECT count(*) FROM jobs WHERE error IS NOT NULL", "places"), "0")
        inside = self.fresh("inside")
        node = self.serve(self.folder(), "--store", inside, "--results", shared + "-2")
        node.close()
        node = self.serve(self.folder(), "--store", inside)  # nothing is kept yet: he may think again
        node.wait(node.submit(RUN))
        self.assertIn("in the database itself, not in a folder: leave out --results", self.refuse("--store", inside, "--results", shared + "-2"))
        node.close()

    def test_a_check_changes_nothing(self):
        url = self.fresh("unmade")
        self.assertIn("`tendrild store migrate` makes one", store("check", "--store", url, check=1).stderr)
        self.assertEqual(self.database.sql("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace", "unmade"), "0")
        store("migrate", "--store", url, check=0)
        store("check", "--store", url, check=0)
        self.assertEqual(self.database.sql("SELECT count(*) FROM settings WHERE name = 'results'", "unmade"), "0")
        self.database.sql("UPDATE tendril_schema SET version = 3", "unmade")
        self.assertIn("of version 3, older than this program", store("check", "--store", url, check=1).stderr)

    def test_who_lacks_a_schema_or_rights_is_told_what_to_do(self):
        url = self.fresh("bare")
        self.database.sql("DROP ROLE IF EXISTS somebody; CREATE ROLE somebody LOGIN", "bare")
        his = url.replace("postgres@", "somebody@")
        self.assertIn("no store of Tendril in that database, and the role somebody may not change that: run `tendrild store migrate", self.refuse("--store", his))
        store("migrate", "--store", url, check=0)
        self.assertIn("the role somebody may not read the tables of that database: run deploy/postgresql/roles.sql", self.refuse("--store", his))
        self.database.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO somebody", "bare")
        self.assertIn("the role somebody may not work with the tables of that database: run deploy/postgresql/roles.sql", self.refuse("--store", his))
        self.database.sql("UPDATE tendril_schema SET version = 3", "bare")
        self.assertIn("older than this program, and the role somebody may not change that", self.refuse("--store", his))

    def test_a_second_node_of_a_name_says_what_it_is_called_and_why(self):
        url = self.fresh("names")
        self.serve(self.folder(), "--store", url, "--node", "one")
        second = self.serve(self.folder(), "--store", url, "--node", "one")
        second.wait_for_log('"node_name_taken"')
        said = next(json.loads(line) for line in second.log().splitlines() if '"node_called"' in line)
        self.assertEqual((said["level"], said["wanted"], said["name"]), ("warning", "one", "one-2"))

    def test_a_wrong_password_is_told_with_all_but_the_password(self):
        closed = Postgresql()
        self.addCleanup(closed.close)
        closed.sql("ALTER ROLE postgres PASSWORD 'right'")
        with open(os.path.join(closed.data, "pg_hba.conf"), "w", encoding="ascii") as file:
            file.write("local all all scram-sha-256\n")
        closed.run("pg_ctl", "reload", "-D", closed.data)
        url = f"postgresql://postgres:hush-9x@/none?{closed.where()}"
        said = store("check", "--store", url, check=1).stderr
        self.assertIn(f'socket "{closed.folder}/.s.PGSQL.{closed.port}" failed', said)
        self.assertIn('password authentication failed for user "postgres"', said)
        self.assertNotIn("hush", said)

    def test_what_is_not_there_is_named(self):
        url = self.fresh("roleless")
        empty = os.path.dirname(self.folder())
        self.assertIn("is no data folder", store("copy", "--from", empty, "--to", url, check=1).stderr)
        self.assertEqual(os.listdir(empty), [])
        self.assertIn("./nofolder, cannot be read: No such file", store("copy", "--from", "./nofolder", "--to", url, check=1).stderr)
        said = store("check", "--store", url.replace("postgres@", "tendril_nobody@"), check=1).stderr
        self.assertIn('role "tendril_nobody" does not exist; deploy/postgresql/roles.sql makes', said)

    def test_a_result_that_was_called_lost_is_still_wrong_for_a_check_and_no_more_when_it_is_back(self):
        url = self.fresh("gone")
        server = self.serve(self.folder(), "--store", url)
        job = server.submit(RUN)
        server.wait(job)
        server.close()
        self.database.sql("ALTER TABLE results RENAME TO away; CREATE TABLE results (LIKE away INCLUDING ALL)", "gone")
        server = self.serve(self.folder(), "--store", url)
        self.assertEqual(server.request("GET", f"/v1/jobs/{job}/result").status, 410)
        server.close()
        for words in ([], ["--quick"]):
            done = store("check", "--store", url, *words, check=1)
            self.assertIn(f"{job}: the result is lost: its file is missing\n", done.stdout)
            self.assertIn("1 things are wrong\n1 results are lost, and callers are told so\n", done.stdout)
        self.database.sql("DROP TABLE results; ALTER TABLE away RENAME TO results", "gone")
        self.assertIn("all is well", store("check", "--store", url, check=0).stdout)

    def test_what_is_no_url_of_a_database_is_refused_and_makes_no_store_elsewhere(self):
        secret, folder, rooms = "hush-9x", self.folder(), tempfile.mkdtemp(prefix="tendril-rooms-")
        self.addCleanup(shutil.rmtree, rooms, True)
        wrong = ("tendril", "/tendril", "host=127.0.0.1 dbname=x", "mysql://a/b", "POSTGRESQL://127.0.0.1/x", f"host=x password={secret}",
                 f"me:{secret}@127.0.0.1/x", f"mysql://me:{secret}?{secret}@x/y", f"postgresql:/me:{secret}@x/y")
        commands = (["--data", folder, "--http", "127.0.0.1:0", "--store", None], ["--data", folder, "--store-direct", None],
                    ["token", "create", "--data", folder, "--store", None], ["store", "copy", "--from", rooms, "--to", None],
                    ["store", "check", "--store", None], ["store", "migrate", "--store", None])
        for at, value in enumerate(wrong):
            for words in commands if at == 0 else commands[-1:] + commands[:1]:
                done = subprocess.run([os.path.join(BIN, "tendrild"), *(value if word is None else word for word in words)], capture_output=True,
                                      text=True, check=False, timeout=20, env={**os.environ, "TMPDIR": rooms})
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), (words, value, done.stderr))
                self.assertIn("not a URL of a PostgreSQL database: postgresql://user@host/database", done.stderr)
                self.assertIn(value if secret not in value else '"', done.stderr)
                self.assertNotIn(secret, done.stderr)
        done = store("check", check=2, environment={"TENDRIL_STORE": "tendril"})
        self.assertIn('TENDRIL_STORE is "tendril", not a URL', done.stderr)
        self.assertEqual((os.listdir(rooms), os.path.exists(folder)), ([], False))

    def test_no_password_is_printed(self):
        secret = "hush-9x"
        urls = (f"postgresql://me:{secret}@127.0.0.1:1/none", f"postgresql://127.0.0.1:1/none?user=me&password={secret}&connect_timeout=1",
                f"postgresql://me:%zz{secret}@127.0.0.1:1/none", f"postgresql://me:{secret}@{secret}@127.0.0.1:1/none",
                f"postgresql://me:p/{secret}@127.0.0.1:1/none")
        for url in urls:
            for words in (["--print-config", "--store", url, "--store-direct", url], ["--data", self.folder(), "--store", url, "--http", "127.0.0.1:0"],
                          ["store", "check", "--store", url], ["store", "migrate", "--store", url]):
                done = subprocess.run([os.path.join(BIN, "tendrild"), *words], capture_output=True, text=True, check=False, timeout=60)
                self.assertNotIn(secret, done.stdout + done.stderr, words)
        shown = subprocess.run([os.path.join(BIN, "tendrild"), "--print-config", "--store", urls[0]], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(shown.stdout)["store"], "postgresql://me@127.0.0.1:1/none")

    @unittest.skipUnless(shutil.which("pgbouncer"), "pgbouncer is missing")
    def test_a_pooler_that_gives_each_transaction_any_session_will_do(self):
        direct = self.fresh("pooled")
        folder = tempfile.mkdtemp(prefix="tendril-pooler-", dir=self.database.folder)
        os.chmod(folder, 0o777)
        with open(os.path.join(folder, "ini"), "w", encoding="utf-8") as file:
            file.write(f"[databases]\npooled = host={self.database.folder} dbname=pooled user=postgres\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = {folder}\n"
                       "listen_port = 6432\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 3\nignore_startup_parameters = extra_float_digits\n")
        self.database.sql("ALTER DATABASE pooled SET statement_timeout = '10s'")
        command = [*self.database.command("")[:-1], shutil.which("pgbouncer"), "ini"]  # as the database's user
        pooler = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(pooler.wait)
        self.addCleanup(pooler.kill)
        end = time.monotonic() + 20
        while not os.path.exists(os.path.join(folder, ".s.PGSQL.6432")):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        url = f"postgresql://postgres@/pooled?host={folder}&port=6432"
        nodes = [self.serve(self.folder(), "--store", url, "--store-prepare", "off", "--store-direct", direct) for _ in range(2)]
        for _ in range(5):
            jobs = [node.submit(RUN) for node in nodes] + [nodes[0].request("POST", "/v1/jobs", SWEEP).json()["id"]]
            for job in jobs:
                self.assertEqual(nodes[1].wait(job)["state"], "succeeded")
                self.assertEqual(nodes[0].request("GET", f"/v1/jobs/{job}/result").status, 200)
        for node in nodes:
            self.assertNotIn("prepared statement", node.log())
            self.assertNotIn('"level":"error"', node.log())


if __name__ == "__main__":
    main()
