"""Large sweeps: what their jobs share is stored once, others write in between, a crash leaves all or nothing, and deletion gives back."""
import hashlib
import json
import os
import sqlite3
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from harness import Server, main, pendulum  # noqa: E402

MIB = 1 << 20
TABLE = {"type": "table", "t": [0.001 * i for i in range(12000)], "value": [0.25 * (i % 7) for i in range(12000)]}
BODY = {"model": "pendulum", "kind": "dynamics", "t_end": 0.02, "initial": {"q": [0.1]}, "inputs": {"motor": TABLE}, "output": {"dt": 0.01}}


LIGHT = {**BODY, "inputs": {"motor": {"type": "table", "t": TABLE["t"][:300], "value": TABLE["value"][:300]}}}


def sweep(count, base=None, **more):
    return {"kind": "sweep", "base": base or BODY, "vary": [{"path": "/job/initial/q/0", "values": [0.001 * i for i in range(count)]}], **more}


def large_model(mass=2.0):
    model = pendulum(description="x" * 60_000)
    model["links"][0]["body"]["mass"] = mass
    return model


class Sweeps(unittest.TestCase):
    def start(self, *flags, **options):
        self.server = Server(None, *flags, **options)
        self.addCleanup(self.server.close)
        self.assertEqual(self.server.request("PUT", "/v1/models/pendulum", pendulum()).status, 201)
        return self.server

    def bytes_held(self):
        """What the database holds: its pages in use, whether they are in its file or still in its log."""
        base = sqlite3.connect(f"file:{os.path.join(self.server.folder, 'tendril.db')}?mode=ro", uri=True)
        self.addCleanup(base.close)
        pages, free, size = (base.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "freelist_count", "page_size"))
        return (pages - free) * size

    def submit(self, document):
        reply = self.server.request("POST", "/v1/jobs", document)
        self.assertEqual(reply.status, 202, reply.body[:500])
        return reply.json()

    def bytes_of(self, name="tendril.db"):
        path = os.path.join(self.server.folder, name)
        return os.path.getsize(path) if os.path.exists(path) else 0

    def children(self, parent):
        found, cursor = [], ""
        while cursor is not None:
            page = self.server.request("GET", f"/v1/jobs?parent={parent}&limit=1000{cursor and '&cursor=' + cursor}").json()
            found, cursor = found + page["jobs"], page["next_cursor"]
        return found[::-1]

    def hold(self):
        """The one worker has something to do."""
        return self.server.submit({"model": "pendulum", "kind": "dynamics", "t_end": 1.9e5, "integrator": {"method": "rk4", "h": 1e-3},
                                   "output": {"dt": 1000}, "priority": 100})

    def test_a_large_body_is_stored_once_and_every_job_has_it_whole(self):
        server = self.start(workers=2)
        before = self.bytes_held()
        made = self.submit(sweep(40, labels={"a": "b"}))
        server.wait(made["id"])
        self.assertLess(self.bytes_held() - before, 2 * MIB, "40 bodies of 200 kB are stored one by one")
        jobs = self.children(made["id"])
        self.assertEqual([job["state"] for job in jobs], ["succeeded"] * 40)
        base = {key: value for key, value in BODY.items() if key != "model"}
        for i in (0, 7, 39):
            document = server.request("GET", f"/v1/jobs/{jobs[i]['id']}/document").json()
            self.assertEqual(document["job"], {**base, "initial": {"q": [0.001 * i]}})
            alone = server.submit({**BODY, "initial": {"q": [0.001 * i]}})
            server.wait(alone)
            q = [server.request("GET", f"/v1/jobs/{id}/result?fields=q", headers={"Accept": "application/x-npz"}).npz()["q"].tobytes()
                 for id in (alone, jobs[i]["id"])]
            self.assertEqual(q[0], q[1])

    def test_varied_models_are_stored_as_what_they_differ_in_under_the_checksum_of_the_whole(self):
        server = self.start(workers=2)
        self.assertEqual(server.request("PUT", "/v1/models/large", large_model()).status, 201)
        before = self.bytes_held()
        masses = [1 + 0.125 * i for i in range(60)]
        small = {"model": "large", "kind": "dynamics", "t_end": 0.02, "initial": {"q": [0.1]}, "output": {"dt": 0.01}}
        made = self.submit({"kind": "sweep", "base": small, "vary": [{"path": "/model/links/0/body/mass", "values": masses}]})
        server.wait(made["id"])
        self.assertLess(self.bytes_held() - before, MIB)
        for i, job in enumerate(self.children(made["id"])):
            self.assertEqual(job["state"], "succeeded")
            if i % 13:
                continue
            text = server.request("GET", f"/v1/jobs/{job['id']}/document").body.decode()
            self.assertEqual(json.loads(text)["model"], large_model(masses[i]))
            whole = text[text.index('"model":') + len('"model":'):-1]
            self.assertEqual(hashlib.sha256(whole.encode()).hexdigest(), job["model"]["sha256"])
        # whoever stores such a document by itself stores it whole
        text = json.dumps(large_model(masses[3]), separators=(",", ":"))
        self.assertEqual(server.request("PUT", "/v1/models/variant", text).status, 201)
        self.assertEqual(server.request("GET", "/v1/models/variant").json()["document"], large_model(masses[3]))

    def test_others_write_between_the_pieces_and_see_nothing_of_a_sweep_before_it_is_there(self):
        server = self.start()
        held = self.hold()
        end, seen = threading.Event(), []

        def others():
            while not end.is_set():
                server.submit({**BODY, "inputs": {}, "labels": {"who": "other"}})
                found = server.request("GET", "/v1/jobs?kind=sweep").json()["jobs"]
                seen.append((len(found), sum(found[0]["jobs"].values()) if found else 0))
        thread = threading.Thread(target=others)
        thread.start()
        made = self.submit(sweep(15000, LIGHT))
        end.set()
        thread.join()
        self.assertEqual(made["jobs"]["queued"], 15000)
        self.assertEqual(len(self.children(made["id"])), 15000)
        self.assertTrue(all(count == 0 or jobs == 15000 for count, jobs in seen), seen)
        base = sqlite3.connect(f"file:{os.path.join(server.folder, 'tendril.db')}?mode=ro", uri=True)
        order = [row[0] for row in base.execute("SELECT parent IS NOT NULL FROM jobs ORDER BY seq")]
        base.close()
        first, last = order.index(1), len(order) - 1 - order[::-1].index(1)
        self.assertIn(0, order[first:last], "somebody else's job was written between two of the sweep")
        self.assertLess(self.bytes_of("tendril.db-wal"), 32 * MIB)
        self.assertEqual(server.request("POST", f"/v1/jobs/{made['id']}:cancel").status, 202)
        self.assertEqual(server.request("DELETE", f"/v1/jobs/{made['id']}").status, 204)
        self.assertEqual(self.children(made["id"]), [])
        server.request("POST", f"/v1/jobs/{held}:cancel")

    def test_a_crash_leaves_the_whole_sweep_or_nothing_of_it(self):
        server = self.start()
        self.hold()
        for delay in (0.05, 0.2, 0.5, 0.9):
            thread = threading.Thread(target=lambda: self.ask_in_vain(sweep(8000, LIGHT)))
            thread.start()
            time.sleep(delay)
            server.kill()
            thread.join()
            server.start()
            found = server.request("GET", "/v1/jobs?kind=sweep").json()["jobs"]
            base = sqlite3.connect(f"file:{os.path.join(server.folder, 'tendril.db')}?mode=ro", uri=True)
            children, lost, hidden = (base.execute(sql).fetchone()[0] for sql in (
                "SELECT count(*) FROM jobs WHERE parent IS NOT NULL",
                "SELECT count(*) FROM jobs AS j WHERE parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM jobs AS s WHERE s.id = j.parent)",
                "SELECT count(*) FROM jobs WHERE incoming"))
            counted = base.execute("SELECT coalesce(sum(queued), 0) FROM queues").fetchone()[0]
            waiting = base.execute("SELECT count(*) FROM jobs WHERE state = 'queued' AND kind <> 'sweep'").fetchone()[0]
            base.close()
            self.assertEqual((children, lost, hidden), (8000 * len(found), 0, 0))
            self.assertEqual(counted, waiting)

    def test_a_crash_during_a_cancel_leaves_a_sweep_that_waits_or_one_that_is_cancelled(self):
        server = self.start()
        self.hold()
        for delay in (0.03, 0.15):
            made = self.submit(sweep(6000, LIGHT))
            thread = threading.Thread(target=lambda: self.ask_in_vain(None, f"/v1/jobs/{made['id']}:cancel"))
            thread.start()
            time.sleep(delay)
            server.kill()
            thread.join()
            server.start()
            found = server.job(made["id"])
            self.assertIn((found["state"], found["jobs"]["queued"]), (("queued", 6000), ("cancelled", 0)))
            server.request("POST", f"/v1/jobs/{made['id']}:cancel")
            self.assertEqual(server.job(made["id"])["jobs"]["cancelled"], 6000)

    def ask_in_vain(self, document, path="/v1/jobs"):
        try:
            self.server.request("POST", path, document)
        except OSError:
            pass

    def test_what_is_deleted_is_given_back(self):
        server = self.start()
        before = self.bytes_of()
        ids = [server.submit({**BODY, "model": pendulum(description=f"{i}" * 60_000)}) for i in range(10)]
        big = [server.submit({**BODY, "labels": {"i": str(i)}}) for i in range(60)]
        for id in ids + big:
            server.wait(id)
            self.assertEqual(server.request("DELETE", f"/v1/jobs/{id}").status, 204)
        end = time.monotonic() + 60
        while self.bytes_of() > before + 3 * MIB and time.monotonic() < end:
            time.sleep(0.2)
            server.submit({**BODY, "inputs": {}})  # checkpoints come with commits
        self.assertLess(self.bytes_of(), before + 3 * MIB)
        base = sqlite3.connect(f"file:{os.path.join(server.folder, 'tendril.db')}?mode=ro", uri=True)
        self.assertEqual(base.execute("SELECT count(*) FROM documents WHERE length(body) > 50000").fetchone()[0], 0)
        self.assertEqual(base.execute("PRAGMA foreign_key_check").fetchall(), [])
        base.close()


if __name__ == "__main__":
    main()
