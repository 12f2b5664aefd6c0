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

# A closed band of four quads with a seam, where its ends meet, and one that is open and has none.
BAND = "".join(f"v {x} {y} {z}\n" for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))) + "".join(
    f"vt {u / 4} {v}\n" for v in (0, 1) for u in range(5)) + "vn 0 0 1\n"
QUAD = "f {0}/{2}/1 {1}/{3}/1 {5}/{7}/1 {4}/{6}/1\n"
QUADS = [QUAD.format(k + 1, (k + 1) % 4 + 1, k + 1, k + 2, k + 5, (k + 1) % 4 + 5, k + 6, k + 7) for k in range(4)]
MESHES = {"seam": BAND + "".join(QUADS), "strip": BAND + "".join(QUADS[:3])}

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


def area_weighted(points, triangles):
    """The unit normals of points, each triangle counting by its area."""
    normals = numpy.zeros_like(points)
    corners = points[triangles]
    for corner in range(3):
        numpy.add.at(normals, triangles[:, corner],
                     numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    return normals / numpy.linalg.norm(normals, axis=1)[:, None]


def triangles_of(mesh):
    return numpy.concatenate([block.data for block in mesh.cells if block.type == "triangle"])


def texture_at(points):
    """Of the strip, which goes round without a step."""
    around = {(0, 0): 0, (1, 0): 1, (1, 1): 2, (0, 1): 3}
    return numpy.array([[around[round(x), round(y)] / 4, round(z)] for x, y, z in points])


def check_meshes(msd, folder):
    """Texture coordinates and normals of meshes that came with them."""
    for name, text in MESHES.items():
        (folder / f"{name}.obj").write_text(text)
        scene = {"msd": 1, "time_step": 1 / 64, "duration": 1 / 8, "bodies": [
            {"kind": "mesh", "file": f"{name}.obj", "pinned": [0, 6], "structural": {"stiffness": 100}}]}
        (folder / f"{name}.json").write_text(json.dumps(scene))
        for form in ("vtu", "vtk", "ply", "obj"):
            subprocess.run([msd, "run", f"{name}.json", "--export", "out", "--format", form], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
        start = texture_at(meshio.read(folder / "out" / f"{name}_000000.vtu").points) if name == "strip" else None
        for frame in (0, 8):
            check_mesh(folder / "out" / f"{name}_{frame:06}", start)
    check_seams(msd, folder)


def check_mesh(stem, texture):
    """With the texture coordinates of its points, or none where it has a seam."""
    mesh = meshio.read(f"{stem}.vtu")
    normals = area_weighted(mesh.points, triangles_of(mesh))
    expect(same(mesh.point_data["normals"], normals), f"meshio {stem.name}.vtu: normals")
    expect(("texture" in mesh.point_data) == (texture is not None), f"meshio {stem.name}.vtu: seam")
    ply = meshio.read(f"{stem}.ply")
    expect(same(numpy.stack([ply.point_data[n] for n in ("nx", "ny", "nz")], 1), normals),
           f"meshio {stem.name}.ply: normals")
    if texture is not None:
        expect(same(mesh.point_data["texture"], texture), f"meshio {stem.name}.vtu: texture")
        expect(same(numpy.stack([ply.point_data["s"], ply.point_data["t"]], 1), texture),
               f"meshio {stem.name}.ply: texture")
    for reader, ending in ((vtk.vtkXMLUnstructuredGridReader(), "vtu"), (vtk.vtkPolyDataReader(), "vtk"),
                           (vtk.vtkPLYReader(), "ply")):
        data = read_vtk(reader, f"{stem}.{ending}").GetPointData()
        what = f"VTK {stem.name}.{ending}"
        expect(data.GetNormals() is not None and same(vtk_to_numpy(data.GetNormals()), normals), f"{what}: normals")
        if ending != "ply":
            found = data.GetTCoords()
            expect((found is not None) == (texture is not None), f"{what}: seam")
            if found is not None and texture is not None:
                expect(same(vtk_to_numpy(found), texture), f"{what}: texture")
    check_corners(read_vtk(vtk.vtkOBJReader(), f"{stem}.obj"), f"{stem.name}.obj")


def check_seams(msd, folder):
    """Faces of PLY with their own texture coordinates: VTK gives points at the seam to each side."""
    subprocess.run([msd, "run", "seam.json", "--export", "seams", "--format", "ply", "--seams"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    reader = vtk.vtkPLYReader()
    reader.SetDuplicatePointsForFaceTexture(True)
    check_corners(read_vtk(reader, folder / "seams" / "seam_000008.ply"), "seams in PLY")


def check_corners(data, what):
    """Each face goes a quarter round, also at the seam."""
    texture = vtk_to_numpy(data.GetPointData().GetTCoords())
    for n in range(data.GetNumberOfCells()):
        corners = data.GetCell(n).GetPointIds()
        around = [texture[corners.GetId(c)][0] for c in range(3)]
        expect(abs(max(around) - min(around) - 0.25) < 1e-6, f"VTK {what}: a face from {around}")


def check_obj(stem):
    """At each corner the texture coordinates that the face of the file has there, also at the seam."""
    check_corners(read_vtk(vtk.vtkOBJReader(), f"{stem}.obj"), f"{stem.name}.obj")


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
        check_meshes(sys.argv[1], pathlib.Path(folder))
    print("\n".join(failures) or f"{len(SCENES) + len(MESHES)} scenes read by meshio {meshio.__version__} and "
          f"VTK {vtk.vtkVersion().GetVTKVersion()}")
    return 1 if failures else 0


sys.exit(main())
