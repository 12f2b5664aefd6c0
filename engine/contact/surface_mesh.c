#include "engine/contact/surface_mesh.h"

#include "engine/base/counting_sort.h"
#include "engine/base/parallel.h"
#include "engine/base/sort.h"
#include "engine/contact/cluster_vertices.h"

#include <string.h>

/* The primitives that each vertex owns, grouped by vertex; -1 ends a group early. */
typedef struct owned_list {
  int32_t *first, *item;
} owned_list;

/* The mesh under construction, and temporary data. */
typedef struct maker {
  surface_mesh *mesh;
  memory *memory;
  const surface_definition *from;
  /* The particles of the vertices so far; by piece, its first vertex. */
  int32_t *vertices, *first_vertex;
  /* By particle: its vertex in the current piece, or less than the first vertex of that piece. */
  int32_t *vertex_of;
  /* The corners of all triangles, lowest vertex first, and the ends of all segments. */
  int32_t (*triangles)[SURFACE_CORNERS], (*segments)[2];
  int64_t triangle_count, segment_count;
  /* By lowest vertex, whose leaf owns the primitive: the higher vertex of each edge; the index of each
     triangle. */
  owned_list owned[SURFACE_KINDS];
  bool has_room;
  parallel_barrier barrier;
} maker;

static int32_t blocks_of(int32_t count) {
  return count / SURFACE_BLOCK + (count % SURFACE_BLOCK != 0);
}

/* ----------------------------------------------------------------------------------------------- vertices */

/* Lists the particles that are not yet in the piece, whose vertices begin at `place`. */
static int32_t take_vertices(maker *k, const int32_t *particles, int64_t count, int32_t place,
                             int32_t *list) {
  int32_t taken = 0;
  for (int64_t n = 0; n < count; n++)
    if (k->vertex_of[particles[n]] < place) {
      k->vertex_of[particles[n]] = place;
      list[taken++] = particles[n];
    }
  return taken;
}

/* Lists the vertices of a piece, first those of its triangles, then those of its segments. `list` has space
   for every particle. Returns their number. */
static int32_t list_vertices(maker *k, const surface_body *piece, int32_t place, int32_t *list) {
  int32_t count = take_vertices(k, piece->triangles, 3 * (int64_t)piece->triangle_count, place, list);
  count += take_vertices(k, piece->segments, 2 * (int64_t)piece->segment_count, place, list + count);
  return count;
}

/* Counts vertices and places of each piece. -1 if there are too many. */
static int64_t count_vertices(maker *k, int32_t *list) {
  int64_t places = 0;
  for (int32_t p = 0; p < k->from->piece_count; p++) {
    const int32_t count = list_vertices(k, &k->from->pieces[p], (int32_t)places, list);
    k->first_vertex[p] = (int32_t)places;
    places += (int64_t)blocks_of(count) * SURFACE_BLOCK;
    if (places > INT32_MAX / RECORD_SIZE)
      return -1;
  }
  k->first_vertex[k->from->piece_count] = (int32_t)places;
  return places;
}

static void forget_vertices(maker *k) {
  for (int32_t i = 0; i < k->from->particle_count; i++)
    k->vertex_of[i] = -1;
}

static bool allocate_primitives(surface_primitives *of, memory *m, int corners, int64_t blocks,
                                int32_t leaves) {
  const size_t places = (size_t)blocks * SURFACE_BLOCK;
  of->block_count = (int32_t)blocks;
  of->first_block = memory_allocate(m, ((size_t)leaves + 1) * sizeof *of->first_block);
  of->filled = memory_allocate(m, (size_t)blocks * sizeof *of->filled);
  bool done = of->first_block && of->filled;
  for (int corner = 0; corner < corners; corner++) {
    of->corner[corner] = memory_allocate(m, places * sizeof *of->corner[corner]);
    of->particle[corner] = memory_allocate(m, places * sizeof *of->particle[corner]);
    done = done && of->corner[corner] && of->particle[corner];
  }
  return done;
}

static bool allocate_vertices(maker *k, int32_t places) {
  surface_mesh *mesh = k->mesh;
  mesh->leaf_count = places / SURFACE_BLOCK;
  mesh->leaves = memory_allocate_items(k->memory, mesh->leaf_count, sizeof *mesh->leaves);
  mesh->slot = memory_allocate_items(k->memory, places, sizeof *mesh->slot);
  mesh->rest = memory_allocate_items(k->memory, (int64_t)places * RECORD_QUAD, sizeof *mesh->rest);
  return mesh->leaves && mesh->slot && mesh->rest &&
         allocate_primitives(&mesh->of[SURFACE_VERTICES], k->memory, 1, mesh->leaf_count, mesh->leaf_count);
}

/* Unused places repeat the first vertex of their leaf. */
static void place_vertices(maker *k, int32_t piece, const int32_t *particles, int32_t count) {
  surface_mesh *mesh = k->mesh;
  surface_primitives *of = &mesh->of[SURFACE_VERTICES];
  of->count += count;
  const int32_t first = k->first_vertex[piece], last = k->first_vertex[piece + 1];
  for (int32_t v = first; v < last; v++) {
    const int32_t n = v - first, leaf = surface_mesh_leaf_of(v);
    const int32_t particle = particles[n < count ? n : n / SURFACE_BLOCK * SURFACE_BLOCK];
    mesh->leaves[leaf].piece = piece;
    mesh->leaves[leaf].half = k->from->pieces[piece].thickness / 2;
    of->first_block[leaf + 1] = leaf + 1;
    of->filled[leaf] += n < count;
    of->corner[0][v] = n < count ? v : leaf * SURFACE_BLOCK;
    of->particle[0][v] = particle;
    const msd_vec3 at = k->from->rest[particle];
    memcpy(mesh->rest + (size_t)v * RECORD_QUAD, (msd_real[3]){at.x, at.y, at.z}, 3 * sizeof(msd_real));
  }
}

static bool make_vertices(maker *k) {
  const surface_definition *from = k->from;
  int32_t *list = k->vertices;
  forget_vertices(k);
  const int64_t places = count_vertices(k, list);
  if (places < 0 || !allocate_vertices(k, (int32_t)places))
    return false;
  forget_vertices(k);
  for (int32_t p = 0; p < from->piece_count; p++) {
    const int32_t count = list_vertices(k, &from->pieces[p], k->first_vertex[p], list);
    if (!vertex_order_make(list, count, from->rest, SURFACE_BLOCK, k->memory, from->tasks, from->threads))
      return false;
    place_vertices(k, p, list, count);
  }
  return true;
}

/* ------------------------------------------------------------------------------------ edges and triangles */

static void count_all(maker *k) {
  for (int32_t p = 0; p < k->from->piece_count; p++) {
    k->triangle_count += k->from->pieces[p].triangle_count;
    k->segment_count += k->from->pieces[p].segment_count;
  }
}

/* Finds the vertex of each particle of a piece. */
static void find_vertices(maker *k, int32_t piece) {
  const surface_primitives *of = &k->mesh->of[SURFACE_VERTICES];
  for (int32_t v = k->first_vertex[piece]; v < k->first_vertex[piece + 1]; v++)
    k->vertex_of[of->particle[0][v]] = of->corner[0][v];
}

/* Rotates the corners so that the lowest vertex comes first; the orientation is unchanged. */
static void take_triangle(const maker *k, const int32_t *particles, int32_t *at) {
  for (int corner = 0; corner < SURFACE_CORNERS; corner++)
    at[corner] = k->vertex_of[particles[corner]];
  while (at[0] > at[1] || at[0] > at[2]) {
    const int32_t first = at[0];
    at[0] = at[1], at[1] = at[2], at[2] = first;
  }
}

static void take_corners(maker *k) {
  int32_t triangles = 0, segments = 0;
  for (int32_t p = 0; p < k->from->piece_count; p++) {
    const surface_body *piece = &k->from->pieces[p];
    find_vertices(k, p);
    for (int32_t t = 0; t < piece->triangle_count; t++)
      take_triangle(k, piece->triangles + SURFACE_CORNERS * (size_t)t, k->triangles[triangles++]);
    for (int32_t n = 0; n < piece->segment_count; n++, segments++)
      for (size_t end = 0; end < 2; end++)
        k->segments[segments][end] = k->vertex_of[piece->segments[2 * (size_t)n + end]];
  }
}

/* First pass: counts the primitives of a vertex. Second pass: lists them. */
static void note_owned(const owned_list *owned, int32_t vertex, int32_t item, bool counts) {
  if (counts)
    counting_sort_count(owned->first, vertex);
  else
    counting_sort_put(owned->first, owned->item, vertex, item);
}

static void note_edge(const maker *k, int32_t a, int32_t b, bool counts) {
  if (a != b)
    note_owned(&k->owned[SURFACE_EDGES], a < b ? a : b, a < b ? b : a, counts);
}

/* Notes all edges, those of two triangles twice, and all triangles. */
static void note_all(const maker *k, bool counts) {
  for (int32_t t = 0; t < k->triangle_count; t++) {
    const int32_t *at = k->triangles[t];
    for (int corner = 0; corner < SURFACE_CORNERS; corner++)
      note_edge(k, at[corner], at[(corner + 1) % SURFACE_CORNERS], counts);
    if (at[0] != at[1] && at[1] != at[2] && at[2] != at[0])
      note_owned(&k->owned[SURFACE_TRIANGLES], at[0], t, counts);
  }
  for (int32_t n = 0; n < k->segment_count; n++)
    note_edge(k, k->segments[n][0], k->segments[n][1], counts);
}

static void list_owned(maker *k) {
  note_all(k, true);
  for (int kind = SURFACE_EDGES; kind <= SURFACE_TRIANGLES; kind++)
    counting_sort_begin(k->owned[kind].first, k->mesh->leaf_count * SURFACE_BLOCK);
  note_all(k, false);
}

/* Sorts, removes duplicates, and fills the end with -1. */
static void drop_twins(int32_t *numbers, int32_t count) {
  for (int32_t kept = sort_distinct(numbers, count); kept < count; kept++)
    numbers[kept] = -1;
}

static int32_t count_owned(const owned_list *owned, int32_t leaf) {
  const int32_t begin = leaf * SURFACE_BLOCK;
  int32_t count = 0;
  for (int32_t n = owned->first[begin]; n < owned->first[begin + SURFACE_BLOCK]; n++)
    count += owned->item[n] >= 0;
  return count;
}

/* The vertices of a primitive of that kind. */
static void corners_of(const maker *k, surface_kind kind, int32_t vertex, int32_t item, int32_t *at) {
  if (kind == SURFACE_TRIANGLES) {
    memcpy(at, k->triangles[item], SURFACE_CORNERS * sizeof *at);
  } else {
    at[0] = vertex;
    at[1] = item;
  }
}

/* Unused places at the end of a block repeat its first. */
static void fill_places(maker *k, surface_kind kind, int32_t place) {
  surface_primitives *of = &k->mesh->of[kind];
  const int32_t first = place / SURFACE_BLOCK * SURFACE_BLOCK;
  for (; place % SURFACE_BLOCK != 0; place++)
    for (int corner = 0; corner <= (int)kind; corner++) {
      of->corner[corner][place] = of->corner[corner][first];
      of->particle[corner][place] = of->particle[corner][first];
    }
}

/* Writes the primitives of a leaf to its blocks. */
static void fill_leaf(maker *k, surface_kind kind, int32_t leaf) {
  surface_primitives *of = &k->mesh->of[kind];
  const owned_list *owned = &k->owned[kind];
  int32_t place = of->first_block[leaf] * SURFACE_BLOCK;
  for (int32_t vertex = leaf * SURFACE_BLOCK; vertex < (leaf + 1) * SURFACE_BLOCK; vertex++)
    for (int32_t n = owned->first[vertex]; n < owned->first[vertex + 1] && owned->item[n] >= 0;
         n++, place++) {
      int32_t at[SURFACE_CORNERS];
      corners_of(k, kind, vertex, owned->item[n], at);
      for (int corner = 0; corner <= (int)kind; corner++) {
        of->corner[corner][place] = at[corner];
        of->particle[corner][place] = k->mesh->of[SURFACE_VERTICES].particle[0][at[corner]];
      }
      of->filled[place / SURFACE_BLOCK]++;
    }
  fill_places(k, kind, place);
}

/* Allocates the blocks of all leaves. */
static bool begin_blocks(maker *k, surface_kind kind) {
  const int32_t leaves = k->mesh->leaf_count;
  surface_primitives *of = &k->mesh->of[kind];
  int64_t blocks = 0;
  for (int32_t leaf = 0; leaf < leaves; leaf++)
    blocks += blocks_of(count_owned(&k->owned[kind], leaf));
  if (blocks > INT32_MAX / SURFACE_BLOCK ||
      !allocate_primitives(of, k->memory, (int)kind + 1, blocks, leaves))
    return false;
  for (int32_t leaf = 0; leaf < leaves; leaf++) {
    const int32_t count = count_owned(&k->owned[kind], leaf);
    of->count += count;
    of->first_block[leaf + 1] = of->first_block[leaf] + blocks_of(count);
  }
  return true;
}

/* Each thread has its own range of leaves. */
static void place_share(void *context, int thread, int threads) {
  maker *k = context;
  const owned_list *edges = &k->owned[SURFACE_EDGES];
  const parallel_range own = parallel_split(k->mesh->leaf_count, thread, threads);
  for (int32_t vertex = own.first * SURFACE_BLOCK; vertex < own.last * SURFACE_BLOCK; vertex++)
    drop_twins(edges->item + edges->first[vertex], edges->first[vertex + 1] - edges->first[vertex]);
  parallel_wait(&k->barrier, threads);
  if (thread == 0)
    k->has_room = begin_blocks(k, SURFACE_EDGES) && begin_blocks(k, SURFACE_TRIANGLES);
  parallel_wait(&k->barrier, threads);
  for (int kind = SURFACE_EDGES; kind <= SURFACE_TRIANGLES && k->has_room; kind++)
    for (int32_t leaf = own.first; leaf < own.last; leaf++)
      fill_leaf(k, (surface_kind)kind, leaf);
}

static bool allocate_owned(maker *k) {
  const int64_t lists = (int64_t)k->mesh->leaf_count * SURFACE_BLOCK + 2;
  const size_t triangles = (size_t)k->triangle_count, segments = (size_t)k->segment_count;
  owned_list *edges = &k->owned[SURFACE_EDGES], *faces = &k->owned[SURFACE_TRIANGLES];
  k->triangles = memory_allocate_unset(k->memory, triangles * sizeof *k->triangles);
  k->segments = memory_allocate_unset(k->memory, segments * sizeof *k->segments);
  edges->first = memory_allocate_items(k->memory, lists, sizeof *edges->first);
  edges->item =
      memory_allocate_unset(k->memory, (SURFACE_CORNERS * triangles + segments) * sizeof *edges->item);
  faces->first = memory_allocate_items(k->memory, lists, sizeof *faces->first);
  faces->item = memory_allocate_unset(k->memory, triangles * sizeof *faces->item);
  return k->triangles && k->segments && edges->first && edges->item && faces->first && faces->item;
}

static void free_owned(maker *k) {
  for (int kind = SURFACE_EDGES; kind <= SURFACE_TRIANGLES; kind++) {
    memory_release(k->memory, k->owned[kind].item);
    memory_release(k->memory, k->owned[kind].first);
  }
  memory_release(k->memory, k->segments);
  memory_release(k->memory, k->triangles);
}

static bool make_edges_and_triangles(maker *k) {
  if (allocate_owned(k)) {
    take_corners(k);
    list_owned(k);
    parallel_run(k->from->tasks, k->from->threads > 1 ? k->from->threads : 1, place_share, k);
  }
  free_owned(k);
  return k->has_room;
}

/* --------------------------------------------------------------------------- leaves and collision filters */

/* Lists the distinct vertices used by the primitives of a leaf, padded to a whole block. `seen`: by vertex,
   the last leaf that listed it. Returns their number; with NULL only counts. */
static int32_t list_reached(const surface_mesh *mesh, int32_t leaf, int32_t *seen, int32_t *reached) {
  int32_t count = 0;
  for (int kind = 0; kind < SURFACE_KINDS; kind++) {
    const surface_primitives *of = &mesh->of[kind];
    for (int corner = 0; corner <= kind; corner++)
      for (int32_t place = of->first_block[leaf] * SURFACE_BLOCK;
           place < of->first_block[leaf + 1] * SURFACE_BLOCK; place++) {
        const int32_t vertex = of->corner[corner][place];
        if (seen[vertex] == leaf)
          continue;
        seen[vertex] = leaf;
        if (reached)
          reached[count] = vertex;
        count++;
      }
  }
  for (; count % SURFACE_BLOCK != 0; count++)
    if (reached)
      reached[count] = reached[0];
  return count;
}

/* Lists the leaves of these vertices in the same form, without padding. */
static int32_t list_used(const surface_mesh *mesh, int32_t leaf, int32_t *seen, int32_t *used) {
  int32_t count = 0;
  for (int32_t k = mesh->first_reached[leaf]; k < mesh->first_reached[leaf + 1]; k++) {
    const int32_t other = surface_mesh_leaf_of(mesh->reached[k]);
    if (seen[other] == leaf)
      continue;
    seen[other] = leaf;
    if (used)
      used[count] = other;
    count++;
  }
  return count;
}

typedef int32_t leaf_lister(const surface_mesh *mesh, int32_t leaf, int32_t *seen, int32_t *listed);

static void forget_seen(int32_t *seen, int32_t count) {
  for (int32_t n = 0; n < count; n++)
    seen[n] = -1;
}

/* Lists for all leaves, concatenated; `first` is where each begins. `seen` has `most` elements. */
static bool make_lists(maker *k, leaf_lister *list, int32_t *seen, int32_t most, int32_t **first,
                       int32_t **listed) {
  const int32_t leaves = k->mesh->leaf_count;
  int64_t all = 0;
  *first = memory_allocate_items(k->memory, (int64_t)leaves + 1, sizeof **first);
  if (!*first)
    return false;
  forget_seen(seen, most);
  for (int32_t leaf = 0; leaf < leaves && all <= INT32_MAX; leaf++) {
    (*first)[leaf] = (int32_t)all;
    all += list(k->mesh, leaf, seen, NULL);
  }
  *listed = all <= INT32_MAX ? memory_allocate_items(k->memory, all, sizeof **listed) : NULL;
  if (!*listed)
    return false;
  (*first)[leaves] = (int32_t)all;
  forget_seen(seen, most);
  for (int32_t leaf = 0; leaf < leaves; leaf++)
    list(k->mesh, leaf, seen, *listed + (*first)[leaf]);
  return true;
}

/* Inverts the lists of used leaves. */
static bool make_users(maker *k) {
  surface_mesh *mesh = k->mesh;
  const int32_t leaves = mesh->leaf_count, count = mesh->first_used[leaves];
  int32_t *first = mesh->first_user = memory_allocate_items(k->memory, (int64_t)leaves + 2, sizeof *first);
  mesh->user = memory_allocate_items(k->memory, count, sizeof *mesh->user);
  if (!first || !mesh->user)
    return false;
  for (int32_t n = 0; n < count; n++)
    first[mesh->used[n] + 2]++;
  for (int32_t leaf = 0; leaf < leaves; leaf++)
    first[leaf + 2] += first[leaf + 1];
  for (int32_t leaf = 0; leaf < leaves; leaf++)
    for (int32_t n = mesh->first_used[leaf]; n < mesh->first_used[leaf + 1]; n++)
      mesh->user[first[mesh->used[n] + 1]++] = leaf;
  return true;
}

static bool make_leaf_lists(maker *k) {
  surface_mesh *mesh = k->mesh;
  const int32_t leaves = mesh->leaf_count, vertices = leaves * SURFACE_BLOCK;
  int32_t *seen = memory_allocate_items(k->memory, vertices, sizeof *seen);
  const bool done = seen &&
                    make_lists(k, list_reached, seen, vertices, &mesh->first_reached, &mesh->reached) &&
                    make_lists(k, list_used, seen, leaves, &mesh->first_used, &mesh->used) && make_users(k);
  memory_release(k->memory, seen);
  return done;
}

static uint64_t ignored_key(int32_t piece, int32_t other) {
  const int32_t low = piece < other ? piece : other, high = piece < other ? other : piece;
  return (uint64_t)low << 32 | (uint64_t)high;
}

static bool make_friction(maker *k) {
  const surface_definition *from = k->from;
  k->mesh->friction = memory_allocate_items(k->memory, from->piece_count, sizeof *k->mesh->friction);
  k->mesh->piece = memory_allocate_items(k->memory, from->particle_count, sizeof *k->mesh->piece);
  for (int32_t p = 0; p < from->piece_count && k->mesh->friction; p++)
    k->mesh->friction[p] = from->pieces[p].friction;
  return k->mesh->friction && k->mesh->piece;
}

static bool make_ignored(maker *k) {
  surface_mesh *mesh = k->mesh;
  const int32_t count = k->from->ignored_count;
  sort_item *items = memory_allocate_items(k->memory, count, sizeof *items);
  sort_item *spare = memory_allocate_items(k->memory, count, sizeof *spare);
  mesh->ignored = memory_allocate_items(k->memory, count, sizeof *mesh->ignored);
  const bool done = items && spare && mesh->ignored;
  if (done) {
    for (int32_t n = 0; n < count; n++)
      items[n].key = ignored_key(k->from->ignored[n][0], k->from->ignored[n][1]);
    const sort_item *sorted = sort_by_key(items, spare, count);
    for (int32_t n = 0; n < count; n++)
      if (n == 0 || sorted[n].key != sorted[n - 1].key)
        mesh->ignored[mesh->ignored_count++] = sorted[n].key;
    const int64_t pieces = k->from->piece_count;
    mesh->touches_nothing = mesh->ignored_count == pieces * (pieces + 1) / 2;
  }
  memory_release(k->memory, items);
  memory_release(k->memory, spare);
  return done;
}

bool surface_mesh_ignores(const surface_mesh *mesh, int32_t piece, int32_t other) {
  const uint64_t key = ignored_key(piece, other);
  int32_t first = 0, last = mesh->ignored_count;
  while (first < last) {
    const int32_t middle = first + (last - first) / 2;
    if (mesh->ignored[middle] < key)
      first = middle + 1;
    else
      last = middle;
  }
  return first < mesh->ignored_count && mesh->ignored[first] == key;
}

/* ---------------------------------------------------------------------------------------------- adjacency */

static bool allocate_around(vertex_adjacency *at, memory *m, int32_t particles, const surface_primitives *of,
                            int corners) {
  at->first = memory_allocate_items(m, (int64_t)particles + 1, sizeof *at->first);
  at->others = memory_allocate_items(m, (int64_t)of->count * corners, sizeof *at->others);
  return at->first && at->others;
}

static bool make_around(maker *k) {
  surface_mesh *mesh = k->mesh;
  mesh->particles = k->from->particle_count;
  mesh->first_edge = memory_allocate_items(k->memory, mesh->particles, sizeof *mesh->first_edge);
  mesh->first_vertex = memory_allocate_items(k->memory, mesh->particles, sizeof *mesh->first_vertex);
  mesh->next_vertex =
      memory_allocate_items(k->memory, mesh->leaf_count * SURFACE_BLOCK, sizeof *mesh->next_vertex);
  return mesh->first_edge && mesh->first_vertex && mesh->next_vertex &&
         allocate_around(&mesh->edges_at, k->memory, mesh->particles, &mesh->of[SURFACE_EDGES], 2) &&
         allocate_around(&mesh->triangles_at, k->memory, mesh->particles, &mesh->of[SURFACE_TRIANGLES],
                         SURFACE_CORNERS);
}

/* ----------------------------------------------------------------------------------------------- the mesh */

/* The box at rest of all vertices that a leaf uses. */
static void measure_leaf(const surface_mesh *mesh, int32_t leaf, surface_leaf *l) {
  for (int axis = 0; axis < 3; axis++) {
    l->low[axis] = INFINITY;
    l->high[axis] = -INFINITY;
  }
  for (int32_t n = mesh->first_reached[leaf]; n < mesh->first_reached[leaf + 1]; n++)
    for (int axis = 0; axis < 3; axis++) {
      const double at = (double)mesh->rest[(size_t)mesh->reached[n] * RECORD_QUAD + (size_t)axis];
      l->low[axis] = at < l->low[axis] ? at : l->low[axis];
      l->high[axis] = at > l->high[axis] ? at : l->high[axis];
    }
}

/* The last thread computes the slots, while the first builds and measures the leaves. */
static void finish_share(void *context, int thread, int threads) {
  maker *k = context;
  if (thread + 1 == threads)
    surface_mesh_set_slots(k->mesh, k->from->slot);
  if (thread > 0)
    return;
  k->has_room = make_leaf_lists(k);
  for (int32_t leaf = 0; leaf < k->mesh->leaf_count && k->has_room; leaf++)
    measure_leaf(k->mesh, leaf, &k->mesh->leaves[leaf]);
}

static bool make(maker *k) {
  if (!k->vertices || !k->first_vertex || !k->vertex_of)
    return false;
  if (!make_vertices(k) || !make_edges_and_triangles(k) || !make_ignored(k) || !make_friction(k) ||
      !make_around(k))
    return false;
  parallel_run(k->from->tasks, k->from->threads > 1 ? k->from->threads : 1, finish_share, k);
  return k->has_room &&
         flat_regions_make(&k->mesh->patches, k->memory, k->mesh, k->from->tasks, k->from->threads);
}

bool surface_mesh_make(surface_mesh *mesh, memory *m, const surface_definition *from) {
  surface_mesh made = {0};
  maker k = {.mesh = &made, .memory = m, .from = from};
  count_all(&k);
  if (SURFACE_CORNERS * k.triangle_count + k.segment_count > INT32_MAX)
    return false;
  k.vertices = memory_allocate_items(m, from->particle_count, sizeof *k.vertices);
  k.first_vertex = memory_allocate_items(m, (int64_t)from->piece_count + 1, sizeof *k.first_vertex);
  k.vertex_of = memory_allocate_items(m, from->particle_count, sizeof *k.vertex_of);
  const bool done = make(&k);
  memory_release(m, k.vertex_of);
  memory_release(m, k.first_vertex);
  memory_release(m, k.vertices);
  surface_mesh_free(done ? mesh : &made, m);
  if (done)
    *mesh = made;
  return done;
}

void surface_mesh_free(surface_mesh *mesh, memory *m) {
  for (int kind = 0; kind < SURFACE_KINDS; kind++) {
    surface_primitives *of = &mesh->of[kind];
    memory_release(m, of->first_block);
    memory_release(m, of->filled);
    for (int corner = 0; corner < SURFACE_CORNERS; corner++) {
      memory_release(m, of->corner[corner]);
      memory_release(m, of->particle[corner]);
    }
  }
  memory_release(m, mesh->leaves);
  flat_regions_free(&mesh->patches, m);
  memory_release(m, mesh->first_reached);
  memory_release(m, mesh->reached);
  memory_release(m, mesh->first_used);
  memory_release(m, mesh->used);
  memory_release(m, mesh->first_user);
  memory_release(m, mesh->user);
  memory_release(m, mesh->slot);
  memory_release(m, mesh->first_vertex);
  memory_release(m, mesh->next_vertex);
  memory_release(m, mesh->rest);
  memory_release(m, mesh->ignored);
  memory_release(m, mesh->friction);
  memory_release(m, mesh->piece);
  memory_release(m, mesh->first_edge);
  memory_release(m, mesh->edges_at.first);
  memory_release(m, mesh->edges_at.others);
  memory_release(m, mesh->triangles_at.first);
  memory_release(m, mesh->triangles_at.others);
  *mesh = (surface_mesh){0};
}
