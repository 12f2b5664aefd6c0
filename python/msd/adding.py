"""Adding objects to a world: particles, springs and everything that acts on them."""

import numpy as np

from . import items
from .calls import Calls
from .documentation import document
from .errors import BadValue, Result
from .structs import array_of, define, ffi, quaternion


class Adding(Calls):
    """Methods that add objects, and sequences of the objects of a world."""

    @document("msd_particle_def", "msd_add_particles")
    def add_particles(self, count=None, **particles):
        """Adds particles. Each field is one value for all, or an array with one value per particle. Returns
        their range."""
        return self._add("msd_particle_def", "msd_add_particles", particles, count)

    @document("msd_spring_def", "msd_add_springs")
    def add_springs(self, a, b=None, **springs):
        """Adds springs between a[i] and b[i]; or between the two particles of each row of `a`. Returns their
        range."""
        if b is None:
            ends = array_of(a, "ends")
            if ends.size == 0:
                ends = np.empty((0, 2), np.int32)
            if ends.ndim == 1:
                ends = ends[None]
            if ends.ndim != 2 or ends.shape[1] != 2:
                raise BadValue(Result.BAD_VALUE, f"ends have the shape {ends.shape}; it must be (n, 2)")
            a, b = ends[:, 0], ends[:, 1]
        return self._add("msd_spring_def", "msd_add_springs", {"a": a, "b": b, **springs})

    @document("msd_constraint_def", "msd_add_constraints")
    def add_constraints(self, kind, particles=None, **constraints):
        """Adds constraints. `particles` is (n, 3) or (n, 4), depending on the kind; a mesh_volume has
        `triangles`. Returns their range."""
        if constraints.get("triangles") is not None:
            made, keep = define("msd_constraint_def", {"kind": kind, **constraints})
            first = ffi.new("int32_t *")
            self._do("msd_add_constraints", made, 1, first)
            return range(first[0], first[0] + 1)
        corners = self._padded(particles, -1)
        if constraints.get("weights") is not None:
            constraints["weights"] = self._padded(constraints["weights"], 0)
        return self._add("msd_constraint_def", "msd_add_constraints",
                         {"kind": kind, "particles": corners, **constraints})

    @staticmethod
    def _padded(given, filling):
        rows = np.atleast_2d(array_of(given, "corners"))
        if rows.ndim != 2 or rows.shape[1] not in (3, 4):
            raise BadValue(Result.BAD_VALUE,
                           f"corners have the shape {rows.shape}; it must be (n, 3) or (n, 4)")
        return np.pad(rows, ((0, 0), (0, 4 - rows.shape[1])), constant_values=filling)

    @document("msd_soft_pin_def", "msd_add_soft_pins")
    def add_soft_pins(self, **soft_pins):
        """Adds soft pins, each with a particle and a target position. Returns their range."""
        return self._add("msd_soft_pin_def", "msd_add_soft_pins", soft_pins)

    @document("msd_rotor_def", "msd_add_rotors")
    def add_rotors(self, count=None, **rotors):
        """Adds rotors. Returns their range."""
        return self._add("msd_rotor_def", "msd_add_rotors", rotors, count)

    @document("msd_torsion_spring_def", "msd_add_torsion_springs")
    def add_torsion_springs(self, **springs):
        """Adds torsion springs between rotors a and b, or between a and the ground. Returns their range."""
        return self._add("msd_torsion_spring_def", "msd_add_torsion_springs", springs)

    @document("msd_collider_def", "msd_add_colliders")
    def add_collider(self, kind, **collider):
        """Adds a collider: 'plane', 'sphere', 'capsule' or 'box'. Returns its index. A rotation is three angles
        in degrees about x, y and z, or a quaternion (w, x, y, z)."""
        if "rotation" in collider:
            turned = quaternion(collider["rotation"])
            collider["rotation"] = (turned.w, turned.x, turned.y, turned.z)
        made, keep = define("msd_collider_def", {"kind": kind, **collider})
        first = ffi.new("int32_t *")
        self._do("msd_add_colliders", made, 1, first)
        return first[0]

    @document("msd_collision_mesh_def", "msd_add_collision_meshes")
    def add_collision_mesh(self, triangles=None, segments=None, **mesh):
        """Adds a collision mesh of triangles (n, 3) and segments (n, 2) of particles. Returns its index."""
        made, keep = define("msd_collision_mesh_def", {"triangles": triangles, "segments": segments, **mesh})
        first = ffi.new("int32_t *")
        self._do("msd_add_collision_meshes", made, 1, first)
        return first[0]

    @document("msd_contact_settings", "msd_world_set_contact_settings")
    def set_contact(self, **contact):
        """Sets the contact settings: thickness, friction, relaxation, error_on_intersection. Fields that are
        omitted keep their values."""
        made, keep = define("msd_contact_settings", {**self.contact._asdict(), **contact})
        self._do("msd_world_set_contact_settings", made)

    @property
    def contact(self):
        """The contact settings."""
        return self._record("msd_world_get_contact_settings")

    @document("msd_wind_def", "msd_world_set_wind")
    def set_wind(self, **wind):
        """Sets air and wind for everything that has a collision mesh. Fields that are omitted keep their
        values, or have the default if there was no air."""
        now = self.wind._asdict() if self.wind.density > 0 else {}
        made, keep = define("msd_wind_def", {**now, **wind})
        self._do("msd_world_set_wind", made)

    @property
    def wind(self):
        """The wind settings."""
        return self._record("msd_world_get_wind")

    def wind_velocity(self, place):
        """Returns the current velocity of the air at a position, in m/s."""
        return self._vector_of("msd_world_get_wind_velocity", self._vector(place))

    springs = property(lambda self: items.Springs(self), doc="The springs between particles: msd.Springs.")
    constraints = property(lambda self: items.Constraints(self),
                           doc="Constraints on angles, areas, volumes; fibers.")
    soft_pins = property(lambda self: items.SoftPins(self), doc="Soft pins: springs from particles to points.")
    rotors = property(lambda self: items.Rotors(self), doc="Rotors: bodies that rotate about an axis.")
    torsion_springs = property(lambda self: items.TorsionSprings(self), doc="Torsion springs between rotors.")
    colliders = property(lambda self: items.Colliders(self), doc="Planes, spheres, capsules and boxes.")
    collision_meshes = property(lambda self: items.CollisionMeshes(self), doc="Collision meshes.")
