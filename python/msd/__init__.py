"""msd: particles joined by damped springs, with certified time steps.

    import msd

    world = msd.World()
    cloth = world.add_cloth(40, 40, u=(1, 0, 0), v=(0, -1, 0), material="cotton")
    cloth.pin((0, 0), (0, -1))
    for _ in range(60):
        world.step(1 / 60)
    print(cloth.positions)

    scene = msd.load_scene("curtain")
    scene.step(1 / 60)

docs/python.md is a tutorial. Whatever of the C interface has no other place here is in msd.c (the functions)
with msd.ffi (cffi), by its name in C.
"""

from . import damped
from ._msd import ffi, lib as c
from .bodies import Body
from .documentation import describe
from .errors import (BadIndex, BadSnapshot, BadValue, Busy, Diverged, Error, OutOfMemory, Result, SceneError)
from .items import (AngularSprings, Anchors, Colliders, Constraints, Rotors, Springs, Surfaces)
from .maps import StabilityMap, stability_map
from .pictures import film, plot
from .reports import Pieces, fibre_weights
from .runs import Run, run
from .scene import Scene, SceneBody, list_scenes, load_scene
from .structs import ENUMS as _ENUMS, RECORDS as _RECORDS, enum as _enum, material_names, real
from .structs import record_type as _record_type
from .removal import Moves
from .together import step_worlds
from .particles import View
from .world import World

# The enumerations of C, and what its structs are told as: msd.Integrator, msd.Stability ...
_made = [_enum(name) for name in _ENUMS if name.startswith("msd_")] + [_record_type(name) for name in _RECORDS]
globals().update({made.__name__: made for made in _made})

STIFFEST = c.MSD_STIFFEST
AS_PLACED = c.MSD_AS_PLACED
ISOTROPIC = c.MSD_ISOTROPIC
FRAME = c.MSD_FRAME

__version__ = ffi.string(c.msd_version()).decode()

__all__ = ["AS_PLACED", "AngularSprings", "Anchors", "BadIndex", "BadSnapshot", "BadValue", "Body", "Busy",
           "Colliders",
           "Constraints", "Diverged", "Error", "FRAME", "ISOTROPIC", "Moves", "OutOfMemory", "Pieces", "Result",
           "Rotors", "Run", "STIFFEST",
           "Scene", "SceneBody", "SceneError", "Springs", "StabilityMap", "Surfaces", "View", "World", "c",
           "damped",
           "describe", "ffi", "fibre_weights", "film", "list_scenes", "load_scene", "material",
           "material_names", "plot",
           "real", "run", "stability_map", "step_worlds"]
__all__ += sorted({made.__name__ for made in _made} - set(__all__))


def material(name, **changes):
    """A material of the list by its name, with other numbers where they are given: a dict for the builders."""
    from .structs import material_fields

    return {**material_fields(name), **changes}
