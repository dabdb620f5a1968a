"""Model documents in few words. Every number that a problem does not need has a value at which it does not matter."""
import numpy as np

UP = {"rpy": [0, -np.pi / 2, 0]}   # a rod's x axis points along the world's z
DOWN = {"rpy": [0, np.pi / 2, 0]}


def model(links, gravity=(0, 0, 0), **more):
    return {"format": "tendril.model/1", "name": "textbook", "gravity": list(gravity), "links": links, **more}


def rod(length=1.0, radius=0.01, young=1e9, order=None, section=None, poisson=0.3, density=1000.0, viscosity=0.0, basis="legendre",
        points=None, reference=None, **more):
    """A rod's body. order: {"bending_y": 5, …}. Quadrature is the service's default unless `points` says otherwise."""
    strain = {"basis": basis, "order": order or {}, **({"reference": reference} if reference is not None else {})}
    return {"type": "rod", "length": length, "section": section or {"shape": "circle", "radius": radius},
            "material": {"young": young, "poisson": poisson, "density": density, "viscosity": viscosity}, "strain": strain,
            **({"quadrature": {"points": points}} if points else {}), **more}


def link(name, joint="fixed", body=None, parent=None, **more):
    joint = {"type": joint} if isinstance(joint, str) else joint
    return {"name": name, **({"parent": parent} if parent else {}), "joint": joint, **({"body": body} if body else {}), **more}


def rigid(mass=1.0, com=(0, 0, 0), inertia=(0, 0, 0)):
    return {"type": "rigid", "mass": mass, "com": list(com), "inertia": list(inertia)}


def load(channels, name="rod", frame="world", at=1.0, **more):
    """channels: {"fz": "force"} names the components that are inputs."""
    components = ["mx", "my", "mz", "fx", "fy", "fz"]
    return {"link": name, "at": at, "frame": frame, "channels": [channels.get(c) for c in components], **more}


def circle_ei(young, radius):
    return young * np.pi * radius**4 / 4


def smooth(poses, pieces=8):
    """[points, 4, 4] of a rod to a curve [*, 3] for pictures: between points, arcs by Hermite's cubic from the frames' tangents."""
    p, t = poses[:, :3, 3], poses[:, :3, 0]
    chord = np.linalg.norm(np.diff(p, axis=0), axis=1)
    half = np.arccos(np.clip(np.sum(t[1:] * t[:-1], 1), -1, 1)) / 2
    arc = (chord / np.maximum(np.sinc(half / np.pi), 0.3))[:, None, None]
    s = np.linspace(0, 1, pieces + 1)[None, :, None]
    a, b, c, d = 2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2
    return (a * p[:-1, None] + b * arc * t[:-1, None] + c * p[1:, None] + d * arc * t[1:, None]).reshape(-1, 3)
