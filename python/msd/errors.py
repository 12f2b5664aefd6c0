"""Exceptions, with the messages of the engine."""

from enum import IntEnum

from ._msd import ffi, lib


def enum_of(ctype_name, prefix):
    """Converts an enumeration of C to one of Python: MSD_SPRING_STIFFNESS becomes STIFFNESS."""
    numbers = sorted(ffi.typeof(ctype_name).relements.items(), key=lambda item: item[1])
    values = {name[len(prefix):]: value for name, value in numbers
              if name.startswith(prefix) and not name.endswith("_COUNT")}
    # A name cannot begin with a digit: _128.
    values = {"_" + name if name[0].isdigit() else name: value for name, value in values.items()}
    return IntEnum(ctype_name, values, module="msd")


Result = enum_of("msd_result", "MSD_")
Result.__name__ = Result.__qualname__ = "Result"
Result.__doc__ = "Result of a call of the engine."


class Error(Exception):
    """A failed call. The world is unchanged.

    `result` is the kind of error; the text names the particle, spring or value that caused it.
    """

    result: "Result"

    def __init__(self, result, message=""):
        self.result = Result(result)
        super().__init__(message or ffi.string(lib.msd_result_string(self.result)).decode())

    def __reduce__(self):
        return type(self), (int(self.result), str(self))


class BadValue(Error, ValueError):
    """A value, definition or frame time is out of its range."""


class BadIndex(Error, IndexError):
    """A particle, spring, constraint ... does not exist."""


class OutOfMemory(Error, MemoryError):
    """Memory has run out, or the memory_limit of the world was reached."""


class Diverged(Error, ArithmeticError):
    """A value would have become non-finite; the world keeps the last finite state."""


class Locked(Error):
    """The world is being stepped, by another thread or around this callback."""


class BadSnapshot(Error, ValueError):
    """Not a snapshot, or a snapshot of another version or precision."""


class SceneError(Error, ValueError):
    """A scene cannot be loaded; the text names the file and the place in it."""


_KINDS = {Result.BAD_VALUE: BadValue, Result.UNINITIALIZED_DEF: BadValue, Result.BAD_FRAME_TIME: BadValue,
          Result.BAD_INDEX: BadIndex, Result.OUT_OF_MEMORY: OutOfMemory, Result.TOO_LARGE: OutOfMemory,
          Result.DIVERGED: Diverged, Result.LOCKED: Locked, Result.BAD_SNAPSHOT: BadSnapshot,
          Result.SNAPSHOT_VERSION: BadSnapshot, Result.SNAPSHOT_PRECISION: BadSnapshot}


def error(result, message=""):
    """Returns the exception for a result."""
    return _KINDS.get(result, Error)(result, message)


def take_message():
    """Returns the message of the last failed call of this thread."""
    text = ffi.new("char[]", 1024)
    lib.msdpy_take_message(text, 1024)
    return ffi.string(text).decode(errors="replace")


def check(result):
    """Raises the exception for a result other than MSD_OK."""
    if result != lib.MSD_OK:
        raise error(result, take_message())
