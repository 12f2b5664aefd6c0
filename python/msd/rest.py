"""The shape of rest of a world."""

from .calls import Calls
from .documentation import document
from .errors import check
from .structs import define, ffi, lib, record


class Rest(Calls):
    """Draping: worlds in balance without waiting for it."""

    @document("msd_rest_def", "msd_world_relax")
    def relax(self, told=None, **rest):
        """Takes the world to a shape in which springs, anchors, constraints and gravity are in balance: a
        RestReport, whose `converged` says whether it has been reached.

        told(world, progress) hears of every told_every-th iteration; where it answers False the search ends
        with the shape that it has. Ctrl-C, and what it raises, end it too, and come out of it.
        """
        if told is not None and not callable(told):
            raise TypeError(f"told must be a function, and not {told!r}")
        made, keep = define("msd_rest_def", rest)
        guard, report = self._guard, ffi.new("msd_rest_report *")
        made.told, made.context = lib.msdpy_rest_told, guard.handle
        with guard as world:
            was, before, guard.functions = guard.begin_step(), guard.functions, {**guard.functions,
                                                                                 "told": told}
            try:
                result = lib.msd_world_relax(world, made, report)
            finally:
                guard.functions = before
                guard.end_step(was)
            check(result)
        return record(report[0])
