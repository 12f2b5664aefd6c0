"""Springs with state: the classes of msd.damped. Each is a struct of C whose fields are attributes."""

import numpy as np

from .documentation import COMMENTS, fields_text
from .errors import BadValue, Result
from .structs import dtype_of, fields_of, ffi, lib, natural, pointer, record


def _field(name):
    def get(self):
        return getattr(self._c, name)

    def put(self, value):
        setattr(self._c, name, value)

    return property(get, put)


def _fields_of_c(struct):
    """Gives a class the fields of a struct as attributes, with the documentation of the header."""
    def decorate(made):
        made._struct = struct
        for name in fields_of(struct):
            setattr(made, name, _field(name))
        made.__doc__ = "\n\n".join([made.__doc__, COMMENTS.get(struct, ""),
                                    "Attributes:\n" + fields_text(struct)])
        return made

    return decorate


class _State:
    _struct = ""

    def __repr__(self):
        fields = ", ".join(f"{name}={getattr(self._c, name)!r}" for name in fields_of(self._struct))
        return f"{type(self).__name__}({fields})"

    def _make(self, **fields):
        self._c = ffi.new(self._struct + " *", fields)

    def __getstate__(self):
        return bytes(ffi.buffer(self._c))

    def __setstate__(self, state):
        self._c = ffi.new(self._struct + " *")
        ffi.buffer(self._c)[:] = state


@_fields_of_c("msd_double_spring")
class DoubleSpring(_State):
    """A critical spring that follows a critical spring. It starts at x with velocity v."""

    def __init__(self, x=0.0, v=0.0):
        self._make(x=x, v=v, middle_x=x, middle_v=v)

    def update(self, goal, halflife, time_step):
        """Advances one step toward a goal; returns x."""
        lib.msd_double_spring_update(self._c, goal, halflife, time_step)
        return self._c.x


@_fields_of_c("msd_timed_spring")
class TimedSpring(_State):
    """A critical spring that arrives at a given time, following a line."""

    def __init__(self, x=0.0, v=0.0, *, goal, time_left, halflife, apprehension=lib.MSD_APPREHENSION_EXACT):
        self._make(x=x, v=v, line=x, goal=goal, time_left=time_left, halflife=halflife,
                   apprehension=apprehension)

    def update(self, time_step):
        """Advances one step; returns x."""
        lib.msd_timed_spring_update(self._c, time_step)
        return self._c.x


@_fields_of_c("msd_velocity_spring")
class VelocitySpring(_State):
    """A critical spring that follows a point of given speed."""

    def __init__(self, x=0.0, v=0.0, *, goal, speed, halflife, apprehension=lib.MSD_APPREHENSION_EXACT):
        self._make(x=x, v=v, line=x, goal=goal, speed=speed, halflife=halflife, apprehension=apprehension)

    def update(self, time_step):
        """Advances one step; returns x."""
        lib.msd_velocity_spring_update(self._c, time_step)
        return self._c.x


@_fields_of_c("msd_inertializer")
class Inertializer(_State):
    """Switches a value from one motion to another without a jump."""

    def __init__(self):
        self._make()

    def transition(self, from_x, from_v, to_x, to_v):
        """Switches from the motion at (from_x, from_v) to the motion at (to_x, to_v)."""
        lib.msd_inertializer_transition(self._c, from_x, from_v, to_x, to_v)

    def update(self, x, v, halflife, time_step):
        """Returns the x and v to show. The arguments are position and velocity of the current motion at the end
        of a step."""
        shown = ffi.new("double[2]", [x, v])
        lib.msd_inertializer_update(self._c, halflife, time_step, shown, shown + 1)
        return shown[0], shown[1]


@_fields_of_c("msd_motion")
class Character(_State):
    """A character whose velocity follows a stick."""

    def __init__(self, position=0.0, velocity=0.0, acceleration=0.0):
        self._make(position=position, velocity=velocity, acceleration=acceleration)

    def update(self, goal_velocity, halflife, time_step):
        """Advances one step; returns the position."""
        lib.msd_character_update(self._c, goal_velocity, halflife, time_step)
        return self._c.position

    def predict(self, goal_velocity, halflife, interval, count):
        """Returns position, velocity and acceleration at 0, interval, 2 interval ...: (count, 3)."""
        path = np.empty((natural(count, "count"), 3))
        lib.msd_character_predict(self._c, goal_velocity, halflife, interval, pointer(path, "msd_motion *"),
                                  len(path))
        return path


class ResonatorBank:
    """Resonators from the lowest to the highest frequency in Hz, which find the frequency of a signal with
    samples time_step seconds apart. halflife is their memory in s; a few periods of the lowest frequency work
    well."""

    def __init__(self, count, lowest, highest, halflife, time_step):
        self._c = np.zeros(natural(count, "count"), dtype_of("msd_resonator"))
        lib.msd_resonator_bank_tune(self._bank, len(self._c), lowest, highest, halflife, time_step)

    def __len__(self):
        return len(self._c)

    @property
    def _bank(self):
        return pointer(self._c, "msd_resonator *")

    def feed(self, samples):
        """Feeds one sample, or an array of samples in order."""
        for sample in np.atleast_1d(np.asarray(samples, np.float64)):
            lib.msd_resonator_bank_feed(self._bank, len(self._c), sample)

    @property
    def frequencies(self):
        """The frequencies of the resonators in Hz: (n,)."""
        return self._c["frequency"].copy()

    @property
    def power(self):
        """The mean power of each resonator: (n,)."""
        return self._c["power"].copy()

    @property
    def peak(self):
        """The frequency in Hz of the strongest component of the signal; 0 if there was none."""
        return lib.msd_resonator_bank_peak(self._bank, len(self._c))


# -------------------------------------------------------------------------------------------- rotations, curves


def quaternion(rotation):
    """Converts a rotation (w, x, y, z) for C."""
    numbers = np.asarray(rotation, np.float64)
    if numbers.shape != (4,):
        raise BadValue(Result.BAD_VALUE, f"a rotation is (w, x, y, z), and not {rotation!r}")
    return ffi.new("msd_quaternion *", numbers.tolist())


def rotation_vector(rotation):
    """Returns the axis times the angle in radians, 0 to pi, of a rotation (w, x, y, z): (3,)."""
    vector = np.empty(3)
    lib.msd_quaternion_to_rotation_vector(quaternion(rotation)[0], pointer(vector, "double *"))
    return vector


def rotation_from_vector(vector):
    """Returns the rotation (w, x, y, z) of an axis times an angle in radians: (4,)."""
    given = np.ascontiguousarray(vector, np.float64)
    if given.shape != (3,):
        raise BadValue(Result.BAD_VALUE, f"a rotation vector is 3 numbers, and not {vector!r}")
    return np.array(record(lib.msd_quaternion_from_rotation_vector(pointer(given, "double *"))))


def polyline(points, place):
    """Returns value and slope, at a place, of the polyline through points at the places 0, 1, 2 ..."""
    given, slope = _points(points), ffi.new("double *")
    return lib.msd_polyline(pointer(given, "double *"), len(given), place, slope), slope[0]


def spring_curve(points, angular_frequency, damping_ratio, count):
    """Returns `count` samples of the curve that a spring draws while it follows a polyline. The frequency is in
    radians per place."""
    given, samples = _points(points), np.empty(natural(count, "count"))
    lib.msd_spring_curve(pointer(given, "double *"), len(given), angular_frequency, damping_ratio,
                         pointer(samples, "double *"), len(samples))
    return samples


def _points(points):
    given = np.ascontiguousarray(points, np.float64)
    if given.ndim != 1:
        raise BadValue(Result.BAD_VALUE, f"points have the shape {given.shape}; it must be (n,)")
    return given
