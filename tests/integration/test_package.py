"""The Debian package: installed in a fresh Debian 12 it brings what it needs, a user, a configuration and a server that
runs as the unit says; upgrades leave data alone; a purge leaves nothing but the user."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from harness import BIN, can_mount, is_sanitized, main, pendulum

JOB = {"model": pendulum(), "kind": "dynamics", "t_end": 1, "output": {"dt": 0.01, "fields": ["q"]}}
BUILD = os.path.abspath(os.path.join(BIN, ".."))


@unittest.skipIf(is_sanitized(), "of released programs only")
@unittest.skipUnless(shutil.which("mmdebstrap") and can_mount(), "needs mmdebstrap and root")
class Package(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tendril-package-")
        self.addCleanup(self.folder.cleanup)
        os.chmod(self.folder.name, 0o755)
        self.root = os.path.join(self.folder.name, "root")

    def package(self):
        folder = os.path.join(self.folder.name, "made")
        subprocess.run(["cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", folder], check=True, capture_output=True)
        return os.path.join(folder, next(name for name in os.listdir(folder) if name.endswith(".deb")))

    def install(self, package):
        """apt has to find everything that the package asks for."""
        subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", f"--customize-hook=copy-in {package} /root",
                        f'--customize-hook=chroot "$1" apt-get install -q -y --no-install-recommends /root/{os.path.basename(package)}',
                        "bookworm", self.root], check=True, timeout=900, stdout=subprocess.DEVNULL,
                       env={**os.environ, "TMPDIR": self.folder.name, "DEBIAN_FRONTEND": "noninteractive"})

    def inside(self, *words, user="root", **more):
        enter = ["unshare", "--mount", "sh", "-c", 'mount --rbind /proc "$0/proc" && exec chroot --userspec=' + user + ' "$0" "$@"',
                 self.root]
        return subprocess.run([*enter, *words], check=True, capture_output=True, text=True, **more).stdout

    def unit(self):
        with open(os.path.join(self.root, "usr/lib/systemd/system/tendrild.service"), encoding="utf-8") as file:
            return dict(line.strip().split("=", 1) for line in file if "=" in line and not line.startswith("#"))

    def serve(self):
        """As systemd would: the unit's command as the unit's user."""
        unit = self.unit()
        command = [*unit["ExecStart"].split(), "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--workers", "1"]
        enter = ["unshare", "--mount", "sh", "-c", 'mount --rbind /proc "$0/proc" && exec chroot --userspec=' +
                 f'{unit["User"]}:{unit["User"]} "$0" "$@"', self.root]
        process = subprocess.Popen([*enter, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        line = process.stdout.readline()
        self.assertTrue(line, process.stderr.read() if process.poll() is not None else "")
        return process, {**os.environ, "TENDRIL_URL": "http://" + json.loads(line)["http"]}

    def run_a_job(self):
        process, environment = self.serve()
        with open(os.path.join(self.root, "tmp", "job.json"), "w", encoding="utf-8") as file:
            json.dump(JOB, file)
        self.inside("tendril", "run", "/tmp/job.json", "-o", "/tmp/out.npz", env=environment)
        self.inside("tendril", "ready", env=environment)
        jobs = self.inside("tendril", "jobs", "list", "--json", env=environment).splitlines()
        process.terminate()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        return len(jobs)

    def test_it_serves_where_it_is_installed_and_a_purge_leaves_nothing(self):
        package = self.package()
        self.install(package)
        for completion in ("bash-completion/completions/tendril", "zsh/vendor-completions/_tendril"):
            with open(os.path.join(self.root, "usr/share", completion), encoding="utf-8") as file:
                self.assertIn("jobs list", file.read())
        for file in ("postgresql/roles.sql", "slurm/tendril-node.sbatch", "kubernetes/compute.yaml", "prometheus/rules.yaml"):
            self.assertTrue(os.path.exists(os.path.join(self.root, "usr/share/tendril/deploy", file)), file)  # README.md here names them
        kept = os.path.join(self.root, "var/lib/tendril")
        self.assertEqual(os.stat(kept).st_mode & 0o777, 0o700)
        self.assertEqual(self.run_a_job(), 1)
        with open(os.path.join(self.root, "etc/tendril/tendrild.json"), "r+", encoding="utf-8") as file:
            settings = {**json.load(file), "log_level": "debug"}
            file.seek(0)
            json.dump(settings, file)
            file.truncate()
        self.inside("dpkg", "--install", "--force-confold", "/root/" + os.path.basename(package))
        self.assertEqual(self.run_a_job(), 2)  # what was there before is there still
        with open(os.path.join(self.root, "etc/tendril/tendrild.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), settings)
        self.inside("dpkg", "--remove", "tendril")
        self.assertTrue(os.listdir(kept))
        self.inside("dpkg", "--purge", "tendril")
        left = [path for path in ("usr/bin/tendrild", "usr/lib/tendril", "etc/tendril", "var/lib/tendril", "usr/share/doc/tendril",
                                 "usr/share/tendril")
                if os.path.exists(os.path.join(self.root, path))]
        self.assertEqual(left, [])


if __name__ == "__main__":
    main()
