"""The add-on with a window: the run goes on beside Blender, and Esc stops it.

usage: MSD=COMMAND blender --factory-startup --enable-event-simulate --python blender_window.py
"""
import os
import pathlib
import sys
import tempfile
import time
import traceback

import bpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "blender"))
import msd_simulation  # noqa: E402

WORK = tempfile.TemporaryDirectory()
MANY = 100000
began = time.time()


def end(problem):
    print(problem or "the run goes on beside the window, and Esc stops it")
    sys.stdout.flush()
    WORK.cleanup()
    # The window is not asked whether it wants to be saved.
    os._exit(1 if problem else 0)


def start(frames):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window, screen=window.screen):
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20, size=1, location=(0, 0, 2))
        grid = bpy.context.active_object
        grid.name = f"grid {frames}"
        grid.msd.folder = WORK.name
        for area in window.screen.areas:
            if area.type == "PROPERTIES":
                area.spaces[0].context = "PHYSICS"
        if bpy.ops.msd.simulate("INVOKE_DEFAULT") != {"RUNNING_MODAL"}:
            end("it does not run beside the window")
    return grid


def frames_of(grid):
    return len(msd_simulation.cache.read(grid.modifiers["msd"].filepath))


def steps():
    """Each yield waits a moment."""
    grid = start(20)
    while "msd" not in grid.modifiers:
        yield
    if frames_of(grid) != 20:
        end(f"{frames_of(grid)} frames of 20")
    grid = start(MANY)
    part = pathlib.Path(WORK.name) / msd_simulation.simulation.word_of(grid.name) / "scene.pc2.part"
    while msd_simulation.cache.samples_written(part, 441) < 3:
        yield
    for value in ("PRESS", "RELEASE"):
        bpy.context.window_manager.windows[0].event_simulate(type="ESC", value=value, x=600, y=400)
    while "msd" not in grid.modifiers:
        yield
    end("" if 3 <= frames_of(grid) < MANY else f"{frames_of(grid)} frames of a run that was stopped")


def go_on(course=steps()):
    try:
        next(course)
    except Exception:
        traceback.print_exc()
        end("an exception")
    if time.time() - began > 200:
        end("it takes too long")
    return 0.1


msd_simulation.register()
bpy.app.timers.register(go_on, first_interval=0.5)
