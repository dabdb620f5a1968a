"""Jobs by the `tendril` command: submitting, watching, lists, beginnings of ids, sweeps."""
import fcntl
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
import unittest
import urllib.request

import numpy as np

from command import JOB, ROD, TENDRIL, Place, answering


class Jobs(Place):
    def test_jobs_are_submitted_watched_and_listed(self):
        self.call("models", "put", "rod.model.json")
        job = json.loads(self.call("jobs", "submit", "rod.job.json", "--json")[0])
        self.call("jobs", "watch", job["id"])
        self.assertEqual(json.loads(self.call("jobs", "get", job["id"], "--json")[0])["state"], "succeeded")
        self.assertIn("it had ended before", self.call("jobs", "cancel", job["id"])[1])
        listed = [json.loads(line)["id"] for line in self.call("jobs", "list", "--json")[0].splitlines()]
        self.assertIn(job["id"], listed)
        self.assertEqual(len(self.call("jobs", "list", "--limit", "1", "--json")[0].splitlines()), 1)

    def test_one_job_is_a_table_of_what_there_is_to_say(self):
        self.call("models", "put", "rod.model.json")
        job = self.submit(labels={"study": "about", "part": "2"})
        self.call("jobs", "watch", job)
        rows = dict(re.split("  +", line, maxsplit=1) if "  " in line else line.split(" ", 1) for line in self.call("jobs", "get", job)[0].splitlines())
        self.assertEqual([rows[name] for name in ("job", "kind", "state", "progress", "labels")],
                         [job, "dynamics", "succeeded", "100 %, 0.2 of 0.2 s", "part:2 study:about"] if rows["labels"].startswith("part") else
                         [job, "dynamics", "succeeded", "100 %, 0.2 of 0.2 s", "study:about part:2"])
        self.assertRegex(rows["model"], r"^rod@\d+$")
        self.assertRegex(rows["processor time"], r"^[0-9.e-]+ s")
        self.assertTrue({"created", "started", "finished", "took", "integrator", "build"} <= set(rows), rows)
        self.assertFalse({"owner", "error", "retry of", "sweep", "priority"} & set(rows), rows)

    def test_the_rows_of_a_cancelled_job_are_named_where_its_result_is_asked_for(self):
        self.call("models", "put", "rod.model.json")
        job = self.submit(t_end=4000)
        while json.loads(self.call("jobs", "get", job, "--json")[0])["progress"]["t"] == 0:
            time.sleep(0.02)
        self.call("jobs", "cancel", job)
        self.call("jobs", "watch", job, status=1)
        self.assertIn(f"tendril result {job} --partial", self.call("result", job, status=1)[1])
        self.call("result", job, "--partial", "-o", "part.npz")
        with np.load(self.path("part.npz")) as part:
            self.assertGreater(part["t"][-1], 0)

    def test_a_run_that_waited_for_a_processor_says_how_long_it_computed(self):
        self.call("models", "put", "rod.model.json")
        self.write("long.job.json", {**JOB, "t_end": 60})
        run = subprocess.Popen([TENDRIL, "run", "long.job.json"], cwd=self.place.name, env={**os.environ, "TENDRIL_URL": self.server.url},
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        for _ in range(2000):  # a machine that is busy with other things
            tasks = os.listdir(f"/proc/{self.server.process.pid}/task")
            workers = "".join(pathlib.Path(f"/proc/{self.server.process.pid}/task/{task}/children").read_text("ascii") for task in tasks).split()
            running = self.listed("--state", "running") if workers else []
            if running:
                break
            time.sleep(0.005)
        os.kill(int(workers[0]), signal.SIGSTOP)
        time.sleep(4)
        os.kill(int(workers[0]), signal.SIGCONT)
        said = run.communicate(timeout=120)[1]
        self.assertRegex(said, r"took \d\S* s, \S+ s of it on a processor: the machine is busy")

    def test_every_list_is_a_table_without_empty_cells_or_one_object_a_line(self):
        job = self.submit(labels={"list": "table"})
        heads = {("jobs", "list", "--label", "list:table"): ["ID", "KIND", "MODEL", "OWNER", "STATE", "DONE", "ATTEMPT", "CREATED", "WARNINGS", "WAITS FOR"],
                 ("models", "list"): ["NAME", "OWNER", "REVISION", "SHA256", "CREATED"],
                 ("nodes", "list"): ["NAME", "STATE", "RUNNING", "SLOTS", "CPU LEVEL", "HEARD OF", "HOST"],
                 ("examples",): ["NAME", "JOB", "LINKS", "DESCRIPTION"]}
        for words, columns in heads.items():
            head, *rows = self.call(*words)[0].split("\n\n")[0].splitlines()
            self.assertEqual(re.split("  +", head.strip()), columns)
            objects = [json.loads(line) for line in self.call(*words, "--json")[0].splitlines()]
            self.assertEqual(len(objects), len(rows), words)
            self.assertTrue(all(isinstance(one, dict) for one in objects))
            for row in rows:
                self.assertEqual(len(re.split("  +", row, maxsplit=len(columns) - 1)), len(columns), row)
        self.call("jobs", "watch", job)
        row = self.call("jobs", "list", "--label", "list:table")[0].splitlines()[1]
        self.assertRegex(row, rf"^{job}  dynamics   rod@\d+ +-  +succeeded   100 %        1  \S+  -  +-$")

    def test_a_run_whose_time_is_up_says_how_to_fetch_what_it_kept(self):
        self.write("up.job.json", {**JOB, "t_end": 1e4, "max_wall_s": 1})
        said = self.call("run", "up.job.json", status=1)[1]
        job = re.search(r"what it computed until it ended is there: tendril result (\w+) --partial", said).group(1)
        self.assertIn(f"tendril result {job} --partial", self.call("jobs", "get", job)[0])
        self.call("result", job, "--partial", "-o", "up.npz")

    def test_the_list_says_what_a_queued_job_waits_for(self):
        first = self.submit(t_end=1e4, labels={"list": "waits"})
        while self.server.get(f"/v1/jobs/{first}")["state"] == "queued":
            time.sleep(0.01)
        second = self.submit(labels={"list": "waits"})
        row = self.call("jobs", "list", "--label", "list:waits")[0].splitlines()[1]
        for job in (second, first):
            self.call("jobs", "cancel", job)
        self.assertRegex(row, rf"^{second} .*  its turn: it is the next; the only place to compute is taken$")

    def test_lists_of_jobs_pass_every_filter_on_and_walk_over_pages(self):
        many = [self.submit(labels={"list": "many"}) for _ in range(3)]
        label = ["--label", "list:many"]
        self.assertEqual(self.listed(*label), many[::-1])
        self.assertEqual(self.listed(*label, "--limit", "2"), many[:0:-1])
        self.assertIn("more", self.call("jobs", "list", *label, "--limit", "2")[1])
        self.assertEqual(self.listed(*label, "--kind", "statics"), [])
        self.assertEqual(self.listed(*label, "--model", "rod", "--kind", "dynamics"), many[::-1])
        self.assertEqual(self.listed(*label, "--model", "other"), [])
        self.assertEqual(self.listed(*label, "--since", "1h"), many[::-1])
        self.assertEqual(self.listed(*label, "--until", "1h"), [])
        self.assertEqual(self.listed(*label, "--since", "2100-01-01T00:00:00Z"), [])
        self.assertEqual(self.listed(*label, "--parent", many[0]), [])
        for job in many:
            self.call("jobs", "watch", job)
        self.assertEqual(self.listed(*label, "--state", "succeeded"), many[::-1])
        self.assertIn("400", self.call("jobs", "list", "--state", "nonsense", status=1)[1])

    def test_lists_of_more_jobs_than_a_page_holds_are_whole(self):
        self.call("models", "put", "rod.model.json")
        self.write("x.job.json", {**JOB, "labels": {"list": "pages"}})
        body = json.dumps({**JOB, "labels": {"list": "pages"}}).encode()
        made = []
        for _ in range(130):
            request = urllib.request.Request(self.server.url + "/v1/jobs", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=30) as reply:
                made.append(json.load(reply)["id"])
        self.assertEqual(self.listed("--label", "list:pages", "--limit", "1000"), made[::-1])

    def test_watching_with_json_gives_every_event_and_lines_otherwise(self):
        job = self.submit(t_end=5)
        events = [json.loads(line) for line in self.call("jobs", "watch", job, "--json")[0].splitlines()]
        self.assertEqual([e["state"] for e in events if e["event"] == "state"], ["queued", "running", "succeeded"])
        out, said = self.call("jobs", "watch", job)
        self.assertEqual(out, "")
        self.assertRegex(said, job + r" running +\d+ %")
        self.assertRegex(said, job + r" succeeded 100 %  t = 5\.00 of 5 s")

    def test_a_log_hears_of_a_slow_job_though_it_is_below_a_tenth_and_of_one_that_waits_why(self):
        slow = self.submit(t_end=4e5, integrator={"method": "newmark", "h": 0.002}, output={"dt": 1000, "fields": ["q"]})
        waits = self.submit()
        watching = [subprocess.Popen([TENDRIL, "watch", job, "--every", "1"], stderr=subprocess.PIPE, text=True, cwd=self.place.name,
                                     env={**os.environ, "TENDRIL_URL": self.server.url}) for job in (slow, waits)]
        told, of_slow = slow + r" running +0 %  t = [\d.]+ of 400000 s, [\d.e+]+ s/s, .* left", ""
        for line in watching[0].stderr:
            of_slow += line
            if len(re.findall(told, of_slow)) == 2:
                break
        self.call("jobs", "cancel", slow)
        _, of_waits = (process.communicate(timeout=60)[1] for process in watching)
        self.assertEqual(len(re.findall(told, of_slow)), 2, of_slow)
        self.assertIn(f"{waits} queued   0 %; waits for its turn: it is the next; the only place to compute is taken", of_waits)
        self.assertIn("succeeded", of_waits)

    def test_watching_on_a_terminal_draws_a_bar_with_rate_and_time_left(self):
        job = self.submit(t_end=400, integrator={"method": "newmark", "h": 0.002}, output={"dt": 10, "fields": ["q"]})
        leader, follower = pty.openpty()
        process = subprocess.Popen([TENDRIL, "jobs", "watch", job], stdout=follower, stderr=follower, cwd=self.place.name,
                                   env={**os.environ, "TENDRIL_URL": self.server.url})
        os.close(follower)
        said = ""
        while not re.search(r"\[#*\.+\] +\d+ %  running  t = [\d.]+ of 400 s, [\d.e+]+ s/s, .* left", said):
            chunk = os.read(leader, 4096).decode()
            self.assertTrue(chunk, said)
            said += chunk
        self.call("jobs", "cancel", job)
        try:
            while chunk := os.read(leader, 4096):
                said += chunk.decode()
        except OSError:
            pass  # the other end of a terminal is gone
        os.close(leader)
        self.assertEqual(process.wait(60), 1)
        self.assertIn("cancelled", said)

    def test_no_time_left_is_told_before_anything_is_known_of_the_second_run(self):
        steps = [(0, 0.1, ""), (10, 0.5, ""), (11, 0.5, "check"), (12, 0.5 + 1e-12, "check"), (13, 0.55, "check"), (14, 0.6, "check")]
        job = {"id": "0" * 26, "kind": "dynamics", "state": "running", "attempt": 1, "progress": {"fraction": 0, "t": 0, "t_end": 5}}
        told = [("state", {"state": "running", "attempt": 1, "time": "2026-11-21T05:12:00.000Z"})]
        told += [("progress", {"fraction": fraction, "t": 2, "t_end": 5, "phase": phase, "time": f"2026-11-21T05:12:{at:02}.000Z"})
                 for at, fraction, phase in steps]
        told += [("state", {"state": "succeeded", "attempt": 1, "time": "2026-11-21T05:12:20.000Z"})]
        events = "".join(f"id: {i + 1}\nevent: {kind}\ndata: {json.dumps(data)}\n\n" for i, (kind, data) in enumerate(told))
        with answering({"/events": ("text/event-stream", events), "": ("application/json", json.dumps(job))}) as url:
            said = self.call("jobs", "watch", job["id"], url=url, status=1)[1].splitlines()
        began, = (line for line in said if line.endswith("checking its errors by a second run"))
        self.assertIn(" 50 %", began)
        self.assertRegex(next(line for line in said if " 60 %" in line), "checking its errors by a second run, 12 s left$")
        self.assertNotIn(" h ", "".join(said))

    def test_a_running_job_that_is_cancelled_is_told_as_cancelling(self):
        job = self.submit(t_end=1000, integrator={"method": "newmark", "h": 0.002}, output={"dt": 0.1, "fields": ["q"]})
        while self.server.get(f"/v1/jobs/{job}")["state"] == "queued":
            time.sleep(0.02)
        out, said = self.call("jobs", "cancel", job)
        self.assertEqual(out, f"{job} cancelling\n")
        self.assertIn(f"`tendril watch {job}` waits", said)
        self.call("jobs", "watch", job, status=1)
        self.assertEqual(self.call("jobs", "cancel", job)[0], f"{job} cancelled\n")

    def test_a_cancelled_job_has_a_partial_result_and_can_be_retried(self):
        job = self.submit(t_end=1000, integrator={"method": "newmark", "h": 0.002}, output={"dt": 0.1, "fields": ["q"]})
        while self.server.get(f"/v1/jobs/{job}")["progress"]["fraction"] < 0.04:
            time.sleep(0.02)
        self.assertIn("not_ready", self.call("result", job, status=1)[1])
        self.call("jobs", "cancel", job)
        self.assertIn("cancelled", self.call("jobs", "watch", job, status=1)[1])
        out, said = self.call("jobs", "retry", job, "--json")
        again = json.loads(out)
        self.assertEqual(again["retry_of"], job)
        self.assertIn("begins at its start", said)
        self.call("jobs", "cancel", again["id"])
        self.call("jobs", "watch", again["id"], status=1)
        self.call("jobs", "delete", again["id"])
        self.assertIn("404", self.call("jobs", "get", again["id"], status=1)[1])
        self.assertIn("409", self.call("jobs", "retry", self.finished(), status=1)[1])

    # ------------------------------------------------------------------------------------------ which job, and several

    def test_a_job_is_known_by_the_first_characters_of_its_id(self):
        job, other = self.finished(), self.finished()
        cut = next(n for n in range(4, 27) if job[:n] != other[:n])
        self.assertEqual(json.loads(self.call("jobs", "get", job[:16], "--json")[0])["id"], job)
        self.assertEqual(json.loads(self.call("jobs", "get", job[:16].upper(), "--json")[0])["id"], job)
        self.assertEqual(json.loads(self.call("jobs", "get", job[-10:], "--json")[0])["id"], job)  # as the dashboard names it
        self.assertIn(f"`tendril result {job[:10]}` fetches the file", self.call("plot", job[:10], status=2)[1])
        self.assertEqual(self.call("result", job[:16], "--format", "csv")[0], job + ".csv\n")
        self.assertIn("409", self.call("jobs", "retry", job[:16], status=1)[1])
        self.assertEqual(self.listed("--parent", job[:16]), [])
        self.call("watch", job[:16])
        said = self.call("jobs", "delete", job[:cut - 1], status=2)[1]
        self.assertIn(f"several jobs' ids begin with '{job[:cut - 1]}'", said)
        for _ in range(5):
            self.finished()
        said = self.call("jobs", "cancel", job[:4], status=2)[1]
        self.assertEqual(len(re.findall(rf"(?m)^  {job[:4]}\w{{22}}  \w+ of \S+, \w+, \S+Z$", said)), 5, said)
        self.assertIn("… and more", said)
        self.assertEqual(self.call("jobs", "delete", job[:16])[0], job + " deleted\n")
        self.assertIn("no job's id begins with", self.call("jobs", "get", job[:16], status=1)[1])
        for none in ("7zzz", "zzzz", "lost", "0000000000"):  # times to come, no time at all, no digits, long ago
            self.assertIn(f"no job's id begins with '{none}'", self.call("jobs", "get", none, status=1)[1])
        self.assertIn("too short: at least 4", self.call("jobs", "get", job[:3], status=2)[1])
        self.assertIn("too long", self.call("jobs", "get", "0" * 100, status=2)[1])

    def test_the_jobs_of_a_sweep_are_found_by_their_beginnings_too(self):
        self.call("models", "put", "rod.model.json")
        self.write("s.json", {"kind": "sweep", "base": JOB, "vary": [{"path": "/job/inputs/pull", "values": [1, 2, 3]}]})
        sweep = json.loads(self.call("jobs", "submit", "s.json", "--json")[0])["id"]
        self.call("watch", sweep[:16])
        children = self.listed("--parent", sweep[:16])
        self.assertEqual(len(children), 3)
        for child in children:
            self.assertEqual(json.loads(self.call("jobs", "get", child[:20], "--json")[0])["parent"], sweep)

    def test_a_table_without_a_filter_has_a_sweep_as_one_row_and_says_how_to_see_its_jobs(self):
        self.call("models", "put", "rod.model.json")
        self.write("s.json", {"kind": "sweep", "base": JOB, "vary": [{"path": "/job/inputs/pull", "values": [1, 2, 3]}]})
        sweep = json.loads(self.call("jobs", "submit", "s.json", "--json")[0])["id"]
        self.call("watch", sweep)
        children = self.listed("--parent", sweep)
        table, told = self.call("jobs", "list", "--limit", "1000")
        self.assertIn(sweep, table)
        self.assertFalse([child for child in children if child in table])
        self.assertIn("--children", told)
        for words in (["--children", "--limit", "1000"], ["--children", "--limit", "1000", "--json"], ["--state", "succeeded", "--limit", "1000"]):
            shown = self.call("jobs", "list", *words)[0]
            self.assertEqual([child for child in children if child not in shown], [], words)
        self.assertEqual(self.listed("--limit", "1000"), [line.split()[0] for line in table.splitlines()[1:]], "as JSON the list is another")

    def test_descriptions_of_examples_go_on_below_themselves_on_a_terminal(self):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        reader = threading.Thread(target=lambda: said.append(b"".join(iter(lambda: self.read_some(master), b""))))
        said = []
        reader.start()
        self.call("examples", stdout=slave)
        os.close(slave)
        reader.join(30)
        lines = said[0].decode().replace("\r\n", "\n").split("\n\n")[0].splitlines()
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertGreater(sum(line.startswith(40 * " ") for line in lines), 10)

    @staticmethod
    def read_some(descriptor):
        try:
            return os.read(descriptor, 65536)
        except OSError:
            return b""

    def test_what_is_mistyped_is_answered_with_what_may_be_meant(self):
        self.call("models", "put", "rod.model.json")
        self.assertIn('there is no model "rood"; did you mean "rod"?', self.call("models", "get", "rood", status=1)[1])
        self.assertNotIn("did you mean", self.call("models", "get", "gripper-of-somebody", status=1)[1])
        self.assertIn("jobs are queued, running, succeeded, failed, cancelled", self.call("jobs", "list", "--state", "done", status=1)[1])
        self.assertIn('did you mean "statics"?', self.call("jobs", "list", "--kind", "static", status=1)[1])
        self.assertIn("did you mean cdm?", self.call("examples", "cmd", status=2)[1])
        for change, meant in (({"kind": "dynamic"}, "dynamics"), ({"inputs": {"pull": {"type": "sin", "amplitude": 1}}}, "sine"), ({"model": "rood"}, "rod")):
            self.write("odd.job.json", {**JOB, **change})
            self.assertIn(f'did you mean "{meant}"?', self.call("jobs", "submit", "odd.job.json", status=1)[1], change)
        self.write("sweep.job.json", {"kind": "sweep", "base": {**JOB, "model": ROD}, "vary": [{"path": "/model/links/0/body/material/yuong", "values": [1e6]}]})
        self.assertIn('did you mean "young"?', self.call("jobs", "submit", "sweep.job.json", status=1)[1])

    def test_several_jobs_are_watched_at_once(self):
        jobs = [self.submit(t_end=t) for t in (3, 2, 1)]
        out, said = self.call("watch", *jobs)
        self.assertEqual(out, "")
        for job, t in zip(jobs, (3, 2, 1)):
            self.assertRegex(said, rf"(?m)^{job} succeeded 100 %  t = {t}\.00 of {t} s$")
        events = [json.loads(line) for line in self.call("jobs", "watch", *jobs, "--json")[0].splitlines()]
        self.assertEqual({event["job"] for event in events if event.get("state") == "succeeded"}, set(jobs))
        failing = self.submit(integrator={"method": "rk4", "h": 0.1}, t_end=20)
        said = self.call("watch", jobs[0], failing, status=1)[1]
        self.assertIn(f"job {failing} failed", said)
        self.assertIn(f"{jobs[0]} succeeded", said)
        self.call("watch", *jobs, status=3, url="http://127.0.0.1:9")
        self.assertIn("usage", self.call("watch", *["0" * 26] * 65, status=2)[1])

    def test_interrupting_a_watch_of_several_leaves_them_running(self):
        jobs = [self.submit(t_end=1000, integrator={"method": "newmark", "h": 0.001}, output={"dt": 10, "fields": ["q"]}) for _ in range(2)]
        process = subprocess.Popen([TENDRIL, "watch", *jobs], stderr=subprocess.PIPE, env={**os.environ, "TENDRIL_URL": self.server.url}, encoding="utf-8")
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said = first + process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, 130)
        for job in jobs:
            self.assertIn(f"job {job} goes on at the server", said)
            self.assertIn(self.server.get(f"/v1/jobs/{job}")["state"], ("queued", "running"))
            self.call("jobs", "cancel", job)
        self.call("watch", *jobs, status=1)

    # ------------------------------------------------------------------------------------------ sweeps

    def test_a_sweep_over_places_of_model_and_job_is_run_listed_and_fetched_as_one(self):
        self.write("pull.job.json", {"model": "rod", "kind": "statics", "inputs": {"pull": 1.0}})
        young = "/model/links/0/body/material/young"
        out, _ = self.call("sweep", "pull.job.json", "--over", f"{young}=1e6:4e6:3:log", "--over", "/job/inputs/pull=0:2:2")
        self.assertRegex(out, r"sweep of rod@\d+ succeeded, result in pull-sweep.npz\n"
                              r"sweep: 6 of 6 jobs succeeded, 3 with warnings\nVALUES +STATE +WARNINGS\n"
                              r"young=1000000, pull=0 +succeeded  -\nyoung=1000000, pull=2 +succeeded  coarse_basis\n")
        with np.load(self.path("pull-sweep.npz"), allow_pickle=False) as result:
            np.testing.assert_allclose(result["vary[0]"], [1e6, 1e6, 2e6, 2e6, 4e6, 4e6], rtol=1e-12)
            self.assertEqual(result["vary[1]"].tolist(), [0, 2] * 3)
            soft, stiff = result["q"][1], result["q"][5]
            self.assertGreater(np.abs(soft).max(), 1.5 * np.abs(stiff).max())
        self.call("plot", "pull-sweep.npz")

    def test_values_of_a_sweep_are_ranges_lists_and_words_and_the_document_can_be_kept(self):
        job = {"model": "rod", "kind": "dynamics", "t_end": 0.05, "integrator": {"method": "newmark", "h": 0.01}, "output": {"dt": 0.05, "fields": ["q"]}}
        self.write("a.json", job)
        over = ["--over", "/job/integrator/method=newmark,generalized_alpha", "--over", "/job/t_end=0.05:0.1:2", "--over",
                '/job/integrator=[{"method": "newmark", "h": 0.005}, {"method": "newmark", "h": 0.01}]']
        kept = self.call("sweep", "a.json", *over, "--zip", "--print", url="http://127.0.0.1:9")[0]
        self.assertEqual(json.loads(kept), {"kind": "sweep", "base": job, "mode": "zip", "vary": [
            {"path": "/job/integrator/method", "values": ["newmark", "generalized_alpha"]}, {"path": "/job/t_end", "values": [0.05, 0.1]},
            {"path": "/job/integrator", "values": [{"method": "newmark", "h": 0.005}, {"method": "newmark", "h": 0.01}]}]})
        counts = json.loads(self.call("sweep", "a.json", "--over", "/model/x=1:5:5", "--print")[0])["vary"][0]["values"]
        self.assertEqual((counts, {type(n) for n in counts}), ([1, 2, 3, 4, 5], {int}))
        self.call("models", "put", "rod.model.json")
        kept = self.call("sweep", "a.json", "--over", "/job/t_end=0.05,0.1", "--print")[0]
        self.write("kept.json", kept)
        self.assertIn("result in kept.npz\nsweep: 2 of 2 jobs succeeded", self.call("sweep", "kept.json")[0])
        self.assertIn("sweep: 2 of 2 jobs succeeded", self.call("run", "rod.model.json", "kept.json")[0])

    def test_a_sweep_of_which_a_job_fails_lists_it_and_says_how_to_fetch_the_others(self):
        self.call("models", "put", "rod.model.json")
        self.write("b.json", {**JOB, "t_end": 20, "integrator": {"method": "newmark", "h": 0.01}})
        out, said = self.call("sweep", "b.json", "--over", '/job/integrator=[{"method": "rk4", "h": 0.1}, {"method": "newmark", "h": 0.01}]', status=1)
        self.assertRegex(out, r"sweep: 1 of 2 jobs succeeded, .*\nVALUES .*\nintegrator=\S+rk4\S+ +failed ")
        fetch = re.search(r"`tendril (result \S+ --partial) -o FILE`", said).group(1)
        self.call(*fetch.split(), "-o", "rest.npz")
        with np.load(self.path("rest.npz"), allow_pickle=False) as rest:
            self.assertEqual(rest["succeeded"].tolist(), [False, True])
        self.assertFalse(os.path.exists(self.path("b-sweep.npz")))

    def test_what_is_no_sweep_is_refused_with_what_to_do(self):
        self.write("s.json", {"kind": "sweep", "base": JOB, "vary": []})
        nowhere = {"url": "http://127.0.0.1:9", "status": 2}
        for over in ("/model/x=", "model/x=1", "/model/x", "/x=1"):
            self.assertIn("takes a place and its values", self.call("sweep", "rod.job.json", "--over", over, **nowhere)[1], over)
        for values in ("1:2", "1:2:1", "1:2:20001", "1:2:3:lin", "-1:1:3:log", "0:1:3:log", "a:b:c", "1:inf:3", "nan:1:3"):
            self.assertIn("is no range", self.call("sweep", "rod.job.json", "--over", f"/job/t_end={values}", **nowhere)[1], values)
        self.assertIn("not JSON", self.call("sweep", "rod.job.json", "--over", "/job/t_end=[1,", **nowhere)[1])
        self.assertIn("say with --over", self.call("sweep", "rod.job.json", **nowhere)[1])
        self.assertIn("is a sweep already", self.call("sweep", "s.json", "--over", "/job/t_end=1,2", **nowhere)[1])
        self.assertIn("more than 64 options", self.call("sweep", "rod.job.json", *["--over", "/job/t_end=1"] * 65, **nowhere)[1])
        self.call("models", "put", "rod.model.json")
        self.assertIn("nothing at /job/nothing", self.call("sweep", "rod.job.json", "--over", "/job/nothing=1,2", status=1)[1])


if __name__ == "__main__":
    unittest.main()
