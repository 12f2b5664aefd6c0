"""A world: particles, springs and all that acts on them, and the steps that move them."""

import weakref

from .adding import Adding
from .bodies import Body, Builders
from .documentation import document
from .errors import Result, check, error
from .guard import NAMES, Guard
from .particles import Particles
from .removal import Removal
from .reports import Reports
from .rest import Rest
from .sleeping import Sleeping
from .structs import define, enum, ffi, finite_int, lib, number_of, seconds, unknown


def _setting(name, text, is_enum=None):
    """A property of msd_world_get_NAME and msd_world_set_NAME."""
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


class World(Adding, Builders, Particles, Removal, Reports, Rest, Sleeping):
    """Particles joined by damped springs, with what they touch and the air around them.

    Lengths are in metres, masses in kilograms, times in seconds, forces in newtons. Particles, springs and all
    else are whole numbers that never change. One world belongs to one thread at a time; two threads may use two
    worlds, and steps leave the interpreter to others while they compute.
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
        """Makes this the owner of a world of C."""
        self._guard = Guard(pointer_)
        self._guard.owner = weakref.ref(self)
        self._memory = memory
        self._close = weakref.finalize(self, lib.msdpy_close_world, pointer_, memory)
        self._guard.install(pointer_)
        self.bodies = []

    # ------------------------------------------------------------------------------------------------ settings

    gravity = _setting("gravity", "m/s^2: acceleration of every unpinned particle.")
    air_drag = _setting("air_drag", "1/s: velocities decay by exp(-air_drag t).")
    integrator = _setting("integrator", "'symplectic_euler', 'explicit_euler', 'velocity_verlet', 'rk4' or "
                          "'sequential_impulse'.", "msd_integrator")
    limit = _setting("limit", "'none', or 'coefficients': springs too stiff for a step are capped.",
                     "msd_limit")
    energy = _setting("energy", "'plain', 'measured', 'guarded' or 'central'.", "msd_energy")
    mass_scaling = _setting("mass_scaling",
                            "'none', or 'selective': springs too stiff for a substep have heavier ends.",
                            "msd_mass_scaling")
    solver = _setting("solver", "'forces', or 'gauss_seidel': springs are solved one after the other.",
                      "msd_solver")
    impulse_iterations = _setting("impulse_iterations", "Passes over the springs, of sequential impulses.")
    impulse_warm_start = _setting("impulse_warm_start", "Begin with the impulses of the substep before.")
    thread_count = _setting("thread_count", "The most threads that a step uses. Set 0: as many as pay.")

    def set_simd(self, simd):
        """The widest vector instructions that steps may use: 'widest', 'scalar', '128' ... All give the same
        bits."""
        self._do("msd_world_set_simd", number_of("msd_simd", simd))

    @property
    def time(self):
        """Seconds simulated."""
        return self._get("msd_world_get_time")

    @property
    def steps(self):
        """Substeps done."""
        return self._get("msd_world_get_steps")

    @property
    def message(self):
        """What the last failing call on this world had to say."""
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

    def step(self, time_step, substeps=0):
        """Advances the world by time_step seconds in `substeps` equal substeps; 0: the fewest that are
        certified stable.

        Other threads of Python run meanwhile; Ctrl-C ends a long step. What a callback raises is raised here,
        behind a step that has ended early. Raises Diverged, with the last finite state kept.
        """
        self._step(lambda world: lib.msd_world_step(world, seconds(time_step),
                                                    finite_int(substeps, "substeps")))

    def _step(self, call):
        guard = self._guard
        with guard as world:
            was = guard.begin_step()
            try:
                result = call(world)
            except OverflowError:
                result = lib.MSD_BAD_TIME_STEP
            finally:
                guard.end_step(was)
            check(result)

    def set_callbacks(self, stop=None, **functions):
        """Functions of yours that steps call; those that are left out are taken away.

        stop(world) ends the step where it answers true: Error with the result Result.STOPPED. before_step,
        after_step, before_substep, after_substep (world, moment), spring_torn (world, spring), contact_begin,
        contact_end (world, touch). In all of them the world can be read, and nothing else: what would change it
        raises Busy. What they raise ends the step and comes out of it.
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
        """The functions that are set, by name."""
        named = {"stop": self._guard.user_stop, **self._guard.functions}
        return {name: function for name, function in named.items() if function is not None}

    # ----------------------------------------------------------------------------------------------- snapshots

    @property
    def hash(self):
        """A fingerprint of the state: the bits of every position and velocity, the same on every machine."""
        return self._get("msd_world_hash")

    def _saved(self, name):
        size = ffi.new("size_t *")
        with self._guard as world:
            check(getattr(lib, name)(world, ffi.NULL, 0, size))
            buffer = ffi.new("char[]", max(size[0], 1))
            check(getattr(lib, name)(world, buffer, size[0], size))
            return bytes(ffi.buffer(buffer, size[0]))

    def save(self):
        """The whole world as bytes. A world restored from them goes on with the same bits."""
        return self._saved("msd_world_save")

    def restore(self, snapshot):
        """Replaces contents and settings by those of a snapshot."""
        data = ffi.from_buffer(snapshot)
        self._do("msd_world_restore", data, len(data))
        self.bodies = []

    def save_state(self):
        """What steps change, as bytes: for going back some frames at the speed of memory."""
        return self._saved("msd_world_save_state")

    def restore_state(self, state):
        """Goes back to a state of this world or of a copy of it."""
        data = ffi.from_buffer(state)
        self._do("msd_world_restore_state", data, len(data))

    @classmethod
    def from_snapshot(cls, snapshot, **settings):
        """A new world with the contents of a snapshot."""
        made = cls(**settings)
        made.restore(snapshot)
        return made

    def copy(self):
        """An independent world in the same state; callbacks are not copied."""
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
        """Frees the world now; later calls raise ValueError. Within a callback of its own step: Busy."""
        if self._guard.pointer is None:
            return
        with self._guard:
            if self._guard.is_stepping:
                raise error(Result.BUSY)
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
