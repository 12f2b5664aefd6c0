"""Calls of the engine for a world: on the right thread, with exceptions for errors and Python values for those
of C."""

import numpy as np

from .errors import BadIndex, BadValue, Result, check
from .structs import array_of, as_numbers, define_all, ffi, finite_int, lib, real, record


class Calls:
    """Base class of all mixins of World."""

    def _do(self, name, *arguments):
        """Calls a function that returns a result."""
        with self._guard as world:
            check(self._called(getattr(lib, name), world, arguments))

    def _get(self, name, *arguments):
        """Calls a function that returns a value."""
        with self._guard as world:
            return self._called(getattr(lib, name), world, arguments)

    @staticmethod
    def _called(function, world, arguments):
        try:
            return function(world, *arguments)
        except (TypeError, OverflowError) as problem:
            raise BadValue(Result.BAD_VALUE, f"{function.__name__}: {problem}") from None

    def _record(self, name, *arguments):
        return record(self._get(name, *arguments))

    def _range(self, name, *arguments):
        made = ffi.new("msd_range *")
        self._do(name, *arguments, made)
        return range(made.first, made.first + made.count)

    def _add(self, kind, many, given, count=None):
        made, length = define_all(kind, given, count)
        first = ffi.new("int32_t *")
        self._do(many, made, length, first)
        return range(first[0], first[0] + length)

    @staticmethod
    def _vector(value):
        numbers = array_of(value, "a vector")
        if numbers.shape != (3,):
            raise BadValue(Result.BAD_VALUE, f"{value!r} must be 3 numbers")
        return ffi.new("msd_vec3 *", as_numbers(numbers, real, repr(value)).tolist())[0]

    def _turn(self, rotation, pivot):
        return ffi.new("msd_turn *", {"rotation": self._vector(rotation), "pivot": self._vector(pivot)})[0]

    def _vector_of(self, name, *arguments):
        vector = self._get(name, *arguments)
        return np.array([vector.x, vector.y, vector.z], real)

    def _particle(self, particle):
        i, count = finite_int(particle, "a particle"), len(self)
        if not -count <= i < count:
            raise BadIndex(Result.BAD_INDEX, f"there is no particle {i}; there are {count}")
        return i % count
