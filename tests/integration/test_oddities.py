"""What cannot be is refused, what is odd is a warning: of models when they are checked and stored, of jobs when they are
submitted; ordinary robots have none."""
import copy
import os
import unittest

import mistakes
from harness import SOURCE, ServerTest, example, main, pendulum, soft_arm

DEGREES = {"rpy": [0, 90, 0]}


def changed(document, path, value):
    """A copy with the value at path, a list of keys."""
    document = copy.deepcopy(document)
    at = document
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return document


BODY = ["links", 0, "body"]
ODD = [  # what is changed in the soft arm, the warning's code and pointer
    (["links", 0, "pose"], DEGREES, "odd_angle", "/links/0/pose/rpy"),
    (["gravity"], [0, 0, -9810], "odd_gravity", "/gravity"),
    (BODY + ["section", "radius"], 100, "odd_size", "/links/0/body"),
    (BODY + ["section", "radius"], 0.6, "odd_size", "/links/0/body"),
    (BODY + ["length"], 2000, "odd_size", "/links/0/body/length"),
    (BODY + ["material", "young"], 0.5, "odd_material", "/links/0/body/material/young"),
    (BODY + ["material", "young"], 1e14, "odd_material", "/links/0/body/material/young"),
    (BODY + ["material", "poisson"], -0.3, "odd_material", "/links/0/body/material/poisson"),
    (BODY + ["material", "density"], 1e6, "odd_material", "/links/0/body/material/density"),
    (BODY + ["material", "density"], 1e-3, "odd_material", "/links/0/body/material/density"),
    (BODY + ["material", "viscosity"], 1e9, "odd_material", "/links/0/body/material/viscosity"),
    (["gravity"], [0, 0, -98.1], "odd_gravity", "/gravity"),
    (["gravity"], [0, 0, -0.00981], "odd_gravity", "/gravity"),
    (BODY + ["material", "density"], 1.07, "odd_material", "/links/0/body/material/density"),      # g/cm^3
    (BODY + ["material"], {"young": 2e5, "poisson": 0.3, "density": 7800}, "odd_material", "/links/0/body/material"),  # steel in MPa
    (BODY + ["material"], {"young": 2e12, "poisson": 0.3, "density": 1000}, "odd_material", "/links/0/body/material"),
    (BODY, {**soft_arm()["links"][0]["body"], "length": 500, "section": {"shape": "circle", "radius": 9}}, "odd_mass", "/links/0/body"),  # mm
    (BODY + ["section", "radius"], 2e-5, "odd_size", "/links/0/body/length"),
    (["links", 0, "joint"], {"type": "revolute", "axis": "y", "stiffness": 1, "rest": 30}, "odd_angle", "/links/0/joint/rest"),
    (["links", 0, "joint"], {"type": "spherical", "stiffness": 1, "rest": [0, 45, 0]}, "odd_angle", "/links/0/joint/rest"),
    (["links", 0, "joint"], {"type": "revolute", "axis": "y", "stiffness": 1e-3, "damping": 5}, "odd_damping", "/links/0/joint/damping"),
    (["links", 0, "pose"], {"translation": [0, 250, 0]}, "odd_size", "/links/0/pose/translation"),   # mm
    (["springs"], [{"a": {"link": "world"}, "b": {"link": "arm"}, "stiffness": 1, "damping": 5000}], "odd_damping", "/springs/0/damping"),
    (["contacts"], [{"type": "plane", "stiffness": 1e18, "exponent": 1}], "odd_stiffness", "/contacts/0/stiffness"),
    (["contacts"], [{"type": "plane", "stiffness": 1e5, "exponent": 8}], "odd_stiffness", "/contacts/0/exponent"),
    (["contacts"], [{"type": "plane", "stiffness": 1e5, "damping": 5e4}], "odd_damping", "/contacts/0/damping"),        # N s/m
    (["contacts"], [{"type": "plane", "stiffness": 1e5, "friction": 0.5, "slip_speed": 5}], "odd_friction", "/contacts/0/slip_speed"),  # mm/s
    (["contacts"], [{"type": "sphere", "stiffness": 1e5, "radius": 1e-8, "pose": {"translation": [0.1, 0, -0.1]}}], "odd_size", "/contacts/0/radius"),
    (["fluid"], {"density": 1e6}, "odd_material", "/fluid/density"),
    (["fluid"], {"density": 1000, "viscosity": 1e6}, "odd_material", "/fluid/viscosity"),
    (["fluid"], {"density": 1000, "velocity": [500, 0, 0]}, "odd_input", "/fluid/velocity"),
    (["actuators", 0, "routing", "base"], [0, 0.3], "odd_size", "/actuators/0/routing"),
    (["actuators", 0, "routing", "base"], [0, 0.06], "tendon_outside", "/actuators/0/routing"),
    (["actuators", 0, "routing"], {"type": "helix", "radius": 0.03, "turns": 1}, "tendon_outside", "/actuators/0/routing"),
    (["actuators", 0, "routing"], {"type": "helix", "radius": 0.01, "turns": 4}, "coarse_routing", "/actuators/0/routing"),
    (["actuators", 0, "friction"], 30, "odd_friction", "/actuators/0/friction"),                        # degrees
    (["contacts"], [{"type": "plane", "stiffness": 1e5, "friction": 30}], "odd_friction", "/contacts/0/friction"),
    (BODY + ["length"], 250, "odd_size", "/links/0/body/length"),                                      # mm
    (BODY + ["material", "viscosity"], 0.05, "odd_damping", "/links/0/body/material/viscosity"),        # a damping ratio
    (BODY + ["strain", "reference"], [0, 90, 0, 1, 0, 0], "odd_angle", "/links/0/body/strain/reference"),  # degrees
    (["actuators", 0], {**soft_arm()["actuators"][0], "mode": "length", "stiffness": 1e4, "rest": 250}, "odd_size", "/actuators/0/rest"),
    (["springs"], [{"a": {"link": "world"}, "b": {"link": "arm"}, "stiffness": 1, "rest": 100}], "odd_size", "/springs/0/rest"),
    (["contacts"], [{"type": "plane", "stiffness": 1}], "odd_stiffness", "/contacts/0/stiffness"),      # N/mm and softer
    (["contacts"], [{"type": "plane", "stiffness": 1e5, "pose": {"translation": [0, 0, -50]}}], "odd_size", "/contacts/0"),  # mm
    (["springs"], [{"a": {"link": "world", "pose": {"translation": [300, 0, 100]}}, "b": {"link": "arm"}, "stiffness": 1}], "odd_size", "/springs/0/rest"),
    (["loads"], [{"link": "arm", "wrench": [0, 0, 0, 0, 0, 5000]}], "odd_input", "/loads/0/wrench"),     # mN
    (["loads"], [{"link": "arm", "wrench": [0, 200, 0, 0, 0, 0]}], "odd_input", "/loads/0/wrench"),      # N mm
    (["actuators", 0, "routing"], {"type": "helix", "radius": 0.01, "turns": 1, "phase": 90}, "odd_angle", "/actuators/0/routing"),  # degrees
    (["links", 1], {"name": "tip", "parent": "arm", "pose": {"translation": [20, 0, 0]}, "joint": {"type": "fixed"}, "body": {"type": "rigid",
      "mass": 0.1, "com": [0, 0, 0], "inertia": [1e-5, 1e-5, 1e-5]}}, "odd_size", "/links/1/pose/translation"),   # mm
    (["links", 1], {"name": "tip", "parent": "arm", "joint": {"type": "fixed"}, "body": {"type": "rigid", "mass": 0.1, "com": [15, 0, 0],
      "inertia": [1e-5, 1e-5, 1e-5]}}, "odd_size", "/links/1/body/com"),                                # mm
    (BODY + ["hydrodynamics"], {"cd_y": 1, "cd_z": 1}, "idle_flow", "/links/0/body/hydrodynamics"),     # no fluid
    (["links", 1], {"name": "tip", "parent": "arm", "joint": {"type": "fixed"}, "body": {"type": "rigid", "mass": 5000, "com": [0, 0, 0],
      "inertia": [1, 1, 1]}}, "odd_mass", "/links/0/body"),                                            # g
    (["links", 1], {"name": "tip", "parent": "arm", "joint": {"type": "fixed"}, "body": {"type": "rigid", "mass": 50, "com": [0, 0, 0],
      "inertia": [300, 300, 300]}}, "odd_inertia", "/links/1/body/inertia"),                            # g mm^2
]


NUMBERS = {"shape": "stiffness", "GJ": 1, "EI_y": 1, "EI_z": 1, "EA": 1e4, "GA_y": 1e4, "GA_z": 1e4, "mass_per_length": 1,
           "inertia_per_length": [2e-4, 1e-4, 1e-4], "radius": 0.03}
ODD_NUMBERS = [  # of a section by numbers
    ("EI_y", 1e6, "odd_stiffness", "/links/0/body/section/EI_y"),          # N mm^2
    ("EA", 1e-5, "odd_stiffness", "/links/0/body/section/EA"),
    ("EA", 0.01, "odd_stiffness", "/links/0/body/section/EI_y"),           # MN
    ("GJ", 1e3, "odd_stiffness", "/links/0/body/section/GJ"),
    ("GJ", 1e-6, "odd_stiffness", "/links/0/body/section/GJ"),
    ("GA_y", 1e-2, "odd_stiffness", "/links/0/body/section/GA_y"),
    ("mass_per_length", 1000, "odd_mass", "/links/0/body/section/mass_per_length"),  # g/m
    ("inertia_per_length", [200, 100, 100], "odd_inertia", "/links/0/body/section/inertia_per_length"),  # g mm
    ("damping", [0, 500, 0, 0, 0, 0], "odd_damping", "/links/0/body/section/damping"),
]
ODD_RIGID = [
    ("inertia", [900, 900, 900], "odd_inertia", "/links/0/body/inertia"),   # kg mm^2
    ("inertia", [300, 300, 300], "odd_inertia", "/links/0/body/inertia"),   # g cm^2 and g
    ("inertia", [1e-16, 1e-16, 1e-16], "odd_inertia", "/links/0/body/inertia"),
    ("com", [0, 0, -500], "odd_size", "/links/0/body/com"),                # mm
    ("mass", 2e6, "odd_mass", "/links/0/body/mass"),
]


class Models(ServerTest):
    def validate(self, document):
        return self.server.request("POST", "/v1/models?validate=1", document)

    def test_odd_numbers_are_warnings_at_their_places(self):
        for path, value, code, pointer in ODD:
            with self.subTest(path=path, value=value):
                robot = soft_arm()
                robot["links"] += [None] * (path[:2] == ["links", 1])
                reply = self.validate(changed(robot, path, value))
                self.assertEqual(reply.status, 200, reply.body)
                found = {(w["code"], w["pointer"]) for w in reply.json()["warnings"]}
                self.assertIn((code, pointer), found, reply.json()["warnings"])

    def test_short_ribs_and_flexures_beside_long_rods_are_not_odd(self):
        rib = {"type": "rod", "length": 0.006, "section": {"shape": "rectangle", "height": 0.003, "width": 0.03},
               "material": soft_arm()["links"][0]["body"]["material"], "strain": {"basis": "legendre", "order": {"bending_y": 0}}}
        stout = {**rib, "section": {"shape": "circle", "radius": 0.008}}
        for body, alone in ((rib, []), (stout, [("odd_size", "/links/0/body")])):
            single = {"format": "tendril.model/1", "links": [{"name": "rib", "joint": {"type": "fixed"}, "body": body}]}
            self.assertEqual([(w["code"], w["pointer"]) for w in self.validate(single).json()["warnings"]], alone)
            fin = soft_arm()
            fin["links"] += [{"name": "rib", "parent": "arm", "at": 0.5, "joint": {"type": "fixed"}, "body": body},
                             {"name": "tip", "parent": "rib", "pose": {"translation": [0.08, 0, 0]}, "joint": {"type": "fixed"},
                              "body": {"type": "rigid", "mass": 0.01, "inertia": [1e-6, 1e-6, 1e-6]}}]
            fin["actuators"].append({"name": "short", "type": "tendon", "link": "rib", "routing": {"type": "linear", "base": [0, 0.004]}})
            self.assertEqual(self.validate(fin).json()["warnings"], [])

    def test_tendons_that_run_along_a_rod_twice_or_change_sides_are_odd(self):
        def said(*segments, **more):
            robot = soft_arm()
            for name, parent in (("second", "arm"), ("third", "second")):
                robot["links"].append({**robot["links"][0], "name": name, "parent": parent})
                del robot["links"][-1]["pose"]
            if more.pop("turned", False):
                robot["links"][1]["pose"] = {"rpy": [3.141592653589793, 0, 0]}
            robot["actuators"] = [{"name": "cable", "type": "tendon", **more, "segments": [
                {"link": link, "routing": {"type": "linear", "base": base, "tip": tip}} for link, base, tip in segments]}]
            return [(w["code"], w["pointer"]) for w in self.validate(robot).json()["warnings"]]
        up, down = [0, 0.01], [0, -0.01]
        link, routing = ("odd_routing", "/actuators/0/segments/1/link"), ("odd_routing", "/actuators/0/segments/1/routing")
        self.assertEqual(said(("arm", up, up), ("second", up, up), ("third", up, up)), [])
        self.assertEqual(said(("arm", up, up), ("arm", up, up)), [link])
        self.assertEqual(said(("arm", up, up), ("arm", up, up), joined=False), [link])
        self.assertEqual(said(("arm", up, up), ("arm", down, down)), [link])
        self.assertEqual(said(("arm", up, up), ("arm", down, down), joined=False), [])
        self.assertEqual(said(("arm", up, up), ("second", down, down)), [routing])
        self.assertEqual(said(("arm", up, up), ("second", down, down), turned=True), [])
        self.assertEqual(said(("arm", up, up), ("second", up, up), turned=True), [routing])
        self.assertEqual(said(("arm", up, down), ("second", down, up)), [])  # it winds round on the way
        self.assertEqual(said(("arm", up, up), ("second", [0.01, 0], [0.01, 0])), [])
        self.assertEqual(said(("arm", up, up), ("third", down, down)), [])   # another link lies between

    def test_many_tendons_outside_are_one_warning_with_their_number(self):
        robot = soft_arm()
        robot["actuators"] = [{"name": f"cable{i}", "type": "tendon", "link": "arm", "routing": {"type": "linear", "base": [0, 0.01 * i]}} for i in range(1, 7)]
        warning, = self.validate(robot).json()["warnings"]
        self.assertEqual((warning["code"], warning["pointer"]), ("tendon_outside", "/actuators/1/routing"))
        self.assertRegex(warning["detail"], '^5 tendons run outside of their rods; at s = 1 tendon "cable6" runs 4 times')

    def test_odd_numbers_of_sections_and_rigid_bodies_are_warnings_too(self):
        section = changed(soft_arm(), BODY + ["section"], NUMBERS)
        del section["links"][0]["body"]["material"]
        self.assertEqual(self.validate(section).json()["warnings"], [])
        for document, rows, place in ((section, ODD_NUMBERS, BODY + ["section"]), (pendulum(), ODD_RIGID, BODY)):
            for key, value, code, pointer in rows:
                with self.subTest(key=key, value=value):
                    reply = self.validate(changed(document, place + [key], value))
                    self.assertEqual(reply.status, 200, reply.body)
                    self.assertIn((code, pointer), {(w["code"], w["pointer"]) for w in reply.json()["warnings"]})
        ball = {"type": "rigid", "shape": {"type": "sphere", "radius": 50}, "density": 1000}
        reply = self.validate(changed(pendulum(), BODY, ball))
        self.assertEqual([(w["code"], w["pointer"]) for w in reply.json()["warnings"]], [("odd_mass", "/links/0/body")])

    def test_other_planets_metals_strings_and_light_bodies_are_not_odd(self):
        for path, value in ((["gravity"], [0, 0, -1.62]), (["gravity"], [0, 0, 0]), (["gravity"], [0, 0, -24.8]), (["gravity"], [0, 0.28, 0]),
                            (BODY + ["material"], {"young": 2e11, "poisson": 0.3, "density": 7800, "viscosity": 1e8}),
                            (BODY + ["material"], {"young": 16e9, "poisson": 0.4, "density": 11340, "viscosity": 1e8}),   # lead
                            (BODY + ["material"], {"young": 3e11, "poisson": 0.3, "density": 1600, "viscosity": 1e8}),    # carbon
                            (BODY + ["material"], {"young": 5e3, "poisson": 0.5, "density": 1000, "viscosity": 1e3}),     # gel
                            (BODY + ["material"], {"young": 1e6, "poisson": 0.5, "density": 3500, "viscosity": 1e4}),     # iron-filled silicone
                            (BODY + ["material"], {"young": 1e6, "poisson": 0.1, "density": 20, "viscosity": 1e4})):      # foam
            with self.subTest(path=path, value=value):
                reply = self.validate(changed(soft_arm(), path, value))
                self.assertEqual(reply.status, 200, reply.body)
                self.assertEqual(reply.json()["warnings"], [])

    def test_warnings_come_with_every_reply_about_the_model_and_with_its_jobs_from_the_start(self):
        odd = {**changed(soft_arm(name="odd"), BODY + ["material", "young"], 0.5)}
        warnings = self.validate(odd).json()["warnings"]
        self.assertEqual([w["code"] for w in warnings], ["odd_material", "odd_material"])  # viscosity / young is long, too
        for method, path in (("POST", "/v1/models"), ("PUT", "/v1/models/odd"), ("GET", "/v1/models/odd")):
            reply = self.server.request(method, path, None if method == "GET" else odd)
            self.assertEqual(reply.json()["warnings"], warnings, path)
        placed = [{**w, "pointer": "/model" + w["pointer"]} for w in warnings]
        for model in ("odd", odd):
            reply = self.server.request("POST", "/v1/jobs", {"model": model, "kind": "statics"})
            self.assertEqual((reply.status, reply.json()["warnings"]), (202, placed))
            done = self.server.wait(reply.json()["id"])
            self.assertEqual([w for w in done["warnings"] if w["code"] == "odd_material"], placed)

    def test_an_evaluation_in_json_tells_them_too(self):
        odd = changed(pendulum(name="heavy"), ["gravity"], [0, 0, -9810])
        self.server.request("PUT", "/v1/models/heavy", odd)
        states = {"want": ["fd"], "states": [{"q": [0.1]}]}
        for path, body in (("/v1/models/heavy:evaluate", states), ("/v1/evaluate", {**states, "model": odd})):
            reply = self.server.request("POST", path, body).json()
            self.assertEqual([(w["code"], w["pointer"]) for w in reply["warnings"]], [("odd_gravity", "/gravity")])
        self.assertNotIn("warnings", self.server.request("POST", "/v1/evaluate", {**states, "model": pendulum()}).json())

    def test_right_models_of_unusual_scale_have_no_warnings(self):
        def rod(length, radius, young, density, viscosity, **more):
            return {"type": "rod", "length": length, "section": {"shape": "circle", "radius": radius, **more.pop("section", {})}, "material": {"young": young,
                    "poisson": 0.4, "density": density, "viscosity": viscosity}, "strain": {"basis": "legendre", "order": more.pop("order", {"bending_y": 3})}, **more}

        def numbers(length, **section):
            return {"type": "rod", "length": length, "section": {"shape": "stiffness", **section},
                    "strain": {"basis": "legendre", "order": {"torsion": 2, "bending_y": 2, "bending_z": 2}}}

        def carrying(body, mass, inertia, **more):
            tip = {"name": "tip", "parent": "rod", "joint": {"type": "fixed"}, "body": {"type": "rigid", "mass": mass, "com": [0, 0, 0], "inertia": [inertia] * 3}}
            return model(body, tip, **more)

        def model(body, *links, **more):
            return {"format": "tendril.model/1", "gravity": [0, 0, -9.81], "links": [{"name": "rod", "joint": {"type": "fixed"}, "body": body}, *links], **more}

        sea, tube, stretching = {"density": 1025}, {"inner_radius": 0.0497}, {"bending_y": 3, "elongation": 2}
        for what, right in {
                "a beam of 100 um": model(rod(1e-4, 1e-6, 1.6e11, 2330, 1e3)),
                "a probe's cantilever": model(rod(2e-4, 1e-6, 1.6e11, 2330, 1e4), loads=[{"link": "rod", "wrench": [0, 0, 0, 0, 0, 1e-9]}]),
                "a riser of 300 m": model(rod(300, 0.15, 2.1e11, 7850, 1e9, hydrodynamics={"cd_y": 1.2, "cd_z": 1.2, "added_z": 1}), fluid=sea),
                "a blade of 60 m": model(numbers(60, EI_y=[1e10, 1e7], EI_z=[2e10, 5e7], EA=[1e10, 1e8], GJ=[5e9, 1e7], mass_per_length=[700, 20],
                                                 inertia_per_length=[900, 450, 450], damping=[1e7, 1e8, 1e8, 0, 0, 0])),
                "a microcatheter": model(rod(1.2, 0.0004, 5e7, 1100, 1e5)), "a guidewire": model(rod(1.8, 0.00018, 6e10, 6450, 1e7)),
                "spaghetti": model(rod(0.25, 0.0009, 3.8e9, 1500, 1e6)), "cooked": model(rod(0.25, 0.0012, 1e5, 1100, 3e3)),
                "a balloon": model(rod(1, 0.05, 2e6, 1000, 1e4, section=tube)), "an elephant's trunk": model(rod(1.8, 0.1, 1e5, 1050, 3e3)),
                "a bridge's stay": model(rod(500, 0.06, 1.6e11, 7850, 1e9)), "its main cable": model(rod(900, 0.4, 1.9e11, 7850, 1e9)),
                "a crane": carrying(rod(60, 0.012, 1e11, 7800, 1e8, order=stretching), 5000, 2000),
                "a jumper": carrying(rod(20, 0.012, 1.5e6, 950, 1e5, order=stretching), 80, 12),
                "a string pendulum": carrying(rod(1, 0.0005, 2e9, 1100, 1e6), 1, 4e-4), "silk": carrying(rod(0.5, 2e-6, 1e10, 1300, 1e6), 1e-4, 1e-10),
                "hydrogel": model(rod(0.05, 0.004, 2e3, 1020, 50)), "foam": model(rod(0.5, 0.05, 1e5, 12, 1e3)),
                "tungsten": model(rod(0.1, 2.5e-5, 4e11, 19300, 1e7)), "a hair": model(rod(0.3, 3.5e-5, 5e9, 1300, 1e7)),
                "a boom in orbit": carrying(rod(12, 0.02, 7e10, 1700, 1e8), 0.5, 1e-3, gravity=[0, 0, 0]),
                "strands": model(numbers(200, EI_y=200, EI_z=200, EA=2e7, GJ=300, mass_per_length=5, inertia_per_length=[2e-3, 1e-3, 1e-3], damping=[1] * 6)),
                "a slit tube": model(numbers(0.2, EI_y=0.02, EI_z=0.03, EA=4e4, GJ=2e-4, mass_per_length=0.01, inertia_per_length=[6e-9, 3e-9, 3e-9])),
                "a torque tube": model(numbers(0.2, EI_y=0.01, EI_z=0.01, EA=4e4, GJ=0.045, mass_per_length=0.01, inertia_per_length=[6e-9, 3e-9, 3e-9])),
                "a ship": {"format": "tendril.model/1", "links": [{"name": "hull", "joint": {"type": "free"}, "body": {"type": "rigid", "mass": 1e6,
                           "com": [0, 0, 0], "inertia": [1e8, 8e8, 8e8]}}]}}.items():
            with self.subTest(what=what):
                reply = self.validate(right)
                self.assertEqual(reply.status, 200, reply.body)
                self.assertEqual([w for w in reply.json()["warnings"] if w["code"] != "singular_mass_matrix"], [])

    def test_of_sixty_six_mistakes_all_but_five_are_told_and_of_what_is_right_nothing(self):
        said = mistakes.said_of_mistakes()
        self.assertEqual(len(said), 66)
        self.assertLessEqual({what for what, found in said.items() if not found}, mistakes.SILENT)
        right = {**mistakes.right_ones(), **{robot.__name__: (robot(), None) for robot in mistakes.RIGHT}}
        for what, found in zip(right, mistakes.said_of(right.values())):
            self.assertEqual([w for w in found if w[0] != "coarse_contact"], [], what)

    def test_what_stands_there_twice_is_named_at_its_second_place(self):
        for what, pointer in (("the tip's weight twice", "/loads/0/wrench"), ("the rod's weight twice", "/loads/0/wrench"), ("one load twice", "/loads/1"),
                              ("two tendons on one path", "/actuators/1"), ("the rod's length once more", "/links/1/pose/translation")):
            with self.subTest(what=what):
                robot, changes = next(row[1:3] for row in mistakes.MISTAKES if row[0] == what)
                found = self.validate(mistakes.changed(robot(), changes)).json()["warnings"]
                self.assertEqual([(w["code"], w["pointer"]) for w in found], [("counted_twice", pointer)])

    def test_loads_and_tendons_that_move_nothing_are_named(self):
        planar = changed(soft_arm(), BODY + ["strain", "order"], {"bending_y": 3})
        tendon = ["actuators", 0, "routing"]
        base = {"name": "base", "joint": {"type": "fixed"}, "body": {"type": "rigid", "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}}
        guided = {"name": "cable", "type": "tendon", "segments": [{"link": "base", "points": [[0, 0, 0], [0, 0, 0.1]]}]}
        for path, value, pointer in (
                (["loads"], [{"link": "arm", "wrench": [0, 0, 0, 0, 0.05, 0]}], "/loads/0"),                     # out of the plane
                (["loads"], [{"link": "arm", "frame": "body", "wrench": [1, 0, 1, 0, 1, 0]}], "/loads/0"),
                (["loads"], [{"link": "arm", "per_length": True, "wrench": [0, 0, 0, 0, 1, 0]}], "/loads/0"),
                (["loads"], [{"link": "arm", "per_length": True, "wrench": [0, 0, 0, 0, 0, 1]}, {"link": "arm", "channels": [None, None, "m", None, "side", None]}],
                 "/loads/1"),
                (["loads"], [{"link": "arm", "at": 0, "wrench": [1, 1, 1, 1, 1, 1]}], "/loads/0"),                # at the clamp
                (tendon + ["base"], [0, 0], None), (tendon, {"type": "linear", "base": [0.01, 0]}, "/actuators/0/routing"),
                (tendon, {"type": "linear", "base": [0, 0]}, "/actuators/0"), (["actuators", 0], guided, "/actuators/0")):
            with self.subTest(path=path, value=value):
                model = changed(planar, path, value)
                model["links"] += [base] * (value is guided)
                reply = self.validate(model)
                self.assertEqual(reply.status, 200, reply.body)
                found = [(w["code"], w["pointer"]) for w in reply.json()["warnings"]]
                self.assertIn(("idle_force", pointer), found) if pointer else self.assertEqual(found, [])
        for loads in ([{"link": "arm", "wrench": [0, 0, 0, 0, 0, 0.05]}], [{"link": "arm", "wrench": [0, 0, 0, 0.05, 0, 0]}],
                      [{"link": "arm", "wrench": [0] * 6}],
                      [{"link": "arm", "channels": ["a", "b", "c", "x", "y", "z"]}]):
            with self.subTest(loads=loads):
                self.assertEqual(self.validate(changed(planar, ["loads"], loads)).json()["warnings"], [])

    def test_ordinary_robots_have_no_warnings(self):
        for document in (pendulum(), soft_arm(), soft_arm(order=1)):
            self.assertEqual(self.validate(document).json()["warnings"], [])
        numbers = changed(soft_arm(), BODY + ["section"], {"shape": "stiffness", "GJ": 1, "EI_y": 1, "EI_z": 1, "EA": 1e4, "GA_y": 1e4,
                                                           "GA_z": 1e4, "mass_per_length": 1, "inertia_per_length": [2e-4, 1e-4, 1e-4]})
        del numbers["links"][0]["body"]["material"]  # neither a material nor an outline that could be odd
        self.assertEqual(self.validate(numbers).json()["warnings"], [])
        folder = os.path.join(SOURCE, "api", "examples")
        for name in sorted(os.listdir(folder)):
            if name.endswith(".model.json"):
                with self.subTest(name=name):
                    self.assertEqual(self.validate(example(name)).json()["warnings"], [])

    def test_a_tendon_from_the_world_is_refused_with_the_way_that_works(self):
        way = [{"link": "world", "points": [[0, 0, 0.2]]}, {"link": "arm", "routing": {"type": "linear", "base": [0, 0.01]}}]
        model = changed(soft_arm(), ["actuators", 0], {"name": "cable", "type": "tendon", "segments": way})
        self.assert_problem(self.validate(model), 400, "invalid_argument", pointer="/actuators/0/segments/0/link", words=["fixed joint on the world"])
        model["links"].insert(0, {"name": "frame", "joint": {"type": "fixed"}, "body": {"type": "rigid", "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}})
        way[0]["link"] = "frame"
        ndof = self.validate(soft_arm()).json()["ndof"]
        reply = self.server.request("POST", "/v1/evaluate", {"model": model, "want": ["tendons"], "states": [{"q": [0] * ndof}]})
        self.assertEqual(reply.status, 200, reply.body)
        length = reply.json()["states"][0]["tendons"]["length"][0]
        self.assertAlmostEqual(length, soft_arm()["links"][0]["body"]["length"] + (0.01**2 + 0.2**2)**0.5, delta=1e-3)

    def test_a_soft_contact_is_named_in_its_own_unit(self):
        for exponent, per, unit in ((1, "length", "N/m^2"), (1.5, "length", "N/m^2.5"), (1, "point", "N/m^1"), (1.5, "point", "N/m^1.5")):
            floor = {"type": "plane", "stiffness": 0.1, "exponent": exponent, "per": per}
            said, = (w for w in self.validate(changed(soft_arm(), ["contacts"], [floor])).json()["warnings"] if w["code"] == "odd_stiffness")
            self.assertIn(f"0.1 {unit} gives way", said["detail"])

    def test_limits_of_joints_are_read_with_their_places_and_degrees_are_odd(self):
        def at(**limits):
            return self.validate(changed(pendulum(), ["links", 0, "joint", "limits"], limits))
        for limits, place, said in (({"lower": 0}, "/stiffness", "missing"), ({"stiffness": 1}, "", "lower, upper or both"), ({"lower": 1, "upper": 0, "stiffness": 1}, "/upper", "0 is below the lower limit, 1"),
                                    ({"lower": 0, "stiffness": 0}, "/stiffness", "not positive"), ({"lower": 0, "stiffness": 1, "damping": -2}, "/damping", "-2"),
                                    ({"lower": [0, 1], "stiffness": 1}, "/lower", "2"), ({"lower": ["x"], "stiffness": 1}, "/lower/0", "number"),
                                    ({"lower": "low", "stiffness": 1}, "/lower", "number"), ({"lower": 0, "stiffness": 1, "hard": True}, "/hard", "unknown key")):
            with self.subTest(limits=limits):
                self.assert_problem(at(**limits), 400, "invalid_argument", pointer="/links/0/joint/limits" + place, words=[said])
        for limits in ({"lower": -1, "upper": 1, "stiffness": 10}, {"lower": [None], "upper": [2], "stiffness": [5], "damping": [1]}, {"upper": -1, "stiffness": 1}, {"lower": None, "upper": 1, "stiffness": 1}):
            self.assertEqual(at(**limits).json()["warnings"], [], limits)
        self.assertEqual([(w["code"], w["pointer"]) for w in at(lower=-90, upper=90, stiffness=1e4).json()["warnings"]], [("odd_angle", "/links/0/joint/limits")])
        fixed = changed(soft_arm(), ["links", 0, "joint", "limits"], {"lower": 0, "stiffness": 1})
        self.assert_problem(self.validate(fixed), 400, "invalid_argument", pointer="/links/0/joint/limits", words=["fixed"])
        beyond = changed(pendulum(), ["links", 0, "joint", "limits"], {"lower": 0.5, "stiffness": 100})
        job = {"model": beyond, "kind": "dynamics", "t_end": 0.01, "output": {"dt": 0.01, "fields": ["q"]}}
        told = [(w["code"], w["pointer"]) for w in self.server.request("POST", "/v1/jobs", job).json()["warnings"]]
        self.assertIn(("starts_inside", "/model/links/0/joint/limits"), told)

    def test_words_of_other_formats_and_slips_are_answered_with_the_right_one(self):
        material, order = BODY + ["material"], BODY + ["strain", "order"]
        for path, said in ((material + ["E"], '"young"'), (material + ["rho"], '"density"'), (material + ["poissons_ratio"], '"poisson"'),
                           (material + ["Young"], '"young"'), (material + ["dampng"], '"viscosity"'), (material + ["viscosty"], '"viscosity"'),
                           (["links", 0, "joint", "limit"], 'mean "limits"? limits are soft stops'), (["links", 0, "joint", "range"], '"limits"'),
                           (["links", 0, "limits"], "soft stops of a joint"),
                           (["links", 0, "origin"], '"pose"'), (["links", 0, "rpy"], '"pose"'), (["links", 0, "pose", "xyz"], '"translation"'),
                           (BODY + ["section", "diameter"], '"radius"'), (BODY + ["section", "stiffness_matrix"], '"shape": "stiffness"'),
                           (["links", 0, "parnet"], '"parent"'), (order + ["bend_y"], '"bending_y"'), (order + ["Bending-Y"], '"bending_y"'),
                           (["tendons"], '"actuators"'), (["actuator"], '"actuators"'), (["g"], '"gravity"')):
            with self.subTest(path=path):
                reply = self.validate(changed(soft_arm(), path, 1))
                if path[-1] == "dampng":  # near no word of a material: only the list
                    self.assertNotIn("did you mean", reply.json()["detail"])
                    said = "known here: young"
                self.assert_problem(reply, 400, "invalid_argument", pointer="/" + "/".join(map(str, path)), words=["unknown key", said])
        for key, said in (("t_final", '"t_end"'), ("q0", '"initial"'), ("dt", '"output"'), ("solver", '"integrator"'), ("input", '"inputs"'),
                          ("colour", "key; known here")):
            with self.subTest(key=key):
                reply = self.server.request("POST", "/v1/jobs", {"model": pendulum(), "kind": "dynamics", "t_end": 1, key: 1})
                self.assert_problem(reply, 400, "invalid_argument", pointer="/" + key, words=["unknown key", said])

    def test_inertias_that_no_body_has_are_refused(self):
        place = ["links", 0, "body", "inertia"]
        for inertia in ([0.1, 0.1, 0.3], [1, 0.2, 0.3], [[2, 0, 1], [0, 2, 0], [1, 0, 0.6]]):
            with self.subTest(inertia=inertia):
                self.assert_problem(self.validate(changed(pendulum(), place, inertia)), 400, "invalid_argument",
                                    pointer="/links/0/body/inertia", words=["no body has it"])
        # a plate, a thin rod, a ball; a plate rounded to three digits; a plate seen from axes that are not its own
        for inertia in ([0.1, 0.2, 0.3], [0, 0.1, 0.1], [1, 1, 1], [0.123, 0.235, 0.359],
                        [[0.15, 0.05, 0], [0.05, 0.15, 0], [0, 0, 0.3]]):
            with self.subTest(inertia=inertia):
                self.assertEqual(self.validate(changed(pendulum(), place, inertia)).status, 200)


def crank(**job):
    """A pendulum whose joint is driven."""
    model = changed(pendulum(name="crank"), ["actuators", 0, "mode"], "position")
    return {"model": model, "kind": "dynamics", "t_end": 0.1, "inputs": {"motor": {"type": "sine", "amplitude": 0.3, "offset": 0.2,
            "frequency": 0.5, "phase": 0.4}}, **job}


class Jobs(ServerTest):
    def submit(self, job):
        return self.server.request("POST", "/v1/jobs", job)

    def test_an_initial_state_that_contradicts_a_prescribed_joint_is_refused(self):
        import math
        q, qd = 0.2 + 0.3 * math.sin(0.4), 0.3 * math.pi * math.cos(0.4)
        for initial, pointer in (({"q": [0.0]}, "/initial/q/0"), ({"q": [q + 1e-3]}, "/initial/q/0"),
                                 ({"q": [q], "qd": [0.0]}, "/initial/qd/0"), ({"qd": [qd + 1]}, "/initial/qd/0")):
            with self.subTest(initial=initial):
                self.assert_problem(self.submit(crank(initial=initial)), 400, "invalid_argument", pointer=pointer,
                                    words=["prescribes", "t = 0"])
        for initial in ({}, {"q": "zero"}, {"q": [round(q, 7)]}, {"q": [q], "qd": [qd]}):
            with self.subTest(initial=initial):
                self.assertEqual(self.submit(crank(initial=initial)).status, 202)

    def test_options_of_another_method_are_refused_at_their_keys(self):
        base = {"model": pendulum(), "kind": "dynamics", "t_end": 0.1}
        for method, option, value in (("bdf", "rho_inf", 0.5), ("bdf", "alpha", -0.1), ("dae", "gamma", 0.5), ("rk45", "beta", 0.25),
                                      ("hht", "rho_inf", 0.5), ("newmark", "alpha", -0.1), ("generalized_alpha", "alpha", 0),
                                      ("rk4", "rtol", 1e-6), ("euler_implicit", "atol", 1e-6), ("rk4", "h_max", 0.1),
                                      ("bdf", "adaptive", False), ("rk4", "adaptive", True)):
            with self.subTest(method=method, option=option):
                self.assert_problem(self.submit({**base, "integrator": {"method": method, option: value}}), 400, "invalid_argument",
                                    pointer=f"/integrator/{option}")
        self.assert_problem(self.submit({**base, "integrator": {"rho_inf": 0.5}}), 400, "invalid_argument",
                            pointer="/integrator/rho_inf", words=["`method` may say another one"])
        for integrator in ({"method": "generalized_alpha", "rho_inf": 0.5, "gamma": 0.6, "adaptive": True, "rtol": 1e-4, "h_max": 0.1},
                           {"method": "hht", "alpha": -0.1, "beta": 0.3}, {"method": "bdf", "rtol": 1e-4, "h_max": 0.1, "baumgarte": 0.1},
                           {"rtol": 1e-4, "atol": 1e-6}):
            with self.subTest(integrator=integrator):
                reply = self.submit({**base, "integrator": integrator})
                self.assertEqual((reply.status, reply.json().get("warnings")), (202, []), reply.body)

    def test_odd_jobs_have_warnings_when_they_are_submitted(self):
        stiff = changed(soft_arm(), BODY + ["material", "viscosity"], 0)
        for job, code, pointer in (
                ({"model": pendulum(), "integrator": {"method": "newmark", "rtol": 1e-6}}, "unused_option", "/integrator/rtol"),
                ({"model": pendulum(), "t_end": 1e6, "integrator": {"method": "newmark", "h": 0.1}}, "odd_duration", "/t_end"),
                ({"model": pendulum(), "t_end": 0.1, "integrator": {"method": "rk4", "h": 0.01}, "inputs": {"motor": {"type": "sum", "of": [
                    {"type": "constant", "value": 1}, {"type": "sine", "amplitude": 1, "frequency": 40}]}}}, "coarse_step", "/inputs/motor"),
                ({"model": stiff, "integrator": {"method": "bdf"}}, "undamped", "/model/links/0/body"),
                ({"model": stiff, "integrator": {"method": "rk45"}}, "undamped", "/model/links/0/body"),
                ({"model": stiff, "integrator": {"method": "radau"}}, None, None), ({"model": stiff}, None, None)):
            with self.subTest(code=code):
                reply = self.submit({"kind": "dynamics", "t_end": 0.01, "output": {"dt": job.get("t_end", 0.01)}, **job})
                self.assertEqual(reply.status, 202, reply.body)
                self.assertEqual([(w["code"], w["pointer"]) for w in reply.json()["warnings"]], [(code, pointer)] if code else [])
                self.server.request("POST", f"/v1/jobs/{reply.json()['id']}:cancel")
        def odd(job):
            reply = self.submit(job)
            self.assertEqual(reply.status, 202, reply.body)
            self.server.request("POST", f"/v1/jobs/{reply.json()['id']}:cancel")
            return [(w["code"], w["pointer"]) for w in reply.json()["warnings"] if w["code"].startswith("odd_")]

        soft, driven = {"model": soft_arm(), "kind": "statics"}, changed(pendulum(), ["actuators", 0, "mode"], "position")
        for job, expected in (
                ({**soft, "inputs": {"cable": 8}}, []), ({**soft, "inputs": {"cable": [0, 5, 20]}}, []),
                ({**soft, "inputs": {"cable": [0, 5000]}}, [("odd_input", "/inputs/cable")]),
                ({"model": soft_arm(), "kind": "dynamics", "t_end": 1e-3, "inputs": {"cable": {"type": "sine", "offset": 1e4, "amplitude": 1e4,
                  "frequency": 1}}}, [("odd_input", "/inputs/cable")]),
                ({"model": pendulum(), "kind": "dynamics", "t_end": 1e-3, "initial": {"q": [90]}}, [("odd_angle", "/initial/q/0")]),
                ({"model": pendulum(), "kind": "dynamics", "t_end": 1e-3, "initial": {"q": [7]}}, []),
                ({"model": pendulum(), "kind": "statics", "initial": {"q": [45]}, "unconverged": "keep"}, [("odd_angle", "/initial/q/0")]),
                ({"model": pendulum(), "kind": "dynamics", "t_end": 1e-3, "inputs": {"motor": {"type": "sine", "amplitude": 1, "frequency": 1,
                  "phase": 90}}}, [("odd_angle", "/inputs/motor")]),
                ({"model": driven, "kind": "statics", "inputs": {"motor": [0, 30, 60]}}, [("odd_angle", "/inputs/motor")]),
                ({"model": driven, "kind": "statics", "inputs": {"motor": [0, 5, 10, 15, 20]}}, []),
                ({"model": driven, "kind": "dynamics", "t_end": 1e-3, "inputs": {"motor": 90}}, [("odd_angle", "/inputs/motor")]),
                ({"model": driven, "kind": "dynamics", "t_end": 1e-3, "inputs": {"motor": {"type": "ramp", "t": [0, 1], "value": [0, 90]}}}, [])):
            with self.subTest(job=job.get("inputs", job.get("initial"))):
                self.assertEqual(odd(job), expected)
        def said(job):
            reply = self.submit(job)
            self.assertEqual(reply.status, 202, reply.body)
            self.server.request("POST", f"/v1/jobs/{reply.json()['id']}:cancel")
            return [(w["code"], w["pointer"]) for w in reply.json()["warnings"] if w["code"] not in ("coarse_step", "many_steps", "coarse_contact")]

        run = {"kind": "dynamics", "t_end": 1e-3, "output": {"dt": 1e-3}}
        length = {**soft_arm()["actuators"][0], "mode": "length", "stiffness": 100, "slack_width": 1e-7}
        pulled, planar = changed(soft_arm(), ["actuators", 0], length), changed(soft_arm(), BODY + ["strain", "order"], {"bending_y": 3})
        loaded = changed(planar, ["loads"], [{"link": "arm", "channels": [None, None, None, None, "side", "down"]}])
        spring = {"a": {"link": "world"}, "b": {"link": "arm"}, "stiffness": 1, "channel": "shift"}
        sprung = changed(soft_arm(), ["springs"], [spring])

        rail = changed(soft_arm(), ["links", 0, "joint"], {"type": "prismatic", "axis": "x"})
        rail["actuators"].append({"name": "slide", "type": "joint", "link": "arm", "mode": "position"})
        def sine(amplitude, frequency=1):
            return {"type": "sine", "amplitude": amplitude, "frequency": frequency, "offset": 0.1}

        def ramp(until):
            return {"type": "ramp", "t": [0, until], "value": [0, 0.4]}

        stopped = changed(rail, ["links", 0, "joint", "limits"], {"lower": -0.2, "upper": 0.3, "stiffness": 1e4})

        def second(**more):
            return {**run, "t_end": 1, "output": {"dt": 1}, "model": soft_arm(), **more}

        def steps(first):
            return {"cable": {"type": "steps", "t": [first, first + 1], "value": [1, 2]}}

        def way(knots, **more):
            return {"controller": {**pd("tendon", [[0.5], [0.49], [0.48]][:len(knots)]), **more,
                                   "reference": {"space": "tendon", "t": knots, "value": [[0.5], [0.49], [0.48]][:len(knots)]}}}

        three = ("cable", "left", "right")
        cables = [{**soft_arm()["actuators"][0], "name": name, "routing": {"type": "linear", "base": base}}
                  for name, base in zip(three, ([0.008, 0], [-0.004, 0.007], [-0.004, -0.007]))]
        held, sliding = changed(soft_arm(), ["actuators"], cables), changed(rail, ["actuators"], cables)
        mounted = changed(held, ["links", 0], {**held["links"][0], "parent": "base"})  # on a block that hangs 0.1 m below the world's origin
        mounted["links"].insert(0, {"name": "base", "joint": {"type": "revolute", "axis": "y"}, "pose": {"translation": [0, 0, -0.1]},
                                    "body": {"type": "rigid", "mass": 1, "inertia": [1e-3, 1e-3, 1e-3]}})
        curled = {"format": "tendril.model/1", "links": [{"name": "roll", "joint": {"type": "fixed"}, "body": {
            "type": "reduced", "kinematics": "pcc_planar_extensible", "length": 0.2, "radius": 0.01, "density": 1070, "young": 1e6,
            "poisson": 0.5, "damping_time": 0.1}}]}

        blown = {"format": "tendril.model/1", "links": [{"name": "bladder", "joint": {"type": "fixed"}, "body": {
            "type": "reduced", "kinematics": "pcc_variable_radius", "length": 0.2, "radius": 0.02, "density": 1062, "young": 1e6,
            "poisson": 0.5, "damping_time": 0.1, "radius_law": "shift", "wall": 0.004}}],
            "actuators": [{"name": "air", "type": "pressure", "link": "bladder", "chamber": 0}]}

        def before(obstacle):
            return changed(soft_arm(), ["contacts"], [{"stiffness": 1e5, **obstacle}])

        def pd(space, values, channels=("cable",), **more):
            return {"type": "pd_plus", "channels": list(channels), "kp": 5, "kd": 1, "reference": {"space": space, "t": [0, 1], "value": values, **more}}

        below = {"type": "plane", "pose": {"translation": [0, 0, -0.6]}}
        inside = [("starts_inside", "/model/contacts/0")]
        value = [("odd_input", "/controller/reference/value")]
        for job, expected in (
                ({**run, "model": pulled, "inputs": {"cable": 5}}, [("odd_input", "/inputs/cable")]),             # mm
                ({**run, "model": pulled, "inputs": {"cable": 0.05}}, []),
                ({**run, "model": sprung, "inputs": {"shift": 20}}, [("odd_input", "/inputs/shift")]), ({**run, "model": sprung, "inputs": {"shift": 0.2}}, []),
                ({**run, "model": loaded, "inputs": {"side": 1}}, [("idle_force", "/inputs/side")]),
                ({**run, "model": loaded, "inputs": {"side": 0, "down": 1}}, []),
                ({"kind": "statics", "model": loaded, "inputs": {"side": [0, 1]}}, [("idle_force", "/inputs/side")]),
                ({**run, "model": loaded, "inputs": {"down": 5000}}, [("odd_input", "/inputs/down")]),              # mN
                ({**run, "model": soft_arm(), "initial": {"q": [0] * 5 + [45] + [0] * 18}}, [("odd_angle", "/initial/q/5")]),
                *(({**run, "model": blown, "inputs": {"air": air}}, [("odd_input", "/inputs/air")] * odd) for air, odd in (
                    (-2e5, 1), (-9e4, 0), (3e5, 0), ({"type": "sine", "amplitude": 1.5e5, "frequency": 100}, 0), ({"type": "sine", "amplitude": 1.5e5, "frequency": 1e3}, 1),
                    ({"type": "product", "of": [{"type": "sine", "amplitude": 500, "frequency": 1e3}] * 2}, 0))),
                ({"kind": "statics", "model": blown, "inputs": {"air": [0, -5e4, -2e5]}}, [("odd_input", "/inputs/air")]),
                ({**run, "model": rail, "inputs": {"slide": 300}}, [("odd_input", "/inputs/slide")]), ({**run, "model": rail, "inputs": {"slide": 0.3}}, []),
                *(({**run, "t_end": 1, "output": {"dt": 1}, "model": stopped, "inputs": {"slide": way}}, [("odd_input", "/inputs/slide")] * odd) for way, odd in (
                    (0.3, 0), (0.31, 1), (-0.2, 0), (-0.21, 1), (sine(0.2), 0), (sine(0.21), 1), (sine(0.21, 0.05), 0),
                    (ramp(1), 1), (ramp(2), 0), ({"type": "sum", "of": [ramp(1), ramp(1)]}, 1), ({"type": "sum", "of": [ramp(2), 0.05]}, 0))),
                ({"kind": "statics", "model": stopped, "inputs": {"slide": [0, 0.25, 0.35]}}, [("odd_input", "/inputs/slide")]),
                ({**run, "model": soft_arm(), "output": {"dt": 5}}, [("odd_duration", "/output/dt")]),
                ({**run, "model": soft_arm(), "output": {"dt": 1e-3}, "inputs": {"cable": {"type": "ramp", "t": [0, 1000], "value": [0, 1]}}},
                 [("odd_duration", "/inputs/cable")]),                                                              # ms
                (second(inputs=steps(10)), [("odd_duration", "/inputs/cable")]), (second(inputs=steps(0.5)), []),   # nothing of it happens
                (second(inputs={"cable": {"type": "sum", "of": [steps(3)["cable"], 1]}}), [("odd_duration", "/inputs/cable")]),
                (second(**way([0, 2000])), [("odd_duration", "/controller/reference/t")]),                         # ms
                (second(**way([3, 4, 5])), [("odd_duration", "/controller/reference/t")]),
                (second(**way([0, 3, 2000])), []), (second(**way([5])), []), (second(**way([0.5, 0.8])), []),
                (second(**way([0, 1], **{"from": 3})), [("odd_duration", "/controller/from")]), (second(**way([0, 1], **{"from": 0.9})), []),
                ({**run, "model": before(below)}, []),
                ({**run, "model": before({**below, "axis": "-z"})}, inside),
                ({"kind": "statics", "model": before({**below, "axis": "-z"})}, inside),
                ({**run, "model": before({"type": "sphere", "radius": 0.1, "pose": {"translation": [0, 0, -0.5]}})}, inside),
                ({**run, "model": before({"type": "sphere", "radius": 0.1, "pose": {"translation": [0.13, 0, -0.3]}})}, []),
                ({**run, "model": before({"type": "sphere", "radius": 0.1, "pose": {"translation": [0, 0, -0.5]}}), "initial": {"q": "equilibrium"}}, []),
                ({**run, "model": soft_arm(), "controller": pd("tendon", [[0], [0.01]])}, value),                  # a displacement
                ({**run, "model": soft_arm(), "controller": pd("tendon", [[500], [490]])}, value),                # mm
                ({**run, "model": soft_arm(), "controller": pd("tendon", [[0.5], [0.4]])}, []),
                ({**run, "model": held, "controller": pd("tip", [[0, 0, -0.49], [0, 0.1, -0.52]], three)},
                 [("odd_size", "/controller/reference/value/1")]),                                                # the arm has 0.5 m
                ({**run, "model": held, "controller": pd("tip", [[0, 0, -0.49], [0, 0.1, -0.48]], three)}, []),
                ({**run, "model": mounted, "controller": pd("tip", [[0, 0, -0.59], [0, 0, 0.45]], three)}, [("odd_size", "/controller/reference/value/1")]),
                ({**run, "model": mounted, "controller": pd("tip", [[0, 0, -0.59], [0, 0.1, -0.57]], three)}, []),
                ({**run, "model": sliding, "controller": pd("tip", [[0, 0, -0.49], [0.5, 0.1, -0.48]], three)}, []),          # it slides there
                ({**run, "model": curled, "initial": {"q": [30, 0]}}, [("odd_angle", "/initial/q/0")]), ({**run, "model": curled, "initial": {"q": [9, 0.1]}}, []),
                ({**run, "model": pendulum(), "controller": pd("joint", [[0], [90]], ["motor"])}, [("odd_angle", "/controller/reference/value")]),
                ({**run, "model": pendulum(), "controller": pd("joint", [[0], [9]], ["motor"])}, [])):
            with self.subTest(job={k: v for k, v in job.items() if k != "model"}, contacts=job["model"].get("contacts")):
                self.assertEqual(said(job), expected)
        damped = self.submit({"kind": "dynamics", "t_end": 0.05, "model": stiff,
                              "integrator": {"method": "generalized_alpha", "h": 0.005}})
        self.assertEqual((damped.status, damped.json()["warnings"]), (202, []))


if __name__ == "__main__":
    main()
