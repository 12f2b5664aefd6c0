"""Makes the C of the extension, and what of the package follows from the headers: docstrings and type stubs."""

import os
import subprocess
import sys
from pprint import pformat

import cffi
import headers

INCLUDES = ["msd/msd.h", "scenes/loader/scene.h", "scenes/loader/shown_points.h", "bench/stability_map.h",
            "python/binding/binding.h"]

# What a step calls: functions of Python (msd/callbacks.h), and a search for rest (msd/rest.h).
CALLBACKS = """
extern "Python" bool msdpy_stop(void *context);
extern "Python" void msdpy_before_step(const msd_world *world, const msd_moment *moment, void *context);
extern "Python" void msdpy_after_step(const msd_world *world, const msd_moment *moment, void *context);
extern "Python" void msdpy_before_substep(const msd_world *world, const msd_moment *moment, void *context);
extern "Python" void msdpy_after_substep(const msd_world *world, const msd_moment *moment, void *context);
extern "Python" void msdpy_spring_torn(const msd_world *world, int32_t spring, void *context);
extern "Python" void msdpy_contact_begin(const msd_world *world, const msd_touch *touch, void *context);
extern "Python" bool msdpy_rest_told(msd_rest_progress progress, void *context);
extern "Python" void msdpy_contact_end(const msd_world *world, const msd_touch *touch, void *context);
"""


def write(root, path, double):
    """The C of the extension."""
    ffi = cffi.FFI()
    ffi.cdef(headers.declarations(root, INCLUDES, double) + CALLBACKS + "void free(void *memory);")
    ffi.set_source("msd._msd", "#include <stdlib.h>\n" + "".join(f"#include <{name}>\n" for name in INCLUDES))
    ffi.emit_c_code(str(path))


def write_package(root, folder):
    """What the comments of the headers say, and the stubs, into the package at `folder`, where it can be
    imported."""
    (folder / "_comments.py").write_text('"""What the headers say; made when the package was built."""\n\n'
                                         f"COMMENTS = {pformat(headers.comments(root), width=110)}\n\n"
                                         f"PARAMETERS = {pformat(headers.parameters(root), width=110)}\n")
    stubs = os.path.join(os.path.dirname(__file__), "stubs.py")
    environment = dict(os.environ, PYTHONPATH=str(folder.parent))
    subprocess.run([sys.executable, stubs, str(folder / "__init__.pyi")], check=True, env=environment)
