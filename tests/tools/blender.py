"""The add-on in Blender itself, without a window: what msd exports is what Blender shows.

usage: MSD=COMMAND blender --background --factory-startup --python-exit-code 1 --python blender.py
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import addon_utils
import bpy
import numpy

WORK = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(WORK.name)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "blender"))
import msd_simulation  # noqa: E402

FRAMES = 13
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print("failed:", what)


def empty_scene():
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 5, 5 + FRAMES - 1
    scene.render.fps, scene.render.fps_base = 24, 1


def add_grid(name, place=(0.1, -0.2, 1), turn=(0.2, 0.1, 0.3), scale=(1, 0.8, 1), cells=8):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=1, location=place, rotation=turn)
    grid = bpy.context.active_object
    grid.name, grid.scale = name, scale
    grid.msd.folder = str(FOLDER)
    bpy.context.view_layer.update()
    return grid


def pin_edge(grid):
    group = grid.vertex_groups.new(name="pins")
    edge = [v.index for v in grid.data.vertices if v.co.y > 0.49]
    others = [v.index for v in grid.data.vertices if v.co.y <= 0.49]
    group.add(edge, 0.9, "REPLACE")
    group.add(others, 0.4, "REPLACE")
    grid.msd.pin_group = "pins"
    return edge


def shown(obj, frame):
    """The vertices in the world as Blender shows them."""
    scene = bpy.context.scene
    scene.frame_set(scene.frame_start + frame)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    local = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
    mesh.vertices.foreach_get("co", local)
    evaluated.to_mesh_clear()
    matrix = numpy.array(obj.matrix_world)
    return local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def read_trace(path):
    rows = [[float(x) for x in row] for row in list(csv.reader(open(path)))[1:]]
    count = 1 + int(max(row[1] for row in rows))
    return numpy.array(rows).reshape(-1, count, 8)[:, :, 2:5]


def traced(obj):
    """The same run by hand, as msd itself tells of it."""
    folder = pathlib.Path(msd_simulation.simulation.folder_of(obj))
    subprocess.run([os.environ["MSD"], "run", "scene.json", "--trace", "by_hand.csv"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    return read_trace(folder / "by_hand.csv")


def simulate(obj, *others):
    bpy.ops.object.select_all(action="DESELECT")
    for other in (obj, *others):
        other.select_set(True)
    bpy.context.view_layer.objects.active = obj
    return bpy.ops.msd.simulate()


def refusal(obj, *others):
    """The message of an operator that gives up."""
    try:
        simulate(obj, *others)
    except RuntimeError as error:
        return str(error)
    return ""


def check_round_trip():
    empty_scene()
    grid = add_grid("flag")
    edge = pin_edge(grid)
    start = shown(grid, 0)
    expect(simulate(grid) == {"FINISHED"}, "a grid is simulated")
    x = traced(grid)
    expect(len(x) == FRAMES and x.shape[1] == len(grid.data.vertices), f"frames and vertices: {x.shape}")
    worst = max(numpy.abs(shown(grid, frame) - x[frame]).max() for frame in range(FRAMES))
    print(f"round trip of {FRAMES} frames: within {worst:.2g} m")
    expect(worst <= 1e-6, f"round trip: {worst}")
    moved = numpy.abs(shown(grid, FRAMES - 1) - start).max(axis=1)
    expect(moved[edge].max() <= 1e-6, f"pins moved by {moved[edge].max()}")
    free = numpy.delete(moved, edge)
    expect(free.min() > 0 and free.max() > 0.05, f"the others moved by {free.min()} to {free.max()}")
    bpy.ops.msd.clear()
    expect(numpy.abs(shown(grid, FRAMES - 1) - start).max() <= 1e-6, "clear puts it back")


def check_odd_mesh():
    """Vertices at one position move as one, those of no face stay."""
    empty_scene()
    grid = add_grid("odd", cells=3)
    mesh = bpy.data.meshes.new("odd")
    vertices = [tuple(v.co) for v in grid.data.vertices]
    faces = [tuple(p.vertices) for p in grid.data.polygons]
    # The last face has corners of its own, at the places of the others; and there is a vertex of no face.
    doubled = len(vertices)
    faces[-1] = tuple(range(doubled, doubled + 4))
    vertices += [vertices[v] for v in grid.data.polygons[len(faces) - 1].vertices] + [(2, 2, 2)]
    mesh.from_pydata(vertices, [], faces)
    originals = list(grid.data.polygons[len(faces) - 1].vertices)
    grid.data = mesh
    start = shown(grid, 0)
    expect(simulate(grid) == {"FINISHED"}, "an odd mesh is simulated")
    end = shown(grid, FRAMES - 1)
    for n, original in enumerate(originals):
        expect((end[doubled + n] == end[original]).all(), f"vertex {doubled + n} stays with {original}")
    expect(numpy.abs(end[-1] - start[-1]).max() == 0, "a vertex of no face stays")
    # It falls as a stone does.
    time = (FRAMES - 1) / 24
    expect(abs((end - start)[0, 2] + 9.81 * time * time / 2) < 0.02, f"it fell by {(end - start)[0, 2]}")


def check_modifiers():
    empty_scene()
    grid = add_grid("smooth", cells=4)
    grid.modifiers.new("more", "SUBSURF").levels = 1
    grid.msd.apply_modifiers = True
    simulate(grid)
    copy = bpy.data.objects["smooth simulated"]
    expect(len(copy.data.vertices) == 81 and grid.hide_get(), f"applied: {len(copy.data.vertices)} vertices")
    expect(numpy.abs(shown(copy, 6) - traced(copy)[6]).max() <= 1e-6, "the applied mesh is simulated")
    grid.hide_set(False)
    grid.msd.apply_modifiers = False
    simulate(grid)
    expect([m.type for m in grid.modifiers] == ["MESH_CACHE", "SUBSURF"], "modifiers follow the cache")
    expect(len(shown(grid, 3)) == 81, "and are not applied")


def check_colliders():
    """A ball that stands, and a slab that rises: nothing comes through."""
    empty_scene()
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(0, 0, 0.5), segments=16, ring_count=10)
    ball = bpy.context.active_object
    grid = add_grid("sheet", place=(0, 0, 0.85), turn=(0, 0, 0), cells=14)
    grid.msd.thickness = 0.01
    simulate(grid, ball)
    distance = numpy.linalg.norm(shown(grid, FRAMES - 1) - [0, 0, 0.5], axis=1)
    expect(0.28 < distance.min() < 0.34, f"the ball: {distance.min()}")
    bpy.data.objects.remove(ball)
    bpy.ops.mesh.primitive_plane_add(size=4, location=(0, 0, 0.5))
    slab, scene = bpy.context.active_object, bpy.context.scene
    slab.keyframe_insert("location", frame=scene.frame_start)
    slab.location.z = 0.9
    slab.keyframe_insert("location", frame=scene.frame_end)
    simulate(grid, slab)
    low = shown(grid, FRAMES - 1)[:, 2].min()
    expect(0.9 < low < 0.95, f"the rising slab: {low}")
    slab.keyframe_insert("scale", frame=scene.frame_start)
    slab.scale.x = 2
    slab.keyframe_insert("scale", frame=scene.frame_end)
    expect("scale" in refusal(grid, slab), "a collider that grows is refused")
    bpy.data.objects.remove(slab)
    grid.msd.has_floor, grid.msd.floor = True, 0.6
    simulate(grid)
    low = shown(grid, FRAMES - 1)[:, 2].min()
    expect(0.6 < low < 0.62, f"the floor: {low}")


def check_glb():
    """An animation that msd exports moves in Blender as the trace says."""
    empty_scene()
    bpy.context.scene.frame_start = 0
    body = {"type": "cloth", "name": "net", "columns": 5, "rows": 4, "pinned": ["top"],
            "stretch": {"stiffness": 100, "damping": 0.1}}
    rope = {"type": "rope", "name": "line", "from": [2, 0, 0], "to": [3, 0, 0], "particles": 6, "pinned": ["first"],
            "stretch": {"stiffness": 100, "damping": 0.1}}
    folder = FOLDER / "glb"
    folder.mkdir()
    (folder / "two.json").write_text(json.dumps({"msd": 1, "frame_time": 1 / 24, "substeps": 40, "duration": 12 / 24,
                                                 "bodies": [body, rope]}))
    subprocess.run([os.environ["MSD"], "run", "two.json", "--export", ".", "--format", "glb", "--trace", "t.csv"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    x = read_trace(folder / "t.csv")
    # The reader of Blender 3.4 speaks to a numpy that had these names.
    numpy.bool, numpy.object = bool, object
    addon_utils.enable("io_scene_gltf2")
    bpy.ops.import_scene.gltf(filepath=str(folder / "two.glb"))
    for name, at in (("net", range(20)), ("line", range(20, 26))):
        obj = bpy.data.objects[name]
        expect((len(obj.data.polygons), len(obj.data.edges)) == ((24, 43) if name == "net" else (0, 5)),
               f"{name} has {len(obj.data.polygons)} faces and {len(obj.data.edges)} edges")
        for frame in range(FRAMES):
            # Blender has z upwards.
            wanted = x[frame][at][:, [0, 2, 1]] * [1, -1, 1]
            found = shown(obj, frame)
            apart = numpy.abs(found[:, None] - wanted).max(axis=2).min(axis=0).max()
            expect(len(found) == len(wanted) and apart < 1e-5, f"{name} in frame {frame} of a GLB: {apart}")


def check_stop():
    """What was simulated before it is stopped stays."""
    empty_scene()
    grid = add_grid("stopped", cells=30)
    pin_edge(grid)
    bpy.context.scene.frame_end = 100000
    context = bpy.context
    simulation = msd_simulation.simulation.Simulation(context, grid, [])
    while simulation.is_running() and simulation.fraction_done() * 100000 < 3:
        pass
    expect(simulation.is_running(), "it is stopped while it runs")
    simulation.stop()
    samples = simulation.finish(context)
    expect(3 <= samples < 100000, f"{samples} frames stay")
    expect(numpy.abs(shown(grid, 2) - traced_pc2(grid)[2]).max() <= 1e-6, "and are shown")


def traced_pc2(obj):
    """By a reader of its own."""
    data = (pathlib.Path(msd_simulation.simulation.folder_of(obj)) / "scene.pc2").read_bytes()
    points, samples = numpy.frombuffer(data[16:20], "<i4")[0], numpy.frombuffer(data[28:32], "<i4")[0]
    return numpy.frombuffer(data[32:], "<f4").reshape(samples, points, 3)


def check_refusals():
    empty_scene()
    grid = add_grid("refused")
    grid.msd.pin_group = "nothing"
    expect("vertex group 'nothing'" in refusal(grid), "a group that is not there")
    grid.vertex_groups.new(name="nothing")
    expect("0.5" in refusal(grid), "a group without weight")
    grid.msd.pin_group = ""
    blocked = FOLDER / "a file"
    blocked.write_text("")
    grid.msd.folder = str(blocked)
    expect("cannot be created" in refusal(grid), "a folder that cannot be")
    grid.msd.folder = str(FOLDER)
    command = os.environ["MSD"]
    os.environ["MSD"] = "/no/such/msd"
    expect("/no/such/msd" in refusal(grid), "a command that is not there")
    os.environ["MSD"] = "false"
    before = len(bpy.data.objects), len(bpy.data.meshes)
    grid.msd.apply_modifiers = True
    expect("no message" in refusal(grid), "a command that fails")
    expect(before == (len(bpy.data.objects), len(bpy.data.meshes)), "nothing is left behind")
    os.environ["MSD"] = command
    expect(not grid.modifiers, "a run that failed changes nothing")


msd_simulation.register()
for check in (check_round_trip, check_odd_mesh, check_modifiers, check_colliders, check_glb, check_stop,
              check_refusals):
    check()
msd_simulation.unregister()
WORK.cleanup()
print("\n".join(failures) or f"Blender {bpy.app.version_string}: all is shown as msd has it")
sys.exit(1 if failures else 0)
