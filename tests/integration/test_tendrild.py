"""The program itself: configuration, the ready line, locks, and tendril-worker without a server."""
import contextlib
import json
import os
import sqlite3
import subprocess
import tempfile
import unittest

import numpy as np

from harness import in_a_folder, BIN, SOURCE, Server, long_job, main, pendulum, soft_arm


def run(program, *arguments, **environment):
    return subprocess.run([os.path.join(BIN, program), *arguments], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **environment})


class Configuration(unittest.TestCase):
    def refused(self, word, *arguments, **environment):
        with tempfile.TemporaryDirectory() as folder:
            done = run("tendrild", "--data", os.path.join(folder, "data"), *arguments, **environment)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        self.assertIn(word, done.stderr)

    def test_wrong_settings_end_with_status_2_and_one_line(self):
        self.refused("--speed", "--speed", "9")
        self.refused("workers", "--workers", "many")
        self.refused("workers", "--workers", "-1")
        self.refused("needs a value", "--workers")
        self.refused("needs a value", "--data", "--memory=64")
        self.refused("ADDR:PORT", "--http", "here")
        self.refused("ADDR:PORT", "--http", "127.0.0.1:99999")
        self.refused("log-level", "--log-level", "loud")
        self.refused("cannot be run", "--worker", "/nonexistent")
        self.refused("TENDRIL_WORKERS", TENDRIL_WORKERS="x")
        self.refused("no-such-file", "--config", "/no-such-file")

    def test_addresses_that_others_could_reach_are_refused(self):
        for address in ("0.0.0.0:0", "[::]:0", "192.168.1.1:8080", "8.8.8.8:80"):
            self.refused("loopback", "--http", address)

    def test_flags_beat_the_environment_which_beats_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            config = os.path.join(folder, "config.json")
            with open(config, "w", encoding="utf-8") as file:
                json.dump({"log_level": "debug", "http": "1.2.3.4:80", "worker_memory": 4096}, file)
            server = Server(os.path.join(folder, "data"), "--config", config, environment={"TENDRIL_HTTP": "5.6.7.8:80"})
            self.assertEqual(server.request("GET", "/healthz").status, 200)
            server.wait_for_log('"level":"debug"')
            server.close()

    def test_a_syntax_error_with_a_line_feed_in_it_is_still_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            config = os.path.join(folder, "config.json")
            with open(config, "w", encoding="utf-8") as file:
                file.write('{"d\\\na": 2}')
            done = run("tendrild", "--config", config)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn("invalid escape", done.stderr)

    def test_a_wrong_value_is_named_with_its_file_its_key_and_itself(self):
        for document, words in (({"speed": 9}, ("/speed",)),
                                ({"workers": "many"}, ("/workers", '"many"', "from 0 to 256")),
                                ({"workers": 1000}, ("/workers", "1000", "from 0 to 256")),
                                ({"workers": 1.5}, ("/workers", "1.5", "integer")),
                                ({"data": [1]}, ("/data", "[1]", "string")),
                                ({"data": "x" * 2000}, ("/data", "xxx", "longer")),
                                ({"http": "here"}, ("/http", '"here"', "ADDR:PORT")),
                                ({"log_level": "loud"}, ("/log_level", '"loud"', "warning"))):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "config.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(document, file)
                done = run("tendrild", "--config", path)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                for word in (path, *words):
                    self.assertIn(word, done.stderr)
        for variable, value in (("TENDRIL_HTTP", "here"), ("TENDRIL_LOG_LEVEL", "loud"), ("TENDRIL_THREADS", "-3")):
            done = run("tendrild", **{variable: value})
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"{variable}", done.stderr)
            self.assertIn(f'"{value}"', done.stderr)

    def test_the_sample_configuration_is_what_the_program_prints(self):
        with open(os.path.join(SOURCE, "deploy", "tendrild.json"), encoding="utf-8") as file:
            sample = file.read()
        done = run("tendrild", "--data", "/var/lib/tendril", "--print-config")
        self.assertEqual((done.returncode, done.stdout), (0, sample), done.stderr)

    def test_printed_settings_are_those_in_force_and_can_be_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config.json")
            first = run("tendrild", "--workers=3", "--print-config", TENDRIL_LOG_LEVEL="debug")
            self.assertEqual((json.loads(first.stdout)["workers"], json.loads(first.stdout)["log_level"]), (3, "debug"))
            with open(path, "w", encoding="utf-8") as file:
                file.write(first.stdout)
            self.assertEqual(run("tendrild", "--print-config", "--config", path).stdout, first.stdout)
        self.assertEqual(run("tendrild", "--print-config", "--workers", "many").returncode, 2)

    def test_help_names_every_setting_with_its_variable(self):
        done = run("tendrild", "--help")
        self.assertEqual(done.returncode, 0)
        settings = json.loads(run("tendrild", "--print-config").stdout)
        self.assertGreater(len(settings), 5)
        for key in settings:
            self.assertIn(f"--{key.replace('_', '-')} ", done.stdout)
            self.assertIn(f"[TENDRIL_{key.upper()}]", done.stdout)
        for word in ("--config", "--print-config", "--version"):
            self.assertIn(word, done.stdout)


class Start(unittest.TestCase):
    def test_the_ready_line_says_where(self):
        server = Server()
        self.assertEqual(server.ready, {"event": "ready", "http": f"127.0.0.1:{server.port}", "grpc": server.ready["grpc"],
                                        "pid": server.process.pid})
        self.assertRegex(server.ready["grpc"], r"^127\.0\.0\.1:[1-9][0-9]+$")
        server.close()

    def test_an_ipv6_loopback_address_serves(self):
        with tempfile.TemporaryDirectory() as folder:
            try:
                server = Server(os.path.join(folder, "data"), "--http", "[::1]:0")
            except AssertionError as error:
                self.skipTest(f"no IPv6 here: {error}")
            server.host = "::1"
            self.assertEqual(server.request("GET", "/healthz", headers={"Host": "[::1]"}).status, 200)
            server.close()

    def refused(self, data, *words):
        """Exit 2, and one line for people after the log's."""
        done = run("tendrild", "--data", data, "--http", "127.0.0.1:0")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("{")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("tendrild: "), lines)
        for word in words:
            self.assertIn(word, lines[0])

    def test_a_second_server_on_the_same_folder_is_refused_and_the_first_lives_on(self):
        server = Server()
        self.refused(server.folder, f"in use by another server (process {server.process.pid})")
        self.assertTrue(server.alive())
        server.close()

    def test_a_folder_that_cannot_be_written_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            if os.geteuid() != 0:
                Server(data).close()
                os.chmod(data, 0o500)
                os.chmod(os.path.join(data, "lock"), 0o400)
                self.refused(data, data, "Permission denied")
                os.chmod(data, 0o700)
                return
            if subprocess.run(["mount", "-t", "tmpfs", "none", folder], stderr=subprocess.DEVNULL, check=False).returncode:
                self.skipTest("mounting is not allowed here")
            try:
                Server(data).close()
                subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
                self.refused(data, data, "Read-only file system")
                self.refused(os.path.join(folder, "new"), "new", "Read-only file system")
            finally:
                subprocess.run(["umount", "-l", folder], check=False)

    @in_a_folder
    def test_what_is_no_data_folder_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file")
            with open(path, "w", encoding="ascii") as file:
                file.write("no folder")
            self.refused(path, path, "Not a directory")
            data = os.path.join(folder, "data")
            Server(data).close()
            with open(os.path.join(data, "tendril.db"), "r+b") as file:
                file.write(b"no database" * 100)
            self.refused(data, "tendril.db", "not a database")

    def test_a_port_that_is_taken_is_said(self):
        server = Server()
        with tempfile.TemporaryDirectory() as folder:
            done = run("tendrild", "--data", os.path.join(folder, "data"), "--http", f"127.0.0.1:{server.port}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot listen", done.stderr)
        server.close()

    def test_a_folder_of_a_newer_version_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            Server(data).close()
            with contextlib.closing(sqlite3.connect(os.path.join(data, "tendril.db"))) as base:
                base.execute("PRAGMA user_version = 9999")
            self.refused(data, "newer version", "9999")


class Logs(unittest.TestCase):
    def lines_about(self, server, job_id):
        return [json.loads(line) for line in server.log().splitlines() if job_id in line]

    def test_every_line_of_a_job_carries_its_id_and_its_submission_the_request_too(self):
        server = Server(None)
        self.addCleanup(server.close)
        job = {**LocalWorker.job, "model": pendulum()}
        reply = server.request("POST", "/v1/jobs", job, {"X-Request-Id": "night-1"})
        job_id = reply.json()["id"]
        server.wait(job_id)
        failing = server.submit({**job, "max_wall_s": 1e-9})
        server.wait(failing)
        server.wait_for_log('"end":"failed"')
        for one, end in ((job_id, "succeeded"), (failing, "failed")):
            about = {line["event"]: line for line in self.lines_about(server, one) if line["event"] != "request"}
            # a slot that looks for work just then starts the job before its submission has been logged
            self.assertCountEqual(about, ["job_queued", "job_started", "job_ended"])
            self.assertLess(list(about).index("job_started"), list(about).index("job_ended"))
            self.assertEqual({line["job"] for line in about.values()}, {one})
            self.assertEqual([about[event]["attempt"] for event in ("job_started", "job_ended")], [1, 1])
            self.assertEqual(about["job_ended"]["end"], end)
        queued = next(line for line in self.lines_about(server, job_id) if line["event"] == "job_queued")
        self.assertEqual(queued["request_id"], "night-1")
        self.assert_whole(server)

    def test_cancel_and_restart_are_logged_with_the_job(self):
        server = Server(None)
        self.addCleanup(server.close)
        server.request("POST", "/v1/models", soft_arm())
        running, waiting = (server.submit(long_job("soft", 400)) for _ in range(2))
        server.wait(running, ("running",))
        server.request("POST", f"/v1/jobs/{waiting}:cancel", headers={"X-Request-Id": "stop-1"})
        cancel, = (line for line in self.lines_about(server, waiting) if line["event"] == "job_cancel")
        self.assertEqual((cancel["state"], cancel["request_id"]), ("cancelled", "stop-1"))
        server.kill()
        server.start()
        interrupted, = (line for line in self.lines_about(server, running) if line["event"] == "job_interrupted")
        self.assertEqual((interrupted["state"], interrupted["attempt"]), ("queued", 1))
        self.assert_whole(server)
        server.request("POST", f"/v1/jobs/{running}:cancel")
        server.wait(running)

    def assert_whole(self, server):
        for line in map(json.loads, server.log().splitlines()):
            self.assertTrue(line["time"] and line["level"] and line["event"], line)
            self.assertTrue(line["event"] != "request" or line["request_id"], line)


class LocalWorker(unittest.TestCase):
    job = {"model": "pendulum", "kind": "dynamics", "t_end": 1, "initial": {"q": [0.3]}, "output": {"dt": 0.1, "fields": ["q"]}}

    def run_local(self, model, job):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("model.json", "job.json", "out.npz")]
            for path, document in zip(paths, (model, job)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(document if isinstance(document, str) else json.dumps(document))
            done = run("tendril-worker", "--local", paths[0] if model else "-", paths[1], "-o", paths[2])
            self.assertEqual(sorted(os.listdir(folder)), sorted(["model.json", "job.json"] + ["out.npz"] * (done.returncode == 0)))
            return done, dict(np.load(paths[2])) if done.returncode == 0 else None

    def test_it_gives_the_bits_of_the_server(self):
        done, arrays = self.run_local(pendulum(), self.job)
        self.assertEqual(done.returncode, 0, done.stderr)
        inline, same = self.run_local("", {**self.job, "model": pendulum()})
        self.assertEqual(inline.returncode, 0, inline.stderr)
        np.testing.assert_array_equal(arrays["q"], same["q"])
        server = Server()
        job_id = server.submit({**self.job, "model": pendulum()})
        server.wait(job_id)
        served = server.request("GET", f"/v1/jobs/{job_id}/result", headers={"Accept": "application/x-npz"}).npz()
        np.testing.assert_array_equal(arrays["q"], served["q"])
        server.close()

    def test_documents_that_are_wrong_end_with_2_and_a_job_that_fails_with_1(self):
        wrong, _ = self.run_local(pendulum(links=[]), self.job)
        self.assertEqual((wrong.returncode, "/model/links" in wrong.stderr), (2, True), wrong.stderr)
        syntax, _ = self.run_local(pendulum(), "{")
        self.assertEqual(syntax.returncode, 2)
        unknown, _ = self.run_local(pendulum(), {**self.job, "speed": 1})
        self.assertEqual((unknown.returncode, "/speed" in unknown.stderr), (2, True), unknown.stderr)
        failed, _ = self.run_local(pendulum(), {**self.job, "max_wall_s": 1e-9})
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertEqual(run("tendril-worker").returncode, 2)
        self.assertEqual(run("tendril-worker", "--local", "/nonexistent", "/nonexistent", "-o", "/tmp/x").returncode, 2)


if __name__ == "__main__":
    main()
