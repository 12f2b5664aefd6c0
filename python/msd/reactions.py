"""Reactions: mean forces of pins, soft pins, colliders and constraints over the last frame."""

import numpy as np

from .calls import Calls
from .errors import check
from .structs import ffi, indices_of, lib, real


class Reactions(Calls):
    """Reactions of a world whose `record` asks for them."""

    def _reactions(self, name, items, count, kind, vectors):
        """(n, 3) for each of `vectors`: the results of a function for some objects."""
        with self._guard as world:
            chosen = indices_of(items, count, kind)
            found = [np.empty((len(chosen), 3), real) for _ in range(vectors)]
            out = [ffi.new("msd_vec3 *") for _ in range(vectors)]
            for row, index in enumerate(chosen):
                check(getattr(lib, name)(world, int(index), *out))
                for to, vector in zip(found, out):
                    to[row] = vector.x, vector.y, vector.z
            return found

    def pin_reactions(self, particles):
        """N: mean forces that hold pinned particles: (n, 3). Needs Record.PINS."""
        return self._reactions("msd_particle_get_reaction", particles, len(self), "particle", 1)[0]

    def soft_pin_reactions(self, soft_pins):
        """N: mean forces of soft pins on their particles: (n, 3). Needs Record.PINS."""
        count = self._get("msd_world_get_soft_pin_count")
        return self._reactions("msd_soft_pin_get_reaction", soft_pins, count, "soft pin", 1)[0]

    def collider_reactions(self, colliders):
        """N and N m: mean forces on colliders, and torques about their positions: two arrays (n, 3). Needs
        Record.CONTACTS."""
        count = self._get("msd_world_get_collider_count")
        return tuple(self._reactions("msd_collider_get_reaction", colliders, count, "collider", 2))

    def constraint_reactions(self, constraints):
        """Mean generalized forces (n,), and mean forces in N on the particles of constraints (n, 4, 3). Needs
        Record.CONSTRAINTS."""
        with self._guard as world:
            chosen = indices_of(constraints, lib.msd_world_get_constraint_count(world), "constraint")
            tensions, forces = np.empty(len(chosen)), np.empty((len(chosen), 4, 3), real)
            tension, corners = ffi.new("double *"), ffi.new("msd_vec3[4]")
            for row, index in enumerate(chosen):
                check(lib.msd_constraint_get_reaction(world, int(index), tension, corners))
                tensions[row] = tension[0]
                forces[row] = [(f.x, f.y, f.z) for f in corners]
            return tensions, forces
