"""Arrays that look at the engine's memory, threads, forks, signals."""

import gc
import os
import signal
import threading
import time
import weakref

import msd
import numpy as np
import pytest


def net(size=20):
    world = msd.World(thread_count=1)
    body = world.add_cloth(size, size, u=(1, 0, 0), v=(0, -1, 0), stretch={"stiffness": 50, "damping": 0.05})
    body.pin((0, 0), (0, -1))
    return world


def gathered(view):
    return np.stack([axis[view.slot] for axis in view[:3]], axis=1)


# ------------------------------------------------------------------------------------------------------ views


def test_a_view_is_the_memory_of_the_engine_and_read_only():
    world = net()
    world.step(1 / 60)
    view = world.position_view
    info = msd.c.msd_world_get_positions(world._guard.pointer)
    assert view.x.ctypes.data == int(msd.ffi.cast("uintptr_t", info.x))
    assert not view.x.flags.owndata and not view.x.flags.writeable
    assert np.array_equal(gathered(view), world.positions)
    assert np.array_equal(gathered(world.velocity_view), world.velocities)
    with pytest.raises(ValueError):
        view.x[0] = 3
    assert msd.World().position_view.x.shape == (0,)


def test_what_a_view_shows_is_kept_when_the_world_grows_restores_or_goes():
    world = net()
    world.step(1 / 60)
    snapshot = world.save()
    view = world.position_view
    world.add_particles(100000, position=(7, 7, 7))  # the arrays move
    world.restore(snapshot)
    world.step(1 / 60)
    kept = [axis.copy() for axis in view]
    gone = weakref.ref(world)
    world.close()
    del world
    gc.collect()
    assert gone() is None
    junk = [np.full(len(view.x), 9, view.x.dtype)
            for _ in range(200)]  # takes memory that would have been freed
    assert all(np.array_equal(axis, copied) for axis, copied in zip(view, kept)) and len(junk) == 200
    column = view.x[3:9]
    del view
    gc.collect()
    assert np.array_equal(column, kept[0][3:9])


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_comes_back_when_the_last_view_is_gone():
    def once():
        world = msd.World()
        world.add_particles(100000)
        view = world.position_view
        world.add_particles(100000)
        return view.x[0]

    for _ in range(3):
        once()
    before = resident()
    for _ in range(15):
        once()
    # 15 leaks of the arrays of 300,000 particles would be over 300 MB.
    assert resident() - before < 100e6


# ---------------------------------------------------------------------------------------------------- threads


def test_two_threads_step_two_worlds_at_once_with_the_bits_of_one():
    worlds, alone = [net(), net()], net()
    errors = []

    def work(world):
        try:
            for _ in range(20):
                world.step(1 / 60, 20)
        except Exception as raised:
            errors.append(raised)

    threads = [threading.Thread(target=work, args=(world,)) for world in worlds]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for _ in range(20):
        alone.step(1 / 60, 20)
    assert not errors and [world.hash for world in worlds] == [alone.hash] * 2


def test_a_step_lets_other_threads_run_and_they_hear_that_the_world_is_busy():
    world = net()
    inside, go_on = threading.Event(), threading.Event()
    world.set_callbacks(before_step=lambda w, m: (inside.set(), go_on.wait(10)))
    stepper = threading.Thread(target=lambda: world.step(1 / 60, 2))
    stepper.start()
    assert inside.wait(10)
    for act in (lambda: world.positions, lambda: world.step(0.1), lambda: world.hash, lambda: world.close(),
                lambda: msd.step_worlds([world], 0.1)):
        with pytest.raises(msd.Locked, match="another thread"):
            act()
    go_on.set()
    stepper.join()
    assert len(world.positions) == 400 and world.steps == 2


def test_many_threads_may_read_one_world():
    world = net()
    wrong = []

    def read():
        for _ in range(200):
            if world.positions.shape != (400, 3) or world.stats.particles != 400:
                wrong.append(1)

    threads = [threading.Thread(target=read) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_ctrl_c_ends_a_long_step():
    world = net(60)
    given = signal.signal(signal.SIGINT, signal.default_int_handler)  # a program in the background ignores it
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            world.step(1e-4, 1000000)  # would take minutes
    finally:
        signal.signal(signal.SIGINT, given)
    assert time.monotonic() - began < 20 and 0 < world.steps < 1000000
    world.step(1e-4, 1)


def interrupted(act):
    """Ctrl-C comes while act() computes."""
    given = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            act()
    finally:
        signal.signal(signal.SIGINT, given)


def test_ctrl_c_ends_steps_of_many_worlds_and_searches_for_rest():
    worlds = [net(40), net(40)]
    began = time.monotonic()
    interrupted(lambda: msd.step_worlds(worlds, 1e-4, 1000000, threads=2))
    interrupted(lambda: net(60).find_equilibrium(tolerance=1e-30, iterations=10000000))
    assert time.monotonic() - began < 10
    msd.step_worlds(worlds, 1e-4, 1)


def test_two_threads_that_step_one_world_take_turns_or_hear_busy():
    world = net(30)
    done, wrong = [0, 0], []

    def work(i):
        for _ in range(50):
            try:
                world.step(1e-4, 20)
                done[i] += 1
            except msd.Locked:
                pass
            except Exception as raised:
                wrong.append(raised)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong and sum(done) >= 50 and world.steps == 20 * sum(done)


def test_nothing_is_lost_in_many_calls():
    world = net(4)

    def refused():
        with pytest.raises(msd.Error):
            world.step(-1)

    calls = [lambda: world.positions, lambda: world.position_view, lambda: world.step(1e-4, 1),
             lambda: world.destroyed,
             lambda: world.springs.tension, lambda: world.set_callbacks(after_step=lambda w, m: None), refused,
             lambda: world.stats, lambda: msd.damped.damper(1, 0, 1, 1), lambda: world.write("velocity", 0.0)]
    for call in calls:
        for _ in range(100):
            call()
        before = resident()
        for _ in range(1500):
            call()
        gc.collect()
        assert resident() - before < 0.3e6, calls.index(call)  # 200 bytes a call


def test_a_callback_that_holds_its_world_does_not_keep_it():
    def made():
        world = net(4)
        world.set_callbacks(after_step=lambda w, m: world)
        world.step(1e-3)
        return weakref.ref(world)

    gone = made()
    gc.collect()
    assert gone() is None


# ------------------------------------------------------------------------------------------------------ forks


def in_child(act):
    """What act() says in a forked child."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(act()).encode())
        except BaseException as raised:
            os.write(write, f"{type(raised).__name__}: {raised}".encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as info:
        text = info.read()
    os.waitpid(child, 0)
    return text


def test_a_forked_child_goes_on_alone_after_steps_on_several_threads():
    world = msd.World(thread_count=2)
    world.add_cloth(150, 150, u=(1, 0, 0), v=(0, -1, 0), stretch={"stiffness": 50, "damping": 0.05})
    world.step(1 / 60, 10)
    view = world.position_view

    def act():
        world.step(1 / 60, 10)
        return f"{world.hash} {len(view.x)} {len(msd.World())}"

    info = in_child(act)
    world.step(1 / 60, 10)
    assert info == f"{world.hash} 22500 0"


def test_a_world_that_another_thread_was_stepping_is_refused_in_the_child():
    world, other = net(), net()
    inside, go_on = threading.Event(), threading.Event()
    world.set_callbacks(before_step=lambda w, m: (inside.set(), go_on.wait(20)))
    stepper = threading.Thread(target=lambda: world.step(1 / 60, 2))
    stepper.start()
    assert inside.wait(10)
    info = in_child(lambda: world.positions)
    fine = in_child(lambda: len(other.positions))
    go_on.set()
    stepper.join()
    assert info.startswith("Locked: another thread was stepping the world when this process was forked")
    assert fine == "400" and len(world.positions) == 400
