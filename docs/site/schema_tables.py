#!/usr/bin/python3
"""schema_tables.py [--check] [PAGE...]: writes the tables of keys in docs/reference/scene from the schema of scenes.

A table stands between `<!-- keys: PLACE -->` and `<!-- end -->`. PLACE is `scene`, `body.TYPE`, `collider.TYPE`,
`material.TYPE` or a definition of the schema, with properties after it: `rotors.springs`. `only KEY...` or
`without KEY...` after it chooses rows. With --check nothing is written, and a page that differs is an error.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "scenes/loader/scene.schema.json"
PAGES = ROOT / "docs/reference/scene"
MARKED = re.compile(r"(<!-- keys: ([^>]*?) -->\n).*?(<!-- end -->)", re.S)
SMALLEST, LARGEST = 1e-18, 1e18

# What a reader sees for a reference to a definition.
WORDS = {
    "vector": "[x, y, z]", "degrees": "[x, y, z]", "sides": "[x, y, z], each > 0", "seconds": "number ≥ 0",
    "springs_on_lengths": "[springs](springs_and_materials.md#springs)",
    "springs_on_volumes": "[springs](springs_and_materials.md#springs)",
    "bend_of_rope": "[bend](springs_and_materials.md#bend)", "bend_of_cloth": "[bend](springs_and_materials.md#bend)",
    "bend_of_mesh": "[bend](springs_and_materials.md#bend)",
    "material_of_rope": "[material](springs_and_materials.md#materials)",
    "material_of_sheet": "[material](springs_and_materials.md#materials)",
    "material_of_block": "[material](springs_and_materials.md#materials)",
    "material_of_tetmesh": "[material](springs_and_materials.md#materials)",
    "collision": "[object](colliders_contact_wind.md#collision-of-a-body)",
    "contact": "[object](colliders_contact_wind.md#contact)", "wind": "[object](colliders_contact_wind.md#wind)",
    "sleep": "[object](settings.md#sleep)", "tethers": "`true`, `false` or [object](bodies.md#tethers)",
    "body_and_particles": "[body, [particles](bodies.md#particles-by-name)...]",
    "particles_of_line": "[particle](bodies.md#particles-by-name)", "particles_of_surface": "[particle](bodies.md#particles-by-name)",
    "particles_of_file": "[particle](bodies.md#particles-by-name)", "name": "text", "stiffening": "`{ \"strain\": s, \"factor\": f }`",
}
LISTS = {
    "bodies": "list of [bodies](bodies.md)", "connections": "list of [connections](springs_and_materials.md#connections)",
    "seams": "list of [seams](springs_and_materials.md#seams)", "animation": "list of [entries](animation.md)",
    "colliders": "list of [colliders](colliders_contact_wind.md#colliders)",
    "soft_pins": "list of [soft pins](bodies.md#soft-pins)", "springs": "list of springs", "constraints": "list of constraints",
    "pinned": "list of [particles](bodies.md#particles-by-name)", "keyframes": "list of keyframes", "forces": "list of keyframes",
    "between": "list", "along": "list of [particles](bodies.md#particles-by-name)", "cut": "list", "attach_to": "[skeleton, joint]", "exclude": "list of [name, name]", "particles": "list of particles",
    "path": "list of [x, y, z]", "velocity": "list of [x, y, z]", "position": "list of [x, y, z]", "angle": "list of numbers", "cells": "[x, y, z], each ≥ 1",
    "closing_time": "[from, to]", "interval": "[from, to]",
}
NAMED = {"animation": "animation", "connections": "connection"}


class Schema:
    def __init__(self, path=SCHEMA):
        self.root = json.loads(Path(path).read_text())
        self.definitions = self.root["definitions"]

    def resolved(self, schema):
        """A schema with what it refers to; its own words win."""
        if "$ref" not in schema:
            return schema
        return {**self.resolved(self.definitions[schema["$ref"].rpartition("/")[2]]), **schema}

    def at(self, place):
        """The object schema that a place names."""
        first, *rest = place.split(".")
        if first == "scene":
            found = self.root
        elif first in ("body", "collider", "material") and rest:
            found = self.definitions[{"body": "", "collider": "collider_", "material": "material_of_"}[first] + rest.pop(0)]
        else:
            found = self.definitions[first]
        for name in rest:
            found = self.resolved(self.object_in(found)["properties"][name])
        return self.object_in(found)

    def object_in(self, schema):
        """The object among the forms of a value, or of the items of a list."""
        schema = self.resolved(schema)
        if "properties" in schema:
            return schema
        forms = [self.resolved(form) for form in [*schema.get("anyOf", []), schema.get("items")] if isinstance(form, dict)]
        for form in sorted(forms, key=lambda form: "properties" not in form):
            if form:
                found = self.object_in(form)
                if found:
                    return found
        return {}

    def values(self, key, schema):
        reference = schema.get("$ref", "").rpartition("/")[2]
        if reference in WORDS:
            return WORDS[reference]
        schema = self.resolved(schema)
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        if "enum" in schema:
            return ", ".join(f"`{json.dumps(word)}`" for word in schema["enum"])
        if "anyOf" in schema:
            words = []
            for form in schema["anyOf"]:
                word = self.values(key, form)
                words += [word] if word not in words else []
            return " or ".join(words)
        kind = schema.get("type")
        if kind == "array":
            return LISTS.get(key, "list") if not self.is_numbers(schema) else self.numbers(key, schema)
        if kind in ("number", "integer"):
            return ("whole number" if kind == "integer" else "number") + self.limits(schema)
        return {"string": "text", "boolean": "`true`, `false`", "object": "object"}[kind]

    @staticmethod
    def is_numbers(schema):
        items = schema.get("items")
        return isinstance(items, dict) and items.get("type") in ("number", "integer")

    def numbers(self, key, schema):
        if key in LISTS:
            return LISTS[key]
        count = schema.get("minItems") == schema.get("maxItems") and schema.get("minItems")
        return f"[{', '.join(['number'] * count)}]" if count else "list of numbers"

    @staticmethod
    def limits(schema):
        def shown(number):
            return f"{number:,.10g}".replace("e-0", "e-")
        least, most = schema.get("minimum"), schema.get("maximum", LARGEST)
        if most < LARGEST:
            return f" {shown(least)} to {shown(most)}"
        if least is None or least <= -LARGEST:
            return ""
        return " > 0" if least == SMALLEST else " > 1" if least == 1.000001 else f" ≥ {shown(least)}"

    def rows(self, place):
        words = place.split()
        found = self.at(words[0])
        keys = list(found["properties"])
        if len(words) > 1:
            if words[1] not in ("only", "without") or set(words[2:]) - set(keys):
                raise ValueError(f"{place}: {set(words[2:]) - set(keys) or words[1]} is not there")
            keys = words[2:] if words[1] == "only" else [key for key in keys if key not in words[2:]]
        for key in keys:
            schema = found["properties"][key]
            described = self.resolved(schema)
            text, _, default = described.get("description", "").partition("Default: ")
            if key in found.get("required", []):
                default = "required"
            elif "default" in described:
                shown = json.dumps(described["default"])
                default = shown if not isinstance(described["default"], str) else (f"`{shown}`" if described["default"] else "empty")
            else:
                default = re.sub(r'"(\w+)"', r'`"\1"`', default.rstrip(".")) or ""
            yield f"| `{key}` | {self.values(key, schema)} | {default} | {text.strip().replace('|', ' ')} |"

    def table(self, place):
        return "\n" + "\n".join(["| key | value | default | meaning |", "|---|---|---|---|", *self.rows(place)]) + "\n\n"


def renewed(text, schema):
    return MARKED.sub(lambda found: found[1] + schema.table(found[2]) + found[3], text)


def covered(texts):
    """The keys that some table of the pages has in its first column, by their names, in an example perhaps."""
    cells = [cell for text in texts for cell in re.findall(r"^\| (`[^|]*?`) \|", text, re.M)]
    return {key for cell in cells for key in re.findall(r'^`([\w$]+)`$|"(\w+)":', cell) for key in key if key}


def all_keys(part):
    """The names of all keys in a schema."""
    if isinstance(part, list):
        return set().union(*map(all_keys, part), set())
    if not isinstance(part, dict):
        return set()
    own = set(part["properties"]) if part.get("additionalProperties") is False else set()
    return own.union(*map(all_keys, part.values()))


def main(arguments):
    check, pages = "--check" in arguments, [Path(a) for a in arguments if a != "--check"]
    schema, wrong, texts = Schema(), [], []
    for page in pages or sorted(PAGES.glob("*.md")):
        text = page.read_text()
        made = renewed(text, schema)
        texts.append(made)
        if made != text and check:
            wrong.append(f"{page}: its tables are not those of {SCHEMA.name}; run docs/site/schema_tables.py")
        elif made != text:
            page.write_text(made)
    if not pages:
        wrong += [f"no page of {PAGES.name} has the key {key}" for key in sorted(all_keys(schema.root) - covered(texts))]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
