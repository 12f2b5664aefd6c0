"""Writes the scene file of msd for the active mesh and the selected colliders."""
import json
import math
import os

from .meshes import SimulationError, Triangulated, pinned_particles


def material_of(settings):
    if settings.material != "CUSTOM":
        material = {"name": settings.material}
    else:
        material = {"area_density": settings.area_density, "stretch_modulus": settings.stretch_modulus,
                    "bend_rigidity": settings.bend_rigidity, "damping_ratio": settings.damping_ratio}
    if settings.stretch_under_weight > 0:
        material["stretch_under_weight"] = max(1e-4, settings.stretch_under_weight / 100)
    return material


def keyframes_of(context, obj, frames, frame_time):
    """Returns the keyframes of a collider, or None if it is static. Its scale must not change."""
    scene, shown = context.scene, context.scene.frame_current
    keyframes, scale, before = [], None, None
    try:
        for frame in range(frames + 1):
            scene.frame_set(scene.frame_start + frame)
            place, turn, size = obj.evaluated_get(context.evaluated_depsgraph_get()).matrix_world.decompose()
            if scale is not None and (size - scale).length > 1e-5 * scale.length:
                raise SimulationError(f"{obj.name}: its scale is animated, which colliders do not support")
            scale = size if scale is None else scale
            before = turn.to_euler("XYZ", before) if before is not None else turn.to_euler("XYZ")
            keyframes.append({"time": frame * frame_time, "position": list(place),
                         "rotation": [math.degrees(angle) for angle in before]})
    finally:
        scene.frame_set(shown)
    first = keyframes[0]
    is_static = all(k["position"] == first["position"] and k["rotation"] == first["rotation"] for k in keyframes)
    return None if is_static else keyframes


def add_collider(context, description, obj, number, folder, frames, frame_time):
    """Adds a mesh collider to the scene; returns its number of points."""
    from mathutils import Matrix
    keyframes = keyframes_of(context, obj, frames, frame_time)
    evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())
    matrix = evaluated.matrix_world
    if keyframes is not None:
        matrix = Matrix.Diagonal(matrix.to_scale()).to_4x4()
    mesh = evaluated.to_mesh()
    try:
        triangulated = Triangulated(mesh, matrix)
    finally:
        evaluated.to_mesh_clear()
    if triangulated.particle_count == 0:
        raise SimulationError(f"{obj.name}: has no faces to collide with; deselect it")
    triangulated.write(os.path.join(folder, f"collider_{number}.obj"))
    collider = {"type": "mesh", "name": f"{number} {obj.name}", "file": f"collider_{number}.obj"}
    if keyframes is not None:
        collider["keyframes"] = keyframes
    description["colliders"].append(collider)
    return triangulated.particle_count


def write_scene(context, obj, colliders, folder):
    """Writes folder/scene.json and its meshes; returns the mesh, the number of points of its exports, and of frames."""
    settings, scene = obj.msd, context.scene
    frames = scene.frame_end - scene.frame_start
    if frames < 1:
        raise SimulationError("the scene has one frame; set its end after its start")
    frame_time = scene.render.fps_base / scene.render.fps
    triangulated = Triangulated(obj.data, obj.matrix_world)
    if triangulated.particle_count == 0:
        raise SimulationError(f"{obj.name}: has no faces to simulate")
    triangulated.write(os.path.join(folder, "mesh.obj"))
    body = {"type": "mesh", "name": obj.name, "file": "mesh.obj", "material": material_of(settings)}
    if settings.pin_group:
        body["pinned"] = pinned_particles(obj, settings.pin_group, triangulated)
    gravity = list(scene.gravity) if scene.use_gravity else [0, 0, 0]
    description = {"msd": 1, "title": "From Blender", "gravity": gravity, "frame_time": frame_time,
                   "duration": frames * frame_time, "substeps": settings.substeps or "auto", "bodies": [body],
                   "colliders": [], "contact": {"thickness": settings.thickness, "friction": settings.friction,
                                                "self_collision": settings.self_collision}}
    points = triangulated.particle_count
    for number, collider in enumerate(colliders):
        points += add_collider(context, description, collider, number, folder, frames, frame_time)
    if settings.has_floor:
        description["colliders"].append({"type": "plane", "name": "floor", "position": [0, 0, settings.floor],
                                         "normal": [0, 0, 1]})
    with open(os.path.join(folder, "scene.json"), "w", encoding="utf-8") as file:
        json.dump(description, file, indent=1)
    return triangulated, points, frames
