"""Sequences of the springs, constraints ... of a world, with one array for each of their attributes."""

from collections.abc import Sequence

import numpy as np

from .errors import BadIndex, Result
from .structs import (c_range, complete_law, define, ffi, finite_int, lib, name_of, plural, pointer, quaternion,
                      real, record, spoken)


class Items(Sequence):
    """All objects of one kind: len(items) is their number, items[i] the current definition of one."""

    kind = ""

    def __init__(self, world):
        self._world = world

    def __len__(self):
        return self._world._get(f"msd_world_get_{self.kind}_count")

    def index(self, item):
        """Returns a valid index as in C."""
        i, count = finite_int(item, spoken(self.kind)), len(self)
        if not -count <= i < count:
            raise BadIndex(Result.BAD_INDEX, f"there is no {spoken(self.kind)} {i}; there are {count}")
        return i % count if count else i

    def __getitem__(self, item):
        if isinstance(item, slice):
            return [self[i] for i in range(*item.indices(len(self)))]
        with self._world._guard as world:
            return record(getattr(lib, f"msd_{self.kind}_get_def")(world, self.index(item)))

    def __repr__(self):
        return f"<{len(self)} {plural(self.kind)} of {self._world!r}>"

    def destroy(self, items):
        """Destroys objects for good: an index, a range, a slice, a list or a mask; all of them or none. The
        others keep their indices until World.compact."""
        self._world._destroy(self.kind, items)

    @property
    def destroyed(self):
        """Which objects have been destroyed: bool."""
        return self._world._destroyed(self.kind)

    @property
    def live_count(self):
        """The number of objects that are not destroyed; len() counts all."""
        return self._world._get("msd_world_get_live_count", getattr(lib, f"MSD_OBJECT_{self.kind.upper()}"))

    def _range(self, items):
        """Returns a msd_range from a range, a slice or one index."""
        if isinstance(items, slice):
            items = range(*items.indices(len(self)))
        return c_range(items if isinstance(items, range) else self.index(items), plural(self.kind))

    def _do(self, name, item, *arguments):
        self._world._do(f"msd_{self.kind}_{name}", self.index(item), *arguments)

    def _values(self, name):
        with self._world._guard as world:
            count = len(self)
            function = f"msd_{self.kind}_{name}"
            kind = name_of(ffi.typeof(getattr(lib, function)).result)
            loop, number = {"double": (lib.msdpy_read_doubles, np.float64),
                            "_Bool": (lib.msdpy_read_bools, np.bool_)
                            }.get(kind, (lib.msdpy_read_reals, real))
            numbers = np.empty(count, number)
            to = {"double": "double *", "_Bool": "_Bool *"}.get(kind, "msd_real *")
            loop(world, ffi.addressof(lib, function), 0, count, ffi.cast(to, numbers.ctypes.data))
            return numbers


def _number(function, text):
    def get(self):
        return self._values(function)

    get.__doc__ = text
    return property(get)


class Breakable(Items):
    """Objects that can be broken."""

    broken = _number("is_broken", "Which are broken: bool.")

    def break_(self, item):
        """Breaks one object: it keeps its index and exerts no force."""
        self._do("break", item)

    def set_law(self, item, **law):
        """Sets the law of one object: stiffness=..., or ck=..., or frequency=... ."""
        made, keep = define(f"msd_{self.kind}_def", complete_law(law))
        self._do("set_law", item, made)


class Springs(Breakable):
    """The springs between particles. Attributes are arrays over all springs: springs.tension, springs.length
    ..."""

    kind = "spring"
    length = _number("get_length", "m: the current lengths.")
    stretch = _number("get_stretch", "The strains, length/rest_length - 1.")
    tension = _number("get_tension", "N: positive in tension.")
    stiffness = _number("get_stiffness", "N/m: the current stiffness.")
    damping = _number("get_damping", "N s/m: the current damping.")
    torn = _number("is_torn", "Which were torn by strain: bool.")
    plastic_strain = _number("get_plastic_strain", "The plastic strains, rest_length/initial rest length - 1.")

    @property
    def ends(self):
        """The particles at the ends: (n, 2) int32."""
        with self._world._guard as world:
            get = lib.msd_spring_get_def
            return np.array([(d.a, d.b) for d in (get(world, i) for i in range(len(self)))],
                            np.int32).reshape(-1, 2)

    @property
    def rest_length(self):
        """The current rest lengths in m."""
        with self._world._guard as world:
            get = lib.msd_spring_get_def
            return np.array([get(world, i).rest_length for i in range(len(self))], real)

    def set_law(self, items, **law):
        """Sets the law of one spring or of a range: stiffness=..., or ck=..., or frequency=... ."""
        made, keep = define("msd_spring_def", complete_law(law))
        self._world._do("msd_springs_set_law", self._range(items), made)

    def set_rest_length(self, item, rest_length, in_next_step=False):
        """Sets the rest length in m, at once or gradually during the next frame."""
        self._do("move_rest_length_to" if in_next_step else "set_rest_length", item, rest_length)

    def set_damage(self, items, **damage):
        """Makes springs tear, yield and split: tear_strain=0.3, yield_strain=0.1 ... (msd_damage_def). Without
        fields, removes these rules."""
        made, keep = define("msd_damage_def", damage)
        self._world._do("msd_springs_set_damage", self._range(items), made)

    def damage(self, item):
        """Returns the rules of damage and plasticity of a spring."""
        return self._world._record("msd_spring_get_damage", self.index(item))

    def stiffen(self, items, strain, factor):
        """Makes springs `factor` times as stiff beyond a strain; returns the range of the companion springs."""
        return self._world._range("msd_springs_stiffen", self._range(items), strain, factor)

    def limit_stretch(self, items, max_stretch, ck=1.0):
        """Limits the strain of springs to max_stretch (0.2: 20 %) by hard length limits; returns the range of
        these. After each substep they correct the fraction `ck` of the violation."""
        return self._world._range("msd_springs_limit_stretch", self._range(items), max_stretch, ck)

    def lines(self, items):
        """Returns the particles at the ends of the unbroken springs of a range: (n, 2)."""
        with self._world._guard as world:
            chosen = self._range(items)
            count = lib.msd_world_get_lines(world, chosen, ffi.NULL, 0)
            lines = np.empty((count, 2), np.int32)
            lib.msd_world_get_lines(world, chosen, ffi.cast("int32_t *", lines.ctypes.data), count)
            return lines


class Constraints(Breakable):
    """Constraints: springs on angles, areas, volumes and fibers."""

    kind = "constraint"
    value = _number("get_value", "The current values: rad, m^2, m^3; stretch ratios of fibers.")
    stretch = _number("get_stretch", "The strains of fibers, value/rest - 1; 0 for other kinds.")
    tension = _number("get_tension", "k C + mu C', in N m/rad, N/m, Pa or N m by kind.")
    plastic_strain = _number("get_plastic_strain",
                             "How far the rest values have yielded from the initial ones.")

    def set_rest(self, item, rest):
        """Sets the rest value; msd.AS_PLACED selects the current value."""
        self._do("set_rest", item, rest)

    def set_damage(self, items, **damage):
        """Makes constraints yield (msd_damage_def)."""
        made, keep = define("msd_damage_def", damage)
        self._world._do("msd_constraints_set_damage", self._range(items), made)

    def damage(self, item):
        """Returns the plasticity rules of a constraint."""
        return self._world._record("msd_constraint_get_damage", self.index(item))


class SoftPins(Items):
    """Soft pins: springs from particles to positions in space."""

    kind = "soft_pin"
    exact = _number("is_exact", "Which are integrated in closed form: bool.")

    def set_def(self, item, **soft_pin):
        """Changes the given fields of a soft pin; others are unchanged."""
        made, keep = define("msd_soft_pin_def", {**self[item]._asdict(), **soft_pin})
        self._do("set_def", item, made)

    def move_to(self, item, position):
        """Moves the target position during the next frame."""
        self._do("move_to", item, self._world._vector(position))

    def move_along(self, item, position, turn, pivot=(0, 0, 0)):
        """Like move_to, on an arc: `turn` is the rotation vector of the frame in rad, of any number of turns,
        about `pivot`."""
        self._do("move_along", item, self._world._vector(position), self._world._turn(turn, pivot))

    @property
    def force(self):
        """Force on each particle in N, averaged over the last substep: (n, 3)."""
        return np.array([self._world._vector_of("msd_soft_pin_get_force", i) for i in range(len(self))],
                        real).reshape(-1, 3)

    def of(self, particle):
        """Returns the soft pin of a particle, or None."""
        found = self._world._get("msd_particle_get_soft_pin", self._world._particle(particle))
        return None if found < 0 else found


class Rotors(Items):
    """Rotors: bodies that rotate about an axis."""

    kind = "rotor"
    angle = _number("get_angle", "rad, with full turns counted.")
    angular_velocity = _number("get_angular_velocity", "rad/s.")

    def set_def(self, item, **rotor):
        """Changes the given fields of a rotor; others are unchanged."""
        made, keep = define("msd_rotor_def", {**self[item]._asdict(), **rotor})
        self._do("set_def", item, made)

    def apply_torque(self, item, torque):
        """Adds a torque in N m during the whole of the next frame."""
        self._do("apply_torque", item, torque)


class TorsionSprings(Breakable):
    """Torsion springs between rotors."""

    kind = "torsion_spring"
    torque = _number("get_torque", "N m, positive if it turns a backward and b forward.")

    def set_rest_angle(self, item, angle):
        """Sets the rest angle in rad; msd.AS_PLACED selects the current angle."""
        self._do("set_rest_angle", item, angle)


class Colliders(Items):
    """Colliders: planes, spheres, capsules and boxes."""

    kind = "collider"

    def set_def(self, item, **collider):
        """Changes the given fields of a collider at once; others are unchanged."""
        if "rotation" in collider:
            turned = quaternion(collider["rotation"])
            collider["rotation"] = (turned.w, turned.x, turned.y, turned.z)
        made, keep = define("msd_collider_def", {**self[item]._asdict(), **collider})
        self._do("set_def", item, made)

    def move_to(self, item, position, rotation=(1, 0, 0, 0)):
        """Moves a collider to a position and rotation during the next frame (kinematic). A rotation is three
        angles in degrees about x, then y, then z, or a quaternion (w, x, y, z)."""
        self._do("move_to", item, self._world._vector(position), quaternion(rotation))

    def move_along(self, item, position, rotation, turn, pivot=(0, 0, 0)):
        """Like move_to, on the path of a rotation: `turn` is the rotation vector of the frame in rad, of any
        number of turns, about `pivot`. It must end at `rotation`."""
        self._do("move_along", item, self._world._vector(position), quaternion(rotation),
                 self._world._turn(turn, pivot))


class CollisionMeshes(Items):
    """Collision meshes."""

    kind = "collision_mesh"

    def exclude(self, mesh, other):
        """Excludes two collision meshes from contact with each other, permanently. A mesh and itself: turns off
        its self-collision."""
        self._do("exclude", mesh, self.index(other))

    def find_cut(self, mesh):
        """Returns which triangles and which segments of a collision mesh are cut, an edge of theirs being a
        torn spring: two arrays of bool. What is cut is no part of the mesh."""
        with self._world._guard as world:
            mesh = self.index(mesh)
            made = lib.msd_collision_mesh_get_def(world, mesh)
            cut = [np.zeros(n, np.bool_) for n in (made.triangle_count, made.segment_count)]
            self._do("find_cut", mesh, *(pointer(of, "bool *") for of in cut))
            return tuple(cut)

    def excludes(self, mesh, other):
        """Returns whether two collision meshes are excluded from contact with each other."""
        return self._world._get("msd_collision_mesh_excludes", self.index(mesh), self.index(other))
