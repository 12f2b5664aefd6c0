"""What a world tells of itself: energies, limits and why, what touches."""

from collections import namedtuple

import numpy as np

from .calls import Calls
from .errors import BadValue, Result, check
from .structs import (c_range, define, ffi, lib, number_of, pointer, record, rows, seconds,
                      to_array)

Pieces = namedtuple("Pieces", "pieces held piece_of is_held")
Pieces.__annotations__ = {"pieces": "int", "held": "int", "piece_of": "NDArray[np.int32]",
                          "is_held": "NDArray[np.bool_]"}
Pieces.__doc__ = "Which particles hang together: msd.World.pieces."


def fibre_weights(rest, direction):
    """The weights of a fibre along a direction in a triangle or tetrahedron with its corners at `rest`:
    (4,)."""
    from .structs import real

    corners = np.ascontiguousarray(rest, real)
    if corners.ndim != 2 or corners.shape[1] != 3:
        raise BadValue(Result.BAD_VALUE, f"rest has the shape {corners.shape}; it must be (3, 3) or (4, 3)")
    weights = ffi.new("msd_real[4]")
    along = ffi.new("msd_vec3 *", [float(x) for x in direction])[0]
    result = lib.msd_fibre_weights(pointer(corners, "msd_vec3 *"), len(corners), along, weights)
    check(result)
    return np.array(list(weights), real)


class Reports(Calls):
    """The reports of a world; see msd/stability.h, msd/world.h."""

    def _report(self, name, kind, *arguments):
        out = ffi.new(kind + " *")
        self._do(name, *arguments, out)
        return record(out[0])

    @property
    def stats(self):
        """Counts, energies, momenta, stretch and memory of the present state: msd_stats."""
        return self._record("msd_world_get_stats")

    @property
    def counts(self):
        """The counts and bytes of `stats` alone, at once."""
        return self._record("msd_world_get_counts")

    @property
    def energy_account(self):
        """The energy that steps have made by themselves; see `energy`."""
        return self._record("msd_world_get_energy_account")

    def made_energy(self):
        """J: what the last substep has made at each spring."""
        with self._guard:
            made = np.zeros(len(self.springs))
            self._get("msd_world_add_made_energy", pointer(made, "double *"))
            return made

    def pieces(self):
        """How many pieces hang together, how many of those are held, and the piece of each particle."""
        with self._guard:
            counts = ffi.new("msd_pieces *")
            piece_of, is_held = np.empty(len(self), np.int32), np.empty(len(self), np.bool_)
            self._do("msd_world_find_pieces", pointer(piece_of, "int32_t *"), pointer(is_held, "_Bool *"),
                     counts)
            return Pieces(counts.pieces, counts.held, piece_of, is_held)

    # ----------------------------------------------------------------------------------------------- stability

    def stability(self, time_step):
        """How long a step the world can take, and whether substeps of `time_step` seconds are certified."""
        return self._report("msd_world_stability", "msd_stability", seconds(time_step))

    def explain_stability(self, time_step):
        """The same with what limits it, why, and what would help: limit, cause, remedy."""
        return self._report("msd_world_explain_stability", "msd_stability_explanation", seconds(time_step))

    def find_substeps(self, time_step):
        """The substeps that step(time_step) would take now; 0 when none can be certified."""
        out = ffi.new("int32_t *")
        self._do("msd_world_find_substeps", seconds(time_step), out)
        return out[0]

    def find_stable_step(self):
        """s: the longest step that these substeps stay below; the world remembers it."""
        out = ffi.new("double *")
        self._do("msd_world_find_stable_step", out)
        return out[0]

    def this_shape(self, time_step=1 / 60):
        """s: an estimate of the limit at the present positions alone."""
        out = ffi.new("double *")
        self._do("msd_world_estimate_this_shape", seconds(time_step), out)
        return out[0]

    def softening(self, time_step, limit=None):
        """What a substep softens under a limit: that of the world, or another."""
        return self._report("msd_world_find_softening", "msd_softening", seconds(time_step),
                            number_of("msd_limit", self.limit if limit is None else limit))

    def softening_steps(self):
        """s: for each spring and each constraint the longest substep that leaves it as it is; two arrays."""
        with self._guard:
            springs, constraints = np.empty(len(self.springs)), np.empty(len(self.constraints))
            self._do("msd_world_find_softening_steps", pointer(springs, "double *"),
                     pointer(constraints, "double *"))
            return springs, constraints

    def needed_masses(self, time_step):
        """kg: for each particle the mass that is enough for a substep."""
        with self._guard:
            masses = np.empty(len(self))
            self._do("msd_world_find_needed_masses", seconds(time_step), pointer(masses, "double *"))
            return masses

    def shift_mass(self, pools, time_step):
        """Moves mass to the particles that ask for more substeps than others, within pools: a list of (range,
        fraction). What has been moved."""
        pools = list(pools)
        given = ffi.new("msd_mass_pool[]", max(len(pools), 1))
        for pool, (particles, fraction) in zip(given, pools):
            pool.particles, pool.fraction = c_range(particles, "particles"), fraction
        out = ffi.new("msd_mass_shift *")
        self._do("msd_world_shift_mass", given, len(pools), seconds(time_step), out)
        return record(out[0])

    def law_limits(self, ranges, time_step):
        """How far the two numbers of the law of each range of springs can go at a substep: (n, 2)."""
        ranges = list(ranges)
        given = ffi.new("msd_range[]", max(len(ranges), 1))
        for i, springs in enumerate(ranges):
            given[i] = c_range(springs)
        out = ffi.new("msd_law_limits[]", max(len(ranges), 1))
        self._do("msd_world_find_law_limits", given, len(ranges), seconds(time_step), out)
        return np.array([(out[i].first, out[i].second) for i in range(len(ranges))]).reshape(-1, 2)

    def estimate_stretch(self, time_step):
        """The largest stretch to expect where the world hangs at rest."""
        return self._report("msd_world_estimate_stretch", "msd_static_stretch", seconds(time_step))

    def plan_stretch(self, **target):
        """The fewest substeps, and the stiffness, that keep the stretch to a target: stretch, time_step,
        substeps_max, keep_stiffness."""
        made, keep = define("msd_stretch_target", target)
        return self._report("msd_world_plan_stretch", "msd_stretch_plan", made)

    def scale_stiffness(self, factor):
        """Multiplies the stiffness of all springs and constraints, with damping ratios kept."""
        self._do("msd_world_scale_stiffness", factor)

    # -------------------------------------------------------------------------------------------- what touches

    def _listed(self, name, kind):
        with self._guard as world:
            get = getattr(lib, name)
            count = get(world, ffi.NULL, 0)
            out = ffi.new(kind + "[]", max(count, 1))
            get(world, out, count)
            return to_array(out, kind, count)

    @property
    def contacts(self):
        """The particles that colliders have pushed in the last substep: an array with the fields of
        msd_contact."""
        return self._listed("msd_world_get_contacts", "msd_contact")

    @property
    def surface_contacts(self):
        """What of surfaces has pushed each other in the last substep: an array with the fields of
        msd_surface_contact."""
        return self._listed("msd_world_get_surface_contacts", "msd_surface_contact")

    @property
    def tangles(self):
        """The pairs that nothing keeps apart: an array with the fields of msd_tangle."""
        return self._listed("msd_world_get_tangles", "msd_tangle")

    @property
    def first_pinched(self):
        """The first pair that prescribed motion has forced together; None."""
        out = ffi.new("msd_tangle *")
        return record(out[0]) if self._get("msd_world_get_first_pinched", out) else None

    def find_intersections(self, triangles=(), segments=()):
        """Every pair of triangles (n, 3) and segments (m, 2) of particles that intersects, exactly: (k, 2)."""
        with self._guard:
            made, keep = define("msd_intersection_def", {
                "triangles": rows(triangles, 3, np.dtype(np.int32), "triangles"),
                "segments": rows(segments, 2, np.dtype(np.int32), "segments")})
            found = ffi.new("int64_t *")
            self._do("msd_world_find_intersections", made, ffi.NULL, 0, found)
            out = np.empty((found[0], 2), np.int32)
            self._do("msd_world_find_intersections", made, pointer(out, "msd_intersection *"), found[0], found)
            return out
