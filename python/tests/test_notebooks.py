"""The notebooks run from their first cell to their last, and what they assert holds. Their cells are run here as plain
Python, without Jupyter: what a cell ends with is drawn as Jupyter would draw it. MSD_NOTEBOOK_FIGURES names a folder for
the pictures."""

import ast
import io
import json
import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def shown(value):
    """The picture of what a cell ends with; None where it is text."""
    if hasattr(value, "savefig"):
        made = io.BytesIO()
        value.savefig(made, format="png", dpi=80)
        return made.getvalue()
    if hasattr(value, "_repr_html_"):
        assert "<" in value._repr_html_()
    return value._repr_png_() if hasattr(value, "_repr_png_") else None


def run_cell(text, names):
    tree = ast.parse(text)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(last, "cell", "eval"), names)


def test_there_are_the_three():
    assert NOTEBOOKS == ["cloth_from_a_mesh", "fit_a_measured_drape", "stability_of_your_network"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name):
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text())
    assert notebook["nbformat"] == 4
    names, pictures = {}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, "outputs are not kept in the repository"
            picture = shown(run_cell("".join(cell["source"]), names))
            if picture:
                pictures.append(picture)
    assert pictures and all(picture.startswith(b"\x89PNG") and len(picture) > 4000 for picture in pictures)
    folder = os.environ.get("MSD_NOTEBOOK_FIGURES")
    for number, picture in enumerate(pictures if folder else ()):
        Path(folder, f"{name}-{number}.png").write_bytes(picture)
