"""msd in Blender: simulates the active mesh as cloth by the command msd, and plays it by the modifier Mesh Cache."""
bl_info = {
    "name": "msd simulation",
    "author": "the authors of msd",
    "version": (1, 0, 0),
    "blender": (3, 4, 0),
    "location": "Properties > Physics > msd",
    "description": "Simulates the active mesh as cloth with msd",
    "category": "Physics",
}

from . import operators, settings


def register():
    settings.register()
    operators.register()


def unregister():
    operators.unregister()
    settings.unregister()
