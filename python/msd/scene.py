"""Scenes: worlds with names, from files."""

import difflib
import json
import os
from pathlib import Path
import weakref

import numpy as np

from .errors import Result, SceneError, check
from .structs import ffi, finite_int, lib, real, seconds
from .world import World

FOLDER = Path(__file__).resolve().parent / "scenes"


def scene_folder():
    """Where the scenes that ship are: what the environment variable MSD_SCENES names, else in this package."""
    return Path(os.environ.get("MSD_SCENES") or FOLDER)


def list_scenes():
    """The scenes that ship: {name: title}."""
    scenes = {}
    for path in sorted(scene_folder().glob("*.json")):
        try:
            told = json.loads(path.read_text())
        except (OSError, ValueError):
            continue
        if "title" in told and "description" in told:
            scenes[path.stem] = told["title"]
    return scenes


def _path_of(name_or_path):
    name = os.fspath(name_or_path)
    if "/" in name or name.endswith(".json"):
        return name
    path = scene_folder() / f"{name}.json"
    if not path.is_file():
        names = [found.stem for found in scene_folder().glob("*.json")]
        near = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean '{near[0]}'?" if near else "msd.list_scenes() has those that ship"
        raise SceneError(Result.BAD_VALUE, f"there is no scene '{name}'; {hint}")
    return str(path)


class SceneBody:
    """A body of a scene: its particles, what is drawn of it, and its kinds of springs by name."""

    world: "World"
    name: str
    kind: str
    particles: range
    springs: range
    constraints: range
    anchors: range
    rotors: range
    groups: "dict[str, range]"
    shape: "tuple[int, ...]"

    def __init__(self, scene, pointer):
        self._scene, self._c = scene, pointer
        self.world = scene.world
        self.name = ffi.string(pointer.name).decode()
        self.kind = ffi.string(pointer.kind).decode()
        self.particles = _range(pointer.particles)
        self.springs = _range(pointer.springs)
        self.constraints = _range(pointer.constraints)
        self.anchors = _range(pointer.anchors)
        self.rotors = _range(pointer.rotors.rotors)
        self.groups = {ffi.string(g.name).decode(): _range(g.springs)
                       for g in pointer.groups[0:pointer.group_count]}
        self.shape = (pointer.rows, pointer.columns) if pointer.rows else (len(self.particles),)

    def __repr__(self):
        return f"<msd.SceneBody {self.name!r}: {self.kind}, {len(self.particles)} particles>"

    def __len__(self):
        return len(self.particles)

    positions = property(lambda self: self.world.read("position", self.particles), doc="m: (n, 3), a copy.")
    velocities = property(lambda self: self.world.read("velocity", self.particles), doc="m/s: (n, 3), a copy.")

    def _corners(self, function, count, width):
        with self.world._guard:
            told = function(self._scene._c, self._c)
            if told == ffi.NULL or not count:
                return np.empty((0, width), np.int32)
            return np.frombuffer(ffi.buffer(told, count * width * 4), np.int32).reshape(-1, width).copy()

    @property
    def triangles(self):
        """The triangles, of particles of the world: (n, 3)."""
        return self._corners(lib.scene_triangles, self._c.triangle_count, 3)

    @property
    def segments(self):
        """The segments of ropes, of particles of the world: (n, 2)."""
        return self._corners(lib.scene_segments, self._c.segment_count, 2)


def _range(told):
    return range(told.first, told.first + told.count)


class Scene:
    """A scene file as it was loaded: .world, .bodies by name, and steps that play what the file says is to
    happen."""

    world: "World"
    bodies: "dict[str, SceneBody]"
    colliders: "dict[str, int]"
    joints: range
    name: str
    path: str
    title: str
    description: str
    time_step: float
    substeps: int
    duration: float
    warnings: "list[str]"

    def __init__(self, name_or_path):
        self.source = os.fspath(name_or_path)
        error = ffi.new("scene_error *")
        loaded = lib.scene_load(os.fsencode(_path_of(name_or_path)), error)
        if loaded == ffi.NULL:
            raise SceneError(Result.BAD_VALUE, ffi.string(error.text).decode(errors="replace"))
        self._c = ffi.gc(loaded, _free)
        self.world = self._take_world()
        self.world._scene = weakref.ref(self)
        self.name = ffi.string(loaded.name).decode()
        self.path = ffi.string(loaded.path).decode()
        self.title = ffi.string(loaded.title).decode()
        self.description = ffi.string(loaded.description).decode()
        self.time_step = loaded.time_step
        self.substeps = loaded.substeps
        self.duration = loaded.duration
        self.warnings = [ffi.string(line).decode() for line in loaded.warnings.lines[0:loaded.warnings.count]]
        self.bodies = {}
        for i in range(loaded.body_count):
            body = SceneBody(self, loaded.bodies + i)
            self.bodies[body.name] = body
        self.colliders = {ffi.string(loaded.colliders[i].name).decode(): i
                          for i in range(loaded.collider_count)}
        self.joints = _range(loaded.joints)

    def _take_world(self):
        """The world of the scene becomes one of Python, in memory that arrays may look at."""
        size = ffi.new("size_t *")
        check(lib.msd_world_save(self._c.world, ffi.NULL, 0, size))
        buffer = ffi.new("char[]", size[0])
        check(lib.msd_world_save(self._c.world, buffer, size[0], size))
        world = World.from_snapshot(ffi.buffer(buffer, size[0]))
        lib.msd_destroy_world(self._c.world)
        self._c.world = world._guard.pointer
        return world

    def __repr__(self):
        return (f"<msd.Scene {self.name!r}: {', '.join(self.bodies)}; {self.world.time:.4g} of "
                f"{self.duration:.4g} s>")

    def __reduce__(self):
        return _unpickle, (self.path, self.world.save())

    positions = property(lambda self: self.world.positions, doc="m: (n, 3), a copy.")
    velocities = property(lambda self: self.world.velocities, doc="m/s: (n, 3), a copy.")
    time = property(lambda self: self.world.time, doc="Seconds simulated.")
    hash = property(lambda self: self.world.hash, doc="The fingerprint of the state.")
    stats = property(lambda self: self.world.stats, doc="msd.World.stats.")

    def step(self, time_step=None, substeps=None):
        """One frame: what the file says is to happen then, and a step. Both numbers are the file's unless
        given; substeps 0: the fewest that are certified."""
        frame = self.time_step if time_step is None else seconds(time_step)
        if substeps is None:
            substeps = self.choose_substeps(frame)
        count = finite_int(substeps, "substeps")
        self.world._step(lambda _: lib.scene_step(self._c, frame, count))

    def choose_substeps(self, time_step=None):
        """The substeps of a frame of that length: the file's; else 0, or more where springs would stretch
        much."""
        with self.world._guard:
            return lib.scene_choose_substeps(self._c, self.time_step if time_step is None
                                             else seconds(time_step))

    def describe_particle(self, particle):
        """How a person finds a particle: 'cloth "curtain" row 3 column 17'."""
        return self._described(lib.scene_describe_particle, self.world._particle(particle))

    def describe_spring(self, spring):
        """How a person finds a spring."""
        return self._described(lib.scene_describe_spring, self.world.springs.index(spring))

    def _described(self, function, item):
        text = ffi.new("char[]", 256)
        with self.world._guard:
            function(self._c, item, text, 256)
        return ffi.string(text).decode(errors="replace")

    def skins(self):
        """What is drawn: {name: (positions (n, 3), triangles (m, 3))} of all bodies with triangles. Where a
        mesh file was made simpler for the world it is the mesh of the file."""
        with self.world._guard:
            points = ffi.new("shown_points *")
            is_open = lib.shown_points_open(points, self._c)
            try:
                if not is_open:
                    from .errors import error

                    raise error(Result.OUT_OF_MEMORY)
                return {name: self._skin(body, points) for name, body in self.bodies.items()
                        if body._c.triangle_count}
            finally:
                lib.shown_points_close(points)

    def _skin(self, body, points):
        c = body._c
        if c.skin.points == ffi.NULL:
            return body.positions, body.triangles - body.particles.start
        triangles = np.frombuffer(ffi.buffer(c.skin.triangles, c.skin.triangle_count * 12),
                                  np.int32).reshape(-1, 3)
        first, count = c.skin.first, c.skin.count
        view = points.positions
        slots = np.frombuffer(ffi.buffer(view.slot, (first + count) * 4), np.int32)[first:] if view.slot else \
            np.arange(first, first + count)
        last = int(slots.max()) + 1
        columns = [np.frombuffer(ffi.buffer(axis, last * real.itemsize), real)[slots]
                   for axis in (view.x, view.y, view.z)]
        return np.stack(columns, 1), triangles - first

    def plot(self, **options):
        """Draws the scene with matplotlib: msd.plot."""
        from .pictures import plot

        return plot(self, **options)

    def _repr_png_(self):
        from .pictures import png

        return png(self)


def _free(scene):
    """The world is freed by its World."""
    scene.world = ffi.NULL
    lib.scene_free(scene)


def load_scene(name_or_path):
    """A scene that ships by its name ("curtain"), or a scene file. SceneError tells the file, the place in it,
    what is wrong and what would be right."""
    return Scene(name_or_path)


def _unpickle(path, snapshot):
    scene = Scene(path)
    scene.world.restore(snapshot)
    return scene
