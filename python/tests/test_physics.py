"""What theory says of springs, and the states that the engine is recorded to have, reached through Python."""

import csv
import math

import msd
import numpy as np
import pytest


def test_a_mass_on_a_spring_swings_at_the_frequency_of_its_stiffness():
    world = msd.World(gravity=(0, 0, 0))
    world.add_particles(position=[(0, 0, 0), (1.01, 0, 0)], mass=[1, 0.5], pinned=[True, False])
    world.add_springs(0, 1, rest_length=1.0, stiffness=200)
    substep, places = 1e-4, []
    for _ in range(4000):
        world.step(10 * substep, 10)
        places.append(world.positions[1, 0] - 1)
    signs = np.sign(places)
    crossings = np.flatnonzero(signs[:-1] > signs[1:])
    period = (crossings[-1] - crossings[0]) * 10 * substep / (len(crossings) - 1)
    # sqrt(k/m) / 2 pi; with (w dt)^2 / 24 = 1.7e-8 nothing else of a step is to be seen.
    assert 1 / period == pytest.approx(math.sqrt(200 / 0.5) / (2 * math.pi), rel=1e-3)
    assert max(places) == pytest.approx(0.01, rel=1e-3)


def test_a_loaded_spring_rests_where_its_force_is_the_weight():
    world = msd.World()
    world.add_particles(position=[(0, 0, 0), (0, -1, 0)], mass=2, pinned=[True, False])
    world.add_springs([(0, 1)], stiffness=500, damping=60)
    world.step(5, 5000)
    assert world.positions[1, 1] == pytest.approx(-1 - 2 * 9.81 / 500, abs=1e-5)
    assert world.springs.tension[0] == pytest.approx(2 * 9.81, rel=1e-4)


def test_a_thrown_particle_flies_a_parabola_and_a_force_adds_to_gravity():
    world = msd.World(gravity=(0, -10, 0))
    world.add_particles(2, velocity=(3, 4, 0), mass=0.5)
    world.apply_forces([(0, 5, 0)], [1])  # what it weighs
    world.step(0.5, 50000)
    # Symplectic Euler falls dt/2 g t more than the parabola, 2.5e-5 m here; floats round 50000 times.
    assert world.positions[0] == pytest.approx((1.5, 4 * 0.5 - 10 * 0.5 ** 2 / 2, 0), abs=2e-3)
    assert world.positions[1] == pytest.approx((1.5, 2, 0), abs=2e-3)


def test_kinetic_energy_and_momentum_are_those_of_the_arrays():
    random = np.random.default_rng(3)
    world = msd.World()
    masses, velocities = random.uniform(1, 2, 50), random.uniform(-1, 1, (50, 3))
    world.add_particles(position=random.uniform(-1, 1, (50, 3)), velocity=velocities, mass=masses)
    assert world.stats.kinetic_energy == pytest.approx(0.5 * (masses * (velocities ** 2).sum(1)).sum(),
                                                       rel=1e-6)
    assert world.stats.momentum == pytest.approx((masses[:, None] * velocities).sum(0), rel=1e-5)


def test_the_certified_limit_of_one_spring_is_two_over_its_frequency():
    world = msd.World()
    world.add_particles(position=[(0, 0, 0), (1, 0, 0)], mass=[1, 3])
    world.add_springs(0, 1, stiffness=300)
    limit = 2 / math.sqrt(300 * (1 / 1 + 1 / 3))
    info = world.stability(1 / 60)
    assert info.stable_substep == pytest.approx(limit, rel=1e-3)
    assert world.find_substeps(3.5 * limit) == 4
    found = msd.stability_map(world, factors=(0.5, 0.97, 1.1, 2), integrators=("symplectic_euler",))
    assert found.outcomes[0].tolist()[:2] == ["stable", "stable"]
    assert not found.stable[0, 2:].any()


def pcg(state):
    """The random numbers of the benchmark's networks (PCG, M. O'Neill 2014), by the formula."""
    while True:
        old = state
        state = (old * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        shifted, turn = ((old >> 18 ^ old) >> 27) % 2 ** 32, old >> 59
        yield (shifted >> turn | shifted << (-turn & 31) & 0xFFFFFFFF) / 4294967296


def golden_hash(root, network):
    for row in csv.DictReader((root / "bench/golden.csv").open()):
        if row["network"] == network and int(row["precision"]) == msd.real.itemsize:
            return row["hash"]
    raise AssertionError(network)


def thrown(world, pinned):
    random = pcg(20)
    speeds = np.array([0.1 * next(random) - 0.05 for _ in range(3 * len(world))]).astype(msd.real).reshape(-1,
                                                                                                           3)
    world.pin(pinned)
    speeds[pinned] = 0
    world.velocities = speeds
    world.step(float(msd.real.type(1e-4) * msd.real.type(16)), 16)
    return f"{world.hash:016x}"


@pytest.mark.parametrize("size", [32, 100])
@pytest.mark.parametrize("threads, simd", [(1, "scalar"), (2, "widest")])
def test_cloths_have_their_golden_hashes(root, size, threads, simd):
    real = msd.real.type
    side = real(0.01) * real(size - 1)
    world = msd.World(thread_count=threads, simd=simd)
    pattern = {"stiffness": 100, "damping": 0.01}
    world.add_cloth(size, size, u=(side, 0, 0), v=(0, 0, side), mass=real(1e-3) * real(size) * real(size),
                    stretch=pattern, shear=pattern, bend=pattern)
    assert thrown(world, [0, size - 1]) == golden_hash(root, f"cloth {size}x{size}")


def test_ropes_have_their_golden_hash(root):
    real = msd.real.type
    world = msd.World()
    pattern = {"stiffness": 100, "damping": 0.01}
    ends = []
    for n in range(1000):
        z = real(0.01) * real(n)
        rope = world.add_rope((0, 0, z), (real(0.01) * real(99), 0, z), 100, mass=real(1e-3) * real(100),
                              stretch=pattern, bend=pattern)
        ends.append(rope.particles[0])
    assert thrown(world, ends) == golden_hash(root, "ropes 1000x100")


def test_a_damped_spring_is_the_closed_form():
    w, zeta, dt = 7.0, 0.3, 0.05
    spring = msd.damped.DampedSpring(w, zeta, dt)
    x, v = spring.update(np.array([[1.0, 2.0]]), np.zeros((1, 2)), 0.5)
    wd, decay = w * math.sqrt(1 - zeta ** 2), math.exp(-zeta * w * dt)
    factor = decay * (math.cos(wd * dt) + zeta * w / wd * math.sin(wd * dt))
    assert x == pytest.approx(0.5 + factor * np.array([[0.5, 1.5]]), rel=1e-12)
    assert msd.damped.damper(8.0, 0.0, 1.0, 3.0) == pytest.approx(1.0)
    assert msd.damped.spring_from_stiffness(4 * math.pi ** 2, 0).frequency == pytest.approx(1)
