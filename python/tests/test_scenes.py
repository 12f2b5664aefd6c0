"""Scenes, runs and what is drawn of them."""

import json
import os
import pickle
import subprocess

import msd
import numpy as np
import pytest


def test_all_scenes_that_ship_are_in_the_package_and_load(root, monkeypatch):
    monkeypatch.delenv("MSD_SCENES", raising=False)
    names = {path.stem for path in (root / "scenes").glob("*.json")}
    assert set(msd.list_scenes()) <= names and len(msd.list_scenes()) > 30
    for name in ("curtain", "skirt", "ring", "yarn", "walker", "clock_spring", "funnel"):
        scene = msd.load_scene(name)
        assert scene.name == name and scene.title and scene.positions.shape == (len(scene.world), 3)


@pytest.mark.parametrize("name", ["curtain", "rip", "clock_spring", "wrecking_ball", "funnel", "rope_bridge"])
def test_a_run_ends_in_the_state_that_the_command_ends_in(root, name):
    command = root / "build/release/app/msd"
    if not command.exists():
        pytest.skip("the command is not built")
    info = subprocess.run([str(command), "run", name, "--duration", "0.1", "--json"], capture_output=True,
                          text=True,
                          env=dict(os.environ, MSD_SCENES=str(root / "scenes")))
    info = json.loads(info.stdout)
    run = msd.run(name, duration=0.1, record=False)
    for field in ("hash", "particles", "springs", "constraints", "soft_pins", "pinned", "asleep",
                  "total_substeps", "frames", "diverged", "integrator", "clamp_stiffness", "energy_mode",
                  "torn", "yielded", "yielded_constraints", "split"):
        assert run.summary[field] == info[field], field
    assert run.summary["time"] == pytest.approx(info["time"])


@pytest.mark.parametrize("settings", [{"solver": "gauss_seidel"}, {"mass_scaling": "selective"},
                                      {"clamp_stiffness": True}], ids=str)
def test_settings_of_a_run_mean_what_options_of_the_command_do(root, settings):
    command = root / "build/release/app/msd"
    if not command.exists():
        pytest.skip("the command is not built")
    options = [word for name, value in settings.items()
               for word in ("--" + name.replace("_", "-"), *([] if value is True else [value]))]
    info = subprocess.run([str(command), "run", "hanging_cloth", "--duration", "0.1", "--substeps", "8",
                           "--json", *options], capture_output=True, text=True, check=True,
                          env=dict(os.environ, MSD_SCENES=str(root / "scenes")))
    run = msd.run("hanging_cloth", duration=0.1, substeps=8, record=False, **settings)
    assert run.summary["hash"] == json.loads(info.stdout)["hash"]
    assert run.summary["hash"] != msd.run("hanging_cloth", duration=0.1, record=False).summary["hash"]


def test_a_scene_has_its_bodies_by_name_and_says_where_things_are():
    scene = msd.load_scene("curtain")
    body = scene.bodies["curtain"]
    assert body.kind == "cloth" and len(body) == len(scene.world) and body.triangles.max() < len(scene.world)
    assert body.positions.shape == body.velocities.shape == (len(body), 3) and body.segments.shape == (0, 2)
    assert "curtain" in scene.describe_particle(70) and "spring" in scene.describe_spring(0)
    before = scene.positions
    scene.step()
    assert scene.time == pytest.approx(scene.frame_time) and not np.array_equal(before, scene.positions)
    assert set(body.groups) <= {"stretch", "shear", "bend", "tethers"} and len(body.springs) > 0
    world = scene.world
    del scene, body
    world.step(1 / 60)
    assert len(world.positions) > 0


def test_events_of_the_file_happen_and_a_pickle_goes_on_alike():
    scene = msd.load_scene("wrecking_ball")
    for _ in range(5):
        scene.step()
    again = pickle.loads(pickle.dumps(scene))
    for _ in range(5):
        scene.step()
        again.step()
    assert again.hash == scene.hash and again.time == scene.time


def test_a_decimated_mesh_is_shown_as_its_file_has_it(tmp_path):
    x = np.append(np.linspace(0, 1, 9), 0.5001)  # slivers in the middle
    x.sort()
    vertices = [(a, b, 0.0) for b in np.linspace(0, 1, 9) for a in x]
    cells = [(10 * j + i + 1) for j in range(8) for i in range(9)]
    (tmp_path / "sheet.obj").write_text("".join(f"v {a} {b} {c}\n" for a, b, c in vertices) + "".join(
        f"f {c} {c + 1} {c + 11}\nf {c} {c + 11} {c + 10}\n" for c in cells))
    (tmp_path / "sheet.json").write_text(json.dumps({"msd": 1, "bodies": [
        {"type": "mesh", "name": "sheet", "file": "sheet.obj", "area_density": 0.2, "pinned": [0],
         "decimate": "median",
         "stretch": {"stiffness": 100, "damping": 0.1}}]}))
    scene = msd.load_scene(tmp_path / "sheet.json")
    points, triangles = scene.render_meshes()["sheet"]
    assert len(scene.world) < 90 and points.shape == (90, 3) and triangles.shape == (2 * 72, 3)
    assert points == pytest.approx(np.array(vertices), abs=1e-3)  # nothing has moved yet
    before = points
    for _ in range(10):
        scene.step()
    points, triangles = scene.render_meshes()["sheet"]
    assert points[90 - 1, 1] < before[90 - 1, 1] - 0.01 and np.isfinite(points).all()


def test_bad_scenes_are_errors_that_name_the_place(tmp_path):
    with pytest.raises(msd.SceneError, match="did you mean 'curtain'"):
        msd.load_scene("curtian")
    with pytest.raises(msd.SceneError, match="nowhere.json"):
        msd.load_scene("nowhere.json")
    path = tmp_path / "bad.json"
    path.write_text('{ "msd": 1, "bodies": [ { "type": "rope", "partcles": 5 } ] }')
    with pytest.raises(msd.SceneError, match="bad.json.*particles"):
        msd.load_scene(path)
    path.write_text('{ "msd": 1, ')
    with pytest.raises(ValueError, match=r"bad.json:\d+:\d+"):
        msd.load_scene(str(path))


def test_a_run_keeps_frames_and_energies():
    run = msd.run("chain_of_20", duration=0.5, every=5)
    assert run.positions.shape == (7, len(run.subject.world), 3) and run.times[-1] == pytest.approx(0.5,
                                                                                                    abs=1e-6)
    assert run.energies.shape == (7, 3) and run.energies[0, 0] != run.energies[-1, 0]
    world = msd.World()
    world.add_particles(1)
    seen = []
    run = msd.run(world, duration=1, frame_time=0.1,
                  after_frame=lambda w, frame: seen.append(frame) or frame < 3)
    assert seen == [1, 2, 3] and run.summary["frames"] == 3
    with pytest.raises(msd.BadValue, match="duration"):
        msd.run(world)
    with pytest.raises(msd.BadValue):
        msd.run(world, duration=1, frame_time=0)
    world = msd.World()
    world.add_particles(position=[(0, 0, 0), (1.1, 0, 0)])
    world.add_springs(0, 1, rest_length=1, stiffness=1e30)
    assert msd.run(world, duration=100, frame_time=1, substeps=1).summary["diverged"]


# --------------------------------------------------------------------------------------------------- pictures


def pixels(png):
    import io

    import matplotlib.image

    return matplotlib.image.imread(io.BytesIO(png))


def test_a_world_a_scene_and_a_map_show_themselves_as_pictures():
    world = msd.World()
    empty = pixels(world._repr_png_())
    world.add_cloth(10, 10)
    world.add_collider("sphere", radius=0.2)
    world.add_collider("capsule", from_=(1, 0, 0), to=(1, 1, 0), radius=0.1)
    world.add_collider("box", size=(0.3, 0.3, 0.3), rotation=(0, 45, 0))
    world.add_collider("plane", position=(0, -1, 0))
    drawn = pixels(world._repr_png_())
    blue = drawn[..., 2] - drawn[..., 0]
    assert (empty[..., :3] > 0.99).all() and (blue > 0.2).sum() > 2000  # the cloth is blue, and large
    assert (pixels(msd.load_scene("rope_bridge")._repr_png_())[..., :3].min(2) < 0.7).sum() > 500
    map_ = msd.stability_map(msd.load_scene("chain_of_20"), factors=(0.5, 0.9, 4),
                             integrators=("symplectic_euler", "rk4"),
                             duration=0.05)
    assert map_.outcomes.shape == map_.substep.shape == map_.max_stretch.shape == (2, 3)
    assert pixels(map_._repr_png_()).shape[2] == 4 and map_.outcomes[0, 0] == "stable"


def test_a_run_plays_as_a_film(tmp_path):
    run = msd.run("chain_of_20", duration=0.2)
    run.film(tmp_path / "chain.gif")
    from PIL import Image

    with Image.open(tmp_path / "chain.gif") as film:
        assert 2 < film.n_frames <= len(run.times)  # frames that are alike are one
    assert "<script" in msd.run("chain_of_20", duration=0.05)._repr_html_()
    with pytest.raises(ValueError, match="record"):
        msd.run("chain_of_20", duration=0.05, record=False).film()
