"""NPZ against numpy, both ways: what numpy writes is read, what is written here numpy opens with allow_pickle=False."""
import os
import subprocess
import tempfile
import unittest
import zipfile

import numpy as np

CONVERT = os.path.join(os.environ.get("TENDRIL_BIN", "build/dev/bin"), "..", "tests", "convert_npz")


class Npz(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.source, self.copy = (os.path.join(self.folder.name, n) for n in ("in.npz", "out.npz"))

    def tearDown(self):
        self.folder.cleanup()

    def convert(self, save=np.savez, **arrays):
        save(self.source, **arrays)
        done = subprocess.run([CONVERT, self.source, self.copy], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return (np.load(self.copy, allow_pickle=False), "") if done.returncode == 0 else (None, done.stderr)

    def check(self, save=np.savez, **arrays):
        out, error = self.convert(save, **arrays)
        self.assertEqual(error, "")
        self.assertEqual(sorted(out.files), sorted(arrays))
        for name, array in arrays.items():
            expected = array if array.dtype.kind in "US" else array.astype("f8")
            found = out[name] if array.dtype.kind != "S" else np.char.encode(out[name], "utf8")
            np.testing.assert_array_equal(found, expected)
            self.assertEqual(found.shape, expected.shape)
        self.assertIsNone(zipfile.ZipFile(self.copy).testzip())

    def test_numbers_of_every_type_and_order_arrive(self):
        a = np.arange(24.0).reshape(2, 3, 4) / 7
        self.check(c=a, f=np.asfortranarray(a), f4=a.astype("f4"), i4=(a * 9).astype("i4"), i8=(-a * 9).astype("i8"),
                   u1=a.astype("u1"), scalar=np.float64(3.5), empty=np.zeros((3, 0)), one=np.array([1e-300]),
                   transposed=np.asfortranarray(a[0]))

    def test_deflated_archives_are_read(self):
        self.check(np.savez_compressed, zeros=np.zeros((200, 100)), noise=np.random.default_rng(1).normal(size=(50, 7)))

    def test_strings_of_both_kinds_arrive(self):
        self.check(u=np.array(["fd", "", "dé", "€𝄞x"]), s=np.array([b"id", b"mass"]))

    def test_names_with_folders_and_of_any_language(self):
        self.check(**{"poses/arm@1": np.eye(4), "größe": np.ones(2)})

    def test_what_cannot_be_read_is_refused_with_its_name(self):
        for array in (np.ones(2, ">f8"), np.ones(2, complex), np.array([(1, 2.0)], "i4,f8"), np.array([1, np.nan]),
                      np.array([np.inf])):
            out, error = self.convert(q=array)
            self.assertIsNone(out)
            self.assertTrue(error.startswith("/q: "), error)

    def test_pickles_are_refused(self):
        out, error = self.convert(q=np.array([{"a": 1}], dtype=object))
        self.assertIsNone(out)
        self.assertIn("/q", error)


if __name__ == "__main__":
    unittest.main()
