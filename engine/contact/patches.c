#include "engine/contact/patches.h"

#include "engine/base/parallel.h"
#include "engine/contact/patch_maker.h"
#include "engine/contact/surface_mesh.h"

#include <string.h>

/* How often a patch is widened by what is beyond its borders. */
enum { MOST_WIDENINGS = 3 };

/* How far a straight way may pass a border, as a share of the height: borders are straight but for rounding.
   The kernel has a margin for it. */
static const double PASSED = 1.0 / 8192;

/* Heights and places in the plane are sums of a few products of ways in space, and wrong by 2e-14 of the
   longest of these at most, and by some 1e-15 of themselves. Which way a triangle is turned, and whether it
   has a place, is sure where it is higher than a share of that by far; and what it covers is no further
   outside of all that a leaf owns than a small share of that. */
static const double SURE_SHARE = 1e-13, SURE_FAR = 1e-13, SURE_HEIGHT = 1e-9, NEAR_SHARE = 1e-4;

/* ----------------------------------------------------------------------------------- members in the plane */

/* How the plane of the n-th member is turned against that of the first. */
static void turn_to(patch_maker *k, surface_patch *patch, int n) {
  const leaf_plane *a = &k->planes[patch->leaf[0]], *c = &k->planes[patch->leaf[n]];
  const uint32_t bit = (uint32_t)1 << n;
  k->least[n] = INFINITY;
  k->behind &= ~bit;
  if (!c->has_triangles)
    return;
  const double2 x = leaf_plane_see(a, c->axis[0]), y = leaf_plane_see(a, c->axis[1]);
  const double area = double2_cross(x, y), off = patch_off_plane(a, c),
               stretch = 1 / (fabs(area) * (1 - off));
  const double turn[PATCH_TURN] = {y.y / area, -y.x / area, -x.y / area, x.x / area};
  for (int entry = 0; entry < PATCH_TURN; entry++)
    patch->turn[entry][n] = (msd_real)turn[entry];
  patch->stretch[n] = (msd_real)stretch;
  patch->tilt[n] = (msd_real)(stretch * off);
  /* The cosine of the widest angle of one of its triangles with the first plane, from the other side. */
  const double flattest = stretch * sqrt(1 + c->steepest * c->steepest);
  const msd_real longest = (msd_real)flattest;
  patch->longest = longest > patch->longest ? longest : patch->longest;
  k->least[n] = k->rims[patch->leaf[n]].least_height / flattest;
  k->behind |= double3_dot(a->normal, c->normal) < 0 ? bit : 0;
}

/* ------------------------------------------------------------------------------------- a patch in its plane */

/* No place of a leaf is farther from one, but for rounding. */
static double farthest_of(const surface_leaf *leaf, double3 from) {
  const double at[3] = {from.x, from.y, from.z};
  double far = 0;
  for (int axis = 0; axis < 3; axis++)
    far += fmax(fabs(leaf->low[axis] - at[axis]), fabs(leaf->high[axis] - at[axis]));
  return far;
}

/* The places of all that a leaf owns, seen from one in a plane. */
static void see_places(const patch_maker *k, const leaf_plane *plane, double3 from, int32_t first,
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

/* Takes the places of all that the n-th member owns, seen from the first vertex of the patch. */
static bool place_member(patch_maker *k, const surface_patch *patch, int n) {
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

/* How far c is to the left of the way from a to b, as an area. */
static double left_of(double2 a, double2 b, double2 c) {
  return double2_cross(double2_subtract(b, a), double2_subtract(c, a));
}

/* The corner of the triangle beyond that is not on the half-edge. */
static double2 tip_beyond(const patch_maker *k, int32_t half_edge) {
  const int32_t t = half_edge / 3, beyond = k->joins->beyond[half_edge];
  int corner = 0;
  while (patch_corner(k, beyond, corner) == patch_corner(k, t, half_edge % 3) ||
         patch_corner(k, beyond, corner) == patch_corner(k, t, half_edge % 3 + 1))
    corner++;
  return k->place[patch_corner(k, beyond, corner)];
}

/* Whether all that the n-th member owns is on one side of a border, that of its triangle. */
static bool is_before(const patch_maker *k, const surface_patch *patch, const patch_border *border, int n) {
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

/* Takes the height of a triangle into account. False where it has none. */
static bool take_height(surface_patch *patch, const double2 at[SURFACE_CORNERS]) {
  double longest = 0;
  for (int n = 0; n < SURFACE_CORNERS; n++) {
    const double square = double2_square(double2_subtract(at[(n + 1) % SURFACE_CORNERS], at[n]));
    longest = square > longest ? square : longest;
  }
  const msd_real height = (msd_real)(fabs(left_of(at[0], at[1], at[2])) / sqrt(longest));
  patch->height = height < patch->height ? height : patch->height;
  return height > 0;
}

/* Whether a triangle is turned over against one that it joins in the patch. */
static bool is_turned_over(const patch_maker *k, const double2 at[SURFACE_CORNERS], int32_t triangle) {
  const double area = left_of(at[0], at[1], at[2]);
  for (int n = 0; n < SURFACE_CORNERS; n++) {
    const int32_t half_edge = 3 * triangle + n, beyond = k->joins->beyond[half_edge];
    if (beyond == JOIN_BORDER || k->member[patch_leaf_of(k, beyond)] < 0 ||
        (beyond < triangle && k->member[patch_leaf_of(k, beyond)] >= k->laid))
      continue;
    if (!(area * left_of(at[n], at[(n + 1) % SURFACE_CORNERS], tip_beyond(k, half_edge)) < 0))
      return true;
  }
  return false;
}

/* Whether a triangle, or what is next to it by rounding, has a place. */
static bool may_cover(const double2 at[SURFACE_CORNERS], double2 place) {
  const double area = left_of(at[0], at[1], at[2]), least = -1e-6 * area * area;
  bool may = true;
  for (int n = 0; n < SURFACE_CORNERS && may; n++)
    may = left_of(at[n], at[(n + 1) % SURFACE_CORNERS], place) * area > least;
  return may;
}

/* Where a member is beyond an edge now, that is no border any more. */
static void drop_joined(patch_maker *k) {
  int32_t kept = 0;
  for (int32_t b = 0; b < k->border_count; b++)
    if (k->borders[b].leaf_beyond < 0 || k->member[k->borders[b].leaf_beyond] < 0)
      k->borders[kept++] = k->borders[b];
  k->border_count = kept;
}

/* The middle of the first triangle. */
static double2 middle_of(const patch_maker *k, const surface_patch *patch) {
  double2 at[SURFACE_CORNERS];
  corners_in(k, surface_mesh_first_place(k->mesh, SURFACE_TRIANGLES, patch->leaf[0]), at);
  return (double2){(at[0].x + at[1].x + at[2].x) / 3, (at[0].y + at[1].y + at[2].y) / 3};
}

/* The edges of the n-th member's rim with no member beyond are borders. False where the triangles of one of the
   others are turned over against each other. */
static bool take_rim(patch_maker *k, const surface_patch *patch, int n) {
  const leaf_rim *rim = &k->rims[patch->leaf[n]];
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

/* Takes the heights of all triangles of the n-th member into account. False where one has none. */
static bool take_heights(const patch_maker *k, surface_patch *patch, int n) {
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

/* The same of all new members: of those that by what is known of them can have a triangle that is less high. */
static bool take_least_heights(const patch_maker *k, surface_patch *patch) {
  int least = k->laid;
  for (int n = k->laid + 1; n < patch->count; n++)
    least = k->least[n] < k->least[least] ? n : least;
  bool done = least == patch->count || take_heights(k, patch, least);
  for (int n = k->laid; n < patch->count && done; n++)
    if (n != least && (msd_real)(k->least[n] * (1 - SURE_SHARE) - SURE_FAR * k->farthest) < patch->height)
      done = take_heights(k, patch, n);
  return done;
}

/* Whether rounding cannot decide how the triangles of any member are turned. */
static bool is_sure(const patch_maker *k, const surface_patch *patch) {
  bool is = true;
  for (int n = 0; n < patch->count; n++)
    is = is && k->least[n] > SURE_HEIGHT * k->farthest;
  return is;
}

/* Whether some triangle of the new members is turned over, by each of them. */
static bool is_some_turned_over(const patch_maker *k, const surface_patch *patch) {
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

/* Whether the n-th member is nowhere near a place. */
static bool is_far(const patch_maker *k, int n, double2 place) {
  for (int w = 0; w < WAYS; w++) {
    const double far = far_along(w, place), low = k->reaches[n].low[w], high = k->reaches[n].high[w],
                 near = NEAR_SHARE * (high - low);
    if (far < low - near || far > high + near)
      return true;
  }
  return false;
}

/* How many triangles of the n-th member have a place. */
static int count_covering(const patch_maker *k, const surface_patch *patch, int n, double2 place) {
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

/* Takes the members into account that are not laid out yet. False where triangles are turned over, or the
   middle of the first is covered twice. */
static bool lay_out(patch_maker *k, surface_patch *patch) {
  const bool sure = is_sure(k, patch);
  const double2 middle = middle_of(k, patch);
  bool done = true;
  drop_joined(k);
  for (int n = k->laid; n < patch->count && done; n++) {
    k->triangle_count += k->rims[patch->leaf[n]].triangle_count;
    done = k->triangle_count <= PATCH_TRIANGLES && (take_rim(k, patch, n) || !sure);
    if (done && !(sure && is_far(k, n, middle)))
      k->covering += count_covering(k, patch, n, middle);
    if (done && !sure)
      done = take_heights(k, patch, n);
  }
  done = done && (sure ? take_least_heights(k, patch) : !is_some_turned_over(k, patch));
  k->laid = patch->count;
  return done && k->covering == 1;
}

/* ------------------------------------------------------------------------ what is between two of the leaves */

/* The same of a member. What is covered stays so as the patch becomes wider. */
static bool is_member_covered(patch_maker *k, const surface_patch *patch, int n) {
  const uint32_t bit = (uint32_t)1 << n;
  if (!(k->covered & bit) && patch_covers(k, patch->leaf[n]))
    k->covered |= bit;
  return k->covered & bit;
}

/* Leaves that are far apart do not touch as long as the surface is smooth, and nobody asks. */
static bool is_near(const patch_maker *k, const surface_patch *patch, int n) {
  const double far = 4 * 2 * (double)k->mesh->leaves[patch->leaf[0]].half;
  return reaches_overlap(&k->reaches[0], &k->reaches[n], -far);
}

static bool may_touch(patch_maker *k, const surface_patch *patch, int n) {
  return is_near(k, patch, n) && is_member_covered(k, patch, n);
}

/* Lists the borders that can pass between the leaf in the middle and some of those near it. */
static void list_near_borders(patch_maker *k, const surface_patch *patch) {
  const double passed = PASSED * (double)patch->height;
  reach all = k->reaches[0];
  for (int n = 1; n < patch->count; n++)
    if (is_near(k, patch, n))
      all = reaches_joined(&all, &k->reaches[n]);
  k->near_count = 0;
  for (int32_t b = 0; b < k->border_count; b++) {
    near_border *near = &k->near[k->near_count];
    if (!edge_may_overlap(k->borders[b].at[0], k->borders[b].at[1], &all, passed))
      continue;
    *near = (near_border){b, reach_of_edge(k->borders[b].at[0], k->borders[b].at[1])};
    k->near_count += reaches_overlap(&near->reach, &all, passed);
  }
}

/* The first of these from b on that passes between the leaf in the middle and the n-th, which reach so far. */
static int32_t next_border(const patch_maker *k, const surface_patch *patch, int n, const reach *both,
                           int32_t b) {
  const double passed = PASSED * (double)patch->height;
  for (; b < k->near_count; b++) {
    const patch_border *border = &k->borders[k->near[b].border];
    if (reaches_overlap(&k->near[b].reach, both, passed) &&
        !(is_before(k, patch, border, 0) && is_before(k, patch, border, n)))
      return b;
  }
  return b;
}

static uint32_t leaves_between(patch_maker *k, const surface_patch *patch, int n) {
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

/* ---------------------------------------------------------------------------------------------- all patches */

/* Lays out the members that are not yet, or all of them anew. */
static bool lay_patch(patch_maker *k, surface_patch *patch, bool anew) {
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
  return done && lay_out(k, patch) && is_member_covered(k, patch, 0);
}

/* Where the patch ends between the leaf in the middle and another, and the surface does not, what is beyond
   joins it, as far as there is room. Whether something has. */
static bool take_beyond(patch_maker *k, surface_patch *patch) {
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
        patch_take_member(k, patch, beyond);
    }
  }
  return patch->count > count;
}

/* A patch that cannot be wider stays as it was. */
static bool fill_patch(patch_maker *k, surface_patch *patch) {
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

static void make_patch(patch_maker *k, int32_t leaf) {
  surface_patch *patch = &k->patches->around[leaf];
  if (k->planes[leaf].is_smooth && patch_take_members(k, patch, leaf)) {
    const bool done = fill_patch(k, patch);
    const int count = patch->count;
    patch_leave(k, patch, 0);
    patch->count = done ? count : 0;
  }
  for (int n = patch->count; n < PATCH_LEAVES; n++)
    patch->leaf[n] = leaf;
}

/* What is about the whole mesh, and of each thread its buffers. */
typedef struct making {
  surface_patches *patches;
  const surface_mesh *mesh;
  triangle_joins joins;
  leaf_plane *planes;
  leaf_rims rims;
  msd_real *reached[3];
  patch_maker *makers;
  int threads;
  parallel_barrier barrier;
} making;

static bool allocate_patches(surface_patches *p, memory *m, const surface_mesh *mesh) {
  const int32_t leaves = mesh->leaf_count, triangles = surface_mesh_places(mesh, SURFACE_TRIANGLES);
  p->around = memory_allocate_items(m, leaves, sizeof *p->around);
  p->fit = memory_allocate_items(m, 2 * SURFACE_BLOCK * (int64_t)leaves, sizeof *p->fit);
  bool done = p->around && p->fit;
  for (int n = 0; n < PATCH_TURN; n++) {
    p->unfold[n] = memory_allocate_items(m, triangles, sizeof *p->unfold[n]);
    done = done && p->unfold[n];
  }
  return done;
}

/* That a patch can have: it has so many leaves, and of triangles no more than fill their places. */
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

static bool allocate_maker(patch_maker *k, memory *m, const making *all) {
  const surface_mesh *mesh = all->mesh;
  const int32_t leaves = mesh->leaf_count;
  const int64_t vertices = (int64_t)leaves * SURFACE_BLOCK;
  *k = (patch_maker){.mesh = mesh,
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

static void free_maker(patch_maker *k, memory *m) {
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
  bool done = all->makers && all->planes &&
              triangle_joins_make(&all->joins, m, all->mesh, tasks, all->threads) &&
              leaf_rims_allocate(&all->rims, m, all->mesh) && allocate_patches(all->patches, m, all->mesh);
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
    leaf_plane_find(&all->planes[leaf], all->patches, all->mesh, &all->joins, leaf);
    leaf_rims_turn(&all->rims, all->mesh, all->planes, leaf);
    for (int32_t vertex = leaf * SURFACE_BLOCK; vertex < (leaf + 1) * SURFACE_BLOCK; vertex++)
      triangle_joins_go_around(&all->joins, all->mesh, vertex);
    place_reached(all, leaf);
  }
  parallel_wait(&all->barrier, threads);
  for (int32_t leaf = own.first; leaf < own.last; leaf++)
    leaf_rims_find(&all->rims, all->mesh, &all->joins, leaf);
  parallel_wait(&all->barrier, threads);
  for (int32_t leaf = own.first; leaf < own.last; leaf++)
    make_patch(&all->makers[thread], leaf);
}

bool surface_patches_make(surface_patches *patches, memory *m, const surface_mesh *mesh,
                          const msd_tasks *tasks, int threads) {
  making all = {.patches = patches, .mesh = mesh, .threads = threads > 1 ? threads : 1};
  const bool done = allocate(&all, m, tasks);
  if (done)
    parallel_run(tasks, all.threads, make_share, &all);
  else
    surface_patches_free(patches, m);
  for (int n = 0; n < all.threads && all.makers; n++)
    free_maker(&all.makers[n], m);
  memory_release(m, all.makers);
  for (int axis = 0; axis < 3; axis++)
    memory_release(m, all.reached[axis]);
  memory_release(m, all.planes);
  leaf_rims_free(&all.rims, m);
  triangle_joins_free(&all.joins, m);
  return done;
}

void surface_patches_free(surface_patches *patches, memory *m) {
  memory_release(m, patches->around);
  memory_release(m, patches->fit);
  for (int n = 0; n < PATCH_TURN; n++)
    memory_release(m, patches->unfold[n]);
  *patches = (surface_patches){0};
}
