"""clients/js/src/types.d.ts is what clients/js/generate_types.py writes from the contract of today."""
import os
import subprocess
import sys
import unittest

SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))


class Types(unittest.TestCase):
    def test_types_of_the_client_in_javascript_are_those_of_the_contract(self):
        done = subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "clients", "js", "generate_types.py"), "--check"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
