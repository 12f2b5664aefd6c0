"""Reports of a world: energies, stability and its causes, contacts."""

from collections import namedtuple

import numpy as np

from .calls import Calls
from .errors import BadValue, Result, check
from .structs import c_range, define, dtype_of, ffi, lib, pointer, real, record, rows, seconds, to_array

Components = namedtuple("Components", "components attached component_of is_attached")
Components.__annotations__ = {"components": "int", "attached": "int", "component_of": "NDArray[np.int32]",
                              "is_attached": "NDArray[np.bool_]"}
Components.__doc__ = """Connected components of particles (msd.World.components): their number, how many are
attached to a pin or soft pin, and for each particle its component and whether that is attached."""


def _points(value, what):
    """A vector or an array of vectors as (n, 3)."""
    return rows(np.atleast_2d(value), 3, real, what)


def fiber_weights(rest, direction):
    """Returns the weights of a fiber along a direction in a triangle or tetrahedron with corners at `rest`:
    (4,)."""
    from .structs import real

    corners = np.ascontiguousarray(rest, real)
    if corners.ndim != 2 or corners.shape[1] != 3:
        raise BadValue(Result.BAD_VALUE, f"rest has the shape {corners.shape}; it must be (3, 3) or (4, 3)")
    weights = ffi.new("msd_real[4]")
    along = ffi.new("msd_vec3 *", [float(x) for x in direction])[0]
    result = lib.msd_fiber_weights(pointer(corners, "msd_vec3 *"), len(corners), along, weights)
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
        """Counts, energies, momenta, strain and memory of the current state: msd_stats."""
        return self._record("msd_world_get_stats")

    @property
    def counts(self):
        """The counts and bytes of `stats` only, in constant time."""
        return self._record("msd_world_get_counts")

    @property
    def energy_account(self):
        """The numerical energy gain; see `energy_mode`."""
        return self._record("msd_world_get_energy_account")

    @property
    def solver_residual(self):
        """How far the Gauss-Seidel solver is from convergence, as strains of springs; see `solver`."""
        return self._record("msd_world_get_solver_residual")

    def spring_energy_gain(self):
        """Returns the energy in J that each spring gained numerically in the last substep."""
        with self._guard:
            made = np.zeros(len(self.springs))
            self._get("msd_world_add_spring_energy_gain", pointer(made, "double *"))
            return made

    def components(self):
        """Returns the numbers of connected and attached components, and the component of each particle."""
        with self._guard:
            counts = ffi.new("msd_components *")
            component_of, is_attached = np.empty(len(self), np.int32), np.empty(len(self), np.bool_)
            self._do("msd_world_find_components", pointer(component_of, "int32_t *"),
                     pointer(is_attached, "_Bool *"), counts)
            return Components(counts.components, counts.attached, component_of, is_attached)

    # ----------------------------------------------------------------------------------------------- stability

    def stability(self, substep):
        """Returns the stable limit, and whether substeps of `substep` seconds are proven stable."""
        return self._report("msd_world_analyze_stability", "msd_stability", seconds(substep))

    def explain_stability(self, substep):
        """Returns the stable limit with its cause and remedies: limit, cause, remedy."""
        return self._report("msd_world_explain_stability", "msd_stability_explanation", seconds(substep))

    def find_substeps(self, frame_time):
        """Returns the substeps that step(frame_time) would take now; 0 if none is proven stable."""
        out = ffi.new("int32_t *")
        self._do("msd_world_find_substeps", seconds(frame_time), out)
        return out[0]

    def find_stable_substep(self):
        """Returns the longest stable substep in s; the world stores it."""
        out = ffi.new("double *")
        self._do("msd_world_find_stable_substep", out)
        return out[0]

    def current_limit(self, substep=1 / 60):
        """Estimates the longest stable substep in s of the current configuration only. The search starts at
        `substep`."""
        out = ffi.new("double *")
        self._do("msd_world_estimate_current_limit", seconds(substep), out)
        return out[0]

    def softening(self, substep, clamp_stiffness=None):
        """Returns what a substep softens, with the stiffness clamping of the world or another setting."""
        return self._report("msd_world_find_softening", "msd_softening", seconds(substep),
                            self.clamp_stiffness if clamp_stiffness is None else bool(clamp_stiffness))

    def softening_steps(self):
        """Returns, for each spring and each constraint, the longest substep in s that does not soften it; two
        arrays."""
        with self._guard:
            springs, constraints = np.empty(len(self.springs)), np.empty(len(self.constraints))
            self._do("msd_world_find_softening_steps", pointer(springs, "double *"),
                     pointer(constraints, "double *"))
            return springs, constraints

    def required_masses(self, substep):
        """Returns the mass in kg that each particle needs for a substep."""
        with self._guard:
            masses = np.empty(len(self))
            self._do("msd_world_find_required_masses", seconds(substep), pointer(masses, "double *"))
            return masses

    def redistribute_mass(self, pools, frame_time):
        """Redistributes mass to the particles that limit the substep, within pools: a list of (range,
        fraction), so that frames of frame_time seconds need fewer substeps. Returns the changes."""
        pools = list(pools)
        given = ffi.new("msd_mass_pool[]", max(len(pools), 1))
        for pool, (particles, fraction) in zip(given, pools):
            pool.particles, pool.fraction = c_range(particles, "particles"), fraction
        out = ffi.new("msd_mass_redistribution *")
        self._do("msd_world_redistribute_mass", given, len(pools), seconds(frame_time), out)
        return record(out[0])

    def stiffness_limits(self, ranges, substep):
        """Returns the stable limits of the two numbers of the law of each range of springs at a substep: (n,
        2)."""
        ranges = list(ranges)
        given = ffi.new("msd_range[]", max(len(ranges), 1))
        for i, springs in enumerate(ranges):
            given[i] = c_range(springs)
        out = ffi.new("msd_stiffness_limits[]", max(len(ranges), 1))
        self._do("msd_world_find_stiffness_limits", given, len(ranges), seconds(substep), out)
        return np.array([(out[i].stiffness, out[i].damping) for i in range(len(ranges))]).reshape(-1, 2)

    def estimate_stretch(self, substep):
        """Estimates the largest strain of the world hanging at rest, with substeps of `substep` seconds."""
        return self._report("msd_world_estimate_stretch", "msd_static_stretch", seconds(substep))

    def plan_stretch(self, **target):
        """Plans the fewest substeps, and the stiffness, that keep the strain to a target: stretch, frame_time,
        substeps_max, keep_stiffness."""
        made, keep = define("msd_stretch_target", target)
        return self._report("msd_world_plan_stretch", "msd_stretch_plan", made)

    def scale_stiffness(self, factor):
        """Multiplies the stiffness of all springs and constraints; damping ratios are unchanged."""
        self._do("msd_world_scale_stiffness", factor)

    # ------------------------------------------------------------------------------------------------ contacts

    def _listed(self, name, kind):
        with self._guard as world:
            get = getattr(lib, name)
            count = get(world, ffi.NULL, 0)
            out = ffi.new(kind + "[]", max(count, 1))
            get(world, out, count)
            return to_array(out, kind, count)

    @property
    def collider_contacts(self):
        """Contacts with colliders in the last substep, or in the last frame if it recorded contacts: an array
        with the fields of msd_collider_contact."""
        return self._listed("msd_world_get_collider_contacts", "msd_collider_contact")

    @property
    def mesh_contacts(self):
        """Contacts between collision meshes in the last substep, or in the last frame if it recorded contacts:
        an array with the fields of msd_mesh_contact."""
        return self._listed("msd_world_get_mesh_contacts", "msd_mesh_contact")

    @property
    def penetrations(self):
        """Penetrations, ignored by contact until they separate: an array with the fields of msd_penetration."""
        return self._listed("msd_world_get_penetrations", "msd_penetration")

    @property
    def first_forced_intersection(self):
        """The first forced intersection, caused by kinematic motion; None if there was none."""
        out = ffi.new("msd_penetration *")
        return record(out[0]) if self._get("msd_world_get_first_forced_intersection", out) else None

    def cast_rays(self, origins, directions, length=float("inf"), collision_meshes=True, colliders=True,
                  segment_radius=None):
        """Returns the first hit of each ray: an array with the fields of msd_hit. `origins` and `directions`
        are vectors or arrays (n, 3), `length` a number or one for each ray. `collision_meshes` and `colliders`
        are True for all, False for none, or a list of indices; `segment_radius` in m is the radius of ropes, or
        None for half of their thickness."""
        origins, directions = np.broadcast_arrays(_points(origins, "origins"),
                                                  _points(directions, "directions"))
        rays = np.zeros(len(origins), dtype_of("msd_ray"))
        rays["origin"], rays["direction"], rays["length"] = origins, directions, length
        return self._hits("msd_world_cast_rays", pointer(rays, "msd_ray *"), len(rays), (), rays,
                          (collision_meshes, colliders, segment_radius))

    def find_nearest(self, points, reach=float("inf"), collision_meshes=True, colliders=True,
                     segment_radius=None):
        """Returns the surface point nearest to each point of (n, 3) within `reach` in m: an array with the
        fields of msd_hit. The other arguments are those of cast_rays."""
        points = np.ascontiguousarray(_points(points, "points"))
        return self._hits("msd_world_find_nearest", pointer(points, "msd_vec3 *"), len(points), (reach,),
                          points, (collision_meshes, colliders, segment_radius))

    def find_overlaps(self, center, radius, collision_meshes=True, colliders=True, segment_radius=None):
        """Returns all colliders, triangles and segments that a sphere overlaps or touches: an array with the
        fields of msd_hit, each with its point nearest to the center."""
        with self._guard:
            made, keep = self._query(collision_meshes, colliders, segment_radius)
            point = ffi.new("msd_vec3 *", _points(center, "center")[0].tolist())[0]
            found = ffi.new("int *")
            self._do("msd_world_find_overlaps", point, radius, made, ffi.NULL, 0, found)
            out = ffi.new("msd_hit[]", max(found[0], 1))
            self._do("msd_world_find_overlaps", point, radius, made, out, found[0], found)
            return to_array(out, "msd_hit", found[0])

    def _hits(self, name, items, count, more, keep, query):
        with self._guard:
            made, kept = self._query(*query)
            out = ffi.new("msd_hit[]", max(count, 1))
            self._do(name, items, count, *more, made, out)
            del keep, kept
            return to_array(out, "msd_hit", count)

    def _query(self, collision_meshes, colliders, segment_radius):
        given = {} if segment_radius is None else {"segment_radius": segment_radius}
        made, keep = define("msd_query_def", given)
        accepted = ffi.new("msdpy_accepted *")
        for field, chosen, all_of in (("collision_meshes", collision_meshes, self.collision_meshes),
                                      ("colliders", colliders, self.colliders)):
            mask = np.zeros(max(len(all_of), 1), np.bool_)
            if chosen is True or chosen is False:
                mask[:] = chosen
            else:
                for index in chosen:
                    mask[all_of.index(index)] = True
            setattr(accepted, field, pointer(mask, "bool *"))
            keep.append(mask)
        made.filter = ffi.addressof(lib, "msdpy_accepts")
        made.context = accepted
        keep.append(accepted)
        return made, keep

    def find_intersections(self, triangles=(), segments=()):
        """Returns every pair of triangles (n, 3) and segments (m, 2) of particles that intersects, by an exact
        test: (k, 2)."""
        with self._guard:
            made, keep = define("msd_intersection_def", {
                "triangles": rows(triangles, 3, np.dtype(np.int32), "triangles"),
                "segments": rows(segments, 2, np.dtype(np.int32), "segments")})
            found = ffi.new("int64_t *")
            self._do("msd_world_find_intersections", made, ffi.NULL, 0, found)
            out = np.empty((found[0], 2), np.int32)
            self._do("msd_world_find_intersections", made, pointer(out, "msd_intersection *"), found[0], found)
            return out
