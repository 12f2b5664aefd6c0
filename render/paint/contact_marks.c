#include "render/paint/contact_marks.h"

#include <math.h>
#include <stdlib.h>

/* The contacts of a world as it reports them. */
typedef struct contact_list {
  msd_collider_contact *of_colliders;
  msd_mesh_contact *of_surfaces;
  int32_t collider_count, surface_count;
} contact_list;

static bool read_contacts(const msd_world *world, contact_list *list) {
  *list = (contact_list){.collider_count = msd_world_get_collider_contacts(world, NULL, 0),
                         .surface_count = msd_world_get_mesh_contacts(world, NULL, 0)};
  list->of_colliders = malloc(((size_t)list->collider_count + 1) * sizeof *list->of_colliders);
  list->of_surfaces = malloc(((size_t)list->surface_count + 1) * sizeof *list->of_surfaces);
  if (list->of_colliders == NULL || list->of_surfaces == NULL)
    return false;
  msd_world_get_collider_contacts(world, list->of_colliders, list->collider_count);
  msd_world_get_mesh_contacts(world, list->of_surfaces, list->surface_count);
  return true;
}

static bool make_room(contact_marks *m, int32_t count) {
  if (count <= m->capacity)
    return true;
  const int32_t wanted = count + count / 2;
  contact_mark *larger = realloc(m->all, (size_t)wanted * sizeof *larger);
  if (larger == NULL)
    return false;
  m->all = larger;
  m->capacity = wanted;
  return true;
}

static double size_of(msd_vec3 force) {
  return sqrt((double)force.x * (double)force.x + (double)force.y * (double)force.y +
              (double)force.z * (double)force.z);
}

static double mean_force(const contact_list *list) {
  const int32_t count = list->collider_count + list->surface_count;
  double sum = 0;
  for (int32_t i = 0; i < list->collider_count; i++)
    sum += size_of(list->of_colliders[i].force);
  for (int32_t i = 0; i < list->surface_count; i++)
    sum += size_of(list->of_surfaces[i].force);
  return count > 0 ? sum / count : 0;
}

static void add_mark(contact_marks *m, msd_vec3 point, msd_vec3 normal, float length, float dot) {
  const float at[3] = {(float)point.x, (float)point.y, (float)point.z};
  const float along[3] = {(float)normal.x, (float)normal.y, (float)normal.z};
  contact_mark *mark = &m->all[m->count++];
  mark->dot = dot;
  for (int c = 0; c < 3; c++) {
    mark->from[c] = at[c] - dot * length * along[c];
    mark->to[c] = at[c] + (1 - dot) * length * along[c];
  }
}

/* m; 0 forces, as where the mean is 0, have the shortest lines. */
static float length_of(msd_vec3 force, double mean, float size) {
  const float share = mean > 0 ? (float)(size_of(force) / mean) : 0;
  return CONTACT_LENGTH * size * fminf(fmaxf(share, CONTACT_SHORTEST), CONTACT_LONGEST);
}

void contact_marks_find(contact_marks *m, const msd_world *world, float size) {
  contact_list list;
  m->count = 0;
  if (read_contacts(world, &list) && make_room(m, list.collider_count + list.surface_count)) {
    const double mean = mean_force(&list);
    for (int32_t i = 0; i < list.collider_count; i++) {
      const msd_collider_contact *c = &list.of_colliders[i];
      add_mark(m, c->point, c->normal, length_of(c->force, mean, size), 0);
    }
    for (int32_t i = 0; i < list.surface_count; i++) {
      const msd_mesh_contact *c = &list.of_surfaces[i];
      add_mark(m, c->point, c->normal, length_of(c->force, mean, size), 0.5f);
    }
  }
  free(list.of_colliders);
  free(list.of_surfaces);
}

void contact_marks_free(contact_marks *m) {
  free(m->all);
  *m = (contact_marks){0};
}
