"""What a world loses and where the rest goes, shapes of rest, scaled masses."""

import inspect
import pickle

import msd
import numpy as np
import pytest

KINDS = ("particles", "springs", "constraints", "soft_pins", "rotors", "torsion_springs", "colliders",
         "collision_meshes")


def hung(size=6, **settings):
    world = msd.World(thread_count=1, **settings)
    body = world.add_cloth(size, size, u=(1, 0, 0), v=(0, -1, 0), mass=0.5,
                           stretch={"stiffness": 200, "damping": 0.5},
                           shear={"stiffness": 60, "damping": 0.1})
    body.pin((0, 0), (0, -1))
    return world, body


# ---------------------------------------------------------------------------------------------------- removal


@pytest.mark.parametrize("given", [7, -29, [7], range(7, 8), slice(7, 8), np.array([7, 7]), np.arange(36) == 7])
def test_particles_are_destroyed_however_they_are_named(given):
    world, _ = hung()
    springs = world.springs.ends
    world.destroy_particles(given)
    assert np.flatnonzero(world.destroyed).tolist() == [7] and world.live_count == 35 and len(world) == 36
    assert np.array_equal(world.springs.destroyed, (springs == 7).any(axis=1))
    assert world.springs.live_count == len(springs) - (springs == 7).any(axis=1).sum()
    before = world.positions[7]
    world.step(1 / 60)
    assert np.array_equal(world.positions[7], before) and world.masses[7] == 0


def test_moves_say_where_every_index_went_and_bodies_follow():
    world, first = hung()
    second = world.add_rope((2, 0, 0), (3, 0, 0), 5, stretch={"stiffness": 100, "damping": 0.1})
    third = world.add_block((1, 1, 1), origin=(5, 0, 0))
    world.add_soft_pins(particle=second.particles[4], position=(3, 1, 0), frequency=2)
    world.add_collider("sphere", position=(0, -9, 0), radius=1)
    world.add_collider("plane", position=(0, -9, 0))
    world.step(1 / 60)
    world.destroy_particles([first.particle(5, 5)])
    second.destroy()
    world.colliders.destroy(0)
    at, ends, gone = world.positions, world.springs.ends, world.destroyed
    moves = world.compact()
    assert [len(to) for to in moves] == [36 + 5 + 8, len(ends), len(third.constraints), 1, 0, 0, 2, 0]
    assert np.array_equal(moves.particles, np.where(gone, -1, np.cumsum(~gone) - 1))
    assert moves.soft_pins.tolist() == [-1] and moves.colliders.tolist() == [-1, 0]
    assert np.array_equal(world.positions, at[~gone]) and not world.destroyed.any()
    kept = moves.springs >= 0
    assert np.array_equal(world.springs.ends, moves.particles[ends[kept]])
    assert world.bodies == [first, third] and len(second) == 0
    assert first.particles == range(0, 35) and third.particles == range(35, 43)
    # One corner is gone, and the triangles with it; those of the block are whole.
    assert first.triangles.max() == 34 and len(first.triangles) in (48, 49) and first.shape == (35,)
    assert third.triangles.max() == 7 and len(third.triangles) == 12 and third.shape == (2, 2, 2)
    assert set(world.springs.ends[list(first.springs)].ravel()) == set(range(35))
    assert first.positions.shape == (35, 3) and np.isfinite(first.normals).all()
    again = pickle.loads(pickle.dumps(world))
    world.step(1 / 60)
    again.step(1 / 60)
    assert again.hash == world.hash and again.bodies[0].particles == first.particles


def test_a_compacted_world_steps_as_one_that_never_had_more():
    world, body = hung()
    extra = world.add_rope((4, 0, 0), (5, 0, 0), 9, stretch={"stiffness": 50, "damping": 0.1})
    extra.destroy()
    world.compact()
    alone, _ = hung()
    for _ in range(3):
        world.step(1 / 60, 20)
        alone.step(1 / 60, 20)
    assert world.hash == alone.hash


def test_where_nothing_was_destroyed_nothing_moves():
    world, body = hung()
    triangles = body.triangles
    for to in world.compact():
        assert np.array_equal(to, np.arange(len(to)))
    assert body.triangles is triangles and msd.World().compact().particles.shape == (0,)


def test_items_are_destroyed_and_bad_lists_destroy_nothing():
    world, _ = hung()
    world.springs.destroy([0, -1])
    assert np.flatnonzero(world.springs.destroyed).tolist() == [0, len(world.springs) - 1]
    before = world.save()
    for act in (lambda: world.springs.destroy([1, 999]), lambda: world.springs.destroy(range(50, 999)),
                lambda: world.springs.destroy([0.5]), lambda: world.springs.destroy([[1], [2]]),
                lambda: world.destroy_particles(36), lambda: world.destroy_particles(np.zeros(3, bool))):
        with pytest.raises((IndexError, ValueError)) as raised:
            act()
        assert isinstance(raised.value, msd.Error) and world.save() == before
    with pytest.raises(IndexError):
        world.springs.destroy(0)  # a second time


def test_the_world_of_a_scene_is_not_compacted_but_its_copy_is():
    scene = msd.load_scene("chain_of_20")
    scene.world.destroy_particles(-1)
    with pytest.raises(msd.Error, match="compact a copy"):
        scene.world.compact()
    copied = scene.world.copy()
    assert copied.compact().particles[-1] == -1 and len(copied) == len(scene.world) - 1
    scene.step()


def test_destroyed_particles_are_in_no_picture():
    world, body = hung()
    whole = world._repr_png_()
    world.destroy_particles(body.particles[12:36])
    assert world._repr_png_() != whole
    body.destroy()
    assert world._repr_png_() == msd.World()._repr_png_()


# ------------------------------------------------------------------------------------------------------- rest


def test_a_chain_hangs_at_rest_as_the_weights_below_it_say():
    world = msd.World()
    links, mass, stiffness = 10, 0.1, 50.0
    world.add_particles(position=[(0, -0.1 * i, 0) for i in range(links + 1)], mass=mass,
                        pinned=[True] + [False] * links)
    world.add_springs([(i, i + 1) for i in range(links)], stiffness=stiffness)
    info = world.find_equilibrium(tolerance=1e-3)
    # Link i carries the links - i masses below it.
    lengths = [0.1 + (links - i) * mass * 9.81 / stiffness for i in range(links)]
    assert info.converged and info.energy < info.energy_before and info.acceleration <= 1e-3
    assert world.springs.length == pytest.approx(np.array(lengths), abs=1e-5)
    assert world.time == 0 and not world.velocities.any()


def test_a_search_tells_how_far_it_is_and_may_be_ended():
    world, _ = hung(12)
    info = []
    report = world.find_equilibrium(
        progress=lambda w, p: info.append((p.iteration, p.energy, len(w.positions))), progress_interval=10)
    assert report.converged and info[0][0] == 0 and info[1][0] == 10 and {n for _, _, n in info} == {144}
    assert all(b[1] <= a[1] for a, b in zip(info, info[1:]))
    world, _ = hung(12)
    report = world.find_equilibrium(progress=lambda w, p: p.iteration < 20, progress_interval=10)
    assert not report.converged and report.iterations <= 21

    def fail(w, progress):
        with pytest.raises(msd.Locked):
            w.pin(0)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        world.find_equilibrium(progress=fail)
    world.step(1 / 60)
    assert not world.callbacks


def test_what_has_no_rest_is_refused_with_the_reason():
    world = msd.World()
    world.add_particles(position=[(0, 0, 0), (1, 0, 0)])
    world.add_springs(0, 1)
    before = world.save()
    with pytest.raises(msd.BadValue, match="attached to nothing"):
        world.find_equilibrium()
    with pytest.raises(msd.BadValue):
        world.find_equilibrium(tolerance=-1)
    with pytest.raises(TypeError, match="did you mean 'tolerance'"):
        world.find_equilibrium(tolerence=1)
    with pytest.raises(TypeError, match="function"):
        world.find_equilibrium(progress=3)
    assert world.save() == before
    assert "converged when no free particle would accelerate" in world.find_equilibrium.__doc__
    assert list(inspect.signature(msd.World.find_equilibrium).parameters)[:2] == ["self", "progress"]


# ---------------------------------------------------------------------------------------------------- sleep


def test_what_rests_falls_asleep_and_wakes_when_it_is_touched():
    world, _ = hung()
    assert world.sleep.speed == 0 and not world.asleep.any()
    world.gravity = (0, 0, 0)
    world.velocities = 0 * world.velocities
    world.set_sleep(speed=1e6, delay=0.05)
    for _ in range(5):
        world.step(1 / 60)
    assert world.asleep.all() and world.stats.asleep == len(world)
    world.wake([0])
    assert not world.asleep[0]
    world.wake()
    assert not world.asleep.any()
    with pytest.raises(msd.BadValue):
        world.set_sleep(speed=-1)
    with pytest.raises(msd.BadIndex):
        world.wake(len(world))


# -------------------------------------------------------------------------------------------------- solvers


def test_gauss_seidel_holds_a_rigid_rope_at_any_step():
    world, _ = hung(solver="gauss_seidel")
    assert world.solver == "gauss_seidel" and world.stability(1 / 60).certified
    for _ in range(60):
        world.step(1 / 60, 1)
    assert np.isfinite(world.positions).all()
    world.solver = "explicit"
    assert world.solver == "explicit"
    with pytest.raises(msd.BadValue, match="'explicit', 'gauss_seidel'"):
        world.solver = "jacobi"


# ----------------------------------------------------------------------------------------------- mass scaling


def test_scaled_masses_certify_any_substep():
    world, _ = hung(mass_scaling="selective")
    limit = world.copy()
    limit.mass_scaling = "none"
    assert world.mass_scaling == "selective" and world.stability(1 / 60).certified
    assert not limit.stability(1 / 60).certified and limit.stability(1 / 60).stable_substep < 1 / 60
    for _ in range(200):
        world.step(1 / 60, 1)
    assert np.isfinite(world.positions).all() and world.stats.max_stretch < 1
    with pytest.raises(msd.BadValue, match="'none', 'selective'"):
        world.mass_scaling = "all"
    world.add_collider("plane", position=(0, -10, 0))
    world.step(1 / 60, 1)
    with pytest.raises(msd.BadValue, match="mass_scaling"):
        world.integrator = "rk4"
