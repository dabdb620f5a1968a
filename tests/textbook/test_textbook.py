"""Problems of textbooks with published, exact or independently computed values, as a user of the service solves them.

One test per problem of support/contents.py. A row that a problem marks `unmet` is shown on the page and does not fail here.
    python3 tests/textbook/test_textbook.py [PROBLEM…]     names: elastica_tip_load …
"""
import os
import sys
import unittest

from support import contents, runner
from support.desk import Desk, harness


class Textbook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.desk = Desk()

    @classmethod
    def tearDownClass(cls):
        cls.desk.close()


def add(name):
    def test(self):
        outcome = runner.run(name, self.desk)
        self.assertTrue(outcome.rows, "nothing was measured")
        said = [f"{row.quantity}: {row.worst[0]:.9g}, reference {row.worst[1]:.9g}, error {row.error:.2e} > {row.tolerance:.2e}"
                for row in outcome.unmet()]
        self.assertFalse(said, f"{outcome.title}\n  " + "\n  ".join(said))
        for row in outcome.rows:
            if row.unmet and row.met:
                sys.stderr.write(f"[met now, `unmet` may go: {row.quantity}] ")

    test.__doc__ = runner.describe(name)[0]
    setattr(Textbook, "test_" + name, test)


class Contents(unittest.TestCase):
    def test_every_file_stands_in_a_chapter(self):
        listed = {name for names in contents.CHAPTERS.values() for name in names}
        files = {f[:-3] for f in os.listdir(runner.FOLDER) if f.endswith(".py") and f not in ("test_textbook.py", "write_page.py")}
        self.assertEqual(listed, files)


for chapter in contents.CHAPTERS.values():
    for problem in chapter:
        add(problem)

if __name__ == "__main__":
    sys.argv[1:] = ["Textbook.test_" + a if not a.startswith("-") else a for a in sys.argv[1:]]
    harness.main()
