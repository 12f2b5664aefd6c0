"""Reads the C headers: their declarations, for cffi, and their comments, for docstrings. The headers are the
only source of both."""

import re
import subprocess
from pathlib import Path

from pycparser import c_ast, c_generator, c_parser

# Lines of the system's headers are discarded; these are the types that the project uses from them.
SYSTEM_TYPES = """
typedef _Bool bool;
typedef unsigned long size_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef struct va_list_of_the_system *va_list;
"""

MARKER = re.compile(r'# (\d+) "(.*?)"')
MACRO = re.compile(r"#define (MSD_\w+) +(\S.*)")


def preprocess(root, includes, double):
    """Returns the preprocessed lines of the project's own headers, and the macros that they define."""
    source = "".join(f"#include <{name}>\n" for name in includes)
    command = ["cc", "-E", "-dD", f"-I{root}/engine/include", f"-I{root}", "-D__attribute__(x)=",
               *(["-DMSD_DOUBLE"] if double else []), "-xc", "-"]
    text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    ours = False
    lines, macros = [], {}
    for line in text.splitlines():
        marker = MARKER.match(line)
        if marker:
            ours = marker[2].startswith(str(root) + "/")
        elif ours and line.startswith("#"):
            macro = MACRO.match(line)
            if macro:
                macros[macro[1]] = macro[2]
        elif ours:
            lines.append(line)
    return "\n".join(lines), macros


def numbers(macros):
    """Returns the macros that are numbers, with their types."""
    found = {}
    for name, value in macros.items():
        if re.search(r"\(\(msd_real\)|[.]", value):
            found[name] = "double"
        elif re.fullmatch(r"\(?(\(\w+\))?-?\d+\)?", value):
            found[name] = "int"
    return found


def declarations(root, includes, double=False):
    """Returns the declarations for cffi: all types and functions, and macros that are numbers."""
    text, macros = preprocess(root, includes, double)
    # The symbol of the definition of a world has a suffix for its precision; programs omit it.
    text = re.sub(r"\bmsd_default_world_def_(float|double)\b", "msd_default_world_def", text)
    tree = c_parser.CParser().parse(SYSTEM_TYPES + text)
    known = len(c_parser.CParser().parse(SYSTEM_TYPES).ext)
    writer = c_generator.CGenerator()
    kept = []
    for node in tree.ext[known:]:
        if isinstance(node, c_ast.FuncDef) or "inline" in getattr(node, "funcspec", []):
            continue
        node.storage = [word for word in getattr(node, "storage", []) if word == "typedef"]
        if "va_list" not in writer.visit(node):
            kept.append(writer.visit(node) + ";")
    kept += [f"static const {kind} {name};" for name, kind in numbers(macros).items()]
    return "\n".join(kept)


COMMENT = r"/\*(?P<text>(?:[^*]|\*(?!/))*)\*/"
FUNCTION = re.compile(r"MSD_API[^;]*?\b(?P<name>msd_\w+)\((?P<arguments>[^;]*)\);", re.S)
STRUCT = re.compile(r"typedef (?:struct|enum)(?: msd_\w+)? \{(?P<body>.*?)\n\} (?P<name>msd_\w+);", re.S)


def plain(comment):
    """The text of a comment, without its indentation."""
    lines = [line.strip() for line in comment.strip().splitlines()]
    return "\n".join(lines).strip()


def comments(root):
    """{"msd_add_rope": ..., "msd_rope_def.mass": ..., "msd_rope_def": ...}: the comments of the headers. A
    comment above several functions applies to all of them."""
    found = {}
    for path in sorted(Path(root, "engine/include/msd").glob("*.h")):
        text = path.read_text()
        for struct in STRUCT.finditer(text):
            before = re.search(COMMENT + r"\s*$", text[:struct.start()])
            if before:
                found[struct["name"]] = plain(before["text"])
            _fields(found, struct["name"], struct["body"])
        last, end = "", 0
        for function in FUNCTION.finditer(text):
            between = text[end:function.start()]
            above = list(re.finditer(COMMENT, between))
            if above and not between[above[-1].end():].strip() and "-----" not in above[-1]["text"]:
                last = plain(above[-1]["text"])
            elif above or between.strip():
                last = ""
            end = function.end()
            if last:
                found[function["name"]] = last
    return found


def parameters(root):
    """{"msd_damper": ("x", "goal", "halflife", "time_step")}: what the headers call the arguments of
    functions."""
    found = {}
    for path in sorted(Path(root, "engine/include/msd").glob("*.h")):
        for function in FUNCTION.finditer(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)):
            words = [re.search(r"(\w+)(?:\[\d*\])?$", part.strip())[1]
                     for part in function["arguments"].split(",")]
            found[function["name"]] = tuple(word for word in words if word != "void")
    return found


def _fields(found, struct, body):
    comment = ""
    for piece in re.finditer(COMMENT + r"|(?P<code>[^/;,{}]+)(?P<end>[;,{}]|$|(?=/))", body):
        if piece["text"] is not None:
            comment = plain(piece["text"])
            continue
        names = re.findall(r"(\w+)(?:\[\w*\])?\s*$", piece["code"].split("=")[0].split(")(")[0])
        if "(" in piece["code"]:
            names = re.findall(r"\(\*(\w+)", piece["code"])
        for name in names:
            if comment:
                found[f"{struct}.{name}"] = comment
        if piece["end"] == ";":
            comment = ""
