"""Several worlds at once."""

from .errors import Result, check, error
from .structs import ffi, finite_int, lib, seconds


def step_worlds(worlds, time_step, substeps=0, threads=0):
    """Takes a step of each world, several at once on up to `threads` threads (0: as many as the machine offers), with the
    same bits as World.step. Raises the first error in their order; one that fails keeps no other back."""
    worlds = list(worlds)
    if len(set(map(id, worlds))) != len(worlds):
        raise error(Result.BUSY, "a world is named twice")
    entered, steps = [], ffi.new("msd_step[]", max(len(worlds), 1))
    time_step, substeps, threads = seconds(time_step), finite_int(substeps, "substeps"), finite_int(threads, "threads")
    results = []
    try:
        for i, world in enumerate(worlds):
            steps[i].world = world._guard.__enter__()
            steps[i].time_step, steps[i].substeps = time_step, substeps
            entered.append((world._guard, world._guard.begin_step()))
        results = [lib.msd_worlds_step(steps, len(worlds), threads, ffi.NULL)]
    finally:
        raised = []
        for guard, was in reversed(entered):
            guard.is_stepping = was
            if guard.raised is not None:
                raised.append(guard.raised)
                guard.raised = None
            guard.__exit__()
    if raised:
        raise raised[-1]
    for i, world in enumerate(worlds):
        if steps[i].result != lib.MSD_OK:
            raise error(steps[i].result, world.message)
    check(results[0])
