"""Conan 2's recipe of the library: conan create packaging/conan"""

import os
import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir

SOURCES = ("CMakeLists.txt", "LICENSE", "cmake/*", "engine/*")


class Msd(ConanFile):
    name = "msd"
    license = "MIT"
    description = "Mass-spring engine for cloth, rope and soft bodies, with substeps that are proven stable"
    topics = ("physics", "simulation", "cloth", "soft-body")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "openmp": [True, False],
               "precision": ["float", "double"]}
    default_options = {"shared": False, "fPIC": True, "openmp": True, "precision": "float"}
    implements = ["auto_shared_fpic"]
    languages = "C"

    def set_version(self):
        text = (Path(self.recipe_folder) / "../../engine/include/msd/base.h").read_text()
        self.version = ".".join(re.search(rf"MSD_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, os.path.join(self.recipe_folder, "..", ".."), self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("APP", "SCENES", "PYTHON", "TESTS", "BENCH", "EXAMPLES", "WERROR"):
            toolchain.cache_variables[f"MSD_{name}"] = False
        toolchain.cache_variables["MSD_INSTALL"] = True
        toolchain.cache_variables["MSD_OPENMP"] = bool(self.options.openmp)
        toolchain.cache_variables["MSD_PRECISION"] = str(self.options.precision)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # Conan generates its own.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.libs = ["msd"]
        self.cpp_info.set_property("cmake_file_name", "msd")
        self.cpp_info.set_property("cmake_target_name", "msd::msd")
        self.cpp_info.set_property("pkg_config_name", "msd")
        if self.options.precision == "double":
            self.cpp_info.defines.append("MSD_DOUBLE")
        if self.settings.os == "Windows" and self.options.shared:
            self.cpp_info.defines.append("MSD_SHARED")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs.append("m")
        if self.options.openmp and not self.options.shared:
            self.cpp_info.system_libs.extend({"gcc": ["gomp", "pthread"], "clang": ["omp", "pthread"]}.get(
                str(self.settings.compiler), []))
