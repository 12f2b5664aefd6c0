"""What has come to rest is left out of the steps until something touches it."""

import numpy as np

from .calls import Calls
from .documentation import document
from .structs import define, ffi, indices_of, lib, pointer


class Sleeping(Calls):
    """Who sleeps in a world, and when."""

    @document("msd_sleep_def", "msd_world_set_sleep")
    def set_sleep(self, **sleep):
        """Lets islands fall asleep that have been slower than `speed` for `time`; speed=0: nothing sleeps. All
        is awake, and begins to rest anew."""
        made, _ = define("msd_sleep_def", sleep)
        self._do("msd_world_set_sleep", made)

    @property
    def sleep(self):
        """As it was set."""
        return self._record("msd_world_get_sleep")

    @property
    def asleep(self):
        """Which particles sleep: (n,) of bool."""
        with self._guard as world:
            told = np.empty(len(self), np.bool_)
            lib.msdpy_tell_bools(world, ffi.addressof(lib, "msd_particle_is_asleep"), 0, len(told),
                                 pointer(told, "_Bool *"))
            return told

    def wake(self, particles=None):
        """Wakes the islands of particles, or all."""
        if particles is None:
            self._do("msd_world_wake_all")
            return
        with self._guard:
            for particle in indices_of(particles, len(self), "particle"):
                self._do("msd_particle_wake", int(particle))
