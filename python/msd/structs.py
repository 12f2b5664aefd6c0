"""Conversion of keyword arguments to structs of C, and of structs to records and arrays. It is driven by the
fields of the headers, so new fields are supported automatically."""

from collections import namedtuple
import difflib
from functools import lru_cache
import keyword
import math
import operator

import numpy as np

from . import _msd
from .errors import BadIndex, BadValue, Error, Result, enum_of, error

ffi, lib = _msd.ffi, _msd.lib

real = np.dtype(np.float64 if ffi.sizeof("msd_real") == 8 else np.float32)

_NUMBERS = {"float": "f4", "double": "f8", "_Bool": "?", "int": "i4", "int32_t": "i4", "uint32_t": "u4",
            "int64_t": "i8", "uint64_t": "u8", "size_t": "u8", "msd_real": real.str[1:], "long": "i8"}

# Enumerations and the prefixes of their values. Arguments can be given by name: "rk4".
ENUMS = {"msd_integrator": "MSD_", "msd_energy_mode": "MSD_ENERGY_", "msd_simd": "MSD_SIMD_",
         "msd_spring_law": "MSD_SPRING_", "msd_spring_mode": "MSD_SPRING_", "msd_bend_kind": "MSD_BEND_",
         "msd_elements": "MSD_ELEMENTS_", "msd_constraint_kind": "MSD_CONSTRAINT_",
         "msd_collider_kind": "MSD_COLLIDER_", "msd_attribute": "MSD_", "msd_scalar": "MSD_SCALAR_",
         "msd_limiting": "MSD_LIMITING_", "msd_cause": "MSD_CAUSE_", "msd_resonance": "MSD_RESONANCE_",
         "msd_result": "MSD_", "msd_object": "MSD_OBJECT_", "msd_record": "MSD_RECORD_",
         "msd_mass_scaling": "MSD_MASS_SCALING_",
         "msd_material_basis": "MSD_MATERIAL_BASIS_", "msd_solver": "MSD_SOLVER_",
         "stability_outcome": "STABILITY_"}

# Structs that are returned as named tuples.
RECORDS = ("msd_stats", "msd_energy_account", "msd_solver_residual", "msd_stability", "msd_stability_cause",
           "msd_stability_remedy", "msd_stability_explanation", "msd_softening", "msd_mass_redistribution",
           "msd_static_stretch", "msd_stretch_plan", "msd_substep_info", "msd_contact_event",
           "msd_penetration", "msd_body", "msd_material", "msd_spring_def", "msd_constraint_def",
           "msd_soft_pin_def", "msd_rotor_def", "msd_torsion_spring_def", "msd_collider_def",
           "msd_collision_mesh_def", "msd_contact_settings", "msd_wind_def", "msd_sleep_def",
           "msd_damage_def", "msd_spring_parameters", "msd_motion", "msd_damped_spring", "msd_quaternion",
           "msd_equilibrium_progress", "msd_equilibrium_report")

# Arrays in definitions: numbers per element. The number of elements is in the field "..._count".
LISTS = {"vertices": ("vertex_count", 3), "triangles": ("triangle_count", 3), "segments": ("segment_count", 2),
         "tetrahedra": ("tetrahedron_count", 4)}

# Fields that users cannot set: from the default definition, or reserved for this package.
HIDDEN = {"cookie", "allocator", "log", "log_context", "tasks", "context", "progress"}
HIDDEN |= {count for count, _ in LISTS.values()}


def name_of(kind):
    """The name of a type, without "struct" and "enum"."""
    return kind.cname.removeprefix("struct ").removeprefix("enum ")


@lru_cache(maxsize=None)
def enum(name):
    """The Python enumeration for one of C."""
    if name == "msd_result":
        return Result
    made = enum_of(name, ENUMS[name])
    words = "".join(word.title() for word in name.replace("msd_", "").split("_"))
    made.__name__ = made.__qualname__ = words
    return made


def number_of(name, value):
    """The number of an enumeration value, given by name or number."""
    kinds = enum(name)
    if isinstance(value, str):
        try:
            return int(kinds[("_" if value[:1].isdigit() else "") + value.upper()])
        except KeyError:
            known = ", ".join(repr(kind.name.lower().strip("_")) for kind in kinds)
            raise BadValue(Result.BAD_VALUE,
                           f"there is no {kinds.__name__} {value!r}; there are {known}") from None
    return operator.index(value)


def fields_of(name):
    """The fields of a struct that users can set, by name: ctypes."""
    return {field: kind.type for field, kind in ffi.typeof(name).fields if field not in HIDDEN}


def spoken(kind):
    """The name of a kind of objects in messages: "soft pin"."""
    return kind.replace("_", " ")


def plural(kind):
    """The plural of a kind of objects in messages: "collision meshes"."""
    return spoken(kind) + ("es" if kind.endswith("mesh") else "s")


def word_of(field):
    """A field name that is valid in Python: from_."""
    return field + "_" if keyword.iskeyword(field) else field


def vector_width(kind):
    """3 for a vector, 4 for a rotation, 2 for a range; 0 otherwise."""
    return {"msd_vec3": 3, "msd_quaternion": 4, "msd_range": 2}.get(name_of(kind), 0)


@lru_cache(maxsize=None)
def dtype_of(name):
    """The numpy type of a struct or number, with the memory layout of C."""
    kind = ffi.typeof(name) if isinstance(name, str) else name
    if kind.kind == "primitive":
        return np.dtype(_NUMBERS[name_of(kind)])
    if kind.kind == "enum":
        return np.dtype("i4")
    if kind.kind in ("pointer", "function"):
        return np.dtype("u8")
    if kind.kind == "array":
        return np.dtype((dtype_of(kind.item), (kind.length,)))
    if vector_width(kind):
        return np.dtype((dtype_of(kind.fields[0][1].type), (vector_width(kind),)))
    names = [field for field, _ in kind.fields]
    return np.dtype({"names": names, "formats": [dtype_of(f.type) for _, f in kind.fields],
                     "offsets": [f.offset for _, f in kind.fields], "itemsize": ffi.sizeof(kind)})


def finite_int(value, what):
    try:
        return operator.index(value)
    except TypeError:
        raise BadValue(Result.BAD_VALUE, f"{what} is {value!r}; it must be a whole number") from None


def natural(value, what):
    """A count, 0 or more, as in C."""
    number = finite_int(value, what)
    if not 0 <= number < 1 << 31:
        raise BadValue(Result.BAD_VALUE, f"{what} is {number}; it must be 0 or more, and below {1 << 31}")
    return number


class UnknownField(TypeError):
    """A keyword that is not a field."""


def unknown(given, known, what):
    near = difflib.get_close_matches(given, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return UnknownField(f"{what} has no field {given!r}{hint}")


# -------------------------------------------------------------------------------------------- laws of springs


def complete_law(given):
    """Deduces the law of a spring from its numbers: {"ck": 1} is the coefficient law."""
    if "law" not in given:
        for law, words in (("coefficient", ("ck", "cd")), ("frequency", ("frequency", "damping_ratio")),
                           ("stiffness", ("stiffness", "damping"))):
            if any(given.get(word) is not None for word in words):
                return {**given, "law": law}
    return given


def _law(value):
    """A template of springs: None, "max_stable", a dict or any mapping."""
    if value is None or (isinstance(value, str) and value == "none"):
        return {"law": "none"}
    if isinstance(value, str):
        if value != "max_stable":
            raise BadValue(Result.BAD_VALUE,
                           f"a spring is 'max_stable', 'none', None or a dict, and not {value!r}")
        return {"law": "coefficient", "ck": lib.MSD_MAX_STABLE, "cd": lib.MSD_MAX_STABLE}
    return complete_law(dict(value))


# ------------------------------------------------------------------------------------------------ definitions


def default(name):
    """The default definition of a struct of C; zeros if there is none."""
    make = getattr(lib, "msd_default_" + name[len("msd_"):], None) or getattr(
        lib, "msd_default_" + name[len("msd_"):].replace("_def", "") + "_def", None)
    made = ffi.new(name + "*")
    if make is not None:
        made[0] = make()
    return made


def define(name, given, keep=None):
    """A definition from keyword arguments, and the objects that must be kept alive while it is used."""
    keep = [] if keep is None else keep
    made = default(name)
    kinds = fields_of(name)
    if "law" in kinds:
        given = complete_law(given)
    for word, value in given.items():
        field = word[:-1] if word.endswith("_") else word
        if field not in kinds:
            raise unknown(word, kinds, name)
        try:
            _set(made, field, kinds[field], value, keep)
        except (Error, UnknownField):
            raise
        except (TypeError, ValueError, OverflowError) as problem:
            raise BadValue(Result.BAD_VALUE, f"{name[4:]}.{field}: {problem}") from None
    keep.append(made)
    return made, keep


def _set(made, field, kind, value, keep):
    if kind.kind == "enum":
        setattr(made, field, number_of(name_of(kind), value))
    elif kind.kind == "array" or vector_width(kind):
        width = kind.length if kind.kind == "array" else vector_width(kind)
        numbers = sequence(value, width, dtype_of(kind.item if kind.kind == "array"
                                                  else kind.fields[0][1].type))
        setattr(made, field, numbers)
    elif kind.kind == "struct":
        given = _law(value) if name_of(kind) == "msd_spring_def" else as_dict(value)
        setattr(made, field, define(name_of(kind), given, keep)[0][0])
    elif kind.kind == "pointer":
        _point(made, field, kind, value, keep)
    elif name_of(kind) == "_Bool":
        setattr(made, field, bool(value))
    elif name_of(kind) in ("float", "double", "msd_real"):
        setattr(made, field, float(value))
    else:
        setattr(made, field, finite_int(value, field))


def _point(made, field, kind, value, keep):
    if value is None:
        return
    if name_of(kind.item) == "msd_material":
        keep.append(made_of := define("msd_material", material_fields(value), keep)[0])
        setattr(made, field, made_of)
        return
    count, width = LISTS[field]
    number = real if name_of(kind.item) == "msd_vec3" else np.dtype(np.int32)
    numbers = rows(value, width, number, field)
    keep.append(numbers)
    setattr(made, field, ffi.cast(kind, numbers.ctypes.data))
    setattr(made, count, len(numbers))


def rows(value, width, number, what):
    """An array of rows with `width` numbers each, in the memory layout of C."""
    given = array_of(value, what)
    if given.size == 0:
        given = given.reshape(0, width)
    if given.ndim != 2 or given.shape[1] != width:
        raise BadValue(Result.BAD_VALUE, f"{what} has the shape {given.shape}; it must be (n, {width})")
    return as_numbers(given, number, what)


def array_of(value, what):
    """Converts a value to an array of any type."""
    try:
        return np.asarray(value)
    except ValueError:
        raise BadValue(Result.BAD_VALUE, f"{what} has rows of different lengths") from None


def booleans(given, what):
    """Converts to booleans; numbers other than 0 and 1, and text, are refused."""
    if given.dtype.kind not in "biu" or not ((given == 0) | (given == 1)).all():
        raise BadValue(Result.BAD_VALUE, f"{what} must be True or False, and not {given.dtype}")
    return given.astype(bool)


def as_numbers(given, number, what):
    """Converts to a contiguous array of a type; integers must be integral and in range."""
    if given.dtype.kind == "c":
        raise BadValue(Result.BAD_VALUE, f"{what} must be real numbers, and not {given.dtype}")
    if number.kind in "iu":
        if given.size and given.dtype.kind not in "iub":
            raise BadValue(Result.BAD_VALUE, f"{what} must be whole numbers, and not {given.dtype}")
        if given.size and (int(given.max()) > np.iinfo(number).max or int(given.min()) < np.iinfo(number).min):
            raise BadValue(Result.BAD_VALUE, f"{what} has numbers that no index can be")
    try:
        with np.errstate(over="ignore"):
            return np.asarray(given, number, order="C")
    except (TypeError, ValueError) as problem:
        raise BadValue(Result.BAD_VALUE, f"{what}: {problem}") from None


def indices_of(given, count, what):
    """Indices for C from one index, a slice, a range, a list or a mask; negative ones count from the end."""
    if isinstance(given, slice):
        given = range(*given.indices(count))
    chosen = array_of(given, plural(what))
    if chosen.dtype == bool:
        if chosen.shape != (count,):
            raise BadIndex(Result.BAD_INDEX, f"a mask has the shape {chosen.shape}; it must be ({count},)")
        return np.flatnonzero(chosen).astype(np.int32)
    if chosen.ndim > 1:
        raise BadIndex(Result.BAD_INDEX, f"{plural(what)} have the shape {chosen.shape}; it must be (n,)")
    chosen = np.atleast_1d(as_numbers(chosen, np.dtype(np.int32), plural(what)))
    outside = (chosen < -count) | (chosen >= count)
    if outside.any():
        raise BadIndex(Result.BAD_INDEX, f"there is no {spoken(what)} {chosen[outside][0]}; there are {count}")
    return np.where(chosen < 0, chosen + count, chosen).astype(np.int32)


def sequence(value, width, number):
    numbers = array_of(value, "a vector")
    if numbers.shape != (width,):
        raise BadValue(Result.BAD_VALUE, f"{value!r} must be {width} numbers")
    return as_numbers(numbers, number, repr(value)).tolist()


def material_fields(value):
    """The fields of a material, which can be given by the name of a built-in one."""
    if isinstance(value, str):
        found = default("msd_material")
        if lib.msd_material_named(value.encode(), found) != lib.MSD_OK:
            near = difflib.get_close_matches(value, material_names(), cutoff=0.5)
            known = f"there are {', '.join(material_names())}"
            said = f"did you mean {' or '.join(map(repr, near))}?" if near else known
            raise BadValue(Result.BAD_VALUE, f"there is no material {value!r}; {said}")
        value = record(found[0])
    return as_dict(value)


def material_names():
    """Returns the names of the built-in materials."""
    names = []
    while lib.msd_material_name(len(names)) != ffi.NULL:
        names.append(ffi.string(lib.msd_material_name(len(names))).decode())
    return names


def material_origin(name):
    """Returns where the numbers of a built-in material come from: a dict of its description, its source, and
    a MaterialBasis for density, stretch, shear, bend, compression and damping."""
    material_fields(name)  # raises for an unknown name
    origin = lib.msd_material_get_origin(material_names().index(name))
    kinds = {field: kind.type for field, kind in ffi.typeof("msd_material_origin").fields}
    return {field: enum("msd_material_basis")(getattr(origin, field)) if kind.kind == "enum"
            else ffi.string(getattr(origin, field)).decode() for field, kind in kinds.items()}


def as_dict(value):
    return value._asdict() if hasattr(value, "_asdict") else dict(value)


# ----------------------------------------------------------------------------------- many definitions at once


def define_all(name, given, count=None):
    """An array of definitions from columns: a number or vector for all, or an array with one per definition."""
    kinds = fields_of(name)
    if "law" in kinds:
        given = complete_law(given)
    columns, length = {}, None if count is None else natural(count, "count")
    for word, value in given.items():
        field = word[:-1] if word.endswith("_") else word
        if field not in kinds or kinds[field].kind == "pointer":
            raise unknown(word, kinds, name)
        column, rank = _column(name, field, kinds[field], value)
        columns[field] = column
        if column.ndim > rank:
            if length is not None and length != len(column):
                raise BadValue(Result.BAD_VALUE,
                               f"{name[4:]}.{field} has {len(column)} elements, and others have {length}")
            length = len(column)
    length = 1 if length is None else length
    made = ffi.new(name + "[]", max(length, 1))
    one = default(name)
    ffi.memmove(made, one, ffi.sizeof(name))
    table = np.frombuffer(ffi.buffer(made), dtype_of(name))
    table[1:] = table[0]
    table = table[:length]
    for field, column in columns.items():
        table[field] = column
    return made, length


def _column(name, field, kind, value):
    inner = dtype_of(kind)
    shape, number = inner.shape, inner.base
    if kind.kind == "enum":
        if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim):
            value = np.array([number_of(name_of(kind), item) for item in value], "i4")
        else:
            value = number_of(name_of(kind), value)
    column = array_of(value, f"{name[4:]}.{field}")
    if column.shape[column.ndim - len(shape):] != shape or column.ndim > len(shape) + 1:
        wanted = f"{shape} or (n, {shape[0]})" if shape else "() or (n,)"
        raise BadValue(Result.BAD_VALUE,
                       f"{name[4:]}.{field} has the shape {column.shape}; it must be {wanted}")
    if number.kind == "b":
        return booleans(column, f"{name[4:]}.{field}"), len(shape)
    return as_numbers(column, number, f"{name[4:]}.{field}"), len(shape)


# ---------------------------------------------------------------------------------------------------- records


@lru_cache(maxsize=None)
def record_type(name):
    """The named tuple type for a struct of C."""
    names = [field for field, _ in ffi.typeof(name).fields if field not in HIDDEN]
    renamed = [word_of(field) for field in names]
    title = "".join(word.title() for word in name.replace("msd_", "").split("_"))
    made = namedtuple(title, renamed, module="msd")
    made.c_fields, made.c_name = tuple(names), name
    return made


def record(struct):
    """Converts any struct of C to a named tuple."""
    kind = ffi.typeof(struct)
    if kind.kind == "pointer":
        kind, struct = kind.item, struct[0]
    made = record_type(name_of(kind))
    types = {name: field.type for name, field in kind.fields}
    return made(*(_value(getattr(struct, field), types[field], struct, field) for field in made.c_fields))


def _value(value, kind, struct, field):
    if kind.kind == "enum":
        return enum(name_of(kind))(value) if value in set(kind.elements) else value
    if name_of(kind) == "msd_range":
        return range(value.first, value.first + value.count)
    if vector_width(kind):
        return np.array([getattr(value, name) for name, _ in kind.fields])
    if kind.kind == "struct":
        return record(value)
    if kind.kind == "array":
        return np.array(list(value))
    if kind.kind == "pointer":
        if field not in LISTS or value == ffi.NULL:
            return None
        count, width = LISTS[field]
        size = getattr(struct, count) * width * ffi.sizeof(kind.item)
        number = real if name_of(kind.item) == "msd_vec3" else np.int32
        return np.frombuffer(ffi.buffer(value, size), number).reshape(-1, width).copy()
    return value


def to_array(structs, name, count):
    """Converts the first `count` of an array of structs to a numpy array with the same fields."""
    return np.frombuffer(ffi.buffer(structs), dtype_of(name))[:count].copy()


def quaternion(value):
    """A rotation of C, from three angles in degrees about x, then y, then z, or from (w, x, y, z)."""
    numbers = array_of(value, "rotation")
    if numbers.shape not in ((3,), (4,)):
        raise BadValue(Result.BAD_VALUE,
                       f"a rotation is three angles in degrees, or (w, x, y, z), and not {value!r}")
    numbers = as_numbers(numbers, real, "rotation").tolist()
    if len(numbers) == 3:
        return lib.msd_quaternion_from_degrees(ffi.new("msd_vec3 *", numbers)[0])
    return ffi.new("msd_quaternion *", numbers)[0]


def c_range(indices, what="springs"):
    """A msd_range from a range or a single index."""
    if isinstance(indices, range):
        if indices.step != 1:
            raise BadValue(Result.BAD_VALUE, f"{what}: {indices} has gaps; it must be one range of indices")
        return ffi.new("msd_range *", (indices.start, len(indices)))[0]
    return ffi.new("msd_range *", (finite_int(indices, what), 1))[0]


def pointer(array, kind):
    return ffi.cast(kind, array.ctypes.data)


def seconds(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise error(Result.BAD_FRAME_TIME, f"a frame time is a number of seconds, and not {value!r}") from None


def is_number(value):
    return isinstance(value, (int, float, np.integer, np.floating)) and not math.isnan(value)
