"""Sixty-six mistakes that are easily made, each in a document that is right otherwise: a unit, a sign, an axis, a thing counted twice."""
import copy
import json
import os
import subprocess
import tempfile

from harness import BIN, example, pendulum

R, L = 0.01, 0.25  # of the arm, m


def arm(**changes):
    """Silicone, clamped and hanging, with two tendons."""
    rod = {"type": "rod", "length": L, "section": {"shape": "circle", "radius": R},
           "material": {"young": 1e6, "poisson": 0.49, "density": 1070, "viscosity": 1e4},
           "strain": {"basis": "legendre", "order": {"bending_y": 3, "bending_z": 3, "elongation": 1}}}
    tip = {"name": "tip", "parent": "arm", "joint": {"type": "fixed"}, "body": {"type": "rigid", "mass": 0.05, "com": [0, 0, 0], "inertia": [1e-5] * 3}}
    cables = [{"name": name, "type": "tendon", "link": "arm", "routing": {"type": "linear", "base": [0, side]}} for name, side in (("up", 0.008), ("down", -0.008))]
    return {"format": "tendril.model/1", "name": "arm", "gravity": [0, 0, -9.81],
            "links": [{"name": "arm", "pose": {"rpy": [0, 1.5707963267948966, 0]}, "joint": {"type": "fixed"}, "body": rod}, tip],
            "actuators": cables, **changes}


def steel():
    """A cantilever."""
    model = arm()
    model["links"][0]["body"].update(length=0.5, section={"shape": "circle", "radius": 0.002}, strain={"basis": "legendre", "order": {"bending_y": 3}},
                                     material={"young": 2.1e11, "poisson": 0.3, "density": 7800, "viscosity": 1e8})
    return {**model, "links": model["links"][:1], "actuators": []}


def worm():
    """It lies free on a floor."""
    model = arm()
    model["links"] = [{**model["links"][0], "pose": {"translation": [0, 0, 0.0101]}, "joint": {"type": "free"}}]
    model["links"][0]["body"]["strain"]["order"] = {"bending_y": 3, "bending_z": 3, "torsion": 1}
    return {**model, "contacts": [{"type": "plane", "stiffness": 1e5}]}


def fish():
    model = arm(fluid={"density": 1000, "viscosity": 1e-3})
    model["links"] = model["links"][:1]
    model["links"][0]["body"]["hydrodynamics"] = {"cd_y": 1, "cd_z": 1, "added_y": 1, "added_z": 1}
    return model


def crank():
    model = pendulum(name="crank")
    model["actuators"][0]["mode"] = "position"
    return model


def beam():
    """A rod by its numbers: a tube of glass fibre."""
    model = steel()
    model["links"][0]["body"].update(length=1, section={"shape": "stiffness", "EI_y": 8, "EI_z": 8, "GJ": 3, "EA": 1e6, "mass_per_length": 0.06,
                                     "inertia_per_length": [1e-6, 5e-7, 5e-7]}, strain={"basis": "legendre", "order": {"bending_y": 3, "bending_z": 3}})
    del model["links"][0]["body"]["material"]
    return model


def bellows():
    return example("vpcc-pneumatic.model.json")


def two_arms():
    """The second stands on a carriage that the first hangs from."""
    model = arm(actuators=[])
    arms = [{**model["links"][0], "name": name, "parent": "carriage"} for name in ("left", "right")]
    carriage = {"name": "carriage", "joint": {"type": "prismatic", "axis": "x", "damping": 1}, "body": {"type": "rigid", "mass": 1, "com": [0, 0, 0], "inertia": [1e-3] * 3}}
    arms[1]["pose"] = {**arms[1]["pose"], "translation": [0, 0.05, 0]}
    return {**model, "links": [carriage, *arms]}


def sprung():
    """A mass of 2 kg on a slider hangs on a spring of 1000 N/m."""
    model = pendulum(name="sprung", actuators=[])
    model["links"][0]["joint"] = {"type": "prismatic", "axis": "z"}
    anchor = {"link": "world", "pose": {"translation": [0, 0, 0.2]}}
    return {**model, "springs": [{"a": anchor, "b": {"link": "arm"}, "stiffness": 1000, "rest": 0.2}]}


def run(model, **members):
    return {"model": model["name"], "kind": "dynamics", "t_end": 2, "output": {"dt": 0.01}, **members}


def statics(model, **inputs):
    return {"model": model["name"], "kind": "statics", "inputs": inputs}


BODY, TIP = ("links", 0, "body"), ("links", 1, "body")
MATERIAL, SECTION = (*BODY, "material"), (*BODY, "section")
SINE = {"type": "sine", "amplitude": 0.5, "frequency": 1}
MISTAKES = [  # what was done, the robot, {path: value} of the model, the job as a function of the model (None: the model alone)
    ("gravity in mm/s^2", arm, {("gravity",): [0, 0, -9810]}, None),
    ("gravity in ft/s^2", arm, {("gravity",): [0, 0, -32.2]}, None),
    ("gravity in units of g", arm, {("gravity",): [0, 0, -1]}, None),
    ("the sign of gravity, above a floor", worm, {("gravity",): [0, 0, 9.81]}, None),
    ("the axis of gravity, above a floor", worm, {("gravity",): [0, -9.81, 0]}, None),
    ("a length in mm", arm, {(*BODY, "length"): 250}, None),
    ("a length in cm", arm, {(*BODY, "length"): 25}, None),
    ("a radius in mm", arm, {(*SECTION, "radius"): 10}, None),
    ("a radius in cm", arm, {(*SECTION, "radius"): 1}, None),
    ("length and radius in mm", arm, {(*BODY, "length"): 250, (*SECTION, "radius"): 10}, None),
    ("length and radius in cm", arm, {(*BODY, "length"): 25, (*SECTION, "radius"): 1}, None),
    ("a diameter for a radius", arm, {(*SECTION, "radius"): 0.02}, None),
    ("half a radius", arm, {(*SECTION, "radius"): 0.005}, None),
    ("young in MPa", arm, {(*MATERIAL, "young"): 1}, None),
    ("young in kPa", arm, {(*MATERIAL, "young"): 1000}, None),
    ("young of steel in GPa", steel, {(*MATERIAL, "young"): 210}, None),
    ("young of steel in MPa", steel, {(*MATERIAL, "young"): 2.1e5}, None),
    ("young of steel in kPa", steel, {(*MATERIAL, "young"): 2.1e8}, None),
    ("density in g/cm^3", arm, {(*MATERIAL, "density"): 1.07}, None),
    ("density of steel in t/m^3", steel, {(*MATERIAL, "density"): 7.8}, None),
    ("viscosity as a damping ratio", arm, {(*MATERIAL, "viscosity"): 0.05}, None),
    ("viscosity in kPa s", arm, {(*MATERIAL, "viscosity"): 10}, None),
    ("poisson in percent", arm, {(*MATERIAL, "poisson"): 49}, None),
    ("rpy in degrees", arm, {("links", 0, "pose", "rpy"): [0, 90, 0]}, None),
    ("q in degrees", crank, {("actuators", 0, "mode"): "force"}, lambda m: run(m, initial={"q": [30]})),
    ("a few degrees of q", crank, {("actuators", 0, "mode"): "force"}, lambda m: run(m, initial={"q": [10]})),
    ("a swing in degrees", crank, {}, lambda m: run(m, inputs={"motor": {**SINE, "amplitude": 45}})),
    ("a rest in degrees", crank, {("links", 0, "joint"): {"type": "revolute", "axis": "y", "stiffness": 1, "rest": 45}}, None),
    ("reference curvature in degrees/m", arm, {(*BODY, "strain", "reference"): [0, 90, 0, 1, 0, 0]}, None),
    ("a closed ring of degrees/m", steel, {(*BODY, "strain", "reference"): [0, 45, 0, 1, 0, 0]}, None),
    ("a phase in degrees", arm, {}, lambda m: run(m, inputs={"up": {**SINE, "offset": 1, "phase": 90}})),
    ("rad/s for Hz", crank, {}, lambda m: run(m, inputs={"motor": {**SINE, "frequency": 62.8}})),
    ("a tip of 50 g in kg", arm, {(*TIP, "mass"): 50}, None),
    ("a tip of 20 g in kg", arm, {(*TIP, "mass"): 20}, None),
    ("inertia in kg mm^2", crank, {(*BODY, "inertia"): [1e5, 1e5, 1e4]}, None),
    ("inertia in g cm^2", crank, {(*BODY, "inertia"): [1e6, 1e6, 1e5]}, None),
    ("the tip's weight twice", arm, {("loads",): [{"link": "arm", "wrench": [0, 0, 0, 0, 0, -0.05 * 9.81]}]}, None),
    ("the rod's weight twice", arm, {("loads",): [{"link": "arm", "per_length": True, "wrench": [0, 0, 0, 0, 0, -3.2976]}]}, None),
    ("two tendons on one path", arm, {("actuators", 1, "routing", "base"): [0, 0.008]}, None),
    ("one load twice", arm, {("loads",): [{"link": "tip", "wrench": [0, 0, 0, 0.1, 0, 0]}] * 2}, None),
    ("the rod's length once more", arm, {("links", 1, "pose"): {"translation": [L, 0, 0]}}, None),
    ("a tension in mN", arm, {}, lambda m: statics(m, up=[0, 5000])),
    ("a tension in gram-force", arm, {}, lambda m: statics(m, up=[0, 300])),
    ("tension and pull mixed up", arm, {}, lambda m: statics(m, up=[0, -5])),
    ("a tendon in mm", arm, {("actuators", 0, "routing", "base"): [0, 8]}, None),
    ("y and z of a tendon", arm, {(*BODY, "strain", "order"): {"bending_y": 3}, ("actuators", 0, "routing", "base"): [0.008, 0]}, None),
    ("force and moment swapped", arm, {("loads",): [{"link": "tip", "wrench": [0, -2, 0, 0, 0, 0]}]}, None),
    ("a moment in N mm", arm, {("loads",): [{"link": "arm", "wrench": [0, 50, 0, 0, 0, 0]}]}, None),
    ("t_end in ms", arm, {}, lambda m: run(m, t_end=2000, output={"dt": 10})),
    ("dt in ms", arm, {}, lambda m: run(m, output={"dt": 10})),
    ("knots in ms", arm, {}, lambda m: run(m, inputs={"up": {"type": "ramp", "t": [0, 1000], "value": [0, 2]}})),
    ("stiffness of a floor in N/mm", worm, {("contacts", 0, "stiffness"): 1}, None),
    ("a floor upside down", worm, {("contacts", 0, "axis"): "-z"}, lambda m: run(m)),
    ("a ball's radius in mm", arm, {("contacts",): [{"type": "sphere", "radius": 50, "stiffness": 1e5, "pose": {"translation": [50.1, 0, -0.2]}}]}, None),
    ("a fluid in g/cm^3", fish, {("fluid", "density"): 1}, None),
    ("EI in N mm^2", beam, {(*SECTION, "EI_y"): 8e6, (*SECTION, "EI_z"): 8e6}, None),
    ("mass per length in g/m", beam, {(*SECTION, "mass_per_length"): 60}, None),
    ("a pressure in kPa", bellows, {}, lambda m: statics(m, **{next(iter(example("vpcc-pneumatic.job.json")["inputs"])): [0, 20]})),
    ("a spring in N/mm", sprung, {("springs", 0, "stiffness"): 1}, None),
    ("a pressure in mPa", bellows, {}, lambda m: statics(m, **{next(iter(example("vpcc-pneumatic.job.json")["inputs"])): [0, 2e7]})),
    ("a tool in grams, its inertia in kg m^2", arm, {(*TIP, "mass"): 5, (*TIP, "inertia"): [1e-7] * 3}, None),
    ("a link's pose in mm", two_arms, {("links", 1, "pose", "translation"): [0, 0, 50]}, None),
    ("a fluid's viscosity in mPa s", fish, {("fluid", "viscosity"): 1000}, None),
    ("a reduced body's length in mm", bellows, {(*BODY, "length"): 120}, None),
    ("a damping time in ms", bellows, {(*BODY, "damping_time"): 80}, None),
    ("deg/s for rad/s", crank, {("actuators", 0, "mode"): "force"}, lambda m: run(m, initial={"q": [0], "qd": [720]})),
]
SILENT = {  # nothing in the documents tells them: each may be meant
    "a diameter for a radius", "viscosity in kPa s", "a few degrees of q", "t_end in ms", "a pressure in kPa"}
RIGHT = (arm, steel, worm, fish, crank, beam, bellows, two_arms, sprung)


def changed(model, changes):
    model = copy.deepcopy(model)
    for path, value in changes.items():
        at = model
        for key in path[:-1]:
            at = at.setdefault(key, {}) if isinstance(at, dict) else at[key]
        at[path[-1]] = value
    return model


def said_of(documents):
    """[(what the documents' check says: codes of errors and warnings)] of (model, job or None), by one call."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, (model, job) in enumerate(documents):
            model = {**model, "name": f"robot{i}"}
            for kind, document in (("model", model), ("job", job and {**job, "model": f"robot{i}"})):
                if document:
                    paths.append((i, os.path.join(folder, f"robot{i}.{kind}.json")))
                    with open(paths[-1][1], "w", encoding="utf-8") as file:
                        json.dump(document, file)
        out = subprocess.run([os.path.join(BIN, "tendril-worker"), "--validate", "--json", *(path for _, path in paths)], capture_output=True, text=True, check=False)
    said = [[] for _ in documents]
    for (i, _), found in zip(paths, json.loads(out.stdout)["files"]):
        said[i] += [(w["code"], w["pointer"]) for w in found["errors"] + found["warnings"]]
    return said


def said_of_mistakes():
    """{mistake: what was said of it}"""
    documents = []
    for _, robot, changes, job in MISTAKES:
        model = changed(robot(), changes)
        documents.append((model, job and job(model)))
    return dict(zip((what for what, *_ in MISTAKES), said_of(documents)))


def right_ones():
    """{what: (model, job)} of robots that are right, and near to what is warned of."""
    def with_arm(changes, job=None, robot=arm):
        model = changed(robot(), changes)
        return model, job and job(model)

    sideways = {"links": [{**worm()["links"][0], "joint": {"type": "prismatic", "axis": "x"}}]}
    helix = {(*BODY, "strain", "reference"): [3, 60, 0, 1, 0, 0], (*SECTION, "radius"): 0.001, ("actuators",): []}
    rig = {"type": "prismatic", "axis": "x"}
    return {
        "a payload that is a force": with_arm({("loads",): [{"link": "arm", "wrench": [0, 0, 0, 0, 0, -1]}]}),
        "a lift that carries the tip": with_arm({("loads",): [{"link": "tip", "wrench": [0, 0, 0, 0, 0, 0.05 * 9.81]}]}),
        "two loads apart": with_arm({("loads",): [{"link": "arm", "at": at, "wrench": [0, 0, 0, 0.1, 0, 0]} for at in (0.5, 1)]}),
        "a tendon and its antagonist": with_arm({}),
        "a point mass at the tip": with_arm({(*TIP, "mass"): 0.2, (*TIP, "inertia"): [0, 0, 0]}),
        "a point mass with a trace of inertia": with_arm({(*TIP, "mass"): 0.2, (*TIP, "inertia"): [1e-9] * 3}),
        "a ball of tungsten": with_arm({(*TIP, "mass"): 0.3, (*TIP, "inertia"): [8.1e-6] * 3}),
        "in the thickest silicone oil": with_arm({("fluid",): {"density": 970, "viscosity": 970}}, robot=fish),
        "a slow foam": with_arm({(*BODY, "damping_time"): 10}, robot=bellows),
        "two arms on a gantry": with_arm({("links", 1, "pose", "translation"): [0, 12, 0]}, robot=two_arms),
        "a pressure of a modulus": with_arm({}, lambda m: statics(m, **{next(iter(example("vpcc-pneumatic.job.json")["inputs"])): [0, 2e5]}), bellows),
        "a tool beyond the tip": with_arm({("links", 1, "pose"): {"translation": [0.03, 0, 0]}}),
        "a link at the base": with_arm({("links", 1, "at"): 0, ("links", 1, "pose"): {"translation": [L, 0, 0]}}),
        "on the Moon": with_arm({("gravity",): [0, 0, -1.62]}),
        "without gravity between walls": with_arm({("gravity",): [0, 0, 0]}, robot=worm),
        "on a slope": with_arm({("contacts", 0, "axis"): [0.5, 0, 0.87]}, robot=worm),
        "under a ceiling on rails": ({**worm(), **sideways, "contacts": [{"type": "plane", "stiffness": 1e5, "axis": "-z", "pose": {"translation": [0, 0, 1]}}]}, None),
        "beside a wide drum": with_arm({("contacts",): [{"type": "cylinder_exterior", "radius": 3, "stiffness": 1e5, "axis": "y", "pose": {"translation": [3.5, 0, 0]}}]}),
        "a gripper on the softest silicone": with_arm({(*MATERIAL, "young"): 6e4, (*TIP, "mass"): 0.3, (*SECTION, "radius"): 0.02}),
        "much gel": with_arm({(*MATERIAL, "young"): 6e3, (*TIP, "mass"): 1e-3, (*SECTION, "radius"): 0.03, (*BODY, "length"): 0.4}),
        "a helical spring": with_arm(helix, robot=steel),
        "an arc of three quarters": with_arm({(*BODY, "strain", "reference"): [0, 9.4, 0, 1, 0, 0]}, robot=steel),
        "lead wire": with_arm({(*MATERIAL, "young"): 16e9, (*MATERIAL, "density"): 11340}, robot=steel),
        "in silicone oil": with_arm({("fluid",): {"density": 970, "viscosity": 1}}, robot=fish),
        "in air": with_arm({("fluid",): {"density": 1.2, "viscosity": 1.8e-5}}, robot=fish),
        "in seawater": with_arm({("fluid", "density"): 1025}, robot=fish),
        "a mass on a bungee": with_arm({("springs", 0, "stiffness"): 15}, robot=sprung),
        "shaken at 100 Hz by 1 mm": with_arm({("links", 0, "joint"): rig}, lambda m: run(m, inputs={"motor": {"type": "sine", "amplitude": 1e-3, "frequency": 100}}), crank),
        "swung at 2 Hz": with_arm({}, lambda m: run(m, inputs={"motor": {**SINE, "frequency": 2}}), crank),
        "a rotor at 3000 rpm": with_arm({("actuators", 0, "mode"): "force"}, lambda m: run(m, initial={"q": [0], "qd": [314]}), crank),
        "a tension that curls the arm": with_arm({}, lambda m: statics(m, up=[0, 4])),
        "a moment that rolls the arm up once": with_arm({("loads",): [{"link": "arm", "wrench": [0, 0.19, 0, 0, 0, 0]}]}),
    }


if __name__ == "__main__":
    all_said = said_of_mistakes()
    for what, said in all_said.items():
        print(f"{what:40s}", ", ".join(sorted({code for code, _ in said})) or "-")
    print(sum(map(bool, all_said.values())), "of", len(all_said))
    for name, said in zip(right_ones(), said_of(right_ones().values())):
        if said:
            print("right:", name, said)
