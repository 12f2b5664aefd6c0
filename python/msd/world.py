"""A world: particles, springs and all that acts on them, and the steps that move them."""

from collections import namedtuple
import operator
import weakref

import numpy as np

from . import items
from .bodies import Body, Builders
from .documentation import document
from .errors import BadIndex, BadValue, Result, check, error, take_message
from .guard import NAMES, Guard
from .reports import Reports
from .structs import (as_numbers, define, define_all, dtype_of, enum, ffi, finite_int, lib, number_of, pointer, real,
                      record, seconds)

View = namedtuple("View", "x y z slot")
View.__doc__ = """The numbers of all particles where the engine itself has them: no copy, read-only.

Particle i is at x[slot[i]], y[slot[i]], z[slot[i]]. After the next call that steps or changes the world a view may show
an old state; it stays memory that may be read as long as you keep it, also when the world is gone.
"""


def _quantity(name, components, text):
    """A property that reads and writes a quantity of all particles (msd/bulk.h)."""
    def get(self):
        return self.read(name)

    def put(self, values):
        self.write(name, values)

    get.__doc__ = text
    return property(get, put)


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


class World(Builders, Reports):
    """Particles joined by damped springs, with what they touch and the air around them.

    Lengths are in metres, masses in kilograms, times in seconds, forces in newtons. Particles, springs and all else are
    whole numbers that never change. One world belongs to one thread at a time; two threads may use two worlds, and steps
    leave the interpreter to others while they compute.
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

    # ------------------------------------------------------------------------------------------ calls of the engine

    def _do(self, name, *arguments):
        """A call that answers with a result."""
        with self._guard as world:
            check(self._called(getattr(lib, name), world, arguments))

    def _get(self, name, *arguments):
        """A call that answers with what it reads."""
        with self._guard as world:
            return self._called(getattr(lib, name), world, arguments)

    @staticmethod
    def _called(function, world, arguments):
        try:
            return function(world, *arguments)
        except (TypeError, OverflowError) as problem:
            raise BadValue(Result.BAD_VALUE, f"{function.__name__}: {problem}") from None

    def _record(self, name, *arguments):
        return record(self._get(name, *arguments))

    def _range(self, name, *arguments):
        made = ffi.new("msd_range *")
        self._do(name, *arguments, made)
        return range(made.first, made.first + made.count)

    def _add(self, kind, many, given, count=None):
        made, length = define_all(kind, given, count)
        first = ffi.new("int32_t *")
        self._do(many, made, length, first)
        return range(first[0], first[0] + length)

    @staticmethod
    def _vector(value):
        numbers = np.asarray(value)
        if numbers.shape != (3,):
            raise BadValue(Result.BAD_VALUE, f"{value!r} must be 3 numbers")
        return ffi.new("msd_vec3 *", as_numbers(numbers, real, repr(value)).tolist())[0]

    def _vector_of(self, name, *arguments):
        told = self._get(name, *arguments)
        return np.array([told.x, told.y, told.z], real)

    def _particle(self, particle):
        i, count = finite_int(particle, "a particle"), len(self)
        if not -count <= i < count:
            raise BadIndex(Result.BAD_INDEX, f"there is no particle {i}; there are {count}")
        return i % count

    # ---------------------------------------------------------------------------------------------------- settings

    gravity = _setting("gravity", "m/s^2: acceleration of every unpinned particle.")
    air_drag = _setting("air_drag", "1/s: velocities decay by exp(-air_drag t).")
    integrator = _setting("integrator", "'symplectic_euler', 'explicit_euler', 'velocity_verlet', 'rk4' or "
                          "'sequential_impulse'.", "msd_integrator")
    limit = _setting("limit", "'none', or 'coefficients': springs too stiff for a step are capped.", "msd_limit")
    energy = _setting("energy", "'plain', 'measured', 'guarded' or 'central'.", "msd_energy")
    impulse_iterations = _setting("impulse_iterations", "Passes over the springs, of sequential impulses.")
    impulse_warm_start = _setting("impulse_warm_start", "Begin with the impulses of the substep before.")
    thread_count = _setting("thread_count", "The most threads that a step uses. Set 0: as many as pay.")

    def set_simd(self, simd):
        """The widest vector instructions that steps may use: 'widest', 'scalar', '128' ... All give the same bits."""
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

    # --------------------------------------------------------------------------------------------------- particles

    positions = _quantity("position", 3, "m: (n, 3), a copy. Assign an array of that shape to put particles elsewhere.")
    velocities = _quantity("velocity", 3, "m/s: (n, 3), a copy. A pinned particle travels at what it is given.")
    forces = _quantity("force", 3, "N: what acts during the next step: (n, 3), a copy.")
    masses = _quantity("mass", 1, "kg: (n,), a copy.")
    pinned = _quantity("pinned", 1, "Which are pinned: (n,) of bool, a copy. Assign to pin and to let go.")

    def _which(self, particles):
        """A msd_particles, and what has to be kept."""
        if particles is None:
            return ffi.new("msd_particles *", (ffi.NULL, 0, len(self)))[0], None
        if isinstance(particles, slice):
            particles = range(*particles.indices(len(self)))
        if isinstance(particles, (int, np.integer)):
            particles = range(self._particle(particles), self._particle(particles) + 1)
        if isinstance(particles, range) and particles.step == 1:
            return ffi.new("msd_particles *", (ffi.NULL, particles.start, len(particles)))[0], None
        chosen = np.asarray(particles)
        if chosen.dtype == bool:
            if chosen.shape != (len(self),):
                raise BadIndex(Result.BAD_INDEX, f"a mask has the shape {chosen.shape}; it must be ({len(self)},)")
            chosen = np.flatnonzero(chosen)
        if chosen.ndim != 1:
            raise BadIndex(Result.BAD_INDEX, f"particles have the shape {chosen.shape}; it must be (n,)")
        chosen = as_numbers(chosen, np.dtype(np.int32), "particles")
        return ffi.new("msd_particles *", (pointer(chosen, "int32_t *"), 0, len(chosen)))[0], chosen

    @staticmethod
    def _layout(array, is_pinned):
        kinds = {np.dtype(np.float32): lib.MSD_NUMBER_FLOAT, np.dtype(np.float64): lib.MSD_NUMBER_DOUBLE}
        number = lib.MSD_NUMBER_BYTE if is_pinned else kinds.get(array.dtype)
        if number is None:
            raise BadValue(Result.BAD_VALUE, f"numbers are float32 or float64, and not {array.dtype}")
        strides = array.strides + (0,) * (2 - len(array.strides))
        return ffi.new("msd_layout *", (strides[0], strides[1], number))[0]

    def read(self, quantity, particles=None, out=None, dtype=None):
        """An array of a quantity: 'position', 'velocity', 'force', 'target', 'mass' or 'pinned'.

        particles: an index, a range, a slice, a list of indices or a mask; None: all. out: an array to be filled, of
        float32 or float64 and of any positive strides, such as one column of an interleaved vertex buffer; nothing is
        copied twice. dtype: of the array that is made where there is no `out`; float32 unless told otherwise.
        """
        kind = number_of("msd_quantity", quantity)
        is_pinned = kind == lib.MSD_PINNED
        with self._guard as world:
            which, keep = self._which(particles)
            count = which.count
            shape = (count,) if lib.msd_quantity_components(kind) == 1 else (count, 3)
            if out is None:
                out = np.empty(shape, np.bool_ if is_pinned else dtype or real)
            if out.shape != shape or (min(out.strides, default=1) <= 0 and out.size) or not out.flags.writeable \
                    or (is_pinned and out.dtype.itemsize != 1):
                raise BadValue(Result.BAD_VALUE, f"out has the shape {out.shape} and the strides {out.strides}; it must "
                                                 f"be {shape} and writable")
            if out.size:
                layout = self._layout(out, is_pinned)
                check(lib.msd_world_read(world, which, kind, layout, pointer(out, "void *")))
            return out

    def write(self, quantity, values, particles=None):
        """Gives particles a quantity: one value for all of them, or an array with one for each. All or none change."""
        kind = number_of("msd_quantity", quantity)
        is_pinned = kind == lib.MSD_PINNED
        given = np.asarray(values)
        if is_pinned:
            given = given.astype(bool)
        elif given.dtype != np.float64:
            given = as_numbers(given, real, str(quantity))
        with self._guard as world:
            which, keep = self._which(particles)
            shape = (which.count,) if lib.msd_quantity_components(kind) == 1 else (which.count, 3)
            if given.shape != shape:
                try:
                    given = np.ascontiguousarray(np.broadcast_to(given, shape))
                except ValueError:
                    raise BadValue(Result.BAD_VALUE, f"{quantity} has the shape {given.shape}; it must be {shape}") \
                        from None
            if not all(stride > 0 for stride in given.strides):
                given = np.ascontiguousarray(given)
            if given.size:
                layout = self._layout(given, is_pinned)
                check(lib.msd_world_write(world, which, kind, layout, pointer(given, "void *")))

    def set_positions(self, positions, particles=None):
        """Puts particles elsewhere at once; their velocities stay."""
        self.write("position", positions, particles)

    def set_velocities(self, velocities, particles=None):
        """Sets velocities in m/s."""
        self.write("velocity", velocities, particles)

    def apply_forces(self, forces, particles=None):
        """Adds forces in N that act during the next step."""
        with self._guard:
            self.write("force", self.read("force", particles) + np.asarray(forces, real), particles)

    def pin(self, particles=None):
        """Pins particles where they are."""
        self.write("pinned", True, particles)

    def unpin(self, particles=None):
        """Lets them go."""
        self.write("pinned", False, particles)

    def move_to(self, targets, particles=None):
        """Carries pinned particles in straight lines to targets in the course of the next step."""
        self.write("target", targets, particles)

    def origin(self, particle):
        """The particle that was added of which one is a part, since tears have split particles."""
        return self._get("msd_particle_get_origin", self._particle(particle))

    def _view(self, name):
        with self._guard as world:
            told = getattr(lib, name)(world)
            lib.msdpy_view_begin(self._memory)
            end = ffi.gc(self._memory, lib.msdpy_view_end)

            def look(start, number, count=told.count):
                # gc() on a copy of the pointer keeps `end`, and with it the memory, as long as the array.
                held = ffi.gc(ffi.cast("char *", start), lambda _, end=end: None)
                array = np.frombuffer(ffi.buffer(held, count * np.dtype(number).itemsize), number)
                array.flags.writeable = False
                return array

            if told.count == 0:
                return View(*(np.empty(0, real) for _ in range(3)), np.empty(0, np.int32))
            if told.slot == ffi.NULL:
                slot = np.arange(told.count, dtype=np.int32)
            else:
                slot = look(told.slot, np.int32)
            return View(look(told.x, real), look(told.y, real), look(told.z, real), slot)

    @property
    def position_view(self):
        """The positions where the engine has them, without a copy: a View."""
        return self._view("msd_world_get_positions")

    @property
    def velocity_view(self):
        """The velocities where the engine has them, without a copy: a View."""
        return self._view("msd_world_get_velocities")

    # ------------------------------------------------------------------------------------------------- what is added

    @document("msd_particle_def", "msd_add_particles")
    def add_particles(self, count=None, **particles):
        """Adds particles: fields are one value for all, or an array with one for each. Their range."""
        return self._add("msd_particle_def", "msd_add_particles", particles, count)

    @document("msd_spring_def", "msd_add_springs")
    def add_springs(self, a, b=None, **springs):
        """Adds springs between a[i] and b[i]; or between the two of each row of `a`. Their range."""
        if b is None:
            ends = np.asarray(a)
            if ends.ndim == 1:
                ends = ends[None]
            if ends.ndim != 2 or ends.shape[1] != 2:
                raise BadValue(Result.BAD_VALUE, f"ends have the shape {ends.shape}; it must be (n, 2)")
            a, b = ends[:, 0], ends[:, 1]
        return self._add("msd_spring_def", "msd_add_springs", {"a": a, "b": b, **springs})

    @document("msd_constraint_def", "msd_add_constraints")
    def add_constraints(self, kind, particles=None, **constraints):
        """Adds constraints: particles are (n, 3) or (n, 4) by kind. A mesh_volume has `triangles`. Their range."""
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
        rows = np.atleast_2d(np.asarray(given))
        if rows.ndim != 2 or rows.shape[1] not in (3, 4):
            raise BadValue(Result.BAD_VALUE, f"corners have the shape {rows.shape}; it must be (n, 3) or (n, 4)")
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
        """Adds a 'plane', 'sphere', 'capsule' or 'box'; its index. A rotation is three angles in degrees about x, y and
        z, or a quaternion (w, x, y, z)."""
        if len(collider.get("rotation", ())) == 3:
            turned = lib.msd_quaternion_from_degrees(self._vector(collider["rotation"]))
            collider["rotation"] = (turned.w, turned.x, turned.y, turned.z)
        made, keep = define("msd_collider_def", {"kind": kind, **collider})
        first = ffi.new("int32_t *")
        self._do("msd_add_colliders", made, 1, first)
        return first[0]

    @document("msd_surface_def", "msd_add_surfaces")
    def add_surface(self, triangles=None, segments=None, **surface):
        """Adds a surface of triangles (n, 3) and segments (n, 2) of particles, which touches others; its index."""
        made, keep = define("msd_surface_def", {"triangles": triangles, "segments": segments, **surface})
        first = ffi.new("int32_t *")
        self._do("msd_add_surfaces", made, 1, first)
        return first[0]

    @document("msd_contact_def", "msd_world_set_contact")
    def set_contact(self, **contact):
        """What touching is like: thickness, friction, softness, strict. Fields that are left out keep their value."""
        made, keep = define("msd_contact_def", {**self.contact._asdict(), **contact})
        self._do("msd_world_set_contact", made)

    @property
    def contact(self):
        """As it was set."""
        return self._record("msd_world_get_contact")

    @document("msd_wind_def", "msd_world_set_wind")
    def set_wind(self, **wind):
        """Sets the air around everything that has a surface."""
        made, keep = define("msd_wind_def", wind)
        self._do("msd_world_set_wind", made)

    @property
    def wind(self):
        """As it was set."""
        return self._record("msd_world_get_wind")

    def wind_velocity(self, place):
        """m/s: how fast the air goes at a place now."""
        return self._vector_of("msd_world_get_wind_velocity", self._vector(place))

    springs = property(lambda self: items.Springs(self), doc="The springs between particles: msd.Springs.")
    constraints = property(lambda self: items.Constraints(self), doc="Springs on angles, areas, volumes, fibres.")
    anchors = property(lambda self: items.Anchors(self), doc="Springs from particles to points.")
    rotors = property(lambda self: items.Rotors(self), doc="Bodies that turn.")
    angular_springs = property(lambda self: items.AngularSprings(self), doc="Springs between rotors.")
    colliders = property(lambda self: items.Colliders(self), doc="What particles touch.")
    surfaces = property(lambda self: items.Surfaces(self), doc="What touches each other.")


    # -------------------------------------------------------------------------------------------------------- steps

    def step(self, time_step, substeps=0):
        """Advances the world by time_step seconds in `substeps` equal substeps; 0: the fewest that are certified stable.

        Other threads of Python run meanwhile; Ctrl-C ends a long step. What a callback raises is raised here, behind a
        step that has ended early. Raises Diverged, with the last finite state kept.
        """
        self._step(lambda world: lib.msd_world_step(world, seconds(time_step), finite_int(substeps, "substeps")))

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

        stop(world) ends the step where it answers true: Error with the result Result.STOPPED. before_step, after_step,
        before_substep, after_substep (world, moment), spring_torn (world, spring), contact_begin, contact_end (world,
        touch). In all of them the world can be read, and nothing else: what would change it raises Busy. What they raise
        ends the step and comes out of it.
        """
        for name, function in functions.items():
            if name not in NAMES:
                from .structs import unknown

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

    # ---------------------------------------------------------------------------------------------------- snapshots

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

    # ------------------------------------------------------------------------------------------------------ pictures

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


def step_worlds(worlds, time_step, substeps=0, threads=0):
    """Takes a step of each world, several at once on up to `threads` threads (0: as many as the machine offers), with the
    same bits as World.step. Raises the first error in their order; one that fails keeps no other back."""
    worlds = list(worlds)
    if len(set(map(id, worlds))) != len(worlds):
        raise error(Result.BUSY, "a world is named twice")
    entered, steps = [], ffi.new("msd_step[]", max(len(worlds), 1))
    time_step, substeps, threads = seconds(time_step), finite_int(substeps, "substeps"), finite_int(threads, "threads")
    results = []
    try:
        for i, world in enumerate(worlds):
            steps[i].world = world._guard.__enter__()
            steps[i].time_step, steps[i].substeps = time_step, substeps
            entered.append((world._guard, world._guard.begin_step()))
        results = [lib.msd_worlds_step(steps, len(worlds), threads, ffi.NULL)]
    finally:
        raised = []
        for guard, was in reversed(entered):
            guard.is_stepping = was
            if guard.raised is not None:
                raised.append(guard.raised)
                guard.raised = None
            guard.__exit__()
    if raised:
        raise raised[-1]
    for i, world in enumerate(worlds):
        if steps[i].result != lib.MSD_OK:
            raise error(steps[i].result, world.message)
    check(results[0])
