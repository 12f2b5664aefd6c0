"""Damped springs in closed form, without a world: msd/damped_spring.h.

Every function of that header with scalar arguments is available without the prefix "msd_": damper(x, goal,
halflife, time_step), spring_from_frequency(...) ... Values that C changes through pointers are returned: x, v =
simple_spring(x, v, goal, halflife, time_step). DampedSpring processes whole arrays.
"""

import inspect

import numpy as np

from .damped_states import (  # noqa: F401 - re-exported
    Character, DoubleSpring, Inertializer, ResonatorBank, TimedSpring, VelocitySpring, polyline,
    quaternion, rotation_from_vector, rotation_vector, spring_curve)
from .documentation import COMMENTS, PARAMETERS
from .errors import BadValue, Result
from .structs import as_dict, enum, ffi, lib, name_of, number_of, pointer, record, record_type


def _named(name, call, taken, result):
    """A Python function with the name and documentation of the one in C."""
    call.__name__ = call.__qualname__ = name[len("msd_"):]
    call.__doc__ = COMMENTS.get(name)
    call.__signature__ = inspect.Signature([inspect.Parameter(word, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                                            for word in taken], return_annotation=result)
    return call


def _argument(kind, value):
    """Converts an argument for C: a number, the name of an enumeration, or a tuple or dict for a struct."""
    if kind.kind == "enum":
        return number_of(name_of(kind), value)
    if kind.kind in ("struct", "pointer"):
        made = ffi.new((name_of(kind) if kind.kind == "struct"
                        else name_of(kind.item).removeprefix("const ")) + " *",
                       as_dict(value) if hasattr(value, "keys") or hasattr(value, "_asdict") else list(value))
        return made[0] if kind.kind == "struct" else made
    return value


def _function(name):
    """Wraps a function of C. Arguments are numbers, and structs of numbers; the result is a number or record.
    Values that C changes through pointers to double are returned."""
    function = getattr(lib, name)
    kind, words = ffi.typeof(function), PARAMETERS.get(name, ())
    changed = [i for i, argument in enumerate(kind.args) if argument.cname == "double *"]
    out = ("ck", "cd")  # output only

    def call(*numbers, **named):
        bound = call.__signature__.bind(*numbers, **named).arguments
        cells = {i: ffi.new("double *", bound.get(words[i], 0.0)) for i in changed}
        result = function(*(cells[i] if i in cells else _argument(argument, bound[words[i]])
                          for i, argument in enumerate(kind.args)))
        if result is False:
            raise BadValue(Result.BAD_VALUE, "reference_step * damping must be below 1")
        if not changed:
            return result if isinstance(result, float) else record(result)
        state = tuple(cells[i][0] for i in changed)
        return state if len(state) > 1 else state[0]

    returned = f"tuple[{', '.join(['float'] * len(changed))}]" if len(changed) > 1 else "float"
    if kind.result.kind == "struct":
        returned = record_type(name_of(kind.result)).__name__
    return _named(name, call, [word for word in words if word not in out
                               or name != "msd_spring_to_coefficients"], returned)


def _is_of_numbers(name):
    """Whether a function of C can be wrapped: no arrays, and no state in C."""
    kind = ffi.typeof(getattr(lib, name))
    fits = ("double", "msd_resonance", "msd_motion", "msd_tracking_gains", "double *",
            "msd_spring_parameters *")
    return bool(kind.args) and all(name_of(a) in fits for a in kind.args) and PARAMETERS.get(name) is not None


_SPRINGS = ("msd_damp", "msd_spring_from", "msd_spring_to", "msd_halflife", "msd_half_time", "msd_critical_",
            "msd_stiffness_from", "msd_frequency_from", "msd_smoothing", "msd_sampled", "msd_naive",
            "msd_resonant",
            "msd_simple_spring", "msd_decay_spring", "msd_tracking_spring")

_made = [_function(name) for name in dir(lib) if name.startswith(_SPRINGS) and _is_of_numbers(name)]
globals().update({function.__name__: function for function in _made})
Resonance = enum("msd_resonance")
__all__ = sorted({function.__name__ for function in _made} | {
    "Character", "DampedSpring", "DoubleSpring", "Inertializer", "ResonatorBank", "Resonance", "TimedSpring",
    "VelocitySpring", "polyline", "rotation_from_vector", "rotation_vector", "spring_curve"})


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
        """Makes a spring from stiffness in 1/s^2 and damping in 1/s."""
        return cls.__new__(cls)._take(lib.msd_damped_spring_make_stiffness(stiffness, damping, time_step),
                                      time_step)

    @classmethod
    def frequency(cls, frequency, halflife, time_step):
        """Makes a spring from a frequency in Hz and a half-life in s."""
        return cls.__new__(cls)._take(lib.msd_damped_spring_make_frequency(frequency, halflife, time_step),
                                      time_step)

    @classmethod
    def ratio(cls, damping_ratio, halflife, time_step):
        """Makes a spring from the damping ratio and a half-life in s."""
        return cls.__new__(cls)._take(lib.msd_damped_spring_make_ratio(damping_ratio, halflife, time_step),
                                      time_step)

    @classmethod
    def duration(cls, duration, bounce, time_step):
        """Makes a spring from the duration of one oscillation in s and its bounce."""
        return cls.__new__(cls)._take(lib.msd_damped_spring_make_duration(duration, bounce, time_step),
                                      time_step)

    @classmethod
    def critical(cls, halflife, time_step):
        """Makes the critical spring of a half-life in s."""
        return cls.__new__(cls)._take(lib.msd_damped_spring_make_critical(halflife, time_step), time_step)

    def __getstate__(self):
        return bytes(ffi.buffer(self._c)), self.time_step

    def __setstate__(self, state):
        self._c, self.time_step = ffi.new("msd_damped_spring *"), state[1]
        ffi.buffer(self._c)[:] = state[0]

    @property
    def coefficients(self):
        """pos_pos, pos_vel, vel_pos, vel_vel."""
        return record(self._c[0])

    def update(self, x, v, goal=0.0):
        """Returns x and v one step later, for a goal at rest. Arrays are not modified; the result is new."""
        return self._step(lib.msd_damped_spring_update_doubles, x, v, goal)

    def track(self, x, v, goal, goal_velocity):
        """Returns x and v one step later, for a goal that is at `goal` now and moves at goal_velocity."""
        return self._step(lib.msd_damped_spring_track_doubles, x, v, goal, goal_velocity)

    def decay(self, x, v):
        """Returns an offset from the goal and its velocity one step later."""
        return self.update(x, v)

    def hold(self, lead, x, v, goal, goal_velocity):
        """Returns x and v one step later, for a goal whose position is constant during the step, while v
        relaxes to goal_velocity. `lead` is that of damped_spring_lead."""
        return self.update(x, v, np.asarray(goal, float) + lead * np.asarray(goal_velocity, float))

    def update_angle(self, x, v, goal):
        """Moves an angle in radians along the shorter arc; returns x and v one step later."""
        state = ffi.new("double[2]", [x, v])
        lib.msd_damped_spring_update_angle(self._c, state, state + 1, goal)
        return state[0], state[1]

    def update_rotation(self, rotation, angular_velocity, goal):
        """Moves a rotation (w, x, y, z) along the shortest arc; returns it and the angular velocity, in rad/s
        about world axes, one step later."""
        return self._turn(lib.msd_damped_spring_update_quaternion, rotation, angular_velocity, goal)

    def update_rotation_vector(self, rotation, rate, goal):
        """As update_rotation, with the rate of the rotation vector instead of the angular velocity."""
        return self._turn(lib.msd_damped_spring_update_rotation_vector, rotation, rate, goal)

    def _turn(self, function, rotation, rate, goal):
        turned, rates = quaternion(rotation), np.array(rate, np.float64)
        if rates.shape != (3,):
            raise BadValue(Result.BAD_VALUE, f"a rate of turning is 3 numbers, and not {rate!r}")
        function(self._c, turned, pointer(rates, "double *"), quaternion(goal)[0])
        return np.array(record(turned)), rates

    def _step(self, function, x, v, *goals):
        given = np.broadcast_arrays(*(np.asarray(a, np.float64) for a in (x, v, *goals)))
        arrays = [np.array(a, order="C") for a in given]
        steps = [self.time_step] if len(goals) == 2 else []
        function(self._c, *steps, *(pointer(a, "double *") for a in arrays), arrays[0].size)
        x, v = arrays[:2]
        return (float(x), float(v)) if x.ndim == 0 else (x, v)
