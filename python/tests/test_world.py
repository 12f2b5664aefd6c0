"""Worlds: what is added, read, written, refused, saved."""

import copy
import pickle

import msd
import numpy as np
import pytest


def cloth(columns=6, rows=4, **settings):
    world = msd.World(**settings)
    body = world.add_cloth(columns, rows, u=(1, 0, 0), v=(0, -0.6, 0), mass=0.2,
                           stretch={"stiffness": 50, "damping": 0.05})
    body.pin((0, 0), (0, -1))
    return world, body


# --------------------------------------------------------------------------------------------------- settings


def test_a_world_has_the_settings_that_it_is_given():
    world = msd.World(gravity=(1, 2, 3), linear_damping=0.25, integrator="rk4", clamp_stiffness=False,
                      energy_mode="off", impulse_iterations=3, impulse_warm_start=True,
                      thread_count=1, simd="scalar",
                      memory_limit=1 << 20)
    assert world.gravity.tolist() == [1, 2, 3] and world.linear_damping == 0.25 and world.integrator == "rk4"
    assert world.impulse_iterations == 3 and world.impulse_warm_start is True and world.thread_count == 1
    world.integrator, world.gravity, world.clamp_stiffness = msd.Integrator.SYMPLECTIC_EULER, (0, 0, 0), True
    assert world.integrator == "symplectic_euler" and world.clamp_stiffness is True and not world.gravity.any()
    world.energy_mode, world.linear_damping = "monitor", 0
    world.impulse_iterations, world.impulse_warm_start = 1, False
    assert world.energy_mode == "monitor" and world.linear_damping == 0
    world.set_simd("128")
    with pytest.raises(msd.OutOfMemory):
        world.add_particles(1 << 20)


def test_every_field_of_the_definition_is_a_keyword_with_the_words_of_the_header():
    import inspect

    names = set(inspect.signature(msd.World.__init__).parameters) - {"self"}
    fields = {name for name, _ in msd.ffi.typeof("msd_world_def").fields}
    assert names == fields - {"cookie", "allocator", "log", "log_context", "tasks"}
    assert "velocities decay by exp(-linear_damping t)" in msd.World.__init__.__doc__
    assert "kg of the whole rope" in msd.World.add_rope.__doc__


# -------------------------------------------------------------------------------------------------- particles


def test_positions_are_n_by_3_and_come_back_as_they_were_written():
    world = msd.World()
    assert world.positions.shape == (0, 3) and world.masses.shape == (0,)
    wanted = np.random.default_rng(1).uniform(-5, 5, (100, 3)).astype(msd.real)
    assert world.add_particles(position=wanted, mass=np.linspace(1, 2, 100)) == range(0, 100)
    assert world.positions.dtype == msd.real and np.array_equal(world.positions, wanted)
    world.positions = wanted[::-1]
    assert np.array_equal(world.positions, wanted[::-1])
    world.set_positions((1, 2, 3), range(10, 20))
    assert np.array_equal(world.positions[10:20], np.tile([1, 2, 3], (10, 1)))
    world.velocities = wanted
    assert np.array_equal(world.velocities, wanted)
    world.masses = 3
    assert (world.masses == 3).all()
    world.pinned = np.arange(100) % 2 == 0
    assert world.stats.pinned == 50
    world.unpin([0, 2]), world.pin(1), world.pin(slice(3, 6))
    assert world.pinned[:7].tolist() == [False, True, False, True, True, True, True]


def test_what_is_read_goes_into_arrays_of_any_strides_without_another_copy():
    world, _ = cloth()
    buffer = np.full((len(world), 8), 7.0, np.float32)
    out = world.read("position", out=buffer[:, 2:5])
    assert out.base is not None and np.array_equal(buffer[:, 2:5], world.positions.astype(np.float32))
    assert (buffer[:, :2] == 7).all() and (buffer[:, 5:] == 7).all()
    columns = np.empty((3, len(world)), np.float64)
    assert np.array_equal(world.read("position", out=columns.T), world.positions)
    assert world.read("position", [3, 3, 1]).tolist() == world.positions[[3, 3, 1]].tolist()
    assert world.read("mass", world.pinned).shape == (2,)


def test_negative_indices_count_from_the_end_and_nothing_is_an_empty_list():
    world, body = cloth()
    at = world.positions
    for given in (-1, [-1], range(-1, 0), slice(-1, None), np.array([-1], np.int8)):
        assert np.array_equal(world.read("position", given), at[-1:])
    assert np.array_equal(world.read("position", slice(None, None, -1)), at[::-1])
    world.springs.set_law(slice(0, 2), stiffness=7)
    world.springs.set_damage(-1, tear_strain=1)
    assert world.springs.stiffness[:3].tolist() == [7, 7, 50]
    assert world.springs.damage(len(world.springs) - 1).tear_strain == 1
    before = world.save()
    assert world.read("position", []).shape == (0, 3) and len(world.add_particles(0)) == 0
    assert len(world.add_springs(np.zeros((0, 2), int))) == len(world.add_springs([])) == 0
    world.write("velocity", np.zeros((0, 3)), [])
    assert world.save() == before


def test_numbers_of_other_types_and_orders_are_converted():
    world, _ = cloth()
    wanted = np.arange(72).reshape(24, 3)
    for number in (np.int8, np.uint64, np.float16, ">f4", ">f8", np.longdouble):
        world.velocities = wanted.astype(number)
        assert np.array_equal(world.velocities, wanted)
    world.velocities = np.asfortranarray(wanted[::-1, ::-1].astype(float))
    assert np.array_equal(world.velocities, wanted[::-1, ::-1])


def test_pins_travel_in_the_course_of_a_step():
    world, body = cloth()
    world.move_to([(0, 1, 0), (1, 1, 0)], [body.particle(0, 0), body.particle(0, -1)])
    world.step(0.1, 10)
    assert body.positions[0].tolist() == [0, 1, 0] and body.positions[5].tolist() == [1, 1, 0]
    with pytest.raises(msd.BadValue):
        world.move_to((0, 0, 0), 8)
    world.move_along(body.particle(0, 0), (0, -1, 0), turn=(0, 0, np.pi))
    world.step(0.1, 10)
    assert body.positions[0].tolist() == [0, -1, 0]
    with pytest.raises(msd.BadValue):
        world.move_along(body.particle(0, 0), (0, -1, 0), turn=(0, 0, np.nan))


# --------------------------------------------------------------------------------------------------- builders


def test_materials_say_where_their_numbers_come_from():
    for name in msd.material_names():
        origin = msd.material_origin(name)
        assert origin["source"] and origin["density"] != msd.MaterialBasis.NONE, name
    assert msd.material_origin("denim")["bend"] == msd.MaterialBasis.FITTED
    with pytest.raises(msd.BadValue):
        msd.material_origin("denm")


def test_builders_make_bodies_with_ranges_and_triangles():
    world = msd.World()
    rope = world.add_rope((0, 2, 0), (2, 2, 0), 5, material="climbing_rope"
                          if "climbing_rope" in msd.material_names()
                          else {"line_density": 0.05, "stretch_modulus": 2e4})
    cloth_ = world.add_cloth(4, 3, bend={"ck": 0.1, "cd": 0.1}, shear="max_stable", stretch=None,
                             bend_kind="dihedral")
    box = world.add_block((2, 3, 1), size=(1, 1, 1), volume={"frequency": 2, "damping_ratio": 1})
    ball = world.add_mesh(np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]) + (5, 0, 0),
                          [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], pressure={"stiffness": 10},
                          area_density=0.3)
    solid = world.add_tetmesh(np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]) + (9, 0, 0),
                              [(0, 1, 2, 3)])
    assert [b.kind for b in world.bodies] == ["rope", "cloth", "block", "mesh", "tetmesh"]
    assert rope.particles == range(0, 5) and rope.lines.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert len(rope.stretch) == 4 and len(cloth_.stretch) == 0 and len(cloth_.shear) == 2 * 3 * 2
    assert cloth_.triangles.shape == (12,
                                      3) and len(cloth_.bend_constraints) > 0 and cloth_.particle(1, 2) == 5 + 6
    assert len(box) == 3 * 4 * 2 and box.particle(2, 3, 1) == box.particles[-1]
    assert box.particle(1, 0, 0) == box.particles[1]
    assert len(ball.constraints) == 1
    assert world.constraints[ball.constraints[0]].kind == msd.ConstraintKind.MESH_VOLUME
    assert len(solid.volume) == 1 and world.constraints.value[solid.volume[0]] == pytest.approx(1 / 6)
    # Five tetrahedra fill a cell; together they are the box.
    assert world.constraints.value[list(box.volume)].sum() == pytest.approx(1, rel=1e-5)
    with pytest.raises(msd.BadIndex, match="no particle of a cloth"):
        cloth_.particle(3, 0)


def test_normals_point_out_of_a_ball_and_tangents_along_u():
    world = msd.World()
    box = world.add_block((2, 2, 2), origin=(-0.5, -0.5, -0.5))
    positions = box.positions
    outside = np.unique(box.triangles)
    assert ((box.normals * positions).sum(1)[outside] > 0.3).all()
    assert np.linalg.norm(box.normals[outside], axis=1) == pytest.approx(1, abs=1e-6)
    sheet = world.add_cloth(3, 3)
    tangents = sheet.tangents(sheet.positions[:, :2])
    assert tangents[:, :3] == pytest.approx(np.tile([1, 0, 0], (9, 1)), abs=1e-6)


def test_tethers_damage_and_laws_act_on_ranges_of_springs():
    world, body = cloth()
    tethers = world.add_tethers(body, pins_each=1)
    assert len(tethers) == len(body) - 2
    assert world.springs[tethers[0]].mode == msd.SpringMode.TENSION_ONLY
    world.springs.set_law(body.stretch, stiffness=80)
    assert world.springs.stiffness[list(body.stretch)] == pytest.approx(80)
    world.springs.set_damage(body.stretch, tear_strain=0.5, yield_strain=0.2)
    assert world.springs.damage(0).tear_strain == 0.5
    assert world.springs.damage(0).yield_strain == pytest.approx(0.2)
    backing = world.springs.stiffen(body.stretch, 0.05, 4)
    caught = world.springs.limit_stretch(range(0, 3), 0.2)
    assert len(backing) == len(body.stretch) and len(caught) == 3
    world.springs.break_(3)
    assert world.springs.broken[3] and not world.springs.torn.any() and world.stats.broken >= 1
    world.springs.set_rest_length(0, 0.3)
    assert world.springs.rest_length[0] == pytest.approx(0.3)
    world.springs.set_rest_length(0, 0.25, in_next_step=True)
    world.step(1 / 60)
    assert world.springs[0].rest_length == pytest.approx(0.25)
    assert world.springs.ends.shape == (len(world.springs), 2) and len(world.springs.lines(range(0, 4))) == 3
    assert world.springs.plastic_strain.shape == world.springs.damping.shape == world.springs.length.shape


def test_constraints_soft_pins_rotors_and_what_they_tell():
    world = msd.World(gravity=(0, 0, 0))
    world.add_particles(position=[(1, 0, 0), (0, 0, 0), (0, 1, 0), (0, 0, 1)])
    made = world.add_constraints(["angle", "area"], [(0, 1, 2), (0, 1, 2)], stiffness=3)
    assert world.constraints.value == pytest.approx([np.pi / 2, 0.5])
    world.constraints.set_rest(made[0], 1.0)
    assert abs(world.constraints.tension[0]) == pytest.approx(3 * (np.pi / 2 - 1), rel=1e-5)
    weights = msd.fiber_weights([(0, 0, 0), (1, 0, 0), (0, 1, 0)], (1, 0, 0))
    assert weights.tolist() == [-1, 1, 0, 0]
    fiber = world.add_constraints("fiber", (1, 0, 2), weights=weights, stiffness=5)
    assert world.constraints.value[fiber[0]] == pytest.approx(1)
    world.constraints.set_damage(range(0, 1), yield_strain=0.5)
    assert world.constraints.damage(0).yield_strain == 0.5 and world.constraints.plastic_strain[0] == 0
    world.constraints.set_law(0, ck=0.1, cd=0.2)
    assert world.constraints[0].law == msd.SpringLaw.COEFFICIENT
    world.constraints.break_(1)
    assert world.constraints.broken.tolist() == [False, True, False]

    soft_pin = world.add_soft_pins(particle=3, position=(0, 0, 2), frequency=4)[0]
    assert world.soft_pins.of(3) == soft_pin and world.soft_pins.of(0) is None and world.soft_pins.exact.all()
    world.soft_pins.move_to(soft_pin, (0, 0, 3))
    world.step(0.01)
    assert world.soft_pins[soft_pin].position.tolist() == [0, 0, 3] and world.soft_pins.force.shape == (1, 3)
    world.soft_pins.move_along(soft_pin, (0, 0, -3), turn=(np.pi, 0, 0))
    world.step(0.01)
    assert world.soft_pins[soft_pin].position.tolist() == [0, 0, -3]
    world.soft_pins.set_def(soft_pin, particle=-1)
    assert world.soft_pins.of(3) is None

    world.add_rotors(2, inertia=[1, 2])
    twist = world.add_torsion_springs(a=[0, 1], b=[1, msd.GROUND], stiffness=7)
    world.torsion_springs.set_rest_angle(twist[0], -1.0)
    assert abs(world.torsion_springs.torque[0]) == pytest.approx(7)
    world.rotors.apply_torque(0, 1.0)
    world.rotors.set_def(1, pinned=True)
    world.step(0.01)
    assert world.rotors.angle.shape == (2,) and world.rotors.angular_velocity[1] == 0
    world.torsion_springs.break_(1)
    assert world.torsion_springs.broken.tolist() == [False, True]


def test_colliders_collision_meshes_wind_and_contacts():
    world = msd.World()
    ball = world.add_collider("sphere", radius=0.3, rotation=(0, 90, 0))
    floor = world.add_collider("plane", position=(0, -1, 0))
    sheet = world.add_cloth(9, 9, origin=(-0.4, 0.35, -0.4), u=(0.8, 0, 0), v=(0, 0, 0.8), mass=0.1,
                            stretch={"stiffness": 20, "damping": 0.05})
    assert sheet.add_collision_mesh(thickness=0.01) == 0
    assert world.collision_meshes[0].triangles.shape == sheet.triangles.shape
    world.set_contact(friction=0.6)
    assert world.contact.friction == pytest.approx(0.6) and world.contact.thickness == pytest.approx(0.005)
    world.set_wind(velocity=(0, 0, 1))
    assert world.wind_velocity((0, 0, 0)).tolist() == [0, 0, 1] and world.wind.density == pytest.approx(1.2)
    world.set_wind(density=2)
    assert world.wind.velocity.tolist() == [0, 0, 1] and world.wind.density == 2
    seen = []
    world.set_callbacks(contact_begin=lambda w, event: seen.append((event.particle, event.collider)))
    for _ in range(20):
        world.step(1 / 60, 20)
    touched = world.collider_contacts
    assert len(touched) > 0 and set(touched["collider"]) == {ball}
    assert world.stats.contacts >= touched["is_touching"].sum()
    assert {p for p, _ in seen} >= set(touched["particle"])
    away = np.linalg.norm(world.positions, axis=1)
    assert away.min() >= 0.3 + 0.005 - 1e-4
    assert world.mesh_contacts.dtype.names[-1] == "is_touching" and len(world.penetrations) == 0
    assert world.first_forced_intersection is None
    assert world.find_intersections(triangles=world.collision_meshes[0].triangles).shape == (0, 2)
    crossing = world.add_particles(position=[(0, 5, 0), (1, 5, 0), (0, 5, 1), (0.2, 4, 0.2), (0.2, 6, 0.2)])
    f = crossing[0]
    assert world.find_intersections([(f, f + 1, f + 2)], [(f + 3, f + 4)]).tolist() == [[0, 1]]
    hit = world.cast_rays((0, 10, 0), (0, -1, 0), colliders=[ball], collision_meshes=False)[0]
    assert hit["is_hit"] and hit["type"] == msd.Object.COLLIDER and hit["index"] == ball
    assert hit["distance"] == pytest.approx(9.7, abs=1e-4) and hit["normal"].tolist() == [0, 1, 0]
    sheet = world.cast_rays([(0.01, 10, 0.02), (50, 10, 0)], (0, -1, 0), length=11, colliders=False)
    assert sheet["is_hit"].tolist() == [True, False] and sheet["type"][0] == msd.Object.COLLISION_MESH
    assert sheet["weights"][0].sum() == pytest.approx(1, abs=1e-5)
    nearest = world.find_nearest([(0, 0.5, 0), (0, 0.1, 0)], colliders=[ball], collision_meshes=[])
    assert nearest["distance"] == pytest.approx([0.2, -0.2], abs=1e-5)
    overlaps = world.find_overlaps((0, 0.3, 0), 0.05)
    assert ball in overlaps["index"][overlaps["type"] == msd.Object.COLLIDER]
    with pytest.raises(msd.BadValue):
        world.cast_rays((0, 0, 0), (0, 0, 0))
    with pytest.raises(msd.BadIndex):
        world.find_nearest((0, 0, 0), colliders=[99])
    world.colliders.move_to(ball, (0, -0.5, 0), (0, 0, 30))
    world.colliders.set_def(floor, friction=0.9)
    world.step(1 / 60)
    assert world.colliders[ball].position.tolist() == [0, -0.5, 0]
    world.colliders.move_along(ball, (0, -0.5, 0), (0, 0, 30), turn=(0, 0, 4 * np.pi), pivot=(0, -0.5, 0))
    world.step(1 / 60)
    world.collision_meshes.exclude(0, 0)
    assert world.collision_meshes.excludes(0, 0)


def test_a_torn_spring_cuts_the_triangles_that_have_it_as_an_edge():
    world = msd.World(gravity=(0, 0, 0))
    world.add_particles(position=[(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)], pinned=[True] * 4)
    world.add_springs([(0, 1), (2, 3)], stiffness=1, rest_length=[0.5, 1])
    world.springs.set_damage(range(2), tear_strain=0.5)
    mesh = world.add_collision_mesh(triangles=[(0, 1, 2), (1, 3, 2)], segments=[(0, 1), (1, 3)])
    cut = world.collision_meshes.find_cut(mesh)
    assert [c.tolist() for c in cut] == [[False, False], [False, False]]
    world.step(1 / 60)
    assert world.springs.torn.tolist() == [True, False]
    cut = world.collision_meshes.find_cut(mesh)
    assert [c.tolist() for c in cut] == [[True, False], [True, False]]


# ---------------------------------------------------------------------------------------------------- reports


def test_reports_are_named_tuples_with_the_fields_of_c():
    world, body = cloth()
    info = world.stability(1 / 60)
    assert set(info._fields) == {name for name, _ in msd.ffi.typeof("msd_stability").fields}
    assert world.find_substeps(1 / 60) == info.substeps
    assert world.find_stable_substep() == info.stable_substep
    why = world.explain_stability(1 / 60)
    assert why.cause.limiting == msd.Limiting.SPRING and why.limit.stable_substep == info.stable_substep
    assert world.current_limit() >= info.stable_substep * (1 - 1e-9)
    assert world.softening(1 / 60, "coefficients").springs > 0
    assert world.softening_steps()[0].shape == (len(world.springs),)
    assert (world.required_masses(info.stable_substep / 2) <= world.masses * (1 + 1e-6))[~world.pinned].all()
    assert world.stiffness_limits([body.stretch], 1e-3).shape == (1, 2)
    assert world.estimate_stretch(1 / 60).present > 0
    plan = world.plan_stretch(stretch=0.02)
    assert plan.reached and plan.substeps > 0
    world.scale_stiffness(2)
    assert world.stability(1 / 60).stable_substep < info.stable_substep
    assert world.redistribute_mass([(body.particles, 0.5)], 1 / 60).mass > 0
    found = world.components()
    assert found.components == found.attached == 1 and not found.component_of.any() and found.is_attached.all()
    world.energy_mode = "monitor"
    world.step(1 / 60)
    assert world.spring_energy_gain().shape == (len(world.springs),) and world.energy_account.least_factor == 1


# ----------------------------------------------------------------------------------------------------- errors


BAD = [
    (lambda w: w.step(0), msd.BadValue, "BAD_FRAME_TIME"),
    (lambda w: w.step(float("nan")), msd.BadValue, "BAD_FRAME_TIME"),
    (lambda w: w.step("soon"), msd.BadValue, "BAD_FRAME_TIME"),
    (lambda w: w.step(0.1, -1), msd.BadValue, "BAD_FRAME_TIME"),
    (lambda w: w.step(0.1, 1.5), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.step(0.1, 1 << 40), msd.BadValue, "BAD_FRAME_TIME"),
    (lambda w: w.write("position", np.nan, 3), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.write("position", [(0, 0)], 3), msd.BadValue, "BAD_VALUE"),
    (lambda w: setattr(w, "positions", np.zeros((3, 3))), msd.BadValue, "BAD_VALUE"),
    (lambda w: setattr(w, "masses", 0), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.read("position", [0, 99]), msd.BadIndex, "BAD_INDEX"),
    (lambda w: w.read("position", 99), msd.BadIndex, "BAD_INDEX"),
    (lambda w: w.read("position", [0.5]), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.read("position", [1 << 40]), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.read("color"), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.read("position", dtype=np.int32), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.read("position", out=np.zeros((24, 2), "f4")), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_springs(0, 0), msd.BadIndex, "BAD_INDEX"),
    (lambda w: w.add_springs(0, 99), msd.BadIndex, "BAD_INDEX"),
    (lambda w: w.add_springs([0, 1], [2, 3, 4]), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_springs(0, 1, stiffness=-1), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_springs(0, 1, law="soft"), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_rope(particles=1), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_rope(stretch="soft"), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_cloth(2.5, 2), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_cloth(material="cloud"), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_mesh([(0, 0, 0)], [(0, 1, 2)]), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_mesh([(0, 0)], [(0, 1, 2)]), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.springs[999], msd.BadIndex, "BAD_INDEX"),
    (lambda w: w.springs.break_(999), msd.BadIndex, "BAD_INDEX"),
    (lambda w: w.springs.set_law(range(0, 999), stiffness=1), msd.BadIndex, "BAD_INDEX"),
    (lambda w: w.restore(b"not a snapshot"), msd.BadSnapshot, "BAD_SNAPSHOT"),
    (lambda w: w.restore_state(w.save()[:50]), msd.Error, None),
    (lambda w: setattr(w, "linear_damping", -1), msd.BadValue, "BAD_VALUE"),
    (lambda w: setattr(w, "integrator", "rk5"), msd.BadValue, "BAD_VALUE"),
    (lambda w: setattr(w, "thread_count", 100000), msd.BadValue, "BAD_VALUE"),
    (lambda w: setattr(w, "gravity", (1, 2)), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.plan_stretch(stretch=-1), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.stability(0), msd.BadValue, "BAD_FRAME_TIME"),
    (lambda w: w.add_collider("sphere", radius=0), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_collision_mesh(triangles=[(0, 1, 99)]), msd.BadIndex, "BAD_INDEX"),
    (lambda w: setattr(w, "positions", np.zeros((24, 3), complex)), msd.BadValue, "BAD_VALUE"),
    (lambda w: setattr(w, "positions", [[1, 2], [3]]), msd.BadValue, "BAD_VALUE"),
    (lambda w: setattr(w, "positions", [[None] * 3] * 24), msd.BadValue, "BAD_VALUE"),
    (lambda w: setattr(w, "pinned", np.full(24, np.nan)), msd.BadValue, "BAD_VALUE"),
    (lambda w: setattr(w, "pinned", "no"), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.read("position", [-25]), msd.BadIndex, "BAD_INDEX"),
    (lambda w: w.read("position", True), msd.BadIndex, "BAD_INDEX"),
    (lambda w: w.read("position", out=[1, 2]), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_springs(0.5, 1), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_springs(None, 1), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_springs(-1, 0), msd.BadIndex, "BAD_INDEX"),
    (lambda w: w.add_soft_pins(particle=0.5), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_particles(-1), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_particles(1.5), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_particles(1 << 40), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_particles(mass="heavy"), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_particles(mass=1j), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_particles(mass=None), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_collider("sphere", rotation=3), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.add_cloth(stretch={"stiffness": "x"}), msd.BadValue, "BAD_VALUE"),
    (lambda w: w.springs.set_law(range(0, 8, 2), stiffness=1), msd.BadValue, "BAD_VALUE"),
    (lambda w: msd.stability_map(w, factors=(0, 1)), msd.BadValue, "BAD_VALUE"),
    (lambda w: msd.run(w, duration=1e300, frame_time=1e-300), msd.BadValue, "BAD_FRAME_TIME"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_what_is_refused_is_an_exception_and_changes_nothing(number):
    act, kind, result = BAD[number]
    world, _ = cloth()
    before = world.save()
    with pytest.raises(kind) as raised:
        act(world)
    assert result is None or raised.value.result == msd.Result[result]
    assert str(raised.value).strip() and world.save() == before


def test_every_result_of_c_has_an_exception_with_its_text():
    from msd.errors import check

    for result in msd.Result:
        if result == msd.Result.OK:
            check(result)
            continue
        with pytest.raises(msd.Error) as raised:
            check(result)
        assert raised.value.result == result
        assert str(raised.value) == msd.ffi.string(msd.c.msd_result_string(result)).decode()


def test_errors_are_also_what_python_calls_them_and_can_be_pickled():
    world, _ = cloth()
    with pytest.raises(ValueError, match="linear_damping"):
        msd.World(linear_damping=-1)
    with pytest.raises(IndexError):
        world.add_springs(0, 99)
    with pytest.raises(TypeError, match="did you mean 'linear_damping'"):
        msd.World(linear_dampnig=1)
    with pytest.raises(TypeError, match="did you mean 'stiffness'"):
        world.add_rope(stretch={"stifness": 2})
    with pytest.raises(msd.Error) as raised:
        world.step(-1)
    again = pickle.loads(pickle.dumps(raised.value))
    assert str(again) == str(raised.value) and again.result == raised.value.result


def test_a_step_that_diverges_says_where_and_keeps_the_last_state():
    world = msd.World()
    world.add_particles(position=[(0, 0, 0), (1.1, 0, 0)])
    world.add_springs(0, 1, rest_length=1, stiffness=1e30)
    with pytest.raises(ArithmeticError, match="particle 0") as raised:
        world.step(100, 100)
    assert raised.value.result == msd.Result.DIVERGED and np.isfinite(world.positions).all()


# -------------------------------------------------------------------------------------------------- callbacks


def test_a_step_tells_where_it_is():
    world, _ = cloth()
    info = []
    world.set_callbacks(before_step=lambda w, m: info.append(("before", m.done, m.substeps)),
                        after_substep=lambda w, m: info.append(("sub", m.done, w.positions.shape)),
                        after_step=lambda w, m: info.append(("after", m.done, m.result)))
    world.step(0.1, 3)
    assert info == [("before", 0, 3), ("sub", 1, (24, 3)), ("sub", 2, (24, 3)), ("sub", 3, (24, 3)),
                    ("after", 3, msd.Result.OK)]
    assert set(world.callbacks) == {"before_step", "after_substep", "after_step"}
    other, _ = cloth()
    other.step(0.1, 3)
    assert other.hash == world.hash
    world.set_callbacks()
    world.step(0.1, 3)
    assert len(info) == 5


def test_springs_that_tear_are_reported():
    world = msd.World()
    world.add_particles(position=[(0, 0, 0), (0, -1, 0)], mass=1, pinned=[True, False])
    world.add_springs(0, 1, stiffness=20, damping=1)
    world.springs.set_damage(range(0, 1), tear_strain=0.2)
    torn = []
    world.set_callbacks(spring_torn=lambda w, spring: torn.append(spring))
    for _ in range(60):
        world.step(1 / 60, 10)
    assert torn == [0] and world.springs.torn.tolist() == [True] and world.stats.torn == 1


def test_in_a_callback_the_world_can_be_read_and_nothing_else():
    world, _ = cloth()
    refused = []

    def try_all(w, info):
        for act in (lambda: w.step(0.1), lambda: w.pin(3), lambda: w.save(), lambda: w.copy(),
                    lambda: w.close(),
                    lambda: w.add_particles(1), lambda: w.set_callbacks(),
                    lambda: setattr(w, "linear_damping", 1)):
            try:
                act()
            except msd.Locked as busy:
                refused.append(busy.result)

    world.set_callbacks(before_step=try_all)
    world.step(0.1, 2)
    assert refused == [msd.Result.LOCKED] * 8 and len(world) == 24


def test_what_a_callback_raises_ends_the_step_and_comes_out_of_it():
    world, _ = cloth()

    def fail(w, info):
        if info.done == 4:
            raise KeyError("mine")

    world.set_callbacks(after_substep=fail)
    with pytest.raises(KeyError, match="mine"):
        world.step(0.1, 10)
    assert world.steps == 4 or world.steps == 5
    world.set_callbacks(stop=lambda w: True)
    with pytest.raises(msd.Error) as raised:
        world.step(0.1, 1000)
    assert raised.value.result == msd.Result.CANCELED
    world.set_callbacks()
    world.step(0.1, 10)
    with pytest.raises(TypeError, match="did you mean 'after_step'"):
        world.set_callbacks(after_stp=fail)
    with pytest.raises(TypeError):
        world.set_callbacks(after_step=3)


# -------------------------------------------------------------------------------------------------- snapshots


def test_snapshots_copies_and_pickles_go_on_with_the_same_bits():
    world, body = cloth(energy_mode="monitor")
    world.step(0.1)
    others = [world.copy(), copy.deepcopy(world), pickle.loads(pickle.dumps(world)),
              msd.World.from_snapshot(world.save())]
    state = world.save_state()
    world.step(0.1)
    after = world.hash
    for other in others:
        other.step(0.1)
        assert other.hash == after and other.energy_mode == "monitor"
    assert others[2].bodies[0].triangles.tolist() == body.triangles.tolist()
    assert others[2].bodies[0].world is others[2] and others[0].bodies[0].world is others[0]
    world.restore_state(state)
    world.step(0.1)
    assert world.hash == after


def test_worlds_step_together_with_the_bits_of_each_alone():
    worlds = [cloth(columns)[0] for columns in (5, 9, 12)]
    alone = [world.copy() for world in worlds]
    seen = []
    worlds[1].set_callbacks(after_step=lambda w, m: seen.append((w is worlds[1], len(w.positions))))
    msd.step_worlds(worlds, 1 / 60, threads=2)
    for world in alone:
        world.step(1 / 60)
    assert [w.hash for w in worlds] == [w.hash for w in alone] and seen == [(True, 36)]
    with pytest.raises(msd.Locked):
        msd.step_worlds([worlds[0], worlds[0]], 1 / 60)
    msd.step_worlds(worlds, [1 / 60, 1 / 30, 0.01], np.array([1, 2, 3]))
    for world, span, substeps in zip(alone, (1 / 60, 1 / 30, 0.01), (1, 2, 3)):
        world.step(span, substeps)
    assert [w.hash for w in worlds] == [w.hash for w in alone] and len(seen) == 2
    for given in ((-1,), ([0.1, 0.1],), (0.1, -1), (0.1, 1 << 40), (0.1, 1, -1), ("soon",)):
        with pytest.raises(msd.BadValue):
            msd.step_worlds(worlds, *given)
    assert [w.hash for w in worlds] == [w.hash for w in alone]
    for none in ([1], [worlds[0], None], worlds[0], 7):
        with pytest.raises(TypeError, match=r"must be a World|a single World|not iterable"):
            msd.step_worlds(none, 0.1)
    msd.step_worlds([], 0.1)
    worlds[1].set_callbacks(after_step=lambda w, m: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        msd.step_worlds(worlds, 1 / 60)


def test_a_closed_world_says_so():
    with msd.World() as world:
        world.add_particles(1)
    for act in (lambda: world.positions, lambda: world.step(0.1), lambda: world.save(), lambda: len(world)):
        with pytest.raises(ValueError, match="closed"):
            act()
    world.close()
    assert "closed" in repr(world)
