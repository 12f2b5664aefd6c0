#include "app/export/shape.h"

#include "scenes/loader/edges.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Bend springs join every second particle and would only run over the others. */
bool export_shows(const scene_group *group) {
  return strcmp(group->name, "bend") != 0 && !scene_group_is_beside(group);
}

static int64_t count_lines(const scene *s) {
  int64_t count = s->joints.count;
  for (int b = 0; b < s->body_count; b++)
    count += s->bodies[b].springs.count;
  return count;
}

static int64_t count_triangles(const scene *s) {
  int64_t count = 0;
  for (int b = 0; b < s->body_count; b++)
    count += shown_triangle_count(&s->bodies[b]);
  return count;
}

/* `count` items, and one so that none is no failure. */
static void *allocate(int64_t count, size_t bytes) {
  return calloc((size_t)count + 1, bytes);
}

/* A name as OBJ groups take it. */
static char *word_of(const char *name) {
  char *word = malloc(strlen(name) + 1);
  if (word != NULL) {
    size_t i = 0;
    for (; name[i] != '\0'; i++)
      word[i] = isspace((unsigned char)name[i]) || iscntrl((unsigned char)name[i]) ? '_' : name[i];
    word[i] = '\0';
  }
  return word;
}

/* What is filled in: which particles are corners or ends so far, and how many triangles have been looked at. */
typedef struct filling {
  bool as_loaded;
  edge_set broken;
  bool *used;
  int32_t seen;
} filling;

static void add_lines(export_shape *shape, const msd_world *world, msd_range springs, filling *f) {
  for (int32_t i = springs.first; i < springs.first + springs.count; i++) {
    if (!f->as_loaded && msd_spring_is_broken(world, i))
      continue;
    const msd_spring_def def = msd_spring_get_def(world, i);
    const int32_t ends[2] = {def.a, def.b};
    int32_t *line = shape->lines[shape->line_count++];
    for (int e = 0; e < 2; e++) {
      const int32_t end = f->as_loaded ? msd_particle_get_origin(world, ends[e]) : ends[e];
      line[e] = export_number(&shape->numbering, end);
      f->used[line[e]] = true;
    }
  }
}

static void add_triangles(export_shape *shape, const scene *s, const scene_body *body, filling *f) {
  const bool as_loaded = f->as_loaded && body->skin.points == NULL;
  for (int32_t i = 0; i < shown_triangle_count(body); i++) {
    const int32_t number = f->seen++;
    const int32_t *from = &(as_loaded ? body->triangles : shown_triangles(s, body))[3 * i];
    if (!f->as_loaded && shown_is_torn(s, &f->broken, body, i))
      continue;
    int32_t *corners = shape->triangles[shape->triangle_count];
    shape->numbers[shape->triangle_count++] = number;
    for (int c = 0; c < 3; c++) {
      corners[c] = export_number(&shape->numbering, from[c]);
      f->used[corners[c]] = true;
    }
  }
}

static void add_body(export_shape *shape, const scene *s, const scene_body *body, filling *f) {
  add_triangles(shape, s, body, f);
  if (body->triangle_count > 0)
    return;
  for (int g = 0; g < body->group_count; g++) {
    if (export_shows(&body->groups[g]))
      add_lines(shape, s->world, body->groups[g].springs, f);
  }
}

static void add_points(export_shape *shape, msd_range shown, const bool *used) {
  for (int32_t i = shown.first; i < shown.first + shown.count; i++) {
    const int32_t number = export_number(&shape->numbering, i);
    if (!used[number])
      shape->points[shape->point_count++] = number;
  }
}

bool export_shape_begin(const scene *s, export_shape *shape) {
  const int groups = s->body_count + (s->joints.count > 0 ? 1 : 0);
  *shape = (export_shape){
      .title = word_of(s->name), .groups = allocate(groups, sizeof *shape->groups), .group_count = groups};
  bool ok = shape->title != NULL && shape->groups != NULL;
  for (int i = 0; ok && i < groups; i++) {
    shape->groups[i].name = word_of(i < s->body_count ? s->bodies[i].name : "connections");
    ok = shape->groups[i].name != NULL;
  }
  if (!ok)
    export_shape_free(shape);
  return ok;
}

static void fill_groups(export_shape *shape, const scene *s, filling *f) {
  for (int b = 0; b < s->body_count; b++) {
    export_group *group = &shape->groups[b];
    group->triangles.first = shape->triangle_count;
    group->lines.first = shape->line_count;
    add_body(shape, s, &s->bodies[b], f);
    group->triangles.count = shape->triangle_count - group->triangles.first;
    group->lines.count = shape->line_count - group->lines.first;
  }
  if (s->joints.count > 0) {
    export_group *joints = &shape->groups[s->body_count];
    joints->lines.first = shape->line_count;
    add_lines(shape, s->world, s->joints, f);
    joints->lines.count = shape->line_count - joints->lines.first;
  }
  /* Joints come first: a particle that only a joint holds is on a line. */
  for (int b = 0; b < s->body_count; b++) {
    export_group *group = &shape->groups[b];
    group->points.first = shape->point_count;
    add_points(shape, shown_range(&s->bodies[b]), f->used);
    group->points.count = shape->point_count - group->points.first;
  }
}

bool export_shape_make(const scene *s, bool as_loaded, export_shape *shape) {
  if (!export_shape_begin(s, shape))
    return false;
  const int64_t triangles = count_triangles(s);
  const bool numbered = export_numbering_make(s, &shape->numbering);
  shape->triangles = allocate(triangles, sizeof *shape->triangles);
  shape->numbers = allocate(triangles, sizeof *shape->numbers);
  shape->lines = allocate(count_lines(s), sizeof *shape->lines);
  shape->points = allocate(shape->numbering.count, sizeof *shape->points);
  shape->broken = msd_world_get_counts(s->world).broken;
  shape->split = msd_world_get_counts(s->world).split;
  filling f = {.as_loaded = as_loaded,
               .broken = edge_set_of_springs(s->world, msd_spring_is_broken),
               .used = allocate(shape->numbering.count, sizeof *f.used)};
  const bool ok = numbered && shape->triangles != NULL && shape->numbers != NULL && shape->lines != NULL &&
                  shape->points != NULL && f.broken.edges != NULL && f.used != NULL;
  if (ok)
    fill_groups(shape, s, &f);
  else
    export_shape_free(shape);
  free(f.broken.edges);
  free(f.used);
  return ok;
}

static void widen(int32_t least_and_end[2], const int32_t *points, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    least_and_end[0] = points[i] < least_and_end[0] ? points[i] : least_and_end[0];
    least_and_end[1] = points[i] >= least_and_end[1] ? points[i] + 1 : least_and_end[1];
  }
}

msd_range export_group_points(const export_shape *shape, const export_group *group) {
  int32_t found[2] = {INT32_MAX, 0};
  if (group->triangles.count > 0)
    widen(found, shape->triangles[group->triangles.first], 3 * group->triangles.count);
  if (group->lines.count > 0)
    widen(found, shape->lines[group->lines.first], 2 * group->lines.count);
  widen(found, shape->points + group->points.first, group->points.count);
  return found[1] == 0 ? (msd_range){0, 0} : (msd_range){found[0], found[1] - found[0]};
}

bool export_shape_follow(const scene *s, export_shape *shape) {
  export_shape now;
  const msd_stats stats = msd_world_get_counts(s->world);
  if (stats.broken == shape->broken && stats.split == shape->split)
    return true;
  if (!export_shape_make(s, false, &now))
    return false;
  export_shape_free(shape);
  *shape = now;
  return true;
}

void export_shape_free(export_shape *shape) {
  for (int i = 0; shape->groups != NULL && i < shape->group_count; i++)
    free(shape->groups[i].name);
  export_numbering_free(&shape->numbering);
  free(shape->title);
  free(shape->triangles);
  free(shape->numbers);
  free(shape->lines);
  free(shape->points);
  free(shape->groups);
  *shape = (export_shape){.triangles = NULL};
}
