"""The program itself: configuration, the ready line, locks, and tendril-worker without a server."""
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

from harness import BIN, Server, main, pendulum


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
            with open(config, "w", encoding="utf-8") as file:
                json.dump({"speed": 9}, file)
            self.refused("/speed", "--config", config)

    def test_help_names_every_setting(self):
        done = run("tendrild", "--help")
        self.assertEqual(done.returncode, 0)
        for word in ("--config", "--data", "--http", "--grpc", "--workers", "TENDRIL_DATA"):
            self.assertIn(word, done.stdout)


class Start(unittest.TestCase):
    def test_the_ready_line_says_where(self):
        server = Server()
        self.assertEqual(server.ready, {"event": "ready", "http": f"127.0.0.1:{server.port}", "grpc": None,
                                        "pid": server.process.pid})
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

    def test_a_second_server_on_the_same_folder_is_refused_and_the_first_lives_on(self):
        server = Server()
        done = run("tendrild", "--data", server.folder, "--http", "127.0.0.1:0")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"in use by another server (process {server.process.pid})", done.stderr)
        self.assertTrue(server.alive())
        server.close()

    def test_a_port_that_is_taken_is_said(self):
        server = Server()
        with tempfile.TemporaryDirectory() as folder:
            done = run("tendrild", "--data", os.path.join(folder, "data"), "--http", f"127.0.0.1:{server.port}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot listen", done.stderr)
        server.close()

    def test_a_folder_of_a_newer_version_is_refused(self):
        import sqlite3
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            Server(data).close()
            with sqlite3.connect(os.path.join(data, "tendril.db")) as base:
                base.execute("PRAGMA user_version = 9999")
            done = run("tendrild", "--data", data, "--http", "127.0.0.1:0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("newer version", done.stderr)


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
