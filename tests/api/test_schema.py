"""The JSON Schemas of api/schema against the C reader: thousands of documents, each judged by both.

Documents are made from good ones by breaking one place at a time. Both must accept or refuse it alike; where only C
refuses, its message must belong to one of the rules below, which a schema cannot say. Whatever C refuses must be named
by a pointer that lies on the way to the broken place.
"""
import copy
import glob
import json
import os
import re
import subprocess
import unittest

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
CHECK = os.path.join(os.environ.get("TENDRIL_BIN", os.path.join(SOURCE, "build", "dev", "bin")), "..", "tests",
                     "check_document")
EXAMPLE = os.path.join(SOURCE, "api", "examples", "cdm.model.json")

# Rules that hold between places of a document or need arithmetic: name -> message of the C reader.
SEMANTIC = {
    "size of numbers of cotangents, as deep in arrays as the field has axes": r"more than 1e\+100: sums and their derivatives",
    "limits stand in order": "is below the lower limit",
    "moments of a body": r"^no body has it",
    "options of a method": r"^is an option of",
    "a loop closes a chain": r"a loop to itself|must be x, y or z of its frames",
    "water has a level surface": r"must be along z where water has a level surface|cannot cross the water's surface",
    "resistive-force theory is for thin rods in a viscous fluid": r"needs the fluid's viscosity|is for thin rods",
    "heights rise": r"heights must rise strictly",
    "loads per length": r"only a rod has loads per length|must be more than `from` by",
    "a rod has a length at rest": r"the stretch, its fourth number, must be greater than 0",
    "a rod is not turned inside out": r"is turned inside out",
    "what touches has something to touch with": r"is named twice|no rod that could touch|has no radius to touch with|nothing to touch with|must be at least 1 where|"
                                                 r"stiffness per length is one of rods|has no body|cannot touch yet|of type self|is no rod|"
                                                 r"sections deform|by the tangent of a rod|touches with (is flat|is sharp|has \d+ points)",
    "what sticks holds up to friction": r"needs `friction`",
    "a rounding leaves something of an edge": r"leaves nothing of an edge|leaves nothing of a radius",
    "triangles have points": r"is no number of a point",
    "meshes of all links have bounds": r"are drawn, more than",
    "water takes energy": r"would drive the body|must be positive semidefinite",
    "a joint is driven in one way": r"prescribes the motion of this joint already|driven either by force or by position",
    "names refer to links": r"there is no link|must name a link|comes later|own parent",
    "a rod has a routing, another link points": r"only a rod has a `routing`|`points` are for rigid links|a `routing` or `points`, not both",
    "reduced bodies: points on the axis resolve the curvature": r"is not resolved by the \d+ Gauss points",
    "reduced bodies: a wall and a cavity fit into the body": r"must be thinner than the radius|must be less than the radius",
    "reduced bodies: a source needs a cavity": r"a source needs a hollow body",
    "reduced bodies: a mode moves something": r"is zero everywhere",
    "elements of a mesh have volume between its points": r"must have volume|is folded at|the mesh has \d+ points|has no element",
    "a body is a box or a mesh": r"a `size` or a `mesh`, not both",
    "reduced bodies: three points make a frame": r"lie on a line",
    "reduced bodies: tendons run within the body": r"must lie in \[0, [0-9.]+\], is",
    "chambers of the link": r"no chamber to inflate|must lie in \[0, \d+\], is \d+",
    "names are unique": r"has this name already|cannot be a link's name",
    "lists have equal lengths": r"has \d+ entries, [stz] has \d+|expected an array of \d+ numbers, got an array of",
    "knots rise from 0 to 1, times rise": r"must rise strictly|knots must run from 0 to 1",
    "a spline stays positive": r"must be positive all along",
    "a hole fits into its section": r"must lie in \[0, `\w+`\)|is required: a hole has",
    "stiffness of what is active": r"is required: \w+ is active",
    "stiffness with its coupling is definite": r"together with the diagonal it must be positive definite",
    "splines stay above 0": r"must not be negative along the rod",
    "enough Gauss points": r"fewer than the \d+ coefficients",
    "functions of a table are independent": r"is zero or a combination of the coordinates before it",
    "only a joint that moves is driven": r"fixed and has no coordinate",
    "the robot can move": r"the model has no coordinate",
    "an inertia is that of a body": r"must be symmetric|is not positive semidefinite|a moment of inertia cannot be negative|exceeds the sum of the other two",
    "a polygon encloses an area": r"must enclose an area|must not cross|is the same point as the vertex before",
    "every coordinate has inertia": r"so that the mass matrix would be singular",
    "numbers stay in range": r"leaves the range of double|its mass and inertia must be finite|norm must be finite",
    # jobs against their model
    "channels of the model": r"the model has no input channel",
    "a tendon cannot push": r"a tendon cannot push",
    "states of the model": r"but the model has \d+ coordinates",
    "fields of the model": r"^unknown field|^the field \".*\" is listed twice|^field",
    "lists of one length": r"but a list before it has",
    "bounds of a run": r"are more than",
    "numbers the method can work with": r"^must lie in \[",
    "index 3 in methods that can": r"index3 belongs to",
    # controllers against their type and model
    "a law has its own keys": r"required by a |feed_forward has no gains|takes no reference in|linear has no velocity",
    "inertias of a body": r"no body has it",
    "a continuation moves one channel": r"a continuation follows one channel|has no channel|a name must be printable",
    "options of the chosen method": r"is an option of .* the method that was chosen",
    "keys of one space": r"belong to the space",
    "gains and rows fit the channels": r"one number or one per channel|must have one row per time|rows must have",
    "a channel has one master": r"has an input too|belongs to controller|is listed twice",
    "a controller needs forces": r"prescribes a motion|is a load;|is a spring's rest;|is a velocity of the fluid;|is driven by its length",
    "keys of a tendon fit its mode": r"belongs to mode \"length\"|required with mode \"length\"",
    "a spring lies between two bodies": r"both ends are on one body",
    "outputs of the channels": r"is not a tendon|cannot place|one coordinate per channel|required: not every channel",
    "references of the model": r"the model has no (coordinate|link)",
    "windows of time": r"must come after from",
    "a spline needs two knots": r"^must have \d+ to \d+ entries",
    # fits
    "records fit their times, their fields and each other": r"has \d+ rows, |its rows have \d+ numbers|has \d+ numbers, |times must rise|has \d+ axes|is not below|after the end of the run|have no sigma|has \d+ indices|equilibria have no times|there are no data|too large to be fitted|needs its times",
    "experiments of one model": r"experiments of a fit are of one model|the model stands at the top|\"model\" is missing",
    "bounds around the first value": r"is (below|above) (all values|the first value)|is not above the lower bound|has no logarithm",
    "what random starts and priors need": r"random starts|a prior needs data with sigma",
    "places of parameters": r"has nothing at|cannot be a parameter|is no number that|a parameter twice|is the name of parameter \d+, too|holds no number|names? one of its numbers|JSON pointer|has no meaning here|a text, no number|a flag, no number|has no room to change",
    # gradients
    "objectives fit their samples": r"is no field of these samples|indices, entries here have|has 0 to \d+, is|numbers for each sample|has \d+ rows, there are|there is no sample at|times must rise|one for all or \d+ are needed|needs rows of numbers, all of one shape|has \d+ rows, t has|has \d+ indices, the first entry|^expected an array of indices",
    "a path has no gradient": r"a gradient those that it is told",
    "runs that have derivatives": r"have no derivatives",
    # designs
    "methods take what they can": r"lbfgs takes no constraints",
    "bounds are in order": r"is below lower",
    # sweeps
    "places of the base": r"the base has nothing at",
    "places apart from each other": r"are in each other's way|varied as a whole and in its parts",
    "lists of one length in mode zip": r"has \d+ values, the first list has",
    "jobs of a sweep": r"jobs or more, a sweep has at most",
}

FULL = {
    "format": "tendril.model/1", "name": "all", "description": "x", "gravity": [0, 0, -9.81],
    "fluid": {"density": 1000, "viscosity": 1e-3, "velocity": {"z": [-1, 0.5], "velocity": [[0, 0, 0], [0.2, 0.1, 0]]},
              "channels": ["stream", None, "upwelling"], "surface": {"z": 0.5, "width": 0.1}},
    "links": [
        {"name": "base", "joint": {"type": "free"}, "pose": {"translation": [1, 2, 3], "quaternion": [1, 0, 0, 0]},
         "body": {"type": "rigid", "mass": 2, "com": [0, 0, 0.1], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
                  "collision": {"shape": "capsule", "radius": 0.1, "length": 0.3, "axis": "x", "pose": {"rpy": [0, 0, 0.1]}},
                  "hydrodynamics": {"body_density": 500, "drag": [1, 1, 1, 2, 2, 2], "linear": [1, 1, 1, 2, 2, 2],
                                    "added_mass": [[1 + (i > 2) if i == j else 0 for j in range(6)] for i in range(6)]}}},
        {"name": "arm", "parent": "base", "at": 0.5, "pose": {"rpy": [0, 0.1, 0]},
         "view": [{"type": "box", "size": [1, 2, 3], "colour": [0.1, 0.2, 0.3, 0.5], "pose": {"rpy": [0, 0.1, 0]}},
                  {"type": "cylinder", "radius": 0.1, "length": 0.2, "axis": "x"}, {"type": "sphere", "radius": 0.1, "colour": [1, 0, 0]},
                  {"type": "capsule", "radius": 0.1, "length": 0.2, "axis": [0, 1, 1]},
                  {"type": "mesh", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]}],
         "joint": {"type": "helical", "axis": "-y", "pitch": 0.1, "stiffness": 3, "damping": [4], "rest": 0.2},
         "body": {"type": "rod", "length": 0.5,
                  "section": {"shape": "rectangle", "height": [0.02, 0.01],
                              "width": {"s": [0, 0.5, 1], "value": [0.02, 0.03, 0.01]}},
                  "material": {"young": 1e6, "poisson": 0.5, "density": 1000, "viscosity": 100},
                  "strain": {"basis": "legendre", "order": {"bending_y": 2, "elongation": 0},
                             "reference": {"s": [0, 1], "value": [[0, 0, 0, 1, 0, 0], [0, 1, 0, 1, 0, 0]]}},
                  "quadrature": {"points": 6},
                  "hydrodynamics": {"cd_x": 0.1, "cd_y": 1, "cd_z": 1, "cl_x": -0.1, "cl_y": 0.1, "cl_z": 0.1,
                                    "added_y": 0.6, "added_z": 0.6, "linear": {"tangential": 0.1, "normal": 0.2}}}},
        {"name": "leaf", "parent": "arm", "joint": {"type": "spherical", "stiffness": [1, 2, 3]},
         "body": {"type": "rod", "length": 0.2, "section": {"shape": "circle", "radius": 0.01},
                  "material": {"young": 1e6, "shear": 3e5, "density": 900},
                  "strain": {"basis": "table", "s": [0, 0.4, 1], "bending_z": [[1, 1, 1], [0, 0.4, 1]]},
                  "hydrodynamics": {"resistive_force": True}}},
        {"name": "ring", "parent": "leaf", "joint": {"type": "planar", "axis": [0, 1, 1]},
         "body": {"type": "rod", "length": 0.2, "section": {"shape": "ellipse", "semi_y": 0.01, "semi_z": [0.02, 0.01]},
                  "material": {"young": 1e6, "shear": 3e5, "density": 900},
                  "strain": {"basis": "hermite", "order": {"bending_z": 2, "torsion": 1},
                             "reference": [0, 0, 1, 1, 0, 0]}}},
        {"name": "straw", "parent": "leaf", "joint": {"type": "fixed"},
         "body": {"type": "rod", "length": 0.2, "section": {
             "shape": "ellipse", "semi_y": 0.01, "semi_z": [0.02, 0.01], "inner_semi_y": 0.008, "inner_semi_z": [0.01, 0.005],
             "torsion_constant": 1e-8, "shear_correction": {"s": [0, 1], "value": [0.8, 0.9]}, "damping": [1e-3, 1e-3, 1e-3, 1, 1, 1]},
                  "material": {"young": 1e6, "shear": 3e5, "density": 900},
                  "strain": {"basis": "legendre", "order": {"bending_z": 1, "torsion": 0}}}},
        {"name": "blade", "parent": "leaf", "joint": {"type": "fixed"},
         "body": {"type": "rod", "length": 0.2, "section": {
             "shape": "stiffness", "GJ": 2, "EI_y": [3, 2], "EI_z": 4, "EA": 1e4, "GA_y": 5e3,
             "GA_z": {"s": [0, 1], "value": [5e3, 4e3]}, "mass_per_length": 0.3, "inertia_per_length": [1e-4, 5e-5, 5e-5],
             "damping": {"s": [0, 1], "value": [[0, 0, 0, 1, 1, 1], [0, 0.1, 0, 1, 1, 1]]}, "radius": 0.01,
             "coupling": [[0, 0.5, 0, 0, 0, 0], [0.5, 0.1, 0, 3, 0, 0], [0, 0, 0, 0, 0, 0], [0, 3, 0, 0, 0, 0],
                          [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]},
                  "strain": {"basis": "legendre", "order": {"bending_y": 1, "torsion": 0, "shear_y": 0}}}},
        {"name": "ball", "parent": "leaf", "joint": {"type": "fixed"},
         "body": {"type": "rigid", "density": 700, "shape": {"type": "prism", "polygon": [[0, 0], [0.1, 0], [0, 0.1]],
                                                             "height": 0.02, "axis": "x"},
                  "collision": {"shape": "sphere", "radius": 0.05, "pose": {"translation": [0.03, 0, 0]}}}},
        {"name": "can", "joint": {"type": "universal", "limits": {"lower": [None, -1], "upper": 1.5, "stiffness": [10, 20], "damping": [0.5, 0]}}, "body": {"type": "rigid", "density": 700, "com": [0, 0, 1],
         "shape": {"type": "cylinder", "radius": 0.02, "length": 0.1, "axis": [0, 0, 2]},
         "collision": {"shape": "mesh", "points": [[0.02, 0, 0], [-0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.1]], "rounding": 0.001,
                       "pose": {"translation": [0, 0, 1]}}}},
        {"name": "box", "joint": {"type": "cylindrical"},
         "body": {"type": "rigid", "density": 700, "shape": {"type": "box", "size": [0.1, 0.2, 0.3]},
                  "collision": {"shape": "box", "size": [0.1, 0.2, 0.3], "rounding": 0.01, "pose": {"translation": [0, 0, 0]}}}},
        {"name": "egg", "joint": {"type": "prismatic", "axis": "x"},
         "body": {"type": "rigid", "density": 700, "shape": {"type": "sphere", "radius": 0.1}}}],
    "actuators": [
        {"name": "c1", "type": "tendon", "link": "arm",
         "routing": {"type": "sum", "of": [{"type": "linear", "base": [0.005, 0], "tip": [0, 0]},
                                           {"type": "helix", "radius": 0.001, "turns": 2, "phase": 1}]}},
        {"name": "c2", "type": "tendon", "joined": False, "segments": [
            {"link": "arm", "routing": {"type": "table", "s": [0, 0.5, 1], "y": [0, 0, 0.001], "z": [0.004] * 3}},
            {"link": "ball", "points": [[0, 0, 0], [0.01, 0, 0]]}]},
        {"name": "c3", "type": "tendon", "link": "box", "points": [[0, 0, 0], [0, 0, 1]]},
        {"name": "c4", "type": "tendon", "link": "arm", "mode": "length", "stiffness": 1e4, "rest": 0.5, "damping": 2,
         "slack_width": 1e-3, "friction": 0.2, "slip_speed": 1e-2, "routing": {"type": "linear", "base": [0.004, 0]}},
        {"name": "c5", "type": "tendon", "mode": "tension", "friction": 0.2,
         "segments": [{"link": "arm", "routing": {"type": "linear", "base": [0.004, 0]}}, {"link": "ball", "points": [[0, 0, 0]]}]},
        {"name": "m", "type": "joint", "link": "arm", "mode": "force"},
        {"name": "p", "type": "joint", "link": "egg", "mode": "position"}],
    "loads": [{"name": "wind", "link": "arm", "per_length": True, "from": 0.25, "to": 0.75, "frame": "body",
               "wrench": [0, 0, 0, 1, 2, 3]},
              {"link": "leaf", "per_length": True, "channels": ["twist", None, None, None, None, None]},
              {"name": "push", "link": "arm", "at": 0.5, "frame": "body", "wrench": [0, 0, 0, 1, 2, 3]},
              {"link": "ball", "pose": {"translation": [0, 0, 1]}, "channels": [None, None, None, "fx", "fy", None]}],
    "contacts": [{"name": "tube", "type": "cylinder_interior", "radius": 0.15, "stiffness": 1e5, "exponent": 1.5,
                  "axis": "-y", "links": ["arm", "leaf"], "pose": {"translation": [0, 0, 1]}},
                 {"type": "cylinder_exterior", "radius": 0.15, "stiffness": 1e5, "axis": [0, 0, 1]},
                 {"type": "plane", "stiffness": 1e5, "axis": "x", "per": "length", "damping": 0.1, "friction": 0.5,
                  "slip_speed": 1e-2, "anisotropy": [1, 0.3]}, {"type": "sphere", "radius": 0.1, "stiffness": 1e5},
                 {"type": "box", "size": [0.1, 0.2, 0.3], "rounding": 0.01, "stiffness": 1e5, "pose": {"translation": [0, 0, -2]}},
                 {"name": "floor", "type": "plane", "stiffness": 1e5, "links": ["base", "can", "box", "egg", "arm"]},
                 {"name": "grip", "type": "pair", "a": ["arm", "base"], "b": ["ball"], "stiffness": 1e5, "exponent": 2, "damping": 0.1,
                  "friction": 0.5, "stick": {"stiffness": 1e4, "damping": 10}, "anisotropy": [0.5, 1]},
                 {"name": "knot", "type": "self", "link": "arm", "apart": 0.1, "stiffness": 1e5, "exponent": 2, "damping": 0.1,
                  "friction": 0.5, "slip_speed": 1e-2}],
    "loops": [{"name": "grip", "a": {"link": "leaf", "at": 0.5, "pose": {"translation": [0.1, 0, 0]}},
               "b": {"link": "world"}, "joint": {"type": "spherical"}},
              {"a": {"link": "can"}, "b": {"link": "box", "pose": {"rpy": [0, 0, 1]}},
               "joint": {"type": "revolute", "axis": "x"}},
              {"a": {"link": "base"}, "b": {"link": "ring"}, "joint": {"type": "helical", "pitch": 0.1}}],
    "springs": [{"name": "bow", "a": {"link": "arm", "at": 0.3, "pose": {"translation": [0, 0.01, 0]}}, "b": {"link": "egg"},
                 "stiffness": 100, "damping": 2, "rest": 0.1, "channel": "draw"},
                {"a": {"link": "world"}, "b": {"link": "can"}, "damping": 3}]}

TUBE = {"type": "reduced", "length": 0.2, "radius": 0.02, "density": 1000, "young": 1e6, "poisson": 0.45, "damping_time": 0.1}

# Every kinematics with every key, chambers, tendons along and through them; an LVP body is hollow and widens.
REDUCED = {
    "format": "tendril.model/1", "name": "reduced", "gravity": [0, 0, -9.81],
    "links": [
        {"name": "hinge", "joint": {"type": "revolute", "axis": "y"}, "body": {"type": "rigid", "mass": 1, "inertia": [1, 1, 1]}},
        {"name": "flat", "parent": "hinge", "joint": {"type": "fixed"},
         "body": {**TUBE, "kinematics": "pcc_planar", "section_inertia": True, "quadrature": {"s": 7}}},
        {"name": "long", "parent": "flat", "joint": {"type": "fixed"}, "body": {**TUBE, "kinematics": "pcc_planar_extensible"}},
        {"name": "arc", "parent": "long", "at": 0.5, "joint": {"type": "prismatic"},
         "body": {**TUBE, "kinematics": "pcc", "radius": [0.02, 0.01]}},
        {"name": "curve", "parent": "arc", "joint": {"type": "fixed"},
         "body": {**TUBE, "kinematics": "polynomial_curvature", "order": 2, "planar": False, "section_inertia": False}},
        {"name": "bell", "parent": "curve", "joint": {"type": "fixed"},
         "body": {**TUBE, "kinematics": "gaussian_curvature", "width": 0.1}},
        {"name": "muscle", "joint": {"type": "fixed"},
         "body": {**TUBE, "kinematics": "pcc_variable_radius", "radius_law": "scale", "wall": 0.004,
                  "quadrature": {"s": 6, "r": 5, "angle": 6}}},
        {"name": "cup", "parent": "muscle", "joint": {"type": "fixed"},
         "body": {**TUBE, "kinematics": "lvp", "inner_radius": 0.01,
                  "modes": [{"field": "e", "polynomial": [0, 1]}, {"field": "source", "polynomial": [1e-4]},
                            {"field": "kx", "polynomial": [1, 0, -1]}, {"field": "kz", "polynomial": [1]},
                            {"field": "sy", "polynomial": [1]}]}}],
    "actuators": [
        {"name": "p0", "type": "pressure", "link": "muscle", "chamber": 1}, {"name": "p1", "type": "pressure", "link": "cup"},
        {"name": "c0", "type": "tendon", "link": "arc", "routing": {"type": "linear", "base": [0.01, 0]}},
        {"name": "c1", "type": "tendon", "segments": [
            {"link": "muscle", "points": [[0.01, 0, 0], [0.01, 0, 0.2]]}, {"link": "cup", "points": [[0, 0.015, 0.1]]}]},
        {"name": "c2", "type": "tendon", "link": "cup", "points": [[0.015, 0, 0], [0.015, 0, 0.2]], "joined": False}]}

BOX = {"format": "tendril.model/1", "name": "box", "fluid": {"density": 1000, "velocity": [0.1, 0, 0]},
       "links": [{"name": "beam", "joint": {"type": "fixed"}, "body": {
           "type": "reduced", "kinematics": "ritz", "length": 0.2, "density": 1100, "young": 3e5, "poisson": 0.35,
           "damping_time": 0.02, "size": [0.04, 0.04, 0.2], "quadrature": {"x": 3, "y": 3, "z": 6},
           "modes": [[[[1, 0, 0, 2]], [], [[-2, 1, 0, 1]]], [[], [], [[1, 0, 0, 1]]]],
           "tip_points": [[0, 0, 0.2], [0.02, 0, 0.2], [0, 0.02, 0.2]]}}]}

MESH = copy.deepcopy(BOX)
del MESH["links"][0]["body"]["size"]
MESH["links"][0]["body"].update(quadrature={"points": 2}, mesh={
    "points": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 2]],
    "tetrahedra": [[4, 5, 7, 8]], "hexahedra": [[0, 1, 2, 3, 4, 5, 6, 7]]})

JOBS = [
    {"model": "cdm@3", "kind": "dynamics", "t_end": 10, "initial": {"q": [0.0] * 24, "qd": [0.0] * 24},
     "inputs": {"cable1": {"type": "sine", "offset": 5, "amplitude": 4, "frequency": 0.5, "phase": 1},
                "cable2": {"type": "steps", "t": [0, 2, 5], "value": [0, 8, 3]},
                "cable3": {"type": "product", "of": [2, {"type": "sum", "of": [{"type": "constant", "value": 1}, 3]}]},
                "cable4": {"type": "table", "t": [0, 1, 2], "value": [0, 1, 0], "interpolation": "linear"},
                "cable5": {"type": "polynomial", "coefficients": [1, 2]}},
     "integrator": {"method": "bdf", "rtol": 1e-3, "atol": 1e-6, "h": 0.001, "h_max": 0.1, "formulation": "index1",
                    "baumgarte": 0.01, "derivatives": "analytic"},
     "output": {"dt": 0.01, "fields": ["q", "poses:arm@1", "energy"]}, "labels": {"study": "a"}, "priority": -5,
     "max_wall_s": 60},
    {"model": {"format": "tendril.model/1", "links": []}, "kind": "dynamics", "t_end": 1, "initial": {"q": "equilibrium"},
     "inputs": {"cable1": {"type": "ramp", "t": [0, 1], "value": [2, 3]}, "cable2": 4},
     "on_inconsistency": "fail",
     "integrator": {"method": "newmark", "h": 0.002, "gamma": 0.6, "beta": 0.3, "rtol": 1e-3, "atol": 1e-6, "h_max": 1}},
    {"model": "cdm", "kind": "statics", "initial": {"q": "zero"}, "unconverged": "keep",
     "inputs": {"cable1": [1, 2, 3], "cable2": 4, "cable3": {"type": "constant", "value": 5}}},
    {"model": "cdm", "kind": "statics", "inputs": {"cable2": 4}, "unconverged": "keep",
     "continuation": {"channel": "cable1", "steps": 20, "follow": "arc_length", "to": 10, "ds": 0.2},
     "sensitivity": {"parameters": ["/model/gravity", {"path": "/job/inputs/cable2", "name": "pull"}],
                     "fields": ["q", "poses:arm@1", "energy"]}},
    {"model": "cdm", "kind": "dynamics", "t_end": 1,
     "integrator": {"method": "hht", "alpha": -0.1, "adaptive": True, "formulation": "index3", "baumgarte": 0.02}},
    {"model": "cdm", "kind": "dynamics", "t_end": 1, "integrator": {"method": "generalized_alpha", "rho_inf": 0.7},
     "sensitivity": {"parameters": ["/job/inputs"], "fields": ["qd"]}},
    {"model": "cdm", "kind": "dynamics", "t_end": 1, "controller": {
        "type": "partial_feedback_linearisation", "channels": ["cable1", "cable2"], "kp": 100, "kd": [20, 20],
        "from": 0.1, "until": 0.9,
        "reference": {"space": "tendon", "t": [0, 1], "value": [[0.5, 0.5], [0.49, 0.5]], "interpolation": "spline"}}},
    {"model": "cdm", "kind": "dynamics", "t_end": 1, "inputs": {"cable1": 3}, "controller": [
        {"type": "pd_plus", "channels": ["cable2"], "kp": 1, "kd": 0.1,
         "reference": {"space": "joint", "coordinates": ["arm.bending_y[0]"], "t": [0], "value": [0.1]}},
        {"type": "computed_torque", "channels": ["cable3", "cable4", "cable5"], "kp": [1, 2, 3], "kd": 1, "until": 0.5,
         "reference": {"space": "tip", "tips": ["arm"], "t": [0, 1], "value": [[0, 0, 0.5], [0, 0.1, 0.5]],
                       "interpolation": "cubic"}},
        {"type": "feed_forward", "channels": ["cable3"], "from": 0.5,
         "reference": {"t": [0, 1], "value": [0, 2], "interpolation": "linear"}}]},
    {"model": "cdm", "kind": "linearize", "at": "equilibrium", "inputs": {"cable1": 5}, "labels": {"study": "a"},
     "sensitivity": {"parameters": ["/model/gravity"]}},
    {"model": "cdm", "kind": "linearize", "at": {"q": [0.0] * 24, "qd": [0.1] * 24}, "priority": 1, "max_wall_s": 60},
    {"model": "cdm", "kind": "linearize", "at": {"times": [0, 0.5, 2]}, "initial": {"q": "equilibrium"},
     "inputs": {"cable1": {"type": "ramp", "t": [0, 1], "value": [0, 2]}}, "integrator": {"method": "newmark", "h": 0.01}},
    {"kind": "fit", "model": "cdm", "labels": {"study": "c"}, "priority": 1, "max_wall_s": 60, "starts": 2, "seed": 3,
     "max_iterations": 20, "tolerance": 1e-9, "unconverged": "keep",
     "of": [{"job": {"kind": "dynamics", "t_end": 1, "inputs": {"cable1": 3}},
             "data": [{"field": "poses:arm@1", "select": [[0, 3], [1, 3]], "t": [0.5, 1], "value": [[0.1, None], [0.2, 0.3]],
                       "sigma": [0.001, 0.002]},
                      {"field": "q", "select": [3], "t": [1], "value": [0.5], "sigma": 0.1}]},
            {"job": {"kind": "statics", "inputs": {"cable1": [1, 2]}},
             "data": [{"field": "q", "select": [0, 2], "value": [[1, 2], [3, 4]], "sigma": 0.1}]}],
     "parameters": [{"path": "/model/links/0/body/material/young", "name": "E", "value": 2e6, "lower": 1e5, "upper": 1e7,
                     "scale": "log", "prior": {"value": 1e6, "sigma": 1e5}},
                    {"path": "/model/links/0/body/length", "lower": 0.3, "upper": 0.7}]},
    {"kind": "fit", "parameters": ["/model/links/0/body/material/density"],
     "of": [{"job": {"model": "cdm", "kind": "statics"}, "data": [{"field": "tendons", "value": [[1, 2, 3, 4, 5]]}]}]},
    {"kind": "gradient", "labels": {"study": "c"}, "priority": 1, "max_wall_s": 9,
     "of": {"model": "cdm", "kind": "dynamics", "t_end": 0.5, "inputs": {"cable1": {"type": "table", "t": [0, 0.5], "value": [1, 2]}}},
     "parameters": ["/model/gravity", {"path": "/job/inputs/cable1/value", "name": "pull"}],
     "objective": [{"field": "poses:arm@1", "select": [[0, 3], [2, 3]], "target": [0.1, 0.2], "weight": [1, 2], "at": "end"},
                   {"field": "q", "select": [0], "target": {"t": [0, 1], "value": [[0], [1]]}, "weight": 2, "at": "all"},
                   {"field": "q", "select": [1], "linear": 3, "at": [0.25, 0.5]}]},
    {"kind": "gradient", "of": {"model": "cdm", "kind": "statics", "inputs": {"cable1": [1, 2]}},
     "parameters": ["/job/inputs/cable1"], "cotangents": {"q": [[0.5] * 24, [1] * 24]}},
    {"kind": "design", "labels": {"study": "d"}, "priority": 1, "max_wall_s": 60, "method": "mma", "max_evaluations": 20, "starts": 2, "seed": 5,
     "tolerance": 1e-5, "unconverged": "keep",
     "of": {"model": "cdm", "kind": "statics", "inputs": {"cable1": 3}},
     "objective": [{"field": "poses:arm@1", "select": [[0, 3]], "target": 0.1, "weight": 2}],
     "constraints": [{"field": "poses:arm@1", "select": [[2, 3]], "lower": -0.5, "upper": 0.5},
                     {"field": "q", "at": "all", "upper": 50}],
     "parameters": [{"path": "/job/inputs/cable1", "name": "pull", "value": 2, "lower": 0, "upper": 20},
                    {"path": "/model/links/0/body/material/young", "lower": 1e5, "upper": 1e7, "scale": "log"}]},
    {"kind": "sweep", "labels": {"study": "b"}, "priority": 3, "mode": "grid",
     "base": {"model": "cdm", "kind": "statics", "inputs": {"cable1": 1, "cable2": 4}, "priority": 2},
     "vary": [{"path": "/job/inputs/cable1", "values": [1, 2, 3]},
              {"path": "/model/links/0/body/length", "values": [0.4, 0.5]}]}]

REPLACEMENTS = [None, True, 3, -1, 0, 0.5, 1e300, "x", "", "y" * 64, "a\nb", [], {}, [1, 2, 3], [[1, 2], [3, 4]],
                {"type": "x"}, 70]


def places(value, path=()):
    """Every path in a document, the root first."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, path + (key,))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def pointer(path):
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)


def changed(document, path, change):
    """The document after change(parent, key) at a place. What is beside the way there is shared with the document."""
    copied = made = copy.copy(document)
    for key in path[:-1]:
        copied[key] = copy.copy(copied[key])
        copied = copied[key]
    change(copied, path[-1])
    return made


def broken(document):
    """(what was done, pointer of the place, document) for one change at every place."""
    for path in list(places(document)):
        if not path:
            continue
        old = at(document, path)
        yield "removed", pointer(path), changed(document, path, lambda parent, key: parent.__delitem__(key))
        news = [(f"= {json.dumps(value)}", value) for value in REPLACEMENTS]
        if isinstance(old, dict):
            news.append(("unknown key", {**old, "frobnicate": 1}))
        if isinstance(old, list) and old:
            news.append(("one more", old + old[:1]))
        for what, value in news:
            yield what, pointer(path), changed(document, path, lambda parent, key: parent.__setitem__(key, value))


def judge(kind, documents):
    lines = "".join(f"{kind} {json.dumps(d)}\n" for d in documents)
    done = subprocess.run([CHECK, EXAMPLE], input=lines, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def schema(name):
    with open(os.path.join(SOURCE, "api", "schema", name), encoding="utf8") as f:
        return json.load(f)


SCHEMAS = {name: schema(name) for name in ("model.schema.json", "job.schema.json")}  # rules are remembered by place in these


class Judge:
    """Is a document valid? Broken ones differ from the whole one in one place only and share with it what is beside the
    way there, so that a rule has been asked of most parts before."""

    KEYWORDS = ("$ref", "properties", "items", "allOf", "anyOf", "oneOf")

    def __init__(self, rules, document):
        self.parts = {id(at(document, path)) for path in places(document)}
        self.kept, self.made = {}, {}  # what was said of these, and of other parts of the present document
        self.validator = extend(Draft202012Validator, {keyword: self.remembered(keyword) for keyword in self.KEYWORDS})(rules)

    def remembered(self, keyword):
        rule = Draft202012Validator.VALIDATORS[keyword]

        def answer(validator, value, instance, within):
            known = self.kept if id(instance) in self.parts else self.made
            key = keyword, id(value), id(instance)
            if key not in known:
                known[key] = next(iter(rule(validator, value, instance, within) or ()), None) is None, instance  # alive, as its id is
            return () if known[key][0] else (ValidationError("as found before"),)

        return answer

    def is_valid(self, document):
        self.made.clear()
        return self.validator.is_valid(document)


def rule_of(message):
    return next((name for name, pattern in SEMANTIC.items() if re.search(pattern, message)), None)


class Agreement(unittest.TestCase):
    def compare(self, kind, schema_name, document):
        validator = Judge(SCHEMAS[schema_name], document)
        cases = list(broken(document))
        answers = judge(kind, [made for _, _, made in cases])
        self.assertEqual(len(answers), len(cases))
        wrong, refused = [], 0
        for (what, place, made), answer in zip(cases, answers):
            by_schema, by_c = validator.is_valid(made), answer["status"] == "ok"
            refused += not by_c
            story = f"{place} {what}: schema {'accepts' if by_schema else 'refuses'}, C says {answer}"
            if by_c and not by_schema or by_schema and not by_c and not rule_of(answer["message"]):
                wrong.append(story)
            elif not by_c and not by_schema and not (answer["pointer"] + "/").startswith(place + "/") and \
                    not (place + "/").startswith(answer["pointer"] + "/") and \
                    answer["pointer"].rsplit("/", 1)[0] != place.rsplit("/", 1)[0] and not rule_of(answer["message"]):
                wrong.append(story + " (elsewhere)")
        self.assertFalse(wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:40]))
        self.assertGreater(refused, len(cases) // 3)
        return len(cases)

    def test_schemas_are_schemas_and_state_units_everywhere(self):
        for name in ("model.schema.json", "job.schema.json"):
            Draft202012Validator.check_schema(schema(name))
            self.assertEqual([], list(undescribed(schema(name))))

    def test_good_documents_are_accepted_by_both(self):
        models = [FULL, REDUCED, BOX, MESH] + [load(p) for p in sorted(glob.glob(os.path.join(SOURCE, "api", "examples", "*.model.json")))]
        published = map(load, sorted(glob.glob(os.path.join(SOURCE, "tests", "published", "*", "*.json"))))
        models += [document["model"] for document in published if "model" in document]
        for name, kind, documents in (("model.schema.json", "model", models), ("job.schema.json", "job", JOBS)):
            validator = Draft202012Validator(schema(name))
            for document, answer in zip(documents, judge(kind, documents)):
                self.assertEqual([], [e.message for e in validator.iter_errors(document)])
                self.assertEqual("ok", answer["status"], answer)

    def test_example_jobs_are_valid(self):
        validator = Draft202012Validator(schema("job.schema.json"))
        for path in glob.glob(os.path.join(SOURCE, "api", "examples", "*.job.json")):
            self.assertEqual([], [e.message for e in validator.iter_errors(load(path))])

    def test_a_model_with_everything_broken_in_every_place(self):
        self.assertGreater(self.compare("model", "model.schema.json", FULL), 1000)

    def test_the_cable_driven_manipulator_broken_in_every_place(self):
        self.compare("model", "model.schema.json", load(EXAMPLE))

    def test_jobs_broken_in_every_place(self):
        for job in JOBS:
            self.compare("job", "job.schema.json", job)

    def test_bodies_given_by_their_kinematics_broken_in_every_place(self):
        self.assertGreater(self.compare("model", "model.schema.json", REDUCED), 1000)

    def test_a_body_of_volumetric_modes_broken_in_every_place(self):
        self.assertGreater(self.compare("model", "model.schema.json", BOX), 500)
        self.assertGreater(self.compare("model", "model.schema.json", MESH), 500)


def load(path):
    with open(path, encoding="utf8") as f:
        return json.load(f)


def undescribed(node, path=""):
    """Properties of a schema without a description (constants and references to described things aside)."""
    if isinstance(node, dict):
        for key, sub in node.get("properties", {}).items():
            if isinstance(sub, dict) and not {"description", "const", "$ref"} & set(sub):
                yield f"{path}/{key}"
        for key, sub in node.items():
            yield from undescribed(sub, f"{path}/{key}")
    elif isinstance(node, list):
        for i, sub in enumerate(node):
            yield from undescribed(sub, f"{path}/{i}")


if __name__ == "__main__":
    unittest.main()
