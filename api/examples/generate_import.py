"""generate_import.py: writes a soft finger and the jobs of the arms that carry two of them beside this file; with --check it only says
whether they stand there as they would be written. The arms themselves, `desk-arm-hand` and `reach-arm-hand`, are what a server makes of
`desk-arm.urdf`, `reach-arm.urdf` and the finger: generate_import.py --url http://127.0.0.1:8080 asks it
(tests/integration/test_import.py compares)."""
import json
import sys
import urllib.request

import generate
from generate_continuum import FIXED, rod

PI = generate.PI
REACH = {"turn": 0.6, "lift": 0.5, "twist": -0.3, "bend": -1.9, "roll": 0.2, "nod": 2.3, "spin": 0.8}  # rad, from straight up
PLACE = {"pan": 0.9, "lift": 0.5, "elbow": 1.3, "roll": 0.6, "pitch": 1.1, "spin": -0.8}  # rad, from straight up
T_END = 3


def soft_finger():
    body = rod(0.12, {"shape": "circle", "radius": [0.011, 0.007]}, {"young": 4e5, "poisson": 0.45, "density": 1070, "viscosity": 3000},
               {"bending_y": 3, "bending_z": 3}, points=8)
    links = [generate.link("finger", "world", {"rpy": [0, round(-PI / 2, 12), 0]}, FIXED, body)]
    actuators = [{"name": "cable", "type": "tendon", "link": "finger", "routing": {"type": "linear", "base": [0.009, 0], "tip": [0.005, 0]}}]
    text = "A finger of silicone that stands upright and curls by a cable on its inner side; `desk-arm-hand` has two of them. In the job equilibria at rising tensions."
    return generate.model("soft-finger", text, links, actuators=actuators)


def soft_finger_job():
    return {"model": "soft-finger", "kind": "statics", "inputs": {"cable": [round(0.25 * k, 2) for k in range(17)]},
            "output": {"fields": ["q", "u", "tendons", "poses:finger"]}, "labels": {"example": "soft-finger"}}


SIDES = {"left": {"translation": [0, -0.035, 0]}, "right": {"translation": [0, 0.035, 0], "rpy": [0, 0, round(PI, 12)]}}
DESK = "An arm that came as a URDF (desk-arm.urdf), with a soft finger attached twice at its flange. In the job its joints follow their inputs from straight up to a place on the desk, while the fingers close by their cables."
WIDE = "An arm of seven joints that came as a URDF (reach-arm.urdf) with what is drawn of it, and a soft finger attached twice at its flange. In the job its joints follow their inputs from straight up to a place before it, hand down, while the fingers close by their cables."


def request(arm="desk-arm", text=DESK):
    """The import: an arm whose joints follow their inputs, and two fingers that face each other at its flange."""
    with open(generate.FOLDER / f"{arm}.urdf", encoding="utf8") as file:
        urdf = file.read()
    finger = soft_finger()
    return {"urdf": urdf, "name": f"{arm}-hand", "description": text, "actuators": "position", "stops": "none",  # its joints follow their inputs: stops would never be met
            "attach": [{"model": finger, "parent": "tool0", "prefix": f"{side}_", "pose": pose} for side, pose in SIDES.items()]}


def desk_arm_hand():
    """As it stands here: a server made it."""
    return generate.read("desk-arm-hand.model.json")


def reach_arm_hand():
    """As it stands here: a server made it."""
    return generate.read("reach-arm-hand.model.json")


def hand_job(name, place, bodies):
    def reach(angle):  # angle (10 s^3 - 15 s^4 + 6 s^5), s = t / T_END: at rest at both ends
        return {"type": "polynomial", "coefficients": [0, 0, 0] + [round(angle * c / T_END**k, 9) for k, c in ((3, 10), (4, -15), (5, 6))]}

    close = {"type": "ramp", "t": [1, 2.5], "value": [0, 1.4]}
    return {"model": name, "kind": "dynamics", "t_end": T_END,
            "inputs": {**{joint: reach(angle) for joint, angle in place.items()}, "left_cable": close, "right_cable": close},
            "output": {"dt": 0.02, "fields": ["q", "qd", "u", "lambda", "energy", "tendons"] + [f"poses:{body}" for body in bodies]},
            "labels": {"example": name}}


def desk_arm_hand_job():
    return hand_job("desk-arm-hand", PLACE, ["base_link", "shoulder", "upper_arm", "forearm", "wrist_roll", "wrist_pitch", "flange", "left_finger", "right_finger"])


def reach_arm_hand_job():
    return hand_job("reach-arm-hand", REACH, ["pedestal", "turret", "shoulder", "upper_arm", "elbow", "forearm", "wrist", "flange", "left_finger", "right_finger"])


def ask(url):
    """Writes the models of the arms as the server at `url` makes them."""
    for body in (request(), request("reach-arm", WIDE)):
        post = urllib.request.Request(f"{url}/v1/models:import", json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(post) as reply:
            document = json.load(reply)["document"]
        (generate.FOLDER / f"{body['name']}.model.json").write_text(generate.text(document) + "\n")


DOCUMENTS = {"soft-finger": (soft_finger, soft_finger_job), "desk-arm-hand": (desk_arm_hand, desk_arm_hand_job),
             "reach-arm-hand": (reach_arm_hand, reach_arm_hand_job)}

if __name__ == "__main__":
    generate.DOCUMENTS = DOCUMENTS
    if "--url" in sys.argv:
        ask(sys.argv[sys.argv.index("--url") + 1])
    sys.exit(generate.main("--check" in sys.argv[1:]))
