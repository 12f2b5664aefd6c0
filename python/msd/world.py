"""A world: particles, springs and everything that acts on them; stepping."""

import weakref

from .adding import Adding
from .bodies import Body, Builders
from .documentation import document
from .equilibrium import Equilibrium
from .errors import Result, check, error
from .guard import NAMES, Guard
from .particles import Particles
from .reactions import Reactions
from .removal import Removal
from .reports import Reports
from .sleeping import Sleeping
from .structs import define, enum, ffi, finite_int, lib, number_of, seconds, unknown


def _setting(name, text, is_enum=None):
    """A property for msd_world_get_NAME and msd_world_set_NAME."""
    def get(self):
        if name == "gravity":
            return self._vector_of("msd_world_get_gravity")
        value = self._get("msd_world_get_" + name)
        return enum(is_enum)(value).name.lower() if is_enum else value

    def put(self, value):
        if name == "gravity":
            value = self._vector(value)
        elif is_enum:
            value = number_of(is_enum, value)
        self._do("msd_world_set_" + name, value)

    get.__doc__ = text
    return property(get, put)


class World(Adding, Builders, Equilibrium, Particles, Reactions, Removal, Reports, Sleeping):
    """A simulation world: particles, springs, colliders, collision meshes, air.

    Lengths are in meters, masses in kilograms, times in seconds, forces in newtons. Particles, springs and
    other objects are identified by integers, which change only in `compact`. One world must be used by one
    thread at a time; different worlds can be used by different threads. Stepping releases the interpreter lock.
    """

    bodies: "list[Body]"

    @document("msd_world_def")
    def __init__(self, **settings):
        made, keep = define("msd_world_def", settings)
        memory = lib.msdpy_memory_open()
        if memory == ffi.NULL:
            raise error(Result.OUT_OF_MEMORY)
        lib.msdpy_equip(made, memory)
        world = ffi.new("msd_world **")
        result = lib.msd_create_world(made, world)
        if result != lib.MSD_OK:
            lib.msdpy_memory_leave(memory)
            check(result)
        self._adopt(world[0], memory)

    def _adopt(self, pointer_, memory):
        """Makes this object the owner of a world of C."""
        self._guard = Guard(pointer_)
        self._guard.owner = weakref.ref(self)
        self._memory = memory
        self._close = weakref.finalize(self, lib.msdpy_close_world, pointer_, memory)
        self._guard.install(pointer_)
        self.bodies = []

    # ------------------------------------------------------------------------------------------------ settings

    gravity = _setting("gravity", "m/s^2: acceleration of every unpinned particle.")
    linear_damping = _setting("linear_damping", "1/s: velocities decay by exp(-linear_damping t).")
    integrator = _setting("integrator", "'symplectic_euler', 'explicit_euler', 'velocity_verlet', 'rk4' or "
                          "'sequential_impulse'.", "msd_integrator")
    clamp_stiffness = _setting("clamp_stiffness", "Whether springs are clamped to the stable stiffness.")
    energy_mode = _setting("energy_mode", "Treatment of numerical energy gain: 'off', 'monitor', 'bounded' or "
                           "'bounded_central'.", "msd_energy_mode")
    mass_scaling = _setting("mass_scaling",
                            "'none', or 'selective': adds inertia to springs too stiff for a substep.",
                            "msd_mass_scaling")
    solver = _setting("solver", "'explicit' or 'gauss_seidel', which is similar to XPBD.",
                      "msd_solver")
    impulse_iterations = _setting("impulse_iterations", "Passes over the springs, for sequential impulses.")
    impulse_warm_start = _setting("impulse_warm_start", "Start from the impulses of the last substep.")
    record = _setting("record", "What frames record: a sum of msd.Record flags, such as PINS; 0: nothing.")
    thread_count = _setting("thread_count", "Largest number of threads of a frame. 0: automatic.")

    def set_simd(self, simd):
        """Sets the widest vector instructions to use: 'widest', 'scalar', '128' ... Results do not depend on
        it."""
        self._do("msd_world_set_simd", number_of("msd_simd", simd))

    @property
    def time(self):
        """The simulated time in s."""
        return self._get("msd_world_get_time")

    @property
    def steps(self):
        """The number of substeps done."""
        return self._get("msd_world_get_steps")

    @property
    def message(self):
        """The message of the last failed call on this world."""
        return ffi.string(self._get("msd_world_message")).decode(errors="replace")

    def __len__(self):
        return self._get("msd_world_get_particle_count")

    def __bool__(self):
        return True

    def __repr__(self):
        if self._guard.pointer is None:
            return "<msd.World, closed>"
        return f"<msd.World: {len(self)} particles, {len(self.springs)} springs, {self.time:.4g} s>"

    # --------------------------------------------------------------------------------------------------- steps

    def check(self):
        """Raises the errors that the next step would raise before it begins: settings that do not support
        everything in the world, and initial intersections if the contact settings treat them as an error."""
        self._do("msd_world_check")

    def step(self, frame_time, substeps=0):
        """Advances the world by frame_time seconds, one frame, in `substeps` equal substeps; 0: the fewest that
        are proven stable.

        Other Python threads run meanwhile; Ctrl-C ends a long frame. An exception in a callback ends the frame
        early and is raised here. Raises Diverged if a value would become non-finite; the world keeps the last
        finite state.
        """
        self._step(lambda world: lib.msd_world_step(world, seconds(frame_time),
                                                    finite_int(substeps, "substeps")))

    def _step(self, call):
        guard = self._guard
        with guard as world:
            was = guard.begin_step()
            try:
                result = call(world)
            except OverflowError:
                result = lib.MSD_BAD_FRAME_TIME
            finally:
                guard.end_step(was)
            check(result)

    def set_callbacks(self, stop=None, **functions):
        """Sets the callbacks of a frame; those that are omitted are removed.

        stop(world) ends the frame if it returns true: Error with the result Result.CANCELED. The others are
        before_step, after_step, before_substep and after_substep (world, info), spring_torn (world, spring),
        contact_begin and contact_end (world, event). Inside callbacks the world is read-only: changes raise
        Locked. An exception ends the frame and is raised by step().
        """
        for name, function in functions.items():
            if name not in NAMES:
                raise unknown(name, ("stop", *NAMES), "set_callbacks")
            if function is not None and not callable(function):
                raise TypeError(f"{name} must be a function, and not {function!r}")
        with self._guard as world:
            before = self._guard.functions, self._guard.user_stop
            self._guard.functions, self._guard.user_stop = functions, stop
            try:
                self._guard.install(world)
            except BaseException:
                self._guard.functions, self._guard.user_stop = before
                raise

    @property
    def callbacks(self):
        """The current callbacks, by name."""
        named = {"stop": self._guard.user_stop, **self._guard.functions}
        return {name: function for name, function in named.items() if function is not None}

    # ----------------------------------------------------------------------------------------------- snapshots

    @property
    def hash(self):
        """A hash of all positions and velocities, bitwise identical on every machine."""
        return self._get("msd_world_hash")

    def _saved(self, name):
        size = ffi.new("size_t *")
        with self._guard as world:
            check(getattr(lib, name)(world, ffi.NULL, 0, size))
            buffer = ffi.new("char[]", max(size[0], 1))
            check(getattr(lib, name)(world, buffer, size[0], size))
            return bytes(ffi.buffer(buffer, size[0]))

    def save(self):
        """Saves the whole world as bytes. A restored world continues bitwise identically."""
        return self._saved("msd_world_save")

    def restore(self, snapshot):
        """Replaces contents and settings by those of a snapshot."""
        data = ffi.from_buffer(snapshot)
        self._do("msd_world_restore", data, len(data))
        self.bodies = []

    def save_state(self):
        """Saves the motion as bytes: a fast quick save, for rollback by a few frames."""
        return self._saved("msd_world_save_state")

    def restore_state(self, state):
        """Restores a state of this world or of a copy of it."""
        data = ffi.from_buffer(state)
        self._do("msd_world_restore_state", data, len(data))

    @classmethod
    def from_snapshot(cls, snapshot, **settings):
        """Creates a world with the contents of a snapshot."""
        made = cls(**settings)
        made.restore(snapshot)
        return made

    def copy(self):
        """Returns an independent world in the same state, without callbacks."""
        copied = ffi.new("msd_world **")
        with self._guard as world:
            check(lib.msd_copy_world(world, copied))
            lib.msdpy_memory_join(self._memory)
            other = World.__new__(World)
            other._adopt(copied[0], self._memory)
            other.bodies = [body._of(other) for body in self.bodies]
            return other

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return _unpickle, (self.save(), [body._state() for body in self.bodies])

    def close(self):
        """Frees the world now; later calls raise ValueError. Raises Locked inside a callback of its frame."""
        if self._guard.pointer is None:
            return
        with self._guard:
            if self._guard.is_stepping:
                raise error(Result.LOCKED)
            self._guard.pointer = None
            self._close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ------------------------------------------------------------------------------------------------ pictures

    def plot(self, **options):
        """Draws the world with matplotlib: msd.plot."""
        from .pictures import plot

        return plot(self, **options)

    def _repr_png_(self):
        from .pictures import png

        return png(self)


def _unpickle(snapshot, bodies):
    world = World.from_snapshot(snapshot)
    world.bodies = [Body._from_state(world, state) for state in bodies]
    return world
