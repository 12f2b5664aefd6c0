"""Static equilibrium of a world."""

from .calls import Calls
from .documentation import document
from .errors import check
from .structs import define, ffi, lib, record


class Equilibrium(Calls):
    """Static equilibrium (draping) without simulation over time."""

    @document("msd_equilibrium_def", "msd_world_find_equilibrium")
    def find_equilibrium(self, progress=None, **settings):
        """Moves the world to static equilibrium of springs, soft pins, constraints and gravity. Returns an
        EquilibriumReport; its `converged` is true if the tolerance was reached.

        progress(world, report) is a callback, called every progress_interval iterations with a
        msd.EquilibriumProgress. If it returns False, the search stops with the current shape. Ctrl-C and
        exceptions of the callback stop it too, and are raised.
        """
        if progress is not None and not callable(progress):
            raise TypeError(f"progress must be a function, and not {progress!r}")
        made, keep = define("msd_equilibrium_def", settings)
        guard, report = self._guard, ffi.new("msd_equilibrium_report *")
        made.progress, made.context = lib.msdpy_equilibrium_progress, guard.handle
        with guard as world:
            was, before = guard.begin_step(), guard.functions
            guard.functions = {**before, "progress": progress}
            try:
                result = lib.msd_world_find_equilibrium(world, made, report)
            finally:
                guard.functions = before
                guard.end_step(was)
            check(result)
        return record(report[0])
