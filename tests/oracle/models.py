"""The robots whose reference values generate.py writes: between them, every word of tendril.model/1 that trees use."""

ALL_SIX = {"torsion": 1, "bending_y": 2, "bending_z": 1, "elongation": 1, "shear_y": 0, "shear_z": 0}
SOFT = {"young": 1e6, "poisson": 0.45, "density": 1050, "viscosity": 3e3}
STIFF = {"young": 4e6, "shear": 1.7e6, "density": 1200, "viscosity": 800}
FULL_INERTIA = [[0.011, 0.0012, -0.0007], [0.0012, 0.014, 0.0009], [-0.0007, 0.0009, 0.009]]
TILT = {"translation": [0.1, -0.05, 0.2], "rpy": [0.3, -0.8, 1.1]}
TURN = {"translation": [0.25, 0.02, -0.03], "quaternion": [0.8, 0.3, -0.4, 0.33166247903554]}


def model(name, links, gravity=(1.3, -2.1, -9.81), **more):
    return {"format": "tendril.model/1", "name": name, "gravity": list(gravity), "links": links, **more}


def rod(order, basis="legendre", length=0.4, section=None, material=None, points=None, **strain):
    body = {"type": "rod", "length": length, "section": section or {"shape": "circle", "radius": 0.02},
            "material": material or SOFT, "strain": {"basis": basis, **({"order": order} if order else {}), **strain}}
    if body["section"]["shape"] == "stiffness":
        del body["material"]
    return {**body, "quadrature": {"points": points}} if points else body


def mass(kg=1.1, com=(0.07, -0.02, 0.03), inertia=None):
    return {"type": "rigid", "mass": kg, "com": list(com), "inertia": inertia or [0.004, 0.006, 0.005]}


def link(name, body=None, joint=None, parent=None, pose=None, at=None):
    out = {"name": name, "joint": joint or {"type": "fixed"}}
    for key, value in (("parent", parent), ("pose", pose), ("at", at), ("body", body)):
        if value is not None:
            out[key] = value
    return out


def joint(kind, axis=None, **more):
    return {"type": kind, **({"axis": axis} if axis is not None else {}), **more}


def linear(y, z, *tip):
    return {"type": "linear", "base": [y, z], **({"tip": list(tip)} if tip else {})}


def tendon(name, where, routing):
    return {"name": name, "type": "tendon", "link": where, "routing": routing}


def joints_one_coordinate():
    spring = {"stiffness": 3.5, "damping": 0.4, "rest": 0.25}
    return model("joints_one_coordinate", [
        link("turret", mass(2.0, (0.03, 0.04, -0.05), FULL_INERTIA), joint("revolute", [1, 2, -0.5], **spring), pose=TILT),
        link("bracket", mass(0.3), joint("fixed"), "turret", TURN),
        link("slide", mass(0.8), joint("prismatic", "-y", stiffness=[40], damping=[2.5], rest=[-0.1]), "bracket"),
        link("screw", mass(0.6, inertia=FULL_INERTIA), joint("helical", "x", pitch=0.07, damping=0.2), "slide", TILT),
        link("corkscrew", mass(0.5), joint("helical", [0.2, -1, 2], pitch=-0.11, stiffness=1.2), "screw", TURN),
        link("hinge", mass(0.4), joint("revolute", "z"), "corkscrew", TURN),
        link("rail", mass(0.7), joint("prismatic", [3, 0, -4]), "turret", {"translation": [0, 0.2, 0]})])


def joints_several_coordinates():
    return model("joints_several_coordinates", [
        link("a", mass(1.5, inertia=FULL_INERTIA), joint("cylindrical", [2, 1, 1], stiffness=[2, 30], damping=[0.1, 1.5],
                                                        rest=[0.3, -0.05]), pose=TILT),
        link("b", mass(0.9), joint("universal", "y", stiffness=1.5, damping=0.3, rest=0.1), "a", TURN),
        link("c", mass(0.5), joint("universal", [1, -1, 0.7], stiffness=[0.5, 0.8]), "b", TURN),
        link("d", mass(0.6, inertia=FULL_INERTIA), joint("planar", "x", damping=[0.1, 0.2, 0.3]), "b", TILT),
        link("e", mass(0.4), joint("planar", [0.95, 0.2, -0.4], rest=[0.1, 0.2, 0.3], stiffness=[1, 20, 30]), "a", TURN)])


def joints_principal_planes():
    return model("joints_principal_planes", [
        link("ux", mass(0.9), joint("universal", "x"), pose=TILT), link("uz", mass(0.8), joint("universal"), "ux", TURN),
        link("py", mass(0.7), joint("planar", "y"), "uz", TURN), link("pz", mass(0.6), joint("planar", [0, 0, 2]), "ux", TILT)])


def joints_spherical_free():
    return model("joints_spherical_free", [
        link("trunk", mass(2.5, inertia=FULL_INERTIA), joint("free", stiffness=[1, 2, 3, 40, 50, 60], damping=0.2), pose=TILT),
        link("head", mass(0.6), joint("spherical", stiffness=0.7, damping=[0.1, 0.2, 0.3], rest=[0.1, -0.2, 0.3]), "trunk", TURN),
        link("second_root", mass(0.9, inertia=FULL_INERTIA), joint("spherical"), "world", TURN)],
        actuators=[{"name": "thrust", "type": "joint", "link": "trunk", "mode": "force"},
                   {"name": "neck", "type": "joint", "link": "head"}])


def rigid_shapes():
    shape = lambda com=None, **s: {"type": "rigid", "shape": s, "density": 700, **({"com": com} if com else {})}
    place = {"translation": [0.2, 0.1, -0.05], "rpy": [0.2, 0.4, -0.3]}
    return model("rigid_shapes", [
        link("box", shape([0.1, 0.02, -0.03], type="box", size=[0.3, 0.1, 0.06]), joint("revolute", "z")),
        link("cylinder", shape([0.1, 0, 0], type="cylinder", radius=0.04, length=0.25, axis="x"), joint("revolute", "y"), "box", place),
        link("skew", shape(type="cylinder", radius=0.05, length=0.12, axis=[1, 1, -2]), joint("revolute", "x"), "cylinder", place),
        link("upright", shape(type="cylinder", radius=0.03, length=0.2), joint("spherical"), "skew", place),
        link("ball", shape([0, 0.05, 0], type="sphere", radius=0.06), joint("universal", "x"), "box", place),
        link("prism", shape([0.01, 0.02, 0.03], type="prism", height=0.15,
                            polygon=[[-0.1, -0.05], [0.12, -0.07], [0.02, 0.01], [0.0, 0.11]]), joint("spherical"), "ball", place)])


def basis_legendre():
    order = {"torsion": 2, "bending_y": 3, "bending_z": 1, "elongation": 2, "shear_y": 0, "shear_z": 1}
    return model("basis_legendre", [link("arm", rod(order, section={"shape": "circle", "radius": [0.03, 0.012]}, points=5), pose=TILT)],
                 actuators=[tendon("cable", "arm", linear(0.01, 0.02, 0.004, -0.003))])


def basis_monomial():
    body = rod(ALL_SIX, "monomial", section={"shape": "rectangle", "height": 0.05, "width": 0.02}, material=STIFF,
               reference=[0.4, -1.5, 2.5, 1.05, 0.02, -0.03])
    return model("basis_monomial", [link("arm", body, joint("revolute", "y", stiffness=2), pose=TILT)],
                 actuators=[tendon("cable", "arm", linear(0.01, 0.008))])


def basis_chebyshev():
    reference = {"s": [0, 0.3, 0.7, 1], "value": [[0, 1, 2, 1, 0, 0], [0.5, 2, -1, 1.1, 0.05, 0],
                                                  [0.2, -1, 0, 0.95, 0, 0.04], [0, 0.5, 1, 1, 0, 0]]}
    body = rod({"torsion": 1, "bending_y": 3, "bending_z": 2, "shear_z": 1}, "chebyshev", points=6, reference=reference,
               section={"shape": "ellipse", "semi_y": [0.03, 0.015], "semi_z": [0.015, 0.02]})
    return model("basis_chebyshev", [link("arm", body, pose=TURN)],
                 actuators=[tendon("cable", "arm", linear(-0.01, 0.008, 0.01, 0.002))])


def basis_fourier():
    body = rod({"bending_y": 2, "bending_z": 1, "elongation": 1}, "fourier",
               section={"shape": "rectangle", "height": {"s": [0, 0.4, 0.8, 1], "value": [0.03, 0.05, 0.035, 0.02]},
                        "width": [0.02, 0.03]})
    return model("basis_fourier", [link("arm", body, pose=TILT)], actuators=[tendon("cable", "arm", linear(0.01, 0.008))])


def basis_gaussian():
    body = rod({"torsion": 0, "bending_y": 3, "bending_z": 2, "elongation": 1}, "gaussian", points=5,
               section={"shape": "circle", "radius": {"s": [0, 0.5, 1], "value": [0.03, 0.018, 0.024]}})
    return model("basis_gaussian", [link("arm", body, pose=TILT)], actuators=[tendon("cable", "arm", linear(0.01, 0.008))])


def basis_inverse_multiquadric():
    body = rod({"torsion": 1, "bending_y": 2, "bending_z": 3, "shear_y": 0}, "inverse_multiquadric", material=STIFF, points=5,
               section={"shape": "ellipse", "semi_y": {"s": [0, 0.25, 0.6, 1], "value": [0.02, 0.03, 0.028, 0.01]},
                        "semi_z": 0.017})
    return model("basis_inverse_multiquadric", [link("arm", body, pose=TILT)],
                 actuators=[tendon("cable", "arm", linear(0.01, 0.008))])


def _element_basis(basis, elements, points=None, order=("bending_y", "bending_z", "elongation")):
    body = rod(order if isinstance(order, dict) else {c: elements for c in order}, basis, section={"shape": "circle", "radius": [0.025, 0.015]}, points=points)
    return model(f"basis_{basis}", [link("arm", body, pose=TILT)], actuators=[tendon("cable", "arm", linear(0.01, 0.008))])


def basis_linear():
    return _element_basis("linear", 3, order={"torsion": 3, "bending_y": 2, "elongation": 3})


def basis_quadratic():
    return _element_basis("quadratic", 2, points=3, order=("bending_y", "bending_z"))


def basis_cubic():
    return _element_basis("cubic", 2, points=4, order=("torsion", "bending_z"))


def basis_hermite():
    return _element_basis("hermite", 2, points=4, order=("bending_y", "shear_z"))


def basis_table():
    knots = [0, 0.2, 0.55, 0.8, 1]
    table = {"s": knots, "torsion": [[0, 0.3, 0.5, 0.2, 1]],
             "bending_y": [[1, 0.9, 0.2, -0.4, -1], [0, 0.5, 1, 0.5, 0], [1, 1, 1, 1, 1]],
             "elongation": [[0, 0.1, 0.4, 0.7, 1], [1, 0.3, 0, 0.3, 1]]}
    return model("basis_table", [link("arm", rod(None, "table", **table), joint("revolute"), pose=TILT)],
                 actuators=[tendon("cable", "arm", linear(0.01, 0.008))])


def basis_order_zero():
    body = rod({c: 0 for c in ("torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z")}, "legendre", points=2)
    more = rod({"bending_y": 0, "elongation": 0}, "inverse_multiquadric", points=3, length=0.25)
    return model("basis_order_zero", [link("first", body, pose=TILT), link("second", more, parent="first")])


def high_order():
    return model("high_order", [link("arm", rod({"bending_y": 9, "torsion": 0}, length=0.6, points=10), pose=TILT)])


def default_points():
    """Bases and orders whose default quadrature is not the least one."""
    knots = [0, 0.3, 0.7, 1]
    four = [[1, 1, 1, 1], [0, 0.5, 0.2, 1], [1, 0, 0, 0.3], [0, 1, 0.4, -1]]
    return model("default_points", [
        link("polynomial", rod({"bending_y": 4}), pose=TILT), link("bells", rod({"bending_z": 4}, "gaussian"), pose=TURN),
        link("parabolas", rod({"bending_y": 1}, "quadratic"), parent="bells", pose=TILT),
        link("slopes", rod({"bending_y": 1}, "hermite"), pose=TURN),
        link("splines", rod(None, "table", s=knots, bending_y=four), pose=TILT)])


STIFF_NUMBERS = {"shape": "stiffness", "GJ": 0.4, "EI_y": [0.9, 0.5], "EI_z": {"s": [0, 0.5, 1], "value": [1.2, 1, 0.7]}, "EA": 900, "GA_y": 250,
                 "GA_z": [300, 200], "mass_per_length": [1.3, 0.8], "inertia_per_length": [[3e-4, 2e-4, 1e-4], [2e-4, 1e-4, 1e-4]],
                 "damping": [2e-3, 4e-3, 5e-3, 2, 1, 1.5]}
COUPLING = [[0.02, 0.15, -0.1, 0, 0, 0], [0.15, 0, 0.2, 4, 0, 0], [-0.1, 0.2, 0, 0, 3, 0], [0, 4, 0, 0, 20, -30],
            [0, 0, 3, 20, 5, 10], [0, 0, 0, -30, 10, 0]]


def hollow_sections():
    tube = {"shape": "circle", "radius": [0.03, 0.02], "inner_radius": {"s": [0, 0.5, 1], "value": [0.02, 0.012, 0.015]}}
    strip = {"shape": "rectangle", "height": 0.004, "width": [0.05, 0.03], "torsion_constant": [1.0e-9, 0.6e-9], "shear_correction": 0.8333}
    pipe = {"shape": "ellipse", "semi_y": 0.02, "semi_z": [0.015, 0.01], "inner_semi_y": 0.015, "inner_semi_z": 0.008, "shear_correction": [0.5, 0.6],
            "damping": [1e-3, 2e-3, 1e-3, 1, 2, 3]}
    box = {"shape": "rectangle", "height": [0.03, 0.02], "width": 0.02, "inner_height": 0.015, "inner_width": [0.012, 0.01]}
    return model("hollow_sections", [
        link("tube", rod({"torsion": 1, "bending_y": 1, "elongation": 0}, section=tube), joint("revolute", "y"), pose=TILT),
        link("strip", rod({"torsion": 1, "bending_z": 1, "shear_y": 0}, section=strip, material=STIFF), parent="tube", pose=TURN),
        link("pipe", rod({"torsion": 0, "bending_y": 1, "shear_z": 0}, section=pipe), parent="strip", pose=TURN),
        link("box", rod({"torsion": 0, "bending_z": 1}, section=box, length=0.2), pose=TURN)], fluid={"density": 400})


def stiffness_sections():
    return model("stiffness_sections", [
        link("blade", rod({"bending_y": 2, "bending_z": 1, "torsion": 1, "elongation": 0, "shear_y": 0}, section=STIFF_NUMBERS), pose=TILT),
        link("tip", rod({"bending_y": 1}, section={"shape": "stiffness", "EI_y": 0.3, "mass_per_length": 0.4, "radius": [0.02, 0.01]}),
             joint("revolute", "y"), "blade", TURN)], fluid={"density": 500}, actuators=[tendon("cable", "blade", linear(0.01, 0.005))])


def coupled_sections():
    varying = {"s": [0, 0.4, 1], "value": [COUPLING, [[0.5 * x for x in row] for row in COUPLING], [[0] * 6] * 6]}
    return model("coupled_sections", [
        link("wing", rod({"torsion": 2, "bending_y": 1, "bending_z": 1, "elongation": 0, "shear_y": 0, "shear_z": 1},
                         section={**STIFF_NUMBERS, "coupling": COUPLING}), joint("revolute", "z"), pose=TILT),
        link("end", rod({"torsion": 1, "bending_y": 1, "elongation": 1}, "linear", section={**STIFF_NUMBERS, "coupling": varying},
                        reference=[0.5, 1, 0, 1, 0, 0.1]), parent="wing", pose=TURN)])


def children_along_a_rod():
    small = rod({"bending_z": 1, "torsion": 0}, length=0.15, section={"shape": "circle", "radius": 0.008})
    return model("children_along_a_rod", [
        link("stem", rod({"torsion": 1, "bending_y": 2, "elongation": 1}), pose=TILT),
        link("root", mass(0.1), joint("revolute", "y"), "stem", TURN, at=0),
        link("leaf", mass(0.2, inertia=FULL_INERTIA), joint("fixed"), "stem", TURN, at=0.37),
        link("twig", small, joint("revolute", [0, 1, 1], stiffness=0.2), "stem", {"rpy": [0, 0, 1.2]}, at=0.81),
        link("bud", mass(0.05), joint("prismatic", "x"), "twig", at=0.5),
        link("early", mass(0.07), joint("fixed"), "stem", TILT, at=0.01),
        link("tip", mass(0.15), joint("revolute", "z"), "stem", TURN)])


def children_along_elements():
    body = rod({"bending_y": 2, "bending_z": 2}, "quadratic", points=3, section={"shape": "rectangle", "height": 0.02, "width": 0.03})
    return model("children_along_elements", [
        link("stem", body, pose=TILT), link("boundary", mass(0.2), joint("revolute", "y"), "stem", TURN, at=0.5),
        link("between", mass(0.1), joint("fixed"), "stem", TURN, at=0.66), link("end", mass(0.1), parent="stem", at=1)])


def rods_on_joints_two_roots():
    thin = {"shape": "circle", "radius": [0.012, 0.006]}
    return model("rods_on_joints_two_roots", [
        link("upper", rod({"bending_y": 1, "bending_z": 1}, length=0.3), joint("revolute", "y", stiffness=0.5, damping=0.02), pose=TILT),
        link("fore", rod({"bending_y": 1, "torsion": 0}, "chebyshev", length=0.25, section=thin), joint("universal", "x"), "upper", TURN),
        link("gripper", mass(0.2), joint("fixed"), "fore", TURN),
        link("other", rod({"bending_z": 1, "elongation": 0}, "monomial", length=0.2, section=thin), joint("prismatic", "x"), "world", TURN)])


def floating_rod():
    return model("floating_rod", [link("eel", rod({"bending_y": 2, "bending_z": 1, "torsion": 0}), joint("free"))], gravity=(0, 0, 0))


def bodiless_links():
    """Joints in series without bodies, and a rigid parent with `at`."""
    return model("bodiless_links", [
        link("yaw", None, joint("revolute", "z", damping=0.1)), link("pitch", None, joint("revolute", "y"), "yaw", TILT),
        link("boom", rod({"bending_y": 1, "elongation": 0}), joint("prismatic", "x", stiffness=5), "pitch"),
        link("ring", None, joint("fixed"), "boom", TURN, at=0.6), link("bob", mass(0.3), joint("spherical"), "ring"),
        link("tail", mass(0.2), joint("revolute", "x"), "bob", TILT, at=0.3)])


def tendon_routings():
    table = {"type": "table", "s": [0, 0.3, 0.6, 1], "y": [0.01, 0.015, 0.002, -0.01], "z": [0, 0.006, 0.012, 0.01]}
    helix = {"type": "helix", "radius": 0.012, "turns": 1.25, "phase": 0.4}
    return model("tendon_routings", [link("arm", rod(ALL_SIX, length=0.5, section={"shape": "circle", "radius": [0.03, 0.015]},
                                                     reference=[0, 0.8, 0, 1, 0, 0]), pose=TILT)],
                 actuators=[tendon("straight", "arm", linear(0.01, -0.02)), tendon("tapered", "arm", linear(0.02, 0.01, -0.005, 0.01)),
                            tendon("helix", "arm", helix), tendon("backwards", "arm", {**helix, "turns": -2}),
                            tendon("table", "arm", table),
                            tendon("sum", "arm", {"type": "sum", "of": [helix, linear(0.004, 0.001, 0, 0.002), table]})])


def tendons_through_links():
    on = lambda name, *routing: {"link": name, "routing": linear(*routing)}
    via = lambda name, *points: {"link": name, "points": [list(p) for p in points]}
    thin = {"shape": "circle", "radius": 0.015}
    return model("tendons_through_links", [
        link("mount", mass(0.5), joint("revolute", "y", stiffness=3), pose=TILT),
        link("lower", rod({"bending_y": 1, "bending_z": 1, "elongation": 0}, length=0.3), parent="mount", pose=TURN),
        link("upper", rod({"bending_y": 1, "bending_z": 0, "torsion": 0}, length=0.2, section=thin), parent="lower",
             pose={"translation": [0.02, 0.005, 0]}),
        link("palm", mass(0.2), joint("revolute", "z"), "upper", TURN),
        link("branch", rod({"bending_z": 1, "bending_y": 0}, length=0.15, section=thin), parent="lower", pose={"rpy": [0, 0, 1.0]}, at=0.6)],
        actuators=[
            {"name": "through", "type": "tendon", "segments": [on("lower", 0.012, 0.003), on("upper", 0.01, 0.002, 0.006, 0)]},
            {"name": "anchored", "type": "tendon", "segments": [
                via("mount", (0.05, 0.02, 0.01), (0.2, 0.05, -0.01)), on("lower", -0.01, 0.004), on("upper", -0.008, 0), via("palm", (0.1, 0.02, 0))]},
            {"name": "across", "type": "tendon", "segments": [on("branch", 0.005, 0.005), on("upper", 0, -0.01)]},
            {"name": "apart", "type": "tendon", "joined": False, "segments": [on("lower", 0, 0.013), on("upper", 0, 0.01), via("palm", (0.1, 0, 0))]},
            {"name": "wire", "type": "tendon", "segments": [via("mount", (0, 0.05, 0.1)), via("palm", (0.05, 0, 0.02), (0.1, 0.05, 0))]}])


def tendons_by_length():
    on = lambda name, *routing: {"link": name, "routing": linear(*routing)}
    via = lambda name, *points: {"link": name, "points": [list(p) for p in points]}
    pulled = {"type": "tendon", "mode": "length", "stiffness": 800, "slack_width": 0.02}
    return model("tendons_by_length", [
        link("mount", mass(0.5), joint("revolute", "y", stiffness=3), pose=TILT),
        link("lower", rod({"bending_y": 1, "bending_z": 1, "torsion": 0}, length=0.3), parent="mount", pose=TURN),
        link("palm", mass(0.2), joint("universal", "z"), "lower", TURN),
        link("upper", rod({"bending_y": 1, "bending_z": 0}, length=0.2), parent="palm")],
        actuators=[
            {**pulled, "name": "flexor", "damping": 5, "rest": 0.29, **on("lower", 0.012, 0.003)},
            {**pulled, "name": "through", "damping": 3, "segments": [
                via("mount", (0.05, 0.02, 0.01), (0.2, 0.05, -0.01)), on("lower", -0.01, 0.004), via("palm", (0.1, 0.02, 0))]},
            {"name": "pull", "type": "tendon", "mode": "tension", **on("upper", 0.01, 0)},
            {**pulled, "name": "loose", "rest": 0.35, "segments": [on("lower", 0, 0.01), on("upper", 0.004, 0.01)]}])


def tendons_with_friction():
    on = lambda name, **routing: {"link": name, "routing": routing or linear(0.008, -0.004)}
    via = lambda name, *points: {"link": name, "points": [list(p) for p in points]}
    rough = {"type": "tendon", "friction": 0.4, "slip_speed": 0.05}
    helix = {"type": "helix", "radius": 0.012, "turns": 0.75, "phase": 0.4}
    return model("tendons_with_friction", [
        link("mount", mass(0.5), joint("revolute", "y", stiffness=3), pose=TILT),
        link("lower", rod({"bending_y": 1, "bending_z": 1, "elongation": 0}, length=0.3), parent="mount", pose=TURN),
        link("palm", mass(0.2), joint("revolute", "z"), "lower", TURN),
        link("upper", rod({"bending_y": 2}, "linear", length=0.2), parent="palm")],
        actuators=[
            {**rough, "name": "helix", **on("lower", **helix)},
            {**rough, "name": "through", "segments": [
                via("mount", (0.05, 0.02, 0.01), (0.2, 0.05, -0.01), (0.22, 0.04, 0)), on("lower"), via("palm", (0.1, 0.02, 0)), on("upper")]},
            {**rough, "name": "pulled", "mode": "length", "stiffness": 800, "slack_width": 0.02, "damping": 2, "rest": 0.4,
             "segments": [on("lower"), via("palm", (0.03, 0.02, 0), (0.1, 0.02, 0.01)), on("upper")]}])


def springs_between_links():
    end = lambda name, at=1, *place: {"link": name, "at": at, "pose": {"translation": list(place or (0, 0.02, 0)), "rpy": [0.1, 0.2, 0.3]}}
    return model("springs_between_links", [
        link("trunk", mass(0.5), joint("free")), link("left", rod({"bending_y": 1, "bending_z": 1}, length=0.3), parent="trunk", pose=TURN),
        link("right", rod({"bending_y": 1, "torsion": 0}, length=0.3), joint("revolute", "x"), "trunk", TILT), link("hand", mass(0.2), joint("spherical"), "right")],
        actuators=[{"name": "cable", "type": "tendon", "link": "left", "mode": "length", "stiffness": 300, "slack_width": 0.01, "routing": linear(0.01, 0)}],
        loads=[{"link": "hand", "channels": [None, None, None, "push", None, None]}],
        springs=[{"name": "across", "a": end("left", 0.43), "b": end("hand"), "stiffness": 60, "damping": 1.5, "rest": 0.2, "channel": "draw"},
                 {"a": end("world", 1, 0.2, 0.1, 0), "b": end("right", 0.9), "stiffness": 40},
                 {"a": end("trunk"), "b": end("hand"), "damping": 3}, {"a": end("left"), "b": end("right", 0), "stiffness": 25, "rest": 0, "channel": "let"}])


def loads_on_links():
    offset = {"translation": [0.01, 0.03, -0.02], "rpy": [0.4, -0.2, 0.9]}
    return model("loads_on_links", [
        link("arm", rod({"torsion": 1, "bending_y": 2, "elongation": 0}), pose=TILT),
        link("hand", mass(0.3), joint("universal", "x"), "arm", TURN)],
        actuators=[tendon("cable", "arm", linear(0.01, 0.005))],
        loads=[{"name": "tip_world", "link": "arm", "at": 1, "frame": "world", "wrench": [0.1, -0.2, 0.3, 1, 2, -3]},
               {"name": "middle_body", "link": "arm", "at": 0.43, "pose": offset, "frame": "body", "wrench": [0.2, 0.1, 0.1, -1, 0.5, 2]},
               {"link": "arm", "at": 0.43, "pose": offset, "frame": "world", "wrench": [0, 0.3, 0, 0.7, 0, 1]},
               {"name": "pushed", "link": "hand", "pose": offset, "frame": "world", "channels": [None, "my", None, "fx", "fy", None]},
               {"name": "follower", "link": "arm", "at": 0.9, "frame": "body", "channels": ["mx", None, None, None, None, "fz"],
                "wrench": [9, 9, 9, 9, 9, 9]},
               {"name": "base", "link": "arm", "at": 0, "frame": "world", "wrench": [1, 1, 1, 1, 1, 1]}])


def loads_along_rods():
    """Per length: on a whole rod and on parts of it, of one element and of several, by world and body, constant and driven."""
    along = lambda where, **more: {"link": where, "per_length": True, **more}
    return model("loads_along_rods", [
        link("arm", rod({"bending_y": 2, "torsion": 1}), joint("revolute", "y"), pose=TILT),
        link("tail", rod({"bending_z": 2, "elongation": 1}, "linear"), joint("spherical"), "arm", TURN)],
        loads=[along("arm", wrench=[0.1, -0.2, 0.3, 1, 2, -3]), along("arm", frame="body", to=0.35, wrench=[0.2, 0.1, 0, 3, -1, 0.5]),
               along("tail", frame="body", channels=["twist", None, None, None, "push", None], pose=TILT, **{"from": 0.2, "to": 0.7}),
               along("tail", channels=[None, None, "turn", None, None, "lift"], **{"from": 0.5})])


def mixed_actuators():
    return model("mixed_actuators", [
        link("cart", mass(1.0), joint("planar", "z", damping=0.5)), link("hip", mass(0.5), joint("revolute", [0, 1, 0.3]), "cart", TILT),
        link("leg", rod({"bending_y": 1, "bending_z": 1}, length=0.3), joint("spherical", stiffness=1), "hip", TURN)],
        actuators=[{"name": "ankle", "type": "joint", "link": "leg", "mode": "force"}, tendon("cable", "leg", linear(0.012, 0)),
                   {"name": "drive", "type": "joint", "link": "cart", "mode": "force"}, {"name": "motor", "type": "joint", "link": "hip"}],
        loads=[{"name": "kick", "link": "leg", "at": 0.5, "frame": "world", "channels": [None, None, None, "kick_x", None, "kick_z"]}])


def magnets_in_a_field():
    """Rods magnetised along and across themselves, hollow and tapered, rigid bodies with a moment off their frames, a free one; two fields."""
    hollow = {"shape": "circle", "radius": [0.012, 0.008], "inner_radius": 0.004}
    return model("magnets_in_a_field", [
        link("arm", {**rod({"bending_y": 1, "bending_z": 1, "torsion": 0}), "magnetisation": [9e3, 2e3, -4e3]}, joint("revolute", "y"), pose=TILT),
        link("bead", {**mass(0.2, inertia=FULL_INERTIA), "magnetisation": [0.3, -0.8, 1.1]}, joint("spherical"), "arm", TURN, at=0.6),
        link("tail", {**rod({"bending_y": 1, "elongation": 0}, section=hollow, length=0.3), "magnetisation": [-2e4, 0, 5e3]},
             joint("fixed"), "arm", TURN),
        link("swimmer", {**mass(0.1), "magnetisation": [0, 0, 0.7]}, joint("free"), pose=TURN)],
        actuators=[tendon("cable", "arm", linear(0.01, 0)), {"name": "coil", "type": "field", "gradient": True},
                   {"name": "motor", "type": "joint", "link": "arm"}, {"name": "earth", "type": "field"}])


def buoyancy():
    return model("buoyancy", [
        link("float", {**mass(0.8), "hydrodynamics": {"body_density": 400}}, joint("revolute", "y"), pose=TILT),
        link("sinker", mass(0.5), joint("spherical"), "float", TURN),
        link("stem", rod({"bending_y": 1, "bending_z": 1, "elongation": 0}, material={**SOFT, "density": 1300}), joint("revolute"), "float", TURN)],
        gravity=(0, 0, -9.81), fluid={"density": 1000})


def angles_near_multiples_of_pi():
    return model("angles_near_multiples_of_pi", [
        link("ball", mass(0.8, inertia=FULL_INERTIA), joint("spherical"), pose=TILT),
        link("stem", rod({"bending_y": 1, "torsion": 0}, length=0.5), parent="ball", pose=TURN), link("flyer", mass(0.4), joint("free"), "stem")])


def everything_together():
    thin = {"shape": "ellipse", "semi_y": [0.012, 0.008], "semi_z": {"s": [0, 0.5, 1], "value": [0.01, 0.012, 0.006]}}
    on = lambda name, *routing: {"link": name, "routing": linear(*routing)}
    return model("everything_together", [
        link("deck", None, joint("helical", [1, 0, 2], pitch=0.05, damping=0.3), pose=TILT),
        link("mast", rod({"bending_y": 1, "bending_z": 1}, "linear", reference=[0.2, 1.5, 0, 1, 0, 0.02]),
             joint("revolute", "-x", stiffness=4), "deck", TURN),
        link("spar", rod({"bending_y": 1, "elongation": 0}, "gaussian", length=0.2, section=thin, material=STIFF),
             joint("universal", "z", stiffness=0.3), "mast", {"rpy": [0, 0, 1.4]}, at=0.72),
        link("flag", {"type": "rigid", "shape": {"type": "box", "size": [0.1, 0.002, 0.06]}, "density": 900, "com": [0.05, 0, 0.03]},
             joint("cylindrical", "x", damping=0.01), "spar", at=0.35), link("top", mass(0.1), parent="mast", pose=TURN)],
        actuators=[{"name": "winch", "type": "joint", "link": "mast", "mode": "force"},
                   {"name": "stay", "type": "tendon", "segments": [on("mast", 0.01, 0.005, 0, 0.005), on("spar", 0.004, 0),
                                                                   {"link": "flag", "points": [[0.1, 0, 0.06], [0.1, 0, 0]]}]},
                   {"name": "lift", "type": "joint", "link": "spar"}],
        loads=[{"name": "wind", "link": "spar", "at": 0.5, "frame": "world", "channels": [None, None, None, "wind_x", "wind_y", None]},
               {"name": "weight", "link": "mast", "at": 0.72, "frame": "world", "wrench": [0, 0, 0, 0, 0, -2]}],
        fluid={"density": 300})


FUNCTIONS = (joints_one_coordinate, joints_several_coordinates, joints_principal_planes, joints_spherical_free, rigid_shapes,
             basis_legendre, basis_monomial, basis_chebyshev, basis_fourier, basis_gaussian, basis_inverse_multiquadric,
             basis_linear, basis_quadratic, basis_cubic, basis_hermite, basis_table, basis_order_zero, high_order, default_points, hollow_sections, stiffness_sections, coupled_sections,
             children_along_a_rod, children_along_elements, rods_on_joints_two_roots, floating_rod, bodiless_links,
             tendon_routings, tendons_through_links, tendons_by_length, tendons_with_friction, springs_between_links, loads_on_links, loads_along_rods, mixed_actuators, magnets_in_a_field, buoyancy, angles_near_multiples_of_pi, everything_together)
