#include "engine/store/fracture.h"

static uint64_t key_of(int32_t a, int32_t b) {
  return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

bool torn_edges_open(torn_edges *torn, memory *m, int32_t most) {
  *torn = (torn_edges){.count = 0};
  torn->items = memory_allocate_items(m, most, sizeof *torn->items);
  torn->spare = memory_allocate_items(m, most, sizeof *torn->spare);
  if (torn->items && torn->spare)
    return true;
  torn_edges_free(torn, m);
  return false;
}

void torn_edges_add(torn_edges *torn, int32_t a, int32_t b) {
  torn->items[torn->count] = (sort_item){key_of(a, b), torn->count};
  torn->count++;
}

void torn_edges_sort(torn_edges *torn) {
  torn->sorted = sort_by_key(torn->items, torn->spare, torn->count);
}

bool torn_edges_find(torn_edges *torn, memory *m, const spring_store *s) {
  if (!torn_edges_open(torn, m, s->torn))
    return false;
  for (int32_t e = 0; e < s->count; e++)
    if (spring_is_torn(s, e))
      torn_edges_add(torn, s->a[e], s->b[e]);
  torn_edges_sort(torn);
  return true;
}

void torn_edges_free(torn_edges *torn, memory *m) {
  memory_release(m, torn->items);
  memory_release(m, torn->spare);
  *torn = (torn_edges){.count = 0};
}

static bool has_edge(const torn_edges *torn, int32_t a, int32_t b) {
  const uint64_t key = key_of(a, b);
  int32_t first = 0, last = torn->count;
  while (first < last) {
    const int32_t middle = first + (last - first) / 2;
    if (torn->sorted[middle].key < key)
      first = middle + 1;
    else
      last = middle;
  }
  return first < torn->count && torn->sorted[first].key == key;
}

bool torn_edges_cut(const torn_edges *torn, const int32_t *corners, int count) {
  bool cut = false;
  for (int n = 0; n < count && torn->count > 0; n++)
    cut = cut || has_edge(torn, corners[n], corners[(n + 1) % count]);
  return cut;
}

void tears_mark(const torn_edges *torn, const surface_store *all, int32_t surface, bool *triangles,
                bool *segments) {
  const surface_entry *e = &all->entries[surface];
  for (int32_t t = 0; t < e->triangle_count && triangles; t++)
    triangles[t] = torn_edges_cut(torn, all->triangles[e->first_triangle + t], 3);
  for (int32_t s = 0; s < e->segment_count && segments; s++)
    segments[s] = torn_edges_cut(torn, all->segments[e->first_segment + s], 2);
}

static void leave_triangles(surface_store *left, const surface_store *all, const torn_edges *torn,
                            int32_t n) {
  const surface_entry *entry = &all->entries[n];
  left->entries[n].first_triangle = left->triangle_count;
  for (int32_t t = entry->first_triangle; t < entry->first_triangle + entry->triangle_count; t++) {
    const int32_t *c = all->triangles[t];
    if (torn_edges_cut(torn, c, 3))
      continue;
    for (int corner = 0; corner < 3; corner++)
      left->triangles[left->triangle_count][corner] = c[corner];
    left->triangle_count++;
  }
  left->entries[n].triangle_count = left->triangle_count - left->entries[n].first_triangle;
}

static void leave_segments(surface_store *left, const surface_store *all, const torn_edges *torn, int32_t n) {
  const surface_entry *entry = &all->entries[n];
  left->entries[n].first_segment = left->segment_count;
  for (int32_t s = entry->first_segment; s < entry->first_segment + entry->segment_count; s++) {
    const int32_t *ends = all->segments[s];
    if (torn_edges_cut(torn, ends, 2))
      continue;
    left->segments[left->segment_count][0] = ends[0];
    left->segments[left->segment_count++][1] = ends[1];
  }
  left->entries[n].segment_count = left->segment_count - left->entries[n].first_segment;
}

static bool leave(surface_store *left, memory *m, const surface_store *all, const torn_edges *torn) {
  left->triangle_count = left->segment_count = 0;
  left->entries = memory_allocate_items(m, all->count, sizeof *left->entries);
  left->triangles = memory_allocate_items(m, all->triangle_count, sizeof *left->triangles);
  left->segments = memory_allocate_items(m, all->segment_count, sizeof *left->segments);
  if (!left->entries || !left->triangles || !left->segments)
    return false;
  for (int32_t n = 0; n < all->count; n++) {
    left->entries[n] = all->entries[n];
    leave_triangles(left, all, torn, n);
    leave_segments(left, all, torn, n);
  }
  return true;
}

bool tears_leave(surface_store *left, memory *m, const surface_store *all, const spring_store *springs) {
  torn_edges torn;
  *left = *all;
  if (springs->torn == 0)
    return true;
  const bool done = torn_edges_find(&torn, m, springs) && leave(left, m, all, &torn);
  torn_edges_free(&torn, m);
  if (!done)
    tears_free(left, m, all);
  return done;
}

void tears_free(surface_store *left, memory *m, const surface_store *all) {
  if (left->entries != all->entries)
    memory_release(m, left->entries);
  if (left->triangles != all->triangles)
    memory_release(m, left->triangles);
  if (left->segments != all->segments)
    memory_release(m, left->segments);
  *left = (surface_store){0};
}
