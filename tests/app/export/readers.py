"""Reads what msd exports with programs that other people use: meshio, VTK and LAMMPS; and what no program of Debian
reads, USDA and the structure of GLB, by what their specifications say.

usage: readers.py MSD. Prints "skipped: ..." where a reader is not installed.
"""
import csv
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import types
import xml.etree.ElementTree

try:
    import meshio
    import numpy
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as error:
    print(f"skipped: {error}; in Debian: python3-meshio python3-vtk9")
    sys.exit(0)
if shutil.which("lmp") is None:
    print("skipped: no lmp; in Debian: lammps")
    sys.exit(0)

CLOTH = {"type": "cloth", "name": "c & <d>", "columns": 4, "rows": 3, "mass": 1, "pinned": ["top"],
         "stretch": {"stiffness": 200, "damping": 0.5}}
ROPE = {"type": "rope", "name": "r", "from": [0, 1, 1], "to": [0, 0, 1], "particles": 4, "mass": 0.5,
        "stretch": {"stiffness": 100, "damping": 0.1}}
BALL = {"type": "particles", "name": "ball", "position": [[3, 3, 3]], "mass": [1]}

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
        scene = {"msd": 1, "frame_time": 1 / 64, "duration": 1 / 8, "bodies": [
            {"type": "mesh", "file": f"{name}.obj", "pinned": [0, 6], "stretch": {"stiffness": 100}}]}
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


def check_paraview(folder, name):
    """The script, with a stand-in for ParaView that notes what it is told."""
    told = {}

    def note(what):
        def take(*_, **values):
            told[what] = values
            return types.SimpleNamespace(UpdateAnimationUsingDataTimeSteps=lambda: None)
        return take

    simple = types.ModuleType("paraview.simple")
    for what in ("PVDReader", "GetAnimationScene", "GetActiveViewOrCreate", "Show", "ColorBy", "ResetCamera", "Render"):
        setattr(simple, what, note(what))
    sys.modules["paraview"], sys.modules["paraview.simple"] = types.ModuleType("paraview"), simple
    path = folder / f"{name}.paraview.py"
    exec(compile(path.read_text(), str(path), "exec"), {"__file__": str(path)})
    expect(pathlib.Path(told["PVDReader"]["FileName"]) == folder / f"{name}.pvd", f"{path.name}: opens {told['PVDReader']}")
    expect("Render" in told, f"{path.name}: shows nothing")


# ------------------------------------------------------------------------------------------------------- USDA


class Usda:
    """As much of USDA as is needed: prims with their attributes, values as lists of Python."""

    def __init__(self, text):
        if not text.startswith("#usda 1.0\n"):
            raise ValueError("no USDA 1.0")
        self.tokens = re.findall(r'"(?:\\.|[^"\\])*"|[][(){}=,:]|[^][(){}=,\s"]+', text[len("#usda 1.0\n"):])
        # Names with : are one word; keys of time samples end by one.
        self.at = 0
        self.layer = self.metadata()
        self.prims = self.children()

    def take(self, wanted=None):
        token = self.tokens[self.at]
        if wanted is not None and token != wanted:
            raise ValueError(f"'{token}' in the place of '{wanted}'")
        self.at += 1
        return token

    def next(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def value(self):
        token = self.take()
        if token in "[(":
            values = []
            while self.next() not in "])":
                values.append(self.value())
                if self.next() == ",":
                    self.take()
            self.take("]" if token == "[" else ")")
            return values
        if token == "{":
            samples = {}
            while self.next() != "}":
                time = float(self.take().rstrip(":"))
                if self.next() == ":":
                    self.take()
                samples[time] = self.value()
                self.take(",")
            self.take("}")
            return samples
        return token[1:-1] if token.startswith('"') else float(token)

    def metadata(self):
        values = {}
        if self.next() == "(":
            self.take()
            while self.next() != ")":
                key = self.take()
                self.take("=")
                values[key] = self.value()
            self.take(")")
        return values

    def children(self):
        prims = {}
        while self.next() == "def":
            self.take()
            kind, name = self.take(), self.take()[1:-1]
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in prims:
                raise ValueError(f"a prim called '{name}'")
            self.take("{")
            attributes = {}
            while self.next() not in ("def", "}"):
                words = []
                while self.next() != "=":
                    words.append(self.take())
                self.take("=")
                words = "".join(w + " " if w != ":" else w for w in words).replace(" :", ":").split()
                attributes[words[-1]] = self.value()
                self.metadata()
            prims[name] = (kind, attributes, self.children())
            self.take("}")
        return prims


def check_usda(path, x, triangles, lines, points):
    usda = Usda(path.read_text())
    layer, what = usda.layer, path.name
    expect(layer["upAxis"] == "Y" and layer["metersPerUnit"] == 1, f"{what}: axis and units")
    expect((layer["startTimeCode"], layer["endTimeCode"], layer["timeCodesPerSecond"]) == (0, FRAMES - 1, 64),
           f"{what}: times")
    kind, _, bodies = usda.prims[layer["defaultPrim"]]
    expect(kind == "Xform" and len(usda.prims) == 1, f"{what}: prims {list(usda.prims)}")
    found, first = {"Mesh": 0, "BasisCurves": 0, "Points": 0}, 0
    for name, (_, attributes, prims) in bodies.items():
        expect("msd:name" in attributes, f"{what}: {name} has no name")
        for kind, values, _ in prims.values():
            samples = {time: numpy.array(at) for time, at in values["points.timeSamples"].items()}
            expect(sorted(samples) == list(range(FRAMES)), f"{what}: {name} has frames {sorted(samples)}")
            for time, at in samples.items():
                extent = numpy.array(values["extent.timeSamples"][time])
                expect(same(extent, numpy.array([at.min(axis=0), at.max(axis=0)])), f"{what}: {name} extent of {time}")
                # Bodies have their points one after another; curves and loose points some of these.
                frame = x[int(time)]
                expect(all(numpy.abs(frame - p).max(axis=1).min() < 1e-6 for p in at), f"{what}: {name} points of {time}")
                if kind == "Mesh":
                    expect(same(at, frame[first:first + len(at)]), f"{what}: {name} order of {time}")
            count = len(samples[0])
            if kind == "Mesh":
                corners = values["faceVertexIndices"]
                expect(values["faceVertexCounts"] == [3] * (len(corners) // 3), f"{what}: {name} faces")
                expect(min(corners) >= 0 and max(corners) < count, f"{what}: {name} corners")
                found[kind] += len(corners) // 3
            elif kind == "BasisCurves":
                expect(sum(values["curveVertexCounts"]) == count, f"{what}: {name} curves")
                found[kind] += int(count - len(values["curveVertexCounts"]))
            else:
                found[kind] += count
        first += max(len(v["points.timeSamples"][0]) for _, v, _ in prims.values())
    expect(tuple(found.values()) == (triangles, lines, points), f"{what}: {found}")


# -------------------------------------------------------------------------------------------------------- GLB


def read_glb(path):
    """The JSON and the numbers, with what the specification says of their chunks."""
    data = path.read_bytes()
    magic, version, length, json_length, json_kind = struct.unpack_from("<4sII I4s", data)
    expect((magic, version, length, json_kind) == (b"glTF", 2, len(data), b"JSON"), f"{path.name}: header")
    expect(json_length % 4 == 0, f"{path.name}: JSON of {json_length} bytes")
    document = json.loads(data[20:20 + json_length])
    size, kind = struct.unpack_from("<I4s", data, 20 + json_length)
    expect(kind == b"BIN\0" and size % 4 == 0 and 28 + json_length + size == len(data), f"{path.name}: numbers")
    expect(document["buffers"] == [{"byteLength": size}], f"{path.name}: buffer")
    return document, data[28 + json_length:]


def accessor_values(document, numbers, index):
    accessor = document["accessors"][index]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[accessor["type"]]
    kind = {5125: "<u4", 5126: "<f4"}[accessor["componentType"]]

    def read(where, kind, count, width):
        view = document["bufferViews"][where["bufferView"]]
        stride, at = view.get("byteStride", 4 * width), where.get("byteOffset", 0)
        if at + stride * (count - 1) + 4 * width > view["byteLength"]:
            raise ValueError(f"accessor {index} goes past its view")
        rows = numpy.lib.stride_tricks.as_strided(
            numpy.frombuffer(numbers, kind, offset=view["byteOffset"] + at)[:1], (count, width), (stride, 4))
        return rows.copy()

    if "sparse" in accessor:
        sparse = accessor["sparse"]
        values = numpy.zeros((accessor["count"], width), kind)
        where = read(sparse["indices"], "<u4", sparse["count"], 1)[:, 0]
        expect((numpy.diff(where.astype(int)) > 0).all(), "sparse indices ascend")
        values[where] = read(sparse["values"], kind, sparse["count"], width)
    else:
        values = read(accessor, kind, accessor["count"], width)
    for bound, found in (("min", values.min(axis=0)), ("max", values.max(axis=0))):
        if bound in accessor:
            expect((numpy.array(accessor[bound], kind) == found).all(), f"accessor {index}: {bound}")
    return values


def check_glb(path, x, triangles, lines, points):
    document, numbers = read_glb(path)
    what, found, first = path.name, {4: 0, 1: 0, 0: 0}, 0
    (animation,) = document["animations"]
    (sampler,) = animation["samplers"]
    times = accessor_values(document, numbers, sampler["input"])[:, 0]
    expect(same(times, numpy.arange(FRAMES) / 64), f"{what}: times {times}")
    weights = accessor_values(document, numbers, sampler["output"]).reshape(FRAMES, FRAMES - 1)
    expect((weights == numpy.eye(FRAMES, FRAMES - 1, -1)).all(), f"{what}: weights")
    channels = {(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]}
    expect(channels == {(n, "weights") for n in range(len(document["nodes"]))}, f"{what}: channels")
    expect(document["scenes"][document["scene"]]["nodes"] == list(range(len(document["nodes"]))), f"{what}: nodes")
    for node in document["nodes"]:
        for primitive in document["meshes"][node["mesh"]]["primitives"]:
            base = accessor_values(document, numbers, primitive["attributes"]["POSITION"])
            corners = accessor_values(document, numbers, primitive["indices"])[:, 0]
            expect(corners.max() < len(base), f"{what}: corners of {node['name']}")
            found[primitive["mode"]] += len(corners) // {4: 3, 1: 2, 0: 1}[primitive["mode"]]
            expect(len(primitive["targets"]) == FRAMES - 1, f"{what}: targets")
            moved = [base] + [base + accessor_values(document, numbers, t["POSITION"]) for t in primitive["targets"]]
            where = first if node["name"] != "joints" else int(numpy.abs(x[0] - base[0]).max(axis=1).argmin())
            for frame, at in enumerate(moved):
                expect(same(at, x[frame][where:where + len(at)]), f"{what}: {node['name']} in frame {frame}")
        first += len(base)
    expect(tuple(found.values()) == (triangles, lines, points), f"{what}: {found}")


# ----------------------------------------------------------------------------------------------------- LAMMPS

NET = {"type": "cloth", "name": "net", "columns": 7, "rows": 6, "mass": 0.7, "pinned": ["top_left", "top_right"],
       "stretch": {"stiffness": 300}, "shear": {"stiffness": 80}}
CHAIN = {"type": "rope", "name": "chain", "from": [0.02, -1, 0.01], "to": [0.3, -1.4, 0], "particles": 12, "mass": 0.4,
         "velocity": [0.5, 0, 0.3], "stretch": {"frequency": 15}}
LAMMPS_SCENE = {"msd": 1, "frame_time": 1 / 64, "substeps": 32, "duration": 0.5, "bodies": [NET, CHAIN],
                "connections": [{"between": ["net", "bottom_left", "chain", "first"], "stiffness": 300, "rest_length": 0.01}]}


def read_lammps(path, count):
    """Positions of each frame of a dump that is sorted."""
    lines = path.read_text().splitlines()
    frames = [lines[n + 9:n + 9 + count] for n in range(0, len(lines), count + 9)]
    return numpy.array([[[float(word) for word in line.split()[1:]] for line in frame] for frame in frames])


def check_lammps(msd, folder):
    """Undamped networks: LAMMPS goes through the same places, to the rounding of 1024 steps."""
    (folder / "swing it.json").write_text(json.dumps(LAMMPS_SCENE))
    for integrator in ("symplectic_euler", "velocity_verlet"):
        subprocess.run([msd, "run", "swing it.json", "--export", "lammps", "--format", "lammps", "--trace", "swing.csv",
                        "--integrator", integrator, "--every", "2"], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        subprocess.run(["lmp", "-in", "swing it.in", "-log", "none", "-screen", "none"], cwd=folder / "lammps", check=True)
        x, _ = read_trace(folder / "swing.csv")
        y = read_lammps(folder / "lammps" / "swing it.lammpstrj", x.shape[1])
        expect(x.shape == y.shape == (17, 54, 3), f"LAMMPS, {integrator}: {x.shape} and {y.shape}")
        worst, moved = numpy.abs(x - y).max(), numpy.abs(x[-1] - x[0]).max()
        print(f"LAMMPS, {integrator}: within {worst:.2g} m of what moved by {moved:.2g} m")
        expect(moved > 0.1 and worst < (1e-11 if is_double(msd) else 2e-5), f"LAMMPS, {integrator}: {worst}")


STRETCH = {"type": "rope", "particles": 6, "mass": 0.12, "stretch": {"stiffness": 200}}
LINE = {"msd": 1, "frame_time": 1 / 64, "duration": 0.25, "gravity": [0, 0, 0],
        "bodies": [STRETCH | {"name": "left", "from": [0, 0, 0], "to": [0.5, 0, 0], "velocity": [1, 0, 0]},
                   STRETCH | {"name": "right", "from": [0.6, 0, 0], "to": [1.1, 0, 0], "velocity": [-1, 0, 0]}],
        "connections": [{"between": ["left", "last", "right", "first"], "stiffness": 200, "rest_length": 0.1}]}


def verlet_bound(step, times):
    """How far velocity Verlet may be from the motion of twelve masses in a line that run into each other, in m: each
    mode a sin(w t)/w becomes a sin(W t)/(w sqrt(1 - (w h/2)^2)) with sin(W h/2) = w h/2."""
    matrix = numpy.diag([1] + [2] * 10 + [1]) - numpy.eye(12, k=1) - numpy.eye(12, k=-1)
    squares, modes = numpy.linalg.eigh(matrix * 200 / 0.02)
    w, modes = numpy.sqrt(squares[1:]), modes[:, 1:]  # but for the motion of all together
    shares = modes.T @ ([1] * 6 + [-1] * 6)
    late = numpy.outer(times, numpy.abs(2 / step * numpy.arcsin(w * step / 2) - w))
    return (late + 1 / numpy.sqrt(1 - (w * step / 2) ** 2) - 1) @ (numpy.abs(shares) / w * numpy.abs(modes)).T


def check_lammps_converges(msd, folder):
    """LAMMPS by its own steps, and msd by RK4, go to one motion as LAMMPS's steps become short."""
    run = [msd, "run", "line.json", "--trace", "line.csv"]
    quiet = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    rounding = 1e-9 if is_double(msd) else 2e-5
    worst = []
    (folder / "line.json").write_text(json.dumps(LINE | {"substeps": 64}))
    subprocess.run(run + ["--integrator", "rk4"], **quiet)
    exact, _ = read_trace(folder / "line.csv")
    for substeps in (4, 8, 16):
        (folder / "line.json").write_text(json.dumps(LINE | {"substeps": substeps}))
        subprocess.run(run + ["--integrator", "velocity_verlet", "--export", "line", "--format", "lammps"], **quiet)
        subprocess.run(["lmp", "-in", "line.in", "-log", "none", "-screen", "none"], cwd=folder / "line", check=True)
        away = numpy.abs(read_lammps(folder / "line" / "line.lammpstrj", 12) - exact)
        bound = verlet_bound(1 / 64 / substeps, numpy.arange(17) / 64)
        worst.append(away.max())
        print(f"LAMMPS in steps of {1 / 64 / substeps:.2g} s is {away.max():.2g} m from RK4; the bound is {bound.max():.2g}")
        expect((away[:, :, 0] <= bound + rounding).all() and away[:, :, 1:].max() == 0, f"LAMMPS in {substeps}: {away.max()}")
        expect(away.max() > bound.max() / 8, f"LAMMPS in {substeps}: {away.max()} shows nothing of its steps")
    expect(all(3.5 < a / b < 4.6 for a, b in zip(worst, worst[1:])), f"LAMMPS is not of order 2: {worst}")


def is_double(msd):
    return "double" in subprocess.run([msd, "--version"], check=True, capture_output=True, text=True).stdout


def check(msd, folder, name, bodies, triangles, lines, points):
    scene = {"msd": 1, "frame_time": 1 / 64, "substeps": "auto", "duration": (FRAMES - 1) / 64, "bodies": bodies}
    (folder / f"{name}.json").write_text(json.dumps(scene))
    for form in ("vtu", "vtk", "ply", "obj", "usda", "glb"):
        subprocess.run([msd, "run", f"{name}.json", "--export", "out", "--format", form, "--trace", "t.csv"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
    x, v = read_trace(folder / "t.csv")
    check_meshio(folder / "out", name, x, v, triangles, lines, points)
    check_vtk(folder / "out", name, x, v, triangles, lines, points)
    check_lists(folder / "out", name)
    check_paraview(folder / "out", name)
    check_usda(folder / "out" / f"{name}.usda", x, triangles, lines, points)
    check_glb(folder / "out" / f"{name}.glb", x, triangles, lines, points)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, (bodies, triangles, lines, points) in SCENES.items():
            check(sys.argv[1], pathlib.Path(folder), name, bodies, triangles, lines, points)
        check_meshes(sys.argv[1], pathlib.Path(folder))
        check_lammps(sys.argv[1], pathlib.Path(folder))
        check_lammps_converges(sys.argv[1], pathlib.Path(folder))
    print("\n".join(failures) or f"{len(SCENES) + len(MESHES)} scenes read by meshio {meshio.__version__}, "
          f"VTK {vtk.vtkVersion().GetVTKVersion()} and LAMMPS")
    return 1 if failures else 0


sys.exit(main())
