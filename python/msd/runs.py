"""Complete runs of scenes and worlds, and their results."""

import math
import time as clock

import numpy as np

from .errors import BadValue, Diverged, Result
from .scene import Scene, load_scene
from .structs import seconds


class Run:
    """Result of a run: `times` (f,), `positions` (f, n, 3), `energies` (f, 3) with kinetic, elastic and
    potential energy, and the `summary`. Jupyter shows it as an animation."""

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
        """Returns a matplotlib animation; writes it to `path` if given (.gif, or any format of ffmpeg)."""
        from .pictures import film

        return film(self, path, **options)

    def _repr_html_(self):
        from .pictures import html

        return html(self)


def run(scene, duration=None, frame_time=None, substeps=None, integrator=None, clamp_stiffness=None,
        energy_mode=None, mass_scaling=None, solver=None, threads=0, every=1, record=True, after_frame=None):
    """Runs a scene (its name, its file, or a Scene) or a World, as `msd run` does; returns a Run.

    duration: s; default that of the scene (required for a World). frame_time: s; default that of the scene, or
    1/60. substeps: per frame, 0 for the fewest that are proven stable. integrator, clamp_stiffness,
    energy_mode, mass_scaling, solver: settings of the world. every: keep every n-th frame. record: whether
    positions are kept. after_frame(scene, frame): called after each frame; returning False ends the run. A run
    that diverges ends there, with summary["diverged"].
    """
    if not hasattr(scene, "step"):
        scene = load_scene(scene)
    is_scene = isinstance(scene, Scene)
    world = scene.world if is_scene else scene
    world.thread_count = threads
    for name, value in (("integrator", integrator), ("clamp_stiffness", clamp_stiffness),
                        ("energy_mode", energy_mode), ("mass_scaling", mass_scaling), ("solver", solver)):
        if value is not None:
            setattr(world, name, value)
    if duration is None and not is_scene:
        raise BadValue(Result.BAD_VALUE, "a world has no duration; give duration=SECONDS")
    frame_time = seconds(frame_time if frame_time is not None else scene.frame_time if is_scene else 1 / 60)
    duration = seconds(duration if duration is not None else scene.duration)
    if not (frame_time > 0 and math.isfinite(frame_time) and duration >= 0
            and math.isfinite(duration / frame_time)):
        raise BadValue(Result.BAD_FRAME_TIME,
                       f"duration is {duration} s and frame_time {frame_time} s; they must be finite and "
                       "above 0")
    if substeps is None:
        substeps = scene.choose_substeps(frame_time) if is_scene else 0
    # A last frame shorter than a thousandth of a frame is rounding, as with a frame time of 0.016666667.
    frames = max(math.ceil(duration / frame_time - 1e-3), 1) if duration > 0 else 0
    return _Recorder(scene, world, record, max(int(every), 1)).run(frames, frame_time, substeps, after_frame)


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

    def run(self, frames, frame_time, substeps, after_frame):
        before, wall, done, diverged = self.world.steps, 0.0, 0, False
        self.keep()
        for frame in range(1, frames + 1):
            began = clock.perf_counter()
            try:
                self.scene.step(frame_time, substeps)
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
                   self.summary(done, self.world.steps - before, frame_time, wall, diverged))

    def summary(self, frames, substeps, frame_time, wall, diverged):
        world, stats = self.world, self.world.stats
        return {"scene": getattr(self.scene, "name", None), "particles": stats.particles,
                "springs": stats.springs, "constraints": stats.constraints, "soft_pins": stats.soft_pins,
                "pinned": stats.pinned, "asleep": stats.asleep, "total_substeps": substeps, "frames": frames,
                "time": world.time, "frame_time": frame_time, "integrator": world.integrator,
                "clamp_stiffness": world.clamp_stiffness, "energy_mode": world.energy_mode, "torn": stats.torn,
                "yielded": stats.yielded,
                "yielded_constraints": stats.yielded_constraints, "split": stats.split,
                "threads": world.thread_count, "wall_seconds": wall,
                "springs_per_second": stats.springs * substeps / wall if wall > 0 else 0.0,
                "kinetic_energy": stats.kinetic_energy, "elastic_energy": stats.elastic_energy,
                "potential_energy": stats.potential_energy, "momentum": list(stats.momentum),
                "max_stretch": stats.max_stretch, "mean_stretch": stats.mean_stretch,
                "max_speed": stats.max_speed,
                "diverged": diverged, "hash": f"{world.hash:016x}"}


def _stacked(frames):
    """One array, with NaN for particles that did not exist yet."""
    most = max((len(frame) for frame in frames), default=0)
    if not frames or all(len(frame) == most for frame in frames):
        return np.array(frames)
    padded = np.full((len(frames), most, 3), np.nan, frames[0].dtype)
    for to, frame in zip(padded, frames):
        to[:len(frame)] = frame
    return padded
