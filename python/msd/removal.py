"""Destroying objects, and compaction of the gaps that it leaves in their indices."""

from collections import namedtuple

import numpy as np

from .calls import Calls
from .errors import Error, Result
from .structs import c_range, enum, ffi, indices_of, lib, plural, pointer

Moves = namedtuple("Moves", "particles springs constraints soft_pins rotors torsion_springs colliders "
                            "collision_meshes")
Moves.__doc__ = """New indices after compaction: moves.springs[old] is that of a spring; -1: destroyed."""
Moves.__annotations__ = {name: "NDArray[np.int32]" for name in Moves._fields}

_KINDS = tuple(enum("msd_object"))


class Removal(Calls):
    """Methods that remove objects from a world."""

    def destroy_particles(self, particles):
        """Destroys particles: an index, a range, a slice, a list or a mask; all of them or none. Their springs,
        constraints and soft pins are destroyed too. Indices do not move before `compact`: a destroyed particle
        keeps its place in arrays, at rest, pinned and without mass."""
        self._destroy("particle", particles)

    def _destroy(self, kind, items):
        number = getattr(lib, f"MSD_OBJECT_{kind.upper()}")
        with self._guard:
            count = self._count(kind)
            if isinstance(items, range) and items.step == 1:
                self._do("msd_destroy_range", number, c_range(items, plural(kind)))
                return
            chosen = indices_of(items, count, kind)
            self._do("msd_destroy_objects", number, pointer(chosen, "int32_t *"), len(chosen))

    def _count(self, kind):
        return self._get(f"msd_world_get_{kind}_count")

    def _destroyed(self, kind):
        number = getattr(lib, f"MSD_OBJECT_{kind.upper()}")
        with self._guard as world:
            gone = np.empty(self._count(kind), np.bool_)
            lib.msdpy_read_destroyed(world, number, len(gone), pointer(gone, "_Bool *"))
            return gone

    @property
    def destroyed(self):
        """Which particles have been destroyed: (n,) bool."""
        return self._destroyed("particle")

    @property
    def live_count(self):
        """The number of particles that are not destroyed; len(world) counts all."""
        return self._get("msd_world_get_live_count", lib.MSD_OBJECT_PARTICLE)

    def compact(self):
        """Closes the gaps in all indices and releases memory; returns Moves with the new indices.

        `bodies` are updated: their ranges and triangles are the remaining ones. Earlier ranges, views and
        states (save_state) are invalid. The world of a Scene cannot be compacted, because its file refers to
        indices; a copy of it can.
        """
        scene = getattr(self, "_scene", None)
        if scene is not None and scene() is not None:
            raise Error(Result.LOCKED, "the world of a scene cannot be compacted, because its file uses "
                                       "indices; compact a copy of it")
        with self._guard:
            counts = [self._count(kind.name.lower()) for kind in _KINDS]
            moves = Moves(*(np.arange(count, dtype=np.int32) for count in counts))
            given = ffi.new("msd_index_moves *")
            for i, to in enumerate(moves):
                given.to[i] = pointer(to, "int32_t *")
            self._do("msd_world_compact", given)
            for body in self.bodies:
                body._follow(moves)
            self.bodies = [body for body in self.bodies if len(body)]
            return moves
