"""Scenes: worlds with named bodies, loaded from files."""

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
    """The folder of the built-in scenes: the environment variable MSD_SCENES, or a folder of this package."""
    return Path(os.environ.get("MSD_SCENES") or FOLDER)


def list_scenes():
    """Returns the built-in scenes: {name: title}."""
    scenes = {}
    for path in sorted(scene_folder().glob("*.json")):
        try:
            scene = json.loads(path.read_text())
        except (OSError, ValueError):
            continue
        if "title" in scene and "description" in scene:
            scenes[path.stem] = scene["title"]
    return scenes


def _path_of(name_or_path):
    name = os.fspath(name_or_path)
    if "/" in name or name.endswith(".json"):
        return name
    path = scene_folder() / f"{name}.json"
    if not path.is_file():
        names = [found.stem for found in scene_folder().glob("*.json")]
        near = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean '{near[0]}'?" if near else "msd.list_scenes() has the built-in ones"
        raise SceneError(Result.BAD_VALUE, f"there is no scene '{name}'; {hint}")
    return str(path)


class SceneBody:
    """A body of a scene: its particles, its triangles or segments, and its groups of springs by name."""

    world: "World"
    name: str
    kind: str
    particles: range
    springs: range
    constraints: range
    soft_pins: range
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
        self.soft_pins = _range(pointer.soft_pins)
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
            corners = function(self._scene._c, self._c)
            if corners == ffi.NULL or not count:
                return np.empty((0, width), np.int32)
            return np.frombuffer(ffi.buffer(corners, count * width * 4), np.int32).reshape(-1, width).copy()

    @property
    def triangles(self):
        """The triangles, as particles of the world: (n, 3)."""
        return self._corners(lib.scene_triangles, self._c.triangle_count, 3)

    @property
    def segments(self):
        """The segments of ropes, as particles of the world: (n, 2)."""
        return self._corners(lib.scene_segments, self._c.segment_count, 2)


def _range(of_c):
    return range(of_c.first, of_c.first + of_c.count)


class Scene:
    """A loaded scene file: .world, .bodies by name, and step(), which plays the animation and events of the
    file."""

    world: "World"
    bodies: "dict[str, SceneBody]"
    colliders: "dict[str, int]"
    connections: range
    name: str
    path: str
    title: str
    description: str
    frame_time: float
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
        self.frame_time = loaded.frame_time
        self.substeps = loaded.substeps
        self.duration = loaded.duration
        self.warnings = [ffi.string(line).decode() for line in loaded.warnings.lines[0:loaded.warnings.count]]
        self.bodies = {}
        for i in range(loaded.body_count):
            body = SceneBody(self, loaded.bodies + i)
            self.bodies[body.name] = body
        self.colliders = {ffi.string(loaded.colliders[i].name).decode(): i
                          for i in range(loaded.collider_count)}
        self.connections = _range(loaded.joints)

    def _take_world(self):
        """Turns the world of the scene into a Python one, in memory that arrays can view."""
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
    time = property(lambda self: self.world.time, doc="The simulated time in s.")
    hash = property(lambda self: self.world.hash, doc="The hash of the state.")
    stats = property(lambda self: self.world.stats, doc="msd.World.stats.")

    def step(self, frame_time=None, substeps=None):
        """Advances one frame, with the animation and events of the file. Frame time and substeps default to
        those of the file; substeps 0: the fewest that are proven stable."""
        frame = self.frame_time if frame_time is None else seconds(frame_time)
        if substeps is None:
            substeps = self.choose_substeps(frame)
        count = finite_int(substeps, "substeps")
        self.world._step(lambda _: lib.scene_step(self._c, frame, count))

    def choose_substeps(self, frame_time=None):
        """Returns the substeps of a frame of that length: those of the file; otherwise 0, or more if springs
        would stretch too far."""
        with self.world._guard:
            return lib.scene_choose_substeps(self._c, self.frame_time if frame_time is None
                                             else seconds(frame_time))

    def describe_particle(self, particle):
        """Returns a readable description of a particle: 'cloth "curtain" row 3 column 17'."""
        return self._described(lib.scene_describe_particle, self.world._particle(particle))

    def describe_spring(self, spring):
        """Returns a readable description of a spring."""
        return self._described(lib.scene_describe_spring, self.world.springs.index(spring))

    def _described(self, function, item):
        text = ffi.new("char[]", 256)
        with self.world._guard:
            function(self._c, item, text, 256)
        return ffi.string(text).decode(errors="replace")

    def render_meshes(self):
        """Returns the render meshes {name: (positions (n, 3), triangles (m, 3))} of all bodies with triangles.
        If a mesh file was decimated for the world, the render mesh is that of the file."""
        with self.world._guard:
            points = ffi.new("render_points *")
            is_open = lib.render_points_open(points, self._c)
            try:
                if not is_open:
                    from .errors import error

                    raise error(Result.OUT_OF_MEMORY)
                return {name: self._render_mesh(body, points) for name, body in self.bodies.items()
                        if body._c.triangle_count}
            finally:
                lib.render_points_close(points)

    def _render_mesh(self, body, points):
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
    """The World of the scene frees the world."""
    scene.world = ffi.NULL
    lib.scene_free(scene)


def load_scene(name_or_path):
    """Loads a built-in scene by name ("curtain"), or a scene file. SceneError names the file, the place in it,
    the problem and the valid values."""
    return Scene(name_or_path)


def _unpickle(path, snapshot):
    scene = Scene(path)
    scene.world.restore(snapshot)
    return scene
