"""`tendril export`: every format read by a reader that is not ours: h5py, scipy, Octave, and for MCAP one written here from its
specification (mcap.dev/spec), which checks every length, checksum and index."""
import json
import os
import shutil
import struct
import subprocess
import unittest
import zlib

import h5py
import numpy as np
import scipy.io

from command import JOB, ROD, Place

MAGIC = b"\x89MCAP0\r\n"
ARM = {**ROD, "name": "arm", "links": [
    {"name": "base", "joint": {"type": "revolute", "axis": "z"}, "body": {"type": "rigid", "mass": 1, "inertia": [0.01, 0.01, 0.01]}},
    {**ROD["links"][0], "parent": "base"}]}


class Record:
    """Fields of a record, one after another."""

    def __init__(self, content):
        self.content, self.at = content, 0

    def number(self, size):
        self.at += size
        return int.from_bytes(self.content[self.at - size:self.at], "little")

    def blob(self, prefix=4):
        size = self.number(prefix)
        assert self.at + size <= len(self.content)
        self.at += size
        return self.content[self.at - size:self.at]

    def text(self):
        return self.blob().decode("utf-8")

    def pairs(self, key, value):
        inner, pairs = Record(self.blob()), {}
        while inner.at < len(inner.content):
            name = key(inner)
            assert name not in pairs
            pairs[name] = value(inner)
        return pairs

    def end(self):
        assert self.at == len(self.content), "bytes behind the last field"


def records(data, start, end):
    """(opcode, offset, content, offset behind it)"""
    at = start
    while at < end:
        size = int.from_bytes(data[at + 1:at + 9], "little")
        assert at + 9 + size <= end
        yield data[at], at, data[at + 9:at + 9 + size], at + 9 + size
        at += 9 + size
    assert at == end


def schema(content):
    r = Record(content)
    found = {"id": r.number(2), "name": r.text(), "encoding": r.text(), "data": json.loads(r.blob())}
    r.end()
    return found


def channel(content):
    r = Record(content)
    found = {"id": r.number(2), "schema": r.number(2), "topic": r.text(), "encoding": r.text(),
             "metadata": r.pairs(Record.text, Record.text)}
    r.end()
    return found


class Mcap:
    def __init__(self, data):
        assert data[:8] == MAGIC and data[-8:] == MAGIC
        self.data, self.schemas, self.channels, self.messages, self.chunks, self.indexes = data, {}, {}, {}, [], {}
        self.attachments, self.metadata, self.counts = {}, {}, {}
        footer = len(data) - 8 - 29
        assert data[footer] == 2 and int.from_bytes(data[footer + 1:footer + 9], "little") == 20
        summary, offsets, crc = struct.unpack("<QQI", data[footer + 9:footer + 29])
        assert crc == zlib.crc32(data[summary:footer + 25])
        self.read_data(summary)
        self.read_summary(summary, offsets)
        self.read_offsets(summary, offsets, footer)

    def read_data(self, end):
        kinds = list(records(self.data, 8, end))
        assert kinds[0][0] == 1 and kinds[-1][0] == 15
        crc = Record(kinds[-1][2])
        assert crc.number(4) == zlib.crc32(self.data[:kinds[-1][1]])
        for op, at, content, behind in kinds[1:-1]:
            {6: self.chunk, 7: self.index, 9: self.attachment, 12: self.meta}[op](content, at, behind)

    def chunk(self, content, at, behind):
        r = Record(content)
        first, last, size, crc, compression, data = r.number(8), r.number(8), r.number(8), r.number(4), r.text(), r.blob(8)
        r.end()
        assert compression == "" and len(data) == size and crc == zlib.crc32(data)
        times, places = [], {}
        for op, place, inside, _ in records(data, 0, len(data)):
            if op == 3:
                found = schema(inside)
                self.schemas[found["id"]] = found
            elif op == 4:
                found = channel(inside)
                assert found["schema"] in self.schemas
                self.channels[found["id"]] = found
            else:
                assert op == 5
                number, sequence, log, publish = struct.unpack("<HIQQ", inside[:22])
                mine = self.messages.setdefault(number, [])
                assert number in self.channels and sequence == len(mine) and log == publish
                mine.append((log, json.loads(inside[22:])))
                times.append(log)
                places.setdefault(number, []).append((log, place))
        assert (first, last) == (min(times), max(times))
        self.chunks.append({"at": at, "length": behind - at, "times": (first, last), "size": size, "places": places})

    def index(self, content, at, _):
        r = Record(content)
        number, entries = r.number(2), r.blob()
        r.end()
        assert [struct.unpack("<QQ", entries[i:i + 16]) for i in range(0, len(entries), 16)] == self.chunks[-1]["places"][number]
        self.chunks[-1].setdefault("indexes", {})[number] = at

    def attachment(self, content, at, behind):
        r = Record(content)
        log, made, name, media, data = r.number(8), r.number(8), r.text(), r.text(), r.blob(8)
        assert made == 0 and r.number(4) == zlib.crc32(content[:-4])
        r.end()
        self.attachments[name] = (at, behind - at, log, media, data)

    def meta(self, content, at, behind):
        r = Record(content)
        name = r.text()
        self.metadata[name] = (at, behind - at, r.pairs(Record.text, Record.text))
        r.end()

    def read_summary(self, start, end):
        chunks = iter(self.chunks)
        for op, _, content, _ in records(self.data, start, end):
            r = Record(content)
            self.counts[op] = self.counts.get(op, 0) + 1
            if op == 3:
                found = schema(content)
                assert self.schemas.setdefault(found["id"], found) == found
            elif op == 4:
                found = channel(content)
                assert self.channels.setdefault(found["id"], found) == found
            elif op == 8:
                chunk = next(chunks)
                assert (r.number(8), r.number(8)) == chunk["times"]
                assert (r.number(8), r.number(8)) == (chunk["at"], chunk["length"])
                assert r.pairs(lambda x: x.number(2), lambda x: x.number(8)) == chunk["indexes"]
                behind = chunk["at"] + chunk["length"]
                assert behind in chunk["indexes"].values()
                assert self.data[behind + r.number(8)] in (6, 9, 12, 15), "behind the message indexes stands the next thing"
                assert (r.text(), r.number(8), r.number(8)) == ("", chunk["size"], chunk["size"])
                r.end()
            elif op == 10:
                at, length, log, made, size, name, media = (*(r.number(8) for _ in range(5)), r.text(), r.text())
                kept = self.attachments[name]
                assert (at, length, log, media, size, made) == (*kept[:4], len(kept[4]), 0)
            elif op == 13:
                at, length, name = r.number(8), r.number(8), r.text()
                assert (at, length) == self.metadata[name][:2]
            else:
                assert op == 11
                self.statistics(r)
        assert next(chunks, None) is None and self.counts[10] == len(self.attachments) and self.counts[13] == len(self.metadata)

    def statistics(self, r):
        times = [log for of in self.messages.values() for log, _ in of]
        assert r.number(8) == len(times)
        assert [r.number(2), r.number(4), r.number(4), r.number(4), r.number(4)] == [
            len(self.schemas), len(self.channels), len(self.attachments), len(self.metadata), len(self.chunks)]
        assert (r.number(8), r.number(8)) == (min(times), max(times))
        assert r.pairs(lambda x: x.number(2), lambda x: x.number(8)) == {n: len(of) for n, of in self.messages.items()}
        r.end()

    def read_offsets(self, summary, start, end):
        behind = summary
        for op, _, content, _ in records(self.data, start, end):
            r = Record(content)
            group, at, length = r.number(1), r.number(8), r.number(8)
            assert op == 14 and at == behind
            assert {kind for kind, *_ in records(self.data, at, at + length)} == {group}
            behind = at + length
        assert behind == start

    def topic(self, name):
        (number,) = [c["id"] for c in self.channels.values() if c["topic"] == name]
        return self.messages[number], self.channels[number], self.schemas[self.channels[number]["schema"]]


def rotation(q):
    x, y, z, w = (q[k] for k in "xyzw")
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


class Export(Place):
    def setUp(self):
        super().setUp()
        self.write("arm.model.json", ARM)
        fields = ["q", "qd", "u", "energy", "tendons", "strain:arm", "poses:base", "poses:arm", "poses:arm@0.5"]
        self.write("arm.job.json", {**JOB, "model": "arm", "initial": {"qd": [3.0] + [0] * 5}, "output": {"dt": 0.01, "fields": fields}})
        self.call("simulate", "arm.model.json", "arm.job.json", "-o", "arm.npz")
        self.arrays = np.load(self.path("arm.npz"), allow_pickle=False)
        self.addCleanup(self.arrays.close)
        self.summary = json.loads(bytes(self.arrays["summary"]))

    def mcap(self, name):
        with open(self.path(name), "rb") as stream:
            return Mcap(stream.read())

    def pose(self, message, expected):
        position, turn = (message[k] for k in (("translation", "rotation") if "translation" in message else ("position", "orientation")))
        self.assertEqual([position[k] for k in "xyz"], expected[:3, 3].tolist())
        np.testing.assert_allclose(rotation(turn), expected[:3, :3], atol=1e-12)

    def test_mcap_has_every_number_and_every_frame_and_a_right_index(self):
        self.assertEqual(self.call("export", "arm.npz", "--to", "mcap")[0], "arm.mcap\n")
        file, arrays = self.mcap("arm.mcap"), self.arrays
        for topic, keys in {"/q": self.summary["coordinates"], "/qd": self.summary["coordinates"], "/u": self.summary["channels"],
                            "/energy": self.summary["energies"]}.items():
            messages, _, form = file.topic(topic)
            self.assertEqual(len(messages), len(arrays["t"]))
            for (log, message), t, row in zip(messages, arrays["t"], arrays[topic[1:]]):
                stamp = message.pop("timestamp")
                self.assertEqual(log, round(1e9 * t))
                self.assertEqual(log, 1000000000 * stamp["sec"] + stamp["nsec"])
                self.assertEqual(list(message.values()), row.tolist())
                self.assertEqual(list(message), [k for k in form["data"]["properties"] if k != "timestamp"])
            self.assertEqual([p["description"].split(",")[0] for k, p in form["data"]["properties"].items() if k != "timestamp"], keys)
        self.assertEqual(file.topic("/q")[2]["data"]["properties"]["arm_bending_y_0"]["description"], "arm.bending_y[0], 1/m")
        self.assertEqual(file.topic("/q")[2]["data"]["properties"]["base_joint_0"]["description"], "base.joint[0], rad")
        self.assertEqual(file.topic("/energy")[1]["metadata"]["unit"], "J")
        for row, (_, message) in enumerate(file.topic("/tf")[0]):
            frames = {f["child_frame_id"]: f for f in message["transforms"]}
            self.assertEqual(sorted(frames), ["arm", "arm/tip", "arm@0.5", "base"])
            self.pose(frames["base"], arrays["poses:base"][row])
            self.pose(frames["arm"], arrays["poses:arm"][row][0])
            self.pose(frames["arm/tip"], arrays["poses:arm"][row][-1])
            self.pose(frames["arm@0.5"], arrays["poses:arm@0.5"][row])
        messages, about, form = file.topic("/poses/arm")
        self.assertEqual((form["name"], form["encoding"], about["encoding"]), ("foxglove.PosesInFrame", "jsonschema", "json"))
        for pose, expected in zip(messages[-1][1]["poses"], arrays["poses:arm"][-1], strict=True):
            self.pose(pose, expected)
        line = file.topic("/scene")[0][-1][1]["entities"][0]["lines"][0]
        self.assertEqual([[p[k] for k in "xyz"] for p in line["points"]], arrays["poses:arm"][-1][:, :3, 3].tolist())
        self.assertTrue(0.009 < line["thickness"] < 0.03 and not line["scale_invariant"], line["thickness"])
        joint = file.topic("/joint_states")[0][7][1]["joints"]
        self.assertEqual(joint, [{"name": "base", "position": arrays["q"][7][0], "velocity": arrays["qd"][7][0]}])
        self.assertEqual(file.topic("/strain/arm")[0][3][1]["bending_y"], arrays["strain:arm"][3][:, 1].tolist())
        self.assertEqual(json.loads(file.attachments["summary.json"][4]), self.summary)
        self.assertEqual(file.metadata["tendril"][2]["model"], "arm")

    def test_a_long_run_has_several_chunks(self):
        many = np.random.default_rng(1).normal(size=(3000, 40))
        np.savez(self.path("long.npz"), t=np.arange(3000) * 1e-3, x=many)
        self.call("export", "long.npz", "-o", "long.mcap")
        file = self.mcap("long.mcap")
        self.assertGreater(len(file.chunks), 2)
        self.assertEqual([m["values"] for _, m in file.topic("/x")[0]], many.tolist())

    def test_hdf5_keeps_arrays_types_units_names_and_times(self):
        self.call("export", "arm.npz", "--to", "hdf5")
        with h5py.File(self.path("arm.h5"), "r") as file:
            for name in self.arrays.files:
                if name == "summary":
                    continue
                self.assertEqual(file[name].dtype, self.arrays[name].dtype)
                self.assertTrue(np.array_equal(file[name][()], self.arrays[name]), name)
                if name != "t":
                    self.assertEqual(file[name].dims[0].keys(), ["t"], name)
            self.assertEqual(list(file["q"].attrs["names"]), self.summary["coordinates"])
            self.assertEqual(list(file["qd"].attrs["units"]), ["rad/s"] + ["1/(m s)"] * 5)
            self.assertEqual((file["t"].attrs["unit"], file["tendons"].attrs["unit"]), ("s", "m"))
            self.assertEqual((list(file["tendons"].attrs["names"]), list(file["u"].attrs["units"])), (["pull"], ["N"]))
            self.assertEqual(file["poses:arm@0.5"].attrs["link"], "arm")
            self.assertEqual(file["poses:arm@0.5"].attrs["abscissa"], "0.5")
            self.assertEqual(file["poses:arm"].attrs["abscissae"].tolist(), self.summary["points"]["arm"])
            self.assertEqual(json.loads(file["summary"][()]), self.summary)
            self.assertEqual((file.attrs["format"], file.attrs["kind"], file.attrs["model"]), ("tendril.result", "dynamics", "arm"))

    def test_a_mat_file_has_the_same_axes_by_link(self):
        self.call("export", "arm.npz", "--to", "mat")
        mat = scipy.io.loadmat(self.path("arm.mat"), simplify_cells=True)
        for name in ("t", "q", "qd", "u", "energy", "tendons"):
            self.assertTrue(np.array_equal(mat[name], self.arrays[name].squeeze()), name)
        for word, name in {"arm": "poses:arm", "base": "poses:base", "arm_at_0_5": "poses:arm@0.5"}.items():
            self.assertTrue(np.array_equal(mat["poses"][word], self.arrays[name]), name)
        self.assertTrue(np.array_equal(mat["strain"]["arm"], self.arrays["strain:arm"]))
        self.assertEqual(mat["names"]["q"].tolist(), self.summary["coordinates"])
        self.assertEqual(mat["units"]["q"].tolist(), ["rad"] + ["1/m"] * 5)
        self.assertEqual((mat["units"]["t"], mat["units"]["energy"]), ("s", "J"))
        self.assertEqual(json.loads(mat["summary"]), self.summary)

    @unittest.skipUnless(shutil.which("octave-cli"), "octave-cli is missing")
    def test_octave_reads_the_mat_file(self):
        self.call("export", "arm.npz", "--to", "mat")
        text = ("load arm.mat; s = jsondecode(summary); printf('%s|%s|%s|%d %d %d %d|%.17g|%.17g|%s\\n', s.kind, names.q{2}, units.q{2}, "
                "size(poses.arm), poses.arm(end, end, 3, 4), q(5, 2), class(t));")
        done = subprocess.run(["octave-cli", "--quiet", "--no-init-file", "--eval", text], cwd=self.place.name, capture_output=True,
                              text=True, timeout=120, check=False)
        kind, name, unit, size, z, q, form = done.stdout.strip().split("|")
        poses = self.arrays["poses:arm"]
        self.assertEqual((kind, name, unit, form), ("dynamics", self.summary["coordinates"][1], "1/m", "double"), done.stderr)
        self.assertEqual([int(n) for n in size.split()], list(poses.shape))
        self.assertEqual((float(z), float(q)), (poses[-1, -1, 2, 3], self.arrays["q"][4, 1]))

    def test_csv_has_the_columns_of_the_servers(self):
        job = self.finished()
        self.call("result", job, "-o", "theirs.csv")
        self.call("result", job, "-o", "x.npz")
        self.call("export", "x.npz", "-o", "ours.csv")
        with open(self.path("ours.csv"), encoding="utf-8") as ours, open(self.path("theirs.csv"), encoding="utf-8") as theirs:
            self.assertEqual(ours.readline(), theirs.readline())
            self.assertTrue(np.array_equal(np.genfromtxt(ours, delimiter=","), np.genfromtxt(theirs, delimiter=",")))

    def test_a_job_is_exported_from_the_server_whole_or_in_part(self):
        job = self.finished()
        self.assertEqual(self.call("export", job, "--to", "hdf5")[0], job + ".h5\n")
        self.call("export", job[:14], "-o", "part.h5", "--fields", "q,energy", "--from", "0.05", "--until", "0.1", "--stride", "2")
        with h5py.File(self.path(job + ".h5"), "r") as whole, h5py.File(self.path("part.h5"), "r") as part:
            self.assertEqual(sorted(part), ["energy", "q", "summary", "t"])
            self.assertTrue(np.array_equal(part["q"][()], whole["q"][()][5:11:2]))
        piped = self.call("export", job, "--to", "csv", "-o", "-")[0]
        self.assertTrue(piped.startswith("t,q."), piped[:40])

    def test_odd_names_and_numbers_come_along(self):
        odd = {"a.b": np.arange(3.0), "a_b": np.arange(3.0) + 10, "9": np.array([True, False, True]), "deep/name": np.arange(3),
               "t": np.array([0.0, 0.5, 0.5]), "poses:\u00e4rm": np.tile(np.eye(4), (3, 1, 1)), "bad": np.array([[np.nan, 1], [np.inf, 2], [-np.inf, 3]]),
               "none": np.zeros((3, 0)), "one": np.array(7.0)}
        odd["poses:\u00e4rm"][1, 0, 3] = np.nan
        np.savez(self.path("odd.npz"), **odd, words=np.array(["left", "out"]))
        for form in ("mcap", "hdf5", "mat", "csv"):
            self.assertIn("left out: words", self.call("export", "odd.npz", "--to", form)[1])
        with h5py.File(self.path("odd.h5"), "r") as file:
            for name, value in odd.items():
                self.assertTrue(np.array_equal(file[name][()], value, equal_nan=True), name)
        mat = scipy.io.loadmat(self.path("odd.mat"), simplify_cells=True)
        self.assertEqual({k for k in mat if not k.startswith("__")},
                         {"a_b", "a_b_2", "x9", "deep_name", "t", "poses", "bad", "none", "one", "names", "units", "summary"})
        np.testing.assert_array_equal(mat["bad"], odd["bad"])
        self.assertEqual((mat["a_b"].tolist(), mat["a_b_2"].tolist()), ([0, 1, 2], [10, 11, 12]))
        file = self.mcap("odd.mcap")
        self.assertEqual([m["values"] for _, m in file.topic("/bad")[0]], [[None, 1], [None, 2], [None, 3]])
        self.assertEqual([len(m["transforms"]) for _, m in file.topic("/tf")[0]], [1, 0, 1])
        self.assertEqual(file.topic("/tf")[0][0][1]["transforms"][0]["child_frame_id"], "\u00e4rm")
        with open(self.path("odd.csv"), encoding="utf-8") as stream:
            self.assertIn("inf", stream.read())

    def test_what_cannot_be_is_said_and_leaves_no_file(self):
        self.write("s.job.json", {"model": "rod", "kind": "statics", "inputs": {"pull": [0, 1]}})
        self.call("simulate", "rod.model.json", "s.job.json", "-o", "s.npz")
        self.assertIn("no times", self.call("export", "s.npz", "--to", "mcap", status=1)[1])
        np.savez(self.path("back.npz"), t=np.array([0, 1, 0.5]), q=np.zeros((3, 1)))
        self.assertIn("row 2 is at 0.5 s", self.call("export", "back.npz", "--to", "mcap", status=1)[1])
        self.assertIn("mcap, hdf5, mat or csv", self.call("export", "s.npz", "--to", "xls", status=2)[1])
        self.assertIn("--to says the format", self.call("export", "s.npz", status=2)[1])
        self.assertIn("--stride chooses", self.call("export", "s.npz", "--to", "mat", "--stride", "2", status=2)[1])
        self.assertIn("cannot read", self.call("export", "none.npz", "--to", "mat", status=2)[1])
        self.call("export", "s.npz", "--to", "mat", "-o", "no/such/place.mat", status=1)
        self.assertFalse([name for name in os.listdir(self.place.name) if name.endswith((".mcap", ".mat", ".h5"))])


if __name__ == "__main__":
    unittest.main()
