"""Writes meshes of Blender for msd, and maps particles back to vertices."""
import numpy


class SimulationError(Exception):
    """An error that is shown to the user."""


class Triangulated:
    """The triangles of a mesh, and the vertices that become particles.

    msd merges vertices at one position, and omits those without a face. The same is done here, to map each vertex to
    its particle.
    """

    def __init__(self, mesh, matrix):
        self.vertex_count = len(mesh.vertices)
        positions = numpy.empty(3 * self.vertex_count, dtype=numpy.float32)
        mesh.vertices.foreach_get("co", positions)
        self.local = positions.reshape(-1, 3)
        self.matrix = numpy.array(matrix, dtype=numpy.float64)
        world = (self.local.astype(numpy.float64) @ self.matrix[:3, :3].T + self.matrix[:3, 3]).astype(numpy.float32)
        # -0 and 0 are one position.
        world += numpy.float32(0)
        first_at, merged = {}, numpy.empty(self.vertex_count, dtype=numpy.int64)
        for vertex, position in enumerate(map(tuple, world.tolist())):
            merged[vertex] = first_at.setdefault(position, vertex)
        mesh.calc_loop_triangles()
        triangles = numpy.empty(3 * len(mesh.loop_triangles), dtype=numpy.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        corners = merged[triangles.reshape(-1, 3)]
        sides = world.astype(numpy.float64)[corners]
        area = numpy.linalg.norm(numpy.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0]), axis=1)
        corners = corners[area > 0]
        _, kept = numpy.unique(numpy.sort(corners, axis=1), axis=0, return_index=True)
        corners = corners[numpy.sort(kept)]
        used = numpy.unique(corners)
        number = numpy.full(self.vertex_count, -1, dtype=numpy.int64)
        number[used] = numpy.arange(len(used))
        self.positions = world[used]
        self.triangles = number[corners]
        # The particle of each vertex; -1 for vertices without a face.
        self.particle_of_vertex = number[merged]

    @property
    def particle_count(self):
        return len(self.positions)

    def write(self, path):
        """Writes an OBJ file with digits that reproduce positions exactly."""
        with open(path, "w", encoding="ascii") as file:
            file.writelines("v %.9g %.9g %.9g\n" % tuple(p) for p in self.positions.tolist())
            file.writelines("f %d %d %d\n" % tuple(t) for t in (self.triangles + 1).tolist())

    def vertices_of(self, particles):
        """Returns the vertices in object space for positions of the particles in world space."""
        inverse = numpy.linalg.inv(self.matrix)
        moved = particles.astype(numpy.float64) @ inverse[:3, :3].T + inverse[:3, 3]
        vertices = self.local.copy()
        simulated = self.particle_of_vertex >= 0
        vertices[simulated] = moved[self.particle_of_vertex[simulated]]
        return vertices


def pinned_particles(obj, name, triangulated):
    """Returns the particles of vertices with a weight above 0.5 in the vertex group."""
    group = obj.vertex_groups.get(name)
    if group is None:
        raise SimulationError(f"{obj.name}: has no vertex group '{name}'; choose another, or none for no pins")
    pinned = set()
    for vertex in obj.data.vertices:
        if any(g.group == group.index and g.weight > 0.5 for g in vertex.groups):
            particle = int(triangulated.particle_of_vertex[vertex.index])
            if particle >= 0:
                pinned.add(particle)
    if not pinned:
        raise SimulationError(f"{obj.name}: no vertex of a face has a weight above 0.5 in the group '{name}'")
    return sorted(pinned)
