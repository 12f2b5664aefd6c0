"""msd.damped: springs without a world, against their differential equations."""

import math
import pickle

import msd
import numpy as np
import pytest
from msd import damped

LN2 = math.log(2)


def critical(x, v, goal, halflife, t):
    """The critical spring, by hand."""
    y = 2 * LN2 / halflife
    a, b = x - goal, v + y * (x - goal)
    return goal + (a + b * t) * math.exp(-y * t), (b - y * (a + b * t)) * math.exp(-y * t)


def test_functions_have_the_names_and_order_of_the_header():
    assert damped.damper(x=8, goal=0, halflife=1, time_step=3) == pytest.approx(1) == damped.damper(8, 0, 1, 3)
    assert damped.simple_spring(1, 2, 3, 0.4, 0.5) == pytest.approx(critical(1, 2, 3, 0.4, 0.5))
    assert damped.decay_spring(x=1, v=2, halflife=0.4, time_step=0.5) == pytest.approx(critical(1, 2, 0, 0.4,
                                                                                                0.5))
    with pytest.raises(TypeError, match="goal"):
        damped.damper(1)
    with pytest.raises(TypeError):
        damped.damper(1, 2, 3, 4, 5)
    with pytest.raises(msd.BadValue, match="below 1"):
        damped.damper_exponential(1, 0, 60, 0.1, 0.1)
    assert damped.damper_exponential(1, 0, 5, 0.1, 0.1) == pytest.approx(0.5)
    ck, cd = damped.spring_to_coefficients(damped.spring_from_stiffness(50, 3), 0.01)
    assert (ck, cd) == pytest.approx((50 * 0.01 ** 2, 3 * 0.01))
    assert damped.resonant_stiffness(3, 1, "power") == 9 == damped.resonant_stiffness(3, 1,
                                                                                      damped.Resonance.POWER)
    # Gains of 1 take the goal's position at once.
    assert damped.tracking_spring(0, 0, (1, 0, 0), (1, 1, 0), 0.1) == pytest.approx((1, 10))
    assert damped.tracking_spring(0, 0, msd.Motion(1, 0, 0), {"position": 1, "velocity": 1},
                                  0.1)[0] == pytest.approx(1)


def test_a_step_of_a_spring_is_the_same_in_one_piece_and_in_many():
    for make in (lambda: damped.DoubleSpring(1.0, -2.0),
                 lambda: damped.TimedSpring(1.0, goal=5.0, time_left=0.35, halflife=0.1),
                 lambda: damped.VelocitySpring(1.0, goal=2.0, speed=5.0, halflife=0.1)):
        one, many = make(), make()
        given = (3.0, 0.2) if isinstance(one, damped.DoubleSpring) else ()
        one.update(*given, 0.5)
        for _ in range(50):
            many.update(*given, 0.01)
        assert (many.x, many.v) == pytest.approx((one.x, one.v), abs=1e-9)
        again = pickle.loads(pickle.dumps(one))
        assert again.update(*given, 0.1) == one.update(*given, 0.1) and repr(again) == repr(one)


def test_a_timed_spring_is_there_in_time_and_fields_are_attributes():
    spring = damped.TimedSpring(0.0, goal=1.0, time_left=1.0, halflife=0.05)
    for _ in range(100):
        spring.update(0.01)
    assert spring.x == pytest.approx(1, abs=0.02) and spring.time_left == pytest.approx(0, abs=1e-9)
    spring.goal = 2.0
    for _ in range(100):
        spring.update(0.01)
    assert spring.x == pytest.approx(2, abs=1e-3) and "line" in damped.TimedSpring.__doc__


def test_a_switch_between_motions_has_no_jump():
    switch = damped.Inertializer()
    switch.transition(from_x=1.0, from_v=2.0, to_x=5.0, to_v=0.0)
    x, v = switch.update(5.0, 0.0, halflife=0.1, time_step=0)
    assert (x, v) == pytest.approx((1, 2))
    expected = critical(-4, 2, 0, 0.1, 0.3)
    assert switch.update(5.0, 0.0, 0.1, 0.3) == pytest.approx((5 + expected[0], expected[1]))


def test_a_character_is_where_it_was_predicted():
    character = damped.Character(velocity=1.0)
    path = character.predict(goal_velocity=4.0, halflife=0.2, interval=0.1, count=6)
    assert path.shape == (6, 3) and path[0].tolist() == [0, 1, 0]
    for expected in path[1:]:
        assert character.update(4.0, 0.2, 0.1) == pytest.approx(expected[0])
        assert (character.velocity, character.acceleration) == pytest.approx(tuple(expected[1:]))
    with pytest.raises(msd.BadValue):
        character.predict(4.0, 0.2, 0.1, -1)


def test_resonators_find_the_frequency_of_a_tone():
    bank = damped.ResonatorBank(24, 100, 800, halflife=0.05, time_step=1 / 8000)
    assert bank.peak == 0 and len(bank) == 24 and bank.frequencies[[0, -1]] == pytest.approx([100, 800])
    tone = np.sin(2 * np.pi * 330 * np.arange(8000) / 8000)
    bank.feed(tone[:4000])
    again = pickle.loads(pickle.dumps(bank))
    bank.feed(tone[4000:])
    again.feed(tone[4000:])
    assert bank.peak == pytest.approx(330, rel=2e-3) and again.peak == bank.peak
    assert bank.frequencies[bank.power.argmax()] == pytest.approx(330, rel=0.1)


def test_rotations_go_to_their_goal_on_the_shortest_arc():
    turn = np.array([0.0, 0.0, 2.0])
    rotation = damped.rotation_from_vector(turn)
    assert rotation == pytest.approx([math.cos(1), 0, 0, math.sin(1)])
    assert damped.rotation_vector(rotation) == pytest.approx(turn)
    spring = damped.DampedSpring.critical(0.3, 0.25)
    x, v = critical(2, 0, 0, 0.3, 0.25)
    for update in (spring.update_rotation, spring.update_rotation_vector):
        turned, rate = update(rotation, (0, 0, 0), (1, 0, 0, 0))
        assert damped.rotation_vector(turned) == pytest.approx([0, 0, x]) and rate == pytest.approx([0, 0, v])
    assert spring.update_angle(0.1, 0.0, 2 * math.pi - 0.1)[0] < 0.1
    assert spring.decay(2.0, 0.0) == pytest.approx((x, v))
    assert spring.hold(0.0, 2.0, 0.0, 0.0, 5.0) == pytest.approx((x, v))
    assert pickle.loads(pickle.dumps(spring)).update(1, 2, 3) == spring.update(1, 2, 3)
    with pytest.raises(msd.BadValue, match=r"\(w, x, y, z\)"):
        damped.rotation_vector((1, 0, 0))


def test_lines_and_curves_go_through_points():
    assert damped.polyline([0, 2, 1], 0.5) == (1, 2) and damped.polyline([0, 2, 1], 1.5)[0] == 1.5
    curve = damped.spring_curve([0.0, 1.0, 1.0, 1.0, 1.0, 1.0], 20.0, 1.0, 51)
    assert curve.shape == (51,) and curve[0] == 0 and curve[-1] == pytest.approx(1, abs=1e-6)
    with pytest.raises(msd.BadValue, match="shape"):
        damped.polyline([[0, 1]], 0)
