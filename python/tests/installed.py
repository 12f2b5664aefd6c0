"""installed.py FOLDER: checks that Python imports msd from FOLDER, and that it simulates a free fall and
loads a built-in scene."""

import sys

import msd

folder = sys.argv[1]
assert folder in msd.__file__, f"{msd.__file__} is not in {folder}"

# A particle without springs falls by g t^2/2.
world = msd.World(gravity=(0, -9.81, 0))
world.add_particles(position=[(0, 0, 0)], mass=[1.0])
for _ in range(60):
    world.step(1 / 60, 1)
fallen = -world.positions[0][1]
assert abs(fallen - 9.81 / 2) < 1e-5, fallen

scene = msd.load_scene("curtain")
print(f"msd {msd.__version__} in {folder}: fallen {fallen:.4f} m; {scene}")
