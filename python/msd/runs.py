"""Runs of scenes and worlds from begin to end, and what they leave."""

import math
import time as clock

import numpy as np

from .errors import BadValue, Diverged, Result
from .scene import Scene, load_scene
from .structs import seconds


class Run:
    """What a run leaves: `times` (f,), `positions` (f, n, 3), `energies` (f, 3) with the kinetic, elastic and
    potential ones, and the `summary`. In Jupyter it plays as a film."""

    subject: "World | Scene"
    times: "NDArray[Any]"
    positions: "NDArray[Any]"
    energies: "NDArray[Any]"
    summary: "dict[str, Any]"

    def __init__(self, subject, times, positions, energies, summary):
        self.subject, self.times, self.positions = subject, times, positions
        self.energies, self.summary = energies, summary

    def __repr__(self):
        return f"<msd.Run: {len(self.times)} frames to {self.times[-1]:.4g} s, hash {self.summary['hash']}>"

    def film(self, path=None, **options):
        """Plays as a matplotlib animation; with a path it is written there (.gif, or what ffmpeg can)."""
        from .pictures import film

        return film(self, path, **options)

    def _repr_html_(self):
        from .pictures import html

        return html(self)


def run(scene, time=None, dt=None, substeps=None, integrator=None, limit=None, energy=None, mass_scaling=None,
        solver=None, threads=0, every=1, record=True, after_frame=None):
    """Runs a scene (its name, its file, or a Scene) or a World, as `msd run` does, and tells what came of it: a
    Run.

    time: s, the scene's unless given (a World needs one); dt: s of a frame; substeps of a frame, 0 for the
    fewest that are certified; integrator, limit, energy, mass_scaling, solver: settings of the world; every:
    which frames are kept; record: whether any are; after_frame(scene, frame) is called behind each frame, and
    ends the run where it answers False. A run that diverges ends there, with summary["diverged"].
    """
    if not hasattr(scene, "step"):
        scene = load_scene(scene)
    is_scene = isinstance(scene, Scene)
    world = scene.world if is_scene else scene
    world.thread_count = threads
    for name, value in (("integrator", integrator), ("limit", limit), ("energy", energy),
                        ("mass_scaling", mass_scaling), ("solver", solver)):
        if value is not None:
            setattr(world, name, value)
    if time is None and not is_scene:
        raise BadValue(Result.BAD_VALUE, "a world has no duration; give time=SECONDS")
    dt = seconds(dt if dt is not None else scene.time_step if is_scene else 1 / 60)
    duration = seconds(time if time is not None else scene.duration)
    if not (dt > 0 and math.isfinite(dt) and duration >= 0 and math.isfinite(duration / dt)):
        raise BadValue(Result.BAD_TIME_STEP,
                       f"time is {duration} s and dt {dt} s; they must be finite and above 0")
    if substeps is None:
        substeps = scene.choose_substeps(dt) if is_scene else 0
    # A last frame shorter than a thousandth of a step is the rounding of one such as 0.016666667.
    frames = max(math.ceil(duration / dt - 1e-3), 1) if duration > 0 else 0
    return _Recorder(scene, world, record, max(int(every), 1)).run(frames, dt, substeps, after_frame)


class _Recorder:
    def __init__(self, scene, world, record, every):
        self.scene, self.world, self.record, self.every = scene, world, record, every
        self.times, self.positions, self.energies = [], [], []

    def keep(self):
        self.times.append(self.world.time)
        stats = self.world.stats
        self.energies.append((stats.kinetic_energy, stats.elastic_energy, stats.potential_energy))
        if self.record:
            self.positions.append(self.world.positions)

    def run(self, frames, dt, substeps, after_frame):
        before, wall, done, diverged = self.world.steps, 0.0, 0, False
        self.keep()
        for frame in range(1, frames + 1):
            began = clock.perf_counter()
            try:
                self.scene.step(dt, substeps)
            except Diverged:
                diverged = True
            wall += clock.perf_counter() - began
            if diverged:
                break
            done = frame
            if frame % self.every == 0 or frame == frames:
                self.keep()
            if after_frame is not None and after_frame(self.scene, frame) is False:
                break
        return Run(self.scene, np.array(self.times), _stacked(self.positions), np.array(self.energies),
                   self.summary(done, self.world.steps - before, dt, wall, diverged))

    def summary(self, frames, steps, dt, wall, diverged):
        world, stats = self.world, self.world.stats
        return {"scene": getattr(self.scene, "name", None), "particles": stats.particles,
                "springs": stats.springs, "constraints": stats.constraints, "anchors": stats.anchors,
                "pinned": stats.pinned, "asleep": stats.asleep, "steps": steps, "frames": frames,
                "time": world.time, "dt": dt, "integrator": world.integrator, "energy": world.energy,
                "torn": stats.torn, "yielded": stats.yielded,
                "yielded_constraints": stats.yielded_constraints, "split": stats.split,
                "threads": world.thread_count, "wall_seconds": wall,
                "springs_per_second": stats.springs * steps / wall if wall > 0 else 0.0,
                "kinetic_energy": stats.kinetic_energy, "elastic_energy": stats.elastic_energy,
                "potential_energy": stats.potential_energy, "momentum": list(stats.momentum),
                "max_stretch": stats.max_stretch, "mean_stretch": stats.mean_stretch,
                "max_speed": stats.max_speed,
                "diverged": diverged, "hash": f"{world.hash:016x}"}


def _stacked(frames):
    """One array, with NaN where particles were not there yet."""
    most = max((len(frame) for frame in frames), default=0)
    if not frames or all(len(frame) == most for frame in frames):
        return np.array(frames)
    padded = np.full((len(frames), most, 3), np.nan, frames[0].dtype)
    for to, frame in zip(padded, frames):
        to[:len(frame)] = frame
    return padded
