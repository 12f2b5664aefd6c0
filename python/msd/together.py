"""Stepping several worlds at once."""

import numpy as np

from .errors import BadValue, Result, check, error
from .structs import ffi, finite_int, lib, seconds
from .world import World


def _one_for_each(value, count, what):
    """One value for all worlds, or a list with one per world."""
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value):
        if len(value) != count:
            raise BadValue(Result.BAD_VALUE, f"{what} has {len(value)} elements, and there are {count} worlds")
        return list(value)
    return [value] * count


def step_worlds(worlds, frame_time, substeps=0, threads=0):
    """Advances each world by one frame, several at the same time on up to `threads` threads (0: all that the
    machine offers). Results are bitwise identical to those of World.step.

    frame_time and substeps are one number for all, or a list with one per world. Raises the first error in the
    order of the worlds; a failure does not affect the others. The thread that steps a world calls its
    callbacks.
    """
    if isinstance(worlds, World):
        raise TypeError("worlds is a single World; give a list of worlds, as [world], or call World.step")
    worlds = list(worlds)
    for i, world in enumerate(worlds):
        if not isinstance(world, World):
            raise TypeError(f"worlds[{i}] is of type {type(world).__name__}; it must be a World")
    if len(set(map(id, worlds))) != len(worlds):
        raise error(Result.LOCKED, "a world is named twice")
    spans = [seconds(span) for span in _one_for_each(frame_time, len(worlds), "frame_time")]
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
    """Releases the worlds; returns exceptions of their callbacks, Ctrl-C first."""
    raised = [guard.raised for guard, _ in entered if guard.raised is not None]
    for guard, was in reversed(entered):
        guard.is_stepping, guard.beside, guard.raised = was, (), None
        guard.__exit__()
    return sorted(raised, key=lambda problem: not isinstance(problem, KeyboardInterrupt))
