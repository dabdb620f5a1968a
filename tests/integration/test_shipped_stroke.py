"""The shipped design over a run: the torques of the underwater vehicle. Half a minute of a core, so it runs as released only."""
import unittest

import numpy as np

import test_shipped_jobs


class ShippedStroke(unittest.TestCase):
    def test_the_vehicle_learns_to_burst_and_glide(self):
        shipped = test_shipped_jobs.ShippedJobs
        shipped.setUpClass()
        self.addCleanup(shipped.doClassCleanups)
        a = shipped().run_job("uw-stroke", ["design_at_bound", "design_at_bound"])
        found, body = a["summary"]["design"], a["poses:body"]
        self.assertEqual(found["end"], "converged")
        effort = 0.5 * 0.03 * (a["u"]**2).sum()
        self.assertAlmostEqual(found["objective"], effort - body[-1, 0, 3], delta=1e-9)
        self.assertGreater(body[-1, 0, 3], 2.5 * a["first:poses:body"][-1, 0, 3], "it gets much farther")
        self.assertLess(found["objective"], found["first_objective"] - 0.04)
        self.assertLess(np.abs(body[[10, 20, 30], 1, 2]).max(), 0.3001, "upright at each full second")
        burst, glide = np.abs(a["u"][5:18]).mean(), np.abs(a["u"][22:]).mean()
        self.assertLess(glide, 0.4 * burst)


if __name__ == "__main__":
    unittest.main(verbosity=2)
