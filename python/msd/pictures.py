"""Pictures and animations with matplotlib, which is imported on first use."""

from functools import partial
import io

import numpy as np

CLOTH, LINE, PIN, SOLID = (0.25, 0.5, 0.8), (0.35, 0.35, 0.38), (0.85, 0.25, 0.2), (0.72, 0.72, 0.7)
LIGHT = np.array([0.3, 0.9, 0.5]) / np.linalg.norm([0.3, 0.9, 0.5])
COLORS = ((0.2, 0.48, 0.8), (0.86, 0.5, 0.25), (0.3, 0.65, 0.45), (0.62, 0.4, 0.72), (0.75, 0.65, 0.25))
# With more springs, particles are drawn instead.
LINES_MAX = 20000


def _turned(points):
    """Converts from y up to z up of matplotlib."""
    return np.asarray(points)[..., [0, 2, 1]] * (1, -1, 1)


def _shade(corners, color):
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    facing = np.abs((normals / np.where(length > 0, length, 1)) @ LIGHT)
    return np.clip(np.asarray(color) * (0.35 + 0.75 * facing[:, None]), 0, 1)


def _box(size):
    corners = (np.array(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij")).reshape(3, -1).T - 0.5) * size
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
                      [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
    return corners, faces


def _ball(radius, start, end, rings=18, sides=32):
    """A sphere, stretched from start to end (a capsule). It is drawn slightly smaller, because faces are sorted
    by their centers and objects on its surface must remain visible."""
    radius = 0.95 * radius
    start, end = np.asarray(start, float), np.asarray(end, float)
    axis = end - start
    length = np.linalg.norm(axis)
    axis = axis / length if length > 0 else np.array([0.0, 1, 0])
    across = np.cross(axis, [1, 0, 0] if abs(axis[0]) < 0.9 else [0, 0, 1])
    across /= np.linalg.norm(across)
    other = np.cross(axis, across)
    up = np.linspace(0, np.pi, rings + 1)
    around = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    points = []
    for angle in up:
        middle = end if angle <= np.pi / 2 else start
        points += [middle + radius * (np.cos(angle) * axis
                                      + np.sin(angle) * (np.cos(a) * across + np.sin(a) * other))
                   for a in around]
    faces = []
    for ring in range(rings):
        for side in range(sides):
            a, b = ring * sides + side, ring * sides + (side + 1) % sides
            faces += [(a, b, a + sides), (b, b + sides, a + sides)]
    return np.array(points), np.array(faces)


def _rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _solid(collider, center, reach):
    """Triangles of a collider; a plane is as large as the picture."""
    kind = collider.kind.name.lower()
    if kind == "sphere":
        points, faces = _ball(collider.radius, (0, 0, 0), (0, 0, 0))
    elif kind == "capsule":
        points, faces = _ball(collider.radius, collider.from_, collider.to)
    elif kind == "box":
        points, faces = _box(collider.size)
    else:
        normal = np.asarray(collider.normal, float)
        normal /= np.linalg.norm(normal)
        across = np.cross(normal, [1, 0, 0] if abs(normal[0]) < 0.9 else [0, 0, 1])
        across /= np.linalg.norm(across)
        other = np.cross(normal, across)
        turned = _rotation(collider.rotation)
        at = turned.T @ (center - collider.position)
        at = at - (at @ normal) * normal
        steps = np.linspace(-reach, reach, 9)
        points = np.array([at + a * across + b * other for a in steps for b in steps])
        cells = [(i * 9 + j) for i in range(8) for j in range(8)]
        faces = np.array([f for c in cells for f in ((c, c + 1, c + 9), (c + 1, c + 10, c + 9))])
    return points @ _rotation(collider.rotation).T + collider.position, faces


class _Shape:
    """The geometry to draw for a world or scene, so that it can be drawn again at other positions."""

    def __init__(self, subject):
        self.world = getattr(subject, "world", subject)
        self.scene = subject if hasattr(subject, "render_meshes") else None
        gone = self.world.destroyed
        self.pinned = np.flatnonzero(self.world.pinned & ~gone)
        self.is_whole = len(self.pinned) + gone.sum() == len(self.world)
        self.triangles, self.lines = [], []
        bodies = self.scene.bodies.values() if self.scene else self.world.bodies
        covered = np.zeros(len(self.world), bool)
        for body in bodies:
            first = 0 if self.scene else body.particles.start
            triangles = body.triangles + first
            triangles = triangles[~gone[triangles].any(axis=1)]
            if len(triangles):
                self.triangles.append((triangles, SOLID if body.kind == "collider" else None))
                covered[triangles.ravel()] = True
        for i in range(len(self.world.collision_meshes) if not self.triangles else 0):
            triangles = self.world.collision_meshes[i].triangles
            if triangles is not None:
                self.triangles.append((triangles, None))
                covered[triangles.ravel()] = True
        springs = self.world.springs
        if 0 < len(springs) <= LINES_MAX:
            lines = springs.lines(range(len(springs)))
            self.lines = lines[~(covered[lines].all(axis=1))]
        self.points = np.flatnonzero(~covered & ~gone) if not len(self.lines) else []

    def bounds(self, positions):
        finite = positions[np.isfinite(positions).all(axis=-1)]
        if not len(finite):
            return np.zeros(3), 1.0
        low, high = finite.min(axis=0), finite.max(axis=0)
        for collider in self.world.colliders:
            size = {"sphere": collider.radius, "capsule": collider.radius}.get(collider.kind.name.lower())
            if size is not None:
                low, high = np.minimum(low, collider.position - size), np.maximum(high,
                                                                                  collider.position + size)
        return (low + high) / 2, max(float((high - low).max()) / 2, 1e-6) * 1.05

    def draw(self, ax, positions, center, reach):
        from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

        corners, colors = [], []
        for i, (triangles, color) in enumerate(self.triangles):
            at = positions[triangles]
            corners.append(at)
            colors.append(_shade(at, color or COLORS[i % len(COLORS)]))
        for collider in self.world.colliders:
            points, faces = _solid(collider, center, reach)
            at = points[faces]
            corners.append(at)
            colors.append(_shade(at, SOLID))
        if corners:
            faces = Poly3DCollection(_turned(np.concatenate(corners)), linewidths=0.3)
            faces.set_facecolor(np.concatenate(colors))
            faces.set_edgecolor(np.concatenate(colors))
            ax.add_collection3d(faces)
        if len(self.lines):
            ax.add_collection3d(Line3DCollection(_turned(positions[self.lines]), colors=LINE, linewidths=0.8))
        if len(self.points):
            ax.scatter(*_turned(positions[self.points]).T, s=6, color=CLOTH, depthshade=False)
        if len(self.pinned) and not self.is_whole:
            ax.scatter(*_turned(positions[self.pinned]).T, s=8, color=PIN, depthshade=False)
        low, high = _turned(center) - reach, _turned(center) + reach
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))


def _figure_png(figure):
    made = io.BytesIO()
    figure.savefig(made, format="png", dpi=80)
    return made.getvalue()


def _shows_itself(ax):
    """Jupyter displays only figures of pyplot; this displays others through _repr_png_."""
    ax._repr_png_ = ax.figure._repr_png_ = partial(_figure_png, ax.figure)
    return ax


def _axes(ax, size, elevation, azimuth):
    """Returns three-dimensional axes, in a figure that is not registered with pyplot unless the user provides
    axes."""
    if ax is None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout=None)
        FigureCanvasAgg(figure)
        ax = _shows_itself(figure.add_axes((0, 0, 1, 1), projection="3d"))
    ax.view_init(elev=elevation, azim=azimuth)
    ax.set_box_aspect((1, 1, 1), zoom=1.35)
    ax.set_axis_off()
    return ax


def plot(subject, ax=None, positions=None, size=(6, 6), elevation=18, azimuth=-60, path=None):
    """Draws a World or a Scene: shaded triangles, ropes and nets as lines, pins red, colliders gray. y is up.

    ax: three-dimensional axes of matplotlib; default new ones. positions: (n, 3); default the current ones.
    path: also writes a file. Returns the axes.
    """
    ax = _axes(ax, size, elevation, azimuth)
    shape = _Shape(subject)
    at = shape.world.positions if positions is None else np.asarray(positions)
    shape.draw(ax, at, *shape.bounds(at))
    if path is not None:
        ax.figure.savefig(path, dpi=100)
    return ax


def film(run, path=None, size=(5, 5), elevation=18, azimuth=-60, frames_max=None, fps=None):
    """Returns the frames of a Run as a matplotlib animation; writes it to `path` if given."""
    from matplotlib.animation import FuncAnimation

    if not len(run.positions):
        raise ValueError("the run has kept no frames; run it with record=True")
    chosen = np.arange(len(run.positions))
    if frames_max is not None and len(chosen) > frames_max:
        chosen = np.linspace(0, len(chosen) - 1, frames_max).round().astype(int)
    ax = _axes(None, size, elevation, azimuth)
    shape = _Shape(run.subject)
    center, reach = shape.bounds(run.positions[chosen].reshape(-1, 3))

    def draw(i):
        ax.clear()
        _axes(ax, size, elevation, azimuth)
        shape.draw(ax, run.positions[i], center, reach)
        return []

    span = run.times[chosen[-1]] - run.times[chosen[0]]
    rate = fps or (min(max((len(chosen) - 1) / span, 1), 60) if span > 0 else 30)
    made = FuncAnimation(ax.figure, draw, frames=chosen, init_func=lambda: [], interval=1000 / rate, blit=False)
    if path is not None:
        made.save(str(path), writer="pillow" if str(path).endswith(".gif") else None, fps=rate)
    return made


def html(run):
    """Returns an animation that plays in Jupyter."""
    return film(run, size=(4, 4), frames_max=60).to_jshtml()


def png(subject):
    """Returns a picture as PNG bytes."""
    return _figure_png((subject.plot() if hasattr(subject, "outcomes")
                        else plot(subject, size=(4.5, 4.5))).figure)


def plot_map(found, ax=None):
    """Draws a StabilityMap: a row for each integrator, and the proven limits."""
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.patches import Patch

    from .maps import OUTCOMES

    if ax is None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 3.2), layout="constrained")
        FigureCanvasAgg(figure)
        ax = _shows_itself(figure.add_subplot())
    colors = ("#4a90c8", "#e8b04a", "#c8503c", "#b8b8b8")
    numbers = np.searchsorted(sorted(OUTCOMES), found.outcomes)
    order = [OUTCOMES.index(name) for name in sorted(OUTCOMES)]
    ax.imshow(np.array(order)[numbers], cmap=ListedColormap(colors), norm=BoundaryNorm(np.arange(-0.5, 4), 4),
              aspect="auto")
    ax.set_yticks(range(len(found.integrators)), [name.replace("_", " ") for name in found.integrators])
    ax.set_xticks(range(len(found.factors)), [f"{factor:g}" for factor in found.factors], rotation=60,
                  fontsize=8)
    for row, name in enumerate(found.integrators):
        place = np.interp(found.predicted[name] / found.limit, found.factors, np.arange(len(found.factors)),
                          left=-0.5)
        ax.plot([place, place], [row - 0.5, row + 0.5], color="black", linewidth=2)
    ax.set_xlabel(f"substep / {found.limit:.3g} s, the proven limit of symplectic Euler; "
                  "black: proven for each")
    ax.legend(handles=[Patch(color=c, label=o) for c, o in zip(colors, OUTCOMES)], loc="upper left",
              bbox_to_anchor=(1, 1), frameon=False)
    return ax
