"""A short siege (siege.py): all attacks at once, a server that is killed in between, and good clients that lose nothing. Only what is right
or wrong is judged here; how long it took is printed, and judged by hand on a quiet machine."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "integration"))
sys.path.insert(0, os.path.dirname(__file__))

import attacks  # noqa: E402
import siege  # noqa: E402
from harness import main  # noqa: E402

SECONDS, QUIET_S, FAULTS_EVERY_S = 15, 2, 7


class Siege(unittest.TestCase):
    def test_good_clients_lose_nothing_while_everything_is_tried_at_once_and_processes_are_killed(self):
        report = siege.run(SECONDS, QUIET_S, FAULTS_EVERY_S, tls=True, stream=sys.stderr)
        self.assertEqual(report.wrong, [])


class Judge(unittest.TestCase):
    """That the siege would say so."""

    def test_a_lost_job_a_second_one_and_other_numbers_are_found(self):
        class Access:
            def __init__(self, found, arrays="same"):
                self.found, self.numbers = found, arrays

            def connect(self):
                return None

            def jobs(self, ask):
                return [{"id": name, "state": state, "kind": "sweep", "labels": {}} for name, state in self.found]

            def arrays(self, job, ask):
                return self.numbers

        class Peace:
            jobs, arrays = [], ["same"]

        class Diary:
            returned = [(0, "a"), (0, "b")]

        good = [("a", "succeeded"), ("b", "succeeded")]
        for access, wrong in ((Access(good), 0), (Access(good[:1]), 1), (Access([good[0], ("b", "failed")]), 1), (Access(good, "other"), 2),
                              (Access([*good, *((name, "succeeded") for name in "cdefg")]), 1)):
            self.assertEqual(len(siege.judge_jobs(access, Peace, [Diary])[1]), wrong, access.found)

    def test_what_took_too_long_is_said_unless_the_server_was_being_started(self):
        class Diary:
            times, trouble = [(float(i), i + 0.001) for i in range(98)] + [(200.0, 200.3)] * 2, [(200.1, 200.2, "refused")]

        class Faults:
            excuses = staticmethod(lambda begin, end: begin >= 200)
        self.assertEqual(siege.figures(Diary)[0], 100)
        self.assertGreater(siege.figures(Diary)[2], 50)
        self.assertEqual(siege.figures(Diary)[4], ["refused"])
        self.assertLess(siege.figures(Diary, Faults)[3], 50)
        self.assertEqual(siege.figures(Diary, Faults)[4], [])

    def test_every_function_that_attacks_is_in_the_table(self):
        self.assertGreaterEqual(len(attacks.ATTACKS), 50)


if __name__ == "__main__":
    main()
