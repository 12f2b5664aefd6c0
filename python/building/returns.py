"""What the functions and properties of the package return, where neither their signatures nor the headers say
it."""

ARRAY = "NDArray[Any]"

# By name, or by class and name where two differ.
RETURNS = {
    "__init__": "None", "__len__": "int", "__repr__": "str", "__bool__": "bool", "__enter__": "World",
    "__exit__": "None", "copy": "World", "from_snapshot": "World", "step": "None", "save": "bytes",
    "save_state": "bytes", "hash": "int", "time": "float", "steps": "int", "message": "str",
    "integrator": "str", "limit": "str", "energy": "str", "mass_scaling": "str",
    "solver": "str", "air_drag": "float",
    "thread_count": "int", "impulse_iterations": "int", "impulse_warm_start": "bool",
    "contact": "ContactDef", "wind": "WindDef", "sleep": "SleepDef",
    "asleep": "NDArray[np.bool_]", "wake": "None", "counts": "Stats",
    "stats": "Stats", "energy_account": "EnergyAccount",
    "stability": "Stability", "explain_stability": "StabilityExplanation", "softening": "Softening",
    "softening_steps": f"tuple[{ARRAY}, {ARRAY}]", "find_substeps": "int",
    "find_stable_step": "float", "this_shape": "float",
    "shift_mass": "MassShift", "estimate_stretch": "StaticStretch", "plan_stretch": "StretchPlan",
    "pieces": "Pieces", "first_pinched": "Tangle | None", "compact": "Moves", "relax": "RestReport",
    "callbacks": "dict[str, Callable[..., Any]]", "live_count": "int", "origin": "int",
    "destroyed": "NDArray[np.bool_]", "pinned": "NDArray[np.bool_]", "position_view": "View",
    "velocity_view": "View",
    "springs": "Springs", "constraints": "Constraints", "anchors": "Anchors", "rotors": "Rotors",
    "angular_springs": "AngularSprings", "colliders": "Colliders", "surfaces": "Surfaces",
    "add_rope": "Body", "add_cloth": "Body", "add_mesh": "Body", "add_block": "Body", "add_tetmesh": "Body",
    "add_tethers": "range", "add_particles": "range", "add_springs": "range", "add_constraints": "range",
    "add_anchors": "range", "add_rotors": "range", "add_angular_springs": "range", "add_collider": "int",
    "add_surface": "int", "stiffen": "range", "limit_stretch": "range", "index": "int", "ignores": "bool",
    "of": "int | None", "wear": "WearDef", "particle": "int", "skin": f"tuple[{ARRAY}, NDArray[np.int32]]",
    "skins": f"dict[str, tuple[{ARRAY}, NDArray[np.int32]]]", "choose_substeps": "int",
    "describe_particle": "str",
    "describe_spring": "str", "load_scene": "Scene", "run": "Run", "stability_map": "StabilityMap",
    "list_scenes": "dict[str, str]", "material_names": "list[str]", "material": "dict[str, Any]",
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

# Numbers of all items, (n,) or (n, 3).
RETURNS.update(dict.fromkeys((
    "positions", "velocities", "forces", "masses", "gravity", "read", "normals", "tangents", "needed_masses",
    "made_energy", "law_limits", "contacts", "surface_contacts", "tangles", "wind_velocity", "length",
    "stretch",
    "tension", "damping", "value", "force", "angle", "angular_velocity", "torque", "rest_length", "set_",
    "fibre_weights", "predict", "frequencies", "power", "rotation_vector", "rotation_from_vector",
    "spring_curve"),
    ARRAY))
RETURNS.update(dict.fromkeys(("broken", "torn", "exact"), "NDArray[np.bool_]"))
RETURNS.update(dict.fromkeys(("ends", "lines", "triangles", "segments", "find_intersections"),
                             "NDArray[np.int32]"))
RETURNS.update(dict.fromkeys(("x", "v", "middle_x", "middle_v", "line", "goal", "time_left", "halflife",
                              "apprehension", "speed", "offset_x", "offset_v", "position", "velocity",
                              "acceleration"), "float"))

# What changes something, and answers with nothing.
NOTHING = ("set_", "apply_", "pin", "unpin", "move_to", "destroy", "restore", "break_", "close", "ignore",
           "write",
           "scale_stiffness")

# What matplotlib and the arrays of a user make of it cannot be said.
ANY = {"plot", "film", "DampedSpring.update", "DampedSpring.track", "DampedSpring.decay", "DampedSpring.hold"}

# The definition of one item.
ITEMS = {"Springs": "SpringDef", "Constraints": "ConstraintDef", "Anchors": "AnchorDef", "Rotors": "RotorDef",
         "AngularSprings": "AngularSpringDef", "Colliders": "ColliderDef", "Surfaces": "SurfaceDef"}


def returned(name, owner="", is_property=False):
    """What a function, or a member of a class, returns."""
    full = f"{owner}.{name}"
    if full in ANY or name in ANY:
        return "Any"
    if full in RETURNS:
        return RETURNS[full]
    if name == "__getitem__" and owner in ITEMS:
        return ITEMS[owner]
    if not is_property and name.startswith(NOTHING) and name not in ("ignores",):
        return "None"
    return RETURNS.get(name, "Any")
