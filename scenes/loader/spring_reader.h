/* How a scene file gives springs: the four ways, alone or in groups, on lengths and on other constraints. */
#ifndef MSD_SCENES_LOADER_SPRING_READER_H
#define MSD_SCENES_LOADER_SPRING_READER_H

#include "scenes/input/json_reader.h"

/* The keys of the four ways, for lists of the keys that an object may have. */
#define SPRING_LAW_KEYS "stiffness", "damping", "ck", "cd", "frequency", "damping_ratio"

/* The key of a fifth way, which tethers and struts have beside them. */
#define SPRING_HARD_LIMIT_KEY "hard_limit"

/* What strain does to springs on lengths: damage_reader.h. */
#define SPRING_DAMAGE_KEYS                                                                                   \
  "tear_strain", "tear_energy", "split", "yield_strain", "plastic_rate", "max_plastic_strain", "stiffening", \
      "max_stretch"

/* What it does to springs on something else. */
#define CONSTRAINT_DAMAGE_KEYS "yield_strain", "plastic_rate", "max_plastic_strain"

/* What the value is that a spring holds at rest; stiffness and damping have their units from it. */
typedef enum spring_value {
  /* N/m, N s/m. */
  SPRING_LENGTH,
  /* N m/rad, N m s/rad. */
  SPRING_ANGLE,
  /* N/m^3, N s/m^3. */
  SPRING_AREA,
  /* N/m^5, N s/m^5. */
  SPRING_VOLUME,
  /* N m, N m s. */
  SPRING_STRETCH,
  SPRING_VALUE_COUNT
} spring_value;

/* Reads the law of the object at `place`, whose keys the caller has checked. *given tells whether there is one;
   *def stays as it is when not. The partner of a number that is left out is 0. */
bool spring_read_law(const json_place *place, spring_value value, msd_spring_def *def, bool *given);

/* The same into the default definition, which is the stiffest certified when no law is given. */
bool spring_read_own_law(const json_place *place, spring_value value, msd_spring_def *def);

/* A law that was read, for the definition of anything that has one. */
#define SPRING_PUT_LAW(def, from)                                                                            \
  ((def)->law = (from)->law, (def)->stiffness = (from)->stiffness, (def)->damping = (from)->damping,         \
   (def)->ck = (from)->ck, (def)->cd = (from)->cd, (def)->frequency = (from)->frequency,                     \
   (def)->damping_ratio = (from)->damping_ratio)

/* Reads the member `key` of a body into the pattern of one kind of springs. An absent or empty group leaves
   the pattern as the builder's default has it. */
bool spring_read_group(const json_place *body, const char *key, spring_value value, msd_spring_def *pattern);

/* Reads "bend", which may have a "kind": "distance", "angle" or "dihedral", of those that `kinds` has as bit
   1 << msd_bend_kind. */
bool spring_read_bend(const json_place *body, unsigned kinds, msd_spring_def *pattern, msd_bend_kind *kind);

/* Reads a spring of its own: its law, side and rest length; the caller reads "between". Without any law it is
   the stiffest certified. `text` says what "between" must be, for errors. */
bool spring_read_single(const json_place *place, const char *text, msd_spring_def *def);

/* The two ends of anything that joins two of the same kind; -1 where they are only checked. */
bool spring_check_ends(const json_place *place, int32_t a, int32_t b, const char *what);

#endif
