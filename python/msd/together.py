"""Several worlds at once."""

import numpy as np

from .errors import BadValue, Result, check, error
from .structs import ffi, finite_int, lib, seconds


def _one_for_each(value, count, what):
    """One value for all worlds, or a list with one for each."""
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value):
        if len(value) != count:
            raise BadValue(Result.BAD_VALUE, f"{what} has {len(value)} elements, and there are {count} worlds")
        return list(value)
    return [value] * count


def step_worlds(worlds, time_step, substeps=0, threads=0):
    """Takes a step of each world, several at once on up to `threads` threads (0: as many as the machine
    offers), with the same bits as World.step. time_step and substeps are one number for all, or a list with one
    for each. Raises the first error in their order; one that fails keeps no other back. Callbacks are called by
    the thread that steps their world."""
    worlds = list(worlds)
    if len(set(map(id, worlds))) != len(worlds):
        raise error(Result.BUSY, "a world is named twice")
    spans = [seconds(span) for span in _one_for_each(time_step, len(worlds), "time_step")]
    counts = [finite_int(count, "substeps") for count in _one_for_each(substeps, len(worlds), "substeps")]
    threads = finite_int(threads, "threads")
    for number, what in ((threads, "threads"), *((count, "substeps") for count in counts)):
        if not 0 <= number < 1 << 31:
            raise error(Result.BAD_VALUE, f"{what} is {number}; it must be 0 or more, and below {1 << 31}")
    entered, steps, result = [], ffi.new("msd_step[]", max(len(worlds), 1)), lib.MSD_OK
    try:
        for i, world in enumerate(worlds):
            steps[i] = (world._guard.__enter__(), spans[i], counts[i])
            entered.append((world._guard, world._guard.begin_step()))
        for guard, _ in entered:
            guard.beside = [other for other, _ in entered]
        result = lib.msd_worlds_step(steps, len(worlds), threads, ffi.NULL)
    finally:
        raised = _leave(entered)
    if raised:
        raise raised[0]
    for i, world in enumerate(worlds):
        if steps[i].result != lib.MSD_OK:
            raise error(steps[i].result, world.message)
    check(result)


def _leave(entered):
    """Lets the worlds go; what their callbacks have raised, Ctrl-C first."""
    raised = [guard.raised for guard, _ in entered if guard.raised is not None]
    for guard, was in reversed(entered):
        guard.is_stepping, guard.beside, guard.raised = was, (), None
        guard.__exit__()
    return sorted(raised, key=lambda problem: not isinstance(problem, KeyboardInterrupt))
