#include "scenes/loader/spring_reader.h"

#include <string.h>

static const char *const group_keys[] = {SPRING_LAW_KEYS, NULL};
static const char *const length_keys[] = {SPRING_LAW_KEYS, SPRING_DAMAGE_KEYS, NULL};
static const char *const bend_keys[] = {SPRING_LAW_KEYS, SPRING_DAMAGE_KEYS, "model", NULL};
static const char *const single_keys[] = {"between",       "rest_length",      "mode", SPRING_HARD_LIMIT_KEY,
                                          SPRING_LAW_KEYS, SPRING_DAMAGE_KEYS, NULL};

static const quantity stiffness[SPRING_VALUE_COUNT] = {
    [SPRING_LENGTH] = {"a stiffness of 0 or more in N/m", 0, NUMBER_LARGEST},
    [SPRING_ANGLE] = {"a stiffness of 0 or more in N m/rad", 0, NUMBER_LARGEST},
    [SPRING_AREA] = {"a stiffness of 0 or more in N/m^3", 0, NUMBER_LARGEST},
    [SPRING_VOLUME] = {"a stiffness of 0 or more in N/m^5", 0, NUMBER_LARGEST},
    [SPRING_STRETCH] = {"a stiffness of 0 or more in N m", 0, NUMBER_LARGEST}};
static const quantity damping[SPRING_VALUE_COUNT] = {
    [SPRING_LENGTH] = {"a damping of 0 or more in N s/m", 0, NUMBER_LARGEST},
    [SPRING_ANGLE] = {"a damping of 0 or more in N m s/rad", 0, NUMBER_LARGEST},
    [SPRING_AREA] = {"a damping of 0 or more in N s/m^3", 0, NUMBER_LARGEST},
    [SPRING_VOLUME] = {"a damping of 0 or more in N s/m^5", 0, NUMBER_LARGEST},
    [SPRING_STRETCH] = {"a damping of 0 or more in N m s", 0, NUMBER_LARGEST}};
static const quantity coefficient = {
    "a fraction from 0 to 1 of the maximum stable stiffness of a single spring", 0, 1};
static const quantity hard_limit_share = {
    "the fraction of the violation that a substep removes, from 0.000001 to 1", 1e-6, 1};
static const quantity frequency = {"a frequency of 0 or more in Hz", 0, 1e9};
static const quantity damping_ratio = {"a damping ratio of 0 or more (1 is critical)", 0, 1e9};
static const quantity rest_length = {"a rest length of 0 or more in m", 0, NUMBER_LARGEST};

typedef enum given_law {
  GIVEN_NONE,
  GIVEN_PHYSICAL,
  GIVEN_COEFFICIENT,
  GIVEN_FREQUENCY,
  GIVEN_HARD_LIMIT,
  GIVEN_MAX_STABLE
} given_law;

/* "stiffness": "max_stable". A damping beside it would mean nothing, since the coefficients set both. */
static bool is_max_stable(const json_place *member) {
  return json_is_string(member->value) && strcmp(json_string_value(member->value), "max_stable") == 0;
}

/* The one law that is given. They exclude each other: half of one and half of another would mean neither. */
static bool find_law(const json_place *place, given_law *law) {
  static const struct {
    const char *key;
    given_law law;
  } keys[] = {{"stiffness", GIVEN_PHYSICAL},
              {"damping", GIVEN_PHYSICAL},
              {"ck", GIVEN_COEFFICIENT},
              {"cd", GIVEN_COEFFICIENT},
              {"frequency", GIVEN_FREQUENCY},
              {"damping_ratio", GIVEN_FREQUENCY},
              {SPRING_HARD_LIMIT_KEY, GIVEN_HARD_LIMIT}};
  const char *first = NULL;
  *law = GIVEN_NONE;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    json_place member = place_member(place, keys[i].key);
    if (!member.value)
      continue;
    const given_law found = is_max_stable(&member) ? GIVEN_MAX_STABLE : keys[i].law;
    if (first && found != *law)
      return place_fail(&member,
                        "cannot be combined with \"%s\"; give stiffness and damping, or ck and cd, or "
                        "frequency and damping_ratio, or \"stiffness\": \"max_stable\" alone",
                        first);
    if (!first)
      first = keys[i].key;
    *law = found;
  }
  return true;
}

bool spring_read_law(const json_place *place, spring_value value, msd_spring_def *def, bool *given) {
  given_law law = GIVEN_NONE;
  if (!find_law(place, &law))
    return false;
  *given = law != GIVEN_NONE;
  switch (law) {
  case GIVEN_NONE:
    return true;
  case GIVEN_PHYSICAL:
    def->law = MSD_SPRING_STIFFNESS;
    def->stiffness = def->damping = 0;
    return read_real(place, "stiffness", &stiffness[value], &def->stiffness) &&
           read_real(place, "damping", &damping[value], &def->damping);
  case GIVEN_COEFFICIENT:
    def->law = MSD_SPRING_COEFFICIENT;
    def->ck = def->cd = 0;
    return read_real(place, "ck", &coefficient, &def->ck) && read_real(place, "cd", &coefficient, &def->cd);
  case GIVEN_FREQUENCY:
    def->law = MSD_SPRING_FREQUENCY;
    def->frequency = def->damping_ratio = 0;
    return require_member(place, "frequency", "a frequency in Hz, which damping_ratio needs beside it") &&
           read_real(place, "frequency", &frequency, &def->frequency) &&
           read_real(place, "damping_ratio", &damping_ratio, &def->damping_ratio);
  case GIVEN_HARD_LIMIT:
    def->law = MSD_SPRING_HARD_LIMIT;
    return read_real(place, SPRING_HARD_LIMIT_KEY, &hard_limit_share, &def->ck);
  case GIVEN_MAX_STABLE:
    def->law = MSD_SPRING_COEFFICIENT;
    def->ck = def->cd = MSD_MAX_STABLE;
    return true;
  }
  return true;
}

bool spring_read_own_law(const json_place *place, spring_value value, msd_spring_def *def) {
  bool given;
  *def = msd_default_spring_def();
  def->law = MSD_SPRING_COEFFICIENT;
  return spring_read_law(place, value, def, &given);
}

bool spring_read_group(const json_place *body, const char *key, spring_value value, msd_spring_def *pattern) {
  json_place place = place_member(body, key);
  bool given;
  return !place.value || (place_check_object(&place, value == SPRING_LENGTH ? length_keys : group_keys) &&
                          spring_read_law(&place, value, pattern, &given));
}

bool spring_read_bend(const json_place *body, unsigned kinds, msd_spring_def *pattern, msd_bend_kind *kind) {
  static const char *const names[MSD_BEND_KIND_COUNT] = {
      [MSD_BEND_DISTANCE] = "distance", [MSD_BEND_ANGLE] = "angle", [MSD_BEND_DIHEDRAL] = "dihedral"};
  const char *words[MSD_BEND_KIND_COUNT + 1] = {NULL};
  msd_bend_kind kind_of_word[MSD_BEND_KIND_COUNT];
  int count = 0, choice = 0;
  for (int k = 0; k < MSD_BEND_KIND_COUNT; k++)
    if (kinds >> k & 1) {
      kind_of_word[count] = (msd_bend_kind)k;
      words[count++] = names[k];
    }
  json_place place = place_member(body, "bend"), member = place_member(&place, "model");
  if (!place.value)
    return true;
  bool given = false;
  if (!place_check_object(&place, bend_keys) || !read_choice(&place, "model", words, &choice))
    return false;
  *kind = kind_of_word[choice];
  if (!spring_read_law(&place, *kind == MSD_BEND_DISTANCE ? SPRING_LENGTH : SPRING_ANGLE, pattern, &given))
    return false;
  return given || !member.value ||
         place_fail(&member, "needs a stiffness beside it: a number, or \"max_stable\"");
}

static bool read_side(const json_place *place, msd_spring_mode *side) {
  static const char *const names[MSD_SPRING_MODE_COUNT + 1] = {[MSD_SPRING_BOTH] = "both",
                                                               [MSD_SPRING_TENSION_ONLY] = "tension_only",
                                                               [MSD_SPRING_COMPRESSION_ONLY] =
                                                                   "compression_only"};
  int choice = (int)*side;
  if (!read_choice(place, "mode", names, &choice))
    return false;
  *side = (msd_spring_mode)choice;
  return true;
}

static bool check_hard_limit(const json_place *place, const msd_spring_def *def) {
  const json_place share = place_member(place, SPRING_HARD_LIMIT_KEY);
  return def->law != MSD_SPRING_HARD_LIMIT || def->mode != MSD_SPRING_BOTH ||
         place_fail(&share, "needs \"mode\": \"tension_only\" or \"compression_only\" beside it");
}

bool spring_read_single(const json_place *place, const char *text, msd_spring_def *def) {
  return place_check_object(place, single_keys) && require_member(place, "between", text) &&
         spring_read_own_law(place, SPRING_LENGTH, def) && read_side(place, &def->mode) &&
         check_hard_limit(place, def) && read_real(place, "rest_length", &rest_length, &def->rest_length);
}

bool spring_check_ends(const json_place *place, int32_t a, int32_t b, const char *what) {
  return a != b || a < 0 || place_fail(place, "joins a %s with itself; give two different ones", what);
}
