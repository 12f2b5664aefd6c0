"""What a person chooses, stored with the object, and where msd is."""
import os
import shutil

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from .meshes import SimulationError

MATERIALS = ("cotton", "cotton_jersey", "denim", "leather", "paper", "polyester", "rubber", "silk")


class MSD_Preferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    command: StringProperty(name="msd", description="The command msd; empty: the one that the shell finds",
                            subtype="FILE_PATH")

    def draw(self, _context):
        self.layout.prop(self, "command")


def find_command(context):
    """The path of msd: of the preferences, else of the environment's MSD, else where the shell finds it."""
    addon = context.preferences.addons.get(__package__)
    chosen = (bpy.path.abspath(addon.preferences.command) if addon else "") or os.environ.get("MSD") or "msd"
    command = shutil.which(chosen)
    if command is None:
        raise SimulationError(f"there is no command '{chosen}'; name the path of msd in the preferences of the add-on")
    return command


class MSD_Settings(bpy.types.PropertyGroup):
    pin_group: StringProperty(name="Pins", description="Vertices that weigh more than 0.5 in this group stand still")
    material: EnumProperty(name="Material", items=[(name, name.replace("_", " ").capitalize(), "") for name in MATERIALS] + [
        ("CUSTOM", "Custom", "The numbers below")])
    area_density: FloatProperty(name="Weight", description="kg/m²", default=0.2, min=1e-4, soft_max=10, precision=3)
    stretch: FloatProperty(name="Stretch", description="Force per width over strain, N/m", default=1000, min=1e-3,
                           soft_max=1e5)
    bend: FloatProperty(name="Bend", description="Bending stiffness of a width, N m", default=1e-5, min=0, precision=6)
    damping_ratio: FloatProperty(name="Damping", description="1 is critical", default=0.05, min=0, max=10)
    soft_stretch: FloatProperty(
        name="Stretches by", description="No stiffer than that it stretches by so many percent under its own weight; "
        "0: as stiff as it is, which takes more steps", default=1, min=0, max=100, precision=2)
    apply_modifiers: BoolProperty(
        name="Apply modifiers", description="Simulate the mesh that the modifiers make, as a new object; else the mesh "
        "itself, and the modifiers follow the simulation", default=False)
    self_contact: BoolProperty(name="Touches itself", default=False)
    thickness: FloatProperty(name="Thickness", description="How far it stays from what it touches", default=0.005,
                             min=0, precision=4, subtype="DISTANCE")
    friction: FloatProperty(name="Friction", default=0.3, min=0, soft_max=2)
    has_floor: BoolProperty(name="Floor", description="A floor without end", default=False)
    floor: FloatProperty(name="Height of the floor", default=0, subtype="DISTANCE")
    substeps: IntProperty(name="Substeps", description="0: the fewest that are certified stable", default=0, min=0,
                          max=1000000)
    folder: StringProperty(name="Folder", description="Of the cache and of the scene of msd", default="//msd_cache",
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
