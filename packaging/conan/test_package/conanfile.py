"""Builds the README's program with the package, and looks at what it prints."""

import io
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class HelloTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            printed = io.StringIO()
            self.run(os.path.join(self.cpp.build.bindir, "hello"), printed, env="conanrun")
            self.output.info(printed.getvalue())
            # What the README says, and the test of installed trees derives.
            assert "1 m of rope hangs 1.047 m deep" in printed.getvalue()
