"""Robots from elsewhere: what a URDF becomes has the dynamics of the URDF, over every face; the command writes it; what is attached
moves with its link. The values are those of tests/urdf/newton_euler.py, which shares nothing with Tendril."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import jsonschema
import numpy as np

from harness import BIN, ServerTest, main, pendulum

SOURCE = os.environ.get("TENDRIL_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(SOURCE, "tests", "urdf"), os.path.join(SOURCE, "clients", "python")]
from mjcf import Mjcf  # noqa: E402
from newton_euler import Robot  # noqa: E402
from tendril import Client, InvalidArgument, TendrilWarning  # noqa: E402

ROBOTS = ["arm6", "arm7", "tree"]
FINGER = {"format": "tendril.model/1", "name": "finger", "gravity": [0, 0, -9.81], "links": [
    {"name": "rod", "pose": {"rpy": [0, -np.pi / 2, 0]}, "joint": {"type": "fixed"}, "body": {
        "type": "rod", "length": 0.1, "section": {"shape": "circle", "radius": 0.01}, "material": {"young": 1e6, "poisson": 0.45, "density": 1000},
        "strain": {"basis": "legendre", "order": {"bending_y": 2, "bending_z": 2}}}}],
    "actuators": [{"name": "cable", "type": "tendon", "link": "rod", "routing": {"type": "linear", "base": [0, 0.008]}}]}


def path_of(name):
    return os.path.join(SOURCE, "tests", "urdf", f"{name}.urdf")


def text_of(name):
    with open(path_of(name), encoding="utf8") as file:
        return file.read()


def usd_text(name):
    with open(os.path.join(SOURCE, "tests", "urdf", f"{name}.usda"), encoding="utf8") as file:
        return file.read()


def far_off(found, expected):
    return np.abs(np.asarray(found) - expected).max() / np.abs(expected).max()


class Import(ServerTest):
    def imported(self, **request):
        reply = self.server.request("POST", "/v1/models:import", request)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def evaluated(self, model, want, **state):
        state = {key: np.asarray(value).tolist() for key, value in state.items()}
        reply = self.server.request("POST", "/v1/evaluate", {"model": model, "want": want, "states": [state]})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()["states"][0]

    def python(self, grpc=False):
        client = Client(f"grpc://{self.server.ready['grpc']}" if grpc else f"http://{self.server.ready['http']}")
        self.addCleanup(client.close)
        return client

    def test_the_document_has_the_dynamics_of_the_description_by_newton_and_euler(self):
        rng = np.random.default_rng(7)
        for name in ROBOTS:
            found = self.imported(urdf=text_of(name), stops="none")
            robot = Robot(text_of(name))
            order = [coordinate.removesuffix(".joint[0]") for coordinate in found["coordinates"]]
            self.assertEqual(sorted(order), sorted(robot.moving))
            damping = {link["name"]: link["joint"].get("damping", 0) for link in found["document"]["links"]}
            for _ in range(4):
                q, qd, qdd, u = rng.standard_normal((4, len(order)))
                got = self.evaluated(found["document"], ["id", "mass", "fd"], q=q, qd=qd, qdd=qdd, u=u)
                mass = robot.mass_matrix(order, q)
                driven = [found["channels"].index(next(j["name"] for j in robot.joints if j["child"] == link)) for link in order]
                forces = u[driven] - [damping[link] for link in order] * qd - robot.vectors(order, q, qd, 0 * q)
                self.assertLess(far_off(got["id"], robot.vectors(order, q, qd, qdd)), 1e-12, name)
                self.assertLess(far_off(got["mass"], mass), 1e-12, name)
                self.assertLess(far_off(got["fd"], np.linalg.solve(mass, forces)), 1e-10, name)

    def test_dampers_of_a_description_are_those_of_the_model(self):
        links = {link["name"]: link["joint"].get("damping", 0) for link in self.imported(urdf=text_of("arm7"))["document"]["links"]}
        self.assertEqual({name: value for name, value in links.items() if value}, {"link2": 1.5, "left": 0.3})

    def test_what_is_left_out_is_told_with_its_line_and_nothing_else_is(self):
        lines = text_of("arm6").splitlines()

        def remarked(**words):
            return {(place["line"], place["what"].split()[0]) for remark in self.imported(urdf="\n".join(lines), **words)["remarks"] for place in remark["places"]}
        told = {(i, f"<{word}") for i, line in enumerate(lines, 1) for word in ("visual", "collision", "limit") if f"<{word}" in line}
        told = {(i, word + ">" if word != "<limit" else word) for i, word in told}
        told |= {(i, "material") for i, line in enumerate(lines, 1) if line.startswith("  <material")}
        told |= {(i, "friction") for i, line in enumerate(lines, 1) if "friction=" in line}
        told |= {(i, "<axis>") for i, line in enumerate(lines, 1) if 'xyz="0 0.1 0.99"' in line}
        self.assertEqual(remarked(stops="none", view="none"), told)
        drawn = {(i, word) for i, word in told if word in ("<visual>", "material")}
        told = told - drawn | {(i, "mesh") for i, line in enumerate(lines, 1) if "<mesh" in line}
        self.assertEqual(remarked(stops="none"), told)
        for i, line in enumerate(lines, 1):
            if "<limit" in line:
                told.remove((i, "<limit"))
                told |= {(i, word) for word in line.split() if word.startswith("effort=")} | {(i, word[:-2]) for word in line.split() if word.startswith("velocity=")}
                told.add((i, "[" + line.split('lower="')[1].split('"')[0] + ","))
        self.assertEqual(remarked(), told)

    def test_limits_become_soft_stops_told_with_their_numbers_and_drives_have_none(self):
        made, bare = (self.imported(urdf=text_of("arm7"), **words) for words in ({}, {"stops": "none"}))
        joints = {link["name"]: link["joint"] for link in made["document"]["links"]}
        limits = {name: joint["limits"] for name, joint in joints.items() if "limits" in joint}
        robot = {j["child"]: j for j in Robot(text_of("arm7")).joints if j["type"] in ("revolute", "prismatic")}
        self.assertEqual(sorted(limits), sorted(robot))
        for name, one in limits.items():
            hard = 1e6 if robot[name]["type"] == "prismatic" else 1e4
            self.assertEqual((one["stiffness"], one["damping"]), (hard, hard))
        self.assertEqual([(limits[name]["lower"], limits[name]["upper"]) for name in ("link4", "left")], [(-3.07, -0.07), (0, 0.04)])
        told = {remark["detail"]: [place["what"] for place in remark["places"]] for remark in made["remarks"]}
        soft, = (places for detail, places in told.items() if "soft stop of 10000 N m/rad" in detail)
        self.assertEqual(len(soft), 7)
        away, = (places for detail, places in told.items() if "from 0, where runs" in detail)
        self.assertEqual(len(away), 1)
        drives, = (places for detail, places in told.items() if detail.startswith("is left out: inputs and controllers have no bounds"))
        self.assertEqual(len(drives), 18)  # effort and velocity of nine
        for link in made["document"]["links"]:
            link["joint"].pop("limits", None)
        self.assertEqual(made["document"], bare["document"])
        self.assertTrue(any('"stops": "none"' in remark["detail"] for remark in bare["remarks"]))
        swapped = text_of("arm7").replace('lower="-3.07" upper="-0.07"', 'lower="-0.07" upper="-3.07"')
        self.assertNotEqual(swapped, text_of("arm7"))
        self.assert_problem(self.server.request("POST", "/v1/models:import", {"urdf": swapped}), 400, "invalid_argument", "/urdf", words=["line 7:", "above"])
        silent = self.imported(urdf=text_of("arm7").replace('lower="-3.07" upper="-0.07"', ""))
        self.assertTrue(any("no lower and no upper" in remark["detail"] for remark in silent["remarks"]))

    def test_an_arm_that_came_with_limits_rests_on_them(self):
        document = self.imported(urdf=text_of("arm6"))["document"]
        names = [link["name"] for link in document["links"] if link["joint"]["type"] == "revolute"]
        for link in document["links"]:
            if link["name"] == names[1]:  # let the shoulder sink on a stop at 0.3 rad; the others have springs
                link["joint"]["limits"].update(lower=-0.3, upper=0.3)
            elif link["name"] in names:
                link["joint"]["stiffness"] = 1e4
        done = self.server.wait(self.server.submit({"model": document, "kind": "statics", "output": {"fields": ["q"]}}))
        self.assertEqual(done["state"], "succeeded", done)
        q = self.server.request("GET", f"/v1/jobs/{done['id']}/result", headers={"Accept": "application/x-npz"}).npz()["q"][0]
        weight = Robot(text_of("arm6")).vectors(names, q, 0 * q, 0 * q)[1]
        self.assertGreater(abs(q[1]), 0.3)
        self.assertAlmostEqual(abs(q[1]), 0.3 + abs(weight) / 1e4, delta=1e-9)
        self.assertGreater(abs(weight), 5)
        state = self.evaluated(document, ["tau", "residual"], q=q)
        self.assertLess(np.abs(state["residual"]).max(), 1e-7)

    def test_documents_fit_the_schema_and_read_back_as_they_are(self):
        with open(os.path.join(SOURCE, "api", "schema", "model.schema.json"), encoding="utf8") as file:
            schema = jsonschema.Draft202012Validator(json.load(file))
        for name in ROBOTS:
            for base in ("fixed", "free"):
                if (name, base) == ("arm6", "free"):  # hangs at a link «world»
                    continue
                document = self.imported(urdf=text_of(name), base=base)["document"]
                self.assertEqual(list(schema.iter_errors(document)), [])
                again = self.imported(model=document)
                self.assertEqual(again["document"], document)
                self.assertEqual(again["ndof"], len(Robot(text_of(name)).moving) + (6 if base == "free" else 0))

    def test_words_of_the_request_say_what_a_description_does_not(self):
        urdf = text_of("tree")
        prescribed = self.imported(urdf=urdf, actuators="position", gravity=[0, 0, -1.62], name="moon")["document"]
        self.assertEqual({one["mode"] for one in prescribed["actuators"]}, {"position"})
        self.assertEqual((prescribed["gravity"], prescribed["name"]), ([0, 0, -1.62], "moon"))
        self.assertNotIn("actuators", self.imported(urdf=urdf, actuators="none")["document"])
        refused = self.server.request("POST", "/v1/models:import", {"urdf": text_of("arm6"), "base": "free"})
        self.assert_problem(refused, 400, "invalid_argument", "/base", words=["world", "line 5"])

    def test_what_the_engine_refuses_is_said_with_the_line_of_the_description(self):
        massless = text_of("tree").replace('<mass value="1.4"/>', '<mass value="0"/>').replace('ixx="0.0125" iyy="0.0022" izz="0.0126"', 'ixx="0" iyy="0" izz="0"')
        refused = self.server.request("POST", "/v1/models:import", {"urdf": massless})
        line = next(i for i, text in enumerate(massless.splitlines(), 1) if 'name="right_elbow"' in text)
        self.assert_problem(refused, 400, "invalid_argument", "/urdf", words=[f"line {line}:", "revolute", '"actuators": "position"'])
        self.assertEqual(self.imported(urdf=massless, actuators="position")["ndof"], 5)
        block = "<robot name='block'><link name='block'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>"
        refused = self.server.request("POST", "/v1/models:import", {"urdf": block})
        self.assert_problem(refused, 400, "invalid_argument", "/urdf", words=["no coordinate", '"base": "free"'])
        self.assertEqual(self.imported(urdf=block, base="free")["ndof"], 6)
        refused = self.server.request("POST", "/v1/models:import", {"model": pendulum(), "attach": [
            {"model": {**pendulum(), "links": [{"name": "b", "joint": {"type": "revolute"}}], "actuators": []}, "parent": "arm"}]})
        self.assert_problem(refused, 400, "invalid_argument", "/attach/0/model/links/0/joint", words=["moves no mass"])

    def test_a_bomb_of_entities_is_refused_at_once(self):
        entities = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(12))
        bomb = f'<!DOCTYPE robot [<!ENTITY e0 "boom">{entities}]><robot name="&e12;"/>'
        outside = '<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot name="x"/>'
        for text in (bomb, outside):
            self.assert_problem(self.server.request("POST", "/v1/models:import", {"urdf": text}), 400, "invalid_argument", "/urdf", words=["line 1", "DOCTYPE"])

    def test_a_finger_at_a_link_is_the_finger_written_there(self):
        pose = {"translation": [0.01, 0.02, 0.03], "rpy": [0.3, -0.2, 0.1]}
        both = self.imported(urdf=text_of("arm6"), attach=[{"model": FINGER, "parent": "tool0", "prefix": "f_", "pose": pose}])["document"]
        alone = self.imported(urdf=text_of("arm6"))["document"]
        by_hand = {**alone, "links": [*alone["links"], {"name": "mount", "parent": "tool0", "pose": pose, "joint": {"type": "fixed"}},
                                      {**FINGER["links"][0], "parent": "mount"}],
                   "actuators": [*alone["actuators"], *FINGER["actuators"]]}
        rng = np.random.default_rng(3)
        state = {"q": 0.3 * rng.standard_normal(12), "qd": rng.standard_normal(12), "u": rng.standard_normal(7)}
        one, other = (self.evaluated(document, ["fd", "mass", "poses"], **state) for document in (both, by_hand))
        for want in ("fd", "mass"):
            self.assertLess(far_off(one[want], np.array(other[want])), 1e-11)
        self.assertLess(far_off(one["poses"]["f_rod"], np.array(other["poses"]["rod"])), 1e-13)

    def test_the_shipped_arm_is_what_the_import_makes_of_its_description_and_the_finger(self):
        sys.path.insert(0, os.path.join(SOURCE, "api", "examples"))
        import generate_import
        self.assertEqual(self.imported(**generate_import.request())["document"], generate_import.desk_arm_hand())
        self.assertEqual(self.imported(**generate_import.request("reach-arm", generate_import.WIDE))["document"], generate_import.reach_arm_hand())

    def test_what_is_attached_to_what_is_attached_hangs_there(self):
        made = self.imported(model=pendulum(), attach=[{"model": FINGER, "parent": "arm", "prefix": "a_"}, {"model": FINGER, "parent": "a_rod", "at": 0.5, "prefix": "b_"}])
        link = made["document"]["links"][-1]
        self.assertEqual((link["name"], link["parent"], link["at"]), ("b_rod", "a_rod", 0.5))
        self.assertEqual(made["channels"], ["motor", "a_cable", "b_cable"])

    def test_every_place_of_a_name_in_the_schema_gets_the_prefix(self):
        """A key of the format that holds a name, and is not in the table of attach.c, would point at a link of the wrong robot."""
        with open(os.path.join(SOURCE, "api", "schema", "model.schema.json"), encoding="utf8") as file:
            schema = json.load(file)

        def places(node, path):
            if isinstance(node, list):
                for one in node:
                    yield from places(one, path)
            elif isinstance(node, dict):
                reference = node.get("$ref", "")
                if reference == "#/$defs/name":
                    yield path
                elif reference and len(path) < 8:  # a routing may hold routings
                    yield from places(schema["$defs"][reference.rsplit("/", 1)[1]], path)
                for key, value in node.items():
                    if key == "properties":
                        for name, child in value.items():
                            yield from places(child, (*path, name))
                    elif key == "items":
                        yield from places(value, (*path, "*"))
                    elif key in ("oneOf", "anyOf", "allOf"):
                        yield from places(value, path)
        found = {"/".join(path) for path in places(schema, ())}
        with open(os.path.join(SOURCE, "server", "codec", "import", "attach.c"), encoding="utf8") as file:
            table = file.read().split("NAMES[] = {", 1)[1].split("};", 1)[0]
        rows = [[word.strip().strip('"') for word in row.split(",")] for row in "".join(table.split("\n")).replace("{", "").split("}") if row.strip(" ,")]
        rows = [[word for word in row if word] for row in rows]
        listed = {f"{row[0]}/*/{row[1]}" + ("/*" if row[2] == "true" else "") + (f"/{row[3]}" if row[3] != "NULL" else "") for row in rows}
        self.assertEqual(found - {"name", "fluid/channels/*"}, listed)

    def test_an_mjcf_has_the_dynamics_of_its_bodies_by_newton_and_euler(self):
        with open(os.path.join(SOURCE, "tests", "urdf", "reacher.xml"), encoding="utf8") as file:
            text = file.read()
        found, robot, rng = self.imported(mjcf=text, stops="none"), Mjcf(text), np.random.default_rng(11)
        order = [name.removesuffix(".joint[0]") for name in found["coordinates"] if name.endswith(".joint[0]")]
        self.assertEqual(sorted(order), sorted(robot.moving))
        self.assertEqual(found["channels"], ["pan_motor", "reach_servo", "winch"])
        own = [found["coordinates"].index(f"{name}.joint[0]") for name in order]
        for _ in range(3):
            q, qd, qdd = np.zeros((3, found["ndof"]))
            q[own], qd[own], qdd[own] = rng.standard_normal((3, len(own)))
            got = self.evaluated(found["document"], ["id", "mass"], q=q, qd=qd, qdd=qdd)
            self.assertLess(far_off(np.array(got["id"])[own], robot.vectors(order, q[own], qd[own], qdd[own])), 1e-12)
            self.assertLess(far_off(np.array(got["mass"])[np.ix_(own, own)], robot.mass_matrix(order, q[own])), 1e-12)

    def test_an_mjcf_keeps_springs_limits_tendons_and_cables_and_tells_the_rest(self):
        with open(os.path.join(SOURCE, "tests", "urdf", "reacher.xml"), encoding="utf8") as file:
            text = file.read()
        made = self.imported(mjcf=text)
        document, told = made["document"], {place["what"].split()[0] for remark in made["remarks"] for place in remark["places"]}
        links = {link["name"]: link for link in document["links"]}
        self.assertEqual((document["name"], document["gravity"]), ("reacher", [0.3, -0.2, -9.7]))
        lift, reach = links["upper.lift"]["joint"], links["body3.reach"]["joint"]
        self.assertEqual((lift["stiffness"], lift["damping"]), (3, 0.4))
        np.testing.assert_allclose([lift["rest"], lift["limits"]["lower"], lift["limits"]["upper"]], np.radians([20, -90, 100]), rtol=1e-15)
        self.assertEqual((reach["damping"], reach["limits"]["upper"]), (0.1, 0.2))
        np.testing.assert_allclose(document["actuators"][2]["segments"][1]["points"], [[0.04, 0, 0.35]])
        self.assertEqual([one["link"] for one in document["actuators"][2]["segments"]], ["base", "upper", "body3"])
        self.assertEqual(document["springs"], [{"name": "stay", "a": {"link": "world", "pose": {"translation": [0.2, 0, 0.9]}},
                                                "b": {"link": "base", "pose": {"translation": [0.05, 0, 0.1]}}, "stiffness": 120, "damping": 2, "rest": 0.5}])
        rope = links["rope"]
        self.assertEqual((rope["parent"], rope["pose"], rope["joint"]), ("rail", {"translation": [0, 0, 0.1]}, {"type": "fixed"}))
        self.assertEqual((rope["body"]["length"], rope["body"]["material"]), (0.4, {"young": 1e6, "shear": 4e5, "density": 1100}))
        np.testing.assert_allclose(rope["body"]["section"]["damping"], [4e-5] * 3 + [0] * 3, rtol=1e-12)
        self.assertEqual([shape["type"] for shape in links["upper"]["view"]], ["capsule", "sphere"])
        self.assertEqual(links["upper"]["view"][1]["colour"], [0.8, 0.1, 0.1])
        wanted = {"armature=\"0.01\"", "ctrlrange=\"-1", "gear", "<sensor>", "spatial", "mesh", "<geom>", "position", "motor", "composite", "ref", "timestep=\"0.002\""}
        self.assertEqual(wanted - told, set())
        with open(os.path.join(SOURCE, "api", "schema", "model.schema.json"), encoding="utf8") as file:
            jsonschema.validate(document, json.load(file))

    def test_what_is_wrong_with_an_mjcf_is_said_with_its_line(self):
        with open(os.path.join(SOURCE, "tests", "urdf", "reacher.xml"), encoding="utf8") as file:
            text = file.read()
        for old, new, said in (('site="hook"', 'site="hok"', 'site="hok": there is no site of that name'), ("<option ", "<include/><option ", "other files are not read"),
                               ('joint="pan" gear', 'joint="pun" gear', 'joint="pun": there is no joint of that name'), ('eulerseq="zyx"', 'eulerseq="zy"', 'eulerseq="zy"'),
                               ('curve="s"', 'curve="s sin(s)"', "only straight cables"), ('angle="degree"', 'angle="grad"', 'angle="grad" is not read'),
                               ('childclass="upper"', 'childclass="uper"', 'class="uper": there is no <default> of that class'), ('mass="0"/>', "/>", "give it an <inertial>"),
                               ('mass="3"', 'mass="3,5"', 'mass="3,5" is not one finite number'), ('range="-90 100"', 'range="100 -90"', "its range [100, -90] is none"),
                               ('name="tool"', 'name="upper"', "a body of line 29 has that name already"), ('axis="0 0 2"', 'axis="0 0 0"', "has no direction")):
            self.assertEqual(text.count(old) > 0, True, old)
            reply = self.server.request("POST", "/v1/models:import", {"mjcf": text.replace(old, new)})
            self.assertEqual((reply.status, reply.json()["pointer"]), (400, "/mjcf"), reply.body)
            self.assertRegex(reply.json()["detail"], r"line \d+: ")
            self.assertIn(said, reply.json()["detail"])

    def test_what_is_exported_to_a_urdf_comes_back_as_the_same_robot(self):
        with tempfile.TemporaryDirectory() as folder:
            def tendril(*words):
                return subprocess.run([os.path.join(BIN, "tendril"), "--url", f"http://{self.server.ready['http']}", *words], cwd=folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            rng = np.random.default_rng(3)
            for name in ROBOTS:
                model = self.imported(urdf=text_of(name))["document"]
                with open(os.path.join(folder, "robot.model.json"), "w", encoding="utf8") as file:
                    json.dump(model, file)
                done = tendril("export", "robot.model.json", "--to", "urdf")
                self.assertEqual((done.returncode, done.stdout), (0, "robot.urdf\n"), done.stderr)
                with open(os.path.join(folder, "robot.urdf"), encoding="utf8") as file:
                    again = self.imported(urdf=file.read())
                names = [link["name"] for link in model["links"]]
                self.assertEqual([link["name"] for link in again["document"]["links"]], names)
                n = again["ndof"]
                state = dict(zip(("q", "qd", "qdd"), rng.standard_normal((3, n))))
                for want in ("id", "mass", "tau"):
                    self.assertLess(far_off(self.evaluated(again["document"], [want], **state)[want], np.array(self.evaluated(model, [want], **state)[want])), 1e-13, (name, want))
                self.assertEqual([link.get("view") for link in again["document"]["links"]], [link.get("view") for link in model["links"]])

    def test_a_rod_of_a_usd_has_the_mass_pose_frequency_and_deflection_of_its_text(self):
        """Layer in centimetres, y up, within a turned ancestor; E I, density and length are said there, and nothing of the importer is used."""
        made = self.imported(usd=usd_text("cables"), gravity=[0, 0, 0])
        rod = next(link for link in made["document"]["links"] if link["name"] == "cable")
        alone = {**made["document"], "links": [rod]}
        names = [f"cable.{one}[{i}]" for one, n in (("torsion", 3), ("bending_y", 5), ("bending_z", 5)) for i in range(n)]
        q = np.zeros(len(names))
        length, radius, young, shear, density = 0.4, 0.006, 1e6, 4e5, 1100
        area, bend = np.pi * radius**2, young * np.pi * radius**4 / 4
        at = self.evaluated(alone, ["mass", "dtau_dq", "dfd_dq", "poses", "jacobians"], q=q)
        base, tip = (np.array(at["poses"]["cable"][i]) for i in (0, -1))
        np.testing.assert_allclose(base[:3, 3], [0.1, -0.3, 0.2], atol=1e-12)  # (10, 20, 30) cm with y up
        np.testing.assert_allclose(tip[:3, 3], [0.1, -0.3, 0.6], atol=1e-12)  # x, turned by 90 degrees about z, is y, which is up
        own = np.sort(np.sqrt(np.linalg.eigvals(-np.array(at["dfd_dq"])).real))
        first = 1.875104068711961**2 * np.sqrt(bend / (density * area)) / length**2
        twist = np.pi / 2 * np.sqrt(shear / density) / length
        self.assertLess(abs(own[0] / first - 1), 0.01)
        self.assertLess(np.abs(own / twist - 1).min(), 0.01)
        force = np.array(at["jacobians"]["cable"][-1])[4]  # along y of the tip
        moved = np.linalg.solve(-np.array(at["dtau_dq"]), force) @ force
        self.assertLess(abs(moved / (length**3 / (3 * bend)) - 1), 0.01)
        free = {**alone, "gravity": [0, 0, -9.81], "links": [{**rod, "joint": {"type": "free"}}]}
        names = self.server.request("POST", "/v1/models?validate=1", free).json()["coordinates"]
        mass = np.array(self.evaluated(free, ["mass"], q=np.zeros(len(names)))["mass"])
        k = names.index("cable.joint[3]")
        self.assertLess(abs(mass[k, k] / (density * area * length) - 1), 1e-5)

    def test_a_helix_and_several_curves_of_a_usd_lie_where_their_points_are(self):
        made = self.imported(usd=usd_text("cables"))
        self.assertEqual([link["name"] for link in made["document"]["links"]], ["cable", "spring", "hair_1", "hair_2"])
        self.assertEqual((made["document"]["name"], made["document"]["gravity"]), ("World", [0, 0, -9.81]))
        poses = self.evaluated(made["document"], ["poses"], q=np.zeros(made["ndof"]))["poses"]
        turn = 2 * 2 * np.pi
        for name, begin, end in (("spring", (3, 0, 0), (3, 0.5 * turn, 0)), ("hair_1", (0, 0, 0), (0, 8, 6)), ("hair_2", (1, 1, 1), (1, 1, 8))):
            for found, wanted in ((poses[name][0], begin), (poses[name][-1], end)):
                x, y, z = np.array(wanted) / 100
                np.testing.assert_allclose(np.array(found)[:3, 3], [x, -z, y], atol=2e-6, err_msg=name)
        spring = next(link for link in made["document"]["links"] if link["name"] == "spring")["body"]
        slope = np.hypot(3, 0.5)
        np.testing.assert_allclose(spring["strain"]["reference"], [100 * 0.5 / slope**2, 0, 100 * 3 / slope**2, 1, 0, 0], rtol=1e-4)
        self.assertLess(abs(spring["length"] / (turn * slope / 100) - 1), 1e-5)
        self.assertEqual(spring["section"], {"shape": "circle", "radius": 0.001, "shear_correction": 0.9})
        np.testing.assert_allclose([spring["material"][key] for key in ("young", "shear", "density")], [2e11, 8e10, 7800], rtol=1e-12)
        with open(os.path.join(SOURCE, "api", "schema", "model.schema.json"), encoding="utf8") as file:
            jsonschema.validate(made["document"], json.load(file))
        told = {(place.get("line"), place["what"].rsplit("/", 1)[-1]) for remark in made["remarks"] for place in remark["places"]}
        lines = usd_text("cables").split("\n")
        for word, what in (("def Mesh", "floor"), ("def Cube", "box"), ("def PhysicsFixedJoint", "weld"), ("over ", "elsewhere"), ('"smooth"', "smooth"),
                           ("bendDamping", "Rubber"), ("velocities", "spring"), ('"hair"', "hair"), ("kind =", "Arm")):
            self.assertIn((1 + next(i for i, line in enumerate(lines) if word in line), what), told)

    def test_the_command_and_python_read_a_usd_and_refuse_a_binary_one(self):
        path = os.path.join(SOURCE, "tests", "urdf", "cables.usda")
        with tempfile.TemporaryDirectory() as folder:
            binary = os.path.join(folder, "scene.usdc")
            with open(binary, "wb") as file:
                file.write(b"PXR-USDC\x00\x08\x00\xff")
            for words, status in (((path, "-o", "-"), 0), ((binary,), 2)):
                done = subprocess.run([os.path.join(BIN, "tendril"), "import", "--url", f"http://{self.server.ready['http']}", *words], cwd=folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(done.returncode, status, done.stderr)
                if status == 0:
                    self.assertIn("cables.usda:85: Mesh /World/floor", done.stderr)
                    with warnings.catch_warnings(record=True) as told:
                        warnings.simplefilter("always")
                        self.assertEqual(json.loads(done.stdout), self.python().import_robot(path))
                    self.assertTrue(any("/World/floor" in str(one.message) for one in told))
                else:
                    self.assertIn("usdcat --flatten", done.stderr)
            with self.assertRaisesRegex(ValueError, "usdcat --flatten"):
                self.python().import_robot(binary)

    def test_meshes_beside_a_description_come_along(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "arm", "meshes"))
            os.makedirs(os.path.join(folder, "arm", "urdf"))
            path = os.path.join(folder, "arm", "urdf", "arm.urdf")
            with open(os.path.join(folder, "arm", "meshes", "plate.obj"), "w", encoding="utf8") as file:
                file.write("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
            with open(path, "w", encoding="utf8") as file:
                file.write(text_of("arm6").replace("package://arm6/upper.dae", "package://arm/meshes/plate.obj"))
            done = subprocess.run([os.path.join(BIN, "tendril"), "import", "--url", f"http://{self.server.ready['http']}", path, "-o", "-"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertEqual(json.loads(done.stdout), self.python().import_robot(path))
            meshes = [shape for link in json.loads(done.stdout)["links"] for shape in link.get("view", []) if shape["type"] == "mesh"]
            self.assertEqual([(len(one["points"]), one["triangles"]) for one in meshes], [(4, [[0, 1, 2], [0, 2, 3]])])

    def test_the_python_client_says_the_same_over_both_faces(self):
        documents = []
        for grpc in (False, True):
            tendril = self.python(grpc)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                documents.append(tendril.import_urdf(path_of("arm7"), attach={"model": FINGER, "parent": "hand"}))
            self.assertTrue(all(isinstance(one.message, TendrilWarning) and one.filename == __file__ for one in told))
            self.assertTrue(any("mimic" in str(one.message) and "line 43" in str(one.message) for one in told), [str(one.message) for one in told])
            self.assertEqual(tendril.models.imported({"urdf": text_of("tree")})["remarks"], self.imported(urdf=text_of("tree"))["remarks"])
            with self.assertRaises(InvalidArgument) as refused:
                tendril.attach(documents[-1], FINGER, "hand")
            self.assertEqual(refused.exception.pointer, "/attach/0/model/links/0/name")
            self.assertEqual(len(tendril.attach(documents[-1], FINGER, "hand", prefix="b_")["links"]), len(documents[-1]["links"]) + 1)
            bare = self.imported(urdf=text_of("arm6"))["document"]
            self.assertEqual(tendril.attach(bare, FINGER, "tool0", prefix=""), tendril.attach(bare, FINGER, "tool0"))
        self.assertEqual(documents[0], documents[1])
        self.assertEqual(documents[0], self.imported(urdf=text_of("arm7"), attach=[{"model": FINGER, "parent": "hand"}])["document"])

    def test_the_command_writes_the_document_stores_it_and_says_what_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            def tendril(*words):
                return subprocess.run([os.path.join(BIN, "tendril"), "import", "--url", f"http://{self.server.ready['http']}", *words], cwd=folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            with open(os.path.join(folder, "finger.model.json"), "w", encoding="utf8") as file:
                json.dump(FINGER, file)
            done = tendril(path_of("arm6"))
            self.assertEqual((done.returncode, done.stdout), (0, "arm6.model.json: 6 coordinates, 6 input channels: pan, lift, elbow, roll, yaw, spin\n"), done.stderr)
            self.assertIn(f"{path_of('arm6')}:62: friction 0.25 of joint \"pan\"", done.stderr)
            done = tendril("arm6.model.json", "--attach", "finger.model.json", "--at", "tool0", "--xyz", "0.01 0.02 0.03", "--rpy", "0.3 -0.2 0.1", "--prefix", "f_", "-o", "-")
            pose = {"translation": [0.01, 0.02, 0.03], "rpy": [0.3, -0.2, 0.1]}
            self.assertEqual(json.loads(done.stdout), self.imported(urdf=text_of("arm6"), attach=[{"model": FINGER, "parent": "tool0", "prefix": "f_", "pose": pose}])["document"])
            done = tendril("arm6.model.json", "--attach", "finger.model.json", "--at", "tool0", "--prefix", "f_", "--attach", "finger.model.json", "--prefix", "g_",
                           "--at", "tool0", "--xyz", "0 0.1 0", "-o", "-")
            self.assertEqual(json.loads(done.stdout), self.imported(urdf=text_of("arm6"), attach=[
                {"model": FINGER, "parent": "tool0", "prefix": "f_"}, {"model": FINGER, "parent": "tool0", "prefix": "g_", "pose": {"translation": [0, 0.1, 0]}}])["document"])
            tendril("arm6.model.json", "--attach", "finger.model.json", "--at", "tool0", "--prefix", "f_", "-o", "made.model.json")
            with open(os.path.join(folder, "made.model.json"), encoding="utf8") as file:
                self.assertEqual(json.load(file)["name"], "made", "what is attached is called as the file of -o")
            os.remove(os.path.join(folder, "made.model.json"))
            tendril("arm6.model.json", "--attach", "finger.model.json", "--at", "tool0", "--prefix", "f_", "--put", "hand")
            self.assertEqual(self.server.request("GET", "/v1/models/hand").json()["document"]["name"], "hand")
            self.assertEqual(tendril(path_of("arm7"), "--put", "seven").returncode, 0)
            self.assertEqual(self.server.request("GET", "/v1/models/seven").json()["ndof"], 9)
            self.assertEqual(sorted(os.listdir(folder)), ["arm6.model.json", "finger.model.json"])
            for words, status, said in (((path_of("arm6"), "--attach", "finger.model.json"), 2, "--at LINK"), (("nothing.urdf",), 2, "nothing.urdf"),
                                        (("finger.model.json",), 2, "-o"), ((path_of("arm6"), "--base", "free"), 1, "line 5"),
                                        ((path_of("arm6"), "--attach", "finger.model.json", "--at", "tool0", "--xyz", "1 2"), 2, "three numbers"),
                                        ((path_of("arm6"), "--attach", "finger.model.json", "--at", "tool0", "--at", "pan"), 2, "--at is given twice"),
                                        ((path_of("arm6"), "--at", "tool0", "--attach", "finger.model.json", "--attach", "finger.model.json"), 2, "--at comes after"),
                                        ((path_of("arm6"), "--attach", "finger.model.json", "--attach", "finger.model.json", "--at", "tool0"), 2, "--at LINK"),
                                        ((path_of("arm6"), "--attach", "finger.model.json", "--at", "Tool0"), 1, 'did you mean "tool0"? the links are'),
                                        ((path_of("arm6"), "--attach", "finger.model.json", "--at", "pan"), 1, 'the joint of that name moves the link')):
                done = tendril(*words)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(said, done.stderr)

    def test_the_command_says_file_and_line_first_and_its_own_options(self):
        inertial = '<inertial><mass value="{}"/><inertia ixx="{}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        robot = """<robot name="r">
<link name="a">%s<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="b">%s</link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="1" velocity="2"/></joint>
</robot>"""
        def tendril(text, *words):
            with tempfile.TemporaryDirectory() as folder:
                for name, content in (("r.urdf", text), ("bad.model.json", '{"format": "tendril.model/1", "links": [\n{"nam": "x"}]}')):
                    with open(os.path.join(folder, name), "w", encoding="utf8") as file:
                        file.write(content)
                done = subprocess.run([os.path.join(BIN, "tendril"), "import", "--url", f"http://{self.server.ready['http']}", "r.urdf", "-o", "-", *words], cwd=folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
                return done.stdout, done.stderr.splitlines()
        good = robot % (inertial.format(1, 1), inertial.format(1, 1))
        document, said = tendril(good, "--base", "free")
        self.assertEqual(len(said), 3, said)
        self.assertTrue(said[0].startswith('r.urdf:2: <collision> of link "a": becomes the `collision` of its body'), said)
        self.assertTrue(any(line.startswith("r.urdf:4: [-1, 1] of joint") and line.endswith("none: --stops none") for line in said), said)
        self.assertTrue(any(line.startswith('r.urdf:4: effort="1" in <limit> of joint "j", and 1 more (also at 4)') for line in said), said)
        self.assertNotIn("contacts", json.loads(document))
        contact, = json.loads(tendril(good, "--base", "free", "--ground")[0])["contacts"]
        self.assertEqual({key: contact[key] for key in ("type", "links", "stiffness")}, {"type": "plane", "links": ["a"], "stiffness": 6e5})  # 2 kg
        self.assertIn("--ground: nothing of the robot can touch it", tendril(good.replace("collision", "gazebo"), "--ground")[1][-1])
        self.assertIn('tendril: r.urdf:2: <mass> of link "a": value="2,5"', tendril(robot % (inertial.format("2,5", 1), ""))[1][0])
        self.assertIn("--inertia nearest takes", tendril(robot % (inertial.format(1, 9), ""))[1][0])
        self.assertEqual(tendril(good, "--actuators", "foo")[1], ['tendril: --actuators: "foo" is none of: force, position, none'])
        said = tendril(good, "--attach", "bad.model.json", "--at", "b")[1]
        self.assertIn("bad.model.json:2:", said[1])


if __name__ == "__main__":
    main()
