"""stubs.py FILE: writes the stub of the package, for editors and type checkers, from its signatures, docstrings
and the fields of C."""

import enum
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path

import msd
from msd import structs
from returns import ITEMS, returned

HEAD = '''# Generated from the package and the headers of C when it was built.
from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from os import PathLike
from typing import Any, NamedTuple, overload

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

DAMPED_HEAD = '''# Generated from the package and the headers of C when it was built.
import enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import DampedSpring as _Coefficients, Motion as Motion, SpringParameters as SpringParameters

'''

# The objects of a sequence.
ITEM = """    @overload
    def __getitem__(self, item: int) -> {0}: ...
    @overload
    def __getitem__(self, item: slice) -> list[{0}]: ..."""

# Types of parameters without annotations.
PARAMETERS = {"frame_time": "float", "substep": "float", "substeps": "int", "particles": "Particles",
              "dtype": "Any", "attribute": "str",
              "goal": "Any", "halflife": "float", "threads": "int", "rotation": "ArrayLike",
              "items": "Particles",
              "item": "int", "name_or_path": "str | PathLike[str]", "snapshot": "bytes", "state": "bytes",
              "count": "int", "strain": "float", "factor": "float", "samples": "float | ArrayLike"}


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


def signature(name, function, result):
    parameters, text, starred = inspect.signature(function).parameters.values(), [], False
    for p in parameters:
        if p.kind == p.KEYWORD_ONLY and not starred:
            text.append("*")
            starred = True
        starred = starred or p.kind == p.VAR_POSITIONAL
        text.append(parameter(p))
    return f"def {name}({', '.join(text)}) -> {result}:"


def write_class(lines, made):
    bases = [base.__name__ for base in made.__bases__ if base is not object]
    bases = [b for b in bases if b in msd.__all__ or b in ("Exception", "ValueError", "IndexError",
                                                           "MemoryError",
                                                           "ArithmeticError")]
    if issubclass(made, enum.IntEnum):
        lines += [f"class {made.__name__}(enum.IntEnum):"] + [f"    {m.name} = {int(m)}" for m in made] + [""]
        return
    if hasattr(made, "_fields"):
        write_record(lines, made, made.__doc__)
        return
    if issubclass(made, Sequence):
        bases = [f"Sequence[{ITEMS.get(made.__name__, 'Any')}]"]
    lines.append(f"class {made.__name__}({', '.join(bases)}):" if bases else f"class {made.__name__}:")
    documented(lines, "    ", made.__doc__)
    for name, kind in made.__dict__.get("__annotations__", {}).items():
        lines.append(f"    {name}: {kind if isinstance(kind, str) else kind.__name__}")
    members = {}
    for base in reversed(made.__mro__):
        if base.__module__.startswith("msd"):
            members.update(vars(base))
    for name, member in members.items():
        write_member(lines, made.__name__, name, member)
    lines.append("")


def write_member(lines, owner, name, member):
    if name.startswith("_") and name not in ("__init__", "__len__", "__bool__", "__getitem__", "__enter__",
                                             "__exit__"):
        return
    if isinstance(member, property):
        lines += ["    @property", f"    def {name}(self) -> {returned(name, owner, True)}:"]
        documented(lines, "        ", member.__doc__)
        if member.fset:
            lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
    elif isinstance(member, (classmethod, staticmethod)):
        lines += [f"    @{type(member).__name__}", "    " + signature(name, member.__func__,
                                                                      returned(name, owner))]
        documented(lines, "        ", member.__doc__)
    elif inspect.isfunction(member):
        ignore = "  # type: ignore[override]" if name == "index" or name == "__getitem__" else ""
        result = returned(name, owner)
        if name == "__getitem__" and result != "Any":
            lines.append(ITEM.format(result))
            return
        lines.append("    " + signature(name, member, result) + ignore)
        documented(lines, "        ", member.__doc__)


def kind_of_field(kind, field):
    """Returns the type of Python that structs.record converts a field of C to."""
    name = structs.name_of(kind)
    if kind.kind == "enum":
        return structs.enum(name).__name__
    if name == "msd_range":
        return "range"
    if kind.kind == "array" or structs.vector_width(kind):
        return "NDArray[Any]"
    if kind.kind == "struct":
        return structs.record_type(name).__name__
    if kind.kind == "pointer":
        return "NDArray[Any] | None" if field in structs.LISTS else "None"
    return {"f": "float", "b": "bool"}.get(structs.dtype_of(kind).kind, "int")


def write_record(lines, made, text):
    lines.append(f"class {made.__name__}(NamedTuple):")
    documented(lines, "    ", text if text and not text.startswith(made.__name__ + "(") else "")
    kinds = made.__dict__.get("__annotations__", {})
    if hasattr(made, "c_name"):
        of_c = {field: kind.type for field, kind in structs.ffi.typeof(made.c_name).fields}
        kinds = {word: kind_of_field(of_c[field], field) for word, field in zip(made._fields, made.c_fields)}
    lines += [f"    {field}: {kinds[field]}" for field in made._fields] + [""]


def write_damped(path):
    """Writes the stub of msd.damped, whose functions are those of the header."""
    lines = [DAMPED_HEAD]
    for name in msd.damped.__all__:
        made = getattr(msd.damped, name)
        if inspect.isclass(made):
            write_class(lines, made)
            continue
        result = inspect.signature(made).return_annotation
        text = signature(name, made, result if isinstance(result, str) else returned(name))
        lines.append(text.replace(": Any", ": float") if result is not inspect.Signature.empty else text)
        documented(lines, "    ", made.__doc__)
        lines.append("")
    path.write_text("\n".join(lines))


def main(path):
    lines = [HEAD]
    write_damped(Path(path).with_name("damped.pyi"))
    for name in ("MAX_STABLE", "AS_PLACED", "ISOTROPIC"):
        lines.append(f"{name}: float")
    lines += ["GROUND: int", ""]
    for name in msd.__all__:
        made = getattr(msd, name)
        if inspect.isclass(made):
            write_class(lines, made)
        elif inspect.isfunction(made):
            lines.append(signature(name, made, returned(name)))
            documented(lines, "    ", made.__doc__)
            lines.append("")
    with open(path, "w") as out:
        out.write("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1])
