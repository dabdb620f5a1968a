"""GET /metrics: OpenMetrics 1.0 by a strict parser of its own, and numbers that follow what happened."""
import json
import os
import re
import signal
import threading
import time
import unittest

from harness import Server, ServerTest, long_job, main, pendulum, soft_arm

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]Inf|NaN"
SAMPLE = re.compile(rf"^({NAME})(\{{(.*)\}})? ({NUMBER})$")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
ENDINGS = {"counter": ["_total"], "gauge": [""], "info": ["_info"], "histogram": ["_bucket", "_count", "_sum"]}


def labels_of(text):
    labels, at = {}, 0
    while text and at < len(text):
        found = LABEL.match(text, at)
        assert found and found[1] not in labels, text
        labels[found[1]] = found[2]
        at = found.end()
        assert not (found[3] == "," and at == len(text)), text
    return labels


def check_histograms(name, samples):
    series = {}
    for (sample, labels), value in samples.items():
        rest = tuple(pair for pair in labels if pair[0] != "le")
        series.setdefault(rest, {}).setdefault(sample[len(name):], []).append((dict(labels).get("le"), value))
    for parts in series.values():
        assert set(parts) == {"_bucket", "_count", "_sum"}, (name, parts)
        bounds = [float(le) for le, _ in parts["_bucket"]]
        counts = [value for _, value in parts["_bucket"]]
        assert bounds == sorted(set(bounds)) and bounds[-1] == float("inf"), (name, bounds)
        assert counts == sorted(counts) and counts[-1] == parts["_count"][0][1], (name, counts)


def parse(text):
    """{family: {"type", "samples": {(name, labels): value}}}; an AssertionError for whatever OpenMetrics does not allow."""
    assert text.endswith("\n# EOF\n") and "\r" not in text
    families, family = {}, None
    for line in text[:-len("# EOF\n")].split("\n")[:-1]:
        if line.startswith("# "):
            word, name, rest = re.match(rf"^# (TYPE|UNIT|HELP) ({NAME}) (.+)$", line).groups()
            if family is None or family["name"] != name:
                assert name not in families, f"{name} is not in one piece"
                family = families[name] = {"name": name, "samples": {}}
            assert word.lower() not in family and not family["samples"], line
            family[word.lower()] = rest
            assert word != "UNIT" or name.endswith("_" + rest), line
            continue
        name, braces, inside, value = SAMPLE.match(line).groups()
        assert braces is None or inside, line
        assert name in [family["name"] + ending for ending in ENDINGS[family["type"]]], line
        key = (name, tuple(sorted(labels_of(inside).items())))
        assert key not in family["samples"], line
        family["samples"][key] = float(value)
        assert family["type"] == "gauge" or float(value) >= 0, line
    for name, family in families.items():
        assert family["type"] in ENDINGS and family["help"], name
        if family["type"] == "histogram":
            check_histograms(name, family["samples"])
    return families


def read(server):
    reply = server.request("GET", "/metrics", headers={"Accept": "application/openmetrics-text;version=1.0.0,*/*;q=0.1"})
    assert reply.status == 200, reply.body
    assert reply.headers["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    return parse(reply.body.decode())


def value(families, name, **labels):
    for family in families.values():
        if (name, tuple(sorted(labels.items()))) in family["samples"]:
            return family["samples"][name, tuple(sorted(labels.items()))]
    raise AssertionError(f"no {name} {labels}")


def until(server, wanted, name, **labels):
    """Reads until a value is the wanted one: what a job did is counted right after its state is written."""
    end = time.monotonic() + 30
    while (found := value(read(server), name, **labels)) != wanted:
        assert time.monotonic() < end, f"{name} {labels} is {found}, not {wanted}"
        time.sleep(0.01)


class Metrics(ServerTest):
    def test_the_text_is_openmetrics_and_begins_with_every_series_at_its_start(self):
        families = read(self.server)
        self.assertGreater(len(families), 30)
        version = self.server.request("GET", "/v1/version").json()
        self.assertEqual(value(families, "tendril_build_info", version=version["version"], cpu_level=version["cpu_level"]), 1)
        self.assertGreater(value(families, "process_resident_memory_bytes"), 1e6)
        self.assertGreater(value(families, "process_open_fds"), 3)
        self.assertLess(value(families, "process_open_fds"), value(families, "process_max_fds"))

    def test_only_openmetrics_is_to_be_had_at_this_address(self):
        self.assertEqual(self.server.request("GET", "/metrics").status, 200)
        self.assert_problem(self.server.request("GET", "/metrics", headers={"Accept": "application/json"}), 406, "not_acceptable")
        reply = self.server.request("GET", "/healthz", headers={"Accept": "application/openmetrics-text"})
        self.assert_problem(reply, 406, "not_acceptable")

    def rise(self, action, name, **labels):
        before = value(read(self.server), name, **labels)
        action()
        return value(read(self.server), name, **labels) - before

    def test_jobs_attempts_and_the_solver_are_counted(self):
        job = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.5, "fields": ["q"]}}
        before = read(self.server)
        done = self.server.wait(self.server.submit(job))
        self.assertEqual(done["state"], "succeeded")
        ended = value(before, "tendril_jobs_ended_total", state="succeeded") + 1
        until(self.server, ended, "tendril_jobs_ended_total", state="succeeded")
        result = self.server.request("GET", f"/v1/jobs/{done['id']}/result", headers={"Accept": "application/x-npz"})
        spent = json.loads(bytes(result.npz()["summary"]))["statistics"]
        after = read(self.server)
        for name, labels, rise in (
                ("tendril_jobs_submitted_total", {}, 1), ("tendril_jobs_ended_total", {"state": "succeeded"}, 1),
                ("tendril_jobs_ended_total", {"state": "failed"}, 0), ("tendril_jobs", {"state": "succeeded"}, 1),
                ("tendril_attempts_total", {"outcome": "succeeded"}, 1), ("tendril_worker_starts_total", {}, 1),
                ("tendril_worker_restarts_total", {}, 0), ("tendril_store_results_bytes", {}, len(result.body)),
                ("tendril_solver_steps_total", {}, spent["steps"]),
                ("tendril_solver_rejected_steps_total", {}, spent["rejected"]),
                ("tendril_solver_evaluations_total", {}, spent["evaluations"]),
                ("tendril_solver_jacobians_total", {}, spent["jacobians"]),
                ("tendril_solver_factorisations_total", {}, spent["factorisations"]),
                ("tendril_solver_newton_iterations_total", {}, spent["newton_iterations"]),
                ("tendril_solver_nonlinear_failures_total", {}, spent["nonlinear_failures"])):
            self.assertEqual(value(after, name, **labels) - value(before, name, **labels), rise, name)
        self.assertGreater(spent["steps"], 10)
        self.assertGreaterEqual(value(after, "tendril_store_commits_total") - value(before, "tendril_store_commits_total"), 3)
        self.assertGreater(value(after, "tendril_store_commit_duration_seconds_sum"), 0)
        self.assertGreater(value(after, "tendril_store_database_bytes") + value(after, "tendril_store_wal_bytes"), 4096)

    def test_requests_are_counted_by_route_and_class(self):
        states = [{"q": [0.1]}, {"q": [0.2]}]
        self.assertEqual(self.rise(lambda: self.server.request("POST", "/v1/evaluate", {
            "model": pendulum(), "want": ["fd"], "states": states}), "tendril_evaluated_states_total"), 2)
        self.server.request("GET", "/v1/models/nobody")
        self.server.request("GET", "/nowhere")
        requests = "tendril_http_requests_total"
        last = (requests, (("method", ""), ("route", ""), ("status", "4xx")))
        here = (requests, (("method", "GET"), ("route", "/v1/models/{name}"), ("status", "4xx")))
        end = time.monotonic() + 20
        while True:  # a request is counted right after its reply is written
            families = read(self.server)
            samples = families["tendril_http_requests"]["samples"]
            if (last in samples and here in samples) or time.monotonic() > end:
                break
        self.assertGreaterEqual(value(families, requests, method="POST", route="/v1/evaluate", status="2xx"), 1)
        self.assertGreaterEqual(value(families, requests, method="GET", route="/v1/models/{name}", status="4xx"), 1)
        self.assertGreaterEqual(value(families, requests, method="", route="", status="4xx"), 1)
        self.assertGreaterEqual(value(families, "tendril_http_request_duration_seconds_count", method="GET",
                                      route="/v1/models/{name}"), 1)

    def test_busy_workers_and_watchers_are_seen_and_go_again(self):
        self.server.request("POST", "/v1/models", soft_arm())
        job_id = self.server.submit(long_job("soft", 400))
        self.server.wait_for_progress(job_id)
        watcher = threading.Thread(target=self.server.request, args=("GET", f"/v1/jobs/{job_id}/events"),
                                   kwargs={"headers": {"Accept": "text/event-stream"}})
        watcher.start()
        until(self.server, 1, "tendril_event_watchers")
        families = read(self.server)
        self.assertEqual(value(families, "tendril_workers", activity="busy"), 1)
        self.assertEqual(value(families, "tendril_workers", activity="idle"), 0)
        self.assertEqual(value(families, "tendril_jobs", state="running"), 1)
        self.server.request("POST", f"/v1/jobs/{job_id}:cancel")
        watcher.join()
        self.server.wait(job_id)
        until(self.server, 0, "tendril_workers", activity="busy")
        until(self.server, 0, "tendril_event_watchers")
        families = read(self.server)
        self.assertEqual(value(families, "tendril_jobs", state="running"), 0)
        self.assertGreaterEqual(value(families, "tendril_attempts_total", outcome="cancelled"), 1)


class Losses(unittest.TestCase):
    def test_a_killed_worker_is_a_crash_and_a_restart(self):
        server = Server()
        self.addCleanup(server.close)
        server.request("POST", "/v1/models", soft_arm())
        job_id = server.submit(long_job("soft", 3))
        server.wait_for_progress(job_id)
        os.kill(server.workers_running()[0], signal.SIGKILL)
        self.assertEqual(server.wait(job_id)["state"], "succeeded")
        until(server, 1, "tendril_jobs_ended_total", state="succeeded")
        families = read(server)
        self.assertEqual(value(families, "tendril_attempts_total", outcome="crashed"), 1)
        self.assertEqual(value(families, "tendril_worker_restarts_total"), 1)
        self.assertEqual(value(families, "tendril_worker_starts_total"), 2)


class Busy(unittest.TestCase):
    def test_who_computes_much_still_gets_metrics(self):
        server = Server(None, "--threads", "1")
        self.addCleanup(server.close)
        server.request("POST", "/v1/models", soft_arm())
        state = {"q": [0.1] * server.request("GET", "/v1/models/soft").json()["ndof"]}
        asked = {"want": ["dfd_dq"], "states": [state] * 1000}
        answered = []

        def ask():
            while not ending.is_set():
                answered.append(server.request("POST", "/v1/models/soft:evaluate", asked).status)
        ending = threading.Event()
        callers = [threading.Thread(target=ask) for _ in range(6)]
        for caller in callers:
            caller.start()
        try:
            while not answered:
                time.sleep(0.01)
            before = len(answered)
            for _ in range(5):
                self.assertEqual(server.request("GET", "/metrics").status, 200)
            # behind the queue of six each would wait for five of them
            self.assertLess(len(answered) - before, 15)
        finally:
            ending.set()
            for caller in callers:
                caller.join()
        self.assertEqual(set(answered), {200})


class Parser(unittest.TestCase):
    def test_the_parser_of_this_test_refuses_what_openmetrics_does_not_allow(self):
        good = "# TYPE a counter\n# HELP a b\na_total 1\n# EOF\n"
        parse(good)
        for bad in (good[:-1], good.replace("# EOF\n", ""), good.replace("_total", ""), good.replace("a_total 1", "a_total 1 "),
                    good.replace("a_total 1", "a_total -1"), good.replace("a_total 1", "a_total 1\na_total 2"),
                    good.replace("a_total 1", "a_total{} 1"), good.replace("a_total 1", 'a_total{b="c} 1'),
                    good.replace("a_total 1", 'a_total{b="c",} 1'), good.replace("counter", "histogram"), "\n" + good,
                    good.replace("# EOF", "# TYPE b gauge\nb 1\n# TYPE a counter\n# EOF")):
            with self.assertRaises((AssertionError, AttributeError, TypeError), msg=bad):
                parse(bad)


if __name__ == "__main__":
    main()
