#include "engine/contact/flat_regions.h"

#include "engine/base/parallel.h"
#include "engine/contact/flat_region_builder.h"
#include "engine/contact/surface_mesh.h"

#include <string.h>

/* How often a patch is extended across its borders. */
enum { MOST_WIDENINGS = 3 };

/* How far a straight line may cross a border because of rounding, as a fraction of the height; the kernel
   has a margin for it. */
static const double PASSED = 1.0 / 8192;

/* Heights and plane positions are sums of a few products, with errors of at most 2e-14 of the longest vector
   and about 1e-15 of themselves. The orientation of a triangle, and whether it covers a point, is certain if
   its height exceeds a multiple of that. It covers nothing farther outside the vertices of its leaf than a
   small fraction of its height. */
static const double SURE_SHARE = 1e-13, SURE_FAR = 1e-13, SURE_HEIGHT = 1e-9, NEAR_SHARE = 1e-4;

/* ----------------------------------------------------------------------------------- members in the plane */

/* Finds the rotation of the n-th member's plane against that of the first. */
static void turn_to(flat_region_builder *k, flat_region *patch, int n) {
  const cluster_frame *a = &k->planes[patch->leaf[0]], *c = &k->planes[patch->leaf[n]];
  const uint32_t bit = (uint32_t)1 << n;
  k->least[n] = INFINITY;
  k->behind &= ~bit;
  if (!c->has_triangles)
    return;
  const double2 x = cluster_frame_see(a, c->axis[0]), y = cluster_frame_see(a, c->axis[1]);
  const double area = double2_cross(x, y), off = patch_off_plane(a, c),
               stretch = 1 / (fabs(area) * (1 - off));
  const double turn[FLAT_REGION_TURN] = {y.y / area, -y.x / area, -x.y / area, x.x / area};
  for (int entry = 0; entry < FLAT_REGION_TURN; entry++)
    patch->turn[entry][n] = (msd_real)turn[entry];
  patch->stretch[n] = (msd_real)stretch;
  patch->tilt[n] = (msd_real)(stretch * off);
  /* Upper bound of 1/cos of the angle between one of its triangles and the first plane. */
  const double flattest = stretch * sqrt(1 + c->steepest * c->steepest);
  const msd_real longest = (msd_real)flattest;
  patch->longest = longest > patch->longest ? longest : patch->longest;
  k->least[n] = k->rims[patch->leaf[n]].least_height / flattest;
  k->behind |= double3_dot(a->normal, c->normal) < 0 ? bit : 0;
}

/* -------------------------------------------------------------------------------------- layout of a patch */

/* Upper bound of the distance of a leaf's points from one, except for rounding. */
static double farthest_of(const surface_leaf *leaf, double3 from) {
  const double at[3] = {from.x, from.y, from.z};
  double far = 0;
  for (int axis = 0; axis < 3; axis++)
    far += fmax(fabs(leaf->low[axis] - at[axis]), fabs(leaf->high[axis] - at[axis]));
  return far;
}

/* The positions in a plane of all vertices that a leaf uses, relative to one. */
static void see_places(const flat_region_builder *k, const cluster_frame *plane, double3 from, int32_t first,
                       int32_t count, double *restrict x, double *restrict y) {
  const msd_real *const reached[3] = {k->reached[0] + first, k->reached[1] + first, k->reached[2] + first};
  const double3 along = plane->axis[0], across = plane->axis[1];
  for (int32_t n = 0; n < count; n++) {
    const double3 way = {(double)reached[0][n] - from.x, (double)reached[1][n] - from.y,
                         (double)reached[2][n] - from.z};
    x[n] = double3_dot(along, way);
    y[n] = double3_dot(across, way);
  }
}

/* Computes the positions of all vertices of the n-th member, relative to the first vertex of the patch. */
static bool place_member(flat_region_builder *k, const flat_region *patch, int n) {
  const int32_t *first_reached = k->mesh->first_reached + patch->leaf[n];
  const double3 origin = patch_rest(k, patch->leaf[0] * SURFACE_BLOCK);
  const int32_t first = k->first_point[n], count = first_reached[1] - first_reached[0];
  if (count > PATCH_POINTS - first)
    return false;
  double *x = k->points[0] + first, *y = k->points[1] + first;
  see_places(k, &k->planes[patch->leaf[0]], origin, first_reached[0], count, x, y);
  for (int32_t at = 0; at < count; at++)
    k->place[k->mesh->reached[first_reached[0] + at]] = (double2){x[at], y[at]};
  k->first_point[n + 1] = first + count;
  k->farthest = fmax(k->farthest, farthest_of(&k->mesh->leaves[patch->leaf[n]], origin));
  k->reaches[n] = reach_of_places(x, y, count);
  return true;
}

/* Twice the area of the triangle a, b, c; positive if c is on the left of a to b. */
static double left_of(double2 a, double2 b, double2 c) {
  return double2_cross(double2_subtract(b, a), double2_subtract(c, a));
}

/* The third corner of the neighbor across a half-edge. */
static double2 tip_beyond(const flat_region_builder *k, int32_t half_edge) {
  const int32_t t = half_edge / 3, beyond = k->joins->beyond[half_edge];
  int corner = 0;
  while (patch_corner(k, beyond, corner) == patch_corner(k, t, half_edge % 3) ||
         patch_corner(k, beyond, corner) == patch_corner(k, t, half_edge % 3 + 1))
    corner++;
  return k->place[patch_corner(k, beyond, corner)];
}

/* True if the n-th member is entirely on the inner side of a border. */
static bool is_before(const flat_region_builder *k, const flat_region *patch, const patch_border *border,
                      int n) {
  const double2 from = border->at[0], along = double2_subtract(border->at[1], from);
  const double side = double2_cross(along, double2_subtract(border->at[2], from)) < 0 ? -1 : 1;
  const double least = -PASSED * (double)patch->height * sqrt(double2_square(along));
  const double2 across = {side * along.x, side * along.y};
  int64_t passed = 0;
  for (int32_t p = k->first_point[n]; p < k->first_point[n + 1]; p++) {
    const double2 way = {k->points[0][p] - from.x, k->points[1][p] - from.y};
    passed |= -(int64_t)(double2_cross(across, way) < least);
  }
  return passed == 0;
}

/* Updates the least height; false if the triangle has none. */
static bool take_height(flat_region *patch, const double2 at[SURFACE_CORNERS]) {
  double longest = 0;
  for (int n = 0; n < SURFACE_CORNERS; n++) {
    const double square = double2_square(double2_subtract(at[(n + 1) % SURFACE_CORNERS], at[n]));
    longest = square > longest ? square : longest;
  }
  const msd_real height = (msd_real)(fabs(left_of(at[0], at[1], at[2])) / sqrt(longest));
  patch->height = height < patch->height ? height : patch->height;
  return height > 0;
}

/* True if a triangle is folded over a neighbor in the patch. */
static bool is_turned_over(const flat_region_builder *k, const double2 at[SURFACE_CORNERS],
                           int32_t triangle) {
  const double area = left_of(at[0], at[1], at[2]);
  for (int n = 0; n < SURFACE_CORNERS; n++) {
    const int32_t half_edge = 3 * triangle + n, beyond = k->joins->beyond[half_edge];
    if (beyond == JOIN_BORDER || k->member[flat_region_cluster_of(k, beyond)] < 0 ||
        (beyond < triangle && k->member[flat_region_cluster_of(k, beyond)] >= k->laid))
      continue;
    if (!(area * left_of(at[n], at[(n + 1) % SURFACE_CORNERS], tip_beyond(k, half_edge)) < 0))
      return true;
  }
  return false;
}

/* True if a triangle contains a point, or would within rounding. */
static bool may_cover(const double2 at[SURFACE_CORNERS], double2 place) {
  const double area = left_of(at[0], at[1], at[2]), least = -1e-6 * area * area;
  bool may = true;
  for (int n = 0; n < SURFACE_CORNERS && may; n++)
    may = left_of(at[n], at[(n + 1) % SURFACE_CORNERS], place) * area > least;
  return may;
}

/* Removes borders whose neighbor has joined the patch. */
static void drop_joined(flat_region_builder *k) {
  int32_t kept = 0;
  for (int32_t b = 0; b < k->border_count; b++)
    if (k->borders[b].leaf_beyond < 0 || k->member[k->borders[b].leaf_beyond] < 0)
      k->borders[kept++] = k->borders[b];
  k->border_count = kept;
}

/* The center of the first triangle. */
static double2 middle_of(const flat_region_builder *k, const flat_region *patch) {
  double2 at[SURFACE_CORNERS];
  corners_in(k, surface_mesh_first_place(k->mesh, SURFACE_TRIANGLES, patch->leaf[0]), at);
  return (double2){(at[0].x + at[1].x + at[2].x) / 3, (at[0].y + at[1].y + at[2].y) / 3};
}

/* Adds the borders of the n-th member. False if triangles of a member are folded over each other. */
static bool add_boundary(flat_region_builder *k, const flat_region *patch, int n) {
  const cluster_boundary *rim = &k->rims[patch->leaf[n]];
  bool done = !rim->is_folded;
  for (int32_t e = 0; e < rim->edge_count; e++) {
    const rim_edge *edge = &rim->edges[e];
    const int beyond = edge->leaf_beyond < 0 ? -1 : k->member[edge->leaf_beyond];
    if (beyond >= 0) {
      done = done && edge->is_turned == ((k->behind >> n ^ k->behind >> beyond) & 1);
      continue;
    }
    double2 at[SURFACE_CORNERS];
    corners_in(k, edge->half_edge / 3, at);
    const int corner = edge->half_edge % 3;
    k->borders[k->border_count++] =
        (patch_border){{at[corner], at[(corner + 1) % SURFACE_CORNERS], at[(corner + 2) % SURFACE_CORNERS]},
                       edge->leaf_beyond};
  }
  return done;
}

/* Updates the least height by all triangles of the n-th member; false if one has none. */
static bool take_heights(const flat_region_builder *k, flat_region *patch, int n) {
  double2 at[SURFACE_CORNERS];
  bool done = true;
  for (int32_t t = surface_mesh_first_place(k->mesh, SURFACE_TRIANGLES, patch->leaf[n]);
       t < surface_mesh_first_place(k->mesh, SURFACE_TRIANGLES, patch->leaf[n] + 1); t++)
    if (surface_mesh_is_filled(k->mesh, SURFACE_TRIANGLES, t)) {
      corners_in(k, t, at);
      done = take_height(patch, at) && done;
    }
  return done;
}

/* The same for all new members whose lower bound could change the result. */
static bool take_least_heights(const flat_region_builder *k, flat_region *patch) {
  int least = k->laid;
  for (int n = k->laid + 1; n < patch->count; n++)
    least = k->least[n] < k->least[least] ? n : least;
  bool done = least == patch->count || take_heights(k, patch, least);
  for (int n = k->laid; n < patch->count && done; n++)
    if (n != least && (msd_real)(k->least[n] * (1 - SURE_SHARE) - SURE_FAR * k->farthest) < patch->height)
      done = take_heights(k, patch, n);
  return done;
}

/* False if rounding could affect the orientation of triangles of any member. */
static bool is_sure(const flat_region_builder *k, const flat_region *patch) {
  bool is = true;
  for (int n = 0; n < patch->count; n++)
    is = is && k->least[n] > SURE_HEIGHT * k->farthest;
  return is;
}

/* Tests all triangles of the new members for folding. */
static bool is_some_turned_over(const flat_region_builder *k, const flat_region *patch) {
  double2 at[SURFACE_CORNERS];
  for (int n = k->laid; n < patch->count; n++)
    for (int32_t t = surface_mesh_first_place(k->mesh, SURFACE_TRIANGLES, patch->leaf[n]);
         t < surface_mesh_first_place(k->mesh, SURFACE_TRIANGLES, patch->leaf[n] + 1); t++)
      if (surface_mesh_is_filled(k->mesh, SURFACE_TRIANGLES, t)) {
        corners_in(k, t, at);
        if (is_turned_over(k, at, t))
          return true;
      }
  return false;
}

/* True if a point is clearly outside the n-th member. */
static bool is_far(const flat_region_builder *k, int n, double2 place) {
  for (int w = 0; w < WAYS; w++) {
    const double far = far_along(w, place), low = k->reaches[n].low[w], high = k->reaches[n].high[w],
                 near = NEAR_SHARE * (high - low);
    if (far < low - near || far > high + near)
      return true;
  }
  return false;
}

/* How many triangles of the n-th member contain a point. */
static int count_covering(const flat_region_builder *k, const flat_region *patch, int n, double2 place) {
  double2 at[SURFACE_CORNERS];
  int count = 0;
  for (int32_t t = surface_mesh_first_place(k->mesh, SURFACE_TRIANGLES, patch->leaf[n]);
       t < surface_mesh_first_place(k->mesh, SURFACE_TRIANGLES, patch->leaf[n] + 1); t++)
    if (surface_mesh_is_filled(k->mesh, SURFACE_TRIANGLES, t)) {
      corners_in(k, t, at);
      count += may_cover(at, place);
    }
  return count;
}

/* Lays out the new members. False if triangles are folded over, or the center of the first is covered twice. */
static bool lay_out_members(flat_region_builder *k, flat_region *patch) {
  const bool sure = is_sure(k, patch);
  const double2 middle = middle_of(k, patch);
  bool done = true;
  drop_joined(k);
  for (int n = k->laid; n < patch->count && done; n++) {
    k->triangle_count += k->rims[patch->leaf[n]].triangle_count;
    done = k->triangle_count <= PATCH_TRIANGLES && (add_boundary(k, patch, n) || !sure);
    if (done && !(sure && is_far(k, n, middle)))
      k->covering += count_covering(k, patch, n, middle);
    if (done && !sure)
      done = take_heights(k, patch, n);
  }
  done = done && (sure ? take_least_heights(k, patch) : !is_some_turned_over(k, patch));
  k->laid = patch->count;
  return done && k->covering == 1;
}

/* ------------------------------------------------------------------------------ leaves between two leaves */

/* True if all primitives of a member are in triangles of the patch. This stays true as the patch grows. */
static bool is_member_covered(flat_region_builder *k, const flat_region *patch, int n) {
  const uint32_t bit = (uint32_t)1 << n;
  if (!(k->covered & bit) && flat_region_covers(k, patch->leaf[n]))
    k->covered |= bit;
  return k->covered & bit;
}

/* Leaves that are far apart at rest need no proof: their boxes do not overlap while the surface is smooth. */
static bool is_near(const flat_region_builder *k, const flat_region *patch, int n) {
  const double far = 4 * 2 * (double)k->mesh->leaves[patch->leaf[0]].half;
  return reaches_overlap(&k->reaches[0], &k->reaches[n], -far);
}

static bool may_touch(flat_region_builder *k, const flat_region *patch, int n) {
  return is_near(k, patch, n) && is_member_covered(k, patch, n);
}

/* By how much a border must overlap two leaves to separate them. The two sides of a slit have the same rest
   positions, so a border of the surface separates leaves that only touch it; a border of the patch does not. */
static double overlap_of(const flat_region *patch, const patch_border *border) {
  return (border->leaf_beyond < 0 ? -PASSED : PASSED) * (double)patch->height;
}

/* Lists the borders that can separate the central leaf from one near it. */
static void list_near_borders(flat_region_builder *k, const flat_region *patch) {
  reach all = k->reaches[0];
  for (int n = 1; n < patch->count; n++)
    if (is_near(k, patch, n))
      all = reaches_joined(&all, &k->reaches[n]);
  k->near_count = 0;
  for (int32_t b = 0; b < k->border_count; b++) {
    near_border *near = &k->near[k->near_count];
    const double passed = overlap_of(patch, &k->borders[b]);
    if (!edge_may_overlap(k->borders[b].at[0], k->borders[b].at[1], &all, passed))
      continue;
    *near = (near_border){b, reach_of_edge(k->borders[b].at[0], k->borders[b].at[1])};
    k->near_count += reaches_overlap(&near->reach, &all, passed);
  }
}

/* The next of these, from b on, that separates the central leaf from the n-th. */
static int32_t next_border(const flat_region_builder *k, const flat_region *patch, int n, const reach *both,
                           int32_t b) {
  for (; b < k->near_count; b++) {
    const patch_border *border = &k->borders[k->near[b].border];
    if (reaches_overlap(&k->near[b].reach, both, overlap_of(patch, border)) &&
        !(is_before(k, patch, border, 0) && is_before(k, patch, border, n)))
      return b;
  }
  return b;
}

static uint32_t leaves_between(flat_region_builder *k, const flat_region *patch, int n) {
  const double passed = PASSED * (double)patch->height;
  const reach both = reaches_joined(&k->reaches[0], &k->reaches[n]);
  if (!may_touch(k, patch, n) || next_border(k, patch, n, &both, 0) < k->near_count)
    return 0;
  uint32_t between = 0;
  for (int c = 0; c < patch->count; c++)
    if (k->planes[patch->leaf[c]].has_triangles && reaches_overlap(&k->reaches[c], &both, -passed))
      between |= (uint32_t)1 << c;
  return between;
}

/* -------------------------------------------------------------------------------------------- all patches */

/* Lays out the new members, or all of them again. */
static bool lay_patch(flat_region_builder *k, flat_region *patch, bool anew) {
  if (anew) {
    k->laid = 0;
    k->border_count = k->triangle_count = k->covering = 0;
    k->covered = 0;
    k->farthest = 0;
    patch->longest = 0;
    patch->height = (msd_real)INFINITY;
  }
  bool done = true;
  for (int n = k->laid; n < patch->count && done; n++) {
    turn_to(k, patch, n);
    done = place_member(k, patch, n);
  }
  return done && lay_out_members(k, patch) && is_member_covered(k, patch, 0);
}

/* Adds the leaves across borders that separate the central leaf from another; true if any was added. */
static bool take_beyond(flat_region_builder *k, flat_region *patch) {
  const int count = patch->count;
  list_near_borders(k, patch);
  for (int n = 1; n < count; n++) {
    if (!may_touch(k, patch, n))
      continue;
    const reach both = reaches_joined(&k->reaches[0], &k->reaches[n]);
    for (int32_t b = next_border(k, patch, n, &both, 0); b < k->near_count;
         b = next_border(k, patch, n, &both, b + 1)) {
      const int32_t beyond = k->borders[k->near[b].border].leaf_beyond;
      if (beyond >= 0)
        flat_region_take_member(k, patch, beyond);
    }
  }
  return patch->count > count;
}

/* If a patch cannot be extended it remains as it was. */
static bool fill_patch(flat_region_builder *k, flat_region *patch) {
  bool done = lay_patch(k, patch, true);
  int count = patch->count;
  for (int n = 0; n < MOST_WIDENINGS && done && take_beyond(k, patch); n++) {
    done = lay_patch(k, patch, false);
    count = done ? patch->count : count;
  }
  if (patch->count > count) {
    patch_leave(k, patch, count);
    done = lay_patch(k, patch, true);
  }
  if (done)
    list_near_borders(k, patch);
  for (int n = 0; n < patch->count && done; n++)
    patch->between[n] = leaves_between(k, patch, n);
  return done;
}

static void make_patch(flat_region_builder *k, int32_t leaf) {
  flat_region *patch = &k->patches->around[leaf];
  if (k->planes[leaf].is_smooth && flat_region_take_members(k, patch, leaf)) {
    const bool done = fill_patch(k, patch);
    const int count = patch->count;
    patch_leave(k, patch, 0);
    patch->count = done ? count : 0;
  }
  for (int n = patch->count; n < PATCH_LEAVES; n++)
    patch->leaf[n] = leaf;
}

/* The whole mesh, and the state of each thread. */
typedef struct making {
  flat_regions *patches;
  const surface_mesh *mesh;
  triangle_joins joins;
  cluster_frame *planes;
  cluster_boundaries rims;
  msd_real *reached[3];
  flat_region_builder *makers;
  int threads;
  parallel_barrier barrier;
} making;

static bool allocate_patches(flat_regions *p, memory *m, const surface_mesh *mesh) {
  const int32_t leaves = mesh->leaf_count, triangles = surface_mesh_places(mesh, SURFACE_TRIANGLES);
  p->around = memory_allocate_items(m, leaves, sizeof *p->around);
  p->fit = memory_allocate_items(m, 2 * SURFACE_BLOCK * (int64_t)leaves, sizeof *p->fit);
  bool done = p->around && p->fit;
  for (int n = 0; n < FLAT_REGION_TURN; n++) {
    p->unfold[n] = memory_allocate_items(m, triangles, sizeof *p->unfold[n]);
    done = done && p->unfold[n];
  }
  return done;
}

/* Upper bound of the borders of a patch: PATCH_LEAVES leaves with full blocks. */
static int64_t most_borders(const surface_mesh *mesh) {
  int32_t most = 0;
  for (int32_t leaf = 0; leaf < mesh->leaf_count; leaf++) {
    const int32_t own = surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf + 1) -
                        surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf);
    most = own > most ? own : most;
  }
  return SURFACE_CORNERS *
         (int64_t)(most < PATCH_TRIANGLES / PATCH_LEAVES ? most * PATCH_LEAVES : PATCH_TRIANGLES);
}

static bool allocate_maker(flat_region_builder *k, memory *m, const making *all) {
  const surface_mesh *mesh = all->mesh;
  const int32_t leaves = mesh->leaf_count;
  const int64_t vertices = (int64_t)leaves * SURFACE_BLOCK;
  *k = (flat_region_builder){.mesh = mesh,
                             .patches = all->patches,
                             .planes = all->planes,
                             .rims = all->rims.of,
                             .reached = all->reached,
                             .joins = &all->joins};
  k->met = memory_allocate_unset_items(m, vertices, sizeof *k->met);
  const int64_t borders = most_borders(mesh);
  k->ring = memory_allocate_unset_items(m, PATCH_VERTICES, sizeof *k->ring);
  k->member = memory_allocate_unset_items(m, leaves, sizeof *k->member);
  k->borders = memory_allocate_unset_items(m, borders, sizeof *k->borders);
  k->place = memory_allocate_unset_items(m, vertices, sizeof *k->place);
  k->near = memory_allocate_unset_items(m, borders, sizeof *k->near);
  for (int n = 0; n < 2; n++)
    k->points[n] = memory_allocate_unset_items(m, PATCH_POINTS, sizeof *k->points[n]);
  if (!k->met || !k->ring || !k->member || !k->borders || !k->near || !k->place || !k->points[0] ||
      !k->points[1])
    return false;
  memset(k->met, 0xff, (size_t)vertices * sizeof *k->met);
  memset(k->member, 0xff, (size_t)leaves * sizeof *k->member);
  return true;
}

static void free_maker(flat_region_builder *k, memory *m) {
  memory_release(m, k->points[1]);
  memory_release(m, k->points[0]);
  memory_release(m, k->near);
  memory_release(m, k->place);
  memory_release(m, k->borders);
  memory_release(m, k->member);
  memory_release(m, k->ring);
  memory_release(m, k->met);
}

static bool allocate(making *all, memory *m, const msd_tasks *tasks) {
  all->makers = memory_allocate_items(m, all->threads, sizeof *all->makers);
  all->planes = memory_allocate_items(m, all->mesh->leaf_count, sizeof *all->planes);
  bool done =
      all->makers && all->planes && triangle_joins_make(&all->joins, m, all->mesh, tasks, all->threads) &&
      cluster_boundaries_allocate(&all->rims, m, all->mesh) && allocate_patches(all->patches, m, all->mesh);
  for (int axis = 0; axis < 3; axis++) {
    all->reached[axis] =
        memory_allocate_items(m, all->mesh->first_reached[all->mesh->leaf_count], sizeof(msd_real));
    done = done && all->reached[axis];
  }
  for (int n = 0; n < all->threads && done; n++)
    done = allocate_maker(&all->makers[n], m, all);
  return done;
}

static void place_reached(const making *all, int32_t leaf) {
  for (int32_t n = all->mesh->first_reached[leaf]; n < all->mesh->first_reached[leaf + 1]; n++)
    for (int axis = 0; axis < 3; axis++)
      all->reached[axis][n] = all->mesh->rest[(size_t)all->mesh->reached[n] * RECORD_QUAD + (size_t)axis];
}

static void make_share(void *context, int thread, int threads) {
  making *all = context;
  const parallel_range own = parallel_split(all->mesh->leaf_count, thread, threads);
  for (int32_t leaf = own.first; leaf < own.last; leaf++) {
    cluster_frame_find(&all->planes[leaf], all->patches, all->mesh, &all->joins, leaf);
    cluster_boundaries_turn(&all->rims, all->mesh, all->planes, leaf);
    for (int32_t vertex = leaf * SURFACE_BLOCK; vertex < (leaf + 1) * SURFACE_BLOCK; vertex++)
      triangle_joins_go_around(&all->joins, all->mesh, vertex);
    place_reached(all, leaf);
  }
  parallel_wait(&all->barrier, threads);
  for (int32_t leaf = own.first; leaf < own.last; leaf++)
    cluster_boundaries_find(&all->rims, all->mesh, &all->joins, leaf);
  parallel_wait(&all->barrier, threads);
  for (int32_t leaf = own.first; leaf < own.last; leaf++)
    make_patch(&all->makers[thread], leaf);
}

bool flat_regions_make(flat_regions *patches, memory *m, const surface_mesh *mesh, const msd_tasks *tasks,
                       int threads) {
  making all = {.patches = patches, .mesh = mesh, .threads = threads > 1 ? threads : 1};
  const bool done = allocate(&all, m, tasks);
  if (done)
    parallel_run(tasks, all.threads, make_share, &all);
  else
    flat_regions_free(patches, m);
  for (int n = 0; n < all.threads && all.makers; n++)
    free_maker(&all.makers[n], m);
  memory_release(m, all.makers);
  for (int axis = 0; axis < 3; axis++)
    memory_release(m, all.reached[axis]);
  memory_release(m, all.planes);
  cluster_boundaries_free(&all.rims, m);
  triangle_joins_free(&all.joins, m);
  return done;
}

void flat_regions_free(flat_regions *patches, memory *m) {
  memory_release(m, patches->around);
  memory_release(m, patches->fit);
  for (int n = 0; n < FLAT_REGION_TURN; n++)
    memory_release(m, patches->unfold[n]);
  *patches = (flat_regions){0};
}
