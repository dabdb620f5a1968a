"""Parts of a model document (tendril.model/1), a function for each; words, units and defaults are in the docstrings.

Written by generate_models.py from api/schema/model.schema.json. A function gives a dict as it stands in the document;
what is left out is left out there. Names and words are looked at when a function is called, the rest is checked by the
server. Model puts them together.
"""
# fmt: off
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

from .building import CHECKS, Model, Part, part

List = Sequence[Any]  # of numbers, or of lists of them; numpy's arrays will do
Object = Mapping[str, Any]  # a part as a function here gives it, or a dict with the words of the format

__all__ = ["Model", "Part", "box", "circle", "collision_box", "collision_capsule", "collision_cylinder", "collision_mesh",
           "collision_sphere", "contact_box", "contact_cylinder_exterior", "contact_cylinder_interior", "contact_pair",
           "contact_plane", "contact_self", "contact_sphere", "cylinder", "cylindrical", "drawn_box", "drawn_capsule",
           "drawn_cylinder", "drawn_mesh", "drawn_sphere", "ellipse", "end", "fixed", "free", "helical",
           "joint_actuator", "limits", "link", "load", "loop", "magnetic_field", "material", "mesh", "planar", "pose",
           "pressure", "prism", "prismatic", "rectangle", "reduced_curvature", "reduced_gaussian", "reduced_lvp",
           "reduced_polynomial", "reduced_ritz", "reduced_ritz_mesh", "reduced_variable_radius", "revolute", "rigid",
           "rigid_hydrodynamics", "rod", "rod_hydrodynamics", "routing_helix", "routing_linear", "routing_sum",
           "routing_table", "segment", "sphere", "spherical", "spring", "stiffness_section", "strain", "tendon",
           "universal"]


def pose(*, translation: Optional[List] = None, rpy: Optional[List] = None, quaternion: Optional[List] = None) -> Part:
    """A rigid transform from the frame before to the frame after: translation, then rotation.

        translation: Position of the frame's origin [x, y, z], m. Default [0, 0, 0].
        rpy: [roll, pitch, yaw], rad: R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF.
        quaternion: [w, x, y, z], normalised by the reader (dimensionless).
    """
    return part("pose", None, {}, translation=translation, rpy=rpy, quaternion=quaternion)


def link(name: str, joint: Object, *, parent: Optional[str] = None, at: Optional[float] = None,
         pose: Optional[Object] = None, body: Optional[Object] = None, view: Optional[List] = None) -> Part:
    """A joint, then a body.

        name: Unique among the links; not "world".
        parent: "world" (default) or the name of a link before this one.
        at: Material abscissa X/L on a rod parent (dimensionless). Default 1, the tip.
        pose: Fixed transform from the parent's frame to the joint's frame: m and rad.
        joint: What moves between the parent's frame (moved by pose) and the link's. One exponential of all its
            coordinates, g = exp(Phi q): a rotation and slides beside it happen together, along a screw, so that
            coordinates of planar and free are no positions. Below (R, p) is the pose of the link in the joint's frame,
            a the axis, e1 and e2 the directions normal to it (axis z: x, y; x: y, z; y: z, x), R(w) = exp([w]) the
            rotation by |w| about w. Springs, dampers and prescribed motions act on these coordinates.
        body: Mass that moves with the link. Absent: a frame without mass.
        view: What is drawn of the link instead of its body's shape or inertia, in pictures, replays and the dashboard,
            each at its pose in the link's frame. Nothing of it reaches the dynamics. Meshes of all links have at most
            30000 points and 90000 triangles together. Default: none.
    """
    return part("link", "links", {}, name=name, parent=parent, at=at, pose=pose, joint=joint, body=body, view=view)


def drawn_box(size: List, *, pose: Optional[Object] = None, colour: Optional[List] = None) -> Part:
    """A box, centred at its pose.

        size: Edges along x, y, z, m.
        pose: Its frame in that of the link: m and rad.
        colour: [red, green, blue] or [red, green, blue, opacity], each from 0 to 1 (dimensionless; sRGB). Default:
            grey.
    """
    return part("drawn_box", None, {"type": "box"}, size=size, pose=pose, colour=colour)


def drawn_cylinder(radius: float, length: float, *, axis: Optional[Union[List, str]] = None,
                   pose: Optional[Object] = None, colour: Optional[List] = None) -> Part:
    """A cylinder, centred at its pose.

        radius: Radius, m.
        length: Length along the axis, m.
        axis: Direction of the length (dimensionless). Default z.
        pose: Its frame in that of the link: m and rad.
        colour: [red, green, blue] or [red, green, blue, opacity], each from 0 to 1 (dimensionless; sRGB). Default:
            grey.
    """
    return part("drawn_cylinder", None, {"type": "cylinder"}, radius=radius, length=length, axis=axis, pose=pose,
                colour=colour)


def drawn_sphere(radius: float, *, pose: Optional[Object] = None, colour: Optional[List] = None) -> Part:
    """A ball around its pose.

        radius: Radius, m.
        pose: Its frame in that of the link: m and rad.
        colour: [red, green, blue] or [red, green, blue, opacity], each from 0 to 1 (dimensionless; sRGB). Default:
            grey.
    """
    return part("drawn_sphere", None, {"type": "sphere"}, radius=radius, pose=pose, colour=colour)


def drawn_capsule(radius: float, length: float, *, axis: Optional[Union[List, str]] = None,
                  pose: Optional[Object] = None, colour: Optional[List] = None) -> Part:
    """A cylinder between two half balls, centred at its pose.

        radius: Radius, m.
        length: Length of the cylinder without the half balls, m.
        axis: Direction of the length (dimensionless). Default z.
        pose: Its frame in that of the link: m and rad.
        colour: [red, green, blue] or [red, green, blue, opacity], each from 0 to 1 (dimensionless; sRGB). Default:
            grey.
    """
    return part("drawn_capsule", None, {"type": "capsule"}, radius=radius, length=length, axis=axis, pose=pose,
                colour=colour)


def drawn_mesh(points: List, triangles: List, *, pose: Optional[Object] = None, colour: Optional[List] = None) -> Part:
    """Triangles between points.

        points: Corners of the triangles, m.
        triangles: [a, b, c]: indices of points from 0 on (dimensionless), turning left as seen from outside.
        pose: Its frame in that of the link: m and rad.
        colour: [red, green, blue] or [red, green, blue, opacity], each from 0 to 1 (dimensionless; sRGB). Default:
            grey.
    """
    return part("drawn_mesh", None, {"type": "mesh"}, points=points, triangles=triangles, pose=pose, colour=colour)


def fixed(*, axis: Optional[Union[List, str]] = None, stiffness: Optional[Union[List, float]] = None,
          damping: Optional[Union[List, float]] = None, rest: Optional[Union[List, float]] = None) -> Part:
    """No motion.

        axis: Axis of the joint in its own frame (dimensionless). Default z.
        stiffness: Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0.
        damping: Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0.
        rest: Coordinate at which the spring is slack, rad or m. Default 0.
    """
    return part("fixed", None, {"type": "fixed"}, axis=axis, stiffness=stiffness, damping=damping, rest=rest)


def revolute(*, axis: Optional[Union[List, str]] = None, stiffness: Optional[Union[List, float]] = None,
             damping: Optional[Union[List, float]] = None, rest: Optional[Union[List, float]] = None,
             limits: Optional[Object] = None) -> Part:
    """Rotation about the axis (rad): R = R(q1 a), p = 0.

        axis: Axis of the joint in its own frame (dimensionless). Default z.
        stiffness: Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0.
        damping: Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0.
        rest: Coordinate at which the spring is slack, rad or m. Default 0.
        limits: Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the
            limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium
            under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v -
            2/3 v^2 damping / stiffness, as long as that is little less.
    """
    return part("revolute", None, {"type": "revolute"}, axis=axis, stiffness=stiffness, damping=damping, rest=rest,
                limits=limits)


def prismatic(*, axis: Optional[Union[List, str]] = None, stiffness: Optional[Union[List, float]] = None,
              damping: Optional[Union[List, float]] = None, rest: Optional[Union[List, float]] = None,
              limits: Optional[Object] = None) -> Part:
    """Translation along the axis (m): R = 1, p = q1 a.

        axis: Axis of the joint in its own frame (dimensionless). Default z.
        stiffness: Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0.
        damping: Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0.
        rest: Coordinate at which the spring is slack, rad or m. Default 0.
        limits: Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the
            limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium
            under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v -
            2/3 v^2 damping / stiffness, as long as that is little less.
    """
    return part("prismatic", None, {"type": "prismatic"}, axis=axis, stiffness=stiffness, damping=damping, rest=rest,
                limits=limits)


def helical(pitch: float, *, axis: Optional[Union[List, str]] = None, stiffness: Optional[Union[List, float]] = None,
            damping: Optional[Union[List, float]] = None, rest: Optional[Union[List, float]] = None,
            limits: Optional[Object] = None) -> Part:
    """Rotation about the axis (rad), advancing by pitch: R = R(q1 a), p = pitch q1 a.

        axis: Axis of the joint in its own frame (dimensionless). Default z.
        pitch: Advance per turn of one radian, m/rad.
        stiffness: Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0.
        damping: Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0.
        rest: Coordinate at which the spring is slack, rad or m. Default 0.
        limits: Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the
            limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium
            under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v -
            2/3 v^2 damping / stiffness, as long as that is little less.
    """
    return part("helical", None, {"type": "helical"}, axis=axis, pitch=pitch, stiffness=stiffness, damping=damping,
                rest=rest, limits=limits)


def cylindrical(*, axis: Optional[Union[List, str]] = None, stiffness: Optional[Union[List, float]] = None,
                damping: Optional[Union[List, float]] = None, rest: Optional[Union[List, float]] = None,
                limits: Optional[Object] = None) -> Part:
    """Rotation (rad), then translation (m), about and along one axis: R = R(q1 a), p = q2 a.

        axis: Axis of the joint in its own frame (dimensionless). Default z.
        stiffness: Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0.
        damping: Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0.
        rest: Coordinate at which the spring is slack, rad or m. Default 0.
        limits: Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the
            limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium
            under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v -
            2/3 v^2 damping / stiffness, as long as that is little less.
    """
    return part("cylindrical", None, {"type": "cylindrical"}, axis=axis, stiffness=stiffness, damping=damping,
                rest=rest, limits=limits)


def universal(*, axis: Optional[Union[List, str]] = None, stiffness: Optional[Union[List, float]] = None,
              damping: Optional[Union[List, float]] = None, rest: Optional[Union[List, float]] = None,
              limits: Optional[Object] = None) -> Part:
    """Rotation vector (rad) in the plane normal to the axis: R = R(q1 e1 + q2 e2), p = 0; not one turn after the other.

        axis: Axis of the joint in its own frame (dimensionless). Default z.
        stiffness: Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0.
        damping: Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0.
        rest: Coordinate at which the spring is slack, rad or m. Default 0.
        limits: Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the
            limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium
            under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v -
            2/3 v^2 damping / stiffness, as long as that is little less.
    """
    return part("universal", None, {"type": "universal"}, axis=axis, stiffness=stiffness, damping=damping, rest=rest,
                limits=limits)


def planar(*, axis: Optional[Union[List, str]] = None, stiffness: Optional[Union[List, float]] = None,
           damping: Optional[Union[List, float]] = None, rest: Optional[Union[List, float]] = None,
           limits: Optional[Object] = None) -> Part:
    """Rotation about the axis (rad), then the two translation parts (m) of the twist normal to it; no positions unless
    q1 = 0: R = R(q1 a), p = (q2 sin q1 - q3 (1 - cos q1))/q1 e1 + (q2 (1 - cos q1) + q3 sin q1)/q1 e2. To stand at (x,
    y) with angle t: q = (t, (t/2) (x cot(t/2) + y), (t/2) (y cot(t/2) - x)). To drive x(t), y(t) and the angle one by
    one, or to hold them by springs, take a chain of prismatic, prismatic, revolute.

        axis: Axis of the joint in its own frame (dimensionless). Default z.
        stiffness: Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0.
        damping: Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0.
        rest: Coordinate at which the spring is slack, rad or m. Default 0.
        limits: Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the
            limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium
            under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v -
            2/3 v^2 damping / stiffness, as long as that is little less.
    """
    return part("planar", None, {"type": "planar"}, axis=axis, stiffness=stiffness, damping=damping, rest=rest,
                limits=limits)


def spherical(*, axis: Optional[Union[List, str]] = None, stiffness: Optional[Union[List, float]] = None,
              damping: Optional[Union[List, float]] = None, rest: Optional[Union[List, float]] = None,
              limits: Optional[Object] = None) -> Part:
    """Rotation vector (rad) in axes of the joint's frame: R = R(q), p = 0; turned by |q| about q. The axis has no
    effect.

        axis: Axis of the joint in its own frame (dimensionless). Default z.
        stiffness: Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0.
        damping: Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0.
        rest: Coordinate at which the spring is slack, rad or m. Default 0.
        limits: Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the
            limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium
            under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v -
            2/3 v^2 damping / stiffness, as long as that is little less.
    """
    return part("spherical", None, {"type": "spherical"}, axis=axis, stiffness=stiffness, damping=damping, rest=rest,
                limits=limits)


def free(*, axis: Optional[Union[List, str]] = None, stiffness: Optional[Union[List, float]] = None,
         damping: Optional[Union[List, float]] = None, rest: Optional[Union[List, float]] = None,
         limits: Optional[Object] = None) -> Part:
    """Rotation vector w (rad), then the translation part v of the twist (m), both in axes of the joint's frame; v is no
    position unless w = 0: R = R(w), p = (1 + (1 - cos t)/t^2 [w] + (t - sin t)/t^3 [w]^2) v, t = |w|. The axis has no
    effect.

        axis: Axis of the joint in its own frame (dimensionless). Default z.
        stiffness: Spring of each coordinate, N m/rad (angles) or N/m (lengths): tau = -stiffness (q - rest). Default 0.
        damping: Damper of each coordinate, N m s/rad or N s/m: tau = -damping qd. Default 0.
        rest: Coordinate at which the spring is slack, rad or m. Default 0.
        limits: Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the
            limit) - damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium
            under a force F lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v -
            2/3 v^2 damping / stiffness, as long as that is little less.
    """
    return part("free", None, {"type": "free"}, axis=axis, stiffness=stiffness, damping=damping, rest=rest,
                limits=limits)


def limits(stiffness: Union[List, float], *, lower: Optional[Union[Any, List]] = None,
           upper: Optional[Union[Any, List]] = None, damping: Optional[Union[List, float]] = None) -> Part:
    """Soft stops, with p = q - upper or lower - q the depth beyond a limit: tau = -stiffness p (back to the limit) -
    damping p qd, potential energy stiffness p^2 / 2. The force sets in without a jump. An equilibrium under a force F
    lies F / stiffness beyond the limit; what arrives at the speed v comes back with about v - 2/3 v^2 damping /
    stiffness, as long as that is little less.

        lower: Least coordinate without a stop, rad or m; null or left out: none. One for all coordinates or one each.
        upper: Largest coordinate without a stop, rad or m; null or left out: none. Not below `lower`.
        stiffness: N m/rad (angles) or N/m (lengths), above 0.
        damping: Damper that grows with the depth, N m s/rad^2 or N s/m^2. Default 0: what hits the stop comes back as
            fast.
    """
    return part("limits", None, {}, lower=lower, upper=upper, stiffness=stiffness, damping=damping)


def rigid(*, mass: Optional[float] = None, com: Optional[List] = None, inertia: Optional[List] = None,
          hydrodynamics: Optional[Object] = None, collision: Optional[Object] = None,
          magnetisation: Optional[List] = None, shape: Optional[Object] = None,
          density: Optional[float] = None) -> Part:
    """Either: Rigid body by its mass. Or: Rigid body by its shape. Takes `mass` and `inertia`, or `shape` and
    `density`.

        mass: Mass, kg.
        com: Either: Centre of mass in the link frame, m. Default [0, 0, 0]. Or: Centre of the shape in the link frame,
            m. Default [0, 0, 0].
        inertia: Inertia about the centre of mass in link axes, kg m^2: 3x3 or its diagonal.
        hydrodynamics: What a fluid does to a rigid body. Drag, resistance and added mass are taken as given, fluid or
            not.
        collision: What a rigid body touches with where a contact names its link: the hull of balls. Without it a body
            of shape sphere, box or cylinder touches as it is, all others cannot. Between bodies (contacts of type
            pair), and before spheres, boxes and cylinder_exterior, sharp edges of boxes and cylinders are rounded,
            within their measures, by 0.1 of half of what the body measures where it is thinnest.
        magnetisation: Magnetic moment [x, y, z] of a rigid body at its centre of mass, in the link's axes, A m^2.
            Actuators of type field turn and pull it. Default [0, 0, 0].
        shape: A homogeneous solid centred at com.
        density: Density, kg/m^3.
    """
    return part("rigid", None, {"type": "rigid"}, mass=mass, com=com, inertia=inertia, hydrodynamics=hydrodynamics,
                collision=collision, magnetisation=magnetisation, shape=shape, density=density)


def rod(length: float, section: Object, strain: Object, *, material: Optional[Any] = None,
        quadrature: Optional[Object] = None, hydrodynamics: Optional[Object] = None,
        magnetisation: Optional[List] = None) -> Part:
    """Either: Rod with geometric variable strain; its local x axis is its tangent. Or: Rod with geometric variable
    strain whose section is given by its stiffness: it has no material.

        length: Length L, m.
        section: Either: Cross-section of a rod with a material. Each size is a number, [base, tip] (linear in X) or {s,
            value}. Or: Cross-section of a rod by its numbers, without shape and material. Each is a number (vector,
            matrix), [base, tip] (linear in X) or {s, value}; vectors and matrices by strain component: torsion,
            bending_y, bending_z, elongation, shear_y, shear_z. The stiffness of an active component is needed.
        material: Linear viscoelastic, isotropic. Exactly one of poisson and shear.
        strain: Strain field xi(X) = Phi(X/L) q + xi*; angular rows of Phi are divided by L.
        quadrature: Integration along the rod.
        hydrodynamics: What the fluid does to a rod, per length, v the velocity relative to it: wrench -D |v| (w, v)
            with D = rho_w r [[pi/2 cd_x, -cl_z, cl_y], [cl_z, cd_y, -cl_x], [-cl_y, cl_x, cd_z]] on the linear part (r
            the section's radius, m; of a rectangle sqrt(height width)/2, of an ellipse sqrt(semi_y semi_z): the
            classical coefficient C of a plate or ellipse by its frontal width b is cd = C b / (2 r)), added mass rho_w
            A diag(0, added_y, added_z).
        magnetisation: Magnetisation [x, y, z] of a rod's material in the axes of its sections (x along the tangent),
            A/m, carried along as it bends: a moment per length of magnetisation times the area of the section.
            Actuators of type field turn and pull it. Default [0, 0, 0].
    """
    return part("rod", None, {"type": "rod"}, length=length, section=section, material=material, strain=strain,
                quadrature=quadrature, hydrodynamics=hydrodynamics, magnetisation=magnetisation)


def circle(radius: Union[List, Object, float], *, inner_radius: Optional[Union[List, Object, float]] = None,
           torsion_constant: Optional[Union[List, Object, float]] = None,
           shear_correction: Optional[Union[List, Object, float]] = None,
           damping: Optional[Union[List, Object]] = None) -> Part:
    """Circle.

        radius: Radius, m.
        inner_radius: Radius of a concentric hole, m, less than radius. Fluid fills it. Default: none.
        torsion_constant: J of the torsional stiffness G J, m^4. Default Iy + Iz, the value of circles and round tubes;
            other sections have less (Saint-Venant), a strip far less: where it is more than 3 times too large for a
            solid section, the model has the warning torsion_constant.
        shear_correction: k of the shear stiffness k G A (dimensionless). Default 1.
        damping: Screw damping by strain component (torsion, bending_y, bending_z: N m^2 s; elongation, shear_y,
            shear_z: N s), added to that of viscosity. Default 0.
    """
    return part("circle", None, {"shape": "circle"}, radius=radius, inner_radius=inner_radius,
                torsion_constant=torsion_constant, shear_correction=shear_correction, damping=damping)


def rectangle(height: Union[List, Object, float], width: Union[List, Object, float], *,
              inner_height: Optional[Union[List, Object, float]] = None,
              inner_width: Optional[Union[List, Object, float]] = None,
              torsion_constant: Optional[Union[List, Object, float]] = None,
              shear_correction: Optional[Union[List, Object, float]] = None,
              damping: Optional[Union[List, Object]] = None) -> Part:
    """Rectangle. What asks for one radius takes r = sqrt(height width)/2, the inscribed circle's of a square of the
    same area: quadratic drag (rho r per length; give cd_y, cd_z with respect to it), resistive_force (by its mean over
    the length), and contacts, where the rod touches as if it were round: a flat strip touches by r on all sides, too
    far out by r - height/2 (or width/2) across its flat side, too far in across its edge.

        height: Edge along y, m.
        width: Edge along z, m.
        inner_height: Edge of a concentric hole along y, m, less than height; needs inner_width. Default: none.
        inner_width: Edge of a concentric hole along z, m, less than width; needs inner_height. Default: none.
        torsion_constant: J of the torsional stiffness G J, m^4. Default Iy + Iz, the value of circles and round tubes;
            other sections have less (Saint-Venant), a strip far less: where it is more than 3 times too large for a
            solid section, the model has the warning torsion_constant.
        shear_correction: k of the shear stiffness k G A (dimensionless). Default 1.
        damping: Screw damping by strain component (torsion, bending_y, bending_z: N m^2 s; elongation, shear_y,
            shear_z: N s), added to that of viscosity. Default 0.
    """
    return part("rectangle", None, {"shape": "rectangle"}, height=height, width=width, inner_height=inner_height,
                inner_width=inner_width, torsion_constant=torsion_constant, shear_correction=shear_correction,
                damping=damping)


def ellipse(semi_y: Union[List, Object, float], semi_z: Union[List, Object, float], *,
            inner_semi_y: Optional[Union[List, Object, float]] = None,
            inner_semi_z: Optional[Union[List, Object, float]] = None,
            torsion_constant: Optional[Union[List, Object, float]] = None,
            shear_correction: Optional[Union[List, Object, float]] = None,
            damping: Optional[Union[List, Object]] = None) -> Part:
    """Ellipse. What asks for one radius takes r = sqrt(semi_y semi_z), that of the circle of the same area: quadratic
    drag (rho r per length; give cd_y, cd_z with respect to it), resistive_force (by its mean over the length), and
    contacts, where the rod touches as if it were round: by r on all sides, too far out along its small semi-axis, too
    far in along its large one.

        semi_y: Semi-axis along y, m.
        semi_z: Semi-axis along z, m.
        inner_semi_y: Semi-axis of a concentric hole along y, m, less than semi_y; needs inner_semi_z. Default: none.
        inner_semi_z: Semi-axis of a concentric hole along z, m, less than semi_z; needs inner_semi_y. Default: none.
        torsion_constant: J of the torsional stiffness G J, m^4. Default Iy + Iz, the value of circles and round tubes;
            other sections have less (Saint-Venant), a strip far less: where it is more than 3 times too large for a
            solid section, the model has the warning torsion_constant.
        shear_correction: k of the shear stiffness k G A (dimensionless). Default 1.
        damping: Screw damping by strain component (torsion, bending_y, bending_z: N m^2 s; elongation, shear_y,
            shear_z: N s), added to that of viscosity. Default 0.
    """
    return part("ellipse", None, {"shape": "ellipse"}, semi_y=semi_y, semi_z=semi_z, inner_semi_y=inner_semi_y,
                inner_semi_z=inner_semi_z, torsion_constant=torsion_constant, shear_correction=shear_correction,
                damping=damping)


def stiffness_section(mass_per_length: Union[List, Object, float], *, GJ: Optional[Union[List, Object, float]] = None,
                      EI_y: Optional[Union[List, Object, float]] = None,
                      EI_z: Optional[Union[List, Object, float]] = None,
                      EA: Optional[Union[List, Object, float]] = None,
                      GA_y: Optional[Union[List, Object, float]] = None,
                      GA_z: Optional[Union[List, Object, float]] = None,
                      inertia_per_length: Optional[Union[List, Object]] = None,
                      damping: Optional[Union[List, Object]] = None, coupling: Optional[Union[List, Object]] = None,
                      radius: Optional[Union[List, Object, float]] = None) -> Part:
    """Cross-section of a rod by its numbers, without shape and material. Each is a number (vector, matrix), [base, tip]
    (linear in X) or {s, value}; vectors and matrices by strain component: torsion, bending_y, bending_z, elongation,
    shear_y, shear_z. The stiffness of an active component is needed.

        GJ: Torsional stiffness, N m^2.
        EI_y: Bending stiffness about y, N m^2.
        EI_z: Bending stiffness about z, N m^2.
        EA: Axial stiffness, N.
        GA_y: Shear stiffness along y, N, with the shear correction in it.
        GA_z: Shear stiffness along z, N, with the shear correction in it.
        mass_per_length: Mass per length, kg/m.
        inertia_per_length: Inertia per length [Jx, Iy, Iz], kg m. Default 0: a straight rod then has no inertia against
            torsion.
        damping: Screw damping by strain component: N m^2 s, then N s. Default 0.
        coupling: Symmetric 6x6 matrix added to the diagonal of stiffnesses; together they must be positive definite: N
            m^2 between angular components, N m between angular and linear ones, N between linear ones. Default 0.
        radius: Radius for contact, water and pictures, m. Without it the rod displaces no fluid and touches nothing.
    """
    return part("stiffness_section", None, {"shape": "stiffness"}, GJ=GJ, EI_y=EI_y, EI_z=EI_z, EA=EA, GA_y=GA_y,
                GA_z=GA_z, mass_per_length=mass_per_length, inertia_per_length=inertia_per_length, damping=damping,
                coupling=coupling, radius=radius)


def material(young: float, density: float, *, poisson: Optional[float] = None, shear: Optional[float] = None,
             viscosity: Optional[float] = None) -> Part:
    """Linear viscoelastic, isotropic. Exactly one of poisson and shear.

        young: Young's modulus, Pa.
        poisson: Poisson's ratio (dimensionless).
        shear: Shear modulus, Pa.
        density: Density, kg/m^3.
        viscosity: Viscosity of shear, Pa s (Kelvin-Voigt): torsion and shear are damped by it, bending and elongation
            by 3 times as much. Default 0.
    """
    return part("material", None, {}, young=young, poisson=poisson, shear=shear, density=density, viscosity=viscosity)


def strain(basis: Any, *, order: Optional[Object] = None, reference: Optional[Union[List, Object]] = None,
           s: Optional[List] = None, torsion: Optional[List] = None, bending_y: Optional[List] = None,
           bending_z: Optional[List] = None, elongation: Optional[List] = None, shear_y: Optional[List] = None,
           shear_z: Optional[List] = None) -> Part:
    """Either: Functions over the whole rod. Or: Finite elements. Or: Basis functions given at knots: natural cubic
    splines. Takes `order`, or `order`, or `s`.

        basis: Family of basis functions of s = X/L (dimensionless). One of legendre, monomial, chebyshev, fourier,
            gaussian, inverse_multiquadric, linear, quadratic, cubic, hermite.
        order: Either: Active strain components; one left out is locked at its reference. Order n has n + 1 coordinates
            (fourier 2 n + 1): 3 has four, which are called `COMPONENT[0]` to `COMPONENT[3]`. Order 1 holds small
            deflections under a tip load, 3 or 4 large ones (10 EI/L^2), soft rods under their weight need 6 to 10; runs
            and statics warn (coarse_basis) where it is too low, and say which would do. Or: Active strain components;
            one left out is locked at its reference. Of n elements linear has n + 1 coordinates, quadratic 2 n + 1,
            cubic 3 n + 1, hermite 2 n + 2.
        reference: Reference strain xi* [kx, ky, kz, sx, sy, sz]: curvatures in 1/m, then linear strains
            (dimensionless). Default [0, 0, 0, 1, 0, 0].
        s: Knots X/L (dimensionless): rising strictly from 0 to 1.
        torsion: torsion (about the tangent x): one list per coordinate, its function at the knots (dimensionless).
        bending_y: bending_y (about y): one list per coordinate, its function at the knots (dimensionless).
        bending_z: bending_z (about z): one list per coordinate, its function at the knots (dimensionless).
        elongation: elongation (along the tangent x): one list per coordinate, its function at the knots
            (dimensionless).
        shear_y: shear_y (along y): one list per coordinate, its function at the knots (dimensionless).
        shear_z: shear_z (along z): one list per coordinate, its function at the knots (dimensionless).
    """
    return part("strain", None, {}, basis=basis, order=order, reference=reference, s=s, torsion=torsion,
                bending_y=bending_y, bending_z=bending_z, elongation=elongation, shear_y=shear_y, shear_z=shear_z)


def box(size: List) -> Part:
    """Box.

        size: Edges [x, y, z], m.
    """
    return part("box", None, {"type": "box"}, size=size)


def cylinder(radius: float, length: float, *, axis: Optional[Union[List, str]] = None) -> Part:
    """Cylinder.

        radius: Radius, m.
        length: Length along the axis, m.
        axis: Axis of the cylinder (dimensionless). Default z.
    """
    return part("cylinder", None, {"type": "cylinder"}, radius=radius, length=length, axis=axis)


def sphere(radius: float) -> Part:
    """Sphere.

        radius: Radius, m.
    """
    return part("sphere", None, {"type": "sphere"}, radius=radius)


def prism(polygon: List, height: float, *, axis: Optional[Union[List, str]] = None) -> Part:
    """Prism: a polygon extruded along its axis.

        polygon: Vertices [x, y] in order, m; edges do not cross.
        height: Height along the axis, m.
        axis: Direction of extrusion (dimensionless). Default z.
    """
    return part("prism", None, {"type": "prism"}, polygon=polygon, height=height, axis=axis)


def rigid_hydrodynamics(*, drag: Optional[List] = None, linear: Optional[List] = None,
                        added_mass: Optional[List] = None, body_density: Optional[float] = None) -> Part:
    """What a fluid does to a rigid body. Drag, resistance and added mass are taken as given, fluid or not.

        drag: Wrench = -drag |v| (w, v), |v| the linear speed of the centre of mass; N s^2/m^2 for forces by linear
            speed. Drag drives no motion: the symmetric part is positive semidefinite. Default 0.
        linear: Viscous resistance: wrench = -linear (w, v) at the centre of mass, link axes; N m s, N s, N s/m (a
            sphere in Stokes flow: diag(8 pi mu r^3 three times, 6 pi mu r three times)). Its symmetric part must be
            positive semidefinite. Default 0.
        added_mass: Symmetric, positive semidefinite: kg, kg m, kg m^2; carries no weight. Default 0.
        body_density: Density of the body for buoyancy, kg/m^3. Absent: that of its shape; a body given by mass and
            inertia then has no buoyancy, and a warning says so.
    """
    return part("rigid_hydrodynamics", None, {}, drag=drag, linear=linear, added_mass=added_mass,
                body_density=body_density)


def rod_hydrodynamics(*, cd_x: Optional[float] = None, cd_y: Optional[float] = None, cd_z: Optional[float] = None,
                      cl_x: Optional[float] = None, cl_y: Optional[float] = None, cl_z: Optional[float] = None,
                      added_y: Optional[float] = None, added_z: Optional[float] = None, linear: Optional[Object] = None,
                      resistive_force: Optional[bool] = None) -> Part:
    """What the fluid does to a rod, per length, v the velocity relative to it: wrench -D |v| (w, v) with D = rho_w r
    [[pi/2 cd_x, -cl_z, cl_y], [cl_z, cd_y, -cl_x], [-cl_y, cl_x, cd_z]] on the linear part (r the section's radius, m;
    of a rectangle sqrt(height width)/2, of an ellipse sqrt(semi_y semi_z): the classical coefficient C of a plate or
    ellipse by its frontal width b is cd = C b / (2 r)), added mass rho_w A diag(0, added_y, added_z).

        cd_x: Drag coefficient along the tangent (dimensionless). Default 0.
        cd_y: Drag coefficient along y (dimensionless). Default 0.
        cd_z: Drag coefficient along z (dimensionless). Default 0.
        cl_x: Lift coefficient about x (dimensionless). Default 0.
        cl_y: Lift coefficient about y (dimensionless). Default 0.
        cl_z: Lift coefficient about z (dimensionless). Default 0.
        added_y: Added mass along y by displaced mass (dimensionless). Default 0.
        added_z: Added mass along z by displaced mass (dimensionless). Default 0.
        linear: Viscous resistance per length: force -tangential along the tangent and -normal across it, times the
            velocity; taken as given, whatever the fluid.
        resistive_force: true: `linear` by Lighthill's resistive-force theory from the fluid's viscosity mu: normal 4 pi
            mu / (ln(2 q/r) + 0.5), tangential 2 pi mu / ln(2 q/r), q = 0.09 L, r the mean radius; for rods of 10 radii
            and more. Excludes `linear`. Default false.
    """
    return part("rod_hydrodynamics", None, {}, cd_x=cd_x, cd_y=cd_y, cd_z=cd_z, cl_x=cl_x, cl_y=cl_y, cl_z=cl_z,
                added_y=added_y, added_z=added_z, linear=linear, resistive_force=resistive_force)


def reduced_curvature(kinematics: str, length: float, density: float, young: float, poisson: float,
                      radius: Union[List, float], *, damping_time: Optional[float] = None,
                      section_inertia: Optional[bool] = None, quadrature: Optional[Object] = None) -> Part:
    """Reduced body of constant curvature; its local z is the axis; strains (kx, ky, kz, sx, sy, 1 + e). pcc_planar: ky
    = -q1/L. pcc_planar_extensible: also e = q2/L. pcc: kx = -q2/L, ky = q1/L, e = q3/L.

        kinematics: How coordinates move the body (q1, q2 in rad, elongations in m). One of pcc_planar,
            pcc_planar_extensible, pcc.
        length: Length L along the axis, m.
        density: Density, kg/m^3.
        young: Young's modulus E, Pa.
        poisson: Poisson's ratio (dimensionless).
        damping_time: Kelvin-Voigt damping time eta, s. Default 0.
        radius: Outer radius R: a number or [base, tip] (linear in s), m.
        section_inertia: false (default): mass on the axis. true: four particles at (+-R/sqrt 2, 0), (0, +-R/sqrt 2) per
            node, which have the section's inertia.
        quadrature: Integration over a body with a backbone; part of the model, so that results reproduce.
    """
    return part("reduced_curvature", None, {"type": "reduced"}, kinematics=kinematics, length=length, density=density,
                young=young, poisson=poisson, damping_time=damping_time, radius=radius, section_inertia=section_inertia,
                quadrature=quadrature)


def reduced_polynomial(length: float, density: float, young: float, poisson: float, radius: Union[List, float],
                       order: int, *, damping_time: Optional[float] = None, planar: Optional[bool] = None,
                       section_inertia: Optional[bool] = None, quadrature: Optional[Object] = None) -> Part:
    """Reduced body of polynomial curvature; its local z is the axis; strains (kx, ky, kz, sx, sy, 1 + e). kx = -(q1 +
    q2 s + ...)/L, ky = (... same number of terms)/L, e = (last q)/L, s in m; planar: ky = -(q1 + q2 s + ...)/L and e.

        length: Length L along the axis, m.
        density: Density, kg/m^3.
        young: Young's modulus E, Pa.
        poisson: Poisson's ratio (dimensionless).
        damping_time: Kelvin-Voigt damping time eta, s. Default 0.
        radius: Outer radius R: a number or [base, tip] (linear in s), m.
        order: Highest power of s in a curvature (dimensionless); less than the Gauss points on the axis.
        planar: Bends about y alone. Default false.
        section_inertia: false (default): mass on the axis. true: four particles at (+-R/sqrt 2, 0), (0, +-R/sqrt 2) per
            node, which have the section's inertia.
        quadrature: Integration over a body with a backbone; part of the model, so that results reproduce.
    """
    return part("reduced_polynomial", None, {"type": "reduced", "kinematics": "polynomial_curvature"}, length=length,
                density=density, young=young, poisson=poisson, damping_time=damping_time, radius=radius, order=order,
                planar=planar, section_inertia=section_inertia, quadrature=quadrature)


def reduced_gaussian(length: float, density: float, young: float, poisson: float, radius: Union[List, float], *,
                     damping_time: Optional[float] = None, width: Optional[float] = None,
                     section_inertia: Optional[bool] = None, quadrature: Optional[Object] = None) -> Part:
    """Reduced body of Gaussian curvature; its local z is the axis; strains (kx, ky, kz, sx, sy, 1 + e). kx = -(q1 + q2
    G)/L, ky = (q3 + q4 G)/L, e = q5/L, G = exp(-((s - L/2)/width)^2).

        length: Length L along the axis, m.
        density: Density, kg/m^3.
        young: Young's modulus E, Pa.
        poisson: Poisson's ratio (dimensionless).
        damping_time: Kelvin-Voigt damping time eta, s. Default 0.
        radius: Outer radius R: a number or [base, tip] (linear in s), m.
        width: Width of the Gaussian, m. Default: the length.
        section_inertia: false (default): mass on the axis. true: four particles at (+-R/sqrt 2, 0), (0, +-R/sqrt 2) per
            node, which have the section's inertia.
        quadrature: Integration over a body with a backbone; part of the model, so that results reproduce.
    """
    return part("reduced_gaussian", None, {"type": "reduced", "kinematics": "gaussian_curvature"}, length=length,
                density=density, young=young, poisson=poisson, damping_time=damping_time, radius=radius, width=width,
                section_inertia=section_inertia, quadrature=quadrature)


def reduced_variable_radius(length: float, density: float, young: float, poisson: float, radius: float, *,
                            damping_time: Optional[float] = None, radius_law: Optional[str] = None,
                            wall: Optional[float] = None, quadrature: Optional[Object] = None) -> Part:
    """Reduced body that bends in a plane, stretches, and swells over two chambers; its local z is the axis; strains
    (kx, ky, kz, sx, sy, 1 + e). kx = q1/L, e = q2/L, change of radius dR = (q3 or q4, m) times a bump on its half of
    the circumference. Chamber k: angles [k pi, (k + 1) pi].

        length: Length L along the axis, m.
        density: Density, kg/m^3.
        young: Young's modulus E, Pa.
        poisson: Poisson's ratio (dimensionless).
        damping_time: Kelvin-Voigt damping time eta, s. Default 0.
        radius: Radius R of the body at rest, m.
        radius_law: Where a particle at radius r goes (m): shift (default) r + dR, scale r (1 + dR/R). One of shift,
            scale.
        wall: Thickness of the wall around the chambers, m; less than the radius. Default 0.
        quadrature: Integration over a body with a backbone; part of the model, so that results reproduce.
    """
    return part("reduced_variable_radius", None, {"type": "reduced", "kinematics": "pcc_variable_radius"},
                length=length, density=density, young=young, poisson=poisson, damping_time=damping_time, radius=radius,
                radius_law=radius_law, wall=wall, quadrature=quadrature)


def reduced_lvp(length: float, density: float, young: float, poisson: float, radius: Union[List, float], modes: List, *,
                damping_time: Optional[float] = None, inner_radius: Optional[float] = None,
                quadrature: Optional[Object] = None) -> Part:
    """Reduced body that deforms by a composition of locally volume-preserving primitives (source, stretch, shear-twist-
    bending); its local z is the axis; strains (kx, ky, kz, sx, sy, 1 + e). Incompressible neo-Hookean.

        length: Length L along the axis, m.
        density: Density, kg/m^3.
        young: Young's modulus E, Pa.
        poisson: Poisson's ratio (dimensionless). Only gives the shear modulus mu = E/(2 (1 + nu)): the body keeps its
            volume whatever it is. It stretches with 3 mu A (E A at 0.5, 1.15 E A at 0.3), twists with mu times the
            polar moment and bends with 29/9 mu I (1.07 E I at 0.5, 1.24 E I at 0.3). For a measured E give 0.5; for a
            measured bending stiffness E I give young = 0.931 E with 0.5.
        damping_time: Kelvin-Voigt damping time eta, s. Default 0.
        radius: Outer radius R: a number or [base, tip] (linear in s), m.
        inner_radius: Radius of the cavity, m; less than the outer radius. With one the body is hollow and has chamber
            0; a source needs it. Default 0.
        modes: One per coordinate q, dimensionless where the polynomial is.
        quadrature: Integration over a body with a backbone; part of the model, so that results reproduce.
    """
    return part("reduced_lvp", None, {"type": "reduced", "kinematics": "lvp"}, length=length, density=density,
                young=young, poisson=poisson, damping_time=damping_time, radius=radius, inner_radius=inner_radius,
                modes=modes, quadrature=quadrature)


def reduced_ritz(length: float, density: float, young: float, poisson: float, size: List, modes: List, tip_points: List,
                 *, damping_time: Optional[float] = None, quadrature: Optional[Object] = None) -> Part:
    """Reduced body by volumetric Ritz modes: a box, x = X + sum of q_i phi_i(X). Compressible neo-Hookean.

        length: Length L along the axis, m.
        density: Density, kg/m^3.
        young: Young's modulus E, Pa.
        poisson: Poisson's ratio (dimensionless).
        damping_time: Kelvin-Voigt damping time eta, s. Default 0.
        size: Edges [x, y, z] of the box, m; centred on the axis in x and y, from 0 in z.
        modes: One per coordinate: displacement [phi_x, phi_y, phi_z] per unit of q, m.
        tip_points: Three material points that carry the distal frame, m: its origin, a point along its x axis, a point
            that completes the plane of x and y.
        quadrature: Integration over a box: Gauss points along each edge; part of the model, so that results reproduce.
    """
    return part("reduced_ritz", None, {"type": "reduced", "kinematics": "ritz"}, length=length, density=density,
                young=young, poisson=poisson, damping_time=damping_time, size=size, modes=modes, tip_points=tip_points,
                quadrature=quadrature)


def reduced_ritz_mesh(length: float, density: float, young: float, poisson: float, mesh: Object, modes: List,
                      tip_points: List, *, damping_time: Optional[float] = None,
                      quadrature: Optional[Object] = None) -> Part:
    """Reduced body by volumetric Ritz modes: a solid given as a mesh, x = X + sum of q_i phi_i(X). Compressible neo-
    Hookean.

        length: Length L along the axis, m.
        density: Density, kg/m^3.
        young: Young's modulus E, Pa.
        poisson: Poisson's ratio (dimensionless).
        damping_time: Kelvin-Voigt damping time eta, s. Default 0.
        mesh: A solid as elements (at least one) without gaps, in the link's frame at rest. Faces of one element alone
            are its surface; each closed surface within, by the least index of its points, is a chamber. A quadrangle
            does not match the triangles of tetrahedra: such faces count as surface. Elements that overlap weigh twice.
        modes: One per coordinate: displacement [phi_x, phi_y, phi_z] per unit of q, m.
        tip_points: Three material points that carry the distal frame, m: its origin, a point along its x axis, a point
            that completes the plane of x and y.
        quadrature: Integration over a mesh: Gauss points along each direction of an element, their cube in each (at
            most 131072 in all); part of the model, so that results reproduce. Exact for polynomials of degree 2 points
            - 1 over a tetrahedron and over a hexahedron whose faces are parallelograms.
    """
    return part("reduced_ritz_mesh", None, {"type": "reduced", "kinematics": "ritz"}, length=length, density=density,
                young=young, poisson=poisson, damping_time=damping_time, mesh=mesh, modes=modes, tip_points=tip_points,
                quadrature=quadrature)


def mesh(points: List, *, tetrahedra: Optional[List] = None, hexahedra: Optional[List] = None) -> Part:
    """A solid as elements (at least one) without gaps, in the link's frame at rest. Faces of one element alone are its
    surface; each closed surface within, by the least index of its points, is a chamber. A quadrangle does not match the
    triangles of tetrahedra: such faces count as surface. Elements that overlap weigh twice.

        points: Corners of the elements, m.
        tetrahedra: [a, b, c, d]: indices of points from 0 on (dimensionless); a, b, c turn right-handed about the way
            to d.
        hexahedra: Indices of points from 0 on (dimensionless): four around the bottom, right-handed about the way up,
            then the four above them in the same order (as in VTK). Trilinear between its corners.
    """
    return part("mesh", None, {}, points=points, tetrahedra=tetrahedra, hexahedra=hexahedra)


def collision_sphere(radius: float, *, pose: Optional[Object] = None) -> Part:
    """Ball.

        radius: Radius, m.
        pose: Of its middle in the link's frame: m and rad.
    """
    return part("collision_sphere", None, {"shape": "sphere"}, radius=radius, pose=pose)


def collision_capsule(radius: float, length: float, *, axis: Optional[Union[List, str]] = None,
                      pose: Optional[Object] = None) -> Part:
    """Capsule: all that is within a radius of a straight line.

        radius: Radius, m.
        length: Length of the line, from middle to middle of its round ends, m.
        axis: Direction of the line, whose middle is the origin of pose (dimensionless). Default z.
        pose: Of its middle in the link's frame: m and rad.
    """
    return part("collision_capsule", None, {"shape": "capsule"}, radius=radius, length=length, axis=axis, pose=pose)


def collision_cylinder(radius: float, length: float, *, axis: Optional[Union[List, str]] = None,
                       rounding: Optional[float] = None, pose: Optional[Object] = None) -> Part:
    """Cylinder with flat ends. Against planes both rims touch by four points each, which go round it as it rolls, so
    that it rolls and spins as one that is round; inside cylinders by 24 that are fixed in it.

        radius: Radius, m.
        length: From end to end, m.
        axis: Direction of its axis, whose middle is the origin of pose (dimensionless). Default z.
        rounding: Radius of its two rims, within its measures, m, at most half of its length and its radius. Default 0.
        pose: Of its middle in the link's frame: m and rad.
    """
    return part("collision_cylinder", None, {"shape": "cylinder"}, radius=radius, length=length, axis=axis,
                rounding=rounding, pose=pose)


def collision_box(size: List, *, rounding: Optional[float] = None, pose: Optional[Object] = None) -> Part:
    """Box. Against planes and inside cylinders its eight corners touch.

        size: Edges x, y, z, their rounding included, m.
        rounding: Radius of edges and corners, m, at most half of the shortest edge. Default 0.
        pose: Of its middle in the link's frame: m and rad.
    """
    return part("collision_box", None, {"shape": "box"}, size=size, rounding=rounding, pose=pose)


def collision_mesh(points: List, *, rounding: Optional[float] = None, pose: Optional[Object] = None) -> Part:
    """Hull of points. Against planes and inside cylinders its points touch. Between bodies it may have 64 points, not
    all in a plane, and needs a rounding.

        points: Points, m.
        rounding: What lies around the hull, m. Default 0.
        pose: Of the points' origin in the link's frame: m and rad.
    """
    return part("collision_mesh", None, {"shape": "mesh"}, points=points, rounding=rounding, pose=pose)


def tendon(name: str, *, link: Optional[str] = None, routing: Optional[Object] = None, joined: Optional[bool] = None,
           mode: Optional[str] = None, stiffness: Optional[float] = None, rest: Optional[float] = None,
           damping: Optional[float] = None, slack_width: Optional[float] = None, friction: Optional[float] = None,
           slip_speed: Optional[float] = None, points: Optional[List] = None, segments: Optional[List] = None) -> Part:
    """Either: Tendon on a rod or a reduced body with rigid sections; u is its tension, N, or with mode length the
    length pulled in, m. Or: Tendon through points of a rigid link or a reduced body; u is its tension, N, or with mode
    length the length pulled in, m. Or: Tendon through several links; u is its tension, N, or with mode length the
    length pulled in, m. Takes `link` and `routing`, or `link` and `points`, or `segments`.

        name: Unique among the input channels.
        link: Name of the link.
        routing: Path of a tendon in a rod's section: y and z (m) over s = X/L.
        joined: Consecutive segments are joined by a straight stretch that counts in the length. Default true.
        mode: tension (default): u is the tension at the end that is pulled, N. length: u is the length pulled in there,
            m (negative: let out); with s = length - rest + u and s+ = (s + sqrt(s^2 + slack_width^2)) / 2 the tension
            is stiffness s+ + damping d(length)/dt ds+/ds, not below 0. It stores stiffness (s+^2 / 2 + slack_width^2 /
            4 ln(2 s+ / slack_width)), the integral of its elastic part, as elastic energy; the work of the pull counts
            as actuation. One of tension, length.
        stiffness: Mode length, required there: of the whole tendon, N/m.
        rest: Mode length: length at which the tendon becomes taut when nothing is pulled in, m. Default its length at q
            = 0.
        damping: Mode length: resistance to a change of the tendon's length along its path, N s/m. Default 0.
        slack_width: Mode length: stretch over which the tendon goes from slack to taut, m. At s = 0 it leaves a tension
            of stiffness slack_width / 2, which at the default pulls a robot that should be at rest: 12.5 N at 2.5e5
            N/m. Where that moves the robot, the model has the warning slack_tension; give a smaller one, such as 2e-3 N
            / stiffness. Default 1e-4.
        friction: Coefficient of friction mu along the path (dimensionless): from the pulled end on the tension falls by
            exp(-mu theta) where the tendon is drawn towards that end and rises by exp(mu theta) where it is paid out,
            theta the angle that the path has turned by (rad). Needs motion: none in statics. Its losses count as
            damping. Default 0.
        slip_speed: Friction acts by tanh(speed / slip_speed), speed that of the tendon along its path, m/s. Below
            slip_speed it fades in proportion to the speed, and at rest there is none: a tendon that is held creeps
            until nothing rubs, so that shapes at rest and equilibria are those without friction. Take a hundredth of
            the speeds of interest; smaller ones make the equations stiffer. A run that is below it for most of its
            time, and statics, have the warning friction_faded. Default 1e-3.
        points: Points in order, m: [x, y, z] in the frame of a rigid link; material points [x, y, s] of a reduced body,
            x, y in the undeformed section, s in [0, length] along the axis.
        segments: In order from the end that is pulled. A point fixed in the world is one of a rigid link that a fixed
            joint welds to the world.
    """
    return part("tendon", "actuators", {"type": "tendon"}, name=name, link=link, routing=routing, joined=joined,
                mode=mode, stiffness=stiffness, rest=rest, damping=damping, slack_width=slack_width, friction=friction,
                slip_speed=slip_speed, points=points, segments=segments)


def joint_actuator(name: str, link: str, *, mode: Optional[str] = None) -> Part:
    """Joint driven by its force (u is the generalized force of each coordinate, N m or N) or by its motion.

        name: Unique among the input channels.
        link: Name of the link.
        mode: force (default): u is the generalized force of each coordinate, N m or N. position: u(t) prescribes the
            coordinates, rad or m; the force is an unknown that results report. One of force, position.
    """
    return part("joint_actuator", "actuators", {"type": "joint"}, name=name, link=link, mode=mode)


def pressure(name: str, link: str, *, chamber: Optional[int] = None) -> Part:
    """Pressure in a closed chamber of a reduced body (pcc_variable_radius: 0 and 1, hollow lvp: 0, ritz: the cavities
    of its mesh); u is in Pa, the generalized force u dV/dq.

        name: Unique among the input channels.
        link: Name of the link.
        chamber: Which chamber, counted from 0 (dimensionless). Default 0.
    """
    return part("pressure", "actuators", {"type": "pressure"}, name=name, link=link, chamber=chamber)


def magnetic_field(name: str, *, gradient: Optional[bool] = None) -> Part:
    """Magnetic field on all bodies with a `magnetisation`: torque m x B and force G m on a moment m, potential energy
    -m.B. B = B0 + G p at p (m, from the world's origin), in the axes of the world. Channels name[x], name[y], name[z]
    are B0, T. Fields of several actuators add up.

        name: Unique among the input channels, with [x] … behind it.
        gradient: Five more channels name[xx], name[xy], name[xz], name[yy], name[yz], T/m: G, symmetric and without
            trace (zz is -xx - yy). Default false.
    """
    return part("magnetic_field", "actuators", {"type": "field"}, name=name, gradient=gradient)


def routing_linear(base: List, *, tip: Optional[List] = None) -> Part:
    """Straight line.

        base: [y, z] at the base, m.
        tip: [y, z] at the tip, m. Default: as at the base.
    """
    return part("routing_linear", None, {"type": "linear"}, base=base, tip=tip)


def routing_helix(radius: float, turns: float, *, phase: Optional[float] = None) -> Part:
    """Helix: y = r cos(2 pi turns s + phase), z = r sin(2 pi turns s + phase).

        radius: Radius r, m.
        turns: Turns over the rod's length (dimensionless).
        phase: Angle at the base, rad. Default 0.
    """
    return part("routing_helix", None, {"type": "helix"}, radius=radius, turns=turns, phase=phase)


def routing_table(s: List, y: List, z: List) -> Part:
    """Natural C2 cubic splines.

        s: Knots X/L (dimensionless): rising strictly from 0 to 1.
        y: y at the knots, m.
        z: z at the knots, m.
    """
    return part("routing_table", None, {"type": "table"}, s=s, y=y, z=z)


def routing_sum(of: List) -> Part:
    """Sum of routings, nested at most 8 deep.

        of: The terms, m.
    """
    return part("routing_sum", None, {"type": "sum"}, of=of)


def segment(link: str, *, routing: Optional[Object] = None, points: Optional[List] = None) -> Part:
    """Either: On a rod, or on a reduced body with rigid sections (y, z of a routing are then x, y of the section). Or:
    On a rigid link or a reduced body. Takes `routing`, or `points`.

        link: Name of the link.
        routing: Path of a tendon in a rod's section: y and z (m) over s = X/L.
        points: Points in order, m: [x, y, z] in the frame of a rigid link; material points [x, y, s] of a reduced body,
            x, y in the undeformed section, s in [0, length] along the axis.
    """
    return part("segment", None, {}, link=link, routing=routing, points=points)


def load(link: str, *, name: Optional[str] = None, at: Optional[float] = None, pose: Optional[Object] = None,
         frame: Optional[str] = None, wrench: Optional[List] = None, channels: Optional[List] = None,
         per_length: Optional[bool] = None, from_: Optional[float] = None, to: Optional[float] = None) -> Part:
    """Wrench on a point of a link, or per metre along a rod; constant, or driven by channels.

        name: Name.
        link: Name of the link.
        at: Material abscissa X/L on a rod (dimensionless). Default 1.
        pose: From the link's frame there to the point of attack: m and rad.
        frame: Axes of the wrench: the world's (default; moment about the point) or the body's. One of world, body.
        wrench: [mx, my, mz, fx, fy, fz], N m then N; with `per_length` N m/m = N, then N/m.
        channels: Names of the input channels of the six components (N m, then N), null for none; `wrench` is then
            ignored.
        per_length: true: the wrench acts per metre of the rod `link` from `from` to `to` (per metre of its unstretched
            length), at the sections' centres moved by `pose`; frame body makes it a follower. Integrated with the rod's
            Gauss points; where a stretch ends inside an element, with Gauss points of its own on what is left of that
            element. Default false: it acts at one point.
        from_: With `per_length`: X/L where the load begins (dimensionless). Default 0.
        to: With `per_length`: X/L where it ends, more than `from` (dimensionless). Default 1.
    """
    return part("load", "loads", {}, name=name, link=link, at=at, pose=pose, frame=frame, wrench=wrench,
                channels=channels, per_length=per_length, from_=from_, to=to)


def contact_cylinder_interior(radius: float, stiffness: float, *, name: Optional[str] = None,
                              axis: Optional[Union[List, str]] = None, per: Optional[str] = None,
                              exponent: Optional[float] = None, damping: Optional[float] = None,
                              friction: Optional[float] = None, slip_speed: Optional[float] = None,
                              stick: Optional[Object] = None, anisotropy: Optional[List] = None,
                              pose: Optional[Object] = None, links: Optional[List] = None) -> Part:
    """Rods stay inside a cylinder.

        name: Name.
        radius: Radius, m.
        axis: Axis of the cylinder, through the origin of pose (dimensionless). Default z.
        stiffness: Hertz stiffness k: force k depth^exponent, N/m^exponent; per length of rod N/m^(exponent + 1). At
            most 1e40^exponent and 1e60.
        per: What stiffness is of. point (default): every computational point, so that depth depends on their number.
            length: a metre of rod; a point has half the distance of its neighbours, and depth does not depend on their
            number. One of point, length.
        exponent: Hertz exponent (dimensionless). Default 1.5.
        damping: c, s/m: the normal force is k depth^exponent (1 + c d(depth)/dt), and 0 where that would pull; the last
            tenth of k depth^exponent goes to 0 smoothly (Hunt and Crossley). Its losses are the energy balance's
            contact_losses. Default 0.
        friction: Coefficient of friction mu (dimensionless): what slides at the velocity v along the surface is held
            back by mu f_n v / sqrt(v^2 + slip_speed^2), N, at the point midway between the two surfaces, so that rods
            also roll. It is smooth and 0 at rest: what should hold on a slope creeps down it, more slowly than
            slip_speed where the slope is below mu / sqrt 2. Equilibria with friction are refused but with `stick`, with
            which nothing creeps. Its losses are the energy balance's contact_losses. Default 0.
        slip_speed: Speed of sliding at which 0.7 of friction acts, m/s: below it friction fades in proportion. Smaller
            ones let less creep and make the equations stiffer: take methods with error control or implicit ones. A run
            whose contacts creep has the warning friction_faded. Default 1e-3.
        stick: Friction that holds at rest: every touch has a spring along the surface that slides where its force would
            be more than mu f_n, in place of slip_speed. What holds does not creep. Springs are the run's: they go on
            over steps, samples and checkpoints, and are stretched by nothing where it starts; evaluate, steps and
            equilibria take them as unstretched. Runs with it have no derivatives. What springs hold is of the energy
            `contact`, what slides of contact_losses.
        anisotropy: Factors of friction along a rod's tangent and across it, a snake's scales (dimensionless); one of
            them is positive. On a rod's end that stands on the obstacle the second; on other bodies neither. Between
            bodies the tangent is that of the link in a where that is a rod, else that of the one in b. Default [1, 1].
        pose: Of the obstacle in the world: m and rad.
        links: Names of the links that touch it: rods, rigid bodies by their `collision` (a sphere, cylinder_exterior or
            box stands before all but balls as a body of its shape would, see pair), reduced bodies whose sections are
            rigid by balls at their computational points; with `per` length rods alone. Default: every rod, and nothing
            else.
    """
    return part("contact_cylinder_interior", "contacts", {"type": "cylinder_interior"}, name=name, radius=radius,
                axis=axis, stiffness=stiffness, per=per, exponent=exponent, damping=damping, friction=friction,
                slip_speed=slip_speed, stick=stick, anisotropy=anisotropy, pose=pose, links=links)


def contact_cylinder_exterior(radius: float, stiffness: float, *, name: Optional[str] = None,
                              axis: Optional[Union[List, str]] = None, per: Optional[str] = None,
                              exponent: Optional[float] = None, damping: Optional[float] = None,
                              friction: Optional[float] = None, slip_speed: Optional[float] = None,
                              stick: Optional[Object] = None, anisotropy: Optional[List] = None,
                              pose: Optional[Object] = None, links: Optional[List] = None) -> Part:
    """Rods stay outside a cylinder.

        name: Name.
        radius: Radius, m.
        axis: Axis of the cylinder, through the origin of pose (dimensionless). Default z.
        stiffness: Hertz stiffness k: force k depth^exponent, N/m^exponent; per length of rod N/m^(exponent + 1). At
            most 1e40^exponent and 1e60.
        per: What stiffness is of. point (default): every computational point, so that depth depends on their number.
            length: a metre of rod; a point has half the distance of its neighbours, and depth does not depend on their
            number. One of point, length.
        exponent: Hertz exponent (dimensionless). Default 1.5.
        damping: c, s/m: the normal force is k depth^exponent (1 + c d(depth)/dt), and 0 where that would pull; the last
            tenth of k depth^exponent goes to 0 smoothly (Hunt and Crossley). Its losses are the energy balance's
            contact_losses. Default 0.
        friction: Coefficient of friction mu (dimensionless): what slides at the velocity v along the surface is held
            back by mu f_n v / sqrt(v^2 + slip_speed^2), N, at the point midway between the two surfaces, so that rods
            also roll. It is smooth and 0 at rest: what should hold on a slope creeps down it, more slowly than
            slip_speed where the slope is below mu / sqrt 2. Equilibria with friction are refused but with `stick`, with
            which nothing creeps. Its losses are the energy balance's contact_losses. Default 0.
        slip_speed: Speed of sliding at which 0.7 of friction acts, m/s: below it friction fades in proportion. Smaller
            ones let less creep and make the equations stiffer: take methods with error control or implicit ones. A run
            whose contacts creep has the warning friction_faded. Default 1e-3.
        stick: Friction that holds at rest: every touch has a spring along the surface that slides where its force would
            be more than mu f_n, in place of slip_speed. What holds does not creep. Springs are the run's: they go on
            over steps, samples and checkpoints, and are stretched by nothing where it starts; evaluate, steps and
            equilibria take them as unstretched. Runs with it have no derivatives. What springs hold is of the energy
            `contact`, what slides of contact_losses.
        anisotropy: Factors of friction along a rod's tangent and across it, a snake's scales (dimensionless); one of
            them is positive. On a rod's end that stands on the obstacle the second; on other bodies neither. Between
            bodies the tangent is that of the link in a where that is a rod, else that of the one in b. Default [1, 1].
        pose: Of the obstacle in the world: m and rad.
        links: Names of the links that touch it: rods, rigid bodies by their `collision` (a sphere, cylinder_exterior or
            box stands before all but balls as a body of its shape would, see pair), reduced bodies whose sections are
            rigid by balls at their computational points; with `per` length rods alone. Default: every rod, and nothing
            else.
    """
    return part("contact_cylinder_exterior", "contacts", {"type": "cylinder_exterior"}, name=name, radius=radius,
                axis=axis, stiffness=stiffness, per=per, exponent=exponent, damping=damping, friction=friction,
                slip_speed=slip_speed, stick=stick, anisotropy=anisotropy, pose=pose, links=links)


def contact_plane(stiffness: float, *, name: Optional[str] = None, axis: Optional[Union[List, str]] = None,
                  per: Optional[str] = None, exponent: Optional[float] = None, damping: Optional[float] = None,
                  friction: Optional[float] = None, slip_speed: Optional[float] = None, stick: Optional[Object] = None,
                  anisotropy: Optional[List] = None, pose: Optional[Object] = None,
                  links: Optional[List] = None) -> Part:
    """Rods stay on the side of a plane that its normal points to.

        name: Name.
        axis: Normal of the plane, which goes through the origin of pose (dimensionless). Default z.
        stiffness: Hertz stiffness k: force k depth^exponent, N/m^exponent; per length of rod N/m^(exponent + 1). At
            most 1e40^exponent and 1e60.
        per: What stiffness is of. point (default): every computational point, so that depth depends on their number.
            length: a metre of rod; a point has half the distance of its neighbours, and depth does not depend on their
            number. One of point, length.
        exponent: Hertz exponent (dimensionless). Default 1.5.
        damping: c, s/m: the normal force is k depth^exponent (1 + c d(depth)/dt), and 0 where that would pull; the last
            tenth of k depth^exponent goes to 0 smoothly (Hunt and Crossley). Its losses are the energy balance's
            contact_losses. Default 0.
        friction: Coefficient of friction mu (dimensionless): what slides at the velocity v along the surface is held
            back by mu f_n v / sqrt(v^2 + slip_speed^2), N, at the point midway between the two surfaces, so that rods
            also roll. It is smooth and 0 at rest: what should hold on a slope creeps down it, more slowly than
            slip_speed where the slope is below mu / sqrt 2. Equilibria with friction are refused but with `stick`, with
            which nothing creeps. Its losses are the energy balance's contact_losses. Default 0.
        slip_speed: Speed of sliding at which 0.7 of friction acts, m/s: below it friction fades in proportion. Smaller
            ones let less creep and make the equations stiffer: take methods with error control or implicit ones. A run
            whose contacts creep has the warning friction_faded. Default 1e-3.
        stick: Friction that holds at rest: every touch has a spring along the surface that slides where its force would
            be more than mu f_n, in place of slip_speed. What holds does not creep. Springs are the run's: they go on
            over steps, samples and checkpoints, and are stretched by nothing where it starts; evaluate, steps and
            equilibria take them as unstretched. Runs with it have no derivatives. What springs hold is of the energy
            `contact`, what slides of contact_losses.
        anisotropy: Factors of friction along a rod's tangent and across it, a snake's scales (dimensionless); one of
            them is positive. On a rod's end that stands on the obstacle the second; on other bodies neither. Between
            bodies the tangent is that of the link in a where that is a rod, else that of the one in b. Default [1, 1].
        pose: Of the obstacle in the world: m and rad.
        links: Names of the links that touch it: rods, rigid bodies by their `collision` (a sphere, cylinder_exterior or
            box stands before all but balls as a body of its shape would, see pair), reduced bodies whose sections are
            rigid by balls at their computational points; with `per` length rods alone. Default: every rod, and nothing
            else.
    """
    return part("contact_plane", "contacts", {"type": "plane"}, name=name, axis=axis, stiffness=stiffness, per=per,
                exponent=exponent, damping=damping, friction=friction, slip_speed=slip_speed, stick=stick,
                anisotropy=anisotropy, pose=pose, links=links)


def contact_sphere(radius: float, stiffness: float, *, name: Optional[str] = None, per: Optional[str] = None,
                   exponent: Optional[float] = None, damping: Optional[float] = None, friction: Optional[float] = None,
                   slip_speed: Optional[float] = None, stick: Optional[Object] = None,
                   anisotropy: Optional[List] = None, pose: Optional[Object] = None,
                   links: Optional[List] = None) -> Part:
    """Rods stay outside a sphere.

        name: Name.
        radius: Radius, m.
        stiffness: Hertz stiffness k: force k depth^exponent, N/m^exponent; per length of rod N/m^(exponent + 1). At
            most 1e40^exponent and 1e60.
        per: What stiffness is of. point (default): every computational point, so that depth depends on their number.
            length: a metre of rod; a point has half the distance of its neighbours, and depth does not depend on their
            number. One of point, length.
        exponent: Hertz exponent (dimensionless). Default 1.5.
        damping: c, s/m: the normal force is k depth^exponent (1 + c d(depth)/dt), and 0 where that would pull; the last
            tenth of k depth^exponent goes to 0 smoothly (Hunt and Crossley). Its losses are the energy balance's
            contact_losses. Default 0.
        friction: Coefficient of friction mu (dimensionless): what slides at the velocity v along the surface is held
            back by mu f_n v / sqrt(v^2 + slip_speed^2), N, at the point midway between the two surfaces, so that rods
            also roll. It is smooth and 0 at rest: what should hold on a slope creeps down it, more slowly than
            slip_speed where the slope is below mu / sqrt 2. Equilibria with friction are refused but with `stick`, with
            which nothing creeps. Its losses are the energy balance's contact_losses. Default 0.
        slip_speed: Speed of sliding at which 0.7 of friction acts, m/s: below it friction fades in proportion. Smaller
            ones let less creep and make the equations stiffer: take methods with error control or implicit ones. A run
            whose contacts creep has the warning friction_faded. Default 1e-3.
        stick: Friction that holds at rest: every touch has a spring along the surface that slides where its force would
            be more than mu f_n, in place of slip_speed. What holds does not creep. Springs are the run's: they go on
            over steps, samples and checkpoints, and are stretched by nothing where it starts; evaluate, steps and
            equilibria take them as unstretched. Runs with it have no derivatives. What springs hold is of the energy
            `contact`, what slides of contact_losses.
        anisotropy: Factors of friction along a rod's tangent and across it, a snake's scales (dimensionless); one of
            them is positive. On a rod's end that stands on the obstacle the second; on other bodies neither. Between
            bodies the tangent is that of the link in a where that is a rod, else that of the one in b. Default [1, 1].
        pose: Of the obstacle in the world: m and rad.
        links: Names of the links that touch it: rods, rigid bodies by their `collision` (a sphere, cylinder_exterior or
            box stands before all but balls as a body of its shape would, see pair), reduced bodies whose sections are
            rigid by balls at their computational points; with `per` length rods alone. Default: every rod, and nothing
            else.
    """
    return part("contact_sphere", "contacts", {"type": "sphere"}, name=name, radius=radius, stiffness=stiffness,
                per=per, exponent=exponent, damping=damping, friction=friction, slip_speed=slip_speed, stick=stick,
                anisotropy=anisotropy, pose=pose, links=links)


def contact_box(size: List, stiffness: float, *, name: Optional[str] = None, rounding: Optional[float] = None,
                per: Optional[str] = None, exponent: Optional[float] = None, damping: Optional[float] = None,
                friction: Optional[float] = None, slip_speed: Optional[float] = None, stick: Optional[Object] = None,
                anisotropy: Optional[List] = None, pose: Optional[Object] = None, links: Optional[List] = None) -> Part:
    """Rods stay outside a box.

        name: Name.
        size: Edges along the axes of pose, whose origin is the middle of the box, their rounding included, m.
        rounding: Radius of edges and corners, m, at most half of the shortest edge. Default 0.
        stiffness: Hertz stiffness k: force k depth^exponent, N/m^exponent; per length of rod N/m^(exponent + 1). At
            most 1e40^exponent and 1e60.
        per: What stiffness is of. point (default): every computational point, so that depth depends on their number.
            length: a metre of rod; a point has half the distance of its neighbours, and depth does not depend on their
            number. One of point, length.
        exponent: Hertz exponent (dimensionless). Default 1.5.
        damping: c, s/m: the normal force is k depth^exponent (1 + c d(depth)/dt), and 0 where that would pull; the last
            tenth of k depth^exponent goes to 0 smoothly (Hunt and Crossley). Its losses are the energy balance's
            contact_losses. Default 0.
        friction: Coefficient of friction mu (dimensionless): what slides at the velocity v along the surface is held
            back by mu f_n v / sqrt(v^2 + slip_speed^2), N, at the point midway between the two surfaces, so that rods
            also roll. It is smooth and 0 at rest: what should hold on a slope creeps down it, more slowly than
            slip_speed where the slope is below mu / sqrt 2. Equilibria with friction are refused but with `stick`, with
            which nothing creeps. Its losses are the energy balance's contact_losses. Default 0.
        slip_speed: Speed of sliding at which 0.7 of friction acts, m/s: below it friction fades in proportion. Smaller
            ones let less creep and make the equations stiffer: take methods with error control or implicit ones. A run
            whose contacts creep has the warning friction_faded. Default 1e-3.
        stick: Friction that holds at rest: every touch has a spring along the surface that slides where its force would
            be more than mu f_n, in place of slip_speed. What holds does not creep. Springs are the run's: they go on
            over steps, samples and checkpoints, and are stretched by nothing where it starts; evaluate, steps and
            equilibria take them as unstretched. Runs with it have no derivatives. What springs hold is of the energy
            `contact`, what slides of contact_losses.
        anisotropy: Factors of friction along a rod's tangent and across it, a snake's scales (dimensionless); one of
            them is positive. On a rod's end that stands on the obstacle the second; on other bodies neither. Between
            bodies the tangent is that of the link in a where that is a rod, else that of the one in b. Default [1, 1].
        pose: Of the obstacle in the world: m and rad.
        links: Names of the links that touch it: rods, rigid bodies by their `collision` (a sphere, cylinder_exterior or
            box stands before all but balls as a body of its shape would, see pair), reduced bodies whose sections are
            rigid by balls at their computational points; with `per` length rods alone. Default: every rod, and nothing
            else.
    """
    return part("contact_box", "contacts", {"type": "box"}, name=name, size=size, rounding=rounding,
                stiffness=stiffness, per=per, exponent=exponent, damping=damping, friction=friction,
                slip_speed=slip_speed, stick=stick, anisotropy=anisotropy, pose=pose, links=links)


def contact_pair(a: List, b: List, stiffness: float, *, name: Optional[str] = None, exponent: Optional[float] = None,
                 damping: Optional[float] = None, friction: Optional[float] = None, slip_speed: Optional[float] = None,
                 stick: Optional[Object] = None, anisotropy: Optional[List] = None) -> Part:
    """Every link of a against every one of b. Rods, and reduced bodies whose sections are rigid, touch by capsules
    between their computational points, of the mean radius there, whose joints count once; rigid bodies by their
    `collision`. A box, cylinder or mesh is touched by balls: corners (of a cylinder 24 on each rim), points on every
    edge half as far apart as what it may meet is thin (of a box three at least, 64 at most: beyond that
    `coarse_contact` says so), computational points of rods, ends of capsules; and touches rods and capsules by its own
    corners and points, a cylinder by the capsule in it, too. Each of these touches has the stiffness. The force is
    continuous until something is deeper than edges are rounded; then the nearest face pushes, which may change at once,
    and `deep_contact` tells it of runs. Where axes are parallel one point in the middle of what overlaps touches
    (capsules bulge there by 0.0005 of both radii, which makes it one). Steps of runs pass through no body unseen;
    statics says (`contact_missed`) where the way to an equilibrium leads through one.

        name: Name.
        a: Names of links: rods, rigid bodies, reduced bodies whose sections are rigid.
        b: Names of links as in a; none of a.
        stiffness: Hertz stiffness k of each touch: force k depth^exponent, N/m^exponent. At most 1e40^exponent and
            1e60.
        exponent: Hertz exponent (dimensionless). Default 1.5.
        damping: c, s/m: the normal force is k depth^exponent (1 + c d(depth)/dt), and 0 where that would pull; the last
            tenth of k depth^exponent goes to 0 smoothly (Hunt and Crossley). Its losses are the energy balance's
            contact_losses. Default 0.
        friction: Coefficient of friction mu (dimensionless): what slides at the velocity v along the surface is held
            back by mu f_n v / sqrt(v^2 + slip_speed^2), N, at the point midway between the two surfaces, so that rods
            also roll. It is smooth and 0 at rest: what should hold on a slope creeps down it, more slowly than
            slip_speed where the slope is below mu / sqrt 2. Equilibria with friction are refused but with `stick`, with
            which nothing creeps. Its losses are the energy balance's contact_losses. Default 0.
        slip_speed: Speed of sliding at which 0.7 of friction acts, m/s: below it friction fades in proportion. Smaller
            ones let less creep and make the equations stiffer: take methods with error control or implicit ones. A run
            whose contacts creep has the warning friction_faded. Default 1e-3.
        stick: Friction that holds at rest: every touch has a spring along the surface that slides where its force would
            be more than mu f_n, in place of slip_speed. What holds does not creep. Springs are the run's: they go on
            over steps, samples and checkpoints, and are stretched by nothing where it starts; evaluate, steps and
            equilibria take them as unstretched. Runs with it have no derivatives. What springs hold is of the energy
            `contact`, what slides of contact_losses.
        anisotropy: Factors of friction along a rod's tangent and across it, a snake's scales (dimensionless); one of
            them is positive. On a rod's end that stands on the obstacle the second; on other bodies neither. Between
            bodies the tangent is that of the link in a where that is a rod, else that of the one in b. Default [1, 1].
    """
    return part("contact_pair", "contacts", {"type": "pair"}, name=name, a=a, b=b, stiffness=stiffness,
                exponent=exponent, damping=damping, friction=friction, slip_speed=slip_speed, stick=stick,
                anisotropy=anisotropy)


def contact_self(link: str, stiffness: float, *, name: Optional[str] = None, apart: Optional[float] = None,
                 exponent: Optional[float] = None, damping: Optional[float] = None, friction: Optional[float] = None,
                 slip_speed: Optional[float] = None, stick: Optional[Object] = None,
                 anisotropy: Optional[List] = None) -> Part:
    """A rod against itself, by capsules between its computational points.

        name: Name.
        link: Name of the rod.
        apart: What is closer along the rod does not touch, m. Default (and 0): three times its largest radius.
        stiffness: Hertz stiffness k of each touch: force k depth^exponent, N/m^exponent. At most 1e40^exponent and
            1e60.
        exponent: Hertz exponent (dimensionless). Default 1.5.
        damping: c, s/m: the normal force is k depth^exponent (1 + c d(depth)/dt), and 0 where that would pull; the last
            tenth of k depth^exponent goes to 0 smoothly (Hunt and Crossley). Its losses are the energy balance's
            contact_losses. Default 0.
        friction: Coefficient of friction mu (dimensionless): what slides at the velocity v along the surface is held
            back by mu f_n v / sqrt(v^2 + slip_speed^2), N, at the point midway between the two surfaces, so that rods
            also roll. It is smooth and 0 at rest: what should hold on a slope creeps down it, more slowly than
            slip_speed where the slope is below mu / sqrt 2. Equilibria with friction are refused but with `stick`, with
            which nothing creeps. Its losses are the energy balance's contact_losses. Default 0.
        slip_speed: Speed of sliding at which 0.7 of friction acts, m/s: below it friction fades in proportion. Smaller
            ones let less creep and make the equations stiffer: take methods with error control or implicit ones. A run
            whose contacts creep has the warning friction_faded. Default 1e-3.
        stick: Friction that holds at rest: every touch has a spring along the surface that slides where its force would
            be more than mu f_n, in place of slip_speed. What holds does not creep. Springs are the run's: they go on
            over steps, samples and checkpoints, and are stretched by nothing where it starts; evaluate, steps and
            equilibria take them as unstretched. Runs with it have no derivatives. What springs hold is of the energy
            `contact`, what slides of contact_losses.
        anisotropy: Factors of friction along a rod's tangent and across it, a snake's scales (dimensionless); one of
            them is positive. On a rod's end that stands on the obstacle the second; on other bodies neither. Between
            bodies the tangent is that of the link in a where that is a rod, else that of the one in b. Default [1, 1].
    """
    return part("contact_self", "contacts", {"type": "self"}, name=name, link=link, apart=apart, stiffness=stiffness,
                exponent=exponent, damping=damping, friction=friction, slip_speed=slip_speed, stick=stick,
                anisotropy=anisotropy)


def loop(a: Object, b: Object, joint: Object, *, name: Optional[str] = None) -> Part:
    """Holds log(g_b^-1 g_a) at 0 (rad, m) but for what the joint leaves free.

        name: Name.
        a: A frame of the loop's joint on a link or the world.
        b: A frame of the loop's joint on a link or the world.
        joint: What a loop leaves free: a joint without spring and damper. Its axis must be a coordinate axis of frame
            b. Runs and statics hold it however far it turns; evaluate reports loop_error by the logarithm of the
            relative pose, which jumps at half a turn. universal: runs and statics use forces along the slope of the
            loop error, evaluate's loop_jacobian, lambda and fd are the format's A = Phi_perp^T (Ad J_A - J_B), which
            keeps it closed at its unbent pose only.
    """
    return part("loop", "loops", {}, name=name, a=a, b=b, joint=joint)


def end(link: str, *, at: Optional[float] = None, pose: Optional[Object] = None) -> Part:
    """A frame of the loop's joint on a link or the world.

        link: Name of a link, or "world".
        at: Material abscissa X/L on a rod (dimensionless). Default 1.
        pose: From the link's frame there to the joint's frame: m and rad.
    """
    return part("end", None, {}, link=link, at=at, pose=pose)


def spring(a: Object, b: Object, *, name: Optional[str] = None, stiffness: Optional[float] = None,
           damping: Optional[float] = None, rest: Optional[float] = None, channel: Optional[str] = None) -> Part:
    """Spring and damper along the line between two points: force stiffness (distance - rest - u) + damping
    d(distance)/dt, N. Part of tau; stores stiffness (distance - rest - u)^2 / 2.

        name: Name.
        a: One end: the origin of `pose` (m).
        b: The other end: the origin of `pose` (m).
        stiffness: N/m. Default 0.
        damping: N s/m. Default 0.
        rest: Distance without force, m. Default the distance at q = 0.
        channel: Input channel whose u, m, is added to rest; after the channels of loads.
    """
    return part("spring", "springs", {}, name=name, a=a, b=b, stiffness=stiffness, damping=damping, rest=rest,
                channel=channel)


CHECKS.update({
    "link": {"keys": {"pose": ["translation", "rpy", "quaternion"]}},
    "drawn_box": {"keys": {"pose": ["translation", "rpy", "quaternion"]}},
    "drawn_cylinder": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"pose": ["translation", "rpy",
        "quaternion"]}},
    "drawn_sphere": {"keys": {"pose": ["translation", "rpy", "quaternion"]}},
    "drawn_capsule": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"pose": ["translation", "rpy",
        "quaternion"]}},
    "drawn_mesh": {"keys": {"pose": ["translation", "rpy", "quaternion"]}},
    "fixed": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}},
    "revolute": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"limits": ["lower", "upper",
        "stiffness", "damping"]}},
    "prismatic": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"limits": ["lower", "upper",
        "stiffness", "damping"]}},
    "helical": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"limits": ["lower", "upper",
        "stiffness", "damping"]}},
    "cylindrical": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"limits": ["lower", "upper",
        "stiffness", "damping"]}},
    "universal": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"limits": ["lower", "upper",
        "stiffness", "damping"]}},
    "planar": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"limits": ["lower", "upper",
        "stiffness", "damping"]}},
    "spherical": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"limits": ["lower", "upper",
        "stiffness", "damping"]}},
    "free": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"limits": ["lower", "upper",
        "stiffness", "damping"]}},
    "rigid": {"takes": [["mass", "inertia"], ["shape", "density"]], "keys": {"hydrodynamics": ["drag", "linear",
        "added_mass", "body_density"]}},
    "rod": {"keys": {"quadrature": ["points"], "hydrodynamics": ["cd_x", "cd_y", "cd_z", "cl_x", "cl_y", "cl_z",
        "added_y", "added_z", "linear", "resistive_force"]}},
    "strain": {"takes": [["order"], ["order"], ["s"]], "words": {"basis": ["legendre", "monomial", "chebyshev",
        "fourier", "gaussian", "inverse_multiquadric", "linear", "quadratic", "cubic", "hermite", "table"]}, "keys":
        {"order": ["torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z"]}},
    "cylinder": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}},
    "prism": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}},
    "rod_hydrodynamics": {"keys": {"linear": ["tangential", "normal"]}},
    "reduced_curvature": {"words": {"kinematics": ["pcc_planar", "pcc_planar_extensible", "pcc"]}, "keys":
        {"quadrature": ["s", "r", "angle"]}},
    "reduced_polynomial": {"keys": {"quadrature": ["s", "r", "angle"]}},
    "reduced_gaussian": {"keys": {"quadrature": ["s", "r", "angle"]}},
    "reduced_variable_radius": {"words": {"radius_law": ["shift", "scale"]}, "keys": {"quadrature": ["s", "r",
        "angle"]}},
    "reduced_lvp": {"keys": {"quadrature": ["s", "r", "angle"]}},
    "reduced_ritz": {"keys": {"quadrature": ["x", "y", "z"]}},
    "reduced_ritz_mesh": {"keys": {"mesh": ["points", "tetrahedra", "hexahedra"], "quadrature": ["points"]}},
    "collision_sphere": {"keys": {"pose": ["translation", "rpy", "quaternion"]}},
    "collision_capsule": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"pose": ["translation",
        "rpy", "quaternion"]}},
    "collision_cylinder": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"]}, "keys": {"pose": ["translation",
        "rpy", "quaternion"]}},
    "collision_box": {"keys": {"pose": ["translation", "rpy", "quaternion"]}},
    "collision_mesh": {"keys": {"pose": ["translation", "rpy", "quaternion"]}},
    "tendon": {"takes": [["link", "routing"], ["link", "points"], ["segments"]], "words": {"mode": ["tension",
        "length"]}},
    "joint_actuator": {"words": {"mode": ["force", "position"]}},
    "segment": {"takes": [["routing"], ["points"]]},
    "load": {"words": {"frame": ["world", "body"]}, "keys": {"pose": ["translation", "rpy", "quaternion"]}},
    "contact_cylinder_interior": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"], "per": ["point", "length"]},
        "keys": {"stick": ["stiffness", "damping"], "pose": ["translation", "rpy", "quaternion"]}},
    "contact_cylinder_exterior": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"], "per": ["point", "length"]},
        "keys": {"stick": ["stiffness", "damping"], "pose": ["translation", "rpy", "quaternion"]}},
    "contact_plane": {"words": {"axis": ["x", "y", "z", "-x", "-y", "-z"], "per": ["point", "length"]}, "keys":
        {"stick": ["stiffness", "damping"], "pose": ["translation", "rpy", "quaternion"]}},
    "contact_sphere": {"words": {"per": ["point", "length"]}, "keys": {"stick": ["stiffness", "damping"], "pose":
        ["translation", "rpy", "quaternion"]}},
    "contact_box": {"words": {"per": ["point", "length"]}, "keys": {"stick": ["stiffness", "damping"], "pose":
        ["translation", "rpy", "quaternion"]}},
    "contact_pair": {"keys": {"stick": ["stiffness", "damping"]}},
    "contact_self": {"keys": {"stick": ["stiffness", "damping"]}},
    "loop": {"keys": {"a": ["link", "at", "pose"], "b": ["link", "at", "pose"]}},
    "end": {"keys": {"pose": ["translation", "rpy", "quaternion"]}},
    "spring": {"keys": {"a": ["link", "at", "pose"], "b": ["link", "at", "pose"]}},
})
