"""Stability maps: simulation results over a range of substeps, compared with the proven limits."""

import math

import numpy as np

from .errors import BadValue, Result, error
from .structs import array_of, as_numbers, enum, ffi, lib, number_of

# Substeps as factors of the stable limit: those of `msd stability`.
LADDER = (0.125, 0.25, 0.5, 0.7, 0.8, 0.9, 0.98, 1.02, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 6, 8, 12, 16, 24, 32)
INTEGRATORS = ("symplectic_euler", "explicit_euler", "velocity_verlet", "rk4", "sequential_impulse")
OUTCOMES = ("stable", "unstable", "diverged", "refused")


class StabilityMap:
    """Results of a stability map. Rows are `integrators`; columns are `factors` of `limit` (s).

    `substep` (s), `outcomes` (text), `failed_at` (s), `max_stretch`, `energy_error`, `error` (m) and `cost` (s
    of wall time per simulated second) are arrays of that shape. `predicted` (s) has the proven limits of the
    integrators.
    """

    limit: float
    predicted: "dict[str, float]"
    integrators: "tuple[str, ...]"
    factors: "NDArray[Any]"
    substep: "NDArray[Any]"
    outcomes: "NDArray[Any]"
    failed_at: "NDArray[Any]"
    max_stretch: "NDArray[Any]"
    energy_error: "NDArray[Any]"
    error: "NDArray[Any]"
    cost: "NDArray[Any]"

    def __init__(self, limit, predicted, integrators, factors, runs):
        self.limit, self.predicted = limit, predicted
        self.integrators, self.factors = tuple(integrators), np.array(factors)

        def column(name):
            return np.array([[getattr(run, name) for run in row] for row in runs])
        self.outcomes = np.array([[OUTCOMES[run.outcome] for run in row] for row in runs])
        self.substep, self.failed_at = column("step"), column("failed_at")
        self.max_stretch, self.energy_error = column("max_stretch"), column("energy_error")
        self.error, self.cost = column("error"), column("cost")

    def __repr__(self):
        return (f"<msd.StabilityMap: {len(self.integrators)} integrators at {len(self.factors)} substeps "
                f"around {self.limit:g} s>")

    @property
    def stable(self):
        """Which runs were stable: bool."""
        return self.outcomes == "stable"

    def plot(self, ax=None):
        """Draws the map with matplotlib; returns the axes."""
        from .pictures import plot_map

        return plot_map(self, ax)

    def _repr_png_(self):
        from .pictures import png

        return png(self)


def stability_map(subject, frame_time=1 / 60, factors=LADDER, integrators=INTEGRATORS, duration=None,
                  disturbance=None, reference=True):
    """Runs a World or a Scene with every integrator, at substeps around its stable limit and far beyond. Each
    run starts from the current state. Returns a StabilityMap; the world is unchanged.

    duration: s of each run; default 1000 stable substeps. disturbance: m, initial displacement of particles;
    default a thousandth of the mean rest length. reference: whether errors against a fine run are computed.
    """
    world = getattr(subject, "world", subject)
    with world._guard as pointer:
        predicted = world.stability(frame_time)
        limit = predicted.stable_substep
        if not (0 < limit < math.inf):
            limit = frame_time
        if disturbance is None:
            rest = world.springs.rest_length
            disturbance = 1e-3 * float(rest.mean()) if len(rest) else 0.0
        made = ffi.new("stability_map_def *")
        made.duration = 1000 * limit if duration is None else float(duration)
        made.disturbance = float(disturbance)
        made.reference_step = limit / 16 if reference else 0
        if not (made.duration > 0 and math.isfinite(made.duration) and made.disturbance >= 0):
            raise BadValue(Result.BAD_VALUE, "duration must be above 0, and disturbance 0 or more")
        if isinstance(integrators, str):
            integrators = (integrators,)
        factors = as_numbers(array_of(factors, "factors"), np.dtype(float), "factors")
        if factors.ndim != 1 or not (np.isfinite(factors) & (factors > 0)).all():
            raise BadValue(Result.BAD_VALUE, "factors must be a list of finite numbers above 0")
        chosen = [number_of("msd_integrator", name) for name in integrators]
        result = ffi.new("msd_result *")
        opened = lib.stability_map_open(pointer, made, result)
        if opened == ffi.NULL:
            raise error(result[0])
        try:
            runs = [[lib.stability_map_run(opened, n, limit * factor) for factor in factors] for n in chosen]
        finally:
            lib.stability_map_close(opened)
    names = [enum("msd_integrator")(n).name.lower() for n in chosen]
    limits = dict(zip(names, (predicted.integrator_stable_substep[n] for n in chosen)))
    return StabilityMap(limit, limits, names, factors, runs)
