"""The operators, and the panel with their buttons."""
import bpy

from .meshes import SimulationError
from .simulation import MODIFIER, Simulation


class MSD_OT_simulate(bpy.types.Operator):
    """Simulate the active mesh as cloth. Other selected meshes are colliders"""
    bl_idname = "msd.simulate"
    bl_label = "Simulate"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.active_object is not None and context.active_object.type == "MESH"

    def begin(self, context):
        obj = context.active_object
        colliders = [o for o in context.selected_objects if o is not obj and o.type == "MESH"]
        self.simulation = Simulation(context, obj, colliders)

    def end(self, context, stopped=False):
        try:
            samples = self.simulation.finish(context)
        except SimulationError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{'Stopped' if stopped else 'Simulated'}: {samples} frames")
        return {"FINISHED"}

    def execute(self, context):
        """Runs without a window, until the simulation is done."""
        try:
            self.begin(context)
        except SimulationError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self.end(context)

    def invoke(self, context, _event):
        try:
            self.begin(context)
        except SimulationError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.stopped = False
        self.timer = context.window_manager.event_timer_add(0.2, window=context.window)
        context.window_manager.progress_begin(0, 100)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and not self.stopped and self.simulation.is_running():
            self.stopped = True
            self.simulation.stop()
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        if self.simulation.is_running():
            percent = 100 * self.simulation.fraction_done()
            context.window_manager.progress_update(percent)
            context.workspace.status_text_set(f"msd: {percent:.0f} %   Esc: stop")
            return {"RUNNING_MODAL"}
        self.close(context)
        return self.end(context, self.stopped)

    def close(self, context):
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def cancel(self, context):
        """Called when Blender ends the operator, for example to open a file."""
        self.close(context)
        self.simulation.discard()


class MSD_OT_clear(bpy.types.Operator):
    """Remove the simulation from the active object. Its files remain"""
    bl_idname = "msd.clear"
    bl_label = "Clear"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.active_object is not None and MODIFIER in context.active_object.modifiers

    def execute(self, context):
        obj = context.active_object
        obj.modifiers.remove(obj.modifiers[MODIFIER])
        return {"FINISHED"}


class MSD_PT_panel(bpy.types.Panel):
    bl_label = "msd"
    bl_idname = "MSD_PT_panel"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context):
        obj, layout = context.object, self.layout
        settings = obj.msd
        layout.use_property_split = True
        layout.prop_search(settings, "pin_group", obj, "vertex_groups")
        layout.prop(settings, "material")
        if settings.material == "CUSTOM":
            for name in ("area_density", "stretch_modulus", "bend_rigidity", "damping_ratio"):
                layout.prop(settings, name)
        for name in ("stretch_under_weight", "self_collision", "thickness", "friction", "has_floor"):
            layout.prop(settings, name)
        if settings.has_floor:
            layout.prop(settings, "floor")
        for name in ("apply_modifiers", "substeps", "folder"):
            layout.prop(settings, name)
        row = layout.row()
        row.operator(MSD_OT_simulate.bl_idname)
        row.operator(MSD_OT_clear.bl_idname)


CLASSES = (MSD_OT_simulate, MSD_OT_clear, MSD_PT_panel)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
