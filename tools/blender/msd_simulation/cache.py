"""Point caches (PC2), written by msd and read by the modifier Mesh Cache."""
import os
import struct

import numpy

from .meshes import SimulationError

HEADER = struct.Struct("<12siiffi")


def samples_written(path, points):
    """Returns the number of complete samples of a cache that is still being written."""
    try:
        return max(0, os.path.getsize(path) - HEADER.size) // (12 * points)
    except OSError:
        return 0


def read(path):
    """Reads a cache: an array (samples, points, 3)."""
    with open(path, "rb") as file:
        head = file.read(HEADER.size)
        if len(head) < HEADER.size or not head.startswith(b"POINTCACHE2"):
            raise SimulationError(f"{path}: is not a point cache")
        _, _, points, _, _, samples = HEADER.unpack(head)
        numbers = numpy.fromfile(file, dtype="<f4", count=samples * points * 3)
    if len(numbers) != samples * points * 3:
        raise SimulationError(f"{path}: is truncated")
    return numbers.reshape(samples, points, 3)


def write(path, frames, points):
    """Writes a cache to a temporary file and renames it, so that the file is always complete."""
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
