"""What operators deploy: the systemd unit, the image's root, renewal of certificate and log by SIGHUP."""
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from harness import (BIN, SOURCE, Server, can_mount, is_sanitized, long_job, main, make_certificate, make_token, pendulum,
                     soft_arm)

UNIT = os.path.join(SOURCE, "deploy", "tendrild.service")
JOB = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.01, "fields": ["q"]}}


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
class Unit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tendril-unit-")
        self.addCleanup(self.folder.cleanup)
        with open(UNIT, encoding="utf-8") as file:
            text = file.read().replace("/usr/local/bin", os.path.abspath(BIN))
        self.unit = os.path.join(self.folder.name, "tendrild.service")
        with open(self.unit, "w", encoding="utf-8") as file:
            file.write(text)

    def analyze(self, *words):
        return subprocess.run(["systemd-analyze", "--no-pager", *words], capture_output=True, text=True, check=False)

    def test_it_exposes_little(self):
        done = self.analyze("security", "--offline=true", "--threshold=25", self.unit)
        self.assertEqual(done.returncode, 0, done.stdout[-500:] + done.stderr)

    def test_every_line_means_something(self):
        done = self.analyze("verify", "--man=no", self.unit)
        self.assertNotIn("tendrild.service", done.stdout + done.stderr)

    def test_its_system_calls_are_those_that_workers_confine_themselves_by(self):
        with open(UNIT, encoding="utf-8") as file:
            filters = [line.split("=", 1)[1].split() for line in file if line.startswith("SystemCallFilter=")]
        for call in ("seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "capset"):
            self.assertTrue(any(call in words for words in filters), call)


class Hangup(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tendril-hangup-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def serial(self, server, address=None):
        host, port = (address or server.ready["http"]).rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=20) as plain:
            context = ssl.create_default_context()
            context.set_alpn_protocols(["h2"] if address else ["http/1.1"])
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            with context.wrap_socket(plain) as secured:
                return ssl.DER_cert_to_PEM_cert(secured.getpeercert(True))

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_a_renewed_certificate_is_shown_and_a_wrong_one_is_not(self):
        data, (certificate, key) = self.path("data"), make_certificate(self.folder.name, "one")
        token = make_token(data, "admin")
        server = Server(data, "--tls-cert", certificate, "--tls-key", key, token=token, tls=certificate)
        self.addCleanup(server.close)
        first = self.serial(server)
        connection = server.connect()
        self.assertEqual(server.request_on(connection, "GET", "/v1/models").status, 200)
        renewed, renewed_key = make_certificate(self.folder.name, "two")
        os.replace(renewed, certificate)
        server.process.send_signal(signal.SIGHUP)  # the key is still the old one
        server.wait_for_log("certificate_not_renewed")
        self.assertEqual(self.serial(server), first)
        os.replace(renewed_key, key)
        server.process.send_signal(signal.SIGHUP)
        server.wait_for_log("certificate_renewed")
        self.assertNotEqual(self.serial(server), first)
        self.assertEqual(self.serial(server).strip(), self.read(certificate).strip())
        self.assertEqual(self.serial(server, server.ready["grpc"]).strip(), self.read(certificate).strip())
        self.assertEqual(server.request_on(connection, "GET", "/v1/models").status, 200)  # an open one lives on
        connection.close()
        server.context = ssl.create_default_context(cafile=certificate)

    def test_a_log_that_was_moved_away_is_opened_anew(self):
        log = self.path("tendrild.log")
        server = Server(self.path("data"), "--log-file", log)
        self.addCleanup(server.close)
        server.wait(server.submit(JOB))
        os.rename(log, log + ".1")
        server.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 20
        while not (os.path.exists(log) and '"reloading"' in self.read(log)) and time.monotonic() < end:
            time.sleep(0.01)
        job = server.submit(JOB)
        server.wait(job)
        end = time.monotonic() + 20
        while job not in self.read(log) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertIn(job, self.read(log))
        self.assertNotIn(job, self.read(log + ".1"))
        for line in (self.read(log) + self.read(log + ".1")).splitlines():
            json.loads(line)

    def test_a_log_that_cannot_be_written_is_said_at_the_start(self):
        done = subprocess.run([os.path.join(BIN, "tendrild"), "--data", self.path("data"), "--log-file", "/nowhere/log"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--log-file: /nowhere/log cannot be written to", done.stderr)


class Confined(unittest.TestCase):
    def test_a_worker_has_no_privileges_and_goes_first_when_memory_is_short(self):
        server = Server()
        self.addCleanup(server.close)
        job = server.submit(long_job(soft_arm(), t_end=20))
        server.wait_for_progress(job)
        worker = server.workers_running()[0]
        with open(f"/proc/{worker}/status", encoding="ascii") as file:
            status = dict(line.split(":", 1) for line in file)
        self.assertEqual(int(status["CapEff"], 16), 0)
        self.assertEqual(int(status["CapPrm"], 16), 0)
        self.assertEqual(int(status["NoNewPrivs"]), 1)
        with open(f"/proc/{worker}/oom_score_adj", encoding="ascii") as file:
            self.assertEqual(int(file.read()), 500)
        server.request("POST", f"/v1/jobs/{job}:cancel")

    def test_a_worker_does_not_inherit_what_opens_the_database(self):
        secrets = {"PGPASSWORD": "open-sesame", "PGPASSFILE": "/nowhere/open-sesame", "TENDRIL_TOKEN": "open-sesame"}
        server = Server(environment={**secrets, "LEFT_ALONE": "1"})
        self.addCleanup(server.close)
        job = server.submit(long_job(soft_arm(), t_end=20))
        server.wait_for_progress(job)
        with open(f"/proc/{server.workers_running()[0]}/environ", "rb") as file:
            environment = file.read()
        self.assertEqual(environment.count(b"LEFT_ALONE=1"), 1)
        self.assertEqual(environment.count(b"open-sesame"), 0)  # without printing all of it
        server.request("POST", f"/v1/jobs/{job}:cancel")


class Ready(unittest.TestCase):
    def test_the_command_tells_whether_a_server_is_ready(self):
        server = Server()
        def ask():
            return subprocess.run([os.path.join(BIN, "tendril"), "ready", "--url", f"http://{server.ready['http']}"],
                                  capture_output=True, text=True, check=False)
        self.assertEqual((ask().returncode, ask().stderr), (0, ""))
        server.close()
        self.assertEqual(ask().returncode, 3)


class Packages(unittest.TestCase):
    """What cmake cannot do without is among the packages that somebody is told to install before he builds."""

    @unittest.skipUnless(shutil.which("dpkg-query"), "needs Debian")
    def test_every_library_that_cmake_wants_is_of_a_package_for_building(self):
        packages = subprocess.run(["sh", os.path.join(SOURCE, "deploy", "packages.sh"), "--list", "--build"], check=True,
                                  capture_output=True, text=True).stdout.split()
        texts = [os.path.join(SOURCE, *folder, "CMakeLists.txt") for folder in ((), ("server",), ("tests",), ("api", "c"), ("clients",), ("deploy",))]
        wanted = []
        for text in filter(os.path.exists, texts):
            with open(text, encoding="utf-8") as file:
                wanted += re.findall(r"pkg_check_modules\(\w+ REQUIRED IMPORTED_TARGET (\S+)\)", file.read())
        self.assertGreater(len(wanted), 10)
        for name in wanted:
            folder = subprocess.run(["pkg-config", "--variable=pcfiledir", name], check=True, capture_output=True, text=True).stdout.strip()
            owner = subprocess.run(["dpkg-query", "--search", f"*/pkgconfig/{name}.pc"], check=True, capture_output=True, text=True).stdout
            self.assertIn(owner.split(":")[0], packages, f"{name}, in {folder}")


@unittest.skipIf(is_sanitized(), "of released programs only")
@unittest.skipUnless(shutil.which("mmdebstrap") and can_mount(), "needs mmdebstrap and root")
class Image(unittest.TestCase):
    """The steps of deploy/Containerfile on a root of Debian 12 that has the packages of its last stage only."""

    def test_the_image_has_what_the_programs_need_and_its_health_is_told(self):
        packages = subprocess.run(["sh", os.path.join(SOURCE, "deploy", "packages.sh"), "--list", "--run"], check=True,
                                  capture_output=True, text=True).stdout.split()
        with tempfile.TemporaryDirectory(prefix="tendril-image-") as folder:
            root = os.path.join(folder, "root")
            subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "--include=" + ",".join(packages), "bookworm",
                            root], check=True, timeout=900, env={**os.environ, "TMPDIR": folder})
            os.chmod(folder, 0o755)
            for program in ("tendrild", "tendril-worker", "tendril"):
                shutil.copy(os.path.join(BIN, program), os.path.join(root, "usr/local/bin", program))
            shutil.copytree(os.path.join(BIN, "..", "lib"), os.path.join(root, "usr/local/lib"), dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("*.a"), symlinks=True)
            self.run_as_the_image_does(root)

    def lines(self, word):
        with open(os.path.join(SOURCE, "deploy", "Containerfile"), encoding="utf-8") as file:
            return [line.split(word, 1)[1].strip() for line in file if line.lstrip().startswith(word) or f" {word} " in line]

    def run_as_the_image_does(self, root):
        user = next(line for line in self.lines("RUN") if line.startswith("useradd"))
        subprocess.run(["chroot", root, "sh", "-c", user], check=True)
        command = json.loads(self.lines("ENTRYPOINT")[-1]) + json.loads(self.lines("CMD")[-1])
        command[command.index("--http") + 1] = "127.0.0.1:0"
        command += ["--grpc", "127.0.0.1:0", "--workers", "1"]
        health = json.loads(next(line for line in self.lines("HEALTHCHECK")).split("CMD", 1)[1])
        enter = ["unshare", "--mount", "sh", "-c", 'mount --rbind /proc "$0/proc" && exec chroot --userspec=tendril:tendril "$0" "$@"', root]
        process = subprocess.Popen([*enter, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            line = process.stdout.readline()
            self.assertTrue(line, process.stderr.read() if process.poll() is not None else "")
            url = "http://" + json.loads(line)["http"]
            environment = {**os.environ, "TENDRIL_URL": url}
            self.assertEqual(subprocess.run([*enter, *health], env=environment, check=False).returncode, 0)
            job = os.path.join(root, "data", "job.json")
            with open(job, "w", encoding="utf-8") as file:
                json.dump(JOB, file)
            done = subprocess.run([*enter, "tendril", "run", "/data/job.json", "-o", "/data/out.npz"], env=environment, check=False,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(os.path.getsize(os.path.join(root, "data", "out.npz")), 1000)
        finally:
            process.terminate()
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    main()
