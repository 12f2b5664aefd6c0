#include "scenes/loader/wear_reader.h"

#include <math.h>
#include <string.h>

static const quantity tear = {"a length above 1 over the rest length", 1 + 1e-6, NUMBER_LARGEST};
static const quantity yield = {"a strain above 0, of an angle in rad", NUMBER_SMALLEST, NUMBER_LARGEST};
static const quantity creep = {"a share from 0.000001 to 1, which a frame takes over", 1e-6, 1};
static const quantity set_limit = {"a strain above 0, of an angle in rad", NUMBER_SMALLEST, NUMBER_LARGEST};
static const quantity bend_yield = {"a curvature above 0 in 1/m", NUMBER_SMALLEST, NUMBER_LARGEST};
static const quantity strain = {"a strain of 0 or more", 0, NUMBER_LARGEST};
static const quantity factor = {"a factor above 1", 1 + 1e-6, NUMBER_LARGEST};
static const quantity limit = {"a length of 1 or more over the rest length", 1, NUMBER_LARGEST};

static bool read_stiffening(const json_place *object, wear_settings *out) {
  const json_place pair = place_member(object, "stiffening");
  if (!pair.value)
    return true;
  if (!place_check_array_of(&pair, 2, "[strain, factor], such as [0.05, 4]"))
    return false;
  const json_place first = place_item(&pair, 0), second = place_item(&pair, 1);
  double numbers[2] = {0, 0};
  if (!place_get_number(&first, &strain, &numbers[0]) || !place_get_number(&second, &factor, &numbers[1]))
    return false;
  out->strain = (msd_real)numbers[0];
  out->factor = (msd_real)numbers[1];
  return true;
}

/* What only says how something else happens. */
static bool check_alone(const json_place *object, const char *key, const char *needed) {
  const json_place member = place_member(object, key), other = place_member(object, needed);
  return !member.value || other.value || place_fail(&member, "needs a \"%s\" beside it", needed);
}

/* Of what bends in a material, too. */
static bool check_creep(const json_place *object) {
  return place_member(object, "bend_yield").value || check_alone(object, "creep", "yield");
}

bool wear_read(const json_place *object, wear_settings *out) {
  return check_alone(object, "split", "tear") && check_creep(object) &&
         check_alone(object, "set_limit", "yield") && read_real(object, "tear", &tear, &out->wear.tear) &&
         read_flag(object, "split", &out->wear.splits) &&
         read_real(object, "yield", &yield, &out->wear.yield) &&
         read_real(object, "creep", &creep, &out->wear.creep) &&
         read_real(object, "set_limit", &set_limit, &out->wear.set_limit) && read_stiffening(object, out) &&
         read_real(object, "strain_limit", &limit, &out->limit);
}

/* In the order in which they are applied: what backs springs of one body is added kind by kind, so that it is
   one range. */
typedef enum wear_part { PART_STIFFENING, PART_LIMIT, PART_WEAR, PARTS } wear_part;

static bool says(const wear_settings *s, wear_part part) {
  return part == PART_STIFFENING ? s->factor > 0
         : part == PART_LIMIT    ? s->limit > 0
                                 : s->wear.tear > 0 || s->wear.yield > 0;
}

static msd_result give(msd_world *world, msd_range springs, const wear_settings *s, wear_part part,
                       msd_range *made) {
  *made = (msd_range){0, 0};
  if (part == PART_STIFFENING)
    return msd_springs_stiffen(world, springs, s->strain, s->factor, made);
  if (part == PART_LIMIT)
    return msd_springs_limit_stretch(world, springs, s->limit, 1, made);
  return msd_springs_set_wear(world, springs, &s->wear);
}

/* What an object speaks of. */
typedef struct worn {
  msd_range springs, constraints;
} worn;

static bool refuse(const json_place *object, const worn *of) {
  return place_fail(object, of->constraints.count > 0
                                ? "makes springs on angles, which yield; only those on lengths tear, stiffen "
                                  "and have limits"
                                : "makes no springs on lengths, and only those tear, yield, stiffen and have "
                                  "limits; give it a stiffness");
}

/* One part of what an object says of some springs or constraints; *all grows by what was added. */
static bool apply(const json_place *object, msd_world *world, const worn *of, wear_part part,
                  msd_range *all) {
  wear_settings s = {.wear = msd_default_wear_def()};
  if (!wear_read(object, &s))
    return false;
  if (!world || !says(&s, part))
    return true;
  const bool yields_alone = part == PART_WEAR && !(s.wear.tear > 0);
  if (of->springs.count == 0 && (of->constraints.count == 0 || !yields_alone))
    return refuse(object, of);
  msd_range made = {0, 0};
  if ((of->springs.count > 0 && give(world, of->springs, &s, part, &made) != MSD_OK) ||
      (of->constraints.count > 0 && msd_constraints_set_wear(world, of->constraints, &s.wear) != MSD_OK))
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

void wear_keep_backing(scene_body *body, const wear_backing *made) {
  body_add_group(body, "stiffening", made->stiffening);
  body_add_group(body, "strain limit", made->limit);
  body->springs.count += made->stiffening.count + made->limit.count;
}

static const char *const groups[] = {"structural", "stretch", "shear", "bend"};

/* What a group says of its springs. */
static bool read_own(const body_task *t, wear_part part, msd_range *made) {
  for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
    const json_place own = place_member(t->place, groups[g]);
    const worn of = {group_of(t->body, groups[g]), constraint_group_of(t->body, groups[g])};
    if (json_is_object(own.value) && !apply(&own, t->world, &of, part, made))
      return false;
  }
  return true;
}

/* What a material says of all springs on lengths. */
static bool read_material(const body_task *t, wear_part part, msd_range *made) {
  const json_place material = place_member(t->place, "material");
  if (!json_is_object(material.value))
    return true;
  bool has_springs = false;
  for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
    const worn of = {group_of(t->body, groups[g]), {0, 0}};
    has_springs = has_springs || of.springs.count > 0;
    if (of.springs.count > 0 && !apply(&material, t->world, &of, part, made))
      return false;
  }
  return has_springs || apply(&material, t->world, &(worn){{0, 0}, {0, 0}}, part, made);
}

/* m: how long the edge of a fold is. An angle of a rope has the moment of its rope. */
static double width_of(const msd_world *world, const msd_constraint_def *fold) {
  if (fold->kind != MSD_CONSTRAINT_DIHEDRAL)
    return 1;
  const msd_vec3 a = msd_particle_get_position(world, fold->particles[0]),
                 b = msd_particle_get_position(world, fold->particles[1]);
  const double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y, z = (double)b.z - (double)a.z;
  return sqrt(x * x + y * y + z * z);
}

/* A fold of the stiffness k yields where its moment is that of the curvature, which is `bend` times its width
   times that: however many folds there are. */
static bool read_bend_yield(const body_task *t) {
  const json_place material = place_member(t->place, "material");
  msd_real curvature = 0;
  wear_settings s = {.wear = msd_default_wear_def()};
  if (!json_is_object(material.value) || !place_member(&material, "bend_yield").value)
    return true;
  if (!read_real(&material, "bend_yield", &bend_yield, &curvature) || !wear_read(&material, &s))
    return false;
  const msd_range folds = constraint_group_of(t->body, "bend");
  if (t->world && folds.count == 0)
    return place_fail(&material, "has nothing that bends, so that nothing can yield to it; give a \"bend\"");
  msd_wear_def wear = msd_default_wear_def();
  wear.creep = s.wear.creep;
  for (int32_t c = folds.first; t->world && c < folds.first + folds.count; c++) {
    const msd_constraint_def fold = msd_constraint_get_def(t->world, c);
    const double moment = (double)t->body->asked.bend * width_of(t->world, &fold) * (double)curvature;
    wear.yield = (msd_real)(moment / (double)fold.stiffness);
    if (msd_constraints_set_wear(t->world, (msd_range){c, 1}, &wear) != MSD_OK)
      return place_fail(&material, "%s", msd_world_message(t->world));
  }
  return true;
}

bool wear_read_groups(const body_task *t) {
  msd_range made[PARTS] = {{0, 0}};
  for (int part = 0; part < PARTS; part++)
    if (!read_own(t, (wear_part)part, &made[part]) || !read_material(t, (wear_part)part, &made[part]))
      return false;
  if (!read_bend_yield(t))
    return false;
  if (t->world)
    wear_keep_backing(t->body, &(wear_backing){made[PART_STIFFENING], made[PART_LIMIT]});
  return true;
}

bool wear_read_list(const json_place *list, msd_world *world, int32_t first, wear_backing *out) {
  msd_range made[PARTS] = {{0, 0}};
  for (int part = 0; part < PARTS; part++)
    for (size_t n = 0; list->value && n < json_array_size(list->value); n++) {
      const json_place item = place_item(list, n);
      const worn own = {{first + (int32_t)n, world ? 1 : 0}, {0, 0}};
      if (!apply(&item, world, &own, (wear_part)part, &made[part]))
        return false;
    }
  *out = (wear_backing){made[PART_STIFFENING], made[PART_LIMIT]};
  return true;
}

bool wear_read_constraints(const json_place *list, msd_world *world, int32_t first) {
  for (size_t n = 0; list->value && n < json_array_size(list->value); n++) {
    const json_place item = place_item(list, n);
    const worn own = {{0, 0}, {first + (int32_t)n, world ? 1 : 0}};
    msd_range made = {0, 0};
    if (!apply(&item, world, &own, PART_WEAR, &made))
      return false;
  }
  return true;
}
