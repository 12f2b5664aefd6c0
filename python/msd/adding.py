"""What is added to a world: particles, springs and all that acts on them."""

import numpy as np

from . import items
from .calls import Calls
from .documentation import document
from .errors import BadValue, Result
from .structs import array_of, define, ffi, quaternion


class Adding(Calls):
    """Additions to a world, and the sequences of what it has."""

    @document("msd_particle_def", "msd_add_particles")
    def add_particles(self, count=None, **particles):
        """Adds particles: fields are one value for all, or an array with one for each. Their range."""
        return self._add("msd_particle_def", "msd_add_particles", particles, count)

    @document("msd_spring_def", "msd_add_springs")
    def add_springs(self, a, b=None, **springs):
        """Adds springs between a[i] and b[i]; or between the two of each row of `a`. Their range."""
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
        """Adds constraints: particles are (n, 3) or (n, 4) by kind. A mesh_volume has `triangles`. Their
        range."""
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

    @document("msd_anchor_def", "msd_add_anchors")
    def add_anchors(self, **anchors):
        """Adds anchors: particle and point of each. Their range."""
        return self._add("msd_anchor_def", "msd_add_anchors", anchors)

    @document("msd_rotor_def", "msd_add_rotors")
    def add_rotors(self, count=None, **rotors):
        """Adds rotors. Their range."""
        return self._add("msd_rotor_def", "msd_add_rotors", rotors, count)

    @document("msd_angular_spring_def", "msd_add_angular_springs")
    def add_angular_springs(self, **springs):
        """Adds springs between rotors a and b, or between a and the frame. Their range."""
        return self._add("msd_angular_spring_def", "msd_add_angular_springs", springs)

    @document("msd_collider_def", "msd_add_colliders")
    def add_collider(self, kind, **collider):
        """Adds a 'plane', 'sphere', 'capsule' or 'box'; its index. A rotation is three angles in degrees about
        x, y and z, or a quaternion (w, x, y, z)."""
        if "rotation" in collider:
            turned = quaternion(collider["rotation"])
            collider["rotation"] = (turned.w, turned.x, turned.y, turned.z)
        made, keep = define("msd_collider_def", {"kind": kind, **collider})
        first = ffi.new("int32_t *")
        self._do("msd_add_colliders", made, 1, first)
        return first[0]

    @document("msd_surface_def", "msd_add_surfaces")
    def add_surface(self, triangles=None, segments=None, **surface):
        """Adds a surface of triangles (n, 3) and segments (n, 2) of particles, which touches others; its
        index."""
        made, keep = define("msd_surface_def", {"triangles": triangles, "segments": segments, **surface})
        first = ffi.new("int32_t *")
        self._do("msd_add_surfaces", made, 1, first)
        return first[0]

    @document("msd_contact_def", "msd_world_set_contact")
    def set_contact(self, **contact):
        """What touching is like: thickness, friction, softness, strict. Fields that are left out keep their
        value."""
        made, keep = define("msd_contact_def", {**self.contact._asdict(), **contact})
        self._do("msd_world_set_contact", made)

    @property
    def contact(self):
        """As it was set."""
        return self._record("msd_world_get_contact")

    @document("msd_wind_def", "msd_world_set_wind")
    def set_wind(self, **wind):
        """Sets the air around everything that has a surface. Fields that are left out keep their value; those
        of the header where there is no air yet."""
        now = self.wind._asdict() if self.wind.density > 0 else {}
        made, keep = define("msd_wind_def", {**now, **wind})
        self._do("msd_world_set_wind", made)

    @property
    def wind(self):
        """As it was set."""
        return self._record("msd_world_get_wind")

    def wind_velocity(self, place):
        """m/s: how fast the air goes at a place now."""
        return self._vector_of("msd_world_get_wind_velocity", self._vector(place))

    springs = property(lambda self: items.Springs(self), doc="The springs between particles: msd.Springs.")
    constraints = property(lambda self: items.Constraints(self),
                           doc="Springs on angles, areas, volumes, fibres.")
    anchors = property(lambda self: items.Anchors(self), doc="Springs from particles to points.")
    rotors = property(lambda self: items.Rotors(self), doc="Bodies that turn.")
    angular_springs = property(lambda self: items.AngularSprings(self), doc="Springs between rotors.")
    colliders = property(lambda self: items.Colliders(self), doc="What particles touch.")
    surfaces = property(lambda self: items.Surfaces(self), doc="What touches each other.")
