"""A Slurm of one machine for tests, in a folder of its own, that ends with them: munged with a key of its own, slurmctld and
slurmd of Debian, on ports of their own. Processes are followed by their parents (proctrack/linuxproc) and not confined, so
no control groups are needed."""
import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Slurm:
    def __init__(self, cpus=4):
        self.folder = tempfile.mkdtemp(prefix="tendril-slurm-")
        os.chmod(self.folder, 0o755)
        self.processes = []
        for name in ("state", "spool"):
            os.mkdir(self.path(name))
        with open(os.open(self.path("munge.key"), os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(os.urandom(128))
        self.host = socket.gethostname().split(".")[0]
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as file:
            file.write("".join(f"{name}={value}\n" for name, value in self.settings().items()))
            file.write(f"NodeName={self.host} NodeAddr=127.0.0.1 CPUs={cpus}\nPartitionName=all Nodes={self.host} Default=YES State=UP\n")
        self.environment = {**os.environ, "SLURM_CONF": self.path("slurm.conf"), "PATH": os.environ["PATH"] + ":/usr/sbin"}
        self.start("munged", "--foreground", "--force", *(f"--{name}={self.path(file)}" for name, file in (
            ("key-file", "munge.key"), ("socket", "munge.socket"), ("pid-file", "munged.pid"), ("log-file", "munged.log"), ("seed-file", "munge.seed"))))
        self.wait(lambda: os.path.exists(self.path("munge.socket")))
        self.start("slurmctld", "-D", "-i")
        self.start("slurmd", "-D", "-N", self.host)
        self.wait(lambda: self.run("sinfo", "-h", "-o", "%T") == "idle")

    def path(self, name):
        return os.path.join(self.folder, name)

    def settings(self):
        user = getpass.getuser()
        return {"ClusterName": "tests", "SlurmctldHost": f"{self.host}(127.0.0.1)", "SlurmUser": user, "SlurmdUser": user,
                "AuthType": "auth/munge", "AuthInfo": "socket=" + self.path("munge.socket"), "SlurmctldPort": free_port(),
                "SlurmdPort": free_port(), "StateSaveLocation": self.path("state"), "SlurmdSpoolDir": self.path("spool"),
                "SlurmctldPidFile": self.path("slurmctld.pid"), "SlurmdPidFile": self.path("slurmd.pid"),
                "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "SwitchType": "switch/none", "MpiDefault": "none",
                "JobAcctGatherType": "jobacct_gather/none", "AccountingStorageType": "accounting_storage/none",
                "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_CPU", "SlurmdParameters": "config_overrides",
                "MailProg": "/bin/true", "SchedulerParameters": "sched_interval=2", "ReturnToService": 2, "KillWait": 20}

    def start(self, *command):
        with open(self.path(command[0] + ".out"), "wb") as log:
            self.processes.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, cwd=self.folder))

    def log(self):
        found = ""
        for name in PROGRAMS:
            with open(self.path(name + ".out"), encoding="utf-8", errors="replace") as file:
                found += file.read()[-800:]
        return found

    def wait(self, ask):
        end = time.monotonic() + 60
        while not ask():
            assert time.monotonic() < end and all(process.poll() is None for process in self.processes), self.log()
            time.sleep(0.1)

    def run(self, *command, environment=None):
        done = subprocess.run(command, env={**self.environment, **(environment or {})}, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or command[0] == "sinfo", done.stderr
        return done.stdout.strip()

    def close(self):
        subprocess.run(["scancel", "--user", getpass.getuser()], env=self.environment, capture_output=True, check=False)
        end = time.monotonic() + 30  # what it started ends with it
        while self.run("squeue", "--noheader") and time.monotonic() < end:
            time.sleep(0.1)
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
