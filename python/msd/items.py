"""The springs, constraints ... of a world, as sequences with one array for each number that they have."""

from collections.abc import Sequence

import numpy as np

from .errors import BadIndex, Result
from .structs import c_range, complete_law, define, ffi, finite_int, lib, name_of, quaternion, real, record


class Items(Sequence):
    """All items of one kind: len(items), items[i] is the definition of one, as it now is."""

    kind = ""
    # Names of numbers, and the functions of C that tell them, one item at a time.
    tells = {}

    def __init__(self, world):
        self._world = world

    def __len__(self):
        return self._world._get(f"msd_world_get_{self.kind}_count")

    def index(self, item):
        """An index as it is in C, that exists."""
        i, count = finite_int(item, self.kind), len(self)
        if not -count <= i < count:
            raise BadIndex(Result.BAD_INDEX, f"there is no {self.kind} {i}; there are {count}")
        return i % count if count else i

    def __getitem__(self, item):
        if isinstance(item, slice):
            return [self[i] for i in range(*item.indices(len(self)))]
        with self._world._guard as world:
            return record(getattr(lib, f"msd_{self.kind}_get_def")(world, self.index(item)))

    def __repr__(self):
        return f"<{len(self)} {self.kind}s of {self._world!r}>"

    def destroy(self, items):
        """Destroys some for good: an index, a range, a slice, a list or a mask; all of them, or none. The
        others keep their indices until World.compact."""
        self._world._destroy(self.kind, items)

    @property
    def destroyed(self):
        """Which have been destroyed: of bool."""
        return self._world._destroyed(self.kind)

    @property
    def live_count(self):
        """How many have not been destroyed; len() counts all."""
        return self._world._get("msd_world_get_live_count", getattr(lib, f"MSD_ITEM_{self.kind.upper()}"))

    def _range(self, items):
        """A msd_range from a range, a slice or one index."""
        if isinstance(items, slice):
            items = range(*items.indices(len(self)))
        return c_range(items if isinstance(items, range) else self.index(items), self.kind + "s")

    def _do(self, name, item, *arguments):
        self._world._do(f"msd_{self.kind}_{name}", self.index(item), *arguments)

    def _told(self, name):
        with self._world._guard as world:
            count = len(self)
            function = f"msd_{self.kind}_{name}"
            kind = name_of(ffi.typeof(getattr(lib, function)).result)
            loop, number = {"double": (lib.msdpy_tell_doubles, np.float64),
                            "_Bool": (lib.msdpy_tell_bools, np.bool_)
                            }.get(kind, (lib.msdpy_tell_reals, real))
            numbers = np.empty(count, number)
            to = {"double": "double *", "_Bool": "_Bool *"}.get(kind, "msd_real *")
            loop(world, ffi.addressof(lib, function), 0, count, ffi.cast(to, numbers.ctypes.data))
            return numbers


def _number(function, text):
    def get(self):
        return self._told(function)

    get.__doc__ = text
    return property(get)


class Breakable(Items):
    """What can be broken."""

    broken = _number("is_broken", "Which are broken.")

    def break_(self, item):
        """Breaks one: it keeps its index and exerts no force."""
        self._do("break", item)

    def set_law(self, item, **law):
        """Gives one another law and other numbers: stiffness=..., or ck=..., or frequency=... ."""
        made, keep = define(f"msd_{self.kind}_def", complete_law(law))
        self._do("set_law", item, made)


class Springs(Breakable):
    """The springs between particles. Numbers of all of them are arrays: springs.tension, springs.length ..."""

    kind = "spring"
    length = _number("get_length", "m: the present lengths.")
    stretch = _number("get_stretch", "length/rest_length - 1 of each.")
    tension = _number("get_tension", "N: positive where a spring pulls its ends together.")
    stiffness = _number("get_stiffness", "N/m as each now is.")
    damping = _number("get_damping", "N s/m as each now is.")
    torn = _number("is_torn", "Which have been broken by their strain.")
    set_ = _number("get_set", "rest_length/given rest length - 1 of those that have yielded.")

    @property
    def ends(self):
        """The particles at the ends: (n, 2) whole numbers."""
        with self._world._guard as world:
            get = lib.msd_spring_get_def
            return np.array([(d.a, d.b) for d in (get(world, i) for i in range(len(self)))],
                            np.int32).reshape(-1, 2)

    @property
    def rest_length(self):
        """m: the rest lengths, as they now are."""
        with self._world._guard as world:
            get = lib.msd_spring_get_def
            return np.array([get(world, i).rest_length for i in range(len(self))], real)

    def set_law(self, items, **law):
        """Gives a spring, or all of a range, another law: stiffness=..., or ck=..., or frequency=... ."""
        made, keep = define("msd_spring_def", complete_law(law))
        self._world._do("msd_springs_set_law", self._range(items), made)

    def set_rest_length(self, item, rest_length, in_next_step=False):
        """Sets the rest length in m, at once or in the course of the next step."""
        self._do("move_rest_length_to" if in_next_step else "set_rest_length", item, rest_length)

    def set_wear(self, items, **wear):
        """Lets springs tear, yield and split: tear=1.3, yield_=0.1 ... (msd_wear_def); nothing takes that
        away."""
        made, keep = define("msd_wear_def", wear)
        self._world._do("msd_springs_set_wear", self._range(items), made)

    def wear(self, item):
        """As it was set."""
        return self._world._record("msd_spring_get_wear", self.index(item))

    def stiffen(self, items, strain, factor):
        """Makes springs `factor` times as stiff beyond a strain; the range of the springs that do it."""
        return self._world._range("msd_springs_stiffen", self._range(items), strain, factor)

    def limit_stretch(self, items, stretch, share=1.0):
        """Limits lengths to `stretch` times the rest lengths, by catches; the range of those."""
        return self._world._range("msd_springs_limit_stretch", self._range(items), stretch, share)

    def lines(self, items):
        """The particles at the ends of the unbroken springs of a range: (n, 2)."""
        with self._world._guard as world:
            chosen = self._range(items)
            count = lib.msd_world_get_lines(world, chosen, ffi.NULL, 0)
            lines = np.empty((count, 2), np.int32)
            lib.msd_world_get_lines(world, chosen, ffi.cast("int32_t *", lines.ctypes.data), count)
            return lines


class Constraints(Breakable):
    """Springs on angles, areas, volumes and fibres."""

    kind = "constraint"
    value = _number("get_value", "The present values: rad, m^2, m^3.")
    stretch = _number("get_stretch", "value/rest - 1 of fibres, 0 of others.")
    tension = _number("get_tension", "What pulls each to its rest value, in N m/rad, N/m, Pa or N m.")
    set_ = _number("get_set",
                   "By how much the rest values of those that have yielded differ from the given ones.")

    def set_rest(self, item, rest):
        """Sets the rest value; msd.AS_PLACED for what it is now."""
        self._do("set_rest", item, rest)

    def set_wear(self, items, **wear):
        """Lets constraints yield (msd_wear_def)."""
        made, keep = define("msd_wear_def", wear)
        self._world._do("msd_constraints_set_wear", self._range(items), made)

    def wear(self, item):
        """As it was set."""
        return self._world._record("msd_constraint_get_wear", self.index(item))


class Anchors(Items):
    """Springs from particles to points in space."""

    kind = "anchor"
    exact = _number("is_exact", "Which move their particle along the closed form of its motion.")

    def set_def(self, item, **anchor):
        """Changes an anchor: the fields that are given, others stay."""
        made, keep = define("msd_anchor_def", {**self[item]._asdict(), **anchor})
        self._do("set_def", item, made)

    def move_to(self, item, point):
        """Carries the point there in the course of the next step."""
        self._do("move_to", item, self._world._vector(point))

    @property
    def force(self):
        """N: on each particle, on average over the last substep: (n, 3)."""
        return np.array([self._world._vector_of("msd_anchor_get_force", i) for i in range(len(self))],
                        real).reshape(-1, 3)

    def of(self, particle):
        """The anchor that holds a particle; None."""
        found = self._world._get("msd_particle_get_anchor", self._world._particle(particle))
        return None if found < 0 else found


class Rotors(Items):
    """Bodies that turn about an axis."""

    kind = "rotor"
    angle = _number("get_angle", "rad, counted on over many turns.")
    angular_velocity = _number("get_angular_velocity", "rad/s.")

    def set_def(self, item, **rotor):
        """Changes a rotor: the fields that are given, others stay."""
        made, keep = define("msd_rotor_def", {**self[item]._asdict(), **rotor})
        self._do("set_def", item, made)

    def apply_torque(self, item, torque):
        """N m, during the whole of the next step."""
        self._do("apply_torque", item, torque)


class AngularSprings(Breakable):
    """The springs between rotors."""

    kind = "angular_spring"
    torque = _number("get_torque", "N m, positive where a spring turns a back and b forth.")

    def set_rest_angle(self, item, angle):
        """Sets the rest angle in rad; msd.AS_PLACED for as the rotors now are."""
        self._do("set_rest_angle", item, angle)


class Colliders(Items):
    """Planes, spheres, capsules and boxes that particles touch."""

    kind = "collider"

    def set_def(self, item, **collider):
        """Puts another in its place at once: the fields that are given, others stay."""
        if "rotation" in collider:
            turned = quaternion(collider["rotation"])
            collider["rotation"] = (turned.w, turned.x, turned.y, turned.z)
        made, keep = define("msd_collider_def", {**self[item]._asdict(), **collider})
        self._do("set_def", item, made)

    def move_to(self, item, position, rotation=(1, 0, 0, 0)):
        """Carries a collider to a position, and turns it, in the course of the next step. A rotation is three
        angles in degrees about x, then y, then z, or a quaternion (w, x, y, z)."""
        self._do("move_to", item, self._world._vector(position), quaternion(rotation))


class Surfaces(Items):
    """The triangles and segments that touch each other."""

    kind = "surface"

    def ignore(self, surface, other):
        """From now on the two neither push each other nor keep each other from passing through."""
        self._do("ignore", surface, self.index(other))

    def ignores(self, surface, other):
        """Whether the two do not see each other."""
        return self._world._get("msd_surface_ignores", self.index(surface), self.index(other))
