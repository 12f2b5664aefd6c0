#include "app/report/contact_report.h"

#include "app/base/units.h"

#include <inttypes.h>
#include <math.h>

enum { PLACE_MAX = 160, PARTNER_MAX = 200 };

/* `point at cloth "c" row 3 column 17`, or the triangle or edge that it is paired with. */
static void describe_partner(const scene *s, const msd_tangle *t, int which, char text[PARTNER_MAX]) {
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

static void print_pinched(const scene *s, const msd_stats *stats, FILE *stream) {
  msd_tangle first;
  if (!msd_world_get_first_pinched(s->world, &first))
    return;
  char one[PARTNER_MAX], other[PARTNER_MAX];
  describe_partner(s, &first, 0, one);
  describe_partner(s, &first, 1, other);
  fprintf(stream,
          "  pinched           %" PRId64
          " pair%s that prescribed motion forced together; the first: %s and %s\n",
          stats->pinched_pairs, plural(stats->pinched_pairs), one, other);
}

void contact_report_print(const scene *s, const msd_stats *stats, FILE *stream) {
  if (stats->colliders + stats->surfaces == 0)
    return;
  fprintf(stream, "  contacts          %" PRId32 " at the end, %" PRId32 " pinched", stats->contacts,
          stats->pinched);
  if (stats->surfaces > 0)
    fprintf(stream, "; %" PRId64 " step%s of particles shortened", stats->shortened_steps,
            plural(stats->shortened_steps));
  fprintf(stream, "\n");
  print_pinched(s, stats, stream);
  if (stats->tangles > 0)
    fprintf(stream,
            "  tangled           %" PRId64 " pair%s of triangles or segments intersect and are let be\n",
            stats->tangles, plural(stats->tangles));
}

static json_t *first_pinched(const scene *s, int which) {
  msd_tangle first;
  char text[PARTNER_MAX];
  if (!msd_world_get_first_pinched(s->world, &first))
    return json_null();
  describe_partner(s, &first, which, text);
  return json_string(text);
}

int contact_report_json(const scene *s, const msd_stats *stats, json_t *object) {
  if (stats->colliders + stats->surfaces == 0)
    return 0;
  int failed = json_object_set_new(object, "contacts", json_integer(stats->contacts));
  failed |= json_object_set_new(object, "pinched", json_integer(stats->pinched));
  failed |= json_object_set_new(object, "shortened_steps", json_integer(stats->shortened_steps));
  if (stats->surfaces == 0)
    return failed;
  failed |= json_object_set_new(object, "pinched_pairs", json_integer(stats->pinched_pairs));
  failed |= json_object_set_new(object, "first_pinched_of", first_pinched(s, 0));
  failed |= json_object_set_new(object, "first_pinched_with", first_pinched(s, 1));
  failed |= json_object_set_new(object, "tangles", json_integer(stats->tangles));
  return failed;
}

void contact_report_print_size(const msd_stats *stats, FILE *stream) {
  if (stats->colliders + stats->surfaces == 0)
    return;
  fprintf(stream, "  contact           ");
  if (stats->colliders > 0)
    fprintf(stream, "%" PRId32 " collider%s, ", stats->colliders, plural(stats->colliders));
  if (stats->surfaces > 0)
    fprintf(stream, "%" PRId32 " surface%s of %" PRId32 " triangle%s and %" PRId32 " edge%s, ",
            stats->surfaces, plural(stats->surfaces), stats->surface_triangles,
            plural(stats->surface_triangles), stats->surface_edges, plural(stats->surface_edges));
  fprintf(stream, "%s of the memory\n", units_bytes(stats->contact_bytes).text);
}

int contact_report_size_json(const msd_stats *stats, json_t *object) {
  if (stats->colliders + stats->surfaces == 0)
    return 0;
  int failed = json_object_set_new(object, "colliders", json_integer(stats->colliders));
  failed |= json_object_set_new(object, "surfaces", json_integer(stats->surfaces));
  failed |= json_object_set_new(object, "surface_triangles", json_integer(stats->surface_triangles));
  failed |= json_object_set_new(object, "surface_edges", json_integer(stats->surface_edges));
  failed |= json_object_set_new(object, "bytes_contact", json_integer((json_int_t)stats->contact_bytes));
  return failed;
}

/* m/s: n |gravity| dt of as many equal sheets as forces carry, a quarter of the speed at which surfaces push
   each other apart (msd/surface.h). */
static const double CARRIED = 0.0125;

/* Substeps of a frame for each sheet of a pile: 0 where nothing presses on it, or nothing carries it. */
static double substeps_of_sheet(const scene *s) {
  const msd_vec3 down = msd_world_get_gravity(s->world);
  const msd_contact_def contact = msd_world_get_contact(s->world);
  const double gravity = sqrt((double)down.x * (double)down.x + (double)down.y * (double)down.y +
                              (double)down.z * (double)down.z);
  return msd_world_get_stats(s->world).surfaces > 0
             ? gravity * s->time_step / ((1 - (double)contact.softness) * CARRIED)
             : 0;
}

static int sheets_carried(double substeps_of_each, int substeps) {
  return (int)fmin(floor(substeps / substeps_of_each), INT32_MAX);
}

void contact_report_print_pile(const scene *s, int substeps, FILE *stream) {
  const double each = substeps_of_sheet(s);
  if (!(each > 0) || substeps <= 0)
    return;
  const int count = sheets_carried(each, substeps);
  fprintf(stream,
          "  piles             forces alone carry up to %d equal sheet%s in %d substep%s; each further sheet "
          "takes %.3g\n",
          count, plural(count), substeps, plural(substeps), each);
}

int contact_report_pile_json(const scene *s, int substeps, json_t *object) {
  const double each = substeps_of_sheet(s);
  if (!(each > 0) || substeps <= 0)
    return 0;
  return json_object_set_new(object, "sheets_carried", json_integer(sheets_carried(each, substeps)));
}
