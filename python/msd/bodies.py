"""Bodies: ropes, cloths, meshes and blocks."""

import numpy as np

from .calls import Calls
from .documentation import document
from .errors import BadIndex, Result, check
from .structs import define, ffi, lib, pointer, record


class Body:
    """The result of a builder: ranges of particles, springs and constraints, and the triangles or lines to
    draw.

    The ranges are those of msd_body: particles, springs, stretch, shear, bend, constraints,
    bend_constraints, volume and the fibers of a material. `material` is the effective material.
    """

    world: "World"
    kind: str
    particles: range
    springs: range
    stretch: range
    shear: range
    bend: range
    constraints: range
    bend_constraints: range
    volume: range
    fibers: range
    material: "Material"
    triangles: "NDArray[np.int32]"
    lines: "NDArray[np.int32]"
    shape: "tuple[int, ...]"

    def __init__(self, world, kind, made, triangles, lines, shape):
        self.world = world
        self.kind = kind
        self.triangles = triangles
        self.lines = lines
        self.shape = shape
        self._ranges = made
        for name, value in made._asdict().items():
            setattr(self, name, value)

    def __repr__(self):
        return f"<msd.Body: {self.kind}, particles {self.particles.start} to {self.particles.stop - 1}>"

    def __len__(self):
        return len(self.particles)

    def _of(self, world):
        return Body(world, self.kind, self._ranges, self.triangles, self.lines, self.shape)

    def _state(self):
        made = self._ranges._asdict()
        made["material"] = tuple(made["material"])
        return self.kind, made, self.triangles, self.lines, self.shape

    @staticmethod
    def _from_state(world, state):
        from .structs import record_type

        kind, made, triangles, lines, shape = state
        made["material"] = record_type("msd_material")(*made["material"])
        return Body(world, kind, record_type("msd_body")(**made), triangles, lines, shape)

    def _follow(self, moves):
        """Updates ranges and triangles after a compaction of the world."""
        of = {"particles": moves.particles, **{name: moves.springs
                                               for name in ("springs", "stretch", "shear", "bend")}}
        was = self.particles
        kept = np.flatnonzero(moves.particles[was.start:was.stop] >= 0)
        made = {name: _moved(of.get(name, moves.constraints), value) if isinstance(value, range) else value
                for name, value in self._ranges._asdict().items()}
        self._ranges = self._ranges._replace(**made)
        for name, value in made.items():
            setattr(self, name, value)
        if len(kept) < len(was):
            local = np.full(len(was), -1, np.int32)
            local[kept] = np.arange(len(kept))
            self.triangles, self.lines = _left(local[self.triangles]), _left(local[self.lines])
            self.shape = (len(kept),)

    def destroy(self):
        """Destroys the particles of the body, with everything attached to them."""
        self.world.destroy_particles(self.particles)

    positions = property(lambda self: self.world.read("position", self.particles),
                         lambda self, values: self.world.write("position", values, self.particles),
                         doc="m: (n, 3), a copy; assign to teleport the body.")
    velocities = property(lambda self: self.world.read("velocity", self.particles),
                          lambda self, values: self.world.write("velocity", values, self.particles),
                          doc="m/s: (n, 3), a copy.")
    masses = property(lambda self: self.world.read("mass", self.particles),
                      lambda self, values: self.world.write("mass", values, self.particles),
                      doc="kg: (n,), a copy.")

    def particle(self, *place):
        """Returns the index in the world of a particle of the body: by number, by (row, column) of a cloth, or
        by (i, j, k) of a block."""
        sizes = self.shape if len(place) > 1 else (len(self),)
        if len(place) != len(sizes):
            raise BadIndex(Result.BAD_INDEX,
                           f"{place!r} is no particle of a {self.kind} of the shape {self.shape}")
        if self.kind == "block" and len(place) == 3:
            place, sizes = place[::-1], sizes[::-1]
        try:
            wrapped = [int(p) + s if p < 0 else int(p) for p, s in zip(place, sizes)]
            return self.particles[int(np.ravel_multi_index(wrapped, sizes))]
        except (ValueError, IndexError):
            raise BadIndex(Result.BAD_INDEX,
                           f"{place!r} is no particle of a {self.kind} of the shape {self.shape}") from None

    def _indices(self, places):
        if len(places) == 0:
            return self.particles
        return [self.particle(*(p if isinstance(p, tuple) else (p,))) for p in places]

    def pin(self, *places):
        """Pins particles at their positions, given by number, (row, column) or (i, j, k); without arguments,
        all."""
        self.world.pin(self._indices(places))

    def unpin(self, *places):
        """Releases pinned particles."""
        self.world.unpin(self._indices(places))

    @property
    def render_mesh(self):
        """The render mesh: the positions of the body (n, 3), and its triangles (m, 3), counted from 0."""
        return self.positions, self.triangles

    @property
    def normals(self):
        """The unit normals at the particles, (n, 3); zeros for a rope."""
        return self._read_vertices("msd_world_read_normals", 3, None)

    def tangents(self, texture):
        """Returns the tangents at the particles (n, 4) as in glTF, in the direction of growing u of the texture
        coordinates (n, 2)."""
        return self._read_vertices("msd_world_read_tangents", 4, np.ascontiguousarray(texture, np.float32))

    def _read_vertices(self, name, width, texture):
        corners = np.ascontiguousarray(self.triangles, np.int32)
        mesh = ffi.new("msd_render_mesh *")
        mesh.vertices = (ffi.NULL, self.particles.start, len(self))
        mesh.triangles, mesh.triangle_count = pointer(corners, "int32_t *"), len(corners)
        if texture is not None:
            if texture.shape != (len(self), 2):
                raise BadIndex(Result.BAD_INDEX,
                               f"texture has the shape {texture.shape}; it must be ({len(self)}, 2)")
            mesh.texture = pointer(texture, "float *")
        out = np.empty((len(self), width), np.float32)
        layout = ffi.new("msd_memory_layout *", (0, 0, lib.MSD_SCALAR_FLOAT))[0]
        self.world._do(name, mesh, layout, pointer(out, "void *"))
        return out

    def add_collision_mesh(self, **mesh):
        """Adds a collision mesh for the body: thickness, friction, self_collision. Returns its index."""
        first = self.particles.start
        return self.world.add_collision_mesh(
            triangles=self.triangles + first if len(self.triangles) else None,
            segments=self.lines + first if not len(self.triangles) else None, **mesh)


def _moved(to, indices):
    """The new range of the indices that remain; they stay consecutive."""
    left = to[indices.start:indices.stop]
    left = left[left >= 0]
    return range(int(left[0]), int(left[0]) + len(left)) if len(left) else range(0)


def _left(corners):
    return corners[(corners >= 0).all(axis=1)]


class Builders(Calls):
    """The builders of a world; see msd/builder.h."""

    def _build(self, kind, given, shape=None):
        made, keep = define(f"msd_{kind}_def", given)
        body = ffi.new("msd_body *")
        with self._guard:
            self._do(f"msd_add_{kind}", made, body)
            made_body = record(body[0])
            triangles = self._triangles(kind, made)
            first = made_body.particles.start
            lines = np.empty((0, 2), np.int32)
            if not len(triangles):
                lines = self.springs.lines(made_body.stretch) - first
            result = Body(self, kind, made_body, triangles, lines,
                          shape(made) if shape else (len(made_body.particles),))
            self.bodies.append(result)
        return result

    @staticmethod
    def _triangles(kind, made):
        get = getattr(lib, f"msd_{kind}_get_triangles", None)
        if get is None:
            return np.empty((0, 3), np.int32)
        count = ffi.new("int32_t *")
        check(get(made, 0, ffi.NULL, 0, count))
        triangles = np.empty((count[0], 3), np.int32)
        check(get(made, 0, pointer(triangles, "int32_t *"), count[0], count))
        return triangles

    @document("msd_rope_def", "msd_rope_def")
    def add_rope(self, from_=..., to=..., particles=..., **rope):
        """Adds a rope from `from_` to `to`; returns a Body. stretch and bend are springs: 'max_stable', None,
        or a dict such as {"stiffness": 2000, "damping": 0.5}. `material` is a name ('cotton') or a dict."""
        given = {"from": from_, "to": to, "particles": particles}
        return self._build("rope", {**{k: v for k, v in given.items() if v is not ...}, **rope})

    @document("msd_cloth_def", "msd_cloth_def")
    def add_cloth(self, columns=..., rows=..., **cloth):
        """Adds a cloth of rows x columns particles; returns a Body. stretch, shear and bend are
        springs: 'max_stable', None, or a dict such as {"stiffness": 2000, "damping": 0.5}. `material` is a name
        such as 'cotton' or a dict."""
        given = {"columns": columns, "rows": rows}
        return self._build("cloth", {**{k: v for k, v in given.items() if v is not ...}, **cloth},
                           lambda made: (made.rows, made.columns))

    @document("msd_mesh_def", "msd_mesh_def")
    def add_mesh(self, vertices, triangles, **mesh):
        """Adds a cloth from a triangle mesh: vertices (n, 3), triangles (m, 3); returns a Body."""
        return self._build("mesh", {"vertices": vertices, "triangles": triangles, **mesh})

    @document("msd_block_def", "msd_block_def")
    def add_block(self, cells=..., **block):
        """Adds a box of cells (a lattice of springs); returns a Body."""
        given = {} if cells is ... else {"cells": cells}
        return self._build("block", {**given, **block}, lambda made: tuple(n + 1 for n in made.cells))

    @document("msd_tetmesh_def", "msd_tetmesh_def")
    def add_tetmesh(self, vertices, tetrahedra, **tetmesh):
        """Adds a solid from a tetrahedral mesh: vertices (n, 3), tetrahedra (m, 4); returns a Body."""
        return self._build("tetmesh", {"vertices": vertices, "tetrahedra": tetrahedra, **tetmesh})

    @document("msd_tethers_def", "msd_add_tethers", "msd_tethers_def")
    def add_tethers(self, particles, **tethers):
        """Adds tethers (long-range attachments) from the particles of a range or Body to its nearest pins.
        slack=0.05 makes them 5 % longer than the distance. Returns the range of the springs."""
        if isinstance(particles, Body):
            particles = particles.particles
        made, keep = define("msd_tethers_def", {"particles": (particles.start, len(particles)), **tethers})
        return self._range("msd_add_tethers", made)
