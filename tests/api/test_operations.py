"""The table of operations against itself and against the two faces: each operation is reached, and means the same over both."""
import collections
import re
import unittest

from tables import operations, tables

# Methods whose operation is not «service_method».
OTHER_NAMES = {
    "Models/Update": "models_put", "Jobs/Watch": "jobs_events", "Jobs/GetResult": "jobs_result",
    "Dynamics/Evaluate": "evaluate", "Dynamics/EvaluateStream": "evaluate_stream", "Health/Check": "health",
}


def expected_name(path):
    package, service, method = re.fullmatch(r"/([\w.]+)\.(\w+)/(\w+)", path).groups()
    if service == "ServerReflection":
        return "reflection_alpha" if package.endswith("alpha") else "reflection"
    return OTHER_NAMES.get(f"{service}/{method}", f"{service}_{method}".lower())


class Operations(unittest.TestCase):
    def test_every_operation_has_a_row_of_its_own(self):
        names = [operation["name"] for operation in tables()["operations"]]
        self.assertNotIn(None, names, "an operation of the enumeration has no row")
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 30)

    def test_every_operation_is_reached_and_by_one_row_of_a_face_at_the_most(self):
        reached = set()
        for face in ("routes", "methods"):
            count = collections.Counter(row["operation"] for row in tables()[face])
            self.assertEqual({name: n for name, n in count.items() if n > 1}, {}, face)
            reached |= set(count)
        self.assertEqual(reached, set(operations()))

    def test_no_two_rows_share_a_series_of_metrics(self):
        series = [row["series"] for face in ("routes", "methods") for row in tables()[face]] + tables()["no_operation"]
        self.assertEqual(len(series), len(set(series)))

    def test_a_method_stands_for_the_operation_of_its_name(self):
        self.assertEqual({m["path"]: m["operation"] for m in tables()["methods"]},
                         {m["path"]: expected_name(m["path"]) for m in tables()["methods"]})

    def test_a_get_only_looks_and_other_methods_do_more(self):
        for route in tables()["routes"]:
            work = operations()[route["operation"]]["work"]
            self.assertEqual(route["method"] == "GET", work == "looks", route)

    def test_who_may_only_look_changes_nothing_and_what_changes_something_waits_for_the_disk(self):
        for name, operation in operations().items():
            with self.subTest(operation=name):
                self.assertEqual(operation["work"] == "looks", operation["scope"] in ("public", "read") or
                                 name in ("tokens_list", "tokens_get"))
                self.assertEqual(operation["pool"] == "writes", operation["work"] in ("changes", "ends"))

    def test_only_what_computes_may_be_short(self):
        for row in tables()["routes"] + tables()["methods"]:
            if row["short"]:
                self.assertEqual(operations()[row["operation"]]["pool"], "computes", row)


if __name__ == "__main__":
    unittest.main()
