#include "scenes/spring_reader.h"

#define LAW_KEYS "stiffness", "damping", "ck", "cd", "frequency", "damping_ratio", "stiffest"

static const char *const group_keys[] = {LAW_KEYS, NULL};
static const char *const single_keys[] = {"between", "rest_length", LAW_KEYS, NULL};

static const quantity stiffness = {"a stiffness of 0 or more in N/m", 0, NUMBER_LARGEST};
static const quantity damping = {"a damping of 0 or more in N s/m", 0, NUMBER_LARGEST};
static const quantity coefficient = {"a fraction from 0 to 1 of the stiffest a single spring can be", 0, 1};
static const quantity frequency = {"a frequency of 0 or more in Hz", 0, 1e9};
static const quantity damping_ratio = {"a damping ratio of 0 or more (1 is critical)", 0, 1e9};
static const quantity rest_length = {"a rest length of 0 or more in m", 0, NUMBER_LARGEST};

typedef enum spring_way { WAY_NONE, WAY_PHYSICAL, WAY_COEFFICIENT, WAY_FREQUENCY, WAY_STIFFEST } spring_way;

/* The one way in which a spring is given. The ways exclude each other: half of one and half of another would
   mean neither. */
static bool find_way(const json_place *place, spring_way *way) {
  static const struct {
    const char *key;
    spring_way way;
  } keys[] = {{"stiffness", WAY_PHYSICAL}, {"damping", WAY_PHYSICAL},    {"ck", WAY_COEFFICIENT},
              {"cd", WAY_COEFFICIENT},     {"frequency", WAY_FREQUENCY}, {"damping_ratio", WAY_FREQUENCY},
              {"stiffest", WAY_STIFFEST}};
  const char *first = NULL;
  *way = WAY_NONE;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    json_place member = place_member(place, keys[i].key);
    bool wanted = member.value != NULL;
    if (wanted && keys[i].way == WAY_STIFFEST && !read_flag(place, keys[i].key, &wanted))
      return false;
    if (!wanted)
      continue;
    if (first && keys[i].way != *way)
      return place_fail(
          &member,
          "does not go with \"%s\"; give a spring in one way: stiffness and damping, ck and cd, "
          "frequency and damping_ratio, or \"stiffest\": true",
          first);
    if (!first)
      first = keys[i].key;
    *way = keys[i].way;
  }
  return true;
}

/* The law of the object at `place`; `def` stays as it is when there is none. The partner of a number that is
   left out is 0. */
static bool read_law(const json_place *place, msd_spring_def *def) {
  spring_way way = WAY_NONE;
  if (!find_way(place, &way))
    return false;
  switch (way) {
  case WAY_NONE:
    return true;
  case WAY_PHYSICAL:
    def->law = MSD_SPRING_PHYSICAL;
    def->stiffness = def->damping = 0;
    return read_real(place, "stiffness", &stiffness, &def->stiffness) &&
           read_real(place, "damping", &damping, &def->damping);
  case WAY_COEFFICIENT:
    def->law = MSD_SPRING_COEFFICIENT;
    def->ck = def->cd = 0;
    return read_real(place, "ck", &coefficient, &def->ck) && read_real(place, "cd", &coefficient, &def->cd);
  case WAY_FREQUENCY:
    def->law = MSD_SPRING_FREQUENCY;
    def->frequency = def->damping_ratio = 0;
    return require_member(place, "frequency", "a frequency in Hz, which damping_ratio alone leaves open") &&
           read_real(place, "frequency", &frequency, &def->frequency) &&
           read_real(place, "damping_ratio", &damping_ratio, &def->damping_ratio);
  case WAY_STIFFEST:
    def->law = MSD_SPRING_COEFFICIENT;
    def->ck = def->cd = MSD_STIFFEST;
    return true;
  }
  return true;
}

bool spring_read_group(const json_place *body, const char *key, msd_spring_def *pattern) {
  json_place place = place_member(body, key);
  return !place.value || (place_check_object(&place, group_keys) && read_law(&place, pattern));
}

bool spring_read_single(const json_place *place, const char *text, msd_spring_def *def) {
  *def = msd_default_spring_def();
  def->law = MSD_SPRING_COEFFICIENT;
  return place_check_object(place, single_keys) && require_member(place, "between", text) &&
         read_law(place, def) && read_real(place, "rest_length", &rest_length, &def->rest_length);
}
