#include "scenes/loader/damage_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const quantity tear_strain = {"a strain above 0, such as 0.3 for 30 %", 1e-6, NUMBER_LARGEST};
static const quantity tear_energy = {
    "an energy above 0: per length of cut in J/m, of ropes and solids of a spring in J", NUMBER_SMALLEST,
    NUMBER_LARGEST};
static const quantity yield_strain = {"a strain above 0, of an angle in rad", NUMBER_SMALLEST,
                                      NUMBER_LARGEST};
static const quantity plastic_rate = {"the rate in 1/s, above 0, at which the excess becomes plastic",
                                      NUMBER_SMALLEST, NUMBER_LARGEST};
static const quantity max_plastic_strain = {"a strain above 0, of an angle in rad", NUMBER_SMALLEST,
                                            NUMBER_LARGEST};
static const quantity bend_yield = {"a curvature above 0 in 1/m", NUMBER_SMALLEST, NUMBER_LARGEST};
static const quantity strain = {"a strain of 0 or more", 0, NUMBER_LARGEST};
static const quantity factor = {"a factor above 1", 1 + 1e-6, NUMBER_LARGEST};
static const quantity limit = {"a strain of 0 or more, such as 0.1 for 10 %", 0, NUMBER_LARGEST};

static bool read_stiffening(const json_place *object, damage_settings *out) {
  static const char *const keys[] = {"strain", "factor", NULL};
  const json_place place = place_member(object, "stiffening");
  if (!place.value)
    return true;
  if (!json_is_object(place.value))
    return place_fail_type(&place, "an object such as { \"strain\": 0.05, \"factor\": 4 }");
  return place_check_object(&place, keys) && require_member(&place, "strain", strain.text) &&
         require_member(&place, "factor", factor.text) &&
         read_real(&place, "strain", &strain, &out->strain) &&
         read_real(&place, "factor", &factor, &out->factor);
}

static bool read_limit(const json_place *object, damage_settings *out) {
  out->has_limit = place_member(object, "max_stretch").value != NULL;
  return read_real(object, "max_stretch", &limit, &out->limit);
}

/* What only says how something else happens. */
static bool check_alone(const json_place *object, const char *key, const char *needed) {
  const json_place member = place_member(object, key), other = place_member(object, needed);
  return !member.value || other.value || place_fail(&member, "needs a \"%s\" beside it", needed);
}

/* Of what bends in a material, too. */
static bool check_creep(const json_place *object) {
  return place_member(object, "bend_yield").value || check_alone(object, "plastic_rate", "yield_strain");
}

static bool check_split(const json_place *object) {
  return place_member(object, "tear_energy").value || check_alone(object, "split", "tear_strain");
}

bool damage_read(const json_place *object, damage_settings *out) {
  return check_split(object) && check_creep(object) &&
         check_alone(object, "max_plastic_strain", "yield_strain") &&
         read_real(object, "tear_strain", &tear_strain, &out->damage.tear_strain) &&
         read_real(object, "tear_energy", &tear_energy, &out->damage.tear_energy) &&
         read_flag(object, "split", &out->damage.split) &&
         read_real(object, "yield_strain", &yield_strain, &out->damage.yield_strain) &&
         read_real(object, "plastic_rate", &plastic_rate, &out->damage.plastic_rate) &&
         read_real(object, "max_plastic_strain", &max_plastic_strain, &out->damage.max_plastic_strain) &&
         read_stiffening(object, out) && read_limit(object, out);
}

/* In the order in which they are applied: what backs springs of one body is added kind by kind, so that it is
   one range. */
typedef enum damage_part { PART_STIFFENING, PART_LIMIT, PART_DAMAGE, PARTS } damage_part;

static bool tears(const msd_damage_def *damage) {
  return damage->tear_strain > 0 || damage->tear_energy > 0;
}

static bool says(const damage_settings *s, damage_part part) {
  return part == PART_STIFFENING ? s->factor > 0
         : part == PART_LIMIT    ? s->has_limit
                                 : tears(&s->damage) || s->damage.yield_strain > 0;
}

/* m: from one particle to another. */
static double distance_of(const msd_world *world, int32_t one, int32_t other) {
  const msd_vec3 a = msd_particle_get_position(world, one), b = msd_particle_get_position(world, other);
  return hypot(hypot((double)b.x - (double)a.x, (double)b.y - (double)a.y), (double)b.z - (double)a.z);
}

/* m^2: of a triangle of a body, by Heron's formula. */
static double area_of(const msd_world *world, const int32_t *corners) {
  const double a = distance_of(world, corners[0], corners[1]), b = distance_of(world, corners[1], corners[2]),
               c = distance_of(world, corners[2], corners[0]), half = (a + b + c) / 2;
  return sqrt(fmax(half * (half - a) * (half - b) * (half - c), 0));
}

/* m^2: by particle of a body, a third of the triangles at it. NULL without memory. */
static double *areas_of(const msd_world *world, const scene_body *body) {
  double *areas = calloc((size_t)body->particles.count + 1, sizeof *areas);
  for (int32_t t = 0; areas && t < body->triangle_count; t++)
    for (int corner = 0; corner < 3; corner++)
      areas[body->triangles[3 * t + corner] - body->particles.first] +=
          area_of(world, &body->triangles[3 * t]) / 3;
  return areas;
}

/* A cut across springs of one direction meets one of them on each area over its length. */
static msd_result give_energies(msd_world *world, msd_range springs, const scene_body *body,
                                const double *areas, msd_damage_def damage) {
  const msd_real energy = damage.tear_energy;
  msd_result result = MSD_OK;
  for (int32_t e = springs.first; result == MSD_OK && e < springs.first + springs.count; e++) {
    const msd_spring_def spring = msd_spring_get_def(world, e);
    const double length = distance_of(world, spring.a, spring.b);
    const double area = areas[spring.a - body->particles.first] + areas[spring.b - body->particles.first];
    damage.tear_energy = length > 0 ? (msd_real)((double)energy * (area / 2 / length)) : 0;
    result = msd_springs_set_damage(world, (msd_range){e, 1}, &damage);
  }
  return result;
}

/* Of a solid, a rope and single springs the energy is that of each spring. */
static bool is_sheet(const scene_body *body) {
  return body && body->triangle_count > 0 && strcmp(body->kind, "block") != 0 &&
         strcmp(body->kind, "tetmesh") != 0;
}

static msd_result give_damage(msd_world *world, msd_range springs, const scene_body *body,
                              const damage_settings *s) {
  if (!(s->damage.tear_energy > 0) || !is_sheet(body))
    return msd_springs_set_damage(world, springs, &s->damage);
  double *areas = areas_of(world, body);
  const msd_result result = areas ? give_energies(world, springs, body, areas, s->damage) : MSD_OUT_OF_MEMORY;
  free(areas);
  return result;
}

static msd_result give(msd_world *world, msd_range springs, const scene_body *body, const damage_settings *s,
                       damage_part part, msd_range *made) {
  *made = (msd_range){0, 0};
  if (part == PART_STIFFENING)
    return msd_springs_stiffen(world, springs, s->strain, s->factor, made);
  if (part == PART_LIMIT)
    return msd_springs_limit_stretch(world, springs, s->limit, 1, made);
  return give_damage(world, springs, body, s);
}

/* What an object speaks of. */
typedef struct worn {
  msd_range springs, constraints;
  /* Whose springs they are; NULL: of none. */
  const scene_body *body;
} worn;

static bool refuse(const json_place *object, const worn *of) {
  return place_fail(
      object,
      of->constraints.count > 0
          ? "makes springs on angles, which can yield; only springs on lengths tear, stiffen and have limits"
          : "makes no springs on lengths, and only these tear, yield, stiffen and have limits; give it a "
            "stiffness");
}

/* One part of what an object says of some springs or constraints; *all grows by what was added. */
static bool apply(const json_place *object, msd_world *world, const worn *of, damage_part part,
                  msd_range *all) {
  damage_settings s = {.damage = msd_default_damage_def()};
  if (!damage_read(object, &s))
    return false;
  if (!world || !says(&s, part))
    return true;
  const bool yields_alone = part == PART_DAMAGE && !tears(&s.damage);
  if (of->springs.count == 0 && (of->constraints.count == 0 || !yields_alone))
    return refuse(object, of);
  msd_range made = {0, 0};
  if ((of->springs.count > 0 && give(world, of->springs, of->body, &s, part, &made) != MSD_OK) ||
      (of->constraints.count > 0 && msd_constraints_set_damage(world, of->constraints, &s.damage) != MSD_OK))
    return place_fail(object, "%s", msd_world_message(world));
  *all = (msd_range){all->count > 0 ? all->first : made.first, all->count + made.count};
  return true;
}

static msd_range group_of(const scene_body *body, const char *name) {
  for (int g = 0; g < body->group_count; g++)
    if (strcmp(body->groups[g].name, name) == 0)
      return body->groups[g].springs;
  return (msd_range){0, 0};
}

static msd_range constraint_group_of(const scene_body *body, const char *name) {
  for (int g = 0; g < body->constraint_group_count; g++)
    if (strcmp(body->constraint_groups[g].name, name) == 0)
      return body->constraint_groups[g].constraints;
  return (msd_range){0, 0};
}

void damage_keep_backing(scene_body *body, const damage_backing *made) {
  body_add_group(body, "stiffening", made->stiffening);
  body_add_group(body, "strain limit", made->limit);
  body->springs.count += made->stiffening.count + made->limit.count;
}

static const char *const groups[] = {"stretch", "shear", "bend"};

/* What a group says of its springs. */
static bool read_own(const body_task *t, damage_part part, msd_range *made) {
  for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
    const json_place own = place_member(t->place, groups[g]);
    const worn of = {group_of(t->body, groups[g]), constraint_group_of(t->body, groups[g]), t->body};
    if (json_is_object(own.value) && !apply(&own, t->world, &of, part, made))
      return false;
  }
  return true;
}

/* What a material says of all springs on lengths. */
static bool read_material(const body_task *t, damage_part part, msd_range *made) {
  const json_place material = place_member(t->place, "material");
  if (!json_is_object(material.value))
    return true;
  bool has_springs = false;
  for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
    const worn of = {group_of(t->body, groups[g]), {0, 0}, t->body};
    has_springs = has_springs || of.springs.count > 0;
    if (of.springs.count > 0 && !apply(&material, t->world, &of, part, made))
      return false;
  }
  return has_springs || apply(&material, t->world, &(worn){{0, 0}, {0, 0}, t->body}, part, made);
}

/* m: how long the edge of a fold is. An angle of a rope has the moment of its rope. */
static double width_of(const msd_world *world, const msd_constraint_def *fold) {
  if (fold->kind != MSD_CONSTRAINT_DIHEDRAL)
    return 1;
  return distance_of(world, fold->particles[0], fold->particles[1]);
}

/* A fold of the stiffness k yields where its moment is that of the curvature, which is `bend` times its width
   times that: however many folds there are. */
static bool read_bend_yield(const body_task *t) {
  const json_place material = place_member(t->place, "material");
  msd_real curvature = 0;
  damage_settings s = {.damage = msd_default_damage_def()};
  if (!json_is_object(material.value) || !place_member(&material, "bend_yield").value)
    return true;
  if (!read_real(&material, "bend_yield", &bend_yield, &curvature) || !damage_read(&material, &s))
    return false;
  const msd_range folds = constraint_group_of(t->body, "bend");
  if (t->world && folds.count == 0)
    return place_fail(&material, "has no bending that could yield; give a \"bend\"");
  msd_damage_def damage = msd_default_damage_def();
  damage.plastic_rate = s.damage.plastic_rate;
  for (int32_t c = folds.first; t->world && c < folds.first + folds.count; c++) {
    const msd_constraint_def fold = msd_constraint_get_def(t->world, c);
    const double moment =
        (double)t->body->asked.bend_rigidity * width_of(t->world, &fold) * (double)curvature;
    damage.yield_strain = (msd_real)(moment / (double)fold.stiffness);
    if (msd_constraints_set_damage(t->world, (msd_range){c, 1}, &damage) != MSD_OK)
      return place_fail(&material, "%s", msd_world_message(t->world));
  }
  return true;
}

bool damage_read_groups(const body_task *t) {
  msd_range made[PARTS] = {{0, 0}};
  for (int part = 0; part < PARTS; part++)
    if (!read_own(t, (damage_part)part, &made[part]) || !read_material(t, (damage_part)part, &made[part]))
      return false;
  if (!read_bend_yield(t))
    return false;
  if (t->world)
    damage_keep_backing(t->body, &(damage_backing){made[PART_STIFFENING], made[PART_LIMIT]});
  return true;
}

bool damage_read_list(const json_place *list, msd_world *world, int32_t first, damage_backing *out) {
  msd_range made[PARTS] = {{0, 0}};
  for (int part = 0; part < PARTS; part++)
    for (size_t n = 0; list->value && n < json_array_size(list->value); n++) {
      const json_place item = place_item(list, n);
      const worn own = {{first + (int32_t)n, world ? 1 : 0}, {0, 0}, NULL};
      if (!apply(&item, world, &own, (damage_part)part, &made[part]))
        return false;
    }
  *out = (damage_backing){made[PART_STIFFENING], made[PART_LIMIT]};
  return true;
}

bool damage_read_constraints(const json_place *list, msd_world *world, int32_t first) {
  for (size_t n = 0; list->value && n < json_array_size(list->value); n++) {
    const json_place item = place_item(list, n);
    const worn own = {{0, 0}, {first + (int32_t)n, world ? 1 : 0}, NULL};
    msd_range made = {0, 0};
    if (!apply(&item, world, &own, PART_DAMAGE, &made))
      return false;
  }
  return true;
}
