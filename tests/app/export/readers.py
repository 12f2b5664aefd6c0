"""Reads what msd exports with programs that other people use: meshio and VTK.

usage: readers.py MSD. Prints "skipped: ..." where a reader is not installed.
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    import meshio
    import numpy
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as error:
    print(f"skipped: {error}; in Debian: python3-meshio python3-vtk9")
    sys.exit(0)

CLOTH = {"kind": "cloth", "name": "c & <d>", "columns": 4, "rows": 3, "mass": 1, "pinned": ["top"],
         "structural": {"stiffness": 200, "damping": 0.5}}
ROPE = {"kind": "rope", "name": "r", "from": [0, 1, 1], "to": [0, 0, 1], "particles": 4, "mass": 0.5,
        "stretch": {"stiffness": 100, "damping": 0.1}}
BALL = {"kind": "particles", "name": "ball", "position": [[3, 3, 3]], "mass": [1]}

# Bodies with their triangles, lines and loose points.
SCENES = {
    "mixed": ([CLOTH, ROPE, BALL], 12, 3, 1),
    "sheet": ([CLOTH], 12, 0, 0),
    "rope": ([ROPE], 0, 3, 0),
    "ball": ([BALL], 0, 0, 1),
}
FRAMES = 5

failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)


def read_trace(path):
    """The positions and velocities of each frame, by the numbers of the trace."""
    rows = [[float(x) for x in row] for row in list(csv.reader(open(path)))[1:]]
    count = 1 + int(max(row[1] for row in rows))
    table = numpy.array(rows).reshape(-1, count, 8)
    return table[:, :, 2:5], table[:, :, 5:8]


def same(found, expected):
    return found.shape == expected.shape and numpy.allclose(found, expected, rtol=1e-6, atol=1e-6)


def cells(mesh, kind):
    return sum(len(block.data) for block in mesh.cells if block.type == kind)


def check_meshio(folder, name, x, v, triangles, lines, points):
    for frame in range(FRAMES):
        stem = folder / f"{name}_{frame:06}"
        mesh = meshio.read(f"{stem}.vtu")
        what = f"meshio {stem.name}"
        expect(same(mesh.points, x[frame]), f"{what}.vtu: points")
        expect(same(mesh.point_data["velocity"], v[frame]), f"{what}.vtu: velocity")
        counts = cells(mesh, "triangle"), cells(mesh, "line"), cells(mesh, "vertex")
        expect(counts == (triangles, lines, points), f"{what}.vtu: cells {counts}")
        mesh = meshio.read(f"{stem}.ply")
        expect(same(mesh.points, x[frame]), f"{what}.ply: points")
        expect(same(mesh.point_data["vx"], v[frame][:, 0]), f"{what}.ply: vx")
        expect(cells(mesh, "triangle") == triangles, f"{what}.ply: triangles")
        mesh = meshio.read(f"{stem}.obj")
        expect(same(mesh.points, x[frame]), f"{what}.obj: points")
        expect(cells(mesh, "triangle") == triangles, f"{what}.obj: triangles")


def read_vtk(reader, path):
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


def check_vtk(folder, name, x, v, triangles, lines, points):
    for frame in range(FRAMES):
        stem = folder / f"{name}_{frame:06}"
        for reader, ending, count in (
            (vtk.vtkXMLUnstructuredGridReader(), "vtu", triangles + lines + points),
            (vtk.vtkPolyDataReader(), "vtk", triangles + lines + points),
            (vtk.vtkPLYReader(), "ply", triangles),
            (vtk.vtkOBJReader(), "obj", triangles + lines + points),
        ):
            data = read_vtk(reader, f"{stem}.{ending}")
            what = f"VTK {stem.name}.{ending}"
            expect(same(vtk_to_numpy(data.GetPoints().GetData()), x[frame]), f"{what}: points")
            expect(data.GetNumberOfCells() == count, f"{what}: {data.GetNumberOfCells()} cells")
            if ending in ("vtu", "vtk"):
                velocity = vtk_to_numpy(data.GetPointData().GetArray("velocity"))
                expect(same(velocity, v[frame]), f"{what}: velocity")
        time = read_vtk(vtk.vtkXMLUnstructuredGridReader(), f"{stem}.vtu").GetFieldData().GetArray("TimeValue")
        expect(time.GetValue(0) == frame / 64, f"VTK {stem.name}.vtu: time")


def check_lists(folder, name):
    files = xml.etree.ElementTree.parse(folder / f"{name}.pvd").getroot().findall(".//DataSet")
    expect([float(f.get("timestep")) for f in files] == [n / 64 for n in range(FRAMES)], f"{name}.pvd: times")
    expect(all((folder / f.get("file")).exists() for f in files), f"{name}.pvd: files")
    series = json.load(open(folder / f"{name}.vtk.series"))["files"]
    expect(all((folder / f["name"]).exists() for f in series), f"{name}.vtk.series: files")


def check(msd, folder, name, bodies, triangles, lines, points):
    scene = {"msd": 1, "time_step": 1 / 64, "substeps": "auto", "duration": (FRAMES - 1) / 64, "bodies": bodies}
    (folder / f"{name}.json").write_text(json.dumps(scene))
    for form in ("vtu", "vtk", "ply", "obj"):
        subprocess.run([msd, "run", f"{name}.json", "--export", "out", "--format", form, "--trace", "t.csv"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
    x, v = read_trace(folder / "t.csv")
    check_meshio(folder / "out", name, x, v, triangles, lines, points)
    check_vtk(folder / "out", name, x, v, triangles, lines, points)
    check_lists(folder / "out", name)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, (bodies, triangles, lines, points) in SCENES.items():
            check(sys.argv[1], pathlib.Path(folder), name, bodies, triangles, lines, points)
    print("\n".join(failures) or f"{len(SCENES)} scenes read by meshio {meshio.__version__} and "
          f"VTK {vtk.vtkVersion().GetVTKVersion()}")
    return 1 if failures else 0


sys.exit(main())
