"""Runs msd as a separate process, and shows the result on the object."""
import os
import signal
import subprocess

import bpy

from . import cache
from .meshes import SimulationError
from .scene import write_scene
from .settings import find_command

MODIFIER = "msd"


def word_of(name):
    """Returns a portable file name."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name) or "object"


def folder_of(obj):
    """Returns the folder for the files of an object, and creates it if necessary."""
    chosen = obj.msd.folder
    if chosen.startswith("//") and not bpy.data.is_saved:
        chosen = os.path.join(bpy.app.tempdir, "msd_cache")
    folder = os.path.join(os.path.abspath(bpy.path.abspath(chosen)), word_of(obj.name))
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise SimulationError(f"{folder}: cannot be created: {error.strerror}") from error
    return folder


def applied_copy(context, obj):
    """Creates an object from the mesh with its modifiers applied. It replaces the original, which is hidden."""
    evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())
    mesh = bpy.data.meshes.new_from_object(evaluated, preserve_all_data_layers=True,
                                           depsgraph=context.evaluated_depsgraph_get())
    copy = obj.copy()
    copy.name, copy.data = f"{obj.name} simulated", mesh
    copy.modifiers.clear()
    copy.msd.apply_modifiers = False
    (obj.users_collection or (context.scene.collection,))[0].objects.link(copy)
    return copy


class Simulation:
    """A simulation of one object. Ends by finish or by discard."""

    def __init__(self, context, obj, colliders):
        if obj is None or obj.type != "MESH":
            raise SimulationError("the active object must be a mesh")
        if obj.mode != "OBJECT":
            raise SimulationError("leave edit mode first")
        command = find_command(context)
        self.source, self.process, self.log = obj, None, None
        self.obj = applied_copy(context, obj) if obj.msd.apply_modifiers else obj
        self.is_copy = self.obj is not obj
        try:
            self.folder = folder_of(self.obj)
            self.mesh, self.points, self.frames = write_scene(context, self.obj, colliders, self.folder)
            self.log = open(os.path.join(self.folder, "msd.log"), "w+", encoding="utf-8", errors="replace")
            self.process = subprocess.Popen(
                [command, "run", "scene.json", "--export", ".", "--format", "pc2"], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        except OSError as error:
            self.discard()
            raise SimulationError(f"{error.filename}: {error.strerror}") from error
        except SimulationError:
            self.discard()
            raise

    def fraction_done(self):
        part = os.path.join(self.folder, "scene.pc2.part")
        return min(1.0, cache.samples_written(part, self.points) / (self.frames + 1))

    def is_running(self):
        return self.process.poll() is None

    def stop(self):
        """Stops msd, which keeps the frames so far."""
        self.process.send_signal(signal.SIGINT)

    def _end_process(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.log is not None:
            self.log.close()

    def discard(self):
        """Ends the process, and restores the Blender file."""
        self._end_process()
        if self.is_copy:
            mesh = self.obj.data
            bpy.data.objects.remove(self.obj)
            bpy.data.meshes.remove(mesh)

    def _last_words(self):
        self.log.seek(0)
        lines = [line.strip() for line in self.log.read().splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("msd ")]
        return (errors or lines or ["no message"])[-1]

    def finish(self, context):
        """Waits for the end, and shows the cache on the object. Returns the number of frames."""
        status = self.process.wait()
        words = self._last_words()
        if status not in (0, 130):
            self.discard()
            raise SimulationError(words)
        self._end_process()
        try:
            frames = cache.read(os.path.join(self.folder, "scene.pc2"))
            if frames.shape[1] != self.points:
                raise SimulationError(f"{self.obj.name}: msd has written {frames.shape[1]} of {self.points} points: some "
                                      "faces are too thin; merge their vertices")
            path = os.path.join(self.folder, word_of(self.obj.name) + ".pc2")
            own = frames[:, :self.mesh.particle_count]
            samples = cache.write(path, map(self.mesh.vertices_of, own), self.mesh.vertex_count)
        except SimulationError:
            self.discard()
            raise
        except OSError as error:
            self.discard()
            raise SimulationError(f"{error.filename}: {error.strerror}") from error
        show(context, self.obj, path)
        if self.is_copy:
            self.source.hide_set(True)
            self.source.hide_render = True
        return samples


def show(context, obj, path):
    """Adds the modifier Mesh Cache, before all other modifiers."""
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is None or modifier.type != "MESH_CACHE":
        modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
    # Moved to its place while hidden. Showing it again reads a changed file.
    modifier.show_viewport = False
    modifier.cache_format = "PC2"
    modifier.filepath = path
    modifier.interpolation = "LINEAR"
    modifier.deform_mode = "OVERWRITE"
    modifier.play_mode, modifier.time_mode = "SCENE", "FRAME"
    modifier.frame_start, modifier.frame_scale = context.scene.frame_start, 1
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    with context.temp_override(object=obj, active_object=obj):
        bpy.ops.object.modifier_move_to_index(modifier=modifier.name, index=0)
    modifier.show_viewport = True
    obj.data.update_tag()
