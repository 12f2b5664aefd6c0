"""Return types of functions and properties that neither their signatures nor the headers state."""

ARRAY = "NDArray[Any]"

# By name, or by class and name if two differ.
RETURNS = {
    "__init__": "None", "__len__": "int", "__repr__": "str", "__bool__": "bool", "__enter__": "World",
    "__exit__": "None", "check": "None", "copy": "World", "from_snapshot": "World", "step": "None",
    "save": "bytes",
    "save_state": "bytes", "hash": "int", "time": "float", "steps": "int", "message": "str",
    "integrator": "str", "clamp_stiffness": "bool", "energy_mode": "str", "mass_scaling": "str",
    "solver": "str", "linear_damping": "float",
    "thread_count": "int", "record": "int", "impulse_iterations": "int", "impulse_warm_start": "bool",
    "contact": "ContactSettings", "wind": "WindDef", "sleep": "SleepDef",
    "asleep": "NDArray[np.bool_]", "wake": "None", "counts": "Stats",
    "stats": "Stats", "energy_account": "EnergyAccount", "solver_residual": "SolverResidual",
    "stability": "Stability", "explain_stability": "StabilityExplanation", "softening": "Softening",
    "softening_steps": f"tuple[{ARRAY}, {ARRAY}]", "find_substeps": "int",
    "find_stable_substep": "float", "current_limit": "float",
    "redistribute_mass": "MassRedistribution", "estimate_stretch": "StaticStretch",
    "plan_stretch": "StretchPlan",
    "components": "Components", "first_forced_intersection": "Penetration | None", "compact": "Moves",
    "find_equilibrium": "EquilibriumReport", "find_cut": "tuple[NDArray[np.bool_], NDArray[np.bool_]]",
    "callbacks": "dict[str, Callable[..., Any]]", "live_count": "int", "origin": "int",
    "destroyed": "NDArray[np.bool_]", "pinned": "NDArray[np.bool_]", "position_view": "View",
    "velocity_view": "View",
    "springs": "Springs", "constraints": "Constraints", "soft_pins": "SoftPins", "rotors": "Rotors",
    "torsion_springs": "TorsionSprings", "colliders": "Colliders", "collision_meshes": "CollisionMeshes",
    "add_rope": "Body", "add_cloth": "Body", "add_mesh": "Body", "add_block": "Body", "add_tetmesh": "Body",
    "add_tethers": "range", "add_particles": "range", "add_springs": "range", "add_constraints": "range",
    "add_soft_pins": "range", "add_rotors": "range", "add_torsion_springs": "range", "add_collider": "int",
    "add_collision_mesh": "int", "stiffen": "range", "limit_stretch": "range", "index": "int",
    "excludes": "bool",
    "of": "int | None", "damage": "DamageDef", "particle": "int",
    "render_mesh": f"tuple[{ARRAY}, NDArray[np.int32]]",
    "render_meshes": f"dict[str, tuple[{ARRAY}, NDArray[np.int32]]]", "choose_substeps": "int",
    "describe_particle": "str",
    "describe_spring": "str", "load_scene": "Scene", "run": "Run", "stability_map": "StabilityMap",
    "list_scenes": "dict[str, str]", "material_names": "list[str]", "material": "dict[str, Any]",
    "material_origin": "dict[str, Any]",
    "describe": "str",
    "Scene.step": "None", "step_worlds": "None", "stable": "NDArray[np.bool_]", "play": "Any",
    "StabilityMap.limit": "float", "Error.result": "Result",
    # msd.damped
    "DampedSpring.update": "Any", "stiffness": ARRAY, "DampedSpring.stiffness": "DampedSpring",
    "frequency": "DampedSpring", "ratio": "DampedSpring", "duration": "DampedSpring",
    "critical": "DampedSpring",
    "coefficients": "_Coefficients", "update_angle": "tuple[float, float]",
    "update_rotation": f"tuple[{ARRAY}, {ARRAY}]", "update_rotation_vector": f"tuple[{ARRAY}, {ARRAY}]",
    "transition": "None", "Inertializer.update": "tuple[float, float]", "update": "float", "feed": "None",
    "peak": "float", "polyline": "tuple[float, float]",
}

# Numbers of all objects, (n,) or (n, 3).
RETURNS.update(dict.fromkeys((
    "positions", "velocities", "forces", "masses", "gravity", "read", "normals", "tangents", "required_masses",
    "spring_energy_gain", "stiffness_limits", "collider_contacts", "mesh_contacts", "penetrations",
    "cast_rays", "find_nearest", "find_overlaps",
    "wind_velocity", "length", "stretch", "pin_reactions", "soft_pin_reactions", "collider_reactions",
    "constraint_reactions",
    "tension", "damping", "value", "force", "angle", "angular_velocity", "torque", "rest_length",
    "plastic_strain", "fiber_weights", "predict", "frequencies", "power", "rotation_vector",
    "rotation_from_vector", "spring_curve"),
    ARRAY))
RETURNS.update(dict.fromkeys(("broken", "torn", "exact"), "NDArray[np.bool_]"))
RETURNS.update(dict.fromkeys(("ends", "lines", "triangles", "segments", "find_intersections"),
                             "NDArray[np.int32]"))
RETURNS.update(dict.fromkeys(("x", "v", "middle_x", "middle_v", "line", "goal", "time_left", "halflife",
                              "apprehension", "speed", "offset_x", "offset_v", "position", "velocity",
                              "acceleration"), "float"))

# Functions that return nothing.
NOTHING = ("set_", "apply_", "pin", "unpin", "move_to", "move_along", "destroy", "restore", "break_", "close",
           "exclude", "write",
           "scale_stiffness")

# Results of matplotlib, and of arrays of any shape.
ANY = {"plot", "film", "DampedSpring.update", "DampedSpring.track", "DampedSpring.decay", "DampedSpring.hold"}

# The definition of one object.
ITEMS = {"Springs": "SpringDef", "Constraints": "ConstraintDef", "SoftPins": "SoftPinDef",
         "Rotors": "RotorDef", "TorsionSprings": "TorsionSpringDef", "Colliders": "ColliderDef",
         "CollisionMeshes": "CollisionMeshDef"}


def returned(name, owner="", is_property=False):
    """Returns the type that a function, or a member of a class, returns."""
    full = f"{owner}.{name}"
    if full in ANY or name in ANY:
        return "Any"
    if full in RETURNS:
        return RETURNS[full]
    if name == "__getitem__" and owner in ITEMS:
        return ITEMS[owner]
    if not is_property and name.startswith(NOTHING) and name not in ("excludes",):
        return "None"
    return RETURNS.get(name, "Any")
