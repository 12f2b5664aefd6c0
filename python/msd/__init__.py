"""msd: a mass-spring engine for cloth, rope and soft bodies. Automatic substeps are proven stable.

    import msd

    world = msd.World()
    cloth = world.add_cloth(40, 40, u=(1, 0, 0), v=(0, -1, 0), material="cotton")
    cloth.pin((0, 0), (0, -1))
    for _ in range(60):
        world.step(1 / 60)
    print(cloth.positions)

    scene = msd.load_scene("curtain")
    scene.step(1 / 60)

docs/learn/python.md is a tutorial. C functions that have no equivalent here are available by name in msd.c,
with msd.ffi (cffi).
"""

from . import damped
from ._msd import ffi, lib as c
from .bodies import Body
from .documentation import describe
from .errors import (BadIndex, BadSnapshot, BadValue, Diverged, Error, Locked, OutOfMemory, Result, SceneError)
from .items import (Colliders, CollisionMeshes, Constraints, Rotors, SoftPins, Springs, TorsionSprings)
from .maps import StabilityMap, stability_map
from .pictures import film, plot
from .reports import Components, fiber_weights
from .runs import Run, run
from .scene import Scene, SceneBody, list_scenes, load_scene
from .structs import ENUMS as _ENUMS, RECORDS as _RECORDS, enum as _enum, material_names, material_origin, real
from .structs import record_type as _record_type
from .removal import Moves
from .together import step_worlds
from .particles import View
from .world import World

# Enumerations of C, and named tuples for its structs: msd.Integrator, msd.Stability ...
_made = [_enum(name) for name in _ENUMS if name.startswith("msd_")] + [_record_type(name) for name in _RECORDS]
globals().update({made.__name__: made for made in _made})

MAX_STABLE = c.MSD_MAX_STABLE
AS_PLACED = c.MSD_AS_PLACED
ISOTROPIC = c.MSD_ISOTROPIC
GROUND = c.MSD_GROUND

__version__ = ffi.string(c.msd_version()).decode()

__all__ = ["AS_PLACED", "BadIndex", "BadSnapshot", "BadValue", "Body", "Colliders", "CollisionMeshes",
           "Components", "Constraints", "Diverged", "Error", "GROUND", "ISOTROPIC", "Locked", "MAX_STABLE",
           "Moves", "OutOfMemory", "Result", "Rotors", "Run", "Scene", "SceneBody", "SceneError", "SoftPins",
           "Springs", "StabilityMap", "TorsionSprings", "View", "World", "c", "damped", "describe", "ffi",
           "fiber_weights", "film", "list_scenes", "load_scene", "material", "material_names",
           "material_origin", "plot", "real",
           "run", "stability_map", "step_worlds"]
__all__ += sorted({made.__name__ for made in _made} - set(__all__))


def material(name, **changes):
    """Returns a built-in material by name, with some values changed: a dict for the builders."""
    from .structs import material_fields

    return {**material_fields(name), **changes}
