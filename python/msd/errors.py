"""What goes wrong, as exceptions with the engine's own words."""

from enum import IntEnum

from ._msd import ffi, lib


def enum_of(ctype_name, prefix):
    """An enumeration of C as one of Python: MSD_SPRING_PHYSICAL becomes PHYSICAL."""
    numbers = sorted(ffi.typeof(ctype_name).relements.items(), key=lambda item: item[1])
    values = {name[len(prefix):]: value for name, value in numbers
              if name.startswith(prefix) and not name.endswith("_COUNT")}
    # What begins with a digit is no name: _128.
    values = {"_" + name if name[0].isdigit() else name: value for name, value in values.items()}
    return IntEnum(ctype_name, values, module="msd")


Result = enum_of("msd_result", "MSD_")
Result.__name__ = Result.__qualname__ = "Result"
Result.__doc__ = "What a call of the engine answers."


class Error(Exception):
    """A call that the engine has refused. The world is as it was before.

    `result` tells the kind, the text which particle, spring or value was meant.
    """

    result: "Result"

    def __init__(self, result, message=""):
        self.result = Result(result)
        super().__init__(message or ffi.string(lib.msd_result_string(self.result)).decode())

    def __reduce__(self):
        return type(self), (int(self.result), str(self))


class BadValue(Error, ValueError):
    """A value, a definition or a time step outside of its range."""


class BadIndex(Error, IndexError):
    """There is no such particle, spring, constraint ..."""


class OutOfMemory(Error, MemoryError):
    """There is no memory for it, or none within the memory_limit of the world."""


class Diverged(Error, ArithmeticError):
    """A step would have left numbers that are not finite; the world keeps the last finite state."""


class Busy(Error):
    """A step of the world is under way, in another thread or around a callback."""


class BadSnapshot(Error, ValueError):
    """Not a snapshot, or one of another version or precision."""


class SceneError(Error, ValueError):
    """A scene that cannot be loaded; the text names the file and the place in it."""


_KINDS = {Result.BAD_VALUE: BadValue, Result.BAD_DEF: BadValue, Result.BAD_TIME_STEP: BadValue,
          Result.BAD_INDEX: BadIndex, Result.OUT_OF_MEMORY: OutOfMemory, Result.TOO_LARGE: OutOfMemory,
          Result.DIVERGED: Diverged, Result.BUSY: Busy, Result.BAD_SNAPSHOT: BadSnapshot,
          Result.SNAPSHOT_VERSION: BadSnapshot, Result.SNAPSHOT_PRECISION: BadSnapshot}


def error(result, message=""):
    """The exception of a result."""
    return _KINDS.get(result, Error)(result, message)


def take_message():
    """What the last failing call of this thread said."""
    text = ffi.new("char[]", 1024)
    lib.msdpy_take_message(text, 1024)
    return ffi.string(text).decode(errors="replace")


def check(result):
    """Raises what a result stands for, unless it is MSD_OK."""
    if result != lib.MSD_OK:
        raise error(result, take_message())
