"""Rules and dashboard of deploy/prometheus and deploy/grafana against what a server really tells: names, labels and their
values; what the rules say of series that go wrong; and every expression asked of a Prometheus that reads a server."""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

import yaml

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from harness import SOURCE, Server, main, make_token, pendulum  # noqa: E402
from test_metrics import ENDINGS, read  # noqa: E402

DEPLOY = os.path.join(SOURCE, "deploy")
RULES = os.path.join(DEPLOY, "prometheus", "rules.yaml")
JOB = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.1, "fields": ["q"]}}
SCRAPED = {"job", "instance"}  # labels that Prometheus adds
OF_PROMETHEUS = {"up": SCRAPED, "ALERTS": SCRAPED | {"alertname", "alertstate"}}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file) if path.endswith(".json") else yaml.safe_load(file)


def rules():
    return [rule for group in load(RULES)["groups"] for rule in group["rules"]]


def dashboard():
    return load(os.path.join(DEPLOY, "grafana", "tendril.json"))


def filled(expression):
    """An expression of the dashboard as Grafana would send it."""
    return expression.replace("$__rate_interval", "1m").replace("$job", "tendril")


def expressions():
    """[where, expression] of everything that is asked of Prometheus."""
    found = [[rule.get("record") or rule["alert"], rule["expr"]] for rule in rules()]
    for panel in dashboard()["panels"]:
        found += [[panel["title"], filled(target["expr"])] for target in panel.get("targets", [])]
    return found + [["annotations", filled(note["expr"])] for note in dashboard()["annotations"]["list"]]


def series_of(families):
    """{name: {label: values}} of a server's metrics, with those of Prometheus and of the rules."""
    known = {name: {label: None for label in labels} for name, labels in OF_PROMETHEUS.items()}
    for family in families.values():
        names = [family["name"] + ending for ending in ENDINGS[family["type"]]]
        for name in names:
            known[name] = {label: None for label in SCRAPED}
        for (name, labels), _ in family["samples"].items():
            for label, value in labels:
                known[name].setdefault(label, set()).add(value)
    for rule in rules():
        if "record" in rule:
            known[rule["record"]] = {label: None for label in re.search(r"by \(([^)]*)\)", rule["expr"])[1].replace(" ", "").split(",")}
    return known


NAME = re.compile(r'(?<![\w:$"{])([a-zA-Z_:][\w:]*+)(\{[^}]*\})?+(?!\s*\()')
WORDS = {"by", "on", "and", "group_left", "le"}


def mistakes(expression, known):
    """What an expression asks for that nobody tells: [sentence]."""
    wrong = []
    bare = re.sub(r"\b(by|on|group_left)\s*\(([^)]*)\)", " ", expression)
    for name, matchers in NAME.findall(re.sub(r"\[[^\]]*\]", "", bare)):
        if name in WORDS:
            continue
        if name not in known:
            wrong.append(f"nobody tells {name}")
            continue
        for label, sign, value in re.findall(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"', matchers):
            if label not in known[name]:
                wrong.append(f"{name} has no label {label}")
            elif known[name][label] and not set(value.split("|")) <= known[name][label]:
                wrong.append(f"{name} has no {label}{sign}{value}")
    labels = {label for name, _ in NAME.findall(bare) for label in known.get(name, {})}
    for words in re.findall(r"\b(?:by|on|group_left)\s*\(([^)]*)\)", expression):
        wrong += [f"nothing here has a label {label}" for label in words.replace(" ", "").split(",") if label not in labels]
    return wrong


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.server.request("GET", "/nowhere")  # 4xx; there is none of 5xx
        cls.server.wait(cls.server.submit(JOB))
        cls.known = series_of(read(cls.server))
        cls.known["tendril_http_requests_total"]["status"].add("5xx")

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def test_whatever_is_asked_for_is_told(self):
        self.assertGreater(len(expressions()), 40)
        for where, expression in expressions():
            self.assertEqual(mistakes(expression, self.known), [], f"{where}: {expression}")

    def test_the_check_sees_what_is_wrong(self):
        for expression in ("tendril_job", 'tendril_jobs{stat="queued"}', 'tendril_jobs{state="waiting"}', "sum by (stat) (tendril_jobs)",
                           "rate(tendril_jobs_ended[5m])", 'max(tendril_jobs{state=~"queued|runing"})', "tendril:jobs:min",
                           "histogram_quantile(0.5, tendril_store_commit_duration_seconds)"):
            self.assertNotEqual(mistakes(expression, self.known), [], expression)

    def test_what_alerts_say_names_labels_that_they_have(self):
        for rule in rules():
            if "alert" not in rule:
                continue
            kept = re.match(r"(?:sum|count) by \(([^)]*)\)", rule["expr"])
            for label in re.findall(r"\$labels\.(\w+)", json.dumps(rule["annotations"])):
                self.assertIn(label, kept[1].replace(" ", "").split(",") if kept else SCRAPED, rule["alert"])

    def test_panels_of_the_dashboard_have_places_of_their_own(self):
        board, taken, ids = dashboard(), set(), []
        for panel in board["panels"]:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells
            ids.append(panel["id"])
            for target in panel.get("targets", []):
                self.assertIn('job="$job"', target["expr"], panel["title"])
                self.assertEqual(target["datasource"], {"type": "prometheus", "uid": "${datasource}"})
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual([variable["name"] for variable in board["templating"]["list"]], ["datasource", "job"])


class Promtool(unittest.TestCase):
    def run_tool(self, *words):
        done = subprocess.run(["promtool", *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_rules_and_configuration_are_read(self):
        self.run_tool("check", "rules", "--lint-fatal", RULES)
        self.run_tool("check", "config", "--syntax-only", os.path.join(DEPLOY, "prometheus", "prometheus.yaml"))

    def test_alerts_come_when_they_should_and_not_before(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(RULES, folder)
            tests = shutil.copy(os.path.join(os.path.dirname(__file__), "rules_test.yaml"), folder)
            self.run_tool("test", "rules", tests)

    def test_each_alert_is_tested(self):
        with open(os.path.join(os.path.dirname(__file__), "rules_test.yaml"), encoding="utf-8") as file:
            text = file.read()
        for rule in rules():
            self.assertTrue("alert" not in rule or rule["alert"] in text, rule)


class Scraped(unittest.TestCase):
    """Prometheus with the files of deploy/prometheus and a server that wants a token."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tendril-prometheus-")
        self.addCleanup(self.folder.cleanup)
        data = os.path.join(self.folder.name, "data")
        self.admin = make_token(data, "admin")
        self.write("tendril.token", make_token(data, "read"))
        self.server = Server(data, token=self.admin)
        self.addCleanup(self.server.close)

    def write(self, name, text):
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self):
        settings = load(os.path.join(DEPLOY, "prometheus", "prometheus.yaml"))
        settings["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        scrape = settings["scrape_configs"][0]
        scrape["scheme"] = "http"
        scrape["authorization"]["credentials_file"] = os.path.join(self.folder.name, "tendril.token")
        scrape["static_configs"] = [{"targets": [self.server.ready["http"]]}]
        self.write("prometheus.yaml", json.dumps(settings))
        shutil.copy(RULES, self.folder.name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        log = open(os.path.join(self.folder.name, "log"), "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen(["prometheus", f"--config.file={self.folder.name}/prometheus.yaml", f"--storage.tsdb.path={self.folder.name}/tsdb",
                                    "--web.listen-address=" + self.url.split("//")[1]], stdout=log, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def ask(self, expression):
        url = self.url + "/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        try:
            with urllib.request.urlopen(url, timeout=30) as reply:
                return json.load(reply)["data"]["result"]
        except urllib.error.HTTPError as problem:
            if problem.code == 503:  # it starts
                return []
            raise AssertionError(f"{expression}: {problem.read()}") from problem
        except urllib.error.URLError:
            return []

    def test_every_expression_has_an_answer(self):
        self.start()
        self.server.wait(self.server.submit(JOB))
        end = time.monotonic() + 60
        while not (self.ask('tendril_jobs{job="tendril",state="succeeded"} == 1') and self.ask("tendril:jobs_ended:rate5m")):
            with open(os.path.join(self.folder.name, "log"), encoding="utf-8") as file:
                self.assertLess(time.monotonic(), end, file.read())
            time.sleep(0.2)
        silent = [where for where, expression in expressions() if not self.ask(expression)]
        quiet = {rule["alert"] for rule in rules() if "alert" in rule} | {"annotations"}
        self.assertEqual([where for where in silent if where not in quiet], ["tendril:http_errors:ratio5m", "Share of 5xx"])  # there was none


if __name__ == "__main__":
    main()
