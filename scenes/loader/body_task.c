#include "scenes/loader/body_task.h"

#include "scenes/input/file_bytes.h"

#include <math.h>
#include <stdio.h>

const quantity body_mass = {"a mass above 0 in kg", NUMBER_SMALLEST, NUMBER_LARGEST};
const quantity body_count = {"a whole number of 1 or more", 1, NUMBER_LARGEST};

bool body_check_added(const body_task *t, msd_result result) {
  if (result == MSD_OK)
    return true;
  const char *message = msd_world_message(t->world);
  return place_fail(t->place, "%s", message[0] ? message : msd_result_string(result));
}

void body_add_group(scene_body *body, const char *name, msd_range springs) {
  if (springs.count > 0)
    body->groups[body->group_count++] = (scene_group){name, springs};
}

void body_add_constraint_group(scene_body *body, const char *name, msd_range constraints) {
  if (constraints.count > 0)
    body->constraint_groups[body->constraint_group_count++] = (scene_constraint_group){name, constraints};
}

void body_keep_ranges(scene_body *body, const msd_body *made, const char *structural, const char *volume) {
  body->particles = made->particles;
  body->springs = made->springs;
  body_add_group(body, structural, made->structural);
  body_add_group(body, "shear", made->shear);
  body_add_group(body, "bend", made->bend);
  body->constraints = made->constraints;
  body_add_constraint_group(body, "bend", made->bend_constraints);
  body_add_constraint_group(body, volume, made->volume);
}

/* What a world takes, its compiled network included, measured on cloths and blocks. */
enum {
  BYTES_PER_PARTICLE = 16 * sizeof(msd_real),
  BYTES_PER_SPRING = 12 * sizeof(msd_real),
  BYTES_PER_CONSTRAINT = 32 * sizeof(msd_real)
};

typedef struct amount_text {
  char text[32];
} amount_text;

/* In the largest of `count` units, each `ratio` times the one before, that leaves 1 or more. */
static amount_text in_units(double amount, double ratio, const char *const *units, int count) {
  amount_text out;
  int unit = 0;
  for (; unit + 1 < count && amount >= ratio; unit++)
    amount /= ratio;
  snprintf(out.text, sizeof out.text, "%.4g%s", amount, units[unit]);
  return out;
}

/* "40 million" */
static amount_text count_text(double count) {
  static const char *const units[] = {" million", " billion", " trillion"};
  if (count >= 1e6)
    return in_units(count / 1e6, 1000, units, 3);
  amount_text out;
  snprintf(out.text, sizeof out.text, "%.0f", count);
  return out;
}

/* "8.5 TiB" */
static amount_text memory_text(double bytes) {
  static const char *const units[] = {" bytes", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  return in_units(bytes, 1024, units, 7);
}

bool body_check_size(const json_place *place, const char *kind, body_size size) {
  const double limit = (double)msd_default_world_def().memory_limit;
  double bytes = size.particles * BYTES_PER_PARTICLE + size.springs * BYTES_PER_SPRING +
                 size.constraints * BYTES_PER_CONSTRAINT;
  if (bytes <= limit && fmax(size.particles, fmax(size.springs, size.constraints)) <= INT32_MAX)
    return true;
  char constraints[64] = "";
  if (size.constraints > 0)
    snprintf(constraints, sizeof constraints, " and %s constraints", count_text(size.constraints).text);
  return place_fail(
      place,
      "makes a %s of %s particles and %s springs%s, which would take about %s of memory; lower it "
      "until it fits into %s",
      kind, count_text(size.particles).text, count_text(size.springs).text, constraints,
      memory_text(bytes).text, memory_text(limit).text);
}

bool body_read_count(const json_place *object, const char *key, double *out) {
  json_place place = place_member(object, key);
  return !place.value || place_get_whole(&place, &body_count, out);
}

int body_wants(const msd_spring_def *pattern) {
  return pattern->law != MSD_SPRING_NONE;
}

bool body_place_vertices(const json_place *body, msd_vec3 *vertices, int32_t count) {
  static const quantity factor = {"a factor above 0", NUMBER_SMALLEST, NUMBER_LARGEST};
  msd_vec3 position = {0, 0, 0};
  double scale = 1;
  if (!read_vector(body, "position", &position) || !read_double(body, "scale", &factor, &scale))
    return false;
  for (int32_t i = 0; i < count; i++) {
    msd_vec3 *v = &vertices[i];
    double x = (double)v->x * scale + (double)position.x, y = (double)v->y * scale + (double)position.y,
           z = (double)v->z * scale + (double)position.z;
    if (fmax(fmax(fabs(x), fabs(y)), fabs(z)) > NUMBER_LARGEST) {
      json_place place = place_member(body, "scale");
      return place_fail(&place, "moves a vertex to %g %g %g; coordinates go to %g: lower it", x, y, z,
                        NUMBER_LARGEST);
    }
    *v = (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
  }
  return true;
}

char *body_file_path(const body_task *t, const char *text) {
  const char *file = NULL;
  if (!require_member(t->place, "file", text) || !read_text(t->place, "file", &file))
    return NULL;
  char *path = file_path_in_folder(t->folder, file);
  if (!path)
    place_out_of_memory(t->place);
  return path;
}
