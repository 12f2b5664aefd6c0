#include "scenes/meshes/vertex_groups.h"

#include "scenes/input/suggestion.h"
#include "scenes/meshes/growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)GROUP_REMEDY_MAX == (int)SUGGESTION_MAX, "a remedy is a suggestion");

void vertex_groups_free(vertex_groups *groups) {
  for (int32_t i = 0; i < groups->count; i++)
    free(groups->items[i].name);
  free(groups->items);
  free(groups->vertices);
  *groups = (vertex_groups){0};
}

void vertex_groups_close(vertex_groups *groups, group_kind kind, int32_t corner) {
  for (int32_t i = groups->open_from[kind]; i < groups->count; i++)
    if (groups->items[i].kind == kind && groups->items[i].end < 0)
      groups->items[i].end = corner;
  groups->open_from[kind] = groups->count;
}

bool vertex_groups_add(vertex_groups *groups, group_kind kind, const char *name, size_t length, int32_t first,
                       int32_t end) {
  void *items = groups->items;
  const bool roomy = grow_for_one(&items, &groups->capacity, groups->count, sizeof *groups->items);
  groups->items = items;
  char *copy = roomy ? strndup(name, length) : NULL;
  if (!copy)
    return false;
  groups->items[groups->count++] = (vertex_group){copy, kind, first, end};
  return true;
}

bool vertex_groups_open(vertex_groups *groups, group_kind kind, const char *name, size_t length,
                        int32_t corner) {
  return vertex_groups_add(groups, kind, name, length, corner, -1);
}

static void drop_empty(vertex_groups *groups) {
  int32_t kept = 0;
  for (int32_t i = 0; i < groups->count; i++) {
    if (groups->items[i].end > groups->items[i].first)
      groups->items[kept++] = groups->items[i];
    else
      free(groups->items[i].name);
  }
  groups->count = kept;
}

static int compare_groups(const void *left, const void *right) {
  const vertex_group *a = left, *b = right;
  const int order = strcmp(a->name, b->name);
  return order ? order : (a->first > b->first) - (a->first < b->first);
}

/* However often a line repeats a name, its faces are gone through once. */
static void join_overlapping(vertex_groups *groups) {
  int32_t kept = 0;
  qsort(groups->items, (size_t)groups->count, sizeof *groups->items, compare_groups);
  for (int32_t i = 0; i < groups->count; i++) {
    vertex_group *last = kept > 0 ? &groups->items[kept - 1] : NULL, *next = &groups->items[i];
    if (!last || strcmp(last->name, next->name) != 0 || next->first > last->end) {
      groups->items[kept++] = *next;
      continue;
    }
    last->end = next->end > last->end ? next->end : last->end;
    free(next->name);
  }
  groups->count = kept;
}

bool vertex_groups_finish(vertex_groups *groups, const int32_t *corners, int32_t corner_count) {
  for (int kind = 0; kind < GROUP_KINDS; kind++)
    vertex_groups_close(groups, (group_kind)kind, corner_count);
  drop_empty(groups);
  if (groups->count == 0)
    return true;
  join_overlapping(groups);
  groups->vertices = malloc((size_t)corner_count * sizeof *groups->vertices);
  if (!groups->vertices)
    return false;
  memcpy(groups->vertices, corners, (size_t)corner_count * sizeof *groups->vertices);
  groups->vertex_count = corner_count;
  return true;
}

void vertex_groups_renumber(vertex_groups *groups, const int32_t *vertex_of) {
  for (int32_t i = 0; i < groups->vertex_count; i++)
    groups->vertices[i] = vertex_of[groups->vertices[i]];
}

/* The first that is not before the name, or not before the next name. */
static int32_t find_bound(const vertex_groups *groups, const char *name, bool after) {
  int32_t low = 0, high = groups->count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (strcmp(groups->items[middle].name, name) < (after ? 1 : 0))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool vertex_groups_find(const vertex_groups *groups, const char *name, int32_t *first, int32_t *end) {
  *first = find_bound(groups, name, false);
  *end = find_bound(groups, name, true);
  return *first < *end;
}

bool vertex_groups_mark(const vertex_groups *groups, const char *name, bool *marks) {
  int32_t first, end;
  const bool found = vertex_groups_find(groups, name, &first, &end);
  for (int32_t i = first; i < end; i++)
    for (int32_t c = groups->items[i].first; c < groups->items[i].end; c++)
      if (groups->vertices[c] >= 0)
        marks[groups->vertices[c]] = true;
  return found;
}

void vertex_groups_suggest(const vertex_groups *groups, const char *name, char text[GROUP_REMEDY_MAX]) {
  /* More would not be read. */
  enum { NAMES_MAX = 200 };
  const char *names[NAMES_MAX + 1] = {NULL};
  int count = 0;
  for (int32_t i = 0; i < groups->count && count < NAMES_MAX; i++)
    if (word_index(groups->items[i].name, names) < 0)
      names[count++] = groups->items[i].name;
  if (count > 0)
    suggest_word(text, name, names);
  else
    snprintf(text, GROUP_REMEDY_MAX,
             "its file has none; OBJ names them by lines \"g NAME\" before faces, glTF by nodes, meshes and "
             "materials");
}
