#include "scenes/loader/spring_reader.h"

static const char *const group_keys[] = {SPRING_LAW_KEYS, NULL};
static const char *const length_keys[] = {SPRING_LAW_KEYS, SPRING_WEAR_KEYS, NULL};
static const char *const bend_keys[] = {SPRING_LAW_KEYS, SPRING_WEAR_KEYS, "kind", NULL};
static const char *const single_keys[] = {"between",       "rest_length",    "side", SPRING_CATCH_KEY,
                                          SPRING_LAW_KEYS, SPRING_WEAR_KEYS, NULL};

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
static const quantity coefficient = {"a fraction from 0 to 1 of the stiffest a single spring can be", 0, 1};
static const quantity catch_share = {"a share from 0.000001 to 1, which a substep takes back", 1e-6, 1};
static const quantity frequency = {"a frequency of 0 or more in Hz", 0, 1e9};
static const quantity damping_ratio = {"a damping ratio of 0 or more (1 is critical)", 0, 1e9};
static const quantity rest_length = {"a rest length of 0 or more in m", 0, NUMBER_LARGEST};

typedef enum given_law {
  GIVEN_NONE,
  GIVEN_PHYSICAL,
  GIVEN_COEFFICIENT,
  GIVEN_FREQUENCY,
  GIVEN_CATCH,
  GIVEN_STIFFEST
} given_law;

/* The one law that is given. They exclude each other: half of one and half of another would mean neither. */
static bool find_law(const json_place *place, given_law *law) {
  static const struct {
    const char *key;
    given_law law;
  } keys[] = {{"stiffness", GIVEN_PHYSICAL},   {"damping", GIVEN_PHYSICAL},
              {"ck", GIVEN_COEFFICIENT},       {"cd", GIVEN_COEFFICIENT},
              {"frequency", GIVEN_FREQUENCY},  {"damping_ratio", GIVEN_FREQUENCY},
              {SPRING_CATCH_KEY, GIVEN_CATCH}, {"stiffest", GIVEN_STIFFEST}};
  const char *first = NULL;
  *law = GIVEN_NONE;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    json_place member = place_member(place, keys[i].key);
    bool wanted = member.value != NULL;
    if (wanted && keys[i].law == GIVEN_STIFFEST && !read_flag(place, keys[i].key, &wanted))
      return false;
    if (!wanted)
      continue;
    if (first && keys[i].law != *law)
      return place_fail(
          &member,
          "does not go with \"%s\"; give a spring in one way: stiffness and damping, ck and cd, "
          "frequency and damping_ratio, or \"stiffest\": true",
          first);
    if (!first)
      first = keys[i].key;
    *law = keys[i].law;
  }
  const json_place stiffest = place_member(place, "stiffest");
  return first || !stiffest.value ||
         place_fail(&stiffest,
                    "is false, which leaves no way to give the spring; give a stiffness, or leave it out");
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
    def->law = MSD_SPRING_PHYSICAL;
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
    return require_member(place, "frequency", "a frequency in Hz, which damping_ratio alone leaves open") &&
           read_real(place, "frequency", &frequency, &def->frequency) &&
           read_real(place, "damping_ratio", &damping_ratio, &def->damping_ratio);
  case GIVEN_CATCH:
    def->law = MSD_SPRING_CATCH;
    return read_real(place, SPRING_CATCH_KEY, &catch_share, &def->ck);
  case GIVEN_STIFFEST:
    def->law = MSD_SPRING_COEFFICIENT;
    def->ck = def->cd = MSD_STIFFEST;
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
  json_place place = place_member(body, "bend"), member = place_member(&place, "kind");
  if (!place.value)
    return true;
  bool given = false;
  if (!place_check_object(&place, bend_keys) || !read_choice(&place, "kind", words, &choice))
    return false;
  *kind = kind_of_word[choice];
  if (!spring_read_law(&place, *kind == MSD_BEND_DISTANCE ? SPRING_LENGTH : SPRING_ANGLE, pattern, &given))
    return false;
  return given || !member.value ||
         place_fail(&member, "comes without a stiffness; give one, or \"stiffest\": true, beside it");
}

static bool read_side(const json_place *place, msd_spring_side *side) {
  static const char *const names[MSD_SPRING_SIDE_COUNT + 1] = {
      [MSD_SPRING_BOTH] = "both", [MSD_SPRING_TETHER] = "tether", [MSD_SPRING_STRUT] = "strut"};
  int choice = (int)*side;
  if (!read_choice(place, "side", names, &choice))
    return false;
  *side = (msd_spring_side)choice;
  return true;
}

static bool check_catch(const json_place *place, const msd_spring_def *def) {
  const json_place share = place_member(place, SPRING_CATCH_KEY);
  return def->law != MSD_SPRING_CATCH || def->side != MSD_SPRING_BOTH ||
         place_fail(&share, "needs a side that catches; give \"side\": \"tether\" or \"strut\" beside it");
}

bool spring_read_single(const json_place *place, const char *text, msd_spring_def *def) {
  return place_check_object(place, single_keys) && require_member(place, "between", text) &&
         spring_read_own_law(place, SPRING_LENGTH, def) && read_side(place, &def->side) &&
         check_catch(place, def) && read_real(place, "rest_length", &rest_length, &def->rest_length);
}

bool spring_check_ends(const json_place *place, int32_t a, int32_t b, const char *what) {
  return a != b || a < 0 || place_fail(place, "joins a %s with itself; give two different ones", what);
}
