#include "app/report/contact_report.h"

#include "app/base/text_line.h"
#include "app/base/units.h"
#include "app/report/contents.h"

#include <inttypes.h>
#include <math.h>

enum { PLACE_MAX = 160, PARTNER_MAX = 200 };

/* `point at cloth "c" row 3 column 17`, or the triangle or edge that it is paired with. */
static void describe_partner(const scene *s, const msd_penetration *t, int which, char text[PARTNER_MAX]) {
  char place[PLACE_MAX];
  const int32_t particle = t->particles[which == 0 ? 0 : t->is_point_and_triangle ? 1 : 2];
  scene_describe_particle(s, particle, place, sizeof place);
  snprintf(text, PARTNER_MAX, "%s at %s",
           !t->is_point_and_triangle ? "edge"
           : which == 0              ? "point"
                                     : "triangle",
           place);
}

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

/* What can go wrong, each only where it did. */
static void add_troubles(text_line *line, const msd_stats *stats, const intersection_tally *checked) {
  char found[INTERSECTION_TEXT_MAX];
  if (stats->forced_intersections > 0)
    text_add(line, "; %s pair%s forced to intersect", units_count(stats->forced_intersections).text,
             plural(stats->forced_intersections));
  if (stats->penetrations > 0)
    text_add(line, "; %s pair%s intersecting at the end (ignored until separated)",
             units_count(stats->penetrations).text, plural(stats->penetrations));
  if (stats->squeezed > 0)
    text_add(line, "; %s squeezed", units_count(stats->squeezed).text);
  if (checked->scene != NULL) {
    intersection_tally_describe(checked, found);
    text_add(line, "; intersections: %s", found);
  } else if (stats->collision_meshes > 0 && stats->forced_intersections == 0 && stats->penetrations == 0)
    text_add(line, "; no forced intersections");
}

/* "7.9 million" of a large count, or all of its digits. */
static units_text rounded_count(int64_t count) {
  static const int64_t million = 1000000;
  units_text out;
  if (count < million)
    return units_count(count);
  snprintf(out.text, sizeof out.text, "%.30s million", units_number((double)count / (double)million, 2).text);
  return out;
}

void contact_report_describe(const scene *s, const msd_stats *stats, int64_t substeps,
                             const intersection_tally *checked, char text[CONTACT_TEXT_MAX],
                             char clipped[CONTACT_TEXT_MAX]) {
  static const double few = 0.01;
  text_line line = text_line_begin(text, CONTACT_TEXT_MAX),
            second = text_line_begin(clipped, CONTACT_TEXT_MAX);
  const int64_t moves = contents_count_colliding(s) * substeps;
  const double share = moves > 0 ? (double)stats->clipped_moves / (double)moves : 0;
  if (stats->colliders + stats->collision_meshes == 0 && checked->scene == NULL)
    return;
  text_add(&line, "%s contact%s at the end", units_count(stats->contacts).text, plural(stats->contacts));
  add_troubles(&line, stats, checked);
  if (stats->clipped_moves == 0 || moves == 0)
    return;
  if (share < few)
    text_add(&line, "; %s of vertex moves clipped", units_percent(share).text);
  else
    text_add(&second, "in the whole run, %s of vertex moves clipped to prevent penetration (%s of %s)",
             units_percent(share).text, units_count(stats->clipped_moves).text, rounded_count(moves).text);
}

void contact_report_print_details(const scene *s, const msd_stats *stats, FILE *stream) {
  msd_penetration first;
  char one[PARTNER_MAX], other[PARTNER_MAX];
  if (stats->colliders + stats->collision_meshes == 0)
    return;
  fprintf(
      stream,
      "    contact              %s squeezed between colliders or surfaces; %s vertex move%s clipped; %s\n",
      units_count(stats->squeezed).text, units_count(stats->clipped_moves).text, plural(stats->clipped_moves),
      units_megabytes(stats->contact_bytes).text);
  if (!msd_world_get_first_forced_intersection(s->world, &first))
    return;
  describe_partner(s, &first, 0, one);
  describe_partner(s, &first, 1, other);
  fprintf(stream, "    forced intersection  the first of %s: %s and %s\n",
          units_count(stats->forced_intersections).text, one, other);
}

static json_t *first_forced(const scene *s, int which) {
  msd_penetration first;
  char text[PARTNER_MAX];
  if (!msd_world_get_first_forced_intersection(s->world, &first))
    return json_null();
  describe_partner(s, &first, which, text);
  return json_string(text);
}

int contact_report_json(const scene *s, const msd_stats *stats, json_t *object) {
  if (stats->colliders + stats->collision_meshes == 0)
    return 0;
  int failed = json_object_set_new(object, "contacts", json_integer(stats->contacts));
  failed |= json_object_set_new(object, "squeezed", json_integer(stats->squeezed));
  failed |= json_object_set_new(object, "clipped_moves", json_integer(stats->clipped_moves));
  if (stats->collision_meshes == 0)
    return failed;
  failed |= json_object_set_new(object, "forced_intersections", json_integer(stats->forced_intersections));
  failed |= json_object_set_new(object, "first_forced_of", first_forced(s, 0));
  failed |= json_object_set_new(object, "first_forced_with", first_forced(s, 1));
  failed |= json_object_set_new(object, "penetrations", json_integer(stats->penetrations));
  return failed;
}

/* Colliders of a mesh are collision meshes too. */
void contact_report_describe_size(const scene *s, const msd_stats *stats, char text[CONTACT_TEXT_MAX]) {
  text_line line = text_line_begin(text, CONTACT_TEXT_MAX);
  int64_t meshes = 0, triangles = stats->collision_triangles;
  for (int b = 0; b < s->body_count; b++) {
    meshes += s->bodies[b].is_collider;
    triangles -= s->bodies[b].is_collider ? s->bodies[b].triangle_count : 0;
  }
  const int64_t surfaces = stats->collision_meshes - meshes, colliders = stats->colliders + meshes;
  if (surfaces > 0)
    text_list(&line, "%s of %s surface%s (%s triangles)",
              contents_have_self_collision(s) ? "self-collision" : "collision", units_count(surfaces).text,
              plural(surfaces), units_count(triangles).text);
  if (colliders > 0)
    text_list(&line, "%s collider%s", units_count(colliders).text, plural(colliders));
}

void contact_report_print_size(const msd_stats *stats, FILE *stream) {
  if (stats->colliders + stats->collision_meshes == 0)
    return;
  fprintf(stream, "  contact           ");
  if (stats->colliders > 0)
    fprintf(stream, "%s collider%s, ", units_count(stats->colliders).text, plural(stats->colliders));
  if (stats->collision_meshes > 0)
    fprintf(stream, "%s surface%s of %s triangle%s and %s edge%s, ",
            units_count(stats->collision_meshes).text, plural(stats->collision_meshes),
            units_count(stats->collision_triangles).text, plural(stats->collision_triangles),
            units_count(stats->collision_edges).text, plural(stats->collision_edges));
  fprintf(stream, "%s of the memory\n", units_megabytes(stats->contact_bytes).text);
}

int contact_report_size_json(const msd_stats *stats, json_t *object) {
  if (stats->colliders + stats->collision_meshes == 0)
    return 0;
  int failed = json_object_set_new(object, "colliders", json_integer(stats->colliders));
  failed |= json_object_set_new(object, "collision_meshes", json_integer(stats->collision_meshes));
  failed |= json_object_set_new(object, "collision_triangles", json_integer(stats->collision_triangles));
  failed |= json_object_set_new(object, "collision_edges", json_integer(stats->collision_edges));
  failed |= json_object_set_new(object, "bytes_contact", json_integer((json_int_t)stats->contact_bytes));
  return failed;
}

/* m/s: n |gravity| dt of as many equal sheets as settle on each other, a quarter of the speed at which surfaces
   push each other apart (msd/collision_mesh.h). */
static const double CARRIED = 0.0125;

/* Substeps of a frame for each sheet of a stack; 0 without gravity or collision meshes. */
static double substeps_of_sheet(const scene *s) {
  const msd_vec3 down = msd_world_get_gravity(s->world);
  const msd_contact_settings contact = msd_world_get_contact_settings(s->world);
  const double gravity = sqrt((double)down.x * (double)down.x + (double)down.y * (double)down.y +
                              (double)down.z * (double)down.z);
  return msd_world_get_stats(s->world).collision_meshes > 0
             ? gravity * s->frame_time / ((1 - (double)contact.relaxation) * CARRIED)
             : 0;
}

static int sheets_carried(double substeps_of_each, int substeps) {
  return (int)fmin(floor(substeps / substeps_of_each), INT32_MAX);
}

void contact_report_describe_stack(const scene *s, int substeps, char text[CONTACT_TEXT_MAX]) {
  const double each = substeps_of_sheet(s);
  text_line line = text_line_begin(text, CONTACT_TEXT_MAX);
  if (!(each > 0) || substeps <= 0)
    return;
  const int count = sheets_carried(each, substeps);
  if (count == 0)
    text_add(&line, "layers do not settle on each other (%s substeps per layer)", units_number(each, 2).text);
  else
    text_add(&line, "%d layer%s rest%s, %d need %d substeps", count, plural(count), count == 1 ? "s" : "",
             count + 1, (int)fmin(ceil(each * (count + 1)), INT32_MAX));
}

int contact_report_pile_json(const scene *s, int substeps, json_t *object) {
  const double each = substeps_of_sheet(s);
  if (!(each > 0) || substeps <= 0)
    return 0;
  return json_object_set_new(object, "sheets_carried", json_integer(sheets_carried(each, substeps)));
}
