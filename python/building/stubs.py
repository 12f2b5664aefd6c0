"""stubs.py FILE: the stub of the package, from its signatures, docstrings and the fields of C.

Classes and functions say what they take; this only writes it down where editors and type checkers look for it.
"""

import enum
import inspect
import sys

import msd

HEAD = '''# Made from the package and the headers of C when it was built.
from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import damped as damped

Vec3 = ArrayLike
SpringLike = str | Mapping[str, Any] | None
Particles = int | range | slice | Sequence[int] | NDArray[Any] | None

c: Any
ffi: Any
__version__: str
real: np.dtype[Any]
'''

# What no signature says: what is returned, and what parameters are.
RETURNS = {"__init__": "None", "__len__": "int", "__repr__": "str", "__bool__": "bool", "__enter__": "World",
           "__exit__": "None", "step": "None", "positions": "NDArray[Any]", "velocities": "NDArray[Any]",
           "forces": "NDArray[Any]", "masses": "NDArray[Any]", "pinned": "NDArray[np.bool_]", "time": "float",
           "steps": "int", "hash": "int", "save": "bytes", "save_state": "bytes", "copy": "World", "add_rope": "Body",
           "add_cloth": "Body", "add_mesh": "Body", "add_block": "Body", "add_tetmesh": "Body", "add_tethers": "range",
           "add_particles": "range", "add_springs": "range", "add_constraints": "range", "add_anchors": "range",
           "add_rotors": "range", "add_angular_springs": "range", "add_collider": "int", "add_surface": "int",
           "springs": "Springs", "constraints": "Constraints", "anchors": "Anchors", "rotors": "Rotors",
           "angular_springs": "AngularSprings", "colliders": "Colliders", "surfaces": "Surfaces",
           "position_view": "View", "velocity_view": "View", "from_snapshot": "World", "load_scene": "Scene",
           "run": "Run", "stability_map": "StabilityMap", "list_scenes": "dict[str, str]",
           "material_names": "list[str]", "describe": "str", "step_worlds": "None", "read": "NDArray[Any]",
           "stats": "Stats", "stability": "Stability", "gravity": "NDArray[Any]", "air_drag": "float",
           "integrator": "str", "limit": "str", "energy": "str", "thread_count": "int", "message": "str",
           "explain_stability": "StabilityExplanation", "find_substeps": "int", "this_shape": "float",
           "normals": "NDArray[Any]", "particle": "int", "material": "dict[str, Any]",
           "needed_masses": "NDArray[Any]", "choose_substeps": "int", "index": "int"}
PARAMETERS = {"time_step": "float", "substeps": "int", "particles": "Particles", "dtype": "Any", "quantity": "str"}


def documented(lines, indent, text):
    said = inspect.cleandoc(text or "").replace("\\", "\\\\").replace('"""', "'''")
    if said:
        body = said.splitlines()
        lines.append(f'{indent}"""{body[0]}')
        lines += [f"{indent}{line}".rstrip() for line in body[1:]]
        lines.append(f'{indent}"""')
    else:
        lines.append(f"{indent}...")


def parameter(p):
    kind = p.annotation if isinstance(p.annotation, str) else PARAMETERS.get(p.name, "Any")
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    if p.name in ("self", "cls") and not star:
        return p.name
    default = "" if p.default is p.empty else " = ..."
    if p.default is None and "None" not in kind and kind != "Any":
        kind += " | None"
    return f"{star}{p.name}: {kind}{default}"


def signature(name, function):
    parameters, text, starred = inspect.signature(function).parameters.values(), [], False
    for p in parameters:
        if p.kind == p.KEYWORD_ONLY and not starred:
            text.append("*")
            starred = True
        starred = starred or p.kind == p.VAR_POSITIONAL
        text.append(parameter(p))
    return f"def {name}({', '.join(text)}) -> {RETURNS.get(name, 'Any')}:"


def write_class(lines, made):
    bases = [base.__name__ for base in made.__bases__ if base is not object]
    bases = [b for b in bases if b in msd.__all__ or b in ("Exception", "ValueError", "IndexError", "MemoryError",
                                                           "ArithmeticError", "Sequence", "tuple")]
    if issubclass(made, enum.IntEnum):
        lines += [f"class {made.__name__}(enum.IntEnum):"] + [f"    {m.name} = {int(m)}" for m in made] + [""]
        return
    if hasattr(made, "_fields"):
        write_record(lines, made, made.__doc__)
        return
    bases = [b.replace("Sequence", "Sequence[Any]") for b in bases]
    lines.append(f"class {made.__name__}({', '.join(bases)}):" if bases else f"class {made.__name__}:")
    documented(lines, "    ", made.__doc__)
    for name, kind in made.__dict__.get("__annotations__", {}).items():
        lines.append(f"    {name}: {kind if isinstance(kind, str) else kind.__name__}")
    members = {}
    for base in reversed(made.__mro__):
        if base.__module__.startswith("msd"):
            members.update(vars(base))
    for name, member in members.items():
        write_member(lines, name, member)
    lines.append("")


def write_member(lines, name, member):
    if name.startswith("_") and name not in ("__init__", "__len__", "__bool__", "__getitem__", "__enter__", "__exit__"):
        return
    if isinstance(member, property):
        lines += ["    @property", f"    def {name}(self) -> {RETURNS.get(name, 'Any')}:"]
        documented(lines, "        ", member.__doc__)
        if member.fset:
            lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
    elif isinstance(member, (classmethod, staticmethod)):
        lines += [f"    @{type(member).__name__}", "    " + signature(name, member.__func__)]
        documented(lines, "        ", member.__doc__)
    elif inspect.isfunction(member):
        ignore = "  # type: ignore[override]" if name == "index" or name == "__getitem__" else ""
        lines.append("    " + signature(name, member) + ignore)
        documented(lines, "        ", member.__doc__)


def write_record(lines, made, text):
    lines.append(f"class {made.__name__}(NamedTuple):")
    documented(lines, "    ", text if text and not text.startswith(made.__name__ + "(") else "")
    lines += [f"    {field}: Any" for field in made._fields] + [""]


def main(path):
    lines = [HEAD]
    for name in ("STIFFEST", "AS_PLACED", "ISOTROPIC"):
        lines.append(f"{name}: float")
    lines += ["FRAME: int", ""]
    for name in msd.__all__:
        made = getattr(msd, name)
        if inspect.isclass(made):
            write_class(lines, made)
        elif inspect.isfunction(made):
            lines.append(signature(name, made))
            documented(lines, "    ", made.__doc__)
            lines.append("")
    with open(path, "w") as out:
        out.write("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1])
