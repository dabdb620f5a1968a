"""tendril.differentiable: runs and equilibria as functions, their derivatives against differences, and what SciPy, PyTorch and JAX make of them."""
import asyncio
import importlib.util
import os
import subprocess
import sys
import unittest
import warnings

import numpy as np
from harness import SOURCE, ServerTest, main, pendulum, soft_arm

PYTHON = os.path.join(os.path.abspath(SOURCE), "clients", "python")
sys.path.insert(0, PYTHON)
import tendril  # noqa: E402
from tendril.derivatives import jax_function  # noqa: E402

MASS = {"path": "/model/links/0/body/mass", "name": "m"}
TORCH, SCIPY = (importlib.util.find_spec(name) is not None for name in ("torch", "scipy"))
MISSING = "{} is missing: deploy/packages.sh --test installs it; nothing of what it is for is tested"
TIP = [[0, 3], [2, 3]]


def swing(**members):
    """A pendulum that a motor drives for half a second."""
    table = {"type": "table", "t": np.linspace(0, 0.5, 6), "value": [1.0, 2, -1, 0, 1, 2]}
    return {"model": "pendulum", "kind": "dynamics", "t_end": 0.5, "integrator": {"h": 0.01}, "inputs": {"motor": table}, "output": {"dt": 0.1}, **members}


VALUES = "/job/inputs/motor/value"


class Functions(ServerTest):
    workers = 2
    flags = ("--grpc", "127.0.0.1:0")

    def setUp(self):
        self.client = tendril.Client(f"http://{self.server.host}:{self.server.port}")
        self.addCleanup(self.client.close)
        self.client.models.put(pendulum())
        self.submitted, submit = [], self.client._face.jobs_submit

        def counted(document, key=None):
            self.submitted.append(document)
            return submit(document, key)
        self.client._face.jobs_submit = counted

    def tearDown(self):
        self.assertEqual([job.id for job in self.client.jobs()], [], "jobs were left behind")

    def jobs_of(self, action):
        before = len(self.submitted)
        return action(), len(self.submitted) - before

    def derivatives_agree(self, f, p, h, tolerance):
        """jacobian, jvp and vjp at p against central differences of f."""
        arrays = lambda outputs: list(outputs.values()) if isinstance(outputs, dict) else [np.asarray(outputs)]
        random, p = np.random.default_rng(7), np.asarray(p, float)
        moves = h * np.eye(p.size)
        ahead, behind = (f(p + sign * moves) for sign in (1, -1))
        along, cotangents = random.standard_normal(p.size), [random.standard_normal(one.shape) for one in arrays(f(p))]
        given = dict(zip(f(p), cotangents)) if isinstance(f(p), dict) else cotangents[0]
        gradient = f.vjp(p, given)  # before the Jacobian is known: by a job of its own
        expected = 0
        for one, other, jacobian, product, cotangent in zip(arrays(ahead), arrays(behind), arrays(f.jacobian(p)), arrays(f.jvp(p, along)), cotangents):
            differences = np.moveaxis(one - other, 0, -1) / (2 * np.asarray(h))
            np.testing.assert_allclose(jacobian, differences, rtol=tolerance, atol=tolerance * np.abs(differences).max())
            np.testing.assert_allclose(product, jacobian @ along, rtol=1e-12, atol=1e-15)
            expected = expected + np.tensordot(cotangent, jacobian, cotangent.ndim)
        np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
        np.testing.assert_allclose(f.vjp(p, given), gradient, rtol=1e-9, atol=1e-9 * np.abs(expected).max())  # by the Jacobian

    def test_a_run_has_the_derivatives_of_differences_in_all_its_outputs(self):
        outputs = {"q": "q", "tip": {"field": "poses:arm", "select": [*TIP, TIP[0]], "at": [0.2, 0.5]}, "end": {"field": "qd", "at": "end"},
                   "again": {"field": "poses:arm", "select": [TIP[1]], "at": "end"}}
        f = self.client.differentiable(swing(), [VALUES, MASS], outputs)
        self.assertEqual((f.names[0], f.paths[5], f.names[6]), (VALUES + "/0", VALUES + "/5", "m"))
        np.testing.assert_array_equal(f.start, [1, 2, -1, 0, 1, 2, 2])
        self.assertEqual({name: array.shape for name, array in f(f.start).items()}, {"q": (6, 1), "tip": (2, 3), "end": (1,), "again": (1,)})
        np.testing.assert_array_equal(f(f.start)["tip"][:, 0], f(f.start)["tip"][:, 2])
        self.derivatives_agree(f, f.start * 1.1 + 0.1, 1e-5, 1e-6)

    def test_equilibria_have_them_by_numbers_of_the_model(self):
        job = {"model": soft_arm(order=1), "kind": "statics", "inputs": {"cable": [0.5, 2.0]}}
        warnings.filterwarnings("ignore", "coarse_basis")
        f = self.client.differentiable(job, {"cable": "/job/inputs/cable", "length": "/model/links/0/body/length"}, {"field": "poses:arm@1", "select": TIP})
        self.assertEqual((f.names, f(f.start).shape), (["cable[0]", "cable[1]", "length"], (2, 2)))
        self.derivatives_agree(f, f.start, np.array([1e-3, 1e-3, 1e-5]), 1e-6)
        worth = self.client.differentiable(job, ["/job/inputs/cable"], [{"field": "poses:arm@1", "select": TIP, "target": [0.1, 0.2]},
                                                                        {"field": "tendons", "linear": 0.5}])
        self.derivatives_agree(worth, worth.start, 1e-3, 1e-6)

    def test_batches_are_rows_of_what_one_p_gives(self):
        f = self.client.differentiable(swing(), [VALUES], "q")
        p = f.start + np.random.default_rng(1).standard_normal((3, 2, 6))
        self.assertEqual((f(p).shape, f.jacobian(p).shape, f.vjp(p, np.ones((3, 2, 6, 1))).shape), ((3, 2, 6, 1), (3, 2, 6, 1, 6), (3, 2, 6)))
        np.testing.assert_array_equal(f(p)[1, 0], f(p[1, 0]))
        np.testing.assert_array_equal(f.vjp(p, np.ones((3, 2, 6, 1)))[2, 1], f.vjp(p[2, 1], np.ones((6, 1))))
        many = np.linspace(0.5, 1, 70)[:, None] * f.start
        self.assertEqual(f(many).shape, (70, 6, 1))
        np.testing.assert_array_equal(f(many[37]), f(many)[37])

    def test_what_is_known_of_a_p_is_not_computed_again(self):
        f = self.client.differentiable(swing(), [VALUES], "q")
        steps = [(lambda: f(f.start), 1), (lambda: f(f.start), 0), (lambda: f(np.stack([f.start, 2 * f.start, 2 * f.start])), 1),
                 (lambda: f.vjp(f.start, np.ones((6, 1))), 1), (lambda: f.jacobian(f.start), 1), (lambda: f.jvp(f.start, f.start), 0),
                 (lambda: f.vjp(f.start, np.ones((6, 1))), 0), (lambda: f.vjp(3 * f.start, np.zeros((6, 1))), 0), (lambda: f.vjp(3 * f.start, np.ones((6, 1))), 1),
                 (lambda: f(3 * f.start), 0)]
        for k, (step, jobs) in enumerate(steps):
            self.assertEqual(self.jobs_of(step)[1], jobs, k)
        f(f.start)[:] = 7  # what callers get is theirs
        self.assertFalse((f(f.start) == 7).any())
        worth = self.client.differentiable(swing(), [VALUES], {"field": "q", "target": 0.5})
        (value, gradient), jobs = self.jobs_of(lambda: (worth(worth.start), worth.vjp(worth.start)))
        self.assertEqual((jobs, type(value), gradient.shape), (1, float, (6,)))

    def test_the_values_are_those_of_the_job_and_the_model_stays_that_of_the_beginning(self):
        f = self.client.differentiable(swing(), [VALUES], "q")
        alone = self.client.submit(swing(integrator={"method": "generalized_alpha", "h": 0.01})).wait()
        np.testing.assert_array_equal(f(f.start), alone.result()["q"])
        alone.delete()
        self.client.models.put(pendulum(gravity=[0, 0, -1.0]))
        again = self.client.differentiable(swing(model="pendulum@1"), [VALUES], "q")
        np.testing.assert_array_equal(f(2 * f.start), again(2 * f.start))
        self.client.models.delete("pendulum")

    def test_a_job_without_a_method_has_equal_steps_and_chosen_ones_with_tolerances(self):
        for said, adaptive in (({}, False), ({"h": 0.005}, False), ({"rtol": 1e-5}, True)):
            f = self.client.differentiable(swing(integrator=said), [VALUES], "q")
            f(f.start)
            sent = self.submitted[-1]["integrator"]
            self.assertEqual((sent["method"], sent.get("adaptive", False)), ("generalized_alpha", adaptive))
            np.testing.assert_allclose(f.vjp(f.start, np.ones((6, 1))), f.jacobian(f.start).sum(axis=(0, 1)), rtol=1e-9)

    def test_a_robot_that_bounces_has_the_derivatives_of_the_motion_not_those_of_steps_that_go_across_its_stop(self):
        """A mass dropped from q0 onto a stop k at 0: its rate after a bounce, by energy v = sqrt(2 g q0), at q = 0 again after 2 v / g."""
        limits = {"lower": 0.0, "stiffness": 1e4}
        model = {"format": "tendril.model/1", "name": "ball", "gravity": [0, 0, -9.81], "links": [
            {"name": "a", "joint": {"type": "prismatic", "axis": "z", "limits": limits}, "body": {"type": "rigid", "mass": 1.0, "inertia": [0.1] * 3}}]}
        job = {"model": model, "kind": "dynamics", "t_end": 0.5, "initial": {"q": [0.5], "qd": [0.0]}, "output": {"dt": 0.5}}

        def rate(height):
            down, turn, weight = np.sqrt(2 * height / 9.81), 100.0, 9.81 / 100  # s to the stop, rad/s, m/s: pushed through by g / turn
            speed = 9.81 * down
            inside = (np.pi + 2 * np.arctan2(weight, speed)) / turn
            return speed - 9.81 * (0.5 - down - inside)
        expected = (rate(0.5 + 1e-6) - rate(0.5 - 1e-6)) / 2e-6
        f = self.client.differentiable(job, ["/job/initial/q/0"], {"field": "qd", "at": "end"})
        self.assertAlmostEqual(f.jacobian(f.start).item() / expected, 1, delta=1e-4)
        self.assertEqual(self.submitted[-1]["integrator"], {"method": "radau"})
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            f = self.client.differentiable({**job, "integrator": {"h": 1e-3}}, ["/job/initial/q/0"], {"field": "qd", "at": "end"})
            f.jacobian(f.start)
        self.assertTrue(any("lower limit" in str(one.message) for one in told), [str(one.message) for one in told])
        f = self.client.differentiable({**job, "integrator": {"rho_inf": 0.9}}, ["/job/initial/q/0"], {"field": "qd", "at": "end"})
        f(f.start)
        self.assertEqual(self.submitted[-1]["integrator"], {"method": "generalized_alpha", "adaptive": True, "rho_inf": 0.9})

    def test_wrong_ones_are_said_with_their_places(self):
        make = self.client.differentiable
        f = make(swing(), [VALUES, MASS], {"tip": {"field": "poses:arm", "select": TIP}, "q": "q"})
        bad = np.array([0, 0, np.nan, 0, 0, 0, 1.0])
        cases = [(lambda: make(swing(), ["/job/inputs/motr/value"], "q"), "/parameters/0", "there are: motor"),
                 (lambda: make(swing(), [VALUES + "/9"], "q"), "/parameters/0", "number 9 in a list of 6"),
                 (lambda: make(swing(model=pendulum()), ["/model/links/arm/body/mass"], "q"), "/parameters/0", "; arm is number 0"),
                 (lambda: make(swing(), [VALUES, "/model/links/0/name"], "q"), "/parameters/1", "holds no numbers"),
                 (lambda: make(swing(), ["inputs"], "q"), "/parameters/0", "begin with /model or /job"),
                 (lambda: make(swing(), [], "q"), "/parameters", "at least one"),
                 (lambda: make(swing(), [VALUES], []), "/outputs", "at least one"),
                 (lambda: make(swing(), [VALUES], ["q", "q"]), "/outputs/1", "twice"),
                 (lambda: make(swing(), [VALUES], ["q", {"field": "q", "target": 1}]), "/outputs", "not both|or terms"),
                 (lambda: make(swing(kind="linearize"), [VALUES], "q"), "/job/kind", "dynamics or statics"),
                 (lambda: make(swing(sensitivity={}), [VALUES], "q"), "/job/sensitivity", "leave"),
                 (lambda: make({"kind": "statics"}, [VALUES], "q"), "/job/model", "no model"),
                 (lambda: make(swing(), [VALUES], "poses:nobody")(np.ones(6)), "/outputs/0", "nobody"),
                 (lambda: make(swing(), [VALUES], {"field": "q", "select": [[1]]})(np.ones(6)), "/outputs/0/select", r"shape \[1\]"),
                 (lambda: make(swing(), [VALUES], {"field": "q", "at": [0.1, 0.15]})(np.ones(6)), "/outputs/0/at/1", "nearest is at 0.[12]"),
                 (lambda: make(swing(), [VALUES], {"field": "q", "target": [1, 2]})(np.ones(6)), "/outputs/0/target", "2"),
                 (lambda: make(swing(), ["/job/t_end"], "q").vjp([0.5], np.ones((6, 1))), "/parameters/0", "until when"),
                 (lambda: make(swing(), ["/job/t_end"], "q").jacobian([0.5]), "/parameters/0", "until when"),
                 (lambda: make(swing(), ["/job/t_end"], "q")([-1.0]), "/job/t_end", "positive"),
                 (lambda: make(swing(), [MASS], "q")([-1.0]), "/model/links/0/body/mass", "not negative"),
                 (lambda: make(swing(integrator={"method": "bdf"}), [VALUES], "q").vjp(np.ones(6), np.ones((6, 1))), "/job/integrator/method", "no derivatives"),
                 (lambda: f(np.ones(6)), "/p", r"shape \[6\]; its last axis must have 7"),
                 (lambda: f(np.zeros((0, 7))), "/p", "no rows"),
                 (lambda: f(bad), "/p/2", f"nan of {VALUES}/2"),
                 (lambda: f(np.stack([bad, bad])), "/p/0/2", "nan"),
                 (lambda: f.vjp(f.start, {"q": np.ones((6, 1))}), "/cotangents", "a dict of tip, q"),
                 (lambda: f.vjp(f.start, {"q": np.ones((6, 1)), "tip": np.ones((6, 3))}), "/cotangents", r"\[6, 3\]")]
        for k, (action, pointer, said) in enumerate(cases):
            with self.subTest(k), self.assertRaisesRegex(tendril.TendrilError, said) as caught:
                action()
            self.assertEqual(caught.exception.pointer, pointer, caught.exception)
        with self.assertRaisesRegex(tendril.NotFound, "nobody") as caught:
            make(swing(model="nobody"), [VALUES], "q")
        self.assertEqual(caught.exception.pointer, "/job/model")

    def test_one_that_fails_says_which_and_leaves_nothing(self):
        f = self.client.differentiable({"model": "pendulum", "kind": "statics", "inputs": {"motor": 1}}, "/job/inputs/motor", "q")
        self.assertAlmostEqual(f(2.0)[0, 0], np.arcsin(2 / 9.81), delta=1e-9)
        with self.assertRaisesRegex(tendril.JobFailed, "row 2 of 4: .*no solution") as caught:
            f([[1.0], [2.5], [50.0], [3.0]])
        self.assertEqual((caught.exception.code, caught.exception.pointer), ("unconverged", "/job/inputs"))
        with self.assertRaisesRegex(tendril.JobFailed, "row 2 of 3"):  # the first is known already, the second twice there
            f([[2.0], [2.0], [50.0]])
        with self.assertRaises(tendril.JobFailed):
            f.vjp([50.0], np.ones((1, 1)))
        kept = self.client.differentiable({"model": "pendulum", "kind": "statics", "inputs": {"motor": 1}}, "/job/inputs/motor", "q", keep=True)
        kept([0.5])
        job, = self.client.jobs()
        job.delete()

    def test_what_is_odd_is_told_once_where_f_was_called(self):
        f = self.client.differentiable(swing(integrator={"h": 0.1}, inputs={"motor": {"type": "sine", "amplitude": 5, "frequency": 2}}), ["/job/inputs/motor/amplitude"], "q")
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            f([4.0])
            f([[3.0], [5.0]])
            f.vjp([3.0], np.ones((6, 1)))
        told = [(one.message.code, one.message.pointer) for one in seen]
        self.assertEqual(len(told), len(set(told)), told)
        self.assertIn(("coarse_step", "/job/inputs/motor"), told)
        self.assertEqual({one.filename for one in seen}, {__file__})

    def test_grpc_and_asyncio_do_the_same(self):
        f = self.client.differentiable(swing(), [VALUES, MASS], "q")
        with tendril.Client("grpc://" + self.server.ready["grpc"]) as client:
            other = client.differentiable(swing(), [VALUES, MASS], "q")
            np.testing.assert_array_equal(f(f.start), other(f.start))
            np.testing.assert_array_equal(f.vjp(f.start, np.ones((6, 1))), other.vjp(f.start, np.ones((6, 1))))

        async def work():
            async with tendril.AsyncClient(self.client.url) as client:
                other = await client.differentiable(swing(), [VALUES, MASS], "q")
                start = other.function.start
                equal = swing(integrator={"method": "generalized_alpha", "h": 0.01})  # as f's, which are equal
                worth = await client.gradient(equal, VALUES, {"field": "q", "target": 0.5})
                return [*await asyncio.gather(other(start), other.vjp(start, np.ones((6, 1))), other.jacobian(start), other.jvp(start, start)), worth.gradient]
        value, gradient, jacobian, along, worth = asyncio.run(work())
        for one, expected in ((value, f(f.start)), (gradient, f.vjp(f.start, np.ones((6, 1)))), (jacobian, f.jacobian(f.start)), (along, f.jvp(f.start, f.start))):
            np.testing.assert_allclose(one, expected, rtol=1e-12)
        np.testing.assert_allclose(worth, self.client.differentiable(swing(), VALUES, {"field": "q", "target": 0.5}).vjp(f.start[:6]), rtol=1e-12)
        for job in [*self.client.jobs()]:
            job.delete()  # that of client.gradient

    def test_importing_the_client_imports_no_framework(self):
        said = "import sys, tendril; print([name for name in ('torch', 'scipy', 'jax', 'matplotlib', 'grpc') if name in sys.modules])"
        done = subprocess.run([sys.executable, "-B", "-c", said], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": PYTHON})
        self.assertEqual(done.stdout.strip(), "[]")

    # SciPy

    @unittest.skipUnless(SCIPY, MISSING.format("python3-scipy"))
    def test_scipy_finds_the_optimum_of_a_design_job(self):
        from scipy.optimize import NonlinearConstraint, minimize
        job = {"model": "pendulum", "kind": "statics", "inputs": {"motor": 1.0}}
        choice = {"/job/inputs/motor": (-9, 9), "/model/links/0/body/com/2": (-0.8, -0.2)}
        reach = [{"field": "poses:arm", "select": [[0, 0]], "target": 0.6}, {"field": "u", "linear": 0.01}, {"field": "q", "target": 0.3, "weight": 0.5}]
        f = self.client.differentiable(job, choice, reach)
        self.assertEqual(f.bounds, [(-9, 9), (-0.8, -0.2)])
        bound = self.client.differentiable(job, choice, {"field": "q"})
        for limit in (None, 0.7):
            constraints = [] if limit is None else [{"field": "q", "upper": limit}]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # design_at_bound
                found = self.client.design(job, choice, reach, constraints, tolerance=1e-10)
            self.assertEqual([one["field"] for one in found.targets], ["poses:arm", "q"])
            self.assertAlmostEqual(found.targets[0]["missed"], abs(found.result["poses:arm"][0, 0, 0] - 0.6), delta=1e-12)
            self.assertIn(f"q misses its target by {found.targets[1]['missed']:.3g} ({found.result['q'][0, 0]:.6g}, not 0.3)", repr(found))
            if constraints:
                self.assertRegex(repr(found), r"q\[0\] of problem 0 = 0\.497\d* \(at most 0\.7\)")
            fun, jac = f.scipy
            theirs = minimize(fun, f.start, jac=jac, bounds=f.bounds, method="SLSQP", tol=1e-12,
                              constraints=[NonlinearConstraint(bound.scipy.fun, -np.inf, limit, jac=bound.scipy.jac)] if constraints else [])
            self.assertTrue(theirs.success, theirs)
            self.assertAlmostEqual(theirs.fun, found.objective, delta=1e-8)
            np.testing.assert_allclose(theirs.x, list(found.values.values()), rtol=1e-4, atol=1e-4)
        for one in [*self.client.jobs(kind="design")]:
            one.delete()

    def test_bounds_are_within_those_that_numbers_have_by_themselves(self):
        job = {"model": {**soft_arm(2), "name": "soft"}, "kind": "statics", "inputs": {"cable": 0.5}}
        chosen = {"/job/inputs/cable": (None, 2), "/model/links/0/body/material/young": (1e5, None), "/model/links/0/body/length": (None, None)}
        for outputs in ("q", {"field": "q", "linear": 1, "select": [[0]]}):
            f = self.client.differentiable(job, chosen, outputs)
            bounds, jobs = self.jobs_of(lambda f=f: f.bounds)
            self.assertEqual((bounds, jobs), ([(0, 2), (1e5, None), (0, None)], 1))
            self.assertEqual(self.jobs_of(lambda f=f: (f.bounds, f.jacobian(f.start)))[1], 0)

    def test_bounds_of_a_signal_keep_the_tension_positive_and_an_error_names_the_numbers(self):
        job = {"model": {**soft_arm(2), "name": "soft"}, "kind": "dynamics", "t_end": 0.1, "integrator": {"method": "newmark", "h": 0.005},
               "inputs": {"cable": {"type": "sine", "offset": 0.5, "amplitude": 0.2, "frequency": 10}}, "output": {"dt": 0.1}}
        f = self.client.differentiable(job, "/job/inputs/cable/amplitude", "q")
        np.testing.assert_allclose(f.bounds, [(-0.5, 0.5)], rtol=1e-8)
        f(np.array([f.bounds[0][1]]))
        with self.assertRaises(tendril.InvalidArgument) as refused:
            f(np.array([0.75]))
        self.assertEqual(refused.exception.pointer, "/job/inputs/cable")
        self.assertRegex(refused.exception.detail, r"falls to -0.25 N; here /job/inputs/cable/amplitude = 0.75 \(bounds -0.5 to 0.5\)")
        both = self.client.differentiable(job, ["/job/inputs/cable/amplitude", "/job/inputs/cable/offset"], "q")
        self.assertEqual(both.bounds, [(None, None), (None, None)])      # each depends on the other

    @unittest.skipUnless(SCIPY, MISSING.format("python3-scipy"))
    def test_scipy_fits_several_outputs_by_least_squares(self):
        from scipy.optimize import check_grad, least_squares
        f = self.client.differentiable(swing(), {"m": MASS["path"], "drive": VALUES}, ["q", "poses:arm"])
        true = np.array([1.5, 2, 0, 1, 0, 1, 1])
        seen = f.scipy.fun(true)
        self.assertEqual((seen.shape, f.scipy.jac(true).shape), ((6 + 6 * 16,), (102, 7)))
        found = least_squares(lambda p: f.scipy.fun(p) - seen, f.start, jac=f.scipy.jac, xtol=1e-14, ftol=1e-14, gtol=1e-14)
        np.testing.assert_allclose(f.scipy.fun(found.x), seen, atol=1e-6)
        worth = self.client.differentiable(swing(), [VALUES], {"field": "q", "target": 0.5})
        self.assertLess(check_grad(*worth.scipy, worth.start, epsilon=1e-6), 1e-5)

    # PyTorch

    @unittest.skipUnless(TORCH, MISSING.format("python3-torch"))
    def test_torch_checks_the_gradients(self):
        import torch
        for outputs in ("q", {"field": "poses:arm", "select": TIP, "at": "end"}, {"field": "q", "target": 0.3}):
            f = self.client.differentiable(swing(), [VALUES, MASS], outputs)
            one, batch = torch.tensor(f.start, requires_grad=True), torch.tensor(np.stack([f.start, f.start * 1.2]), requires_grad=True)
            self.assertTrue(torch.autograd.gradcheck(f.torch, one, eps=1e-5, atol=1e-7, rtol=1e-5, check_forward_ad=True))
            self.assertTrue(torch.autograd.gradcheck(f.torch, batch, eps=1e-5, atol=1e-7, rtol=1e-5))
        both = self.client.differentiable(swing(), [VALUES], {"q": "q", "v": {"field": "qd", "at": "end"}})
        found = both.torch(torch.tensor(both.start, requires_grad=True))
        self.assertEqual({name: (tuple(one.shape), one.dtype) for name, one in found.items()}, {"q": ((6, 1), torch.float64), "v": ((1,), torch.float64)})
        self.assertTrue(torch.autograd.gradcheck(lambda p: tuple(both.torch(p).values()), torch.tensor(both.start, requires_grad=True), eps=1e-5, atol=1e-7))
        single = torch.tensor(both.start, dtype=torch.float32, requires_grad=True)
        both.torch(single)["v"].sum().backward()
        self.assertEqual((single.grad.dtype, both.torch(single)["q"].dtype), (torch.float32, torch.float32))
        found["q"].detach()[:] = 7  # what callers get is theirs
        self.assertFalse((both(both.start)["q"] == 7).any())
        with self.assertRaisesRegex(tendril.InvalidArgument, "nan"):
            both.torch(torch.full((6,), float("nan")))
        again, = torch.autograd.grad(both.torch(single)["v"].square().sum(), single, create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "once differentiable"):
            again.sum().backward()
        for loss in (lambda p: both.torch(p)["v"].sum(), lambda p: both.torch(p)["q"].square().sum()):
            with self.assertRaisesRegex(RuntimeError, "once differentiable"):  # zeros would be wrong
                torch.autograd.functional.hessian(loss, torch.tensor(both.start))

    @unittest.skipUnless(TORCH, MISSING.format("python3-torch"))
    def test_a_network_in_front_of_a_run_is_trained_through_it(self):
        import torch
        torch.manual_seed(0)
        f = self.client.differentiable(swing(), [VALUES], {"field": "q", "at": "end"})
        network = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 6))
        optimiser = torch.optim.Adam(network.parameters(), lr=0.05)
        goals, losses = torch.linspace(-0.6, 0.6, 4)[:, None], []
        for _ in range(50):
            optimiser.zero_grad()
            loss = (f.torch(10 * network(goals)) - goals).square().mean()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        self.assertLess(losses[-1], 0.02 * losses[0], losses)
        with torch.no_grad():
            np.testing.assert_allclose(f.torch(10 * network(goals)), goals, atol=0.15)

    @unittest.skipUnless(TORCH, MISSING.format("python3-torch"))
    def test_optimisers_that_ask_again_and_again_do(self):
        import torch
        f = self.client.differentiable(swing(), [VALUES], {"field": "q", "target": 0.5})
        for make in (lambda p: torch.optim.LBFGS(p, max_iter=30, line_search_fn="strong_wolfe"), lambda p: torch.optim.SGD(p, lr=40.0)):
            p = torch.tensor(f.start, requires_grad=True)
            optimiser, first = make([p]), f(f.start)

            def closure():
                optimiser.zero_grad()
                loss = f.torch(p)
                loss.backward()
                return loss
            for _ in range(3):
                optimiser.step(closure)
            self.assertLess(f(p.detach().numpy()), 0.5 * first)

    # JAX, which is not to be had here: what its callbacks call

    def test_what_callbacks_of_jax_call_has_the_shapes_and_types_that_they_announce(self):
        f = self.client.differentiable(swing(), [VALUES, MASS], {"q": "q", "v": {"field": "qd", "at": "end"}})
        self.assertEqual(f.shapes(), [(6, 1), (1,)])
        for p in (f.start, np.stack([f.start, 2 * f.start]), f.start.astype(np.float32), np.ones((2, 3, 7))):
            values = jax_function.host(f, p)
            self.assertEqual([(one.shape, one.dtype) for one in values], [((*p.shape[:-1], *shape), p.dtype) for shape in f.shapes()])
            product = jax_function.host_product(f, p, *(np.ones_like(one) for one in values))
            self.assertEqual((product.shape, product.dtype), (p.shape, p.dtype))
            np.testing.assert_allclose(product, f.vjp(p.astype(float), {"q": np.ones(values[0].shape), "v": np.ones(values[1].shape)}), rtol=1e-6)
        worth = self.client.differentiable(swing(), [VALUES], {"field": "q", "target": 0.5})
        self.assertEqual(worth.shapes(), [()])
        value, = jax_function.host(worth, worth.start)
        np.testing.assert_allclose(jax_function.host_product(worth, worth.start, 2 * np.ones_like(value)), 2 * worth.vjp(worth.start))


if __name__ == "__main__":
    main()
