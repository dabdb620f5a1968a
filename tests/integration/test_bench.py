"""tendril-bench: its output, never its figures."""
import json
import os
import subprocess
import tempfile
import unittest

from harness import BIN, main


def bench(*arguments):
    program = os.path.join(BIN, "tendril-bench")
    return subprocess.run([program, *arguments], capture_output=True, text=True, cwd="/", timeout=600, check=False)


class Bench(unittest.TestCase):
    def test_json_rows_carry_median_min_and_a_ratio_to_a_reference_that_is_there_too(self):
        done = bench("--json", "--filter", "codec.read_number")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["name"]: row for row in json.loads(done.stdout)}
        self.assertEqual(list(rows), ["codec.read_strtod", "codec.read_number"])
        row, reference = rows["codec.read_number"], rows["codec.read_strtod"]
        self.assertEqual(row["reference"], "codec.read_strtod")
        self.assertIsNone(reference["reference"])
        self.assertTrue(0 < row["min"] <= row["median"])
        self.assertAlmostEqual(row["ratio"], row["median"] / reference["median"])

    def test_a_table_has_a_head_line_and_a_line_per_row(self):
        done = bench("--filter", "cdm.id")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^tendril-bench: .+, kernels (x86-64\S*|default), build .+")
        self.assertEqual(lines[2].split()[:5], ["name", "unit", "median", "min", "ratio"])
        self.assertTrue(lines[3].startswith("cdm.id "), lines[3])

    def test_an_earlier_run_is_compared_in_units_of_each_runs_own_pace(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            def compare(change):
                rows = json.loads(bench("--json", "--filter", "codec.read_number").stdout)
                for row in rows:
                    change(row)
                file.seek(0), file.truncate(), json.dump(rows, file), file.flush()
                done = bench("--json", "--filter", "codec.read_number", "--compare", file.name)
                self.assertEqual(done.returncode, 0, done.stderr)
                return done, {row["name"]: row["change"] for row in json.loads(done.stdout)}

            done, change = compare(lambda row: row.update(min=row["min"] / 50))
            self.assertIn("2 of 2 rows are slower", done.stderr)
            self.assertTrue(all(value > 5 for value in change.values()), change)
            done, change = compare(lambda row: row.update(pace=row["pace"] / 50))  # then a core of 50 times the pace, and the same time
            self.assertIn("0 of 2 rows are slower", done.stderr)
            self.assertTrue(all(value < 0.2 for value in change.values()), change)
            done, change = compare(lambda row: row.update(name="codec.other"))
            self.assertEqual((set(change.values()), "0 of 0" in done.stderr), ({None}, True))
            table = bench("--filter", "codec.read_number", "--compare", file.name).stdout.splitlines()
            self.assertEqual(table[2].split()[4:7], ["ratio", "change", "to"])
            for text, words in (("[{}]", "--json"), ("{", "line 1"), ("{}", "--json")):
                file.seek(0), file.truncate(), file.write(text), file.flush()
                refused = bench("--compare", file.name)
                self.assertEqual((refused.returncode, words in refused.stderr), (2, True), refused.stderr)
        self.assertEqual(bench("--compare", "/nowhere.json").returncode, 2)

    def test_a_filter_that_fits_nothing_is_no_failure(self):
        done = bench("--filter", "nothing-matches", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)), (0, []))
        self.assertIn("nothing-matches", done.stderr)

    def test_an_unknown_option_is_refused_with_the_usage(self):
        done = bench("--fliter", "cdm")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--fliter", done.stderr)
        self.assertIn("usage:", done.stderr)
        self.assertEqual(bench("--help").returncode, 0)


if __name__ == "__main__":
    main()
