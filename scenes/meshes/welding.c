#include "scenes/meshes/welding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Positions in units of the distance, so that all that is near enough to a vertex is in the 27 cells of 1
   around it; or as they are, when each position is a cell of its own. Vertices that stay are in a hash table
   by their cells. */
typedef struct weld_table {
  double (*at)[3];
  int32_t count;
  /* 0: exactly the same position. */
  double reach;
  /* The first vertex of a slot, and the next after each; -1: there is none. */
  int32_t *head, *next;
  /* The number of slots, a power of two, less 1. */
  size_t mask;
} weld_table;

/* Fowler-Noll-Vo over the bytes, stirred so that the low bits depend on all. */
static size_t slot_of(const weld_table *t, const double cell[3]) {
  uint64_t hash = 14695981039346656037u;
  for (int c = 0; c < 3; c++) {
    uint64_t bits;
    const double number = cell[c] + 0; /* -0 is 0 */
    memcpy(&bits, &number, sizeof bits);
    hash = (hash ^ (bits >> 32)) * 1099511628211u;
    hash = (hash ^ (bits & 0xffffffffu)) * 1099511628211u;
  }
  return (size_t)(hash ^ hash >> 29 ^ hash >> 43) & t->mask;
}

static void cell_of(const weld_table *t, int32_t i, double cell[3]) {
  for (int c = 0; c < 3; c++)
    cell[c] = t->reach > 0 ? floor(t->at[i][c]) : t->at[i][c];
}

/* The square of how far apart two are. */
static double apart(const weld_table *t, int32_t a, int32_t b) {
  const double x = t->at[a][0] - t->at[b][0], y = t->at[a][1] - t->at[b][1], z = t->at[a][2] - t->at[b][2];
  return x * x + y * y + z * z;
}

/* The nearest to i of those in the slot of a cell that are near enough, when it is nearer than *found. */
static void look(const weld_table *t, int32_t i, const double cell[3], int32_t *found, double *nearest) {
  for (int32_t j = t->head[slot_of(t, cell)]; j >= 0; j = t->next[j]) {
    const double square = apart(t, i, j);
    if (square <= t->reach && (*found < 0 || square < *nearest || (square == *nearest && j < *found))) {
      *found = j;
      *nearest = square;
    }
  }
}

static int32_t find(const weld_table *t, int32_t i, double *nearest) {
  double cell[3];
  int32_t found = -1;
  const int side = t->reach > 0 ? 3 : 1;
  cell_of(t, i, cell);
  for (int n = 0; n < side * side * side; n++) {
    const double near[3] = {cell[0] + n % side - side / 2, cell[1] + n / side % side - side / 2,
                            cell[2] + n / side / side - side / 2};
    look(t, i, near, &found, nearest);
  }
  return found;
}

static void insert(weld_table *t, int32_t i) {
  double cell[3];
  cell_of(t, i, cell);
  const size_t slot = slot_of(t, cell);
  t->next[i] = t->head[slot];
  t->head[slot] = i;
}

static bool open_table(weld_table *t, const msd_vec3 *vertices, int32_t count, const welding *how) {
  size_t slots = 16;
  while (slots < (size_t)count)
    slots *= 2;
  *t = (weld_table){.at = malloc(((size_t)count + 1) * sizeof *t->at),
                    .count = count,
                    .reach = how->distance > 0 ? 1 : 0,
                    .head = malloc(slots * sizeof *t->head),
                    .next = malloc(((size_t)count + 1) * sizeof *t->next),
                    .mask = slots - 1};
  if (!t->at || !t->head || !t->next)
    return false;
  for (size_t s = 0; s < slots; s++)
    t->head[s] = -1;
  for (int32_t i = 0; i < count; i++) {
    const double p[3] = {(double)vertices[i].x, (double)vertices[i].y, (double)vertices[i].z};
    for (int c = 0; c < 3; c++)
      t->at[i][c] = t->reach > 0 ? p[c] / how->distance : p[c];
  }
  return true;
}

bool weld_vertices(const msd_vec3 *vertices, const bool *is_used, int32_t count, const welding *how,
                   int32_t *first, weld_result *result) {
  weld_table t;
  const bool done = open_table(&t, vertices, count, how);
  *result = (weld_result){0};
  for (int32_t i = 0; done && i < count; i++) {
    double square = 0;
    if (is_used && !is_used[i]) {
      first[i] = i;
      continue;
    }
    const int32_t found = find(&t, i, &square);
    first[i] = found < 0 ? i : found;
    if (found < 0)
      insert(&t, i);
    else
      result->furthest = fmax(result->furthest, sqrt(square) * how->distance);
    result->welded += found >= 0;
  }
  free(t.at);
  free(t.head);
  free(t.next);
  return done;
}
