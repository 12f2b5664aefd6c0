"""Sleeping: islands of particles at rest are skipped until something wakes them."""

import numpy as np

from .calls import Calls
from .documentation import document
from .structs import define, ffi, indices_of, lib, pointer


class Sleeping(Calls):
    """Sleeping of a world."""

    @document("msd_sleep_def", "msd_world_set_sleep")
    def set_sleep(self, **sleep):
        """Lets islands fall asleep that have been slower than `speed` for `delay`; speed=0 turns sleeping off.
        Everything wakes, and all rest times start at 0."""
        made, _ = define("msd_sleep_def", sleep)
        self._do("msd_world_set_sleep", made)

    @property
    def sleep(self):
        """The sleep settings."""
        return self._record("msd_world_get_sleep")

    @property
    def asleep(self):
        """Which particles sleep: (n,) bool."""
        with self._guard as world:
            asleep = np.empty(len(self), np.bool_)
            lib.msdpy_read_bools(world, ffi.addressof(lib, "msd_particle_is_asleep"), 0, len(asleep),
                                 pointer(asleep, "_Bool *"))
            return asleep

    def wake(self, particles=None):
        """Wakes the islands of particles, or everything."""
        if particles is None:
            self._do("msd_world_wake_all")
            return
        with self._guard:
            for particle in indices_of(particles, len(self), "particle"):
                self._do("msd_particle_wake", int(particle))
