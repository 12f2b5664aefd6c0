"""Point caches, PC2: what msd writes, and what the modifier Mesh Cache reads."""
import os
import struct

import numpy

from .meshes import SimulationError

HEADER = struct.Struct("<12siiffi")


def samples_written(path, points):
    """How many whole samples a cache has that is still being written."""
    try:
        return max(0, os.path.getsize(path) - HEADER.size) // (12 * points)
    except OSError:
        return 0


def read(path):
    """An array of samples, points and coordinates."""
    with open(path, "rb") as file:
        head = file.read(HEADER.size)
        if len(head) < HEADER.size or not head.startswith(b"POINTCACHE2"):
            raise SimulationError(f"{path}: is no point cache")
        _, _, points, _, _, samples = HEADER.unpack(head)
        numbers = numpy.fromfile(file, dtype="<f4", count=samples * points * 3)
    if len(numbers) != samples * points * 3:
        raise SimulationError(f"{path}: is cut short")
    return numbers.reshape(samples, points, 3)


def write(path, frames, points):
    """Beside its place first, so that what is there is whole."""
    part = path + ".part"
    try:
        with open(part, "wb") as file:
            file.write(HEADER.pack(b"POINTCACHE2\0", 1, points, 0.0, 1.0, 0))
            samples = 0
            for frame in frames:
                file.write(numpy.ascontiguousarray(frame, dtype="<f4").tobytes())
                samples += 1
            file.seek(HEADER.size - 4)
            file.write(struct.pack("<i", samples))
        os.replace(part, path)
    except OSError as error:
        if os.path.exists(part):
            os.remove(part)
        raise SimulationError(f"{path}: cannot be written: {error.strerror}") from error
    return samples
