#include "engine/contact/cluster_frames.h"

/* The steepest slope of a triangle in a smooth leaf. */
static const double STEEPEST = 1;

/* The edges of a triangle from its first corner. */
static void edges_of(const surface_mesh *mesh, int32_t triangle, double3 edge[2]) {
  const double3 first = surface_mesh_rest(mesh, surface_mesh_triangle_corner(mesh, triangle, 0));
  for (int n = 0; n < 2; n++)
    edge[n] =
        double3_subtract(surface_mesh_rest(mesh, surface_mesh_triangle_corner(mesh, triangle, n + 1)), first);
}

/* The sum of all triangle normals, with signs chosen to agree. */
static void find_normal(const surface_mesh *mesh, int32_t leaf, cluster_frame *plane) {
  double3 sum = {0, 0, 0};
  for (int32_t t = surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf);
       t < surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf + 1); t++) {
    double3 edge[2];
    edges_of(mesh, t, edge);
    const double3 normal = double3_cross(edge[0], edge[1]);
    sum = double3_add_scaled(sum, normal, double3_dot(sum, normal) < 0 ? -1 : 1);
    plane->has_triangles = true;
  }
  const double length = sqrt(double3_dot(sum, sum));
  plane->is_smooth = length > 0 && isfinite(length);
  plane->normal = double3_scale(sum, plane->is_smooth ? 1 / length : 0);
}

static void find_axes(cluster_frame *plane) {
  const double3 n = plane->normal;
  const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  const double3 from = x <= y && x <= z ? (double3){1, 0, 0}
                       : y <= z         ? (double3){0, 1, 0}
                                        : (double3){0, 0, 1};
  const double3 along = double3_add_scaled(from, n, -double3_dot(from, n));
  plane->axis[0] = double3_scale(along, 1 / sqrt(double3_dot(along, along)));
  plane->axis[1] = double3_cross(n, plane->axis[0]);
}

/* Inverts the edge matrix of a triangle in the plane; false if that is impossible or the triangle too steep. */
static bool unfold(flat_regions *patches, const surface_mesh *mesh, cluster_frame *plane, int32_t triangle) {
  double3 edge[2];
  edges_of(mesh, triangle, edge);
  const double2 a = cluster_frame_see(plane, edge[0]), b = cluster_frame_see(plane, edge[1]);
  const double area = double2_cross(a, b);
  const double inverse[FLAT_REGION_TURN] = {b.y / area, -b.x / area, -a.y / area, a.x / area};
  bool done = true;
  for (int n = 0; n < FLAT_REGION_TURN; n++) {
    const msd_real entry = (msd_real)inverse[n];
    patches->unfold[n][triangle] = entry;
    done = done && isfinite(entry);
  }
  const double up[2] = {double3_dot(plane->normal, edge[0]), double3_dot(plane->normal, edge[1])};
  const double2 slope = {up[0] * inverse[0] + up[1] * inverse[2], up[0] * inverse[1] + up[1] * inverse[3]};
  const double steep = sqrt(double2_square(slope));
  plane->steepest = steep > plane->steepest ? steep : plane->steepest;
  return done && steep <= STEEPEST;
}

/* True if each edge of a leaf is in one or two triangles, and no triangle has several neighbors across an
   edge. */
static bool is_sheet(const surface_mesh *mesh, const triangle_joins *joins, int32_t leaf) {
  bool is = true;
  for (int32_t e = surface_mesh_first_place(mesh, SURFACE_EDGES, leaf);
       e < surface_mesh_first_place(mesh, SURFACE_EDGES, leaf + 1); e++)
    is = is && (joins->along[e] != JOIN_BORDER || !surface_mesh_is_filled(mesh, SURFACE_EDGES, e));
  for (int32_t h = 3 * surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf);
       h < 3 * surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf + 1); h++)
    is = is && joins->beyond[h] != JOIN_BRANCH;
  return is;
}

/* The weights that give F of the plane through the vertices of a leaf by least squares. */
static void fit_plane(flat_regions *patches, const surface_mesh *mesh, const cluster_frame *plane,
                      int32_t leaf) {
  const int32_t first = leaf * SURFACE_BLOCK, count = mesh->of[SURFACE_VERTICES].filled[leaf];
  double2 at[SURFACE_BLOCK], mean = {0, 0};
  for (int32_t n = 0; n < count; n++) {
    at[n] = cluster_frame_see(
        plane, double3_subtract(surface_mesh_rest(mesh, first + n), surface_mesh_rest(mesh, first)));
    mean = (double2){mean.x + at[n].x / count, mean.y + at[n].y / count};
  }
  double xx = 0, xy = 0, yy = 0;
  for (int32_t n = 0; n < count; n++) {
    at[n] = double2_subtract(at[n], mean);
    xx += at[n].x * at[n].x, xy += at[n].x * at[n].y, yy += at[n].y * at[n].y;
  }
  const double square = xx * yy - xy * xy;
  msd_real *fit = patches->fit + 2 * (size_t)first;
  for (int32_t n = 0; n < count && square > 0; n++, fit += 2) {
    fit[0] = (msd_real)((yy * at[n].x - xy * at[n].y) / square);
    fit[1] = (msd_real)((xx * at[n].y - xy * at[n].x) / square);
  }
}

void cluster_frame_find(cluster_frame *plane, flat_regions *patches, const surface_mesh *mesh,
                        const triangle_joins *joins, int32_t leaf) {
  find_normal(mesh, leaf, plane);
  if (!plane->is_smooth)
    return;
  find_axes(plane);
  for (int32_t t = surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf);
       t < surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf + 1); t++)
    plane->is_smooth = unfold(patches, mesh, plane, t) && plane->is_smooth;
  plane->is_smooth = plane->is_smooth && is_sheet(mesh, joins, leaf);
  fit_plane(patches, mesh, plane, leaf);
}
