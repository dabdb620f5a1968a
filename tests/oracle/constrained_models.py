"""Robots with loops, prescribed joints, contact and water, whose reference values generate.py writes: every loop joint and axis,
ends on rods, rigid links and the world, dependent rows, every obstacle, every hydrodynamic coefficient, and all of it mixed."""

from models import FULL_INERTIA, SOFT, STIFF, TILT, TURN, joint, linear, link, mass, model, rod, tendon

BEND = {"bending_y": 1, "bending_z": 1, "elongation": 0}
PLANAR = {"bending_y": 2, "elongation": 0, "shear_z": 0}
THIN = {"shape": "circle", "radius": [0.015, 0.01]}
NEAR = {"translation": [0.5, 0.1, 0.2], "rpy": [0.4, -0.6, 0.9]}
FAR = {"translation": [0.5, 0.1, 0.2], "rpy": [-1.6, -0.6, 0.9]}
SKEW = {"translation": [0.03, -0.04, 0.02], "rpy": [-0.5, 0.3, 0.8]}
FULL_DRAG = [[0.5, 0.1, 0, 0.2, -0.1, 0], [0, 0.4, 0.1, 0, 0.3, 0.1], [0.05, 0, 0.6, 0, 0, 0.2],
             [0.1, 0.2, 0, 9, 1, -0.5], [0, -0.3, 0.1, 0.7, 12, 1.5], [0.3, 0, 0, -0.2, 0.4, 8]]
FULL_ADDED = [[0.02, 0.004, -0.003, 0.05, -0.02, 0.01], [0.004, 0.03, 0.002, 0.01, 0.04, -0.03], [-0.003, 0.002, 0.025, -0.02, 0, 0.03],
              [0.05, 0.01, -0.02, 1.2, 0.1, -0.2], [-0.02, 0.04, 0, 0.1, 0.9, 0.15], [0.01, -0.03, 0.03, -0.2, 0.15, 1.5]]
WET = {"cd_x": 0.2, "cd_y": 1.1, "cd_z": 0.9, "cl_x": -0.1, "cl_y": 0.15, "cl_z": 0.25, "added_y": 0.6, "added_z": 0.8}
WATER = {"density": 1000}


def end(where, pose=None, at=None):
    return {"link": where, **({"at": at} if at is not None else {}), **({"pose": pose} if pose else {})}


def loop(kind, a, b, axis=None, **more):
    return {"joint": joint(kind, axis, **more), "a": a, "b": b}


def position(where, name=None):
    return {"name": name or f"drive_{where}", "type": "joint", "link": where, "mode": "position"}


def force(where):
    return {"name": f"motor_{where}", "type": "joint", "link": where, "mode": "force"}


def chain(*last):
    """A turning base, a soft arm, a wrist: ten coordinates."""
    return [link("base", mass(1.2, inertia=FULL_INERTIA), joint("revolute", [0.2, 1, 0.4], damping=0.1), pose=TILT),
            link("arm", rod(BEND), joint("revolute", "y"), "base", TURN), link("wrist", mass(0.4), joint("spherical"), "arm", SKEW), *last]


def pair():
    """Two arms side by side from the world, a hand on the first."""
    return [link("left", rod(BEND), joint("revolute", "z"), pose=TILT), link("hand", mass(0.3), joint("universal", "x"), "left", TURN),
            link("right", rod({"torsion": 1, "bending_z": 1}, material=STIFF, length=0.3), joint("spherical", damping=0.02), pose=NEAR)]


def loop_revolute():
    return model("loop_revolute", chain(), loops=[loop("revolute", end("wrist", SKEW), end("world", FAR), "y")])


def loop_fixed():
    return model("loop_fixed", chain(link("tail", rod({"bending_z": 1, "torsion": 0}, section=THIN), parent="wrist", pose=TURN)),
                 loops=[loop("fixed", end("tail", SKEW, 0.7), end("world", NEAR))], actuators=[tendon("cable", "arm", linear(0.01, 0.006))])


def loop_with_lines():
    """A loop and a prescribed joint beside a pulled length with friction and springs."""
    return model("loop_with_lines", [*pair(), link("claw", mass(0.2), joint("revolute", "x"), "right", TURN)],
                 loops=[loop("spherical", end("hand"), end("right", SKEW, 0.6))],
                 actuators=[{**tendon("wire", "left", linear(0.01, 0.006)), "mode": "length", "stiffness": 500, "slack_width": 0.02, "damping": 2,
                             "friction": 0.3, "slip_speed": 0.05}, position("claw")],
                 springs=[{"a": end("left", SKEW, 0.4), "b": end("claw"), "stiffness": 30, "damping": 0.5, "channel": "draw"}])


def loop_prismatic():
    return model("loop_prismatic", chain(), loops=[loop("prismatic", end("world", NEAR), end("wrist", SKEW), "x")])


def loop_helical():
    return model("loop_helical", chain(link("tail", rod({"bending_z": 1, "torsion": 0}, section=THIN), parent="wrist")),
                 loops=[loop("helical", end("tail", SKEW), end("world", NEAR), "x", pitch=0.07),
                        loop("helical", end("arm", TURN, 0.35), end("world"), "z", pitch=-0.2)])


def loop_cylindrical():
    return model("loop_cylindrical", chain(), loops=[loop("cylindrical", end("wrist", TURN), end("base", NEAR), "y")])


def loop_universal():
    return model("loop_universal", chain(), loops=[loop("universal", end("wrist"), end("world", NEAR), "x")])


def loop_universal_planar():
    return model("loop_universal_planar", pair(), loops=[loop("universal", end("hand"), end("right", SKEW), "y"),
                                                         loop("planar", end("left", TURN, 0.5), end("world", SKEW), "z")])


def loop_planar():
    return model("loop_planar", chain(), loops=[loop("planar", end("wrist", SKEW), end("world", NEAR), "x")])


def loop_spherical():
    return model("loop_spherical", chain(), loops=[loop("spherical", end("wrist", TURN), end("arm", TILT, 0.25))])


def loop_axes():
    """The axes the others leave out, on ends along rods."""
    return model("loop_axes", pair(), loops=[
        loop("prismatic", end("hand", TURN), end("right", TILT, 0.4), "z"), loop("revolute", end("left", SKEW, 0.8), end("right", at=1), "x")])


def loops_to_the_world():
    return model("loops_to_the_world", chain(link("second", rod(BEND, section=THIN), parent="base", pose=NEAR)),
                 loops=[loop("spherical", end("wrist", SKEW), end("world", FAR)),
                        loop("cylindrical", end("second", TURN), end("world", {"translation": [0.1, 0.6, -0.1], "rpy": [0, 0.7, 0.2]}), "z")])


def loop_of_two_roots():
    """A rod carried by two vehicles: the loop alone joins them."""
    return model("loop_of_two_roots", [
        link("one", mass(2, inertia=FULL_INERTIA), joint("free")), link("cord", rod({"bending_y": 1, "torsion": 0}, section=THIN), parent="one", pose=TURN),
        link("two", mass(1.5), joint("free", damping=0.3), "world", NEAR)],
        loops=[loop("cylindrical", end("cord", SKEW), end("two", TURN), "x")], actuators=[force("two")])


def _rigid_four_bar(extra=()):
    bar = lambda name, parent, pose, length: link(name, mass(0.3, (length / 2, 0, 0)), joint("revolute", "z", damping=0.01), parent, pose)
    return [bar("crank", "world", TILT, 0.2), bar("coupler", "crank", {"translation": [0.2, 0, 0]}, 0.4),
            bar("rocker", "coupler", {"translation": [0.4, 0, 0]}, 0.3), *extra]


def loop_with_idle_rows():
    """A plane mechanism in a tilted plane: revolute about its normal, 5 rows of rank 2."""
    return model("loop_with_idle_rows", _rigid_four_bar(),
                 loops=[loop("revolute", end("rocker", {"translation": [0.3, 0, 0]}),
                             end("crank", {"translation": [-0.1, 0.15, 0]}), "z")], actuators=[force("crank")])


def loop_with_dependent_rows():
    """Planar rods closed by a fixed joint in a skew frame: 6 rows of rank 3, none of them zero."""
    flat = lambda name, parent, pose: link(name, rod(PLANAR, section=THIN), joint("revolute", "y", stiffness=0.1), parent, pose)
    return model("loop_with_dependent_rows", [
        link("mount", mass(0.4), joint("revolute", "y"), "world"), flat("first", "mount", {"translation": [0.1, 0, 0.05]}),
        flat("second", "first", {"rpy": [0, 1.2, 0]})],
        gravity=(2.0, 0, -9.81), loops=[loop("fixed", end("second", SKEW), end("mount", {**SKEW, "translation": [0.1, -0.04, 0.3]}))])


def loop_twice():
    return model("loop_twice", chain(), loops=[loop("spherical", end("wrist", SKEW), end("world", FAR)),
                                               loop("cylindrical", end("wrist", SKEW), end("world", FAR), "y"),
                                               loop("spherical", end("wrist", SKEW), end("world", FAR))])


def prescribed_hinges():
    links = chain(link("finger", rod({"bending_y": 1, "torsion": 0}, section=THIN), joint("revolute", "x"), "wrist", TURN))
    return model("prescribed_hinges", links, actuators=[position("arm"), tendon("cable", "arm", linear(0.01, 0.006)), force("wrist"), position("finger")],
                 loads=[{"name": "push", "link": "finger", "at": 0.6, "frame": "body", "channels": [None, "push_m", None, None, "push_f", None]}])


def prescribed_base():
    return model("prescribed_base", [
        link("ship", mass(3, inertia=FULL_INERTIA), joint("free", damping=0.2), pose=TILT), link("mast", rod(BEND), parent="ship", pose=TURN),
        link("flag", mass(0.2), joint("spherical", stiffness=0.4), "mast", SKEW)], actuators=[position("flag"), position("ship")])


def prescribed_everything():
    return model("prescribed_everything", [link("a", mass(1.1), joint("cylindrical", "x", damping=0.3), pose=TILT),
                                           link("b", mass(0.7, inertia=FULL_INERTIA), joint("planar", "y", stiffness=2), "a", TURN)],
                 actuators=[position("b"), position("a")])


def prescribed_in_a_loop():
    return model("prescribed_in_a_loop", chain(link("slide", mass(0.2), joint("prismatic", [1, 0, 2]), "base", SKEW)),
                 actuators=[position("slide"), position("base")], loops=[loop("revolute", end("wrist", TURN), end("slide", NEAR), "z")])


def prescribed_idle_loop():
    """Slider and crank in a tilted plane, the slider driven: rows of rank 2 beside a prescribed joint."""
    return model("prescribed_idle_loop", _rigid_four_bar([link("slider", mass(0.2), joint("prismatic", "x"), "world", TILT)]),
                 actuators=[position("slider", "feed")],
                 loops=[loop("revolute", end("rocker", {"translation": [0.3, 0, 0]}), end("slider", {"translation": [0.3, 0.2, 0]}), "z")])


def contact_pipe():
    pipe = {"type": "cylinder_interior", "radius": 0.12, "stiffness": 3e3, "exponent": 1.5, "axis": [0.2, 1, 0.1], "pose": SKEW, "links": ["arm"]}
    return model("contact_pipe", [link("arm", rod({**BEND, "torsion": 0}), joint("revolute", "x"), pose=TILT),
                                  link("free", rod({"bending_y": 0}, section=THIN), parent="arm", pose=TURN)], contacts=[pipe])


def contact_pole():
    pole = {"name": "pole", "type": "cylinder_exterior", "radius": 0.25, "stiffness": 800, "exponent": 1, "axis": "x", "pose": SKEW}
    section = {"shape": "rectangle", "height": [0.05, 0.03], "width": 0.02}
    return model("contact_pole", [link("arm", rod(BEND, section=section), joint("spherical"), pose=TILT), link("bob", mass(0.2), parent="arm")],
                 contacts=[pole], actuators=[tendon("cable", "arm", linear(0.01, 0.006))])


def contact_floor():
    floor = {"type": "plane", "stiffness": 2e4, "exponent": 2.3, "axis": [0.1, -0.2, 1], "pose": {"translation": [0, 0, 0.1], "rpy": [0.1, 0.2, 0.4]}}
    return model("contact_floor", [link("snake", rod({"bending_z": 2, "torsion": 0}, section={"shape": "rectangle", "height": 0.02, "width": 0.04}), joint("free"))],
                 contacts=[floor])


def contact_ball():
    ball = {"type": "sphere", "radius": 0.25, "stiffness": 500, "pose": {"translation": [0.3, 0.1, 0.2]}}
    section = {"shape": "ellipse", "semi_y": [0.03, 0.01], "semi_z": 0.02}
    return model("contact_ball", [link("arm", rod({"bending_y": 2, "elongation": 1}, "linear", section=section), joint("universal", "z"), pose=TILT)],
                 contacts=[ball])


def contacts_per_length():
    ball = {"type": "sphere", "radius": 0.25, "stiffness": 5e3, "per": "length", "pose": {"translation": [0.3, 0.1, 0.2]}}
    return model("contacts_per_length", [link("arm", rod({"bending_y": 2, "elongation": 1}, "linear"), joint("universal", "z"), pose=TILT),
                                         link("hand", rod({"bending_z": 1}, section=THIN), parent="arm", pose=TURN)],
                 contacts=[ball, {"type": "plane", "stiffness": 2e3, "exponent": 1.2, "per": "length", "axis": [0.2, 0, 1], "links": ["hand"]},
                           {"type": "cylinder_interior", "stiffness": 300, "exponent": 2, "per": "point", "radius": 0.25, "pose": NEAR}])


def contacts_that_rub():
    """Friction and damping on every obstacle, along a rod, across it and on its end."""
    section = {"shape": "circle", "radius": [0.03, 0.02]}
    return model("contacts_that_rub", [
        link("arm", rod({"bending_y": 1, "torsion": 0, "elongation": 0}, section=section), joint("spherical"), pose=TILT),
        link("hand", rod({"bending_z": 1}, section=THIN), joint("revolute", "x"), parent="arm", pose=TURN), link("bob", mass(0.2), parent="hand")],
        contacts=[{"name": "floor", "type": "plane", "stiffness": 900, "damping": 0.3, "friction": 0.7, "slip_speed": 0.05, "anisotropy": [1, 0.3]},
                  {"type": "sphere", "radius": 0.25, "stiffness": 2e3, "exponent": 1, "friction": 0.4, "slip_speed": 0.3, "pose": NEAR},
                  {"type": "cylinder_interior", "radius": 0.25, "stiffness": 700, "exponent": 2.1, "per": "length", "axis": [0.2, 1, 0.1],
                   "friction": 1.1, "slip_speed": 0.02, "anisotropy": [0.2, 0.9], "pose": SKEW},
                  {"type": "cylinder_exterior", "radius": 0.3, "stiffness": 500, "axis": "x", "damping": 1.2, "pose": SKEW, "links": ["arm"]}])


def contacts_together():
    return model("contacts_together", chain(link("tail", rod({"bending_z": 1, "torsion": 0}, section=THIN), parent="wrist", pose=TURN)), contacts=[
        {"name": "floor", "type": "plane", "stiffness": 300, "exponent": 1, "links": ["tail"]},
        {"name": "ball", "type": "sphere", "radius": 0.3, "stiffness": 2e3, "exponent": 1.5, "pose": NEAR},
        {"name": "pole", "type": "cylinder_exterior", "radius": 0.05, "stiffness": 900, "exponent": 2, "axis": "-y"},
        {"name": "pipe", "type": "cylinder_interior", "radius": 0.3, "stiffness": 700, "exponent": 1.2, "axis": "z", "links": ["tail", "arm"]}])


def water_rods():
    heavy, light = {**SOFT, "density": 1400}, {**STIFF, "density": 700}
    return model("water_rods", [
        link("eel", {**rod({**BEND, "torsion": 0}, material=heavy), "hydrodynamics": WET}, joint("free")),
        link("fin", {**rod({"bending_y": 1}, material=light, section={"shape": "rectangle", "height": 0.04, "width": 0.01}),
                     "hydrodynamics": {"cd_z": 1.8, "added_z": 1.1}}, joint("revolute", "x"), "eel", TURN, at=0.4),
        link("cord", {**rod({"bending_z": 0}, section={"shape": "ellipse", "semi_y": 0.01, "semi_z": [0.02, 0.01]}),
                      "hydrodynamics": {"cl_y": 0.3}}, parent="eel", pose=TILT)], fluid={"density": 1025})


def water_bodies():
    return model("water_bodies", [
        link("hull", {**mass(2.2, inertia=FULL_INERTIA), "hydrodynamics": {"drag": FULL_DRAG, "added_mass": FULL_ADDED, "body_density": 800}}, joint("free"), pose=TILT),
        link("keel", {**mass(0.9), "hydrodynamics": {"drag": [0.1, 0.2, 0.3, 4, 5, 6], "added_mass": [0, 0.01, 0.02, 0.3, 0.5, 0.7]}}, joint("universal", "x"), "hull", TURN),
        link("float", {**mass(0.3, inertia=FULL_INERTIA), "hydrodynamics": {"added_mass": FULL_ADDED, "body_density": 300}}, joint("spherical"), "keel", SKEW)], fluid=WATER)


def drag_without_fluid():
    return model("drag_without_fluid", chain(link("sail", {**mass(0.2), "hydrodynamics": {"drag": FULL_DRAG, "body_density": 500}}, joint("revolute", "x"), "wrist", TURN),
                                             link("tail", {**rod({"bending_y": 0}, section=THIN), "hydrodynamics": WET}, parent="wrist", pose=SKEW)))


def water_vehicle():
    wet = lambda **more: {**rod({"bending_y": 1, "bending_z": 1, "torsion": 0}, section={"shape": "circle", "radius": [0.0125, 0.001]},
                                material={**SOFT, "density": 1000}), "hydrodynamics": {"cd_y": 1.1, "cd_z": 1.1, "cl_x": -0.1, "added_y": 0.6, "added_z": 0.6, **more}}
    hull = {"type": "rigid", "shape": {"type": "sphere", "radius": 0.09}, "density": 1000,
            "hydrodynamics": {"body_density": 1000, "drag": [0, 0, 0, 5.98, 5.98, 5.98], "added_mass": [0, 0, 0, 1.527, 1.527, 1.527]}}
    return model("water_vehicle", [link("hull", hull, joint("free")),
                                   link("shaft", None, joint("revolute", "x"), "hull", {"translation": [0.09, 0, 0]}),
                                   link("whip", wet(), parent="shaft", pose={"translation": [0.02, 0.04, 0], "rpy": [0, 0, 0.785]}),
                                   link("other", wet(cd_x=0.02), parent="shaft", pose={"translation": [0.02, -0.04, 0], "rpy": [0, 0, -0.785]})],
                 fluid=WATER, actuators=[force("shaft")])


FULL_VISCOUS = [[0.3, 0.05, 0, 0.1, 0, 0.02], [0.05, 0.4, 0, 0, 0.1, 0], [0, 0, 0.5, 0.1, 0, 0.1],
                [0.1, 0, 0.1, 3, 0.4, 0], [0, 0.1, 0, 0.2, 4, 0.3], [0.02, 0, 0.1, 0, 0.3, 5]]
TIDE = {"z": [-0.6, -0.1, 0.2, 0.9], "velocity": [[0.4, 0.1, 0.2], [1.1, -0.5, 0.1], [0.3, -0.9, 0.1], [-0.5, 0.7, 0.1]]}


def swimming():
    """A vehicle with a soft arm that carries a paddle, all wet."""
    return [link("hull", {**mass(2.2, inertia=FULL_INERTIA), "hydrodynamics": {"drag": FULL_DRAG, "added_mass": FULL_ADDED,
                                                                              "linear": FULL_VISCOUS, "body_density": 800}}, joint("free"), pose=TILT),
            link("arm", {**rod({**BEND, "torsion": 0}), "hydrodynamics": {**WET, "linear": {"tangential": 0.8, "normal": 1.7}}}, joint("revolute", "y"), "hull", TURN),
            link("paddle", {**mass(0.4), "hydrodynamics": {"added_mass": [0, 0.01, 0.02, 0.3, 0.5, 0.7], "linear": [0.1, 0.1, 0.2, 1, 2, 3]}},
                 joint("universal", "x"), "arm", SKEW)]


def water_current():
    """Flow by height, driven by two signals besides."""
    return model("water_current", swimming(), fluid={**WATER, "velocity": TIDE, "channels": ["stream", None, "upwelling"]},
                 loads=[{"link": "arm", "per_length": True, "channels": [None, None, None, None, "push", None]}])


def water_surface():
    """Half in: the surface is as wide as the robot, so that all of it is partly wet."""
    return model("water_surface", swimming(), gravity=(0, 0, -9.81),
                 fluid={**WATER, "velocity": [0.5, -0.3, 0.2], "channels": [None, "stream", None], "surface": {"z": 0.3, "width": 4}})


def water_floats():
    """Buoyancy alone, steep surface: some of it dry, some wet."""
    return model("water_floats", [link("spar", rod({"bending_y": 1, "torsion": 0}, material={**SOFT, "density": 600}), joint("spherical"), pose=TILT),
                                  link("buoy", {"type": "rigid", "shape": {"type": "sphere", "radius": 0.1}, "density": 300}, joint("universal", "y"), "spar", SKEW)],
                 gravity=(0, 0, -9.81), fluid={**WATER, "surface": {"z": 0.2, "width": 0.15}})


def water_syrup():
    thin = {"shape": "circle", "radius": [0.012, 0.006]}
    wet = lambda body: {**body, "hydrodynamics": {"resistive_force": True}}
    return model("water_syrup", [link("first", wet(rod({**BEND, "torsion": 0}, section=thin)), joint("free")),
                                 link("second", wet(rod({"bending_z": 2}, "linear", section={"shape": "ellipse", "semi_y": 0.004, "semi_z": [0.008, 0.004]})),
                                      joint("revolute", "x"), "first", TURN)],
                 fluid={"density": 0, "viscosity": 2.5, "velocity": {"z": [-0.2, 0.3], "velocity": [[0.5, 0, 0], [-0.5, 1, 0]]}})


def hybrid_of_everything():
    """Loop, prescribed joint, contact, water, cables and loads at once."""
    links = [link("deck", {**mass(1.4, inertia=FULL_INERTIA), "hydrodynamics": {"drag": FULL_DRAG, "added_mass": FULL_ADDED, "body_density": 900}},
                  joint("planar", "z", damping=0.4)),
             link("hinge", None, joint("revolute", "y"), "deck", TILT),
             link("stem", {**rod(BEND, material=STIFF), "hydrodynamics": WET}, parent="hinge", pose=SKEW),
             link("claw", mass(0.2), joint("spherical", stiffness=0.2), "stem", TURN),
             link("stay", {**rod({"bending_y": 0, "elongation": 0}, section=THIN), "hydrodynamics": {"cd_y": 1}}, joint("universal", "x"), "deck", NEAR)]
    return model("hybrid_of_everything", links, fluid=WATER,
                 loops=[{"name": "grip", **loop("spherical", end("claw", SKEW), end("stay", at=0.8))}],
                 actuators=[tendon("cable", "stem", linear(0.012, 0.004)), position("hinge", "turn"), force("claw")],
                 contacts=[{"type": "plane", "stiffness": 900, "exponent": 1.5, "axis": "z"}, {"type": "sphere", "radius": 0.4, "stiffness": 600, "exponent": 1.3, "pose": NEAR}],
                 loads=[{"name": "wind", "link": "stem", "at": 0.5, "frame": "world", "channels": [None, None, None, "wind_x", None, "wind_z"]}])


FUNCTIONS = (loop_revolute, loop_fixed, loop_with_lines, loop_prismatic, loop_helical, loop_cylindrical, loop_universal, loop_universal_planar, loop_planar,
             loop_spherical, loop_axes, loops_to_the_world, loop_of_two_roots, loop_with_idle_rows, loop_with_dependent_rows, loop_twice,
             prescribed_hinges, prescribed_base, prescribed_everything, prescribed_in_a_loop, prescribed_idle_loop, contact_pipe, contact_pole,
             contact_floor, contact_ball, contacts_per_length, contacts_that_rub, contacts_together, water_rods, water_bodies, drag_without_fluid, water_vehicle, water_current, water_surface, water_floats, water_syrup, hybrid_of_everything)
BAUMGARTE = {"loop_revolute": 0.05, "loop_axes": 0.2, "prescribed_in_a_loop": 1.0, "loop_twice": 0.03}
