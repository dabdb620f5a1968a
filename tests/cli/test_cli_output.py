"""-o of the `tendril` command: the same places for everything that writes."""
import io
import os
import pty
import signal
import stat
import threading
import unittest

import numpy as np

from command import JOB, TENDRIL, Place


class Output(Place):
    """-o: the same places for everything that writes."""

    WORKER = os.path.join(os.path.dirname(TENDRIL), "tendril-worker")

    def setUp(self):
        super().setUp()
        job = self.finished()
        self.call("result", job, "-o", "given.npz")
        self.write("state.json", {"q": [0, 0, 0, 0, 0]})
        # name: words in front of -o, extension, whether bytes are the same every time
        self.writers = {
            "result": (["result", job, "--format", "npz"], ".npz", True),
            "csv": (["result", job, "--format", "csv"], ".csv", True),
            "run": (["run", "rod.job.json", "--format", "npz"], ".npz", False),
            "evaluate": (["evaluate", "rod", "state.json"], ".json", True),
            "arrays": (["evaluate", "rod", "state.json", "--format", "npz"], ".npz", False),
            "models get": (["models", "get", "rod"], ".json", True),
            "plot": (["plot", "given.npz", "--size", "300x300"], ".png", True),
            "simulate": (["simulate", "rod.model.json", "rod.job.json"], ".npz", False),
            "worker": (["--local", "rod.model.json", "rod.job.json"], ".npz", False)}
        self.before = set(os.listdir(self.place.name))

    def to(self, name, place, **how):
        words = self.writers[name][0]
        return self.call(*words, "-o", place, program=self.WORKER if name == "worker" else TENDRIL, **how)

    def read(self, name):
        with open(self.path(name), "rb") as stream:
            return stream.read()

    def assert_is(self, name, data, whole):
        """`data` is what `name` writes, whole being what it wrote into a file."""
        if self.writers[name][2]:
            self.assertEqual(data.rstrip(b"\n"), whole.rstrip(b"\n"), name)
            return
        with np.load(io.BytesIO(data), allow_pickle=False) as made, np.load(io.BytesIO(whole), allow_pickle=False) as other:
            self.assertEqual(made.files, other.files)
            for field in set(made.files) - {"summary"}:
                self.assertTrue(np.array_equal(made[field], other[field]), f"{name} {field}")

    def whole(self, name):
        """What it writes into a file that is not there."""
        place = "whole" + self.writers[name][1]
        self.to(name, place)
        data = self.read(place)
        os.unlink(self.path(place))
        self.assertGreater(len(data), 50)
        return data

    def assert_left(self, *names):
        self.assertEqual(set(os.listdir(self.place.name)) - self.before, set(names), "something was left behind")

    def test_a_symlink_is_followed_and_stays(self):
        os.mkdir(self.path("folder"))
        for name, (_, extension, _) in self.writers.items():
            whole = self.whole(name)
            target, link, hop = "folder/target" + extension, "link" + extension, "folder/hop" + extension
            os.symlink(hop, self.path(link))
            os.symlink("target" + extension, self.path(hop))
            for _ in ("dangling", "there"):
                self.to(name, link)
                self.assertTrue(os.path.islink(self.path(link)) and os.path.islink(self.path(hop)), name)
                self.assertTrue(os.path.isfile(self.path(target)) and not os.path.islink(self.path(target)), name)
                self.assert_is(name, self.read(target), whole)
                self.write(target, "old")
                with open(self.path(target), encoding="utf-8") as held:  # a reader keeps the file it had
                    self.to(name, link)
                    self.assertEqual(held.read(), "old")
            for path in (target, link, hop):
                os.unlink(self.path(path))
            self.assertEqual(os.listdir(self.path("folder")), [])
            self.assert_left("folder")

    def test_symlinks_in_a_circle_are_an_error(self):
        os.symlink("b.npz", self.path("a.npz"))
        os.symlink("a.npz", self.path("b.npz"))
        for name in ("result", "worker"):
            self.assertIn("a.npz: ", self.to(name, "a.npz", status=1)[1])
        self.assert_left("a.npz", "b.npz")

    def test_a_fifo_gets_the_bytes_and_stays(self):
        os.mkfifo(self.path("fifo"))
        for name in self.writers:
            got = []
            reader = threading.Thread(target=lambda: got.append(self.read("fifo")), daemon=True)
            reader.start()
            self.to(name, "fifo")
            self.assertTrue(stat.S_ISFIFO(os.stat(self.path("fifo")).st_mode), name)
            reader.join(30)
            self.assert_is(name, got[0], self.whole(name))
        self.assert_left("fifo")

    def device(self, name, minor):
        """A copy of /dev/null (3) or /dev/full (7) in our folder: no mistake of a program can hurt the machine's."""
        try:
            os.mknod(self.path(name), 0o666 | stat.S_IFCHR, os.makedev(1, minor))
            open(self.path(name), "wb").close()
        except PermissionError:
            self.skipTest("devices cannot be made here")

    def test_a_device_is_written_and_stays(self):
        self.device("null", 3)
        self.device("full", 7)
        for name in self.writers:
            self.to(name, "null")
            self.assertIn("cannot write full: No space left", self.to(name, "full", status=1)[1], name)
            for device in ("null", "full"):
                self.assertTrue(stat.S_ISCHR(os.stat(self.path(device)).st_mode), name)
        self.assert_left("null", "full")

    def test_a_dash_and_names_of_descriptors_are_standard_output_and_nothing_else_goes_there(self):
        for name in self.writers:
            whole = self.whole(name)
            for place in ("-", "/dev/fd/1", "/proc/self/fd/1"):  # not /dev/stdout: a mistake would replace the machine's
                out = self.to(name, place)[0]
                self.assert_is(name, out if isinstance(out, bytes) else out.encode(), whole)
            with open(self.path("log"), "wb") as log:  # a file that the shell has open is gone on with
                log.write(b"before")
                log.flush()
                self.to(name, "-", stdout=log)
            self.assertEqual(self.read("log")[:6], b"before")
            self.assert_is(name, self.read("log")[6:], whole)
            os.unlink(self.path("log"))
        self.assert_left()

    def test_binary_is_refused_on_a_terminal_before_anything_is_done(self):
        for name, (_, extension, _) in self.writers.items():
            if name == "csv":
                continue  # more than a terminal keeps that nobody reads
            refused = extension in (".npz", ".png")
            leader, follower = pty.openpty()
            told = self.to(name, "-", stdout=follower, status=2 if refused else 0)[1]
            os.close(follower)
            os.close(leader)
            self.assertEqual("is a terminal" in told, refused, name)
            self.assertNotIn("submitted", told)

    def test_what_fails_leaves_the_old_file_and_nothing_beside_it(self):
        self.write("old.npz", "old")
        self.write("fail.job.json", {**JOB, "integrator": {"method": "rk4", "h": 0.1}, "t_end": 20})
        self.before |= {"old.npz", "fail.job.json"}
        self.call("result", "01HZZZZZZZZZZZZZZZZZZZZZZZ", "-o", "old.npz", status=1)
        self.assertEqual(self.read("old.npz"), b"old")
        self.call("simulate", "rod.model.json", "fail.job.json", "-o", "old.npz", status=1)
        self.assertEqual(self.read("old.npz")[:2], b"PK")  # a run that cannot go on leaves the rows up to there
        for place in ("absent/x.npz", "old.npz/x.npz"):
            for name in ("result", "run", "simulate", "worker"):
                self.assertIn("cannot write " + place, self.to(name, place, status=1)[1])
        self.assert_left()

    def test_a_reader_that_stops_ends_what_writes_without_a_word(self):
        reader, writer = os.pipe()
        os.close(reader)
        for name in self.writers:
            if name != "run":  # which has progress to tell
                self.assertEqual(self.to(name, "-", stdout=writer, status=-signal.SIGPIPE)[1], "", name)
        os.close(writer)

    def test_the_help_of_what_writes_says_where_to(self):
        for words in (["result"], ["run"], ["evaluate"], ["models", "get"], ["plot"], ["simulate"]):
            text = self.call(*words, "--help")[0]
            self.assertIn("-o - writes to standard output", text)
            self.assertIn("symlink", text)


if __name__ == "__main__":
    unittest.main()
