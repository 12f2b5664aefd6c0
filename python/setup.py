"""Builds libmsd with CMake, and links it into the extension msd._msd, whose declarations come from the headers.

MSD_BUILD names a folder in which CMake has built msd; then only missing targets are built there.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "building"))

# Sources of the engine: next to the package in a checkout, inside it in a source distribution.
ROOT = HERE / "source" if (HERE / "source").is_dir() else HERE.parent
SOURCES = ["CMakeLists.txt", "LICENSE", "cmake", "engine", "scenes", "bench", "python/CMakeLists.txt",
           "python/binding"]
TARGETS = ["msd", "msd_scenes", "msd_stability_map", "msd_python"]
LIBRARIES = ["python/libmsd_python.a", "bench/libmsd_stability_map.a", "scenes/libmsd_scenes.a"]


def version():
    text = (ROOT / "engine/include/msd/base.h").read_text()
    return ".".join(re.search(rf"MSD_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def cached(folder, name):
    """Returns a variable of a folder that CMake has configured."""
    found = re.search(rf"^{name}:\w+=(.*)$", (folder / "CMakeCache.txt").read_text(), re.M)
    return found[1] if found else ""


class BuildExtension(build_ext):
    def run(self):
        built = os.environ.get("MSD_BUILD")
        folder = Path(built).resolve() if built else Path(self.build_temp).resolve() / "cmake"
        if not built:
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release",
                            *(["-GNinja"] if shutil.which("ninja") else []), "-DMSD_APP=OFF", "-DMSD_SCENES=ON",
                            "-DMSD_PYTHON=ON", "-DMSD_TESTS=OFF", "-DMSD_EXAMPLES=OFF", "-DMSD_INSTALL=OFF",
                            "-DMSD_WERROR=OFF",
                            f"-DMSD_PRECISION={os.environ.get('MSD_PRECISION', 'float')}"], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--parallel", "--target", *TARGETS], check=True)
        import binding  # of building/; needs cffi

        double = cached(folder, "MSD_PRECISION") == "double"
        source = Path(self.build_temp).resolve() / "_msd.c"
        source.parent.mkdir(parents=True, exist_ok=True)
        binding.write(ROOT, source, double)
        extension = self.extensions[0]
        extension.sources = [str(source)]
        extension.include_dirs = [str(ROOT / "engine/include"), str(ROOT)]
        extension.define_macros = [("MSD_DOUBLE", None)] if double else []
        shared = cached(folder, "BUILD_SHARED_LIBS") == "ON"
        libmsd = f"engine/libmsd.{'so' if shared else 'a'}"
        extension.extra_objects = [str(folder / name) for name in (*LIBRARIES, libmsd)]
        extension.depends = extension.extra_objects
        extension.libraries = ["jansson", "m"]
        extension.extra_compile_args = ["-Wno-unused-function"]
        if cached(folder, "MSD_OPENMP") == "ON" and "NOTFOUND" not in cached(folder, "OpenMP_C_FLAGS"):
            extension.extra_link_args = cached(folder, "OpenMP_C_FLAGS").split()
        super().run()
        binding.write_package(ROOT, Path(self.get_ext_fullpath("msd._msd")).parent)


class BuildPackage(build_py):
    """Builds the extension first, since the type stubs are generated from it. Includes the built-in scenes."""

    def run(self):
        super().run()
        target = Path(self.build_lib) / "msd"
        (target / "py.typed").touch()
        shutil.rmtree(target / "scenes", ignore_errors=True)
        (target / "scenes").mkdir(parents=True)
        for path in (ROOT / "scenes").iterdir():
            if path.is_file() and path.name != "CMakeLists.txt":
                shutil.copy(path, target / "scenes")


class SourceDistribution(sdist):
    """Includes the sources of the engine."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in SOURCES:
            target = Path(base_dir) / "source" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("results"),
                                dirs_exist_ok=True)
            else:
                shutil.copy(ROOT / name, target)


setup(version=version(), ext_modules=[Extension("msd._msd", ["made by binding.write"])],
      cmdclass={"build_ext": BuildExtension, "build_py": BuildPackage, "sdist": SourceDistribution})
