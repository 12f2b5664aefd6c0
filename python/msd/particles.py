"""The particles of a world as arrays: copies, and views of engine memory."""

from collections import namedtuple

import numpy as np

from .calls import Calls
from .errors import BadValue, Result, check
from .structs import array_of, as_numbers, booleans, ffi, indices_of, lib, number_of, pointer, real

View = namedtuple("View", "x y z slot")
View.__annotations__ = {name: "NDArray[Any]" for name in View._fields}
View.__doc__ = """Read-only view of an attribute of all particles in engine memory, without a copy.

Particle i is at x[slot[i]], y[slot[i]], z[slot[i]]. After the next call that steps or changes the world a view
may show an old state. Its memory remains readable as long as the view exists, even after the world is freed.
"""


def _quantity(name, components, text):
    """A property that reads and writes an attribute of all particles (msd/bulk.h)."""
    def get(self):
        return self.read(name)

    def put(self, values):
        self.write(name, values)

    get.__doc__ = text
    return property(get, put)


class Particles(Calls):
    """Positions, velocities, masses and pins of a world."""

    positions = _quantity("position", 3,
                          "m: (n, 3), a copy. Assign an array of that shape to teleport particles.")
    velocities = _quantity("velocity", 3, "m/s: (n, 3), a copy. Pinned particles move at it.")
    forces = _quantity("force", 3, "N: the forces that act during the next frame: (n, 3), a copy.")
    masses = _quantity("mass", 1, "kg: (n,), a copy.")
    pinned = _quantity("pinned", 1, "Which are pinned: (n,) bool, a copy. Assign to pin and to release.")

    def _which(self, particles):
        """Returns a msd_particle_set, and the objects that must be kept alive for it."""
        if particles is None:
            return ffi.new("msd_particle_set *", (ffi.NULL, 0, len(self)))[0], None
        if isinstance(particles, slice):
            particles = range(*particles.indices(len(self)))
        if isinstance(particles, (int, np.integer)) and not isinstance(particles, bool):
            particles = range(self._particle(particles), self._particle(particles) + 1)
        if isinstance(particles, range) and particles.step == 1 and particles.start >= 0:
            return ffi.new("msd_particle_set *", (ffi.NULL, particles.start, len(particles)))[0], None
        chosen = indices_of(particles, len(self), "particle")
        return ffi.new("msd_particle_set *", (pointer(chosen, "int32_t *"), 0, len(chosen)))[0], chosen

    @staticmethod
    def _layout(array, is_pinned):
        kinds = {np.dtype(np.float32): lib.MSD_SCALAR_FLOAT, np.dtype(np.float64): lib.MSD_SCALAR_DOUBLE}
        number = lib.MSD_SCALAR_BYTE if is_pinned else kinds.get(array.dtype)
        if number is None:
            raise BadValue(Result.BAD_VALUE, f"numbers are float32 or float64, and not {array.dtype}")
        strides = array.strides + (0,) * (2 - len(array.strides))
        return ffi.new("msd_memory_layout *", (strides[0], strides[1], number))[0]

    def read(self, attribute, particles=None, out=None, dtype=None):
        """Returns an array of an attribute: 'position', 'velocity', 'force', 'target', 'mass' or 'pinned'.

        particles: an index, a range, a slice, a list of indices or a mask; None: all. out: an array to fill,
        float32 or float64 with any positive strides, for example one column of an interleaved vertex buffer; it
        is filled directly. dtype: type of the new array if there is no `out`; default float32, or float64 in a
        double precision build.
        """
        kind = number_of("msd_attribute", attribute)
        is_pinned = kind == lib.MSD_PINNED
        with self._guard as world:
            which, keep = self._which(particles)
            count = which.count
            shape = (count,) if lib.msd_attribute_components(kind) == 1 else (count, 3)
            if out is None:
                out = np.empty(shape, np.bool_ if is_pinned else dtype or real)
            if not isinstance(out, np.ndarray):
                raise BadValue(Result.BAD_VALUE, f"out must be an array of numpy, and not {type(out).__name__}")
            if out.shape != shape or (min(out.strides, default=1) <= 0
                                      and out.size) or not out.flags.writeable \
                    or (is_pinned and out.dtype.itemsize != 1):
                raise BadValue(Result.BAD_VALUE,
                               f"out has the shape {out.shape} and the strides {out.strides}; it must "
                               f"be {shape} and writable")
            if out.size:
                layout = self._layout(out, is_pinned)
                check(lib.msd_world_read(world, which, kind, layout, pointer(out, "void *")))
            return out

    def write(self, attribute, values, particles=None):
        """Sets an attribute of particles: one value for all of them, or an array with one per particle. All or
        none change."""
        kind = number_of("msd_attribute", attribute)
        is_pinned = kind == lib.MSD_PINNED
        given = array_of(values, str(attribute))
        if is_pinned:
            given = booleans(given, "pinned")
        elif given.dtype != np.float64:
            given = as_numbers(given, real, str(attribute))
        with self._guard as world:
            which, keep = self._which(particles)
            shape = (which.count,) if lib.msd_attribute_components(kind) == 1 else (which.count, 3)
            if given.shape != shape:
                try:
                    given = np.ascontiguousarray(np.broadcast_to(given, shape))
                except ValueError:
                    raise BadValue(Result.BAD_VALUE,
                                   f"{attribute} has the shape {given.shape}; it must be {shape}") \
                        from None
            if not all(stride > 0 for stride in given.strides):
                given = np.ascontiguousarray(given)
            if given.size:
                layout = self._layout(given, is_pinned)
                check(lib.msd_world_write(world, which, kind, layout, pointer(given, "void *")))

    def set_positions(self, positions, particles=None):
        """Teleports particles; their velocities are unchanged."""
        self.write("position", positions, particles)

    def set_velocities(self, velocities, particles=None):
        """Sets velocities in m/s."""
        self.write("velocity", velocities, particles)

    def apply_forces(self, forces, particles=None):
        """Adds forces in N that act during the next frame."""
        with self._guard:
            self.write("force", self.read("force", particles) + as_numbers(array_of(forces, "forces"), real,
                                                                           "forces"),
                       particles)

    def pin(self, particles=None):
        """Pins particles at their positions."""
        self.write("pinned", True, particles)

    def unpin(self, particles=None):
        """Releases pinned particles."""
        self.write("pinned", False, particles)

    def move_to(self, targets, particles=None):
        """Moves pinned particles in straight lines to kinematic targets during the next frame."""
        self.write("target", targets, particles)

    def move_along(self, particle, target, turn, pivot=(0, 0, 0)):
        """Like move_to for one pinned particle, on an arc: `turn` is the rotation vector of the frame in rad,
        of any number of turns, about `pivot`."""
        self._do("msd_particle_move_along", self._particle(particle), self._vector(target),
                 self._turn(turn, pivot))

    def origin(self, particle):
        """Returns the original particle that tears have split, possibly several times, to create this one."""
        return self._get("msd_particle_get_origin", self._particle(particle))

    def _view(self, name):
        with self._guard as world:
            arrays = getattr(lib, name)(world)
            lib.msdpy_view_begin(self._memory)
            end = ffi.gc(self._memory, lib.msdpy_view_end)

            def view(start, number, count=arrays.count):
                # gc() on a copy of the pointer keeps `end`, and with it the memory, alive as long as the array.
                held = ffi.gc(ffi.cast("char *", start), lambda _, end=end: None)
                array = np.frombuffer(ffi.buffer(held, count * np.dtype(number).itemsize), number)
                array.flags.writeable = False
                return array

            if arrays.count == 0:
                return View(*(np.empty(0, real) for _ in range(3)), np.empty(0, np.int32))
            if arrays.slot == ffi.NULL:
                slot = np.arange(arrays.count, dtype=np.int32)
            else:
                slot = view(arrays.slot, np.int32)
            return View(view(arrays.x, real), view(arrays.y, real), view(arrays.z, real), slot)

    @property
    def position_view(self):
        """View of the positions in engine memory, without a copy: a View."""
        return self._view("msd_world_get_positions")

    @property
    def velocity_view(self):
        """View of the velocities in engine memory, without a copy: a View."""
        return self._view("msd_world_get_velocities")
