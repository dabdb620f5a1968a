"""The image of deploy/Containerfile, built and started by buildah without any registry: its base is made from Debian's packages, and in
the place of its first stage stand the programs that were built here."""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))

from harness import BIN, SOURCE, can_mount, is_sanitized, main  # noqa: E402


@unittest.skipIf(is_sanitized(), "of released programs only")
@unittest.skipUnless(shutil.which("buildah") and shutil.which("mmdebstrap") and can_mount(), "needs buildah, mmdebstrap and root")
class Container(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tendril-container-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)

    def words(self, *words):
        places = ["--root", os.path.join(self.folder, "images"), "--runroot", os.path.join(self.folder, "run"), "--storage-driver", "vfs"]
        return ["buildah", *places, *words]

    def run_words(self, words):
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=1500, env={**os.environ, "TMPDIR": self.folder})
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-4000:])
        return done.stdout.strip()

    def buildah(self, *words):
        return self.run_words(self.words(*words))

    def make_base(self):
        base = os.path.join(self.folder, "base.tar")
        self.run_words(["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "bookworm", base])
        work = self.buildah("from", "scratch")
        self.buildah("add", "--quiet", work, base, "/")
        self.buildah("commit", "--quiet", "--rm", work, "docker.io/library/debian:12-slim")
        self.buildah("tag", "docker.io/library/debian:12-slim", "docker.io/library/debian:12")

    def build(self):
        built = os.path.join(self.folder, "built", "src", "build", "release")
        os.makedirs(os.path.join(built, "bin"))
        for program in ("tendrild", "tendril-worker", "tendril"):
            shutil.copy(os.path.join(BIN, program), os.path.join(built, "bin", program))
        shutil.copytree(os.path.join(BIN, "..", "lib"), os.path.join(built, "lib"), symlinks=True)
        context = os.path.join(self.folder, "context")
        shutil.copytree(os.path.join(SOURCE, "deploy"), os.path.join(context, "deploy"))
        self.buildah("build", "--isolation", "chroot", "--pull-never", "--format", "docker", "--build-context",
                     "build=" + os.path.join(self.folder, "built"), "-t", "tendril", "-f", os.path.join(context, "deploy", "Containerfile"),
                     context)

    def said(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_its_server_runs_as_its_own_user_says_that_it_is_ready_and_ends_when_told(self):
        self.make_base()
        self.build()
        work = self.buildah("from", "--pull-never", "localhost/tendril")
        kept = self.buildah("inspect", "--format", "{{.Docker.Config.Entrypoint}} {{.Docker.Config.Cmd}} {{.Docker.Config.User}} "
                            "{{.Docker.Config.StopSignal}} {{.Docker.Config.Healthcheck.Test}}", work)
        self.assertEqual(kept, "[tendrild] [--data /data --http 127.0.0.1:8080] tendril SIGTERM [CMD tendril ready]")
        out = os.path.join(self.folder, "out")
        with open(out, "w", encoding="utf-8") as file:
            runs = subprocess.Popen(self.words("run", "--isolation", "chroot", work, "--", "sh", "-c", 'id -un; echo "pid $$"; exec "$@"', "-",
                                               "tendrild", "--data", "/data", "--http", "127.0.0.1:0", "--grpc", "none", "--workers", "1"),
                                    stdout=file, stderr=subprocess.STDOUT)
        self.addCleanup(lambda: runs.poll() is None and runs.kill())
        while '"http":' not in self.said(out):
            self.assertIsNone(runs.poll(), self.said(out))
            time.sleep(0.1)
        address = self.said(out).split('"http":"')[1].split('"')[0]
        self.assertEqual(self.said(out).splitlines()[0], "tendril")
        told = self.buildah("run", "--isolation", "chroot", work, "--", "env", f"TENDRIL_URL=http://{address}", "tendril", "ready")
        self.assertIn("ready", told)
        with urllib.request.urlopen(f"http://{address}/v1/version") as reply:
            self.assertEqual(reply.status, 200)
        os.kill(int(self.said(out).split("pid ")[1].split()[0]), 15)
        self.assertEqual(runs.wait(120), 0, self.said(out))


if __name__ == "__main__":
    main()
