"""The scene file of msd that a selection of Blender means."""
import json
import math
import os

from .meshes import SimulationError, Triangulated, pinned_particles


def material_of(settings):
    if settings.material != "CUSTOM":
        material = {"name": settings.material}
    else:
        material = {"area_density": settings.area_density, "stretch": settings.stretch, "bend": settings.bend,
                    "damping_ratio": settings.damping_ratio}
    if settings.soft_stretch > 0:
        material["soft_stretch"] = max(1e-4, settings.soft_stretch / 100)
    return material


def keys_of(context, obj, frames, frame_time):
    """Where a collider is at each frame; None when it stands. Its size must stay."""
    scene, shown = context.scene, context.scene.frame_current
    keys, scale, before = [], None, None
    try:
        for frame in range(frames + 1):
            scene.frame_set(scene.frame_start + frame)
            place, turn, size = obj.evaluated_get(context.evaluated_depsgraph_get()).matrix_world.decompose()
            if scale is not None and (size - scale).length > 1e-5 * scale.length:
                raise SimulationError(f"{obj.name}: changes its size, which colliders cannot")
            scale = size if scale is None else scale
            before = turn.to_euler("XYZ", before) if before is not None else turn.to_euler("XYZ")
            keys.append({"time": frame * frame_time, "position": list(place),
                         "rotation": [math.degrees(angle) for angle in before]})
    finally:
        scene.frame_set(shown)
    stands = all(k["position"] == keys[0]["position"] and k["rotation"] == keys[0]["rotation"] for k in keys)
    return None if stands else keys


def add_collider(context, description, obj, number, folder, frames, frame_time):
    """Returns how many points it adds."""
    from mathutils import Matrix
    keys = keys_of(context, obj, frames, frame_time)
    evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())
    matrix = evaluated.matrix_world if keys is None else Matrix.Diagonal(evaluated.matrix_world.to_scale()).to_4x4()
    mesh = evaluated.to_mesh()
    try:
        triangulated = Triangulated(mesh, matrix)
    finally:
        evaluated.to_mesh_clear()
    if triangulated.particle_count == 0:
        raise SimulationError(f"{obj.name}: has no faces to touch; deselect it")
    triangulated.write(os.path.join(folder, f"collider_{number}.obj"))
    collider = {"kind": "mesh", "name": f"{number} {obj.name}", "file": f"collider_{number}.obj"}
    if keys is not None:
        collider["motion"] = keys
    description["colliders"].append(collider)
    return triangulated.particle_count


def write_scene(context, obj, colliders, folder):
    """Writes folder/scene.json and its meshes; returns the mesh and how many points exports of it have."""
    settings, scene = obj.msd, context.scene
    frames = scene.frame_end - scene.frame_start
    if frames < 1:
        raise SimulationError("the scene has one frame; set its end behind its start")
    frame_time = scene.render.fps_base / scene.render.fps
    triangulated = Triangulated(obj.data, obj.matrix_world)
    if triangulated.particle_count == 0:
        raise SimulationError(f"{obj.name}: has no faces, of which there must be some to simulate")
    triangulated.write(os.path.join(folder, "mesh.obj"))
    body = {"kind": "mesh", "name": obj.name, "file": "mesh.obj", "material": material_of(settings)}
    if settings.pin_group:
        body["pinned"] = pinned_particles(obj, settings.pin_group, triangulated)
    gravity = list(scene.gravity) if scene.use_gravity else [0, 0, 0]
    description = {"msd": 1, "title": "From Blender", "gravity": gravity, "time_step": frame_time,
                   "duration": frames * frame_time, "substeps": settings.substeps or "auto", "bodies": [body],
                   "colliders": [], "contact": {"thickness": settings.thickness, "friction": settings.friction,
                                                "self": settings.self_contact}}
    points = triangulated.particle_count
    for number, collider in enumerate(colliders):
        points += add_collider(context, description, collider, number, folder, frames, frame_time)
    if settings.has_floor:
        description["colliders"].append({"kind": "plane", "name": "floor", "point": [0, 0, settings.floor],
                                         "normal": [0, 0, 1]})
    with open(os.path.join(folder, "scene.json"), "w", encoding="utf-8") as file:
        json.dump(description, file, indent=1)
    return triangulated, points, frames
