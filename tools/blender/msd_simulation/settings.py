"""Settings, stored with the object, and the path of msd."""
import os
import shutil

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from .meshes import SimulationError

MATERIALS = ("canvas", "cotton", "cotton_jersey", "cotton_shirting", "denim", "felt", "leather", "leather_shoe", "linen",
             "paper", "polyester", "ripstop", "rubber", "silk", "spinnaker", "wool")


class MSD_Preferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    command: StringProperty(name="msd", description="The command msd; empty: the one in PATH",
                            subtype="FILE_PATH")

    def draw(self, _context):
        self.layout.prop(self, "command")


def find_command(context):
    """Returns the path of msd: from the preferences, the environment variable MSD, or PATH."""
    addon = context.preferences.addons.get(__package__)
    chosen = (bpy.path.abspath(addon.preferences.command) if addon else "") or os.environ.get("MSD") or "msd"
    command = shutil.which(chosen)
    if command is None:
        raise SimulationError(f"no such command: '{chosen}'; set the path of msd in the preferences of the add-on")
    return command


class MSD_Settings(bpy.types.PropertyGroup):
    pin_group: StringProperty(name="Pins", description="Vertices with a weight above 0.5 in this group do not move")
    material: EnumProperty(name="Material", items=[(name, name.replace("_", " ").capitalize(), "") for name in MATERIALS] + [
        ("CUSTOM", "Custom", "Defined by the numbers below")])
    area_density: FloatProperty(name="Area density", description="kg/m²", default=0.2, min=1e-4, soft_max=10, precision=3)
    stretch_modulus: FloatProperty(name="Stretch modulus", description="Force per width and strain, N/m",
                                   default=1000, min=1e-3, soft_max=1e5)
    bend_rigidity: FloatProperty(name="Bend rigidity", description="Per width, N m", default=1e-5, min=0,
                                 precision=6)
    damping_ratio: FloatProperty(name="Damping ratio", description="1 is critical damping", default=0.05, min=0, max=10)
    stretch_under_weight: FloatProperty(
        name="Stretch under weight, %", description="Largest stretch under its own weight: a stiffer "
        "material is softened to it. 0: no softening, which needs more substeps", default=1, min=0, max=100, precision=2)
    apply_modifiers: BoolProperty(
        name="Apply modifiers", description="Simulate the mesh with its modifiers applied, as a new object; "
        "otherwise the mesh without them, and the modifiers follow the simulation", default=False)
    self_collision: BoolProperty(name="Self-collision", default=False)
    thickness: FloatProperty(name="Thickness", description="Distance of cloth from colliders and from itself", default=0.005,
                             min=0, precision=4, subtype="DISTANCE")
    friction: FloatProperty(name="Friction", default=0.3, min=0, soft_max=2)
    has_floor: BoolProperty(name="Floor", description="An infinite plane collider", default=False)
    floor: FloatProperty(name="Floor height", default=0, subtype="DISTANCE")
    substeps: IntProperty(name="Substeps", description="Substeps per frame; 0: automatic, the fewest that are proven "
                          "stable", default=0, min=0, max=1000000)
    folder: StringProperty(name="Folder", description="Folder of the cache and of the scene of msd", default="//msd_cache",
                           subtype="DIR_PATH")


CLASSES = (MSD_Preferences, MSD_Settings)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.msd = PointerProperty(type=MSD_Settings)


def unregister():
    del bpy.types.Object.msd
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
