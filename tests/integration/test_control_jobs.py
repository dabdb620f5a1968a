"""Controllers inside dynamics jobs, over the wire: what they ask is recorded, followed and refused where it must be."""
import unittest

import numpy as np

from harness import ServerTest, main, pendulum, soft_arm

NPZ = {"Accept": "application/x-npz"}


def law(kind="computed_torque", **changes):
    reference = {"space": "joint", "t": [0, 1], "value": [0.2, 1.0]}
    return {"type": kind, "channels": ["motor"], "kp": 100, "kd": 20, "reference": reference, **changes}


def job(controller, model="pendulum", **changes):
    return {"model": model, "kind": "dynamics", "t_end": 1.5, "controller": controller, "initial": {"q": [0.2]},
            "output": {"dt": 0.05, "fields": ["q", "qd", "u", "energy"]}, **changes}


class Controllers(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for model in (pendulum(), soft_arm(order=2)):
            assert cls.server.request("POST", "/v1/models", model).status == 201

    def run_job(self, document):
        done = self.server.wait(self.server.submit(document))
        self.assertEqual(done["state"], "succeeded", done)
        return self.server.request("GET", f"/v1/jobs/{done['id']}/result", headers=NPZ).npz()

    def test_computed_torque_of_a_pendulum_is_what_one_works_out_by_hand(self):
        result = self.run_job(job(law()))
        s = np.clip(result["t"], 0, 1)
        np.testing.assert_allclose(result["q"][:, 0], 0.2 + 0.8 * s * s * (3 - 2 * s), atol=1e-5)
        acceleration = np.where(result["t"] < 1 - 1e-9, 0.8 * (6 - 12 * s), 0)
        error = 0.2 + 0.8 * s * s * (3 - 2 * s) - result["q"][:, 0]
        rate = np.where(result["t"] < 1 - 1e-9, 0.8 * 6 * s * (1 - s), 0) - result["qd"][:, 0]
        torque = 0.6 * (acceleration + 100 * error + 20 * rate) + 2 * 9.81 * 0.5 * np.sin(result["q"][:, 0])
        np.testing.assert_allclose(result["u"][:, 0], torque, atol=1e-6)

    def test_its_work_is_that_of_the_actuation(self):
        document = job(law(), integrator={"rtol": 1e-8, "atol": 1e-10})
        done = self.server.wait(self.server.submit(document))
        balance = self.server.request("GET", f"/v1/jobs/{done['id']}/result").json()["summary"]["energy"]
        gained = 2 * 9.81 * 0.5 * (np.cos(0.2) - np.cos(1.0))
        self.assertAlmostEqual(balance["actuation"], gained, delta=1e-5)

    def test_a_run_that_ends_far_from_its_reference_says_so(self):
        def said(controller, **changes):
            done = self.server.wait(self.server.submit(job(controller, **changes)))
            self.assertEqual(done["state"], "succeeded", done)
            return [(w["pointer"], w["detail"]) for w in done["warnings"] if w["code"] == "reference_missed"]
        weak, slow = law(kp=1e-3, kd=1), law(kp=1, kd=10)
        held = {"space": "joint", "t": [0], "value": [1.0]}
        (pointer, detail), = said(weak | {"reference": held})
        self.assertEqual(pointer, "/controller/reference")
        self.assertRegex(detail, r'"arm.joint\[0\]" is 0\.[78]\d* .* off its reference, 9\d(\.\d)? % of the way of 0\.[78]')
        self.assertRegex(said(slow | {"reference": held})[0][1], "comes nearer by")       # on its way
        self.assertEqual(said([weak | {"reference": held}], t_end=0.5)[0][0], "/controller/0/reference")
        self.assertEqual(said(law()), [])
        self.assertEqual(said(law(reference=held), t_end=1.5), [])
        self.assertEqual(said(law(kp=20, kd=9)), [])                                      # it lags, and gets there
        self.assertEqual(said(law(kp=20, kd=9), t_end=0.6), [])                           # and on the way
        self.assertEqual(said(weak | {"until": 1.0, "reference": held}), [])              # let go before the end
        self.assertEqual(said(law(reference={"space": "joint", "t": [0], "value": [0.2]})), [])  # it stays

    def test_a_tip_that_ends_far_from_where_it_was_asked_to_be_is_said(self):
        robot, names = soft_arm(order=1), ("a", "b", "c")
        robot["actuators"] = [{**robot["actuators"][0], "name": name, "routing": {"type": "linear", "base": base}}
                              for name, base in zip(names, ([0.008, 0], [-0.004, 0.007], [-0.004, -0.007]))]
        reference = {"space": "tip", "t": [0, 0.4], "value": [[0, 0, -0.495], [0, 0.06, -0.485]]}
        for kp, expected in ((1e-3, 1), (2000, 0)):
            controller = {"type": "pd_plus", "channels": list(names), "kp": kp, "kd": 50 if expected == 0 else 1, "reference": reference}
            done = self.server.wait(self.server.submit({"model": robot, "kind": "dynamics", "t_end": 1, "initial": {"q": "equilibrium"}, "controller": controller}))
            said = [w["detail"] for w in done["warnings"] if w["code"] == "reference_missed"]
            self.assertEqual(len(said), expected, done["warnings"])
            self.assertRegex("".join(said), '"arm" is 0.06[01]\\d* m off its reference, 9[89].* of the way of 0.062 m|^$')

    def test_several_take_turns_on_a_channel(self):
        hold = law("pd_plus", **{"from": 1.0, "reference": {"space": "joint", "t": [0], "value": [1.0]}})
        result = self.run_job(job([law(until=1.0), hold]))
        self.assertAlmostEqual(result["q"][-1, 0], 1.0, delta=1e-4)

    def test_a_tendon_is_shortened_as_asked(self):
        start = self.run_job(job(None, "soft", initial={}, t_end=0.01, output={"fields": ["tendons"]}) | {"controller": []})
        length = start["tendons"][0, 0]
        reference = {"space": "tendon", "t": [0, 0.4], "value": [[length], [length - 0.02]]}
        controller = law("partial_feedback_linearisation", channels=["cable"], kp=400, kd=40, reference=reference)
        result = self.run_job(job(controller, "soft", initial={}, t_end=0.8, output={"fields": ["tendons", "u"]}))
        self.assertAlmostEqual(result["tendons"][-1, 0], length - 0.02, delta=1e-5)

    def test_sweeps_vary_gains(self):
        sweep = self.server.wait(self.server.submit(
            {"kind": "sweep", "base": job(law(), t_end=0.1), "vary": [{"path": "/job/controller/kp", "values": [10, 100]}]}))
        self.assertEqual(sweep["state"], "succeeded", sweep)

    def test_whatever_is_wrong_is_named_by_its_place(self):
        reference = law()["reference"]
        for broken, pointer in ((law("guess"), "/controller/type"), (law(channels=["ghost"]), "/controller/channels/0"),
                                (law(kp=-1), "/controller/kp"), (law(kd=[1, 2]), "/controller/kd"),
                                (law(colour=1), "/controller/colour"),
                                (law(reference=reference | {"t": [1, 0]}), "/controller/reference/t/1"),
                                (law(reference=reference | {"value": [[0, 1], [2, 3]]}), "/controller/reference/value"),
                                (law(reference=reference | {"space": "tendon"}), "/controller/reference/space"),
                                ([law(), law()], "/controller/1/channels/0")):
            reply = self.server.request("POST", "/v1/jobs", job(broken))
            self.assertEqual((reply.status, reply.json().get("pointer")), (400, pointer), reply.json())
        reply = self.server.request("POST", "/v1/jobs", job(law(), inputs={"motor": 1}))
        self.assertEqual((reply.status, reply.json()["pointer"]), (400, "/controller/channels/0"))


if __name__ == "__main__":
    main()
