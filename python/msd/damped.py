"""Damped springs in closed form, without a world: msd/damped_spring.h.

Every function of that header whose arguments are numbers is here by its name without "msd_": damper(x, goal, halflife,
time_step), spring_from_frequency(...) ... Those that step values through pointers are the methods of DampedSpring.
"""

import numpy as np

from .documentation import COMMENTS
from .structs import ffi, lib, name_of, pointer, record


def _numbers_only(name):
    """A function of Python for one of C that takes and gives numbers; None for others."""
    function = getattr(lib, name)
    kind = ffi.typeof(function)
    if not kind.args or any(name_of(argument) not in ("double", "msd_resonance") for argument in kind.args):
        return None
    if name_of(kind.result) != "double" and kind.result.kind != "struct":
        return None

    def call(*numbers):
        told = function(*numbers)
        return told if isinstance(told, float) else record(told)

    call.__name__ = call.__qualname__ = name[len("msd_"):]
    call.__doc__ = COMMENTS.get(name)
    return call


_SPRINGS = ("msd_damp", "msd_spring_from", "msd_halflife", "msd_half_time", "msd_critical_", "msd_stiffness_from",
            "msd_frequency_from", "msd_smoothing", "msd_sampled", "msd_naive", "msd_resonant")

_made = [_numbers_only(name) for name in dir(lib) if name.startswith(_SPRINGS)]
globals().update({function.__name__: function for function in _made if function is not None})
__all__ = sorted({function.__name__ for function in _made if function is not None} | {"DampedSpring"})


class DampedSpring:
    """One step of one spring, for numbers and for arrays of any shape.

        spring = DampedSpring.critical(halflife=0.15, time_step=1 / 60)
        x, v = spring.update(x, v, goal)
    """

    def __init__(self, angular_frequency, damping_ratio, time_step):
        self._take(lib.msd_damped_spring_make(angular_frequency, damping_ratio, time_step), time_step)

    def _take(self, made, time_step):
        self._c = ffi.new("msd_damped_spring *", made)
        self.time_step = time_step
        return self

    @classmethod
    def stiffness(cls, stiffness, damping, time_step):
        """From stiffness in 1/s^2 and damping in 1/s."""
        return cls.__new__(cls)._take(lib.msd_damped_spring_make_stiffness(stiffness, damping, time_step), time_step)

    @classmethod
    def frequency(cls, frequency, halflife, time_step):
        """From a frequency in Hz and a half-life in s."""
        return cls.__new__(cls)._take(lib.msd_damped_spring_make_frequency(frequency, halflife, time_step), time_step)

    @classmethod
    def ratio(cls, damping_ratio, halflife, time_step):
        """From the damping ratio and a half-life in s."""
        return cls.__new__(cls)._take(lib.msd_damped_spring_make_ratio(damping_ratio, halflife, time_step), time_step)

    @classmethod
    def duration(cls, duration, bounce, time_step):
        """From the duration of an oscillation in s and how bouncy it is."""
        return cls.__new__(cls)._take(lib.msd_damped_spring_make_duration(duration, bounce, time_step), time_step)

    @classmethod
    def critical(cls, halflife, time_step):
        """The critical spring of a half-life in s."""
        return cls.__new__(cls)._take(lib.msd_damped_spring_make_critical(halflife, time_step), time_step)

    @property
    def coefficients(self):
        """pos_pos, pos_vel, vel_pos, vel_vel."""
        return record(self._c[0])

    def update(self, x, v, goal=0.0):
        """x and v one step later, towards a goal at rest. Arrays come back as new ones."""
        return self._step(lib.msd_damped_spring_update_doubles, x, v, goal)

    def track(self, x, v, goal, goal_velocity):
        """The same towards a goal that is at `goal` now and moves at goal_velocity."""
        return self._step(lib.msd_damped_spring_track_doubles, x, v, goal, goal_velocity)

    def _step(self, function, x, v, *goals):
        given = np.broadcast_arrays(*(np.asarray(a, np.float64) for a in (x, v, *goals)))
        arrays = [np.array(a, order="C") for a in given]
        steps = [self.time_step] if len(goals) == 2 else []
        function(self._c, *steps, *(pointer(a, "double *") for a in arrays), arrays[0].size)
        x, v = arrays[:2]
        return (float(x), float(v)) if x.ndim == 0 else (x, v)
