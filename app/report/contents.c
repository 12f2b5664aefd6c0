#include "app/report/contents.h"

#include "app/base/text_line.h"
#include "app/base/units.h"
#include "app/report/places.h"

#include <inttypes.h>

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

static void add_particles(text_line *line, const scene *s, const msd_stats *stats) {
  text_list(line, "%s particle%s", units_count(scene_particles(s)).text, plural(scene_particles(s)));
  const bool sleeps = msd_world_get_sleep(s->world).speed > 0;
  if (stats->pinned > 0 || sleeps)
    text_add(line, " (");
  if (stats->pinned > 0)
    text_add(line, "%s pinned", units_count(stats->pinned).text);
  if (sleeps)
    text_add(line, "%s%s asleep", stats->pinned > 0 ? ", " : "", units_count(stats->asleep).text);
  if (stats->pinned > 0 || sleeps)
    text_add(line, ")");
}

/* A process that has a part of a scene knows how many constraints there are in all, and not of which kinds. */
static void add_constraints(text_line *line, const scene *s, const msd_stats *stats) {
  int64_t counts[MSD_CONSTRAINT_KIND_COUNT] = {0};
  if (s->ranks != NULL && stats->constraints > 0)
    text_list(line, "%s constraint%s", units_count(stats->constraints).text, plural(stats->constraints));
  if (s->ranks != NULL)
    return;
  for (int32_t c = 0; c < msd_world_get_constraint_count(s->world); c++)
    counts[msd_constraint_get_def(s->world, c).kind]++;
  for (int kind = MSD_CONSTRAINT_KIND_COUNT - 1; kind >= 0; kind--)
    if (counts[kind] > 0)
      text_list(line, "%s %s", units_count(counts[kind]).text,
                place_constraints_noun((msd_constraint_kind)kind, counts[kind] != 1));
}

void contents_describe_elements(const scene *s, const msd_stats *stats, char *text, size_t size) {
  text_line line = text_line_begin(text, size);
  if (stats->particles > 0 || stats->rotors == 0)
    add_particles(&line, s, stats);
  if (stats->springs > 0)
    text_list(&line, "%s spring%s", units_count(stats->springs).text, plural(stats->springs));
  add_constraints(&line, s, stats);
  if (stats->soft_pins > 0)
    text_list(&line, "%s soft pin%s", units_count(stats->soft_pins).text, plural(stats->soft_pins));
  if (stats->rotors > 0)
    text_list(&line, "%s rotor%s, %s torsion spring%s", units_count(stats->rotors).text,
              plural(stats->rotors), units_count(stats->torsion_springs).text,
              plural(stats->torsion_springs));
}

bool contents_have_self_collision(const scene *s) {
  for (int32_t n = 0; n < msd_world_get_collision_mesh_count(s->world); n++)
    if (msd_collision_mesh_get_def(s->world, n).self_collision)
      return true;
  return false;
}

int64_t contents_count_colliding(const scene *s) {
  int64_t count = 0;
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    for (int32_t n = 0; body->surface.number >= 0 && n < body->particles.count; n++)
      count += !msd_particle_is_pinned(s->world, body->particles.first + n);
  }
  return count;
}

static bool is_first_of_kind(const scene *s, int b) {
  for (int earlier = 0; earlier < b; earlier++)
    if (strcmp(s->bodies[earlier].kind, s->bodies[b].kind) == 0)
      return false;
  return true;
}

static const char *ending_of(const char *kind, int count) {
  if (count == 1 || strcmp(kind, "rotors") == 0)
    return "";
  return strcmp(kind, "mesh") == 0 || strcmp(kind, "tetmesh") == 0 ? "es" : "s";
}

/* Colliders are counted with the other colliders. */
static void add_bodies(text_line *line, const scene *s) {
  int bodies = 0;
  for (int b = 0; b < s->body_count; b++)
    bodies += !s->bodies[b].is_collider;
  for (int b = 0; bodies > 1 && b < s->body_count; b++) {
    const char *kind = s->bodies[b].kind;
    int alike = 0;
    if (s->bodies[b].is_collider || strcmp(kind, "particles") == 0 || !is_first_of_kind(s, b))
      continue;
    for (int other = b; other < s->body_count; other++)
      alike += strcmp(s->bodies[other].kind, kind) == 0;
    text_list(line, "%d %s%s", alike, kind, ending_of(kind, alike));
  }
}

void contents_describe_bodies(const scene *s, const msd_stats *stats, char *text, size_t size) {
  text_line line = text_line_begin(text, size);
  int64_t colliders = stats->colliders;
  add_bodies(&line, s);
  for (int b = 0; b < s->body_count; b++)
    colliders += s->bodies[b].is_collider;
  if (colliders > 0)
    text_list(&line, "%s collider%s", units_count(colliders).text, plural(colliders));
  if (contents_have_self_collision(s))
    text_list(&line, "self-collision on");
  else if (stats->collision_meshes > 1)
    text_list(&line, "collision between bodies");
}
