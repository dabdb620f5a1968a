#!/usr/bin/env python3
"""All attacks at once (attacks.py) on a server with tokens, while good clients (good_clients.py) evaluate, submit, watch and fetch. Before,
the same good clients alone, so that the figures can be read on any machine.

  TENDRIL_BIN=build/release/bin python3 tests/attack/siege.py --seconds 180            prints a table; exit status 1: a bound is broken
  python3 tests/attack/siege.py --minutes 20 --faults --tls                           the long round: kill -9 of server and workers between

Bounds: 99 of 100 evaluations within 50 ms and submissions within 500 ms, health always within 1 s, the server's memory below its budget,
nothing acknowledged lost, done twice or of other bits, no good client refused. Attackers run at nice 19, and all together take no more than
--attackers-cpu of a core, so that it is the server's limits that are measured."""
import argparse
import http.client
import json
import os
import queue
import random
import re
import resource
import socket
import sys
import tempfile
import threading
import time
import warnings

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "fault"))

import attacks  # noqa: E402
from good_clients import FORK, Access, GoodClients, Peace  # noqa: E402
from harness import Server, make_certificate, make_token  # noqa: E402
from test_history import check_events  # noqa: E402
from test_slow_clients import allow_files  # noqa: E402

BUDGET_MIB, WORKERS = 512, 2
BESIDES_MIB = 32  # what may come between two looks at what the process has
BOUNDS_MS = {"evaluate_json": (99, 50), "evaluate_npz": (99, 50), "evaluate_unary": (99, 50), "evaluate_stream": (99, 50), "submit": (99, 500),
             "health": (100, 1000)}
OWNERS = ("good", "greedy", "root")


class Fortress(Server):
    """A server that keeps its addresses when it is started again."""

    def start(self):
        again = self.process is not None
        super().start()
        self.host = "127.0.0.1"  # as its certificate says
        if not again:
            self.flags = (*self.flags, "--http", self.ready["http"], "--grpc", self.ready["grpc"])


def own_address():
    """Of this machine, not loopback: of that the server keeps some places free, and good clients get none of them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


# ------------------------------------------------------------------------------------------------------------ attackers

def besiege(name, target, ending, share, said):
    """One attack, again and again, with no more than its share of a core."""
    os.setpriority(os.PRIO_PROCESS, 0, 19)
    allow_files(4096)
    warnings.simplefilter("ignore")  # what an attacker leaves open
    target.ended = ending.is_set
    target.random.seed(name)
    target.source = "127.%d.%d.1" % (1 + target.random.randrange(200), target.random.randrange(250))
    begin, rounds, trouble = time.monotonic(), 0, None
    while not ending.is_set():
        try:
            attacks.ATTACKS[name](target)
            rounds += 1
        except AssertionError as error:
            trouble = f"defect: {error}"
        except Exception as error:  # closed, refused, cut off: what an attacker has to live with
            trouble = trouble or f"{type(error).__name__}: {error}"[:160]
        said.put((name, rounds, dict(target.answers), trouble))
        target.pause(min(60, max(0.02, time.process_time() / share - (time.monotonic() - begin))))
    said.put(None)


class Attackers:
    def __init__(self, target, names, cpu):
        self.ending, self.said, self.found = FORK.Event(), FORK.Queue(), {name: (name, 0, {}, None) for name in names}
        self.processes = [FORK.Process(target=besiege, args=(name, target, self.ending, cpu / len(names), self.said), daemon=True)
                          for name in names]
        for process in self.processes:
            process.start()

    def read(self, patience_s):
        """What they have said so far; true when `patience_s` is over."""
        try:
            told = self.said.get(timeout=patience_s)
        except queue.Empty:
            return True
        if told:
            self.found[told[0]] = told
        else:
            self.ended += 1
        return False

    ended = 0

    def end(self, patience_s=10):
        """[(name, rounds, {answer: count}, trouble)]; whoever is in the midst of a round and does not come to its end is killed."""
        self.ending.set()
        end = time.monotonic() + patience_s
        while self.ended < len(self.processes) and time.monotonic() < end:
            self.read(0.5)
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.join()
        return sorted(self.found.values())


# ------------------------------------------------------------------------------------------------------ what is watched

def status_kb(pid, key):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next((int(line.split()[1]) for line in file if line.startswith(key)), 0)


class Watchman(threading.Thread):
    """Looks at the server's processes and files five times a second, and keeps the largest."""

    def __init__(self, server, token):
        super().__init__(daemon=True)
        self.server, self.token, self.most, self.ending = server, token, {}, threading.Event()
        self.start()

    def look(self):
        pid, folder = self.server.process.pid, self.server.folder
        files = {name: os.path.join(folder, name) for name in ("tendril.db", "tendril.db-wal")}
        children = [status_kb(child, "VmRSS:") / 1024 for child in self.server.workers_running()]
        return {"server MiB": status_kb(pid, "VmRSS:") / 1024, "peak MiB": status_kb(pid, "VmHWM:") / 1024, "workers MiB": sum(children),
                "descriptors": len(os.listdir(f"/proc/{pid}/fd")), "threads": status_kb(pid, "Threads:"),
                "log MiB": os.fstat(self.server.log_file.fileno()).st_size / (1 << 20),
                "tmp MiB": sum(entry.stat().st_size for entry in os.scandir(os.path.join(folder, "tmp"))) / (1 << 20),
                **{name + " MiB": os.path.getsize(path) / (1 << 20) if os.path.exists(path) else 0 for name, path in files.items()}}

    def accounts(self):
        """Of the budget, as the server counts."""
        text = self.server.request("GET", "/metrics", headers={"Authorization": "Bearer " + self.token}, timeout=5).body.decode()
        return {f"account {name} MiB": int(value) / (1 << 20)
                for name, value in re.findall(r'^tendril_memory_bytes{account="(\w+)"} (-?\d+)$', text, re.MULTILINE)}

    def run(self):
        turn = 0
        while not self.ending.wait(0.2):
            turn += 1
            try:
                for name, value in {**self.look(), **(self.accounts() if turn % 5 == 0 else {})}.items():
                    self.most[name] = max(self.most.get(name, 0), value)
            except (OSError, StopIteration, http.client.HTTPException):
                pass  # it is being killed

    def end(self):
        self.ending.set()
        self.join()
        return self.most


class Disk(threading.Thread):
    """What the disk does meanwhile: 4 KiB written and synced beside the server's files, five times a second. A submission waits for two."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.path, self.times, self.ending = os.path.join(folder, "probe"), [], threading.Event()
        self.start()

    def run(self):
        with open(self.path, "wb") as file:
            while not self.ending.wait(0.2):
                begin = time.monotonic()
                file.write(bytes(4096))
                file.flush()
                os.fdatasync(file.fileno())
                self.times.append(1000 * (time.monotonic() - begin))

    def end(self):
        self.ending.set()
        self.join()
        return sorted(self.times)


class Faults(threading.Thread):
    """Kills workers and the server, and starts it again. `outages`: from when to when good clients may notice."""

    def __init__(self, server, every_s, token):
        super().__init__(daemon=True)
        self.given = {"Authorization": "Bearer " + token}
        self.server, self.every_s, self.ending, self.outages, self.killed = server, every_s, threading.Event(), [], 0
        if every_s:
            self.start()

    def run(self):
        turn = 0
        while not self.ending.wait(self.every_s / 3):
            turn += 1
            if turn % 3 == 0:
                begin = time.monotonic()
                self.server.kill()
                self.server.start()
                self.outages.append((begin - 0.1, time.monotonic() + 3))
                continue
            workers = self.server.workers_running()
            if workers and self.spares():
                try:
                    os.kill(random.choice(workers), 9)
                    self.killed += 1
                except ProcessLookupError:
                    pass

    def spares(self):
        """Whether the good client's jobs have attempts left: one that loses its third fails, as it should."""
        try:
            jobs = [job for state in ("queued", "running")
                    for job in self.server.request("GET", f"/v1/jobs?limit=1000&owner=good&state={state}", headers=self.given).json()["jobs"]]
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            return False
        return all(job.get("attempt", 0) < 2 for job in jobs)

    def end(self):
        self.ending.set()
        if self.every_s:
            self.join()

    def excuses(self, begin, end):
        return any(begin < until and end > since for since, until in list(self.outages))


# ---------------------------------------------------------------------------------------------------------------- table

def percentile(sorted_values, part):
    return sorted_values[min(len(sorted_values) - 1, int(part / 100 * len(sorted_values)))] if sorted_values else float("nan")


def figures(diary, faults=None):
    """(count, p50, p99, largest in ms, what went wrong)"""
    def counts(begin, end):
        return not (faults and faults.excuses(begin, end))
    times = sorted(1000 * (end - begin) for begin, end in diary.times if counts(begin, end))
    return len(times), *(percentile(times, part) for part in (50, 99, 100)), [text for begin, end, text in diary.trouble if counts(begin, end)]


def stop_attackers_jobs(server, tokens):
    """Those that hold the workers: the attackers may have been ended before they could."""
    given = {"Authorization": "Bearer " + tokens["greedy"]}
    for state in ("running", "queued"):
        for job in server.request("GET", f"/v1/jobs?limit=1000&state={state}&kind=dynamics", headers=given).json()["jobs"]:
            server.request("POST", f"/v1/jobs/{job['id']}:cancel", headers=given)


def judge_jobs(access, peace, diaries):
    """Every job that was acknowledged ended once, as in peace; there are no others. How many there are, and a list of sentences."""
    expected = {job: kind for diary in diaries for kind, job in filter(None, diary.returned)}
    end, wrong, connection = time.monotonic() + 180, [], access.connect()  # one: handshakes of an address have a rate

    def ask(*arguments):
        return access.ask(connection, *arguments)
    while any(job["state"] not in ("succeeded", "failed", "cancelled") for job in access.jobs(ask)) and time.monotonic() < end:
        time.sleep(0.5)
    found = {job["id"]: job for job in access.jobs(ask)}
    wrong += [f"job {job} was acknowledged and is lost" for job in expected.keys() - found.keys()]
    for job, now in found.items():
        if now["state"] != "succeeded":
            wrong.append(f"job {job} is {now['state']}: {now.get('error')}")
            continue
        if job in expected and access.arrays(job, ask) != peace.arrays[expected[job]]:
            wrong.append(f"job {job} has other numbers than in peace")
        if now["kind"] != "sweep":
            events = json.loads(ask("GET", f"/v1/jobs/{job}/events?since=0"))["events"]
            try:
                check_events(events)
            except AssertionError as error:
                wrong.append(f"job {job} has a strange history: {error}")
    keys = [json.dumps(job["labels"], sort_keys=True) + job["id"] for job in found.values()]
    wrong += [f"{len(keys)} jobs, {len(set(keys))} different"] if len(keys) != len(set(keys)) else []
    submitted = len(expected) + len(peace.jobs)
    if len(found) > submitted + 2:  # one of each client may be on its way when it ends
        wrong.append(f"{len(found)} jobs stand there, {submitted} were acknowledged")
    return len(expected), wrong


class Report:
    """`slow`: bounds of time that are broken; `wrong`: everything else that should not be."""

    def __init__(self, stream):
        self.stream, self.slow, self.wrong = stream, [], []

    def say(self, line):
        print(line, file=self.stream, flush=True)

    def add_times(self, quiet, besieged, faults):
        self.say(f"{'':16}{'count':>8}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}   {'alone: p50':>10}{'p99':>8}{'max':>8}   bound")
        for name, diary in besieged.items():
            count, *found, trouble = figures(diary, faults)
            _, *alone, _ = figures(quiet[name])
            part, bound = BOUNDS_MS.get(name, (99, None))
            broken = bound and not found[1 if part == 99 else 2] <= bound
            self.say(f"{name:16}{count:8}{found[0]:9.1f}{found[1]:9.1f}{found[2]:9.1f}   {alone[0]:10.1f}{alone[1]:8.1f}{alone[2]:8.1f}   "
                     + (f"p{part} < {bound} ms {'BROKEN' if broken else 'held'}" if bound else ""))
            self.slow += [f"{name}: p{part} is beyond {bound} ms"] if broken else []
            self.wrong += [f"{name}: {len(trouble)} times, first: {trouble[0]}"] if trouble else []
            self.wrong += [f"{name}: never done"] if not count else []


    def add_disk(self, times, alone):
        of = [[percentile(found, part) for part in (50, 99, 100)] for found in (times, alone)]
        self.say("{:16}{:8}{:9.1f}{:9.1f}{:9.1f}   {:10.1f}{:8.1f}{:8.1f}   the disk alone, written by all of this machine".format(
            "(sync of 4 KiB)", len(times), *of[0], *of[1]))


def run(seconds, quiet_seconds, faults_every_s=0, tls=False, names=None, cpu=0.6, stream=sys.stdout, log=None):
    """A siege; its report."""
    report, names = Report(stream), names or list(attacks.ATTACKS)
    allow_files(8192)
    with tempfile.TemporaryDirectory(prefix="tendril-siege-") as own:
        folder = os.path.join(own, "data")
        tokens = {name: make_token(folder, "admin" if name == "root" else "run", name) for name in OWNERS}
        flags, options, certificate = [], {}, None
        if tls:
            certificate, key = make_certificate(own, "good")
            flags, options = ["--tls-cert", certificate, "--tls-key", key], {"tls": certificate}
        server = Fortress(folder, "--http", "0.0.0.0:0", "--grpc", "0.0.0.0:0", *([] if tls else ["--insecure"]), "--memory", str(BUDGET_MIB), *flags,
                          workers=WORKERS, token=tokens["good"], **options)
        try:
            siege(own, server, tokens, certificate, report, names, seconds, quiet_seconds, faults_every_s, cpu)
        finally:
            if log:
                with open(log, "w", encoding="utf-8") as file:
                    file.write(server.log())
            server.close()
    return report


def siege(own, server, tokens, certificate, report, names, seconds, quiet_seconds, faults_every_s, cpu):
    ports = [int(server.ready[face].rsplit(":", 1)[1]) for face in ("http", "grpc")]
    host = own_address()
    access = Access((host, ports[0]), (host, ports[1]), tokens["good"], certificate)
    target = attacks.Target(("127.0.0.1", ports[0]), ("127.0.0.1", ports[1]), tokens, certificate)
    peace = Peace(access)
    attacks.prepare(target)
    report.say(f"load before: {os.getloadavg()[0]:.1f}; good clients at {host}{' over TLS' if certificate else ''}; "
               f"{len(names)} attacks on {seconds} s, faults every {faults_every_s or '-'} s")
    good, disk = GoodClients(access, peace), Disk(own)
    time.sleep(quiet_seconds)
    quiet, quiet_disk = good.end(), disk.end()

    access.phase = "siege"
    watchman, faults, disk = Watchman(server, tokens["root"]), Faults(server, faults_every_s, tokens["root"]), Disk(own)
    attackers = Attackers(target, names, cpu)
    good = GoodClients(access, peace)
    own_cpu, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    end = begin + seconds
    while time.monotonic() < end:
        attackers.read(0.1)
    load = os.getloadavg()[0]
    faults.end()
    faults.outages.append((time.monotonic(), float("inf")))  # what good clients see from now on is no siege any more
    disk_times, rounds = disk.end(), attackers.end()
    stop_attackers_jobs(server, tokens)
    besieged = good.end()
    most = watchman.end()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    report.add_times(quiet, besieged, faults)
    report.add_disk(disk_times, quiet_disk)
    judge(report, server, access, peace, quiet, besieged, most, rounds)
    report.say(f"load at the end {load:.1f}; attackers and clients took {(used.ru_utime + used.ru_stime - own_cpu.ru_utime - own_cpu.ru_stime) / (time.monotonic() - begin):.2f} cores; "
               f"server killed {len(faults.outages) - 1} times, workers {faults.killed}")


def judge(report, server, access, peace, quiet, besieged, most, rounds):
    report.say("most: " + ", ".join(f"{name} {value:.0f}" for name, value in most.items()))
    if most.get("peak MiB", 0) >= BUDGET_MIB + BESIDES_MIB:
        report.wrong.append(f"memory: {most['peak MiB']:.0f} MiB of {BUDGET_MIB}")
    for name, count, answers, trouble in rounds:
        told = ", ".join(f"{what} {times}" for what, times in sorted(answers.items(), key=str))
        report.say(f"  {name:26}{count:5} rounds   {told}{'   last: ' + trouble if trouble else ''}")
        report.wrong += [f"{name}: {trouble}"] if trouble and trouble.startswith("defect") else []
        report.wrong += [f"{name}: the server said {what}" for what in answers if str(what) in ("500", "501", "502", "504")]
    acknowledged, wrong = judge_jobs(access, peace, [diary for found in (quiet, besieged) for diary in (found["submit"], found["watch"])])
    report.wrong += wrong
    report.say(f"jobs acknowledged {acknowledged}, of which lost, doubled or different: {len(wrong)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--minutes", type=float, help="instead of seconds")
    parser.add_argument("--quiet-seconds", type=float, default=10, help="the good clients alone, before")
    parser.add_argument("--faults", type=float, nargs="?", const=21, default=0, metavar="S", help="kill the server every S seconds, workers between")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--only", help="names of attacks, with commas")
    parser.add_argument("--without", default="", help="names of attacks, with commas")
    parser.add_argument("--attackers-cpu", type=float, default=0.6, metavar="CORES")
    parser.add_argument("--log", metavar="FILE", help="the server's lines")
    given = parser.parse_args()
    names = [name for name in (given.only.split(",") if given.only else attacks.ATTACKS) if name not in given.without.split(",")]
    report = run(60 * given.minutes if given.minutes else given.seconds, given.quiet_seconds, given.faults, given.tls, names, given.attackers_cpu,
                 log=given.log)
    for line in report.slow + report.wrong:
        print("BROKEN:", line)
    sys.exit(1 if report.slow or report.wrong else 0)


if __name__ == "__main__":
    main()
