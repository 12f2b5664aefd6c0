"""Signatures and docstrings from the C headers."""

import inspect

from .structs import dtype_of, fields_of, ffi, name_of, vector_width, word_of

try:
    from ._comments import COMMENTS, PARAMETERS
except ImportError:  # while the package is being built
    COMMENTS, PARAMETERS = {}, {}


def annotation(kind):
    """The Python type of a C field, as text for stubs."""
    if kind.kind == "enum":
        return "str | int"
    if vector_width(kind) or kind.kind in ("array", "pointer"):
        return "str | Mapping[str, Any] | None" if "material" in name_of(kind) else "ArrayLike"
    if kind.kind == "struct":
        return "SpringLike"
    number = dtype_of(kind)
    return {"f": "float | ArrayLike", "b": "bool | ArrayLike"}.get(number.kind, "int | ArrayLike")


def fields_text(struct):
    """The header comments of all fields, as lines of a docstring."""
    lines, last = [], None
    for field in fields_of(struct):
        said = COMMENTS.get(f"{struct}.{field}", "")
        name = word_of(field)
        if said and said == last:
            lines[-1] = lines[-1].replace(":", f", {name}:", 1)
        else:
            lines.append(f"    {name}: {' '.join(said.split())}".rstrip(": "))
        last = said
    return "\n".join(lines)


def document(struct, *functions):
    """Gives a function that takes **fields of a struct the names of these fields, and their documentation from
    the header."""
    def decorate(function):
        own = [p for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_KEYWORD]
        taken = {p.name for p in own}
        added = []
        for field, kind in fields_of(struct).items():
            name = word_of(field)
            if name not in taken:
                added.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=...,
                                               annotation=annotation(kind)))
        function.__signature__ = inspect.Signature(own + added)
        said = [COMMENTS[name] for name in functions if name in COMMENTS]
        if struct in COMMENTS and not said:
            said.append(COMMENTS[struct])
        function.__doc__ = "\n\n".join(filter(None, [inspect.cleandoc(function.__doc__ or ""), *said,
                                                     "Fields:\n" + fields_text(struct)]))
        return function

    return decorate


def describe(name):
    """Returns the header comment of a C function, type or field: describe('msd_world_step')."""
    if name in COMMENTS:
        return COMMENTS[name]
    try:
        ffi.typeof(name)
    except (ffi.error, TypeError):
        return ""
    return fields_text(name) if ffi.typeof(name).kind == "struct" else ""
