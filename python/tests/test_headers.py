"""Compares the package with the headers."""

import inspect
import re
import subprocess
import sys

import msd
import numpy as np
import pytest

# Functions without an equivalent in the package, and the reasons. All of them are in msd.c by their C names.
LEFT_OUT = {
    "a task system in Python would take the interpreter lock for each task": [
        "msd_world_set_tasks"],
    "ranks exchange halos within substeps, which Python does not do": [
        "msd_world_set_ranks", "msd_world_why_not_distributed", "msd_world_set_subdomain",
        "msd_world_get_subdomain", "msd_world_all_reduce_max", "msd_world_save_global",
        "msd_world_restore_global", "msd_add_mesh_subdomain", "msd_add_tetmesh_subdomain",
        "msd_world_gather_text", "msd_world_find_layout_order"],
    "single objects, for which there are arrays and sequences: world.read(..., 3), springs[3]": [
        "msd_particle_get_def", "msd_particle_get_position", "msd_particle_get_velocity",
        "msd_particle_get_mass",
        "msd_particle_is_pinned", "msd_particle_set_position", "msd_particle_set_velocity",
        "msd_particle_set_mass",
        "msd_particle_pin", "msd_particle_unpin", "msd_particle_move_to", "msd_particle_apply_force",
        "msd_spring_set_law", "msd_object_is_destroyed"],
    "names of values are those of the enumerations: msd.Integrator.RK4.name": [
        "msd_integrator_name", "msd_energy_mode_name", "msd_spring_law_name", "msd_cause_name",
        "msd_constraint_kind_name", "msd_collider_kind_name", "msd_mass_scaling_name", "msd_solver_name",
        "msd_object_name"],
    "springs[3].law": ["msd_world_get_law_count"],
    "the shape of an array of corners": ["msd_constraint_kind_particles"],
    "msd.real": ["msd_precision"],
    "world.soft_pins.exact": ["msd_integrator_has_exact_soft_pins"],
    "save() makes its own buffer": ["msd_world_get_save_bound"],
    "world.callbacks has the functions of Python": ["msd_world_get_callbacks"],
    "update() and track() take numbers and arrays of any shape": [
        "msd_damped_spring_update", "msd_damped_spring_decay", "msd_damped_spring_track",
        "msd_damped_spring_hold",
        "msd_damped_spring_update_vec2", "msd_damped_spring_update_vec3", "msd_damped_spring_track_vec2",
        "msd_damped_spring_track_vec3", "msd_damped_spring_update_floats", "msd_damped_spring_gather_floats",
        "msd_damped_spring_gather_doubles", "msd_damped_spring_track_floats"],
    "one line of numpy: goal + (x - goal) * damper_remainder(halflife, time_step)": [
        "msd_damper_floats", "msd_damper_doubles"],
}


def public_functions(root):
    """Parses the headers independently of the build of the package."""
    names = set()
    for header in (root / "engine/include/msd").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        names |= set(re.findall(r"^MSD_API[^;(]*?\b(msd_\w+)\(", text, re.M))
    return names


def test_every_public_function_is_in_the_extension(root):
    names = public_functions(root)
    assert len(names) > 250
    assert {name for name in names if not callable(getattr(msd.c, name, None))} == set()


def test_every_public_function_has_its_place_or_is_left_out_on_purpose(root):
    sources = "".join(path.read_text() for path in (root / "python/msd").glob("*.py"))
    left_out = {name for names in LEFT_OUT.values() for name in names}
    assert left_out <= public_functions(root), "names that are no functions"
    missing = set()
    for name in public_functions(root) - left_out:
        tail = name[len("msd_"):]
        made = any(re.search(pattern, sources) for pattern in (
            rf"\b{name}\b", rf"_setting\(\"{re.sub('^world_[sg]et_', '', tail)}\"",
            rf"\"{re.sub('^add_', 'msd_add_', tail)}\""))
        kind = re.match(r"default_(\w+)", tail)
        parts = re.match(r"(spring|constraint|soft_pin|rotor|torsion_spring|collider|collision_mesh)_(\w+)",
                         tail)
        built = re.match(r"add_(rope|cloth|mesh|block|tetmesh)$|(cloth|mesh|block|tetmesh)_get_triangles$",
                         tail)
        count = re.match(r"world_get_(\w+)_count", tail)
        made = made or built or (kind and f"msd_{kind[1]}" in sources) or (
            count and f'kind = "{count[1]}"' in sources)
        made = made or (parts and (f'"{parts[2]}"' in sources
                                   or f'_{parts[2]}"' in sources)) or hasattr(msd.damped, tail)
        if not made:
            missing.add(name)
    assert sorted(missing) == []


PROGRAM = r"""
#include <msd/msd.h>
#include <stdio.h>
int main(void) {
%s
  return 0;
}
"""


def test_every_struct_is_as_a_c_compiler_lays_it_out(root, tmp_path):
    """Compares sizes and offsets of all fields with those of a C program."""
    structs, lines = {}, []
    for header in (root / "engine/include/msd").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for body, name in re.findall(r"typedef struct(?: msd_\w+)? \{(.*?)\n?\} (msd_\w+);", text, re.S):
            fields = []
            for declaration in body.split(";"):
                pointer = re.search(r"\(\*(\w+)\)\(", declaration)
                fields += [pointer[1]] if pointer else re.findall(r"(\w+)(?:\[\w+\])?\s*(?:,|$)",
                                                                  declaration.strip())
            structs[name] = fields
    assert len(structs) > 40
    for name, fields in structs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for field in fields]
    source = tmp_path / "attribute_layout.c"
    source.write_text(PROGRAM % "\n".join(lines))
    double = ["-DMSD_DOUBLE"] if msd.real.itemsize == 8 else []
    subprocess.run(["cc", f"-I{root}/engine/include", *double, str(source), "-o", str(tmp_path / "layout")],
                   check=True)
    info = dict(line.split() for line in
                subprocess.run([str(tmp_path / "layout")], capture_output=True, text=True).stdout.splitlines())
    for name, fields in structs.items():
        assert int(info[name]) == msd.ffi.sizeof(name)
        assert [field for field, _ in msd.ffi.typeof(name).fields] == fields
        for field, kind in msd.ffi.typeof(name).fields:
            assert int(info[f"{name}.{field}"]) == kind.offset, f"{name}.{field}"


def test_arrays_of_structs_have_the_types_of_c():
    from msd.structs import dtype_of

    made = msd.ffi.new("msd_particle_def[]", 3)
    table = np.frombuffer(msd.ffi.buffer(made), dtype_of("msd_particle_def"))
    made[1].position.y, made[1].mass, made[2].pinned, made[2].cookie = 2.5, 3.5, True, 77
    assert table["position"][1].tolist() == [0, 2.5, 0] and table["mass"][1] == 3.5
    assert table["pinned"].tolist() == [False, False, True] and table["cookie"][2] == 77


def test_enumerations_and_constants_are_those_of_the_headers(root):
    text = (root / "engine/include/msd/world.h").read_text()
    names = re.search(r"typedef enum msd_integrator \{(.*?)\}", text, re.S)[1]
    names = [name.strip()[len("MSD_"):] for name in names.split(",") if "COUNT" not in name]
    assert [kind.name for kind in msd.Integrator] == names and msd.Simd._128 == msd.c.MSD_SIMD_128
    for kind in msd.Integrator:
        assert msd.ffi.string(msd.c.msd_integrator_name(kind)).decode() == kind.name.lower()
    assert msd.MAX_STABLE == msd.ISOTROPIC == msd.GROUND == -1 and msd.AS_PLACED == msd.real.type(-1e30)
    version = (root / "engine/include/msd/base.h").read_text()
    assert msd.__version__ == ".".join(re.search(rf"VERSION_{part} (\d+)", version)[1]
                                       for part in ("MAJOR", "MINOR", "PATCH"))
    assert msd.real.itemsize == msd.c.msd_precision()


def test_every_enumeration_of_the_headers_is_in_the_package(root):
    from msd.structs import ENUMS, enum

    for header in (root / "engine/include/msd").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for body, name in re.findall(r"typedef enum(?: msd_\w+)? \{(.*?)\} (msd_\w+);", text, re.S):
            words = re.findall(r"^\s*(MSD_\w+)", body, re.M) if "\n" in body else re.findall(r"MSD_\w+", body)
            words = [word for word in words if not word.endswith("_COUNT")]
            info = enum(name)
            if name == "msd_result":  # tested in test_world
                continue
            assert getattr(msd, info.__name__) is info and len(info) >= len(words), name
            assert all(getattr(info, ("_" if word[len(ENUMS[name]):][0].isdigit()
                                      else "") + word[len(ENUMS[name]):])
                       == getattr(msd.c, word) for word in words)


def test_comments_of_the_headers_are_docstrings():
    assert "advances the world by frame_time seconds" in msd.describe("msd_world_step").lower()
    assert msd.describe("msd_cloth_def.rows").startswith(">= 1 each")
    assert "halves" in msd.damped.damper.__doc__ or "half" in msd.damped.damper.__doc__
    assert str(inspect.signature(msd.damped.damper)) == "(x, goal, halflife, time_step) -> 'float'"
    undocumented = [name for name in dir(msd.World) if not name.startswith("_")
                    and not (getattr(msd.World, name).__doc__ or "").strip()]
    assert undocumented == []


USE = """
import msd
import numpy as np

world = msd.World(gravity=(0, -9.81, 0), integrator="rk4", thread_count=2)
body: msd.Body = world.add_cloth(4, 4, u=(1, 0, 0), material="cotton", mass=1.0)
springs: range = world.add_springs([(0, 1)], stiffness=3.0)
world.step(1 / 60, substeps=3)
positions = world.positions
mean: float = float(np.mean(positions))
limit = world.stability(1 / 60).stable_substep
integrator: str = world.integrator
scene: msd.Scene = msd.load_scene("curtain")
scene.world.positions = np.zeros((3, 3))
pulls: list[float] = [spring.rest_length for spring in world.springs]
spring: msd.SpringDef = world.springs[0]
some: list[msd.SpringDef] = world.springs[0:2]
world.destroy_particles([3, 4])
where: int = int(world.compact().springs[0])
report: msd.EquilibriumReport = world.find_equilibrium(tolerance=1e-3, progress=lambda w, progress: True)
rests: bool = report.converged
x, v = msd.damped.simple_spring(0.0, 1.0, goal=2.0, halflife=0.1, time_step=0.01)
total: float = x + v + msd.damped.damper(1.0, 0.0, 0.5, 0.1) + msd.damped.DoubleSpring().update(1.0, 0.1, 0.1)
msd.step_worlds([world], 1 / 60)
momentum: float = float(world.stats.momentum[0]) + world.stats.kinetic_energy
"""


def test_stubs_have_return_types():
    """Except for results of matplotlib, and for arrays and numbers of any shape."""
    from pathlib import Path

    vague = set()
    for name in ("__init__.pyi", "damped.pyi"):
        text = (Path(msd.__file__).parent / name).read_text()
        vague |= set(re.findall(r"def (\w+)\(.*-> Any:", text))
        assert text.count("-> ") > 50
    assert vague == {"plot", "film", "update", "track", "decay", "hold"}


def test_stubs_satisfy_a_type_checker(tmp_path):
    pytest.importorskip("mypy")
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(USE)
    bad.write_text("import msd\nworld = msd.World(gravty=(0, 0, 0))\nworld.stp(1)\nx: str = world.hash\n"
                   "y: str = msd.damped.damper(1, 2, 3, 4)\nz: int = world.springs[0]\n")
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--python-executable",
                          sys.executable, str(good), str(bad)], capture_output=True, text=True, cwd=tmp_path)
    assert "good.py" not in run.stdout and not re.search(r"pyi:\d+: error", run.stdout), run.stdout
    assert 'Unexpected keyword argument "gravty"' in run.stdout
    assert '"World" has no attribute "stp"' in run.stdout
    assert "Found 5 errors" in run.stdout, run.stdout
