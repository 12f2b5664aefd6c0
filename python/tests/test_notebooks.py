"""The notebooks run from their first cell to their last as Jupyter runs them, and what they assert holds.
MSD_NOTEBOOK_FIGURES names a folder for the pictures."""

import base64
import json
import os
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.fixture
def jupyter(tmp_path, monkeypatch):
    """Runs a notebook in a kernel of the Python that has msd; what its code cells show, [{type: text}]."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    kernel = tmp_path / "kernels/msd"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({
        "argv": [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "msd",
        "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))

    def run(notebook):
        made = nbformat.reads(json.dumps(notebook), as_version=4)
        nbclient.NotebookClient(made, timeout=600, kernel_name="msd",
                                resources={"metadata": {"path": str(FOLDER)}}).execute()
        return [output["data"] for cell in made.cells if cell["cell_type"] == "code"
                for output in cell["outputs"]
                if "data" in output]

    return run


def test_there_are_the_three():
    assert NOTEBOOKS == ["cloth_from_a_mesh", "fit_a_measured_drape", "stability_of_your_network"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name, jupyter):
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text())
    assert notebook["nbformat"] == 4
    for cell in notebook["cells"]:
        assert cell["cell_type"] == "markdown" or cell["outputs"] == [] and cell["execution_count"] is None, \
            "outputs are not kept in the repository"
    info = jupyter(notebook)
    pictures = [base64.b64decode(data["image/png"]) for data in info if "image/png" in data]
    assert len(pictures) == {"stability_of_your_network": 2}.get(name, 1)
    assert all(p.startswith(b"\x89PNG") and len(p) > 4000 for p in pictures)
    assert "Figure" not in str([data["text/plain"] for data in info if len(data) == 1])
    assert any("<script" in data.get("text/html", "")
               for data in info) == (name == "cloth_from_a_mesh")  # a film
    folder = os.environ.get("MSD_NOTEBOOK_FIGURES")
    for number, picture in enumerate(pictures if folder else ()):
        Path(folder, f"{name}-{number}.png").write_bytes(picture)


def code(text):
    return {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None,
            "id": text[:8]
            .translate(str.maketrans("", "", " .=()\n\"'")) or "a"}


def test_in_jupyter_worlds_scenes_and_maps_are_pictures_and_runs_are_films(jupyter):
    cells = ["import msd\nscene = msd.load_scene('chain_of_20')\nscene", "scene.world",
             "msd.run(scene, duration=0.05)",
             "msd.stability_map(scene, factors=(0.5, 4), integrators='rk4', duration=0.01)"]
    info = jupyter({"nbformat": 4, "nbformat_minor": 5, "metadata": {},
                    "cells": [code(text) for text in cells]})
    assert len(info) == 4
    for data in (info[0], info[1], info[3]):
        assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
        assert data["text/plain"].startswith("<msd.")
    film = info[2]["text/html"]
    assert "<script" in film and film.count("data:image/png;base64") == 4  # 0.05 s by 1/60, and the start
