#include "app/report/softening_table.h"

#include "app/base/json_values.h"
#include "app/base/text_line.h"
#include "app/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { PLACE_MAX = 256, COUNT_MAX = 128 };

enum { FIXED_ROWS = SOFTENING_ROWS_MAX - 1 };
static const int32_t row_substeps[FIXED_ROWS] = {10, 30, 100};

/* Of the springs: so few change little of what a scene does. */
static const double FEW = 0.01;

/* Of the particles: where more are light the network as a whole is. */
static const double LIGHT_SHARE = 0.05;

/* ------------------------------------------------------------------------------------------ making it */

static bool is_few(const softening_table *t, const msd_softening *softened) {
  return softened->springs <= FEW * t->springs && softened->constraints <= FEW * t->constraints;
}

static bool add_row(const msd_world *world, double frame, int32_t substeps, softening_table *t) {
  softening_row *row = &t->rows[t->row_count++];
  row->substeps = substeps;
  return msd_world_find_softening(world, (msd_real)(frame / substeps), true, &row->softened) == MSD_OK;
}

/* Of more substeps than `taken`, and of fewer than are certified. */
static bool add_rows(const msd_world *world, double frame, int32_t taken, softening_table *t) {
  const int32_t end = t->is_limited || t->certified == 0 ? INT32_MAX : t->certified;
  for (int n = 0; n < FIXED_ROWS; n++)
    if (row_substeps[n] > taken && row_substeps[n] < end && !add_row(world, frame, row_substeps[n], t))
      return false;
  return true;
}

static void choose_row(softening_table *t) {
  while (t->advised + 1 < t->row_count && !is_few(t, &t->rows[t->advised].softened))
    t->advised++;
  t->is_little = t->row_count > 0 && is_few(t, &t->rows[t->advised].softened);
}

/* What one lacks, as a factor on its mass. */
static double lack(const light_particle *p) {
  return p->needed / p->mass;
}

/* Of those that are shown the worst come first; of equals the first. */
static void show(softening_table *t, light_particle one) {
  int at = t->light_count < LIGHT_PARTICLES_SHOWN ? (int)t->light_count : LIGHT_PARTICLES_SHOWN;
  for (; at > 0 && lack(&one) > lack(&t->light[at - 1]); at--)
    if (at < LIGHT_PARTICLES_SHOWN)
      t->light[at] = t->light[at - 1];
  if (at < LIGHT_PARTICLES_SHOWN)
    t->light[at] = one;
  t->light_count++;
}

void softening_table_find_light(const msd_world *world, double frame, softening_table *t) {
  if (t->row_count == 0 || t->is_limited)
    return;
  const int32_t count = msd_world_get_particle_count(world);
  const double substep = frame / t->rows[t->advised].substeps;
  double *needed = malloc(((size_t)count + 1) * sizeof *needed);
  const bool found = needed && msd_world_find_required_masses(world, (msd_real)substep, needed) == MSD_OK;
  for (int32_t i = 0; found && i < count; i++) {
    const double mass = (double)msd_particle_get_mass(world, i);
    if (mass < needed[i])
      show(t, (light_particle){i, mass, needed[i]});
  }
  free(needed);
  if (!found)
    t->row_count = 0;
}

/* The limit is certified for one integrator. */
static bool make(const msd_world *world, double frame, int32_t taken, softening_table *t) {
  if (t->is_limited && taken > 0) {
    if (!add_row(world, frame, taken, t) ||
        (!is_few(t, &t->rows[0].softened) && !add_rows(world, frame, taken, t)))
      return false;
    choose_row(t);
    return true;
  }
  if (t->is_limited || msd_world_get_integrator(world) != MSD_SYMPLECTIC_EULER)
    return true;
  if (!add_rows(world, frame, 0, t))
    return false;
  choose_row(t);
  return true;
}

void softening_table_make(const msd_world *world, double frame, int32_t certified, int32_t taken,
                          softening_table *out) {
  const msd_stats stats = msd_world_get_counts(world);
  *out = (softening_table){.certified = certified,
                           .is_limited = msd_world_get_clamp_stiffness(world),
                           .springs = stats.springs - stats.broken + stats.torsion_springs,
                           .constraints = stats.constraints};
  if (!make(world, frame, taken, out))
    out->row_count = 0;
}

/* ------------------------------------------------------------------------------------------- printing it */

/* "411 of 17,031 springs (2.4 %)". */
static void describe_part(int32_t part, int32_t whole, const char *what, char *text, size_t size) {
  text_line line = text_line_begin(text, size);
  text_add(&line, "%s of %s %s (%s)", units_count(part).text, units_count(whole).text, what,
           units_percent((double)part / whole).text);
}

void softening_table_count(const softening_table *t, const msd_softening *softened, char *text, size_t size) {
  char springs[COUNT_MAX] = "", constraints[COUNT_MAX] = "";
  if (t->springs > 0)
    describe_part(softened->springs, t->springs, "springs", springs, sizeof springs);
  if (softened->constraints > 0)
    describe_part(softened->constraints, t->constraints, "constraints", constraints, sizeof constraints);
  snprintf(text, size, "%s%s%s", springs, *springs && *constraints ? " and " : "", constraints);
}

void softening_table_way_out(const softening_table *t, char *text, size_t size) {
  char count[2 * COUNT_MAX];
  snprintf(text, size, "%s", "");
  if (t->row_count == 0 || (t->is_limited && t->advised == 0))
    return;
  const softening_row *row = &t->rows[t->advised];
  softening_table_count(t, &row->softened, count, sizeof count);
  snprintf(text, size, "--substeps %" PRId32 "%s, which clamps %s", row->substeps,
           t->is_limited ? "" : " --clamp-stiffness", count);
}

/* "2,996 (55 %)", or "0". */
static void describe_cell(int32_t part, int32_t whole, char *text, size_t size) {
  text_line line = text_line_begin(text, size);
  text_add(&line, "%s", units_count(part).text);
  if (part > 0)
    text_add(&line, " (%s)", units_percent((double)part / whole).text);
}

/* Columns of what the network has none of are left out. */
static void print_row(const softening_table *t, const char *substeps, const char *springs,
                      const char *constraints, const char *left, FILE *stream) {
  fprintf(stream, "    %9s", substeps);
  if (t->springs > 0)
    fprintf(stream, "   %20s", springs);
  if (t->constraints > 0)
    fprintf(stream, "   %20s", constraints);
  fprintf(stream, "   %20s\n", left);
}

static void print_softening(const softening_table *t, int32_t substeps, const msd_softening *softened,
                            FILE *stream) {
  char springs[COUNT_MAX], constraints[COUNT_MAX];
  describe_cell(softened->springs, t->springs, springs, sizeof springs);
  describe_cell(softened->constraints, t->constraints, constraints, sizeof constraints);
  print_row(t, units_count(substeps).text, springs, constraints, units_percent(softened->stiffness_left).text,
            stream);
}

static void print_rows(const softening_table *t, FILE *stream) {
  static const msd_softening nothing = {.stiffness_left = 1};
  fprintf(stream,
          "  fewer substeps    are stable with --clamp-stiffness, which lowers what is too stiff for them\n");
  print_row(t, "substeps", "clamped springs", "clamped constraints", "least stiffness kept", stream);
  for (int n = 0; n < t->row_count; n++)
    print_softening(t, t->rows[n].substeps, &t->rows[n].softened, stream);
  if (t->certified > 0)
    print_softening(t, t->certified, &nothing, stream);
}

static void print_softened(const softening_row *row, const softening_table *t, FILE *stream) {
  char count[2 * COUNT_MAX];
  softening_table_count(t, &row->softened, count, sizeof count);
  fprintf(stream, "  clamped           %s, in %" PRId32 " substep%s", count, row->substeps,
          row->substeps == 1 ? "" : "s");
  if (row->softened.stiffness_left < 1)
    fprintf(stream, "; the least stiffness kept is %s", units_percent(row->softened.stiffness_left).text);
  fputc('\n', stream);
  char way_out[3 * COUNT_MAX];
  softening_table_way_out(t, way_out, sizeof way_out);
  if (t->is_little && *way_out)
    fprintf(stream, "  remedy            msd run %s\n", way_out);
}

/* Few enough to be worth a look at the mesh. */
static bool stand_out(const scene *s, const softening_table *t) {
  return t->light_count <= LIGHT_SHARE * msd_world_get_particle_count(s->world);
}

static void print_one(const scene *s, const light_particle *light, FILE *stream) {
  char where[PLACE_MAX];
  scene_describe_particle(s, light->particle, where, sizeof where);
  if (isfinite(light->needed))
    fprintf(stream, "      %s needs %s times its mass of %s g\n", where, units_number(lack(light), 3).text,
            units_number(1000 * light->mass, 3).text);
  else
    fprintf(stream, "      %s: no mass helps, its coefficients alone are too large\n", where);
}

static void print_light(const scene *s, const softening_table *t, FILE *stream) {
  const int32_t substeps = t->rows[t->advised].substeps;
  if (!stand_out(s, t)) {
    fprintf(stream,
            "  light particles   %s of %s need more than %" PRId32
            " substeps: too many for single vertices to blame\n",
            units_count(t->light_count).text, units_count(msd_world_get_particle_count(s->world)).text,
            substeps);
    return;
  }
  fprintf(stream, "  light particles   %s of %s need%s more than %" PRId32 " substeps\n",
          units_count(t->light_count).text, units_count(msd_world_get_particle_count(s->world)).text,
          t->light_count == 1 ? "s" : "", substeps);
  for (int n = 0; n < LIGHT_PARTICLES_SHOWN && n < t->light_count; n++)
    print_one(s, &t->light[n], stream);
  if (t->light_count > LIGHT_PARTICLES_SHOWN)
    fprintf(stream, "      and %" PRId32 " more need less\n", t->light_count - LIGHT_PARTICLES_SHOWN);
}

static void print_way_out(const softening_table *t, FILE *stream) {
  const softening_row *row = &t->rows[t->advised];
  if (t->is_little)
    fprintf(stream,
            "  remedy            msd run --substeps %" PRId32
            " --clamp-stiffness: lowers what is too stiff to the stable limit,\n"
            "                    in every configuration; all else keeps its stiffness\n",
            row->substeps);
  else
    fprintf(stream, "  remedy            lower the stiffness, add mass, or use --solver auto\n");
}

void softening_table_print(const scene *s, const softening_table *t, FILE *stream) {
  if (t->row_count == 0)
    return;
  if (t->is_limited) {
    print_softened(&t->rows[0], t, stream);
    return;
  }
  print_rows(t, stream);
  print_light(s, t, stream);
  print_way_out(t, stream);
}

/* Into an object; *failed remembers that memory was short. */
#define KEY(name, value) *failed |= json_object_set_new(object, name, value)

static json_t *row_json(const softening_row *row, int *failed) {
  json_t *object = json_object();
  KEY("substeps", json_integer(row->substeps));
  KEY("springs", json_integer(row->softened.springs));
  KEY("constraints", json_integer(row->softened.constraints));
  KEY("stiffness_left", json_number(row->softened.stiffness_left));
  return object;
}

static json_t *light_json(const scene *s, const light_particle *light, int *failed) {
  char where[PLACE_MAX];
  scene_describe_particle(s, light->particle, where, sizeof where);
  json_t *object = json_object();
  KEY("particle", json_integer(light->particle));
  KEY("name", json_string(where));
  KEY("mass", json_number(light->mass));
  KEY("required_mass", json_number(light->needed));
  return object;
}

#undef KEY

int softening_table_json(const scene *s, const softening_table *t, json_t *object) {
  int failed = 0;
  json_t *rows = json_array(), *light = json_array();
  for (int n = 0; n < t->row_count; n++)
    failed |= json_array_append_new(rows, row_json(&t->rows[n], &failed));
  for (int n = 0; n < LIGHT_PARTICLES_SHOWN && n < t->light_count; n++)
    failed |= json_array_append_new(light, light_json(s, &t->light[n], &failed));
  failed |= json_object_set_new(object, "softening", rows);
  failed |= json_object_set_new(object, "light_particles", light);
  failed |= json_object_set_new(object, "light_particle_count", json_integer(t->light_count));
  failed |= json_object_set_new(object, "light_particle_substeps",
                                t->row_count > 0 ? json_integer(t->rows[t->advised].substeps) : json_null());
  return failed;
}
