"""Destroying what a world has, and closing the gaps that this leaves in its indices."""

from collections import namedtuple

import numpy as np

from .calls import Calls
from .errors import Error, Result
from .structs import c_range, enum, ffi, indices_of, lib, pointer

Moves = namedtuple("Moves", "particles springs constraints anchors rotors angular_springs colliders surfaces")
Moves.__doc__ = """Where indices have gone: moves.springs[old] is the new index of a spring; -1: destroyed."""
Moves.__annotations__ = {name: "NDArray[np.int32]" for name in Moves._fields}

_KINDS = tuple(enum("msd_item"))


class Removal(Calls):
    """What is taken away from a world."""

    def destroy_particles(self, particles):
        """Destroys particles: an index, a range, a slice, a list or a mask; all of them, or none. Their
        springs, constraints and anchors go with them. Indices do not move before `compact`: a destroyed
        particle keeps its place in arrays, at rest, pinned and without mass."""
        self._destroy("particle", particles)

    def _destroy(self, kind, items):
        number = getattr(lib, f"MSD_ITEM_{kind.upper()}")
        with self._guard:
            count = self._count(kind)
            if isinstance(items, range) and items.step == 1:
                self._do("msd_destroy_range", number, c_range(items, kind + "s"))
                return
            chosen = indices_of(items, count, kind)
            self._do("msd_destroy_items", number, pointer(chosen, "int32_t *"), len(chosen))

    def _count(self, kind):
        return self._get(f"msd_world_get_{kind}_count")

    def _destroyed(self, kind):
        number = getattr(lib, f"MSD_ITEM_{kind.upper()}")
        with self._guard as world:
            told = np.empty(self._count(kind), np.bool_)
            lib.msdpy_tell_destroyed(world, number, len(told), pointer(told, "_Bool *"))
            return told

    @property
    def destroyed(self):
        """Which particles have been destroyed: (n,) of bool."""
        return self._destroyed("particle")

    @property
    def live_count(self):
        """How many particles have not been destroyed; len(world) counts all."""
        return self._get("msd_world_get_live_count", lib.MSD_ITEM_PARTICLE)

    def compact(self):
        """Closes the gaps in all indices and gives memory back; Moves, which tells where everything went.

        `bodies` follow: ranges and triangles of a body are those that are left of it. Ranges, views and states
        (save_state) of before are of no use any more. The world of a Scene cannot be compacted, as the file
        goes by indices; its copy can.
        """
        scene = getattr(self, "_scene", None)
        if scene is not None and scene() is not None:
            raise Error(Result.BUSY, "the world of a scene cannot be compacted, as its file goes by indices; "
                                     "compact a copy of it")
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
