"""Makes the C source of the extension, and the docstrings and type stubs that come from the headers."""

import os
import subprocess
import sys
from pprint import pformat

import cffi
import headers

INCLUDES = ["msd/msd.h", "scenes/loader/scene.h", "scenes/loader/render_points.h", "bench/stability_map.h",
            "python/binding/binding.h"]

# Functions of Python that the engine calls: callbacks of a frame, and progress of a search for equilibrium.
CALLBACKS = """
extern "Python" bool msdpy_stop(void *context);
extern "Python" void msdpy_before_step(const msd_world *world, const msd_substep_info *info, void *context);
extern "Python" void msdpy_after_step(const msd_world *world, const msd_substep_info *info, void *context);
extern "Python" void msdpy_before_substep(const msd_world *world, const msd_substep_info *info, void *context);
extern "Python" void msdpy_after_substep(const msd_world *world, const msd_substep_info *info, void *context);
extern "Python" void msdpy_spring_torn(const msd_world *world, int32_t spring, void *context);
extern "Python" void msdpy_contact_begin(const msd_world *world, const msd_contact_event *event, void *context);
extern "Python" bool msdpy_equilibrium_progress(msd_equilibrium_progress progress, void *context);
extern "Python" void msdpy_contact_end(const msd_world *world, const msd_contact_event *event, void *context);
"""


def write(root, path, double):
    """Writes the C source of the extension."""
    ffi = cffi.FFI()
    ffi.cdef(headers.declarations(root, INCLUDES, double) + CALLBACKS + "void free(void *memory);")
    ffi.set_source("msd._msd", "#include <stdlib.h>\n" + "".join(f"#include <{name}>\n" for name in INCLUDES))
    ffi.emit_c_code(str(path))


def write_package(root, folder):
    """Writes the comments of the headers, and the stubs, into the package at `folder`, from which it can be
    imported."""
    (folder / "_comments.py").write_text('"""Comments of the headers, written at build time."""\n\n'
                                         f"COMMENTS = {pformat(headers.comments(root), width=110)}\n\n"
                                         f"PARAMETERS = {pformat(headers.parameters(root), width=110)}\n")
    stubs = os.path.join(os.path.dirname(__file__), "stubs.py")
    environment = dict(os.environ, PYTHONPATH=str(folder.parent))
    subprocess.run([sys.executable, stubs, str(folder / "__init__.pyi")], check=True, env=environment)
