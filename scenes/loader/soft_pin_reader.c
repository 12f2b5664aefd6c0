#include "scenes/loader/soft_pin_reader.h"

#include "scenes/loader/particle_name.h"
#include "scenes/loader/spring_reader.h"

#include <stdlib.h>

typedef struct soft_pin_list {
  msd_soft_pin_def *defs;
  int32_t count;
} soft_pin_list;

/* An soft pin of a frequency alone is critically damped, and the stiffest is there after two substeps. */
static bool read_law(const json_place *place, msd_soft_pin_def *def) {
  msd_spring_def law = msd_default_spring_def();
  bool given;
  if (!spring_read_law(place, SPRING_LENGTH, &law, &given))
    return false;
  if (!given)
    return true;
  json_place ratio = place_member(place, "damping_ratio");
  if (!ratio.value)
    law.damping_ratio = def->damping_ratio;
  SPRING_PUT_LAW(def, &law);
  def->ck = law.ck == MSD_MAX_STABLE ? 1 : law.ck;
  def->cd = law.cd == MSD_MAX_STABLE ? 1 : law.cd;
  return true;
}

/* One for each of the particles that its name means. */
static bool read_soft_pin(const body_task *t, const json_place *place, soft_pin_list *list) {
  static const char *const keys[] = {"particle", "position", SPRING_LAW_KEYS, NULL};
  const char *text = "a particle's index, or a name such as \"first\"";
  msd_soft_pin_def def = msd_default_soft_pin_def();
  json_place point = place_member(place, "position"), which = place_member(place, "particle");
  if (!place_check_object(place, keys) || !require_member(place, "particle", text) ||
      !read_position(place, "position", &def.position) || !read_law(place, &def))
    return false;
  if (!t->world)
    return particles_check(&which, t->body);
  int32_t particles = 0;
  int32_t *chosen = particles_read(&which, t->world, t->body, &particles);
  if (!chosen)
    return false;
  msd_soft_pin_def *defs = realloc(list->defs, ((size_t)list->count + (size_t)particles + 1) * sizeof *defs);
  bool done = defs || place_out_of_memory(place);
  if (defs)
    list->defs = defs;
  for (int32_t p = 0; done && p < particles; p++) {
    def.particle = chosen[p];
    if (!point.value)
      def.position = msd_particle_get_position(t->world, chosen[p]);
    list->defs[list->count++] = def;
  }
  free(chosen);
  return done;
}

bool soft_pins_read(const body_task *t) {
  json_place list = place_member(t->place, "soft_pins");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of soft pins"))
    return false;
  soft_pin_list soft_pins = {0};
  bool done = true;
  for (size_t i = 0; done && i < json_array_size(list.value); i++) {
    json_place item = place_item(&list, i);
    done = read_soft_pin(t, &item, &soft_pins);
  }
  if (done && t->world) {
    msd_range *made = &t->body->soft_pins;
    made->count = soft_pins.count;
    done = msd_add_soft_pins(t->world, soft_pins.defs, soft_pins.count, &made->first) == MSD_OK ||
           place_fail(&list, "%s", msd_world_message(t->world));
  }
  free(soft_pins.defs);
  return done;
}
