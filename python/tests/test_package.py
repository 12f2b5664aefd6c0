"""What is handed out: the source distribution and the wheel."""

import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import msd
import pytest


@pytest.fixture
def dist():
    folder = os.environ.get("MSD_DIST")
    if not folder:
        pytest.skip("MSD_DIST names no folder with distributions")
    return Path(folder)


def test_the_wheel_has_the_package_its_scenes_and_stubs_and_nothing_else(dist):
    names = zipfile.ZipFile(next(dist.glob("*.whl"))).namelist()
    assert {"msd/__init__.py", "msd/__init__.pyi", "msd/py.typed", "msd/_comments.py",
            "msd/scenes/curtain.json",
            "msd/scenes/skirt.obj"} <= set(names)
    assert all(name.startswith(("msd/", f"msd-{msd.__version__}.dist-info/")) for name in names)


def test_the_extension_has_libmsd_in_it(dist):
    from msd import _msd

    needed = subprocess.run(["ldd", _msd.__file__], capture_output=True, text=True).stdout
    assert "jansson" in needed and "libmsd" not in needed and "not found" not in needed


def test_the_source_distribution_has_all_that_cmake_asks_for(dist, tmp_path):
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path)
    source = next(tmp_path.iterdir()) / "source"
    run = subprocess.run(["cmake", "-S", str(source), "-B", str(tmp_path / "build"), "-GNinja", "-DMSD_APP=OFF",
                          "-DMSD_SCENES=ON", "-DMSD_PYTHON=ON", "-DMSD_TESTS=OFF", "-DMSD_EXAMPLES=OFF",
                          "-DMSD_INSTALL=OFF"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    # All that the build would read is there.
    run = subprocess.run(["ninja", "-C", str(tmp_path / "build"), "-n", "msd_python", "msd_scenes",
                          "msd_stability_map"],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
