#include "tests/support/pair_searches.h"
#include "tests/support/share.h"

#include "engine/contact/broad_phase_work.h"
#include "engine/contact/cluster_frames.h"

/* A sheet of 10 mm edges, whose inner particles are somewhere else at rest by up to `disorder`. */
static surface sheet(int32_t columns, int32_t rows, generator *random, msd_real disorder) {
  surface s = {0};
  surface_add_sheet(&s, columns, rows, 0.01, 0.004);
  for (int32_t i = 0; i < s.particles; i++) {
    const bool inside =
        i % columns > 0 && i % columns + 1 < columns && i >= columns && i + columns < s.particles;
    const msd_vec3 d = random_vector(random, inside ? disorder : 0);
    s.rest[i].x += d.x, s.rest[i].z += d.z;
    s.x[i] = s.rest[i];
  }
  return s;
}

/* Waves that go across in some direction, of a height and steepness; each place has a speed. */
static void wave(surface *s, double height, double steepness, double angle, double speed) {
  for (int32_t i = 0; i < s->particles; i++) {
    const double x = (double)s->rest[i].x, z = (double)s->rest[i].z,
                 along = steepness * (x * cos(angle) + z * sin(angle));
    const double y = (double)s->rest[i].y + height * sin(along), turn = angle / 2;
    s->x[i] = (msd_vec3){(msd_real)(x * cos(turn) - y * sin(turn)), (msd_real)(x * sin(turn) + y * cos(turn)),
                         (msd_real)z};
    s->v[i] =
        (msd_vec3){(msd_real)(speed * cos(3 * along)), (msd_real)(speed * sin(2 * along)), (msd_real)speed};
  }
}

static bool meets(const pair_search *search, int32_t leaf, int32_t other) {
  cr_assert_leq(search->meeting_count[leaf], PAIR_MEETINGS);
  for (int32_t n = 0; n < search->meeting_count[leaf]; n++)
    if (search->meetings[leaf][n] == other)
      return true;
  return false;
}

/* Whether the boxes around two leaves touch. */
static bool boxes_touch(const pair_search *search, int32_t leaf, int32_t other) {
  msd_real box[2][PAIR_BOX];
  pair_block_get(&search->levels[0][leaf / SURFACE_BLOCK], leaf % SURFACE_BLOCK, box[0]);
  pair_block_get(&search->levels[0][other / SURFACE_BLOCK], other % SURFACE_BLOCK, box[1]);
  bool touch = true;
  for (int axis = 0; axis < 3; axis++)
    for (int n = 0; n < 2; n++) {
      const msd_real *low = box[n] + axis, *high = box[1 - n] + 3 + axis;
      touch = touch && !(low[0] > high[0] && low[6] > high[6]);
    }
  return touch;
}

/* Pairs of leaves whose boxes touch, and that are proved to stay apart. */
static int count_apart(const searching *x, const pair_search *search) {
  int count = 0;
  for (int32_t leaf = 0; leaf < x->mesh.leaf_count; leaf++)
    for (int32_t other = leaf; other < x->mesh.leaf_count; other++)
      count += boxes_touch(search, leaf, other) && !meets(search, leaf, other);
  return count;
}

/* Searches and holds the list against all pairs; how many pairs of leaves no list had to look at. */
static int check_patches(surface s, double horizon, double skin) {
  searching x = search_in(s, horizon, skin);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  check_all(&x, &search.list, 0.4);
  const int apart = count_apart(&x, &search);
  close_search(&x, &search);
  return apart;
}

Test(patches, a_smooth_sheet_cannot_touch_itself) {
  generator random = {.state = 1};
  surface s = sheet(32, 32, &random, (msd_real)0.001);
  wave(&s, 0.01, 15, 0.4, 0.2);
  searching x = search_in(s, 0.005, 0.0005);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  cr_assert_eq(search.list.count, 0);
  for (int32_t leaf = 0; leaf < x.mesh.leaf_count; leaf++) {
    cr_assert_eq(x.mesh.patches.around[leaf].leaf[0], leaf);
    cr_assert_eq(search.meeting_count[leaf], 0, "leaf %d", (int)leaf);
  }
  close_search(&x, &search);
}

/* Where leaves do not lie in rows and columns, a patch of whole rings around one has notches. Straight ways
   between any two leaves of a rectangle lie in it. A few leaves are slanted: their boxes touch, although they
   are further apart than patches ask for. */
Test(patches, what_is_beyond_a_notch_of_a_patch_is_known) {
  generator random = {.state = 1};
  searching x = search_in(sheet(100, 100, &random, 0), 0.001, 0.0005);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  int met = 0;
  for (int32_t leaf = 0; leaf < x.mesh.leaf_count; leaf++)
    met += search.meeting_count[leaf];
  cr_assert_leq(met, x.mesh.leaf_count / 64, "%d", met);
  close_search(&x, &search);
}

Test(patches, whatever_is_left_out_stays_apart) {
  generator random = {.state = 2};
  int least = INT32_MAX, most = 0;
  for (int n = 0; n < 12; n += in_part ? 5 : 1) {
    surface s = sheet(9 + n % 3, 12, &random, (msd_real)(0.002 * (n % 2)));
    wave(&s, 0.004 * n, 40, 0.5 * n, 0.1 * n);
    const int apart = check_patches(s, 0.004, 0.0002 * (n % 4));
    least = apart < least ? apart : least;
    most = apart > most ? apart : most;
  }
  cr_assert_gt(most, 10, "%d", most);
  cr_assert_lt(least, most / 2, "steep waves are looked at: %d of %d", least, most);
}

/* At rest around a drum, on which every leaf has a plane of its own. */
Test(patches, a_surface_may_be_round_at_rest) {
  generator random = {.state = 3};
  for (int n = 0; n < share_of(3); n++) {
    surface s = sheet(13, 12, &random, (msd_real)0.001);
    const double radius = 0.25 / (1 + n);
    for (int32_t i = 0; i < s.particles; i++) {
      const double angle = (double)s.rest[i].x / radius;
      s.rest[i].x = (msd_real)(radius * sin(angle));
      s.rest[i].y = (msd_real)(radius * cos(angle));
    }
    wave(&s, 0.005, 20, 0.3, 0.1);
    cr_assert_gt(check_patches(s, 0.004, 0.0002), n < 2 ? 5 : 0, "radius %g", radius);
  }
}

/* Flat now, and an eighth as wide at the end. */
Test(patches, a_sheet_that_is_going_to_shrink_is_looked_at) {
  generator random = {.state = 7};
  surface s = sheet(11, 10, &random, 0);
  for (int32_t i = 0; i < s.particles; i++)
    s.v[i].x = -(msd_real)0.875 * s.x[i].x / (msd_real)0.004;
  check_patches(s, 0.004, 0.0001);
}

/* One particle of a flat sheet is moved to the next one. */
Test(patches, one_place_that_is_not_smooth_is_looked_at_wherever_it_is) {
  int32_t found = 0;
  for (int32_t moved = 0; moved < 64; moved += in_part ? 9 : 3) {
    generator random = {.state = 9};
    surface s = sheet(8, 8, &random, 0);
    s.x[moved].x += (msd_real)(moved % 8 < 7 ? 0.0095 : -0.0095);
    searching x = search_in(s, 0.001, 0.0002);
    pair_search search = {0};
    build(&x, &search, 1, MSD_SIMD_WIDEST);
    found += check_all(&x, &search.list, 0.1);
    close_search(&x, &search);
  }
  cr_assert_gt(found, share_of(50), "%d", (int)found);
}

/* Pairs 10 mm apart at rest are 4.5 mm apart, and 3 mm thick: with one skin of 1 mm they would not touch. */
Test(patches, both_may_go_to_the_ends_of_their_skins) {
  generator random = {.state = 8};
  surface s = sheet(11, 10, &random, 0);
  for (int32_t i = 0; i < s.particles; i++)
    s.x[i].x *= (msd_real)0.45;
  cr_assert_eq(check_patches(s, 0.001, 0.001), 0);
}

/* Rolled up at rest, in layers that one leaf may have several of. */
Test(patches, layers_at_rest_are_no_patch) {
  generator random = {.state = 4};
  surface s = sheet(30, 5, &random, 0);
  for (int32_t i = 0; i < s.particles; i++) {
    const double angle = sqrt((double)s.rest[i].x / 0.0012), radius = 0.0024 * angle + 0.004;
    s.rest[i].x = (msd_real)(radius * sin(angle));
    s.rest[i].y = (msd_real)(radius * cos(angle));
    s.x[i] = s.rest[i];
  }
  check_patches(s, 0.004, 0.0005);
}

/* Two lips, an edge apart at rest, are laid over each other: all triangles are smooth, but what is between the
   lips is not in the surface. */
Test(patches, a_way_across_a_slit_proves_nothing) {
  enum { SIDE = 12 };
  surface s = {0};
  surface_add_sheet(&s, SIDE, SIDE, 0.01, 0.004);
  surface_body *piece = &s.pieces[0];
  int32_t kept = 0, *corners = (int32_t *)piece->triangles;
  for (int32_t t = 0; t < piece->triangle_count; t++) {
    const int32_t first = corners[3 * t], column = first % SIDE, row = first / SIDE;
    if (column == SIDE / 2 && row < SIDE / 2)
      continue;
    memmove(corners + 3 * (size_t)kept++, corners + 3 * (size_t)t, 3 * sizeof *corners);
  }
  piece->triangle_count = kept;
  for (int32_t i = 0; i < s.particles; i++) {
    const double into = fmax(0, SIDE / 2 - i / SIDE) / (SIDE / 2), side = i % SIDE > SIDE / 2 ? 1 : -1;
    s.x[i].x -= (msd_real)(side * 0.009 * into);
    s.x[i].y += (msd_real)(side * 0.0005 * into);
  }
  searching x = search_in(s, 0.001, 0.0001);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  cr_assert_gt(check_all(&x, &search.list, 0.2), 10);
  cr_assert_gt(count_apart(&x, &search), 0);
  close_search(&x, &search);
}

/* Cuts the first sheet along a row of edges, from one column to another: the triangles beyond it get particles
   of their own at the same rest positions. `twin` receives them by particle, -1: none. */
static void cut_row(surface *s, int32_t side, int32_t row, int32_t from, int32_t to, int32_t *twin) {
  int32_t *corners = (int32_t *)s->pieces[0].triangles;
  const int32_t more = surface_add_particles(s, to - from);
  for (int32_t i = 0; i < s->particles; i++)
    twin[i] = -1;
  for (int32_t c = from; c < to; c++) {
    const int32_t old = row * side + c;
    twin[old] = more + c - from;
    s->rest[twin[old]] = s->x[twin[old]] = s->rest[old];
  }
  for (int32_t t = 0; t < s->pieces[0].triangle_count; t++) {
    bool is_beyond = true;
    for (int c = 0; c < 3; c++)
      is_beyond = is_beyond && corners[3 * t + c] / side >= row;
    for (int c = 0; c < 3 && is_beyond; c++)
      if (corners[3 * t + c] < side * side && twin[corners[3 * t + c]] >= 0)
        corners[3 * t + c] = twin[corners[3 * t + c]];
  }
}

/* Whether a leaf has a primitive with a particle. */
static bool leaf_has(const surface_mesh *mesh, int32_t leaf, int32_t particle) {
  bool has = false;
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    for (int32_t place = surface_mesh_first_place(mesh, kind, leaf);
         place < surface_mesh_first_place(mesh, kind, leaf + 1); place++)
      has =
          has || (surface_mesh_is_filled(mesh, kind, place) && surface_mesh_has(mesh, kind, place, particle));
  return has;
}

/* The sides of a slit have the same rest positions, so nothing between them keeps them apart: no patch may know
   anything of two leaves that have both sides of one of its places. */
Test(patches, the_sides_of_a_cut_are_not_known_to_stay_apart) {
  enum { SIDE = 15 };
  int32_t twin[SIDE * SIDE + SIDE];
  int known = 0, at_cuts = 0;
  for (int n = 0; n < 60; n++) {
    const int32_t row = 1 + n % (SIDE - 2), from = n % 4, to = from + 1 + n % 11;
    surface s = {0};
    surface_add_sheet(&s, SIDE, SIDE, 0.01, 0.004);
    cut_row(&s, SIDE, row, from, to, twin);
    const surface_definition definition = surface_define(&s);
    memory m = plenty();
    surface_mesh mesh = {0};
    cr_assert(surface_mesh_make(&mesh, &m, &definition));
    for (int32_t leaf = 0; leaf < mesh.leaf_count; leaf++) {
      const flat_region *patch = &mesh.patches.around[leaf];
      for (int k = 0; k < patch->count; k++) {
        known += patch->between[k] != 0;
        for (int32_t i = row * SIDE + from; i < row * SIDE + to; i++) {
          const int32_t other = patch->leaf[k];
          if ((leaf_has(&mesh, leaf, i) && leaf_has(&mesh, other, twin[i])) ||
              (leaf_has(&mesh, leaf, twin[i]) && leaf_has(&mesh, other, i))) {
            cr_assert_eq(patch->between[k], 0, "row %d, columns %d to %d: leaves %d and %d", (int)row,
                         (int)from, (int)to, (int)leaf, (int)other);
            at_cuts++;
          }
        }
      }
    }
    surface_mesh_free(&mesh, &m);
    surface_free(&s);
  }
  cr_assert(known > 1000 && at_cuts > 100, "%d %d", known, at_cuts);
}

/* Three sheets that share a row of edges, as pages do: two of them are laid upon each other. */
Test(patches, pages_of_a_book_are_no_patch) {
  enum { SIDE = 8 };
  surface s = {0};
  for (int page = 0; page < 3; page++)
    surface_add_sheet(&s, SIDE, SIDE, 0.01, 0.004);
  int32_t *corners = calloc(18 * (size_t)(SIDE * SIDE), sizeof *corners), count = 0;
  cr_assert_not_null(corners);
  for (int page = 0; page < 3; page++)
    for (int32_t n = 0; n < 3 * s.pieces[page].triangle_count; n++) {
      const int32_t i = s.pieces[page].triangles[n];
      corners[count++] = i % SIDE == 0 ? i % (SIDE * SIDE) : i;
    }
  for (int page = 0; page < 3; page++)
    free((int32_t *)s.pieces[page].triangles);
  s.piece_count = 0;
  surface_add_piece(&s, corners, count / 3, NULL, 0, 0.004);
  free(corners);
  for (int32_t i = 0; i < s.particles; i++) {
    const double angle = i / (SIDE * SIDE) * 0.7, x = (double)s.rest[i].x;
    s.rest[i].x = (msd_real)(x * cos(angle));
    s.rest[i].y = (msd_real)(x * sin(angle));
    s.x[i] = (msd_vec3){s.rest[i].x, s.rest[i].y / 10, s.rest[i].z};
  }
  check_patches(s, 0.004, 0.0005);
}

Test(patches, the_sense_of_triangles_does_not_matter) {
  generator random = {.state = 5};
  int apart[2];
  for (int turned = 0; turned < 2; turned++) {
    surface s = sheet(12, 12, &random, 0);
    int32_t *corners = (int32_t *)s.pieces[0].triangles;
    for (int32_t t = 0; t < s.pieces[0].triangle_count && turned; t += 3) {
      const int32_t first = corners[3 * t];
      corners[3 * t] = corners[3 * t + 1];
      corners[3 * t + 1] = first;
    }
    apart[turned] = check_patches(s, 0.004, 0.0002);
  }
  cr_assert_gt(apart[0], 20);
  cr_assert_eq(apart[0], apart[1]);
}

static double2 seen_at(const surface_mesh *mesh, const cluster_frame *plane, int32_t vertex, double3 origin) {
  return cluster_frame_see(plane, double3_subtract(surface_mesh_rest(mesh, vertex), origin));
}

/* The least height of all triangles of a patch in the plane of its first leaf. */
static msd_real least_height(const surface_mesh *mesh, const flat_region *patch, const cluster_frame *plane) {
  const double3 origin = surface_mesh_rest(mesh, patch->leaf[0] * SURFACE_BLOCK);
  msd_real least = (msd_real)INFINITY;
  for (int n = 0; n < patch->count; n++)
    for (int32_t t = surface_mesh_first_place(mesh, SURFACE_TRIANGLES, patch->leaf[n]);
         t < surface_mesh_first_place(mesh, SURFACE_TRIANGLES, patch->leaf[n] + 1); t++) {
      double2 at[SURFACE_CORNERS];
      double longest = 0;
      for (int c = 0; c < SURFACE_CORNERS; c++)
        at[c] = seen_at(mesh, plane, surface_mesh_triangle_corner(mesh, t, c), origin);
      for (int c = 0; c < SURFACE_CORNERS; c++)
        longest = fmax(longest, double2_square(double2_subtract(at[(c + 1) % SURFACE_CORNERS], at[c])));
      const double area = double2_cross(double2_subtract(at[1], at[0]), double2_subtract(at[2], at[0]));
      const msd_real height = (msd_real)(fabs(area) / sqrt(longest));
      least = height < least ? height : least;
    }
  return least;
}

/* Bit for bit what looking at each triangle gives, though few are looked at. */
Test(patches, the_height_of_a_patch_is_the_least_of_its_triangles) {
  generator random = {.state = 10};
  int patches = 0;
  for (int n = 0; n < 6; n++) {
    surface s = sheet(25, 21, &random, (msd_real)(0.0015 * (n % 3)));
    for (int32_t i = 0; i < s.particles && n >= 3; i++)
      s.rest[i].y = (msd_real)(0.01 * sin(20 * (double)s.rest[i].x));
    const surface_definition from = surface_define(&s);
    memory m = plenty();
    surface_mesh mesh = {0};
    triangle_joins joins = {0};
    cr_assert(surface_mesh_make(&mesh, &m, &from) && triangle_joins_make(&joins, &m, &mesh, NULL, 1));
    for (int32_t leaf = 0; leaf < mesh.leaf_count; leaf++) {
      const flat_region *patch = &mesh.patches.around[leaf];
      cluster_frame plane = {.steepest = 0};
      cluster_frame_find(&plane, &mesh.patches, &mesh, &joins, leaf);
      patches += patch->count > 0;
      if (patch->count > 0)
        cr_assert_eq(patch->height, least_height(&mesh, patch, &plane), "%d of %d", (int)leaf, n);
    }
    triangle_joins_free(&joins, &m);
    surface_mesh_free(&mesh, &m);
    surface_free(&s);
  }
  cr_assert_gt(patches, 50);
}

/* Whether some leaf of a patch has a triangle with all of these vertices. */
static bool has_triangle_at(const surface_mesh *mesh, const flat_region *patch, const int32_t *vertices,
                            int count) {
  bool has = false;
  for (int n = 0; n < patch->count && !has; n++)
    for (int32_t t = surface_mesh_first_place(mesh, SURFACE_TRIANGLES, patch->leaf[n]);
         t < surface_mesh_first_place(mesh, SURFACE_TRIANGLES, patch->leaf[n] + 1); t++) {
      int found = 0;
      for (int k = 0; k < count; k++)
        for (int c = 0; c < SURFACE_CORNERS; c++)
          found += surface_mesh_triangle_corner(mesh, t, c) == vertices[k];
      has = has || found == count;
    }
  return has;
}

static void assert_covers(const surface_mesh *mesh, const flat_region *patch, int32_t leaf) {
  for (int kind = SURFACE_VERTICES; kind <= SURFACE_EDGES; kind++) {
    const surface_primitives *of = &mesh->of[kind];
    for (int32_t place = of->first_block[leaf] * SURFACE_BLOCK;
         place < of->first_block[leaf + 1] * SURFACE_BLOCK; place++) {
      const int32_t vertices[2] = {of->corner[0][place], of->corner[kind][place]};
      cr_assert(has_triangle_at(mesh, patch, vertices, kind + 1), "%d of kind %d", (int)place, kind);
    }
  }
}

/* Asserts that of all leaves of which patches know something they have all vertices and edges; returns how
   many. */
static int assert_all_covered(const surface *s, int32_t last_particles[SURFACE_BLOCK], int32_t *last_count) {
  const surface_definition from = surface_define(s);
  memory m = plenty();
  surface_mesh mesh = {0};
  int known = 0;
  cr_assert(surface_mesh_make(&mesh, &m, &from));
  for (int32_t leaf = 0; leaf < mesh.leaf_count; leaf++) {
    const flat_region *patch = &mesh.patches.around[leaf];
    for (int k = 0; k < patch->count; k++)
      if (patch->between[k] != 0) {
        assert_covers(&mesh, patch, patch->leaf[k]);
        known++;
      }
  }
  const int32_t last = mesh.leaf_count - 1;
  *last_count = mesh.of[SURFACE_VERTICES].filled[last];
  memcpy(last_particles, mesh.of[SURFACE_VERTICES].particle[0] + last * SURFACE_BLOCK,
         SURFACE_BLOCK * sizeof *last_particles);
  surface_mesh_free(&mesh, &m);
  return known;
}

/* The last leaf often has no triangle of its own. It gets segments, first between its vertices, then to
   places that no triangle has. */
Test(patches, nothing_is_known_of_what_is_in_no_triangle_of_a_patch) {
  enum { MORE = 3 };
  generator random = {.state = 11};
  int known = 0;
  for (int n = 0; n < 60; n++) {
    const int32_t columns = 5 + n % 10, rows = 5 + n / 10;
    surface s = sheet(columns, rows, &random, 0);
    const int32_t *none = s.pieces[0].segments;
    const int32_t more = surface_add_particles(&s, MORE);
    int32_t last[SURFACE_BLOCK], count, segments[2 * SURFACE_BLOCK * SURFACE_BLOCK], ends = 0;
    known += assert_all_covered(&s, last, &count);
    for (int32_t a = 0; a < count; a++)
      for (int32_t b = 0; b < a; b++)
        segments[ends++] = last[a], segments[ends++] = last[b];
    s.pieces[0].segments = segments;
    s.pieces[0].segment_count = ends / 2;
    known += assert_all_covered(&s, last, &count);
    for (int32_t k = 0; k < MORE; k++) {
      s.rest[more + k] = s.rest[more - 1];
      s.rest[more + k].x -= (msd_real)(0.002 * (k + 1));
      segments[2 * k] = more - 1, segments[2 * k + 1] = more + k;
    }
    s.pieces[0].segment_count = MORE;
    known += assert_all_covered(&s, last, &count);
    s.pieces[0].segments = none;
    surface_free(&s);
  }
  cr_assert_gt(known, 100);
}

Test(patches, threads_change_no_bit) {
  generator random = {.state = 6};
  surface s = sheet(33, 29, &random, (msd_real)0.002);
  surface_definition from = surface_define(&s);
  memory m = plenty();
  surface_mesh one = {0};
  cr_assert(surface_mesh_make(&one, &m, &from));
  for (int threads = 2; threads <= 5; threads++) {
    from.threads = threads;
    surface_mesh other = {0};
    cr_assert(surface_mesh_make(&other, &m, &from));
    const size_t leaves = (size_t)one.leaf_count;
    cr_assert_eq(memcmp(one.patches.around, other.patches.around, leaves * sizeof *one.patches.around), 0);
    cr_assert_eq(memcmp(one.patches.fit, other.patches.fit, leaves * 2 * SURFACE_BLOCK * sizeof(msd_real)),
                 0);
    surface_mesh_free(&other, &m);
  }
  surface_mesh_free(&one, &m);
  cr_assert_eq(m.used, 0);
  surface_free(&s);
}
